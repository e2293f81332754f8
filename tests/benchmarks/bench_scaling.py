"""How time and memory grow with draws, entities, classes, resolution and cases, in Python and of files.

It writes docs/measured/scaling.md and its picture.

Run: python tests/benchmarks/bench_scaling.py, or with the argument picture to draw the table of the page again. Each
job runs once in a process of its own, after a small one that compiles and imports: processor seconds, of all threads,
and the peak of the process's resident memory. Slopes are those of the last step on logarithmic axes: 1 is linear.
"""

import contextlib
import io
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import bayesrank as br

DOCS = Path(__file__).parents[2] / "docs"
PAGE, PICTURE = DOCS / "measured" / "scaling.md", DOCS / "figures" / "scaling.png"


def evaluation(entities: int) -> Any:
    """Counts of tests on 200 positives and 400 negatives."""
    rng = np.random.default_rng(1)
    tp = rng.binomial(200, rng.uniform(0.5, 0.95, entities))
    tn = rng.binomial(400, rng.uniform(0.5, 0.95, entities))
    names = [f"e{i:04d}" for i in range(entities)]
    return br.from_counts(tn=tn, fp=400 - tn, fn=200 - tp, tp=tp, entity=names)


def draws(size: int) -> None:
    posterior = br.fit(evaluation(20), draws=size, chains=1, seed=1, chunks="auto")
    br.credible_ranking(posterior, "f1")


def entities(size: int) -> None:
    br.credible_ranking(br.fit(evaluation(size), seed=1), "f1")


def classes(size: int) -> None:
    rng = np.random.default_rng(1)
    tables = rng.poisson(1.0, (2, size, size)) + 20 * np.eye(size, dtype=int)
    posterior = br.fit(br.from_matrix(tables, "actual_rows"), draws=50, chains=1, seed=1)
    br.score_table(posterior, ["macro_f1", "mcc"])


def resolution(size: int) -> None:
    br.tile.probability_best(br.fit(evaluation(10), seed=1), size)


def tile_entities(size: int) -> None:
    br.tile.probability_best(br.fit(evaluation(size), seed=1, chunks=1000), 101)


def all_maps(entities: int, draws: int) -> None:
    br.tile.credible(br.fit(evaluation(entities), draws=draws, seed=1, chunks=1000), 101)


def cases(size: int) -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, size)
    answers = {name: np.where(rng.random(size) < 0.1, 1 - truth, truth) for name in "abc"}
    br.fit(br.joint_outcomes(truth, answers), "paired", seed=1)


def rank_file(kind: str, size: int) -> float:
    """The command ``rank`` on a new file or folder; return its processor seconds, without those of writing the file."""
    from bayesrank.cli import cli

    with tempfile.TemporaryDirectory() as folder:
        path = FILES[kind](Path(folder), size, np.random.default_rng(1))
        start = time.process_time()
        with contextlib.redirect_stdout(io.StringIO()):
            cli(["rank", str(path)], standalone_mode=False)
        return time.process_time() - start


def _write(frame: pd.DataFrame, folder: Path) -> Path:
    frame.to_csv(path := folder / "table.csv", index=False)
    return path


def cases_file(folder: Path, size: int, rng: np.random.Generator) -> Path:
    """Right and wrong answers of three models, a row for each case."""
    hard = rng.random(size)
    answers = {
        name: (rng.random(size) < 0.9 - 0.5 * hard).astype(int) for name in ("one", "two", "three")
    }
    return _write(pd.DataFrame({"case": [f"q{i}" for i in range(size)], **answers}), folder)


def votes_file(folder: Path, size: int, rng: np.random.Generator) -> Path:
    """Votes between 20 models."""
    skill = rng.normal(0, 1, 20)
    a = rng.integers(0, 20, size)
    b = (a + rng.integers(1, 20, size)) % 20
    won = rng.random(size) < 1 / (1 + np.exp(skill[b] - skill[a]))
    names = np.array([f"m{i}" for i in range(20)])
    winner = np.where(won, "model_a", "model_b")
    return _write(
        pd.DataFrame({"model_a": names[a], "model_b": names[b], "winner": winner}), folder
    )


