"""Measure intervals of ``partial_truth`` beside labels alone, PPI++ (ppi-python) and truescore, for its page.

Run: python scripts/measure_partial_truth.py [RUNS]. With 2,000 runs (default) it takes about ten minutes on one core.
Columns of packages that are not installed are empty.
"""

import sys
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
from page_tables import write_page
from scipy.stats import beta, chisquare, norm

import bayesrank as br
from bayesrank.models.partial_truth import STRENGTHS

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
METHODS = ("partial_truth", "labels alone", "PPI++", "truescore")
#: A method is a rival where its coverage is at least this.
VALID = 0.93
#: Eight systems: true rates; the first two are kin of the judge, which overlooks more of their errors.
RATES = np.array([0.80, 0.76, 0.78, 0.74, 0.72, 0.70, 0.66, 0.60])
KIN = np.arange(8) < 2
ENDS = (0.025, 0.975)
HEAD = """# Truth known in part

This page shows how often 95% intervals hold the true mean outcome, and the mean width of these intervals, on {runs:,}
simulated boards per row. The labels are a random sample of the cases. The column *judge* has the probability of verdict
1 for a right answer, and of verdict 0 for a wrong answer. Labels alone have a uniform prior. PPI++ is `ppi_mean_ci` of
ppi-python 0.2.3 with its own tuning, and truescore is `ppi_estimate` of truescore 0.7.4. The *ratio* is the width of
`partial_truth` divided by the width of the narrowest other method with a coverage of at least {valid}. The Monte-Carlo
error of a coverage of 0.95 is {error:.3f}. Written by `scripts/measure_partial_truth.py`.
"""


def ppi(truth: np.ndarray, verdict: np.ndarray, labels: int) -> tuple[float, float]:
    """Return the interval of ppi-python; the first cases have labels."""
    from ppi_py import ppi_mean_ci

    y, f = truth.astype(float), verdict.astype(float)
    low, high = ppi_mean_ci(y[:labels], f[:labels], f[labels:], alpha=0.05)
    return float(np.squeeze(low)), float(np.squeeze(high))


def truescore(truth: np.ndarray, verdict: np.ndarray, labels: int) -> tuple[float, float]:
    from truescore import ppi_estimate

    found = ppi_estimate(verdict, truth[:labels].astype(int), np.arange(labels))
    return found.low, found.high


PEERS: dict[str, tuple[str, Callable[..., tuple[float, float]]]] = {
    "PPI++": ("ppi_py", ppi),
    "truescore": ("truescore", truescore),
}


def measure(row: tuple, runs: int, rng: np.random.Generator) -> str:
    """Return a row of the table: share of intervals with the true mean, and mean width, for each method."""
    rate, labels, cases, right, wrong = row
    found: dict[str, list[tuple[bool, float]]] = {name: [] for name in METHODS}
    for run in range(runs):
        truth = rng.random(cases) < rate
        verdict = (rng.random(cases) < np.where(truth, right, 1 - wrong)).astype(int)
        human = np.where(np.arange(cases) < labels, truth, np.nan)
        judged = br.from_judged(
            pd.DataFrame({"judge": verdict, "human": human}), judge="judge", truth="human"
        )
        drawn = br.fit(judged, draws=1000, chains=2, seed=run)["posterior"]["mean_outcome"].values
        hits = int(truth[:labels].sum())
        ends = {"partial_truth": np.quantile(drawn, ENDS)}
        ends["labels alone"] = beta.ppf(ENDS, hits + 1, labels - hits + 1)
        for name, (module, interval) in PEERS.items():
            if find_spec(module):
                ends[name] = interval(truth, verdict, labels)
        for name, (low, high) in ends.items():
            found[name].append((bool(low <= rate <= high), high - low))
    cells = [f"{rate:g}", f"{labels} of {cases:,}", f"{right:g} / {wrong:g}"]
    means = {name: np.mean(each, axis=0) for name, each in found.items() if each}
    for name in METHODS:
        cells += [f"{number:.3f}" for number in means.get(name, ())] or ["", ""]
    rivals = [
        width for name, (covered, width) in means.items() if name != METHODS[0] and covered >= VALID
    ]
    cells.append(f"{means[METHODS[0]][1] / min(rivals):.2f}" if rivals else "")
    return f"| {' | '.join(cells)} |"


def kin_board(rng: np.random.Generator, cases: int = 600, labels: int = 100) -> pd.DataFrame:
    """Return a long table of eight systems whose errors share the difficulty of the cases, with a partial judge."""
    difficulty = rng.standard_normal((cases, 1))
    right = (difficulty + rng.standard_normal((cases, 8))) / np.sqrt(2) < norm.ppf(RATES)
    verdict = rng.random((cases, 8)) < np.where(
        right, np.where(KIN, 0.98, 0.95), np.where(KIN, 0.75, 0.40)
    )
    known = np.broadcast_to(rng.permutation(cases)[:, None] < labels, right.shape)
    names, case = np.meshgrid(list("abcdefgh"), np.arange(cases))
    flat = {
        "system": names,
        "case": case,
        "gpt": verdict.astype(int),
        "human": np.where(known, right, np.nan),
    }
    return pd.DataFrame({name: column.ravel() for name, column in flat.items()})


