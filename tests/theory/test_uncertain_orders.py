"""Axiom 1 under uncertainty: where all orders agree, and that the median does not change with the rivals."""

import numpy as np
import pytest

import bayesrank as br


def ranked(right, cases):
    ones = [1] * len(right)
    counts = br.from_counts(tp=right, fn=np.subtract(cases, right), tn=ones, fp=ones)
    return br.credible_ranking(counts, "tpr", method="exact", model="beta_binomial")


@pytest.mark.parametrize("seed", range(3))
def test_on_one_test_set_all_orders_are_that_of_right_answers(seed):
    right = np.random.default_rng(seed).choice(41, 6, replace=False)
    ranking = ranked(right, [40] * 6)
    order = np.argsort(-right)
    majority = (ranking["superiority"] > 0.5).sum("rival")
    for values in (
        ranking["median"], -ranking["expected_rank"], ranking["probability_best"], -ranking["consensus_rank"], majority,
    ):  # fmt: skip
        assert np.argsort(-values.values).tolist() == order.tolist()


def test_medians_do_not_depend_on_rivals_and_expected_ranks_do():
    few, many = ranked([3, 50], [3, 60]), ranked([3, 50, 150, 150, 150], [3, 60, 200, 200, 200])
    np.testing.assert_allclose(few["median"], many["median"][:2], rtol=1e-12)
    assert np.diff(few["expected_rank"])[0] > 0 > np.diff(many["expected_rank"][:2])[0]
