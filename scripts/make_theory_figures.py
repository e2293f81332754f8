"""Draws the figures of docs/theory. Run: python scripts/make_theory_figures.py"""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import bayesrank as br

FIGURES = Path(__file__).parents[1] / "docs" / "figures"
BLUE, ORANGE, GREEN, RED = "#0072B2", "#E69F00", "#009E73", "#D55E00"


def panels(number, each=4.6):
    return plt.subplots(1, number, figsize=(each * number, 4.2), layout="constrained")


def square(ax, title):
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xlabel="FPR", ylabel="TPR", title=title)


def drift():
    figure, (left, right) = panels(2)
    x = np.linspace(0, 1, 401)
    sets = (("General", 0.091, 0.408, 0.348, BLUE), ("Hospital", 0.3, 0.614, 0.468, ORANGE))
    for name, prevalence, f1, mcc, color in sets:
        left.plot(x, br.contour("f1", f1, x, prevalence), color=color, label=f"{name}: F1 {f1:g}")
        left.plot(
            x,
            br.contour("mcc", mcc, x, prevalence),
            color=color,
            linestyle="--",
            label=f"{name}: MCC {mcc:g}",
        )
    left.plot(0.1231, 0.5700, "o", color=RED, markersize=7, label="rates of both, within 0.004")
    left.plot(
        0.0612, 0.4128, "o", markerfacecolor="none", color=BLUE, label="second solution for General"
    )
    square(left, "printed F1 and MCC, as lines")
    left.set(xlim=(0, 0.5), ylim=(0.2, 0.9))
    left.set_aspect("auto")
    left.legend(frameon=False, fontsize=8, loc="lower right")
    found = {
        "General": (0.1217, 0.5680, 0.091),
        "Elder": (0.2369, 0.5885, 0.19),
        "Hospital": (0.1245, 0.5717, 0.3),
    }
    periods = {
        name: br.from_rates(fpr=[fpr], tpr=[tpr], prevalence=share)
        for name, (fpr, tpr, share) in found.items()
    }
    change = br.ops.drift(periods, "f1", baseline="General")["change"].isel(entity=0)
    for k, (part, color) in enumerate((("total", "0.4"), ("prevalence", ORANGE), ("rates", BLUE))):
        values = change.sel(part=part, dataset=["Elder", "Hospital"]).values
        bars = right.bar(np.arange(2) + 0.27 * (k - 1), values, 0.25, color=color, label=part)
        right.bar_label(
            bars, [f"{abs(v):.3f}".join(["−" if v < -5e-4 else "", ""]) for v in values], fontsize=8
        )
    right.axhline(0, color="black", linewidth=0.8)
    right.set_xticks([0, 1], ["Elder", "Hospital"])
    right.set(
        ylabel="change of OPS(F1) since General", title="what changed it", ylim=(-0.105, 0.005)
    )
    right.legend(frameon=False, fontsize=9)
    return figure


def relabelling():
    figure, ax = panels(1)
    points = np.array([[0.1, 0.7], [0.3, 0.9], [0.45, 0.65]])
    for end, color, words in (
        (lambda p: (0, 0), BLUE, "always negative"),
        (lambda p: (1, 1), ORANGE, "always positive"),
        (lambda p: 1 - p, GREEN, "labels exchanged"),
    ):
        for point in points:
            ax.annotate(
                "",
                end(point),
                point,
                arrowprops={"arrowstyle": "->", "color": color, "linewidth": 1.2},
            )
        ax.plot([], [], color=color, label=words)
    ax.plot(*points.T, "o", color="black", zorder=4)
    for (x, y), words, offset in (
        ((0, 1), "R: all right", (6, 6)),
        ((1, 0), "W: all wrong", (-70, 6)),
    ):
        ax.plot(x, y, "s", color=RED, clip_on=False, zorder=4)
        ax.annotate(words, (x, y), offset, textcoords="offset points", annotation_clip=False)
    square(ax, "")
    ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


def betweenness():
    figure, (left, right) = panels(2)
    values = np.linspace(0.1, 0.9, 9)
    score = br.scores.implicit((0.35, 0.65), (0.65, 0.35))
    br.papers.contours(score, 0.3, values, (-1.5, 2.5), ax=left)
    left.set_title("v = R(0.35 + 0.3 v, 0.65 − 0.3 v), prevalence 0.3", fontsize=9)
    br.papers.contours(br.scores.canonical(0.65, 0.35), 0.3, values, (-1.5, 2.5), ax=right)
    right.set_title("R(0.65, 0.35), prevalence 0.3", fontsize=9)
    return figure


def uncertainty():
    figure, (left, right) = panels(2)
    for ax, name, two, rival in (
        (left, "expected_rank", ((3, 3), (50, 60)), (150, 200)),
        (right, "probability_best", ((160, 200), (4, 5)), (170, 200)),
    ):
        values = []
        for number in range(7):
            found, cases = np.array([*two, *[rival] * number]).T
            names = ["A", "B", *(f"C{k}" for k in range(number))]
            ones = [1] * len(names)
            counts = br.from_counts(tp=found, fn=cases - found, tn=ones, fp=ones, entity=names)
            ranking = br.credible_ranking(counts, "tpr", method="exact", model="beta_binomial")
            values.append(ranking[name].sel(entity=["A", "B"]).values)
        for k, color in enumerate((ORANGE, BLUE)):
            ax.plot(
                np.array(values)[:, k],
                "o-",
                color=color,
                label=f"{names[k]}: {two[k][0]} of {two[k][1]}",
            )
        ax.set_xlabel(f"rivals with {rival[0]} of {rival[1]} added")
        ax.legend(frameon=False)
    left.set(ylabel="expected rank", title="expected rank: A first, then B")
    right.set(ylabel="P(best)", title="P(best): A first, then B", ylim=(0, None))
    return figure


def main(folder=FIGURES):
    for draw in (drift, relabelling, betweenness, uncertainty):
        figure = draw()
        figure.savefig(Path(folder) / f"theory_{draw.__name__}.png", dpi=200)
        plt.close(figure)


if __name__ == "__main__":
    main()
