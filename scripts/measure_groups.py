"""Measure rankings over groups: false claims of a best entity, calibration of gaps, coverage of the worst group.

Entities are equal: each has the same rate on a group, and rates vary between groups with standard deviation 0.5 on the
logit scale. Gaps are of one entity whose rates come from the model's own population.
"""

import argparse
from itertools import product

import numpy as np
import xarray as xr
from scipy.special import betaln

import bayesrank as br
from bayesrank.claims.effective import Information
from bayesrank.models.hierarchical_beta_binomial import EQUAL
from bayesrank.models.parts.population import learn
from bayesrank.ranking.extremes import Comparison, Extremes
from bayesrank.ranking.values import ScoreValues

AGGREGATES = ("mean", "borda", "win_rate")


def counts_of(rng, entities, rates, cases):
    """Return counts of right and wrong answers (entity, group) at these rates (group)."""
    right = rng.binomial(cases, rates, (entities, len(rates)))
    names = {
        "entity": [f"e{i}" for i in range(entities)],
        "group": [f"g{j}" for j in range(len(rates))],
    }
    coords = names | {
        "outcome": [0, 1],
        "measured": (("entity", "group"), np.ones(right.shape, bool)),
    }
    return xr.DataArray(
        np.stack([cases - right, right], -1), coords, ("entity", "group", "outcome"), name="counts"
    )


def claims(rng, boards, entities, groups, cases):
    """Return how often an entity is called best, by aggregate; ``cases`` are those of each group, or of each entity."""
    found = dict.fromkeys(AGGREGATES, 0)
    for _ in range(boards):
        rates = 1 / (1 + np.exp(-(1.0 + 0.5 * rng.standard_normal(groups))))
        each = np.full((entities, groups), np.reshape(cases, (-1, 1)))
        posterior = br.fit(
            counts_of(rng, entities, rates, each), seed=int(rng.integers(2**31)), draws=500
        )
        for aggregate in AGGREGATES:
            ranking = br.credible_ranking(posterior, over="group", aggregate=aggregate)
            found[aggregate] += ranking.attrs["headline"] == "best"
    return found


def draw_rates(how, boards, groups, rng):
    """Return true rates (board, group): of the model's own population, equal, or with a normal spread of logits."""
    if how == "population":
        frame = counts_of(rng, boards, np.full(groups, 0.5), 1)
        prior = br.fit(
            frame, "hierarchical_beta_binomial", seed=2, draws=1, chains=1, groups=["prior"]
        )["prior"]
        return (
            prior["performance"]
            .isel(chain=0, draw=0)
            .sel(outcome=1)
            .transpose("entity", "group")
            .values
        )
    centre = rng.normal(1, 0.5, (boards, 1))
    return 1 / (
        1
        + np.exp(
            -(centre + {"equal": 0.0, "spread": 0.5}[how] * rng.standard_normal((boards, groups)))
        )
    )


def gaps(how, boards, groups=3, cases=100, seed=1):
    """Return P(gap < 0.1) and whether it is (board), and coverage of the gap's and the worst group's intervals."""
    rng = np.random.default_rng([seed, boards])
    rates = draw_rates(how, boards, groups, rng)
    evidence = counts_of(rng, boards, np.full(groups, 0.5), cases)
    right = rng.binomial(cases, rates)
    evidence.values[:] = np.stack([cases - right, right], -1)
    posterior = br.fit(evidence, seed=seed, draws=1000, chains=1)
    gap, worst = (
        br.scores.aggregate_score(posterior, over="group", aggregate=how)
        for how in ("gap", "worst")
    )
    true = {"gap": np.ptp(rates, axis=1), "worst": rates.min(axis=1)}
    covered = {}
    for name, values in (("gap", gap), ("worst", worst)):
        low, high = np.quantile(
            values.transpose("chain", "draw", "entity").values[0], [0.025, 0.975], axis=0
        )
        covered[name] = float(((low <= true[name]) & (true[name] <= high)).mean())
    return (gap < 0.1).mean(["chain", "draw"]).values, true["gap"] < 0.1, covered


