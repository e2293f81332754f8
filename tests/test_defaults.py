"""Defaults, put together: no default contradicts the data, over classes, entities, cases and accuracies."""

import numpy as np

import bayesrank as br


def tables(rng, classes, entities=3):
    """Random tables of 50 cases or more an entity, uneven classes, an accuracy strictly between 0 and 1."""
    cases = int(np.exp(rng.uniform(np.log(50), np.log(5_000))))
    rows = rng.multinomial(cases, rng.dirichlet(np.full(classes, 2.0)))  # the same cases for every entity
    accuracy, right = rng.uniform(0.02, 0.999, (entities, 1, 1)), np.eye(classes)
    return br.from_matrix(
        rng.multinomial(rows, accuracy * right + (1 - accuracy) * (1 - right) / (classes - 1)), "actual_rows"
    )


def test_the_observed_accuracy_lies_in_its_interval():
    """In at least 95% of tables with 2 to 20 classes and 50 cases or more (and, seen here, in all)."""
    rng = np.random.default_rng(12)
    inside = []
    for _ in range(10):
        counts = tables(rng, int(rng.integers(2, 21)))
        ranking = br.credible_ranking(br.fit(counts, draws=250, seed=1), "accuracy")
        open_ = (ranking["observed"] > 0) & (ranking["observed"] < 1)
        held = (ranking["lower"] <= ranking["observed"]) & (ranking["observed"] <= ranking["upper"])
        inside += held.values[open_.values].tolist()
        contradicted = not held.where(open_, True).all()
        assert contradicted == any("outside of its own" in line for line in br.verdict(ranking))
    assert len(inside) > 25
    assert np.mean(inside) >= 0.95


def test_perfect_and_hopeless_tables():
    """All right, all wrong, and half of a board perfect: no contradiction is told, nobody is undefined."""
    perfect, hopeless = np.diag([30, 50, 20]), np.array([[0, 30, 0], [0, 0, 50], [20, 0, 0]])
    counts = br.from_matrix(np.stack([perfect, hopeless, perfect]), "actual_rows", entity=["p", "h", "q"])
    ranking = br.credible_ranking(br.fit(counts, seed=1), "accuracy")
    assert (ranking["undefined"] == 0).all()
    assert not any("outside" in line for line in br.verdict(ranking))
    assert ranking["tier"].sel(entity=["p", "q", "h"]).values.tolist() == [1, 1, 2]
