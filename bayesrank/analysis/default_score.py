"""The score of an analysis: the one that the user names, checked against the evidence, or the default."""

import numpy as np
import xarray as xr

from bayesrank._core.errors import Advice, ArgumentError, Typed
from bayesrank._core.notes import notes_of
from bayesrank._core.records import EvidenceRecord
from bayesrank._core.types import Evidence
from bayesrank.evidence.kinds.given import parse_given
from bayesrank.ranking.values import natural_score
from bayesrank.scores import Score, as_score
from bayesrank.scores.score import NO_TRUE_NEGATIVES, SCORES


def choose_score(evidence: Evidence, score: Score | None) -> Score:
    """Return a score after a check against the evidence; without one the default.

    Accuracy is the mean of right and wrong answers. The default for classes is informedness, which
    needs no prevalence; accuracy unless both of two classes have cases.
    """
    sizes = parse_given(evidence).space
    natural = natural_score(evidence)
    if score is None and (scale := evidence.attrs.get("scale")):
        score = as_score(scale)
    score = (
        as_score("f1")
        if score is None and natural is None and lacks_true_negatives(evidence)
        else score
    )
    if score is None or (
        score.name == "accuracy" and natural is not None and _are_right_or_wrong(evidence)
    ):
        score = natural
    if score is None and "cases" in sizes:
        candidates = [name for name, one in SCORES.items() if one.space == "cases"]
        requirement = f"must be one of {', '.join(candidates)} for predicted probabilities"
        raise ArgumentError("score", requirement, "none", Advice(Typed("score", candidates[0])))
    if score is None:
        if isinstance(evidence, xr.Dataset):
            classes = len({*evidence["actual"].values.tolist()} - {None})
        else:
            classes = int((evidence.sum([d for d in evidence.dims if d != "actual"]) > 0).sum())
        score = as_score("informedness" if sizes["actual"] == classes == 2 else "accuracy")
    score.check_space(sizes)
    return score


def lacks_true_negatives(evidence: Evidence) -> bool:
    """Return whether evidence is that of detection, which counts no true negatives."""
    return any(
        note.code == NO_TRUE_NEGATIVES for note in notes_of(EvidenceRecord.of(evidence).notes)
    )


def _are_right_or_wrong(evidence: Evidence) -> bool:
    """Return whether all outcomes are 0 or 1, whose mean is the accuracy."""
    if isinstance(evidence, xr.DataArray):
        return "outcome" in evidence.dims and set(evidence["outcome"].values.tolist()) <= {0, 1}
    outcomes = evidence["outcome"].values if "outcome" in evidence else np.array([np.nan])
    return (
        bool(np.isin(outcomes[~np.isnan(outcomes)], [0, 1]).all()) and not np.isnan(outcomes).all()
    )
