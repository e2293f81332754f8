"""How often drift raises false alarms, and how soon it finds a fall of recall, for docs/measured/drift.md.

Months have 200 positives and 1,800 negatives each, and so has the baseline, unless a table says otherwise. "Product"
runs br.fit and br.ops.drift on counts; the other parts compare the moments of the same posterior.

Run: python scripts/measure_drift.py [product] [sizes] [false] [power] [clusters] [runs]; the default is all parts.
"""

import sys

import numpy as np
from scipy import stats

import bayesrank as br
from bayesrank.ops.alarms import compare_looks, probability_not_fallen
from bayesrank.ops.clusters import worth_of_periods

LOOKS, POSITIVES, NEGATIVES, FPR = 24, 200, 1800, 0.02
RUNS, ERROR = 2000, 0.05
#: Clusters of a month, their mean size, the rate and the intraclass correlation.
CLUSTERED = (
    (20, 10, 0.92, 0.1),
    (20, 10, 0.92, 0.3),
    (20, 10, 0.98, 0.1),
    (50, 4, 0.92, 0.1),
    (8, 25, 0.92, 0.1),
)


def print_table(header: list[str], rows: list[list[str]]) -> None:
    """Print a table in Markdown."""
    for row in (header, ["---"] * len(header), *rows):
        print("| " + " | ".join(row) + " |", flush=True)
    print()


def share(hits: list[bool]) -> str:
    """Format a share of runs with its standard error."""
    p = np.mean(hits)
    return f"{p:.3f} ± {np.sqrt(p * (1 - p) / len(hits)):.3f}"


def months(
    rng: np.random.Generator,
    tpr: np.ndarray,
    positives: int,
    negatives: int,
    fpr: float = FPR,
    first: int = 1,
) -> tuple[np.ndarray, ...]:
    """Draw TP, FP and the sizes of months; the first is so many times as large."""
    scale = np.where(np.arange(len(tpr)) == 0, first, 1)
    p, n = scale * positives, scale * negatives
    return rng.binomial(p, tpr), rng.binomial(n, fpr), p, n


