"""Places of the Tile that are neutral to chance, under a known or an uncertain prevalence, and places in words."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from scipy.optimize import minimize_scalar
from scipy.special import betainccinv, betaincinv

from bayesrank._core.calls import check_call
from bayesrank._core.checks import (
    check_beta_parameters,
    check_labelled_probabilities,
    check_number,
    check_prevalence,
    check_prob,
    check_probabilities,
    check_size,
    describe_value,
)
from bayesrank._core.errors import ArgumentError
from bayesrank.scores.placement import AT_ONE_PREVALENCE, place, places
from bayesrank.scores.score import ratio

#: Quantiles of the prevalence whose mean stands for the expectation. A range falls from at most 1
#: to 0, and then rises to at most 1, as the prevalence rises; so the error of the mean is at most 1
#: / NODES.
NODES = 4_000
#: Class shares below this are set to it.
SMALLEST = np.finfo(float).tiny
#: The search on the diagonal stays this far from the corners TNR and TPR; class shares that are set
#: are far smaller.
MARGIN = 2.0**-53
#: Beta parameters between which quantiles were compared with those of the exchanged classes.
LEAST_PARAMETER, GREATEST_PARAMETER = 1e-8, 1e12
#: Quantiles of the prevalence at whose neutral places a search for the least expected range starts.
STARTS = np.linspace(0.0, 1.0, 65)
#: Number of draws up to which the search starts at the place of each.
FEW = 200
#: Parts of each interval between two starts, since draws of the prevalence may lie in groups. Of
#: 4,016 searches over 3 to 5 draws, or draws in 3 groups, near the sides, one then misses the least
#: value by 0.0003, and 44 without parts.
PARTS = 8
#: Scores that a place is compared with, and the number that is named.
USUAL = ("accuracy", "f1", "f0_5", "f2", "tpr", "tnr", "ppv", "npv", "jaccard_negative")
NEAREST = 3
#: Differences up to this share of a coordinate, or of its distance from 1, are rounding.
SAME = 1e-12


@check_call
def neutral_prevalence(a: Any, b: Any) -> Any:
    """Return the prevalence at which a canonical score gives all no-skill performances the same value.

    It solves π₊² a b = π₋² (1 - a) (1 - b), the curve γ_π, for the prevalence (Piérard et al., The
    Tile, Section 4.4).

    Parameters
    ----------
    a, b : number or DataArray
        Position of the score on the Tile.

    Returns
    -------
    float or DataArray
        The prevalence. It is 1 on the left and lower edges of the Tile: there, the test that is
        always negative has the higher value at every prevalence between 0 and 1. It is 0 on the
        other edges, where the test that is always positive has the higher value. At the corners TNR
        and TPR it is 1 and 0, where these two scores are undefined. It is NaN at NPV and PPV, which
        are neutral at every prevalence.

    Examples
    --------
    >>> neutral_prevalence(0.5, 0.5), neutral_prevalence(0.8, 0.8)
    (0.5, 0.19999999999999996)
    """
    labelled = isinstance(a, xr.DataArray) or isinstance(b, xr.DataArray)
    a, b = (x.astype(float) for x in check_labelled_probabilities(a=a, b=b))
    negative, positive = np.sqrt((1 - a) * (1 - b)), np.sqrt(a * b)
    prevalence = xr.apply_ufunc(ratio, negative, negative + positive, keep_attrs=False)
    return prevalence.rename("neutral_prevalence") if labelled else float(prevalence)


@check_call
def no_skill_spread(a: Any, b: Any, prevalence: Any) -> Any:
    """Return the range of a canonical score over the no-skill performances of a prevalence.

    The score is monotone in the share of positive predictions, so its extremes are those of always
    negative and always positive. It is 0 on the curve γ_π of the prevalence.

    Parameters
    ----------
    a, b, prevalence : number or array
        Position of the score, and prevalence, between 0 and 1. Plain arrays are broadcast. Dims of
        DataArrays, with which no plain array can be combined, are matched by name and must have
        equal labels.

    Returns
    -------
    float, numpy.ndarray or DataArray
        The range; 0 at PPV and NPV, where all defined no-skill performances have the same value.
        NaN where all are undefined, such as TPR at prevalence 0.

    Examples
    --------
    >>> round(float(no_skill_spread(0.5, 0.5, 0.3)), 3), round(float(no_skill_spread(0.7, 0.7, 0.3)), 9)
    (0.4, 0.0)
    """
    arguments = {"a": a, "b": b, "prevalence": prevalence}
    if any(isinstance(x, xr.DataArray) for x in arguments.values()):
        arrays = (x.astype(float) for x in check_labelled_probabilities(**arguments))
        return xr.apply_ufunc(_spread, *arrays, keep_attrs=False).rename("no_skill_spread")
    check_probabilities(**arguments)
    return _spread(*(np.asarray(x, float) for x in arguments.values()))


@check_call
def neutral_band(prevalence: Any, *, prob: float = 0.95, points: int = 101) -> xr.Dataset:
    """Return where canonical scores are neutral to chance if the prevalence is uncertain.

    The curves γ_π of different prevalences meet only at NPV and PPV. Between them b falls as the
    prevalence rises, so quantiles of the prevalence give those of the curve. For each a, ``least``
    is the b with the smallest expected range over no-skill performances that a search finds. Other
    b can have the same range. If very small or very large prevalences are likely enough, ``least``
    can lie outside the band, or on an edge of the Tile.

    Parameters
    ----------
    prevalence : tuple or list of two floats, or array
        Parameters of a Beta distribution of the prevalence, each from 1e-8 to 1e12; or draws of one
        prevalence, as a DataArray or NumPy array, whose dims do not matter.
    prob : float
        Probability of the band at each a.
    points : int
        Number of values of a from 0 to 1, at least 3.

    Returns
    -------
    xarray.Dataset
        Over ``a``: ``lower``, ``median``, ``upper`` (quantiles of the neutral b; for draws of the
        prevalence, each is the b of one draw), ``least``, and
        ``spread``, the expected range at ``least``. The search starts at the neutral places of up
        to 200 draws, or of 65 quantiles, and between those of draws. ``diagonal`` is a place a = b
        with the smallest expected range that the search finds, and ``diagonal_spread`` is this
        range. At a known prevalence, ``diagonal`` is the place of balanced accuracy, (π₋, π₋). At a
        = 0 and a = 1 the curves end in NPV and PPV, whose range is 0.

    Examples
    --------
    >>> band = neutral_band((30, 70), points=5)
    >>> band[["lower", "least", "upper"]].sel(a=0.5).to_array().round(2).values.tolist()
    [0.7, 0.85, 0.93]
    """
    prob, size = check_prob("prob", prob), check_size("points", points, 3)
    quantile, mean, starts = _distribution(prevalence)
    a = np.linspace(0.0, 1.0, size)
    ends = np.array([(1 - prob) / 2, 0.5, (1 + prob) / 2])
    high, middle, low = (_neutral_b(a, quantile(end)) for end in ends)
    least, spread = a * 0.0, a * 0.0
    parts = 1 if isinstance(prevalence, tuple | list) else PARTS
    least[0] = 1.0
    for i in range(1, size - 1):
        least[i], spread[i] = _least(partial(mean, float(a[i])), _neutral_b(a[i], starts), parts)
    diagonal, on_diagonal = _least(
        lambda x: mean(x, x), np.clip(starts.negative, MARGIN, 1 - MARGIN), parts
    )
    return xr.Dataset(
        {
            "lower": ("a", low),
            "median": ("a", middle),
            "upper": ("a", high),
            "least": ("a", least),
            "spread": ("a", spread),
            "diagonal": ((), diagonal),
            "diagonal_spread": ((), on_diagonal),
        },
        {"a": a},
        {"prob": prob},
    )


@check_call
def describe_place(a: float, b: float, prevalence: float | None = None) -> xr.Dataset:
    """Describe a place of the Tile; :func:`bayesrank.verdict` says it in words.

    Parameters
    ----------
    a, b : float
        Position of a canonical score.
    prevalence : float, optional
        Also compare with the places of balanced accuracy and Cohen's kappa at this prevalence, and
        with chance there.

    Returns
    -------
    xarray.Dataset
        ``right_ratio``, the importance of a true positive relative to a true negative;
        ``wrong_ratio``, that of a false negative relative to a false positive;
        ``neutral_prevalence``; ``distance`` (``score``) to the three nearest of the usual scores
        (accuracy, F1, F0.5, F2, TPR, TNR, PPV, NPV, the Jaccard index of the negative class), or
        more if others are as near as the third; ``prevalence``, ``always_negative`` and
        ``always_positive``, the values of constant predictions (NaN without a prevalence and where
        a value is undefined).

    Examples
    --------
    >>> br.verdict(describe_place(0.9, 0.6))[0]
    'A true positive counts 9 times as much as a true negative; a false negative counts 1.5 times as much as a ...'
    """
    a, b = check_number("a", a, 0.0, 1.0), check_number("b", b, 0.0, 1.0)
    share = np.nan if prevalence is None else check_prevalence(prevalence)
    usual = [(name, at) for name in USUAL if (at := place(name)) is not None]
    if prevalence is not None:
        usual += zip(AT_ONE_PREVALENCE, places(share)[-2:], strict=True)
    distances = [(_distance(at, (a, b)), name) for name, at in usual]
    # Of equal places, that which does not depend on the prevalence comes first.
    distances.sort(key=lambda pair: (pair[0], pair[1] in AT_ONE_PREVALENCE, pair[1]))
    distances = [pair for pair in distances if pair[0] <= distances[NEAREST - 1][0] + SAME]
    negative = 1 - share
    return xr.Dataset(
        {
            "right_ratio": ((), _odds(a)),
            "wrong_ratio": ((), _odds(b)),
            "neutral_prevalence": ((), neutral_prevalence(a, b)),
            "distance": ("score", [distance for distance, _ in distances]),
            "prevalence": ((), share),
            "always_negative": (
                (),
                float(ratio((1 - a) * negative, (1 - a) * negative + b * share)),
            ),
            "always_positive": ((), float(ratio(a * share, a * share + (1 - b) * negative))),
        },
        {"score": [name for _, name in distances]},
        {"a": a, "b": b},
    )


class Shares(NamedTuple):
    """Shares of the positive and of the negative class, neither rounded to 0 where the other is nearly 1."""

    positive: Any
    negative: Any


def _distance(one: tuple[float, float], other: tuple[float, float]) -> float:
    """Return the distance of two places; 0 if they differ by rounding, but not between an edge and the inside."""
    if all(_same(x, y) for x, y in zip(one, other, strict=True)):
        return 0.0
    return float(np.hypot(one[0] - other[0], one[1] - other[1]))


def _same(x: float, y: float) -> bool:
    if not (0 < x < 1 and 0 < y < 1):
        return x == y
    return bool(abs(x - y) <= SAME * min(x, 1 - x) + np.finfo(float).eps)


def _spread(a: Any, b: Any, positive: Any) -> Any:
    return _range(a, b, Shares(positive, 1 - positive))


def _range(a: Any, b: Any, shares: Shares) -> Any:
    positive, negative = shares
    all_positive = ratio(a * positive, a * positive + (1 - b) * negative)
    all_negative = ratio((1 - a) * negative, (1 - a) * negative + b * positive)
    nowhere = np.isnan(all_positive) & np.isnan(all_negative)
    return np.where(nowhere, np.nan, np.nan_to_num(np.abs(all_positive - all_negative)))[()]


def _odds(share: float) -> float:
    return np.inf if share == 1 else share / (1 - share)


def _neutral_b(a: Any, shares: Shares) -> Any:
    """Return b on the curve of a prevalence; at the ends of a it is that of NPV and PPV."""
    plus, minus = shares.positive**2 * a, shares.negative**2 * (1 - a)
    return np.where(plus + minus > 0, ratio(minus, plus + minus), 1.0 - np.asarray(a))


def _least(
    function: Callable[[float], float], starts: np.ndarray, parts: int
) -> tuple[float, float]:
    """Return where a function with several minima is least, and its value there.

    This is near the best of the starts and of the places that divide the intervals between them
    into equal ``parts``.
    """
    edges = np.unique(starts)
    places = np.unique(
        np.concatenate([edges, *(edges[:-1] + np.diff(edges) * i / parts for i in range(1, parts))])
    )
    values = [function(float(x)) for x in places]
    best = int(np.argmin(values))
    bounds = places[max(best - 1, 0)], places[min(best + 1, len(places) - 1)]
    minimum = minimize_scalar(function, bounds=bounds, method="bounded", options={"xatol": 1e-9})
    return min((values[best], float(places[best])), (float(minimum.fun), float(minimum.x)))[::-1]


def _distribution(
    prevalence: Any,
) -> tuple[Callable[[Any], Shares], Callable[[float, float], float], Shares]:
    """Return the quantiles of the class shares, the expected spread at a place, and the shares to start from."""
    if isinstance(prevalence, tuple | list):
        parameters = check_beta_parameters("prevalence", prevalence)
        if parameters.min() < LEAST_PARAMETER or parameters.max() > GREATEST_PARAMETER:
            limits = f"must have Beta parameters from {LEAST_PARAMETER:g} to {GREATEST_PARAMETER:g}"
            raise ArgumentError("prevalence", limits, describe_value(prevalence))
        a, b = parameters

        def shares(level: Any) -> Shares:
            return Shares(
                np.maximum(betaincinv(a, b, level), SMALLEST),
                np.maximum(betainccinv(b, a, level), SMALLEST),
            )

        nodes = shares((np.arange(NODES) + 0.5) / NODES)
        return shares, lambda a, b: float(_range(a, b, nodes).mean()), shares(STARTS)
    if not isinstance(prevalence, xr.DataArray | np.ndarray):
        raise ArgumentError(
            "prevalence",
            "must be a pair of Beta parameters or draws",
            describe_value(prevalence),
            "such as (30, 70)",
        )
    draws = np.asarray(prevalence, float).ravel()
    if not draws.size or not ((draws > 0) & (draws < 1)).all():
        raise ArgumentError(
            "prevalence", "must be draws strictly between 0 and 1", describe_value(prevalence)
        )
    starts = draws if draws.size <= FEW else np.quantile(draws, STARTS)

    def drawn(level: Any) -> Shares:
        # Quantiles that are draws: at least this share of the draws lies between two of them.
        result = np.quantile(draws, level, method="inverted_cdf")
        return Shares(result, 1 - result)

    return drawn, lambda a, b: float(_spread(a, b, draws).mean()), Shares(starts, 1 - starts)
