"""Each row of docs/understand/misprints.md: what is right holds in numbers, and what is printed does not."""

import csv
import inspect
import re
from collections import Counter
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import bayesrank as br
from bayesrank.ops import _areas

PAGE = Path(__file__).parent.parent / "docs" / "understand" / "misprints.md"
CHECKS = {}
TABLE = br.from_counts(tn=60, fp=10, fn=5, tp=25)
TN, FP, FN, TP = 60, 10, 5, 25
N, P = TN + FP, FN + TP


def row(where):
    def register(check):
        CHECKS[where] = check
        return check

    return register


def at(a, b):
    return br.canonical_score(TABLE, a, b).item()


@row("The Tile, 4.2, all performances")
def _():
    # FN counts more than FP: the order is that of the canonical score with b = 0.8.
    assert br.place(br.importance(tn=1, fp=1, fn=4, tp=1)) == (0.5, 0.8)
    assert br.theory.compare_orders(br.importance(tn=1, fp=1, fn=4, tp=1), (0.5, 0.8))["alike"]
    assert not br.theory.compare_orders(br.importance(tn=1, fp=1, fn=4, tp=1), (0.5, 0.2))["alike"]


@row("The Tile, 4.2, fixed priors")
def _():
    # The dual order of P(FP), a false positive, goes with P(TN); "PPF" is defined nowhere.
    points = br.tile.sample_performances(50, prevalence=0.3, seed=1)
    fp, tn = (points.sel(actual="negative", predicted=p).values for p in ("positive", "negative"))
    assert np.argsort(-fp).tolist() == np.argsort(tn).tolist()


@row("The Tile, A.1.4, a and b")
def _():
    no_wrong = br.from_counts(tn=5, fp=0, fn=0, tp=9)
    assert {br.canonical_score(no_wrong, a, b).item() for a in (0.2, 0.7) for b in (0.2, 0.7)} == {
        1.0
    }
    importance = br.scores.canonical(0.2, 0.7).importance
    assert importance == pytest.approx({"tn": 0.8, "fp": 0.3, "fn": 0.7, "tp": 0.2})


@row("Foundations, Table 1, chance in Cohen's κ at π₊ = 0.5")
def _():
    points = br.tile.sample_performances(50, prevalence=0.5, seed=1)
    assert np.ptp(br.scores.chance_agreement(points).values) < 1e-12


@row("Foundations, 4.3, proofs of the properties")
def _():
    # The proofs that have slips of their own are cited by their place, A.6.2.
    assert [where for where in FORMULAS if "Property" in where] == [
        "Foundations, A.6.2, Property 4"
    ]


@row("Never mind the metrics, B.3, Figure B.6")
def _():
    # Lines of equal threat score are lines of equal F1, but of other values: TS = F1 / (2 - F1).
    f1, threat = (
        score.of_cells(*all_tables(6, 9)) for score in (br.scores.f1, br.scores.threat_score)
    )
    assert threat == pytest.approx(f1 / (2 - f1), nan_ok=True)
    assert not np.allclose(threat, f1, equal_nan=True)


@row("Never mind the metrics, B.8, B.9 and C.6, range of k")
def _():
    for score in (br.scores.markedness, br.scores.cohen_kappa, br.scores.informedness):
        assert score.of_cells(tn=0, fp=5, fn=5, tp=0) == pytest.approx(-1)
        assert score.range[0] == -1
    # Contours below 0 cross the square.
    for name in ("markedness", "cohen_kappa", "informedness"):
        tpr = br.contour(name, -0.2, np.linspace(0.3, 0.9, 7), 0.3)
        assert ((tpr > 0) & (tpr < 1)).any()


@row("Never mind the metrics, D.4, range of the contours")
def _():
    tables = all_tables(20, 30)
    lowest = {
        name: np.nanmin(br.scores.get(name).of_cells(*tables))
        for name in ("accuracy", "balanced_accuracy", "f1")
    }
    assert set(lowest.values()) == {0.0}
    assert np.nanmin(br.scores.mcc.of_cells(*tables)) == -1


