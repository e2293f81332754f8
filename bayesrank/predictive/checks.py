"""Posterior predictive checks: do data sets differ as much as the model predicts?"""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core import prose
from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_choice
from bayesrank._core.draws import proportion_error
from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.random import Seed, fingerprint, root_sequence, stream
from bayesrank._core.source import parse_source
from bayesrank._core.types import Container
from bayesrank.evidence.counts import parts_of
from bayesrank.models import model_of
from bayesrank.performance.arrays import observed_counts, outcome_dims

#: Subject of the sentence on each statistic.
MEANINGS = {
    "difficulty": "The spread of the means of data sets (difficulty)",
    "overdispersion": "The spread of each entity's answers between data sets (overdispersion)",
}
#: p-value below which the data are reported as unlike the replicates.
LEVEL = 0.05


@check_call
def predictive_check(
    posterior: Container, *, kind: str | None = None, seed: Seed = None
) -> xr.Dataset:
    r"""Check a posterior for differences between data sets: difficulty and overdispersion.

    Let :math:`x` be the number of each answer among the :math:`n` cases of a class of a data set,
    :math:`p` its share over all data sets, and :math:`z` the standardised number of right answers.
    Then

    - ``overdispersion`` is :math:`\sum (x - np)^2 / (np)` divided by its degrees of freedom: the
      spread of each entity's rates between data sets;
    - ``difficulty`` is the mean over data sets and classes of :math:`(\sum z)^2` over entities
      divided by their number, larger if some data sets are hard for all entities.

    Both are about 1 for multinomial answers with the same rates everywhere. A check can reject a
    model, not confirm it: if the model holds, p-values are concentrated around 1/2 (Gelman et al.,
    Bayesian Data Analysis, 6.3).

    Parameters
    ----------
    posterior : InferenceData or DataTree
        From :func:`bayesrank.fit`, for several data sets, or for counts pooled from several.
    kind : {"observed", "new"}, optional
        Replicates are new cases of the "observed" data sets, or cases of equally many "new" data
        sets. "new" requires a model of a population of data sets, and is the default for such a
        model.
    seed : int, SeedSequence or Generator, optional
        Seed of the replicates.

    Returns
    -------
    xarray.Dataset
        Over ``statistic``: ``observed``; ``replicated`` (chain, draw, statistic); ``p_value``, the
        share of replicates at least as large; and ``p_value_error``, its Monte-Carlo standard error
        for independent draws. ``attrs["words"]`` has one line for each statistic.

    Examples
    --------
    >>> check = predictive_check(br.fit(br.pool(br.datasets.load("ascus_hc2_repc")), seed=1), seed=1)
    >>> check["p_value"].values.round(2).tolist()
    [0.0, 0.0]
    """
    if kind is not None:
        check_choice("kind", kind, ("observed", "new"))
    root = root_sequence(seed)
    posterior = parse_source(posterior, "posterior")
    if posterior.container is None:
        raise ArgumentTypeError("posterior", "must come from br.fit", "an array or a Dataset")
    groups, held = posterior.groups, observed_counts(posterior)
    if held is None or "posterior" not in groups:
        raise ArgumentError(
            "posterior", "must contain the observed counts", f"the groups {sorted(groups)}"
        )
    parts = parts_of(held) if "dataset" not in held.dims else held
    if parts is None or parts.sizes["dataset"] < 2:
        raise ArgumentError("posterior", "must come from several data sets, pooled or not", "one")
    row = outcome_dims(parts)
    counts = parts.transpose("entity", "dataset", *row)
    model: Any = model_of(groups)[0] if "dataset" in held.dims else None
    renews = hasattr(model, "renew")
    if kind == "new" and not renews:
        raise ArgumentError(
            "kind", "must be 'observed' for a model that learns no population of data sets", "'new'"
        )
    kind = kind or ("new" if renews else "observed")
    values = counts.values.reshape(
        counts.sizes["entity"], counts.sizes["dataset"], -1, counts.shape[-1]
    )
    if kind == "new":
        new = model.renew(groups["posterior"], root, "predictive check")
        replicated = new.transpose("chain", "draw", "entity", "dataset", ...).values
        replicated = replicated.reshape(*replicated.shape[:2], *values.shape)
    else:
        replicated = _draw_replicates(groups["posterior"], counts, values, root)
    right = np.arange(values.shape[-1]) == (
        np.arange(values.shape[2])[:, None] if len(row) == 2 else values.shape[-1] - 1
    )
    seen = np.array(_statistics(values[None], right))[:, 0]
    flat = replicated.reshape(-1, *values.shape)
    found = np.array(_statistics(flat, right)).T.reshape(*replicated.shape[:2], len(MEANINGS))
    share = np.where(np.isnan(seen), np.nan, (found >= seen * (1 - 1e-12)).mean((0, 1)))
    result = xr.Dataset(
        {
            "observed": ("statistic", seen),
            "replicated": (("chain", "draw", "statistic"), found),
            "p_value": ("statistic", share),
            "p_value_error": ("statistic", proportion_error(share, len(flat))),
        },
        {"statistic": list(MEANINGS)},
    )
    words = [_words(result.sel(statistic=name), name, len(flat)) for name in MEANINGS]
    return result.assign_attrs(kind=kind, words="\n".join(words))


