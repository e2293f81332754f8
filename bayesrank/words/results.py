"""Verdicts (at most four sentences) and notes on any result."""

from collections.abc import Sequence
from typing import Any

import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import describe_value
from bayesrank._core.compat import is_container
from bayesrank._core.errors import ArgumentError
from bayesrank._core.notes import Note
from bayesrank._core.percent import using_words_of
from bayesrank._core.records import ResultRecord
from bayesrank.words.attempts import NEEDED as OF_ATTEMPTS
from bayesrank.words.attempts import verdict_of_attempts
from bayesrank.words.audits import NEEDED as OF_AUDIT
from bayesrank.words.audits import verdict_of_audit
from bayesrank.words.decisions import verdict_of_decision, verdict_of_front
from bayesrank.words.drift import NEEDED as OF_DRIFT
from bayesrank.words.drift import verdict_of_drift
from bayesrank.words.gates import NEEDED as OF_GATE
from bayesrank.words.gates import verdict_of_gate
from bayesrank.words.heterogeneities import verdict_of_heterogeneity
from bayesrank.words.margins import NEEDED as OF_MARGINS
from bayesrank.words.margins import verdict_of_margins
from bayesrank.words.parts import Verdict
from bayesrank.words.places import NEEDED as OF_PLACE
from bayesrank.words.places import verdict_of_place
from bayesrank.words.plans import NEEDED as OF_PLAN
from bayesrank.words.plans import verdict_of_plan
from bayesrank.words.rankings import verdict_of_ranking
from bayesrank.words.reliabilities import NEEDED as OF_RELIABILITY
from bayesrank.words.reliabilities import verdict_of_reliability
from bayesrank.words.sensitivities import verdict_of_sensitivity
from bayesrank.words.tile import NEEDED as OF_TILE
from bayesrank.words.tile import verdict_of_tile
from bayesrank.words.top_sets import NEEDED as OF_TOP_SET
from bayesrank.words.top_sets import verdict_of_top_set


@check_call
def verdict(result: xr.Dataset) -> list[str]:
    r"""Return a result in at most four sentences: headline, expected loss, next step, and the main caveat.

    Parameters
    ----------
    result : xarray.Dataset
        A ranking (:func:`bayesrank.credible_ranking`), a decision
        (:func:`bayesrank.decisions.expected_utility`), a non-inferiority test
        (:func:`bayesrank.decisions.noninferiority`), a Pareto front
        (:func:`bayesrank.decisions.pareto_front`), a gate (:func:`bayesrank.decisions.gate`), a
        sensitivity (:func:`bayesrank.sensitivity`), a plan (:func:`bayesrank.plan`), a
        heterogeneity (:func:`bayesrank.heterogeneity`), a set for the k best
        (:func:`bayesrank.top_set`), a curve of attempts (:func:`bayesrank.scores.attempts_curve`),
        changes between periods (:func:`bayesrank.ops.drift`), a Tile
        (:func:`bayesrank.tile.credible`), a place of the Tile
        (:func:`bayesrank.tile.describe_place`) or an audit of a score (:func:`bayesrank.audit`).

    Returns
    -------
    list of str
        Headline, expected loss, next step and main caveat, if any; :func:`bayesrank.notes` has the
        rest.

    Raises
    ------
    ValueError
        If ``result`` is not one of these, contains several of them, or was made with
        ``joint=False``.

    Examples
    --------
    >>> counts = br.from_counts(tn=[70, 779], fp=[10, 21], fn=[9, 21], tp=[21, 279], entity=["a", "b"])
    >>> ranking = br.credible_ranking(br.fit(counts, seed=1), "informedness")
    >>> verdict(ranking)[0]
    'b is best: P(best) > 0.999.'
    """
    return verdict_parts(result).sentences()


@check_call
def notes(result: xr.Dataset) -> list[str]:
    """Return the notes on a result: caveats first, then rank sets, tiers, evidence, and what is not in the verdict.

    Parameters
    ----------
    result : xarray.Dataset
        As for :func:`bayesrank.verdict`, with its errors.

    Returns
    -------
    list of str

    Examples
    --------
    >>> counts = br.from_counts(tn=[70, 779], fp=[10, 21], fn=[9, 21], tp=[21, 279], entity=["a", "b"])
    >>> ranking = br.credible_ranking(br.fit(counts, seed=1), "informedness")
    >>> notes(ranking)[0]
    'By the rank sets (confidence 0.95), 1 of 2 entities (b) could be best.'
    """
    return list(verdict_parts(result).notes)


def verdict_parts(result: Any, more: Sequence[Note] = ()) -> Verdict:
    """Return the verdict on a result in its parts; ``more`` are additional notes on a ranking."""
    record = ResultRecord.of(result) if isinstance(result, xr.Dataset) else ResultRecord()
    with using_words_of(record):
        return _verdict_of(result, more)


def _verdict_of(result: Any, more: Sequence[Note]) -> Verdict:
    names = set(result.variables) if isinstance(result, xr.Dataset) else set()
    # A variable that only one kind of result has decides the kind. Its function then names missing
    # variables.
    if names >= OF_GATE:
        return verdict_of_gate(result)
    if names >= OF_DRIFT:
        return verdict_of_drift(result)
    if names & {"choice", "value_of_perfect_information"}:
        return verdict_of_decision(result)
    if "survives" in names:
        return verdict_of_sensitivity(result)
    if names >= OF_PLAN:
        return verdict_of_plan(result)
    if "probability_front" in names:
        return verdict_of_front(result)
    if names >= OF_MARGINS:
        return verdict_of_margins(result)
    if names >= OF_ATTEMPTS:
        return verdict_of_attempts(result)
    if names >= OF_RELIABILITY:
        return verdict_of_reliability(result)
    if names >= OF_PLACE:
        return verdict_of_place(result)
    if names >= OF_AUDIT:
        return verdict_of_audit(result)
    if names >= OF_TILE:
        return verdict_of_tile(result)
    if names >= OF_TOP_SET:
        return verdict_of_top_set(result)
    if "between_sd" in names:
        return verdict_of_heterogeneity(result)
    if names & {"expected_rank", "tier", "superiority"}:
        return verdict_of_ranking(result, more)
    if is_container(result):
        hint = "br.verdict(br.credible_ranking(posterior, 'f1')) ranks it by f1; br.analyze(evidence).verdict chooses"
        raise ArgumentError(
            "result", "must be a ranking or a decision", "a posterior, which has no score", hint
        )
    raise ArgumentError(
        "result",
        "must come from br.credible_ranking, br.decisions.expected_utility, br.decisions.pareto_front, "
        "br.decisions.noninferiority, br.decisions.gate, br.sensitivity, br.plan, br.heterogeneity, "
        "br.scores.attempts_curve, br.cases.reliability, br.ops.drift of draws, br.tile.credible, "
        "br.tile.describe_place or br.audit",
        describe_value(result),
    )
