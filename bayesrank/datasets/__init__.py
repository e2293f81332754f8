"""Example data sets, each with its provenance, licence and caveats."""

import tomllib
from collections.abc import Callable
from functools import cache
from importlib import resources
from typing import Any, Literal

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_choice
from bayesrank._core.errors import ArgumentError, ArgumentKeyError
from bayesrank.evidence.judged import from_judged
from bayesrank.evidence.outcomes import from_outcomes
from bayesrank.evidence.predictions import from_predictions, joint_outcomes
from bayesrank.evidence.probabilities import from_probabilities
from bayesrank.evidence.votes import from_votes
from bayesrank.io.tables.frames import from_frame

__all__ = ["describe", "load", "load_cases", "load_joint", "names"]


DATA = resources.files("bayesrank.datasets").joinpath("data")
#: Number of images in each test set of imagenet_models.
IMAGES = {
    "imagenet": 50_000,
    "real": 46_837,
    "v2": 10_000,
    "sketch": 50_889,
    "a": 7_500,
    "r": 30_000,
}
#: Data sets with single cases.
CASES = (
    *("utah_trees", "breast_cancer", "langchain_tool_use"),
    *("trajectory_judges", "hepatic_scans", "puddings", "arena_battles"),
    *("tuberculosis_tests", "myocardial_indicators", "dentists", "agent_runs"),
)
#: Data sets whose single cases have a true label and decision values, and their positive class.
DECISION_VALUES = {"roc_asah": ("outcome", "Poor"), "roc_hanley_mcneil": ("image", "abnormal")}


@check_call
def names() -> list[str]:
    """Return the names of the example data sets.

    Examples
    --------
    >>> names()[0]
    'antibody_tests'
    """
    return list(_index())


@check_call
def describe(name: str) -> dict[str, str]:
    """Describe a data set: title, noun of its entities, description, question, licence, citation, caveats, model, file.

    Raises KeyError if the name is unknown.

    Examples
    --------
    >>> describe("tornado")["licence"]
    'public domain'
    """
    return {"name": name, **_find(name)}


@check_call
def load(name: str) -> xr.DataArray | xr.Dataset:
    """Load the counts of a data set.

    The result is integer ``counts`` (entity, [dataset or group], actual, predicted). For
    ``imagenet_models`` and ``face_classifiers`` the dim ``outcome`` replaces ``actual`` and
    ``predicted``. ``puddings`` and ``arena_battles`` (of people) are votes, as from
    :func:`bayesrank.from_votes`; ``trajectory_judges`` and ``hepatic_scans`` are cases with
    verdicts and a truth; ``tuberculosis_tests``, ``myocardial_indicators`` and ``dentists`` are
    cases without a truth; ``agent_runs`` has several runs of each case, right or wrong; ``roc_asah``
    and ``roc_hanley_mcneil`` are decision values, as from :func:`bayesrank.from_probabilities`.
    Raises KeyError if the name is unknown.

    Examples
    --------
    >>> load("antibody_tests").sizes["entity"]
    108
    """
    _find(name)
    return _with_noun(name, _load(name))


def _load(name: str) -> Any:
    if name in _JOINT:
        return _JOINT[name](_read(name))
    if name in DECISION_VALUES:
        truth, positive = DECISION_VALUES[name]
        cases = load_cases(name)
        return from_probabilities(cases[truth], cases.drop(columns=truth), positive=positive)
    if name in _LABELS:
        return from_predictions(**_LABELS[name](_read(name)))
    return _COUNTS.get(name, from_frame)(_read(name))


def _with_noun(name: str, evidence: Any) -> Any:
    """Return evidence that says what its entities are called."""
    return evidence.assign_attrs(noun=_index()[name]["noun"])


