"""The evidence behind a ranking: what was observed, and what a reader must know of it first.

Its notes are sentences that verdict, command and report put before the ranking: each says what the evidence cannot
carry, and none is said that does not apply.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import xarray as xr
from scipy.special import ndtri

from bayesrank import _text
from bayesrank._compat import groups_of, import_arviz, is_container
from bayesrank._draws import draw_dims
from bayesrank._nuts import complaint
from bayesrank.counts import are_outcomes, parts_of
from bayesrank.performance import (
    OUTCOME_DIMS,
    as_performance,
    mean_outcome,
    observed_counts,
    outcome_dims,
    shift_prior,
)
from bayesrank.pooling import pooling_notes
from bayesrank.scores import Score
from bayesrank.scores.averages import Average
from bayesrank.scores.score import values_of

__all__ = ["Evidence", "cases_of", "evidence_of", "sampling"]

#: A class with fewer cases leaves its rates to the prior.
FEW = 10
#: So many classes tell how classes differ.
LEARN = 3
NAMED = 3


@dataclass(frozen=True)
class Evidence:
    """What is known of the evidence: all of it may be unknown."""

    #: Observed counts (entity, [dataset], actual, predicted), or (entity, [dataset], outcome), of what is ranked.
    counts: xr.DataArray | None = None
    #: Observed performance (entity, actual, predicted) where it is a mean over data sets, of which ``counts`` are.
    shares: xr.DataArray | None = None
    #: Other observed values of what is ranked, by entity.
    values: xr.DataArray | None = None
    #: The performance that is ranked, where it is a table in memory.
    performance: xr.DataArray | None = None
    #: Attrs of the posterior.
    about: Mapping[Any, Any] | None = None
    #: Sentences on the sampler.
    sampler: tuple[str, ...] = ()
    #: Numbers of cases (entity, [dataset]).
    cases: xr.DataArray | None = None
    #: Which performance of a population of data sets is ranked: typical, new or observed; empty where it is of none.
    kind: str = ""

    def at(self, dim: str, i: int) -> "Evidence":
        """That of one data set, or one item of another dim."""

        def one(array: xr.DataArray | None) -> xr.DataArray | None:
            return array.isel({dim: i}, drop=True) if array is not None and dim in array.dims else array

        return replace(
            self,
            counts=one(self.counts),
            shares=one(self.shares),
            values=one(self.values),
            performance=one(self.performance),
            cases=one(self.cases),
        )

    def size(self, entities: int) -> np.ndarray:
        """How many cases each entity met, in all data sets that there still are; NaN where not known."""
        if self.cases is None:
            return np.full(entities, np.nan)
        return self.cases.sum([d for d in self.cases.dims if d != "entity"]).values.astype(float)

    def observed(self, score: Score | None) -> xr.DataArray | None:
        """The score of what was observed (entity), at the prevalence that is ranked; None where not known."""
        observed = self.counts if self.shares is None else self.shares
        if observed is None or score is None:
            return self.values
        given = (self.about or {}).get("prevalence", "sampled")
        if given in ("sampled", "observed") or not score.depends_on_prevalence:
            return score(observed)
        try:
            return score(shift_prior(observed, float(given)))
        except ValueError:  # draws of it, or of more than two classes
            return None

    def observed_of(self, scores: Sequence[Score]) -> list[xr.DataArray | None]:
        """:meth:`observed` of each of several scores."""
        observed = self.counts if self.shares is None else self.shares
        if observed is None or (self.about or {}).get("prevalence", "sampled") not in ("sampled", "observed"):
            return [self.observed(score) for score in scores]
        return [*values_of(scores, observed)]

    def extreme(self) -> xr.DataArray | None:
        """Entities that were always right or always wrong: their scores lie at an end of what can be observed."""
        observed = self.counts if self.shares is None else self.shares
        if observed is None or are_outcomes(observed):  # whose ends are those of the score
            return None
        table = observed.transpose(..., *OUTCOME_DIMS)
        right = xr.DataArray(np.trace(table.values, axis1=-2, axis2=-1), dims=table.dims[:-2])
        return (right == 0) | (np.abs(right - table.sum(OUTCOME_DIMS).values) < 1e-12)

    def notes(self, score: Score | None) -> list[str]:
        """Sentences on what the evidence cannot carry."""
        about = self.about or {}
        lines = [*self.sampler, *([str(about["note"])] if "note" in about else []), *self._kinds(score)]
        if score is not None and score.depends_on_prevalence and self.about is not None:
            lines += _prevalences(*self._shares(), score) + _designed(score, self.about)
        # By name, so that a sentence names the same few of many whatever the order of input.
        counts = None if self.counts is None else _by_name(self.counts)
        if counts is not None and are_outcomes(counts):
            parts = parts_of(counts)
            lines += pooling_notes(parts, "mean_outcome") if parts is not None else []
            lines += _same_cases(counts) + _few_outcomes(counts)
        elif counts is not None:
            parts = parts_of(counts)
            lines += pooling_notes(parts, score) if parts is not None and score is not None else []
            # A paired model was told how errors overlap.
            lines += [] if about.get("paired") else _same_cases(counts)
            lines += _few_cases(counts, about.get("population")) + _class_population(counts, score, about)
        return lines

    def _kinds(self, score: Score | None) -> list[str]:
        """Which data set is ranked, where a model learned what others would be like."""
        about = self.about or {}
        if self.kind == "new":
            return ["Ranked is one more data set like these, as uncertain as data sets differ."]
        if self.kind != "typical" or "typical" not in about:
            return []
        learned = about.get("prevalence", "") == "sampled" and score is not None and score.depends_on_prevalence
        at = ", at their mean prevalence" if learned else ""
        return [f"Ranked is the typical data set: {about['typical']}{at}."]

    def _shares(self) -> tuple[xr.DataArray | None, np.ndarray | None]:
        """Mean (entity, actual) and variance of class shares: of the cases, or else of the draws of the performance."""
        how = (self.about or {}).get("prevalence", "sampled")
        if self.counts is not None and how in ("sampled", "observed"):
            cases = _cases(self.counts)
            total = cases.values.sum(axis=1, keepdims=True)
            with np.errstate(invalid="ignore"):
                mean = cases.values / total
                return cases.copy(data=mean), mean * (1 - mean) / total * (how == "sampled")
        if self.performance is None:
            return None, None
        share = self.performance.sum("predicted", skipna=False)
        share = share.mean([d for d in share.dims if d not in ("entity", "actual", *draw_dims(share))])
        share = share.transpose(..., "entity", "actual")
        return share.mean(draw_dims(share)), share.var(draw_dims(share)).values


def evidence_of(source: Any, variable: str | None, values: xr.DataArray, kind: str | None) -> Evidence:
    """The evidence behind ``values``, which are a posterior's ``variable`` or a score of its performance.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
    variable : str or None
    values : DataArray
    kind : str or None
        Which performance of the posterior.
    """
    groups = groups_of(source) if is_container(source) else {}
    posterior = source if isinstance(source, xr.Dataset) else groups.get("posterior", xr.Dataset())
    about = None if isinstance(source, xr.DataArray) else posterior.attrs
    wanted = kind or (about or {}).get("kind", "observed")
    many = (about or {}).get("population") == "data sets" and variable in (None, "mean_outcome")
    known = Evidence(
        about=about,
        sampler=tuple(_sampling(groups, values)),
        cases=cases_of(source, values),
        kind=wanted if many else "",
    )
    if variable is not None:
        data = groups.get("observed_data", xr.Dataset())
        seen = data.get(variable)
        counts = observed_counts(source) if variable == "mean_outcome" else None
        if counts is not None and are_outcomes(counts) and _fits(counts, values):
            known = replace(known, counts=counts)
            seen = mean_outcome(counts) if seen is None else seen
        return replace(known, values=None if seen is None else _like(seen, values))
    if isinstance(source, xr.DataArray) and not outcome_dims(source):
        return known
    if wanted != "observed":
        return known
    counts = observed_counts(source)
    shares = groups.get("observed_data", xr.Dataset()).get("performance")
    averaged = shares is not None and _fits(shares, values)
    if not averaged and counts is not None:
        counts = counts if {"entity", *OUTCOME_DIMS} <= set(counts.dims) and _fits(counts, values) else None
    known = replace(known, counts=counts, shares=shares if averaged else None)
    if counts is not None and (about or {}).get("prevalence", "sampled") in ("sampled", "observed"):
        return known  # whose class shares nobody has to look for in the draws
    array = as_performance(source, kind)
    table = {"entity", *OUTCOME_DIMS} <= set(array.dims) and array.chunks is None
    return replace(known, performance=array if table else None)


def cases_of(source: Any, values: xr.DataArray) -> xr.DataArray | None:
    """How many cases the entities of ``values`` met (entity, [dataset]); None where the source does not tell.

    Examples
    --------
    >>> import bayesrank as br
    >>> posterior = br.fit(br.from_counts(tn=[8, 7], fp=[2, 3], fn=[1, 0], tp=[9, 0], entity=["a", "b"]), seed=1)
    >>> cases_of(posterior, br.scores.tnr(posterior)).values.tolist()
    [20, 10]
    """
    counts = observed_counts(source)
    groups = groups_of(source) if is_container(source) else {}
    patterns = groups.get("observed_data", xr.Dataset()).get("pattern_count")
    if counts is not None:
        cases = counts.sum(outcome_dims(counts))
    elif patterns is not None and "entity" in values.coords:  # every entity met every case
        cases = xr.full_like(values["entity"], int(patterns.sum()), dtype=int).drop_attrs()
    else:
        return None
    cases = cases.sum([d for d in cases.dims if d not in values.dims])
    return cases if _fits(cases, values) else None


def sampling(groups: Mapping[str, xr.Dataset], values: xr.DataArray) -> dict[str, Any]:
    """Divergences, largest R-hat and smallest bulk effective sample size of sampled values; NaN where not known."""
    az = import_arviz()
    stats = groups["sample_stats"]
    found = {
        "divergences": int(stats["diverging"].sum()) if "diverging" in stats else 0,
        "rhat": np.nan,
        "effective": np.nan,
    }
    if values.sizes.get("chain", 1) < 2 or values.sizes.get("draw", 0) < 4:
        return found
    # An undefined draw says nothing of whether the chains agree: it counts as the middle one.
    dims = ("chain", "draw")
    plain = values.drop_attrs().reset_coords(drop=True).astype(float)
    middle = plain.median(dims, skipna=True)
    plain = plain.fillna(middle).fillna(0.0)
    some = plain.max(dims) > plain.min(dims)
    if not bool(some.any()):
        return found
    draws = plain.rename("x").to_dataset()
    return found | {
        "rhat": float(az.rhat(draws)["x"].where(some).max()),
        "effective": float(az.ess(draws)["x"].where(some).min()),
    }


def _sampling(groups: Mapping[str, xr.Dataset], values: xr.DataArray) -> list[str]:
    """Whether the sampler's chains can be trusted, of what is ranked."""
    if "sample_stats" not in groups:
        return []
    found = sampling(groups, values)
    how = groups["sample_stats"].attrs
    given = found["divergences"], found["rhat"], found["effective"], values.sizes.get("chain", 1)
    text = complaint(*given, how.get("tune"), how.get("target_accept"))
    return [text] if text else []


