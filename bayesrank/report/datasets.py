"""The report's section on the members of a population: several data sets, or the entities themselves."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank import _text
from bayesrank.performance import posterior_of
from bayesrank.plots._style import list_size
from bayesrank.populations import heterogeneity
from bayesrank.ranking import ranking_table

__all__ = ["datasets_section", "population_words"]

#: Entities whose data sets are drawn, and rows of a picture.
DRAWN, ROWS = 3, 60
COLUMNS = ("typical", "new", "between_sd", "share")


def population_words(posterior: Any) -> str | None:
    """What a hierarchical model without data sets took for its population; None where there are data sets, or no such
    model.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> population_words(br.fit(counts, "hierarchical_beta_binomial", seed=1))
    'There is one data set, so the population is that of the 2 entities: each one is drawn towards the mean of all...'
    """
    group = posterior_of(posterior)
    if group.attrs.get("population") != "entities":
        return None
    size = group.sizes["entity"]
    if size == 1:
        return (
            "There is one data set and one entity, so there is no population to learn from: a hierarchical model says "
            "no more here than the prior and the entity's own cases."
        )
    return (
        f"There is one data set, so the population is that of the {size} entities: each one is drawn towards the mean "
        "of all, the more the fewer cases it has."
    )


def datasets_section(posterior: Any, score: Any, ranking: xr.Dataset) -> dict[str, Any] | None:
    """What the report says of a population: words, a table of heterogeneity, the picture; None without a population.

    Parameters
    ----------
    posterior : InferenceData, DataTree or Dataset
    score : Score, str or callable
    ranking : xarray.Dataset
        Of the same posterior and score.

    Returns
    -------
    dict or None
        ``title``, ``words``, ``rows`` (in the order of the ranking; empty of a population of entities), ``svg`` and
        ``caption``.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> posterior = br.fit(counts, "hierarchical_beta_binomial", seed=1)
    >>> section = datasets_section(posterior, "tpr", br.credible_ranking(posterior, "tpr"))
    >>> section["title"], section["rows"]
    ('Entities as a population', [])
    """
    group, prob = posterior_of(posterior), ranking.attrs["prob"]
    words = population_words(posterior)
    order = ranking_table(ranking).index.tolist()
    what = (
        "Circles are what was observed, the larger the more cases; points with a line what is known with the others, "
    )
    if words is not None:
        picture = _picture(posterior, score, None, min(len(order), ROWS), prob)
        caption = f"{what}median and {100 * prob:g}% interval. The vertical line is the mean of all."
        return {"title": "Entities as a population", "words": words, "rows": [], "svg": picture, "caption": caption}
    if "dataset" not in group.dims or not {"performance_typical", "performance_new"} <= set(group.data_vars):
        return None
    found = heterogeneity(posterior, score, prob=prob)
    rows = [
        {"entity": name, "datasets": int(found["datasets"].sel(entity=name)), "cells": _cells(found.sel(entity=name))}
        for name in order
    ]
    size = group.sizes["dataset"]
    typical = f" Typical is: {found.attrs['what']}." if found.attrs["what"] else ""
    words = (
        f"Each entity has rates of its own on each of the {size} data sets; what is typical and how much data sets "
        f"differ are learned.{typical} "
        "The standard deviation is that of the true score between these data sets; the share is what it makes of the "
        "variance that is observed, the rest being sampling. The interval of a new data set is where to expect the "
        "score on one more like these."
    )
    # Only whoever has a rank is drawn, unless nobody has.
    drawn = [name for name in order if not np.isnan(float(found["typical"].sel(entity=name)))][:DRAWN] or order[:DRAWN]
    caption = (
        f"{what}median and {100 * prob:g}% interval. The vertical line is the typical data set, the wide band where to "
        f"expect a new one.{f' The first {len(drawn)} entities.' if len(order) > len(drawn) else ''}"
    )
    picture = _picture(posterior, score, drawn, min(size, ROWS), prob)
    return {"title": "Data sets", "words": words, "rows": rows, "svg": picture, "caption": caption}


def _cells(one: xr.Dataset) -> list[str]:
    """A row of the table: medians and intervals."""
    held = {str(name): float(value) for name, value in one.data_vars.items()}
    return [_text.estimate(held[name], held[f"{name}_lower"], held[f"{name}_upper"]) for name in COLUMNS]


def _picture(posterior: Any, score: Any, entities: list | None, rows: int, prob: float) -> Any:
    """The shrinkage as an inline SVG."""
    from bayesrank.plots import shrinkage
    from bayesrank.plots.populations import OWN
    from bayesrank.report.pictures import inline_svg

    columns = 1 if entities is None else len(entities)

    def draw(ax: Any) -> None:
        figure = ax.figure
        ax.remove()
        axes = figure.subplots(1, columns, sharex=True, sharey=True, squeeze=False)[0]
        shrinkage(posterior, score, entities=entities, prob=prob, axes=axes)

    # Blue is no entity here, so that it may be as bright as the dark page wants it.
    return inline_svg(draw, list_size(rows, 3.2 + (2.6 if columns > 1 else 4.8) * columns)).replace(
        OWN.lower(), "var(--bar)"
    )
