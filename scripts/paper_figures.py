"""Redraws the figures of the four papers from shipped data and the papers' own numbers.

Run: python scripts/paper_figures.py FOLDER [NAME ...]

It writes a picture, a film or a page for each figure, a function a figure, and index.html, which shows them all. Not
drawn: Foundations, Figures 1 and A.7.1, which are diagrams of ideas and hold nothing to compute. The cases behind Zhao
et al., Figures 4 to 7 may not be shipped: trees of Utah stand in for them.
"""

import sys
from html import escape
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import xarray as xr

import bayesrank as br
from bayesrank.papers.pages import explore_contours, explore_pmf, save, turning_simplex

#: Lovell et al., Figures 3, 4 and F.1: 20 positives, 40 negatives.
OBSERVED = br.from_counts(tn=32, fp=8, fn=4, tp=16)
MODELS = {"beta-binomial": "beta_binomial", "binomial": "binomial"}
THREE = ("mcc", "balanced_accuracy", "f1")
PREVALENCES = (0.1, 0.5, 0.9)
#: The Tile, Example 1: the outcomes tn, fp, fn and tp that count; in the order of their places, row by row.
NINE = {
    "NPV": (1, 0, 1, 0), "no FP": (1, 0, 1, 1), "TPR": (0, 0, 1, 1), "J₋": (1, 1, 1, 0), "A": (1, 1, 1, 1),
    "J₊": (0, 1, 1, 1), "TNR": (1, 1, 0, 0), "no FN": (1, 1, 0, 1), "PPV": (0, 1, 0, 1),
}  # fmt: skip
FIGURES = {}


def figure(name, caption):
    """Takes a function without arguments as that of a figure: of a paper's letter and the figure's number."""

    def taken(draw):
        FIGURES[name] = (caption, draw)
        return draw

    return taken


def row(number, height=3.8, each=4.4, rows=1):
    """Axes beside each other."""
    size = (each * number, height * rows)
    return plt.subplots(rows, number, figsize=size, layout="constrained", squeeze=False)[1].ravel()


def stacked(maps, dim):
    return xr.concat(list(maps.values()), dim).assign_coords({dim: list(maps)})


def rates(prevalence, **tnr_tpr):
    """Performances of named pairs of rates."""
    tnr, tpr = np.array(list(tnr_tpr.values())).T
    table = np.stack(
        [
            (1 - prevalence) * np.stack([tnr, 1 - tnr], -1),
            prevalence * np.stack([1 - tpr, tpr], -1),
        ],
        1,
    )
    classes = ["negative", "positive"]
    coords = {"entity": list(tnr_tpr), "actual": classes, "predicted": classes}
    return xr.DataArray(table, coords, ("entity", "actual", "predicted"))


# Foundations


@figure(
    "F1",
    "Table 1: which tests 27 scores pass over all performances and at two prevalences, and their Kendall's tau.",
)
def table_1():
    return br.papers.audit_grid(br.theory.audit_table())[0].figure


# The Tile


@figure(
    "T1",
    "The Tile, and the lines of equal values of three scores of its right border: precision, F1 and recall.",
)
def tile_and_roc():
    performances = rates(0.25, cautious=(0.95, 0.4), middling=(0.8, 0.7), bold=(0.5, 0.9))
    tile = br.tile.value(performances, 201).sel(entity="middling")
    return br.papers.roc_beside_tile(tile, [1, 1, 1], [0, 0.5, 1], 0.25, performances)


@figure(
    "T2",
    "The pencil of lines of one score at a = 0.95, b = 0.7, prevalence 0.2; where vertices lie, by a and by b.",
)
def pencils():
    axes = row(3, 4.6, 5.4)
    br.papers.pencil(0.95, 0.7, 0.2, ax=axes[0])
    br.papers.vertices(0.2, axes=axes[1:])
    return axes[0].figure


@figure(
    "T3", "Where canonical scores and other orders lie on the Tile, at a negative prior of 0.7."
)
def placement():
    return br.papers.placement_tile(0.3).figure


