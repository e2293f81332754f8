"""How well plans predict: the success of conditional numbers, the expected optimism, and unconditional assurance.

Run ``python scripts/measure_planning.py conditional 150`` (boards a row; ten minutes), ``... optimism 2000`` (a minute)
or ``... futures 400`` (half an hour); ``docs/measured/planning.md`` has the tables.

*conditional*: boards of three or more entities whose logits have a standard deviation of 0, 0.25 or 0.6. The number of
cases is asked for the learned difference, or for 0.05 where that is smaller. The true difference of the pair is set to
it, the pair's centre and all others to today's means; the new cases are added, and the posterior is ranked again.
*optimism*: the stated minus the true overestimate of the leader. *futures*: the truth comes from the posterior, the
future cases from the truth, and the share of refitted posteriors that meet the target is compared with the success
that :func:`bayesrank.plan` states with ``true_scores="posterior"``.
"""

import sys

import numpy as np
import pandas as pd
import xarray as xr
from scipy.optimize import brentq
from scipy.special import expit, logit

import bayesrank as br
from bayesrank._core.notes import notes_of
from bayesrank.ranking.shrinkage import EQUAL, SPREAD, SPREADS, learn_population

TARGET = 0.9


def meets(posterior, score, goal):
    """Return whether a posterior meets the target, from its draws."""
    if "mean_outcome" in posterior["posterior"] and score == "mean_outcome":
        kind = posterior["posterior"].attrs.get("kind")
        values = posterior["posterior"][
            "mean_outcome_typical" if kind == "typical" else "mean_outcome"
        ]
    else:
        values = br.scores.get(score)(br.as_performance(posterior))
    drawn = values.stack(sample=("chain", "draw")).transpose("sample", "entity").values
    lead = int(np.nanmean(drawn, 0).argmax())
    if "width" in goal:
        low, high = np.quantile(drawn[:, 0], [(1 - TARGET) / 2, (1 + TARGET) / 2])
        return high - low <= goal["width"]
    if "rival" in goal:
        return lead != 1 and (drawn[:, lead] > drawn[:, 1]).mean() >= TARGET
    return (drawn.argmax(1) == lead).mean() >= TARGET


def tables(seed):
    """Three entities on 90 cases: new cases by their tables."""
    counts = br.from_counts(
        tn=[50, 53, 48], fp=[10, 7, 12], fn=[6, 5, 4], tp=[24, 25, 26], entity=["a", "b", "c"]
    )
    posterior = br.fit(counts, seed=seed)
    drawn = {}

    def future(n, i):
        if n not in drawn:
            drawn[n] = br.posterior_predictive(posterior, size=n, seed=7).stack(
                sample=("chain", "draw")
            )
        one = drawn[n].isel(sample=i * 37 % 4000).transpose(*counts.dims)
        return br.fit(counts + one.values, seed=i, draws=500)

    return posterior, "mcc", future


def _drawn_cases(frame, cluster, n, rng):
    """New rows of joint outcomes: units of those observed with Dirichlet weights, besides four cases of the prior."""
    units = [part for _, part in frame.groupby(cluster)]
    names = [name for name in frame.columns if name != "cluster"]
    prior = [
        pd.DataFrame(rng.integers(0, 2, (1, len(names))), columns=names).assign(cluster="prior")
        for _ in range(40)
    ]
    weights = rng.dirichlet(np.append(np.ones(len(units)), np.full(40, 0.1)))
    chosen = rng.choice(len(weights), n, p=weights)
    parts = [(units + prior)[k].assign(cluster=f"new {j}") for j, k in enumerate(chosen)]
    return pd.concat([frame, *parts], ignore_index=True)


def _frame(rng, cases, clusters):
    cluster = np.arange(cases) % clusters
    easy = rng.normal(size=cases) + 0.8 * rng.normal(size=clusters)[cluster]
    levels = {"a": 0.5, "b": 0.7, "c": 0.85}
    answers = {
        name: (easy + rng.normal(size=cases) * 0.6 < level).astype(int)
        for name, level in levels.items()
    }
    return pd.DataFrame(answers).assign(cluster=[f"old {k}" for k in cluster])


def _cases(seed, cases, clusters):
    frame = _frame(np.random.default_rng(11), cases, clusters)
    single = clusters == cases

    def fit(rows, seed, draws=1000):
        outcomes = rows.drop(columns="cluster")
        joint = br.from_outcomes(
            outcomes, **({} if single else {"cluster": rows["cluster"].tolist()})
        )
        return br.fit(joint, seed=seed, draws=draws)

    def future(n, i):
        return fit(
            _drawn_cases(frame, frame["cluster"], n, np.random.default_rng([seed, i])), i, 500
        )

    return fit(frame, seed), "mean_outcome", future


def paired(seed):
    """Three entities on 80 cases that all met."""
    return _cases(seed, 80, 80)


def clustered(seed):
    """Three entities on 120 cases in 30 clusters."""
    return _cases(seed, 120, 30)


