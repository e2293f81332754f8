"""Measure what the documentation says of credible rankings: coverage of rank intervals, calibration of P(best).

Run ``python scripts/measure_coverage.py`` (about four minutes). It simulates leaderboards of eight tests on 30 positive
and 80 negative samples, fits the beta-binomial model with its uniform prior, and ranks by informedness. The true
rates are either drawn from that prior or fixed and nearly tied. Half-widths are two standard errors.
"""

import sys
from itertools import pairwise

import numpy as np
import xarray as xr

import bayesrank as br

NEGATIVES, POSITIVES = 80, 30


def leaderboards(
    tpr: np.ndarray, tnr: np.ndarray, seed: int, draws: int = 250
) -> dict[str, np.ndarray]:
    """Leaderboards with true rates (board, entity): coverage of ranks, and P(best) beside who is best."""
    rng = np.random.default_rng(seed)
    boards, size = tpr.shape
    truth = br.rank(
        xr.DataArray(np.round(tpr + tnr - 1, 12), dims=("board", "entity")), method="min"
    ).values
    last = br.rank(
        xr.DataArray(np.round(tpr + tnr - 1, 12), dims=("board", "entity")), method="max"
    ).values
    tp, tn = rng.binomial(POSITIVES, tpr), rng.binomial(NEGATIVES, tnr)
    covered, jointly = np.zeros((boards, size), bool), np.zeros(boards, bool)
    first, best_covered = np.zeros((boards, size)), np.zeros(boards, bool)
    for i in range(boards):
        counts = br.from_counts(tn=tn[i], fp=NEGATIVES - tn[i], fn=POSITIVES - tp[i], tp=tp[i])
        posterior = br.fit(counts, "beta_binomial", draws=draws, seed=int(rng.integers(2**31)))
        ranking = br.credible_ranking(posterior, "informedness")

        def holds(kind: str, i: int = i, ranking: xr.Dataset = ranking) -> np.ndarray:
            # Tied truths occupy several positions; an interval that meets them holds the rank.
            return (ranking[f"{kind}_lower"].values <= last[i]) & (
                ranking[f"{kind}_upper"].values >= truth[i]
            )

        covered[i] = holds("rank_marginal")
        jointly[i] = (ranking["rank_lower"].values <= truth[i]).all() and (
            ranking["rank_upper"].values >= last[i]
        ).all()
        first[i] = ranking["probability_best"].values
        best_covered[i] = ranking["in_best_set"].values[truth[i] == 1].all()
    return {
        "rank interval": covered,
        "rank sets": jointly,
        "best set": best_covered,
        "probability_best": first,
        "is_best": truth == 1,
    }


def from_the_prior(boards: int, size: int, seed: int, draws: int = 250) -> dict[str, np.ndarray]:
    """True rates drawn from the uniform prior."""
    rng = np.random.default_rng(seed)
    return leaderboards(rng.random((boards, size)), rng.random((boards, size)), seed + 1, draws)


def nearly_tied(gap: float, boards: int, size: int, seed: int) -> dict[str, np.ndarray]:
    """Fixed truths: TNR 0.95, TPR from 0.9 downwards in steps of ``gap``."""
    tpr = np.broadcast_to(0.9 - gap * np.arange(size), (boards, size))
    return leaderboards(tpr, np.full((boards, size), 0.95), seed)


def main(boards: int) -> None:
    """Print one line a design."""

    def line(name: str, found: dict[str, np.ndarray]) -> None:
        parts = []
        for key in ("rank interval", "rank sets", "best set"):
            # Entities of one leaderboard are dependent: the error is that of the leaderboards' means.
            each = found[key].reshape(boards, -1).mean(axis=1)
            parts.append(f"{key} {each.mean():.3f} ± {2 * each.std() / np.sqrt(boards):.3f}")
        print(f"{name}: {', '.join(parts)}")

    prior = from_the_prior(boards, 8, 1)
    line("truth from the prior", prior)
    edges = [0, 0.05, 0.2, 0.5, 0.8, 1.01]
    for low, high in pairwise(edges):
        inside = (prior["probability_best"] >= low) & (prior["probability_best"] < high)
        said, was = prior["probability_best"][inside].mean(), prior["is_best"][inside]
        error = 2 * np.sqrt(said * (1 - said) / was.size)
        print(
            f"  P(best) said {said:.3f}: best in {was.mean():.3f} ± {error:.3f} of {was.size} cases"
        )
    for gap in (0.0, 0.001, 0.01, 0.03):
        line(f"fixed truths, TPR {gap:g} apart", nearly_tied(gap, boards, 8, 2))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
