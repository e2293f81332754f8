"""How often intervals of areas under curves hold the true area, where they are withheld, and how often equals differ.

Usage: python scripts/measure_areas.py [BOARDS] [ties] [spreads]

Scores of both classes are normal with equal variance. Writes docs/measured/areas.md. With the packages MLstatkit and
confidenceinterval, and with scikit-learn, their intervals stand beside. With "ties" or "spreads", it only prints the
lines of these sections of the page: tied scores and average precision, and equal areas of unlike score distributions.
"""

import sys
import warnings
from pathlib import Path

import numpy as np
from page_tables import write_page
from scipy.special import ndtr, ndtri

import bayesrank as br
from bayesrank._core.random import Block, root_sequence
from bayesrank.models.bayesian_bootstrap import NEAR, UNEQUAL, BayesianBootstrap

PAGE = Path(__file__).parents[1] / "docs" / "measured" / "areas.md"
SIZES = [(10, 10), (20, 80), (30, 30), (50, 50), (5, 50), (10, 200), (20, 500), (3, 30)]
AREAS = [0.8, 0.95, 0.99]
#: Other methods are slow: they are measured on fewer boards, and for these sizes alone.
OF_PEERS, BESIDE = 40, [(10, 10), (20, 80)]


TIES = """## Ties and average precision

Scores are rounded to five grades, so that many of them tie, or not at all. The true values are those of the population
with the class shares of the evidence. Intervals end at 1 where all observed scores are in order, as in a ranking. The
shares are of all boards, shown or not.""".splitlines()
SPREADS = """## Equal areas of unlike score distributions

Two entities have equal true areas and independent scores. The scores of the positives of the second have the standard
deviation *spread*, and all others have 1. A share of at most 0.05 is promised.""".splitlines()


def sample(rng, positives, negatives, area, entities=1, common=0.5):
    """Draw true labels, and scores (case, entity) with this true area."""
    truth = np.repeat([1, 0], [positives, negatives])
    noise = np.sqrt(common) * rng.standard_normal((truth.size, 1))
    noise = noise + np.sqrt(1 - common) * rng.standard_normal((truth.size, entities))
    return truth, noise + np.sqrt(2) * ndtri(area) * truth[:, None]


def intervals(truth, scores, seed, draws=1000):
    """Return the intervals (score, entity, end), and of which areas they are withheld."""
    evidence = br.from_probabilities(truth, dict(enumerate(scores.T)))
    model = BayesianBootstrap(evidence, scores=("auc_roc", "average_precision"))
    part = model.parts[0]
    drawn = part.draw("posterior", Block(0, 0, draws, (1, draws)), root_sequence(seed))
    return np.moveaxis(np.quantile(drawn, [0.025, 0.975], axis=1), 0, -1), part.withheld()


def plain_bootstrap(rng, truth, score, draws=1000):
    """Return the percentile interval of scikit-learn's area over resampled cases."""
    from sklearn.metrics import roc_auc_score

    found = []
    for _ in range(draws):
        chosen = rng.integers(0, truth.size, truth.size)
        if 0 < truth[chosen].sum() < truth.size:
            found.append(roc_auc_score(truth[chosen], score[chosen]))
    return np.quantile(found, [0.025, 0.975])


def peers():
    """Return the methods of other packages that are installed, by name."""
    found = {}
    try:
        import sklearn.metrics  # noqa: F401

        found["scikit-learn with a bootstrap"] = lambda rng, truth, score: plain_bootstrap(
            rng, truth, score, 100
        )
    except ImportError:
        pass
    try:
        from confidenceinterval import roc_auc_score

        found["confidenceinterval (DeLong)"] = lambda rng, truth, score: roc_auc_score(
            truth.tolist(), score.tolist()
        )[1]
    except ImportError:
        pass
    try:
        from MLstatkit import Bootstrapping

        def of_mlstatkit(rng, truth, score):
            scaled = 1 / (1 + np.exp(-score))
            return Bootstrapping(truth, scaled, "roc_auc", n_bootstraps=100, random_state=1)[1:3]

        found["MLstatkit (bootstrap)"] = of_mlstatkit
    except ImportError:
        pass
    return found


