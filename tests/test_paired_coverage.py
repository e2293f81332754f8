"""How often intervals of the paired model hold what is true: with few cases, and of truths from the prior."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayesrank as br
from bayesrank._core.random import Block, root_sequence
from bayesrank.models.paired import Paired
from tests.strategies import LEVEL

DRAWS = 500
#: Patterns of right and wrong of a and b, and how probable each is: errors that go together, and that avoid each other.
PATTERNS = pd.DataFrame([[1, 1], [1, 0], [0, 1], [0, 0]], columns=["a", "b"])
TRUTHS = {"alike": (0.60, 0.15, 0.05, 0.20), "opposite": (0.05, 0.55, 0.35, 0.05)}


def difference(rng, table):
    """Ends of the 95% interval of how much better a is than b."""
    evidence, block = br.from_outcomes(PATTERNS, count=table), Block(0, 0, DRAWS, (1, DRAWS))
    mean = Paired(evidence).draw("posterior", block, root_sequence(rng))["mean_outcome"].values
    return np.quantile(mean[:, 0] - mean[:, 1], [0.025, 0.975])


@pytest.mark.slow
@pytest.mark.parametrize("cases", [10, 20])
def test_differences_of_few_cases_are_covered(cases):
    """Every table that there can be, weighed by how probable it is: no evaluation is simulated."""
    rng = np.random.default_rng(5)
    tables = np.array([t for t in itertools.product(range(cases + 1), repeat=4) if sum(t) == cases])
    low, high = np.array([difference(rng, table) for table in tables]).T
    for truth in TRUTHS.values():
        held = (low <= truth[1] - truth[2]) & (truth[1] - truth[2] <= high)
        assert stats.multinomial(cases, truth).pmf(tables) @ held > 0.935


# --- Calibration: truths from the prior rank uniformly among their posterior draws (Talts et al. 2018) ---

REPLICATES, RANKS, BINS = 2000, 99, 20
#: Concentrations (class, answer) of two entities, with the same row totals.
ALPHA = {"a": np.array([[3.0, 1.0], [0.5, 1.5]]), "b": np.array([[1.0, 3.0], [1.0, 1.0]])}


def sticks(rng, mass):
    """Weights of a Dirichlet process until nothing is left that a double could tell."""
    kept = rng.beta(mass, 1, 400)
    left = np.cumprod(kept)
    weight = np.append((1 - kept) * np.append(1.0, left[:-1]), left[-1])
    assert left[-1] < 1e-12
    return weight


def tables(rng, cases, cluster):
    """Truths and draws of the accuracy difference and of a cell of b, on one test set."""
    weight = sticks(rng, 6.0)
    rows = ALPHA["a"].sum(1)
    y = (rng.random(weight.size) < rows[1] / 6).astype(int)
    answer = {
        name: (rng.random(weight.size) < (alpha[:, 1] / rows)[y]).astype(int)
        for name, alpha in ALPHA.items()
    }
    chosen = rng.choice(weight.size, cases, p=weight)
    truth = (
        weight @ ((answer["a"] == y).astype(float) - (answer["b"] == y)),
        weight @ ((y == 1) & (answer["b"] == 0)),
    )
    how = {"cluster": rng.permutation(cases)} if cluster else {}
    joint = br.joint_outcomes(
        y[chosen], {name: held[chosen] for name, held in answer.items()}, labels=[0, 1], **how
    )
    drawn = Paired(joint, prior=ALPHA).draw(
        "posterior", Block(0, 0, RANKS, (1, RANKS)), root_sequence(rng)
    )
    found = drawn["performance"].values
    accuracy = found[..., 0, 0] + found[..., 1, 1]
    return truth, (accuracy[:, 0] - accuracy[:, 1], found[:, 1, 1, 0])


def by_design(rng, cases, cluster):
    """The same of the difference of TPR and of the TNR of b, where somebody chose how many cases each class has."""
    number = np.array([cases, int(rng.integers(1, 25))])
    truth, answers = [], {name: [] for name in ALPHA}
    for actual in (0, 1):
        mass = ALPHA["a"][actual].sum()
        weight = sticks(rng, mass)
        one = {
            name: (rng.random(weight.size) < alpha[actual, 1] / mass).astype(int)
            for name, alpha in ALPHA.items()
        }
        chosen = rng.choice(weight.size, number[actual], p=weight)
        truth.append({name: weight @ (held == actual) for name, held in one.items()})
        for name, held in one.items():
            answers[name].extend(held[chosen])
    how = {"cluster": rng.permutation(number.sum())} if cluster else {}
    joint = br.joint_outcomes(np.repeat([0, 1], number), answers, labels=[0, 1], **how)
    model = Paired(joint, prior=ALPHA, prevalence="observed")
    found = model.draw("posterior", Block(0, 0, RANKS, (1, RANKS)), root_sequence(rng))[
        "performance"
    ].values
    rate = found / found.sum(-1, keepdims=True)
    tpr = rate[:, :, 1, 1]
    return (truth[1]["a"] - truth[1]["b"], truth[0]["b"]), (tpr[:, 0] - tpr[:, 1], rate[:, 1, 0, 0])


def outcomes(rng, cases, cluster):
    """The same of the difference of means, and of one mean, of right and wrong."""
    weight = sticks(rng, 4.0)
    right = rng.integers(0, 2, (weight.size, 2))
    chosen = right[rng.choice(weight.size, cases, p=weight)]
    frame = pd.DataFrame(chosen, columns=["a", "b"])
    how = {"cluster": rng.permutation(cases)} if cluster else {}
    model = Paired(br.from_outcomes(frame, **how), range=(0, 1))
    drawn = model.draw("posterior", Block(0, 0, RANKS, (1, RANKS)), root_sequence(rng))[
        "mean_outcome"
    ].values
    return (weight @ (right[:, 0] - right[:, 1]), weight @ right[:, 1]), (
        drawn[:, 0] - drawn[:, 1],
        drawn[:, 1],
    )


@pytest.mark.slow
@pytest.mark.parametrize("simulate", [tables, by_design, outcomes])
def test_truths_rank_uniformly_among_draws(simulate):
    rng = np.random.default_rng(2026)
    ranks = np.empty((REPLICATES, 2), int)
    for i in range(REPLICATES):
        # Clusters of one are cases: every second time they are named.
        truths, draws = simulate(rng, int(rng.integers(1, 25)), cluster=bool(i % 2))
        ranks[i] = [(drawn < truth).sum() for truth, drawn in zip(truths, draws, strict=True)]
    bound = stats.chi2.isf(LEVEL, BINS - 1)
    for rank in ranks.T:
        seen = np.bincount(rank * BINS // (RANKS + 1), minlength=BINS)
        assert ((seen - REPLICATES / BINS) ** 2).sum() / (REPLICATES / BINS) < bound
