"""How often intervals of differences of weighted metrics hold the truth, for docs/howto/cases.md.

Run: python scripts/measure_weights.py
"""

import numpy as np
from scipy.special import ndtr

import bayesrank as br
from bayesrank._core.source import groups_of

#: How far the positives of two classifiers lie from the negatives, in standard deviations: areas 0.760 and 0.802.
APART = np.array([1.0, 1.2])


def evaluation(rng: np.random.Generator, positives: int, negatives: int) -> tuple[np.ndarray, dict]:
    """Labels, and scores of two classifiers that correlate by 0.7 within each class."""
    truth = np.repeat([1, 0], [positives, negatives])
    common = rng.normal(size=truth.size)
    own = rng.normal(size=(2, truth.size))
    return truth, dict(
        zip("ab", APART[:, None] * truth + np.sqrt(0.7) * common + np.sqrt(0.3) * own, strict=True)
    )


def held(positives: int, negatives: int, evaluations: int, draws: int) -> np.ndarray:
    """Coverage and mean width of 95% intervals of the difference of two areas, paired and not."""
    rng = np.random.default_rng(1)
    gap = np.diff(ndtr(APART / np.sqrt(2))).item()
    found = np.empty((evaluations, 2, 2))
    for i in range(evaluations):
        truth, scores = evaluation(rng, positives, negatives)
        areas = []
        for seed in (2 * i, 2 * i + 1):
            weights = br.case_weights(truth, draws=draws, chains=1, seed=seed)
            areas.append(
                groups_of(br.cases.weighted_metric("auc_roc", truth, scores, weights))["posterior"][
                    "auc_roc"
                ]
            )
        for j, other in enumerate(areas):
            low, high = np.quantile(
                other.sel(entity="b") - areas[0].sel(entity="a"), [0.025, 0.975]
            )
            found[i, j] = low <= gap <= high, high - low
    return found.mean(axis=0)


def shift(positives: int, negatives: int, evaluations: int) -> np.ndarray:
    """How far draws of the average precision lie above the observed one on average: of one classifier, and of b - a."""
    rng = np.random.default_rng(2)
    found = np.empty((evaluations, 2))
    for i in range(evaluations):
        truth, scores = evaluation(rng, positives, negatives)
        weights = br.case_weights(truth, draws=400, chains=1, seed=i)
        groups = groups_of(br.cases.weighted_metric("auc_pr", truth, scores, weights))
        above = (
            groups["posterior"]["auc_pr"].mean(("chain", "draw"))
            - groups["observed_data"]["auc_pr"]
        )
        found[i] = above[0], above[1] - above[0]
    return found.mean(axis=0)


def main() -> None:
    print(
        "95% intervals of the difference of two areas under ROC, 1,000 evaluations (standard error 0.007)"
    )
    for positives, negatives in ((10, 90), (25, 225), (50, 450), (100, 900)):
        (paired, width), (apart, wide) = held(positives, negatives, 1000, 1000)
        one, gap = shift(positives, negatives, 200)
        design = f"{positives} + {negatives} cases"
        print(
            f"  {design:15s} {paired:.3f} held, width {width:.3f}; not paired {apart:.3f}, {wide:.3f}"
        )
        print(
            f"  {'':15s} draws of the average precision above the observed one by {one:.3f}, differences {gap:.3f}"
        )


if __name__ == "__main__":
    main()