def _draw_replicates(
    posterior: xr.Dataset, counts: xr.DataArray, values: np.ndarray, root: np.random.SeedSequence
) -> np.ndarray:
    """Draw answers (chain, draw, entity, data set, row, answer) from the posterior's rates, given the class sizes."""
    table = posterior["rate"] if "rate" in posterior else posterior["performance"]
    over = [d for d in ("entity", "dataset") if d in table.dims]
    rate = table.transpose("chain", "draw", *over, ...).values
    rate = rate.reshape(*rate.shape[:2], values.shape[0], -1, *values.shape[2:])
    with np.errstate(invalid="ignore"):
        rate = rate / rate.sum(-1, keepdims=True)
    out = np.zeros((*rate.shape[:2], *values.shape), np.int64)
    entities, datasets = counts["entity"].values.tolist(), counts["dataset"].values.tolist()
    for e, d, c in np.argwhere(values.sum(-1) > 0).tolist():
        p = rate[:, :, e, d if rate.shape[3] > 1 else 0, c]
        rng = stream(
            root, "predictive check", entities[e], datasets[d], c, fingerprint(np.round(p, 6))
        )
        out[:, :, e, d, c] = rng.multinomial(int(values[e, d, c].sum()), p)
    return out


def _statistics(counts: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return difficulty and overdispersion of replicates (replicate, entity, data set, row, answer)."""
    cases = counts.sum(-1)[0]  # equal in all replicates
    known = cases > 0
    total = counts.sum(2, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = total / total.sum(-1, keepdims=True)
        expected = cases[..., None] * share
        chi = np.where(expected > 0, (counts - expected) ** 2 / expected, 0.0).sum((1, 2, 3, 4))
        hits, rate = (counts * right).sum(-1), (share * right).sum(-1)
        z = (hits - cases * rate) / np.sqrt(cases * rate * (1 - rate))
    sets = np.maximum(known.sum(1), 1)  # number of data sets of each entity and row
    # An answer that never occurred has expectation 0 and removes a degree of freedom.
    given = np.maximum((total[:, :, 0] > 0).sum(-1) - 1, 0)
    free = (given * (sets - 1)).sum((1, 2))
    # The shares are estimated from the same data sets, mostly from the large ones.
    loss = np.sqrt(np.maximum(1 - cases / np.maximum(cases.sum(1, keepdims=True), 1), 1e-300))
    usable = known & np.isfinite(z) & (sets > 1)[:, None]
    z = np.where(usable, z / loss, 0.0)
    present = usable.sum(1)
    with np.errstate(invalid="ignore", divide="ignore"):
        common = np.where(present > 0, z.sum(1) ** 2 / present, 0.0)
        difficulty = common.sum((1, 2)) / (present > 0).sum((1, 2))
        return difficulty, np.where(free > 0, chi / free, np.nan)


def _words(one: xr.Dataset, name: str, draws: int) -> str:
    """Describe the result of a check, without claiming support for a model."""
    seen, p = float(one["observed"]), float(one["p_value"])
    if np.isnan(p):
        return f"{MEANINGS[name]}: not enough data."
    low, high = np.nanquantile(one["replicated"].values, [0.025, 0.975])
    much = prose.number(seen, prose.decimals(2, seen))
    text = (
        f"{MEANINGS[name]} is {much} times that expected by chance. In data sets simulated from the model, "
        f"this ratio is {low:.2f} to {high:.2f} (95%), and at least {much} with probability "
        f"{prose.probability(p, draws)}: "
    )
    if p < LEVEL / 2:
        return text + "the model predicts less than was observed."
    if p > 1 - LEVEL / 2:
        return text + "the model predicts more than was observed."
    return text + "no sign that the model is wrong."
