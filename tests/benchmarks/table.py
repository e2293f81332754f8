"""One table of the main jobs beside peers and plain NumPy, all in one run: docs/measured/benchmarks.md.

Run: python tests/benchmarks/table.py [runs]. The runs of a job and its rivals are interleaved, so that a busy machine
slows all of them; a ratio is the median of the runs' ratios, with its quartiles. A rival that is not installed is
named as missing. It fails, and leaves the page as it was, if a ratio of the jobs (a) to (c) fell below half of what
the page says. Rivals that would take minutes do a stated part of the work and are scaled.
"""

import os
import re
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from scipy.stats import betabinom, rankdata, spearmanr

import bayesrank as br

PAGE = Path(__file__).parents[2] / "docs" / "measured" / "benchmarks.md"
DRAWS, CHAINS = 2500, 4
PACKAGES = ("bayesrank", "numpy", "scipy", "xarray", "numba", "arviz", "scikit-learn")
PEERS = ("prob_conf_mat", "evalstats", "sorbetto")
#: Ratios that must not fall below half of what the page says: not of (a) beside NumPy, whose milliseconds are noise.
WATCHED = {
    ("a", "prob_conf_mat"),
    *((job, rival) for job in "bc" for rival in ("prob_conf_mat", "NumPy")),
}
FOUR = ["accuracy", "f1", "mcc", "informedness"]


class Rival(NamedTuple):
    """What it is called, what it runs, and of which share of the work its time is scaled."""

    name: str
    run: Callable[[], Any]
    share: float = 1.0


