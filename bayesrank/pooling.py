"""What a pool of data sets hides: orders that no data set has, and a spread that no pooled interval knows of."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank import _text
from bayesrank._random import root_sequence, stream
from bayesrank.counts import are_outcomes
from bayesrank.inference import fit
from bayesrank.performance import as_performance, mean_outcome
from bayesrank.scores import Score, as_score

__all__ = ["pooling_notes"]

#: Pairs that a sentence names.
NAMED = 3
#: Values of a score this close differ by rounding alone: cells are whole numbers, so equal ones are equal to the last
#: digits, whatever the order of the sums in a formula.
CLOSE = 32 * np.finfo(float).eps
#: Draws of each of four chains: the standard deviation of 1,000 draws has an error of 2%.
DRAWS = 250
#: Every fourth draw is as good to tell how far chance alone goes, of which one in a hundred is asked.
THIN = 4
#: Entities, more or less, that a median is taken over.
MOST = 40
#: Data sets drawn alike spread more than this seldom: how small that chance must be before a sentence is said.
SELDOM = 0.01


def pooling_notes(parts: xr.DataArray, score: Any) -> list[str]:
    """Sentences on what the pool of data sets does not show.

    Simpson's paradox: pairs that all data sets rank one way and their pool the other way. Heterogeneity: a score that
    varies more from data set to data set than chance allows, so that intervals of the pool are too narrow for another
    data set.

    Parameters
    ----------
    parts : xarray.DataArray
        Integer counts (entity, dataset, actual, predicted), or (entity, dataset, outcome), as summed by
        :func:`bayesrank.pool`.
    score : Score, str or callable
        What is ranked by; of outcomes ``"mean_outcome"``.

    Returns
    -------
    list of str
        One sentence an item; none where there is nothing to say.

    References
    ----------
    Charig et al. (1986), British Medical Journal 292:879-882, for the example: two treatments of small and of large
    kidney stones, and their successes.

    Examples
    --------
    >>> import bayesrank as br
    >>> stones = br.from_counts(
    ...     tn=[1] * 4,
    ...     fp=[1] * 4,
    ...     fn=[6, 36, 71, 25],
    ...     tp=[81, 234, 192, 55],
    ...     entity=["A", "B", "A", "B"],
    ...     dataset=["small", "small", "large", "large"],
    ... )
    >>> pooling_notes(stones, "tpr")[0].split(": ")[1]
    'A above B, pooled below.'
    """
    score = _MEAN if are_outcomes(parts) and score == _MEAN.name else as_score(score)
    each = score(parts).transpose("entity", "dataset")
    return _reversed_pairs(each, score(parts.sum("dataset")), score) + _heterogeneity(parts, each, score)


class _MeanOutcome:
    """The mean of outcomes, with as much of a score as is asked for here."""

    name, higher_is_better, finite_mean, depends_on_prevalence = "mean_outcome", True, True, False

    def __call__(self, array: xr.DataArray) -> xr.DataArray:
        return mean_outcome(array)


_MEAN = _MeanOutcome()


def _reversed_pairs(each: xr.DataArray, pooled: xr.DataArray, score: Score | _MeanOutcome) -> list[str]:
    """Simpson's paradox, of pairs that have a score on two data sets or more, and on none of these the same one."""
    direction = -1 if score.higher_is_better is False else 1
    size = each.sizes["entity"]
    always, times = np.ones((size, size), bool), np.zeros((size, size), int)
    for values in direction * each.values.T:
        above = _above(values)
        defined = np.isfinite(values)[:, None] & np.isfinite(values)
        always &= above | ~defined
        times += defined
    pairs = np.argwhere(always & (times > 1) & _above(direction * pooled.values).T)
    if not len(pairs):
        return []
    names = each["entity"].values
    listed = ", ".join(f"{names[i]} above {names[j]}" for i, j in pairs[:NAMED])
    if len(pairs) > NAMED:
        listed += f" and {len(pairs) - NAMED} more"
    return [
        f"By {score.name}, {_text.count(len(pairs), 'pair')} {'is' if len(pairs) == 1 else 'are'} ranked one way by "
        "every data set on which both have a score, and the other way by the pool (Simpson's paradox): "
        f"{listed}, pooled below."
    ]


