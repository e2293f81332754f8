"""Kinds of evidence with known truths, whose claims ``measure_claim_sweep.py`` counts.

A cell is one kind of evidence, a board one simulated evaluation of it. Where a closed form allows it, the posterior is
drawn here, and the package's own code judges the evidence. The other cells go through ``br.fit`` and
``br.credible_ranking``.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import expit
from scipy.stats import binom, norm
from scipy.stats import t as student

import bayesrank as br
from bayesrank._core.random import Block
from bayesrank._core.records import ModelRecord
from bayesrank.claims.effective import Information
from bayesrank.claims.information import information_of
from bayesrank.evidence.kinds import CaseEvidence
from bayesrank.models.correlated_folds import CorrelatedFolds
from bayesrank.models.parts.priors import of_shape
from bayesrank.ranking.aggregates import points_against_rivals, reach_of_flips
from bayesrank.ranking.evidence import RankingEvidence
from bayesrank.ranking.values import ScoreValues
from bayesrank.scores import get

#: Draws of each ranking.
DRAWS = 500
ENTITIES = (2, 5, 20)
#: The false claims that are counted.
CLAIMS = ("best", "ruled out", "ranges", "own range")


class Board(NamedTuple):
    """One simulated evaluation, and the truth."""

    draws: np.ndarray  #: Of the score (draw, entity).
    found: ScoreValues
    information: Information | None
    truth: np.ndarray  #: True scores (entity).
    classes: np.ndarray | None = (
        None  #: Entities of the same class are exchangeable (entity); by truth if None.
    )
    #: Return p values of a lead (entity, rival) by the sharpest valid test; 1 without a lead.
    tests: Callable[[], np.ndarray] | None = None


class Fitted(NamedTuple):
    """One simulated evaluation that went through the package."""

    ranking: xr.Dataset
    truth: np.ndarray
    claims: tuple[str, ...] = CLAIMS  #: The claims that the ranking makes.


Cell = Callable[[np.random.Generator, int], Board | Fitted]
#: The cells of each group by name, and the numbers of entities for which they are measured.
CELLS: dict[str, dict[str, tuple[Cell, tuple[int, ...]]]] = {}


def add(
    group: str, name: str, cell: Callable[..., Any], *facts: Any, sizes: Sequence[int] = ENTITIES
) -> None:
    CELLS.setdefault(group, {})[name] = partial(cell, *facts), tuple(sizes)


def repeat(values: Any, entities: int) -> np.ndarray:
    """Return values, one entity after the other."""
    return np.resize(np.atleast_1d(np.asarray(values)), entities)


def values_of(score: str) -> ScoreValues:
    return ScoreValues(xr.DataArray(0.0), score, True, get(score))


def grades_of(ends: tuple[float, float] = (-np.inf, np.inf)) -> ScoreValues:
    """Return a mean outcome with this range."""
    return ScoreValues(xr.DataArray(0.0), "mean_outcome", True, None, "mean_outcome", ends)


# --- Independent tables ---------------------------------------------------------------------------------------------


def wilson(rate: np.ndarray, cases: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return how far Wilson's interval extends below and above a rate."""
    middle, size = (rate * cases + z**2 / 2) / (cases + z**2), 1 + z**2 / cases
    half = z * np.sqrt(rate * (1 - rate) / cases + (z / cases) ** 2 / 4) / size
    return rate - middle + half, middle + half - rate


def newcombe_tests(rates: np.ndarray, cases: np.ndarray) -> np.ndarray:
    """Return p values of the leads (entity, rival) in a sum of rates (part, entity), by Newcombe's hybrid intervals."""
    lead = (rates[:, :, None] - rates[:, None]).sum(axis=0)
    low, high = np.zeros_like(lead), np.full_like(lead, 12.0)
    for _ in range(30):  # the largest quantile at which the interval excludes 0
        z = (low + high) / 2
        below = wilson(rates[:, :, None], cases[:, :, None], z)[0]
        above = wilson(rates[:, None], cases[:, None], z)[1]
        positive = lead > np.sqrt((below**2 + above**2).sum(axis=0))
        low, high = np.where(positive, z, low), np.where(positive, high, z)
    return np.where(lead > 0, 2 * norm.sf(low), 1.0)


#: The dims and labels of two-class tables.
FRAME = br.from_counts(tn=[1], fp=[1], fn=[1], tp=[1]).drop_vars("entity")


