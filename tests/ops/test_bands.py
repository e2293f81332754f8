"""Curves with simultaneous bands, labels at thresholds, and the Tile of entity and threshold."""

import numpy as np
import pytest
import sklearn.metrics as sk
import xarray as xr
from scipy import stats

import bayesrank as br
from bayesrank._core.random import blocks_between, root_sequence
from bayesrank._core.source import groups_of
from bayesrank.models.bayesian_bootstrap import BayesianBootstrap
from bayesrank.ops.bands import simultaneous_band

RNG = np.random.default_rng(7)
TRUTH = np.repeat([0, 1], [70, 40])
RISK = {
    name: np.round(1 / (1 + np.exp(-(s * (TRUTH - 0.4) + RNG.normal(size=110)))), 2)
    for name, s in (("a", 2), ("b", 1))
}
EVIDENCE = br.from_probabilities(TRUTH, RISK)


def drawn(evidence, draws, label=0, entity=0):
    """Rates and class shares of draws, and the areas that the model computes from the same weights."""
    part = BayesianBootstrap(evidence, scores=["auc_roc"]).parts[0]
    [block] = blocks_between(0, 1, 0, min(draws, 1000), (1, draws))
    found = [
        (
            *part.rates(label, entity, *one),
            one[0] @ part.truth[label] / one[0].sum(axis=1),
            part.evaluate(*one)[0],
        )
        for _, *one in part.weigh("posterior", block, root_sequence(1))
    ]
    return [np.concatenate(parts) for parts in zip(*found, strict=True)]


def test_areas_under_drawn_curves_are_the_drawn_areas():
    fpr, tpr, _, area = drawn(EVIDENCE, 50, entity=1)
    np.testing.assert_allclose(np.trapezoid(tpr, fpr, axis=1), area[:, 1], atol=1e-12)
    posterior = groups_of(br.fit(EVIDENCE, seed=1, draws=50, chains=1, scores=["auc_roc"]))[
        "posterior"
    ]
    np.testing.assert_allclose(posterior["auc_roc"].sel(entity="b")[0], area[:, 1], atol=1e-12)


def test_observed_curves_are_those_of_scikit_learn():
    roc = br.ops.credible_curves(EVIDENCE, "roc", draws=20, seed=1).sel(entity="a")
    fpr, tpr, _ = sk.roc_curve(TRUTH, RISK["a"])
    np.testing.assert_allclose(roc["observed"], np.interp(roc["fpr"], fpr, tpr), atol=1e-12)
    found = br.ops.credible_curves(EVIDENCE, "precision_recall", draws=20, seed=1).sel(entity="a")
    precision, recall, _ = sk.precision_recall_curve(TRUTH, RISK["a"])
    first = {
        r: precision[recall == r].max() for r in recall if r > 0
    }  # at the highest threshold with this recall
    at = found.assign_coords(point=found["recall"].values.round(9))
    shared = [r for r in first if round(r, 9) in at["point"].values]
    assert len(shared) >= 10
    for r in shared:
        assert at["observed"].sel(point=round(r, 9)).item() == pytest.approx(first[r], abs=1e-6)
    bins = (
        br.ops.credible_curves(EVIDENCE, "calibration", draws=20, seed=1)
        .sel(entity="a")
        .dropna("point")
    )
    assert bins["cases"].sum() == 110
    assert float((bins["cases"] * bins["observed"]).sum()) == pytest.approx(40)
    assert float((bins["cases"] * bins["probability"]).sum()) == pytest.approx(RISK["a"].sum())


def test_rates_at_a_threshold_are_those_of_matching_pseudo_counts():
    """One pseudo-case a class, called positive like a random case: a mixture of two Betas."""
    again = (
        br.from_probabilities(TRUTH, {"a": RISK["a"], "b": RISK["b"] + shift})
        for shift in np.arange(4) / 1000
    )
    fpr, tpr, share, _ = (
        np.concatenate(parts) for parts in zip(*(drawn(one, 1000) for one in again), strict=True)
    )
    levels = np.unique(RISK["a"])[::-1]
    k = 1 + int(np.flatnonzero(levels >= 0.5)[-1])
    called = RISK["a"] >= levels[k - 1]
    q, n = called.mean(), len(fpr)
    for rates, members in ((fpr, TRUTH == 0), (tpr, TRUTH == 1)):
        size, hits = members.sum(), called[members].sum()
        mean = (hits + q) / (size + 1)
        variance = mean * (1 - mean) / (size + 2) + q * (1 - q) / (size + 1) / (size + 2)
        assert rates[:, k].mean() == pytest.approx(mean, abs=4 * np.sqrt(variance / n))
        assert rates[:, k].std() == pytest.approx(np.sqrt(variance), rel=4 / np.sqrt(2 * n))
    wanted = stats.beta(40, 70)
    assert share.mean() == pytest.approx(wanted.mean(), abs=4 * wanted.std() / np.sqrt(n))
    assert share.std() == pytest.approx(wanted.std(), rel=4 / np.sqrt(2 * n))