def plans(boards, groups, cases=100, difference=0.15, seed=1):
    """Return how often the planned number of cases separates two entities whose means truly differ so much."""
    rng, met = np.random.default_rng([seed, groups]), []
    while len(met) < boards:
        rates = 1 / (1 + np.exp(-(1.0 + 0.5 * rng.standard_normal((2, groups)))))
        right = rng.binomial(cases, rates)
        evidence = counts_of(rng, 2, rates[0], cases)
        evidence.values[:] = np.stack([cases - right, right], -1)
        source = br.performance.aggregate_over(br.fit(evidence, seed=1, draws=500), "group")
        plan = br.plan(source, margin=difference)
        needed = float(plan["needed"])
        if not 0 < needed < 10_000:
            continue
        truth = (
            br.credible_ranking(source.source, kind="observed")["median"]
            .transpose("entity", "group")
            .values
        )
        one = evidence["entity"].values.tolist().index(plan.attrs["entity"])
        of_each = truth.mean(axis=1)
        wanted = of_each.mean() + difference * np.where(np.arange(2) == one, 0.5, -0.5)
        truth = np.clip(truth + (wanted - of_each)[:, None], 0.001, 0.999)
        more = int(np.ceil(needed / groups))
        later = rng.binomial(more, truth)
        evidence = evidence + np.stack([more - later, later], -1)
        posterior = br.fit(evidence.rename("counts"), seed=2, draws=500)
        met.append(br.credible_ranking(posterior, over="group")["in_best_set"].sum().item() == 1)
    return np.mean(met)


def worst(boards, groups, cases, spread):
    """Return coverage of the worst group: of exchangeable groups, of those that may be equal, of independent ones."""
    rng, covered = (
        np.random.default_rng([1, groups, cases, int(10 * spread)]),
        np.zeros((boards, 3)),
    )
    prior, size = np.array([0.5, 0.5]), 1000
    for k in range(boards):
        rates = 1 / (1 + np.exp(-(rng.normal(1, 0.5) + spread * rng.standard_normal(groups))))
        right = rng.binomial(cases, rates)
        population = learn(right, np.full(groups, cases), prior)
        mean, scale = population.draw(rng, size)
        kappa = 1 / np.maximum(scale, 1e-9) ** 2 - 1
        each = rng.beta(
            (mean * kappa)[:, None] + right, ((1 - mean) * kappa)[:, None] + cases - right
        )
        total = prior + np.array([right.sum(), groups * cases - right.sum()])
        one = rng.beta(*total, size)
        independent = rng.beta(2 + right, 2 + cases - right, (size, groups))
        odds = (
            np.exp(betaln(*total) - betaln(*prior) - population.log_evidence) * EQUAL / (1 - EQUAL)
        )
        equal = rng.random(size) < odds / (1 + odds)
        for j, drawn in enumerate(
            (each, np.where(equal[:, None], one[:, None], each), independent)
        ):
            low, high = np.quantile(drawn.min(axis=1), [0.025, 0.975])
            covered[k, j] = low <= rates.min() <= high
    return covered.mean(axis=0)


def profiles_of(how, groups):
    """Return the rates (entity, group) of two entities whose worst group, or whose gap, is the same."""
    low, half = np.full(groups, 0.6), groups // 2
    if how == "worst":
        return np.array([np.r_[0.6, np.full(groups - 1, 0.9)], low])
    if how == "worst, close":
        return np.array([np.r_[0.6, np.full(groups - 1, 0.7)], low])
    if how == "worst, flat":
        return np.array([low, low])
    if how == "worst, high":
        return np.array([np.r_[0.95, np.full(groups - 1, 0.99)], np.full(groups, 0.95)])
    uneven = np.r_[0.8, 0.6, np.full(groups - 2, 0.7)]
    if how == "gap, same":
        return np.array([uneven, uneven])
    if how == "gap, flat":
        return np.full((2, groups), 0.7)
    return np.array([uneven, np.r_[np.full(half, 0.8), np.full(groups - half, 0.6)]])


