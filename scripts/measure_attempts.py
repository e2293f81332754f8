"""How often intervals and bands of pass@k and pass^k hold the truth, and how often equal systems are called best.

Usage: python scripts/measure_attempts.py [BOARDS] [FOLDER WITH SCORIO AND PASSK-INFERENCE]

Success rates of cases are drawn for each board from a population, whose score is the truth (cases like these). One
system is drawn without the package for speed: its posterior depends only on how many cases have each number of right
runs. The script first checks that these draws are those of the package. Writes docs/measured/attempts.md.
"""

import sys
import time
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from page_tables import write_page
from scipy.special import betaln, ndtri, stdtrit

import bayesrank as br
from bayesrank.evidence.attempts import Attempts

PAGE = Path(__file__).parents[1] / "docs" / "measured" / "attempts.md"
#: Populations of success rates: parameters of a Beta distribution, or one rate.
POPULATIONS = {"Beta(0.3, 0.3)": (0.3, 0.3), "Beta(2, 1)": (2.0, 1.0), "all 0.5": 0.5}
CASES, RUNS = (30, 100, 500), (1, 4, 8, 16)
DRAWS, TOGETHER = 1000, 50
PROB = 0.95


def rates(rng, population, shape):
    return np.full(shape, population) if np.isscalar(population) else rng.beta(*population, shape)


def truth(population, one):
    """The probability of the event at a case of the population."""
    if np.isscalar(population):
        return population**one.k if one.every else 1 - (1 - population) ** one.k
    a, b = population if one.every else population[::-1]
    share = np.exp(betaln(a + one.k, b) - betaln(a, b))
    return share if one.every else 1 - share


@cache
def places(runs):
    return [Attempts(k) for k in range(1, runs + 1)] + [Attempts(k, True) for k in range(2, runs + 1)]


def draws_of(rng, counts):
    """Draws (board, draw, place) of all scores, from the cases with each number of right runs (board, right)."""
    runs, cases = counts.shape[1] - 1, counts[0].sum()
    prior = np.zeros(runs + 1)
    prior[[0, -1]] = 0.5
    mass = rng.standard_gamma(counts[:, None] + prior, (len(counts), DRAWS, runs + 1))
    features = np.stack([one.estimate(np.arange(runs + 1), np.full(runs + 1, runs)) for one in places(runs)], axis=1)
    drawn = mass @ features / mass.sum(axis=-1, keepdims=True)
    spread = np.sqrt((cases + 1) / (cases - 1)) * stdtrit(cases - 1, 0.975) / ndtri(0.975)
    centre = drawn.mean(axis=1, keepdims=True)
    return np.clip(centre + spread * (drawn - centre), 0, 1), counts @ features / cases, features


def close(lower, upper, observed, counts, features):
    """Close intervals where the observed value, or one case, is at an end, as the package does."""
    low, high = observed <= 1e-9, observed >= 1 - 1e-9
    whole = np.isin(features, (0, 1)).all(axis=0)
    right = counts @ features
    near_low, near_high = whole & (right < 1.5), whole & (counts.sum(axis=1, keepdims=True) - right < 1.5)
    low, high = low | (near_low & ~high & ~near_high), high | (near_high & ~low & ~near_low)
    return np.where(low, 0.0, lower), np.where(high, 1.0, upper)


