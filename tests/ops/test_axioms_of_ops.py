"""OPS and the axioms: free of the prevalence at the corners of the Tile, and a ranking score at TPR and TNR alone.

Fractions prove the strict inequalities; the proofs are in docs/theory/ops.md.
"""

from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest
from scipy import stats

import bayesrank as br
from bayesrank.ops.prevalence import FREE, closest_free, prevalence_free
from bayesrank.scores import as_score
from bayesrank.scores.forms import ranking_area
from bayesrank.scores.score import cells_at
from bayesrank.theory.axioms import lattice

CORNERS = [(0, 0), (0, 1), (1, 0), (1, 1)]
GRID = [(F(i, 10), F(j, 10)) for i, j in product(range(11), repeat=2)]


def half_plane(c1, c2, t):
    """Area of {c1 U + c2 V < t} in the unit square, in fractions."""
    if c1 == 0 and c2 == 0:
        return F(t > 0)
    if c1 == 0 or c2 == 0:
        return min(max(t / (c1 + c2), F(0)), F(1))
    parts = ((t, 1), (t - c1, -1), (t - c2, -1), (t - c1 - c2, 1))
    return sum(sign * max(each, F(0)) ** 2 for each, sign in parts) / (2 * c1 * c2)


def exact_ops(a, b, cells):
    """OPS of the canonical score at (a, b), in fractions; None where the score is undefined."""
    tn, fp, fn, tp = cells
    right, wrong = (1 - a) * tn + a * tp, (1 - b) * fp + b * fn
    positive = fn + tp
    if right + wrong == 0 or positive in (0, 1):
        return None
    v = right / (right + wrong)
    c1 = (1 - positive) * ((1 - a) * (1 - v) + (1 - b) * v)
    c2 = positive * (a * (1 - v) + b * v)
    return half_plane(c1, c2, v * ((1 - positive) * (1 - b) + positive * b))


def of_rates(fpr, tpr, positive):
    return (1 - positive) * (1 - fpr), (1 - positive) * fpr, positive * (1 - tpr), positive * tpr


def test_fractions_agree_with_the_package():
    rng = np.random.default_rng(1)
    for _ in range(30):
        cells = [F(int(x), 40) for x in rng.multinomial(36, [0.25] * 4) + 1]
        a, b = (F(int(x), 10) for x in rng.integers(0, 11, 2))
        value = br.scores.canonical(float(a), float(b)).of_cells(*map(float, cells))
        found = br.ops.of_value(
            br.scores.canonical(float(a), float(b)), value, float(cells[2] + cells[3])
        ).item()
        assert found == pytest.approx(float(exact_ops(a, b, cells)), abs=1e-9)


def test_the_corners_are_free_of_the_prevalence_and_no_other_place_is():
    rates = [(F(i, 6), F(j, 6)) for i, j in product(range(1, 6), repeat=2)]
    for a, b in GRID:
        tables = [
            [exact_ops(a, b, of_rates(*rate, share)) for rate in rates]
            for share in (F(1, 10), F(1, 2), F(9, 10))
        ]
        assert (tables[0] == tables[1] == tables[2]) == ((a, b) in CORNERS), (a, b)
        assert prevalence_free(br.scores.canonical(float(a), float(b))) == ((a, b) in CORNERS)


def test_ops_follows_its_score_at_one_prevalence():
    """Higher value, higher OPS, in fractions; a score that is not continuous can lose a part of its order."""
    rates = [(F(i, 4), F(j, 4)) for i, j in product(range(5), repeat=2)]
    for (a, b), share in product(product((F(0), F(1, 3), F(1)), repeat=2), (F(1, 8), F(2, 3))):
        found = []
        for rate in rates:
            cells = of_rates(*rate, share)
            right, wrong = (1 - a) * cells[0] + a * cells[3], (1 - b) * cells[1] + b * cells[2]
            if right + wrong > 0:
                found.append((right / (right + wrong), exact_ops(a, b, cells)))
        for (one, ops), (other, ops_other) in product(found, repeat=2):
            assert (one < other) == (ops < ops_other)

    def jump(tn, fp, fn, tp):
        return tn + tp + (fn == 0)

    np.testing.assert_allclose(br.ops.of_value(jump, [1.3, 1.7, 2.0], 0.3), 1, atol=1e-9)
    assert (
        np.diff([jump(*of_rates(fpr, F(1), F(3, 10))) for fpr in (F(1), F(1, 2), F(0))]).min() > 0
    )


