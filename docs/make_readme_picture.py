"""Draws the picture of README.md: what `make demo` finds, in one look. Run: python docs/make_readme_picture.py"""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import xarray as xr

import bayesrank as br

PICTURE = Path(__file__).parent / "figures" / "readme_ranking.png"
#: One in so many of the 108 tests, so that names can be read.
EVERY = 6


def selection(ranking: xr.Dataset, every: int) -> xr.Dataset:
    """The first entity and every so many after it, with their place in the consensus order before their names."""
    order = br.ranking_table(ranking).index[::every]
    names = [f"{1 + every * i}. {name}" for i, name in enumerate(order)]
    return ranking.sel(entity=order, rival=order).assign_coords(entity=names, rival=names)


if __name__ == "__main__":
    counts = br.datasets.load("antibody_tests")
    ranking = br.credible_ranking(
        br.fit(counts, "beta_binomial", seed=1), "informedness", method="auto"
    )  # what the command shows
    shown = selection(ranking, EVERY)
    ax = br.plots.forest(shown, colors=dict.fromkeys(shown["entity"].values.tolist(), "#0072B2"))
    first = int((ranking["tier"] == 1).sum())
    ax.figure.suptitle(
        f"Every {EVERY}th of {counts.sizes['entity']} antibody tests. {first} form tier 1: the first beats none of them"
        f" with probability {ranking.attrs['prob']:g}",
        fontsize=9,
    )
    PICTURE.parent.mkdir(exist_ok=True)
    ax.figure.savefig(PICTURE, dpi=120)
