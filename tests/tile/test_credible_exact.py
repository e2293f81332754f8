"""Every map of the credible Tile against rational arithmetic, exact geometry, rankings by landmark scores, and its
stated errors against replications."""

from fractions import Fraction

import numpy as np
import pytest
import xarray as xr

import bayesrank as br
from bayesrank.tile.posterior import best_on_grid
from tests.tile.test_tile_roc import score as exact_score

ENTITIES = ["e", "a", "d", "b", "c"]


#: Cells that are empty (draw, entity, cell), by kind; nothing is in the others.
EMPTY = {
    "negatives only": [np.s_[..., 2:]],
    "positives only": [np.s_[..., :2]],
    "perfect": [np.s_[..., 1:3]],
    "hopeless": [np.s_[..., [0, 3]]],
    "one class each": [np.s_[:, 0, :2], np.s_[:, [1, 3], 2:]],
    "unmeasured": [np.s_[2:, 0], np.s_[:, 2], np.s_[4]],
}
KINDS = ["zeros", "more zeros", "no zeros", "all identical", "one entity", "one draw", *EMPTY]


def cell_draws(kind, draws=6):
    """Whole numbers (draw, entity, 4) with ties: within a draw some entities are proportional to each other."""
    rng = np.random.default_rng(list(kind.encode()))
    cells = rng.integers(0, 4, (draws, len(ENTITIES), 4)) + (kind == "no zeros")
    cells[:, 3] = 2 * cells[:, 1]
    for empty in EMPTY.get(kind, []):
        cells[empty] = 0
    if kind == "all identical":
        cells[:] = cells[:, :1]
    return cells[
        : 1 if kind == "one draw" else draws, : 1 if kind == "one entity" else len(ENTITIES)
    ]


def as_draws(cells):
    """Performances (draw, entity, actual, predicted); NaN where nothing was counted."""
    total = cells.sum(-1, keepdims=True)
    values = np.where(total > 0, cells / np.where(total > 0, total, 1), np.nan)
    shape = (*cells.shape[:2], 2, 2)
    return xr.DataArray(
        values.reshape(shape),
        {"entity": ENTITIES[: shape[1]]},
        ("draw", "entity", "actual", "predicted"),
    )


def exact_maps(cells, resolution):
    """All maps by definition: dict of arrays (entity, b, a)."""
    draws, n, _ = cells.shape
    names = ("best", "rank", "regret", "skilled", "undefined")
    maps = {name: np.full((n, resolution, resolution), np.nan) for name in names}
    ranks = np.zeros((n, n, resolution, resolution))
    points = [Fraction(i, resolution - 1) for i in range(resolution)]
    for j, b in enumerate(points):
        for i, a in enumerate(points):
            best, rank, regret, skilled, undefined = ([Fraction(0)] * n for _ in range(5))
            for draw in cells:
                scores = [exact_score(cell, a, b) for cell in draw]
                defined = [score for score in scores if score is not None]
                for k, score in enumerate(scores):
                    if score is None:
                        undefined[k] += 1
                        continue
                    better = sum(other > score for other in defined)
                    tied = sum(other == score for other in defined)
                    best[k] += Fraction(better == 0, tied)
                    rank[k] += better + Fraction(tied + 1, 2)
                    ranks[k, better : better + tied, j, i] += 1 / tied / draws
                    regret[k] += max(defined) - score
                    negative, positive = int(draw[k][:2].sum()), int(draw[k][2:].sum())
                    guesses = (
                        exact_score((negative, 0, positive, 0), a, b),
                        exact_score((0, negative, 0, positive), a, b),
                    )
                    skilled[k] += all(guess is None or score > guess for guess in guesses)
            for k in range(n):
                maps["undefined"][k, j, i] = undefined[k] / draws
                if any(part < draws for part in undefined):
                    maps["best"][k, j, i] = best[k] / draws
                if undefined[k] < draws:
                    maps["rank"][k, j, i] = rank[k] / (draws - undefined[k])
                    maps["skilled"][k, j, i] = skilled[k] / draws
                if undefined[k] == 0:
                    maps["regret"][k, j, i] = regret[k] / draws
    return maps, ranks


