"""Measure scores of many classes with few cases each: coverage, claims, and what changes with the default model.

Run ``python scripts/measure_classes.py [coverage] [again] [unseen] [unlike] [change] [claims]``; the default is all
parts (about an hour; ``unseen`` takes three minutes, and ``unlike`` fifteen; ``again`` has new boards for the cells
below 0.90). The parts are for docs/measured/thin_classes.md. Errors on a class go to the other classes by a Dirichlet
of 0.2 each, so that few take most. All classes have the same share, but those of ``unlike``. Class sizes are equal,
set by design, or sampled with the cases.
"""

import sys
from collections.abc import Callable

import numpy as np
import xarray as xr
from scipy.special import expit, logit

import bayesrank as br
from bayesrank._core.compat import open_groups, to_container

SEPARATE, LEARNED = "dirichlet_multinomial", "hierarchical_classes"
SCORES = ("macro_tpr", "macro_f1", "macro_ppv", "accuracy")
#: True recalls (..., class): all equal, varying, or two kinds of classes.
RECALLS: dict[str, Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]] = {
    "0.6": lambda rng, shape: np.full(shape, 0.6),
    "0.9": lambda rng, shape: np.full(shape, 0.9),
    "0.99": lambda rng, shape: np.full(shape, 0.99),
    "0.8 ± 0.12": lambda rng, shape: rng.beta(8, 2, shape),
    "0.95 ± 0.05": lambda rng, shape: rng.beta(17.1, 0.9, shape),
    "0.5 or 0.99": lambda rng, shape: (
        np.where(np.arange(shape[-1]) % 2, 0.5, 0.99) + np.zeros(shape)
    ),
}
#: Boards by number of classes.
BOARDS = {5: 200, 20: 100, 50: 30}
CASES = (3, 5, 10, 20)
#: Classes, mean cases of each, recalls and boards with classes that may have no case.
UNSEEN = (
    (5, 3, "0.9", 200),
    (10, 3, "0.99", 200),
    (20, 3, "0.9", 200),
    (20, 3, "0.8 ± 0.12", 200),
    (20, 5, "0.9", 200),
    (50, 3, "0.8 ± 0.12", 100),
)
#: Class sizes by design, and true recalls by the rarity of the class, from 0 to 1.
UNLIKE = {
    "125, 25, 5": np.array([125, 25, 5]),
    "nine of 100, one of 5": np.array([100] * 9 + [5]),
    "five of 100, five of 3": np.array([100] * 5 + [3] * 5),
    "ten from 200 to 3": np.rint(np.geomspace(200, 3, 10)).astype(int),
}
RECALLS_BY_RARITY: dict[str, Callable[[np.random.Generator, np.ndarray], np.ndarray]] = {
    "0.9": lambda rng, rarity: np.full(rarity.shape, 0.9),
    "0.8 ± 0.12": lambda rng, rarity: rng.beta(8, 2, rarity.shape),
    "0.95 to 0.6": lambda rng, rarity: expit(logit(0.95) + (logit(0.6) - logit(0.95)) * rarity),
    "0.9, the rarest 0.4": lambda rng, rarity: np.where(rarity == 1, 0.4, 0.9),
}
OF_UNLIKE = 100
#: Boards, and the cells of ``coverage`` and ``unlike`` that are run again: those below 0.90.
BELOW = ((1000, 5, 5, "0.9"), (300, 50, 10, "0.95 ± 0.05"))
BELOW_UNLIKE = (
    (1000, "nine of 100, one of 5", "0.95 to 0.6"),
    (1000, "ten from 200 to 3", "0.9, the rarest 0.4"),
)
#: Boards with equal entities, and what their rankings need.
OF_CLAIMS, GROUPS = 250, ("posterior", "observed_data", "constant_data")


def classifiers(rng: np.random.Generator, number: int, classes: int, recalls: str) -> np.ndarray:
    """Return true rows of confusion matrices (classifier, class, answer)."""
    rows, off = np.empty((number, classes, classes)), ~np.eye(classes, dtype=bool)
    recall = RECALLS[recalls](rng, (number, classes))
    errors = rng.dirichlet(np.full(classes - 1, 0.2), (number, classes)) * (1 - recall)[..., None]
    rows[:, off], rows[:, ~off] = errors.reshape(number, -1), recall
    return rows / rows.sum(-1, keepdims=True)


def tables(values: np.ndarray) -> xr.DataArray:
    """Return labelled tables (entity, actual, predicted), each of a test set of its own."""
    labels = range(values.shape[-1])
    coords = {
        "entity": [f"e{i}" for i in range(len(values))],
        "actual": labels,
        "predicted": labels,
    }
    own = ("entity", [f"set {i}" for i in range(len(values))])
    return xr.DataArray(values, coords, ("entity", "actual", "predicted"), "counts").assign_coords(
        test_set=own
    )


