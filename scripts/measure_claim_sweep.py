"""Measure how often some entity is called worse than the best although all are equal, over the range of evidence.

Run ``python scripts/measure_claim_sweep.py`` (about half an hour on one core). It writes docs/measured/claim_sweep.md.
``--boards 40`` is quicker, ``--only zipf`` chooses cells by their name and prints them without writing, and
``--entities 2,5`` chooses the numbers of entities. It ends with status 1 if a cell of equal entities is above 0.05 plus
two standard errors.

A cell is one kind of evidence, a board one simulated evaluation of it. Where a closed form allows it, the posterior is
drawn here, and the package's own code judges the evidence and makes the rank sets, at 0.95 from 1,000 draws. The cells
of rare classes go through ``br.fit`` and ``br.credible_ranking``, with a quarter of the boards.
"""

import argparse
import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from measure_claims import DRAWS, PROB, bootstrap
from scipy.optimize import brentq
from scipy.stats import norm

import bayesrank as br
from bayesrank.ranking._confidence import rank_sets
from bayesrank.ranking._information import Information, Patterns
from bayesrank.ranking.evidence import Evidence
from bayesrank.ranking.precision import information_of
from bayesrank.ranking.values import ScoreValues
from bayesrank.scores import get

PAGE = Path(__file__).parents[1] / "docs" / "measured" / "claim_sweep.md"
#: The rate of false claims that is promised.
LIMIT = 0.05
ENTITIES = (2, 5, 20, 50)
#: Standard errors of a difference by which the first entity is ahead, in the table of power.
GAPS = (1, 2, 4)
#: The prior of paired outcomes, in cases.
PRIOR = 4.0
#: Cells that are slow go through the package, with this share of the boards and no more entities than this.
SLOW_SHARE, SLOW_ENTITIES = 0.25, 5

Board = tuple[np.ndarray, ScoreValues, Information | None]
Cell = Callable[[np.random.Generator, int, float], Board | xr.Dataset | None]

#: The cells by group and name.
CELLS: dict[str, dict[str, Cell]] = {}


def add(group: str, name: str, cell: Cell) -> None:
    CELLS.setdefault(group, {})[name] = cell


def ahead(entities: int, gap: float, error: float) -> np.ndarray:
    """Return what each entity has more than the others: the first ``gap`` standard errors of a difference."""
    return np.r_[gap * error * 2**0.5, np.zeros(entities - 1)]


def values_of(score: str) -> ScoreValues:
    return ScoreValues(xr.DataArray(0.0), score, True, get(score))


def unlimited() -> ScoreValues:
    """Return a mean outcome without a declared range."""
    return ScoreValues(xr.DataArray(0.0), "mean_outcome", True, None, "mean_outcome", (-np.inf, np.inf))


def of_tables(score: Any, cells: list[np.ndarray], prior: tuple[float, ...]) -> Information:
    """Return the information in counts tn, fp, fn, tp (entity) beside a prior of each."""
    tn, fp, fn, tp = cells
    counts = br.from_counts(tn=tn, fp=fp, fn=fn, tp=tp)
    masses = xr.zeros_like(counts, float) + xr.DataArray(np.reshape(prior, (2, 2)), dims=("actual", "predicted"))
    return information_of(Evidence(counts=counts, prior=masses, about={}), score, len(tn))


# --- Tables ----------------------------------------------------------------------------------------------------------


def accuracies(cases: list[int], rate: float, rng: np.random.Generator, entities: int, gap: float) -> Board:
    """Accuracies of independent tests; ``cases`` are repeated over the entities."""
    n = np.resize(cases, entities)
    truth = np.clip(rate + ahead(entities, gap, np.sqrt(rate * (1 - rate) / n[0])), 0, 1)
    right = rng.binomial(n, truth)
    x = np.clip(rng.beta(2 + right, 2 + n - right, (DRAWS, entities)), 1e-300, 1 - 1e-16)
    none = np.zeros(entities, int)
    return x, values_of("accuracy"), of_tables(get("accuracy"), [none, none, n - right, right], (0, 0, 2, 2))


