"""Measure how often 95% intervals of ``partial_truth`` hold the true mean, beside labels alone and PPI++.

Writes docs/measured/partial_truth.md. Usage: ``python scripts/measure_partial_truth.py [RUNS]``.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd

import bayesrank as br

PAGE = Path(__file__).parents[1] / "docs" / "measured" / "partial_truth.md"
#: True rate, labels, cases, and P(verdict 1) for right and 1 - P(verdict 1) for wrong answers.
CHOSEN = [
    (0.70, 50, 1000, 0.95, 0.60), (0.90, 50, 1000, 0.97, 0.50), (0.95, 30, 500, 0.98, 0.40),
    (0.98, 50, 500, 0.99, 0.30), (0.50, 50, 1000, 0.50, 0.50), (0.70, 200, 1000, 0.95, 0.60),
]  # fmt: skip
CHECKED = [
    (0.80, 40, 800, 0.90, 0.80), (0.97, 100, 1000, 0.95, 0.70), (0.30, 50, 1000, 0.80, 0.90),
    (0.60, 20, 400, 0.90, 0.70), (0.99, 60, 2000, 0.995, 0.50), (0.85, 60, 600, 0.60, 0.40),
]  # fmt: skip


def power_tuned(truth: np.ndarray, verdict: np.ndarray, labels: int) -> tuple[float, float]:
    """Return the 95% interval of power-tuned prediction-powered inference; the first cases have labels."""
    y, f, rest = truth[:labels].astype(float), verdict[:labels].astype(float), verdict[labels:].astype(float)
    spread = verdict.var() * (1 + labels / len(rest))
    tuned = float(np.clip(np.cov(y, f)[0, 1] / spread, 0, 1)) if spread else 0.0
    mean = tuned * rest.mean() + (y - tuned * f).mean()
    error = np.sqrt(tuned**2 * rest.var() / len(rest) + (y - tuned * f).var(ddof=1) / labels)
    return mean - 1.96 * error, mean + 1.96 * error


def measure(row: tuple, runs: int, rng: np.random.Generator) -> list[str]:
    """Return a row of the table: share of intervals with the true mean, and mean width, for each method."""
    rate, labels, cases, right, wrong = row
    found: dict[str, list[tuple[bool, float]]] = {"partial_truth": [], "labels alone": [], "PPI++": []}
    for run in range(runs):
        truth = rng.random(cases) < rate
        verdict = (rng.random(cases) < np.where(truth, right, 1 - wrong)).astype(int)
        human = np.where(np.arange(cases) < labels, truth, np.nan)
        judged = br.from_judged(pd.DataFrame({"judge": verdict, "human": human}), judge="judge", truth="human")
        drawn = br.fit(judged, draws=1000, chains=2, seed=run)["posterior"]["mean_outcome"].values
        hits = int(truth[:labels].sum())
        alone = rng.beta(hits + 1, labels - hits + 1, 4000)
        ends = {"partial_truth": np.quantile(drawn, (0.025, 0.975)), "labels alone": np.quantile(alone, (0.025, 0.975))}
        for name, (low, high) in (ends | {"PPI++": power_tuned(truth, verdict, labels)}).items():
            found[name].append((bool(low <= rate <= high), high - low))
    cells = [f"{rate:g}", f"{labels} of {cases:,}", f"{right:g} / {wrong:g}"]
    for each in found.values():
        covered, width = np.mean(each, axis=0)
        cells += [f"{covered:.3f}", f"{width:.3f}"]
    return cells


def main(runs: int) -> None:
    """Measure all rows and write the page."""
    rng = np.random.default_rng(1)
    lines = [
        "# Truth known in part: coverage",
        "",
        f"Share of {runs:,} simulated boards whose 95% interval holds the true mean outcome, and its mean width.",
        "Written by `scripts/measure_partial_truth.py`. Labels are a random sample. The judge's two rates are those of",
        "verdict 1 for right and of verdict 0 for wrong answers. Labels alone have a uniform prior. PPI++ is our own",
        "formula of power-tuned prediction-powered inference, with a normal interval.",
    ]
    for title, rows in (("Rows that chose the prior", CHOSEN), ("Rows that did not", CHECKED)):
        lines += ["", f"## {title}", ""]
        lines += ["| rate | labels | judge | partial_truth | width | labels alone | width | PPI++ | width |"]
        lines += ["|" + "---|" * 9]
        lines += ["| " + " | ".join(measure(row, runs, rng)) + " |" for row in rows]
    error = np.sqrt(0.95 * 0.05 / runs)
    lines += ["", f"The Monte-Carlo error of a coverage of 0.95 is {error:.3f}.", ""]
    PAGE.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