def measure_kin(runs: int) -> list[str]:
    """Return lines on differences and rank sets of eight systems, from the judge, from the model, and from labels."""
    rng, first, second = np.random.default_rng(2), *np.triu_indices(8, 1)
    wanted, order = RATES[first] - RATES[second], 1 + (RATES[:, None] < RATES).sum(1)
    found: dict[str, list[np.ndarray]] = {
        "judge as truth": [],
        "partial_truth": [],
        "labels alone": [],
    }
    for run in range(runs):
        frame = kin_board(rng)
        of = {"entity": "system", "case": "case"}
        wide = frame.pivot(index="case", columns="system", values=["gpt", "human"])
        each = {
            "judge as truth": br.from_outcomes(wide["gpt"]),
            "partial_truth": br.from_judged(frame, judge="gpt", truth="human", **of),
            "labels alone": br.from_outcomes(wide["human"].dropna()),
        }
        for name, evidence in each.items():
            ranking = br.credible_ranking(br.fit(evidence, draws=500, seed=run), "mean_outcome")
            drawn = br.fit(evidence, draws=500, seed=run)["posterior"]["mean_outcome"].stack(
                s=("chain", "draw")
            )
            low, high = np.quantile(drawn.values[first] - drawn.values[second], ENDS, axis=1)
            inside = (ranking["rank_lower"].values <= order) & (
                order <= ranking["rank_upper"].values
            )
            size = (ranking["rank_upper"] - ranking["rank_lower"] + 1).values
            hits = ((low <= wanted) & (wanted <= high)).mean()
            found[name].append(np.array([hits, (high - low).mean(), inside.all(), size.mean()]))
    lines = ["", "## Eight systems, and a judge that favours related ones", ""]
    lines += [
        f"Eight systems answer the same 600 cases ({runs:,} boards); people label 100 cases. The judge calls 40% of",
        "wrong answers right, but 75% of the wrong answers of the two systems related to it. *Coverage* and *width*",
        "are for the 95% intervals of the 28 differences. *All ranks inside* is the share of boards on which the rank",
        "sets contain all true ranks.",
        "",
        "| method | coverage | width | all ranks inside | ranks in a set |",
        "|---|---|---|---|---|",
    ]
    for name, numbers in found.items():
        means = np.mean(numbers, axis=0)
        lines.append(
            f"| {name} | " + " | ".join(f"{n:.3f}" for n in means[:3]) + f" | {means[3]:.1f} |"
        )
    return lines


def measure_faults(draws: int) -> list[str]:
    """Return a line on the mean estimate of the share of faults of agents, of which 0.75 are true."""
    frame = br.datasets.load_cases("trajectory_judges")
    cases = (
        frame.loc[frame.index.repeat(frame["count"])].drop(columns="count").reset_index(drop=True)
    )
    judges = [name for name in cases if name not in ("true_type", "truth")]
    rng, means, hits = np.random.default_rng(3), [], 0
    for run in range(draws):
        part = cases.assign(truth=cases["truth"].where(rng.permutation(len(cases)) < 40))
        judged = br.from_judged(part, judge=judges, truth="truth")
        drawn = br.fit(judged, seed=run)["posterior"]["mean_outcome"].values
        low, high = np.quantile(drawn, ENDS)
        means.append(drawn.mean())
        hits += bool(low <= 0.75 <= high)
    return [
        "",
        "## Faults of agents",
        "",
        f"By construction, a share of 0.750 of 400 trajectories has a fault. In each of {draws} repetitions, 40 random",
        f"trajectories were labelled. The mean estimate from the verdicts of five judges is {np.mean(means):.3f}",
        f"(standard deviation {np.std(means):.3f}), and {hits} of the {draws} intervals (at 95%) hold 0.750. Without",
        "labels, the model of Dawid and Skene estimates 0.645.",
    ]


def calibrate(runs: int) -> list[str]:
    """Return lines on simulation-based calibration: ranks of true means among draws, from the model's own prior."""
    rng, ranks = np.random.default_rng(4), []
    while len(ranks) < runs:
        shares = rng.dirichlet(np.full(3, 1 / 3))
        common, strength = rng.random(), rng.choice(STRENGTHS)
        rates = rng.beta(strength * common, strength * (1 - common), 3)
        verdict = rng.choice(3, 120, p=shares)
        if len(set(verdict)) < 3:
            continue  # the prior is that of three strata
        human = np.where(np.arange(120) < 30, rng.random(120) < rates[verdict], np.nan)
        judged = br.from_judged(
            pd.DataFrame({"judge": verdict, "human": human}), judge="judge", truth="human"
        )
        drawn = br.fit(judged, draws=99, chains=1, seed=len(ranks))["posterior"][
            "mean_outcome"
        ].values
        ranks.append(int((drawn < shares @ rates).sum()))
    tally = np.bincount(np.array(ranks) // 10, minlength=10)
    return [
        "",
        "## Calibration",
        "",
        f"In {runs:,} simulations from the model's own prior (three verdicts, 30 labels of 120), the rank of the true",
        "mean among 99 draws should be uniform from 0 to 99. In ten classes of ranks there are",
        f"{', '.join(map(str, tally))}: p = {chisquare(tally).pvalue:.2f} for a uniform distribution.",
    ]


def main(runs: int) -> None:
    """Measure all rows and write the page."""
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(1)
    error = float(np.sqrt(0.95 * 0.05 / runs))
    lines = HEAD.format(runs=runs, error=error, valid=VALID).splitlines()
    for title, rows in (
        ("Designs that were used to choose the prior", CHOSEN),
        ("Other designs", CHECKED),
    ):
        lines += ["", f"## {title}", ""]
        lines += [
            f"| rate | labels | judge | {' | width | '.join(METHODS)} | width | ratio |",
            "|" + "---|" * 12,
        ]
        for row in rows:
            lines.append(measure(row, runs, rng))
            print(lines[-1], flush=True)
    for part in (measure_kin(min(runs, 400)), measure_faults(100), calibrate(runs)):
        print("\n".join(part), flush=True)
        lines += part
    write_page(PAGE, "\n".join([*lines, ""]))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