def tables(entities: int, classes: int, cases: int = 1000) -> np.ndarray:
    """Confusion matrices of classifiers that met the same cases: equal numbers of each class."""
    rng = np.random.default_rng(1)
    rates = (
        np.ones((entities, classes, classes))
        + np.eye(classes) * (4 * classes + np.arange(entities))[:, None, None]
    )
    return rng.multinomial(cases // classes, rates / rates.sum(-1, keepdims=True))


def posterior(matrices: np.ndarray) -> Any:
    """With one case a cell as the prior of the rows, as prob_conf_mat has it here."""
    counts = br.from_matrix(matrices, "actual_rows")
    return br.fit(counts, draws=DRAWS, chains=CHAINS, prior="uniform", seed=1)


def summaries(matrix: np.ndarray) -> Any:
    return br.score_table(posterior(matrix), FOUR)


def rankings(matrices: np.ndarray, scores: list[str]) -> Any:
    drawn = posterior(matrices)
    return [br.credible_ranking(drawn, score) for score in scores]


def numpy_draws(matrices: np.ndarray) -> np.ndarray:
    """(draw, entity, actual, predicted)."""
    rng = np.random.default_rng(1)
    gamma = rng.standard_gamma(np.broadcast_to(matrices + 1.0, (DRAWS * CHAINS, *matrices.shape)))
    share = rng.dirichlet(matrices[0].sum(-1) + matrices.shape[-1], DRAWS * CHAINS)
    return gamma / gamma.sum(-1, keepdims=True) * share[:, None, :, None]


def numpy_summaries(matrix: np.ndarray) -> Any:
    p = numpy_draws(matrix[None])[:, 0]
    tn, fp, fn, tp = p[:, 0, 0], p[:, 0, 1], p[:, 1, 0], p[:, 1, 1]
    root = np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    values = [
        tn + tp,
        2 * tp / (2 * tp + fp + fn),
        (tp * tn - fp * fn) / root,
        tp / (tp + fn) + tn / (tn + fp) - 1,
    ]
    return np.quantile(values, [0.5, 0.025, 0.975], axis=1)


def numpy_ranks(values: np.ndarray) -> Any:
    """Rank probabilities, and who beats whom."""
    size = values.shape[1]
    ranks = rankdata(-values, axis=1)
    each = [np.bincount(rank.astype(int), minlength=size + 1) / len(values) for rank in ranks.T]
    return each, [[(values[:, i] > values[:, j]).mean() for j in range(i)] for i in range(size)]


def numpy_f1(matrices: np.ndarray) -> Any:
    p = numpy_draws(matrices)
    tp, errors = p[..., 1, 1], p[..., 0, 1] + p[..., 1, 0]
    return numpy_ranks(2 * tp / (2 * tp + errors))


def numpy_many_classes(matrices: np.ndarray) -> Any:
    p = numpy_draws(matrices)
    tp, actual, predicted = np.diagonal(p, axis1=-2, axis2=-1), p.sum(-1), p.sum(-2)
    macro = (2 * tp / (actual + predicted)).mean(-1)
    chance = (actual * predicted).sum(-1)
    mcc = (tp.sum(-1) - chance) / np.sqrt((1 - (actual**2).sum(-1)) * (1 - (predicted**2).sum(-1)))
    return numpy_ranks(macro), numpy_ranks(mcc)


def study(matrices: np.ndarray, metrics: list[str]) -> Any:
    from prob_conf_mat import Study

    found = Study(seed=1, num_samples=DRAWS * CHAINS, ci_probability=0.95)
    for i, matrix in enumerate(matrices):
        found.add_experiment(f"e{i}/e", matrix, prevalence_prior="ones", confusion_prior="ones")
    for metric in metrics:
        found.add_metric(metric)
    return found


def study_summaries(matrix: np.ndarray) -> None:
    one = study(matrix[None], ["acc", "f1", "mcc", "informedness"])
    for metric in ("acc", "f1", "mcc", "informedness"):
        label = 1 if metric in ("f1", "informedness") else None
        one.report_metric_summaries(metric=metric, class_label=label, table_fmt="html")


def study_pairs(matrices: np.ndarray) -> None:
    found = study(matrices, ["f1"])
    for i in range(len(matrices)):
        for j in range(i):
            pair = {"experiment_a": f"e{i}/e", "experiment_b": f"e{j}/e"}
            found.get_pairwise_comparison(metric="f1", class_label=1, min_sig_diff=0.01, **pair)
    found.get_listwise_comparsion_result(metric="f1", class_label=1)


def study_ranks(matrices: np.ndarray) -> None:
    found = study(matrices, ["f1@macro", "mcc"])
    for metric in ("f1@macro", "mcc"):
        found.get_listwise_comparsion_result(metric=metric)


def cases(size: int, entities: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(2)
    truth = rng.random(size) < 0.3
    return truth, np.stack(
        [np.where(rng.random(size) < 0.9 - 0.01 * i, truth, ~truth) for i in range(entities)]
    )


def interval(truth: np.ndarray, predicted: np.ndarray) -> Any:
    counts = br.from_predictions(truth, {"a": predicted}, labels=[False, True])
    return br.scores.f1(br.fit(counts, seed=1)).quantile([0.025, 0.975])


def sklearn_bootstrap(truth: np.ndarray, predicted: np.ndarray, times: int) -> Any:
    from sklearn.metrics import f1_score
    from sklearn.utils import resample

    return [f1_score(*resample(truth, predicted, random_state=i)) for i in range(times)]


def numpy_bootstrap(truth: np.ndarray, predicted: np.ndarray, times: int) -> Any:
    rng, found = np.random.default_rng(1), []
    for _ in range(times):
        at = rng.integers(truth.size, size=truth.size)
        found.append(np.bincount(2 * truth[at] + predicted[at], minlength=4))
    return found


def paired(right: np.ndarray) -> Any:
    import pandas as pd

    outcomes = br.from_outcomes(pd.DataFrame(right.T, columns=[f"m{i}" for i in range(len(right))]))
    return br.credible_ranking(br.fit(outcomes, "paired", seed=1), "mean_outcome")


def evalstats_pairs(right: np.ndarray) -> None:
    from evalstats import pairwise_differences

    rng = np.random.default_rng(1)
    for i in range(len(right)):
        for j in range(i):
            pairwise_differences(right, i, j, method="bootstrap", n_bootstrap=4000, rng=rng)


def numpy_paired(right: np.ndarray) -> Any:
    weights = np.random.default_rng(1).multinomial(
        right.shape[1], np.full(right.shape[1], 1 / right.shape[1]), 4000
    )
    return numpy_ranks(weights @ right.T / right.shape[1])


def performances(draws: int, entities: int) -> xr.DataArray:
    rng = np.random.default_rng(0)
    x, y, pi = (
        rng.beta(2, 8, (draws, entities)),
        rng.beta(8, 2, (draws, entities)),
        rng.beta(20, 30, (draws, 1)),
    )
    table = np.stack([(1 - pi) * (1 - x), (1 - pi) * x, pi * (1 - y), pi * y], -1).reshape(
        draws, entities, 2, 2
    )
    return xr.DataArray(
        table, {"entity": range(entities)}, ("draw", "entity", "actual", "predicted")
    )


def numpy_winners(array: xr.DataArray, resolution: int) -> np.ndarray:
    """P(best) by a loop over the draws."""
    a = np.linspace(0, 1, resolution)
    entities = np.arange(array.sizes["entity"])[:, None, None]
    total = np.zeros((entities.size, resolution, resolution))
    for tn, fp, fn, tp in array.values.reshape(-1, entities.size, 4).transpose(0, 2, 1)[
        ..., None, None
    ]:
        s, u = (1 - a) * tn + a * tp, (1 - a)[:, None] * fp + a[:, None] * fn
        total += (s / (s + u)).argmax(0) == entities
    return total


def sorbetto_winners(array: xr.DataArray, resolution: int) -> np.ndarray:
    """P(best) by a loop of sorbetto over the draws."""
    from sorbetto.core.entity import Entity
    from sorbetto.flavor.entity_flavor import EntityFlavor
    from sorbetto.parameterization.parameterization_default import ParameterizationDefault
    from sorbetto.performance.two_class_classification_performance import (
        TwoClassClassificationPerformance,
    )
    from sorbetto.tile.tile import Tile

    n = array.sizes["entity"]
    total = np.zeros((n, resolution, resolution))
    for cells in array.values.reshape(-1, n, 4):
        entities = [
            Entity(TwoClassClassificationPerformance(*map(float, c)), f"e{i}")
            for i, c in enumerate(cells)
        ]
        won = Tile(
            ParameterizationDefault(), EntityFlavor(1, entities), resolution=resolution
        ).mat_value
        total += won == np.arange(1, n + 1)[:, None, None]
    return total


def f1_pmf(cells: dict[str, int]) -> Any:
    return br.predictive.score_pmf(br.predictive.confusion_pmf(br.from_counts(**cells)), "f1")


def numpy_f1_pmf(cells: dict[str, int]) -> np.ndarray:
    """The probabilities of all probable matrices, summed where F1 is the same."""
    tn, fp, fn, tp = cells.values()
    each = [
        betabinom(hit + miss, 1 + hit, 1 + miss).pmf(np.arange(hit + miss + 1))
        for hit, miss in ((fp, tn), (tp, fn))
    ]
    alarms, found = (np.flatnonzero(mass > 1e-16) for mass in each)
    _, place = np.unique(2 * found / (fn + tp + alarms[:, None] + found), return_inverse=True)
    return np.bincount(place.ravel(), np.outer(each[0][alarms], each[1][found]).ravel())


def jobs() -> dict[str, tuple[str, Callable[[], Any], list[Rival]]]:
    one, twenty, many = tables(1, 2)[0], tables(20, 2), tables(20, 10)
    maps = performances(1000, 10)
    winners = [
        Rival("NumPy", partial(numpy_winners, maps.isel(draw=slice(0, 50)), 101), 0.05),
        Rival("sorbetto", partial(sorbetto_winners, maps.isel(draw=slice(0, 10)), 101), 0.01),
    ]
    samples = br.tile.sample_performances(10_000, seed=1)
    score, values = br.scores.mcc(samples).values, br.tile.value(samples, 5).values.reshape(-1, 25)
    truth, (predicted,) = cases(10**6, 1)
    future = {"tn": 60_000, "fp": 40_000, "fn": 30_000, "tp": 70_000}
    right = (lambda known, said: (said == known).astype(int))(*cases(1000, 8))
    return {
        "a": (
            "one 2 × 2 matrix, 10,000 draws, four scores with summaries",
            partial(summaries, one),
            [
                Rival("prob_conf_mat", partial(study_summaries, one)),
                Rival("NumPy", partial(numpy_summaries, one)),
            ],
        ),
        "b": (
            "20 entities, F1, 10,000 draws, all 190 pairs, ranks",
            partial(rankings, twenty, ["f1"]),
            [
                Rival("prob_conf_mat", partial(study_pairs, twenty)),
                Rival("NumPy", partial(numpy_f1, twenty)),
            ],
        ),
        "c": (
            "ten classes × 20 entities, 10,000 draws, macro F1 and MCC, ranks",
            partial(rankings, many, ["macro_f1", "mcc"]),
            [
                Rival("prob_conf_mat", partial(study_ranks, many)),
                Rival("NumPy", partial(numpy_many_classes, many)),
            ],
        ),
        "d": (
            "paired: 8 models, 1,000 items, 4,000 draws, all pairs, ranks",
            partial(paired, right),
            [
                Rival("evalstats", partial(evalstats_pairs, right)),
                Rival("NumPy", partial(numpy_paired, right)),
            ],
        ),
        "e": (
            "95% interval of F1 from 10⁶ cases; the others bootstrap 1,000 times",
            partial(interval, truth, predicted),
            [
                Rival("scikit-learn", partial(sklearn_bootstrap, truth, predicted, 2), 2 / 1000),
                Rival("NumPy", partial(numpy_bootstrap, truth, predicted, 10), 10 / 1000),
            ],
        ),
        "f": (
            "Tile with all its maps, 10 entities × 1,000 draws × 101²; the others compute only the winner",
            partial(br.tile.credible, maps),
            winners,
        ),
        "g": (
            "Spearman's correlation Tile of MCC, 10,000 performances × 101²",
            partial(br.tile.correlation, "mcc", 101, performances=samples, method="spearman"),
            [
                Rival(
                    "SciPy", lambda: [spearmanr(score, column) for column in values.T], 25 / 101**2
                )
            ],
        ),
        "h": (
            "The Tile of (f) with only the maps of the best entity, their errors and shares (`maps=()`)",
            partial(br.tile.credible, maps, maps=()),
            winners,
        ),
        "i": (
            "The Tile of (f) without errors and shares (`tile.probability_best`)",
            partial(br.tile.probability_best, maps),
            winners,
        ),
        "j": (
            "exact predictive distribution of F1, 10⁵ positives and 10⁵ negatives",
            partial(f1_pmf, future),
            [Rival("NumPy", partial(numpy_f1_pmf, future))],
        ),
    }


def clocked(run: Callable[[], Any]) -> tuple[float, float]:
    """Seconds by the clock, and of all threads."""
    clock, cpu = time.perf_counter(), time.process_time()
    run()
    return time.perf_counter() - clock, time.process_time() - cpu


def installed(name: str) -> bool:
    return find_spec({"scikit-learn": "sklearn"}.get(name, name).lower()) is not None


def compared(runs: int) -> tuple[list[str], dict[tuple[str, str], float]]:
    """Lines of the table, and the ratios by job and rival."""
    lines, ratios = [], {}
    for key, (words, ours, rivals) in jobs().items():
        rivals = [rival for rival in rivals if installed(rival.name)]
        for run in (ours, *(rival.run for rival in rivals)):
            run()  # compiled, and in the cache
        times = np.array(
            [[clocked(run) for run in (ours, *(r.run for r in rivals))] for _ in range(runs)]
        )
        times /= np.array([1.0, *(rival.share for rival in rivals)])[:, None]
        for i, rival in enumerate(rivals, 1):
            ratio = np.quantile(times[:, i] / times[:, 0], [0.5, 0.25, 0.75], axis=0)
            ratios[key, rival.name] = ratio[0, 0]
            own, other = np.median(times[:, [0, i], 0], axis=0)
            scaled = f" ({100 * rival.share:.2g}% of it, scaled)" if rival.share < 1 else ""
            lines.append(
                f"| ({key}) {words} | {rival.name}{scaled} | {other:.3g} s | {own:.3g} s | {ratio[0, 0]:.3g} "
                f"({ratio[1, 0]:.3g} to {ratio[2, 0]:.3g}) | {ratio[0, 1]:.3g} |"
            )
            print(lines[-1], flush=True)
    return lines, ratios


def told(text: str) -> dict[tuple[str, str], float]:
    """The ratios of a page."""
    found = re.findall(
        r"^\| \((\w)\) [^|]* \| ([\w-]+)[^|]*\|[^|]*\|[^|]*\| ([\d.e+]+) \(", text, re.MULTILINE
    )
    return {(key, name): float(ratio) for key, name, ratio in found}


def fallen(before: dict[tuple[str, str], float], now: dict[tuple[str, str], float]) -> list[str]:
    """What fell below half of what the page said, of the jobs that are watched."""
    return [
        f"({key}) beside {name}: {now[key, name]:.3g}, and the page says {ratio:.3g}"
        for (key, name), ratio in before.items()
        if (key, name) in WATCHED and now.get((key, name), np.inf) < ratio / 2
    ]


def page(lines: list[str], runs: int) -> str:
    def of(name: str) -> str:
        try:
            return version(name)
        except PackageNotFoundError:
            return "not installed"

    missing = [name for name in PEERS if not installed(name)]
    return "\n".join(
        [
            "# How long it takes\n",
            "Written by `make bench`. bayesrank and the other packages ran in turns on one machine. A ratio is the "
            f"time of the other package divided by the time of bayesrank: the median of {runs} runs, with quartiles. "
            "CPU ratios use the processor time of all threads, so that two threads give no advantage. Times depend on "
            'the machine; ratios depend less on it. "0.2% of it, scaled" means that the other package did 0.2% of '
            "the job, and its time was multiplied by 500. Jobs (a) to (c) start from counts and draw from the same "
            "model. In (b) and (c) the other packages compute P(a beats b) and rank probabilities; bayesrank computes "
            "all columns of a ranking.\n",
            "| job | compared with | its time | bayesrank | ratio | CPU ratio |",
            "|---|---|---|---|---|---|",
            *lines,
            "\nThe target ratios were 2 for (a), 20 for (b) and 3 for (c), against prob_conf_mat, and 15 for (f) and "
            "(g). Compare them with the ratios in the table; not all were reached. In (h) and (i), bayesrank computes "
            "the same maps as the other packages; in (f) it computes three more.",
            f"\nThe machine has {os.cpu_count()} processors, and its load at the end was "
            f"{os.getloadavg()[0]:.1f}. A load above the number of processors would mean other work, which slows all "
            "jobs and widens the quartiles.",
            "\nVersions: "
            + ", ".join(f"{name} {of(name)}" for name in (*PACKAGES, *PEERS))
            + f"; Python {sys.version.split()[0]}.",
            *(
                ["\nLeft out, since they were not installed: " + ", ".join(missing) + "."]
                if missing
                else []
            ),
            "\nsorbetto, which computes the same maps, needs Python 3.12 or later.",
        ]
    ).replace("\n\n\n", "\n\n")


def main(runs: int) -> int:
    warnings.filterwarnings("ignore")
    lines, ratios = compared(runs)
    before = told(PAGE.read_text(encoding="utf-8")) if PAGE.exists() else {}
    if worse := fallen(before, ratios):
        print("Slower than half of what docs/measured/benchmarks.md says:", *worse, sep="\n  ")
        return 1
    PAGE.write_text(page(lines, runs) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 9))
