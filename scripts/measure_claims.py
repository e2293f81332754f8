"""Measure what rankings claim about the truth: false "worse", clear winners, tiers, thin evidence, lucky leaders.

Run ``python scripts/measure_claims.py`` (up to half an hour on one core); ``equal``, ``clusters``, ``discordant``,
``macro`` or ``leader`` after it runs one part. A number after that sets the boards of a row; slow rows
have the share of them that is stated below. Without a number, each row has as many boards as in the tables of
docs/measured/rankings.md. Posteriors are drawn in closed form, and the package's own code makes sets of
them, at 0.95 from 1,000 draws. Half-widths are two standard errors.
"""

import sys
from dataclasses import replace
from typing import Any

import numpy as np
import xarray as xr
from measure_confidence import share
from scipy import stats

from bayesrank.models.parts.population import learn
from bayesrank.ranking._confidence import rank_sets, separate
from bayesrank.ranking._information import (
    PRIOR_CASES,
    Information,
    average_inflation,
    cluster_information,
    count_discordant,
)
from bayesrank.ranking.claims import NOTABLE
from bayesrank.ranking.shrinkage import population_of
from bayesrank.ranking.values import ScoreValues
from bayesrank.scores import get

PROB, DRAWS = 0.95, 1000
#: Entities of a board of equal ones, and the share of the boards that are simulated.
EQUAL = {2: 1.0, 5: 1.0, 20: 1.0, 100: 0.15}
#: Above this number of entities K - 1 comparisons are not measured: their time grows with its square.
COMPARED = 20
#: As EQUAL, where the leader is followed.
LED = {5: 1.0, 20: 1 / 3, 100: 0.05}
#: As EQUAL, by the design of clusters and by the average over classes; 1 if it is not here.
FEWER = {"12 clusters, sizes 5 to 60": 3 / 7, "macro_f1": 0.8}


def row(*cells: object) -> None:
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def number_of(boards: int, part: float) -> int:
    """Return the boards of a row that has this share of them, at least one."""
    return max(round(part * boards), 1)


def sets_of(x: np.ndarray, information: Information | None = None, score: str = "accuracy") -> dict[str, Any]:
    """The package's sets from draws (draw, entity)."""
    known = get(score)
    found = ScoreValues(xr.DataArray(0.0), score, True, known)
    everyone = np.ones(x.shape[1], bool)
    sets = rank_sets(x, everyone, found, PROB, DRAWS, information)
    lower, _ = sets.ranks(everyone)
    return {"lower": lower, "best": lower == 1, "kind": sets.kind}


def superiority(x: np.ndarray) -> np.ndarray:
    """Probability (entity, rival) to be better, ties as halves."""
    return np.stack([(x[:, [i]] > x).mean(0) + (x[:, [i]] == x).mean(0) / 2 for i in range(x.shape[1])])


def unpaired(rng: np.random.Generator, size: int, cases: int, rate: float) -> np.ndarray:
    """Draws of accuracies under Beta(2, 2)."""
    right = rng.binomial(cases, rate, size)
    return rng.beta(2 + right, 2 + cases - right, (DRAWS, size))


def answers(rng: np.random.Generator, size: int, cases: int, rate: float) -> np.ndarray:
    """Right or wrong (case, entity) on the same cases, some of them hard for all: a correlation of 0.7."""
    luck = np.sqrt(0.7) * rng.normal(size=(cases, 1)) + np.sqrt(0.3) * rng.normal(size=(cases, size))
    return (luck < stats.norm.ppf(rate)).astype(float)


def bootstrap(rng: np.random.Generator, sums: np.ndarray, weights: np.ndarray, prior: float) -> np.ndarray:
    """Return draws (draw, entity) of means, from sums (unit, entity), sizes of units and a prior of ``prior`` cases."""
    mass = rng.standard_exponential((DRAWS, len(sums)))
    total, size = mass @ sums, (mass @ weights)[:, None]
    if prior:
        unseen = rng.standard_gamma(prior, (DRAWS, 1))
        total = total + unseen * rng.beta(prior / 2, prior / 2, (DRAWS, sums.shape[1]))
        size = size + unseen
    return total / size


