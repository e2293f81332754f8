"""Rankings under uncertain preferences: a distribution over the Tile in addition to the posterior."""

from itertools import pairwise
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import (
    check_beta_parameters,
    check_choice,
    check_number,
    check_numbers,
    check_prob,
    check_size,
    check_weights,
    describe_value,
)
from bayesrank._core.draws import (
    ERROR,
    Batches,
    DrawBlock,
    EffectiveDraws,
    mean_error,
    part_error,
    reduce,
)
from bayesrank._core.errors import ArgumentError, ArgumentKeyError
from bayesrank._core.threads import ShareOut, thread_pool
from bayesrank._core.types import Container, ScoreLike
from bayesrank.ranking.intervals import rank_intervals
from bayesrank.scores.placement import place
from bayesrank.tile.grid import cells_of, on_the_tile, with_entity

#: Named regions (The Tile, Sections 4.1 and 4.2): description and corners.
REGIONS: dict[str, tuple[str, tuple[Any, ...]]] = {
    "tile": ("all points of the Tile", ("tnr", "ppv", "tpr", "npv")),
    "f_scores": ("the F-scores, from PPV to TPR", ("ppv", "tpr")),
    "weighted_accuracies": ("the weighted accuracies, from TNR to TPR", ("tnr", "tpr")),
    "median_horizontal": ("false positives and false negatives weigh alike", ((0, 0.5), (1, 0.5))),
    "median_vertical": ("true negatives and true positives weigh alike", ((0.5, 0), (0.5, 1))),
    "upper_half": (
        "false negatives weigh more than false positives",
        ((0, 0.5), (1, 0.5), "tpr", "npv"),
    ),
    "lower_half": (
        "false positives weigh more than false negatives",
        ("tnr", "ppv", (1, 0.5), (0, 0.5)),
    ),
    "right_half": (
        "true positives weigh more than true negatives",
        ((0.5, 0), "ppv", "tpr", (0.5, 1)),
    ),
    "left_half": (
        "true negatives weigh more than true positives",
        ("tnr", (0.5, 0), (0.5, 1), "npv"),
    ),
}


@check_call
def around(
    score: ScoreLike, radius: float = 0.1, prevalence: float | None = None, points: int = 1000
) -> xr.Dataset:
    """Return preferences near a score, uniform over the part of a disc that lies on the Tile.

    Source: Piérard et al., The Tile, Section 4.2 (rankings should be robust to small changes of the
    parameters).

    Parameters
    ----------
    score : Score, str, callable or pair of float
        The centre: a score with a position on the Tile (a ValueError for others), or (a, b).
    radius : float
        The side of the Tile is 1.
    prevalence : float, optional
        For scores whose position depends on the prevalence of the positive class, such as balanced
        accuracy.
    points : int
        Number of points, spread evenly over the whole disc.

    Returns
    -------
    xarray.Dataset
        ``a``, ``b`` and ``weight`` (point), for :func:`preference_ranking`; the weights sum to 1.

    Examples
    --------
    >>> counts = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
    >>> near_f1 = br.tile.preference_ranking(counts, br.tile.around("f1", radius=0.2))
    >>> near_f1["probability_best"].values.round(2).tolist()
    [0.36, 0.64]
    """
    centre_a, centre_b = _place(score, prevalence)
    if not check_number("radius", radius) > 0:
        raise ArgumentError("radius", "must be above 0", radius)
    check_size("points", points)
    # A disc that covers the Tile is as good as a larger one.
    radius = min(radius, np.hypot(max(centre_a, 1 - centre_a), max(centre_b, 1 - centre_b)))
    # Vogel's spiral: each point represents the same area.
    steps = np.arange(points)
    distance, angle = radius * np.sqrt((steps + 0.5) / points), steps * np.pi * (3 - np.sqrt(5))
    a, b = centre_a + distance * np.cos(angle), centre_b + distance * np.sin(angle)
    on = (a >= 0) & (a <= 1) & (b >= 0) & (b <= 1)
    if not on.any():
        raise ArgumentError("points", "must be larger: no point lies on the Tile", points)
    return _preferences(a[on], b[on])


