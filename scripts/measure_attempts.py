"""How often intervals and bands of pass@k and pass^k hold the truth, and how often equal systems are called best.

Usage: python scripts/measure_attempts.py [GROUP ...] [--boards N] [--only TEXT] [--sums FILE] [--peers FOLDER]

The groups are intervals, these, equal, power and peers; without a name, all run. Each cell gets N more boards, which
are added to the sums in FILE, so that a long night adds to the last one; with TEXT, only cells with it in their name,
as printed. If FILE has sums of all groups,
docs/measured/attempts.md is written from them. FOLDER has scorio, passk-inference and evalstats (pip install --target),
which are no dependencies.

Success rates of cases are drawn for each board from a population. For cases like these, its score is the truth; for
these cases, the mean over the cases drawn is. One system is drawn without the package for speed: its posterior depends
only on how many cases have each number of right runs. The script first checks that these draws are those of the
package.
"""

import argparse
import json
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
from bayesrank._core.source import parse_source
from bayesrank.evidence.attempts import Attempts, RateMoments
from bayesrank.models.parts.attempts import AttemptsPosterior

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
    return [Attempts(k) for k in range(1, runs + 1)] + [
        Attempts(k, True) for k in range(2, runs + 1)
    ]


def draws_of(rng, counts):
    """Draws (board, draw, place) of all scores, from the cases with each number of right runs (board, right)."""
    runs, cases = counts.shape[1] - 1, counts[0].sum()
    prior = np.zeros(runs + 1)
    prior[[0, -1]] = 0.5
    mass = rng.standard_gamma(counts[:, None] + prior, (len(counts), DRAWS, runs + 1))
    features = np.stack(
        [one.estimate(np.arange(runs + 1), np.full(runs + 1, runs)) for one in places(runs)], axis=1
    )
    drawn = mass @ features / mass.sum(axis=-1, keepdims=True)
    freedom = np.minimum(cases - 1, np.maximum(off_an_end(counts, features) - 1, 30))
    spread = np.sqrt((cases + 1) / (cases - 1)) * stdtrit(freedom, 0.975) / ndtri(0.975)
    centre = drawn.mean(axis=1, keepdims=True)
    return (
        np.clip(centre + spread[:, None] * (drawn - centre), 0, 1),
        counts @ features / cases,
        features,
    )


def off_an_end(counts, features):
    """The effective number of cases that are off an end (board, place), whichever end has fewer."""
    far = [np.abs(features - end) for end in (0, 1)]
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(
            np.min([(counts @ off) ** 2 / (counts @ off**2) for off in far], axis=0)
        )


def close(lower, upper, observed, counts, features):
    """Close intervals where the observed value, or one case, is at an end, as the package does."""
    low, high = observed <= 1e-9, observed >= 1 - 1e-9
    whole = np.isin(features, (0, 1)).all(axis=0)
    right = counts @ features
    near_low, near_high = (
        whole & (right < 1.5),
        whole & (counts.sum(axis=1, keepdims=True) - right < 1.5),
    )
    low, high = low | (near_low & ~high & ~near_high), high | (near_high & ~low & ~near_low)
    return np.where(low, 0.0, lower), np.where(high, 1.0, upper)


def narrowing(counts, features):
    """The factor of the spread where only the runs vary (board, place), as the package has it."""
    runs, cases, found = counts.shape[1] - 1, counts[0].sum(), []
    right, made = np.arange(runs + 1), np.full(runs + 1, runs)
    for i, one in enumerate(places(runs)):
        hits = right if one.every else runs - right
        moments = [
            Attempts(k, True).estimate(hits, made) @ counts.T / cases for k in range(runs + 1)
        ]
        mean = counts @ features[:, i] / cases
        prior = (mean**2 + (1 - mean) ** 2) / 2
        every = (counts * (features[:, i] - mean[:, None]) ** 2).sum(axis=1) + prior
        share = (cases * RateMoments(np.stack(moments)).within(one.k, runs) + prior) / every
        fewest = off_an_end(counts, features[:, i])
        wide = np.where(
            fewest > 1, stdtrit(np.maximum(fewest - 1, 1), 0.975) / ndtri(0.975), np.inf
        )
        found.append(np.minimum(np.sqrt(share) * wide, 1))
    return np.stack(found, axis=1)


