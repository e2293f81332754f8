"""Each flavour against its definition in exact fractions, one point at a time, on degenerate sets; lazy arrays."""

from fractions import Fraction

import numpy as np
import pytest
import xarray as xr

import bayesrank as br
from tests.tile.test_tile_exactly import counts_of
from tests.tile.test_tile_roc import score

SIZE = 7
STEPS = [Fraction(i, SIZE - 1) for i in range(SIZE)]
SETS = {
    "ordinary": [(70, 10, 6, 24), (75, 5, 9, 21), (60, 20, 3, 27)],
    "prevalence 0": [(9, 1, 0, 0), (7, 3, 0, 0), (0, 4, 0, 0), (5, 0, 0, 0)],
    "prevalence 1": [(0, 0, 1, 9), (0, 0, 3, 7), (0, 0, 4, 0), (0, 0, 0, 5)],
    "different prevalences": [(9, 1, 0, 0), (0, 0, 3, 7), (2, 1, 1, 6)],
    "zero cells": [
        (0, 2, 3, 5),
        (5, 0, 3, 2),
        (5, 2, 0, 3),
        (5, 3, 2, 0),
        (0, 5, 5, 0),
        (5, 0, 0, 5),
        (0, 0, 1, 0),
    ],
    "identical": [(40, 10, 10, 40), (4, 1, 1, 4), (30, 20, 10, 40), (3, 2, 1, 4)],
    "all identical": [(4, 1, 1, 4), (40, 10, 10, 40)],
    "ties on lines": [(8, 2, 2, 8), (8, 1, 3, 8), (8, 3, 1, 8), (6, 2, 2, 10), (10, 2, 2, 6)],
    "proportional parts": [(3, 1, 2, 6), (1, 3, 6, 2), (2, 2, 4, 4)],
    "one entity": [(70, 10, 6, 24)],
    "one entity, undefined somewhere": [(0, 0, 3, 0)],
}
for seed in range(6):
    table = np.random.default_rng(seed).integers(0, 4, (6, 4)) + np.eye(6, 4, dtype=int)
    SETS[f"random {seed}"] = [tuple(row) for row in table.tolist()]


def exact(rows):
    """Canonical scores as fractions, [entity][b][a]; None where undefined."""

    return [[[score(row, a, b) for a in STEPS] for b in STEPS] for row in rows]


def floats(grid):
    return [[np.nan if cell is None else float(cell) for cell in row] for row in grid]


def over_set(scores, function):
    """A map of a function of the list of defined scores at each point."""
    maps = []
    for j in range(SIZE):
        here = [[one[j][i] for one in scores if one[j][i] is not None] for i in range(SIZE)]
        maps.append([function(known) if known else None for known in here])
    return maps


def average_rank(score, known):
    return (
        1
        + sum(other > score for other in known)
        + Fraction(sum(other == score for other in known) - 1, 2)
    )


@pytest.mark.parametrize("rows", SETS.values(), ids=SETS)
def test_values_and_extremes(rows):
    counts, scores = counts_of(rows), exact(rows)
    np.testing.assert_allclose(
        br.tile.value(counts, SIZE), [floats(one) for one in scores], rtol=1e-12
    )
    np.testing.assert_allclose(
        br.tile.baseline(counts, SIZE), floats(over_set(scores, min)), rtol=1e-12
    )
    np.testing.assert_allclose(
        br.tile.state_of_the_art(counts, SIZE), floats(over_set(scores, max)), rtol=1e-12
    )


@pytest.mark.parametrize("rows", SETS.values(), ids=SETS)
def test_ranks_and_their_holders(rows):
    counts, scores = counts_of(rows), exact(rows)
    ranks = []
    for k, one in enumerate(scores):
        others = over_set(scores, lambda known: known)
        mine = [
            [
                None if one[j][i] is None else average_rank(one[j][i], others[j][i])
                for i in range(SIZE)
            ]
            for j in range(SIZE)
        ]
        np.testing.assert_array_equal(br.tile.entity_rank(counts, f"e{k}", SIZE), floats(mine))
        ranks.append(mine)
    for rank in range(1, len(rows) + 1):
        holder = br.tile.entity(counts, rank, SIZE).values
        for j, i in np.ndindex(SIZE, SIZE):
            held = [f"e{k}" for k, mine in enumerate(ranks) if mine[j][i] == rank]
            assert holder[j, i] == (held[0] if len(held) == 1 else "")