@check_call
def load_cases(name: str) -> pd.DataFrame:
    """Load the single cases of a data set as a table with a row for each case or run, or for ``count`` equal cases.

    The names are ``utah_trees``, ``breast_cancer``, ``langchain_tool_use``, ``trajectory_judges``,
    ``hepatic_scans``, ``puddings``, ``arena_battles``, ``tuberculosis_tests``,
    ``myocardial_indicators``, ``dentists``, ``agent_runs``, ``roc_asah`` and ``roc_hanley_mcneil``.
    Raises KeyError if the name is unknown, ValueError if the data set has counts only.

    Examples
    --------
    >>> len(load_cases("breast_cancer"))
    569
    """
    _find(name)
    if name not in (*CASES, *DECISION_VALUES):
        names = (*CASES, *DECISION_VALUES)
        raise ArgumentError(
            "name", f"must be a data set with single cases, one of {names}", f"{name!r}"
        )
    frame = _read(name)
    if name != "roc_hanley_mcneil":
        return frame
    long = frame.melt("rating", var_name="image", value_name="images")
    return long.loc[long.index.repeat(long["images"]), ["image", "rating"]].reset_index(drop=True)


@check_call
def load_joint(name: str) -> xr.Dataset:
    """Load the joint outcomes of the cases of a data set, for the model ``"paired"``.

    Names and errors are those of :func:`load_cases`, except ``roc_asah`` and ``roc_hanley_mcneil``.
    The result is that of :func:`bayesrank.joint_outcomes`; for outcomes without classes, it is that
    of :func:`bayesrank.from_outcomes`. For verdicts, votes and runs it is that of :func:`load`. The data
    sets of ``utah_trees`` are its species.

    Examples
    --------
    >>> load_joint("langchain_tool_use")["count"].sum().item()
    20
    """
    _find(name)
    if name in DECISION_VALUES:
        raise ArgumentError(
            "name", f"must be a data set with labels or outcomes, one of {CASES}", f"{name!r}"
        )
    cases = load_cases(name)
    if name in _JOINT:
        return _with_noun(name, _JOINT[name](cases))
    if name == "langchain_tool_use":
        return _with_noun(name, from_outcomes(cases))
    return _with_noun(name, joint_outcomes(**_LABELS[name](cases)))


@cache
def _index() -> dict[str, dict[str, str]]:
    return tomllib.loads((DATA / "index.toml").read_text(encoding="utf-8"))


def _find(name: str) -> dict[str, str]:
    return _index()[check_choice("name", name, names(), ArgumentKeyError)]


def _read(name: str) -> pd.DataFrame:
    path = DATA / _index()[name]["file"]
    packed: Literal["gzip"] | None = "gzip" if path.name.endswith(".gz") else None
    with path.open("rb") as file:
        # A detector is named "null", so only an empty field is a missing value.
        return pd.read_csv(
            file, keep_default_na=False, na_values=[""], encoding="utf-8", compression=packed
        )


def _antibody_tests(frame: pd.DataFrame) -> Any:
    repeated = frame["entity"].duplicated(keep=False)
    frame["entity"] = frame["entity"].where(
        ~repeated, frame["entity"] + " (" + frame["test_id"] + ")"
    )
    record = {
        c: ("entity", frame[c].to_numpy(dtype=object))
        for c in ("test_id", "panel", "status", "antibody")
    }
    # Each panel is one set of samples.
    return from_frame(frame).assign_coords(record | {"test_set": record["panel"]})


def _anomaly_detectors(frame: pd.DataFrame) -> Any:
    counts = from_frame(frame)
    group = frame.drop_duplicates("dataset").set_index("dataset")["group"]
    return counts.assign_coords(
        group=("dataset", group[counts["dataset"].values].to_numpy(dtype=object))
    )


def _utah_trees(cases: pd.DataFrame) -> dict[str, Any]:
    observed = np.where(cases["observed"] == 1, "present", "absent")
    predicted = {
        model: np.where(cases[model] > 0.5, "present", "absent") for model in ("gam", "see5", "sgb")
    }
    labels = ["absent", "present"]
    return {
        "y_true": observed,
        "predictions": predicted,
        "labels": labels,
        "dataset": cases["species"],
    }