def intervals(counts: xr.DataArray, model: str, sampled: bool, draws: int) -> dict[str, xr.Dataset]:
    """Return the rankings of independent tables by each score, for their intervals."""
    shares = "sampled" if sampled else "observed"
    posterior = br.fit(counts, model, prevalence=shares, draws=draws, chains=1, seed=1)
    return {score: br.credible_ranking(posterior, score, joint=False) for score in SCORES}


def covered(
    rng: np.random.Generator, boards: int, classes: int, cases: int, at: int, model: str
) -> dict[str, tuple[float, float]]:
    """Return coverage and mean width of each score in one cell; ``at`` is the place of the kind of recalls."""
    recalls, sampled = list(RECALLS)[at], at % 4 > 1
    rows = classifiers(rng, boards, classes, recalls)
    sizes = np.full((boards, classes), cases)
    if sampled:
        sizes = rng.multinomial(classes * cases, np.full(classes, 1 / classes), boards)
    return inside(tables(rng.multinomial(sizes, rows)), tables(rows / classes), model, sampled, 400)


def inside(
    counts: xr.DataArray, true: xr.DataArray, model: str, sampled: bool, draws: int
) -> dict[str, tuple[float, float]]:
    """Return the share of intervals that hold the true score, and their mean width."""
    result = {}
    for score, ranking in intervals(counts, model, sampled, draws).items():
        truth = br.scores.get(score)(true)
        holds = ((ranking["lower"] <= truth) & (truth <= ranking["upper"])).values
        result[score] = float(holds.mean()), float((ranking["upper"] - ranking["lower"]).mean())
    return result


def show(cell: str, found: dict[str, tuple[float, float]]) -> None:
    scores = (f"{score} {share:.3f} ({width:.3f})" for score, (share, width) in found.items())
    print(f"{cell}:", *scores, flush=True)


def coverage() -> None:
    """Print for each cell of the grid the coverage of both models. Every other kind of recalls is in each cell."""
    held: dict[tuple[str, str], list[float]] = {}
    for classes, boards in BOARDS.items():
        for step, cases in enumerate(CASES):
            for at, recalls in list(enumerate(RECALLS))[step % 2 :: 2]:
                how = "sampled" if at % 4 > 1 else "by design"
                for model in (SEPARATE, LEARNED):
                    rng = np.random.default_rng([classes, cases, at])
                    found = covered(rng, boards, classes, cases, at, model)
                    for score, (share, _) in found.items():
                        held.setdefault((model, score), []).append(share)
                    show(f"{classes} classes, {cases} cases, {recalls}, {how}, {model}", found)
    for (model, score), shares in held.items():
        print(f"{model}, {score}: least {min(shares):.3f}, mean {np.mean(shares):.3f}", flush=True)


def again() -> None:
    """Print the coverage of the learned model with new boards in the cells whose first run was below 0.90."""
    for boards, classes, cases, recalls in BELOW:
        at = list(RECALLS).index(recalls)
        found = covered(
            np.random.default_rng([1, classes, cases, at]), boards, classes, cases, at, LEARNED
        )
        show(f"{classes} classes, {cases} cases, {recalls}, {boards} boards", found)
    for boards, name, recalls in BELOW_UNLIKE:
        show(
            f"{name}, {recalls}, {boards} boards",
            covered_unlike([1, boards], boards, name, recalls, LEARNED),
        )


def unseen() -> None:
    """Print the coverage where classes may have no sampled case, if the classes are named and if the data show them."""
    for classes, cases, recalls, boards in UNSEEN:
        rng = np.random.default_rng([classes, cases, list(RECALLS).index(recalls)])
        rows = classifiers(rng, boards, classes, recalls)
        sizes = rng.multinomial(classes * cases, np.full(classes, 1 / classes), boards)
        true, shown = tables(rows / classes), tables(rng.multinomial(sizes, rows))
        named = br.from_matrix(
            shown.values, "actual_rows", labels=range(classes), entity=shown["entity"].values
        ).assign_coords(test_set=shown["test_set"])
        for how, counts in (("shown by the data", shown), ("named", named)):
            line = []
            for score, ranking in intervals(counts, LEARNED, True, 400).items():
                truth = br.scores.get(score)(true)
                inside = (ranking["lower"] <= truth) & (truth <= ranking["upper"])
                width = float((ranking["upper"] - ranking["lower"]).mean())
                bias = float((ranking["median"] - truth).mean())
                line.append(f"{score} {float(inside.mean()):.3f} ({width:.3f}, {bias:+.3f})")
            print(f"{classes} classes, {cases} cases, {recalls}, {how}:", *line, flush=True)


