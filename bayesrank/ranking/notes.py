"""Notes on the evidence behind a ranking: its limits, and which of them change the reading."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr
from scipy.special import ndtri

from bayesrank._core.labels import (
    classes_in_averages,
    known_classes,
    names_classes,
    standing_pair,
    sum_except,
)
from bayesrank._core.notes import Note
from bayesrank._core.records import ModelRecord
from bayesrank.claims.effective import Information, least
from bayesrank.claims.pooling import pooling_notes
from bayesrank.evidence.counts import names_test_sets, parts_of
from bayesrank.evidence.kinds import CaseEvidence
from bayesrank.evidence.weighting import effective_cases
from bayesrank.ranking.intervals import position_of
from bayesrank.scores import Score
from bayesrank.scores.averages import Average, is_average
from bayesrank.scores.names import SCORES
from bayesrank.scores.verdicts import ScoreVerdict, verdict_on

#: With fewer cases of a class, the prior has a large weight in its rate.
FEW = 10
#: With fewer discordant cases and no prior, a conclusion on a pair rests on too few observations;
#: with a prior, FEW.
FEW_WITHOUT_PRIOR = 50


def count_notes(counts: xr.DataArray, score: Score | None, model_record: ModelRecord) -> list[Note]:
    """Return notes on the limits of the counts; ``model_record`` is what the posterior says of its model."""
    # By name, so that a sentence names the same entities for any input order.
    if "entity" in counts.dims and "entity" in counts.coords:
        names = [str(name) for name in counts.coords.variables["entity"].values.tolist()]
        if names != sorted(names):
            counts = counts.isel(entity=np.argsort(names, kind="stable"))
    parts = parts_of(counts)
    pooled = pooling_notes(parts, score) if parts is not None and score is not None else []
    # A paired model knows how errors overlap.
    overlap = [] if model_record.paired else same_case_notes(counts)
    notes = _few_cases(counts, model_record.population)
    observed = _undefined(counts, score) + _counted_zero(counts, score)
    return pooled + overlap + observed + notes + _class_population(counts, score, model_record)


def positive_class_notes(source: Any, score: Score | None) -> list[Note]:
    """Return a note on the positive class, unless its name says so or the score is symmetric.

    It has a code of its own if the user set the class against the convention, or without one.
    """
    classes = known_classes(source)
    if (
        classes is None
        or classes == ("negative", "positive")
        or (score is not None and score.is_symmetric)
    ):
        return []
    changes = standing_pair(classes) != classes and score is not None
    code = "positive_class_by_choice" if changes else "positive_class"
    return [Note(code, {"positive": str(classes[1]), "negative": str(classes[0])})]


def discordance_of(
    information: Information,
    model_record: ModelRecord,
    names: Any,
    ranking: Mapping[str, Any],
    prob: float,
    joint: CaseEvidence | None,
) -> tuple[list[Note], bool]:
    """Return a caveat where few cases separate the first entity from a rival that it beats with probability ``prob``.

    Also return whether the first entity and its closest rival had the same outcome on every case.
    """
    order, superiority = position_of(ranking), ranking["superiority"]
    if information.discordant is None or np.isnan(order).all():
        return [], False
    first = int(np.nanargmin(order))
    different = information.discordant[first]
    beaten = np.where(np.isnan(order), np.nan, superiority[first])
    beaten[first] = np.nan
    agree = not np.isnan(beaten).all() and bool(different[np.nanargmin(beaten)] == 0)
    if agree and joint is not None:  # the cases of probabilities are always shared
        agree = joint.share_cases(first, int(np.nanargmin(beaten)))
    # Areas have pseudo-cases, losses have none.
    losses = model_record.probabilities and np.isnan(information.of_class)
    bootstrap = bool(model_record.prior == "haldane" or losses)
    doubtful = (superiority[first] >= prob) & (
        different < (FEW_WITHOUT_PRIOR if bootstrap else FEW)
    )
    doubtful[first] = False
    if joint is not None:  # entities without a common case differ on none
        doubtful &= [joint.share_cases(first, i) for i in range(len(doubtful))]
    if not doubtful.any():
        return [], agree
    rival = int(min(np.flatnonzero(doubtful), key=lambda i: (different[i], str(names[i]))))
    if joint is None:
        cases = float(least(information.cases))
    else:
        cases = joint.count_shared(first, rival)
    fields = {
        "first": str(names[first]),
        "rival": str(names[rival]),
        "different": float(different[rival]),
        "cases": cases if np.isfinite(cases) else None,
        "clusters": model_record.target is not None or model_record.clustered,
        "bootstrap": bootstrap,
    }
    return [Note("few_discordant", fields)], agree


def prevalence_notes(
    mean: xr.DataArray | None, variance: np.ndarray | None, score: Score, claims: str = "unknown"
) -> list[Note]:
    """Return a note where the prevalences (entity, actual) differ between entities by more than chance.

    ``claims`` says what the claims of a ranking do at prevalences that all entities share: "hold",
    "fail" or "unknown". Where they fail, any difference is noted.
    """
    if mean is None or variance is None or mean.sizes["entity"] < 2:
        return []
    width = np.fmax.reduce(mean.values) - np.fmin.reduce(mean.values)
    if np.isnan(width).all():
        return []
    two = mean.sizes["actual"] == 2
    position = 1 if two else int(np.nanargmax(width))
    m, v = mean.values[:, position], variance[:, position]
    low, high = np.nanargmin(m), np.nanargmax(m)
    # The most different pair and class was picked: one in a hundred of such picks may be chance.
    comparisons = m.size * (m.size - 1) / 2 * (1 if two else mean.sizes["actual"])
    by_chance = max(ndtri(1 - 0.005 / comparisons) * np.sqrt(v[high] + v[low]), 1e-9)
    if m[high] - m[low] <= by_chance and claims != "fail":
        return []
    names = mean["entity"].values
    ends = {
        "lowest": m[low],
        "lowest_entity": str(names[low]),
        "highest": m[high],
        "highest_entity": str(names[high]),
    }
    fields = {
        "label": None if two else str(mean["actual"].values[position]),
        **ends,
        "score": score.display,
    }
    result = []
    if score.depends_on_prevalence:
        result.append(
            Note("prevalences_checked" if claims == "hold" else "prevalences_differ", fields)
        )
    if (verdict := verdict_at_one_prevalence(score, mean.sizes["actual"])) is not None:
        result.append(Note("ranks_at_one_prevalence", fields | _fault(verdict, two, None)))
    return result


def verdict_at_one_prevalence(score: Score, classes: int) -> ScoreVerdict | None:
    """Return the verdict on a score that may rank only while the prevalence is fixed; None for other scores.

    A two-class score without a verdict is one of these if it is a function of TPR and TNR alone.
    """
    verdict = verdict_on(score, classes)
    if verdict.may_rank == "at one prevalence":
        return verdict
    of_rates = not verdict.may_rank and not score.depends_on_prevalence and score.space == "binary"
    return ScoreVerdict("at one prevalence", fault="above") if of_rates else None


def notes_on_score(score: Score | None, mean: xr.DataArray | None) -> list[Note]:
    """Return a note on a score that should not rank two or more entities; ``mean`` are their class shares, if known."""
    if score is None or (mean is not None and mean.sizes["entity"] < 2):
        return []
    classes = 2 if mean is None else mean.sizes["actual"]
    verdict = verdict_on(score, classes)
    if verdict.may_rank != "no":
        return []
    share = None if mean is None or classes > 2 else float(mean.isel(actual=1).mean())
    return [
        Note(
            "score_should_not_rank", {"score": score.display} | _fault(verdict, classes == 2, share)
        )
    ]


def _fault(verdict: ScoreVerdict, two: bool, prevalence: float | None) -> dict[str, Any]:
    """Return the fault of a score and, for two classes, the score that may rank and orders most alike."""
    near = verdict.nearest(prevalence) if two else None
    name, tau, share = near or ("", None, None)
    nearest = SCORES[name].display if name else None
    return {"fault": verdict.fault, "nearest": nearest, "tau": tau, "at": share}


def prevalence_caveat(score: Score, model_record: ModelRecord) -> list[Note]:
    """Return a note where the score depends on a prevalence that was set, not learned from the cases."""
    if model_record.assumed_prevalence == "sampled":
        return []
    fields = {"score": score.display, "by_design": model_record.prevalence == "observed"}
    return [Note("prevalence_set", fields | {"estimate": model_record.prevalence_estimate})]


def with_averaged_classes(counts: xr.DataArray) -> xr.DataArray:
    """Return the counts of the classes that take part in averages."""
    if "actual" in counts.dims and not (part := classes_in_averages(counts, counts)).all():
        return counts.isel(actual=part)
    return counts


def same_case_notes(counts: xr.DataArray) -> list[Note]:
    """Return a note on entities with the same cases, judged by names or class sizes: errors may be correlated."""
    if "test_set" not in counts.coords:
        return []
    # Several data sets have separate test sets.
    names = counts.coords.variables["test_set"].transpose("entity", ...).values
    names = names.reshape(counts.sizes["entity"], -1)
    sets = Counter(name for name in names.ravel().tolist() if name)
    shared = {name for name, size in sets.items() if size > 1}
    if not shared:
        return []
    measured = names[(names != "").any(axis=1)]
    same_sizes = all(len(set(column)) == 1 for column in measured.T)
    number = sum(not shared.isdisjoint(row) for row in measured.tolist())
    sizes = {
        "sharing": number,
        "entities": len(measured),
        "test_sets": len(shared),
        "one": same_sizes,
    }
    fields = {"of_outcomes": "outcome" in counts.dims, "named": names_test_sets(counts)}
    return [Note("same_cases", {**sizes, **fields})]


def _undefined(counts: xr.DataArray, score: Score | None) -> list[Note]:
    """Return a note on entities whose counts leave the score undefined, for each reason: no calls or cases of a class.

    An entity without cases is described elsewhere.
    """
    if score is None or score.space not in ("binary", "classes") or counts.sizes.get("actual") != 2:
        return []
    others = [d for d in counts.dims if d not in ("entity", "actual", "predicted")]
    dims = ("entity", "actual", "predicted")
    cells = sum_except(counts.transpose(*dims, ...), *dims)
    some = cells.sum(axis=(1, 2)) > 0
    cells = cells[some]
    calls, cases = cells.sum(axis=1), cells.sum(axis=2)
    if calls.all() and cases.all():
        return []
    table = counts.sum(others).transpose(*dims).isel(entity=some)
    undefined = np.isnan(score(table / table.sum(["actual", "predicted"])).values)
    reasons = {"positive calls": calls[:, 1], "negative calls": calls[:, 0]}
    reasons |= {"positive cases": cases[:, 1], "negative cases": cases[:, 0]}
    notes, names = [], table["entity"].values.astype(str)
    for lacking, number in reasons.items():
        if (members := undefined & (number == 0)).any():
            entities = names[members].tolist()
            notes.append(
                Note(
                    "score_undefined",
                    {"score": score.display, "entities": entities, "lacking": lacking},
                )
            )
            undefined &= ~members
    return notes


def _counted_zero(counts: xr.DataArray, score: Score | None) -> list[Note]:
    """Return a note on answered classes without cases that count 0 in observed averages and not in draws."""
    if score is None or not names_classes(counts):
        return []
    average = score.matrix_function
    if not isinstance(average, Average) or average.kind == "micro" or average.worst is None:
        return []
    table = counts.sum([d for d in counts.dims if d not in ("entity", "actual", "predicted")])
    table = table.isel({d: classes_in_averages(counts, counts) for d in ("actual", "predicted")})
    table = table.transpose("entity", "actual", "predicted")
    cases = counts.sum([d for d in counts.dims if d not in ("entity", "actual")])
    empty = cases.sel(actual=table["actual"]).transpose("entity", "actual").values == 0
    answered = empty & (table.sum("actual").values > 0)
    labels = table["actual"].values[answered.any(axis=0)]
    fields = {"labels": [str(label) for label in labels], "score": score.display}
    return [Note("named_class_counts_zero", fields)] if len(labels) else []


def _few_cases(counts: xr.DataArray, population: Any) -> list[Note]:
    """Return notes on so few cases, of a class or in all, that the prior or a population determines their rates."""
    of_class, counts = "actual" in counts.dims, with_averaged_classes(counts)
    cases = effective_cases(counts, "entity", *["actual"] * of_class)
    cases = cases if of_class else cases[:, None]
    some = cases.sum(axis=1) > 0
    cases = cases[some]
    empty = cases == 0
    small = ~empty & (cases < FEW)
    if not (empty | small).any():
        return []
    others = population if of_class and population in ("classes", "entities") else None
    names = counts["entity"].values[some].astype(str)
    classes = counts["actual"].values if of_class else np.array([""])
    notes = []
    if empty.any():
        labels = [str(label) for label in classes[empty.any(axis=0)]]
        context = {"entities": names[empty.any(axis=1)], "population": others}
        notes.append(
            Note("class_without_cases", {"labels": labels, "classes": len(classes), **context})
        )
    if small.any():
        entity, label = np.unravel_index(np.where(small, cases, FEW).argmin(), small.shape)
        # The number is effective, of weighted cases.
        fewest = float(np.floor(10 * cases[entity, label] + 1e-6) / 10)
        worst: dict[str, Any] = {
            "fewest": int(fewest) if fewest.is_integer() else fewest,
            "entity": str(names[entity]),
        }
        fields: dict[str, Any] = {"entities": int(small.any(axis=1).sum()), **worst, "enough": FEW}
        if of_class:
            fields |= {"label": str(classes[label]), "population": others}
        notes.append(Note("few_cases_of_class" if of_class else "few_cases", fields))
    return notes


def _class_population(
    counts: xr.DataArray, score: Score | None, model_record: ModelRecord
) -> list[Note]:
    """Return a note if an average over classes rests mostly on the prior of rates that a model could learn."""
    has_population = model_record.population or model_record.model is None
    # Two classes do not show how classes differ.
    if score is None or not is_average(score) or has_population or counts.sizes["actual"] < 3:
        return []
    cases = effective_cases(with_averaged_classes(counts), "entity", "actual")
    number = ((cases[cases.sum(axis=1) > 0] < FEW).mean(-1) >= 0.5).sum()
    if not number:
        return []
    shifted = Note(
        "prior_shifts_average", {"entities": int(number), "score": score.display, "enough": FEW}
    )
    return [shifted, Note("model_that_learns_classes", {"model": "hierarchical_classes"})]