@row("Never mind the metrics, Figure 4, vertical line of F₁")
def _():
    seen = br.from_counts(tn=32, fp=8, fn=4, tp=16)
    pmf = br.predictive.confusion_pmf(seen, prior="uniform")
    assert [int(place) for place in np.unravel_index(pmf.values.argmax(), pmf.shape)] == [16, 32]
    assert br.scores.f1(seen).item() == pytest.approx(0.727, abs=5e-4)
    scores = br.predictive.score_pmf(pmf, "f1").squeeze()
    most = scores["value"].values[int(scores["probability"].argmax())]
    assert most == pytest.approx(2 / 3)


@row("Foundations, Table 1, tau max without constraint")
def _():
    found = br.audit("balanced_accuracy")
    assert found["tau_max"].item() == pytest.approx(0.713, abs=0.003)
    assert found["tau_max_tied"].item() == pytest.approx(0.726, abs=0.0005)
    kappa = br.audit("cohen_kappa")
    assert kappa["tau_max"].item() == pytest.approx(0.697, abs=0.003)
    assert kappa["tau_max_tied"].item() == pytest.approx(0.709, abs=0.0005)


@row("Foundations, Property 3")
def _():
    one = br.ranking_score(TABLE, br.importance(tn=1, fp=2, fn=3, tp=4)).item()
    assert br.ranking_score(TABLE, br.importance(tn=2, fp=4, fn=6, tp=8)).item() == pytest.approx(
        one
    )
    with pytest.raises(ValueError, match="importance must be non-negative"):
        br.importance(tn=-1, fp=-2, fn=-3, tp=-4)


@row("Foundations, A.2.6, ⊖ and ⊙")
def _():
    concordant, discordant = 0.8, 0.2
    # Kendall's tau is the expected satisfaction if the discordant pair has satisfaction -1.
    assert concordant - discordant == pytest.approx(1 - 2 * discordant)
    assert concordant - discordant != pytest.approx(1 - 2 * concordant)


@row("Foundations, A.2.6, choice of I")
def _():
    near, far = (
        (Fraction(4, 5), Fraction(1, 5)),
        (Fraction(1, 2), Fraction(1, 2)),
    )  # concordant, discordant

    def score(shares, importance):
        weights = [i * p for i, p in zip(importance, shares, strict=True)]
        return (weights[0] - weights[1]) / sum(weights)

    for importance in product(range(4), repeat=2):
        if any(importance):
            assert (score(near, importance) > score(far, importance)) == all(importance)


@row("Foundations, A.2.1, micro averages")
def _():
    tables = np.random.default_rng(1).integers(0, 9, (30, 3, 3))
    micro = br.scores.average("f1", "micro").of_tables(tables.astype(float))
    accuracy = np.trace(tables, axis1=1, axis2=2) / tables.sum((1, 2))
    assert micro == pytest.approx(accuracy)


def all_tables(p, n):
    return np.array([(n - fp, fp, p - tp, tp) for tp, fp in product(range(p + 1), range(n + 1))]).T


@row("Never mind the metrics, Eq. 20 and C.4")
def _():
    values = br.scores.positive_likelihood_ratio.of_cells(*all_tables(5, 8))
    assert np.nanmax(values) == pytest.approx(8)
    assert 8 * (5 - 1) / 5 < 8


@row("Never mind the metrics, Eq. 21, 80, 81")
def _():
    values = br.scores.negative_likelihood_ratio.of_cells(*all_tables(5, 8))
    positive = values[values > 0]
    assert (positive.min(), np.nanmax(values)) == pytest.approx((1 / 5, 8))
    assert not np.isclose(np.nanmax(values), 5 * 8 / 7)
    nearly = br.scores.negative_likelihood_ratio.of_cells(*all_tables(7, 8))
    assert np.nanmax(nearly) == pytest.approx(7 * 8 / 7)


@row("Never mind the metrics, Eq. 21, whether it is attained")
def _():
    assert br.scores.negative_likelihood_ratio.of_cells(tn=2, fp=3, fn=2, tp=0) == pytest.approx(
        2 * 5 / 4
    )