def rates_of_tables(
    score: str, cases: list[int], rate: float, rng: np.random.Generator, entities: int, gap: float
) -> Board:
    """Another score of tables, one case in five positive."""
    n = np.resize(cases, entities)
    positive = np.maximum(n // 5, 1)
    tp, tn = rng.binomial(positive, rate), rng.binomial(n - positive, rate)
    cells = np.stack([tn, n - positive - tn, positive - tp, tp])
    drawn = rng.standard_gamma(1.0 + cells, (DRAWS, *cells.shape)).transpose(1, 0, 2)
    x = get(score).of_cells(*(drawn / drawn.sum(axis=0)))
    return x, values_of(score), of_tables(get(score), list(cells), (1, 1, 1, 1))


for n in (10, 20, 40, 100, 200, 2000, 10_000):
    for rate in (0.5, 0.9, 0.99, 0.999, 1.0):
        add("Tables", f"accuracy, {n:,} cases at rate {rate:g}", partial(accuracies, [n], rate))
for sizes in ([3, 10_000], [5, 10_000], [10, 10_000], [20, 200, 2000, 10_000]):
    for rate in (0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999):
        label = " to ".join(f"{n:,}" for n in (sizes[0], sizes[-1]))
        add("Tables", f"accuracy, {label} cases at rate {rate:g}", partial(accuracies, sizes, rate))
for score in ("f1", "ppv", "tpr", "mcc"):
    for rate in (0.6, 0.9, 0.99):
        for n in (20, 200):
            add("Tables", f"{score}, {n} cases, both rates {rate:g}", partial(rates_of_tables, score, [n], rate))
        name = f"{score}, 20 to 20,000 cases, both rates {rate:g}"
        add("Tables", name, partial(rates_of_tables, score, [20, 20_000], rate))


# --- Cases that all entities met ------------------------------------------------------------------------------------


def paired(
    cases: int, rate: float, shared: float, runs: int, rng: np.random.Generator, entities: int, gap: float
) -> Board:
    """Outcomes of the same cases, whose latent difficulty has the share ``shared`` of the variance."""
    error = np.sqrt(rate * (1 - rate) / cases / runs * (1 - shared))
    truth = norm.ppf(np.clip(rate + ahead(entities, gap, error), 1e-9, 1 - 1e-9))
    common = np.sqrt(shared) * rng.normal(size=(cases, 1, 1))
    right = common + np.sqrt(1 - shared) * rng.normal(size=(cases, entities, runs)) < truth[:, None]
    x = bootstrap(rng, right.mean(axis=2), np.ones(cases), PRIOR)
    observed = right.mean(axis=(0, 2))
    unknown = np.full(entities, np.nan)
    about = Information(unknown, unknown, observed=observed)
    return np.clip(x, 1e-12, 1 - 1e-12), values_of("accuracy"), about


for n in (20, 60, 200):
    for rate in (0.5, 0.9, 0.99):
        for shared in (0.5, 0.95):
            name = f"{n} cases at rate {rate:g}, {shared:g} of the variance shared"
            add("The same cases", name, partial(paired, n, rate, shared, 1))
for rate in (0.5, 0.9, 0.99):
    add("The same cases", f"60 cases, 4 runs each, at rate {rate:g}", partial(paired, 60, rate, 0.0, 4))


# --- Clusters --------------------------------------------------------------------------------------------------------


@cache
def latent_means(sizes: tuple[int, ...], spread: float, gap: float) -> tuple[float, float]:
    """Return the latent means of rivals and of an entity that is ahead by ``gap`` standard errors of the difference.

    Their rates lie at equal distances from 0.5. The standard errors are those of the two rates themselves.
    """
    share = np.array(sizes) / sum(sizes)
    node, weight = np.polynomial.hermite_e.hermegauss(80)
    weight = weight / weight.sum()

    def variance(mean: float) -> float:
        each = norm.cdf(mean + spread * node)
        rate = weight @ each
        between = weight @ each**2 - rate**2
        return float((share**2 * (between + (rate * (1 - rate) - between) / np.array(sizes))).sum())

    def excess(mean: float) -> float:
        return 2 * norm.cdf(mean / (1 + spread**2) ** 0.5) - 1 - gap * (2 * variance(mean)) ** 0.5

    half = brentq(excess, 0.0, 8.0)
    return -half, half


def clusters(
    sizes: np.ndarray,
    spread: float,
    mean: float,
    shared: float,
    rng: np.random.Generator,
    entities: int,
    gap: float,
) -> Board:
    """Outcomes of clusters that are easier for some entities, by a latent standard deviation ``spread``."""
    group = np.repeat(np.arange(len(sizes)), sizes)

    def noise(rows: int) -> np.ndarray:
        own = rng.normal(size=(rows, entities))
        return np.sqrt(1 - shared) * own + np.sqrt(shared) * rng.normal(size=(rows, 1))

    latent = spread * noise(len(sizes))[group] + noise(len(group))
    if gap:
        others, first = latent_means(tuple(sizes.tolist()), spread, gap)
        latent += np.r_[first, np.full(entities - 1, others)]
    else:
        latent += mean
    right = (latent > 0).astype(int)
    sums = np.stack([np.bincount(group, column) for column in right.T], axis=1)
    x = bootstrap(rng, sums, sizes.astype(float), PRIOR)
    patterns = Patterns(right, np.ones(len(group)), group, None, True, outcome=right.astype(float))
    observed = xr.DataArray(right.mean(axis=0), dims="entity")
    prior = xr.DataArray(np.full((entities, 2), PRIOR / 2), dims=("entity", "outcome"))
    information = information_of(Evidence(patterns=patterns, values=observed, prior=prior, about={}), None, entities)
    return np.clip(x, 1e-12, 1 - 1e-12), values_of("accuracy"), information


def sizes_of(kind: str, number: int) -> np.ndarray:
    """Return the sizes of clusters."""
    if kind == "equal":
        return np.full(number, 10)
    if kind == "16-fold":
        return np.geomspace(3, 48, number).astype(int)
    if kind == "Zipf":
        return np.maximum((200 / np.arange(1, number + 1)).astype(int), 1)
    if kind == "one of half the cases":
        return np.r_[5 * (number - 1), np.full(number - 1, 5)]
    if kind == "half of single cases":
        return np.r_[np.full(number // 2, 30), np.ones(4 * number, int)]
    return np.full(number, 200)


KINDS = ("equal", "16-fold", "Zipf")
for number in (2, 3, 4, 6, 12, 25, 60):
    for kind in KINDS:
        add("Clusters", f"{number} clusters, {kind}", partial(clusters, sizes_of(kind, number), 1.0, 0.8, 0.0))
for number in (6, 12, 25):
    equal = sizes_of("equal", number)
    add("Clusters", f"{number} clusters, nearly all right", partial(clusters, equal, 1.0, 3.0, 0.0))
    add("Clusters", f"{number} clusters, entities nearly alike", partial(clusters, equal, 1.0, 0.8, 0.9))
    add("Clusters", f"{number} clusters without an effect", partial(clusters, equal, 0.0, 0.8, 0.0))
    for kind in ("one of half the cases", "half of single cases", "200 cases each"):
        add("Clusters", f"{number} clusters, {kind}", partial(clusters, sizes_of(kind, number), 2.0, 0.8, 0.0))


def rare_positives(holding: int, score: str, rng: np.random.Generator, entities: int, gap: float) -> xr.Dataset | None:
    """Twenty clusters, of which a few hold all positive cases."""
    if entities > SLOW_ENTITIES or gap:
        return None
    group = np.repeat(np.arange(20), 20)
    actual = ((group < holding) & (rng.random(len(group)) < 0.5)).astype(int)
    latent = rng.normal(size=(20, entities))[group] + rng.normal(0.8, 1, (len(group), entities))
    answers = np.where(latent > 0, actual[:, None], 1 - actual[:, None])
    named = {f"e{i}": answers[:, i] for i in range(entities)}
    posterior = br.fit(br.joint_outcomes(actual, named, cluster=group), draws=DRAWS // 4, seed=int(rng.integers(2**31)))
    return br.credible_ranking(posterior, score)


for holding in (3, 6, 12):
    for score in ("tpr", "f1"):
        name = f"{score}, positive cases in {holding} of 20 clusters"
        add("Clusters of rare classes", name, partial(rare_positives, holding, score))


# --- Means with standard errors -------------------------------------------------------------------------------------


def means(cases: int, shape: str, rng: np.random.Generator, entities: int, gap: float) -> Board:
    """Means and standard errors of a known number of cases."""
    off = rng.normal(size=(entities, cases)) if shape == "normal" else rng.exponential(size=(entities, cases))
    off += ahead(entities, gap, cases**-0.5)[:, None]
    error = off.std(axis=1, ddof=1) / cases**0.5
    return off.mean(axis=1) + error * rng.standard_t(cases - 1, (DRAWS, entities)), unlimited(), None


for n in (2, 5, 10, 30, 100):
    for shape in ("normal", "exponential"):
        add("Means with n", f"{n} cases, {shape}", partial(means, n, shape))


# --- Tables of results ----------------------------------------------------------------------------------------------


def judge(board: Board | xr.Dataset) -> tuple[bool, bool, bool, bool]:
    """Return whether some entity is called worse, whether the first alone is best, whether any rank is lost, and
    whether every rank is possible for want of evidence."""
    if isinstance(board, xr.Dataset):
        lower, upper, kind = board["rank_lower"].values, board["rank_upper"].values, board.attrs["sets"]
    else:
        x, found, information = board
        everyone = np.ones(x.shape[1], bool)
        sets = rank_sets(x, everyone, found, PROB, DRAWS, information)
        (lower, upper), kind = sets.ranks(everyone), sets.kind
    alone = bool(lower[0] == 1 and (lower == 1).sum() == 1)
    return bool((lower > 1).any()), alone, bool((lower > 1).any() or (upper < len(upper)).any()), kind == "none"


def simulate(group: str, name: str, entities: int, gap: float, boards: int) -> np.ndarray | None:
    """Return the shares of the four results of ``judge``, and the number of boards."""
    cell = CELLS[group][name]
    rng = np.random.default_rng([1, entities, int(gap), *f"{group}{name}".encode()])
    first = cell(rng, entities, gap)
    if first is None:
        return None
    number = max(round(boards * SLOW_SHARE), 1) if isinstance(first, xr.Dataset) else boards
    found = [judge(first)]
    while len(found) < number:
        board = cell(rng, entities, gap)
        assert board is not None
        found.append(judge(board))
    return np.r_[np.mean(found, axis=0), number]


def cell_text(found: np.ndarray | None) -> tuple[str, bool]:
    """Return the share of false claims, marked if it is too high, and whether it is."""
    if found is None:
        return "–", False
    worse, _, lost, withheld, boards = found
    if withheld == 1:
        return "all ranks", False
    bad = bool(worse > LIMIT + 2 * np.sqrt(LIMIT * (1 - LIMIT) / boards))
    return f"{worse:.3f} ({lost:.3f})" + " **!**" * bad, bad


def sweep(boards: int, only: str, entities: tuple[int, ...]) -> tuple[list[str], int]:
    """Return the lines of the tables of equal entities, and the number of cells above the limit."""
    lines, bad = [], 0
    for group, cells in CELLS.items():
        chosen = [name for name in cells if only.lower() in f"{group} {name}".lower()]
        if not chosen:
            continue
        head = " | ".join(f"{k} entities" for k in entities)
        lines += [f"\n### {group}\n", f"| evidence | {head} |", "|---" * (len(entities) + 1) + "|"]
        for name in chosen:
            texts, wrong = zip(*(cell_text(simulate(group, name, k, 0, boards)) for k in entities), strict=True)
            bad += sum(wrong)
            lines.append(f"| {name} | " + " | ".join(texts) + " |")
            print(lines[-1], flush=True)
    return lines, bad


#: Cells whose power is measured.
POWER = {
    "Tables": ("accuracy, 200 cases at rate 0.9", "accuracy, 2,000 cases at rate 0.5"),
    "The same cases": ("200 cases at rate 0.9, 0.5 of the variance shared", "60 cases, 4 runs each, at rate 0.9"),
    "Clusters": (
        "12 clusters, equal",
        "25 clusters, equal",
        "60 clusters, equal",
        "25 clusters, 16-fold",
        "60 clusters, 16-fold",
    ),
    "Means with n": ("10 cases, normal", "30 cases, normal"),
}


def power(boards: int) -> list[str]:
    """Return the lines of the table of power."""
    sizes = (2, 10, 20, 50)
    heads = [f"{k} entities, {gap} errors" for k in sizes for gap in GAPS]
    lines = ["| evidence | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
    for group, names in POWER.items():
        for name in names:
            shares = [simulate(group, name, k, gap, boards)[1] for k in sizes for gap in GAPS]
            lines.append(f"| {name} | " + " | ".join(f"{share:.2f}" for share in shares) + " |")
            print(lines[-1], flush=True)
    return lines


HEAD = """# False claims among equal entities

All entities of a board are equal, so each one that is called worse than the best is a false claim. The promise is a
share of at most 0.05 of the boards, in every row. Each entry is the share of {boards} boards ({few} for rare classes)
with such a claim. The share in which any rank of any entity was ruled out is in brackets. The standard error is
{error:.3f} at 0.05. "All ranks" means that every rank is possible, because the evidence is too thin for any claim.
**!** marks a share above 0.05 plus two standard errors.

The numbers come from `scripts/measure_claim_sweep.py`. Pooled data sets are not here: their claims are about these data
sets, and the headline says so.
"""

POWER_HEAD = """
## How often the best entity is named

The first entity is better than all others, which are equal, by 1, 2 or 4 standard errors of a difference. Each entry is
the share of boards in which it alone could be best. For clusters, the rate of the first entity is as far above 0.5 as
that of the others is below. The standard error uses the effective number of clusters (Kish): 25 clusters count as 15 if
the largest has 16 times the cases of the smallest ("16-fold").
"""

FOOT = """
## What limits the claims

- With fewer than 5 effective clusters, every rank is possible. Unequal sizes reduce the number of effective clusters:
  25 clusters of Zipf sizes count as 3.7. A cluster counts only if it has cases of the classes on which the score
  depends.
- An entity with fewer than 5 cases is not ruled out. With fewer than 20 cases behind its score, its comparisons use the
  t distribution. Both the difference of the posterior means and the difference of the observed values must then be
  large enough. Without the second condition, an entity with 5 cases at rate 0.95 was called worse than one with 10,000
  cases in 0.23 of boards.
- If clusters vary less than independent cases would, rank sets use the larger variance with the degrees of freedom of
  the clusters. This is conservative. The loss of power is largest if clusters have no effect.
- Means without numbers of cases leave every rank possible, so they have no row.
- [Many data sets](crossed.md), [training seeds](seeds.md) and [folds](folds.md) have pages of their own.
"""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--boards", type=int, default=400)
    options.add_argument("--only", default="")
    options.add_argument("--entities", default=",".join(map(str, ENTITIES)))
    chosen: Any = options.parse_args()
    lines, bad = sweep(chosen.boards, chosen.only, tuple(map(int, chosen.entities.split(","))))
    if not chosen.only:
        facts = {"boards": chosen.boards, "few": round(chosen.boards * SLOW_SHARE)}
        facts["error"] = np.sqrt(LIMIT * (1 - LIMIT) / chosen.boards)
        page = [HEAD.format(**facts), *lines, POWER_HEAD, *power(chosen.boards), FOOT]
        PAGE.write_text("\n".join(page).replace("\n\n\n", "\n\n").rstrip() + "\n", encoding="utf-8")
    print(f"{bad} cells above {LIMIT} plus two standard errors")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
