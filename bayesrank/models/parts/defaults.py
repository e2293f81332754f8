"""The default model of each kind of evidence, registered by its type."""

from collections.abc import Callable, Collection
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.errors import ArgumentError
from bayesrank._core.records import EvidenceRecord
from bayesrank.evidence.groups import has_groups
from bayesrank.evidence.kinds.given import (
    GivenCases,
    GivenEvidence,
    GivenFolds,
    GivenJudged,
    GivenMeans,
    GivenProbabilities,
    GivenSeeds,
    GivenTables,
    GivenVotes,
    parse_given,
)
from bayesrank.evidence.weighting import WEIGHTED

#: The default model of groups: independent ones make the gap too wide, and the worst group too bad.
GROUPED = "hierarchical_beta_binomial"
#: The default models of several entities, and of one, on several data sets; the fewest data sets,
#: and the most tables (a minute's sampling at worst).
CROSSED, BIVARIATE, FEWEST_DATASETS, MOST_TABLES = (
    "crossed_logit_normal",
    "hierarchical_logit_normal",
    3,
    600,
)
#: The default model of three or more classes, and the number of cases of each class from which it
#: is not needed: there the models agree (docs/measured/thin_classes.md).
OF_CLASSES, ENOUGH_OF_CLASS = "hierarchical_classes", 200

#: Returns the default model of evidence, or its name, given whether one model may learn from all
#: data sets or groups, and the names of the options that the user gave.
Default = Callable[[Any, bool, Collection[str]], Any]


def default_of_tables(tables: GivenTables, together: bool, options: Collection[str]) -> str:
    """Return the model of counts: one that learns from data sets, groups or classes, or none of these."""
    by_strata = _of_strata(tables.held, together)
    learns = not {"prior", "split_prior"} & set(options) and has_thin_classes(tables.held)
    return by_strata or (OF_CLASSES if learns else "dirichlet_multinomial")


def default_of_cases(cases: GivenCases, together: bool, options: Collection[str]) -> str:
    """Return the model of joint outcomes: one that learns from data sets or groups, else of pairs."""
    return _of_strata(cases.held, together) or "paired"


def default_of_judged(judged: GivenJudged, together: bool, options: Collection[str]) -> str:
    """Return the model of cases whose truth is known in part, or not at all."""
    return "latent_class" if judged.without_truth else "partial_truth"


def always(model: Any) -> Default:
    """Return the rule by which this model, or its name, is the default of all evidence of a kind."""
    return lambda given, together, options: model


_DEFAULTS: dict[type[GivenEvidence], Default] = {
    GivenTables: default_of_tables,
    GivenCases: default_of_cases,
    GivenJudged: default_of_judged,
    GivenSeeds: always("retrained"),
    GivenVotes: always("davidson"),
    GivenMeans: always("normal_means"),
    GivenFolds: always("correlated_folds"),
    GivenProbabilities: always("bayesian_bootstrap"),
}


def register_default(kind: type[GivenEvidence], choose: Default) -> None:
    """Set the rule by which the default model of a kind of evidence is chosen."""
    _DEFAULTS[kind] = choose


def chosen_by_evidence(evidence: Any, together: bool = True, options: Collection[str] = ()) -> Any:
    """Return the default model of evidence, or its name.

    ``together`` is False if each data set has an analysis of its own. ``options`` are the names of
    given options: a prior of cells means the model of cells, and ``split_prior`` that each data set
    has an analysis of its own.
    """
    parsed = parse_given(evidence)
    choose = _DEFAULTS.get(type(parsed))
    if choose is None:
        raise ArgumentError(
            "model", f"must be given for {parsed.noun}, which have no default model", "none"
        )
    return choose(parsed, together and "split_prior" not in options, options)


def _of_strata(evidence: Any, together: bool) -> str:
    """Return the model that learns from all data sets or groups together; empty if none does."""
    if not together:
        return ""
    if isinstance(evidence, xr.DataArray | xr.Dataset) and has_groups(evidence):
        several = _are_binary(evidence) and evidence["group"].to_index().nunique() > 1
        return GROUPED if several else ""
    if not _are_many_datasets(evidence):
        return ""
    return CROSSED if evidence.sizes["entity"] > 1 else BIVARIATE


def has_thin_classes(evidence: Any) -> bool:
    """Return whether whole counts of three or more classes have few cases of a class."""
    if (
        not isinstance(evidence, xr.DataArray)
        or "predicted" not in evidence.dims
        or WEIGHTED in evidence.attrs
    ):
        return False
    classes = evidence.sizes["predicted"]
    cases = (
        evidence.reset_coords(drop=True)
        .sum("predicted")
        .transpose(..., "actual")
        .values.reshape(-1, classes)
    )
    cases = cases[cases.sum(axis=1) > 0]
    return bool(classes > 2 and len(cases) and cases.min() < ENOUGH_OF_CLASS)


def _are_many_datasets(evidence: Any) -> bool:
    """Return whether one model learns from all data sets: enough of them, and not too many tables."""
    if "dataset" not in getattr(evidence, "coords", ()):
        return False
    size = np.unique(evidence["dataset"].values.astype(str)).size
    if size < FEWEST_DATASETS or evidence.sizes["entity"] * size > MOST_TABLES:
        return False
    return _are_binary(evidence)


def _are_binary(evidence: Any) -> bool:
    """Return whether evidence is whole cases of two classes or outcomes, without clusters."""
    if WEIGHTED in evidence.attrs:
        return False
    if isinstance(evidence, xr.DataArray):
        return evidence.shape[-1] == 2
    if "cluster" in evidence.coords or EvidenceRecord.of(evidence).range is not None:
        return False
    if "label" in evidence.coords:
        return evidence.sizes["label"] == 2
    outcomes = evidence["outcome"].values
    return bool(np.isin(outcomes[~np.isnan(outcomes)], [0, 1]).all())
