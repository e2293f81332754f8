"""How often default intervals hold the truth, near the ends of a score's range too, for docs/measured/ends.md.

Rates are exact: sums over all numbers of right answers. Scores of tables are simulated: for each board one table, for
each table 500 draws of its posterior. Withholding an interval counts as a miss.

Run: python scripts/measure_ends.py [rates] [tables] [runs]; the default is all parts.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from scipy import stats
from scipy.special import betaincinv

from bayesrank.claims.ends import close_ends, near_ends, reach_end_of_class
from bayesrank.models.parts.priors import of_shape
from bayesrank.scores import Score, as_score

PICTURE = Path(__file__).parent.parent / "docs" / "figures" / "ends.png"
TAIL = 0.025
SIZES = (10, 20, 30, 50, 100, 200, 500, 1000, 3000, 10_000)
#: 1 minus the truth, from 0.5 to 0.0001, and the number of neighbours within a factor of 1.43.
MISSES = np.geomspace(0.5, 1e-4, 241)
NEIGHBOURS = round(np.log(1.43) / np.log(MISSES[0] / MISSES[1]))
#: Concentration of right and of wrong answers by candidate.
RATES = {"1/4": 0.25, "1/2 (default)": 0.5, "1": 1.0, "2 (four cases)": 2.0}
#: How the ends of intervals are closed: not at all; where no case is wrong; where at most one is (the default).
CLOSED = ("open", "closed at n of n", "closed at n - 1 of n too")
DRAWS = 500


def interval_of_rates(cases: int, prior: float, closed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return intervals for each number of right answers."""
    right = np.arange(cases + 1.0)
    low, high = (
        betaincinv(right + prior, cases - right + prior, level) for level in (TAIL, 1 - TAIL)
    )
    if not closed:
        return low, high
    near = (right <= 1, right >= cases - 1) if closed == 2 else None
    return close_ends(low, high, right / cases, (0.0, 1.0), near)


def coverage_of_rates(cases: int, prior: float, closed: int, truth: np.ndarray) -> np.ndarray:
    """Return the exact coverage at each truth."""
    low, high = interval_of_rates(cases, prior, closed)
    last = np.searchsorted(low, truth, side="right") - 1
    first = np.searchsorted(high, truth, side="left")
    return stats.binom.cdf(last, cases, truth) - stats.binom.cdf(first - 1, cases, truth)


def width_of_rates(cases: int, prior: float, closed: int, truth: float) -> float:
    """Return the expected width."""
    low, high = interval_of_rates(cases, prior, closed)
    return float(stats.binom.pmf(np.arange(cases + 1), cases, truth) @ (high - low))


def print_table(header: list[str], rows: list[list[str]]) -> None:
    """Print a table in Markdown."""
    for row in (header, ["---"] * len(header), *rows):
        print("| " + " | ".join(row) + " |", flush=True)
    print()


def rates() -> None:
    """Print exact coverage and relative widths of rates."""
    truth, rows = 1 - MISSES, []
    for name, prior in RATES.items():
        for closed, how in enumerate(CLOSED):
            each = [coverage_of_rates(n, prior, closed, truth) for n in SIZES]
            near = [
                np.convolve(held, np.ones(NEIGHBOURS) / NEIGHBOURS, "valid").min() for held in each
            ]
            least = min(held.min() for held in each)
            rows.append([name, how, f"{least:.3f}", f"{min(near):.3f}", f"{np.mean(each):.3f}"])
    print_table(["prior", "interval", "least", "least of neighbours", "mean"], rows)
    rows = [
        [f"{n:,}", *(f"{held.min():.3f}" for held in parts), f"{parts[1].mean():.3f}"]
        for n in SIZES
        for parts in [
            [coverage_of_rates(n, prior, closed, truth) for prior, closed in ((2.0, 0), (0.5, 2))]
        ]
    ]
    print_table(["cases", "least, four cases, open", "least, default", "mean, default"], rows)
    truths = (0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99)
    rows = [
        [
            f"{n:,}",
            *(f"{width_of_rates(n, 0.5, 2, p) / width_of_rates(n, 2.0, 0, p):.3f}" for p in truths),
        ]
        for n in (10, 20, 50, 100, 200)
    ]
    print_table(["cases", *map(str, truths)], rows)
    draw()