def _cases(counts: xr.DataArray) -> xr.DataArray:
    """Cases of each class (entity, actual), on all data sets together."""
    plain = counts.transpose("entity", "actual", ...)
    cases = plain.values.reshape(*plain.shape[:2], -1).sum(axis=-1)
    names = {d: counts.coords[d].variable for d in ("entity", "actual") if d in counts.coords}
    return xr.DataArray(cases, names, ("entity", "actual"))


def _cases_of_some(counts: xr.DataArray) -> xr.DataArray:
    """The same of those who have some: who has none at all was not measured, or is forced."""
    cases = _cases(counts)
    return cases.isel(entity=cases.values.sum(axis=1) > 0)


def _prevalences(mean: xr.DataArray | None, variance: np.ndarray | None, score: Score) -> list[str]:
    """Whether entities stand at different prevalences, by more than chance makes of one."""
    if mean is None or variance is None or mean.sizes["entity"] < 2:
        return []
    width = np.fmax.reduce(mean.values) - np.fmin.reduce(mean.values)
    if np.isnan(width).all():
        return []
    two = mean.sizes["actual"] == 2
    place = 1 if two else int(np.nanargmax(width))
    m, v = mean.values[:, place], variance[:, place]
    low, high = np.nanargmin(m), np.nanargmax(m)
    # Of all pairs and classes the most different was picked: one in forty of such picks may be chance.
    comparisons = m.size * (m.size - 1) / 2 * (1 if two else mean.sizes["actual"])
    if m[high] - m[low] <= max(ndtri(1 - 0.0125 / comparisons) * np.sqrt(v[high] + v[low]), 1e-9):
        return []
    names = mean["entity"].values if "entity" in mean.coords else np.arange(m.size)
    what = "prevalence" if two else f"share of the class {str(mean['actual'].values[place])!r}"
    return [
        f"The {what} differs between entities, from {m[low]:.3g} ({names[low]}) to {m[high]:.3g} "
        f"({names[high]}), and {score.name} depends on it: part of this order may belong to the test sets."
    ]