def _breast_cancer(cases: pd.DataFrame) -> dict[str, Any]:
    classifiers = [column for column in cases.columns if f"prob_{column}" in cases.columns]
    return {
        "y_true": cases["y_true"],
        "predictions": cases[classifiers],
        "labels": ["benign", "malignant"],
    }


def _small_studies(frame: pd.DataFrame) -> Any:
    # Studies of one paper with equal class sizes share their cases.
    same = [frame["doi"], frame["tn"] + frame["fp"], frame["fn"] + frame["tp"]]
    test_set = frame["study"].groupby(same).transform(" and ".join)
    return from_frame(frame, entity="study").assign_coords(
        test_set=("entity", test_set.to_numpy(dtype=object))
    )


def _langchain_tool_use(right: pd.DataFrame) -> Any:
    """Return counts of right and wrong answers, as predictions of cases that are all positive."""
    answers = {model: np.where(right[model] == 1, "right", "wrong") for model in right.columns}
    return from_predictions(["right"] * len(right), answers, labels=["wrong", "right"])


def _compas(frame: pd.DataFrame) -> Any:
    named = frame.rename(columns={"two_year_recid": "actual", "high": "predicted"}).assign(
        entity="COMPAS"
    )
    return from_frame(named, group="race")


def _face_classifiers(frame: pd.DataFrame) -> Any:
    right = frame["n"] - frame["errors"]
    return from_frame(
        frame[["entity", "group"]].assign(correct=right, wrong=frame["errors"]), group="group"
    )


def _imagenet_models(frame: pd.DataFrame) -> Any:
    tables = [
        pd.DataFrame(
            {"entity": frame["entity"], "dataset": name, "correct": right, "wrong": images - right}
        )
        for name, images in IMAGES.items()
        for right in [frame[f"correct_{name}"]]
    ]
    record = {
        "image_size": ("entity", frame["img_size"]),
        "parameters": ("entity", frame["params_millions"]),
    }
    return from_frame(pd.concat(tables)).assign_coords(record)


#: Arguments of from_predictions and joint_outcomes, where a file has the true and the predicted
#: label of each case.
_LABELS: dict[str, Callable[[pd.DataFrame], dict[str, Any]]] = {
    "utah_trees": _utah_trees,
    "breast_cancer": _breast_cancer,
}


def _verdicts(frame: pd.DataFrame) -> xr.Dataset:
    """Return the verdicts of tests without a gold standard."""
    tests = frame.drop(columns=["population", "count"], errors="ignore")
    return joint_outcomes(None, tests, count=frame["count"], population=frame.get("population"))


#: Evidence of data sets without counts.
_JOINT: dict[str, Callable[[pd.DataFrame], Any]] = {
    "trajectory_judges": lambda cases: from_judged(
        cases,
        judge=[name for name in cases if name not in ("true_type", "truth", "count")],
        truth="truth",
        count="count",
    ),
    "hepatic_scans": lambda cases: joint_outcomes(
        cases["disease"], cases[["scan"]], count=cases["count"]
    ),
    "puddings": lambda votes: from_votes(
        votes, a="model_a", b="model_b", winner="winner", count="count"
    ),
    "arena_battles": lambda votes: from_votes(
        votes, a="model_a", b="model_b", winner="human", count="count"
    ),
    "tuberculosis_tests": _verdicts,
    "myocardial_indicators": _verdicts,
    "dentists": _verdicts,
    "agent_runs": lambda runs: from_frame(
        runs,
        entity="agent",
        case="task",
        run="run",
        cluster="task_family",
        outcome="solved",
        missing="common",
    ),
}
#: How to read the counts of another data set from its file, where it is no table of counts.
_COUNTS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "antibody_tests": _antibody_tests,
    "anomaly_detectors": _anomaly_detectors,
    "mnist_folds": lambda frame: from_frame(
        frame.rename(columns={"true": "actual"}), dataset="fold"
    ),
    "small_studies": _small_studies,
    "langchain_tool_use": _langchain_tool_use,
    "imagenet_models": _imagenet_models,
    "compas": _compas,
    "face_classifiers": _face_classifiers,
}
