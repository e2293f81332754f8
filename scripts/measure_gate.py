"""How often the gate is right, for docs/measured/gate.md: equal and different versions, at one look, 20, or all.

Run: python scripts/measure_gate.py [streams]. With 1,000 streams (default) it takes two minutes. The posterior of
one look is that of ``br.fit`` in closed form; ``br.decisions.gate`` itself judges the first streams too.
"""

import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
from page_tables import write_page
from scipy.special import logsumexp
from scipy.stats import t

import bayesrank as br
from bayesrank.decisions.gates import BETS

PAGE = Path(__file__).parents[1] / "docs" / "measured" / "gate.md"
CASES, LOOKS, ERROR, TOLERANCE, CHECKED = 1000, 20, 0.05, 0.08, 20
#: Difference of the new version, share of cases on which the two differ, margin.
EQUAL = [(0.0, share, 0.0) for share in (0.1, 0.2, 0.3)]
OTHERS = [
    (-0.05, 0.2, 0.0),
    (-0.05, 0.2, 0.01),
    (0.0, 0.2, 0.05),
    (0.0, 0.1, 0.05),
    (0.05, 0.2, 0.0),
]
HEAD = """# The gate

`br.decisions.gate` and `bayesrank gate` were run on streams of 1,000 paired cases with right and wrong answers. The
rate of false claims of *worse* that the gate allows is 0.05. Each row has {streams:,} streams; the Monte-Carlo error of
a share of 0.05 is {error:.3f}. *Differ* is the share of cases on which one version is right and the other wrong. The
columns are one look at the end, {looks} planned looks after every {every} cases, and a look after every single case
with `looks="any"`. The columns *tolerance* are for another common rule. The new version then fails if
its observed score is lower by more than {tolerance:g}, at one look or at any of {looks} looks.

"""
#: Streams for other packages, which look at every case anew.
PEERS = 400
SEQUENTIAL = """

The next table compares two other sequential gates, on {streams} such streams: evalsig 0.1.2 (a look after every case)
and statgate 0.1.1 (after every 25 cases, two-sided). Share of streams in which a version is called worse:

"""


def streams_of(
    difference: float, share: float, number: int, rng: np.random.Generator
) -> np.ndarray:
    """Return differences of outcomes, new minus old (stream, case)."""
    u = rng.random((number, CASES))
    return np.where(u < (share - difference) / 2, -1, np.where(u < share, 1, 0))