def coverage(rng, boards, population, cases, runs, these=False):
    """Whether intervals hold (board, place), whether the band over all places does, and whether five cases differ."""
    wanted = np.array([truth(population, one) for one in places(runs)])
    found = []
    for _ in range(boards // TOGETHER):
        rate = rates(rng, population, (TOGETHER, cases))
        right = rng.binomial(runs, rate)
        counts = np.stack([(right == c).sum(axis=1) for c in range(runs + 1)], axis=1)
        drawn, observed, features = draws_of(rng, counts)
        if these:
            own = [truth_at(rate, one).mean(axis=1) for one in places(runs)]
            wanted, centre = np.stack(own, axis=1), drawn.mean(axis=1, keepdims=True)
            drawn = np.clip(centre + narrowing(counts, features)[:, None] * (drawn - centre), 0, 1)
        parts = []
        for ends in (
            np.quantile(drawn, [(1 - PROB) / 2, (1 + PROB) / 2], axis=1),
            band(drawn, these),
        ):
            lower, upper = close(*ends, observed, counts, features)
            parts.append((lower - 1e-12 <= wanted) & (wanted <= upper + 1e-12))
        enough = counts @ (features != (np.atleast_2d(wanted).mean(axis=0) > 0.5)) >= 5
        found.append(np.column_stack([parts[0], parts[1].all(axis=1), enough]))
    return np.concatenate(found)


def band(drawn, these=False):
    """The ends of bands over all places (board, place), from semi-deviations, as the package has them."""
    off = drawn - drawn.mean(axis=1, keepdims=True)
    up = off > 0
    number = np.maximum(up.sum(axis=1), 1)
    above = np.sqrt((off**2 * up).sum(axis=1) / number)
    below = np.sqrt((off**2 * ~up).sum(axis=1) / np.maximum(drawn.shape[1] - number, 1))
    size = np.where(up, above[:, None], below[:, None])
    worst = np.divide(np.abs(off), size, out=np.zeros_like(off), where=size > 0).max(axis=-1)
    wide = np.quantile(worst, (1 + PROB) / 2 if these else PROB, axis=1)[:, None]
    centre = drawn.mean(axis=1)
    return np.clip(centre - wide * below, 0, 1), np.clip(centre + wide * above, 0, 1)


def board(right, runs, rng):
    """A table of runs (case, run, entity) with these numbers of right runs (case, entity), in random order."""
    order = rng.random((*right.shape, runs)).argsort(axis=-1).argsort(axis=-1)
    outcome = order < right[..., None]
    frame = pd.DataFrame(
        outcome.transpose(0, 2, 1).reshape(-1, right.shape[1]).astype(int), columns=names(right)
    )
    return frame.assign(
        case=np.repeat(np.arange(len(right)), runs), run=np.tile(np.arange(runs), len(right))
    )


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
    drawn = np.concatenate(
        [draws_of(np.random.default_rng(i), counts)[0] for i in range(20)], axis=1
    )
    posterior = fit(right, 8, 1, draws=5000)
    for i, one in ((3, "pass@4"), (7, "pass@8"), (10, "pass^4")):
        own = br.credible_ranking(posterior, one)
        ends = np.quantile(drawn[0, :, i], [0.025, 0.5, 0.975])
        for name, end in zip(("lower", "median", "upper"), ends, strict=True):
            assert abs(own[name].item() - end) < 0.004 or end > 0.99, (
                one,
                name,
                own[name].item(),
                end,
            )
    features = np.stack([one.estimate(np.arange(9), np.full(9, 8)) for one in places(8)], axis=1)
    held = AttemptsPosterior.of(parse_source(posterior), 8, "curve", True)
    own = [held.narrowing(one)[0] for one in places(8)]
    assert np.allclose(narrowing(counts, features)[0], own), (narrowing(counts, features)[0], own)


def equal_systems(rng, boards, population, cases, runs, systems, shared, target):
    """Whether an equal system is called best, at each place and at any; and the share of bands that hold (board)."""
    found = []
    pairs = [[Attempts(k, every) for k in range(1, runs + 1)] for every in (False, True)]
    wanted = np.array([[truth(population, one) for one in row] for row in pairs])
    for _ in range(boards):
        p = rates(rng, population, (cases, 1 if shared else systems))
        if target == "these":  # all systems have the same rates
            wanted = np.array([[truth_at(p, one).mean() for one in row] for row in pairs])
        right = rng.binomial(runs, np.broadcast_to(p, (cases, systems)))
        curve = br.scores.attempts_curve(
            fit(right, runs, int(rng.integers(2**31))), runs, cases=target
        )
        best = (curve["headline"].values == "best").ravel()
        inside = (curve["lower"] - 1e-9 <= wanted[..., None]) & (
            wanted[..., None] <= curve["upper"] + 1e-9
        )
        found.append([*best, best.any(), inside.all(["event", "attempts"]).mean().item()])
    return np.array(found, float)


def truth_at(rate, one):
    """The probability of the event at cases of these rates."""
    return rate**one.k if one.every else 1 - (1 - rate) ** one.k


def peers(rng, boards, population, cases, runs, k):
    """Whether intervals of scorio and evalstats hold pass@k, and whether passk-inference finds a false difference."""
    from evalstats import mean_ci
    from passk_inference import compare
    from scorio.eval import pass_at_k_ci

    wanted, made, found = truth(population, Attempts(k)), np.full(cases, runs), []
    for _ in range(boards):
        right, other = (rng.binomial(runs, rates(rng, population, cases)) for _ in range(2))
        table = np.arange(runs) < right[:, None]
        *_, low, high = pass_at_k_ci(table.astype(int), k)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            own = mean_ci(
                Attempts(k).estimate(right, made), score_range=(0, 1), rng=int(rng.integers(2**31))
            )
            seed = int(rng.integers(2**31))
            result = compare(
                right, made, other, made, ks=list(range(1, runs + 1)), bootstrap=1000, seed=seed
            )
        lower, upper = (np.array(result[name]) for name in ("lower", "upper"))
        held = [
            low <= wanted <= high,
            own.ci_low <= wanted <= own.ci_high,
            ((lower > 0) | (upper < 0)).any(),
        ]
        found.append(held)
    return np.array(found, float)


def power(rng, boards, cases):
    """Whether the better one is called best, by pass@4 and by pass^4: by the curve, and alone (board, 4)."""
    rates_of = np.stack(
        [np.full(cases, 0.55), np.where(np.arange(cases) < 0.6 * cases, 0.95, 0.2)], axis=1
    )
    found = []
    for _ in range(boards):
        posterior = fit(rng.binomial(8, rates_of), 8, int(rng.integers(2**31)))
        curve = br.scores.attempts_curve(posterior, 8).sel(attempts=4)
        row = []
        for event, score, better in (("any", "pass@4", "s0"), ("all", "pass^4", "s1")):
            one, ranking = curve.sel(event=event), br.credible_ranking(posterior, score)
            row.append(one["headline"].item() == "best" and one["leader"].item() == better)
            first = ranking["entity"].values[ranking["in_best_set"].values].tolist() == [better]
            row.append(ranking.attrs["headline"] == "best" and first)
        found.append(row)
    return np.array(found, float)


BOARDS_OF_EQUALS = (
    (30, 2, False),
    (100, 2, False),
    (100, 2, True),
    (100, 10, False),
    (30, 10, True),
)


def cells(group):
    """The cells of a group: their name, the function of (rng, boards) and its arguments, and the share of boards."""
    for name, population in POPULATIONS.items():
        if group in ("intervals", "these"):
            for cases in CASES:
                for runs in RUNS:
                    yield (
                        (name, cases, runs),
                        coverage,
                        (population, cases, runs, group == "these"),
                        1,
                    )
        if group == "equal":
            for cases, systems, shared in BOARDS_OF_EQUALS:
                for target in ("like these", "these") if shared else ("like these",):
                    how = (population, cases, 8, systems, shared, target)
                    yield (
                        (name, cases, systems, shared, target),
                        equal_systems,
                        how,
                        3 if systems == 2 else 1,
                    )
        if group == "peers":
            for runs in RUNS:
                yield (name, runs), peers, (population, 100, runs, min(4, runs)), 1
    if group == "power":
        for cases in (30, 60, 120):
            yield (cases,), power, (cases,), 1


#: Boards of a cell by default; a board of these groups takes much longer than one of intervals.
DEFAULT = {"intervals": 2000, "these": 2000, "equal": 40, "power": 50, "peers": 200}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("groups", nargs="*", choices=[[], *DEFAULT], metavar="GROUP")
    parser.add_argument("--boards", type=int, help="more boards of each cell")
    parser.add_argument(
        "--only", default="", metavar="TEXT", help="cells with this text in their name"
    )
    parser.add_argument("--sums", type=Path, default=Path("attempts_sums.json"))
    parser.add_argument("--peers", help="folder with the other packages")
    chosen = parser.parse_args()
    if chosen.peers:
        sys.path.append(chosen.peers)
    sums = json.loads(chosen.sums.read_text()) if chosen.sums.exists() else {}
    start = time.process_time()
    check()
    for group in chosen.groups or [name for name in DEFAULT if name != "peers" or chosen.peers]:
        for key, function, how, share in cells(group):
            number = share * (chosen.boards or DEFAULT[group])
            number = -(-number // TOGETHER) * TOGETHER if function is coverage else number
            name = " | ".join(map(str, (group, *key)))
            if chosen.only not in name:
                continue
            held = sums.get(name, {"boards": 0, "sums": 0})
            rng = np.random.default_rng([held["boards"], *name.encode()])
            found = function(rng, number, *how).sum(axis=0) + held["sums"]
            sums[name] = {"boards": held["boards"] + number, "sums": found.tolist()}
            chosen.sums.write_text(json.dumps(sums))  # a night may end at any time
            print(
                name,
                sums[name]["boards"],
                np.round(found / sums[name]["boards"], 3).min(),
                flush=True,
            )
            print(f"  {time.process_time() - start:.0f} s", file=sys.stderr, flush=True)
    lacking = [
        group for group in DEFAULT if not any(name.startswith(f"{group} |") for name in sums)
    ]
    if lacking:
        print(f"No page: {chosen.sums} has no boards of {', '.join(lacking)}.")
        return
    write_page(PAGE, page(sums))


def shares_of(sums, group):
    """The keys, boards and means of the cells of a group that have boards."""
    for key, *_ in cells(group):
        held = sums.get(" | ".join(map(str, (group, *key))))
        if held is not None:
            yield key, held["boards"], np.array(held["sums"]) / held["boards"]


def rows_of_coverage(sums, group):
    for (name, cases, runs), _, mean in shares_of(sums, group):
        size = len(places(runs))
        share, usual = mean[:size], mean[size + 1 :] >= 0.95
        many = f"{share[usual].min():.3f} to {share[usual].max():.3f}" if usual.any() else "–"
        few = "–" if usual.all() else f"{share[~usual].min():.3f}"
        yield f"| {name} | {cases} | {runs} | {many} | {few} | {mean[size]:.3f} |"


def rows_of_equals(sums):
    anywhere = []
    for (name, cases, systems, shared, target), boards, mean in shares_of(sums, "equal"):
        anywhere.append((boards, mean[-2]))
        text = " | ".join(f"{x:.3f}" for x in (mean[:-2].max(), mean[-2], mean[-1]))
        kind = "the same" if shared else "their own"
        yield f"| {name} | {cases} | {systems} | {kind} | {target} | {boards} | {text} |"
    numbers, shares = np.array(anywhere).T
    yield f"| all together | | | | | {numbers.sum():.0f} | | {numbers @ shares / numbers.sum():.3f} | |"


def page(sums):
    usual = {
        (name, runs): mean
        for (name, cases, runs), _, mean in shares_of(sums, "intervals")
        if cases == 100
    }
    beside = [
        f"| {name} | {runs} | {min(4, runs)} | {usual[name, runs][min(4, runs) - 1]:.3f} | "
        + " | ".join(f"{x:.3f}" for x in mean)
        + " |"
        for (name, runs), _, mean in shares_of(sums, "peers")
    ]
    boards = {group: min(number for _, number, _ in shares_of(sums, group)) for group in DEFAULT}
    found = [
        f"| {cases} | " + " | ".join(f"{x:.2f}" for x in mean) + " |"
        for (cases,), _, mean in shares_of(sums, "power")
    ]
    parts = {
        "rows": rows_of_coverage(sums, "intervals"),
        "these": rows_of_coverage(sums, "these"),
        "claims": rows_of_equals(sums),
        "power": found,
        "peers": beside,
    }
    error = (0.95 * 0.05 / boards["intervals"]) ** 0.5
    held = {name: "\n".join(lines) for name, lines in parts.items()}
    return TEXT.format(
        boards=boards["intervals"], few=boards["power"], some=boards["peers"], error=error, **held
    )


TEXT = """# Several attempts

How often do intervals of pass@k and pass^k hold the truth, and how often is one of equal systems called best? Success
rates of cases are drawn for each board from a population. The truth is the score of this population: the target is
*cases like these* (`scripts/measure_attempts.py`).

## Intervals and bands

Each row has {boards:,} boards of one system or more. Its
intervals of 95% are those of {{func}}`bayesrank.credible_ranking`;
the draws of the script were checked against the package. The first share is the range over all numbers of attempts k,
for pass@k and pass^k, for which at least five cases have another estimate than the closer end of the range in 95% of
the boards; the second is the smallest share over all other k. A band should hold the whole curve, over all
k of both scores. The Monte-Carlo error of a share is {error:.3f}.

| success rates | cases | runs | at least five other cases | fewer, smallest | band holds the curve |
|---|---:|---:|---:|---:|---:|
{rows}

All shares are at least 0.933. Where few cases are off the end, by unlike amounts, their mean is skewed: so t has d - 1
degrees of freedom for d effective cases off the end, but at least 30 (without this: 0.925).

The same for *these cases*: the truth is the mean over the cases of the board, and only the runs vary. With one run, the
data do not show how much of the variance is within cases, so that intervals are as wide as for cases like these.

| success rates | cases | runs | at least five other cases | fewer, smallest | band holds the curve |
|---|---:|---:|---:|---:|---:|
{these}

## Equal systems

All systems have success rates from the same population, either the same rate for each case or rates of their own. The
table shows how often {{func}}`bayesrank.scores.attempts_curve` calls one of them best for one number of 8 attempts (the
largest share over all places of the curve) and for any of them, where 0.05 is promised for all together, and how often
the band of a system holds its whole curve. All cases have 8 runs. The Monte-Carlo error of a share of 0.05 is 0.02 with
120 boards. Two rows are of new boards: before, bands held in 0.925 of 120 and of 20 boards.

| success rates | cases | systems | rates | for cases | boards | best at one place | best at any place | band holds |
|---|---:|---:|---|---|---:|---:|---:|---:|
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

## Other packages

Each row has {some} boards or more like those above, with 100 cases each. scorio 0.2.3 (`pass_at_k_ci`) has a flat prior
for each case and takes the cases as fixed, which is another target; its intervals shrink each case to 1/2. evalstats
0.3.3 (`mean_ci`) was given the unbiased estimates of the cases; it has no pass@k of its own. passk-inference 0.3.1
(`compare`) has a bootstrap band for the difference of two systems over all k of pass@k. The last column is how often
this band excludes 0 somewhere, though the systems are equal.

| success rates | runs | k | bayesrank holds pass@k | scorio | evalstats | passk-inference finds a difference |
|---|---:|---:|---:|---:|---:|---:|
{peers}
"""


if __name__ == "__main__":
    main()