def test_labels_at_a_threshold_have_the_dirichlet_of_their_counts():
    labels = br.ops.apply_threshold(EVIDENCE, 0.5)
    assert labels["entity"].values.tolist() == ["a", "b"]
    found = br.as_performance(br.fit(labels, seed=1))
    counts = br.from_predictions(
        TRUTH, {name: (risk >= 0.5).astype(int) for name, risk in RISK.items()}
    )
    alpha = (
        counts + xr.DataArray([[0.5, 0.5], [0.5, 0.5]], dims=("actual", "predicted"))
    ).transpose("entity", ...)
    total, draws = 112, 4000
    mean = alpha / total
    spread = np.sqrt(mean * (1 - mean) / (total + 1))
    assert float((abs(found.mean(("chain", "draw")) - mean) / spread).max()) < 4.5 / np.sqrt(draws)
    assert float(abs(found.std(("chain", "draw")) / spread - 1).max()) < 4.5 / np.sqrt(2 * draws)
    assert "threshold" in found.coords
    assert br.credible_ranking(br.fit(labels, seed=1, draws=100), "f1")["observed"].notnull().all()


def test_thresholds_by_entity_and_their_names():
    own = br.ops.apply_threshold(EVIDENCE, {"b": 0.3, "a": 0.6})
    assert own["threshold"].values.tolist() == [0.6, 0.3]
    chosen = br.ops.best_threshold(TRUTH, RISK, "f1", draws=2, seed=1)
    again = br.ops.apply_threshold(EVIDENCE, chosen["threshold"])
    np.testing.assert_allclose(
        br.scores.f1(groups_of(br.fit(again, seed=1, draws=2))["observed_data"]["counts"]),
        chosen["apparent"],
    )
    many = br.ops.apply_threshold(EVIDENCE, {"a": [0.2, 0.8], "b": 0.5})
    assert many["entity"].values.tolist() == ["a at 0.2", "a at 0.8", "b at 0.5"]
    assert many["classifier"].values.tolist() == ["a", "a", "b"]
    values = br.from_probabilities(
        TRUTH, {"d": RISK["a"] * 9 - 4}, cluster=np.arange(110) // 2, dataset="x"
    )
    at_once = br.ops.apply_threshold(values, 0)
    assert {"cluster", "dataset"} <= set(at_once.coords)
    weighted = br.ops.apply_threshold(br.from_probabilities(TRUTH, RISK, weight=1.0 + TRUTH), 0.5)
    assert float(weighted["count"].sum()) == pytest.approx(150**2 / (70 + 4 * 40))


def test_a_band_holds_its_share_of_whole_curves():
    values = RNG.normal(size=(40_000, 5))
    low, high = simultaneous_band(values, 0.9)
    inside = ((low <= values) & (values <= high)).all(axis=1).mean()
    assert 0.9 <= inside < 0.901
    z = stats.norm.ppf((1 + 0.9**0.2) / 2)  # Sidak: independent points
    np.testing.assert_allclose([-low, high], z, atol=0.06)
    same = np.repeat(values[:, :1], 5, axis=1)
    np.testing.assert_allclose(
        simultaneous_band(same, 0.9), np.quantile(same, [0.05, 0.95], axis=0), atol=1e-3
    )
    constant = np.ones((50, 2))
    np.testing.assert_array_equal(simultaneous_band(constant, 0.95), np.ones((2, 2)))


def test_a_bin_has_the_jeffreys_interval():
    truth = np.repeat([0, 1], [24, 6])
    found = br.ops.credible_curves(
        br.from_probabilities(truth, np.linspace(0.1, 0.3, 30)), "calibration", seed=1
    )
    one = found.isel(entity=0).dropna("point")
    assert one.sizes["point"] == 1
    ends = [one["lower"].item(), one["upper"].item()]
    np.testing.assert_allclose(ends, stats.beta(6.5, 24.5).ppf([0.025, 0.975]), atol=0.012)


