"""Draw the picture of README.md: printed ranks beside the ranks that data support.

Run: python scripts/make_readme_picture.py
"""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import pandas as pd
import xarray as xr

import bayesrank as br

ROOT = Path(__file__).parents[1]
PICTURE, DATA = ROOT / "docs" / "figures" / "readme_ranking.png", ROOT / "examples" / "data"
#: How many systems of the leaderboard are shown.
SHOWN = 12
BLUE, GREY, INK = "#0072B2", "#9aa5ad", "#222222"


def leaderboard() -> xr.Dataset:
    """Return the ranking of LiveCodeBench's execution task."""
    answers = pd.read_csv(DATA / "livecodebench_execution.csv").drop(columns="case")
    return br.credible_ranking(br.fit(br.from_outcomes(answers, cluster="question"), seed=1))


def with_printed_ranks(ranking: xr.Dataset, printed: pd.Series | None = None) -> pd.DataFrame:
    """Return the table of a ranking with ``printed_rank``, the order of printed or else observed values."""
    table = br.ranking_table(ranking)
    table["printed_rank"] = (
        (table["observed"] if printed is None else printed.reindex(table.index))
        .rank(ascending=False, method="min")
        .astype(int)
    )
    return table.sort_values("printed_rank", kind="stable")


def draw(table: pd.DataFrame, source: str) -> plt.Figure:
    """Draw the first rows: the printed rank and name on the left, the possible ranks on the right.

    ``source`` says what was ranked.
    """
    rows = table.head(SHOWN)
    last, shown = int(rows["rank_upper"].max()), len(rows)
    left = -0.75 * last  # of the printed ranks; names follow them
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 200, 500) if last / step <= 8)
    ticks = [1, *range(step if step > 1 else 2, last + 1, step)]
    figure, ax = plt.subplots(figsize=(7, 0.9 + 0.28 * shown), layout="constrained")
    for y, (name, row) in enumerate(rows.iterrows()):
        printed, low, high = (int(row[key]) for key in ("printed_rank", "rank_lower", "rank_upper"))
        ax.barh(y, high - low + 0.7, left=low - 0.35, height=0.56, color=BLUE if low == 1 else GREY)
        ax.plot(printed, y, "o", color="white", markeredgecolor=INK, markersize=6, zorder=3)
        ax.text(
            high + 0.35 + 0.01 * last, y, f"{low} to {high}", va="center", fontsize=9.5, color=INK
        )
        ax.text(
            left + 0.06 * last,
            y,
            printed,
            va="center",
            ha="right",
            fontsize=11,
            fontweight="bold",
            color=INK,
        )
        ax.text(left + 0.09 * last, y, shorten(str(name)), va="center", fontsize=9.5, color=INK)
    for x, title in ((left, "The leaderboard prints"), (0.65, "The data support these ranks")):
        ax.text(x, -1.1, title, fontsize=11, fontweight="bold", color=INK, va="center")
    ax.set(xlim=(left, 1.17 * last), ylim=(shown - 0.4, -1.6), xticks=ticks, yticks=[])
    ax.tick_params(length=0, labelsize=9)
    place = {
        "xycoords": ("data", "axes fraction"),
        "xytext": (0, -3.5),
        "textcoords": "offset points",
    }
    ax.annotate("rank", (0.65 - 0.04 * last, 0), fontsize=9, ha="right", va="top", **place)
    ax.vlines(ticks, -0.5, shown - 0.5, color="0.88", linewidth=0.8, zorder=0)
    ax.spines[:].set_visible(False)
    legend = "bar: ranks that the data allow, 95% (blue: first place possible); ○ printed rank"
    more = f"; the first {shown} of {len(table)} are shown" if len(table) > shown else ""
    figure.supxlabel(f"{legend}\n{source}{more}", fontsize=8.5, color="#444444", x=0.02, ha="left")
    return figure


def shorten(name: str, most: int = 27) -> str:
    """Return a name that fits beside the bars."""
    return name if len(name) <= most else f"{name[: most - 1].rstrip()}…"


if __name__ == "__main__":
    table = with_printed_ranks(leaderboard())
    draw(table, "Language models on 479 programs of LiveCodeBench").savefig(PICTURE, dpi=200)
