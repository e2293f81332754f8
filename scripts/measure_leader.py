"""Measure pairs of equal entities, and what follows a leader: its interval, and its expected overestimate.

Run ``python scripts/measure_leader.py`` (up to half an hour on one core); ``pairs`` or ``leader`` after it runs one
part. A number after that sets the boards of a row; slow rows have the share of them that is stated below. Without a
number, each row has as many boards as in the tables of docs/measured/rankings.md. Posteriors are drawn in closed form,
at 0.95 from 1,000 draws. Half-widths are two standard errors. Claims by rank sets are in measure_claim_sweep.py.
"""

import sys

import numpy as np
from scipy import stats

from bayesrank.claims.effective import Information
from bayesrank.models.parts.population import learn
from bayesrank.ranking.claims import NOTABLE
from bayesrank.ranking.shrinkage import population_of

PROB, DRAWS = 0.95, 1000
#: Entities of a board of equal ones, and the share of the boards that are simulated.
EQUAL = {2: 1.0, 5: 1.0, 20: 1.0, 100: 0.15}
#: Above this number of entities K - 1 comparisons are not measured: their time grows with its square.
COMPARED = 20
#: As EQUAL, where the leader is followed.
LED = {5: 1.0, 20: 1 / 3, 100: 0.05}


def row(*cells: object) -> None:
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def number_of(boards: int, part: float) -> int:
    """Return the boards of a row that has this share of them, at least one."""
    return max(round(part * boards), 1)


def share(hits: list) -> str:
    """Return a share and two standard errors, which are never 0."""
    n, p = len(hits), np.mean(hits)
    smooth = (np.sum(hits) + 1) / (n + 2)
    return f"{p:.3f} ± {2 * np.sqrt(smooth * (1 - smooth) / n):.3f}"


def superiority(x: np.ndarray) -> np.ndarray:
    """Probability (entity, rival) to be better, ties as halves."""
    return np.stack(
        [(x[:, [i]] > x).mean(0) + (x[:, [i]] == x).mean(0) / 2 for i in range(x.shape[1])]
    )


def unpaired(rng: np.random.Generator, size: int, cases: int, rate: float) -> np.ndarray:
    """Draws of accuracies under Beta(2, 2)."""
    right = rng.binomial(cases, rate, size)
    return rng.beta(2 + right, 2 + cases - right, (DRAWS, size))


def paired(rng: np.random.Generator, size: int, cases: int, rate: float) -> np.ndarray:
    """Draws of accuracies on the same cases, some of them hard for all: a correlation of 0.7, and four prior cases."""
    luck = np.sqrt(0.7) * rng.normal(size=(cases, 1)) + np.sqrt(0.3) * rng.normal(
        size=(cases, size)
    )
    mass, unseen = rng.standard_exponential((DRAWS, cases)), rng.standard_gamma(4.0, (DRAWS, 1))
    total = mass @ (luck < stats.norm.ppf(rate)) + unseen * rng.beta(2.0, 2.0, (DRAWS, size))
    return total / (mass.sum(axis=1, keepdims=True) + unseen)


def pairs(boards: int) -> None:
    """Truly equal entities: who is ruled out by K - 1 comparisons, and whether the leader probably beats a rival."""
    row("entities", "evidence", "K - 1 comparisons", "leader beats one at 0.95", "boards")
    for size, part in EQUAL.items():
        times = number_of(boards, part)
        for name in ("100 cases", "1,000 cases", "200 cases, paired"):
            rng, hits = np.random.default_rng(21), []
            for _ in range(times):
                if "paired" in name:
                    x = paired(rng, size, 200, 0.8)
                else:
                    x = unpaired(rng, size, 100 if name == "100 cases" else 1000, 0.8)
                first = int((x == x.max(axis=1, keepdims=True)).mean(axis=0).argmax())
                by_fewer = not_best_by_fewer(x) if size <= COMPARED else None
                hits.append((by_fewer, bool((superiority(x)[first] >= PROB).any())))
            shares = [
                "-" if column[0] is None else share(list(column))
                for column in zip(*hits, strict=True)
            ]
            row(size, name, *shares, times)


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
                    known = population_of(
                        x, np.arange(size), (0.0, 1.0), counted, np.full(size, 4.0)
                    )
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
    return np.quantile(
        rng.beta(mean * kappa + right[first], (1 - mean) * kappa + cases - right[first]),
        [0.025, 0.975],
    )


PARTS = {"pairs": (pairs, 200), "leader": (leader, 600)}

if __name__ == "__main__":
    for part, (measure, times) in PARTS.items():
        if len(sys.argv) == 1 or sys.argv[1] == part:
            print(f"{part}:")
            measure(int(sys.argv[2]) if len(sys.argv) > 2 else times)
