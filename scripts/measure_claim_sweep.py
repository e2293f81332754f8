"""Measure how often the claims of a ranking are false, and how often true claims are made, over the range of evidence.

Run ``python scripts/measure_claim_sweep.py`` (about two hours on one core). It writes docs/measured/claim_sweep.md,
and keeps the shares of each cell in claim_sweep.json beside the page, so that a run can be interrupted:
what is kept is not measured again. After a change of the package, delete the file, or forget some cells: ``--forget
zipf`` does it by their names. ``--only zipf`` measures some cells and prints them without writing the page, ``--boards
40`` is quicker, and ``--jobs 2`` uses two processes. It ends with status 1 if a cell fails.

The kinds of evidence are in claim_cells.py. Claims are at 0.95, from 500 draws. A claim that is withheld is not made.
"""

import argparse
import json
import re
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import claim_cells
import numpy as np
from claim_cells import (
    CELLS,
    CLAIMS,
    POWER,
    Board,
    Cell,
    Fitted,
    is_slow,
    ladders,
    power_cell,
    two_rates,
)
from page_tables import write_page

from bayesrank._core import prose
from bayesrank.ranking._confidence import rank_sets

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "measured" / "claim_sweep.md"
KEPT = PAGE.with_suffix(".json")
PROB = 0.95
#: The number of draws that ``br.fit`` makes by default.
MANY_DRAWS = 4000
#: The promised rate of false claims, and the rate above which a cell fails in its second run.
LIMIT, FAILURE = 0.05, 0.065
#: Boards of the first run and of the second one; for cells that go through the package, too; and for power.
BOARDS, SLOW_BOARDS, POWER_BOARDS = (250, 2000), (60, 400), 100
GAPS, SIZES = (2, 3, 4), (2, 5, 10, 20)
#: Ranges follow from both promises, whose errors add up if tied entities are far above tied others.
FAR_ABOVE, MOST_OF_RANGES = re.compile(r"(\d+) of (\d+) best, far above"), 0.10


class Claims(NamedTuple):
    """What a ranking claims."""

    best: int  #: The entity that is best, or -1.
    in_best_set: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    alone_lower: np.ndarray
    alone_upper: np.ndarray
    above: np.ndarray
    withheld: bool = False


# --- The claims of a board --------------------------------------------------------------------------------------------


def claims_of(board: Board | Fitted) -> Claims:
    """Return what a board claims."""
    if isinstance(board, Fitted):
        held = board.ranking
        ends = ("rank_lower", "rank_upper", "rank_alone_lower", "rank_alone_upper")
        best = int(held["in_best_set"].values.argmax()) if held.attrs["headline"] == "best" else -1
        above, inside = (
            held["surely_above"].values.astype(bool),
            held["in_best_set"].values.astype(bool),
        )
        return Claims(
            best, inside, *(held[end].values for end in ends), above, held.attrs["sets"] == "none"
        )
    everyone = np.ones(board.draws.shape[1], bool)
    sets = rank_sets(
        board.draws.copy(), everyone, board.found, PROB, claim_cells.DRAWS, board.information
    )
    inside = ~sets.not_best
    best = int(inside.argmax()) if inside.sum() == 1 else -1
    ends = (*sets.ranks(everyone), *sets.ranks_alone(everyone))
    return Claims(best, inside, *ends, sets.above, sets.kind == "none")