def rule(how, groups, cases, entities, boards, ratio=1, better=0.0, seed=1, draws=2000):
    """Return shares of boards with false claims by the rule for worst scores and gaps, and coverages.

    The first and every second entity have the first profile. ``better`` raises the rates of the first entity, or
    narrows its gap by this share. The claims of the gate have the margin at which they are false.
    """
    rng = np.random.default_rng([seed, groups, cases, entities, boards, sum(map(ord, how))])
    gap, rates = how.startswith("gap"), profiles_of(how, groups)[np.arange(entities) % 2]
    if better:
        rates[0] = rates[0] + (better * (rates[0].mean() - rates[0]) if gap else better)
    size = np.where(np.arange(entities) % 2, int(cases * ratio), cases)[:, None]
    true = -np.ptp(rates, axis=1) if gap else rates.min(axis=1)
    best, apart = np.isclose(true, true.max()), true[0] - true[1]
    base = ScoreValues(xr.DataArray(0.0), "accuracy", True, ends=(0.0, 1.0))
    unknown = np.full(entities, np.nan)
    information = Information(size[:, 0].astype(float), unknown, observed=np.zeros(entities))
    found = dict.fromkeys(
        ("best", "excluded", "pairs", "first", "second", "worse", "not worse", "right"), 0
    )
    for _ in range(boards):
        right = rng.binomial(size, rates)
        drawn = rng.beta(0.5 + right, 0.5 + size - right, (draws, *right.shape))
        extremes = Extremes(drawn, right / size, base, gap)
        decided = extremes.decide(np.arange(entities), 0.95, information)
        out = decided.ruled_out()
        sole = (~out).sum() == 1
        found["best"] += bool(sole and (best.sum() > 1 or not best[~out][0]))
        found["right"] += bool(sole and best.sum() == 1 and best[~out][0])
        found["excluded"] += bool(out[best].any())
        found["pairs"] += bool((decided.above & ~(true[:, None] > true + 1e-9)).any())
        low, high = extremes.interval(0.95)
        for place, name in enumerate(("first", "second")):
            truth = abs(true[place])
            found[name] += bool(low[place] <= truth <= high[place])
        compared = Comparison(extremes, np.arange(2), information)
        found["worse"] += bool(apart >= 0 and compared.p_value(0.0, -1) <= 0.05)
        found["not worse"] += bool(compared.p_value(max(-apart, 0.0), 1) <= 0.05 and apart <= 0)
    return {name: number / boards for name, number in found.items()}


def print_gaps(boards):
    for how in ("population", "equal", "spread"):
        stated, true, covered = gaps(how, boards)
        print(
            f"{how}: coverage of the gap {covered['gap']:.3f}, of the worst group {covered['worst']:.3f}",
            flush=True,
        )
        if how == "population":
            place = np.minimum((stated * 10).astype(int), 9)
            for k in range(10):
                here = place == k
                error = np.sqrt(max(true[here].mean() * (1 - true[here].mean()), 1e-9) / here.sum())
                print(
                    f"{k / 10:.1f} {here.sum()} {stated[here].mean():.3f} {true[here].mean():.3f} {error:.3f}",
                    flush=True,
                )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--boards", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cells", default="2,5,20/2,4,12/10,100,1000")
    parser.add_argument(
        "--gaps", type=int, default=0, help="boards of the tables of gaps, instead of false claims"
    )
    parser.add_argument(
        "--worst", type=int, default=0, help="boards of the table of worst groups, instead"
    )
    parser.add_argument(
        "--plans", type=int, default=0, help="boards of the table of plans, instead of false claims"
    )
    parser.add_argument(
        "--rule", type=int, default=0, help="boards of the rule for worst scores and gaps, instead"
    )
    parser.add_argument(
        "--profiles", default="worst/worst, close/worst, flat/worst, high/gap/gap, same/gap, flat"
    )
    parser.add_argument(
        "--ratio",
        type=float,
        default=1,
        help="how many times as many cases every second entity has",
    )
    parser.add_argument(
        "--better", type=float, default=0, help="by how much the first entity is better"
    )
    given = parser.parse_args()
    cells = [[int(one) for one in part.split(",")] for part in given.cells.split("/")]
    if given.rule:
        for how, entities, groups, cases in product(given.profiles.split("/"), *cells):
            found = rule(
                how, groups, cases, entities, given.rule, given.ratio, given.better, given.seed
            )
            print(
                how,
                entities,
                groups,
                cases,
                *(f"{name} {share:.3f}" for name, share in found.items()),
                flush=True,
            )
        return
    if given.worst:
        for groups, cases, spread in product((2, 3, 5, 10), (30, 100, 400), (0, 0.3, 1)):
            print(
                groups,
                cases,
                spread,
                worst(given.worst, groups, cases, spread).round(3),
                flush=True,
            )
        return
    if given.plans:
        for groups in (2, 4):
            print(groups, f"{plans(given.plans, groups):.3f}", flush=True)
        return
    if given.gaps:
        print_gaps(given.gaps)
        return
    for entities, groups, cases in product(*cells):
        rng = np.random.default_rng([given.seed, entities, groups, cases])
        found = claims(rng, given.boards, entities, groups, cases)
        print(
            entities,
            groups,
            cases,
            *(f"{found[a] / given.boards:.3f}" for a in AGGREGATES),
            flush=True,
        )


if __name__ == "__main__":
    main()