def draw() -> None:
    """Draw the exact coverage of rates, before and with the default prior and closed ends."""
    figure, axes = plt.subplots(1, 3, figsize=(9, 3), sharey=True, layout="constrained")
    for ax, cases in zip(axes, (30, 100, 1000), strict=True):
        for name, prior, closed in (
            ("four cases, open ends", 2.0, 0),
            ("one case, closed ends", 0.5, 2),
        ):
            ax.plot(
                MISSES,
                coverage_of_rates(cases, prior, closed, 1 - MISSES),
                label=name,
                linewidth=1.2,
            )
        ax.axhline(0.95, color="0.6", linewidth=0.8)
        ax.set(xscale="log", xlabel="1 - true rate", title=f"{cases:,} cases", ylim=(0, 1.02))
        ax.invert_xaxis()
    axes[0].set_ylabel("coverage of 95% intervals")
    axes[0].legend(frameon=False, fontsize=8, loc="lower left")
    figure.savefig(PICTURE, dpi=160)
    plt.close(figure)


def tables_of_two(
    rng: np.random.Generator, rate: tuple, cases: int, share: float, boards: int, sampled: bool
):
    """Return boards of two-class tables (board, actual, predicted) with TNR and TPR ``rate``."""
    positives = (
        rng.binomial(cases, share, boards) if sampled else np.full(boards, round(cases * share))
    )
    table = np.zeros((boards, 2, 2))
    for c, size in enumerate((cases - positives, positives)):
        table[:, c, c] = rng.binomial(size, rate[c])
        table[:, c, 1 - c] = size - table[:, c, c]
    return table


def draw_tables(
    rng: np.random.Generator, table: np.ndarray, alpha: np.ndarray, sampled: bool
) -> np.ndarray:
    """Return draws (board, draw, actual, predicted) of Dirichlet rows and of sampled or observed class shares."""
    gamma = rng.standard_gamma((table + alpha)[:, None], (len(table), DRAWS, *alpha.shape))
    if sampled:
        return gamma / gamma.sum((-2, -1), keepdims=True)
    share = table.sum(-1) / table.sum((-2, -1))[:, None]
    return gamma / gamma.sum(-1, keepdims=True) * share[:, None, :, None]


def share_held(
    score: Score,
    drawn: np.ndarray,
    observed: np.ndarray,
    truth: float,
    table: np.ndarray,
    alpha: np.ndarray,
) -> np.ndarray:
    """Return for each board whether the default interval holds the truth; NaN draws are a miss of their share."""
    some = np.isfinite(drawn).any(axis=1)
    low, high = np.full((2, len(drawn)), np.nan)
    low[some], high[some] = np.nanquantile(drawn[some], [TAIL, 1 - TAIL], axis=1)
    names, labels = range(len(table)), range(table.shape[-1])
    counts = xr.DataArray(
        table,
        {"entity": names, "actual": labels, "predicted": labels},
        ("entity", "actual", "predicted"),
    )

    def value(moved: xr.DataArray) -> xr.DataArray:
        return moved[:, 0, 0].copy(data=score.of_tables(moved.values, moved.values.sum(-1) > 0))

    if len(labels) == 2:
        prior = xr.DataArray(alpha, dims=("actual", "predicted"))
        low, high = reach_end_of_class((low, high), counts, prior, 1 - 2 * TAIL, value)
    low, high = close_ends(
        low, high, observed, score.range, near_ends(counts, score, score.range, value)
    )
    return (low <= truth + 1e-12) & (truth - 1e-12 <= high)


TWO_SCORES = ("accuracy", "tpr", "ppv", "f1", "informedness", "balanced_accuracy", "mcc", "cohen_kappa",
              "positive_likelihood_ratio", "jaccard")  # fmt: skip
TWO_RATES = ((0.9, 0.85), (0.95, 0.6), (0.99, 0.95), (0.9, 0.999), (0.95, 0.999), (0.98, 0.99), (0.99, 0.999),
             (0.999, 0.99), (0.9999, 0.999))  # fmt: skip
