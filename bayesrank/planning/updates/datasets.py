"""More data sets for a hierarchical model, or more cases of the same ones, whatever its evidence is."""

import numpy as np

from bayesrank._core.checks import check_choice
from bayesrank._core.draws import draw_dims
from bayesrank.planning.preposterior import Preposterior, Request
from bayesrank.ranking.values import score_values

#: The units that can be added; the first is the one that the model takes as independent.
UNITS = ["data sets", "cases"]


def update_datasets(source: Preposterior, request: Request) -> Preposterior:
    """Return how more data sets, or more cases of the same ones, would update the scores of a hierarchical model."""
    more = request.more or UNITS[0]
    kind = source.kind or source.about.kind or "typical"
    check_choice("kind", kind, ("typical", "new"))
    between = _between_datasets(source, kind)
    counts = source.counts()
    cases = (
        counts.sum([d for d in counts.dims if d not in ("entity", "dataset")])
        .transpose("entity", "dataset")
        .values
    )
    # The prior of the mean counts as one data set.
    datasets = (cases > 0).sum(1) + 1.0
    rest = between if kind == "new" else np.zeros_like(between)
    if more == "cases":
        rest = rest + between / np.sqrt(datasets[:, None] * datasets)
        units, cases_each, fixed = cases.sum(1), 1.0, "data sets"
    else:
        units, cases_each, fixed = (
            datasets,
            float(cases.sum() / (cases > 0).sum()),
            "" if kind == "typical" else "new",
        )
    return source.normal(
        units, source.covariance - rest, unit=more, cases_each=cases_each, fixed=fixed
    )


def _between_datasets(source: Preposterior, kind: str) -> np.ndarray:
    """Return the covariance of the scores between data sets: that of a new data set less that of a typical one."""
    other_kind = "typical" if kind == "new" else "new"
    values = score_values(
        source.posterior, source.score, bool(source.found.higher_is_better), other_kind
    ).values
    drawn = (
        values.stack(all_draws=draw_dims(values))
        .transpose("all_draws", "entity")
        .values[:, source.keep]
    )
    drawn = drawn[np.isfinite(drawn).all(1)]
    covariance = np.cov(drawn.T).reshape(drawn.shape[1], -1)
    difference = (
        covariance - source.covariance if kind == "typical" else source.covariance - covariance
    )
    values_, vectors = np.linalg.eigh(difference)
    return (vectors * np.maximum(values_, 0)) @ vectors.T


def alternatives_of_datasets() -> dict[str, Request]:
    """Return requests for other kinds of new units, by their names."""
    return {
        "more data sets": Request("data sets"),
        "more cases of the same data sets": Request("cases"),
    }