def coverage(rng, boards, positives, negatives, area, others):
    """Return the shares of boards with a shown interval, of these that hold the area, and of wrong shown intervals."""
    shown, held, beside = [], [], {name: [] for name in others}
    for board in range(boards):
        truth, scores = sample(rng, positives, negatives, area)
        ends, withheld = intervals(truth, scores, board)
        low, high = ends[0, 0]
        shown.append(not withheld[0])
        held.append(low <= area <= high)
        if board < OF_PEERS:
            for name, method in others.items():
                with warnings.catch_warnings(action="ignore"):
                    low, high = method(rng, truth, scores[:, 0])
                beside[name].append(low <= area <= high)
    shown, held = np.array(shown), np.array(held)
    return (
        shown.mean(),
        held.mean(),
        (shown & ~held).mean(),
        [np.mean(each) for each in beside.values()],
    )


def claims(rng, boards, positives, negatives, area, entities):
    """Return how often one of equal entities is called best, and how often one is ruled out."""
    best = out = 0
    for board in range(boards):
        truth, scores = sample(rng, positives, negatives, area, entities)
        evidence = br.from_probabilities(
            truth, {f"e{i}": column for i, column in enumerate(scores.T)}
        )
        ranking = br.credible_ranking(
            br.fit(evidence, seed=board, draws=500, scores=["auc_roc"]), "auc_roc"
        )
        best += ranking.attrs["headline"] == "best"
        out += not bool(ranking["in_best_set"].all())
    return best / boards, out / boards


def true_areas(cuts, mean, share):
    """Return the true area under ROC and average precision of normal scores that tie between rising cuts."""
    tpr, fpr = (np.concatenate([[0.0], ndtr(centre - cuts[::-1]), [1.0]]) for centre in (mean, 0.0))
    precision = np.divide(
        share * tpr, share * tpr + (1 - share) * fpr, out=np.ones_like(tpr), where=tpr > 0
    )
    return np.sum(np.diff(fpr) * (tpr[1:] + tpr[:-1]) / 2), np.sum(np.diff(tpr) * precision[1:])


def tied(rng, boards):
    """Return lines of the table on ties and average precision; intervals are closed at 1 where all is in order."""
    lines = [
        "| positive / negative | true area | scores | shown | area holds | average precision holds |",
        "|---|---:|---|---:|---:|---:|",
    ]
    for positives, negatives in [(10, 10), (20, 80), (50, 50), (10, 200), (20, 500)]:
        for area in AREAS:
            mean = np.sqrt(2) * ndtri(area)
            for name, cuts in {
                "continuous": np.linspace(-9, 9 + mean, 20_001),
                "five grades": mean / 2 + np.array([-1.2, -0.4, 0.4, 1.2]),
            }.items():
                true = true_areas(cuts, mean, positives / (positives + negatives))
                held, shown = np.zeros(2), 0
                for board in range(boards):
                    truth, scores = sample(rng, positives, negatives, area)
                    if len(cuts) < 9:
                        scores = np.searchsorted(cuts, scores).astype(float)
                    evidence = br.from_probabilities(truth, dict(enumerate(scores.T)))
                    model = BayesianBootstrap(evidence, scores=("auc_roc", "average_precision"))
                    drawn = model.parts[0].draw(
                        "posterior", Block(0, 0, 500, (1, 500)), root_sequence(board)
                    )
                    low, high = np.quantile(drawn[..., 0], [0.025, 0.975], axis=1)
                    seen = model.observed()["observed_data"]
                    perfect = (
                        np.array([float(seen[score].squeeze()) for score in model.scores])
                        > 1 - 1e-9
                    )
                    held += (low <= true) & (true <= np.where(perfect, 1.0, high))
                    shown += not model.parts[0].withheld()[0]
                roc, precise = held / boards
                what = f"| {positives} / {negatives} | {area} | {name}"
                lines.append(f"{what} | {shown / boards:.3f} | {roc:.3f} | {precise:.3f} |")
                print(lines[-1], flush=True)
    return lines