@row("Never mind the metrics, Eq. 24, Delta P")
def _():
    assert br.scores.get("delta_p").name == "markedness"
    assert br.scores.get("delta_p_prime").name == "informedness"
    tn, fp, fn, tp = 40, 5, 10, 20
    one, two = br.scores.get("delta_p"), br.scores.get("delta_p_prime")
    assert one.of_cells(tn, fp, fn, tp) == pytest.approx(tp / (tp + fp) - fn / (fn + tn))
    assert two.of_cells(tn, fp, fn, tp) == pytest.approx(tp / (tp + fn) - fp / (fp + tn))
    assert one.of_cells(tn, 7, 7, tp) == pytest.approx(two.of_cells(tn, 7, 7, tp))
    assert br.scores.informedness(TABLE).item() != pytest.approx(br.scores.markedness(TABLE).item())


@row("Never mind the metrics, B.5, β*")
def _():
    beta = np.array([5.0, -3.0, -10.0, 1.0])
    assert ((beta - beta.min()) / beta.max()).max() > 1
    assert ((beta - beta.min()) / np.ptp(beta)).max() == 1


@row("Never mind the metrics, B.9, meeting point of κ")
def _():
    meeting = Fraction(-20, 80 - 20)  # p = 20, n = 80
    x, y = np.linspace(0.1, 0.9, 3), np.linspace(0.2, 0.8, 3)
    for fpr, tpr in zip(x, y, strict=True):
        level = br.scores.cohen_kappa.of_cells(
            80 * (1 - fpr), 80 * fpr, 20 * (1 - tpr), 20 * tpr
        ).item()
        # Half way from the meeting point the value is the same.
        fpr, tpr = (float(meeting) + 0.9 * (rate - float(meeting)) for rate in (fpr, tpr))
        same = br.scores.cohen_kappa.of_cells(
            80 * (1 - fpr), 80 * fpr, 20 * (1 - tpr), 20 * tpr
        ).item()
        assert same == pytest.approx(level)


@row("Never mind the metrics, F.3, 0 contour of BA")
def _():
    values = br.scores.balanced_accuracy.of_cells(*all_tables(20, 40))
    assert (np.isclose(values, 0.5).sum(), np.isclose(values, 0).sum()) == (21, 1)


@row("Never mind the metrics, Figure F.2")
def _():
    first, second = np.array([[16, 8], [4, 32]]), np.array([[16, 9], [4, 32]])  # rows: predicted
    assert (second - first).tolist() == [[0, 1], [0, 0]]  # predicted positive, actually negative
    assert (second[:, 1].sum(), second[:, 0].sum()) == (41, 20)


@row("Never mind the metrics, F.3")
def _():
    values = br.scores.mcc.of_cells(*all_tables(20, 40))
    assert (np.isclose(values, 0).sum(), np.isnan(values).sum()) == (19, 2)


@row("Never mind the metrics, F.3, BA at 41 negatives")
def _():
    met = Counter(
        Fraction(tp, 20) + Fraction(41 - fp, 41) for tp, fp in product(range(21), range(42))
    )
    assert {value: number for value, number in met.items() if number > 1} == {Fraction(1): 2}


@row("Outperformance score, Eq. 9")
def _():
    fpr, tpr = np.array([0.0, 0.2, 1.0]), np.array([0.0, 0.6, 1.0])
    # Between recall 0.6 and 1 the rates are interpolated by the share of the way, (0.8 - 0.6) / (1 - 0.6).
    found = _areas.point("precision_at_recall", 0.8, fpr, tpr, np.array(0.5))
    assert found == pytest.approx(0.8 / (0.8 + 0.6))


@row("Outperformance score, Eq. 8")
def _():
    # The share of sampled curves below a value: of the mean over a sample, not of the curve itself.
    sample = br.ops.directed_binary_tree(depth=3, samples=512, seed=1)
    found = br.ops.of_value("auc_roc", 0.7, 0.3, reference=sample).item()
    fpr, tpr = sample["fpr"].values, sample["tpr"].values
    areas = np.sum(np.diff(fpr, axis=-1) * (tpr[..., 1:] + tpr[..., :-1]) / 2, axis=-1)
    assert found == pytest.approx((areas < 0.7).mean(), abs=0.005)


@row("Outperformance score, Table 7")
def _():
    low_income, risky = (
        br.ops.of_value("precision_at_recall", precision, prevalence, at=0.9).item()
        for precision, prevalence in ((0.278, 0.203), (0.376, 0.3))
    )
    # Two errors of 20,000 curves each, 0.0028, and the rounding of the precisions.
    assert low_income == pytest.approx(0.813, abs=0.008)
    assert risky == pytest.approx(0.784, abs=0.008)


