"""How well the assurance of a plan is calibrated: futures are simulated, fitted again, and counted.

Run ``python scripts/measure_planning.py`` (about half an hour); ``docs/planning.md`` has the numbers. In each of four
designs the truth comes from the posterior, the future cases from the truth, and the share of refitted posteriors that
meet the target is compared with the success that :func:`bayesrank.plan` states.
"""

import sys

import numpy as np
import pandas as pd
import xarray as xr

import bayesrank as br

TARGET = 0.9


def meets(posterior, score, goal):
    """Return whether a posterior meets the target, from its draws."""
    if "mean_outcome" in posterior["posterior"] and score == "mean_outcome":
        kind = posterior["posterior"].attrs.get("kind")
        values = posterior["posterior"]["mean_outcome_typical" if kind == "typical" else "mean_outcome"]
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
    counts = br.from_counts(tn=[50, 53, 48], fp=[10, 7, 12], fn=[6, 5, 4], tp=[24, 25, 26], entity=["a", "b", "c"])
    posterior = br.fit(counts, seed=seed)
    drawn = {}

    def future(n, i):
        if n not in drawn:
            drawn[n] = br.posterior_predictive(posterior, size=n, seed=7).stack(sample=("chain", "draw"))
        one = drawn[n].isel(sample=i * 37 % 4000).transpose(*counts.dims)
        return br.fit(counts + one.values, seed=i, draws=500)

    return posterior, "mcc", future


def _drawn_cases(frame, cluster, n, rng):
    """New rows of joint outcomes: units of those observed with Dirichlet weights, besides four cases of the prior."""
    units = [part for _, part in frame.groupby(cluster)]
    names = [name for name in frame.columns if name != "cluster"]
    prior = [
        pd.DataFrame(rng.integers(0, 2, (1, len(names))), columns=names).assign(cluster="prior") for _ in range(40)
    ]
    weights = rng.dirichlet(np.append(np.ones(len(units)), np.full(40, 0.1)))
    chosen = rng.choice(len(weights), n, p=weights)
    parts = [(units + prior)[k].assign(cluster=f"new {j}") for j, k in enumerate(chosen)]
    return pd.concat([frame, *parts], ignore_index=True)


def _frame(rng, cases, clusters):
    cluster = np.arange(cases) % clusters
    easy = rng.normal(size=cases) + 0.8 * rng.normal(size=clusters)[cluster]
    levels = {"a": 0.5, "b": 0.7, "c": 0.85}
    answers = {name: (easy + rng.normal(size=cases) * 0.6 < level).astype(int) for name, level in levels.items()}
    return pd.DataFrame(answers).assign(cluster=[f"old {k}" for k in cluster])


def _cases(seed, cases, clusters):
    frame = _frame(np.random.default_rng(11), cases, clusters)
    single = clusters == cases

    def fit(rows, seed, draws=1000):
        outcomes = rows.drop(columns="cluster")
        joint = br.from_outcomes(outcomes, **({} if single else {"cluster": rows["cluster"].tolist()}))
        return br.fit(joint, seed=seed, draws=draws)

    def future(n, i):
        return fit(_drawn_cases(frame, frame["cluster"], n, np.random.default_rng([seed, i])), i, 500)

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
        return xr.DataArray(np.stack([60 - right, right], -1), coords, ("entity", "dataset", "outcome"))

    posterior = br.fit(array(right), "hierarchical_beta_binomial", seed=seed)
    mean, spread = (
        held.stack(sample=("chain", "draw")).transpose("sample", "entity").values
        for held in (posterior["posterior"]["mean_rate"].sel(outcome=1), posterior["posterior"]["spread"])
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
    found = br.plan(posterior, score, target=TARGET, sizes=[n], futures=2000, seed=seed, **goal)
    share = np.mean([meets(future(n, i), score, goal) for i in range(repeats)])
    p = (share * repeats + 1) / (repeats + 2)
    return float(found["success"][0]), float(found["success_error"][0]), share, np.sqrt(p * (1 - p) / repeats)


if __name__ == "__main__":
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    print(
        f"| design | new units | target | stated | refitted ({repeats} futures) |\n| --- | ---: | --- | ---: | ---: |"
    )
    chosen = sys.argv[2:] or DESIGNS
    for name in chosen:
        design, n = DESIGNS[name]
        for goal, words in (({}, "P(best)"), ({"rival": "b"}, "the leader beats b")):
            stated, error, share, other = compare(design, n, goal, repeats)
            print(f"| {name} | {n} | {words} | {stated:.3f} ± {error:.3f} | {share:.3f} ± {other:.3f} |", flush=True)