def p_values(d: np.ndarray, n: int, margin: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the p-values of worse and of not worse after n cases, from the posterior of the default prior."""
    worse, better = (d[:, :n] == -1).sum(1), (d[:, :n] == 1).sum(1)
    mean = (better - worse) / (n + 4)
    spread = np.sqrt(((better + worse + 2) / (n + 4) - mean**2) / (n + 5))
    freedom = np.maximum(worse + better - 1, 1e-9)
    z = (mean + margin) / spread
    return t.cdf(z, freedom), t.cdf(-z, freedom)


def log_wealth(d: np.ndarray, margin: float, side: int) -> np.ndarray:
    """Return the logarithm of the wealth after each case (stream, case)."""
    bets = BETS / (1 - side * margin)
    worse, same, better = (np.cumsum(d == value, axis=1)[..., None] for value in (-1, 0, 1))
    gains = [np.log1p(side * bets * (value + margin)) for value in (-1, 0, 1)]
    return logsumexp(worse * gains[0] + same * gains[1] + better * gains[2], axis=-1) - np.log(
        len(bets)
    )


def claims(d: np.ndarray, margin: float) -> dict[str, float]:
    """Return the shares of streams in which each rule claims worse, and not worse."""
    found: dict[str, float] = {}
    sidak = 1 - (1 - ERROR) ** (1 / LOOKS)
    at = np.linspace(0, CASES, LOOKS + 1).astype(int)[1:]
    each = np.array([p_values(d, n, margin) for n in at])
    for k, what in enumerate(("worse", "not worse")):
        found[f"{what}, one look"] = (each[-1, k] <= ERROR).mean()
        found[f"{what}, {LOOKS} looks"] = (each[:, k] <= sidak).any(0).mean()
        parts = [
            log_wealth(part, margin, 2 * k - 1) for part in np.array_split(d, max(len(d) // 50, 1))
        ]
        found[f"{what}, any"] = np.concatenate(
            [(part >= -np.log(ERROR)).any(1) for part in parts]
        ).mean()
    means = np.cumsum(d, 1)[:, at - 1] / at
    found["tolerance, one look"] = (means[:, -1] < -TOLERANCE).mean()
    found[f"tolerance, {LOOKS} looks"] = (means < -TOLERANCE).any(1).mean()
    return found


def peers(d: np.ndarray) -> dict[str, float]:
    """Return the shares of streams in which the sequential gates of other packages call the new version worse."""
    found = {}
    with suppress(ImportError):
        from evalsig.inference.sequential import sequential_gate

        found["evalsig"] = np.mean(
            [sequential_gate(stream, alpha=ERROR, alternative="less").stopped for stream in d]
        )
    with suppress(ImportError):
        from statgate.core.sequential import MixtureSPRT

        worse = []
        for stream in d:
            test = MixtureSPRT(alpha=ERROR)
            looks = (test.update(part) for part in np.split(stream, range(25, CASES, 25)))
            first = next((look for look in looks if look.decided), None)
            worse.append(first is not None and first.direction < 0)
        found["statgate"] = np.mean(worse)
    return found


def check(d: np.ndarray, margin: float) -> None:
    """Compare the closed form with the gate itself on the first streams."""
    for stream in d[:CHECKED]:
        old = np.where(stream == -1, 1, np.where(stream == 1, 0, np.arange(CASES) % 2))
        posterior = br.fit(
            br.from_outcomes(pd.DataFrame({"old": old, "new": old + stream})), seed=1
        )
        one, every = (
            br.decisions.gate(posterior, "old", margin=margin, looks=looks) for looks in (1, "any")
        )
        if one["discordant"].item() >= 10:
            np.testing.assert_allclose(
                one["p_worse"], p_values(stream[None], CASES, margin)[0], atol=0.04
            )
        wealth = np.exp(-np.maximum(log_wealth(stream[None], margin, -1)[0, -1], 0))
        np.testing.assert_allclose(every["p_worse"], wealth, rtol=1e-6)


def table(
    designs: list, streams: int, what: str, rng: np.random.Generator, tolerance: bool
) -> list[str]:
    """Return the lines of the table of one claim."""
    columns = ["one look", f"{LOOKS} looks", "any"]
    heads = [*columns, *([f"tolerance, {each}" for each in columns[:2]] if tolerance else [])]
    lines = [
        f"| true difference | differ | margin | {' | '.join(heads)} |",
        "| --- " * (3 + len(heads)) + "|",
    ]
    for difference, share, margin in designs:
        d = streams_of(difference, share, streams, rng)
        check(d, margin)
        found = claims(d, margin)
        names = [f"{what}, {each}" for each in columns] + [
            f"tolerance, {each}" for each in columns[:2]
        ] * tolerance
        cells = [
            f"{difference + 0.0:+.2f}",
            f"{share:g}",
            f"{margin:g}",
            *(f"{found[name]:.3f}" for name in names),
        ]
        lines.append(f"| {' | '.join(cells)} |")
        print(lines[-1], flush=True)
    return lines


def main() -> None:
    streams = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    rng = np.random.default_rng(1)
    error = np.sqrt(ERROR * (1 - ERROR) / streams)
    text = HEAD.format(
        streams=streams, error=error, looks=LOOKS, every=CASES // LOOKS, tolerance=TOLERANCE
    )
    text += "Share of streams in which equal versions are called worse:\n\n"
    text += "\n".join(table(EQUAL, streams, "worse", rng, True))
    text += "\n\nShare of streams in which a version is called worse:\n\n"
    text += "\n".join(table(OTHERS[:2], streams, "worse", rng, True))
    rows = []
    for difference, share, _ in [*EQUAL, OTHERS[0]]:
        own = np.random.default_rng(2)
        d = streams_of(difference, share, min(streams, PEERS), own)
        rows.append(
            {"true difference": f"{difference + 0.0:+.2f}", "differ": f"{share:g}"}
            | {"bayesrank, any": f"{claims(d, 0.0)['worse, any']:.3f}"}
            | {name: f"{value:.3f}" for name, value in peers(d).items()}
        )
        print(rows[-1], flush=True)
    text += SEQUENTIAL.format(streams=min(streams, PEERS))
    text += "\n".join(
        f"| {' | '.join(cells)} |"
        for cells in (rows[0], ["---"] * len(rows[0]), *(r.values() for r in rows))
    )
    text += "\n\nShare of streams in which a version is called not worse:\n\n"
    text += "\n".join(table(OTHERS[1:], streams, "not worse", rng, False))
    text += "\n\nRun `python scripts/measure_gate.py` for the tables.\n"
    write_page(PAGE, text)


if __name__ == "__main__":
    main()