@pytest.mark.parametrize("kind", KINDS)
def test_every_map_agrees_with_rational_arithmetic(kind):
    cells, resolution = cell_draws(kind), 5
    array = as_draws(cells)
    maps, ranks = exact_maps(cells, resolution)
    tile = br.tile.credible(array, resolution, prob=0.7)
    for name, expected in {
        "probability_best": maps["best"],
        "expected_rank": maps["rank"],
        "expected_regret": maps["regret"],
        "probability_skilled": maps["skilled"],
        "undefined": maps["undefined"],
    }.items():
        np.testing.assert_allclose(tile[name], expected, rtol=0, atol=1e-12, err_msg=name)
    np.testing.assert_allclose(
        br.tile.rank_probability(array, resolution), ranks, rtol=0, atol=1e-12
    )
    alone = best_on_grid(array, resolution)  # in NumPy
    for name in alone:
        np.testing.assert_allclose(alone[name], tile[name], rtol=0, atol=1e-12, err_msg=name)
    for j, i in ((0, 0), (0, 4), (4, 1), (2, 2), (3, 4)):  # one preference
        found, here = br.tile.preference_ranking(array, i / 4, j / 4), tile.isel(a=i, b=j)
        np.testing.assert_allclose(found["rank_probability"], ranks[..., j, i], rtol=0, atol=1e-12)
        np.testing.assert_allclose(
            found["probability_best"], here["probability_best"].fillna(0.0), rtol=0, atol=1e-12
        )
        for name in ("expected_rank", "undefined"):
            np.testing.assert_allclose(found[name], here[name], rtol=0, atol=1e-12)
    # Winner, confidence and the undecided area, from the exact map; a border point stands for half a cell.
    area = undecided = 0.0
    for j in range(resolution):
        for i in range(resolution):
            here = maps["best"][:, j, i]
            weight = (0.5 if j in (0, resolution - 1) else 1) * (
                0.5 if i in (0, resolution - 1) else 1
            )
            winner, confidence = (
                tile["winner"].values[j, i],
                tile["winner_probability"].values[j, i],
            )
            if np.isnan(here).all():
                assert winner == ""
                assert np.isnan(confidence)
                continue
            top = np.flatnonzero(here > here.max() - 1e-9)
            assert winner == (ENTITIES[top[0]] if len(top) == 1 else "")
            assert confidence == pytest.approx(here.max(), abs=1e-12)
            area, undecided = area + weight, undecided + weight * (here.max() < 0.7 - 1e-9)
    if area:
        assert tile["undecided_area"].item() == pytest.approx(undecided / area, abs=1e-12)
    else:
        assert np.isnan(tile["undecided_area"])


@pytest.mark.parametrize("kind", ["zeros", "no zeros", "all identical", "one class each"])
def test_shares_agree_with_exact_geometry_draw_by_draw(kind):
    cells = cell_draws(kind, draws=15)
    cells[cells.sum(-1) == 0, 0] = 1
    array = as_draws(cells)
    each = np.array([br.tile.shares(array.isel(draw=i)) for i in range(15)])
    tile = br.tile.credible(array, 2, prob=0.8)
    np.testing.assert_allclose(tile["share"], each.mean(0), rtol=0, atol=1e-8)
    np.testing.assert_allclose(
        tile["share_lower"], np.quantile(each, 0.1, axis=0), rtol=0, atol=1e-8
    )
    np.testing.assert_allclose(
        tile["share_upper"], np.quantile(each, 0.9, axis=0), rtol=0, atol=1e-8
    )


MAPS = ["probability_best", "expected_rank", "expected_regret", "probability_skilled"]


@pytest.mark.parametrize(
    ("kept", "free"),
    [(1, 320), pytest.param(20, 64, marks=pytest.mark.slow)],
    ids=["independent", "autocorrelated"],
)
def test_stated_errors_are_the_spread_of_replications(kept, free):
    """Each of the ``free`` draws is kept a number of times; the error is that of the free draws."""
    size, found, near = 80, [], br.tile.around("f1", 0.3, points=20)
    for i in range(size):
        rng = np.random.default_rng([7, i])
        array = as_draws(np.repeat(1000 * rng.dirichlet([16, 4, 3, 7], (free, 4)), kept, axis=0))
        ranking = br.tile.preference_ranking(array, near)
        one = br.tile.credible(array, 3)
        names = [*MAPS, *(["share"] if kept == 1 else [])]
        one = {name: (one[name].values, one[f"{name}_error"].values) for name in names}
        if kept == 1:
            one |= {
                f"{n} by preference": (ranking[n].values, ranking[f"{n}_error"].values)
                for n in MAPS[:2]
            }
        found.append(one)
    tolerance = 5 / np.sqrt(2 * (size - 1))  # the relative error of a spread, five times
    for name in found[0]:
        values, errors = (np.array([one[name][k] for one in found]) for k in (0, 1))
        mean, spread, stated = values.mean(0), values.std(0, ddof=1), np.sqrt((errors**2).mean(0))
        # Where a probability is nearly 0 or 1, few of the free draws are on the rarer side: there the stated error is
        # that of the effective draws, the least of all cells: not too small.
        rarer = np.minimum(mean, 1 - mean) if name.startswith("prob") else np.inf
        moves = (spread > 0) & (rarer * free > 10)
        assert moves.any(), name
        np.testing.assert_allclose(stated[moves], spread[moves], rtol=tolerance, err_msg=name)
        assert (stated >= (1 - tolerance) * spread).all(), name


def test_errors_are_never_zero_for_draws_that_agree():
    tile = br.tile.credible(as_draws(np.tile([[[90, 1, 1, 90], [1, 90, 90, 1]]], (50, 1, 1))), 3)
    names = [name for name in tile if name.endswith("_error")]
    assert len(names) == 6
    assert all(
        (tile[name] > 0).all() and "batch means" in tile[name].attrs["method"] for name in names
    )
    point = br.tile.credible(as_draws(np.full((1, 2, 4), 3)).isel(draw=0), 3)  # without draws
    assert all(point[name].isnull().all() for name in names)


def test_errors_of_shares_allow_for_autocorrelation():
    draws = 1000 * np.random.default_rng(3).dirichlet([16, 4, 3, 7], (64, 4))
    once, often = (
        br.tile.credible(as_draws(np.repeat(draws, n, axis=0)), 2)["share_error"] for n in (1, 20)
    )
    # Each draw kept twenty times is worth no more; 32 batches tell an error within 1 / sqrt(2 · 31).
    np.testing.assert_allclose(often, once, rtol=5 / np.sqrt(2 * 31))