def classes_file(folder: Path, size: int, rng: np.random.Generator) -> Path:
    """Labels of two models for 20 cases a class."""
    truth = np.repeat(np.arange(size), 20)
    answers = {
        name: np.where(rng.random(truth.size) < 0.7, truth, rng.integers(0, size, truth.size))
        for name in ("one", "two")
    }
    frame = pd.DataFrame({"actual": truth, **answers}).map(lambda code: f"c{code}")
    return _write(frame, folder)


def datasets_file(folder: Path, size: int, rng: np.random.Generator) -> Path:
    """Counts of three tests in 50 positive and 50 negative cases of each data set."""
    index = pd.MultiIndex.from_product([["one", "two", "three"], range(size)])
    tp, tn = rng.binomial(50, 0.8, len(index)), rng.binomial(50, 0.85, len(index))
    counts = pd.DataFrame({"tn": tn, "fp": 50 - tn, "fn": 50 - tp, "tp": tp}, index)
    return _write(counts.rename_axis(["entity", "dataset"]).reset_index(), folder)


def logs_folder(folder: Path, size: int, rng: np.random.Generator) -> Path:
    """Logs of 50 cases each: five tasks of each model."""
    for i in range(size):
        (own := folder / f"org__model{i // 5}").mkdir(exist_ok=True)
        lines = [
            json.dumps(
                {
                    "doc_id": j,
                    "doc": {"question": f"{i % 5} {j}"},
                    "target": "A",
                    "resps": [[""]],
                    "filtered_resps": [""],
                    "acc": float(right),
                }
            )
            for j, right in enumerate(rng.random(50) < 0.7)
        ]
        name = f"samples_task{i % 5}_2026-01-01T00-00-00.000000.jsonl"
        (own / name).write_text("\n".join(lines), encoding="utf-8")
    return folder


#: What is written for the command, by the name of the axis.
FILES: dict[str, Callable[[Path, int, np.random.Generator], Path]] = {
    "cases in a file": cases_file,
    "votes in a file": votes_file,
    "classes in a file": classes_file,
    "data sets in a file": datasets_file,
    "logs in a folder": logs_folder,
}


def report(dataset: str) -> None:
    from bayesrank.report import ranking_report

    posterior = br.fit(br.pool(br.datasets.load(dataset)), seed=1)
    ranking_report(posterior, "mean_outcome")


def ranked(entities: int, each: int, joint: bool = True) -> None:
    br.credible_ranking(
        br.fit(evaluation(entities), draws=each, seed=1, chunks=1000), "f1", joint=joint
    )


def ranked_parts(entities: int, each: int) -> dict[str, float]:
    """What a ranking does, step by step."""
    from bayesrank._core.draws import Batches
    from bayesrank.ranking import _confidence, _tallies
    from bayesrank.ranking.values import score_values

    found = score_values(br.fit(evaluation(entities), draws=each, seed=1), "f1", None, None)
    batches, x = Batches.of(found.values), found.values.values.reshape(-1, entities)
    seconds = {}

    def timed(name: str, step: Callable[[], Any]) -> Any:
        start = time.process_time()
        result = step()
        seconds[name] = time.process_time() - start
        return result

    _, twice = timed("ranks", lambda: _tallies.tally_ranks(x, 1, batches, len(x)))
    timed("pairs", lambda: _tallies.compare_draws(x, 1, twice, batches, 0.0, 1.0, len(x)))
    timed(
        "rank sets", lambda: _confidence.rank_sets(x, np.ones(entities, bool), found, 0.95, len(x))
    )
    return seconds


