"""Distributions of scores whose rates are Beta variables, against SciPy's adaptive integrals over each rate."""

import numpy as np
import pytest
from scipy import integrate, special, stats

from bayesrank.scores import get
from bayesrank.scores.distributions import Rates, scale_of

#: Parameters of TNR and TPR: usual, perfect, all but one case wrong, faint priors, and many cases.
RATES = [
    [(30.5, 5.5), (20.5, 3.5)],
    [(36.25, 0.25), (24.5, 0.5)],
    [(1.5, 8.5), (0.5, 9.5)],
    [(8.1, 0.1), (0.2, 5.2)],
    [(9000.5, 400.5), (800.5, 150.5)],
]


def area(rates, contour):
    """P(TPR <= contour(TNR)), over probabilities of the TNR; breaks where most of it lies."""
    tnr, tpr = (stats.beta(*pair) for pair in rates)

    def height(u):
        return tpr.cdf(np.clip(contour(tnr.ppf(u)), 0, 1))

    breaks = [1e-6, 1e-3, 0.05, 0.25, 0.5, 0.75, 0.95, 1 - 1e-3, 1 - 1e-6]
    return integrate.quad(height, 0, 1, points=breaks, limit=2000, epsabs=1e-11)[0]


@pytest.mark.parametrize(
    "rates",
    [RATES[1], *(pytest.param(rates, marks=pytest.mark.slow) for rates in (RATES[0], *RATES[2:]))],
)
@pytest.mark.parametrize(
    ("score", "contour"),
    [
        ("informedness", lambda v, tnr, p: v + 1 - tnr),
        ("accuracy", lambda v, tnr, p: (v - (1 - p) * tnr) / p),
        ("f1", lambda v, tnr, p: v * (p + (1 - p) * (1 - tnr)) / (2 * p - v * p)),
    ],
)
def test_probabilities_below_values_are_areas_below_contours(rates, score, contour):
    share, of = 0.3, get(score)
    scale = scale_of(of, {share})
    distributions = Rates(of, scale, np.array([rates]), np.array([share]), -1, {})
    rng = np.random.default_rng(0)
    (right, wrong), (hit, miss) = rates
    tnr, tpr = rng.beta(right, wrong, 400), rng.beta(hit, miss, 400)
    drawn = of.of_cells((1 - share) * tnr, (1 - share) * (1 - tnr), share * (1 - tpr), share * tpr)
    values = np.quantile(drawn, [0.02, 0.3, 0.6, 0.97])
    found = distributions.cdf(np.zeros(len(values), int), scale.place(values))
    expected = [area(rates, lambda x, v=v: contour(v, x, share)) for v in values]
    np.testing.assert_allclose(found, expected, atol=3e-9)


def test_tables_are_for_many_values_only():
    """One of many values has the probability that it has alone."""
    of = get("mcc")
    rates = np.array([[(30.5, 5.5), (20.5, 3.5)]])
    one, many = (Rates(of, scale_of(of, {0.3}), rates, np.array([0.3]), -1, {}) for _ in range(2))
    places = special.logit(np.linspace(0.5, 0.99, 60))
    alone = [one.cdf(np.zeros(1, int), places[[k]])[0] for k in (5, 30, 50)]
    together = many.cdf(np.zeros(60, int), places)[[5, 30, 50]]
    np.testing.assert_allclose(alone, together, atol=1e-9)
