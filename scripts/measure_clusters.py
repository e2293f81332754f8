"""How often 95% intervals of cases in clusters hold the true rate, for docs/measured/clusters.md.

Run: python scripts/measure_clusters.py
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

import bayesrank as br

DRAWS, BOARDS, TAIL = 250, 1000, 0.025
#: Boards that are fitted together, as entities without a common case that is hard for all.
TOGETHER = 20
CLUSTERS = (5, 8, 12, 25, 60)
#: Cases of the smallest and the largest cluster; the other sizes are equally far apart.
SIZES = {"20": (20, 20), "4 to 36": (4, 36)}
RATES, CORRELATIONS = (0.7, 0.95), (0.0, 0.1, 0.4)


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


def measure(design: Design, seed: int) -> tuple[float, float, float]:
    """Return how often quantiles of draws and printed intervals hold the rate, and the ratio of their mean widths."""
    rng, ends = np.random.default_rng(seed), []
    for i in range(BOARDS // TOGETHER):
        answers = design.simulate(rng)
        frame = pd.DataFrame(answers, columns=[f"board {j}" for j in range(TOGETHER)])
        weight = None if design.weight is None else design.clusters(design.weight)
        cluster = design.clusters(np.arange(len(design.size)))
        evidence = br.from_outcomes(frame, cluster=cluster, weight=weight)
        posterior = br.fit(evidence, draws=DRAWS, chains=1, seed=i)
        values = br.scores.mean_outcome(posterior).transpose("entity", "chain", "draw")
        drawn = np.quantile(values.values[:, 0], [TAIL, 1 - TAIL], axis=1)
        # Intervals of draws are closed at an end that one answer reaches, as the printed ones are.
        right = answers.sum(axis=0)
        near = np.stack([right < 1.5, len(answers) - right < 1.5]) & (weight is None)
        drawn = np.where(near, [[0.0], [1.0]], drawn)
        table = br.score_table(posterior, ["mean_outcome"]).isel(score=0)
        ends.append([drawn, np.stack([table["lower"].values, table["upper"].values])])
    lower, upper = np.concatenate(ends, axis=-1).transpose(1, 0, 2)
    held = ((lower <= design.rate) & (design.rate <= upper)).mean(axis=1)
    width = (upper - lower).mean(axis=1)
    return float(held[0]), float(held[1]), float(width[1] / width[0])


def row(size: np.ndarray, rate: float, seed: int, weight: np.ndarray | None = None) -> str:
    """Return the coverage with draws and with intervals, for each correlation, and the ratio of the widths."""
    found = [measure(Design(size, rate, each, weight), seed) for each in CORRELATIONS]
    before, after, ratio = np.transpose(found)
    return ",".join(
        [f"{rate}", *(f"{held:.3f}" for held in (*before, *after)), f"{ratio.mean():.2f}"]
    )


def tables() -> Iterator[str]:
    """Yield the lines of the page's table."""
    heads = [f"{what} ({each:g})" for what in ("draws", "interval") for each in CORRELATIONS]
    yield ",".join(["clusters", "cases of each", "rate", *heads, "ratio of widths"])
    for number in CLUSTERS:
        for name, (least, most) in SIZES.items():
            size = np.round(np.linspace(least, most, number)).astype(int)
            for rate in RATES:
                yield f"{number},{name},{row(size, rate, number)}"
    weight = np.repeat([0.9 / 8, 0.1 / 24], [8, 24])
    yield f"8 of 32 with 0.9 of the weight,10,{row(np.full(32, 10), RATES[0], 32, weight)}"


if __name__ == "__main__":
    for line in tables():
        print(line, flush=True)