def equal(boards: int) -> None:
    """Truly equal entities: who is called worse, who wins, and how many boards have a second tier."""
    row("entities", "evidence", "not best, all ties kept", "K - 1 comparisons", "clear winner", "second tier, joint",
        "second tier, pairwise", "leader beats one at 0.95", "boards")  # fmt: skip
    for size, part in EQUAL.items():
        times = number_of(boards, part)
        for name in ("100 cases", "1,000 cases", "200 cases, paired"):
            rng, hits = np.random.default_rng(21), []
            for _ in range(times):
                if "paired" in name:
                    x = bootstrap(rng, answers(rng, size, 200, 0.8), np.ones(200), 4.0)
                else:
                    x = unpaired(rng, size, 100 if name == "100 cases" else 1000, 0.8)
                hits.append(claims(x))
            shares = ["-" if column[0] is None else share(list(column)) for column in zip(*hits, strict=True)]
            row(size, name, *shares, times)


def claims(x: np.ndarray) -> tuple[bool | None, ...]:
    """Return the claims about one board, all of them false; None if a claim was not measured."""
    sets, beats = sets_of(x), superiority(x)
    best = (x == x.max(1, keepdims=True)).mean(0)
    first = int(best.argmax())
    rivals = np.arange(len(best)) != first
    alone = bool(sets["best"].sum() == 1 and sets["best"][first])
    winner = alone and best[first] >= PROB and bool((beats[first, rivals] >= PROB).all())
    order = np.argsort(-x.mean(0))
    ahead = ahead_of(x)
    return (
        not sets["best"].all(),
        not_best_by_fewer(x) if x.shape[1] <= COMPARED else None,
        winner,
        bool(ahead[order[0]].any()),
        bool((beats[order[0]] >= PROB).any()),
        bool((beats[first] >= PROB).any()),
    )


def ahead_of(x: np.ndarray) -> np.ndarray:
    """Return which entity is separated from which, on both scales."""
    logit = np.log(x) - np.log1p(-x)
    return separate(x.copy(), PROB)[0] & separate(logit, PROB)[0]


def not_best_by_fewer(x: np.ndarray) -> bool:
    """Whether some entity is excluded by K - 1 comparisons of its own, which promise less: one best, not all ties."""
    mean, error = x.mean(0), x - x.mean(0)
    for i in range(x.shape[1]):
        off = np.delete(error - error[:, [i]], i, axis=1)
        spread = np.maximum(off.std(0), 1e-12)
        critical = np.quantile((off / spread).max(1), PROB)
        if ((np.delete(mean, i) - mean[i]) / spread > critical).any():
            return True
    return False


DESIGNS = {
    "5 tasks": [20] * 5,
    "6 clusters": [10] * 6,
    "12 clusters": [10] * 12,
    "25 clusters": [10] * 25,
    "12 clusters, sizes 5 to 60": list(range(5, 65, 5)),
    "60 clusters": [10] * 60,
    "60 clusters, sizes 1 to 10": list(np.resize(np.arange(1, 11), 60)),
    "60 clusters, Zipf sizes": [int(np.ceil(300 / i)) for i in range(1, 61)],
    "200 clusters, Zipf sizes": [int(np.ceil(300 / i)) for i in range(1, 201)],
}