def true_ranks(truth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the best and the worst rank that the truth allows."""
    truth = np.round(truth, 10)
    return 1 + (truth[:, None] > truth).sum(axis=0), len(truth) - (truth[:, None] < truth).sum(
        axis=0
    )


class Tally(NamedTuple):
    """Shares of boards with false claims, by CLAIMS; the last one is of the worst class of entities."""

    false: list[float]
    alone: float  #: The share of entities whose own range misses.
    withheld: float
    boards: int

    @property
    def worst(self) -> float:
        return max(self.false)


def false_claims(cell: Cell, entities: int, boards: int, seed: list[int]) -> Tally:
    """Return the tally of new boards of a cell."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(boards):
        board = cell(rng, entities)
        claims, (first, last) = claims_of(board), true_ranks(board.truth)
        top = first == 1
        best = claims.best >= 0 and not (top.sum() == 1 and top[claims.best])
        out = bool((~claims.in_best_set & top).any())
        missed = bool(((claims.lower > first) | (claims.upper < last)).any())
        alone = (claims.alone_lower > first) | (claims.alone_upper < last)
        classes = board.classes if isinstance(board, Board) else None
        if classes is None:
            classes = np.unique(np.round(board.truth, 10), return_inverse=True)[1]
        worst = np.bincount(classes, alone) / np.bincount(classes)
        judged = board.claims if isinstance(board, Fitted) else CLAIMS
        counted = np.array([claim in judged for claim in CLAIMS])
        false = np.r_[best, out, missed] & counted[:3]
        found.append((false, worst * counted[3], alone.mean() * counted[3], claims.withheld))
    shares = np.mean([each[0] for each in found], axis=0)
    worst = np.mean([each[1] for each in found], axis=0).max()
    alone, withheld = np.mean([each[2:] for each in found], axis=0).tolist()
    return Tally([*shares.tolist(), float(worst)], alone, withheld, boards)


# --- Power ------------------------------------------------------------------------------------------------------------


def holm(tests: np.ndarray) -> np.ndarray:
    """Return the pairs (entity, rival) that Holm's adjustment of p values decides."""
    size = len(tests)
    first, second = np.nonzero(tests < 1)
    p = tests[first, second]
    order = np.argsort(p)
    adjusted = np.maximum.accumulate(p[order] * (size * (size - 1) // 2 - np.arange(len(p))))
    sure, kept = np.zeros((size, size), bool), order[adjusted <= 1 - PROB]
    sure[first[kept], second[kept]] = True
    return sure


class Power(NamedTuple):
    """Shares of boards that name the best entity, and of different pairs that are decided: here and by the tests."""

    best: float
    winner: float
    pairs: float
    holm: float
    false: float  #: Boards in which another entity is called best.


def power_of(cell: Cell, entities: int, boards: int, seed: list[int]) -> Power:
    """Return the power of a cell."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(boards):
        board = cell(rng, entities)
        assert isinstance(board, Board)
        assert board.tests is not None
        tests = board.tests()
        claims, top = claims_of(board), int(board.truth.argmax())
        beats = tests <= 1 - PROB
        winner = bool(np.delete(beats[top], top).all())
        truly = board.truth[:, None] > np.round(board.truth, 10) + 1e-9
        different = max(int(truly.sum()), 1)
        pairs, tested = ((sure & truly).sum() / different for sure in (claims.above, holm(tests)))
        found.append((claims.best == top, winner, pairs, tested, claims.best not in (-1, top)))
    return Power(*np.mean(found, axis=0).tolist())


# --- The page ---------------------------------------------------------------------------------------------------------


def label(name: str, tally: Tally) -> str:
    """Return the row of a tally."""
    shares = " | ".join(f"{share:.3f}" for share in tally.false)
    return f"| {name} | {shares} | {tally.alone:.3f} | {tally.withheld:.2f} | {tally.boards:,} |"


HEADER = (
    "| evidence | entities | "
    + " | ".join(CLAIMS)
    + " | own range, mean | withheld | boards |\n"
    + "|---" * 9
    + "|"
)


def short(tally: Tally) -> str:
    """Return the shares of a tally by CLAIMS, without a leading 0."""
    if tally.withheld == 1:
        return "all ranks"
    return " ".join(f"{share:.3f}".removeprefix("0") for share in tally.false)


def fails(name: str, tally: Tally) -> bool:
    """Return whether the second run of a cell is above the limit of any claim."""
    of_ranges, found = FAILURE, FAR_ABOVE.match(name)
    if found:
        best, size = map(int, found.groups())
        pairs = [number * (number - 1) for number in (best, size - best)]
        of_ranges = min(FAILURE + LIMIT * pairs[1] / sum(pairs), MOST_OF_RANGES)
    return bool((np.array(tally.false) > np.array([FAILURE, FAILURE, of_ranges, FAILURE])).any())


@dataclass(frozen=True)
class Task:
    """A cell to measure: its run is "first", "again", or with "many draws"."""

    group: str
    name: str
    size: int
    run: str
    boards: int

    @property
    def key(self) -> str:
        return f"{self.group} | {self.name} | {self.size} | {self.run} | {self.boards}"

    def measure(self) -> list[Any]:
        warnings.simplefilter("ignore")
        if self.group == "power":
            kind, gap = self.name.rsplit(", ", 1)
            return list(power_of(power_cell(kind, int(gap)), self.size, self.boards, seed_of(self)))
        if self.group == "two rates":
            return list(power_of(two_rates()[self.name], 2, self.boards, seed_of(self)))
        if self.group == "ladders":
            return list(power_of(ladders()[self.name][0], self.size, self.boards, seed_of(self)))
        claim_cells.DRAWS = MANY_DRAWS if self.run == "many draws" else 500
        return list(
            false_claims(CELLS[self.group][self.name][0], self.size, self.boards, seed_of(self))
        )


def seed_of(task: Task) -> list[int]:
    runs = ("first", "again", "many draws", "power")
    return [1 + runs.index(task.run), task.size, *f"{task.group}{task.name}".encode()]


def measured(task: Task) -> tuple[str, list[Any]]:
    return task.key, task.measure()


@dataclass
class Results:
    """What was measured, by the keys of the tasks, in a file."""

    path: Path
    jobs: int
    kept: dict[str, list[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.path.exists():
            self.kept = json.loads(self.path.read_text())

    def forget(self, text: str) -> None:
        self.kept = {
            key: value for key, value in self.kept.items() if text.lower() not in key.lower()
        }

    def measure(self, tasks: list[Task]) -> None:
        """Measure what is not kept."""
        missing = [task for task in tasks if task.key not in self.kept]
        with ProcessPoolExecutor(self.jobs) as pool:
            for key, value in pool.map(measured, missing):
                self.kept[key] = value
                lines = [
                    f"{json.dumps(one)}: {json.dumps(self.kept[one])}" for one in sorted(self.kept)
                ]
                self.path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
                print(key, value, flush=True)

    def tally(self, task: Task) -> Tally:
        return Tally(*self.kept[task.key])

    def power(self, task: Task) -> Power:
        return Power(*self.kept[task.key])


def is_suspect(tally: Tally) -> bool:
    """Return whether the first run of a cell asks for a second one."""
    return tally.worst > LIMIT + np.sqrt(LIMIT * (1 - LIMIT) / tally.boards)


class Sweep(NamedTuple):
    """The tables of false claims, and the number of cells that fail."""

    lines: list[str]
    again: list[str]
    failed: int


def sweep(results: Results, only: str, boards: int | None) -> Sweep:
    """Measure the cells of false claims, and return their tables."""

    def tasks_of(group: str, name: str, run: str) -> list[Task]:
        cell, sizes = CELLS[group][name]
        first, second = SLOW_BOARDS if is_slow(cell) else BOARDS
        if boards is not None:
            first, second = boards, 8 * boards
        return [Task(group, name, size, run, first if run == "first" else second) for size in sizes]

    chosen = [
        (group, name)
        for group, cells in CELLS.items()
        for name in cells
        if only.lower() in f"{group} {name}".lower()
    ]
    first = [task for one in chosen for task in tasks_of(*one, "first")]
    results.measure(
        sorted(first, key=lambda task: (task.group == "One score per task", task.size))
    )  # slow ones last
    suspect = {
        (task.group, task.name, task.size) for task in first if is_suspect(results.tally(task))
    }
    second = [
        task
        for one in chosen
        for task in tasks_of(*one, "again")
        if (task.group, task.name, task.size) in suspect
    ]
    results.measure(second)
    bad = [task for task in second if fails(task.name, results.tally(task))]
    many = [Task(task.group, task.name, task.size, "many draws", task.boards) for task in bad]
    results.measure(many)  # how much of a failure is noise of few draws
    again = []
    for task in second:
        again.append(
            label(f"{task.name}{' **fails**' * (task in bad)} | {task.size}", results.tally(task))
        )
        again += [
            label(f"{one.name}, {MANY_DRAWS:,} draws | {one.size}", results.tally(one))
            for one in many
            if (one.group, one.name, one.size) == (task.group, task.name, task.size)
        ]
    lines = []
    for group in dict.fromkeys(group for group, _ in chosen):
        rows = {name: tasks_of(group, name, "first") for one, name in chosen if one == group}
        sizes = sorted({task.size for row in rows.values() for task in row})
        heads = " | ".join(f"{size} entities" for size in sizes)
        lines += [
            f"\n### {group}\n",
            f"| evidence | {heads} | boards |",
            "|---" * (len(sizes) + 2) + "|",
        ]
        for name, row in rows.items():
            shown = dict.fromkeys(sizes, "")
            for task in row:
                shown[task.size] = short(results.tally(task)) + " *" * (
                    (group, name, task.size) in suspect
                )
            lines.append(f"| {name} | " + " | ".join(shown.values()) + f" | {row[0].boards} |")
    return Sweep(lines, again, len(bad))


def power(results: Results, boards: int) -> tuple[list[str], list[str]]:
    """Measure power, and return its tables."""

    def task(group: str, name: str, size: int) -> Task:
        return Task(group, name, size, "power", 4 * boards if group == "two rates" else boards)

    gaps = {
        (kind, k): [task("power", f"{kind}, {gap}", k) for gap in GAPS]
        for kind in POWER
        for k in SIZES
    }
    rates = {name: task("two rates", name, 2) for name in two_rates()}
    steps = {name: task("ladders", name, size) for name, (_, size) in ladders().items()}
    results.measure(
        [*(one for row in gaps.values() for one in row), *rates.values(), *steps.values()]
    )
    heads = " | ".join(f"{gap} errors" for gap in GAPS)
    lines = [f"| evidence | entities | {heads} | another is best |", "|---" * (len(GAPS) + 3) + "|"]
    for (kind, k), row in gaps.items():
        found = [results.power(one) for one in row]
        shares = " | ".join(f"{one.best:.2f} / {one.winner:.2f}" for one in found)
        lines.append(f"| {kind} | {k} | {shares} | {max(one.false for one in found):.3f} |")
    for name, one_task in rates.items():
        one = results.power(one_task)
        lines.append(f"| {name} | 2 | | {one.best:.2f} / {one.winner:.2f} | | {one.false:.3f} |")
    pairs = ["| ladder | pairs here | pairs by Holm |", "|---|---|---|"]
    for name, one_task in steps.items():
        one = results.power(one_task)
        pairs.append(f"| {name} | {one.pairs:.3f} | {one.holm:.3f} |")
    return lines, pairs


HEAD = """# False claims and power

This page measures two things in the same kinds of evidence: how often a claim of a ranking is false, and how often a
true claim is made. The numbers come from `scripts/measure_claim_sweep.py`.

![False claims by kind of evidence: each point is one cell](../figures/measured/false_claims.png)

## False claims

In most cells all entities are equal, or some of them share the first place. The columns have the share of boards in
which

- *best*: the headline names one entity as best, although another one is as good;
- *ruled out*: an entity that is truly best is outside the set for the best;
- *ranges*: a true rank of any entity is outside its range;
- *own range*: the range of one entity named beforehand misses its ranks, for the worst kind of entity in the cell. The
  next column is the mean over entities.

The promise is a share of at most 0.05 for *best*, *ruled out* and *own range*. Ranges follow from the set for the best
and from pairs, whose errors add up: at most 0.10. [Rankings](rankings.md#rank-sets-measured) has the error of the pairs
alone. The standard error of a share of 0.05 is 0.014 with 250 boards and 0.028 with 60. "Withheld" is the share of
boards in which every rank is possible, because the evidence is too thin for any claim. Claims that speak of these data
sets only do not count. Of draws without evidence, only "is best" counts.

Cells above 0.05 plus one standard error in any column were run again with new boards. Rankings have 500 draws. A cell
fails if it is above 0.065 in the second run. Ranges of best entities far above equal others have a higher limit, since
the two errors add up: pairs of the best entities can be wrong in the set for the best (0.05), and pairs of the others
in the relation of all pairs (0.05 times their share of all pairs of equal entities). With 10 of 20 best, 0.075 is
expected, and with 2 of 20 best 0.10; the limits are 0.09 and 0.10. {failed} Such a cell would have a row with 4,000
draws, as `br.fit` makes by default. The tables of the first run have the four shares in the order of the list above,
and * where a second run followed; "all ranks" means that every rank is possible. All rows have the default prior of
today.

### Cells that were run again

"""

POWER_HEAD = """
## Power

![Power of the headline beside the best valid test](../figures/measured/power.png)

One entity is 2, 3 or 4 standard errors of a difference better than all others, which are equal. The first number of
each pair is the share of boards in which the headline names it as best. The second is the power of the best valid rule:
it beats every rival at the two-sided level 0.05. This rule uses exact McNemar tests for right and wrong answers on the
same cases, Newcombe's intervals for independent rates, paired t tests for grades, and t tests of the means of clusters.
The last column is the share of boards in which another entity is called best. Each share comes from {boards} boards.

"""

PAIRS_HEAD = """
The next table has ladders of entities that all differ: the share of all pairs whose order is sure, here and by Holm's
adjustment of the same tests.

"""

FOOT = """
## What limits the claims

- With fewer than 5 effective clusters, every rank is possible, except that four nearly equal clusters are enough (the
  largest has at most 1.2 times the cases of the smallest). Unequal sizes reduce the number of effective clusters:
  25 clusters of Zipf sizes count as 3.7. A cluster counts only if it has cases of the classes on which the score
  depends.
- An entity with fewer than 5 cases is not ruled out. With fewer than 20 cases behind its score, its comparisons use the
  t distribution. Both the difference of the posterior means and the difference of the observed values must then be
  large enough. Without the second condition, an entity with 5 cases at rate 0.95 was called worse than one with 10,000
  cases in 0.23 of boards.
- With fewer than 19 degrees of freedom, pairs need at least Bonferroni's critical value, because draws from few units
  show too small a maximum over many pairs. Without this bound, false claims reached 0.27 (20 entities, 5 cases) and
  0.12 (20 entities, 6 clusters of 200 cases).
- Three training seeds are not enough. Their claims would not be false (0 of 720 boards), but the better of two entities
  would be named in 0.02 to 0.23 of boards only. The posterior of a mean over three seeds has an infinite variance.
- If clusters vary less than independent cases would, a lead must also be large enough for independent cases.
- Means without numbers of cases leave every rank possible.
- Grades without a range allow no claim about a pair whose difference is too skewed for its critical value. With a limit
  of 0.2 on the difference of two skewness ratios, chance alone hid the best of 20 entities with 30 normal grades
  (0.55 of boards, the paired t tests 0.88). With 0.3 for any number of cases, false claims reached 0.084 (1,000 cases,
  lognormal and narrow normal), so that the limit falls with the number of cases.
- A lead must be large enough on two scales. With few clusters this costs power: of 4 clusters and 5 entities, 4 errors
  apart, the best one is named in 0.21 of boards, with the first scale alone in 0.35, and by the test in 0.36; of 6
  clusters in 0.48, 0.56 and 0.59 (200 boards). But the first scale alone failed: with 6 clusters of two kinds, one of
  two equal entities was called best in 0.067 of 1,500 boards, and with 25 clusters of 200 cases, one of 20 was ruled
  out in 0.066 of 500.
- On the second scale the spread of a lead is the root mean square of the draws below its mean. With the root of twice
  their mean square over all draws, which is as large for a symmetric lead, 135 pairs of the antibody tests are
  decided, with the present one 185, and with fourth roots 396. Of 0.999 and 0.93 on 100 cases, the better one is
  named in 0.80 of boards (the test: 0.84), of 0.99 on 30 cases and 0.8 on 10,000 in 0.95 (0.96; 300 boards).
- The points of few tasks are discrete: a t test alone excluded one of three equal entities in 0.14 of boards of 5
  tasks. So a claim also needs a sign-flip test, and six tasks.
- [Many data sets](crossed.md), [training seeds](seeds.md) and [folds](folds.md) have pages of their own.
"""


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--boards", type=int)
    options.add_argument("--only", default="")
    options.add_argument("--forget")
    options.add_argument("--jobs", type=int, default=1)
    chosen: Any = options.parse_args()
    results = Results(KEPT, chosen.jobs)
    if chosen.forget is not None:
        results.forget(chosen.forget)
    found = sweep(results, chosen.only, chosen.boards)
    if chosen.only:
        print("\n".join([HEADER, *found.again, *found.lines]))
    else:
        boards = chosen.boards or POWER_BOARDS
        powers, pairs = power(results, boards)
        verdict = (
            "No cell failed."
            if not found.failed
            else f"{prose.count(found.failed, 'cell')} failed."
        )
        page = [HEAD.format(failed=verdict).rstrip() + "\n", HEADER, *found.again, *found.lines]
        page += [
            POWER_HEAD.format(boards=boards).rstrip() + "\n",
            *powers,
            PAIRS_HEAD.rstrip() + "\n",
            *pairs,
            FOOT,
        ]
        write_page(PAGE, "\n".join(page).replace("\n\n\n", "\n\n").rstrip() + "\n")
    print(prose.count(found.failed, "cell"), "failed")
    sys.exit(found.failed > 0)


if __name__ == "__main__":
    main()