def of_tables(score: str, cells: np.ndarray) -> tuple[np.ndarray, Information]:
    """Return draws of a score, and the information, of counts (tn, fp, fn, tp; entity)."""
    prior = of_shape(None, (2, 2))
    counts = FRAME.isel(entity=np.zeros(cells.shape[1], int)).copy(data=cells.T.reshape(-1, 2, 2))
    masses = counts.copy(data=np.broadcast_to(prior, counts.shape))
    evidence = RankingEvidence(counts=counts, prior=masses, about=ModelRecord())
    return cells + np.reshape(prior, (4, 1)), information_of(evidence, get(score), cells.shape[1])


def tables(
    score: str,
    tpr: Any,
    tnr: Any,
    positive: Any,
    negative: Any,
    rng: np.random.Generator,
    entities: int,
) -> Board:
    """Return two-class tables; rates and numbers of cases are repeated over the entities."""
    sensitivity, specificity, p, n = (
        repeat(each, entities) for each in (tpr, tnr, positive, negative)
    )
    tp, tn = rng.binomial(p, sensitivity), rng.binomial(n, specificity)
    concentration, information = of_tables(score, np.stack([tn, n - tn, p - tp, tp]))
    drawn = rng.standard_gamma(concentration, (DRAWS, *concentration.shape)).transpose(1, 0, 2)
    x = get(score).of_cells(*(drawn / drawn.sum(axis=0)))
    share = p / (p + n)
    expected = (
        (1 - share) * specificity,
        (1 - share) * (1 - specificity),
        share * (1 - sensitivity),
        share * sensitivity,
    )
    truth = np.round(get(score).of_cells(*expected), 10)
    tests = None
    if score in ("tpr", "informedness"):
        rates, cases = np.stack([tp / p, tn / n]), np.stack([p, n])
        parts = slice(1 if score == "tpr" else 2)
        tests = partial(newcombe_tests, rates[parts], cases[parts])
    return Board(
        x, values_of(score), information, truth, np.unique(p, return_inverse=True)[1], tests
    )