def coverage(boards, population, cases, runs, seed):
    """Coverage (place) of intervals, of the band over all places, and the share of boards with five other cases."""
    rng, wanted = np.random.default_rng(seed), np.array([truth(population, one) for one in places(runs)])
    held, bands, enough = [], [], []
    for _ in range(boards // TOGETHER):
        right = rng.binomial(runs, rates(rng, population, (TOGETHER, cases)))
        counts = np.stack([(right == c).sum(axis=1) for c in range(runs + 1)], axis=1)
        drawn, observed, features = draws_of(rng, counts)
        ends = np.quantile(drawn, [(1 - PROB) / 2, (1 + PROB) / 2], axis=1)
        lower, upper = close(*ends, observed, counts, features)
        held.append((lower - 1e-12 <= wanted) & (wanted <= upper + 1e-12))
        ends = band(drawn)
        lower, upper = close(*ends, observed, counts, features)
        bands.append(((lower - 1e-12 <= wanted) & (wanted <= upper + 1e-12)).all(axis=1))
        end = wanted > 0.5
        enough.append(counts @ (features != end))
    return np.concatenate(held), np.concatenate(bands), np.concatenate(enough)


def band(drawn):
    """The ends of bands over all places (board, place), from semi-deviations, as the package has them."""
    off = drawn - drawn.mean(axis=1, keepdims=True)
    up = off > 0
    number = np.maximum(up.sum(axis=1), 1)
    above = np.sqrt((off**2 * up).sum(axis=1) / number)
    below = np.sqrt((off**2 * ~up).sum(axis=1) / np.maximum(drawn.shape[1] - number, 1))
    size = np.where(up, above[:, None], below[:, None])
    worst = np.divide(np.abs(off), size, out=np.zeros_like(off), where=size > 0).max(axis=-1)
    wide = np.quantile(worst, PROB, axis=1)[:, None]
    centre = drawn.mean(axis=1)
    return np.clip(centre - wide * below, 0, 1), np.clip(centre + wide * above, 0, 1)


def board(right, runs, rng):
    """A table of runs (case, run, entity) with these numbers of right runs (case, entity), in random order."""
    order = rng.random((*right.shape, runs)).argsort(axis=-1).argsort(axis=-1)
    outcome = order < right[..., None]
    frame = pd.DataFrame(outcome.transpose(0, 2, 1).reshape(-1, right.shape[1]).astype(int), columns=names(right))
    return frame.assign(case=np.repeat(np.arange(len(right)), runs), run=np.tile(np.arange(runs), len(right)))


def names(right):
    return [f"s{i}" for i in range(right.shape[1])]


def fit(right, runs, seed, draws=250):
    """The posterior of a board; runs whose means differ by chance as those of retrained models are put in new order."""
    rng = np.random.default_rng(seed)
    for _ in range(20):
        try:
            joint = br.from_outcomes(board(right, runs, rng), case="case", run="run")
        except br.ArgumentError:
            continue
        return br.fit(joint, draws=draws, seed=seed)
    raise RuntimeError("no order of the runs was accepted")


def check():
    """Check that draws of one system are those of the package."""
    right = np.random.default_rng(1).binomial(8, np.linspace(0.02, 0.98, 30))[:, None]
    counts = np.array([(right == c).sum() for c in range(9)])[None]
    drawn = np.concatenate([draws_of(np.random.default_rng(i), counts)[0] for i in range(20)], axis=1)
    posterior = fit(right, 8, 1, draws=5000)
    for i, one in ((3, "pass@4"), (7, "pass@8"), (10, "pass^4")):
        own = br.credible_ranking(posterior, one)
        ends = np.quantile(drawn[0, :, i], [0.025, 0.5, 0.975])
        for name, end in zip(("lower", "median", "upper"), ends, strict=True):
            assert abs(own[name].item() - end) < 0.004 or end > 0.99, (one, name, own[name].item(), end)


def equal_systems(boards, population, cases, runs, systems, shared, seed):
    """Shares of boards on which an equal system is called best: at the worst place, and at any; bands that hold all."""
    rng, best, same = np.random.default_rng(seed), [], []
    wanted = np.array([[truth(population, Attempts(k, every)) for k in range(1, runs + 1)] for every in (False, True)])
    for i in range(boards):
        p = rates(rng, population, (cases, 1 if shared else systems))
        right = rng.binomial(runs, np.broadcast_to(p, (cases, systems)))
        curve = br.scores.attempts_curve(fit(right, runs, i), runs)
        best.append(curve["headline"].values == "best")
        inside = (curve["lower"] - 1e-9 <= wanted[..., None]) & (wanted[..., None] <= curve["upper"] + 1e-9)
        same.append(inside.all(["event", "attempts"]).mean().item())
    best = np.array(best)
    return best.mean(axis=0).max(), best.any(axis=(1, 2)).mean(), np.mean(same)


def peers(boards, population, cases, runs, k, seed):
    """Coverage of scorio's interval of pass@k; false differences of passk-inference between equal systems; widths."""
    from passk_inference import compare
    from scorio.eval import pass_at_k_ci

    rng, wanted = np.random.default_rng(seed), truth(population, Attempts(k))
    found = []
    for i in range(boards):
        right = rng.binomial(runs, rates(rng, population, cases))
        table = np.arange(runs) < right[:, None]
        *_, low, high = pass_at_k_ci(table.astype(int), k)
        other = rng.binomial(runs, rates(rng, population, cases))
        made = np.full(cases, runs)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = compare(right, made, other, made, ks=list(range(1, runs + 1)), bootstrap=1000, seed=i)
        lower, upper = (np.array(result[name]) for name in ("lower", "upper"))
        found.append([low <= wanted <= high, ((lower > 0) | (upper < 0)).any()])
    return np.mean(found, axis=0)


def main(boards=2000, folder=None):
    start = time.process_time()
    check()
    rows, claims, anywhere, found, compared = [], [], [], [], []
    for p, (name, population) in enumerate(POPULATIONS.items()):
        for cases in CASES:
            for runs in RUNS:
                held, bands, enough = coverage(boards, population, cases, runs, (p, cases, runs))
                share, usual = held.mean(axis=0), (enough >= 5).mean(axis=0) >= 0.95
                many = f"{share[usual].min():.3f} to {share[usual].max():.3f}" if usual.any() else "–"
                few = "–" if usual.all() else f"{share[~usual].min():.3f}"
                rows.append(f"| {name} | {cases} | {runs} | {many} | {few} | {bands.mean():.3f} |")
                print(rows[-1], f"{time.process_time() - start:.0f} s", flush=True)
                if folder and cases == 100:
                    k = min(4, runs)
                    interval, difference = peers(200, population, cases, runs, k, (p, runs))
                    compared.append(
                        f"| {name} | {runs} | {k} | {share[k - 1]:.3f} | {interval:.3f} | {difference:.3f} |"
                    )
                    print(compared[-1], flush=True)
    for name, population in POPULATIONS.items():
        for cases, systems, shared in (
            (30, 2, False),
            (100, 2, False),
            (100, 2, True),
            (100, 10, False),
            (30, 10, True),
        ):
            number = boards * 3 // 50 if systems == 2 else boards // 50
            shares = equal_systems(number, population, cases, 8, systems, shared, (cases, systems, shared))
            kind = "the same" if shared else "their own"
            text = " | ".join(f"{x:.3f}" for x in shares)
            claims.append(f"| {name} | {cases} | {systems} | {kind} | {number} | {text} |")
            anywhere.append((number, shares[1]))
            print(claims[-1], f"{time.process_time() - start:.0f} s", flush=True)
    numbers, shares = np.array(anywhere).T
    claims.append(f"| all together | | | | {numbers.sum():.0f} | | {numbers @ shares / numbers.sum():.3f} | |")
    for cases in (30, 60, 120):
        found.append(f"| {cases} | " + " | ".join(f"{x:.2f}" for x in power(boards // 40, cases)) + " |")
        print(found[-1], f"{time.process_time() - start:.0f} s", flush=True)
    write_page(PAGE, page(boards, rows, claims, found, compared))


TEXT = """# Several attempts

How often do intervals of pass@k and pass^k hold the truth, and how often is one of equal systems called best? Success
rates of cases are drawn for each board from a population. The truth is the score of this population: the target is
*cases like these* (`scripts/measure_attempts.py`).

## Intervals and bands

Each row has {boards:,} boards of one system. Its intervals of 95% are those of {{func}}`bayesrank.credible_ranking`;
the draws of the script were checked against the package. The first share is the range over all numbers of attempts k,
for pass@k and pass^k, for which at least five cases have another estimate than the closer end of the range in 95% of
the boards; the second is the smallest share over all other k. A band should hold the whole curve, over all
k of both scores. The Monte-Carlo error of a share is {error:.3f}.

| success rates | cases | runs | at least five other cases | fewer, smallest | band holds the curve |
|---|---:|---:|---:|---:|---:|
{rows}

## Equal systems

All systems have success rates from the same population, either the same rate for each case or rates of their own. The
table shows how often {{func}}`bayesrank.scores.attempts_curve` calls one of them best for one number of 8 attempts (the
largest share over all places of the curve) and for any of them, where 0.05 is promised for all together, and how often
the band of a system holds its whole curve. All cases have 8 runs. The Monte-Carlo error of a share of 0.05 is 0.02 with
120 boards, and 0.006 with all together.

| success rates | cases | systems | rates | boards | best at one place | best at any place | band holds the curve |
|---|---:|---:|---|---:|---:|---:|---:|
{claims}

## A difference that is found

One system has the rate 0.55 for all cases; the other one solves 60% of them with the rate 0.95 and the others with the
rate 0.2. The first is better by pass@4, and the second by pass^4. The table shows how often each is called best: by the
curve, whose claims hold for all numbers of attempts at once, and by a ranking for 4 attempts alone ({few} boards each).
In about 1% of boards the means of the runs differ by chance as those of retrained models do (p < 0.01), and none is
called best.

| cases | pass@4: curve | ranking | pass^4: curve | ranking |
|---:|---:|---:|---:|---:|
{power}
{peers}"""
PEERS = """
## Other packages

Both packages met boards like those above, 200 for each row, with 100 cases each.
scorio 0.2.3 (`pass_at_k_ci`) has a flat prior for
each case and takes the cases as fixed, which is another target; its intervals shrink each case to 1/2.
passk-inference 0.3.1 (`compare`) has a bootstrap band for the difference of two systems over all k of pass@k. The last
column is how often this band excludes 0 somewhere, though the systems are equal.

| success rates | runs | k | bayesrank holds pass@k | scorio holds pass@k | passk-inference finds a difference |
|---|---:|---:|---:|---:|---:|
{rows}
"""


def page(boards, rows, claims, found, compared):
    error, beside = (0.95 * 0.05 / boards) ** 0.5, ""
    if compared:
        beside = PEERS.format(rows="\n".join(compared))
    parts = {"rows": rows, "claims": claims, "power": found}
    return TEXT.format(
        boards=boards, few=boards // 40, error=error, peers=beside, **{k: "\n".join(v) for k, v in parts.items()}
    )


def power(boards, cases):
    """Shares of boards on which the better one is called best, by pass@4 and by pass^4: by the curve, and alone."""
    rates_of = np.stack([np.full(cases, 0.55), np.where(np.arange(cases) < 0.6 * cases, 0.95, 0.2)], axis=1)
    found = []
    for i in range(boards):
        posterior = fit(np.random.default_rng((cases, i)).binomial(8, rates_of), 8, i)
        curve = br.scores.attempts_curve(posterior, 8).sel(attempts=4)
        row = []
        for event, score, better in (("any", "pass@4", "s0"), ("all", "pass^4", "s1")):
            one, ranking = curve.sel(event=event), br.credible_ranking(posterior, score)
            row.append(one["headline"].item() == "best" and one["leader"].item() == better)
            first = ranking["entity"].values[ranking["in_best_set"].values].tolist() == [better]
            row.append(ranking.attrs["headline"] == "best" and first)
        found.append(row)
    return np.mean(found, axis=0)


if __name__ == "__main__":
    if len(sys.argv) > 2:
        sys.path.append(sys.argv[2])
    main(*map(int, sys.argv[1:2]), folder=sys.argv[2] if len(sys.argv) > 2 else None)
