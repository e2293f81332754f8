"""Draw the picture of docs/howto/groups.md: three face classifiers on all cases, and by their worst group.

Run: python scripts/make_groups_picture.py
"""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import bayesrank as br

PICTURE = Path(__file__).parents[1] / "docs" / "figures" / "groups.png"
INK, GREY, BLUE = "#222222", "#9aa5ad", "#0072B2"


def draw() -> plt.Figure:
    """Draw the interval of each group (grey) and of the worst group (blue), one row for each classifier."""
    posterior = br.fit(br.datasets.load("face_classifiers"), seed=1)
    each = br.credible_ranking(posterior, kind="observed")
    worst = br.credible_ranking(posterior, over="group", aggregate="worst")
    names = br.ranking_table(worst).index.tolist()
    figure, ax = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
    for y, name in enumerate(names):
        for k, group in enumerate(each["group"].values.tolist()):
            one = each.sel(entity=name, group=group)
            low, middle, high = (float(one[end]) for end in ("lower", "median", "upper"))
            at = y - 0.28 + 0.14 * k
            ax.plot([low, high], [at, at], color=GREY, linewidth=3, solid_capstyle="butt")
            ax.plot(middle, at, "|", color=INK, markersize=6)
            ax.annotate(
                group,
                (low, at),
                (-4, 0),
                textcoords="offset points",
                ha="right",
                va="center",
                fontsize=7,
            )
        one = worst.sel(entity=name)
        low, middle, high = (float(one[end]) for end in ("lower", "median", "upper"))
        ax.plot([low, high], [y + 0.32] * 2, color=BLUE, linewidth=6, solid_capstyle="butt")
        ax.plot(middle, y + 0.32, "|", color="white", markersize=8)
    ax.plot([], [], color=GREY, linewidth=3, label="each group")
    ax.plot([], [], color=BLUE, linewidth=6, label="worst group")
    ax.legend(loc="upper left", frameon=False, fontsize=8)
    ax.set(
        yticks=range(len(names)),
        yticklabels=names,
        ylim=(len(names) - 0.45, -0.5),
        xlim=(0.5, 1.01),
    )
    ax.set_xlabel("share of right answers (median and 95% interval)")
    ax.spines[["top", "right"]].set_visible(False)
    return figure


if __name__ == "__main__":
    draw().savefig(PICTURE, dpi=200)
