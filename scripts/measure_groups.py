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
from bayesrank.models.hierarchical_beta_binomial import EQUAL
from bayesrank.models.parts.population import learn

AGGREGATES = ("mean", "worst", "gap", "borda", "win_rate")


def counts_of(rng, entities, rates, cases):
    """Return counts of right and wrong answers (entity, group) at these rates (group)."""
    right = rng.binomial(cases, rates, (entities, len(rates)))
    names = {"entity": [f"e{i}" for i in range(entities)], "group": [f"g{j}" for j in range(len(rates))]}
    coords = names | {"outcome": [0, 1], "measured": (("entity", "group"), np.ones(right.shape, bool))}
    return xr.DataArray(np.stack([cases - right, right], -1), coords, ("entity", "group", "outcome"), name="counts")


def claims(rng, boards, entities, groups, cases):
    """Return how often an entity is called best, by aggregate; ``cases`` are those of each group, or of each entity."""
    found = dict.fromkeys(AGGREGATES, 0)
    for _ in range(boards):
        rates = 1 / (1 + np.exp(-(1.0 + 0.5 * rng.standard_normal(groups))))
        each = np.full((entities, groups), np.reshape(cases, (-1, 1)))
        posterior = br.fit(counts_of(rng, entities, rates, each), seed=int(rng.integers(2**31)), draws=500)
        for aggregate in AGGREGATES:
            ranking = br.credible_ranking(posterior, over="group", aggregate=aggregate)
            found[aggregate] += ranking.attrs["headline"] == "best"
    return found


def unequal(boards, few, many, spread, groups=4, seed=1):
    """Return how often one of two equal entities with unequal numbers of cases has a better aggregate, by its draws.

    This is the claim without the cap on such rankings.
    """
    rng = np.random.default_rng([seed, groups, few, many, int(10 * spread)])
    rates = np.repeat(1 / (1 + np.exp(-(1.0 + spread * rng.standard_normal((boards, groups))))), 2, axis=0)
    cases = np.tile([few, many], boards)[:, None] * np.ones(groups, int)
    right = rng.binomial(cases, rates)
    evidence = counts_of(rng, 2 * boards, np.full(groups, 0.5), cases)
    evidence.values[:] = np.stack([cases - right, right], -1)
    posterior, found = br.fit(evidence, seed=seed, draws=500), {}
    for how in ("worst", "gap"):
        x = br.aggregate_score(posterior, over="group", aggregate=how).transpose("chain", "draw", "entity").values
        apart = np.subtract(*np.moveaxis(x.reshape(-1, boards, 2), -1, 0))
        below = (apart < 0).mean(axis=0) + (apart == 0).mean(axis=0) / 2
        sure = (np.abs(apart.mean(axis=0)) > 1.96 * apart.std(axis=0)) & (np.minimum(below, 1 - below) <= 0.05)
        found[how] = float(sure.mean())
    return found


def draw_rates(how, boards, groups, rng):
    """Return true rates (board, group): of the model's own population, equal, or with a normal spread of logits."""
    if how == "population":
        frame = counts_of(rng, boards, np.full(groups, 0.5), 1)
        prior = br.fit(frame, "hierarchical_beta_binomial", seed=2, draws=1, chains=1, groups=["prior"])["prior"]
        return prior["performance"].isel(chain=0, draw=0).sel(outcome=1).transpose("entity", "group").values
    centre = rng.normal(1, 0.5, (boards, 1))
    return 1 / (1 + np.exp(-(centre + {"equal": 0.0, "spread": 0.5}[how] * rng.standard_normal((boards, groups)))))


def gaps(how, boards, groups=3, cases=100, seed=1):
    """Return P(gap < 0.1) and whether it is (board), and coverage of the gap's and the worst group's intervals."""
    rng = np.random.default_rng([seed, boards])
    rates = draw_rates(how, boards, groups, rng)
    evidence = counts_of(rng, boards, np.full(groups, 0.5), cases)
    right = rng.binomial(cases, rates)
    evidence.values[:] = np.stack([cases - right, right], -1)
    posterior = br.fit(evidence, seed=seed, draws=1000, chains=1)
    gap, worst = (br.aggregate_score(posterior, over="group", aggregate=how) for how in ("gap", "worst"))
    true = {"gap": np.ptp(rates, axis=1), "worst": rates.min(axis=1)}
    covered = {}
    for name, values in (("gap", gap), ("worst", worst)):
        low, high = np.quantile(values.transpose("chain", "draw", "entity").values[0], [0.025, 0.975], axis=0)
        covered[name] = float(((low <= true[name]) & (true[name] <= high)).mean())
    return (gap < 0.1).mean(["chain", "draw"]).values, true["gap"] < 0.1, covered


