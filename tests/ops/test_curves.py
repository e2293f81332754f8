"""OPS of curves: the published tables, closed forms for the shallowest tree, independent areas, the bootstrap."""

import numpy as np
import pytest
import xarray as xr

import bayesrank as br
from bayesrank.ops._areas import area, area_range, point

# Zhao et al., Outperformance Score, Tables 6 to 9: prevalence, cases (Table 4), AUC(PRC), its OPS, precision at recall
# 0.9, its OPS (Table 7's last two exchanged, a misprint), AUC(lift), NAUC(lift), their OPS, precision at K = 500, its
# OPS.
TABLES = {
    "heart, general": (0.091, 9000, 0.354, 0.869, 0.183, 0.901, 2.278, 0.670, 0.915, 0.418, 0.840),
    "heart, elder": (0.190, 9043, 0.420, 0.797, 0.264, 0.815, 1.745, 0.656, 0.841, 0.558, 0.782),
    "heart, hospital": (0.300, 9206, 0.688, 0.909, 0.495, 0.902, 1.806, 0.820, 0.929, 0.830, 0.852),
    "loan, general": (0.112, 10_000, 0.316, 0.808, 0.151, 0.784, 1.915, 0.601, 0.849, 0.432, 0.805),
    "loan, low-income": (
        0.203,
        10_108,
        0.485,
        0.838,
        0.278,
        0.813,
        1.807,
        0.696,
        0.869,
        0.686,
        0.832,
    ),
    "loan, risky": (0.300, 10_063, 0.581, 0.832, 0.376, 0.784, 1.621, 0.736, 0.857, 0.788, 0.821),
}
#: Our value minus the printed one, lowest and highest, as docs/understand/ops.md says.
DIFFERENCES = {
    "auc_pr": (-0.004, -0.001),
    "precision_at_recall": (-0.002, 0.002),
    "precision_at_k": (-0.001, 0.001),
    "lift_at_k": (-0.001, 0.001),
    "auc_lift": (0.001, 0.005),
}


@pytest.mark.parametrize("row", TABLES.values(), ids=TABLES)
def test_tables_6_to_9(row):
    prevalence, size, pr, ops_pr, precision, ops_precision, lift, nauc, ops_lift, at_k, ops_at_k = (
        row
    )
    printed = {
        "auc_pr": (pr, ops_pr, {}),
        "precision_at_recall": (precision, ops_precision, {"at": 0.9}),
        "precision_at_k": (at_k, ops_at_k, {"at": 500, "size": size}),
        "lift_at_k": (at_k / prevalence, ops_at_k, {"at": 500, "size": size}),
        "auc_lift": (lift, ops_lift, {}),
    }
    for metric, (value, ops, options) in printed.items():
        low, high = DIFFERENCES[metric]
        assert (
            low
            <= round(br.ops.of_value(metric, value, prevalence, **options).item() - ops, 3)
            <= high
        ), metric
    assert (lift / br.ops.ideal_area("lift", prevalence)).item() == pytest.approx(nauc, abs=1e-3)


def straight_areas(fpr, tpr, prevalence, *, rates):
    """Areas under precision-recall and lift, by straight lines of the curve between thresholds, or of the rates."""
    called, found = prevalence * tpr + (1 - prevalence) * fpr, []
    if rates:  # Gauss-Legendre along each segment
        nodes, weights = np.polynomial.legendre.leggauss(4)
        height = 0
        for node, weight in zip((nodes + 1) / 2, weights / 2, strict=True):
            recall, share = (x[:, :-1] + node * np.diff(x) for x in (tpr, called))
            height = height + weight * prevalence * recall / share
    else:
        precision = prevalence * tpr[:, 1:] / called[:, 1:]
        height = np.column_stack(
            [precision[:, 0], (precision[:, 1:] + precision[:, :-1]) / 2]
        )  # constant at first
    for width in (np.diff(tpr), np.diff(called) / prevalence):
        found.append(np.sum(width * height, axis=1))
    return found