@pytest.mark.parametrize("rows", SETS.values(), ids=SETS)
def test_skill(rows):
    skill, floor_at = [], {}
    for row, scores in zip(rows, exact(rows), strict=True):
        negative, positive = row[0] + row[1], row[2] + row[3]
        trivial = exact([(negative, 0, positive, 0), (0, negative, 0, positive)])
        floor = floor_at[Fraction(positive, sum(row))] = over_set(trivial, max)
        skill.append(
            [
                [
                    None if None in (scores[j][i], floor[j][i]) or floor[j][i] == 1 else
                    (scores[j][i] - floor[j][i]) / (1 - floor[j][i])
                    for i in range(SIZE)
                ]
                for j in range(SIZE)
            ]
        )  # fmt: skip
    for prevalence, floor in floor_at.items():
        np.testing.assert_allclose(
            br.tile.no_skill(float(prevalence), SIZE), floats(floor), rtol=1e-12
        )
    found = br.tile.relative_skill(counts_of(rows), SIZE)
    np.testing.assert_allclose(found, [floats(one) for one in skill], rtol=1e-10, atol=1e-12)


def posterior():
    rows = [row for name in ("zero cells", "ordinary") for row in SETS[name]]
    array = br.as_performance(counts_of(rows))
    draws = xr.concat([array, array.roll(entity=1), array.roll(entity=4)], "draw").transpose(
        ..., "draw", "entity"
    )
    draws[{"draw": 2, "entity": 3}] = np.nan
    return draws.assign_coords(
        entity=array["entity"], size=("entity", range(len(rows))), site="here"
    )


def test_ranks_over_draws_are_means_where_defined():
    array = posterior()
    one_by_one = xr.concat(
        [br.tile.entity_rank(array.isel(draw=d), "e3", SIZE) for d in range(3)], "draw"
    )
    assert one_by_one[2].isnull().all()
    assert one_by_one[:2].notnull().any()
    np.testing.assert_allclose(
        br.tile.entity_rank(array, "e3", SIZE), one_by_one.mean("draw"), rtol=1e-12
    )


FLAVOURS = {
    "value": lambda array: br.tile.value(array, SIZE),
    "baseline": lambda array: br.tile.baseline(array, SIZE),
    "state_of_the_art": lambda array: br.tile.state_of_the_art(array, SIZE),
    "baseline over draws": lambda array: br.tile.baseline(array, SIZE, dim="draw"),
    "relative_skill": lambda array: br.tile.relative_skill(array, SIZE),
}


@pytest.mark.parametrize("name", FLAVOURS)
@pytest.mark.parametrize("chunks", [{"draw": 1}, {"entity": 4, "draw": 2}, {"actual": 1}])
def test_lazy_stays_lazy(name, chunks):
    dask = pytest.importorskip("dask")
    array, flavour = posterior(), FLAVOURS[name]

    def refuse(*_, **__):
        raise AssertionError("computed before it was asked to")

    with dask.config.set(scheduler=refuse):
        lazy = flavour(array.chunk(chunks))
    assert lazy.chunks is not None
    xr.testing.assert_allclose(lazy.compute(), flavour(array), rtol=1e-12)


def test_labels():
    array = posterior()
    tile = br.tile.value(array, SIZE)
    assert tile.dims == ("draw", "entity", "b", "a")
    assert set(tile.coords) == {"entity", "size", "site", "b", "a"}
    np.testing.assert_array_equal(tile["a"], np.linspace(0, 1, SIZE))
    assert tile.name == "value"
    assert {type(name) for name in br.tile.entity(array.isel(draw=0), 1, SIZE).values.ravel()} == {
        str
    }
    lowest = br.tile.baseline(array, SIZE)
    assert lowest.dims == ("draw", "b", "a")
    assert set(lowest.coords) == {"site", "b", "a"}
    one = br.tile.relative_skill(array.isel(draw=0, entity=1), SIZE)
    assert one.dims == ("b", "a")
    assert set(one.coords) == {"entity", "size", "site", "b", "a"}
    for flavour in (
        br.tile.entity_rank(array, "e0", SIZE),
        br.tile.entity(array.isel(draw=0), 1, SIZE),
    ):
        assert flavour.dims == ("b", "a")
        assert set(flavour.coords) == {"b", "a"}
    shares = xr.DataArray([0.0, 0.3, 1.0], {"site": list("xyz")}, "site")
    assert br.tile.no_skill(shares, SIZE).dims == ("site", "b", "a")