def clusters(boards: int) -> None:
    """Equal entities on clusters that are easier for some than for others: joint coverage before and after."""
    row("design", "effective", "entities", "outcomes", "spread", "without correction", "corrected", "given", "boards")
    for name, design in DESIGNS.items():
        sizes, times = np.array(design, float), number_of(boards, FEWER.get(name, 1.0))
        freedom, factor = cluster_information([sizes], np.ones(1))
        for size, kind, spread in ((3, "right or wrong", 1.0), (3, "grades", 1.0), (8, "right or wrong", 2.0)):
            # Without the number of clusters the correction is applied, and nothing withheld.
            unknown = np.full(size, np.nan)
            pairs, wide = np.full((size, size), freedom), np.full(size, factor)
            about = Information(unknown, unknown, freedom=pairs, inflation=wide)
            given = replace(about, clusters=np.full(size, freedom + 1)).withheld() is None
            rng, before, after = np.random.default_rng(22), [], []
            for _ in range(times):
                logit = 1 + rng.normal(size=(len(sizes), 1)) + spread * rng.normal(size=(len(sizes), size))
                rates = 1 / (1 + np.exp(-logit))
                sums = rng.binomial(sizes[:, None].astype(int), rates) if kind != "grades" else sizes[:, None] * rates
                x = bootstrap(rng, sums, sizes, 4.0 if kind != "grades" else 0.0)
                before.append(bool((sets_of(x)["lower"] == 1).all()))
                found = sets_of(x, about)
                after.append(bool((found["lower"] == 1).all()))
            said = "yes" if given else "withheld"
            row(name, f"{freedom + 1:.1f}", size, kind, f"{spread:g}", share(before), share(after), said, times)


def discordant(boards: int) -> None:
    """Equal entities that hardly ever differ, on 60 and 200 cases: with the default prior and without one."""
    row("entities", "cases", "share on which each differs", "prior", "without correction", "corrected", "boards")
    for size in (2, 5, 20):
        for cases in (60, 200):
            for rate in (0.01, 0.03, 0.1):
                for prior in (0.0, 4.0):
                    rng, before, after = np.random.default_rng(23), [], []
                    for _ in range(boards):
                        common = rng.random((cases, 1)) < 0.8
                        right = common ^ (rng.random((cases, size)) < rate)
                        x = np.clip(bootstrap(rng, right.astype(float), np.ones(cases), prior), 1e-12, 1 - 1e-12)
                        before.append(bool((sets_of(x)["lower"] == 1).all()))
                        after.append(bool((sets_of(x, about_cases(right, prior))["lower"] == 1).all()))
                    row(size, cases, rate, "four cases" if prior else "none", share(before), share(after), boards)


def about_cases(right: np.ndarray, prior: float) -> Information:
    """What the package knows of single cases, as bayesrank.ranking.evidence finds it."""
    cases, size = right.shape
    unknown = np.full(size, np.nan)
    differ = count_discordant(right.astype(int), np.ones(cases), None)
    if prior >= PRIOR_CASES:
        return Information(np.full(size, float(cases)), unknown, differ)
    freedom, factor = cluster_information([np.ones(cases)], np.ones(1))
    pairs = np.minimum(freedom, np.maximum(differ - 1, 0))
    return Information(np.full(size, float(cases)), unknown, differ, "", pairs, np.full(size, factor))


def macro(boards: int) -> None:
    """Averages over classes with few cases, of eight equal entities: before and after the correction."""
    row("average", "classes", "cases of a class", "rate", "without correction", "corrected", "boards")
    size = 8
    for score in ("macro_tpr", "macro_f1"):
        times = number_of(boards, FEWER.get(score, 1.0))
        for classes in (3, 10, 30):
            for cases in (2, 3, 5, 10):
                for rate in (0.7, 0.9):
                    if classes == 30 and rate == 0.9:
                        continue
                    before, after = small_classes(score, classes, cases, rate, size, times)
                    row(score, classes, cases, rate, share(before), share(after), times)


