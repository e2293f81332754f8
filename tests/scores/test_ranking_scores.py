"""Ranking scores: Theorems 4 to 6 and Properties 1 to 7 of Piérard et al., Foundations, on random sample spaces."""

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import balanced_accuracy_score

import bayesrank as br

seeds = st.integers(0, 2**32 - 1)


def space(seed, entities=6, binary=False):
    """Performances of some entities, an importance and a satisfaction on a random sample space, with zeros."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 7))
    labels = [f"outcome {i}" for i in range(size)]
    performance = rng.dirichlet(np.full(size, 0.5), size=entities)
    importance = rng.gamma(0.7, size=size) * (rng.random(size) < 0.8)
    importance[rng.integers(size)] = 1.0
    satisfaction = rng.integers(0, 2, size).astype(float) if binary else rng.normal(size=size)
    coords = {"outcome": labels}
    return (
        xr.DataArray(performance, dims=("entity", "outcome"), coords=coords),
        xr.DataArray(importance, dims="outcome", coords=coords),
        xr.DataArray(satisfaction, dims="outcome", coords=coords),
    )


def order(values):
    values = values.values
    gap = values[:, None] - values
    return np.where(np.abs(gap) < 1e-9, 0, np.sign(gap))


@given(seeds)
def test_value_is_the_ratio_of_expectations(seed):
    p, i, s = space(seed)
    by_hand = (p.values * i.values * s.values).sum(1) / (p.values * i.values).sum(1)
    assert br.ranking_score(p, i, s).values == pytest.approx(by_hand)


@given(seeds)
def test_axiom_2_surely_no_more_satisfying_is_no_better(seed):
    """Theorem 5: a performance confined to an event scores between its least and greatest satisfaction."""
    p, i, s = space(seed)
    event = xr.DataArray(np.random.default_rng(seed).random(s.size) < 0.5, dims="outcome")
    event[0] = True
    confined = p * event
    confined = confined / confined.sum("outcome").where(confined.sum("outcome") > 0)
    value = br.ranking_score(confined, i, s).dropna("entity")
    inside = s.where(event, drop=True)
    assert (value >= inside.min() - 1e-12).all()
    assert (value <= inside.max() + 1e-12).all()


@given(seeds)
def test_axiom_3_mixtures_stay_between_best_and_worst(seed):
    p, i, s = space(seed)
    rng = np.random.default_rng(seed)
    weights = xr.DataArray(
        rng.dirichlet(np.full(p.sizes["entity"], 0.5)), dims="entity"
    ).assign_coords(entity=range(6))
    value = br.ranking_score(p, i, s)
    mixed = br.ranking_score(br.theory.mix(p.assign_coords(entity=range(6)), weights), i, s)
    if np.isfinite(value).all():  # the domain is closed under mixing
        assert value.min() - 1e-12 <= mixed <= value.max() + 1e-12


@given(seeds)
def test_property_1_expected_satisfaction_after_filtering(seed):
    p, i, s = space(seed)
    filtered = br.theory.filter_by_importance(p, i)
    assert filtered.sum("outcome").dropna("entity").values == pytest.approx(1)
    assert br.ranking_score(filtered, xr.ones_like(i), s).values == pytest.approx(
        br.ranking_score(p, i, s).values, nan_ok=True
    )


@given(seeds, st.floats(-5, 5), st.floats(-5, 5))
def test_property_2_linear_change_of_satisfaction(seed, slope, shift):
    p, i, s = space(seed)
    changed = br.ranking_score(p, i, slope * s + shift)
    assert changed.values == pytest.approx(
        (slope * br.ranking_score(p, i, s) + shift).values, abs=1e-9
    )
    if slope > 1e-3:
        assert (order(changed / slope) == order(br.ranking_score(p, i, s))).all()


@given(seeds, st.floats(0, 1))
def test_properties_5_and_6_means_of_importance(seed, weight):
    p, first, s = space(seed, binary=True)
    other = xr.DataArray(
        np.random.default_rng(seed + 1).gamma(1.0, size=s.size), dims="outcome", coords=s.coords
    )
    for fixed, f in ((1, lambda x: 1 / x), (0, lambda x: 1 / (1 - x))):
        second = first.where(s == fixed, other)
        mean = weight * first + (1 - weight) * second
        if not (first.any() and second.any() and mean.any()):
            continue
        with np.errstate(divide="ignore"):
            parts = [f(br.ranking_score(p, importance, s)) for importance in (first, second, mean)]
        usable = (
            np.isfinite(parts[0]) & np.isfinite(parts[1]) & np.isfinite(parts[2]) & (parts[2] < 1e6)
        )
        expected = weight * parts[0] + (1 - weight) * parts[1]
        assert parts[2].where(usable).values == pytest.approx(
            expected.where(usable).values, rel=1e-6, nan_ok=True
        )


@given(seeds, st.floats(0, 1))
def test_property_7_contour_sets_are_convex(seed, share):
    """A mixture of two performances better than (worse than, equivalent to) a third is so, too."""
    p, i, s = space(seed, entities=12)
    value = br.ranking_score(p, i, s).values
    pivot = value[0]
    mixed = br.ranking_score(share * p[1:-1] + (1 - share) * p[2:].values, i, s).values
    for one, two, result in zip(value[1:-1], value[2:], mixed, strict=True):
        for holds in (np.less, np.less_equal, np.greater_equal, np.greater):
            if holds(one, pivot) and holds(two, pivot):
                slack = 1e-12 if holds in (np.less, np.less_equal) else -1e-12
                assert holds(result - slack, pivot)


def test_many_classes_against_scikit_learn():
    rng = np.random.default_rng(2)
    truth, predicted = rng.integers(0, 4, (2, 300))
    counts = br.from_predictions(truth, {"model": predicted})
    accuracy = br.ranking_score(counts, xr.DataArray(1.0))
    assert accuracy.item() == pytest.approx((truth == predicted).mean())
    # With each case as important as its class is rare, the ranking score is the multi-class balanced accuracy.
    weight = 1 / counts.sum(["predicted", "entity"])
    assert br.ranking_score(counts, weight).item() == pytest.approx(
        balanced_accuracy_score(truth, predicted)
    )


def test_other_dims_pass_through_and_satisfaction_is_aligned_by_label():
    counts = br.from_counts(tn=[8, 5], fp=[1, 2], fn=[0, 1], tp=[1, 2], entity=["a", "b"])
    posterior = br.fit(counts, draws=50, chains=2, seed=1)
    turned = {dim: ["positive", "negative"] for dim in ("actual", "predicted")}
    satisfaction = xr.DataArray([[3.0, 0.0], [-1.0, 1.0]], turned, ("actual", "predicted"))
    value = br.ranking_score(posterior, br.importance(tn=1, fp=1, fn=1, tp=1), satisfaction)
    assert set(value.dims) == {"chain", "draw", "entity"}
    p = br.as_performance(posterior)
    by_hand = (p * satisfaction[::-1, ::-1]).sum(["actual", "predicted"])
    xr.testing.assert_allclose(value, by_hand.rename("ranking_score"))


def test_single_importances():
    truth = np.array(["well", "ill", "ill", "well", "well"])
    counts = br.from_predictions(
        truth, {"m": np.array(["well", "ill", "well", "ill", "well"])}, labels=["well", "ill"]
    )
    assert (
        br.ranking_score(counts, br.importance(fp=1, tp=1)).item() == 0.5
    )  # by position under other labels
    stack = xr.concat([br.importance(fp=1, tp=1), br.importance(fn=1, tp=1)], dim="preference")
    value = br.ranking_score(br.from_counts(tn=80, fp=1, fn=3, tp=27), stack)
    assert value.squeeze("entity").values == pytest.approx([27 / 28, 27 / 30])
    outside = br.from_counts(tn=9, fp=0, fn=1, tp=0)
    assert np.isnan(br.ranking_score(outside, br.importance(fp=1, tp=1)).item())
    assert np.isnan(br.canonical_score(outside, 1.0, 0.0).item())
    equal = br.from_counts(tn=[3, 6, 21], fp=[1, 2, 7], fn=[0, 0, 0], tp=[1, 2, 7])
    assert (
        len(set(br.ranking_score(equal, br.importance(tn=0.3, fp=0.7, fn=0.1, tp=0.9)).values)) == 1
    )


def test_canonical_score_on_grids_and_paired_points():
    counts = br.from_counts(tn=[80, 70], fp=[1, 11], fn=[3, 0], tp=[27, 30], entity=["a", "b"])
    grid = br.canonical_score(counts, np.linspace(0, 1, 5), np.linspace(0, 1, 3))
    assert grid.dims == ("entity", "b", "a")
    for a in (0.0, 0.25, 1.0):
        for b in (0.0, 0.5):
            one = br.canonical_score(counts, a, b)
            assert grid.sel(a=a, b=b).values.tolist() == one.values.tolist()
            by_importance = br.ranking_score(counts, br.importance(tn=1 - a, fp=1 - b, fn=b, tp=a))
            assert one.values == pytest.approx(by_importance.values)
    points = br.canonical_score(
        counts, xr.DataArray([0.25, 1.0], dims="point"), xr.DataArray([0.5, 0.0], dims="point")
    )
    assert points.dims == ("entity", "point")
    assert points.values == pytest.approx(
        np.stack([grid.sel(a=0.25, b=0.5), grid.sel(a=1.0, b=0.0)], axis=1)
    )


@pytest.mark.parametrize(
    ("cells", "always"),
    [({"fp": 1, "fn": 10}, "always 0"), ({"fn": 1}, "always 0"), ({"tn": 1, "tp": 1}, "always 1")],
)
def test_a_score_that_all_performances_share_is_refused(cells, always):
    """Costs of errors are no importances: R_I of errors alone is 0 for every performance."""
    with pytest.raises(br.ArgumentError, match=f"{always}.*br.decisions.expected_utility"):
        br.scores.of_importance(br.importance(**cells))


def test_a_score_of_little_importance_on_one_side_is_none_of_these():
    score = br.scores.of_importance(br.importance(fp=1, fn=10, tp=1e-9))
    found = (
        score(br.from_counts(tn=1, fp=0, fn=0, tp=4)),
        score(br.from_counts(tn=1, fp=0, fn=1, tp=4)),
    )
    assert found[0] == 1
    assert 0 < found[1] < 1e-6