@figure(
    "T4", "Kendall's tau of nine scores with all ranking scores, over 10,000 uniform performances."
)
def correlations():
    maps = {}
    for name, weights in NINE.items():
        importance = br.importance(**dict(zip(("tn", "fp", "fn", "tp"), weights, strict=True)))
        maps[name] = br.tile.correlation(importance, 51, seed=4)
    return br.plots.value_tiles(stacked(maps, "score"), label="Kendall's τ")


@figure(
    "T5",
    "Which of four performances is best, at three prevalences: always negative, two with skill, always positive.",
)
def winners():
    axes = row(3, 3.9, 6.0)
    for ax, prevalence in zip(axes, (0.2, 0.5, 0.8), strict=True):
        four = rates(
            prevalence,
            **{"always −": (1, 0), "P₁": (0.7, 0.7), "P₂": (0.5, 0.8), "always +": (0, 1)},
        )
        br.plots.winner_tile(br.tile.regions(four), ax=ax, prevalence=prevalence)
        ax.set_title(f"prevalence {prevalence:g}")
    return axes[0].figure


@figure(
    "T6",
    "Scores by which all without skill are equal: at a negative prior of 0.7, at a negative prediction rate of 0.7.",
)
def no_skill_curves():
    axes = row(2, 4, 5.2)
    value = br.tile.value(rates(0.3, one=(0.7, 0.7)), 201).isel(entity=0)
    br.plots.value_tile(value, ax=axes[0], prevalence=0.3)
    br.plots.value_tile(value, ax=axes[1], prediction_rate=0.3)
    axes[0].set_title("γ_π at a negative prior of 0.7")
    axes[1].set_title("γ_τ at a negative prediction rate of 0.7")
    return axes[0].figure


@figure(
    "T7",
    "Kendall's tau of balanced accuracy and Cohen's kappa with all ranking scores, at a negative prior of 0.7.",
)
def fixed_prior():
    scores = {"balanced accuracy": "balanced_accuracy", "Cohen's κ": "cohen_kappa"}
    maps = {
        name: br.tile.correlation(score, 51, prevalence=0.3, seed=7)
        for name, score in scores.items()
    }
    return br.plots.value_tiles(stacked(maps, "score"), prevalence=0.3, label="Kendall's τ")


@figure(
    "T8",
    "How a shift of the prior deforms the Tile; in the middle, as it was. Thick: the descending diagonal.",
)
def deformed():
    return br.papers.prior_grids((0.1, 0.3, 0.5, 0.7, 0.9))[0].figure


@figure(
    "T9",
    "The best values that can be had without skill, at three prevalences, and the curve between both parts.",
)
def without_skill():
    maps = {f"prevalence {p:g}": br.tile.no_skill(p, 101) for p in (0.2, 0.5, 0.8)}
    return br.plots.value_tiles(
        stacked(maps, "shown"), prevalence=[0.2, 0.5, 0.8], label="best no-skill value"
    )


# Outperformance score


@figure(
    "O1",
    "The share of the square that an F1 of 0.6 outperforms at prevalences of 0.1 and 0.5; OPS of every F1.",
)
def outperformed():
    axes = row(3, 4.2, 4.8)
    for ax, prevalence in zip(axes, (0.1, 0.5), strict=False):
        br.plots.ops_square(br.ops.square("f1", 0.6, prevalence), ax=ax)
    br.plots.ops_values(
        br.ops.value_curves("f1", [0.01, 0.05, 0.1, 0.3, 0.5, 0.7, 0.9]), ax=axes[2]
    )
    return axes[0].figure


@figure(
    "O2",
    "A draw of the directed binary tree of depth 3: the first point lies anywhere, others between their parents.",
)
def binary_tree():
    tree = br.ops.directed_binary_tree(depth=3, samples=8, seed=1).isel(sample=3)
    fpr, tpr = tree["fpr"].values, tree["tpr"].values
    ax = row(1, 4.4, 4.6)[0]
    ax.step(fpr, tpr, color="0.85", where="post")
    depth = int(np.log2(fpr.size - 1))
    for level in range(1, depth + 1):
        step = 2 ** (depth - level)
        here = np.arange(step, fpr.size - 1, 2 * step)
        ax.plot(fpr[here], tpr[here], "o", markersize=13 - 2.5 * level, label=f"level {level}")
    ax.set(
        xlabel="false positive rate",
        ylabel="true positive rate",
        xlim=(0, 1),
        ylim=(0, 1),
        aspect="equal",
    )
    ax.legend(frameon=False)
    return ax.figure


