"""How often equal learners are called different, from cross-validation; and agreement with baycomp if it is installed.

Usage: python scripts/measure_folds.py [BOARDS] [SCORES.csv(.gz) with the columns dataset, fold, and one per learner]

Learners are linear discriminants on disjoint groups of equally informative features: on samples of a given size, all
have the same expected accuracy. Every board is a new sample, or new data sets. Writes docs/measured/folds.md.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from page_tables import write_page

import bayesrank as br

PAGE = Path(__file__).parents[1] / "docs" / "measured" / "folds.md"
FEATURES = 3


def accuracies(rng, cases, learners, runs, folds=10, shift=0.5):
    """Accuracy of each learner on each split of repeated cross-validation (split, learner)."""
    truth = np.arange(cases) % 2
    x = rng.standard_normal((cases, learners, FEATURES)) + shift * truth[:, None, None]
    found = []
    for _ in range(runs):
        part = rng.permutation(np.arange(cases) % folds)
        for fold in range(folds):
            test = part == fold
            means = np.stack([x[~test & (truth == c)].mean(axis=0) for c in (0, 1)])
            direction = (
                means[1] - means[0]
            )  # equal, independent variances: the discriminant of nearest means
            middle = (means.sum(axis=0) / 2 * direction).sum(axis=-1)
            said = (x[test] * direction).sum(axis=-1) > middle
            found.append((said == truth[test][:, None]).mean(axis=0))
    return np.array(found)


def claims(frame, train, test, seed, **columns):
    """Whether some learner is called best, and whether one is ruled out."""
    posterior = br.fit(br.from_folds(frame, train=train, test=test, **columns), seed=seed)
    ranking = br.credible_ranking(posterior)
    return ranking.attrs["headline"] == "best", not bool(ranking["in_best_set"].all())


def one_dataset(rng, seed, cases, learners, runs):
    frame = pd.DataFrame(accuracies(rng, cases, learners, runs)).add_prefix("learner ")
    frame["run"] = np.repeat(np.arange(runs), 10)
    return claims(frame, cases - cases // 10, cases // 10, seed, repeat="run")


def many_datasets(rng, seed, datasets, learners):
    parts = []
    for d in range(datasets):
        # Learners differ from data set to data set, and are equal on average.
        found = accuracies(rng, 100, learners, 1, shift=rng.uniform(0.2, 0.8)) + rng.normal(
            0, 0.03, learners
        )
        parts.append(pd.DataFrame(found).add_prefix("learner ").assign(dataset=d))
    return claims(pd.concat(parts), 90, 10, seed, dataset="dataset")


def agreement(path):
    """The largest difference of the three probabilities from baycomp's, over the data sets of a file."""
    from baycomp import two_on_single

    scores = pd.read_csv(path)
    one, other = [name for name in scores.columns if name not in ("dataset", "fold")][:2]
    worst, number = 0.0, 0
    for _, part in scores.groupby("dataset"):
        part = part.sort_values("fold")
        frame = part[[one, other]].reset_index(drop=True).assign(run=(np.arange(len(part)) // 10))
        posterior = br.fit(
            br.from_folds(frame, train=9, test=1, repeat="run"), seed=1, draws=1_000_000
        )
        draws = br.credible_ranking(posterior, rope=1.0)
        left, rope, right = two_on_single(
            part[one].to_numpy(), part[other].to_numpy(), rope=1.0, runs=10
        )
        ours = [
            draws["superiority"].sel(entity=one, rival=other).item(),
            draws["equivalence"].sel(entity=one, rival=other).item(),
            draws["superiority"].sel(entity=other, rival=one).item(),
        ]
        worst, number = (
            max(worst, float(np.abs(np.subtract(ours, [left, rope, right])).max())),
            number + 1,
        )
    return worst, number


def main(boards=400, path=None):
    designs = {
        f"{cases} cases, {runs} x 10 folds, {learners} learners": (
            one_dataset,
            (cases, learners, runs),
        )
        for cases in (50, 100, 300)
        for runs in (1, 2, 10)
        for learners in (2, 5, 10)
    }
    designs |= {
        f"{datasets} data sets of 100 cases, 10 folds, {learners} learners": (
            many_datasets,
            (datasets, learners),
        )
        for datasets in (2, 3, 5, 10, 30)
        for learners in (2, 5, 10)
    }
    rows = []
    for name, (simulate, design) in designs.items():
        found = np.array(
            [simulate(np.random.default_rng((7, seed)), seed, *design) for seed in range(boards)]
        )
        best, out = found.mean(axis=0)
        rows.append(f"| {name} | {best:.3f} | {out:.3f} |")
        print(rows[-1], flush=True)
    lines = [
        "# Scores of folds",
        "",
        "All learners have equal expected accuracy. The table shows how often one is called best, and how often one is "
        f"ruled out, in {boards} boards per row (`scripts/measure_folds.py`). A share of at most 0.05 is promised; the "
        f"Monte-Carlo error of this share is {np.sqrt(0.05 * 0.95 / boards):.3f}. With one run of folds, no claim is "
        "made.",
        "",
        "| design | one is best | one is ruled out |",
        "|---|---:|---:|",
        *rows,
    ]
    if path is not None:
        worst, number = agreement(path)
        lines += [
            "",
            f"On {number} data sets with 10 x 10 folds (Benavoli et al. 2017), P(first better), P(equal within "
            f"1 point) and P(second better) differ by at most {worst:.4f} from baycomp's `two_on_single(runs=10)`.",
        ]
        print(lines[-1])
    write_page(PAGE, "\n".join(lines) + "\n")


if __name__ == "__main__":
    main(*[int(arg) if arg.isdigit() else arg for arg in sys.argv[1:]])
