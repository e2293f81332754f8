"""Draw the four pictures of docs/measured/index.md from the tables of its pages.

Coverage of 95% intervals, false claims, power beside tests, and speed beside other packages. Run: python
scripts/make_measured_pictures.py
"""

import csv
import re
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

MEASURED = Path(__file__).parents[1] / "docs" / "measured"
FIGURES = MEASURED.parent / "figures" / "measured"
BLUE, GREY = "#1f5fa8", "#767676"
#: Kinds of intervals: a file, and the columns of coverage.
COVERAGE = {
    "scores of tables": (
        "ends_3",
        "accuracy|TPR|PPV|F1|informedness|balanced accuracy|MCC|kappa|LR.|jaccard",
    ),
    "macro scores, few cases of a class": ("thin_classes_1", ".*, learned"),
    "differences, same cases": ("peers_1", "paired"),
    "importance weights": ("weights_1", "coverage"),
    "few clusters": ("clusters_2", "interval.*"),
    "pass@k and pass^k": ("attempts_1", "at least five other cases|band holds the curve"),
    "areas under ROC curves": ("areas_1", "holds"),
    "chosen thresholds": ("thresholds_[12]", "honest"),
    "whole curves": ("curves_1", "ROC|precision-recall|calibration"),
    "truth known in part": ("partial_truth_[12]", "partial_truth"),
    "strengths, from votes": ("votes_2", "coverage"),
    "typical of 3 to 12 data sets": ("crossed_[34]", "typical rates|differences"),
    "typical rates of one entity": ("hierarchical_1", ".* × .*"),
    "meta-analyses of 15 studies": (
        "hierarchical_4",
        "summary TNR|summary TPR|TNR of one more|TPR of one more",
    ),
    "worst group and gap": ("groups_[234]", "coverage of 95%"),
}
#: Kinds of evidence: a file, the columns of "one is best" and those of "one is ruled out".
FALSE = {
    "tables of counts": ("claim_sweep_[234]", ".* entities", None),
    "the same cases": ("claim_sweep_5", ".* entities", None),
    "clusters of cases": ("claim_sweep_6", ".* entities", None),
    "means and grades": ("claim_sweep_7", ".* entities", None),
    "one score per task": ("claim_sweep_8", ".* entities", None),
    "ladders and few best": ("claim_sweep_10", ".* entities", None),
    "macro scores, few cases of a class": ("thin_classes_3", "macro .*", None),
    "areas under ROC curves": ("areas_[24]", "one is best", "one is ruled out"),
    "any number of attempts": ("attempts_2", "best at any place", None),
    "several data sets": ("crossed_1", "one is best", "one is ruled out"),
    "groups and tasks": ("groups_2", "best", "excluded"),
    "training seeds": ("seeds_1", "one is best", "one is ruled out"),
    "folds": ("folds_1", "one is best", "one is ruled out"),
    "votes, with voters and questions": ("votes_2", "false best", None),
}
NUMBER = re.compile(r"-?\d*\.\d+|\d+")


def read(pattern: str) -> list[dict[str, str]]:
    """Return the rows of the tables whose name matches a pattern."""
    found = []
    for path in sorted((MEASURED / "tables").glob(f"{pattern}.csv")):
        with path.open(encoding="utf-8") as file:
            heads, *rows = csv.reader(file)
        found += [dict(zip(heads, row, strict=True)) for row in rows]
    if not found:
        raise FileNotFoundError(f"no table {pattern}")
    return found


def numbers(rows: list[dict[str, str]], columns: str, place: int = 0) -> list[float]:
    """Return the number at a place of each cell that has one, of the columns that match a pattern."""
    cells = [cell for row in rows for head, cell in row.items() if re.fullmatch(columns, head)]
    found = [NUMBER.findall(cell.replace(",", " ")) for cell in cells]
    return [float(several[place]) for several in found if len(several) > place]


def coverage_of(pattern: str, columns: str) -> list[float]:
    """Return coverages; rows of means over cells are none."""
    rows = [row for row in read(pattern) if not any("mean of all" in cell for cell in row.values())]
    return numbers(rows, columns)


def newest(row: dict[str, str]) -> dict[str, str]:
    """Return a row of the claim sweep with the second run of each cell that has one (*)."""
    again = {(one["evidence"], one["entities"]): one for one in read("claim_sweep_1")}
    found = dict(row)
    for head, cell in row.items():
        second = again.get((row["evidence"], head.removesuffix(" entities")))
        if "*" in cell and second:
            found[head] = f"{second['best']} {second['ruled out']}"
    return found


def claims_of(pattern: str, best: str, ruled_out: str | None) -> tuple[list[float], list[float]]:
    """Return the shares of boards in which one is called best, and in which one is ruled out."""
    rows = [
        row for row in read(pattern) if not any("all together" in cell for cell in row.values())
    ]
    if pattern.startswith("claim_sweep"):
        rows = [newest(row) for row in rows]
    if ruled_out is not None:
        return numbers(rows, best), numbers(rows, ruled_out)
    return numbers(rows, best), numbers(rows, best, place=1)


def draw_rows(ax, kinds: dict[str, list[float]], line: float, text: str) -> None:
    """Draw one row of points a kind, beside the promised value."""
    rng = np.random.default_rng(0)
    for y, values in enumerate(kinds.values()):
        heights = y + rng.uniform(-0.22, 0.22, len(values))
        ax.plot(values, heights, "o", color=BLUE, alpha=0.4, markersize=3.5, markeredgewidth=0)
    ax.axvline(line, color="black", linewidth=1)
    ax.text(line, -0.9, f" {text}", fontsize=8, va="center")
    ax.set_yticks(range(len(kinds)), list(kinds))
    ax.set_ylim(len(kinds) - 0.4, -1.4)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)