def _designed(score: Score, about: Mapping[Any, Any]) -> list[str]:
    """Whether the score rests on a prevalence that nobody observed."""
    if about.get("prevalence", "sampled") == "sampled":
        return []
    how = "the design of the study" if about["prevalence"] == "observed" else "the analyst"
    return [
        f"{score.name} depends on the prevalence, which was not learned from the cases but set by {how}: at another "
        "prevalence the ranking may differ."
    ]


def _same_cases(counts: xr.DataArray) -> list[str]:
    """Whether entities met the same cases, so that their errors may go together."""
    if "test_set" not in counts.coords:
        return []
    # Of several data sets each has test sets of its own.
    names = counts["test_set"].transpose("entity", ...).values.reshape(counts.sizes["entity"], -1)
    sets = Counter(name for name in names.ravel().tolist() if name)
    shared = {name for name, size in sets.items() if size > 1}
    if not shared:
        return []
    measured = names[(names != "").any(axis=1)]
    one = all(len(set(column)) == 1 for column in measured.T)
    sharing = (
        f"{sum(not shared.isdisjoint(row) for row in measured.tolist())} of {_text.count(len(measured), 'entity')}"
    )
    who = "All entities met the same cases" if one else f"{sharing} share {_text.count(len(shared), 'test set')}"
    named = counts["test_set"].attrs.get("named")
    if are_outcomes(counts):
        if not named:
            many = "have equally many cases" if one else "have as many cases as another"
            who = f"{'All entities' if one else sharing} {many} and may have met the same ones"
        return [f"{who}; outcomes are taken as independent, since counts do not tell how they go together."]
    guess = "" if named else ", as equal class sizes suggest"
    return [
        f"{who}{guess}; their errors are taken as independent, since matrices do not tell how they overlap; the cases "
        "would (model 'paired')."
    ]