#: What grows: its sizes, what is done, in words.
AXES: dict[str, tuple[Callable[[int], None], list[int], str]] = {
    "draws": (
        draws,
        [1000, 10_000, 100_000, 1_000_000],
        "20 entities fitted in chunks and ranked by F1",
    ),
    "entities": (entities, [2, 20, 200, 2000], "4,000 draws fitted and ranked by F1"),
    "classes": (classes, [2, 10, 100, 1000], "2 entities, 50 draws: macro F1 and MCC"),
    "resolution": (resolution, [11, 101, 1001], "P(best) on the Tile of 10 entities, 4,000 draws"),
    "entities on the Tile": (
        tile_entities,
        [10, 100, 1000],
        "P(best) at 101 × 101, 4,000 draws in chunks",
    ),
    "cases": (
        cases,
        [1000, 10_000, 100_000, 1_000_000],
        "3 entities on the same cases, paired, 4,000 draws",
    ),
}
#: What grows in files that the command ranks: its sizes, in words.
OF_FILES: dict[str, tuple[list[int], str]] = {
    "cases in a file": ([1000, 10_000, 100_000, 1_000_000], "right or wrong, 3 models"),
    "votes in a file": ([1000, 10_000, 100_000, 1_000_000], "20 models"),
    "classes in a file": ([2, 10, 50, 100], "2 models, 20 cases a class"),
    "data sets in a file": ([2, 10, 50], "counts of 3 tests"),
    "logs in a folder": ([10, 100, 1000], "50 cases each, five tasks of a model"),
}
#: Single jobs, with their arguments and what they may take.
SINGLE: dict[str, tuple[Callable[..., Any], tuple, str]] = {
    "`imagenet_models`, pooled: fitted, ranked, reported": (
        report,
        ("imagenet_models",),
        "30 s, 1 GB",
    ),
    "2,000 entities × 10,000 draws: fitted in chunks and ranked": (ranked, (2000, 2500), "2 GB"),
    "The same with `joint=False`: no pairs, no rank sets": (ranked, (2000, 2500, False), "–"),
    "1,000 entities × 10,000 draws: fitted in chunks and ranked": (ranked, (1000, 2500), "–"),
    "The same with `joint=False`": (ranked, (1000, 2500, False), "–"),
    "All maps of the Tile of 1,000 entities × 1,000 draws, 101 × 101": (
        all_maps,
        (1000, 250),
        "2 GB",
    ),
}
PARTS = (1000, 2500)


def one(job: str, *given: Any) -> None:
    """In a process of its own: prints seconds, and megabytes at most and before."""
    small: dict[str, tuple[Any, ...]] = {
        "report": ("imagenet_models",),
        "ranked": (3, 10),
        "ranked_parts": (3, 100),
        "all_maps": (3, 20),
        "rank_file": (given[0], 10),
    }
    start = time.process_time()
    if job != "report":  # takes what a command takes
        globals()[job](*small.get(job, (3,)))
    before, cold = peak(), time.process_time() - start
    start = time.process_time()
    parts = globals()[job](*given)
    seconds = parts if job == "rank_file" else time.process_time() - start
    print(
        json.dumps(
            {"seconds": seconds, "peak": peak(), "before": before, "cold": cold, "parts": parts}
        )
    )


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
        1024 if sys.platform != "darwin" else 1024**2
    )


def measured(job: Callable[..., Any], *given: Any) -> dict[str, Any]:
    command = [sys.executable, __file__, json.dumps([job.__name__, *given])]
    found = json.loads(
        subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1]
    )
    print(
        f"{job.__name__}{given}: {found['seconds']:.2f} s, {found['peak']:.0f} MB",
        file=sys.stderr,
        flush=True,
    )
    return found


def picture(found: dict[str, list[dict[str, Any]]]) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(4, 3, figsize=(10, 11), layout="constrained", sharey=True)
    axes.flat[-1].remove()
    right = [*axes[:-1, -1], axes[-1, -2]]
    for ax, (name, rows) in zip(axes.flat, found.items(), strict=False):
        sizes, seconds = sizes_of(name), [row["seconds"] for row in rows]
        linear = [seconds[-1] * size / sizes[-1] for size in sizes]
        ax.loglog(sizes, linear, color="0.75", label="linear")
        ax.loglog(sizes, seconds, "o-", color="tab:blue", label="processor seconds")
        other = ax.twinx()
        other.loglog(
            sizes,
            [row["peak"] for row in rows],
            "s--",
            color="tab:orange",
            ms=4,
            label="peak memory",
        )
        other.set_ylim(100, 10_000)
        other.set_yticks(
            [100, 1000, 10_000], ["100 MB", "1 GB", "10 GB"] if ax in right else ["", "", ""]
        )
        ax.set(xlabel=name, ylim=(1e-3, 300))
        if sizes[-1] < 100 * sizes[0]:
            ax.set_xticks(sizes, list(map(str, sizes)))
            ax.minorticks_off()
    lines = [*axes[0, 0].get_legend_handles_labels()[0], other.lines[0]]
    axes[0, 0].legend(lines, [line.get_label() for line in lines], frameon=False, fontsize="small")
    for ax in axes[:, 0]:
        ax.set_ylabel("processor seconds")
    figure.savefig(PICTURE, dpi=200)


