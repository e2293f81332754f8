"""Measure ``latent_class``: its maximum beside that of stepmix, and its claims on simulated boards, for its page.

Run: python scripts/measure_latent_class.py [SECONDS]. Boards are simulated for that many seconds of CPU time (720 by
default; an interrupt ends them earlier). stepmix must be installed.
"""

import sys
import time
import warnings
from collections.abc import Iterator
from datetime import date
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
from page_tables import write_page
from scipy.special import expit, ndtri

import bayesrank as br
from bayesrank._core.source import groups_of
from bayesrank.models.latent_class import LatentClass

PAGE = Path(__file__).parents[1] / "docs" / "measured" / "latent_class.md"
HEAD = """# No gold standard

Written by `scripts/measure_latent_class.py` on {today}.

## Beside stepmix

Five dentists look at 3,869 teeth; nobody knows which have caries. Both packages fit two latent classes by maximum
likelihood. Verdicts are independent within a class. stepmix {version} runs expectation maximisation from 20 starts; the
model `latent_class` has `dependence="none"`.

| | bayesrank | stepmix |
|---|---|---|
"""
TAIL = "\nThe largest difference between the two columns of rates is {gap:.0e}.\n"
#: Tests, prevalences, cases, simulated dependence, fitted one.
IDENTIFIED = [
    (2, (0.1, 0.5), 1000, "none", "none"), (2, (0.1, 0.3, 0.6), 600, "none", "none"),
    (3, (0.3,), 300, "none", "none"), (3, (0.3,), 2000, "none", "none"),
    (5, (0.3,), 100, "none", "none"), (5, (0.3,), 1000, "none", "none"), (5, (0.2, 0.5), 1000, "none", "none"),
    (10, (0.3,), 100, "none", "none"), (10, (0.1, 0.3, 0.6), 2000, "none", "none"),
    (5, (0.3,), 1000, "none", "common"), (5, (0.3,), 1000, "common", "common"), (5, (0.3,), 1000, "pairs", "pairs"),
    (5, (0.3,), 300, "common", "none"), (5, (0.3,), 2000, "common", "none"), (10, (0.3,), 500, "common", "none"),
    (5, (0.3,), 1000, "pairs", "none"), (4, (0.3,), 2000, "pairs", "none"),
]  # fmt: skip
UNIDENTIFIED = [
    (2, (0.3,), 100, "none", "none"), (2, (0.3,), 2000, "none", "none"), (2, (0.3, 0.3), 2000, "none", "none"),
    (2, (0.1, 0.5), 1000, "pairs", "pairs"), (3, (0.3,), 1000, "common", "common"),
]  # fmt: skip
#: Strength of the simulated common effect, and correlation of the first two tests within a class.
STRENGTH, CORRELATION = 0.8, 0.6
SIMULATED = """
## Claims on simulated boards

Sensitivities are uniform between 0.65 and 0.95, specificities between 0.75 and 0.98. On every other board all tests
have the same two rates. Verdicts are independent within a class, or have a normal effect of the case (strength
{strength}, `common`), or the first two tests have a latent correlation of {correlation} (`pairs`). Fits have two chains
of 250 draws. The boards were simulated in {seconds:.0f} CPU seconds.

The columns of the table are:

- *coverage*: the share of 95% intervals of sensitivities that hold the true sensitivity;
- *equal*: of boards with equal tests, the share with the headline "best" or with a pair separated by the rank sets;
- *wrong*: of boards with different tests, the share with a headline "best" for a test that is not best, or with a rank
  set without the true rank;
- *headline*: the share of boards with any headline.

Intervals on one board are correlated, so the Monte-Carlo error of the coverage is about 0.03 for 30 boards. The error
of a share of 0.05 among 15 boards is 0.06.

"""
COLUMNS = (
    "tests",
    "prevalences",
    "cases",
    "simulated",
    "fitted",
    "boards",
    "coverage",
    "equal",
    "wrong",
    "headline",
)
END = """
If the fitted dependence includes the simulated one, coverage is {right:.3f} ({right_boards} boards). A false claim
occurs on {false} of {equal} boards with equal tests, and on {wrong} of {different} boards with different tests. If the
fitted dependence does not include the simulated one, coverage is {poor:.3f} ({poor_boards} boards), and the headline
"best" occurs on {best} of them. If the cases do not identify the parameters, {shown} of {unidentified} boards have a
headline.
"""


def compare() -> str:
    """Return the table of maximum-likelihood estimates of the dentists, beside stepmix."""
    from stepmix.stepmix import StepMix

    frame = br.datasets.load_cases("dentists")
    tests = [name for name in frame if name != "count"]
    verdict = frame.loc[frame.index.repeat(frame["count"]), tests].to_numpy()
    options = {
        "n_init": 20,
        "abs_tol": 1e-12,
        "rel_tol": 1e-12,
        "max_iter": 5000,
        "progress_bar": 0,
    }
    peer = StepMix(n_components=2, measurement="binary", random_state=0, **options).fit(verdict)
    positive = np.asarray(peer.get_parameters()["measurement"]["pis"])
    share = np.asarray(peer.get_parameters()["weights"])
    high = int(positive.sum(axis=1).argmax())
    theirs = [
        peer.score(verdict) * len(verdict),
        share[high],
        *positive[high],
        *(1 - positive[1 - high]),
    ]

    model = LatentClass(br.datasets.load("dentists"))
    theta = model.fits["none"][0]
    # The likelihood of cases in an order, as that of stepmix.
    ours = [float(model.cells.value(theta[None])[0]), *expit(theta)]

    names = ["log likelihood", "prevalence", *(f"{what} of {test}" for what in ("sensitivity", "specificity")
                                               for test in model.tests)]  # fmt: skip
    lines = []
    for i, (name, a, b) in enumerate(zip(names, ours, theirs, strict=True)):
        digits = 3 if i else 2
        lines.append(f"| {name} | {a:.{digits}f} | {b:.{digits}f} |")
    gap = float(np.abs(np.subtract(ours, theirs))[1:].max())
    head = HEAD.format(version=version("stepmix"), today=f"{date.today():%d %B %Y}")
    return head + "\n".join(lines) + "\n" + TAIL.format(gap=gap)