def _few_cases(counts: xr.DataArray, population: Any = None) -> list[str]:
    """Which classes have so few cases that only the prior, or mostly the prior, speaks of them; and a population."""
    cases = _cases_of_some(counts)
    others = f" and the other {population}" if population in ("classes", "entities") else ""
    leans = f"the prior{others}"
    only = f"only {leans} say{'' if others else 's'}"
    names, classes = (cases[d].values if d in cases.coords else np.arange(cases.sizes[d]) for d in cases.dims)
    empty = cases.values == 0
    lines = []
    if empty.any():
        labels, who = ([str(x) for x in found] for found in (classes[empty.any(axis=0)], names[empty.any(axis=1)]))
        if len(labels) == 1:
            lines.append(f"No case of the class {labels[0]!r}, so {only} how it is told: {some_of(who)}.")
        else:
            quoted = some_of([repr(label) for label in labels])
            lines.append(
                f"No case of {len(labels)} of {len(classes)} classes ({quoted}), so {only} how they are told: "
                f"{some_of(who)}."
            )
    few = ~empty & (cases.values < FEW)
    if few.any():
        entity, label = np.unravel_index(np.where(few, cases.values, FEW).argmin(), few.shape)
        many = _text.count(int(few.any(axis=1).sum()), "entity")
        lines.append(
            f"Fewer than {FEW} cases of a class for {many} (fewest: {cases.values[entity, label]} of "
            f"{str(classes[label])!r} for {names[entity]}): what depends on its rate leans on {leans}."
        )
    return lines


