"""Measure intervals of paired differences beside what people use today, in one run.

Run ``python scripts/measure_peers.py`` (about fifteen minutes; with evalstats installed, its lines are there too). Two
entities with accuracies 0.85 and 0.80 answer the same cases, and their errors go together: a case's difficulty is
half of the variance of a normal score that has to stay below a threshold (:func:`normal_scores`). Coverage is that of
95% intervals of the difference, 0.05; half-widths are two standard errors. Then 100 entities with accuracies from
0.85 downwards in steps of 0.001 answer 400 such cases: which ranks, and which pairs, are told?
"""

import sys
from collections.abc import Callable
from importlib.util import find_spec

import numpy as np
import pandas as pd
from scipy.special import ndtri
from scipy.stats import binom, rankdata

import bayesrank as br

ACCURACY = np.array([0.85, 0.80])
Interval = tuple[float, float]


def normal_scores(rng: np.random.Generator, clusters: int, size: int, runs: int) -> np.ndarray:
    """Right and wrong (case, run, entity).

    Half of the variance is the case's, for both entities; in clusters half of everything is the cluster's, and with
    several runs half of what is an entity's own on a case is the same on each run.
    """

    def halves(*shapes: tuple[int, ...]) -> np.ndarray:
        return sum(rng.standard_normal(shape) for shape in shapes) / np.sqrt(len(shapes))

    groups = [(clusters, 1, 1), (clusters, size, 1)][size == 1 :]
    case = halves(*[(*group, 1) for group in groups])
    own = halves(*[(*group, 2) for group in groups])
    noise = own if runs == 1 else (own + halves((clusters, size, runs, 2))) / np.sqrt(2)
    score = (case + noise) / np.sqrt(2)
    return (score < ndtri(ACCURACY)).reshape(clusters * size, runs, 2).astype(float)


def quantiles(draws: np.ndarray) -> Interval:
    low, high = np.quantile(draws, [0.025, 0.975])
    return float(low), float(high)


def paired(outcome: np.ndarray, cluster: np.ndarray | None, seed: int) -> Interval:
    """bayesrank's model "paired", with the clusters where there are some."""
    frame = pd.DataFrame(outcome.mean(1), columns=["a", "b"])
    ranking = br.credible_ranking(br.fit(br.from_outcomes(frame, cluster=cluster), seed=seed))
    ends = np.array([ranking["difference_lower"], ranking["difference_upper"]])
    leader = int(np.flatnonzero(ranking["difference"].values == 0)[0])
    low, high = ends[:, 1 - leader]
    return (-high, -low) if leader == 0 else (low, high)


def independent(outcome: np.ndarray, cluster: np.ndarray | None, seed: int) -> Interval:
    """Two Betas with four cases of prior, as if the entities had met different cases; runs count as cases."""
    right, total = outcome.sum((0, 1)), outcome.shape[0] * outcome.shape[1]
    draws = np.random.default_rng(seed).beta(2 + right, 2 + total - right, (4000, 2))
    return quantiles(draws[:, 0] - draws[:, 1])


def bootstrap(outcome: np.ndarray, cluster: np.ndarray | None, seed: int) -> Interval:
    """The usual loop: percentiles over resampled cases."""
    difference = np.subtract(*outcome.mean(1).T)
    picks = np.random.default_rng(seed).integers(difference.size, size=(2000, difference.size))
    return quantiles(difference[picks].mean(1))


def mcnemar(outcome: np.ndarray, cluster: np.ndarray | None, seed: int) -> Interval:
    """The interval that goes with McNemar's test: discordant pairs, normal approximation."""
    difference = np.subtract(*outcome.mean(1).T)
    half = 1.959964 * difference.std() / np.sqrt(difference.size)
    return float(difference.mean() - half), float(difference.mean() + half)


def evalstats_auto(outcome: np.ndarray, cluster: np.ndarray | None, seed: int) -> Interval:
    """What evalstats chooses for such data."""
    from evalstats import pairwise_differences

    scores = outcome.transpose(2, 0, 1)
    rng = np.random.default_rng(seed)
    found = pairwise_differences(
        scores if scores.shape[2] > 1 else scores[..., 0], 0, 1, n_bootstrap=2000, rng=rng
    )
    return found.ci_low, found.ci_high


def bivariate_normal(outcome: np.ndarray, cluster: np.ndarray | None, seed: int) -> Interval:
    """A bivariate normal behind right and wrong (Bowyer, Aitchison and Ivanova 2025), as evalstats has it."""
    from evalstats import bayes_paired_diff_ci

    if outcome.shape[1] > 1:
        return np.nan, np.nan
    rng = np.random.default_rng(seed)
    return bayes_paired_diff_ci(
        outcome[:, 0, 0], outcome[:, 0, 1], 0.05, num_samples=4000, rng=rng
    )[:2]


METHODS: dict[str, Callable[[np.ndarray, np.ndarray | None, int], Interval]] = {
    "paired": paired,
    "as independent": independent,
    "bootstrap": bootstrap,
    "McNemar": mcnemar,
}
if find_spec("evalstats") is not None:
    METHODS |= {"evalstats": evalstats_auto, "bivariate normal": bivariate_normal}
