"""Measure the two promises of rank sets: which entity could be best, and where each entity stands.

Run ``python scripts/measure_promises.py`` (half an hour); a number after it sets the boards of a row. A board has
normal scores with unit errors, 1,000 draws each, at ``prob`` 0.95. True scores are:

- tied: all are equal;
- halves: one half is equal, the other half is equal and far below;
- pair: two are equal, the others are equal and far below;
- ladder: each is one standard error below the one before;
- single: one is four standard errors of a difference above equal others.
"""

import sys

import numpy as np

from bayesrank.ranking._confidence import RankSets, separate

DRAWS, FAR = 1000, 20.0
DESIGNS = {
    "tied": np.zeros,
    "halves": lambda size: -FAR * (np.arange(size) >= size // 2),
    "pair": lambda size: -FAR * (np.arange(size) >= 2),
    "ladder": lambda size: -np.arange(size, dtype=float),
    "single": lambda size: 4 * np.sqrt(2) * (np.arange(size) == 0),
}
COLUMNS = (
    "a best entity is ruled out",
    "a true rank is outside",
    "either",
    "the first is called best",
    "mean width",
)


def board(rng: np.random.Generator, truth: np.ndarray) -> tuple[float, ...]:
    """Return the numbers of one board, by the columns of the table."""
    size, members = len(truth), np.ones(len(truth), bool)
    decided = separate(rng.normal(rng.normal(truth, 1), 1, (DRAWS, size)), 0.95)
    sets = RankSets(decided.above, decided.ruled_out(), "confidence")
    lower, upper = sets.ranks(members)
    first = 1 + (truth[:, None] > truth).sum(axis=0)
    last = size - (truth[:, None] < truth).sum(axis=0)
    best_out = bool(sets.not_best[truth == truth.max()].any())
    outside = bool(
        (1 + decided.above.sum(axis=0) > first).any()
        or (size - decided.above.sum(axis=1) < last).any()
    )
    either = bool((lower > first).any() or (upper < last).any())
    alone = bool((~sets.not_best).sum() == 1 and not sets.not_best[0])
    return best_out, outside, either, alone, float((upper - lower + 1).mean())


def main(boards: int) -> None:
    """Print one line for each design and number of entities."""
    print(
        "| true scores | entities | "
        + " | ".join(COLUMNS)
        + " | boards |\n"
        + "|---" * (len(COLUMNS) + 3)
        + "|"
    )
    for name, truth in DESIGNS.items():
        for size in (2, 5, 10, 20):
            rng = np.random.default_rng(size)
            found = np.mean(
                [board(rng, np.asarray(truth(size), float)) for _ in range(boards)], axis=0
            )
            shares = " | ".join(f"{share:.3f}" for share in found[:-1])
            print(f"| {name} | {size} | {shares} | {found[-1]:.1f} | {boards} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
