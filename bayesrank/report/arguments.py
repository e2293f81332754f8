"""What a report is asked for: each argument is refused by its name if it is not what it should be."""

from collections.abc import Mapping
from typing import Any

import xarray as xr

from bayesrank import _text
from bayesrank._checks import check_entities, check_result, describe_value
from bayesrank._compat import groups_of, is_container
from bayesrank._draws import draw_dims
from bayesrank.performance import posterior_of
from bayesrank.ranking.summary import check_complete, is_exact
from bayesrank.ranking.values import ScoreValues, score_values
from bayesrank.report import sections

__all__ = ["KNOWN", "check_results", "facts_of", "ranking_of", "read", "text_or_none"]

#: What a ranking must hold to be shown.
NEEDED = (
    *("median", "lower", "upper", "observed", "rank_probability", "probability_best", "probability_best_error"),
    *("expected_rank", "expected_rank_error", "rank_lower", "rank_upper", "equivalence", "consensus_distance"),
    *("consensus_lower_bound", "expected_regret"),
)
#: What can be known of data, as :func:`bayesrank.datasets.describe` tells it.
KNOWN = ("title", "question", "description", "citation", "licence", "caveats", "name", "model", "file", "found")


def read(
    posterior: Any, score: Any, kind: str | None, higher_is_better: bool | None = None
) -> tuple[dict[str, xr.Dataset], ScoreValues]:
    """Return the groups of a source of one data set, and its values of the score; an array has an empty posterior."""
    group = xr.Dataset() if isinstance(posterior, xr.DataArray) else posterior_of(posterior)
    found = score_values(posterior, score, higher_is_better, kind)
    if "dataset" in found.values.dims:
        raise ValueError(
            f"source must have no dim dataset (fit br.pool(counts), or select one data set); got {found.values.dims}"
        )
    draws = draw_dims(found.values)
    if set(found.values.dims) - {*draws, "entity"} or not found.values.size:
        raise ValueError(
            "source must hold draws and entities, and no other dims (select one item of each); got "
            f"{dict(found.values.sizes)}"
        )
    if "entity" not in found.values.coords:
        raise ValueError(f"source must have a coord that names each entity; got coords {list(found.values.coords)}")
    check_entities("source", found.values["entity"].values.tolist())
    return groups_of(posterior) if is_container(posterior) else {"posterior": group}, found


def ranking_of(found: ScoreValues, ranking: Any) -> xr.Dataset:
    """Return a supplied ranking after a check that its entities and its score fit."""
    check_complete(ranking)
    check_result("br.credible_ranking", "ranking", ranking, NEEDED)
    if not is_exact(ranking):
        check_result("br.credible_ranking", "ranking", ranking, ("effective_sample_size",))
    given, wanted = (set(group["entity"].values.tolist()) for group in (ranking, found.values))
    if given != wanted:
        other = sorted(map(str, given ^ wanted))
        raise ValueError(
            f"ranking must be of the entities of the posterior; got {_text.format_names(other)} in one alone"
        )
    if ranking.attrs["score"] != found.name:
        raise ValueError(f"ranking must be by the score, {found.name}; got one by {ranking.attrs['score']}")
    return ranking


def facts_of(data: Any) -> dict[str, str]:
    """Return the description of the data after a check."""
    if data is None:
        return {}
    if not isinstance(data, Mapping):
        raise TypeError(f"data must be a mapping from {', '.join(KNOWN)} to texts; got {describe_value(data)}")
    for key, value in data.items():
        if not isinstance(key, str) or key not in KNOWN:
            raise ValueError(f"data must have no keys but {', '.join(KNOWN)}; got {describe_value(key)}")
        if not isinstance(value, str):
            raise TypeError(f"data must tell the {key} as a text; got {describe_value(value)}")
    return {key: "\n".join(" ".join(line.split()) for line in value.splitlines()) for key, value in data.items()}


def check_results(results: Any) -> dict[str, Any]:
    """Return results by the sections that show them."""
    if results is None:
        return {}
    if not isinstance(results, Mapping):
        raise TypeError(f"results must be a mapping from sections to their results; got {describe_value(results)}")
    known = [name for name in sections.names() if hasattr(sections.find(name), "compute")]
    for name in results:
        if name not in known:
            raise ValueError(f"results must be for the sections {', '.join(known)}; got {describe_value(name)}")
    return {name: result for name, result in results.items() if result is not None}


def text_or_none(argument: str, value: Any) -> None:
    """Refuse what is neither."""
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{argument} must be a text; got {describe_value(value)}")
