"""Measure what the documentation says of confidence sets for ranks: joint coverage and width, by scale and by peer.

Run ``python scripts/measure_confidence.py`` (about twenty minutes on one core); ``scales``, ``rates``, ``lowest``,
``scores``, ``paired``, ``macro``, ``priors`` or ``check`` after it runs one part, and a number after that sets the
leaderboards of a row (slow rows have half, a quarter or an eighth of them). Tests are simulated at fixed true
accuracies (or rates), and the ranks that a truth allows, from 1 plus those strictly better to K minus those strictly
worse, must all be in the sets of all entities.

Unpaired accuracies are drawn from their posterior Beta(2 + right, 2 + wrong), which the default prior makes; ``check``
fits the same tables by the package and ranks those draws. All sets come from the package's own code, at 0.95 from
1,000 draws.
"""

import sys
from collections.abc import Callable

import numpy as np
import pandas as pd
import xarray as xr
from scipy import stats

import bayesrank as br
from bayesrank._draws import Batches
from bayesrank.ranking._confidence import rank_sets, separate
from bayesrank.ranking.values import ScoreValues
from bayesrank.scores import get

PROB, BATCHES = 0.95, Batches(4, 250)
DRAWS = BATCHES.number
#: Numbers of cases: the same for all entities, or one entity after the other.
CASES = {
    "20": [20],
    "100": [100],
    "1,000": [1000],
    "10,000": [10_000],
    "20 to 10,000": [20, 200, 2000, 50, 500, 10_000, 100, 1000],
    "20, 10,000": [20, 10_000],
}
GAPS = (0.0, 0.001, 0.01, 0.03)


def spread(values: list, size: int) -> np.ndarray:
    """Values one entity after the other."""
    return np.resize(np.array(values), size)


def accuracies(size: int, gap: float, top: float = 0.9) -> np.ndarray:
    """Eight levels, ``gap`` apart, one entity after the other; ties where there are more than eight."""
    return spread(list(top - gap * np.arange(8)), size)


