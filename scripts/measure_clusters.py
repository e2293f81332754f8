"""How often 95% intervals of cases in clusters hold the truth, for docs/measured/clusters.md.

Run: python scripts/measure_clusters.py [rates] [others] [strata] [best]; the default is all parts. Writes the tables
of the page (that of strata belongs to docs/measured/weights.md) and the picture of rates.
"""

import csv
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.special import ndtri, stdtrit

import bayesrank as br
from bayesrank.evidence.units import cluster_information

DOCS = Path(__file__).parents[1] / "docs"
PICTURE, TABLES = DOCS / "figures" / "clusters.png", DOCS / "measured" / "tables"
DRAWS, BOARDS, TAIL = 250, 1000, 0.025
#: Boards that are fitted together, as entities without a common case that is hard for all.
TOGETHER = 100
CLUSTERS = (5, 8, 12, 25, 60)
#: Cases of the smallest and the largest cluster; the other sizes are equally far apart.
SIZES = {"20": (20, 20), "4 to 36": (4, 36)}
RATES, CORRELATIONS = (0.5, 0.7, 0.9, 0.95, 0.99, 0.999, 0.9999), (0.0, 0.1, 0.4, 0.8)
#: Intervals of the draws, those with the factor for few clusters alone, and those that are printed.
KINDS = ("draws", "few clusters", "interval")
#: Least coverage that a cell must have.
LEAST = 0.9
#: Cells of other quantities: clusters and the correlation of the cases of each; cases of a cluster.
OTHERS, CASES = ((8, 0.1), (8, 0.4), (25, 0.1), (25, 0.4)), 20
#: Pairs of a simulation whose differences are measured: each needs a fit of its own.
PAIRS = 40
#: Boards of two equal systems, whose P(best) is measured, the limits that it exceeds, and random
#: signs of a test.
EQUAL_PAIRS, SURE, FLIPS = 400, (0.95, 0.975, 0.99), 999
#: Strata: their shares of the population; cases of a cluster.
SHARES, CASES_OF_STRATA = np.array([0.2, 0.3, 0.5]), 10


class Design(NamedTuple):
    """Clusters of these sizes, whose rates are beta variables with this mean and correlation of cases."""

    size: np.ndarray
    rate: float
    correlation: float
    weight: np.ndarray | None = None  #: Weight of each case of a cluster; None if all are equal.

    def simulate(self, rng: np.random.Generator) -> np.ndarray:
        """Return right and wrong answers (case, board) to the cases of each cluster."""
        rates = np.full((len(self.size), TOGETHER), self.rate)
        if self.correlation:
            mass = 1 / self.correlation - 1
            rates = rng.beta(self.rate * mass, (1 - self.rate) * mass, rates.shape)
        return (rng.random((self.size.sum(), TOGETHER)) < self.clusters(rates)).astype(int)

    def clusters(self, values: np.ndarray) -> np.ndarray:
        """Return a value of each cluster for each of its cases."""
        return np.repeat(values, self.size, axis=0)

    @property
    def names(self) -> np.ndarray:
        """Return the cluster of each case."""
        return self.clusters(np.arange(len(self.size)))

    def widen(self, drawn: np.ndarray) -> np.ndarray:
        """Return both ends of intervals with the factor for few clusters, from low, middle and high quantiles."""
        size = self.size * (1.0 if self.weight is None else self.weight)
        freedom, factor = cluster_information([size], np.ones(1))
        middle = drawn[1]
        wide = middle + factor * stdtrit(freedom, TAIL) / ndtri(TAIL) * (drawn[[0, 2]] - middle)
        return wide.clip(0, 1)


