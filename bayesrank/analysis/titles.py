"""The title of an analysis and its other sentences: what is ranked by what, over which data sets."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core import prose
from bayesrank._core.labels import (
    has_positive_class,
)
from bayesrank._core.notes import Note, notes_of
from bayesrank._core.percent import score_text, using_words_of
from bayesrank._core.records import RankingRecord
from bayesrank.analysis.default_score import lacks_true_negatives
from bayesrank.analysis.setup import Setup
from bayesrank.models.parts.priors import in_words
from bayesrank.performance.arrays import as_performance, posterior_of
from bayesrank.ranking.facts import get_fact
from bayesrank.ranking.notes import positive_class_notes
from bayesrank.ranking.summary import score_name
from bayesrank.scores import Score
from bayesrank.tile.coarse import coarse_shares
from bayesrank.words.tile import weighting_sentence

#: Codes of notes that the title of a ranking repeats.
JOINED = {
    "datasets_pooled": "pooled over",
    "datasets_averaged": "averaged over",
    "datasets_learned": "fitted to",
}


def title_of(setup: Setup, ranking: xr.Dataset, score: Score, top: int | None = None) -> str:
    """Return what is ranked by what, with the choices that decide how to read it."""
    size, prevalence = ranking.sizes["entity"], setup.options.get("prevalence")
    first = ""
    if top is not None and top < size:
        first = f"the first {top} of " if top > 1 else "the first of "
    words = [
        f"Ranking of {first}{prose.count(size, setup.noun)} by {score_name(ranking)}{_over_words(ranking)}"
    ]
    if prevalence is not None:
        words.append(
            f"prevalence {f'{100 * prevalence:g}%' if isinstance(prevalence, float) else in_words(prevalence, '')}"
        )
    if positive_class_notes(setup.by_dataset, score):
        words += [f"positive class {label}" for label in setup.labels.values()]
    words += [
        _joined_words(note)
        for note in setup.remarks
        if isinstance(note, Note) and note.code in JOINED
    ]
    return "; ".join(words) + "."


def _over_words(ranking: xr.Dataset) -> str:
    """Return what an aggregate is over, such as " over 4 groups"; empty without one."""
    note = next(
        (note for note in notes_of(get_fact(ranking, "notes")) if note.code == "aggregated"), None
    )
    return f" over {prose.count(note.fields['number'], note.fields['unit'])}" if note else ""


def _joined_words(note: Note) -> str:
    """Return how data sets were joined, as the title says it."""
    datasets, total = note.fields["datasets"], note.fields.get("total", note.fields["datasets"])
    of = f" of {total}" if datasets < total else ""
    return f"{JOINED[note.code]} {prose.count(datasets, 'data set')}{of}"


def describe_weighting(setup: Setup, posterior: Any, ranking: xr.Dataset) -> str:
    """Return on which share of the Tile each entity is best, in words; empty if there is no Tile of these entities."""
    group = posterior_of(posterior)
    fits = (
        setup.aim is None and "performance" in group and "outcome" not in group["performance"].dims
    )
    if not fits or ranking.sizes["entity"] < 2 or lacks_true_negatives(setup.evidence):
        return ""
    performance, prob = as_performance(posterior), RankingRecord.of(ranking).prob
    if (
        performance.sizes["actual"] != 2
        or not has_positive_class(performance)
        or "dataset" in performance.dims
    ):
        return ""
    with using_words_of(setup.origin):
        return weighting_sentence(*coarse_shares(performance, prob), prob)


def default_note(setup: Setup, ranking: xr.Dataset, score: Score) -> str:
    """Return the sentence on the default score."""
    low, high = (RankingRecord.of(ranking).range if setup.aim is None else score.range) or (
        -np.inf,
        np.inf,
    )
    reading = (
        f", the mean of outcomes from {score_text(f'{low:g} to {high:g}')}"
        if score.space == "outcomes" and high < np.inf
        else ""
    )
    reading += "; lower is better" * (setup.higher_is_better is False)
    return f"No score was given: the ranking is by {score.display}{reading}."