def alarms_of(x: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Return whether each look has an alarm, by right answers of one rate and cases, under the default posterior."""
    p = compare_looks((x + 0.5) / (size + 1), size + 1.0, 0, LOOKS, ERROR / 2)
    return (p * ERROR <= ERROR).any(axis=1)


def product(runs: int) -> None:
    """Print false alarms and discoveries of the whole product."""
    rng, none, found = np.random.default_rng(1), [], []
    for _ in range(runs):
        for change, hits in ((LOOKS + 1, none), (1, found)):
            tpr = np.where(np.arange((LOOKS if change > 1 else 3) + 1) < change, 0.92, 0.80)
            tp, fp, p, n = months(rng, tpr, POSITIVES, NEGATIVES)
            names = {"entity": ["m"] * len(tp), "dataset": np.arange(len(tp))}
            counts = br.from_counts(tn=n - fp, fp=fp, fn=p - tp, tp=tp, **names)
            posterior = br.fit(counts, "dirichlet_multinomial", seed=int(rng.integers(2**31)))
            alarm = br.ops.drift(posterior, "f1", looks=LOOKS)["alarm"]
            hits.append(bool(alarm.any() if change > 1 else alarm.sel(rate="tpr").any()))
    print_table(
        ["24 looks, false alarm", "0.92 to 0.80, found in 3 months"], [[share(none), share(found)]]
    )


def sizes(runs: int) -> None:
    """Print the largest exact error of a p-value over its level, by the cases that are moved against the alarm."""
    level, truths, rows = 5e-4, np.linspace(0.01, 0.99, 99)[:, None], []
    for before, now in ((10, 10), (20, 20), (50, 50), (100, 20), (50, 150), (200, 200), (200, 600)):
        x, y = np.arange(before + 1.0)[:, None], np.arange(now + 1.0)
        chances = stats.binom.pmf(x[:, 0], before, truths), stats.binom.pmf(y, now, truths)
        row = [f"{before}", f"{now}"]
        for moved in (0.0, 0.25, 0.5):
            low = 1e-9  # a rate of 0 or 1 has no case to move
            p = probability_not_fallen(
                np.maximum(x + 0.5 - moved, low), before - x + 0.5 + moved, y + 0.5 + moved,
                np.maximum(now - y + 0.5 - moved, low),
            )  # fmt: skip
            found = np.einsum("tx,ty,xy->t", *chances, (p <= level).astype(float))
            row.append(f"{found.max() / level:.2f}")
        rows.append(row)
    print_table(["cases before", "cases now", "none moved", "a quarter", "half (Fisher)"], rows)


def false(runs: int) -> None:
    """Print false alarms over 24 looks, by rates and sizes."""
    rng, rows = np.random.default_rng(2), []
    for positives, negatives, first in (
        (20, 180, 1),
        (50, 450, 1),
        (200, 1800, 1),
        (200, 1800, 10),
        (1000, 1000, 1),
    ):
        for tpr, fpr in ((0.5, 0.5), (0.8, 0.1), (0.92, 0.02), (0.98, 0.002)):
            hits = []
            for _ in range(runs):
                tp, fp, p, n = months(
                    rng, np.full(LOOKS + 1, tpr), positives, negatives, fpr, first
                )
                hits.append(bool(alarms_of(tp, p).any() or alarms_of(n - fp, n).any()))
            sizes = [f"{positives:,}", f"{negatives:,}", f"{first}", f"{tpr}", f"{fpr}"]
            rows.append([*sizes, share(hits)])
    print_table(
        ["positives", "negatives", "baseline, months", "TPR", "FPR", "any false alarm"], rows
    )


def power(runs: int) -> None:
    """Print how often a fall of recall is found in one, two and three months after it."""
    rng, rows = np.random.default_rng(3), []
    for after, first in ((0.85, 1), (0.80, 1), (0.80, 5), (0.70, 1)):
        for change in (1, 6, 22):
            tpr = np.where(np.arange(change + 3) < change, 0.92, after)
            found = np.zeros((runs, 3))
            for i in range(runs):
                tp, _, p, _ = months(rng, tpr, POSITIVES, NEGATIVES, first=first)
                found[i] = alarms_of(tp, p)[change:].cumsum() > 0
            row = [f"0.92 to {after:.2f}", f"{first}", f"{change}"]
            rows.append([*row, *(share(list(each)) for each in found.T)])
    header = [
        "recall",
        "baseline, months",
        "first month of the fall",
        "in 1 month",
        "in 2 months",
        "in 3 months",
    ]
    print_table(header, rows)


def clusters(runs: int) -> None:
    """Print false alarms of one rate that does not change, of cases in clusters of beta-distributed rates."""
    rng, rows = np.random.default_rng(21), []
    for number, size, rate, correlation in CLUSTERED:
        hits, spread = [], (1 - correlation) / correlation
        for _ in range(runs):
            sums = []
            for _ in range(LOOKS + 1):
                cases = rng.poisson(size - 1, number) + 1
                right = rng.binomial(cases, rng.beta(rate * spread, (1 - rate) * spread, number))
                sums.append((right.astype(float), cases.astype(float), float(cases.sum())))
            worth, freedom = worth_of_periods(sums)
            mean = np.array([(right.sum() + 0.5) / (cases.sum() + 1) for right, cases, _ in sums])
            hits.append(bool((compare_looks(mean, worth, 0, LOOKS, ERROR / 2, freedom) <= 1).any()))
        rows.append([f"{number}", f"{size}", f"{rate}", f"{correlation}", share(hits)])
    header = [
        "clusters a month",
        "cases a cluster",
        "rate",
        "intraclass correlation",
        "false alarm of this rate",
    ]
    print_table(header, rows)


if __name__ == "__main__":
    asked = sys.argv[1:]
    number = next((int(word) for word in asked if word.isdigit()), RUNS)
    for part in (product, sizes, false, power, clusters):
        if part.__name__ in asked or not set(asked) - {str(number)}:
            part(number)
