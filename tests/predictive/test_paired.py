"""Two entities on the same future cases; one class against all others."""

from collections import defaultdict
from itertools import product
from math import comb, gamma

import numpy as np
import pytest
import xarray as xr

import bayesrank as br
from bayesrank.predictive import summaries

P = br.predictive
JOINT = xr.Dataset(
    {
        "actual": ("pattern", [0, 0, 0, 1, 1, 1]),
        "count": ("pattern", [6, 2, 1, 1, 3, 5]),
        "predicted": (("pattern", "entity"), [[0, 0], [0, 1], [1, 1], [0, 0], [1, 0], [1, 1]]),
    },
    {"entity": ["a", "b"]},
)
TABLES = {"a": br.from_counts(tn=8, fp=1, fn=1, tp=8), "b": br.from_counts(tn=6, fp=3, fn=4, tp=5)}


def dirichlet_multinomial(cells, alpha):
    n, out = sum(cells), 1.0
    for x, a in zip(cells, alpha, strict=True):
        out *= gamma(a + x) / gamma(a) / gamma(x + 1)
    return out * gamma(n + 1) * gamma(sum(alpha)) / gamma(sum(alpha) + n)


def compositions(n):
    return [
        (a, b, c, n - a - b - c)
        for a in range(n + 1)
        for b in range(n + 1 - a)
        for c in range(n + 1 - a - b)
    ]


@pytest.mark.parametrize(
    ("prior", "joint"),
    [(None, (0.25, 0.25, 0.25, 0.25)), ([[2, 0.5], [0.5, 2]], (1.6, 0.4, 0.4, 0.1))],
)
def test_it_is_the_sum_over_all_joint_outcomes(prior, joint):
    """Four joint answers (both right, first, other, none) in each class, all enumerated."""
    exact = defaultdict(float)
    seen = np.array([(5, 3, 0, 1), (6, 2, 0, 1)]) + joint
    positives = [(c, dirichlet_multinomial(c, seen[0])) for c in compositions(3)]
    negatives = [(c, dirichlet_multinomial(c, seen[1])) for c in compositions(4)]
    assert len(positives) == comb(6, 3)
    for (p, p_mass), (n, n_mass) in product(positives, negatives):
        f1 = []
        for tp, tn in ((p[0] + p[1], n[0] + n[1]), (p[0] + p[2], n[0] + n[2])):
            f1.append(2 * tp / (2 * tp + 4 - tn + 3 - tp) if tp + 4 - tn + 3 - tp else np.nan)
        exact[round(f1[0] - f1[1], 10)] += p_mass * n_mass
    got = P.paired_difference(JOINT, "a", "b", "f1", 3, 4, prior)
    values = sorted(exact)
    np.testing.assert_allclose(got["value"], values, atol=1e-9)
    np.testing.assert_allclose(got["probability"], [exact[v] for v in values], rtol=1e-9)


@pytest.mark.parametrize(
    "prior", [[[1, 1], [1, 1]], [[2, 0.5], [0.5, 2]], [[2, 0.5], [3, 1]], None]
)
def test_each_alone_is_the_beta_binomial(prior):
    """The mean is that of independent test sets; the variance is not, as the cases are shared."""
    paired = P.paired_difference(JOINT, "a", "b", "accuracy", prior=prior)
    alone = [P.score_pmf(P.confusion_pmf(TABLES[e], prior=prior), "accuracy") for e in ("a", "b")]
    assert summaries.mean(paired) == pytest.approx(
        summaries.mean(alone[0]) - summaries.mean(alone[1]), abs=1e-12
    )
    assert summaries.variance(paired) < summaries.variance(alone[0]) + summaries.variance(alone[1])
    assert paired["probability"].sum().item() == pytest.approx(1, abs=1e-10)


def test_large_lattices_lose_little_and_too_large_ones_are_refused():
    many = JOINT.assign(count=JOINT["count"] * 4)
    pmf = P.paired_difference(many, "a", "b", "accuracy")
    assert 0 <= pmf["lost_mass"].item() < 1e-12
    with pytest.raises(ValueError, match="likely pairs"):
        P.paired_difference(JOINT, "a", "b", "accuracy", 250, 250)
    with pytest.raises(ValueError, match="two classes"):
        P.paired_difference(JOINT.isel(pattern=slice(0, 3)), "a", "b", "accuracy")


def test_classes_against_all_others():
    counts = br.from_matrix(
        [[5, 1, 0], [2, 7, 1], [0, 0, 4]], "actual_rows", labels=["a", "b", "c"]
    )
    pmfs = P.by_class(counts, "f1")
    assert list(pmfs) == ["a", "b", "c"]
    alone = P.score_pmf(P.confusion_pmf(br.from_counts(tn=9, fp=1, fn=3, tp=7)), "f1")
    xr.testing.assert_allclose(pmfs["b"], alone)
    table = P.summary(pmfs, prob=0.9)
    assert table["mean"].dims == ("label",)
    assert table["hdi_lower"].sel(label="b").item() == summaries.hdi(alone, 0.9)[0]