def hierarchical(seed):
    """Three entities on 12 data sets of 60 cases."""
    rng = np.random.default_rng(3)
    means, strength = np.array([0.70, 0.76, 0.79])[:, None], 20
    right = rng.binomial(60, rng.beta(means * strength, (1 - means) * strength, (3, 12)))
    names = {"entity": ["a", "b", "c"], "dataset": [f"d{j}" for j in range(12)], "outcome": [0, 1]}

    def array(right, start=0):
        coords = names | {"dataset": [f"d{start + j}" for j in range(right.shape[1])]}
        return xr.DataArray(
            np.stack([60 - right, right], -1), coords, ("entity", "dataset", "outcome")
        )

    posterior = br.fit(array(right), "hierarchical_beta_binomial", seed=seed)
    mean, spread = (
        held.stack(sample=("chain", "draw")).transpose("sample", "entity").values
        for held in (
            posterior["posterior"]["mean_rate"].sel(outcome=1),
            posterior["posterior"]["spread"],
        )
    )

    def future(n, i):
        rng = np.random.default_rng([seed, i])
        k = i * 37 % len(mean)
        strength = (1 / spread[k] ** 2 - 1)[:, None]
        rates = rng.beta(mean[k, :, None] * strength, (1 - mean[k, :, None]) * strength, (3, n))
        both = np.concatenate([right, rng.binomial(60, rates)], 1)
        return br.fit(array(both), "hierarchical_beta_binomial", seed=i, draws=500)

    return posterior, "mean_outcome", future


DESIGNS = {
    "tables": (tables, 400),
    "paired": (paired, 300),
    "clustered": (clustered, 100),
    "hierarchical": (hierarchical, 20),
}


def compare(design, n, goal, repeats, seed=1):
    """Return the stated success, the share of refits that meet the target, and the error of each."""
    posterior, score, future = design(seed)
    options = {
        "target": TARGET,
        "sizes": [n],
        "futures": 2000,
        "seed": seed,
        "true_scores": "posterior",
    }
    found = br.plan(posterior, score, **options, **goal)
    share = np.mean([meets(future(n, i), score, goal) for i in range(repeats)])
    p = (share * repeats + 1) / (repeats + 2)
    return (
        float(found["success"][0]),
        float(found["success_error"][0]),
        share,
        np.sqrt(p * (1 - p) / repeats),
    )


#: Smallest true difference of a pair; draws of each of four chains; entity standard deviations in logits.
LEAST, DRAWS, SPREAD_OF_LOGITS = 0.05, 500, (0.0, 0.25, 0.6)


def asked(posterior, score):
    """Return the fields of the fact on the number of cases; None if the board has none."""
    ranking = br.credible_ranking(posterior, score)
    if ranking.attrs["headline"] != "leads":
        return None
    known = [note.fields for note in notes_of(ranking.attrs["separation"])]
    if not known or known[0].get("difference", 0) < LEAST:
        known = [
            note.fields
            for note in notes_of(
                br.credible_ranking(posterior, score, rope=LEAST).attrs["separation"]
            )
        ]
    return known[0] if known and known[0]["needed"] is not None else None


def separated(posterior, score, known):
    best = br.credible_ranking(posterior, score)["in_best_set"].to_series()
    return bool(best[known["entity"]] and not best[known["rival"]])


def pair_of_truths(mean, names, known):
    """Return today's means, with the pair on both sides of its centre."""
    pair = [names.index(known[role]) for role in ("entity", "rival")]
    mean = mean.copy()
    mean[pair] = mean[pair].mean() + known["difference"] * np.array([0.5, -0.5])
    return mean


def board_of_tables(rng, spread, size=3):
    """Tables of 30 positive and 80 negative cases, by informedness."""
    names = list("abcdefghij"[:size])

    def fit(tp, tn, positives, negatives):
        counts = br.from_counts(tn=tn, fp=negatives - tn, fn=positives - tp, tp=tp, entity=names)
        return br.fit(counts, "beta_binomial", seed=1, draws=DRAWS)

    tp, tn = (
        rng.binomial(n, expit(logit(p) + spread * rng.standard_normal(size)))
        for n, p in ((30, 0.8), (80, 0.88))
    )
    known = asked(fit(tp, tn, 30, 80), "informedness")
    if known is None:
        return None
    rates = np.array([(tp + 1) / 32, (tn + 1) / 82])
    wanted = pair_of_truths(rates.sum(0) - 1, names, known)
    if wanted.max() > 0.999:
        return None
    for e, value in enumerate(wanted):
        move = brentq(
            lambda m, e=e, value=value: expit(logit(rates[:, e]) + m).sum() - 1 - value, -15, 15
        )
        rates[:, e] = expit(logit(rates[:, e]) + move)
    positives = round(known["needed"] * 30 / 110)
    negatives = int(known["needed"]) - positives
    tp, tn = tp + rng.binomial(positives, rates[0]), tn + rng.binomial(negatives, rates[1])
    return separated(fit(tp, tn, 30 + positives, 80 + negatives), "informedness", known)