@pytest.mark.parametrize(
    ("rates", "above", "below"),
    [
        (False, (4, 7), (-15, -5)),
        pytest.param(True, (3, 6), (-13, -5), marks=pytest.mark.slow),
    ],
)
def test_straight_lines_do_not_meet_the_tables(rates, above, below):
    """The numbers of docs/understand/ops.md in thousandths."""
    tree = br.ops.directed_binary_tree()
    fpr, tpr = tree.fpr.values.astype(float), tree.tpr.values.astype(float)
    differences = []
    for prevalence, _, pr, ops_pr, _, _, lift, _, ops_lift, *_ in TABLES.values():
        blocks = np.array_split(np.arange(len(fpr)), 16)
        areas = np.hstack([straight_areas(fpr[i], tpr[i], prevalence, rates=rates) for i in blocks])
        differences.append((np.mean(areas[0] < pr) - ops_pr, np.mean(areas[1] < lift) - ops_lift))
    lowest, highest = np.min(differences, axis=0), np.max(differences, axis=0)
    found = [
        (round(1000 * low), round(1000 * high)) for low, high in zip(lowest, highest, strict=True)
    ]
    assert found == [above, below]


def test_linear_invariance_of_areas():
    prevalence = 0.3
    lift = br.ops.of_value("auc_lift", 1.3, prevalence).item()
    assert br.ops.of_value("nauc_lift", 1.3 / (1 - np.log(prevalence)), prevalence).item() == lift
    roc = br.ops.of_value("auc_roc", 0.8, prevalence).item()
    gain = prevalence / 2 + (1 - prevalence) * 0.8
    for metric, value in (("auc_gain", gain), ("nauc_gain", gain / (1 - prevalence / 2))):
        assert br.ops.of_value(metric, value, prevalence).item() == pytest.approx(roc, abs=1e-4)


class TestTree:
    def test_order_ends_size_and_seed(self):
        curves, same, other = (
            br.ops.directed_binary_tree(depth=3, samples=200, seed=s) for s in (1, 1, 2)
        )
        for rate in (curves.fpr, curves.tpr):
            assert rate.shape == (200, 15 + 2)  # E1 to E15 of Figure 2, and the ends
            assert (rate.diff("point") >= 0).all()
            assert (rate[:, 0] == 0).all()
            assert (rate[:, -1] == 1).all()
        xr.testing.assert_identical(curves, same)
        assert not np.array_equal(curves.fpr, other.fpr)

    def test_the_shallowest_tree_has_closed_forms(self):
        # One uniform point: the area under ROC is its balanced accuracy.
        curves = br.ops.directed_binary_tree(depth=0, seed=4)
        value = np.array([0.3, 0.5, 0.8])
        found = br.ops.of_value("auc_roc", value, 0.2, reference=curves)
        assert (found.ops_error < 0.003).all()
        assert (
            found.ops_error.attrs["method"] == "standard error of a share of the reference's sample"
        )
        exact = br.ops.of_value("balanced_accuracy", value, 0.2)
        assert (np.abs(found - exact) < 4 * found.ops_error).all()


@pytest.mark.parametrize("curve", ["roc", "pr", "lift", "gain"])
def test_range_of_areas(curve):
    # Many thresholds along the worst and the ideal ranking come to the ends, and no few thresholds leave them.
    fine, rng = np.linspace(0, 1, 20_001), np.random.default_rng(9)
    for prevalence in (0.01, 0.4):
        low, high = area_range(curve, prevalence)
        assert br.ops.ideal_area(curve, prevalence).item() == high
        for fpr, tpr, expected in ((fine, 0 * fine, low), (0 * fine, fine, high)):
            ends = (
                np.r_[fpr, fine if fpr[-1] == 0 else 0 * fine + 1],
                np.r_[tpr, fine if tpr[-1] == 0 else 0 * fine + 1],
            )
            # steps of a monotone curve are off by at most their width times its range, 1 / prevalence for lift
            assert area(curve, *ends, np.asarray(prevalence)) == pytest.approx(
                expected.item(), abs=1 / 20_000 / 0.01
            )
        few = np.sort(rng.random((2, 500, 3)), axis=-1)
        few = np.concatenate([np.zeros((2, 500, 1)), few, np.ones((2, 500, 1))], axis=-1)
        for corner in (0.0, 1.0):
            few[:, int(corner), 1:-1] = [[corner], [1 - corner]]
        found = area(curve, *few, np.full(500, prevalence))
        assert (low - 1e-12 <= found).all()
        assert (found <= high + 1e-12).all()
        metric = f"auc_{curve}"
        assert br.ops.of_value(metric, low.item(), prevalence).item() == 0
        assert br.ops.of_value(metric, high.item(), prevalence).item() == pytest.approx(1, abs=1e-3)
        with pytest.raises(ValueError, match=f"the range of {metric} at prevalence"):
            br.ops.of_value(metric, high.item() + 0.01, prevalence)