def plans(boards, aggregate, groups, cases=100, difference=0.15, seed=1):
    """Return how often the planned number of cases separates two entities whose aggregates truly differ so much."""
    rng, met = np.random.default_rng([seed, groups]), []
    while len(met) < boards:
        rates = 1 / (1 + np.exp(-(1.0 + 0.5 * rng.standard_normal((2, groups)))))
        right = rng.binomial(cases, rates)
        evidence = counts_of(rng, 2, rates[0], cases)
        evidence.values[:] = np.stack([cases - right, right], -1)
        source = br.performance.aggregate_over(br.fit(evidence, seed=1, draws=500), "group", aggregate)
        plan = br.plan(source, margin=difference)
        needed = float(plan["needed"])
        if not 0 < needed < 10_000:
            continue
        truth = br.credible_ranking(source.source, kind="observed")["median"].transpose("entity", "group").values
        one = evidence["entity"].values.tolist().index(plan.attrs["entity"])
        of_each = truth.mean(axis=1) if aggregate == "mean" else truth.min(axis=1)
        wanted = of_each.mean() + difference * np.where(np.arange(2) == one, 0.5, -0.5)
        truth = np.clip(truth + (wanted - of_each)[:, None], 0.001, 0.999)
        more = int(np.ceil(needed / groups))
        later = rng.binomial(more, truth)
        evidence = evidence + np.stack([more - later, later], -1)
        posterior = br.fit(evidence.rename("counts"), seed=2, draws=500)
        met.append(br.credible_ranking(posterior, over="group", aggregate=aggregate)["in_best_set"].sum().item() == 1)
    return np.mean(met)


def worst(boards, groups, cases, spread):
    """Return coverage of the worst group: of exchangeable groups, of those that may be equal, of independent ones."""
    rng, covered = np.random.default_rng([1, groups, cases, int(10 * spread)]), np.zeros((boards, 3))
    prior, size = np.array([0.5, 0.5]), 1000
    for k in range(boards):
        rates = 1 / (1 + np.exp(-(rng.normal(1, 0.5) + spread * rng.standard_normal(groups))))
        right = rng.binomial(cases, rates)
        population = learn(right, np.full(groups, cases), prior)
        mean, scale = population.draw(rng, size)
        kappa = 1 / np.maximum(scale, 1e-9) ** 2 - 1
        each = rng.beta((mean * kappa)[:, None] + right, ((1 - mean) * kappa)[:, None] + cases - right)
        total = prior + np.array([right.sum(), groups * cases - right.sum()])
        one = rng.beta(*total, size)
        independent = rng.beta(2 + right, 2 + cases - right, (size, groups))
        odds = np.exp(betaln(*total) - betaln(*prior) - population.log_evidence) * EQUAL / (1 - EQUAL)
        equal = rng.random(size) < odds / (1 + odds)
        for j, drawn in enumerate((each, np.where(equal[:, None], one[:, None], each), independent)):
            low, high = np.quantile(drawn.min(axis=1), [0.025, 0.975])
            covered[k, j] = low <= rates.min() <= high
    return covered.mean(axis=0)


def print_gaps(boards):
    for how in ("population", "equal", "spread"):
        stated, true, covered = gaps(how, boards)
        print(f"{how}: coverage of the gap {covered['gap']:.3f}, of the worst group {covered['worst']:.3f}", flush=True)
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
        "--unequal", type=int, default=0, help="boards of entities with unequal numbers of cases, instead"
    )
    parser.add_argument("--gaps", type=int, default=0, help="boards of the tables of gaps, instead of false claims")
    parser.add_argument("--worst", type=int, default=0, help="boards of the table of worst groups, instead")
    parser.add_argument("--plans", type=int, default=0, help="boards of the table of plans, instead of false claims")
    given = parser.parse_args()
    if given.worst:
        for groups, cases, spread in product((2, 3, 5, 10), (30, 100, 400), (0, 0.3, 1)):
            print(groups, cases, spread, worst(given.worst, groups, cases, spread).round(3), flush=True)
        return
    if given.plans:
        for aggregate, groups in product(("mean", "worst"), (2, 4)):
            print(aggregate, groups, f"{plans(given.plans, aggregate, groups):.3f}", flush=True)
        return
    if given.unequal:
        for few, many in ((20, 30), (20, 60), (20, 1000), (100, 300), (100, 1000), (300, 3000)):
            for spread in (0.5, 1.0):
                found = unequal(given.unequal, few, many, spread)
                print(few, many, spread, *(f"{how}: {share:.3f}" for how, share in found.items()), flush=True)
        return
    if given.gaps:
        print_gaps(given.gaps)
        return
    cells = [[int(one) for one in part.split(",")] for part in given.cells.split("/")]
    for entities, groups, cases in product(*cells):
        rng = np.random.default_rng([given.seed, entities, groups, cases])
        found = claims(rng, given.boards, entities, groups, cases)
        print(entities, groups, cases, *(f"{found[a] / given.boards:.3f}" for a in AGGREGATES), flush=True)


if __name__ == "__main__":
    main()
