"""The evidence in the data of br.analyze: evidence, a table, predictions, or the name of a data set or file."""

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd
import xarray as xr

from bayesrank import datasets
from bayesrank._core.checks import describe_value
from bayesrank._core.compat import is_container
from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.frames import as_pandas
from bayesrank._core.keywords import arguments_of, check_keywords
from bayesrank._core.labels import (
    find_lookalike,
    suggest_file,
)
from bayesrank._core.notes import Note
from bayesrank._core.types import Evidence
from bayesrank.evidence.counts import put_in_class_order
from bayesrank.evidence.predictions import joint_outcomes
from bayesrank.evidence.probabilities import from_probabilities
from bayesrank.io.tables.files import read_evidence
from bayesrank.io.tables.frames import from_frame
from bayesrank.models import (
    takes_cases,
)
from bayesrank.scores import Score


class Given(NamedTuple):
    """What is known of data beside the evidence: their name, usual model, direction and notes."""

    source: str = ""
    usual: str | None = None
    higher_is_better: bool | None = None
    remarks: Sequence[Note | str] = ()
    shipped: bool = False


def evidence_in(
    data: Any, predictions: Any, score: Score | None, roles: dict[str, Any]
) -> tuple[Evidence, Given]:
    """Return the evidence in the data of :func:`analyze`, and what else is known of them."""
    if isinstance(data, Mapping) and any(hasattr(held, "predict") for held in data.values()):
        hint = "bayesrank.integrations.sklearn.compare_estimators(estimators, X, y, 'f1')"
        raise ArgumentTypeError(
            "data", "must be evidence, a table, or true labels", "estimators", hint
        )
    if is_container(data):
        hint = (
            f"br.verdict(br.credible_ranking(posterior, {'f1' if score is None else score.name!r}))"
        )
        raise ArgumentTypeError(
            "data", "must be evidence, a table, or true labels", "a fitted posterior", hint
        )
    if hasattr(data, "columns") and not isinstance(data, pd.DataFrame):
        data = as_pandas("data", data)
    if predictions is not None:
        return _of_predictions(data, predictions, score, roles), Given()
    if isinstance(data, pd.DataFrame):
        check_keywords(roles, arguments_of(from_frame), "br.analyze for a table")
        attrs = data.attrs
        better = (
            attrs.get("higher_is_better")
            if isinstance(attrs.get("higher_is_better"), bool)
            else None
        )
        remarks = [note for name in ("remarks", "doubts") for note in attrs.get(name, ())]
        return from_frame(data, **roles), Given(higher_is_better=better, remarks=remarks)
    if isinstance(data, str | os.PathLike):
        return _of_name(os.fspath(data), roles)
    check_keywords(roles, [], "br.analyze for evidence")
    if not isinstance(data, xr.DataArray | xr.Dataset):
        raise ArgumentTypeError(
            "data",
            "must be evidence, a table, or true labels beside predictions",
            describe_value(data),
        )
    return data, Given()


def _of_predictions(
    y_true: Any, predictions: Any, score: Score | None, roles: dict[str, Any]
) -> Evidence:
    """Return joint outcomes of predicted labels, or predicted probabilities for a score of them."""
    if score is not None and score.space == "cases":
        check_keywords(
            roles, arguments_of(from_probabilities), "br.analyze for predicted probabilities"
        )
        return from_probabilities(y_true, predictions, **roles)
    check_keywords(roles, arguments_of(joint_outcomes), "br.analyze for predictions")
    return joint_outcomes(y_true, predictions, **roles)


def _of_name(name: str, roles: dict[str, Any]) -> tuple[Evidence, Given]:
    """Return the evidence of a shipped data set, or of a file with a table, as the command reads it."""
    if name in datasets.names():
        check_keywords(roles, ["positive"], "br.analyze for a shipped data set")
        evidence, record = shipped_data(name, None, roles.get("positive"))
        return evidence, Given(name, record["model"], shipped=True)
    if not os.path.isfile(name):
        raise ArgumentError(
            "data",
            "must be the name of a file or one of br.datasets.names()",
            f"{name!r}",
            _nearest_name(name),
        )
    check_keywords(roles, arguments_of(from_frame), "br.analyze for a table")
    return read_evidence(name, **roles), Given(os.path.basename(name))


def _nearest_name(name: str) -> str:
    """Return a hint at the shipped data set, or the file of the same folder, whose name is nearest."""
    near = find_lookalike(name, datasets.names()) or suggest_file(name)
    return near or "br.read takes folders of evaluation logs"


def shipped_data(name: str, model: str | None, positive: Any) -> tuple[Evidence, dict[str, str]]:
    """Return a shipped data set in the form that the model takes, or its usual model, and its description."""
    record = datasets.describe(name)
    cases = takes_cases(model or record["model"]) and name in datasets.CASES
    evidence = datasets.load_joint(name) if cases else datasets.load(name)
    if positive is None:
        return evidence, record
    if not {"actual", "label"} & set(evidence.coords):
        raise ArgumentError(
            "positive", "cannot be used for outcomes, which have no classes", f"{positive!r}"
        )
    return put_in_class_order(evidence, positive), record