@pytest.mark.parametrize("prevalence", [0.001, 0.3])
@pytest.mark.parametrize(
    "metric", ["precision_at_recall", "precision_at_share", "recall_at_share", "lift_at_share"]
)
def test_points_against_the_sample(metric, prevalence):
    # OPS is computed by way of another metric that orders the curves alike; here directly, curve by curve.
    curves = br.ops.directed_binary_tree(depth=3, samples=500, seed=8)
    fpr, tpr = curves.fpr.values.astype(float), curves.tpr.values.astype(float)
    found = point(metric, 0.3, fpr, tpr, np.asarray(prevalence))
    for i in range(0, 500, 100):
        ops = br.ops.of_value(metric, found[i], prevalence, at=0.3, reference=curves)
        assert ops.item() == pytest.approx(np.mean(found < found[i]), abs=1.5 / 500)


def test_points_follow_equation_9():
    fpr, tpr = np.array([0, 0.2, 0.6, 1.0]), np.array([0, 0.6, 0.9, 1.0])
    prevalence = np.asarray(0.25)
    # recall 0.75 is half way between the second and the third point: FPR 0.4
    assert point("precision_at_recall", 0.75, fpr, tpr, prevalence) == pytest.approx(
        0.1875 / (0.1875 + 0.3)
    )
    assert point("tpr_at_fpr", 0.4, fpr, tpr, prevalence) == pytest.approx(0.75)
    share = 0.1875 + 0.3
    assert point("recall_at_share", share, fpr, tpr, prevalence) == pytest.approx(0.75)
    assert point("lift_at_share", share, fpr, tpr, prevalence) == pytest.approx(0.75 / share)
    # constant on the first segment
    first = 0.15 / (0.15 + 0.15)
    assert point("precision_at_recall", 0.1, fpr, tpr, prevalence) == pytest.approx(first)