@row("Outperformance score, 3.3, areas under PRC and lift")
def _():
    fpr, tpr = np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.5, 1.0])
    assert _areas.area("pr", fpr, tpr, np.array(0.5)) == pytest.approx(0.5 * 1 + 0.5 * 0.5)


def mcc_contour(last):
    k, delta = br.scores.mcc(TABLE).item(), TN / N
    root = np.sqrt(k**2 * P * (N + P) ** 2 * (4 * N**2 * delta * (last - delta) + k**2 * N * P) / N)
    rest = 2 * N * delta * P * (k**2 - 1) + k**2 * P * (P - N) + 2 * N * P
    return (np.sign(k) * root + rest) / (2 * P * (k**2 * P + N))


def balanced_mcc_contour(inside, outside):
    k, delta = br.scores.balanced_mcc(TABLE).item(), TN / N
    root = np.sqrt(-4 * delta**2 + 4 * delta + k**2 + inside)
    return (k * root + delta * (k**2 - 1) + outside) / (k**2 + 1)


def fowlkes_mallows_contour(free):
    k = br.scores.fowlkes_mallows(TABLE).item()
    with np.errstate(invalid="ignore"):  # what is printed has no root
        return (np.sqrt(k**2 * P * (k**2 * P + 4 * N - 4 * N * free)) + k**2 * P) / (2 * P)


def benefit_contour(free):
    a, b, c, d = 5.0, -3.0, -10.0, 1.0  # of TP, FP, FN, TN
    k = a * TP + b * FP + c * FN + d * TN
    return -TN * (d - b) / (a - c) + (k - P * c - N * {"fp": b, "tn": d}[free]) / (a - c)


def markedness_contour(sign):
    tn, fp, fn, tp = 20, 50, 25, 5
    k = br.scores.markedness.of_cells(tn, fp, fn, tp).item()  # which is negative
    p, n = fn + tp, tn + fp
    root = np.sqrt((k * n + k * p + n) ** 2 - 4 * tn * k * (n + p))
    return (sign * root + 2 * tn * k - k * n + k * p - n) / (2 * k)


def mcc_of_rates(alpha_by):
    alpha, beta, odds = FP / N, FN / P, P / N
    first, second = (
        1 - alpha + odds * beta,
        1 - beta + {"odds": odds, "1 / odds": 1 / odds}[alpha_by] * alpha,
    )
    return (1 - alpha - beta) / np.sqrt(first * second)


def scaled(combine):
    low, high = 0.3, 2.0  # importance of wrong and right outcomes scaled
    value = br.scores.accuracy(TABLE).item()
    return high * value / combine(low * (1 - value), high * value)


def integral_of_g(last):
    a, b, c, d = 0.7, 0.4, 1.3, 0.6
    upper = 2 * (c + d) * np.log(c + d) * (a * c - a * d + 2 * b * c) - c * (
        a * c - 2 * a * d + 4 * b * c
    )
    return (upper - 2 * d * np.log(d) * (2 * b * c - a * {"c": c, "d": d}[last])) / (4 * c**2)


def last_of_g(last):
    a, b, c, d = 0.7, 0.4, 1.3, 0.6
    upper = 2 * (c + d) * np.log(c + d) * (a * c - a * d + 2 * b * c) - c * (
        a * c - 2 * a * d + 4 * b * c
    )
    return (upper - 2 * d * last(a, b, c, d)) / (4 * c**2)


def mean_of_g():
    x = (np.arange(20_000) + 0.5) / 20_000
    return np.mean((0.7 * x + 0.4) * np.log(1.3 * x + 0.6))


