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
SIZES = {"equal": (20, 20), "4 to 36": (4, 36)}
RATES, CORRELATIONS = (0.7, 0.95), (0.0, 0.1, 0.4)


class Design(NamedTuple):
    """Clusters of these sizes, whose rates are beta variables with this mean and correlation of cases."""

    size: np.ndarray
    rate: float
    correlation: float

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
        evidence = br.from_outcomes(frame, cluster=design.clusters(np.arange(len(design.size))))
        posterior = br.fit(evidence, draws=DRAWS, chains=1, seed=i)
        values = br.scores.mean_outcome(posterior).transpose("entity", "chain", "draw")
        drawn = np.quantile(values.values[:, 0], [TAIL, 1 - TAIL], axis=1)
        # Intervals of draws are closed at an end that one answer reaches, as the printed ones are.
        right = answers.sum(axis=0)
        near = np.stack([right < 1.5, len(answers) - right < 1.5])
        drawn = np.where(near, [[0.0], [1.0]], drawn)
        table = br.score_table(posterior, ["mean_outcome"]).isel(score=0)
        ends.append([drawn, np.stack([table["lower"].values, table["upper"].values])])
    lower, upper = np.concatenate(ends, axis=-1).transpose(1, 0, 2)
    held = ((lower <= design.rate) & (design.rate <= upper)).mean(axis=1)
    width = (upper - lower).mean(axis=1)
    return float(held[0]), float(held[1]), float(width[1] / width[0])


def tables() -> Iterator[str]:
    """Yield the lines of the page's table."""
    yield "clusters,cases of each,rate,correlation,draws,interval,ratio of widths"
    for number in CLUSTERS:
        for name, (least, most) in SIZES.items():
            size = np.round(np.linspace(least, most, number)).astype(int)
            for rate in RATES:
                for correlation in CORRELATIONS:
                    before, after, ratio = measure(Design(size, rate, correlation), seed=number)
                    yield f"{number},{name},{rate},{correlation},{before:.3f},{after:.3f},{ratio:.2f}"


if __name__ == "__main__":
    for line in tables():
        print(line, flush=True)