def measure(design: Design, seed: int) -> np.ndarray:
    """Return how often intervals of each kind hold the rate, and their mean widths (kind, 2)."""
    rng, ends = np.random.default_rng(seed), []
    for i in range(BOARDS // TOGETHER):
        answers = design.simulate(rng)
        frame = pd.DataFrame(answers, columns=[f"board {j}" for j in range(TOGETHER)])
        weight = None if design.weight is None else design.clusters(design.weight)
        evidence = br.from_outcomes(frame, cluster=design.names, weight=weight)
        posterior = br.fit(evidence, draws=DRAWS, chains=1, seed=i)
        values = br.scores.mean_outcome(posterior).transpose("entity", "chain", "draw")
        drawn = np.quantile(values.values[:, 0], [TAIL, 0.5, 1 - TAIL], axis=1)
        # Intervals are closed at an end that one answer reaches, as the printed ones are.
        right = answers.sum(axis=0)
        near = np.stack([right < 1.5, len(answers) - right < 1.5]) & (weight is None)
        closed = [
            np.where(near, [[0.0], [1.0]], own) for own in (drawn[[0, 2]], design.widen(drawn))
        ]
        table = br.score_table(posterior, ["mean_outcome"]).isel(score=0)
        ends.append([*closed, np.stack([table["lower"].values, table["upper"].values])])
    lower, upper = np.concatenate(ends, axis=-1).transpose(1, 0, 2)
    held = (lower <= design.rate) & (design.rate <= upper)
    return np.stack([held.mean(axis=1), (upper - lower).mean(axis=1)], axis=1)


class Cell(NamedTuple):
    """What was measured of one rate, number and size of clusters, and correlation."""

    clusters: int
    cases: str
    rate: float
    correlation: float
    found: np.ndarray  #: (kind, 2)


def cells_of_rates() -> Iterator[Cell]:
    """Yield each cell of the sweep of rates."""
    for number in CLUSTERS:
        for name, (least, most) in SIZES.items():
            size = np.round(np.linspace(least, most, number)).astype(int)
            for rate in RATES:
                for correlation in CORRELATIONS:
                    found = measure(Design(size, rate, correlation), number)
                    yield Cell(number, name, rate, correlation, found)


def write(name: str, rows: list[list[str]]) -> None:
    with (TABLES / name).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def summary(cells: list[Cell]) -> list[list[str]]:
    """Return a row for each rate and correlation: least and mean coverage, and ratios of widths."""
    head = ["rate", "correlation", *(f"least, {kind}" for kind in KINDS), "mean, interval"]
    rows = [[*head, "cells below 0.90", "width / few clusters"]]
    for rate in RATES:
        for correlation in CORRELATIONS:
            own = [each for each in cells if (each.rate, each.correlation) == (rate, correlation)]
            found = np.stack([each.found for each in own])
            held, wide = found[:, :, 0], found[:, :, 1]
            least = [f"{value:.3f}" for value in held.min(axis=0)]
            below = int((held[:, 2] < LEAST).sum())
            ratio = (wide[:, 2] / wide[:, 1]).mean()
            rows.append(
                [
                    f"{rate}",
                    f"{correlation}",
                    *least,
                    f"{held[:, 2].mean():.3f}",
                    f"{below}",
                    f"{ratio:.2f}",
                ]
            )
    return rows


def all_cells(cells: list[Cell]) -> list[list[str]]:
    """Return a row for each rate, number and size of clusters: coverage by correlation, and ratios of widths."""
    heads = [f"{what} ({each:g})" for what in ("interval", "width") for each in CORRELATIONS]
    rows: dict[tuple, list[Cell]] = {}
    for each in cells:
        rows.setdefault((each.clusters, each.cases, each.rate), []).append(each)
    return [
        ["clusters", "cases of each", "rate", *heads],
        *(
            [
                *map(str, key),
                *(f"{each.found[2, 0]:.3f}" for each in own),
                *(f"{each.found[2, 1] / each.found[1, 1]:.2f}" for each in own),
            ]
            for key, own in rows.items()
        ),
    ]


def draw_picture(cells: list[Cell]) -> None:
    """Draw the least coverage over numbers and sizes of clusters, by rate, a panel for each correlation."""
    figure, axes = plt.subplots(1, len(CORRELATIONS), figsize=(10, 3), sharey=True)
    miss = [1 - rate for rate in RATES]
    for axis, correlation in zip(axes, CORRELATIONS, strict=True):
        for kind, (name, style) in enumerate(zip(KINDS, (":", "--", "-"), strict=True)):
            least = [
                min(
                    each.found[kind, 0]
                    for each in cells
                    if (each.rate, each.correlation) == (rate, correlation)
                )
                for rate in RATES
            ]
            axis.plot(miss, least, style, marker="o", markersize=3, label=name)
        axis.axhline(LEAST, color="grey", linewidth=0.7)
        axis.set(xscale="log", title=f"correlation {correlation:g}", ylim=(0.2, 1.02))
        axis.set_xlabel("1 - true rate")
        axis.invert_xaxis()
    axes[0].set_ylabel("least coverage")
    axes[0].legend(loc="lower left", frameon=False)
    figure.tight_layout()
    figure.savefig(PICTURE, dpi=150)


class Intervals(NamedTuple):
    """The truth, and the ends (2, board) of intervals of the draws and of those that are printed."""

    truth: float
    drawn: np.ndarray
    printed: np.ndarray


def of_score(posterior, score: str, truth: float) -> Intervals:
    """Return the intervals of a score of a posterior, whose entities are boards."""
    variables = posterior["posterior"]
    values = variables[score] if score in variables else br.scores.get(score)(posterior)
    ends = values.quantile([TAIL, 1 - TAIL], ("chain", "draw")).transpose("quantile", "entity")
    table = br.score_table(posterior, [score]).isel(score=0)
    return Intervals(truth, ends.values, np.stack([table["lower"], table["upper"]]))


def boards(values: np.ndarray, prefix: str = "board") -> dict[str, np.ndarray]:
    return {f"{prefix} {i}": column for i, column in enumerate(values.T)}


def a_table(design: Design, rng: np.random.Generator, seed: int, score: str) -> Intervals:
    """Return intervals of a score of tables with equal classes and error rates."""
    truth = np.arange(design.size.sum()) % 2
    right = design.simulate(rng)
    guesses = boards(np.where(right == 1, truth[:, None], 1 - truth[:, None]))
    evidence = br.joint_outcomes(truth, guesses, cluster=design.names, positive=1)
    posterior = br.fit(evidence, draws=DRAWS, chains=1, seed=seed)
    value = design.rate if score in ("f1", "tpr") else 2 * design.rate - 1
    return of_score(posterior, score, value)


def a_judge(design: Design, rng: np.random.Generator, seed: int, labels: int) -> Intervals:
    """Return intervals of a rate from verdicts of a judge, and labels of some cases of each cluster."""
    right = design.simulate(rng)
    verdict = (rng.random(right.shape) < np.where(right == 1, 0.95, 0.4)).astype(int)
    known = np.arange(len(right))[:, None] % CASES < labels
    frame = pd.DataFrame(
        boards(verdict, "judge") | boards(np.where(known, right, np.nan), "truth")
    ).assign(cluster=design.names)
    names = range(right.shape[1])
    evidence = br.from_judged(
        frame,
        judge={f"board {i}": f"judge {i}" for i in names},
        truth={f"board {i}": f"truth {i}" for i in names},
        cluster="cluster",
    )
    posterior = br.fit(evidence, draws=DRAWS, chains=1, seed=seed)
    return of_score(posterior, "mean_outcome", design.rate)


def correlated(design: Design, rng: np.random.Generator) -> np.ndarray:
    """Return standard normal variables (case, board) with the correlation within clusters."""
    common = rng.standard_normal((len(design.size), TOGETHER))
    own = rng.standard_normal((design.size.sum(), TOGETHER))
    return np.sqrt(design.correlation) * design.clusters(common) + own * np.sqrt(
        1 - design.correlation
    )


def an_area(design: Design, rng: np.random.Generator, seed: int, score: str) -> Intervals:
    """Return intervals of the area, which is the rate of the design, or of the Brier score of its probabilities."""
    shift = np.sqrt(2) * ndtri(design.rate)
    truth = np.arange(design.size.sum()) % 2
    chance = 1 / (1 + np.exp(-correlated(design, rng) - shift * truth[:, None]))
    evidence = br.from_probabilities(truth, boards(chance), cluster=design.names)
    posterior = br.fit(evidence, scores=[score], draws=DRAWS, chains=1, seed=seed)
    if score == "auc_roc":
        return of_score(posterior, score, design.rate)
    quantiles = ndtri((np.arange(100_000) + 0.5) / 100_000)
    losses = [1 / (1 + np.exp(sign * quantiles + add)) ** 2 for sign, add in ((-1, 0), (1, shift))]
    return of_score(posterior, score, float(np.mean(losses)))


def a_cost(design: Design, rng: np.random.Generator, seed: int, spread: float) -> Intervals:
    """Return intervals of a mean cost; the logarithms of costs have this standard deviation."""
    cost = np.exp(spread * correlated(design, rng) - spread**2 / 2)
    cases, size = cost.shape
    frame = pd.DataFrame(
        {
            "entity": np.tile([f"board {i}" for i in range(size)], cases),
            "case": np.repeat(np.arange(cases), size),
            "outcome": rng.integers(0, 2, cases * size),
            "usd": cost.ravel(),
            "cluster": np.repeat(design.names, size),
        }
    )
    posterior = br.fit(br.from_frame(frame, cost="usd"), draws=DRAWS, chains=1, seed=seed)
    front = br.decisions.pareto_front(posterior)
    drawn = posterior["posterior"]["mean_cost"].quantile([TAIL, 1 - TAIL], ("chain", "draw"))
    ends = np.stack([front["cost_lower"], front["cost_upper"]])
    return Intervals(1.0, drawn.transpose("quantile", "entity").values, ends)


def a_difference(design: Design, rng: np.random.Generator, seed: int, other: float) -> Intervals:
    """Return intervals of the TPR minus that of an entity with another rate; a case of each cluster is negative."""
    both = [design.simulate(rng), design._replace(rate=other).simulate(rng)]
    truth = (np.arange(len(both[0])) % CASES > 0) * 1
    drawn, printed = [], []
    for pair in np.moveaxis(both, 2, 0)[:PAIRS]:
        guesses = {
            name: np.where(own == 1, truth, 1 - truth) for name, own in zip("ab", pair, strict=True)
        }
        evidence = br.joint_outcomes(truth, guesses, cluster=design.names, positive=1)
        posterior = br.fit(evidence, draws=DRAWS, chains=1, seed=seed)
        first, second = br.scores.tpr(posterior).transpose("entity", ...).values
        drawn.append(np.quantile(first - second, [TAIL, 1 - TAIL]))
        found = br.decisions.noninferiority(posterior, "b").isel(entity=0)
        printed.append([found["tpr_difference_lower"], found["tpr_difference_upper"]])
    return Intervals(design.rate - other, np.transpose(drawn), np.transpose(printed))


#: Other quantities: words, rate, how they are simulated, and how often.
QUANTITIES: list[tuple[str, float, Callable[..., Intervals], object, int]] = [
    ("F1 0.95", 0.95, a_table, "f1", BOARDS),
    ("TPR 0.95", 0.95, a_table, "tpr", BOARDS),
    ("informedness 0.9", 0.95, a_table, "informedness", BOARDS),
    ("MCC 0.9", 0.95, a_table, "mcc", BOARDS),
    ("difference of TPR 0.95 and 0.95", 0.95, a_difference, 0.95, BOARDS),
    ("rate 0.95, judged, 5 labels", 0.95, a_judge, 5, BOARDS),
    ("rate 0.95, judged, 15 labels", 0.95, a_judge, 15, BOARDS),
    ("area 0.8", 0.8, an_area, "auc_roc", BOARDS),
    ("area 0.95", 0.95, an_area, "auc_roc", BOARDS),
    ("Brier score", 0.8, an_area, "brier", BOARDS),
    ("mean of costs, log sd 1", 0.5, a_cost, 1.0, 200),
]


def rows_of_others() -> Iterator[list[str]]:
    """Yield rows on other quantities: coverage of draws and intervals in each cell, and ratios of widths."""
    heads = [f"{kind} ({g}; {each:g})" for kind in ("draws", "interval") for g, each in OTHERS]
    yield ["quantity", *heads, "interval / draws"]
    for name, rate, simulate, option, number in QUANTITIES:
        held, width = [], []
        for clusters, correlation in OTHERS:
            rng = np.random.default_rng(clusters)
            design = Design(np.full(clusters, CASES), rate, correlation)
            found = [simulate(design, rng, i, option) for i in range(number // TOGETHER)]
            ends = [
                np.hstack([getattr(each, kind) for each in found]) for kind in Intervals._fields[1:]
            ]
            truth = found[0].truth
            held.append([((low <= truth) & (truth <= high)).mean() for low, high in ends])
            width.append([(high - low).mean() for low, high in ends])
        ratio = np.divide(*np.mean(width, axis=0)[::-1])
        yield [name, *(f"{each:.3f}" for each in np.transpose(held).ravel()), f"{ratio:.2f}"]


def rows_of_strata() -> Iterator[list[str]]:
    """Yield rows on weighted means of a survey: coverage and width with strata, without them, and of the t interval."""
    names = ("with strata", "without strata", "t interval of the design")
    yield [
        *("rates of strata", "clusters of each", "correlation"),
        *(f"{what}, {name}" for what in ("coverage", "width") for name in names),
    ]
    for rates in ((0.6, 0.8, 0.95), (0.8, 0.8, 0.8)):
        for clusters, correlation in ((5, 0.1), (5, 0.4), (10, 0.0), (10, 0.1), (20, 0.1)):
            found = measure_strata(rates, clusters, correlation)
            numbers = (f"{each:.3f}" for each in found.T.ravel())
            words = ", ".join(map(str, rates))
            yield [words, str(clusters), f"{correlation}", *numbers]


def measure_strata(rates: tuple[float, ...], clusters: int, correlation: float) -> np.ndarray:
    """Return coverage and mean width of three intervals of the weighted mean of strata (interval, 2)."""
    truth, rng, found = SHARES @ rates, np.random.default_rng(clusters), []
    size = np.full(clusters, CASES_OF_STRATA)
    cases = int(size.sum())
    stratum = np.repeat(["x", "y", "z"], cases)
    cluster = np.repeat(np.arange(3 * clusters), CASES_OF_STRATA)
    weight = np.repeat(SHARES / cases, cases)
    for i in range(BOARDS // TOGETHER):
        parts = [Design(size, rate, correlation).simulate(rng) for rate in rates]
        frame = pd.DataFrame(boards(np.concatenate(parts)))
        tables = []
        for dataset in (stratum, None):
            evidence = br.from_outcomes(frame, cluster=cluster, weight=weight, dataset=dataset)
            posterior = br.fit(evidence, draws=DRAWS, chains=1, seed=i)
            if dataset is not None:
                shares = dict(zip("xyz", SHARES.tolist(), strict=True))
                posterior = br.performance.mean_over_datasets(posterior, shares)
            tables.append(br.score_table(posterior, ["mean_outcome"]).isel(score=0))
        means = np.reshape(
            [part.reshape(clusters, -1, TOGETHER).mean(1) for part in parts], (3, clusters, -1)
        )
        error = np.sqrt(SHARES**2 @ means.var(axis=1, ddof=1) / clusters)
        half = -stdtrit(3 * (clusters - 1), TAIL) * error
        centre = SHARES @ means.mean(axis=1)
        ends = [[table["lower"].values, table["upper"].values] for table in tables]
        found.append([*ends, [centre - half, centre + half]])
    low, high = np.concatenate(found, axis=-1).transpose(1, 0, 2)
    return np.stack([((low <= truth) & (truth <= high)).mean(1), (high - low).mean(1)], axis=1)


def rows_of_best() -> Iterator[list[str]]:
    """Yield rows on two equal systems: how often the P(best) of one of them exceeds each limit."""
    yield [
        *("clusters", "rate", "correlation"),
        *(f"{kind} > {limit}" for kind in ("draws", "P(best)", "sign-flip test") for limit in SURE),
    ]
    for rate, correlation in ((0.7, 0.1), (0.7, 0.4), (0.9, 0.1), (0.99, 0.0), (0.99, 0.2)):
        for clusters in (5, 8, 15, 30, 60):
            exceeds = of_equal_systems(Design(np.full(clusters, CASES), rate, correlation))
            cell = f"{clusters}", f"{rate}", f"{correlation}"
            yield [*cell, *(f"{share:.3f}" for share in exceeds.ravel())]


def of_equal_systems(design: Design) -> np.ndarray:
    """Return how often one of two equal systems seems best beyond each limit (kind, limit)."""
    rng = np.random.default_rng(len(design.size))
    answers = np.concatenate(
        [design.simulate(rng) for _ in range(2 * EQUAL_PAIRS // TOGETHER)], axis=1
    )
    exceeds = np.zeros((3, len(SURE)))
    for i, pair in enumerate(np.split(answers, EQUAL_PAIRS, axis=1)):
        evidence = br.from_outcomes(pd.DataFrame(pair, columns=["a", "b"]), cluster=design.names)
        posterior = br.fit(evidence, draws=1000, chains=1, seed=i)
        first, second = br.scores.mean_outcome(posterior).transpose("entity", ...).values
        best = br.credible_ranking(posterior)["probability_best"]
        chances = mid_p(first - second), float(best.max()), flip_signs(pair, design, rng)
        for own, chance in zip(exceeds, chances, strict=True):
            own += chance > np.array(SURE)
    return exceeds / EQUAL_PAIRS


def mid_p(differences: np.ndarray) -> float:
    """Return the share of positive or of negative differences, whichever is larger; ties count half."""
    ahead = (differences > 0).mean() + (differences == 0).mean() / 2
    return float(max(ahead, 1 - ahead))


def flip_signs(pair: np.ndarray, design: Design, rng: np.random.Generator) -> float:
    """Return 1 less the one-sided mid-p of the mean difference if each cluster's difference could have either sign."""
    difference = np.bincount(design.names, pair[:, 0] - pair[:, 1])
    flipped = rng.choice([-1, 1], (FLIPS, len(difference))) @ difference
    return mid_p(difference.sum() - flipped)


if __name__ == "__main__":
    parts = sys.argv[1:] or ["rates", "others", "strata", "best"]
    if "rates" in parts:
        cells = []
        for cell in cells_of_rates():
            cells.append(cell)
            print(*cell[:4], cell.found.round(3).tolist(), flush=True)
        write("clusters_1.csv", summary(cells))
        write("clusters_2.csv", all_cells(cells))
        draw_picture(cells)
    for part, rows, name in (
        ("others", rows_of_others, "clusters_3.csv"),
        ("strata", rows_of_strata, "weights_2.csv"),
        ("best", rows_of_best, "clusters_4.csv"),
    ):
        if part in parts:
            written = []
            for line in rows():
                written.append(line)
                print(",".join(line), flush=True)
            write(name, written)