def unlike(rng, boards):
    """Return lines of the table on two equal areas, one of positives with a much larger spread."""
    lines = ["| positive / negative | true area | spread | one is best |", "|---|---:|---:|---:|"]
    for positives, negatives in [(10, 10), (20, 80), (20, 200), (100, 100)]:
        for area in [0.9, 0.97]:
            for spread in [1.0, 4.0]:
                best = 0
                truth = np.repeat([1, 0], [positives, negatives])
                for board in range(boards):
                    noise = rng.standard_normal((truth.size, 2))
                    spreads = np.array([1.0, spread])
                    shift = ndtri(area) * np.sqrt(1 + spreads**2)
                    scores = np.where(truth[:, None] == 1, shift + spreads * noise, noise)
                    evidence = br.from_probabilities(truth, {"a": scores[:, 0], "b": scores[:, 1]})
                    posterior = br.fit(
                        evidence, seed=board, draws=400, chains=1, scores=["auc_roc"]
                    )
                    best += br.credible_ranking(posterior, "auc_roc").attrs["headline"] == "best"
                what = f"| {positives} / {negatives} | {area} | {spread:g}"
                lines.append(f"{what} | {best / boards:.3f} |")
                print(lines[-1], flush=True)
    return lines


def main():
    boards = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    for part in sys.argv[2:]:
        {"ties": tied, "spreads": unlike}[part](np.random.default_rng(1), boards)
    if sys.argv[2:]:
        return
    rng, others = np.random.default_rng(1), peers()
    heads = "".join(f" {name} |" for name in others)
    lines = [
        "# Areas under curves",
        "",
        "This page shows how often the 95% interval of an area under the ROC curve holds the true area. The model is",
        f"`bayesian_bootstrap` with one pseudo-case per class. Each row has {boards:,} boards",
        "(`scripts/measure_areas.py`), and the Monte-Carlo error at 0.95 is",
        f"{np.sqrt(0.95 * 0.05 / boards):.3f}. Scores of both classes are normal with equal variance.",
        "",
        "## The rule by which intervals are withheld",
        "",
        "No interval of an area is shown",
        "",
        "- below 5 cases (or clusters) of a class;",
        f"- where the larger class has more than {UNEQUAL:g} times the cases of the smaller class, and the number of",
        f"  cases of the smaller class times (1 - observed area) is below {NEAR:g}.",
        "",
        "The rule depends on the observed area and on the class sizes alone. *Shown* is the share of boards with an",
        "interval. *Holds* is the share of intervals, shown or not, that hold the true area. *Shown and wrong* is the",
        "share of boards on which a user would read a wrong interval.",
        f"Other methods (DeLong and bootstraps of 100 resamples) are measured on {OF_PEERS} boards per row."
        * bool(others),
        "",
        f"| positive / negative | true area | shown | holds | shown and wrong |{heads}",
        "|---|---:|---:|---:|---:|" + "---:|" * len(others),
    ]
    for positives, negatives in SIZES:
        for area in AREAS:
            here = others if (positives, negatives) in BESIDE else {}
            shown, held, wrong, beside = coverage(rng, boards, positives, negatives, area, here)
            more = "".join(f" {share:.2f} |" for share in beside) if here else " |" * len(others)
            lines.append(
                f"| {positives} / {negatives} | {area} | {shown:.3f} | {held:.3f} | {wrong:.3f} |{more}"
            )
            print(lines[-1], flush=True)
    few = max(boards // 5, 20)
    lines += [
        "",
        "## Equal entities",
        "",
        "All entities have equal true areas. The table shows how often one is called best, and how often one is ruled",
        f"out, in {few} boards per row. A share of at most 0.05 is promised. Half of the variance of the scores is",
        "common to all entities.",
        "",
        "| positive / negative | true area | entities | one is best | one is ruled out |",
        "|---|---:|---:|---:|---:|",
    ]
    for positives, negatives in [(10, 10), (20, 80), (100, 100)]:
        for area in [0.8, 0.95]:
            for entities in [2, 10]:
                best, out = claims(rng, few, positives, negatives, area, entities)
                lines.append(
                    f"| {positives} / {negatives} | {area} | {entities} | {best:.3f} | {out:.3f} |"
                )
                print(lines[-1], flush=True)
    lines += ["", *TIES, "", *tied(rng, few), "", *SPREADS, "", *unlike(rng, few)]
    write_page(PAGE, "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
