"""Defaults, put together: no default contradicts the data, over classes, data sets, entities, cases and accuracies."""

import numpy as np
import xarray as xr

import bayesrank as br


def tables(rng, classes, datasets, entities):
    """Random tables of 50 cases or more an entity, uneven classes, an accuracy strictly between 0 and 1."""
    cases = int(np.exp(rng.uniform(np.log(50), np.log(5_000))))
    share = rng.dirichlet(np.full(classes, 2.0))
    accuracy = rng.uniform(0.02, 0.999, entities)
    where = rng.multinomial(cases, np.full(datasets, 1 / datasets))
    out = np.zeros((entities, datasets, classes, classes), int)
    off = (1 - np.eye(classes)) / (classes - 1)
    for d, size in enumerate(where):
        rows = rng.multinomial(size, share)  # the same cases for every entity
        for e in range(entities):
            for c, n in enumerate(rows):
                out[e, d, c] = rng.multinomial(n, accuracy[e] * np.eye(classes)[c] + (1 - accuracy[e]) * off[c])
    names = {"entity": [f"e{i}" for i in range(entities)], "dataset": [f"d{i}" for i in range(datasets)]}
    labels = {dim: [f"c{i}" for i in range(classes)] for dim in ("actual", "predicted")}
    return xr.DataArray(out, names | labels, ("entity", "dataset", "actual", "predicted"), name="counts")


def test_the_observed_accuracy_lies_in_its_interval():
    """In at least 95% of tables with 2 to 20 classes, 1 to 30 data sets, 50 cases or more (and, seen here, in all)."""
    rng = np.random.default_rng(12)
    inside = []
    for _ in range(10):
        counts = br.pool(tables(rng, int(rng.integers(2, 21)), int(rng.integers(1, 31)), entities=3))
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
