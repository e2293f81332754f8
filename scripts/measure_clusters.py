"""How often 95% intervals of cases in clusters hold the truth, for docs/measured/clusters.md.

Run: python scripts/measure_clusters.py [rates] [others]. Writes the tables of the page, and the picture of rates.
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
from scipy.special import ndtr, ndtri, stdtrit

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
#: Cells of other quantities: clusters and the correlation of the cases of each.
OTHERS = ((8, 0.1), (8, 0.4), (25, 0.1), (25, 0.4))


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
        closed = [np.where(near, [[0.0], [1.0]], own) for own in (drawn[[0, 2]], design.widen(drawn))]
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
                [f"{rate}", f"{correlation}", *least, f"{held[:, 2].mean():.3f}", f"{below}", f"{ratio:.2f}"]
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


if __name__ == "__main__":
    parts = sys.argv[1:] or ["rates"]
    if "rates" in parts:
        cells = []
        for cell in cells_of_rates():
            cells.append(cell)
            print(*cell[:4], cell.found.round(3).tolist(), flush=True)
        write("clusters_1.csv", summary(cells))
        write("clusters_2.csv", all_cells(cells))
        draw_picture(cells)