def test_bands_hold_their_curves_and_are_withheld_like_areas():
    for curve in ("roc", "precision_recall", "calibration"):
        found = br.ops.credible_curves(EVIDENCE, curve, draws=200, seed=1)
        here = found["lower"].notnull()
        assert bool((found["lower"] <= found["median"]).where(here, True).all())
        assert bool((found["median"] <= found["upper"]).where(here, True).all())
    few = br.from_probabilities([0] * 40 + [1] * 4, {"a": np.arange(44.0)})
    assert br.ops.credible_curves(few, draws=20, seed=1)["lower"].isnull().all()
    perfect = br.from_probabilities(TRUTH, {"p": TRUTH + 0.0})
    band = br.ops.credible_curves(perfect, seed=1).isel(entity=0)
    assert band["observed"].min() == 1
    assert band["lower"][50] < 0.99
    three = np.arange(90) % 3
    values = (RNG.dirichlet([1, 1, 1], 90) + np.eye(3)[three]) / 2
    part = br.ops.credible_curves(
        br.from_probabilities(three, {"m": values}), label=2, draws=20, seed=1
    )
    alone = br.ops.credible_curves(
        br.from_probabilities(three == 2, {"m": values[:, 2]}), draws=20, seed=1
    )
    np.testing.assert_allclose(part["observed"], alone["observed"])


def test_order_of_cases_and_entities_do_not_matter():
    order = RNG.permutation(110)
    other = br.from_probabilities(TRUTH[order], {name: RISK[name][order] for name in "ba"})
    for curve in ("roc", "precision_recall", "calibration"):
        one, two = (br.ops.credible_curves(e, curve, draws=50, seed=3) for e in (EVIDENCE, other))
        xr.testing.assert_allclose(one.sel(entity="a"), two.sel(entity="a"))


def test_the_tile_of_entity_and_threshold_sums_over_thresholds():
    posterior = br.fit(br.ops.apply_threshold(EVIDENCE, [0.2, 0.4, 0.6]), seed=1, draws=100)
    each = br.tile.credible(posterior, 9, maps=())
    both = br.tile.credible(posterior, 9, by="classifier")
    assert both["entity"].values.tolist() == ["a", "b"]
    pairs = each["probability_best"].values.reshape(2, 3, 9, 9)
    np.testing.assert_allclose(both["probability_best"], pairs.sum(axis=1), atol=1e-12)
    np.testing.assert_allclose(
        both["share"], each["share"].values.reshape(2, 3).sum(axis=1), atol=1e-12
    )
    assert bool((both["share_upper"] >= both["share"]).all())
    for b, a in ((0, 4), (4, 4), (8, 8)):
        k = pairs[:, :, b, a].sum(axis=1).argmax()
        assert both["winner"].values[b, a] == "ab"[k]
        assert both["threshold"].values[b, a] == [0.2, 0.4, 0.6][pairs[k, :, b, a].argmax()]
        assert both["member_probability"].values[b, a] == pytest.approx(pairs[k, :, b, a].max())
    with pytest.raises(KeyError, match="by must be one of"):
        br.tile.credible(posterior, 9, by="family")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: br.ops.credible_curves(EVIDENCE, "lift"), "curve must be one of"),
        (lambda: br.ops.credible_curves(TRUTH), "must be predicted probabilities"),
        (lambda: br.ops.credible_curves(EVIDENCE, label=0), "it is the positive class"),
        (lambda: br.ops.credible_curves(br.from_probabilities(TRUTH, {"a": TRUTH * 7}), "calibration"), "values"),
        (lambda: br.ops.credible_curves(br.from_probabilities(TRUTH, RISK, dataset=TRUTH % 2)), "one data set"),
        (lambda: br.ops.apply_threshold(EVIDENCE, {"a": 0.5}), "none for 'b'"),
        (lambda: br.ops.apply_threshold(EVIDENCE, "half"), "threshold must"),
        (lambda: br.ops.apply_threshold(EVIDENCE, []), "sequence of numbers"),
        (lambda: br.ops.apply_threshold(EVIDENCE, [0.5, 0.5]), "each name once"),
        (lambda: br.ops.apply_threshold(EVIDENCE, [0.5, 0.5 + 1e-9]), "six digits"),
    ],
)  # fmt: skip
def test_what_curves_and_thresholds_refuse(call, message):
    with pytest.raises((ValueError, TypeError, KeyError), match=message):
        call()
