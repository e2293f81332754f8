"""Measure how often the caveat that pooled data sets differ appears where they do not: at most 5 to 6% of boards.

Run ``python scripts/measure_pooling.py [boards]``. Every board has data sets of one and the same performance. Columns
are the share of boards with the caveat when ranking by sensitivity and by F1, which tests class shares, too. Measured:
3.4 to 5.1% by sensitivity and 2.9 to 4.8% by F1 in the first seven rows (1,000 boards each), 6.0 and 4.0% in
the eighth (200).
"""

import sys

import numpy as np
import xarray as xr

import bayesrank as br
from bayesrank.claims.pooling import differing_datasets

#: Name: data sets, cases of a data set (from, to), share of positives, sensitivity, specificity.
SETTINGS = {
    "15 studies of 100 to 400 cases": (15, (100, 400), 0.3, 0.85, 0.9),
    "15 studies of 5 to 30 cases": (15, (5, 30), 0.4, 0.8, 0.9),
    "60 data sets of 2 to 12 cases": (60, (2, 12), 0.5, 0.7, 0.8),
    "8 data sets, few errors": (8, (20, 300), 0.3, 0.98, 0.99),
    "3 data sets of 4 to 400 cases": (3, (4, 400), 0.2, 0.9, 0.95),
}


def board(rng: np.random.Generator, entities: int, setting: tuple) -> xr.DataArray:
    """Counts of entities that share test sets, and have the same rates on all of them."""
    datasets, (fewest, most), share, tpr, tnr = setting
    cases = rng.integers(fewest, most + 1, datasets)
    positives = rng.binomial(cases, share)
    tp = rng.binomial(positives, tpr, (entities, datasets))
    tn = rng.binomial(cases - positives, tnr, (entities, datasets))
    tables = np.stack([tn, cases - positives - tn, positives - tp, tp], -1).reshape(
        entities, datasets, 2, 2
    )
    coords = {"entity": [f"entity {i}" for i in range(entities)], "dataset": range(datasets)}
    coords |= {"actual": ["negative", "positive"], "predicted": ["negative", "positive"]}
    return xr.DataArray(tables, coords, ("entity", "dataset", "actual", "predicted"))


def measure(boards: int, seed: int = 1) -> None:
    """Print the share of boards with the caveat."""
    scores = br.scores.tpr, br.scores.f1
    for name, setting in SETTINGS.items():
        for entities in (1, 6, 20):
            rng = np.random.default_rng([seed, entities])
            said = np.zeros(2)
            for _ in range(boards):
                pooled = br.pool(board(rng, entities, setting))
                said += [bool(differing_datasets(pooled.attrs, score)) for score in scores]
            print(
                f"{name:34}{entities:4} entities {said[0] / boards:8.3f}{said[1] / boards:8.3f}",
                flush=True,
            )


if __name__ == "__main__":
    measure(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