def covered_unlike(
    seed: list[int], boards: int, name: str, recalls: str, model: str
) -> dict[str, tuple[float, float]]:
    """Return coverage and mean width of each score where class sizes are unlike, by design."""
    sizes = UNLIKE[name]
    classes, log = len(sizes), np.log(sizes)
    rarity = (log.max() - log) / np.ptp(log)  # 0 of the largest class, 1 of the rarest
    rng = np.random.default_rng(seed)
    rows, off = np.empty((boards, classes, classes)), ~np.eye(classes, dtype=bool)
    recall = RECALLS_BY_RARITY[recalls](rng, np.tile(rarity, (boards, 1)))
    errors = rng.dirichlet(np.full(classes - 1, 0.2), recall.shape)
    rows[:, off] = (errors * (1 - recall)[..., None]).reshape(boards, -1)
    rows[:, ~off] = recall
    rows /= rows.sum(-1, keepdims=True)
    counts = tables(rng.multinomial(np.broadcast_to(sizes, recall.shape), rows))
    return inside(counts, tables(rows * (sizes / sizes.sum())[:, None]), model, False, 300)


def unlike() -> None:
    """Print the coverage of both models where class sizes are unlike, by design."""
    for name, sizes in UNLIKE.items():
        for at, recalls in enumerate(RECALLS_BY_RARITY):
            for model in (SEPARATE, LEARNED):
                seed = [len(sizes), int(sizes.sum()), at]
                show(
                    f"{name}, {recalls}, {model}",
                    covered_unlike(seed, OF_UNLIKE, name, recalls, model),
                )


def change() -> None:
    """Print how much estimates and widths change between the models, by the cases of each class or of the rarest."""
    designs = {"5 equal": (1.0,) * 5, "20 equal": (1.0,) * 20, "25:5:1": (25.0, 5.0, 1.0)}
    designs["10 of 1/k"] = tuple(10 / np.arange(1.0, 11))
    for name, ratio in designs.items():
        for cases in (50, 200):
            for recalls in ("0.9", "0.8 ± 0.12", "0.5 or 0.99"):
                rng = np.random.default_rng(cases)
                rows = classifiers(rng, 8, len(ratio), recalls)
                counts = tables(rng.multinomial(np.rint(cases * np.array(ratio)).astype(int), rows))
                one, other = (intervals(counts, model, True, 3000) for model in (SEPARATE, LEARNED))
                line = []
                for score in SCORES:
                    wide, new = (
                        (part[score]["upper"] - part[score]["lower"]).values
                        for part in (one, other)
                    )
                    shift = (other[score]["median"] - one[score]["median"]).values / wide
                    line.append(
                        f"{score} {np.median(shift):+.3f} (width {np.median(new / wide):.3f})"
                    )
                print(f"{name}, {cases} cases, {recalls}:", *line, flush=True)


def claims() -> None:
    """Print how often one of several equal entities is called best, or not one of the best, by the default model."""
    for classes in (5, 20):
        for cases in (3, 10):
            for entities in (2, 5):
                recalls = "0.9" if (classes + cases + entities) % 2 else "0.8 ± 0.12"
                rng = np.random.default_rng([classes, cases, entities])
                rows = np.repeat(classifiers(rng, OF_CLAIMS, classes, recalls), entities, axis=0)
                sizes = rng.multinomial(classes * cases, np.full(classes, 1 / classes), OF_CLAIMS)
                counts = tables(rng.multinomial(np.repeat(sizes, entities, axis=0), rows))
                # The entities of a board have the same test set.
                counts["test_set"] = counts["test_set"][
                    np.arange(len(rows)) // entities * entities
                ].variable
                groups, false = (
                    open_groups(br.fit(counts, draws=400, chains=1, seed=1), *GROUPS),
                    np.zeros((2, 2)),
                )
                for board in range(OF_CLAIMS):
                    here = slice(board * entities, (board + 1) * entities)
                    one = {name: part.isel(entity=here) for name, part in groups.items()}
                    for i, score in enumerate(("macro_f1", "macro_ppv")):
                        ranking = br.credible_ranking(to_container(one), score)
                        false[:, i] += (
                            ranking.attrs["headline"] == "best",
                            not bool(ranking["in_best_set"].all()),
                        )
                best, out = false / OF_CLAIMS
                told = (
                    f"macro F1 {best[0]:.3f}, {out[0]:.3f}; macro PPV {best[1]:.3f}, {out[1]:.3f}"
                )
                print(
                    f"{classes} classes, {cases} cases, {entities} entities, {recalls}: {told}",
                    flush=True,
                )


PARTS = {
    "coverage": coverage,
    "again": again,
    "unseen": unseen,
    "unlike": unlike,
    "change": change,
    "claims": claims,
}

if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