@figure(
    "O3",
    "OPS of the area under the precision-recall curve, and of the precision at a recall of 0.8, by prevalence.",
)
def curves_of_curves():
    axes, prevalences = row(2, 4.2, 5.2), [0.01, 0.05, 0.1, 0.3, 0.5]
    br.plots.ops_values(br.ops.value_curves("auc_pr", prevalences, 1001), ax=axes[0])
    br.plots.ops_values(
        br.ops.value_curves("precision_at_recall", prevalences, 1001, at=0.8), ax=axes[1]
    )
    return axes[0].figure


def three_test_sets(species, other):
    """Labels and scores of one classifier: on a species, on another one, and with each class drawn at 3:7."""
    cases = br.datasets.load_cases("utah_trees")
    sets = {
        name: cases[cases["species"] == key]
        for name, key in (("general", species), ("other", other))
    }
    rng, general = np.random.default_rng(1), sets["general"]
    positive = general["observed"] == 1
    drawn = [general[positive].sample(300, replace=True, random_state=rng),
             general[~positive].sample(700, replace=True, random_state=rng)]  # fmt: skip
    sets["3:7"] = type(general)(
        {name: np.concatenate([part[name] for part in drawn]) for name in ("observed", "sgb")}
    )
    return {name: (one["observed"].to_numpy(), one["sgb"].to_numpy()) for name, one in sets.items()}


def beside(metric, species, other):
    """A curve beside that of its OPS, for three test sets, at twenty places."""
    at = (np.arange(20) + 0.5) / 20
    curves = {name: br.ops.of_curve(truth, score, metric, at=at, draws=0)
              for name, (truth, score) in three_test_sets(species, other).items()}  # fmt: skip
    return br.plots.ops_curve(curves)[0].figure


@figure(
    "O4",
    "Precision-recall curve and OPS of precision, three test sets; PIPO and ABLA stand in for heart disease.",
)
def risk_of_first():
    return beside("precision_at_recall", "PIPO", "ABLA")


@figure("O5", "The same; ABCO and PSME stand in for the defaults on loans.")
def risk_of_second():
    return beside("precision_at_recall", "ABCO", "PSME")


@figure("O6", "Lift curve and OPS of lift, three test sets; as Figure 4.")
def lift_of_first():
    return beside("lift_at_share", "PIPO", "ABLA")


@figure("O7", "The same; as Figure 5.")
def lift_of_second():
    return beside("lift_at_share", "ABCO", "PSME")


# Never mind the metrics


def pmfs(counts):
    return {
        name: br.predictive.confusion_pmf(counts, model=model) for name, model in MODELS.items()
    }


@figure(
    "U1",
    "Slices of the simplex of all confusion matrices of 100 cases: 20, 50 and 90 positives; colour: MCC.",
)
def simplex():
    return br.papers.confusion_simplex(100, [20, 50, 90], "mcc").figure


@figure("U2a", "The slice of 20 positives and 80 negatives in counts, and the contours of MCC.")
def as_counts():
    return br.papers.roc_points(20, 80, "mcc", as_counts=True).figure


@figure("U2b", "The same in the ROC square.")
def as_rates():
    return br.papers.roc_points(20, 80, "mcc").figure


@figure(
    "U3", "The next confusion matrix by both models, at one scale; the cross is what was observed."
)
def next_matrix():
    return br.plots.matrix_pmf(pmfs(OBSERVED), OBSERVED)


@figure(
    "U4",
    "MCC, BA and F1 of the next test set by both models; below, how many matrices have each value.",
)
def next_scores():
    axes = row(3, 4.6, 5.6)
    for ax, score in zip(axes, THREE, strict=True):
        found = {name: br.predictive.score_pmf(pmf, score) for name, pmf in pmfs(OBSERVED).items()}
        br.plots.score_pmf(found, br.scores.get(score)(OBSERVED).item(), ax=ax, bins=30)
    return axes[0].figure