@check_call
def between(*corners: Any, prevalence: float | None = None, points: int = 31) -> xr.Dataset:
    """Return preferences as :func:`around`, uniform over a segment between two scores, or a convex region between more.

    Source: Piérard et al., The Tile, Lemma 7 (the F-scores lie along the right side, from PPV to
    TPR).

    Parameters
    ----------
    *corners, prevalence
        As ``score`` and ``prevalence`` of :func:`around`; three or more corners in order around the
        region, which is convex, else a ValueError.
    points : int
        Number of points along a segment; each triangle of a region is cut into ``points`` squared
        equal ones.

    Examples
    --------
    Preferences in the triangle below the falling diagonal:

    >>> counts = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
    >>> ranking = br.tile.preference_ranking(counts, br.tile.between("tnr", "ppv", "npv"))
    >>> ranking["probability_best"].values.round(2).tolist()
    [0.1, 0.9]
    """
    if len(corners) < 2:
        raise ArgumentError("corners", "must be at least two", corners)
    check_size("points", points, power=min(len(corners) - 1, 2))
    where = np.array([_place(corner, prevalence) for corner in corners])
    if len(where) == 2:
        part = ((np.arange(points) + 0.5) / points)[:, None]
        along = where[0] + part * (where[1] - where[0])
        return _preferences(along[:, 0], along[:, 1])
    sides = np.roll(where, -1, axis=0) - where
    turns = _cross(sides, np.roll(sides, -1, axis=0))
    areas = _cross(where[1:-1] - where[0], where[2:] - where[0]) / 2
    # All turns have one sign, and the region is traversed once: a star passes the first test only.
    sign = np.sign(areas.sum())
    if sign == 0 or (sign * np.append(turns, areas) < -1e-12).any():
        raise ArgumentError(
            "corners", "must be the corners of a convex region, in order", where.tolist()
        )
    # Centres of the small triangles that point up or down, as fractions of two sides of the large
    # triangle.
    i, j = np.indices((points, points)).reshape(2, -1)
    up, down = i + j < points, i + j < points - 1
    grid = np.column_stack([i, j])
    shares = np.concatenate([grid[up] + 1 / 3, grid[down] + 2 / 3]) / points
    spread = np.concatenate(
        [where[0] + shares @ (np.array(sides) - where[0]) for sides in pairwise(where[1:])]
    )
    spread = spread.clip(0, 1)
    return _preferences(spread[:, 0], spread[:, 1], np.repeat(areas / areas.sum(), len(shares)))


@check_call
def over(region: str, points: int = 31) -> xr.Dataset:
    """Return preferences as :func:`around`, uniform along the line or over the area of a named region.

    Source: Piérard et al., The Tile, Sections 4.1 (medians) and 4.2, Lemmas 7 and 9 (F-scores and
    weighted accuracies).

    Parameters
    ----------
    region : str
        One of (others are a KeyError):

        - ``"tile"``: all canonical scores;
        - ``"f_scores"``: the right side, from PPV to TPR, uniform in b = β² / (1 + β²);
        - ``"weighted_accuracies"``: the rising diagonal;
        - ``"median_horizontal"``: equal weight of both errors; ``"median_vertical"``: equal weight of
          both right answers;
        - ``"upper_half"``, ``"lower_half"``, ``"right_half"`` or ``"left_half"``.
    points
        As for :func:`between`, which supports other regions.

    Examples
    --------
    >>> counts = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
    >>> ranking = br.tile.preference_ranking(counts, br.tile.over("upper_half"))
    >>> ranking["probability_best"].values.round(2).tolist()
    [0.74, 0.26]
    """
    check_choice("region", region, REGIONS, ArgumentKeyError)
    return between(*REGIONS[region][1], points=points)


