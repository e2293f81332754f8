"""Sections of the report that only some posteriors and evidence support."""

import sys
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank import _text
from bayesrank._checks import check_unique, describe_value
from bayesrank._draws import draw_dims
from bayesrank.ops import of_draws, summarize
from bayesrank.ranking import ranking_table
from bayesrank.ranking.summary import effective_draws
from bayesrank.ranking.values import ScoreValues
from bayesrank.report.pictures import inline_svg
from bayesrank.words.models import check_model, model_caveat

__all__ = ["LACKING", "SECTIONS", "check_sections", "ops_section", "paired_section", "predictive_section"]

#: Sections that can be left out, or asked for, of those that a posterior alone may support.
SECTIONS = ("tile", "ops", "paired", "hierarchical", "predictive")
#: What is said of one that was asked for and cannot be had.
LACKING = {
    "tile": "The section tile was asked for, but the Tile is of scores of two classes.",
    "ops": "The section ops was asked for, but outperformance scores are of draws of two classes with cases.",
    "paired": "The section paired was asked for, but is of several entities under a model that pairs cases.",
    "hierarchical": "The section hierarchical was asked for, but is of hierarchical models of several data sets.",
    "predictive": "The section predictive was asked for, but is of several data sets with replicates of their counts.",
}
#: Replicated counts that are drawn while a reader waits.
MOST = 50_000_000
#: Rivals of the first entity in the table of what pairing adds.
RIVALS = 10


def check_sections(sections: Any) -> tuple[str, ...] | None:
    """The sections asked for; None for those that are to be had, and cheap.

    Examples
    --------
    >>> checked_sections(["tile"])
    ('tile',)
    """
    if sections is None:
        return None
    if isinstance(sections, str) or not isinstance(sections, Sequence):
        raise TypeError(f"sections must be a list of names; got {describe_value(sections)}")
    unknown = [name for name in sections if not isinstance(name, str) or name not in SECTIONS]
    if unknown:
        raise ValueError(f"sections must be among {', '.join(SECTIONS)}; got {describe_value(unknown[0])}")
    return tuple(check_unique("sections", list(sections)))


def ops_section(performance: xr.DataArray, found: ScoreValues, prob: float) -> pd.DataFrame | None:
    """OPS of every entity, as a table of ``median``, ``lower`` and ``upper``; None where it is defined for nobody.

    Examples
    --------
    >>> import bayesrank as br
    >>> from bayesrank.ranking.values import scored
    >>> posterior = br.fit(br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"]), seed=1)
    >>> ops_section(br.as_performance(posterior), scored(posterior, "f1", None, None), 0.95).index.tolist()
    ['a', 'b']
    """
    assert found.score is not None
    summary = summarize(of_draws(performance, found.score), prob=prob)
    frame = pd.DataFrame(
        {"median": summary["mean"].values, "lower": summary["lower"].values, "upper": summary["upper"].values},
        pd.Index(performance["entity"].values, name="entity"),
    )
    return frame if frame["median"].notna().any() else None


def predictive_section(posterior: Any, asked: bool) -> dict[str, Any] | None:
    """What a posterior predictive check says, in words and as a picture; None of one data set, or of what takes long.

    Examples
    --------
    >>> import bayesrank as br
    >>> predictive_section(br.fit(br.from_counts(tn=8, fp=2, fn=1, tp=9), seed=1), asked=False) is None
    True
    """
    check = check_model(posterior, sys.maxsize if asked else MOST)
    if check is None:
        return None
    from markupsafe import Markup

    from bayesrank.plots import predictive_check as picture

    def draw(ax: Any, k: int) -> None:
        figure = ax.figure
        ax.remove()
        picture(check.isel(statistic=[k]), figure)

    return {
        "caveat": model_caveat(check, posterior),
        "lines": str(check.attrs["words"]).split("\n"),
        # One beside the other where there is room.
        "svg": Markup(" ").join(inline_svg(partial(draw, k=k), (4.6, 3.2)) for k in range(check.sizes["statistic"])),
        "caption": "What was observed over what the model replicates; 1 is what chance alone makes.",
    }


def paired_section(found: ScoreValues, ranking: xr.Dataset, about: Mapping[Any, Any]) -> dict[str, Any] | None:
    """What it adds that all met the same cases: the first entity against its rivals, with and without; None elsewhere.

    Without, the draws of one entity are held against all draws of the other, as if they were independent.

    Examples
    --------
    >>> import pandas as pd
    >>> import bayesrank as br
    >>> from bayesrank.ranking.values import scored
    >>> answers = pd.DataFrame({"a": [1, 1, 0, 1] * 9, "b": [1, 0, 0, 1] * 9})
    >>> posterior = br.fit(br.from_outcomes(answers), "paired", seed=1)
    >>> ranking = br.credible_ranking(posterior, "mean_outcome")
    >>> section = paired_section(scored(posterior, "mean_outcome", None, None), ranking, {"paired": 1})
    >>> section["rows"][0]["entity"], section["rows"][0]["share"] < 1
    ('b', True)
    """
    order = ranking_table(ranking).dropna(subset=["tier"]).index.tolist()
    if not about.get("paired") or len(order) < 2:
        return None
    draws = found.values.transpose("entity", *draw_dims(found.values))
    first, *others = order[: RIVALS + 1]
    x = found.sign * draws.sel(entity=first).values.ravel()
    tail, rope, size = (1 - ranking.attrs["prob"]) / 2, ranking.attrs["rope"], min(len(x), effective_draws(ranking))
    rows = []
    for name in others:
        y = found.sign * draws.sel(entity=name).values.ravel()
        both = ~np.isnan(x) & ~np.isnan(y)
        u, v = x[both], y[both]
        apart = np.sqrt(u.var() + v.var()) if len(u) else np.nan
        if not apart > 0:
            continue
        low, middle, high = np.sort(found.sign * np.quantile(u - v, [tail, 0.5, 1 - tail]))
        # How often a draw is above any draw of the other one, by more than the ROPE.
        free = float((np.searchsorted(np.sort(v), u - rope, "left") / len(v)).mean())
        rows.append(
            {
                "entity": name,
                "difference": _text.estimate(middle, low, high),
                "paired": _text.probability(float(ranking["superiority"].sel(entity=first, rival=name)), size),
                "free": _text.probability(free, size),
                "share": float((u - v).std() / apart),
            }
        )
    if not rows:
        return None
    shares = [row["share"] for row in rows]
    middle = float(np.median(shares))
    met = (
        "Entities met cases together, though not all of them"
        if about.get("missing") == "own"
        else "All entities met the same cases"
    )
    several = f" (median of {len(rows)} rivals; {min(shares):.2f} to {max(shares):.2f})" * (len(rows) > 1)
    words = (
        f"{met}. The standard deviation of the difference to {first} is {middle:.2f} times what independent cases "
        f"would leave{several}: the more alike entities err, the less."
    )
    return {"first": first, "words": words, "rows": rows}
