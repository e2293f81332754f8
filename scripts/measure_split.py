"""Measure how to split the error between the best set and the pairs: joint error of all ranks, and power of the best.

Run ``python scripts/measure_split.py`` (an hour); a number after it sets the boards of a row. A board is normal scores
with unit errors, 1,000 draws each. Half of the entities are equal and half far below them ("error"), or one entity is
four standard errors of a difference above equal others ("power"). The rows of a board share its draws.
"""

import sys

import numpy as np

from bayesrank.ranking._confidence import separate

ERROR, DRAWS = 0.05, 1000
#: Shares of the error of the best set, and of the pairs.
SPLITS = {"both all": (1.0, 1.0), "0.95 and 0.05": (0.95, 0.05), "0.9 and 0.1": (0.9, 0.1), "0.8 and 0.2": (0.8, 0.2)}


def board(rng: np.random.Generator, truth: np.ndarray, split: tuple[float, float]) -> tuple[bool, bool]:
    """Return whether a true rank is outside its set, and whether the first entity alone could be best."""
    draws = rng.normal(rng.normal(truth, 1), 1, (DRAWS, len(truth)))
    above, not_best, _ = separate(draws, 1 - split[0] * ERROR, of_pairs=1 - split[1] * ERROR)
    lower, upper = np.maximum(1 + above.sum(axis=0), 1 + not_best), len(truth) - above.sum(axis=1)
    first = 1 + (truth[:, None] > truth).sum(axis=0)
    last = len(truth) - (truth[:, None] < truth).sum(axis=0)
    return bool((lower > first).any() or (upper < last).any()), bool((lower > 1)[1:].all() and lower[0] == 1)


def main(boards: int) -> None:
    """Print one line for each design and number of entities."""
    print("| design | entities | " + " | ".join(SPLITS) + " | boards |\n" + "|---" * (len(SPLITS) + 3) + "|")
    for size in (5, 10, 20, 50):
        for design, which in (("error", 0), ("power", 1)):
            truth = np.zeros(size)
            if design == "error":
                truth[size // 2 :] = -20.0
            else:
                truth[0] = 4 * np.sqrt(2)
            shares = []
            for split in SPLITS.values():
                rng = np.random.default_rng(size)  # the same boards for each split
                shares.append(np.mean([board(rng, truth, split)[which] for _ in range(boards)]))
            print(
                f"| {design} | {size} | " + " | ".join(f"{share:.3f}" for share in shares) + f" | {boards} |",
                flush=True,
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1500)
