"""Whether a ranking has confidence sets, and by how much luck overestimates the leader."""

import numpy as np
import xarray as xr

from bayesrank._draws import BLOCK

#: Report the leader's expected loss on new cases if it exceeds this share of its interval's width.
NOTABLE = 0.25


def why_withheld(ranking: xr.Dataset) -> str:
    """Return why a ranking has no confidence sets; empty if it has them for at least one entity."""
    if "in_best_confidence_set" in ranking and bool(ranking["in_best_confidence_set"].notnull().any()):
        return ""
    reason = str(ranking.attrs.get("confidence_sets", ""))
    return reason if reason not in ("", "joint") else "not computed"


def leader_overestimate(ranking: xr.Dataset) -> tuple[str, float, bool]:
    """Return the most probable best entity, its expected overestimate (NaN if unknown), and whether that is large."""
    best = np.where(ranking["rank_lower"].notnull(), ranking["probability_best"], -1.0)
    first = ranking.isel(entity=int(np.argmax(best)))
    loss = float(first["overestimate"]) if "overestimate" in ranking else np.nan
    width = float(first["upper"] - first["lower"])
    return str(first["entity"].item()), loss, bool(loss > NOTABLE * width)


def expected_overestimates(x: np.ndarray, members: np.ndarray, sign: int) -> np.ndarray:
    """Return the expected overestimate of each entity's posterior mean (entity), from values (draw, entity).

    The entity that looks best was selected by luck. If the entities are a sample of a normal population with variance
    τ², a score with error variance s² is expected to regress to the population mean by the share s²/(s² + τ²). Common
    errors are excluded, as they do not affect the selection. τ² is the estimate of DerSimonian and Laird (1986),
    Controlled Clinical Trials 7:177-188. Negative below the mean; NaN for fewer than three entities.
    """
    found, size = np.full(x.shape[1], np.nan), int(members.sum())
    if size < 3 or len(x) < 2:  # too few for the spread of a population
        return found
    mean, error = _mean_and_own_variance(x, np.flatnonzero(members))
    mean, error = sign * mean, error * size / (size - 1)
    if not (error > 0).all():
        return found
    weight = 1 / error
    q = weight @ (mean - weight @ mean / weight.sum()) ** 2
    spread = max(q - (size - 1), 0.0) / (weight.sum() - (weight**2).sum() / weight.sum())
    together = 1 / (error + spread)
    found[members] = (mean - together @ mean / together.sum()) * error * together
    return found


def _mean_and_own_variance(x: np.ndarray, who: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return means of draws, and variances of the distance from the mean of all entities in the draw (entity)."""
    sums = np.zeros((4, len(who)))
    start, few = None, max(BLOCK // len(who), 1)
    for first in range(0, len(x), few):
        part = x[first : first + few, who]
        known = ~np.isnan(part)
        some = np.maximum(known.sum(axis=1, keepdims=True), 1)
        off = part - part.sum(axis=1, keepdims=True, where=known) / some
        if start is None:  # near the mean, so that squares keep their digits
            start = off.sum(axis=0, where=known) / np.maximum(known.sum(axis=0), 1)
        off -= start
        np.nan_to_num(off, copy=False, nan=0.0)
        sums += known.sum(axis=0), part.sum(axis=0, where=known), off.sum(axis=0), np.square(off).sum(axis=0)
    number, total, first_power, second_power = sums
    return total / number, second_power / number - np.square(first_power / number)
