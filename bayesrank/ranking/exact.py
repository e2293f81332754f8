"""An exact ranking: what a credible ranking says, by quadrature instead of draws."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._checks import credibility, in_words, number
from bayesrank._compat import groups_of, is_container
from bayesrank._notes import join_notes
from bayesrank.counts import are_outcomes, check_counts, check_outcomes
from bayesrank.models import chosen_by_evidence, find, tell
from bayesrank.models import names as models
from bayesrank.performance import mean_outcome
from bayesrank.ranking._board import NoClosedForm
from bayesrank.ranking._conjugates import Known, plan_of
from bayesrank.ranking._evidence import Evidence, cases_of, evidence_of
from bayesrank.ranking._quadrature import accuracy, summary_of
from bayesrank.ranking._source import Scored, variables_of
from bayesrank.scores import Score, as_score, get

__all__ = ["applies", "exact_ranking"]

#: Distributions, one for each prevalence of the second step, that are computed while a reader waits.
MOST = 400
#: What an error says of itself, as attrs["method"].
ERROR = "difference of two numbers of nodes"
#: The mean of outcomes, which is no score of classes.
MEAN = "mean_outcome"
#: Observed values that lie outside of their interval by less, as a share of its width, do so by rounding.
SLACK = 1e-9


def exact_ranking(
    source: Any, score: Any, *, prob: float = 0.95, rope: float = 0.0, model: Any = None, **options: Any
) -> xr.Dataset:
    """A credible ranking without draws: of counts, where the posterior is known in closed form.

    Given the class shares of a test set, entities are independent and the distribution of each one's score is known.
    So who beats whom, who is best, and the ranks, are integrals: there is no seed, equal counts get equal
    numbers, and another entity changes nothing but the ranks that it takes itself.

    Parameters
    ----------
    source : DataArray, InferenceData or DataTree
        Integer counts (entity, [dataset], actual, predicted), or a posterior that :func:`bayesrank.fit` made of such
        counts with a conjugate model, whose evidence and prior are then used, not its draws. With the dim ``dataset``
        there is one ranking for each data set.
    score : Score, str or callable
        What to rank by. Of two classes any score that rises, or falls, with TPR and with TNR at a given prevalence: the
        ranking scores, informedness, MCC, markedness, kappa, likelihood and odds ratios, ... Of more classes the
        accuracy, or a function of it alone, where each entity has a test set of its own. ``"mean_outcome"`` of counts
        (entity, [dataset], outcome) of right and wrong, 1 and 0.
    prob : float
        Credible probability of intervals, tiers and the best set, between 0 and 1.
    rope : float
        Region of practical equivalence, in units of the score: differences up to it do not count as superiority.
    model : str or class, optional
        For counts, as for :func:`bayesrank.fit`: ``"dirichlet_multinomial"`` (the default) or ``"beta_binomial"``.
    **options
        For counts, the model's own, as for :func:`bayesrank.fit`: ``prior``, ``prevalence`` (no draws of it),
        ``shared_prevalence``, ``force``.

    Returns
    -------
    xarray.Dataset
        What :func:`bayesrank.credible_ranking` returns, with the same names and meanings, but for what needs
        joint draws (simultaneous rank intervals, confidence sets; :func:`bayesrank.full_ranking` has them) and the
        effective sample size. Errors ``<name>_error`` are those
        of the quadrature: how much the result moves between two numbers of nodes. The attrs have ``method`` "exact",
        and no ``draws``. An entity is undefined always or never: ``undefined`` is 1 or 0. A ratio that may well lie
        beyond exp(145) or below exp(-145) has a rank, but no median and no interval.

    Raises
    ------
    ValueError, TypeError, KeyError
        Naming the argument, what it held and what it should hold; among others where the posterior of the score is not
        known in closed form, or where quadrature errs by more than 0.01: :func:`bayesrank.credible_ranking` takes
        draws.

    References
    ----------
    The distribution of the number of entities that are above a value is a Poisson-binomial, by its generating function
    at the roots of unity: Hong, On computing the distribution function for the Poisson binomial distribution
    (Computational Statistics & Data Analysis, 2013).

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[75, 79, 79], fp=[5, 1, 1], fn=[2, 1, 1], tp=[28, 29, 29], entity=["a", "b", "c"])
    >>> ranking = exact_ranking(counts, "informedness", model="beta_binomial")
    >>> best = ranking["probability_best"]
    >>> best.round(4).values.tolist(), best.sel(entity="b").item() == best.sel(entity="c").item()
    ([0.0387, 0.4807, 0.4807], True)
    """
    prob = credibility("prob", prob)
    rope = number("rope", rope, 0.0, finite=True)
    if _of_outcomes(source, score):
        told = Scored(xr.DataArray(), MEAN, True, variable=MEAN, ends=(0.0, 1.0))
    else:
        score = as_score(score)
        if score.higher_is_better is None:
            raise ValueError(f"score must have a better end to rank by; got {score.name}, which has none")
        told = Scored(xr.DataArray(), score.name, score.higher_is_better, score)
    known, frame, evidence = _closed_form(source, model, options)
    if told.score is not None and evidence.counts is not None:
        told.score.check_classes(evidence.counts)
    return _each(known, frame, evidence, told, prob, rope)


def applies(source: Any, score: Any, model: Any = None, *, quickly: bool = False, **options: Any) -> bool:
    """Whether an exact ranking can be made of it, quickly if so told; all else that is wrong raises as it would there.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[8, 7], fp=[2, 3], fn=[1, 2], tp=[9, 8], entity=["a", "b"])
    >>> applies(counts, "mcc"), applies(counts, "optimized_precision")
    (True, False)
    """
    try:
        known, frame, _ = _closed_form(source, model, options)
        planned = _planned(None if _of_outcomes(source, score) else as_score(score))
        for position in np.ndindex(frame.shape[1:]):
            plan = plan_of(planned, _at(known, position))
            if quickly and plan.work > MOST:
                return False
    except NoClosedForm:
        return False
    return True


def _of_outcomes(source: Any, score: Any) -> bool:
    """Whether the mean of outcomes without classes is asked for."""
    counts = groups_of(source).get("observed_data", xr.Dataset()).get("counts") if is_container(source) else source
    return isinstance(score, str) and score == MEAN and are_outcomes(counts)


def _planned(score: Score | None) -> Score:
    """The score whose distribution is wanted; that of right and wrong is the TPR of cases that are all positive."""
    return get("tpr") if score is None else score


def _closed_form(source: Any, model: Any, options: dict[str, Any]) -> tuple[Known, xr.DataArray, Evidence]:
    """What is known of the posterior, the labels of its tables as an array of zeros, and the evidence behind it."""
    if isinstance(source, xr.DataArray):
        counts = (check_outcomes if are_outcomes(source) else check_counts)(source, "source")
        story = tell(chosen_by_evidence(counts) if model is None else model, counts, options)
    else:
        story = _story_of(source, model, options)
    if not hasattr(story, "conjugate"):
        raise NoClosedForm(f"model must have a posterior in closed form; {type(story).__name__} has none")
    found = story.conjugate()
    if are_outcomes(found.posterior):
        return _right_and_wrong(source, story, found)
    table = found.posterior.transpose("entity", ..., "actual", "predicted")
    frame = xr.zeros_like(table.isel(actual=0, predicted=0, drop=True))
    totals = None
    if found.totals is not None:
        if {"chain", "draw"} & set(found.totals.dims):
            raise NoClosedForm(f"prevalence must be one number for each table; got draws of it, {found.totals.dims}")
        totals = (frame + found.totals).transpose(*frame.dims, "actual").values
    known = Known(table.values, totals, found.test_set.transpose(*frame.dims).values)
    counts = story.observed()["observed_data"]["counts"]
    kept = {name: c.variable for name, c in counts.coords.items() if c.dims == ("entity",) and name != "test_set"}
    frame = frame.assign_coords(kept)
    if not isinstance(source, xr.DataArray):
        return known, frame, evidence_of(source, None, frame, None)
    mean = table / table.sum("predicted")
    performance = None if totals is None else mean * found.totals.transpose(..., "actual")
    about = story.settings | {"kind": story.kind}
    return known, frame, Evidence(counts=counts, performance=performance, about=about, cases=cases_of(source, frame))


def _right_and_wrong(source: Any, story: Any, found: Any) -> tuple[Known, xr.DataArray, Evidence]:
    """The same of outcomes 0 and 1: tables whose cases are all positive, and right if they are called so."""
    table = found.posterior.transpose("entity", ..., "outcome")
    if table["outcome"].values.tolist() != [0, 1]:
        raise NoClosedForm(
            "source must have the outcomes 0 and 1, of which the mean is known in closed form; got "
            f"{table['outcome'].values.tolist()} (br.credible_ranking takes draws)"
        )
    frame = xr.zeros_like(table.isel(outcome=0, drop=True))
    concentration = np.stack([np.broadcast_to([1.0, 0.0], table.shape), table.values], axis=-2)
    totals = np.broadcast_to([0.0, 1.0], table.shape)
    known = Known(concentration, totals, found.test_set.transpose(*frame.dims).values)
    counts = story.observed()["observed_data"]["counts"]
    kept = {name: c.variable for name, c in counts.coords.items() if c.dims == ("entity",) and name != "test_set"}
    frame = frame.assign_coords(kept)
    if not isinstance(source, xr.DataArray):
        return known, frame, evidence_of(source, MEAN, frame, None)
    about = story.settings | {"kind": story.kind}
    return known, frame, Evidence(counts, values=mean_outcome(counts), about=about, cases=cases_of(source, frame))


def _story_of(source: Any, model: Any, options: dict[str, Any]) -> Any:
    """The model of a posterior, told again what it was told."""
    if not is_container(source):
        raise TypeError(f"source must be counts, or what br.fit makes of counts; got {in_words(source)}")
    if model is not None or options:
        raise ValueError(
            f"model and its options must be left out for a posterior, which has them; got {model!r}, {options}"
        )
    groups = groups_of(source)
    posterior, about = groups.get("posterior", xr.Dataset()), groups.get("posterior", xr.Dataset()).attrs
    counts = groups.get("observed_data", xr.Dataset()).get("counts")
    prior = groups.get("constant_data", xr.Dataset()).get("prior_concentration")
    conjugate = about.get("model") in models() and hasattr(find(about["model"]), "conjugate")
    if not conjugate or counts is None or prior is None or "performance" not in posterior:
        raise NoClosedForm(
            "source must be a posterior that br.fit made of counts with a conjugate model; got one of "
            f"{about.get('model', 'no known model')!r} (br.credible_ranking takes draws)"
        )
    performance = posterior["performance"]
    if performance["entity"].values.tolist() != counts["entity"].values.tolist():
        raise ValueError("source must hold a posterior and the counts of the same entities; got others")
    if are_outcomes(counts):
        return tell(about["model"], counts.astype(int), {"prior": prior, "force": True})
    prevalence = about.get("prevalence", "sampled")
    if prevalence not in ("sampled", "observed"):
        # As words it has lost digits.
        each = performance.sum("predicted", skipna=False).drop_vars("predicted", errors="ignore")
        prevalence = each.isel(chain=0, draw=0, drop=True).fillna(0.5)
        if bool((np.abs(each - prevalence) > 1e-9).any()):
            raise NoClosedForm("source must not rest on draws of a prevalence, which have no closed form; it does")
        prevalence = prevalence / prevalence.sum("actual")
    if "test_set" in counts.coords:
        # Those not measured have no test set; some name they need.
        names = xr.where(counts["test_set"] == "", "none", counts["test_set"])
        counts = counts.assign_coords(test_set=names)
    shared = bool(about.get("shared_prevalence", 1))
    told = {"prior": prior, "prevalence": prevalence, "shared_prevalence": shared, "force": True}
    return tell(about["model"], counts.astype(int), told)


def _each(known: Known, frame: xr.DataArray, evidence: Evidence, told: Scored, prob: float, rope: float) -> xr.Dataset:
    """One ranking for each item of every other dim."""
    if frame.ndim == 1:
        return _one(known, frame, evidence, told, prob, rope)
    dim = str(frame.dims[1])
    parts = []
    for i in range(frame.sizes[dim]):
        parts.append(_each(_at(known, (i,)), frame.isel({dim: i}, drop=True), evidence.at(dim, i), told, prob, rope))
    joined = xr.concat(parts, dim=dim, combine_attrs="override", coords="minimal", compat="override", join="exact")
    return joined.assign_coords({dim: frame[dim]})


def _at(known: Known, position: tuple[int, ...]) -> Known:
    """That of one item of the other dims."""
    here: Any = (slice(None), *position)
    return Known(known.concentration[here], None if known.totals is None else known.totals[here], known.test_set[here])


def _one(known: Known, frame: xr.DataArray, evidence: Evidence, told: Scored, prob: float, rope: float) -> xr.Dataset:
    entities, planned = frame["entity"].values, _planned(told.score)
    plan = plan_of(planned, known)
    result = summary_of(plan, np.array([str(name) for name in entities]), planned, prob, rope)
    seen, extreme = evidence.observed(told.score), evidence.extreme()
    observed = np.full(len(entities), np.nan) if seen is None else seen.values.astype(float)
    settled = np.zeros(len(entities), bool) if extreme is None else extreme.values
    found = told.facts()
    slack = SLACK * (1 + result["upper"] - result["lower"])
    outside = (observed < result["lower"] - slack) | (observed > result["upper"] + slack)
    at_an_end = np.isclose(observed[:, None], found["range"], rtol=1e-9, atol=1e-9).any(axis=1)
    result |= {"observed": observed, "contradicted": outside & ~at_an_end & ~settled}
    result["cases"] = evidence.size(len(entities))
    result |= join_notes([*accuracy(result), *evidence.notes(told.score)]) | {"needed_evidence": evidence.needed()}
    variables = variables_of(result, ERROR)
    coords: dict[str, Any] = {"entity": entities, "rival": entities, "rank": np.arange(1, len(entities) + 1)}
    coords |= {str(name): coord for name, coord in frame.coords.items() if coord.dims == ("entity",)}
    return xr.Dataset(variables, coords, found | {"prob": prob, "rope": rope, "method": "exact"} | evidence.facts())