def covered(truth: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> bool:
    """Whether all ranks that a truth allows are in the sets."""
    truth = np.round(truth, 12)
    first = 1 + (truth[:, None] > truth).sum(axis=0)
    last = len(truth) - (truth[:, None] < truth).sum(axis=0)
    return bool(((lower <= first) & (upper >= last)).all())


def ends(sure: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return confidence sets of ranks from pairs whose order is certain enough."""
    return 1 + sure.sum(axis=0), len(sure) - sure.sum(axis=1)


def confidence(x: np.ndarray, score: str = "accuracy") -> tuple[np.ndarray, np.ndarray]:
    """The package's sets from draws (draw, entity)."""
    known = get(score)
    found = ScoreValues(xr.DataArray(0.0), score, bool(known.higher_is_better), known)
    everyone = np.ones(x.shape[1], bool)
    return rank_sets(x, everyone, found, PROB, DRAWS).ranks(everyone)


def newcombe(right: np.ndarray, cases: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Newcombe's intervals for differences of two proportions (1998, method 10), Bonferroni over all pairs."""
    size = len(right)
    z = stats.norm.isf((1 - PROB) / (size * (size - 1)))
    p = right / cases
    middle, half = (right + z**2 / 2) / (cases + z**2), z * np.sqrt(p * (1 - p) / cases + (z / cases) ** 2 / 4)
    half /= 1 + z**2 / cases
    below, above = p - (middle - half), middle + half - p
    return ends(p[:, None] - p > np.hypot(below[:, None], above))


def holm_mcnemar(right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Exact McNemar tests of all pairs of outcomes (case, entity), with Holm's adjustment."""
    wins = right.T.astype(int) @ (1 - right)
    i, j = np.triu_indices(len(wins), 1)
    more, both = np.maximum(wins[i, j], wins[j, i]), wins[i, j] + wins[j, i]
    p = np.minimum(2 * stats.binom.sf(more - 1, both, 0.5), 1.0)
    order = np.argsort(p)
    adjusted = np.maximum.accumulate(p[order] * (len(p) - np.arange(len(p))))
    sure = np.zeros_like(wins, bool)
    k = order[adjusted <= 1 - PROB]
    first = wins[i[k], j[k]] > wins[j[k], i[k]]
    sure[np.where(first, i[k], j[k]), np.where(first, j[k], i[k])] = True
    return ends(sure)


def share(hits: list) -> str:
    """A share and two standard errors, which are never 0."""
    n, p = len(hits), np.mean(hits)
    smooth = (np.sum(hits) + 1) / (n + 2)
    return f"{p:.3f} ± {2 * np.sqrt(smooth * (1 - smooth) / n):.3f}"


def width(sets: list) -> str:
    """Ranks in a set, on average."""
    return f"{np.mean([upper - lower + 1 for lower, upper in sets]):.1f}"


def row(*cells: object) -> None:
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def scales(boards: int) -> None:
    """Equal truths: how often no entity is separated from another, by scale; the lowest of five accuracies."""
    row("entities", "cases", "raw", "arcsine", "logit", "raw and logit")
    transforms = (lambda x: x, lambda x: np.arcsin(np.sqrt(x)), lambda x: np.log(x / (1 - x)))
    for size, times in ((8, boards), (50, boards // 2)):
        for name in ("20", "100", "20 to 10,000", "20, 10,000"):
            n, worst = spread(CASES[name], size), np.ones(4)
            for top in (0.5, 0.7, 0.85, 0.95, 0.99):
                rng = np.random.default_rng(1)
                right = np.zeros(4)
                for _ in range(times):
                    hits = rng.binomial(n, top)
                    x = np.clip(rng.beta(2 + hits, 2 + n - hits, (DRAWS, size)), 1e-300, 1 - 1e-16)
                    raw, arc, logit = (separate(1 * of(x), PROB)[0] for of in transforms)
                    right += [not sure.any() for sure in (raw, arc, logit, raw & logit)]
                worst = np.minimum(worst, right / times)
            row(size, name, *(f"{w:.3f}" for w in worst))


def compare(size: int, name: str, times: int, gaps: tuple, seed: int, board: Callable, peer: Callable) -> None:
    """One row: how often rank sets and a peer's hold all ranks.

    The lowest share of several truths, and the ranks in a set where these are farthest apart.
    """
    shares, widths = [], []
    for gap in gaps:
        rng, truth = np.random.default_rng(seed), accuracies(size, gap)
        found: list[list] = [[], []]
        for _ in range(times):
            x, evidence = board(rng, truth)
            for sets, one in zip(found, (confidence(x), peer(*evidence)), strict=True):
                sets.append(one)
        shares.append([[covered(truth, *one) for one in sets] for sets in found])
        widths = [width(sets) for sets in found]
    lowest = [min((shares[gap][kind] for gap in range(len(gaps))), key=np.mean) for kind in range(2)]
    row(size, name, *(cell for pair in zip(map(share, lowest), widths, strict=True) for cell in pair), times)


def rates(boards: int) -> None:
    """Accuracies of unpaired tests, and Newcombe's intervals."""
    row("entities", "cases", "confidence", "ranks", "Newcombe", "ranks", "times")
    for size, times in ((8, boards), (50, boards // 2), (200, boards // 8)):
        for name in ("20", "100", "1,000", "10,000", "20 to 10,000"):
            n = spread(CASES[name], size)

            def board(rng: np.random.Generator, truth: np.ndarray, n: np.ndarray = n) -> tuple:
                hits = rng.binomial(n, truth)
                return rng.beta(2 + hits, 2 + n - hits, (DRAWS, len(n))), (hits, n)

            compare(size, name, times, GAPS, 2, board, newcombe)


def lowest(boards: int) -> None:
    """More leaderboards of the designs that had the lowest shares above, which chance also picks."""
    row("entities", "cases", "accuracy of all", "confidence", "times")
    for size, name, top, times in (
        (8, "100", 0.5, boards),
        (8, "20 to 10,000", 0.7, boards),
        (50, "100", 0.5, boards // 4),
        (50, "1,000", 0.7, boards // 4),
        (50, "10,000", 0.9, boards // 4),
    ):
        n, rng, hits = spread(CASES[name], size), np.random.default_rng(11), []
        for _ in range(times):
            right = rng.binomial(n, top)
            hits.append(covered(np.zeros(size), *confidence(rng.beta(2 + right, 2 + n - right, (DRAWS, size)))))
        row(size, name, top, share(hits), times)


def scores(boards: int) -> None:
    """Scores of both rates: TPR 0.9 and TNR 0.95, equal for all."""
    row("score", "entities", "cases of a class", "confidence", "times")
    for score in ("informedness", "positive_likelihood_ratio", "negative_likelihood_ratio", "diagnostic_odds_ratio"):
        for size, times in ((8, boards), (50, boards // 2)):
            for name in ("20", "100", "20 to 10,000", "20, 10,000"):
                n, rng, hits = spread(CASES[name], size), np.random.default_rng(3), []
                for _ in range(times):
                    tp, tn = rng.binomial(n, 0.9), rng.binomial(n, 0.95)
                    tpr, tnr = (rng.beta(1 + k, 1 + n - k, (DRAWS, size)) for k in (tp, tn))
                    x = get(score).of_cells(tnr / 2, (1 - tnr) / 2, (1 - tpr) / 2, tpr / 2)
                    hits.append(covered(np.zeros(size), *confidence(x, score)))
                row(score, size, name, share(hits), times)


def paired(boards: int) -> None:
    """Accuracies on the same cases, of which some are hard for all: the model paired, and Holm's McNemar tests."""
    row("entities", "cases", "confidence", "ranks", "Holm-McNemar", "ranks", "times")
    for size, times, gaps, sizes in ((8, boards, GAPS, (20, 100, 1000)), (50, boards // 4, (0.0, 0.01), (100, 1000))):
        for n in sizes:

            def board(rng: np.random.Generator, truth: np.ndarray, n: int = n) -> tuple:
                # Hardness of a case, common to all, and luck of each: a correlation of 0.7.
                luck = np.sqrt(0.7) * rng.normal(size=(n, 1)) + np.sqrt(0.3) * rng.normal(size=(n, len(truth)))
                right = (luck < stats.norm.ppf(truth)).astype(int)
                evidence = br.from_outcomes(pd.DataFrame(right, columns=[f"{i:02}" for i in range(len(truth))]))
                posterior = br.fit(evidence, "paired", draws=BATCHES.draws, seed=int(rng.integers(2**31)))
                return posterior.posterior["mean_outcome"].values.reshape(DRAWS, -1), (right,)

            compare(size, f"{n:,}", times, gaps, 4, board, holm_mcnemar)


def macro(boards: int) -> None:
    """Averages over classes of equal entities, a third of the answers wrong, through counts and fit."""
    row("average", "classes", "cases of a class", "prior", "entities", "confidence", "times")
    for score, classes, n, prior in (
        ("macro_f1", 3, 20, "four_cases"),
        ("macro_f1", 3, 100, "four_cases"),
        ("macro_f1", 10, 20, "four_cases"),
        ("macro_f1", 10, 100, "four_cases"),
        ("macro_tpr", 10, 20, "four_cases"),
        ("macro_f1", 10, 20, "uniform"),
        ("macro_f1", 10, 20, "jeffreys"),
    ):
        size, rng, hits = 8, np.random.default_rng(6), []
        rate = np.full((classes, classes), 0.3 / (classes - 1)) + np.eye(classes) * (0.7 - 0.3 / (classes - 1))
        for _ in range(boards):
            tables = np.stack([[rng.multinomial(n, p) for p in rate] for _ in range(size)])
            counts = br.from_matrix(tables, "actual_rows")
            posterior = br.fit(counts, draws=BATCHES.draws, seed=int(rng.integers(2**31)), prior=prior)
            values = get(score)(posterior).values.reshape(DRAWS, size)
            hits.append(covered(np.zeros(size), *confidence(values, score)))
        row(score, classes, n, prior, size, share(hits), boards)


def priors(boards: int) -> None:
    """Equal accuracies under other priors; the sure one is worth a hundred cases, nine in ten right."""
    names = {"haldane": (0.0, 0.0), "jeffreys": (0.5, 0.5), "uniform": (1.0, 1.0), "sure": (90.0, 10.0)}
    row("entities", "cases", "accuracy", *names, "times")
    for size, times in ((8, boards), (50, boards // 4)):
        for name in ("20", "100", "20 to 10,000"):
            n = spread(CASES[name], size)
            for top in (0.7, 0.95):
                hits: dict[str, list] = {prior: [] for prior in names}
                rng = np.random.default_rng(7)
                for _ in range(times):
                    right = rng.binomial(n, top)
                    for prior, (a, b) in names.items():
                        # Nothing is added to an entity that was always right: its draws are all 1.
                        drawn = rng.gamma(a + right, size=(DRAWS, size)), rng.gamma(b + n - right, size=(DRAWS, size))
                        x = drawn[0] / (drawn[0] + drawn[1])
                        hits[prior].append(covered(np.zeros(size), *confidence(x)))
                row(size, name, top, *map(share, hits.values()), times)


def check(boards: int) -> None:
    """The same design through counts, fit and credible_ranking, beside draws of the posterior that is known."""
    row("route", "confidence", "ranks")
    size, n, gap = 8, 100, 0.03
    truth, rng = accuracies(size, gap), np.random.default_rng(5)
    found: list[list] = [[], []]
    for _ in range(boards):
        hits = rng.binomial(n, truth)
        tp = rng.hypergeometric(n // 2, n // 2, hits)
        tn = hits - tp
        counts = br.from_counts(tn=tn, fp=n // 2 - tn, fn=n // 2 - tp, tp=tp)
        ranking = br.credible_ranking(br.fit(counts, draws=BATCHES.draws, seed=int(rng.integers(2**31))), "accuracy")
        found[0].append(tuple(ranking[f"rank_{end}"].values for end in ("lower", "upper")))
        x = rng.beta(2 + hits, 2 + n - hits, (DRAWS, size))
        found[1].append(confidence(x))
    cells = [[share([covered(truth, *one) for one in sets]), width(sets)] for sets in found]
    row("package", *cells[0])
    row("known posterior", *cells[1])


PARTS = {
    "scales": (scales, 200),
    "rates": (rates, 400),
    "lowest": (lowest, 4000),
    "scores": (scores, 300),
    "paired": (paired, 120),
    "macro": (macro, 100),
    "priors": (priors, 120),
}

if __name__ == "__main__":
    for part, (measure, times) in (PARTS | {"check": (check, 100)}).items():
        if len(sys.argv) == 1 or sys.argv[1] == part:
            print(f"{part}:")
            measure(int(sys.argv[2]) if len(sys.argv) > 2 else times)