@check_call
def beta_preferences(
    a: tuple[float, float], b: tuple[float, float], points: int = 31
) -> xr.Dataset:
    """Return preferences as :func:`around`, with an independent Beta distribution on each axis.

    Source: Lahdelma and Salminen, SMAA-2 (2001), on rank acceptabilities.

    Parameters
    ----------
    a, b : pair of float
        The two parameters on each axis, above 0: (2, 1) favours 1, (1, 1) is uniform, (20, 20) is
        close to 1/2.
    points : int
        Number of points along each axis, at the midpoints of equally probable intervals.

    Examples
    --------
    >>> counts = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
    >>> preferences = br.tile.beta_preferences(a=(1, 1), b=(4, 1))  # false negatives weigh more
    >>> br.tile.preference_ranking(counts, preferences)["probability_best"].values.round(2).tolist()
    [0.84, 0.16]
    """
    from scipy.special import betaincinv

    check_size("points", points, power=2)
    middles = (np.arange(points) + 0.5) / points
    by_axis = [
        betaincinv(*check_beta_parameters(name, pair), middles)
        for name, pair in (("a", a), ("b", b))
    ]
    return _preferences(*(grid.ravel() for grid in np.meshgrid(*by_axis)))


@check_call
def preference_ranking(
    source: Container,
    a: Any,
    b: Any = None,
    weights: Any = None,
    *,
    prob: float = 0.95,
    kind: str | None = None,
) -> xr.Dataset:
    """Rank entities by integrating over the posterior and over a distribution of preferences.

    Sources: Lahdelma and Salminen, SMAA-2 (2001), on rank acceptabilities; Piérard et al., The
    Tile, Definition 2.

    Parameters
    ----------
    source, kind
        As for :func:`value`, with its errors.
    a : array_like or Dataset
        The result of :func:`around`, :func:`between`, :func:`over` or :func:`beta_preferences`; or
        the a of points.
    b, weights : array_like, optional
        The b and the weights of the points; one number is used for all. Weights are equal by
        default. This is a convention: which distribution is uniform depends on the coordinates.
    prob : float
        Probability of the rank intervals.

    Returns
    -------
    xarray.Dataset
        ``rank_probability`` (entity, rank), ``probability_best``, ``expected_rank``,
        ``rank_marginal_lower`` and ``rank_marginal_upper`` (equal-tailed), and ``undefined``
        (entity), the weight of the draws and points without a score, which the ranks ignore. Each
        draw compares all entities under the same preference. Monte-Carlo standard errors
        ``<name>_error`` account for autocorrelation; NaN for a performance without draws.

    Raises
    ------
    ValueError, TypeError
        If points lie off the Tile, lengths differ, weights are negative or all 0, or ``prob`` is
        out of range.

    Examples
    --------
    >>> counts = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
    >>> ranking = preference_ranking(counts, a=[0.5, 1.0], b=[0.0, 1.0], weights=[3, 1])
    >>> ranking["probability_best"].values.tolist()
    [0.25, 0.75]
    """
    where_a, where_b, weight = _points(a, b, weights)
    prob = check_prob("prob", prob)
    array = on_the_tile(with_entity(source, kind))
    batches, n = Batches.of(array), array.sizes["entity"]
    order = np.arange(1, n + 1)
    with thread_pool() as share_out:
        (total, sums), effective = reduce(
            array, _Ranks(n, where_a, where_b, weight, share_out), EffectiveDraws()
        )
    probability, defined = total / batches.number, total.sum(1) / batches.number
    first, ranks, some = sums
    best_error, rank_error = mean_error(first, batches.sizes), mean_error(ranks, some)
    # A single performance without draws has no measurable Monte-Carlo error.
    least = effective.min() if batches.sampled else np.nan
    weight_defined = np.where(defined > 1e-12, defined, np.nan)
    lower, upper = rank_intervals(probability / weight_defined[:, None], (1 - prob) / 2)
    # A rank that is constant over n draws may change in the next: assume one success in n more
    # draws.
    rank_error = np.where(np.isnan(weight_defined * least), np.nan, np.fmax(rank_error, 1 / least))
    return xr.Dataset(
        {
            "rank_probability": (("entity", "rank"), probability),
            "probability_best": ("entity", probability[:, 0]),
            "probability_best_error": (
                "entity",
                part_error(probability[:, 0], best_error, least),
                {"method": ERROR},
            ),
            "expected_rank": ("entity", probability @ order / weight_defined),
            "expected_rank_error": ("entity", rank_error, {"method": ERROR}),
            "rank_marginal_lower": ("entity", lower),
            "rank_marginal_upper": ("entity", upper),
            "undefined": ("entity", 1 - defined),
        },
        {"entity": array["entity"].values, "rank": order},
        {"prob": prob, "draws": batches.number},
    )