def accuracies(cases: Any, rates: Any, rng: np.random.Generator, entities: int) -> Board:
    """Return accuracies of independent tests; numbers of cases and rates are repeated over the entities."""
    n, truth = repeat(cases, entities), np.clip(repeat(rates, entities), 0, 1)
    positive = np.minimum(np.maximum(n // 4, 3), n - 1)
    tp, tn = rng.binomial(positive, truth), rng.binomial(n - positive, truth)
    cells = np.stack([tn, n - positive - tn, positive - tp, tp])
    concentration, information = of_tables("accuracy", cells)
    right = tp + tn
    wrong = concentration[1] + concentration[2]
    x = np.clip(
        rng.beta(concentration[0] + concentration[3], wrong, (DRAWS, entities)), 1e-300, 1 - 1e-16
    )
    tests = partial(newcombe_tests, (right / n)[None], n[None])
    classes = np.unique(np.stack([n, truth]), axis=1, return_inverse=True)[1].ravel()
    return Board(x, values_of("accuracy"), information, truth, classes, tests)


# --- Cases that all entities met, and their clusters ------------------------------------------------------------------


def bootstrap(
    rng: np.random.Generator, sums: np.ndarray, weights: np.ndarray, prior: float
) -> np.ndarray:
    """Return draws (draw, entity) of means, from sums (unit, entity), sizes of units and a prior of ``prior`` cases."""
    mass = rng.standard_exponential((DRAWS, len(sums)))
    total, size = mass @ sums, (mass @ weights)[:, None]
    if prior:
        unseen = rng.standard_gamma(prior, (DRAWS, 1))
        total = total + unseen * rng.beta(prior / 2, prior / 2, (DRAWS, sums.shape[1]))
        size = size + unseen
    return total / size


def mcnemar(right: np.ndarray) -> np.ndarray:
    """Return exact p values of the leads (entity, rival) in right answers (case, entity)."""
    wins = right.T.astype(int) @ (1 - right.astype(int))
    p = np.minimum(2 * binom.sf(wins - 1, wins + wins.T, 0.5), 1.0)
    return np.where(wins > wins.T, p, 1.0)


def paired_t(values: np.ndarray) -> np.ndarray:
    """Return p values of the leads (entity, rival) in mean values (unit, entity)."""
    off = values[:, :, None] - values[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        t = off.mean(axis=0) / off.std(axis=0, ddof=1) * len(values) ** 0.5
    return np.where(
        off.mean(axis=0) > 0, 2 * student.sf(np.nan_to_num(t, posinf=np.inf), len(values) - 1), 1.0
    )


def of_outcomes(
    rng: np.random.Generator,
    outcome: np.ndarray,
    truth: np.ndarray,
    group: np.ndarray | None,
    graded: bool = False,
) -> Board:
    """Return a board of outcomes (case, entity) of all entities, right or wrong (or grades without a range)."""
    entities, cases = outcome.shape[1], len(outcome)
    prior = np.zeros(2) if graded else of_shape(None, (2,))
    unit = np.arange(cases) if group is None else group
    sums = np.stack([np.bincount(unit, column) for column in outcome.T], axis=1)
    x = bootstrap(rng, sums, np.bincount(unit).astype(float), prior.sum())
    behind = CaseEvidence(
        list(range(entities)), np.ones(cases), outcome=outcome.astype(float), cluster=group
    )
    about = ModelRecord(prior="haldane" if graded else "one_case")
    observed = xr.DataArray(outcome.mean(axis=0), dims="entity")
    masses = xr.DataArray(np.broadcast_to(prior, (entities, 2)), dims=("entity", "outcome"))
    evidence = RankingEvidence(behind=behind, values=observed, prior=masses, about=about)
    information = information_of(evidence, get("mean_outcome"), entities)
    if group is not None:
        tests = partial(paired_t, sums / np.bincount(unit)[:, None])
    else:
        tests = partial(paired_t if graded else mcnemar, outcome)
    return Board(
        x, grades_of() if graded else grades_of((0.0, 1.0)), information, truth, None, tests
    )


def paired(cases: int, rates: Any, shared: float, rng: np.random.Generator, entities: int) -> Board:
    """Return right or wrong answers, whose latent difficulty has the share ``shared`` of the variance."""
    truth = repeat(rates, entities)
    latent = np.sqrt(shared) * rng.normal(size=(cases, 1)) + np.sqrt(1 - shared) * rng.normal(
        size=(cases, entities)
    )
    return of_outcomes(
        rng, (latent < norm.ppf(np.clip(truth, 1e-9, 1 - 1e-9))).astype(float), truth, None
    )


def runs(rate: float, rng: np.random.Generator, entities: int) -> Fitted:
    """Return 60 cases with four runs each, some of them by chance."""
    each = np.where(rng.random(60) < 0.1, 0.5, rate)[:, None]
    outcomes = pd.DataFrame(rng.binomial(4, each, (60, entities)) / 4, columns=names(entities))
    return ranked(rng, br.from_outcomes(outcomes), np.zeros(entities))


def clusters(
    sizes: Sequence[int], rates: Any, icc: float, rng: np.random.Generator, entities: int
) -> Board:
    """Return outcomes of clusters that are easier for some entities, with the latent intraclass correlation ``icc``."""
    truth, group = repeat(rates, entities), np.repeat(np.arange(len(sizes)), sizes)
    effect = rng.normal(size=(len(sizes), entities))[group]
    latent = np.sqrt(icc) * effect + np.sqrt(1 - icc) * rng.normal(size=(len(group), entities))
    return of_outcomes(rng, (latent < norm.ppf(truth)).astype(float), truth, group)


def two_kinds(number: int, rng: np.random.Generator, entities: int) -> Board:
    """Return clusters of 20 of two kinds: every second entity has the rates 0.9 and 0.5 on them, others 0.7."""
    kind = rng.random(number) < 0.5
    uneven = np.arange(entities) % 2 == 0
    rate = np.where(uneven, np.where(kind, 0.9, 0.5)[:, None], 0.7)
    group = np.repeat(np.arange(number), 20)
    board = of_outcomes(
        rng,
        (rng.random((len(group), entities)) < rate[group]).astype(float),
        np.zeros(entities),
        group,
    )
    return board._replace(classes=uneven.astype(int))


def graded_clusters(
    sizes: Sequence[int], icc: float, rng: np.random.Generator, entities: int
) -> Board:
    """Return normal grades of clusters, with the intraclass correlation ``icc``."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    effect = rng.normal(size=(len(sizes), entities))[group]
    grades = np.sqrt(icc) * effect + np.sqrt(1 - icc) * rng.normal(size=(len(group), entities))
    return of_outcomes(rng, grades, np.zeros(entities), group, graded=True)


def grades(cases: int, leads: Any, rng: np.random.Generator, entities: int) -> Board:
    """Return normal grades of the same cases, half of whose variance is shared."""
    truth = repeat(leads, entities)
    off = np.sqrt(0.5) * (rng.normal(size=(cases, 1)) + rng.normal(size=(cases, entities)))
    return of_outcomes(rng, truth + off, truth, None, graded=True)


def sizes_of(kind: str, number: int) -> tuple[int, ...]:
    """Return the sizes of clusters."""
    if kind == "16-fold":
        return tuple(np.geomspace(3, 48, number).astype(int))
    if kind == "Zipf":
        return tuple(np.maximum((200 / np.arange(1, number + 1)).astype(int), 1))
    if kind == "one of half the cases":
        return (5 * (number - 1), *([5] * (number - 1)))
    if kind == "half of single cases":
        return (*([30] * (number // 2)), *([1] * (4 * number)))
    return (10,) * number


# --- Means, and evidence that goes through the package ----------------------------------------------------------------


def means(cases: int, shape: str, rng: np.random.Generator, entities: int) -> Board:
    """Return means and standard errors of a known number of cases."""
    off = (
        rng.normal(size=(entities, cases))
        if shape == "normal"
        else rng.exponential(size=(entities, cases))
    )
    error = off.std(axis=1, ddof=1) / cases**0.5
    x = off.mean(axis=1) + error * rng.standard_t(cases - 1, (DRAWS, entities))
    return Board(x, grades_of(), None, np.zeros(entities))


def names(entities: int) -> list[str]:
    return [f"e{i:02d}" for i in range(entities)]


def ranked(
    rng: np.random.Generator,
    evidence: Any,
    truth: np.ndarray,
    score: str | None = None,
    **options: Any,
) -> Fitted:
    """Return the ranking of evidence that is fitted by the package."""
    posterior = br.fit(evidence, draws=DRAWS // 4, seed=int(rng.integers(2**31)), **options)
    return Fitted(br.credible_ranking(posterior, score), truth)


def unknown_means(cases: int, rng: np.random.Generator, entities: int) -> Fitted:
    """Return means and standard errors of an unknown number of cases."""
    off = rng.normal(size=(entities, cases))
    frame = {
        "entity": names(entities),
        "mean": off.mean(axis=1),
        "se": off.std(axis=1, ddof=1) / cases**0.5,
    }
    return ranked(rng, br.from_frame(pd.DataFrame(frame)), np.zeros(entities))


def tails(
    cases: int, spread: float, narrow: float, rng: np.random.Generator, entities: int
) -> Board:
    """Return grades of equal means: the first entity lognormal, others normal with ``narrow`` times its spread."""
    first = rng.lognormal(-(spread**2) / 2, spread, (cases, 1))
    other = rng.normal(1.0, narrow * min(np.sqrt(np.expm1(spread**2)), 3.0), (cases, entities - 1))
    return of_outcomes(rng, np.hstack([first, other]), np.zeros(entities), None, graded=True)


def failures(cases: int, rng: np.random.Generator, entities: int) -> Fitted:
    """Return grades from 0 to 1 of equal means: the first entity fails in 2% of the cases, others have about 0.98."""
    first = (rng.random((cases, 1)) < 0.98).astype(float)
    other = np.clip(rng.normal(0.98, 0.005, (cases, entities - 1)), 0.96, 1.0)
    frame = pd.DataFrame(np.hstack([first, other]), columns=names(entities))
    return ranked(rng, br.from_outcomes(frame, range=(0, 1)), np.zeros(entities))


def tasks(number: int, kind: str, rng: np.random.Generator, entities: int) -> Board:
    """Return Borda points of one score per task, of entities with equal expected points.

    The first entity is the best or the last one on each task ("extreme"), or the last one on a tenth of the tasks and
    a little above the middle on the others ("failing"); or half of the entities have almost the same scores ("alike").
    """
    scores = rng.normal(size=(entities, number))
    if kind == "extreme":
        scores[0] = rng.choice([-9.0, 9.0], number)
    elif kind == "failing":
        place = (entities - 1) / 2 / 0.9
        place = np.where(rng.random(number) < 0.1, 0, np.floor(place + rng.random(number))).astype(
            int
        )
        others = np.sort(scores[1:], axis=0)
        between = np.vstack([others[:1] - 1, (others[1:] + others[:-1]) / 2, others[-1:] + 1])
        scores[0] = between[place, np.arange(number)]
    elif kind == "alike":
        scores[: entities // 2] = scores[0] + 0.05 * rng.normal(size=(entities // 2, number))
    points = points_against_rivals(scores, "borda")
    coords = {"entity": names(entities), "dataset": ("split", np.arange(number))}
    model = CorrelatedFolds(xr.Dataset({"fold_score": (("entity", "split"), points)}, coords))
    root = np.random.SeedSequence(int(rng.integers(2**31)))
    x = model.draw("posterior", Block(0, 0, DRAWS, (1, DRAWS)), root)["mean_outcome"]
    values = xr.DataArray(points.mean(axis=1), dims="entity")
    information = information_of(
        RankingEvidence(values=values, about=ModelRecord.from_attrs(model.settings)), None, entities
    )
    information = replace(information, reach=reach_of_flips(points))
    found = ScoreValues(values, "borda", True, None, None, (0.0, entities - 1.0), stretched=False)
    uneven = np.arange(entities) < (entities // 2 if kind == "alike" else kind != "equal")
    return Board(
        np.clip(x.values, 0, entities - 1),
        found,
        information,
        np.zeros(entities),
        uneven.astype(int),
    )


def prevalences(
    score: str, shares: tuple[float, float], cases: int, rng: np.random.Generator, entities: int
) -> Fitted:
    """Return tables of equal TPR and TNR, on test sets of two prevalences."""
    positive = (repeat(shares, entities) * cases).astype(int)
    tp, tn = rng.binomial(positive, 0.8), rng.binomial(cases - positive, 0.9)
    counts = br.from_counts(
        tn=tn, fp=cases - positive - tn, fn=positive - tp, tp=tp, entity=names(entities)
    )
    return ranked(rng, counts, np.zeros(entities), score)


def bare(kind: str, rng: np.random.Generator, entities: int) -> Fitted:
    """Return draws without evidence, of equal entities or of entities that differ: "best" is false for both."""
    if kind == "three clusters":
        effect = rng.normal(size=(3, entities)).repeat(20, axis=0)
        right = (effect + rng.normal(size=(60, entities)) > 0).astype(float)
        draws = bootstrap(rng, right.reshape(3, 20, -1).sum(axis=1), np.full(3, 20.0), 4.0)
    else:
        draws = rng.beta(
            np.r_[90, np.full(entities - 1, 60)],
            np.r_[10, np.full(entities - 1, 40)],
            (DRAWS, entities),
        )
    values = xr.DataArray(
        draws[None], dims=("chain", "draw", "entity"), coords={"entity": names(entities)}
    )
    return Fitted(br.credible_ranking(values, higher_is_better=True), np.zeros(entities), ("best",))


def rare_positives(holding: int, score: str, rng: np.random.Generator, entities: int) -> Fitted:
    """Return labels in twenty clusters, of which a few hold all positive cases."""
    group = np.repeat(np.arange(20), 20)
    actual = ((group < holding) & (rng.random(len(group)) < 0.5)).astype(int)
    latent = rng.normal(size=(20, entities))[group] + rng.normal(0.8, 1, (len(group), entities))
    answers = np.where(latent > 0, actual[:, None], 1 - actual[:, None])
    labels = {name: answers[:, i] for i, name in enumerate(names(entities))}
    return ranked(rng, br.joint_outcomes(actual, labels, cluster=group), np.zeros(entities), score)


def small_classes(
    score: str, classes: int, cases: int, rng: np.random.Generator, entities: int
) -> Fitted:
    """Return tables of many classes of few cases; seven in ten answers are right."""
    rate = np.full((classes, classes), 0.3 / (classes - 1)) + np.eye(classes) * (
        0.7 - 0.3 / (classes - 1)
    )
    matrices = np.stack([[rng.multinomial(cases, row) for row in rate] for _ in range(entities)])
    evidence = br.from_matrix(matrices, "actual_rows", entity=names(entities))
    return ranked(rng, evidence, np.zeros(entities), score)


def data_sets(
    number: int, spread: float, missing: str, rng: np.random.Generator, entities: int
) -> Fitted:
    """Return counts of 60 cases on several data sets; entities but the first may lack a third of the data sets."""
    difficulty, rows = rng.normal(1, 1, number), []
    for i, name in enumerate(names(entities)):
        met = np.ones(number, bool)
        if i and missing == "hardest":
            met[np.argsort(difficulty)[: number // 3]] = False
        if i and missing == "random":
            met[rng.permutation(number)[: number // 3]] = False
        for s in np.flatnonzero(met):
            right = rng.binomial(60, expit(difficulty[s] + rng.normal(0, spread)))
            rows.append({"entity": name, "dataset": f"s{s}", "correct": right, "wrong": 60 - right})
    evidence = br.from_frame(pd.DataFrame(rows), dataset="dataset")
    fitted = ranked(rng, evidence, np.zeros(entities))
    if "dataset" in fitted.ranking.dims:  # two data sets are pooled, as by the command
        fitted = ranked(rng, br.pool(evidence), np.zeros(entities))
    these = (
        fitted.ranking.attrs.get("population") == "these_datasets"
    )  # claims about these data sets alone
    return fitted._replace(claims=()) if these else fitted


def seeds(
    cases: int,
    number: int,
    spread: float,
    rng: np.random.Generator,
    entities: int,
    lead: float = 0.0,
) -> Fitted:
    """Return outcomes of several training seeds, whose rates differ with this standard deviation."""
    hard, right = rng.normal(0, 1.5, (cases, 1)), {}
    for i, name in enumerate(names(entities)):
        logit = 2.4 + hard + rng.normal(0, 0.7, (cases, 1)) + rng.normal(0, 0.7, (cases, number))
        rate = np.clip(expit(logit) + rng.normal(lead * (i == 0), spread, number), 0, 1)
        right[name] = (rng.random((cases, number)) < rate).astype(int).ravel()
    frame = pd.DataFrame(
        right | {"case": np.arange(cases).repeat(number), "seed": np.tile(np.arange(number), cases)}
    )
    return ranked(
        rng, br.from_outcomes(frame, case="case", training_seed="seed"), np.zeros(entities)
    )


# --- The cells of equal entities, and of ladders ----------------------------------------------------------------------


def ladder(entities: int, step: float) -> np.ndarray:
    return -step * np.arange(entities)


def few_best(entities: int, best: int, gap: float) -> np.ndarray:
    """Return equal leads of the best ones, and a gap below them equal others."""
    return np.where(np.arange(entities) < best, 0.0, -gap)


for n in (10, 40, 200, 2000, 10_000):
    for rate in (0.5, 0.9, 0.99):
        add("Tables", f"accuracy, {n:,} cases at rate {rate:g}", accuracies, n, rate)
for sizes in ([3, 10_000], [10, 10_000], [30, 10_000], [20, 200, 2000, 10_000]):
    for rate in (0.5, 0.8, 0.95, 0.99):
        label = " to ".join(f"{n:,}" for n in (sizes[0], sizes[-1]))
        add("Tables", f"accuracy, {label} cases at rate {rate:g}", accuracies, sizes, rate)
for score in ("tpr", "informedness"):
    for rate in (0.9, 0.97, 0.99):
        name = f"{score}, 30 positive and 100 negative cases, TPR {rate:g}"
        add("Tables", name, tables, score, rate, 0.95, 30, 100)
for score in ("f1", "ppv", "mcc"):
    for rate in (0.6, 0.9, 0.99):
        add(
            "Tables", f"{score}, 200 cases, both rates {rate:g}", tables, score, rate, rate, 40, 160
        )
        name = f"{score}, 20 to 20,000 cases, both rates {rate:g}"
        add("Tables", name, tables, score, rate, rate, [4, 4000], [16, 16_000])
for score in ("accuracy", "informedness", "f1"):
    for positive in (1, 3):
        name = f"{score}, {positive} positive and {100 - positive} negative cases"
        add("Tables", name, tables, score, 0.8, 0.8, positive, 100 - positive)
for classes, cases in ((3, 5), (10, 5), (30, 2)):
    for score in ("macro_tpr", "macro_f1"):
        name = f"{score}, {classes} classes of {cases} cases"
        add("Tables", name, small_classes, score, classes, cases, sizes=(5,))

#: Entities with equal expected Borda points.
KINDS_OF_TASKS = {
    "equal": "equal entities",
    "extreme": "one entity best or last",
    "failing": "one entity last on a tenth",
    "alike": "half of the entities alike",
}
PARTS = (((0.9, 0.7), (0.7, 0.9)), ((0.99, 0.7), (0.7, 0.99)), ((0.99, 0.9), (0.9, 0.99)))
for tpr, tnr in PARTS:
    for positive, negative in ((30, 100), (100, 100), (1000, 1000)):
        name = f"informedness, TPR and TNR {tpr[0]:g} and {tnr[0]:g} or swapped, {positive:,} and {negative:,} cases"
        add(
            "Equal sums of unequal parts",
            name,
            tables,
            "informedness",
            tpr,
            tnr,
            positive,
            negative,
        )
for n in (100, 1000):
    name = f"accuracy, rates 0.9 and 0.7 of two classes of {n:,} cases or swapped"
    add("Equal sums of unequal parts", name, tables, "accuracy", *PARTS[0], n, n)
for number in (6, 12, 25, 60):
    name = f"{number} clusters of two kinds, rates 0.9 and 0.5 or 0.7 and 0.7"
    add("Equal sums of unequal parts", name, two_kinds, number)
for score in ("f1", "accuracy", "mcc"):
    for shares in ((0.1, 0.5), (0.2, 0.3)):
        for n in (200, 2000):
            name = f"{score}, {n:,} cases at prevalences {shares[0]:g} and {shares[1]:g}"
            add("Test sets of two prevalences", name, prevalences, score, shares, n, sizes=(2, 5))

for n in (20, 60, 200):
    for rate in (0.5, 0.9, 0.99):
        for shared in (0.5, 0.95):
            name = f"{n} cases at rate {rate:g}, {shared:g} of the variance shared"
            add("The same cases", name, paired, n, rate, shared)
for rate in (0.5, 0.97):
    add("The same cases", f"60 cases, 4 runs each, at rate {rate:g}", runs, rate)

for number in (3, 4, 6, 12, 25, 60):
    for icc in (0.0, 0.3, 1.0):
        name = f"{number} clusters, intraclass correlation {icc:g}"
        add("Clusters", name, clusters, sizes_of("equal", number), 0.7, icc)
for number in (12, 25, 60):
    for kind in ("16-fold", "Zipf", "one of half the cases", "half of single cases"):
        add("Clusters", f"{number} clusters, {kind}", clusters, sizes_of(kind, number), 0.7, 0.3)
for number in (4, 6, 12, 25):
    add(
        "Clusters",
        f"{number} clusters, nearly all right",
        clusters,
        sizes_of("equal", number),
        0.98,
        0.5,
    )
    add("Clusters", f"{number} clusters of 200 cases", clusters, (200,) * number, 0.7, 0.4)
    add(
        "Clusters",
        f"{number} clusters, normal grades",
        graded_clusters,
        sizes_of("equal", number),
        0.3,
    )
for holding in (3, 6, 12):
    for score in ("tpr", "f1"):
        name = f"{score}, positive cases in {holding} of 20 clusters"
        add("Clusters", name, rare_positives, holding, score, sizes=(2, 5))

for n in (5, 10, 30, 100):
    for shape in ("normal", "exponential"):
        add("Means and grades", f"means of {n} cases, {shape}", means, n, shape)
    add("Means and grades", f"grades of {n} cases, normal", grades, n, 0.0)
add("Means and grades", "means of 10 cases, number unknown", unknown_means, 10)
for n in (20, 60, 200, 1000):
    for spread, narrow in ((0.3, 1.0), (1.0, 1.0), (3.0, 1.0), (1.0, 0.1), (1.5, 0.1)):
        name = f"grades of {n:,} cases, lognormal (sd of logs {spread:g}) and {'narrow ' * (narrow < 1)}normal"
        add("Means and grades", name, tails, n, spread, narrow, sizes=(2, 5))
    name = f"grades of {n:,} cases in 0 to 1, failures of 2% and always 0.98"
    add("Means and grades", name, failures, n, sizes=(2, 5))
for number in (6, 10, 20, 60):
    for kind in ("equal", "extreme", "failing", "alike"):
        name = f"Borda points of {number} tasks, {KINDS_OF_TASKS[kind]}"
        add("One score per task", name, tasks, number, kind, sizes=(2, 3, 10, 30))

for n, number, spread in (
    (400, 3, 0.0),
    (400, 3, 0.05),
    (400, 4, 0.0),
    (400, 4, 0.05),
    (400, 5, 0.03),
    (1000, 5, 0.02),
):
    name = f"{n:,} cases, {number} training seeds of sd {spread:g}"
    add("Training seeds and data sets", name, seeds, n, number, spread, sizes=(2, 5))
for number, spread, missing in (
    (2, 0.0, ""),
    (2, 0.3, ""),
    (3, 0.0, ""),
    (3, 0.3, ""),
    (3, 0.1, "hardest"),
):
    name = f"{number} data sets, sd {spread:g} in logits" + f", the {missing} missing" * bool(
        missing
    )
    add("Training seeds and data sets", name, data_sets, number, spread, missing, sizes=(2,))
for kind in ("three clusters", "different entities"):
    add("Draws without evidence", f"draws, {kind}", bare, kind, sizes=(2, 5))

FAR = "Ladders and few best"
for size in (5, 10, 20):
    for step in (0.3, 1.0, 3.0):
        rates = 0.8 + ladder(size, step) * (2 * 0.16 / 1000) ** 0.5
        add(
            FAR,
            f"ladder of {size}, steps of {step:g} errors, tables",
            accuracies,
            1000,
            rates,
            sizes=(size,),
        )
        rates = 0.8 + ladder(size, step / 3) * (2 * 0.16 * 0.6 / 400) ** 0.5
        name = f"ladder of {size}, steps of {step / 3:.2g} errors, the same 400 cases"
        add(FAR, name, paired, 400, rates, 0.5, sizes=(size,))
    for best in (2, size // 2) if size > 5 else (2,):
        name = f"{best} of {size} best, far above equal others"
        rates = 0.8 + few_best(size, best, 0.4)
        add(FAR, f"{name}, tables", accuracies, 1000, rates, sizes=(size,))
        add(FAR, f"{name}, 25 clusters", clusters, (40,) * 25, rates, 0.1, sizes=(size,))
        add(FAR, f"{name}, grades", grades, 60, few_best(size, best, 5.0), sizes=(size,))


def is_slow(cell: Cell) -> bool:
    return cell.func in SLOW  # type: ignore[attr-defined]


SLOW = (
    runs,
    unknown_means,
    failures,
    prevalences,
    bare,
    rare_positives,
    small_classes,
    data_sets,
    seeds,
)


# --- One entity ahead -----------------------------------------------------------------------------------------------


def lead_of_rates(top: float, cases: int, gap: float, shared: float = 0.0) -> float:
    """Return the rate that lies ``gap`` standard errors of the difference below the rate ``top``."""
    low = top
    for _ in range(100):
        low = top - gap * np.sqrt((top * (1 - top) + low * (1 - low)) * (1 - shared) / cases)
    return float(low)


def led(entities: int, top: float, others: float) -> np.ndarray:
    return np.r_[top, np.full(entities - 1, others)]


@cache
def cluster_rate(sizes: tuple[int, ...], icc: float, gap: float) -> tuple[float, float]:
    """Return two rates about 0.5 that are ``gap`` standard errors of the difference of clusters apart."""
    node, weight = np.polynomial.hermite_e.hermegauss(60)
    weight = weight / weight.sum()
    half = 0.0
    for _ in range(200):
        rate = norm.cdf((norm.ppf(0.5 + half) - np.sqrt(icc) * node) / np.sqrt(max(1 - icc, 1e-9)))
        between = weight @ rate**2 - (weight @ rate) ** 2
        mean = float(weight @ rate)
        variance = (between + (mean * (1 - mean) - between) / np.mean(sizes)) / len(sizes)
        half = min((half + gap * (2 * variance) ** 0.5 / 2) / 2, 0.49)
    return 0.5 + half, 0.5 - half


def power_cell(kind: str, gap: float) -> Cell:
    """Return a cell whose first entity is ``gap`` standard errors of a difference ahead."""

    def board(rng: np.random.Generator, entities: int) -> Board:
        if kind == "60 paired cases":
            low = lead_of_rates(0.8, 60, gap, 0.35)
            return paired(60, led(entities, 0.8, low), 0.5, rng, entities)
        if kind == "200 cases at rate 0.9, independent":
            return accuracies(200, led(entities, 0.9, lead_of_rates(0.9, 200, gap)), rng, entities)
        if kind == "TPR 0.99 on 100 cases":
            tpr = led(entities, 0.99, lead_of_rates(0.99, 100, gap))
            return tables("tpr", tpr, 0.9, 100, 100, rng, entities)
        if kind == "informedness, 30 and 100 cases":
            lead = gap * np.sqrt(2 * (0.9 * 0.1 / 30 + 0.95 * 0.05 / 100))
            return tables(
                "informedness",
                led(entities, 0.95, max(0.95 - lead, 0.02)),
                0.95,
                30,
                100,
                rng,
                entities,
            )
        if kind == "30 normal grades":
            return grades(30, led(entities, gap / 30**0.5, 0.0), rng, entities)
        number, icc = {"4": (4, 0.3), "6": (6, 0.3), "10": (10, 0.0), "25": (25, 0.3)}[
            kind.split()[0]
        ]
        return clusters(
            (20,) * number,
            led(entities, *cluster_rate((20,) * number, icc, gap)),
            icc,
            rng,
            entities,
        )

    return board


POWER = (
    "60 paired cases",
    "200 cases at rate 0.9, independent",
    "TPR 0.99 on 100 cases",
    "informedness, 30 and 100 cases",
    "30 normal grades",
    "4 clusters of 20",
    "6 clusters of 20",
    "10 clusters of 20 without effect",
    "25 clusters of 20",
)


def ladders() -> dict[str, tuple[Cell, int]]:
    """Return ladders in which pairs are decided, by their names."""
    cells: dict[str, tuple[Cell, int]] = {}
    for size in (5, 10, 20):
        step = (2 * 0.16 / 1000) ** 0.5
        cells[f"{size} tables of 1,000 cases, steps of 1 error"] = (
            partial(accuracies, 1000, 0.8 + ladder(size, step)),
            size,
        )
        rates = 0.9 + ladder(size, 0.6 * (2 * 0.16 * 0.6 / 200) ** 0.5)
        cells[f"{size} on the same 200 cases, steps of 0.6 errors"] = (
            partial(paired, 200, rates, 0.5),
            size,
        )
        cells[f"{size} of 60 normal grades, steps of 1 error"] = (
            partial(grades, 60, ladder(size, 60**-0.5)),
            size,
        )
        rates = 0.9 + ladder(size, 0.6 / size)
        cells[f"{size} on 25 clusters of 40"] = partial(clusters, (40,) * 25, rates, 0.1), size
    return cells


def two_rates() -> dict[str, Cell]:
    """Return pairs of rates far apart, by their names."""
    return {
        "0.999 and 0.93 on 100 cases": partial(accuracies, 100, [0.999, 0.93]),
        "0.99 on 30 cases and 0.8 on 10,000": partial(accuracies, [30, 10_000], [0.99, 0.8]),
    }