TWO_SIZES = ((30, 0.1), (30, 0.5), (100, 0.1), (300, 0.1), (1000, 0.5))


def held_by_tables(
    prior: str, rate: tuple[float, float], cases: int, share: float, sampled: bool, boards: int
) -> list[float]:
    """Return the coverage of each two-class score in one cell."""
    rng, alpha, scores = (
        np.random.default_rng(1),
        of_shape(prior, (2, 2)),
        [as_score(name) for name in TWO_SCORES],
    )
    truth = np.array([[rate[0], 1 - rate[0]], [1 - rate[1], rate[1]]]) * [[1 - share], [share]]
    table = tables_of_two(rng, rate, cases, share, boards, sampled)
    parts = [
        draw_tables(rng, part, alpha, sampled)
        for part in np.array_split(table, max(boards // 100, 1))
    ]
    return [
        share_held(s, np.concatenate([s.of_tables(part) for part in parts]), s.of_tables(table),
                   float(s.of_tables(truth)), table, alpha).mean()
        for s in scores
    ]  # fmt: skip


def tables(boards: int = 1000) -> None:
    """Print the coverage of two-class scores, for the worst size and kind of prevalence at each pair of rates."""
    for prior in ("one_case", "uniform"):
        rows, every = [], []
        for rate in TWO_RATES:
            held = np.array(
                [
                    held_by_tables(prior, rate, cases, share, sampled, boards)
                    for cases, share in TWO_SIZES
                    for sampled in (True, False)
                ]
            )
            every.append(held)
            rows.append([f"{rate[0]:g}, {rate[1]:g}", *(f"{x:.3f}" for x in held.min(axis=0))])
        mean = np.concatenate(every).mean(axis=0)
        rows.append(["mean of all cells", *(f"{x:.3f}" for x in mean)])
        print(prior)
        print_table(["TNR, TPR", *TWO_SCORES], rows)


#: How the rates of cases vary, and their mean.
RUNS: dict[str, tuple[Callable[[np.random.Generator, int], np.ndarray], float]] = {
    "Beta(0.3, 0.3)": (lambda rng, n: rng.beta(0.3, 0.3, n), 0.5),
    "Beta(2, 1)": (lambda rng, n: rng.beta(2, 1, n), 2 / 3),
    "all 0.7": (lambda rng, n: np.full(n, 0.7), 0.7),
    "all 0.95": (lambda rng, n: np.full(n, 0.95), 0.95),
    "Beta(9, 1)": (lambda rng, n: rng.beta(9, 1, n), 0.9),
    "Beta(9, 0.2)": (lambda rng, n: rng.beta(9, 0.2, n), 9 / 9.2),
    "Beta(3, 0.1)": (lambda rng, n: rng.beta(3, 0.1, n), 3 / 3.1),
}


def runs(boards: int = 600) -> None:
    """Print the coverage of means over four runs of each case, with prior cases at 0 and at 1."""
    rng, rows = np.random.default_rng(1), []
    for name, (rates_of, truth) in RUNS.items():
        for cases in (15, 30, 100):
            row = [name, str(cases)]
            for end in (0.5, 1.0, 2.0):
                held = 0
                for _ in range(boards):
                    mean = rng.binomial(4, rates_of(rng, cases)) / 4
                    weight, prior = (
                        rng.exponential(size=(DRAWS, cases)),
                        rng.gamma(end, size=(DRAWS, 2)),
                    )
                    drawn = (weight @ mean + prior[:, 1]) / (weight.sum(1) + prior.sum(1))
                    low, high = np.quantile(drawn, [TAIL, 1 - TAIL])[:, None]
                    low, high = close_ends(low, high, mean.mean(keepdims=True), (0.0, 1.0))
                    held += bool(low[0] <= truth <= high[0])
                row.append(f"{held / boards:.3f}")
            rows.append(row)
    print_table(["rates", "cases", "1/2 at each end", "1", "2"], rows)


PARTS: dict[str, Callable[[], None]] = {"rates": rates, "tables": tables, "runs": runs}


def main() -> None:
    for name in sys.argv[1:] or PARTS:
        PARTS[name]()


if __name__ == "__main__":
    main()