def test_the_closed_forms_at_the_corners():
    for fpr, tpr, share in product((F(1, 5), F(2, 3)), (F(1, 4), F(5, 7)), (F(1, 9), F(3, 4))):
        cells = of_rates(fpr, tpr, share)
        ppv = 1 - fpr / (2 * tpr) if tpr >= fpr else tpr / (2 * fpr)
        fnr, tnr = 1 - tpr, 1 - fpr
        npv = 1 - fnr / (2 * tnr) if tnr >= fnr else tnr / (2 * fnr)
        found = [exact_ops(F(a), F(b), cells) for a, b in CORNERS]
        assert found == [tnr, npv, ppv, tpr]


def test_which_scores_of_the_catalogue_are_free():
    for name in (
        "tpr",
        "tnr",
        "ppv",
        "npv",
        "balanced_accuracy",
        "g_mean",
        "youden",
        "dor",
        "d_prime",
        "lr+",
    ):
        assert prevalence_free(name), name
        score = as_score(name)
        for rate in ((0.568, 0.122), (0.2, 0.7)):
            tpr, fpr = rate
            values = [score.of_cells(*cells_at(fpr, tpr, share)) for share in (0.091, 0.3, 0.8)]
            found = [
                br.ops.of_value(score, v, s).item()
                for v, s in zip(values, (0.091, 0.3, 0.8), strict=True)
            ]
            np.testing.assert_allclose(found, found[0], atol=1e-6)
    for name in ("f1", "accuracy", "mcc", "kappa", "markedness", "jaccard"):
        assert not prevalence_free(name), name
    assert prevalence_free(lambda tn, fp, fn, tp: tp / (tp + fn) - fp / (fp + tn))
    with pytest.raises(ValueError, match="must be defined inside the ROC square"):
        prevalence_free(lambda tn, fp, fn, tp: np.nan * (tn + fp + fn + tp))


def test_known_answers_of_item_42():
    for share, f1 in ((0.091, 0.892), (0.19, 0.877), (0.3, 0.849)):
        performance = br.from_rates(fpr=[0.122], tpr=[0.568], prevalence=share)
        found = [
            br.ops.of_draws(performance, name).item()
            for name in ("f1", "ppv", "npv", "balanced_accuracy")
        ]
        np.testing.assert_allclose(found, [f1, 0.893, 0.754, 0.847], atol=6e-4)


def test_accuracy_across_test_sets_breaks_axiom_3():
    one, other = (F(1, 16), F(0), F(4, 16), F(11, 16)), (F(11, 16), F(4, 16), F(0), F(1, 16))
    middle = [(x + y) / 2 for x, y in zip(one, other, strict=True)]
    half = F(1, 2)
    assert [exact_ops(half, half, cells) for cells in (one, other, middle)] == [
        F(23, 30),
        F(23, 30),
        F(7, 8),
    ]


def worst_mixture(a, b, steps):
    """Two performances whose even mixture has an OPS outside of theirs, by the largest distance; None if none has."""
    points = lattice(steps, None)
    points = points[:, (points[2] + points[3] > 0) & (points[0] + points[1] > 0)]
    score = br.scores.canonical(float(a), float(b))

    def ops(cells):
        weights = {"tn": 1 - float(a), "fp": 1 - float(b), "fn": float(b), "tp": float(a)}
        return ranking_area(score.of_cells(*cells), cells[2] + cells[3], **weights)

    own, mixed = ops(points), ops((points[:, :, None] + points[:, None]) / 2)
    beyond = np.maximum(
        mixed - np.maximum(own[:, None], own), np.minimum(own[:, None], own) - mixed
    )
    i, j = np.unravel_index(np.nanargmax(beyond), beyond.shape)
    return (
        None
        if beyond[i, j] < 1e-9
        else [[F(round(x * steps), steps) for x in points[:, k]] for k in (i, j)]
    )


def test_every_place_but_tpr_and_tnr_breaks_axiom_3_across_test_sets():
    """The conjecture of the theory sheet, which docs/theory/ops.md proves, at each place of a grid, in fractions."""
    assert len(GRID) == 2 + 119  # the page's number
    for a, b in GRID:
        found = worst_mixture(a, b, 8) or worst_mixture(a, b, 14)
        if (a, b) in ((0, 0), (1, 1)):
            assert found is None
            continue
        assert found is not None, (a, b)
        one, other = found
        parts = [exact_ops(a, b, cells) for cells in found]
        mixed = exact_ops(a, b, [(x + y) / 2 for x, y in zip(one, other, strict=True)])
        assert mixed > max(parts) or mixed < min(parts), (a, b, found)


