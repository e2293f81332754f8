"""Draw docs/figures/annotated_ranking.png: a ranking whose parts have numbers, which its page explains.

Run: python scripts/make_annotated_ranking.py
"""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import xarray as xr

import bayesrank as br

PICTURE = Path(__file__).parents[1] / "docs" / "figures" / "annotated_ranking.png"
BLUE, GREY, INK, MARK = "#0072B2", "#9aa5ad", "#222222", "#D55E00"


def mark(ax: plt.Axes, number: int, at: tuple[float, float], to: tuple[float, float]) -> None:
    """Write a number in a circle, with a line to what it explains; both in data coordinates."""
    ax.annotate(
        str(number), to, at, color="white", fontsize=9, fontweight="bold", ha="center", va="center", zorder=6,
        bbox={"boxstyle": "circle,pad=0.25", "facecolor": MARK, "edgecolor": "none"},
        arrowprops={"arrowstyle": "-", "color": MARK, "linewidth": 1.1, "shrinkA": 7, "shrinkB": 2},
        annotation_clip=False,
    )  # fmt: skip


def draw(ranking: xr.Dataset) -> plt.Figure:
    """Draw scores with intervals at the left, and rank sets and P(best) at the right."""
    table = br.ranking_table(ranking)
    size = len(table)
    figure, (scores, ranks) = plt.subplots(
        1,
        2,
        figsize=(8.6, 0.38 * size + 1.5),
        width_ratios=(1.15, 1),
        layout="constrained",
        sharey=True,
    )
    best = int((table["rank_lower"] == 1).sum())
    for ax in (scores, ranks):
        ax.axhspan(-0.5, best - 0.5, color="#eef2f5", zorder=0)
        ax.spines[["top", "right", "left"]].set_visible(False)
        ax.tick_params(length=0, labelsize=9)
    for y, (_, row) in enumerate(table.iterrows()):
        color = BLUE if row["rank_lower"] == 1 else GREY
        scores.plot([row["lower"], row["upper"]], [y, y], color=color, linewidth=2)
        scores.plot(row["median"], y, "o", color=color, markersize=5)
        scores.plot(
            row["observed"], y, "D", color="white", markeredgecolor=INK, markersize=5, zorder=4
        )
        low, high = int(row["rank_lower"]), int(row["rank_upper"])
        ranks.barh(y, high - low + 0.6, left=low - 0.3, height=0.5, color=color)
        chance = f"{row['probability_best']:.2f}" if row["probability_best"] >= 0.005 else "<0.01"
        ranks.text(size + 1.5, y, chance, va="center", ha="center", fontsize=9.5, color=INK)
    scores.set(yticks=range(size), yticklabels=table.index, ylim=(size - 0.4, -1.9))
    scores.set_xlabel("MCC (no unit, −1 to 1)", fontsize=9.5)
    ranks.set(xticks=range(1, size + 1), xlim=(0.4, size + 2.6))
    ranks.set_xlabel("rank (1 is best)", fontsize=9.5)
    for ax, x, title in ((scores, scores.get_xlim()[0], "Score"), (ranks, 0.7, "95% ranks")):
        ax.text(x, -1.4, title, fontsize=11, fontweight="bold", color=INK)
    ranks.text(size + 1.5, -1.4, "P(best)", fontsize=11, fontweight="bold", color=INK, ha="center")
    first = table.iloc[0]
    mark(scores, 1, (first["median"] - 0.015, -1.0), (first["median"], -0.1))
    mark(scores, 2, (first["observed"] + 0.01, -1.0), (first["observed"], -0.12))
    mark(scores, 3, (table["lower"].iloc[1] - 0.02, 1), (table["lower"].iloc[1], 1))
    mark(
        ranks,
        4,
        (table["rank_upper"].iloc[0] + 0.2, -1.0),
        (table["rank_upper"].iloc[0] - 0.3, -0.25),
    )
    mark(ranks, 5, (size + 0.55, 0.5), (size + 1.1, 0.15))
    left = scores.get_xlim()[0]
    mark(scores, 6, (left + 0.012, best - 1.5), (left + 0.016, best - 0.5))
    mark(ranks, 7, (1.0, size - 0.75), (table["rank_lower"].iloc[-1] - 0.3, size - 1))
    return figure


if __name__ == "__main__":
    counts = br.datasets.load("breast_cancer").drop_sel(entity="majority")
    posterior = br.fit(counts, seed=1)
    draw(br.credible_ranking(posterior, "mcc")).savefig(PICTURE, dpi=200)
