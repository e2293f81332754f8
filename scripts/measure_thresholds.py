"""How often intervals of a score hold the true score at the threshold that was chosen on the same cases.

Usage: python scripts/measure_thresholds.py [BOARDS]

Scores of both classes are normal with equal variance, so the true score at any threshold is known. Writes
docs/measured/thresholds.md.
"""

import sys
from pathlib import Path

import numpy as np
from scipy.special import ndtr, ndtri

import bayesrank as br

PAGE = Path(__file__).parents[1] / "docs" / "measured" / "thresholds.md"
DESIGNS = [(20, 80, 0.8), (50, 50, 0.8), (50, 50, 0.5)]


def coverage(rng, boards, positives, negatives, area, score):
    """Return how often the honest and the apparent interval hold the truth, and the mean error of both estimates."""
    shift, share = np.sqrt(2) * ndtri(area), positives / (positives + negatives)
    truth = np.repeat([1, 0], [positives, negatives])
    held, errors = [], []
    for board in range(boards):
        scores = rng.standard_normal(truth.size) + shift * truth
        found = br.ops.best_threshold(truth, scores, score, draws=100, seed=board).isel(entity=0)
        threshold = float(found["threshold"])
        tpr, fpr = ndtr(shift - threshold), ndtr(-threshold)
        cells = (1 - share) * (1 - fpr), (1 - share) * fpr, share * (1 - tpr), share * tpr
        real = float(br.scores.get(score).of_cells(*cells))
        apparent = np.quantile(found["apparent_draws"], [0.025, 0.975])
        honest = float(found["honest_lower"]), float(found["honest_upper"])
        held.append([low <= real <= high for low, high in (honest, apparent)])
        errors.append([float(found["honest"]) - real, float(found["apparent"]) - real])
    return *np.mean(held, axis=0), *np.mean(errors, axis=0)


def main():
    boards = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    rng = np.random.default_rng(1)
    lines = [
        "# Chosen thresholds",
        "",
        "A threshold that is chosen and judged on the same cases looks better than it is. How often 95% intervals hold",
        "the true score at the chosen threshold: *honest*, from `br.ops.best_threshold`, whose cases are judged by a",
        "threshold that they did not choose; and *apparent*, of the best score in each draw. The bias is the mean",
        f"estimate minus the truth. {boards} boards a row (`scripts/measure_thresholds.py`); the Monte-Carlo error",
        f"at 0.95 is {np.sqrt(0.95 * 0.05 / boards):.3f}.",
        "",
        "Honest intervals hold the truth too often. Each draw chooses new thresholds in new folds, so they are",
        "intervals of the procedure that chooses a threshold, while the table asks about the one that was chosen.",
        "",
        "| positive / negative | area | score | honest | apparent | bias of honest | bias of apparent |",
        "|---|---:|---|---:|---:|---:|---:|",
    ]
    for positives, negatives, area in DESIGNS:
        for score in ("f1", "informedness"):
            honest, apparent, bias, other = coverage(rng, boards, positives, negatives, area, score)
            name = br.scores.get(score).display
            row = f"| {positives} / {negatives} | {area} | {name} | {honest:.3f} | {apparent:.3f} |"
            lines.append(f"{row} {bias:+.3f} | {other:+.3f} |")
            print(lines[-1], flush=True)
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