@figure(
    "U5",
    "After 4 and 16 times as many cases with the same rates the next confusion matrix is known better.",
)
def sizes():
    return br.plots.effect_of_size(OBSERVED)


@figure(
    "U8",
    "Not printed, asked for in Sections 7 to 9: masses in precision-recall space; scores side by side.",
)
def more_of_uncertainty():
    pmf = br.predictive.confusion_pmf(OBSERVED)
    found = {name: br.predictive.score_pmf(pmf, name) for name in (*THREE, "ppv", "cohen_kappa")}
    values = {name: br.scores.get(name)(OBSERVED).item() for name in found}
    axes = row(2, 4.2, 5.6, rows=2)
    br.plots.pr_pmf(pmf, OBSERVED, ax=axes[0])
    for ax, kind in zip(axes[1:], ("forest", "histogram", "violin"), strict=True):
        br.plots.score_pmfs(found, kind, observed=values, ax=ax)
    return axes[0].figure


def over_prevalences(name, score, extent=None, prevalences=PREVALENCES):
    def draw():
        axes = row(3)
        for ax, prevalence in zip(axes, prevalences, strict=True):
            ends = (0.0, 1.0) if extent is None else extent(prevalence)
            br.papers.contours(score, prevalence, extent=ends, ax=ax)
        return axes[0].figure

    where = "in the ROC square" if extent is None else "within and beyond the ROC square"
    called = score if isinstance(score, str) else f"the benefit {score.formula}"
    figure(name, f"Contours of {called.replace('_', ' ')} {where}, at three prevalences.")(draw)


def scaled(tp, fp, fn, tn):
    """Benefits from 0 to 1: the paper's beta*, put right, by the case."""
    benefits = np.array([[tn, fp], [fn, tp]], float)
    return br.scores.decision_benefit((benefits - benefits.min()) / np.ptp(benefits))


IN_SQUARE = {
    1: "mcc", 3: "f1", 5: "threat_score", 7: "accuracy", 8: scaled(7, 3, 1, 4), 9: scaled(4, 1, 1, 7), 10: "ppv",
    11: "npv", 12: "markedness", 14: "cohen_kappa", 15: "fowlkes_mallows",
}  # fmt: skip
for number, score in IN_SQUARE.items():
    over_prevalences(f"UB{number}", score)


def to_meeting_point(prevalence):
    """Ends of both axes that show where the lines of F1 meet, at FPR = -p/n."""
    return -1.1 * prevalence / (1 - prevalence) - 0.1, 1.4


over_prevalences("UB2", "mcc", lambda _: (-1.0, 2.0))
over_prevalences("UB4", "f1", to_meeting_point, (0.1, 0.5, 0.8))
over_prevalences("UB6", "threat_score", to_meeting_point, (0.1, 0.5, 0.8))
over_prevalences("UB13", "markedness", lambda _: (-0.5, 1.5))

FREE = (
    "tpr", "tnr", "g_mean", "log_positive_likelihood_ratio", "log_negative_likelihood_ratio", "informedness",
    "prevalence_threshold", "log_diagnostic_odds_ratio", "balanced_mcc", "balanced_markedness", "balanced_f1",
    "balanced_fowlkes_mallows", "balanced_threat_score", "standardized_ppv", "standardized_npv",
)  # fmt: skip
for number, score in enumerate(FREE, 1):
    shown = (
        br.scores.scaled_log(score.removeprefix("log_"), 50, 50)
        if score.startswith("log_")
        else score
    )
    called = (
        f"{score}, scaled for 50 positives of 100".replace("_", " ")
        if shown is not score
        else score.replace("_", " ")
    )
    figure(f"UC{number}", f"Contours of {called}, which does not depend on the prevalence.")(
        lambda shown=shown: br.papers.contours(shown, 0.5).figure
    )


@figure("UD1", "The simplex to turn, each slice to hide.")
def turned():
    return turning_simplex(100, [20, 50, 90], "mcc")


