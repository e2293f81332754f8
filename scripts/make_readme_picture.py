"""Draw the picture of README.md: printed ranks beside the ranks that data support.

Run: python scripts/make_readme_picture.py
"""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import pandas as pd

import bayesrank as br

PICTURE = Path(__file__).parents[1] / "docs" / "figures" / "readme_ranking.png"
#: How many systems of the leaderboard are shown.
SHOWN = 12
BLUE, GREY, INK = "#0072B2", "#9aa5ad", "#222222"


def leaderboard() -> pd.DataFrame:
    """Return the table of LiveCodeBench's execution task, with the printed rank: the order of the means."""
    outcomes = br.datasets.load_joint("livecodebench_execution")
    table = br.ranking_table(br.credible_ranking(br.fit(outcomes, seed=1)))
    table["printed_rank"] = table["observed"].rank(ascending=False, method="min").astype(int)
    return table.sort_values("printed_rank")


def draw(table: pd.DataFrame) -> plt.Figure:
    """Draw the first rows: the printed rank and name on the left, the possible ranks on the right."""
    rows = table.head(SHOWN)
    last = int(rows["rank_upper"].max())
    left = -0.75 * last  # of the printed ranks; names follow them
    ticks = [1, *range(10, last + 1, 10)]
    figure, ax = plt.subplots(figsize=(7, 4.3), layout="constrained")
    for y, (name, row) in enumerate(rows.iterrows()):
        printed, low, high = (int(row[key]) for key in ("printed_rank", "rank_lower", "rank_upper"))
        ax.barh(y, high - low + 0.7, left=low - 0.35, height=0.56, color=BLUE if low == 1 else GREY)
        ax.plot(printed, y, "o", color="white", markeredgecolor=INK, markersize=6, zorder=3)
        ax.text(high + 0.6, y, f"{low} to {high}", va="center", fontsize=9.5, color=INK)
        ax.text(left + 0.06 * last, y, printed, va="center", ha="right", fontsize=11, fontweight="bold", color=INK)
        ax.text(left + 0.09 * last, y, name, va="center", fontsize=9.5, color=INK)
    for x, title in ((left, "The leaderboard prints"), (0.65, "The data support these ranks")):
        ax.text(x, -1.1, title, fontsize=11, fontweight="bold", color=INK, va="center")
    ax.set(xlim=(left, 1.17 * last), ylim=(SHOWN - 0.4, -1.6), xticks=ticks, yticks=[])
    ax.tick_params(length=0, labelsize=9)
    ax.vlines(ticks, -0.5, SHOWN - 0.5, color="0.88", linewidth=0.8, zorder=0)
    ax.spines[:].set_visible(False)
    legend = "bar: ranks that the data allow, 95% jointly (blue: first place possible); ○ printed rank"
    source = f"{len(table)} language models on 479 programs of LiveCodeBench; the first {SHOWN} are shown"
    figure.supxlabel(f"{legend}\n{source}", fontsize=8.5, color="#444444", x=0.02, ha="left")
    return figure


if __name__ == "__main__":
    draw(leaderboard()).savefig(PICTURE, dpi=150)