class _Ranks:
    """Weights (entity, rank) of the ranks at points of the Tile; by batch those of the first, of ranks, and all."""

    def __init__(
        self, entities: int, a: np.ndarray, b: np.ndarray, weight: np.ndarray, share_out: ShareOut
    ) -> None:
        self.points, self.share_out = (a, b, weight), share_out
        self.total = np.zeros((entities, entities))

    def start(self, batches: Batches) -> None:
        self.sums = np.zeros((3, len(batches.sizes), len(self.total)))

    def add(self, block: DrawBlock) -> None:
        from bayesrank.tile.kernels._credible import tally_ranks

        cells, columns = cells_of(block), np.arange(len(self.total))
        found: dict[int, np.ndarray] = {}

        def count(part: slice) -> None:
            if part.start < part.stop:  # there may be more threads than points
                found[part.start] = np.zeros_like(self.total)
                tally_ranks(
                    cells, *(at[part] for at in self.points), columns, found[part.start][None]
                )

        self.share_out(count, self.points[0].size)
        for _, mass in sorted(found.items()):
            self.total += mass
            self.sums[:, block.batch] += mass[:, 0], mass @ (columns + 1), mass.sum(axis=1)

    def finish(self) -> tuple[np.ndarray, np.ndarray]:
        return self.total, self.sums


def _preferences(a: np.ndarray, b: np.ndarray, weight: Any = 1.0) -> xr.Dataset:
    weight = np.broadcast_to(np.asarray(weight, float), a.shape)
    return xr.Dataset(
        {"a": ("point", a), "b": ("point", b), "weight": ("point", weight / weight.sum())}
    )


def _place(corner: Any, prevalence: float | None) -> tuple[float, float]:
    """Return (a, b) from a pair of numbers or from a score with a position on the Tile."""
    if isinstance(corner, list | tuple | np.ndarray):
        pair = check_numbers("score, a place on the Tile,", corner, 0.0, 1.0)
        if pair.shape != (2,):
            raise ArgumentError(
                "score, a place on the Tile,",
                "must be two numbers between 0 and 1",
                describe_value(corner),
            )
        return float(pair[0]), float(pair[1])
    result = place(corner, prevalence)
    if result is not None:
        return result
    if prevalence is None and place(corner, 0.4) is not None:
        raise ArgumentError(
            "prevalence",
            f"must be given with {corner!r}: its place on the Tile depends on the prevalence",
            "None",
        )
    at = "" if prevalence is None else f" at prevalence {prevalence}"
    raise ArgumentError(
        "score", f"must have a place on the Tile{at}", f"{corner!r}, which has none"
    )


def _cross(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]


def _points(a: Any, b: Any, weights: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return checked arrays of equal length, with weights that sum to 1."""
    if isinstance(a, xr.Dataset):
        if b is not None or weights is not None:
            raise ArgumentError(
                "b and weights", "cannot be used with preferences", f"{b!r} and {weights!r}"
            )
        if {"a", "b", "weight"} - set(a.variables):
            raise ArgumentError(
                "a",
                "must contain preferences: a, b and weight",
                f"a Dataset of {sorted(map(str, a))}",
            )
        a, b, weights = a["a"].values, a["b"].values, a["weight"].values
    where = [np.atleast_1d(check_numbers(name, at, 0.0, 1.0)) for name, at in (("a", a), ("b", b))]
    for argument, values in zip("ab", where, strict=True):
        if values.ndim != 1:
            raise ArgumentError(
                argument, "must contain numbers along one dim", f"{values.ndim} dims"
            )
    size = max(values.size for values in where)
    checked = np.ones(size) if weights is None else np.atleast_1d(check_weights("weights", weights))
    if checked.shape != (size,) or not {values.size for values in where} <= {1, size}:
        lengths = {"a": where[0].size, "b": where[1].size, "weights": checked.size}
        raise ArgumentError("a, b and weights", "must have the same length", lengths)
    wide_a, wide_b = (np.ascontiguousarray(np.broadcast_to(values, size)) for values in where)
    return wide_a, wide_b, checked / checked.sum()