@figure(
    "UD2",
    "Points and contours of 22 scores in ROC and precision-recall space, with a point to move: D.2 and D.4.",
)
def explored_contours():
    return explore_contours()


@figure("UD3", "All matrices of 20 positives and 30 negatives in both spaces, with contours of BA.")
def both_spaces():
    axes = row(2, 4.4, 5.4)
    br.papers.roc_points(20, 30, "balanced_accuracy", ax=axes[0])
    br.papers.pr_points(20, 30, "balanced_accuracy", ax=axes[1])
    return axes[0].figure


@figure(
    "UD5",
    "Points and contours of MCC as the positives become more, in the ROC square and to scale.",
)
def film():
    return br.papers.animate_contours("mcc", 100, list(range(4, 100, 8)))


@figure("UD6", "Both models for every matrix that may be observed.")
def explored_pmfs():
    return explore_pmf((20, 40), THREE, observed=(16, 32))


@figure("UE1", "The cocaine purity classifier: 26 positives, none missed, and 8 negatives.")
def scarce():
    counts = br.datasets.load("small_studies").sel(entity=["7a"])
    return br.plots.matrix_pmf(pmfs(counts), counts)


@figure(
    "UF1",
    "The next confusion matrix over contours of F1; in black those of 4/10 and 2/3, with 11 points each.",
)
def over_contours():
    axes = row(2, 4.6, 5.6)
    pmf = br.predictive.confusion_pmf(OBSERVED)
    for ax, ridges in zip(axes, (False, True), strict=True):
        br.plots.pmf_over_contours(pmf, "f1", [0.4, 2 / 3], ridges=ridges, ax=ax)
    return axes[0].figure


@figure(
    "UF2",
    "With one false positive more: masses of matrices against their scores, joined where they share the TPR.",
)
def joined():
    axes = row(3, 3.8, 5.2, rows=2)
    found = pmfs(br.from_counts(tn=32, fp=9, fn=4, tp=16))
    for k, pmf in enumerate(found.values()):
        for ax, score in zip(axes[3 * k :], THREE, strict=False):
            br.plots.score_pmf_by_tpr(pmf, score, ax=ax)
            ax.set_title(list(found)[k])
    return axes[0].figure


@figure(
    "UF3",
    "How many matrices share the value of each: 40 negatives above, 41 below; MCC, BA and F1.",
)
def shared():
    axes = row(3, 4, 5.2, rows=2)
    for k, negatives in enumerate((40, 41)):
        for ax, score in zip(axes[3 * k :], THREE, strict=False):
            br.papers.multiplicities(20, negatives, score, ax=ax)
    return axes[0].figure


def write(made, path):
    """A picture, a film or a page, by what it is; the name of the file."""
    if isinstance(made, str):
        return save(made, path.with_suffix(".html")).name
    if hasattr(made, "new_frame_seq"):
        made.save(path.with_suffix(".gif"), writer="pillow", dpi=70)
        return path.with_suffix(".gif").name
    made.savefig(path.with_suffix(".png"), dpi=200)
    return path.with_suffix(".png").name


def index(files):
    """A page that shows all: pictures and films as they are, pages as links."""
    parts = []
    for name, file in files.items():
        caption = f"<figcaption><b>{name}</b> {escape(FIGURES[name][0])}</figcaption>"
        shown = (
            f'<a href="{file}">open the page</a>'
            if file.endswith(".html")
            else f'<img src="{file}" alt="{name}">'
        )
        parts.append(f'<figure id="{name}">{shown}{caption}</figure>')
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>The figures of four papers</title>'
        "<style>body{font:16px system-ui;max-width:70rem;margin:auto}img{max-width:100%}</style>"
        "<h1>The figures of four papers</h1><p>F: Foundations. T: The Tile. O: Outperformance score. "
        f"U: Never mind the metrics, its appendices by a letter more.</p>{''.join(parts)}</html>"
    )


def main(folder, names=()):
    """Writes the figures of these names, or all, and the page that shows them; from names to files."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    files = {}
    for name in names or FIGURES:
        files[name] = write(FIGURES[name][1](), folder / name)
        plt.close("all")
    (folder / "index.html").write_text(index(files), encoding="utf-8")
    return files


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