RATES = TP / P, TN / N
LR_PLUS = br.scores.positive_likelihood_ratio(TABLE).item()
#: What is right, what is printed, and the number that only the former gives.
FORMULAS = {
    # Between two corners of the Tile: one over the share of wrong along a, one over the value along b.
    "The Tile, 4.1, interpolations": (
        (
            1 - 1 / (0.6 / (1 - at(0, 0.3)) + 0.4 / (1 - at(1, 0.3))),
            1 / (0.8 / at(1, 0) + 0.2 / at(1, 1)),
        ),
        (
            1 / (0.6 / at(0, 0.3) + 0.4 / at(1, 0.3)),
            1 - 1 / (0.8 / (1 - at(1, 0)) + 0.2 / (1 - at(1, 1))),
        ),
        (at(0.4, 0.3), at(1, 0.2)),
    ),
    "Foundations, A.7.2, canonical importance": (at(1, 1), at(0, 1), TP / P),
    "Foundations, A.7.4, NLR and PLR": (
        (FN / TN / P * N, TP / FP / P * N),  # (1 - NPV) / NPV is FN / TN
        (FN / TN, TP / FP),
        (
            br.scores.negative_likelihood_ratio(TABLE).item(),
            br.scores.positive_likelihood_ratio(TABLE).item(),
        ),
    ),
    "Never mind the metrics, Eq. 73 and 77": (LR_PLUS * FP / N, LR_PLUS * FP / N * P, TP / P),
    "The Tile, A.6.2, the integral of g": (integral_of_g("d"), integral_of_g("c"), mean_of_g()),
    "The Tile, A.6.2, the line after the integral of g": (
        last_of_g(lambda a, b, c, d: np.log(d) * (2 * b * c - a * d)),
        last_of_g(lambda a, b, c, d: np.log(2 * b * c - a * c)),
        mean_of_g(),
    ),
    "Foundations, A.6.2, Property 4": (
        scaled(lambda low, high: low + high),
        scaled(lambda low, high: low * high),
        br.ranking_score(TABLE, br.importance(tn=2.0, fp=0.3, fn=0.3, tp=2.0)).item(),
    ),
    "Never mind the metrics, Eq. 46": (mcc_contour(1), mcc_contour(N), TP / P),
    "Never mind the metrics, Eq. 53, 54 and the line before": (
        benefit_contour("fp"),
        benefit_contour("tn"),
        TP,
    ),
    "Never mind the metrics, Eq. 59 and 60": (markedness_contour(1), markedness_contour(-1), 5),
    "Never mind the metrics, Eq. 65": (
        fowlkes_mallows_contour(TN / N),
        fowlkes_mallows_contour(TN),
        TP / P,
    ),
    "Never mind the metrics, Eq. 95": (
        *((sum(RATES) - 1) / np.sqrt(1 - x**2) for x in (RATES[0] - RATES[1], RATES[0] * RATES[1])),
        br.scores.balanced_mcc(TABLE).item(),
    ),
    # With the contour through TPR: alpha is TPR less the chance line, (1 - delta) at k = 0.
    "Never mind the metrics, Eq. 97": (
        balanced_mcc_contour(0, 1),
        balanced_mcc_contour(1, 0),
        TP / P,
    ),
    "Never mind the metrics, B.4, accuracy": (
        br.scores.accuracy(TABLE).item(),
        br.scores.threat_score(TABLE).item(),
        (TP + TN) / (P + N),
    ),
    "Never mind the metrics, B.7, NPV": (
        br.scores.npv(TABLE).item(),
        br.scores.ppv(TABLE).item(),
        TN / (P - TP + TN),
    ),
    "Outperformance score, Table 2, MCC": (
        mcc_of_rates("1 / odds"),
        mcc_of_rates("odds"),
        br.scores.mcc(TABLE).item(),
    ),
}


@pytest.mark.parametrize("where", FORMULAS)
def test_right_formulas_give_the_number_and_printed_ones_do_not(where):
    right, printed, number = FORMULAS[where]
    assert right == pytest.approx(number, rel=1e-6, abs=1e-8)
    assert printed != pytest.approx(number, rel=1e-3)


def test_each_row_of_the_page_has_its_check():
    page = PAGE.read_text(encoding="utf-8")
    rows = [
        where for where in re.findall(r"^\| ([^|]+) \|", page, re.MULTILINE) if where != "where"
    ]
    for name in re.findall(r"^:file: (\S+)$", page, re.MULTILINE):
        with (PAGE.parent / name).open(encoding="utf-8", newline="") as file:
            rows += [row[0] for row in list(csv.reader(file))[1:]]
    assert sorted(rows) == sorted([*CHECKS, *FORMULAS])


@pytest.mark.parametrize("where", CHECKS)
def test_what_is_right_holds(where):
    assert "    assert " in inspect.getsource(CHECKS[where]), "a check that could not fail"
    CHECKS[where]()
