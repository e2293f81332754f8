"""What evidence is, as users hold it before a model is fitted: one frozen type for each kind, which is parsed once."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd
import xarray as xr

from bayesrank._core.notes import Note

#: Variables of outcomes that are numbers.
OUTCOMES = {"outcome", "mean_outcome", "fold_score", "verdict"}
#: Options that only votes have, and why others lack them.
OF_VOTES = dict.fromkeys(("scale", "anchor"), "for evidence other than votes")
NO_CLASSES = "which have no classes"


@dataclass(frozen=True, eq=False)
class GivenEvidence(ABC):
    """Evidence before a model is fitted: what it is called, and what an analysis of it takes."""

    #: What sentences call this kind of evidence.
    noun: ClassVar[str]
    #: What its models take: "counts", "cases", "means", "votes", "folds" or "probabilities".
    form: ClassVar[str]
    #: Whether it holds neither counts nor the outcomes of cases, so that one model takes it, with
    #: one prior.
    summary: ClassVar[bool] = False
    #: Whether the truth is known for some cases only.
    truth_in_part: ClassVar[bool] = False
    #: Whether the draws of a model are of named scores, as of areas and losses.
    draws_scores: ClassVar[bool] = False
    #: Whether covariates are part of the evidence, so that the model needs no option for them.
    holds_covariates: ClassVar[bool] = False
    #: Whether each category of cases can be ranked.
    by_category: ClassVar[bool] = True
    #: Whether a heading may name data sets.
    names_datasets: ClassVar[bool] = True
    held: Any  #: As the user holds it.

    @classmethod
    @abstractmethod
    def recognise(cls, evidence: Any) -> bool:
        """Return whether evidence is of this kind."""

    @property
    @abstractmethod
    def space(self) -> Mapping[Any, int]:
        """Return the number of classes by "actual", or of values by what they are of."""

    @property
    def refused(self) -> Mapping[str, str]:
        """Return the options that this evidence does not take, and why not."""
        return OF_VOTES

    def never_pooled(self, datasets: int) -> Note | None:
        """Return the note on several data sets if they are never pooled."""
        return None

    @property
    def of_cases(self) -> bool:
        """Return whether it holds the answers to each case."""
        return self.form == "cases"


class GivenTables(GivenEvidence):
    """Counts of classes or of outcomes; whatever is no Dataset, which models refuse in words."""

    noun: ClassVar[str] = "counts"
    form: ClassVar[str] = "counts"

    @classmethod
    def recognise(cls, evidence: Any) -> bool:
        """Return True: it is asked last."""
        return True

    @property
    def space(self) -> Mapping[Any, int]:
        """Return the sizes of all dims."""
        return self.held.sizes

    @property
    def refused(self) -> Mapping[str, str]:
        """Return the requests that need classes, if there are no classes."""
        return OF_VOTES | _without_classes("outcomes" if "outcome" in self.space else "")


class GivenCases(GivenEvidence):
    """The answers of all entities to each case."""

    noun: ClassVar[str] = "joint outcomes"
    form: ClassVar[str] = "cases"

    @classmethod
    def recognise(cls, evidence: Any) -> bool:
        """Return whether it is a Dataset; other kinds are asked before."""
        return isinstance(evidence, xr.Dataset)

    @property
    def space(self) -> Mapping[Any, int]:
        """Return the number of classes, or that there are outcomes, perhaps of several runs."""
        if OUTCOMES & set(self.held.data_vars):
            return {"outcome": 2} | ({"runs": 2} if "runs" in self.held else {})
        return {"actual": self.held.sizes["label"]}

    @property
    def refused(self) -> Mapping[str, str]:
        """Return the requests that need classes, if there are no classes."""
        return OF_VOTES | _without_classes("outcomes" if "outcome" in self.space else "")


class GivenSeeds(GivenCases):
    """Outcomes of models that were trained with several seeds."""

    noun: ClassVar[str] = "outcomes of training seeds"

    @classmethod
    def recognise(cls, evidence: Any) -> bool:
        """Return whether there is a mean for each training seed."""
        return _holds(evidence, "seed_mean")


class GivenJudged(GivenCases):
    """Verdicts on all cases, or answers to them, and the truth of some."""

    noun: ClassVar[str] = "truth known in part"
    truth_in_part: ClassVar[bool] = True

    @classmethod
    def recognise(cls, evidence: Any) -> bool:
        """Return whether there are verdicts, or labels of which some are unknown."""
        if not isinstance(evidence, xr.Dataset) or "pattern" not in evidence.dims:
            return False
        return "verdict" in evidence or (
            "actual" in evidence and bool(pd.isna(evidence["actual"].values).any())
        )

    @property
    def without_truth(self) -> bool:
        """Return whether no truth is known at all, or populations of unknown prevalence are named."""
        if "actual" not in self.held:
            return False
        return "population" in self.held.coords or bool(pd.isna(self.held["actual"].values).all())


class GivenVotes(GivenEvidence):
    """Votes between two entities."""

    noun: ClassVar[str] = "votes"
    form: ClassVar[str] = "votes"
    summary: ClassVar[bool] = True
    holds_covariates: ClassVar[bool] = True
    names_datasets: ClassVar[bool] = False

    @classmethod
    def recognise(cls, evidence: Any) -> bool:
        """Return whether there are wins."""
        return _holds(evidence, "wins")

    @property
    def space(self) -> Mapping[Any, int]:
        """Return that values are of votes."""
        return {"votes": 2}

    @property
    def refused(self) -> Mapping[str, str]:
        """Return that there are no classes, and that strengths are those at equal values of covariates."""
        return _without_classes("votes") | {
            "at": "for votes, whose strengths refer to equal values"
        }


class GivenMeans(GivenEvidence):
    """A mean and its standard error for each entity."""

    noun: ClassVar[str] = "means and standard errors"
    form: ClassVar[str] = "means"
    summary: ClassVar[bool] = True

    @classmethod
    def recognise(cls, evidence: Any) -> bool:
        """Return whether there are standard errors."""
        return _holds(evidence, "standard_error")

    @property
    def space(self) -> Mapping[Any, int]:
        """Return that values are outcomes."""
        return {"outcome": 2}

    @property
    def refused(self) -> Mapping[str, str]:
        """Return that there are no classes and no prior."""
        prior = {"prior": "for means and standard errors, whose prior is flat"}
        return OF_VOTES | _without_classes("outcomes") | prior


class GivenFolds(GivenEvidence):
    """Scores of the folds of cross-validation."""

    noun: ClassVar[str] = "scores of folds"
    form: ClassVar[str] = "folds"
    summary: ClassVar[bool] = True
    by_category: ClassVar[bool] = False

    @classmethod
    def recognise(cls, evidence: Any) -> bool:
        """Return whether there are scores of folds."""
        return _holds(evidence, "fold_score")

    def never_pooled(self, datasets: int) -> Note:
        """Return that the model learns from the data sets."""
        return Note("datasets_learned", {"datasets": datasets})

    @property
    def space(self) -> Mapping[Any, int]:
        """Return that values are outcomes."""
        return {"outcome": 2}

    @property
    def refused(self) -> Mapping[str, str]:
        """Return that there are no classes."""
        return OF_VOTES | _without_classes("outcomes")


class GivenProbabilities(GivenEvidence):
    """Predicted probabilities of cases, or other scores of them."""

    noun: ClassVar[str] = "predicted probabilities"
    form: ClassVar[str] = "probabilities"
    summary: ClassVar[bool] = True
    draws_scores: ClassVar[bool] = True
    by_category: ClassVar[bool] = False

    @classmethod
    def recognise(cls, evidence: Any) -> bool:
        """Return whether there are probabilities, and not joint outcomes beside them."""
        return _holds(evidence, "probability") and "pattern" not in evidence.dims

    def never_pooled(self, datasets: int) -> Note:
        """Return that data sets are averaged."""
        return Note("datasets_averaged", {"datasets": datasets})

    @property
    def space(self) -> Mapping[Any, int]:
        """Return that values are of cases."""
        return {"cases": 2}

    @property
    def refused(self) -> Mapping[str, str]:
        """Return that there is neither a prior of cells nor one of the prevalence."""
        return OF_VOTES | dict.fromkeys(("prior", "prevalence"), "for predicted probabilities")


#: Each is asked in turn.
_GIVEN: list[type[GivenEvidence]] = [
    *(GivenVotes, GivenProbabilities, GivenMeans, GivenFolds, GivenJudged, GivenSeeds, GivenCases),
    GivenTables,
]


def register_given(kind: type[GivenEvidence]) -> type[GivenEvidence]:
    """Add a type of evidence that users hold, which is asked before all others; a class decorator."""
    _GIVEN.insert(0, kind)
    return kind


def parse_given(evidence: Any) -> GivenEvidence:
    """Return the evidence that a user holds, of its type."""
    return next(kind(evidence) for kind in _GIVEN if kind.recognise(evidence))


def natural_score_of(names: Collection[Any]) -> str | None:
    """Return the name of the default score of what has these dims and variables; None without one."""
    if {"strength", "win_probability"} <= {*names} or {"wins", "ties"} <= {*names}:
        return "strength"
    return "mean_outcome" if OUTCOMES & {*names} else None


def _holds(evidence: Any, variable: str) -> bool:
    return isinstance(evidence, xr.Dataset) and variable in evidence


def _without_classes(what: str) -> dict[str, str]:
    """Return that a prevalence is refused for what has no classes; nothing for classes."""
    return {"prevalence": f"for {what}, {NO_CLASSES}"} if what else {}