def test_the_steps_of_the_proof():
    """Off the diagonal the value at an OPS depends on the prevalence; on it, the value is concave in the weight."""
    for a, b in GRID:
        v = F(1, 3)
        if a != b:
            ends = []
            for right, wrong in (
                (a, b),
                (1 - a, 1 - b),
            ):  # of positives alone, and of negatives alone
                ends.append(v * wrong / ((1 - v) * right + v * wrong))
            assert ends[0] != ends[1]
    # Weighted accuracy (1 - p) U + p V: below both weights, OPS is v² / (2 p (1 - p)).
    for p in (F(2, 5), F(1, 2), F(3, 5)):
        v = F(1, 3)
        assert half_plane(1 - p, p, v) == v**2 / (2 * p * (1 - p))


def test_the_score_to_monitor():
    rates = {"spring": 0.5, "autumn": 0.05}
    periods = {
        n: br.from_rates(fpr=[0.2], tpr=[0.9], prevalence=share) for n, share in rates.items()
    }
    change = br.ops.drift(periods, "f1")
    assert change.attrs["monitor"] == "balanced_accuracy"
    monitored = br.ops.drift(periods, change.attrs["monitor"])
    np.testing.assert_allclose(monitored["change"].sel(dataset="autumn"), 0, atol=1e-12)
    assert abs(change["change"].sel(dataset="autumn", part="prevalence").item()) > 0.01
    assert monitored.attrs["monitor_agreement"] == 1
    assert closest_free(as_score("accuracy"), 0.5)[0] == "balanced_accuracy"
    assert closest_free(as_score("f1"), 0.02)[0] == "ppv"
    # The candidates are three: TPR is free of the prevalence, too, and agrees more.
    fpr, tpr = (part.ravel() for part in np.meshgrid(*[(np.arange(40) + 0.5) / 40] * 2))
    ranks = stats.spearmanr(as_score("f1").of_cells(*cells_at(fpr, tpr, 0.5)), tpr).statistic
    assert closest_free(as_score("f1"), 0.5) == (
        "balanced_accuracy",
        pytest.approx(0.868, abs=5e-4),
    )
    assert ranks > 0.94
    for name in ("tpr", "g_mean"):  # free itself
        assert br.ops.drift(periods, name).attrs["monitor"] == name
    for name in FREE:
        assert prevalence_free(name)


@pytest.mark.parametrize(("function", "value", "expected"), [
    (lambda tn, fp, fn, tp: np.minimum(tp / (tp + fn), 0.5), 0.5, 0.5),
    (lambda tn, fp, fn, tp: np.maximum(tn + tp, 0.5), 0.5, 0.0),
    (lambda tn, fp, fn, tp: 0 * tn + 1.0, 1.0, 0.0),
    (lambda tn, fp, fn, tp: (fp + tn) * np.round(4 * tp / (tp + fn)) + (fn + tp), 0.7 * 2 + 0.3, 0.375),
])  # fmt: skip
def test_performances_that_tie_are_not_worse(function, value, expected):
    """Definition 1 of the paper has a strict inequality."""
    assert br.ops.of_value(function, value, 0.3).item() == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("tied", [0.5, 0.2, 0.98])
def test_ties_at_one_prevalence_only_are_another_order(tied):
    def capped(tn, fp, fn, tp):
        share = fn + tp
        return np.where(np.isclose(share, tied), np.minimum(tp / share, 0.5), tp / share)

    assert not br.ops.prevalence_free(capped)
    assert br.ops.prevalence_free(lambda tn, fp, fn, tp: np.minimum(tp / (tp + fn), 0.5))


def test_the_mean_of_ops_over_test_sets_of_one_prevalence_breaks_axiom_3():
    """OPS is no linear function of its score."""
    a, b, mixture = (
        br.ops.of_value("accuracy", values, 0.5).mean().item()
        for values in ([0.9, 0.3], [0.3, 0.9], [0.6, 0.6])
    )
    assert (a, b, mixture) == pytest.approx((29 / 50, 29 / 50, 17 / 25))