def draw_coverage(path: Path) -> None:
    """Draw the coverage of 95% intervals by kind."""
    figure, ax = plt.subplots(figsize=(7, 4.4), layout="constrained")
    draw_rows(
        ax, {kind: coverage_of(*where) for kind, where in COVERAGE.items()}, 0.95, "stated: 0.95"
    )
    ax.set_xlim(right=1.005)
    ax.set_xlabel("share of simulated evaluations whose interval holds the truth")
    figure.savefig(path, dpi=200)


def draw_false(path: Path) -> None:
    """Draw false claims by kind of evidence: best, and ruled out."""
    found = {kind: claims_of(*where) for kind, where in FALSE.items()}
    figure, axes = plt.subplots(
        1, 2, figsize=(7.4, 4.2), layout="constrained", sharey=True, sharex=True
    )
    titles = "an equal entity is called best", "a truly best entity is ruled out"
    for i, (ax, title) in enumerate(zip(axes, titles, strict=True)):
        draw_rows(ax, {kind: both[i] for kind, both in found.items()}, 0.05, "promised: 0.05")
        ax.set_title(title, fontsize=10)
        ax.set_xlim(-0.002, 0.1)
    figure.supxlabel("share of simulated evaluations with the false claim", fontsize=10)
    figure.savefig(path, dpi=200)


def draw_power(path: Path, column: str = "4 errors") -> None:
    """Draw the power of the headline beside that of the best valid test, by kind and number of entities."""
    rows = [row for row in read("claim_sweep_11") if row[column]]
    kinds = list(dict.fromkeys(row["evidence"] for row in rows))
    sizes = ("2", "5", "20")
    figure, axes = plt.subplots(
        1, 3, figsize=(7.4, 3.4), layout="constrained", sharey=True, sharex=True
    )
    for ax, size in zip(axes, sizes, strict=True):
        for row in rows:
            if row["entities"] == size:
                here, test = (float(text) for text in row[column].split("/"))
                y = kinds.index(row["evidence"])
                ax.plot([here, test], [y, y], color=GREY, linewidth=1)
                ax.plot(test, y, "o", color="white", markeredgecolor=GREY, markersize=6)
                ax.plot(here, y, "o", color=BLUE, markersize=5)
        ax.set_title(f"{size} entities", fontsize=10)
        ax.set_yticks(range(len(kinds)), kinds)
        ax.set_ylim(len(kinds) - 0.4, -1.6)
        ax.set_xlim(-0.04, 1.04)
        ax.spines[["top", "right", "left"]].set_visible(False)
        ax.tick_params(axis="y", length=0)
    axes[0].text(0.02, -1.1, "● headline", color=BLUE, fontsize=8, va="center")
    axes[0].text(0.5, -1.1, "○ best valid test", color=GREY, fontsize=8, va="center")
    figure.supxlabel(
        "share of evaluations in which the best entity, ahead by 4 standard errors, is called best",
        fontsize=9,
    )
    figure.savefig(path, dpi=200)


def draw_speed(path: Path) -> None:
    """Draw how many times as long other packages take, from the table of ``make bench``."""
    text = (MEASURED / "benchmarks.md").read_text(encoding="utf-8")
    rows = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in re.findall(r"^\| \(.*$", text, re.MULTILINE)
    ]
    figure, ax = plt.subplots(figsize=(7.4, 5), layout="constrained")
    jobs = list(dict.fromkeys(row[0] for row in rows))
    for job, peer, *_, ratio, _ in rows:
        value, name = float(ratio.split()[0]), re.sub(r" \(.*", "", peer)
        y, plain = jobs.index(job), name in ("NumPy", "SciPy")
        ax.plot(
            value,
            y,
            "o",
            color="white" if plain else BLUE,
            markeredgecolor=GREY if plain else BLUE,
            markersize=6,
        )
        above = -13 if plain else 6
        ax.annotate(
            name, (value, y), (0, above), textcoords="offset points", fontsize=7, ha="center"
        )
    ax.axvline(1, color="black", linewidth=1)
    ax.text(1, -1.1, "as fast ", fontsize=8, ha="right", va="center")
    ax.text(1, -1.1, " bayesrank is faster →", fontsize=8, va="center")
    shorten = {
        job: re.sub(r"; the others.*|^\(\w\) | \(`.*|(?<=Tile) of \(f\)", "", job) for job in jobs
    }
    ax.set_yticks(range(len(jobs)), ["\n".join(_wrapped(shorten[job])) for job in jobs], fontsize=7)
    ax.set_ylim(len(jobs) - 0.4, -1.6)
    ax.set_xscale("log")
    ax.set_xlabel("time of the other package, divided by the time of bayesrank")
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    figure.savefig(path, dpi=200)


def _wrapped(text: str, width: int = 46) -> list[str]:
    """Return the lines of a label."""
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def main(folder: Path = FIGURES) -> None:
    """Draw the four pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, drawn in (
        ("coverage", draw_coverage),
        ("false_claims", draw_false),
        ("power", draw_power),
        ("speed", draw_speed),
    ):
        drawn(folder / f"{name}.png")
        plt.close("all")


if __name__ == "__main__":
    main()
