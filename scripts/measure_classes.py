"""Measure what learning from the other classes does for averages over classes of few cases each.

Run ``python scripts/measure_classes.py`` (about four minutes). True recalls are of a Beta distribution of mean 0.8 and
standard deviation 0.12, or of mean 0.95 and standard deviation 0.05; errors on a class go to the other classes by a
Dirichlet of 0.2 each, so that few take most. All classes have the same share and the same number of cases, which were
set by design. Half-widths are two standard errors.
"""

import numpy as np
import xarray as xr

import bayesrank as br

MODELS = ("dirichlet_multinomial", "hierarchical_classes")
SCORES = ("macro_tpr", "macro_f1")
TRUTHS = {"0.80 ± 0.12": (8.0, 2.0), "0.95 ± 0.05": (17.1, 0.9)}
SIZES = {10: 400, 50: 100}
CASES = (2, 5, 10)


def classifiers(rng: np.random.Generator, number: int, classes: int, truth: tuple[float, float]) -> np.ndarray:
    """True rows of confusion matrices (classifier, class, answer)."""
    rows = np.empty((number, classes, classes))
    off = ~np.eye(classes, dtype=bool)
    recall = rng.beta(*truth, (number, classes))
    errors = rng.dirichlet(np.full(classes - 1, 0.2), (number, classes)) * (1 - recall)[..., None]
    rows[:, off] = errors.reshape(number, -1)
    rows[:, ~off] = recall
    return rows / rows.sum(-1, keepdims=True)


def main() -> None:
    """Print one line for each truth, number of classes, number of cases and model."""
    for what, truth in TRUTHS.items():
        for classes, number in SIZES.items():
            rng = np.random.default_rng(classes)
            rows = classifiers(rng, number, classes, truth)
            coords = {"entity": list(range(number)), "actual": list(range(classes)), "predicted": list(range(classes))}
            true = xr.DataArray(rows / classes, coords, ("entity", "actual", "predicted"))
            for cases in CASES:
                counts = true.copy(data=rng.multinomial(cases, rows)).astype(int).rename("counts")
                for model in MODELS:
                    posterior = br.fit(counts, model, prevalence="observed", draws=400, chains=1, seed=1)
                    told = [f"{what}, {classes} classes, {cases} cases, {model}:"]
                    for score in map(br.scores.get, SCORES):
                        draws = score(posterior)
                        low, high = (draws.quantile(p, ["chain", "draw"]) for p in (0.025, 0.975))
                        held = ((low <= score(true)) & (score(true) <= high)).values
                        off = (draws.mean(["chain", "draw"]) - score(true)).values
                        told.append(
                            f"{score.name} {held.mean():.3f} ± {2 * held.std() / np.sqrt(number):.3f}"
                            f" (width {float((high - low).mean()):.2f}, off by {off.mean():+.3f})"
                        )
                    print(*told, flush=True)


if __name__ == "__main__":
    main()
