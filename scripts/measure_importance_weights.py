"""How often 95% intervals under importance weights hold the truth, for docs/measured/weights.md.

Run: python scripts/measure_importance_weights.py
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from sklearn.utils.class_weight import compute_sample_weight

import bayesrank as br
from bayesrank.inference import draw_groups

CASES, DRAWS, EVALUATIONS, BOARDS = 400, 600, 1000, 400
#: The prior of half a case in each cell, or of each value.
PRIOR = "jeffreys"
PREVALENCE, RECALL, SPECIFICITY = 0.3, 0.8, 0.9


def weights_by(
    design: str, right: np.ndarray, truth: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Return the weight of each case: by its class, by whether it was answered right, or by neither."""
    size = len(truth)
    if design == "the class":
        return np.where(truth == 1, 1.0, 0.1)
    if design == "the class and chance":
        return rng.gamma(2.0, 0.5, size) * np.where(truth == 1, 1.0, 5.0)
    if design == "the answer":
        return np.where(right, rng.gamma(2.0, 0.5, size), rng.gamma(2.0, 1.5, size))
    if design == "the answer, two weights":
        # Cases of two kinds, hard and easy; a kind has one weight.
        return np.where(rng.random(size) < np.where(right, 0.2, 0.6), 5.0, 1.0)
    return rng.gamma(1.0, 1.0, size)


def true_recall(design: str) -> float:
    """Return the weighted recall of the population."""
    of_right, of_wrong = {"the answer": (1.0, 3.0), "the answer, two weights": (1.8, 3.4)}.get(
        design, (1.0, 1.0)
    )
    return RECALL * of_right / (RECALL * of_right + (1 - RECALL) * of_wrong)


def holds(values: np.ndarray, truth: float) -> tuple[bool, float]:
    """Return whether the 95% interval of values of a score holds the truth, and its width."""
    low, high = np.quantile(values, [0.025, 0.975])
    return bool(low <= truth <= high), float(high - low)


def draw(evidence: object, model: str, seed: int) -> np.ndarray:
    """Return draws (draw, actual, predicted) of the performance of the first entity, or (draw) of its mean outcome."""
    posterior = draw_groups(evidence, model, prior=PRIOR, draws=DRAWS, chains=1, seed=seed)[
        "posterior"
    ]
    name = "mean_outcome" if "mean_outcome" in posterior else "performance"
    return posterior[name].isel(entity=0, chain=0).values


def recall(design: str, model: str, rng: np.random.Generator) -> tuple[float, float]:
    """Return the coverage and the mean width of the weighted recall."""
    found = []
    for i in range(EVALUATIONS):
        truth = (rng.random(CASES) < PREVALENCE).astype(int)
        right = rng.random(CASES) < np.where(truth == 1, RECALL, SPECIFICITY)
        guess = {"a": np.where(right, truth, 1 - truth)}
        make = br.joint_outcomes if model == "paired" else br.from_predictions
        evidence = make(truth, guess, weight=weights_by(design, right, truth, rng))
        tables = draw(evidence, model, i)
        found.append(holds(tables[:, 1, 1] / tables[:, 1].sum(axis=1), true_recall(design)))
    return tuple(np.mean(found, axis=0))


def recall_known_in_part(design: str, rng: np.random.Generator) -> tuple[float, float]:
    """Return the coverage and the mean width of the weighted recall if the truth of 60% of the cases is unknown."""
    found = []
    for i in range(BOARDS):
        truth = (rng.random(CASES) < PREVALENCE).astype(int)
        right = rng.random(CASES) < np.where(truth == 1, RECALL, SPECIFICITY)
        known = [
            int(label) if seen else None
            for label, seen in zip(truth, rng.random(CASES) < 0.4, strict=True)
        ]
        weight = weights_by(design, right, truth, rng)
        evidence = br.joint_outcomes(known, {"a": np.where(right, truth, 1 - truth)}, weight=weight)
        found.append(
            holds(
                br.scores.tpr(br.fit(evidence, draws=DRAWS, chains=1, seed=i)).values,
                true_recall(design),
            )
        )
    return tuple(np.mean(found, axis=0))


def strata(rng: np.random.Generator) -> tuple[float, float]:
    """Return the coverage and the mean width of a mean of ten cases of weight 100 and 1,000 of weight 1."""
    weight = np.repeat([100.0, 1.0], [10, 1000])
    truth, found = (1000 * 0.8 + 1000 * 0.95) / 2000, []
    for i in range(EVALUATIONS):
        right = (rng.random(1010) < np.repeat([0.8, 0.95], [10, 1000])).astype(int)
        evidence = br.from_outcomes(pd.DataFrame({"a": right}), weight=weight)
        found.append(holds(draw(evidence, "paired", i), truth))
    return tuple(np.mean(found, axis=0))


def balanced(rng: np.random.Generator) -> tuple[float, float]:
    """Return how often one of two equal models is best, and the coverage: 40 of 1,000 positive, balanced weights."""
    truth, best, found = np.repeat([1, 0], [40, 960]), 0, []
    for i in range(BOARDS):
        right = {
            name: rng.random(1000) < np.where(truth == 1, RECALL, SPECIFICITY) for name in "ab"
        }
        guess = {name: np.where(held, truth, 1 - truth) for name, held in right.items()}
        evidence = br.joint_outcomes(truth, guess, weight=compute_sample_weight("balanced", truth))
        posterior = br.fit(evidence, prior=PRIOR, draws=DRAWS, chains=1, seed=i)
        best += br.credible_ranking(posterior, "accuracy").attrs["headline"] == "best"
        accuracy = br.scores.accuracy(posterior).isel(entity=0).values
        found.append(holds(accuracy, (RECALL + SPECIFICITY) / 2))
    return best / BOARDS, float(np.mean(found, axis=0)[0])


def tables() -> Iterator[str]:
    """Yield the lines of the page's tables."""
    yield "| weights depend on | model | coverage | mean width |"
    yield "| --- | --- | --- | --- |"
    designs = (
        "the class",
        "the class and chance",
        "the answer",
        "the answer, two weights",
        "neither",
    )
    for model in ("paired", "dirichlet_multinomial"):
        for design in designs:
            coverage, width = recall(design, model, np.random.default_rng(1))
            yield f"| {design} | `{model}` | {coverage:.3f} | {width:.3f} |"
    for design in ("the class and chance", "the answer", "neither"):
        coverage, width = recall_known_in_part(design, np.random.default_rng(1))
        yield f"| {design} | `partial_truth` | {coverage:.3f} | {width:.3f} |"
    coverage, width = strata(np.random.default_rng(1))
    yield f"\nTen cases of weight 100 and 1,000 of weight 1: coverage {coverage:.3f}, mean width {width:.3f}."
    best, coverage = balanced(np.random.default_rng(1))
    yield f"\nBalanced weights, 40 of 1,000 positive: equal models best in {best:.3f}, coverage {coverage:.3f}."


if __name__ == "__main__":
    for line in tables():
        print(line, flush=True)
