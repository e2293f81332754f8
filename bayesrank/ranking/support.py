"""Whether draws have evidence behind them: without it, no claim at fixed true scores can be justified."""

from dataclasses import replace
from typing import Any

import numpy as np
import xarray as xr

from bayesrank import models
from bayesrank._core.checks import describe_value
from bayesrank._core.draws import draw_dims
from bayesrank._core.errors import ArgumentError
from bayesrank._core.notes import Note
from bayesrank._core.source import Source, parse_source
from bayesrank.claims.information import sampling_variance
from bayesrank.inference import fit
from bayesrank.ranking.evidence import RankingEvidence, evidence_of
from bayesrank.ranking.values import ScoreValues, natural_score, score_values

#: Draws agree with evidence if no difference of two entities has less of the spread that the
#: default model gives it.
ENOUGH = 0.8


def support(
    known: RankingEvidence, found: ScoreValues, source: Source, kind: str | None, evidence: Any
) -> RankingEvidence:
    """Return the evidence behind draws, with the cap that they need.

    Draws of a model of the package have its evidence. Those of another model need counts in
    ``observed_data``, evidence of a registered kind, or ``evidence`` evidence, and must vary as much
    as the default model of this evidence does, or as the observed values of this kind vary by
    chance.
    """
    own = known.model.model in models.names()
    if own and evidence is not None:
        raise ArgumentError(
            "evidence",
            "cannot be used for a posterior of br.fit, which has its own",
            describe_value(evidence),
        )
    if own or not draw_dims(found.values):
        return known
    counts = known.counts if evidence is None else evidence
    if counts is None:
        return _with_cap(
            known, _narrowest(found.values, _spreads_by_chance(known, found)), Note("draws_alone")
        )
    reference = parse_source(fit(counts, seed=0))
    score = (
        found.score if found.score is not None and not found.variable else natural_score(reference)
    )
    if score is None:
        raise ArgumentError(
            "evidence", "must be outcomes without classes for values without a score", found.name
        )
    expected = score_values(reference, score, found.higher_is_better, None)
    if set(expected.values.dims) != {"chain", "draw", "entity"}:
        raise ArgumentError(
            "evidence", "must have one data set", f"the dims {expected.values.dims}", "br.pool"
        )
    narrow = _narrowest(found.values, _spreads(_reorder(expected.values, found.values)))
    if evidence is not None:
        basis = evidence_of(
            reference, expected.variable, _reorder(expected.values, found.values), None
        )
        known = replace(basis, sampler=known.sampler)
    return _with_cap(known, narrow, None)


def _with_cap(
    known: RankingEvidence, narrow: tuple[float, str, str] | None, unknown: Note | None
) -> RankingEvidence:
    """Return the evidence with a cap if draws are too narrow, or ``unknown`` if their spread is not known."""
    if narrow is None:
        return replace(known, unsupported=unknown)
    share, entity, rival = narrow
    if share >= ENOUGH:
        return known
    return replace(
        known,
        unsupported=Note(
            "draws_too_narrow", {"percent": 100 * share, "one": entity, "other": rival}
        ),
    )


def _spreads_by_chance(known: RankingEvidence, found: ScoreValues) -> np.ndarray:
    """Return how much differences of observed values vary by chance (entity, rival), NaN if unknown.

    Entities that answered the same cases vary together, by how much only their model says.
    """
    size = found.values.sizes["entity"] if "entity" in found.values.dims else 1
    if known.joint_cases is not None:
        return np.full((size, size), np.nan)
    variance = sampling_variance(known, None if found.variable else found.score, size)
    return np.sqrt(variance[:, None] + variance)


def _reorder(values: xr.DataArray, like: xr.DataArray) -> xr.DataArray:
    """Return values with the entities of others, in their order."""
    if "entity" not in values.coords or "entity" not in like.coords:
        return values
    names, requested = values["entity"].values.tolist(), like["entity"].values.tolist()
    if set(names) != set(requested):
        raise ArgumentError("evidence", f"must have the entities {requested}", f"{names}")
    return values.isel(entity=[names.index(name) for name in requested])


def _narrowest(values: xr.DataArray, expected: np.ndarray) -> tuple[float, str, str] | None:
    """Return the smallest ratio of the spread of a difference in draws to the expected one, and its entities.

    ``expected`` is over (entity, rival). None if no spread is known.
    """
    if np.isnan(expected).all():
        return None
    own = _spreads(values)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where((expected > 0) & ~np.eye(len(own), dtype=bool), own / expected, np.nan)
    if np.isnan(ratio).all():
        return None
    i, j = np.unravel_index(np.nanargmin(ratio), ratio.shape)
    names = values["entity"].values if "entity" in values.coords else np.arange(len(ratio))
    return float(ratio[i, j]), str(names[i]), str(names[j])


def _spreads(values: xr.DataArray) -> np.ndarray:
    """Return the standard deviation of each difference (entity, rival) over draws."""
    x = values.stack(every=draw_dims(values)).transpose("every", "entity").values.astype(float)
    x = x[~np.isnan(x).any(axis=1)]
    if len(x) < 2:
        return np.full((x.shape[1],) * 2, np.nan)
    covariance = np.atleast_2d(np.cov(x, rowvar=False))
    own = np.diag(covariance)
    return np.sqrt(np.maximum(own[:, None] + own - 2 * covariance, 0.0))