def small_classes(score: str, classes: int, cases: int, rate: float, size: int, boards: int) -> tuple[list, list]:
    """Coverage of one design, without and with the correction."""
    rng, before, after = np.random.default_rng(24), [], []
    off = (1 - rate) / (classes - 1)
    truth = np.full((classes, classes), off) + np.eye(classes) * (rate - off)
    prior = np.full((classes, classes), 2 / classes / (classes - 1)) + np.eye(classes) * (
        2 / classes - 2 / classes / (classes - 1)
    )
    mass = prior.sum(1)
    factor = average_inflation(np.full(classes, float(cases)), mass, np.ones(classes))
    unknown = np.full(size, np.nan)
    about = Information(unknown, unknown, inflation=np.full(size, factor))
    for _ in range(boards):
        tables = np.stack([[rng.multinomial(cases, p) for p in truth] for _ in range(size)])
        rows = rng.standard_gamma(prior + tables, (300, size, classes, classes))
        right = np.diagonal(rows, axis1=-2, axis2=-1)
        if score == "macro_tpr":
            x = (right / rows.sum(-1)).mean(-1)
        else:
            x = (2 * right / (rows.sum(-1) + rows.sum(-2))).mean(-1)
        before.append(bool((sets_of(x)["lower"] == 1).all()))
        found = sets_of(x, about)
        after.append(found["kind"] == "none" or bool((found["lower"] == 1).all()))
    return before, after


def leader(boards: int) -> None:
    """The leader's interval at equal and nearly equal truths, and its expected loss on new cases."""
    row("entities", "cases", "truths apart", "leader covered", "any named one", "too good by", "expected",
        "share of the width", "said", "population: leader covered", "boards")  # fmt: skip
    z = stats.norm.isf((1 - PROB) / 2)
    for size, part in LED.items():
        times = number_of(boards, part)
        for cases in (100, 1000):
            for apart in (0.0, 0.3, 1.0):
                rng, found = np.random.default_rng(25), []
                error = np.sqrt(0.8 * 0.2 / cases)
                truth = 0.8 + apart * error * stats.norm.ppf((np.arange(size) + 0.5) / size)
                for _ in range(times):
                    right = rng.binomial(cases, truth)
                    a, b = 2.0 + right, 2.0 + cases - right
                    low, middle, high = stats.beta.ppf(np.array([[0.025], [0.5], [0.975]]), a, b)
                    first = int(np.argmax(right + 1e-6 * rng.random(size)))
                    inside = (low <= truth) & (truth <= high)
                    x = rng.beta(a, b, (DRAWS, size))
                    many = np.full(size, float(cases))
                    counted = Information(many, many, observed=right / cases)
                    known = population_of(x, np.arange(size), (0.0, 1.0), counted, np.full(size, 4.0))
                    loss = 0.0 if known is None else x[:, first].mean() - known.means()[first]
                    width = high[first] - low[first]
                    shrunk = shrunken(rng, right, cases, first)
                    found.append(
                        (inside[first], inside.mean(), middle[first] - truth[first], loss, loss / width,
                         loss > NOTABLE * width, shrunk[0] <= truth[first] <= shrunk[1])
                    )  # fmt: skip
                table = np.array(found, float)
                mean, off = table.mean(0), z * table.std(0) / np.sqrt(times)
                row(size, f"{cases:,}", f"{apart:g} se", share(list(table[:, 0])), f"{mean[1]:.3f}",
                    f"{mean[2]:.4f} ± {off[2]:.4f}", f"{mean[3]:.4f}", f"{mean[4]:.2f}", f"{mean[5]:.2f}",
                    share(list(table[:, 6])), times)  # fmt: skip


def shrunken(rng: np.random.Generator, right: np.ndarray, cases: int, first: int) -> np.ndarray:
    """The leader's interval under the model hierarchical_beta_binomial of entities on one data set."""
    mean, spread = learn(right, np.full(len(right), cases), np.array([2.0, 2.0])).draw(rng, DRAWS)
    kappa = 1 / spread**2 - 1
    return np.quantile(rng.beta(mean * kappa + right[first], (1 - mean) * kappa + cases - right[first]), [0.025, 0.975])


PARTS = {
    "equal": (equal, 200),
    "clusters": (clusters, 700),
    "discordant": (discordant, 400),
    "macro": (macro, 100),
    "leader": (leader, 600),
}

if __name__ == "__main__":
    for part, (measure, times) in PARTS.items():
        if len(sys.argv) == 1 or sys.argv[1] == part:
            print(f"{part}:")
            measure(int(sys.argv[2]) if len(sys.argv) > 2 else times)
