"""Draws the Tile of README.md, and the figures of docs/understand/tile.md, three of them after The Tile.

Run: python scripts/make_tile_figures.py
"""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import xarray as xr

import bayesrank as br

FIGURES = Path(__file__).parents[1] / "docs" / "figures"

#: Ranking scores that are probabilities (The Tile, Example 1): the correct outcomes among those that are looked at.
NINE = {
    "TNR": {"tn": 1, "fp": 1},
    "TPR": {"tp": 1, "fn": 1},
    "NPV": {"tn": 1, "fn": 1},
    "PPV": {"tp": 1, "fp": 1},
    "A": {"tn": 1, "fp": 1, "fn": 1, "tp": 1},
    "J₋": {"tn": 1, "fp": 1, "fn": 1},
    "J₊": {"fp": 1, "fn": 1, "tp": 1},
    "without FN": {"tn": 1, "fp": 1, "tp": 1},
    "without FP": {"tn": 1, "fn": 1, "tp": 1},
}


def probability(outcomes):
    """P(correct | one of the outcomes), as a plain function of the four cells."""
    weight = {cell: outcomes.get(cell, 0) for cell in ("tn", "fp", "fn", "tp")}

    def score(tn, fp, fn, tp):
        right = weight["tn"] * tn + weight["tp"] * tp
        return right / (right + weight["fp"] * fp + weight["fn"] * fn)

    return score


def stacked(maps, dim):
    return xr.concat(list(maps.values()), dim).assign_coords({dim: list(maps)})


def save(figure, name):
    FIGURES.mkdir(exist_ok=True)
    figure.savefig(FIGURES / f"{name}.png", dpi=200)
    plt.close(figure)


if __name__ == "__main__":
    # Figure 4: Kendall's τ over 10,000 performances of the uniform Dirichlet.
    maps = {
        name: br.tile.correlation(probability(cells), 51, seed=4) for name, cells in NINE.items()
    }
    save(br.plots.value_tiles(stacked(maps, "score"), label="Kendall's τ"), "tile_correlations")
    # Figure 7: the negative class has the prior 0.7.
    maps = {
        name: br.tile.correlation(score, 51, prevalence=0.3, seed=7)
        for name, score in {
            "balanced accuracy": "balanced_accuracy",
            "Cohen's κ": "cohen_kappa",
        }.items()
    }
    save(
        br.plots.value_tiles(stacked(maps, "score"), prevalence=0.3, label="Kendall's τ"),
        "tile_fixed_prior",
    )
    # Figure 9: the best that no skill reaches at three priors, on either side of the no-skill curve.
    priors = [0.2, 0.5, 0.8]
    maps = {f"prior {prior:g}": br.tile.no_skill(prior, 101) for prior in priors}
    save(
        br.plots.value_tiles(
            stacked(maps, "prior"), prevalence=priors, label="best no-skill value"
        ),
        "tile_no_skill",
    )
    # The Tile of README.md, of its three tests with ten times as many cases.
    cells = {"tn": [730, 760, 700], "fp": [70, 40, 100], "fn": [60, 90, 20], "tp": [240, 210, 280]}
    tests = br.fit(
        br.from_counts(**cells, entity=["test A", "test B", "test C"]), "beta_binomial", seed=1
    )
    save(br.plots.credible_tile(br.tile.credible(tests, 101)).figure, "readme_tile")
    # The two walks.
    tests = br.fit(br.datasets.load("antibody_tests"), "beta_binomial", seed=1)
    save(br.plots.credible_tile(br.tile.credible(tests, 51)).figure, "tile_antibody_tests")
    detectors = br.pool(br.datasets.load("anomaly_detectors"))
    # One colour for each detector, the same in both pictures.
    colors = br.plots.colors(
        ["skyline", "null", "numenta", "knncad", "relativeEntropy", "contextOSE"]
    )
    save(
        br.plots.winner_tile(br.tile.regions(detectors), colors=colors).figure,
        "tile_detectors_observed",
    )
    credible = br.tile.credible(br.fit(detectors, seed=1), 51)
    save(br.plots.credible_tile(credible, colors=colors).figure, "tile_detectors")
