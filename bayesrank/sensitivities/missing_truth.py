"""Sensitivity to assumptions on a truth that is known in part: the verdicts, and the choice of labelled cases."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.notes import Note
from bayesrank._core.random import Block, root_sequence
from bayesrank.evidence.counts import mark_positive
from bayesrank.evidence.judged import outcome_of_verdicts
from bayesrank.models.partial_truth import PartialTruth, TruthStrata
from bayesrank.scores import Score

#: Largest factor of odds that is tried, steps of its logarithm, and draws whose mean is the
#: estimate.
LARGEST, STEPS, DRAWS = 1000.0, 121, 1000


def evidence_with_other_truths(evidence: xr.Dataset) -> dict[str, xr.Dataset]:
    """Return joint outcomes by name: each judge's verdicts as the truth, and the cases with a known truth alone."""
    retained = evidence.drop_attrs()
    if "verdict" not in evidence:
        labelled = np.array(
            [label is not None and label == label for label in evidence["actual"].values.tolist()]
        )
        return {"cases with a known truth alone": retained.isel(pattern=labelled)}
    alternatives = {}
    for i, judge in enumerate(evidence["judge"].values.tolist()):
        outcome = outcome_of_verdicts(evidence).isel(judge=i, drop=True)
        if outcome.notnull().any("pattern").all():
            alternatives[f"verdicts of {judge} as the truth"] = outcome
    alternatives["cases with a known truth alone"] = evidence["truth"]
    coords = {
        name: retained[name] for name in ("entity", "cluster", "dataset") if name in retained.coords
    }
    return {
        name: xr.Dataset({"outcome": outcome, "count": retained["count"]}, coords).isel(
            pattern=outcome.notnull().any("entity").values
        )
        for name, outcome in alternatives.items()
    }


def tipping_odds(model: PartialTruth, score: Score, leader: int, better: bool) -> np.ndarray:
    """Return the factor of odds at which each entity comes before the leader (entity); NaN where none up to 1,000 does.

    In each stratum the odds of the unlabelled cases are those of the labelled ones divided by the
    factor. For judged outcomes they are the odds that the leader is right (wrong, if low outcomes
    are better), for labels of two classes the odds of the last class, with a factor below 1 where
    labelled cases must have it less often.
    """
    size = len(model.names)
    if len(model.parts) > 1 or len(model.classes) > 2:
        return np.full(size, np.nan)
    [part] = model.parts
    block = Block(0, 0, DRAWS, (1, DRAWS))
    joint = part.draw("posterior", block, root_sequence(1), "0").mean(
        axis=0
    )  # (system, stratum, class)
    log_odds = np.linspace(0, np.log(LARGEST), STEPS)
    if model.judged:
        back = int(np.flatnonzero(model.order == leader)[0])
        means = joint[..., 1].sum(axis=1)[np.argsort(model.order)]
        moved = _move(part, joint, back, log_odds if better else -log_odds)[..., 1].sum(axis=1)
        gap = (moved[:, None] - means) * (1 if better else -1)
        crossings = [_crossing(log_odds, gap)]
    else:
        crossings = []
        for sign in (1, -1):
            tables = model._tables(_move(part, joint, 0, sign * log_odds))
            coords = {
                name: held
                for name, held in model.coords().items()
                if name in ("entity", "actual", "predicted")
            }
            performance = xr.DataArray(
                tables, coords, ("draw", "entity", "actual", "predicted"), "performance"
            )
            positive = model.joint["positive"].item() if "positive" in model.joint.coords else None
            values = score(mark_positive(performance, positive)).transpose("draw", "entity").values
            gap = (values[:, [leader]] - values) * (1 if better else -1)
            crossings.append(sign * _crossing(log_odds, gap))
    nearest = np.array(crossings)
    order = np.argsort(np.abs(np.where(np.isnan(nearest), np.inf, nearest)), axis=0)[:1]
    result = np.exp(np.take_along_axis(nearest, order, 0)[0])
    result[leader] = np.nan
    return result


def note_on_missing(model: PartialTruth, names: list[str], odds: np.ndarray, leader: int) -> Note:
    """Return which entity comes before the leader at the smallest departure from cases labelled at random."""
    defined = ~np.isnan(odds)
    first = int(np.argmin(np.where(defined, np.abs(np.log(np.where(defined, odds, 1.0))), np.inf)))
    fields: dict[str, Any] = {
        "leader": names[leader],
        "rival": names[first] if defined.any() else "",
    }
    fields |= {"odds": float(odds[first]) if defined.any() else None, "most": LARGEST}
    return Note(
        "truth_missing_not_at_random",
        fields | {"positive": "" if model.judged else str(model.classes[-1])},
    )


def _move(part: TruthStrata, joint: np.ndarray, system: int, log_odds: np.ndarray) -> np.ndarray:
    """Return the joint probabilities (factor, stratum, class) of one system if odds of unlabelled cases are divided."""
    cases, labels = part.cases[system], part.labels[system]
    mass = np.nan_to_num(joint[system]).sum(axis=1)
    rate = np.divide(joint[system, :, 1], mass, out=np.full(len(mass), 0.5), where=mass > 0)
    with np.errstate(divide="ignore"):
        shifted = 1 / (1 + np.exp(log_odds[:, None] - np.log(rate / (1 - rate))))
    share = labels / np.maximum(cases, 1)
    mean = share * rate + (1 - share) * shifted
    return np.stack([mass * (1 - mean), mass * mean], axis=-1)


def _crossing(log_odds: np.ndarray, gap: np.ndarray) -> np.ndarray:
    """Return where each column of the gap first falls below 0, by linear interpolation; NaN where it never does."""
    below = gap < 0
    result = np.full(gap.shape[1], np.nan)
    for k in np.flatnonzero(below.any(axis=0)):
        i = int(below[:, k].argmax())
        if i:
            before, after = gap[i - 1, k], gap[i, k]
            result[k] = log_odds[i - 1] + (log_odds[i] - log_odds[i - 1]) * before / (
                before - after
            )
    return result
