"""The Tile and ROC space, and the five operations, against exact fractions, at borders and corners too."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
import xarray as xr

import bayesrank as br
from bayesrank import performance

PLACES = [Fraction(k, 4) for k in range(5)]


def score(p, a, b):
    """The canonical score, None where it is 0/0."""
    tn, fp, fn, tp = p
    correct, wrong = (1 - a) * tn + a * tp, (1 - b) * fp + b * fn
    return Fraction(correct, correct + wrong) if correct + wrong else None


def from_rates(fpr, tpr, prevalence):
    return (
        (1 - prevalence) * (1 - fpr),
        (1 - prevalence) * fpr,
        prevalence * (1 - tpr),
        prevalence * tpr,
    )


def distance(line, x, y):
    """From a point to the line through both ends of what isoperformance gives."""
    (x0, x1), (y0, y1) = line["fpr"].values[[0, -1]], line["tpr"].values[[0, -1]]
    length = np.hypot(x1 - x0, y1 - y0)
    along = (
        0
        if length < 1e-9
        else np.clip(((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / length**2, 0, 1)
    )
    return np.hypot(x - x0 - along * (x1 - x0), y - y0 - along * (y1 - y0))


@pytest.mark.parametrize("prevalence", [Fraction(0), Fraction(1, 5), Fraction(1, 2), Fraction(1)])
def test_isoperformance_lines_hold_all_points_of_a_value_and_no_others(prevalence):
    rng = np.random.default_rng(1)
    for a in PLACES[::2]:
        for b in PLACES[::4] + PLACES[1:2]:
            corners = [(0, 0), (0, 1)]
            for x, y in [
                *corners,
                *((Fraction(i, 8), Fraction(j, 8)) for i, j in rng.integers(0, 9, (2, 2)).tolist()),
            ]:
                value = score(from_rates(x, y, prevalence), a, b)
                if value is None:
                    continue
                line = br.tile.isoperformance(
                    float(a), float(b), float(value), float(prevalence), points=4
                )
                if np.isnan(line["fpr"]).all():  # the same value wherever it is defined
                    others = {
                        score(from_rates(x, y, prevalence), a, b) for x in PLACES for y in PLACES
                    } - {None}
                    assert others == {value}
                    continue
                assert distance(line, float(x), float(y)) < 1e-9
                for fpr, tpr in zip(line["fpr"].values, line["tpr"].values, strict=True):
                    there = score(from_rates(Fraction(fpr), Fraction(tpr), prevalence), a, b)
                    # an end may be a vertex in a corner, where the score is 0/0 but for rounding
                    if there is not None and (0.01 < fpr < 0.99 or 0.01 < tpr < 0.99):
                        assert float(there) == pytest.approx(float(value), abs=1e-9)


def test_lines_of_scores_without_values():
    for a, b in [(1, 0), (1, 1)]:  # PPV and TPR without positives
        assert br.tile.isoperformance(a, b, 0.8, 0.0).to_array().isnull().all()


def test_lines_and_vertices_of_labelled_arrays():
    a, b = xr.DataArray([0.3, 1.0], dims="a"), xr.DataArray([0.0, 0.3, 0.6], dims="b")
    value, prevalence = (
        xr.DataArray([0.2, 1.0], dims="value"),
        xr.DataArray([0.0, 0.1], dims="prevalence"),
    )
    lines = br.tile.isoperformance(a, b, value, prevalence, points=3)
    assert lines["fpr"].dims == ("a", "b", "value", "prevalence", "point")
    places = br.tile.vertex(a, b, prevalence)
    for i, j, k, m in np.ndindex(2, 3, 2, 2):
        at = {"a": i, "b": j, "prevalence": m}
        line = br.tile.isoperformance(
            float(a[i]), float(b[j]), float(value[k]), float(prevalence[m]), points=3
        )
        xr.testing.assert_equal(lines.isel(at | {"value": k}), line)
        xr.testing.assert_equal(
            places.isel(at), br.tile.vertex(float(a[i]), float(b[j]), float(prevalence[m]))
        )


def level_line(a, b, value, prevalence):
    """p, q, r of p fpr + q tpr = r, where the score takes the value: an equation that is linear in the cells."""

    def excess(fpr, tpr):
        tn, fp, fn, tp = from_rates(fpr, tpr, prevalence)
        return (1 - value) * ((1 - a) * tn + a * tp) - value * ((1 - b) * fp + b * fn)

    return excess(1, 0) - excess(0, 0), excess(0, 1) - excess(0, 0), -excess(0, 0)


def test_vertices_are_where_lines_meet():
    for a, b, prevalence in [(x, y, Fraction(1, 7)) for x in PLACES for y in PLACES]:
        place = br.tile.vertex(float(a), float(b), float(prevalence))
        (p, q, r), (s, t, u) = (
            level_line(a, b, value, prevalence) for value in (Fraction(1, 3), Fraction(2, 3))
        )
        if a == b:
            assert p * t == q * s
            assert place[["fpr", "tpr"]].to_array().isnull().all()
            continue
        assert float(place["fpr"]) == pytest.approx(
            float((r * t - q * u) / (p * t - q * s)), abs=1e-12
        )
        assert float(place["tpr"]) == pytest.approx(
            float((p * u - r * s) / (p * t - q * s)), abs=1e-12
        )
        # T Section 3.3: right above ROC where a < b, left below where a > b
        outside = (place - 1 if a < b else -place)[["fpr", "tpr"]].to_array()
        assert (outside >= -1e-12).all()


@pytest.mark.parametrize("share", [0.0, 0.07, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("fixed", ["prevalence", "prediction_rate"])
def test_no_skill_curves_are_all_places_of_a_tie(fixed, share):
    curve = br.tile.no_skill_curve(points=21, **{fixed: share})
    a, b = curve["a"].values, curve["b"].values
    assert (np.diff(a) >= 0).all()
    assert ((np.diff(b) <= 0) if fixed == "prevalence" else (np.diff(b) >= 0)).all()
    assert {0.0, 1.0} <= {a[0], a[-1], b[0], b[-1]}
    exact = Fraction(share)

    def no_skill(rate):
        if fixed == "prevalence":
            return from_rates(rate, rate, exact)
        return tuple(from_rates(rate, rate, exact)[i] for i in (0, 2, 1, 3))

    if 0 < share < 1:
        for x, y in zip(a, b, strict=True):
            one, two = (score(no_skill(Fraction(k, 7)), Fraction(x), Fraction(y)) for k in (2, 4))
            assert float(one) == pytest.approx(float(two), abs=1e-12)
            if 0.01 < y < 0.9:
                assert (
                    abs(
                        score(no_skill(Fraction(2, 7)), Fraction(x), Fraction(y) + Fraction(1, 20))
                        - two
                    )
                    > 1e-9
                )


def sign(x, y):
    """Of a difference, 0 for one that rounding may have made."""
    return 0 if abs(x - y) < 1e-12 else 1 if x > y else -1


def agree(before, after, there_before, there_after):
    """The order of performances at one place is that of what became of them at another, where all is defined."""
    one = [score(p, *there_before) for p in before]
    two = [score(p, *there_after) for p in after]
    compared = 0
    for i, j in combinations(range(len(one)), 2):
        if None in (one[i], one[j], two[i], two[j]):
            continue
        compared += 1
        if sign(one[i], one[j]) != sign(two[i], two[j]):
            return 0
    return compared


def fractions(array):
    return [
        tuple(map(Fraction, cells))
        for cells in array.transpose("entity", ...).values.reshape(-1, 4).tolist()
    ]


def place(*numbers):
    return tuple(Fraction(float(x)) for x in numbers)


@pytest.mark.parametrize(
    ("old", "new"), [(0.3, 0.8), (0.5, 0.02), (0.9, 0.9), (1 / 3, 1.0), (0.25, 0.0)]
)
def test_lemma_5_at_corners(old, new):
    rng = np.random.default_rng(3)
    rates = [
        *((x, y) for x in (0.0, 0.5, 1.0) for y in (0.0, 0.25, 1.0)),
        *rng.random((12, 2)).tolist(),
    ]
    table = np.array([from_rates(x, y, old) for x, y in rates]).reshape(-1, 2, 2)
    source = xr.DataArray(table, {"entity": range(len(rates))}, ("entity", "actual", "predicted"))
    before, after = fractions(source), fractions(performance.shift_prior(source, new))
    for a in PLACES:
        for b in PLACES:
            there = br.tile.moved_place("shift_prior", float(a), float(b), old=old, new=new)
            assert not np.isnan(there).any()
            if 0 < new < 1:
                assert agree(before, after, (a, b), place(*there)) > 20
            else:  # one class is left: what is left of the Tile are its sides
                assert set(there) <= {0.0, 1.0}


def test_shifts_without_a_prevalence_to_start_from():
    assert np.isnan(br.tile.moved_place("shift_prior", 0.4, 1.0, old=0.0, new=0.5)).all()
    assert br.tile.moved_place("shift_prior", 0.4, 1.0, old=0.0, new=0.0) == (0.4, 1.0)
    assert br.tile.prior_grid(0.0, lines=3).values.tolist() == [0, 1, 1]
    assert br.tile.prior_grid(1.0, lines=3).values.tolist() == [0, 0, 1]


@pytest.mark.parametrize("prevalence", [0.1, 0.5, 0.75])
def test_chance_correction_at_corners(prevalence):
    exact = Fraction(prevalence)
    rng = np.random.default_rng(4)
    rates = [(Fraction(int(x), 16), Fraction(int(y), 16)) for x, y in rng.integers(1, 16, (25, 2))]
    table = [from_rates(x, y, exact) for x, y in rates]
    twins = [from_rates(r, r, exact) for r in (exact * y + (1 - exact) * x for x, y in rates)]
    for a in PLACES:
        for b in PLACES:
            plain, chance = ([score(p, a, b) for p in some] for some in (table, twins))
            corrected = [(r - c) / (1 - c) for r, c in zip(plain, chance, strict=True)]
            there = place(*br.tile.chance_corrected_place(float(a), float(b), prevalence))
            moved = [score(p, *there) for p in table]
            for i, j in combinations(range(len(table)), 2):
                assert sign(corrected[i], corrected[j]) == sign(moved[i], moved[j])
    assert np.isnan(br.tile.chance_corrected_place(0.5, 0.5, 0.0)[0])


ARRAY = xr.DataArray([0.2, 0.4], dims="z")


def test_places_of_arrays():
    for function in (
        lambda x: br.tile.moved_place("shift_prior", x, 0.3, old=0.2, new=0.6),
        lambda x: br.tile.chance_corrected_place(0.3, x, 0.2),
    ):
        one_by_one = np.array([function(float(x)) for x in ARRAY.values]).T
        for kind in (ARRAY, ARRAY.values):
            for got, expected in zip(function(kind), one_by_one, strict=True):
                np.testing.assert_allclose(np.broadcast_to(got, 2), expected, rtol=1e-14)
        assert any(
            isinstance(part, xr.DataArray) and part.dims == ("z",) for part in function(ARRAY)
        )