def from_page() -> dict[str, list[dict[str, Any]]]:
    """Read seconds and memory from the table of the page."""
    table = [
        line.split("|")
        for line in PAGE.read_text(encoding="utf-8").splitlines()
        if line.count("|") == 7
    ]
    rows = iter([{"seconds": float(row[4]), "peak": float(row[6])} for row in table[2:]])
    return {name: [next(rows) for _ in sizes_of(name)] for name in (*AXES, *OF_FILES)}


def sizes_of(name: str) -> list[int]:
    return AXES[name][1] if name in AXES else OF_FILES[name][0]


def page(
    found: dict[str, list[dict[str, Any]]],
    single: dict[str, dict[str, Any]],
    parts: dict[str, float],
) -> str:
    lines = [
        "# How time and memory grow",
        "",
        "Measured once by `python tests/benchmarks/bench_scaling.py`. Each job ran in its own process, after a small",
        "job that imports and compiles everything (except for the report). Seconds are processor time of all threads.",
        "Memory is the peak of the whole process; Python and its packages take about "
        f"{min(row['before'] for row in found['cases']):.0f} MB of it. A slope of 1",
        "is linear growth. [More than fits into memory](../howto/large.md) explains what is kept in memory.",
        "",
        f"Python {platform.python_version()}, NumPy {np.__version__}, {os.cpu_count()} processors, with a load of "
        f"{os.getloadavg()[2]:.1f} in the last quarter of an hour; other work makes processor time longer, too.",
        "",
        "![Eleven panels of processor seconds and peak memory: they rise with draws, entities, classes, resolution, "
        "cases, votes, data sets and logs](../figures/scaling.png)",
        "",
        "| what grows | job | size | seconds | slope | peak, MB |",
        "|---|---|---|---|---|---|",
    ]
    for name, rows in found.items():
        sizes = sizes_of(name)
        words = AXES[name][2] if name in AXES else f"the command `rank`: {OF_FILES[name][1]}"
        for i, (size, row) in enumerate(zip(sizes, rows, strict=True)):
            slope = "–"
            if i:
                slope = f"{np.log(row['seconds'] / rows[i - 1]['seconds']) / np.log(size / sizes[i - 1]):.1f}"
            told = (name, words) if not i else ("", "")
            lines.append(
                f"| {told[0]} | {told[1]} | {size:,} | {row['seconds']:.2f} | {slope} | {row['peak']:.0f} |"
            )
    lines += ["", "| job | seconds | peak, MB | target |", "|---|---|---|---|"]
    for name, row in single.items():
        lines.append(f"| {name} | {row['seconds']:.1f} | {row['peak']:.0f} | {SINGLE[name][2]} |")
    told = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in parts.items())
    lines += [
        "",
        f"Parts of a ranking of {PARTS[0]:,} entities by {4 * PARTS[1]:,} draws: {told}. The",
        "time of pairs and rank sets grows with draws × entities², and `joint=False` leaves them out. If",
        "classes are added, time grows with the number of cells, which is classes².",
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    found = {
        name: [measured(job, size) for size in sizes] for name, (job, sizes, _) in AXES.items()
    }
    found |= {
        name: [measured(rank_file, name, size) for size in sizes]
        for name, (sizes, _) in OF_FILES.items()
    }
    single = {name: measured(job, *given) for name, (job, given, _) in SINGLE.items()}
    parts = measured(ranked_parts, *PARTS)["parts"]
    picture(found)
    PAGE.write_text(page(found, single, parts), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] == ["picture"]:
        picture(from_page())
    elif len(sys.argv) > 1:
        one(*json.loads(sys.argv[1]))
    else:
        main()
