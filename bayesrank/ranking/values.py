"""The values to rank, over ``entity``, and their score, which alone decides the direction.

Name and attrs of values never do, as xarray keeps or drops them in arithmetic; if they contradict
it, an error says so.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from bayesrank._core.checks import check_bool, check_choice
from bayesrank._core.compat import get_variable
from bayesrank._core.draws import DRAW_DIMS
from bayesrank._core.errors import Advice, ArgumentError, ArgumentTypeError, Typed
from bayesrank._core.labels import suggest_entity
from bayesrank._core.notes import Note
from bayesrank._core.records import ModelRecord, ResultRecord
from bayesrank._core.source import Source, parse_source
from bayesrank._core.types import Container, ScoreLike
from bayesrank.evidence.kinds import parse_evidence
from bayesrank.evidence.kinds.given import natural_score_of
from bayesrank.performance.arrays import (
    KINDS,
    OUTCOME_DIMS,
    counts_or_performance,
    outcome_dims,
    posterior_of,
)
from bayesrank.scores import as_score
from bayesrank.scores.display import display_name
from bayesrank.scores.names import find, get
from bayesrank.scores.score import Score, values_of, with_attempts

#: Spaces of scores that a posterior may hold as a variable of that name.
OF_VARIABLES = ("outcomes", "votes", "cases")
#: The version of the variables of a ranking: 2 since possible ranks hold for all entities at once.
SCHEMA = 3
DIRECTION = {True: "higher is better", False: "lower is better", None: "none"}


class RankingOptions(NamedTuple):
    """Options of a ranking, as in :func:`bayesrank.credible_ranking`."""

    prob: float
    rope: float
    joint: bool = True
    order: str = "consensus"


@dataclass(frozen=True)
class ScoreValues:
    """Values (..., entity) of a score, its name and direction, and the score if it is known."""

    values: xr.DataArray
    name: str
    higher_is_better: bool
    score: Score | None = None
    #: The posterior variable with the values, and its range if known.
    variable: str | None = None
    ends: tuple[float, float] | None = None
    label: str = ""  #: The display name, if it is not that of the score.
    stretched: bool = (
        True  #: Whether rank sets may use logits of the values, infinite at an end of the range.
    )
    natural: bool = False  #: Whether the score was chosen by default.
    source: Source | None = (
        None  #: The posterior of the values, if it is not that of the cases' outcomes.
    )
    noun: str = ""  #: What the data call an entity.
    in_percent: bool = False  #: Whether the data had their outcomes in percent.

    @property
    def sign(self) -> int:
        return 1 if self.higher_is_better else -1

    @property
    def finite_mean(self) -> bool:
        """Return whether the mean, and with it the regret, is known to be finite."""
        if self.ends is not None:
            return True
        return self.variable is None and self.score is not None and self.score.finite_mean

    def at_an_end(self, observed: np.ndarray) -> np.ndarray:
        """Return which values are at an end of the range, outside of every equal-tailed interval."""
        return np.isclose(observed[:, None], self.range, rtol=1e-9, atol=1e-9).any(axis=1)

    def notes(self) -> list[Note]:
        """Return a note on a score chosen by default."""
        if not self.natural:
            return []
        low, high = self.range if np.isfinite(self.range).all() else (None, None)
        ends = {"low": low, "high": high}
        return [
            Note(
                "default_score",
                {"score": self.display, **ends, "higher_is_better": self.higher_is_better},
            )
        ]

    @property
    def range(self) -> tuple[float, float]:
        """Return both ends of the score, infinite if they are unknown."""
        low, high = self.ends or (self.score.range if self.score else (-np.inf, np.inf))
        return float(low), float(high)

    @property
    def display(self) -> str:
        """Return the display name of the score."""
        return self.label or (self.score.display if self.score else display_name(self.name))

    @property
    def facts(self) -> ResultRecord:
        """Return what a result says of the score."""
        return ResultRecord(
            score=self.name,
            display=self.display,
            higher_is_better=self.higher_is_better,
            range=self.range,
            finite_mean=self.finite_mean,
            depends_on_prevalence=self.score.depends_on_prevalence if self.score else None,
            noun=self.noun,
            in_percent=self.in_percent,
        )


def finite(values: np.ndarray) -> np.ndarray:
    """Return values, NaN allowed; raise if one is infinite."""
    if np.isinf(values).any():
        raise ArgumentError("source", "must have finite or NaN values", "an infinite one")
    return values


def ranking_of(
    result: dict[str, Any], frame: xr.DataArray, joint: bool, error: str, facts: Mapping[str, Any]
) -> xr.Dataset:
    """Return a ranking from its results by name; ``frame`` has the coords of the entities, which are kept.

    ``error`` describes the kind of errors.
    """
    names, variables = frame["entity"].values, {}
    for name, value in result.items():
        dims = ("entity", "rank" if name.startswith("rank_probability") else "rival")
        variables[name] = (dims[: np.ndim(value)], value, about_error(name, error))
    coords: dict[str, Any] = {"entity": names} | ({"rival": names} if joint else {})
    coords["rank"] = np.arange(1, len(names) + 1)
    coords |= {
        str(name): coord for name, coord in frame.coords.items() if coord.dims == ("entity",)
    }
    return xr.Dataset(variables, coords, {**facts, "schema": SCHEMA})


def about_error(name: str, error: str) -> dict[str, str]:
    """Return attrs with the kind of error, for a variable of that name."""
    return {"method": error} if name.endswith("_error") else {}


def score_values(
    source: Container, score: ScoreLike | None, higher_is_better: bool | None, kind: str | None
) -> ScoreValues:
    """Return the values to rank, from values with or without a score, a performance with a score, or a variable.

    A source that was parsed keeps the values of each score.
    """
    if higher_is_better is not None:
        check_bool("higher_is_better", higher_is_better)
    source = parse_source(source)
    if (array := source.array) is not None and not outcome_dims(array):
        if kind is not None:
            raise ArgumentError(
                "kind", "must be None for score values, which have no kind", f"{kind!r}"
            )
        return _of_values(array, score, higher_is_better)
    if kind is not None:
        check_choice("kind", kind, KINDS)
    natural = natural_score(source) if score is None else None
    requested = natural or score
    if requested is None and source.array is None and parse_evidence(source).draws_scores:
        variables = ", ".join(map(str, posterior_of(source).data_vars))
        raise ArgumentError(
            "score", "must be given for predicted probabilities", "None", f"one of {variables}"
        )
    if requested is None:
        raise ArgumentError(
            "score",
            "must be given for cases with true and predicted classes",
            "None",
            "pass one, such as 'f1'",
        )
    if not isinstance(requested, str) or not _is_variable(source, requested):
        requested = as_score(requested)
        if requested.one_class:
            requested = requested.for_classes(counts_or_performance(source, kind))
    key = ("values", requested, higher_is_better, kind, natural is not None)

    def compute() -> ScoreValues:
        result = score_values_together(source, [requested], higher_is_better, kind)[0]
        return replace(result, natural=natural is not None)

    return source.once(key, compute)


def _is_variable(source: Source, name: str) -> bool:
    """Return whether a posterior has a variable of that name over entities, of any kind."""
    return source.array is None and any(
        _variable(source, name, kind) is not None for kind in (None, *KINDS)
    )


def natural_score(source: Container) -> Score | None:
    """Return the default score of evidence or a posterior; None if there is none."""
    source = parse_source(source)
    evidence = posterior_of(source) if source.array is None else source.array
    name = natural_score_of({*evidence.dims, *getattr(evidence, "data_vars", ())})
    return None if name is None else get(name)


def score_values_together(
    source: Container, scores: Sequence[Any], higher_is_better: bool | None, kind: str | None
) -> list[ScoreValues]:
    """Return the values of several scores of one source that holds a performance, which is read once."""
    source = parse_source(source)
    pairs = [_with_posterior(source, score) for score in scores]
    variables = [_variable_of(own, score, higher_is_better, kind) for own, score in pairs]
    others = [
        as_score(score) for (_, score), one in zip(pairs, variables, strict=True) if one is None
    ]
    results = []
    for score, values in zip(
        others, values_of(others, source, kind) if others else (), strict=True
    ):
        better = _better(score.name, score.higher_is_better, higher_is_better)
        ends = ResultRecord.of(values).range if score.space == "outcomes" else None
        results.append(ScoreValues(_check(values), score.name, better, score, ends=ends))
    rest = iter(results)
    words = source.words
    every = [
        replace(one or next(rest), noun=words.noun, in_percent=words.in_percent)
        for one in variables
    ]
    return [
        one if own is source else replace(one, source=own)
        for one, (own, _) in zip(every, pairs, strict=True)
    ]


def _with_posterior(source: Source, score: Any) -> tuple[Source, Any]:
    """Return the posterior of a score of runs, and the score there; the source and the score for others."""
    named = isinstance(score, str) and not _is_variable(source, score)
    return with_attempts(source, find(score) or score if named else score)


def _variable_of(
    source: Source, score: Any, higher_is_better: bool | None, kind: str | None
) -> ScoreValues | None:
    """Return the posterior variable of that name, if there is one, unless it only repeats a score of outcomes."""
    name = parsed = None
    if isinstance(score, str):
        name, parsed = score, find(score)
    elif isinstance(score, Score):
        name, parsed = score.name if score.space in OF_VARIABLES else None, score
    if (
        name is None
        or source.array is not None
        or (variable := _variable(source, name, kind)) is None
    ):
        return None
    better = _direction(
        variable, name, parsed.higher_is_better if parsed else True, higher_is_better
    )
    ends = posterior_of(source).attrs.get(f"{name}_range", variable.attrs.get(f"{name}_range"))
    # A score of outcomes has the same values as the variable, for few outcomes or as many as cases.
    own = None if parsed and parsed.space == "outcomes" else name
    return ScoreValues(
        _check(variable), name, better, parsed, own, None if ends is None else tuple(ends)
    )


def bare_values(values: Any, higher_is_better: bool | None) -> tuple[xr.DataArray, int]:
    """Return checked values without a score, and the sign that makes higher better."""
    scored = score_values(_check(values), None, higher_is_better, None)
    return scored.values, scored.sign


def _of_values(values: xr.DataArray, score: Any, higher_is_better: bool | None) -> ScoreValues:
    values = _check(values)
    if score is None:
        better = _direction(values, None, True, higher_is_better)
        return ScoreValues(values, str(values.name or "score"), better)
    parsed, named = as_score(score), find(values.name)
    if higher_is_better is None and named is not None and named.name != parsed.name:
        raise ArgumentError(
            "score",
            f"must be {named.name}, as the values are named",
            parsed.name,
            Advice("rename them, or pass ", Typed("higher_is_better")),
        )
    better = _direction(values, parsed.name, parsed.higher_is_better, higher_is_better)
    return ScoreValues(values, parsed.name, better, parsed)


def _better(name: str | None, known: bool | None, given: bool | None) -> bool:
    if given is None and known is None:
        raise ArgumentError(
            "higher_is_better", f"must be given for {name!r}, which has no direction", "None"
        )
    return bool(known if given is None else given)


def _direction(
    values: xr.DataArray, score: str | None, known: bool | None, given: bool | None
) -> bool:
    """Return whether higher is better; raise if name or attrs of the values contradict it, unless it is given."""
    better = _better(score, known, given)
    expected, named = DIRECTION[better], find(values.name)
    stated = {DIRECTION[named.higher_is_better]} if named else set()
    stated |= {str(values.attrs["direction"])} if "direction" in values.attrs else set()
    for other in sorted(stated - {expected}) if given is None else ():
        reason = (
            "have no direction"
            if other == DIRECTION[None]
            else f"came from a score of which {other}"
        )
        raise ArgumentError(
            "score or higher_is_better",
            f"must be given for values whose name or attrs say that they {reason}",
            f"{score!r} for {str(values.name or 'score')!r}",
        )
    return better


def _check(values: Any) -> xr.DataArray:
    if not isinstance(values, xr.DataArray):
        raise ArgumentTypeError(
            "values", "must be a DataArray of score values", type(values).__name__
        )
    if "entity" not in values.dims:
        raise ArgumentError(
            "source", "must have the dim entity", values.dims, suggest_entity(values.dims)
        )
    if set(values.dims) & {*OUTCOME_DIMS, "outcome"}:
        raise ArgumentError(
            "values", "must be a score's values, not a performance", f"the dims {values.dims}"
        )
    if values.dtype.kind not in "fiub":
        raise ArgumentTypeError("source", "must contain numbers", f"dtype {values.dtype}")
    if "entity" in values.coords:
        repeated = values.sizes["entity"] - len(
            set(values.coords.variables["entity"].values.tolist())
        )
        if repeated:
            raise ArgumentError(
                "source", "must name each entity once", f"{repeated} repeated names"
            )
    return values


def _variable(source: Source, name: str, kind: str | None) -> xr.DataArray | None:
    """Return the posterior variable over entity of that name, None if there is none.

    A model of several data sets may have one for each kind: ``resolved``, ``resolved_typical`` and
    ``resolved_new``.
    """
    posterior = posterior_of(source)
    requested = kind or ModelRecord.of(posterior).kind or "observed"
    for held in (name if requested == "observed" else f"{name}_{requested}", name):
        result = get_variable(posterior, held)
        if result is not None and "entity" in result.dims and not outcome_dims(result):
            if kind is not None and held == name and requested != "observed":
                raise ArgumentError(
                    "kind",
                    f"must be left out, or 'observed': the posterior has no variable '{name}_{requested}'",
                    f"{kind!r}",
                )
            return result
    return None


def one_ranking(dims: Any) -> None:
    """Raise if a source holds several rankings."""
    extra = [str(dim) for dim in dims if dim not in (*DRAW_DIMS, "entity")]
    if extra:
        raise ArgumentError(
            "source", "must be one ranking (select it with .isel)", f"the dims {extra} too"
        )