def _class_population(counts: xr.DataArray, score: Score | None, about: Mapping[Any, Any]) -> list[str]:
    """Whether an average over classes rests on rates that are mostly the prior's, where they could be learned."""
    average = score is not None and isinstance(score.matrix_function, Average) and score.matrix_function.kind != "micro"
    told = "population" in about or about.get("paired") or "model" not in about
    if not average or told or counts.sizes["actual"] < LEARN:
        return []
    few = ((_cases_of_some(counts).values < FEW).mean(-1) >= 0.5).sum()
    if not few:
        return []
    assert score is not None
    return [
        f"{score.name} averages over classes of which half or more have fewer than {FEW} cases for "
        f"{_text.count(int(few), 'entity')}: the prior on each pulls it, and its intervals may hold less than "
        "they say. The model 'hierarchical_classes' learns how classes differ from all of them."
    ]


def _few_outcomes(counts: xr.DataArray) -> list[str]:
    """Who has so few cases that the prior says much of the mean."""
    cases = counts.sum([d for d in counts.dims if d != "entity"])
    few = (cases.values > 0) & (cases.values < FEW)
    if not few.any():
        return []
    fewest = int(np.where(few, cases.values, FEW).argmin())
    return [
        f"Fewer than {FEW} cases of {_text.count(int(few.sum()), 'entity')} (fewest: {cases.values[fewest]} of "
        f"{cases['entity'].values[fewest]}): what is said of them leans on the prior."
    ]


def some_of(names: list[str], most: int = NAMED) -> str:
    """A few of many names."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _by_name(counts: xr.DataArray) -> xr.DataArray:
    """Counts with their entities sorted."""
    if "entity" not in counts.dims or "entity" not in counts.coords:
        return counts
    return counts.isel(entity=np.argsort([str(name) for name in counts["entity"].values], kind="stable"))


def _like(observed: xr.DataArray, values: xr.DataArray) -> xr.DataArray | None:
    """Observed values, if they are of what is ranked."""
    return observed.astype(float).reset_coords(drop=True) if _fits(observed, values) else None


def _fits(observed: xr.DataArray, values: xr.DataArray) -> bool:
    """Whether something observed is of the entities and data sets of ``values``, in their order."""
    dims = [d for d in observed.dims if d not in (*OUTCOME_DIMS, "outcome")]
    if "entity" not in dims or set(dims) - set(values.dims):
        return False
    labelled = [d for d in dims if d in observed.coords and d in values.coords]
    return all(observed.sizes[d] == values.sizes[d] for d in dims) and all(
        observed[d].values.tolist() == values[d].values.tolist() for d in labelled
    )
