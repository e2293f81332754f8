"""The entries of a table of runs against a count of its rows, one after the other."""

import numpy as np
import pandas as pd
import pytest

from bayesrank.evidence.ledger import Entry, Tally, count_runs


def entries_by_loops(frame):
    entries = []
    every = {(d, c) for d, c in zip(frame["dataset"], frame["case"], strict=True)}
    for name in dict.fromkeys(frame["entity"]):
        met, used, statuses, runs = set(), set(), {}, 0
        for row in frame.itertuples():
            if row.entity != name:
                continue
            runs += 1
            met.add((row.dataset, row.case))
            if row.outcome == row.outcome:
                used.add((row.dataset, row.case))
            if isinstance(row.status, str):
                number = statuses.setdefault(row.status, [0, 0])
                number[0] += 1
                number[1] += row.outcome == row.outcome
        tallies = tuple(Tally(status, *number) for status, number in statuses.items())
        entries.append(Entry(str(name), len(used), len(every) - len(met), runs, tallies))
    return tuple(entries)


@pytest.mark.parametrize("seed", range(20))
def test_entries_of_runs(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(0, 80))
    frame = pd.DataFrame(
        {
            "entity": rng.choice(["a", "b", "c", "d"], size),
            "dataset": rng.choice(["x", "y"], size),
            "case": rng.choice(["1", "2", "3", "4"], size),
            "status": rng.choice(np.array(["scored", "error", None], object), size),
            "outcome": np.where(rng.random(size) < 0.3, np.nan, rng.random(size)),
        }
    )
    frame = frame[(frame["entity"] != "d") | (frame["case"] == "4")]  # d lacks cases
    assert count_runs(frame) == entries_by_loops(frame)
