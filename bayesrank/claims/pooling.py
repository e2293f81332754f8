"""Effects hidden by pooling data sets: reversed orders, and differences between data sets."""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.notes import Note
from bayesrank.evidence.homogeneity import holm
from bayesrank.evidence.pooled import MEAN, RECALL, SHARE
from bayesrank.models import model_for_datasets
from bayesrank.scores import Score, as_score

#: Relative difference of values due to rounding: cells are whole numbers, so equal values agree to
#: the last digits.
CLOSE = 32 * np.finfo(float).eps


def pooling_notes(parts: xr.DataArray, score: Any) -> list[Note]:
    """Return a note on Simpson's paradox: pairs that all data sets rank one way and their pool the other way.

    ``parts`` are the counts (entity, dataset, ...) that were summed. Charig et al. (1986), British
    Medical Journal 292:879-882, is the classic example: two treatments of kidney stones.
    """
    score = as_score(score)
    by_dataset, pooled = score(parts).transpose("entity", "dataset"), score(parts.sum("dataset"))
    direction = -1 if score.higher_is_better is False else 1
    size = by_dataset.sizes["entity"]
    always, times = np.ones((size, size), bool), np.zeros((size, size), int)
    for values in direction * by_dataset.values.T:
        above = _above(values)
        defined = np.isfinite(values)[:, None] & np.isfinite(values)
        always &= above | ~defined
        times += defined
    pairs = np.argwhere(always & (times > 1) & _above(direction * pooled.values).T)
    if not len(pairs):
        return []
    names = by_dataset["entity"].values
    named = [[str(names[i]), str(names[j])] for i, j in pairs]
    return [Note("order_reversed_by_pool", {"score": score.name, "pairs": named})]


def _above(values: np.ndarray) -> np.ndarray:
    """Return whether the value of the row is above that of the column, by more than rounding; False if undefined."""
    difference = values[:, None] - values
    return difference > CLOSE * np.maximum(1.0, np.maximum(np.abs(values)[:, None], np.abs(values)))


def differing_datasets(
    record: Mapping[str, Any] | None,
    score: Score | None,
    entities: Sequence[Any] | None = None,
    prevalence_matters: bool = True,
) -> list[Note]:
    """Return the caveat that pooled data sets differ, if they do for any entity; p-values are adjusted by Holm.

    Only relevant parts are tested: recalls of classes, class shares (if the score depends on the
    prevalence and it is learned or observed: ``prevalence_matters``), or the mean outcome.
    ``record`` is that of :func:`bayesrank.pool`.
    """
    if record is None or len(record["datasets"]) < 2:
        return []
    labels = [label for what, label, _ in record["p"] if what == RECALL]

    def matters(what: str, label: str) -> bool:
        if what == MEAN or score is None:
            return True
        if what == SHARE:
            return score.depends_on_prevalence and prevalence_matters
        return _depends_on(score, labels.index(label), len(labels))

    parts = [(what, label, p) for what, label, p in record["p"] if matters(what, label)]
    names = record["entities"]
    chosen = _positions_of(entities, names)
    if not parts or not chosen:
        return []
    tested = np.array([[np.nan if x is None else x for x in each] for *_, each in parts], float)
    p = holm(tested[:, chosen])
    p = np.where(np.isnan(p), 1.0, p)
    differ = [
        str(names[i]) for i, smallest in zip(chosen, p.min(axis=0), strict=True) if smallest < 0.05
    ]
    if not differ:
        return []
    # Ties of p-values are broken by name, so that the input order does not matter.
    where = sorted(
        (x, str(names[i]), k) for k, row in enumerate(p) for i, x in zip(chosen, row, strict=True)
    )
    smallest, first, k = where[0]
    part_name, label = parts[k][:2]
    model = None
    # Hierarchical models have no clusters and few outcomes.
    if not record["clusters"] and record["outcomes"] <= 20:
        model = model_for_datasets(record["outcomes"], len(names))
    sizes = {"datasets": len(record["datasets"]), "different": len(differ), "entities": len(chosen)}
    most = {"entity": first, "part": part_name, "label": label, "p": smallest}
    return [Note("pooled_datasets_differ", {**sizes, **most, "model": model})]


def _positions_of(entities: Sequence[Any] | None, names: Sequence[Any]) -> list[int]:
    """Return the positions of entities among the names of a record, all of them by default."""
    if entities is None:
        return list(range(len(names)))
    to_text = partial(json.dumps, default=str)  # as in the record, where 1 and "1" differ
    requested = {to_text(name) for name in entities}
    return [i for i, name in enumerate(names) if to_text(name) in requested]


def _depends_on(score: Score, row: int, size: int) -> bool:
    """Return whether the score changes with the answers to the cases of one class."""
    table = np.ones((size, size)) + np.diag(np.arange(size) + 2.0)
    changed = table.copy()
    changed[row] = np.roll(table[row], 1)
    tables = xr.DataArray(
        np.stack([table, changed]) / table.sum(),
        {"actual": range(size), "predicted": range(size)},
        ("entity", "actual", "predicted"),
    )
    try:
        before, after = score(tables).values.tolist()
    except (TypeError, ValueError, KeyError):  # a score with fixed labels
        return True
    return not np.isclose(before, after, rtol=1e-9, atol=0)