class TestCases:
    rng = np.random.default_rng(6)
    y_true = rng.random(400) < 0.2
    y_score = y_true + rng.normal(0, 0.8, 400)
    coarse = np.round(y_score)  # ties

    def test_the_area_under_lift_is_the_mean_lift_of_the_first_k(self):
        order = np.argsort(-self.y_score)
        lift = np.cumsum(self.y_true[order]) / np.arange(1, 401) / self.y_true.mean()
        result = br.ops.of_curve(self.y_true, self.y_score, "auc_lift", draws=0)
        assert result.value.item() == pytest.approx(lift.mean(), rel=1e-12)

    @pytest.mark.parametrize("curve", ["roc", "pr", "lift", "gain"])
    def test_a_perfect_ranking_has_the_ideal_area(self, curve):
        rng, few = np.random.default_rng(3), br.ops.directed_binary_tree(depth=2, samples=50)
        for size in (5, 30, 200):
            truth = np.append([0, 1], rng.integers(0, 2, size) * (rng.random(size) < 0.4))
            scores = {
                "perfect": truth + rng.random(truth.size) / 2,
                "tied": truth,
                "some ties": truth + rng.integers(0, 3, truth.size) / 4,
            }
            found = br.ops.of_curve(truth, scores, f"nauc_{curve}", draws=20, seed=1, reference=few)
            np.testing.assert_allclose(found["value"], 1, rtol=0, atol=1e-12)
            np.testing.assert_allclose(found["value_draws"], 1, rtol=0, atol=1e-12)
            assert (found["no_skill"] < 1).all()

    @pytest.mark.parametrize("curve", ["roc", "pr", "lift", "gain"])
    def test_an_area_relative_to_the_ideal_ranking(self, curve):
        scores = {
            "a": self.y_score,
            "b": self.coarse,
            "first": np.arange(400) == np.argmax(self.y_true),
        }
        few = br.ops.directed_binary_tree(depth=2, samples=50)
        relative, plain = (
            br.ops.of_curve(self.y_true, scores, f"{of}_{curve}", draws=20, seed=1, reference=few)
            for of in ("nauc", "auc")
        )
        assert (relative["value_draws"] < 1).all()
        # The same order, so the same OPS (linear invariance).
        xr.testing.assert_equal(relative["ops_draws"], plain["ops_draws"])
        ideal = br.ops.of_curve(
            self.y_true, self.y_true * 10 + self.y_score, f"auc_{curve}", draws=0, reference=few
        )
        ideal = ideal["value"].item()
        np.testing.assert_allclose(
            relative["value"].sel(entity="a") * ideal, plain["value"].sel(entity="a")
        )

    def test_same_as_of_value(self):
        prevalence = self.y_true.mean()
        for metric, at in (
            ("auc_pr", None),
            ("auc_lift", None),
            ("precision_at_recall", 0.5),
            ("lift_at_share", 0.1),
        ):
            result = br.ops.of_curve(self.y_true, self.coarse, metric, at=at, draws=0)
            assert result.prevalence.item() == prevalence
            assert (
                result.ops.item()
                == br.ops.of_value(metric, result.value.item(), prevalence, at=at).item()
            )

    def test_at_k_is_the_precision_of_the_first_k(self):
        top = np.argsort(-self.y_score)[:30]
        result = br.ops.of_curve(self.y_true, self.y_score, "precision_at_k", at=30, draws=0)
        assert result.value.item() == pytest.approx(self.y_true[top].mean())
        lift = br.ops.of_curve(self.y_true, self.y_score, "lift_at_k", at=30, draws=0)
        assert lift.value.item() == pytest.approx(self.y_true[top].mean() / self.y_true.mean())
        assert lift.ops.item() == pytest.approx(result.ops.item(), abs=1e-12)
        everybody = br.ops.of_curve(
            self.y_true, self.y_score, "precision_at_k", at=400, draws=5, seed=1
        )
        assert everybody.value.item() == pytest.approx(self.y_true.mean())
        assert everybody.ops.item() == 0
        assert (everybody.ops_draws == 0).all()

    def test_oprc(self):
        scores = {"a": self.y_score, "b": self.coarse}
        result = br.ops.of_curve(
            self.y_true, scores, "precision_at_recall", at=[0.25, 0.5, 0.95], draws=0
        )
        assert result.ops.dims == ("entity", "recall")
        one = br.ops.of_curve(self.y_true, self.coarse, "precision_at_recall", at=0.5, draws=0)
        assert result.ops.sel(entity="b", recall=0.5).item() == one.ops.item()

    @pytest.mark.parametrize(
        ("metric", "chance", "at"),
        [
            ("tpr_at_fpr", lambda x, p: x, [0.1, 0.5, 0.9]),
            ("tnr_at_recall", lambda x, p: 1 - x, [0.1, 0.5, 0.9]),
            ("recall_at_share", lambda x, p: x, [0.1, 0.5, 0.9]),
            ("precision_at_recall", lambda x, p: p, [0.1, 0.5, 0.9]),
            ("lift_at_share", lambda x, p: 1.0, [0.1, 0.5, 0.9]),
            ("precision_at_k", lambda x, p: p, [40, 200]),
            ("recall_at_k", lambda x, p: x / 400, [40, 200]),
        ],
    )
    def test_no_skill_along_a_curve(self, metric, chance, at):
        """Chance lies on the diagonal. The tree knows no side of it: half of its curves are below at any point."""
        result = br.ops.of_curve(self.y_true, self.y_score, metric, at=at, draws=0)
        assert result["no_skill"].dims == result["ops_no_skill"].dims == result["value"].dims[1:]
        expected = [chance(x, result.prevalence.item()) for x in at]
        assert result["no_skill"].values == pytest.approx(expected, rel=1e-12)
        assert result["ops_no_skill"].values == pytest.approx(0.5, abs=4 * 0.0028)

    def test_no_skill_under_another_reference(self):
        tree = br.ops.directed_binary_tree(depth=3, samples=500, seed=8)
        strong = tree.assign(tpr=tree.tpr**0.6)
        result = br.ops.of_curve(
            self.y_true, self.y_score, "tpr_at_fpr", at=[0.2, 0.7], draws=0, reference=strong
        )
        for x in (0.2, 0.7):
            at_x = [
                np.interp(x, *curve)
                for curve in zip(strong.fpr.values, strong.tpr.values, strict=True)
            ]
            below = np.mean(np.array(at_x) < x)
            assert below < 0.45
            assert result["ops_no_skill"].sel(fpr=x).item() == pytest.approx(below, abs=1.5 / 500)

    def test_bootstrap(self):
        result = br.ops.of_curve(
            self.y_true, {"a": self.y_score, "b": self.coarse}, "auc_roc", draws=400, seed=1
        )
        assert result.ops_draws.dims == ("chain", "draw", "entity")
        # The Bayesian bootstrap of the area has nearly DeLong's variance.
        positive, negative = self.y_score[self.y_true], self.y_score[~self.y_true]
        above = positive[:, None] > negative
        delong = np.sqrt(
            above.mean(1).var(ddof=1) / positive.size + above.mean(0).var(ddof=1) / negative.size
        )
        spread = result.value_draws.sel(entity="a").std().item()
        assert spread == pytest.approx(delong, rel=4 / np.sqrt(2 * 400) + 0.03)
        assert (result.ops_lower < result.ops).all()
        assert (result.ops < result.ops_upper).all()
        # shared weights: the draws of two versions of one classifier go together
        draws = result.value_draws.stack(all=("chain", "draw"))
        assert np.corrcoef(draws.sel(entity="a"), draws.sel(entity="b"))[0, 1] > 0.8

    def test_draws_do_not_depend_on_other_classifiers(self):
        alone = br.ops.of_curve(self.y_true, self.y_score, "auc_pr", draws=12, seed=1)
        both = br.ops.of_curve(
            self.y_true, {"x": self.coarse, "y": self.y_score}, "auc_pr", draws=12, seed=1
        )
        np.testing.assert_array_equal(
            both.ops_draws.sel(entity="y"), alone.ops_draws.isel(entity=0)
        )


