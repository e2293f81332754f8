"""Axiom 3 with relabelling: the relations that it forces leave nothing to rank (docs/theory/relabelling.md)."""

from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest

STEPS = (F(0), F(1, 2), F(1))
RELABELLINGS = (
    lambda rates: (F(0), F(0)),
    lambda rates: (F(1), F(1)),
    lambda rates: (1 - rates[0], 1 - rates[1]),
)


def performances(priors):
    """Return pairs of a prior and (FPR, TPR); a rate that no case has is left at 0."""
    return [
        (prior, rates)
        for prior in priors
        for rates in product(STEPS, repeat=2)
        if _seen(prior, rates) == rates
    ]


def _seen(prior, rates):
    return (rates[0] if prior < 1 else F(0), rates[1] if prior > 0 else F(0))


def forced(points, *, lower, given=(), relabellings=RELABELLINGS, axiom_2=True):
    """Return the smallest preorder with the pairs ``given``, axiom 2, and axiom 3 (its upper half, or both)."""
    where = {point: i for i, point in enumerate(points)}
    below = np.eye(len(points), dtype=bool)
    for one, other in given:
        below[where[one], where[other]] = True
    for (prior, rates), relabel in product(points, relabellings):
        own, image = where[prior, rates], where[prior, _seen(prior, relabel(rates))]
        below[image, own] = True
        below[own, image] |= lower
    surely_wrong = [
        prior * tpr == 0 and (1 - prior) * (1 - fpr) == 0 for prior, (fpr, tpr) in points
    ]
    surely_right = [
        prior * (1 - tpr) == 0 and (1 - prior) * fpr == 0 for prior, (fpr, tpr) in points
    ]
    while True:
        comparable = below | below.T
        more = below | (below.astype(int) @ below > 0)
        if axiom_2:
            more |= comparable & (np.array(surely_wrong)[:, None] | surely_right)
        if (more == below).all():
            return below
        below = more


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("prior", [F(0), F(1, 3), F(1, 2), F(1)])
def test_all_performances_of_one_prior_are_equivalent(prior, lower):
    assert forced(performances([prior]), lower=lower).all()


@pytest.mark.parametrize("lower", [True, False])
def test_one_comparison_of_two_priors_makes_both_equivalent(lower):
    """Without it, different priors can stay incomparable: the only other kind of order."""
    points = performances([F(1, 3), F(1, 2)])
    same = np.array([[one == other for other, _ in points] for one, _ in points])
    np.testing.assert_array_equal(forced(points, lower=lower), same)
    for one, other in product(points[:9], points[9:]):
        for pair in ((one, other), (other, one)):
            assert forced(points, lower=lower, given=[pair]).all()


def test_which_requirements_are_enough():
    """Both halves of axiom 3 need no axiom 2; the upper half does. The exchange of labels is enough for line 2."""
    points = performances([F(1, 2)])
    assert forced(points, lower=True, axiom_2=False).all()
    upper = forced(points, lower=False, axiom_2=False)
    never, other = (points.index((F(1, 2), rates)) for rates in ((F(0), F(0)), (F(0), F(1, 2))))
    assert upper[never, other]
    assert not upper[other, never]
    wrong, right = (F(1, 2), (F(1), F(0))), (F(1, 2), (F(0), F(1)))
    ends = [(wrong, point) for point in points] + [(point, right) for point in points]
    assert not forced(points, lower=True, given=ends, relabellings=()).all()
    assert forced(points, lower=False, given=ends, relabellings=RELABELLINGS[2:]).all()
