"""How often equally good ways of training are called different over retrained models, and the better one best.

Usage: python scripts/measure_seeds.py [BOARDS]

Each fitted model of an entity has its own shift of the rate of right answers, normal over training seeds; cases differ
in difficulty for all, for each entity, and for each fitted model. Every board is new. Writes docs/measured/seeds.md.
"""

import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
from page_tables import write_page

import bayesrank as br

PAGE = Path(__file__).parents[1] / "docs" / "measured" / "seeds.md"
#: Standard deviations in logits of the difficulty of a case: for all, for an entity, and for a fitted model.
DIFFICULTY, OWN, CHURN = 1.5, 0.7, 0.7
MIDDLE = 2.4  # logits of a case of middle difficulty: about 0.88 right


def simulate(rng, cases, seeds, entities, spread, lead=0.0):
    """Outcomes (row, entity) of all cases and seeds; the first entity leads by ``lead`` on average."""
    hard = rng.normal(0, DIFFICULTY, cases)
    frame = {"case": np.tile(np.arange(cases), seeds), "seed": np.repeat(np.arange(seeds), cases)}
    for k in range(entities):
        logits = MIDDLE + hard + rng.normal(0, OWN, cases) + rng.normal(0, CHURN, (seeds, cases))
        shift = rng.normal(lead * (k == 0), spread, (seeds, 1))
        right = rng.random((seeds, cases)) < np.clip(1 / (1 + np.exp(-logits)) + shift, 0, 1)
        frame[f"e{k}"] = right.ravel().astype(int)
    return pd.DataFrame(frame)


def claim(frame, seed, **roles):
    """Whether an entity is called best, whether it is the first, and whether one is ruled out."""
    posterior = br.fit(br.from_outcomes(frame, case="case", **roles), draws=500, seed=seed)
    ranking = br.credible_ranking(posterior)
    best = ranking.attrs["headline"] == "best"
    first = best and ranking["entity"].values[int(ranking["in_best_set"].values.argmax())] == "e0"
    return best, first, not bool(ranking["in_best_set"].all())


def as_runs(frame, seed):
    """Whether an entity is called best if retrained models are given as runs, and whether they are refused."""
    try:
        return claim(frame, seed, run="seed")[0], False
    except br.ArgumentError:
        return False, True


def measure(boards, cell, lead=0.0, runs=False):
    """Shares of boards with each claim, as seeds and as runs."""
    found = []
    for i in range(boards):
        frame = simulate(np.random.default_rng((11, i, *map(int, cell[:3]))), *cell, lead=lead)
        found.append(
            [
                *claim(frame, i, training_seed="seed"),
                *(as_runs(frame, i) if runs else (np.nan, np.nan)),
            ]
        )
    return np.mean(np.array(found, float), axis=0)


def main(boards=400):
    start = time.process_time()
    cells = {(1000, 5, 2, 0.02): boards, (5000, 3, 2, 0.02): boards}
    cells |= {
        (400, seeds, 2, spread): boards // 4 for seeds in (2, 3) for spread in (0.0, 0.02, 0.05)
    }
    cells |= {
        (400, seeds, 2, spread): boards for seeds in (4, 5, 10) for spread in (0.0, 0.02, 0.05)
    }
    cells |= {
        (400, seeds, k, spread): boards // 2
        for k in (5, 20)
        for seeds in (4, 10)
        for spread in (0.0, 0.05)
    }
    rows, power = [], []
    for cell, number in cells.items():
        best, _, out, runs, refused = measure(number, cell, runs=cell[2] == 2)
        cases, seeds, k, spread = cell
        beside = "| |" if np.isnan(runs) else f"| {runs:.3f} | {refused:.3f} |"
        rows.append(
            f"| {cases:,} | {seeds} | {k} | {spread:g} | {number} | {best:.3f} | {out:.3f} {beside}"
        )
        print(rows[-1], f"{time.process_time() - start:.0f} s", flush=True)
    for cases, spread in ((400, 0.0), (400, 0.02), (2000, 0.02)):
        for seeds in (4, 5, 10):
            found = [measure(boards // 4, (cases, seeds, 2, spread), lead) for lead in (0.03, 0.06)]
            shares = " | ".join(f"{first:.3f} | {best - first:.3f}" for best, first, *_ in found)
            power.append(f"| {cases:,} | {seeds} | {spread:g} | {shares} |")
            print(power[-1], f"{time.process_time() - start:.0f} s", flush=True)
    write_page(PAGE, page(boards, rows, power))


def page(boards, rows, power):
    error = np.sqrt(0.05 * 0.95 / boards)
    return f"""# Training seeds

All ways of training are equally good over retrained models. The table shows how often one is called best, and how
often one is ruled out (`scripts/measure_seeds.py`). A share of at most 0.05 is promised; the Monte-Carlo error of this
share is {error:.3f} with {boards} boards. The rate of right answers is 0.83 on average, and the rates of fitted models
vary around it with the given standard deviation. For the last two columns, the seeds were passed as runs of one fitted
model, which is wrong. They show the share of boards on which one is called best, and the share refused with an error.

| cases | seeds | entities | standard deviation | boards | one is best | one is ruled out | as runs: best | refused |
|---:|---:|---:|---:|---:|---:|---:|---:|---:|
{chr(10).join(rows)}

With fewer than four seeds, no claim is made. Runs whose means differ more than their cases allow (p < 0.001) are
refused, and the message names the right option. For p between 0.001 and 0.01 the headline is capped. With two or three
seeds, this check rarely detects that training seeds were passed as runs.

The next table has two entities whose rates differ by 0.03 or by 0.06, on average over retrained models. It shows how
often the better one is called best, and how often the worse one is, in {boards // 4} boards per row.

| cases | seeds | standard deviation | 0.03: better | worse | 0.06: better | worse |
|---:|---:|---:|---:|---:|---:|---:|
{chr(10).join(power)}
"""


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
