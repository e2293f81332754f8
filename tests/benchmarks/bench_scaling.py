"""How time and memory grow with draws, entities, classes, resolution and cases.

It writes docs/measured/scaling.md and its picture.

Run: python tests/benchmarks/bench_scaling.py, or with the argument picture to draw the table of the page again. Each
job runs once in a process of its own, after a small one that compiles and imports: processor seconds, of all threads,
and the peak of the process's resident memory. Slopes are those of the last step on logarithmic axes: 1 is linear.
"""

import json
import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

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

    _, _, twice = timed("ranks", lambda: _tallies.tally_ranks(x, 1, batches, len(x)))
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
    small = {
        "report": ("imagenet_models",),
        "ranked": (3, 10),
        "ranked_parts": (3, 100),
        "all_maps": (3, 20),
    }
    start = time.process_time()
    if job != "report":  # takes what a command takes
        globals()[job](*small.get(job, (3,)))
    before, cold = peak(), time.process_time() - start
    start = time.process_time()
    parts = globals()[job](*given)
    seconds = time.process_time() - start
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

    figure, axes = plt.subplots(2, 3, figsize=(10, 5.6), layout="constrained", sharey=True)
    for ax, (name, rows) in zip(axes.flat, found.items(), strict=True):
        sizes, seconds = AXES[name][1], [row["seconds"] for row in rows]
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
            [100, 1000, 10_000], ["100 MB", "1 GB", "10 GB"] if ax in axes[:, -1] else ["", "", ""]
        )
        ax.set(xlabel=name, ylim=(1e-3, 300))
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
    return {name: [next(rows) for _ in sizes] for name, (_, sizes, _) in AXES.items()}


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
        "is linear growth. [More draws than fit into memory](../howto/large.md) explains what is kept in memory.",
        "",
        f"Python {platform.python_version()}, NumPy {np.__version__}, {os.cpu_count()} processors.",
        "",
        "![Six panels of processor seconds and peak memory: they rise with draws, entities, classes, resolution and "
        "cases](../figures/scaling.png)",
        "",
        "| what grows | job | size | seconds | slope | peak, MB |",
        "|---|---|---|---|---|---|",
    ]
    for name, rows in found.items():
        _, sizes, words = AXES[name]
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