#: Clusters, cases of each, runs of each.
DESIGNS = {
    "20 cases": (20, 1, 1),
    "60 cases": (60, 1, 1),
    "400 cases": (400, 1, 1),
    "20 clusters of 5": (20, 5, 1),
    "80 clusters of 5": (80, 5, 1),
    "60 cases, 5 runs": (60, 1, 5),
    "20 cases, 5 runs": (20, 1, 5),
}


def rank_sets(surely_ahead: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the first and last possible rank of each entity, given the separated pairs (ahead, behind)."""
    return 1 + surely_ahead.sum(0), len(surely_ahead) - surely_ahead.sum(1)


def holm(outcome: np.ndarray) -> np.ndarray:
    """Return the pairs (ahead, behind) that McNemar's exact tests separate at 0.05, with Holm's procedure."""
    wins = outcome.T @ (1 - outcome)
    p = np.minimum(1, 2 * binom.cdf(np.minimum(wins, wins.T), wins + wins.T, 0.5))
    upper = np.triu_indices(len(p), 1)
    order = np.argsort(p[upper])
    passed = np.cumprod(p[upper][order] <= 0.05 / (order.size - np.arange(order.size))).astype(bool)
    told = np.zeros_like(p, dtype=bool)
    i, j = upper[0][order][passed], upper[1][order][passed]
    told[i, j] = told[j, i] = True
    return told & (wins > wins.T)


def near_equal(
    seed: int, size: int = 100, cases: int = 400
) -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """First and last ranks and pairs told (ahead, behind) by each method; entities stand in their true order."""
    rng = np.random.default_rng(seed)
    score = (rng.standard_normal((cases, 1)) + rng.standard_normal((cases, size))) / np.sqrt(2)
    outcome = (score < ndtri(0.85 - 0.001 * np.arange(size))).astype(int)
    frame = pd.DataFrame(outcome, columns=[f"entity {i:03d}" for i in range(size)])
    ranking = br.credible_ranking(
        br.fit(br.from_outcomes(frame), "paired", seed=seed), "mean_outcome"
    )
    singly = ranking["superiority"].values > 0.95
    each = ranking["rank_marginal_lower"].values, ranking["rank_marginal_upper"].values
    sets = ranking["rank_lower"].values, ranking["rank_upper"].values
    found = {"bayesrank, rank intervals": (*each, singly)}
    found["bayesrank, rank sets"] = (
        *sets,
        np.zeros_like(singly),
    )  # which speak of ranks, not of pairs
    told = holm(outcome)
    found["McNemar with Holm"] = (*rank_sets(told), told)
    means = rng.multinomial(cases, np.full(cases, 1 / cases), 2000) @ outcome
    ranks = rankdata(-means, axis=1)
    low, high = np.quantile(ranks, [0.025, 0.975], axis=0)
    ahead = np.stack(
        [
            (means[:, [i]] > means).mean(0) + (means[:, [i]] == means).mean(0) / 2
            for i in range(size)
        ]
    )
    found["bootstrap"] = (np.floor(low), np.ceil(high), ahead > 0.95)
    return found


def near_equals(replicates: int) -> None:
    """Print one line a method: ranks held, each and all together, their width, and pairs told, right and wrong."""
    rows: dict[str, list[list[float]]] = {}
    for seed in range(replicates):
        for method, (low, high, told) in near_equal(seed).items():
            true = np.arange(1, len(low) + 1)
            held = (low <= true) & (true <= high)
            right = np.triu(told).sum()
            row = [held.mean(), held.all(), (high - low + 1).mean(), right, told.sum() - right]
            rows.setdefault(method, []).append(row)
    for method, found in rows.items():
        each, together, width, right, wrong = np.mean(found, axis=0)
        error = 2 * np.std(found, axis=0) / np.sqrt(replicates)
        pairs = (
            f"pairs told {right:.0f} rightly, {wrong:.1f} ± {error[4]:.1f} wrongly" if right else ""
        )
        print(
            f"{method:28} ranks held {each:.3f}, all {together:.2f} ± {error[1]:.2f}, width {width:.0f} {pairs}"
        )


def main(replicates: int) -> None:
    """Print one line a design and method: coverage of the true difference, and mean width."""
    truth = ACCURACY[0] - ACCURACY[1]
    for design, (clusters, size, runs) in DESIGNS.items():
        cluster = np.repeat(np.arange(clusters), size) if size > 1 else None
        for method, interval in METHODS.items():
            found = np.array(
                [
                    interval(
                        normal_scores(np.random.default_rng(i), clusters, size, runs), cluster, i
                    )
                    for i in range(replicates)
                ]
            )
            if np.isnan(found).any():
                print(f"{design:18} {method:18} has no answer")
                continue
            held = ((found[:, 0] <= truth) & (truth <= found[:, 1])).mean()
            error = 2 * np.sqrt(held * (1 - held) / replicates)
            print(
                f"{design:18} {method:18} {held:.3f} ± {error:.3f}  width {np.ptp(found, axis=1).mean():.3f}"
            )


if __name__ == "__main__":
    asked = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    main(asked)
    near_equals(max(asked // 10, 2))