@pytest.mark.parametrize(
    ("metric", "options"),
    [("auc_pr", {}), ("precision_at_recall", {"at": 0.8}), ("lift_at_k", {"at": 30, "size": 100})],
)
def test_curves_of_values_are_the_values_one_by_one(metric, options):
    curves = br.ops.value_curves(metric, [0.05, 0.4], points=5, **options)
    assert curves.dims == ("prevalence", "point")
    for one in curves.stack(pair=("prevalence", "point")).transpose("pair"):
        single = br.ops.of_value(metric, one["value"].item(), one["prevalence"].item(), **options)
        assert (one.item(), one["ops_error"].item()) == (single.item(), single["ops_error"].item())
    assert (curves.diff("point") >= 0).all()


@pytest.mark.parametrize(
    ("score", "options"),
    [("lift", {}), ("cohen_kappa", {}), ("determinant", {}), ("false_discovery_rate", {}), ("auc_lift", {}),
     ("nauc_gain", {}), ("precision_at_recall", {"at": 0.8})],
)  # fmt: skip
def test_curves_of_values_begin_and_end_where_the_score_does(score, options):
    curves = br.ops.value_curves(score, [0.01, 0.1, 0.5], points=9, **options)
    reach = curves if score != "false_discovery_rate" else curves.isel(point=slice(None, None, -1))
    np.testing.assert_allclose(reach.isel(point=0), 0, atol=1e-9)
    np.testing.assert_allclose(
        reach.isel(point=-1), 1, atol=1e-3
    )  # a random curve may be ideal but for rounding
    step = curves["value"].diff("point")
    np.testing.assert_allclose(step, step.isel(point=[0] * 8), rtol=1e-9)
    for share in (0.01, 0.1, 0.5):
        low, high = curves["value"].sel(prevalence=share)[[0, -1]].values
        for outside in (low - 0.01, high + 0.01):
            with pytest.raises(ValueError, match="value must lie between"):
                br.ops.of_value(score, outside, share, **options)


def test_lift_reaches_one_over_the_prevalence():
    curves = br.ops.value_curves("lift", [0.02, 0.25], points=3)
    np.testing.assert_allclose(curves["value"], [[0, 25, 50], [0, 2, 4]])
    np.testing.assert_allclose(
        curves, br.ops.value_curves("ppv", [0.02, 0.25], points=3), rtol=0, atol=1e-11
    )
    with pytest.raises(ValueError, match="score must have a finite range at each prevalence"):
        br.ops.value_curves("diagnostic_odds_ratio", [0.1])


def test_curves_of_values_of_a_given_reference():
    few = br.ops.directed_binary_tree(depth=2, samples=50)
    given = br.ops.value_curves("auc_roc", [0.3], points=5, reference=few)
    assert (given * 50 == (given * 50).round()).all()
    assert (
        br.ops.value_curves("precision_at_recall", [0.3], at=0.8).attrs["score"]
        == "precision_at_recall 0.8"
    )