def _above(values: np.ndarray) -> np.ndarray:
    """Whether the value of the row is above that of the column, by more than rounding; never where undefined."""
    difference = values[:, None] - values
    return difference > CLOSE * np.maximum(1.0, np.maximum(np.abs(values)[:, None], np.abs(values)))


def _heterogeneity(parts: xr.DataArray, each: xr.DataArray, score: Score | _MeanOutcome) -> list[str]:
    """How much more a score varies between data sets than the pooled intervals say, where it is not chance alone."""
    several = each.notnull().sum("dataset").values > 1
    if not score.finite_mean or not several.any():  # without a mean there is no standard deviation
        return []
    # Of very many entities some tell the median as well.
    chosen = np.flatnonzero(several)[:: max(1, int(several.sum()) // MOST)]
    parts, each = parts.isel(entity=chosen), each.isel(entity=chosen)
    # The default prior and prevalence of fit, whatever those of the ranking: the prior only keeps a perfect score from
    # having no spread, and a prevalence that is sampled widens the pooled interval, so that less is claimed.
    performance = as_performance(fit(parts.sum("dataset"), draws=DRAWS, seed=0)).transpose("chain", "draw", ...)
    found = []
    for i, name in enumerate(parts["entity"].values):
        draws = performance.isel(entity=i, drop=True).stack(sample=["chain", "draw"]).transpose("sample", ...)
        pooled = float(score(draws).std())
        there = each.isel(entity=i).notnull().values
        tables = parts.isel(entity=i, dataset=there, drop=True).values
        rng = stream(root_sequence(0), "pooling", name)
        if isinstance(score, _MeanOutcome):
            cases = rng.multinomial(tables.sum(-1), draws.values[::THIN, None])
            again = xr.DataArray(cases, {"outcome": parts["outcome"].values}, ("draw", "dataset", "outcome"))
        else:
            again = _drawn_alike(draws.values[::THIN], tables, score, rng)
        between, chance = _spread(each.isel(entity=i).values[there]), _spread(score(again).values)
        chance = np.where(np.isnan(chance), np.inf, chance)  # a replicate without a score is no evidence of anything
        with np.errstate(divide="ignore", invalid="ignore"):  # a score that is constant
            found.append((between / pooled, np.median(chance) / pooled, (chance >= between).mean()))
    factor, usual, how_seldom = np.median(found, axis=0)
    if how_seldom >= SELDOM:
        return []
    return [
        f"From data set to data set {score.name} varies {_times(factor)} times as much as the pooled intervals say "
        f"(by chance alone: {_times(usual)} times; medians over entities): they hold for these data sets together, "
        "not for a new one."
    ]


def _drawn_alike(performance: np.ndarray, tables: np.ndarray, score: Score, rng: np.random.Generator) -> xr.DataArray:
    """Tables (draw, dataset, actual, predicted) as they would be if all data sets had one and the same performance.

    Prevalences that differ between data sets make a score differ only if it depends on them: else they stay.
    """
    prevalence = performance.sum(-1)
    rows = tables.sum(-1)
    if score.depends_on_prevalence:
        rows = rng.multinomial(rows.sum(-1), prevalence[:, None])
    again = rng.multinomial(rows, (performance / prevalence[..., None])[:, None])
    return xr.DataArray(again, dims=("draw", "dataset", "actual", "predicted"))


def _spread(values: np.ndarray) -> np.ndarray:
    """Standard deviation over the last axis of what is defined there; NaN of fewer than two values."""
    defined = np.isfinite(values)
    size = np.maximum(defined.sum(-1), 1)
    mean = np.where(defined, values, 0).sum(-1) / size
    squares = np.where(defined, (values - mean[..., None]) ** 2, 0).sum(-1)
    return np.sqrt(np.where(size > 1, squares / np.maximum(size - 1, 1), np.nan))


def _times(factor: float) -> str:
    return f"{factor:.0f}" if factor >= 10 else f"{factor:.1f}"