def board_of_cases(rng, spread, size=3, cases=100, clusters=None):
    """Right and wrong answers to the same cases, by accuracy; half of the variance of cases is that of clusters."""
    names, groups = list("abcdefghij"[:size]), clusters or cases
    each = cases // groups
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)

    def answers(level, groups):
        easy = 1.05 * (rng.standard_normal(groups)[:, None] + rng.standard_normal((groups, each)))
        return (rng.random((groups, each, size)) < expit(level + easy[..., None])).astype(int)

    def fit(rows):
        frame = pd.DataFrame(rows.reshape(-1, size), columns=names)
        cluster = (
            {} if clusters is None else {"cluster": np.repeat(np.arange(len(rows)), each).tolist()}
        )
        return br.fit(br.from_outcomes(frame, **cluster), "paired", seed=1, draws=DRAWS)

    rows = answers(logit(0.75) * 1.5 + 1.5 * spread * rng.standard_normal(size), groups)
    posterior = fit(rows)
    known = asked(posterior, "mean_outcome")
    if known is None or known["needed"] * each > 100_000:
        return None
    wanted = pair_of_truths(
        posterior["posterior"]["mean_outcome"].mean(("chain", "draw")).values, names, known
    )
    if wanted.max() > 0.99:
        return None
    at = 1.05 * np.sqrt(2) * nodes
    level = [
        brentq(lambda m, p=p: weights @ expit(m + at) / weights.sum() - p, -20, 20)
        for p in wanted.tolist()
    ]
    new = answers(np.array(level), int(known["needed"]))
    return separated(fit(np.concatenate([rows, new])), "mean_outcome", known)


BOARDS = {
    "3 tables of 110 cases": board_of_tables,
    "10 tables of 110 cases": lambda rng, spread: board_of_tables(rng, spread, 10),
    "3 entities on 100 paired cases": board_of_cases,
    "3 entities on 24 clusters of 5": lambda rng, spread: board_of_cases(rng, spread, 3, 120, 24),
}


def conditional(boards):
    """Print the share of boards that the stated number of cases separates."""
    print("| evidence | entity sd (logits) | separated | boards |\n| --- | ---: | ---: | ---: |")
    for name, board in BOARDS.items():
        for spread in SPREAD_OF_LOGITS:
            rng, found = np.random.default_rng(int(100 * spread) + 7), []
            for _ in range(6 * boards):
                if len(found) < boards and (hit := board(rng, spread)) is not None:
                    found.append(hit)
            share, number = np.mean(found), len(found)
            error = np.sqrt((share * number + 1) / (number + 2) * (1 - share + 1 / number) / number)
            print(f"| {name} | {spread:g} | {share:.3f} ± {error:.3f} | {number} |", flush=True)


def optimism(boards):
    """Print the mean of the stated minus the true overestimate of the leader, over rates of which 0.75 is typical."""
    columns = ("own prior", "0", "0.6", "1.2")
    print(
        "| entities | cases | "
        + " | ".join(f"sd {name}" if name != columns[0] else name for name in columns)
        + " |"
    )
    print("| ---: | ---: |" + " ---: |" * len(columns))
    density = np.exp(-(SPREADS**2) / 2) * np.gradient(SPREADS)
    weights = np.append(EQUAL, (1 - EQUAL) * density / density.sum())
    for size in (3, 10):
        for n in (50, 100, 300):
            row = []
            for name in columns:
                rng, off = np.random.default_rng(5), []
                for _ in range(boards):
                    z = rng.standard_normal(size)
                    if name == columns[0]:
                        spread = SPREAD * rng.choice(np.append(0, SPREADS), p=weights)
                        truth = np.sin(rng.uniform(0.7, 1.2) + spread * z) ** 2
                    else:
                        truth = expit(logit(0.75) + float(name) * z)
                    right = rng.binomial(n, truth)
                    mean = (right + 2) / (n + 4)
                    errors = np.diag(mean * (1 - mean) / (n + 5))
                    found = learn_population(
                        mean, errors, (0.0, 1.0), np.full(size, n), np.full(size, 4.0), right / n
                    )
                    first = int(np.argmax(right + 1e-6 * rng.random(size)))
                    off.append(truth[first] - found.means()[first])
                row.append(f"{np.mean(off):+.3f} ± {np.std(off) / np.sqrt(boards):.3f}")
            print(f"| {size} | {n} | " + " | ".join(row) + " |", flush=True)


def futures(repeats):
    """Print the stated success of unconditional plans and the share of refitted futures that meet the target."""
    print(
        f"| design | new units | target | stated | refitted ({repeats} futures) |\n| --- | ---: | --- | ---: | ---: |"
    )
    for name, (design, n) in DESIGNS.items():
        for goal, words in (({}, "P(best)"), ({"rival": "b"}, "the leader beats b")):
            stated, error, share, other = compare(design, n, goal, repeats)
            print(
                f"| {name} | {n} | {words} | {stated:.3f} ± {error:.3f} | {share:.3f} ± {other:.3f} |",
                flush=True,
            )


if __name__ == "__main__":
    {"conditional": conditional, "optimism": optimism, "futures": futures}[sys.argv[1]](
        int(sys.argv[2])
    )
