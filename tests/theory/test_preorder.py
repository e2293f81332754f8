"""The preorder of a score: Theorem 1, Axiom 1, also under uncertainty, and A.3 of Piérard et al., Foundations."""

from itertools import product

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

import bayesrank as br

FOUR = ("worse", "equivalent", "better", "incomparable")
SEEDS = st.integers(0, 2**32 - 1)


def random_counts(seed, entities=8):
    """Small counts, so that ties, equal performances and undefined scores all occur."""
    cells = np.random.default_rng(seed).integers(0, 3, size=(4, entities))
    cells[0] += cells.sum(axis=0) == 0
    names = [f"e{i}" for i in range(entities)]
    return br.from_counts(**dict(zip(("tn", "fp", "fn", "tp"), cells, strict=True)), entity=names)


def assert_preorder(found, counts, *values):
    """Each pair by hand, from values where higher is better; the four relations exclude each other."""
    assert br.theory.relation_properties(found["worse_or_equivalent"])["preorder"].all()
    assert (sum(found[relation].astype(int) for relation in FOUR) == 1).all()
    assert (found["worse"].values == found["better"].values.T).all()
    p = br.as_performance(counts).values
    values = np.array(values)
    for i, k in product(range(len(p)), repeat=2):
        expected = (p[i] == p[k]).all() or (
            values[:, i] <= values[:, k]
        ).all()  # NaN is not comparable
        assert found["worse_or_equivalent"].values[i, k] == expected
        assert found["better_or_equivalent"].values[k, i] == expected


@given(SEEDS, st.sampled_from(["ppv", "f1", "mcc", "error_rate", "negative_likelihood_ratio"]))
def test_theorem_1(seed, name):
    counts, score = random_counts(seed), br.scores.get(name)
    values = score(counts)
    found = br.theory.relations(values, counts, higher_is_better=score.higher_is_better)
    finite = np.where(np.isfinite(values), values, np.nan)
    assert_preorder(found, counts, finite if score.higher_is_better else -finite)
    matrix = {name: found[name].values.astype(int) for name in FOUR}
    for name in ("worse", "better", "equivalent"):  # transitive, Eqs. 7-9
        assert ((matrix[name] @ matrix[name] > 0) <= (matrix[name] > 0)).all()
    # Eq. 12: entities that are equivalent are incomparable with the same others.
    assert (
        (matrix["equivalent"] @ matrix["incomparable"] > 0) <= (matrix["incomparable"] > 0)
    ).all()
    dual = br.theory.relations(values, counts, not score.higher_is_better)
    for name, other in zip(FOUR, ("better", "equivalent", "worse", "incomparable"), strict=True):
        np.testing.assert_array_equal(dual[name], found[other])


@given(SEEDS)
def test_dominance_is_the_intersection_of_orders(seed):
    """Foundations 3.2, Example 1: ROC dominance from the two rates of each pair."""
    counts = random_counts(seed)
    tnr, tpr = br.scores.tnr(counts), br.scores.tpr(counts)
    found = br.theory.dominance(br.theory.relations(tnr, counts), br.theory.relations(tpr, counts))
    assert_preorder(found, counts, tnr, tpr)
    assert (br.theory.rank_bounds(found)["lower"] == found["worse"].sum("rival") + 1).all()


@given(SEEDS, st.integers(0, 7), st.sampled_from(["ppv", "mcc", "error_rate"]))
def test_removing_an_entity_never_reorders_the_others(seed, gone, name):
    counts = random_counts(seed)
    values, better = br.scores.get(name)(counts), br.scores.get(name).higher_is_better
    rest = np.delete(counts["entity"].values, gone)
    before = br.theory.relations(values, counts, better).sel(entity=rest, rival=rest)
    after = br.theory.relations(values.sel(entity=rest), counts.sel(entity=rest), better)
    xr.testing.assert_equal(before, after)
    ranks, alone = (
        br.rank(part, name).sel(entity=rest).values for part in (values, values.sel(entity=rest))
    )
    np.testing.assert_array_equal(np.sign(ranks[:, None] - ranks), np.sign(alone[:, None] - alone))


@given(SEEDS)
def test_the_bounds_of_axiom_1_are_the_first_and_the_last_rank_of_ties(seed):
    values = br.scores.f1(random_counts(seed))
    bounds = br.theory.rank_bounds(br.theory.relations(values))
    defined = np.isfinite(values.values)
    for end, method in (("lower", "min"), ("upper", "max")):
        np.testing.assert_array_equal(
            bounds[end][defined], rankdata(-values.values[defined], method=method)
        )


def test_there_are_29_ways_to_compare_three_performances():
    """A.3.3: of the 64 reflexive relations on three performances 29 are transitive."""
    matrices = np.tile(np.eye(3, dtype=bool), (64, 1, 1))
    matrices[:, ~np.eye(3, dtype=bool)] = list(product([False, True], repeat=6))
    found = br.theory.relation_properties(xr.DataArray(matrices, dims=("case", "entity", "rival")))
    assert found["preorder"].sum() == 29


def test_equal_performances_are_equivalent_outside_the_domain():
    counts = br.from_counts(tn=[9, 18, 8], fp=[0, 0, 0], fn=[1, 2, 2], tp=[0, 0, 0])
    values = br.scores.ppv(counts)
    found = br.theory.relations(values, counts)
    assert found["equivalent"].values.tolist() == [
        [True, True, False],
        [True, True, False],
        [False, False, True],
    ]
    assert (
        br.theory.relations(values)["equivalent"].values.tolist() == np.eye(3, dtype=bool).tolist()
    )


def test_draws_pass_through():
    posterior = br.fit(random_counts(3), draws=20, chains=2, seed=0)
    found = br.theory.relations(br.scores.f1(posterior), posterior)
    assert found["worse"].dims == ("chain", "draw", "entity", "rival")
    assert br.theory.rank_bounds(found)["lower"].dims == ("chain", "draw", "entity")


def test_dominance_follows_the_names_of_entities():
    values = xr.DataArray([0.1, 0.5, 0.9], dims="entity", coords={"entity": list("abc")})
    order = br.theory.relations(values)
    xr.testing.assert_equal(br.theory.dominance(order, br.theory.relations(values[::-1])), order)
    xr.testing.assert_equal(br.theory.dominance(order), order)


@pytest.mark.parametrize(
    ("matrix", "held"),
    [
        (
            [[1, 0], [0, 1]],
            "reflexive transitive symmetric antisymmetric equivalence preorder order",
        ),
        ([[0, 0], [0, 0]], "irreflexive transitive symmetric asymmetric antisymmetric"),
        ([[1, 1], [0, 1]], "reflexive transitive antisymmetric total preorder order"),
        ([[1, 1], [1, 1]], "reflexive transitive symmetric total equivalence preorder"),
        ([[0, 1], [1, 0]], "irreflexive symmetric"),
        ([[1, 1], [0, 0]], "transitive antisymmetric"),
        ([[0, 1], [0, 0]], "irreflexive transitive asymmetric antisymmetric"),
    ],
)
def test_properties_of_relations(matrix, held):
    found = br.theory.relation_properties(
        xr.DataArray(np.array(matrix, dtype=bool), dims=("entity", "rival"))
    )
    assert [name for name in found.data_vars if found[name]] == [
        n for n in found.data_vars if n in held.split()
    ]


def ranked(right, cases):
    ones = [1] * len(right)
    counts = br.from_counts(tp=right, fn=np.subtract(cases, right), tn=ones, fp=ones)
    return br.credible_ranking(
        counts, "tpr", method="exact", model="beta_binomial", prior="uniform"
    )


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