def simulate(
    row: tuple, equal: bool, rng: np.random.Generator
) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Return verdicts (case, test), populations (case), and true rates (specificity or sensitivity, test)."""
    tests, shares, size, kind, _ = row
    rates = rng.uniform([[0.75], [0.65]], [[0.98], [0.95]], (2, 1 if equal else tests)) * np.ones(
        (2, tests)
    )
    population = np.arange(size) % len(shares)
    truth = rng.random(size) < np.array(shares)[population]
    noise = rng.standard_normal((size, tests))
    if kind == "common":
        noise = (noise + STRENGTH * rng.standard_normal((size, 1))) / np.hypot(1, STRENGTH)
    elif kind == "pairs":
        noise[:, 1] = CORRELATION * noise[:, 0] + np.sqrt(1 - CORRELATION**2) * noise[:, 1]
    verdict = (ndtri(np.where(truth[:, None], rates[1], 1 - rates[0])) + noise > 0).astype(int)
    return pd.DataFrame(verdict, columns=[f"test {i}" for i in range(tests)]), population, rates


def measure(row: tuple, equal: bool, rng: np.random.Generator) -> dict[str, float]:
    """Return what one board shows."""
    tests, shares, _, _, fitted = row
    frame, population, rates = simulate(row, equal, rng)
    joint = br.joint_outcomes(
        None, frame, population=population if len(shares) > 1 else None, labels=[0, 1]
    )
    pairs = [("test 0", "test 1")] if fitted == "pairs" else None
    fit = br.fit(joint, "latent_class", dependence=fitted, pairs=pairs, draws=250, chains=2, seed=1)
    low, high = (
        groups_of(fit)["posterior"]["sensitivity"]
        .quantile([0.025, 0.975], ("chain", "draw"))
        .values
    )
    ranking = br.credible_ranking(fit, "informedness")
    true = rates.sum(axis=0)
    order = 1 + (true[:, None] < true).sum(axis=1)
    best = ranking.attrs["headline"] == "best"
    if equal:
        false = (
            bool((ranking["rank_lower"] > 1).any() or (ranking["rank_upper"] < tests).any()) or best
        )
    else:
        false = bool((ranking["rank_lower"] > order).any() or (ranking["rank_upper"] < order).any())
        false |= best and order[int(ranking["median"].argmax())] > 1
    return {
        "coverage": float(((low <= rates[1]) & (rates[1] <= high)).mean()),
        "equal": float(false) if equal else np.nan,
        "wrong": np.nan if equal else float(false),
        "headline": float(ranking.attrs["headline"] != "none"),
        "best": float(best),
    }


def simulate_all(seconds: float) -> Iterator[tuple[tuple, dict[str, float]]]:
    """Yield rows and what their boards show, in turn, until the time is over."""
    end, turn = time.process_time() + seconds, 0
    while True:
        for place, row in enumerate(IDENTIFIED + UNIDENTIFIED):
            if time.process_time() > end:
                return
            if turn % 4 > 1 and (row[-1] == "common" or row[0] * len(row[1]) > 20):
                continue  # slow
            yield row, measure(row, turn % 2 == 0, np.random.default_rng([turn, place]))
        turn += 1


def table(seconds: float) -> str:
    """Return the part of the page on simulated boards."""
    boards: list[dict] = []
    start = time.process_time()
    try:
        for row, shown in simulate_all(seconds):
            boards.append({"row": row, **shown})
    except KeyboardInterrupt:  # the boards so far are shown
        print(f"stopped after {len(boards)} boards")
    found, seconds = pd.DataFrame(boards), time.process_time() - start
    lines = ["| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    for rows, title in ((IDENTIFIED, ""), (UNIDENTIFIED, "not identified, or hardly")):
        if title:
            lines.append(f"| *{title}* |" + " |" * (len(COLUMNS) - 1))
        for row in rows:
            mine = found[found["row"] == row]
            if mine.empty:
                continue
            tests, shares, size, kind, fitted = row
            cells = [
                str(tests),
                ", ".join(f"{share:g}" for share in shares),
                f"{size:,}",
                kind,
                fitted,
                str(len(mine)),
            ]
            cells += [f"{mine[name].mean():.2f}" for name in COLUMNS[6:]]
            lines.append(f"| {' | '.join(cells)} |")
    unidentified = found["row"].isin(UNIDENTIFIED)
    contained = found["row"].map(lambda row: row[3] in ("none", row[4]))
    right, poor = found[~unidentified & contained], found[~unidentified & ~contained]
    text = (
        SIMULATED.format(strength=STRENGTH, correlation=CORRELATION, seconds=seconds)
        + "\n".join(lines)
        + "\n"
    )
    return text + END.format(
        right=right["coverage"].mean(), right_boards=len(right), false=int(right["equal"].sum()),
        equal=int(right["equal"].count()), wrong=int(right["wrong"].sum()), different=int(right["wrong"].count()),
        poor=poor["coverage"].mean(), poor_boards=len(poor), best=int(poor["best"].sum()),
        shown=int(found[unidentified]["headline"].sum()), unidentified=int(unidentified.sum()),
    )  # fmt: skip


def main(seconds: float) -> None:
    """Measure and write the page."""
    warnings.simplefilter("ignore")
    write_page(PAGE, compare() + table(seconds))


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 720.0)
