"""Counts and a model give a posterior: exact draws where the model is conjugate, NUTS elsewhere.

The result is an ArviZ container whose posterior holds one variable, ``performance``: for every draw and entity the
probabilities of the outcomes. Everything to the right (scores, rankings, maps) is a function of it.
"""

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from types import ModuleType
from typing import Any, Literal

import numpy as np
import xarray as xr
from scipy import special

from bayesrank._compat import groups_of, to_container
from bayesrank._random import Seed, root_sequence, stream
from bayesrank._sampling import dirichlet, sample_counts
from bayesrank.counts import check_counts
from bayesrank.models import beta_binomial, dirichlet_multinomial
from bayesrank.models._product_multinomial import group_test_sets

__all__ = ["MODELS", "concentration", "fit"]

MODELS: dict[str, ModuleType] = {
    "dirichlet_multinomial": dirichlet_multinomial,
    "beta_binomial": beta_binomial,
}
PRIORS = {"uniform": 1.0, "jeffreys": 0.5, "haldane": 0.0}
GROUPS = ("prior", "prior_predictive", "posterior_predictive", "log_likelihood")
OUTCOME = ("actual", "predicted")


def fit(
    counts: xr.DataArray,
    model: str = "dirichlet_multinomial",
    *,
    prior: Any = None,
    prevalence: Any = None,
    draws: int = 1000,
    chains: int = 4,
    seed: Seed = None,
    sampler: Literal["auto", "exact", "nuts"] = "auto",
    shared_prevalence: bool = True,
    force: bool = False,
    groups: Sequence[str] = (),
    **nuts_options: Any,
) -> Any:
    """Posterior draws of every entity's performance.

    Parameters
    ----------
    counts : xarray.DataArray
        Integer counts (entity, [dataset], actual, predicted), as made by :func:`bayesrank.from_counts` and its kin.
    model : {"dirichlet_multinomial", "beta_binomial"}
        How the counts arose: the cases drawn at random, or the numbers of negatives and positives set by design.
    prior : number, str, array_like, mapping or DataArray, optional
        Prior concentration α of each cell: a number for all; ``"uniform"`` (1, the default), ``"jeffreys"`` (1/2)
        or ``"haldane"`` (0); an array of shape (actual, predicted); a mapping from every entity to any of these;
        or a DataArray over any of the dims of ``counts``.
    prevalence : "sampled", "observed", number or DataArray, optional
        Where the class shares come from: drawn with the cases (default of the Dirichlet-multinomial), fixed at
        the observed ones (default of the beta-binomial), the prevalence of the positive class as a number, or
        labelled draws of it (dims among chain, draw, entity, dataset; with ``actual``: of all classes).
    draws, chains : int
        Draws in each chain, and chains.
    seed : int, SeedSequence or Generator, optional
        Of all randomness. Exact draws of an entity depend on the seed and its name alone, not on its neighbours.
    sampler : {"auto", "exact", "nuts"}
        "auto" draws exactly where the model is conjugate.
    shared_prevalence : bool
        Entities with the same data set, row totals and row prior share the draw of the row totals.
    force : bool
        Accept an improper prior although a rate has no information at all: its draws are 0, 1 or NaN.
    groups : sequence of str
        Extra groups: any of "prior", "prior_predictive", "posterior_predictive", "log_likelihood".
    **nuts_options
        Passed on to :func:`pymc.sample` (``tune``, ``target_accept``, ``progressbar``, ...).

    Returns
    -------
    arviz.InferenceData or xarray.DataTree
        What the installed ArviZ works with. Groups ``posterior`` with ``performance`` (chain, draw, entity,
        [dataset], actual, predicted), ``observed_data`` with ``counts``, ``constant_data`` with
        ``prior_concentration``, ``sample_stats`` for NUTS, and those asked for. A pair that was not measured has
        a performance of NaN.

    Raises
    ------
    ValueError, TypeError
        Naming the argument, what it held and what it should hold.
    KeyError
        If the model is unknown.

    References
    ----------
    Conjugacy: Gelman et al., Bayesian Data Analysis, 3rd ed., sections 2.4 and 3.4.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
    >>> posterior = br.fit(counts, "beta_binomial", seed=1)
    >>> br.as_performance(posterior).dims
    ('chain', 'draw', 'entity', 'actual', 'predicted')
    """
    counts = check_counts(counts)
    story = _story(model, counts)
    draws, chains = _positive("draws", draws), _positive("chains", chains)
    if sampler not in ("auto", "exact", "nuts"):
        raise ValueError(f"sampler must be 'auto', 'exact' or 'nuts'; got {sampler!r}")
    if nuts_options and sampler != "nuts":
        raise TypeError(f"options {sorted(nuts_options)} are for sampler='nuts'; got sampler={sampler!r}")
    if isinstance(groups, str) or not isinstance(groups, Sequence | set) or set(groups) - set(GROUPS):
        raise ValueError(f"groups must be a sequence with any of {GROUPS}; got {groups!r}")
    for argument, flag in (("shared_prevalence", shared_prevalence), ("force", force)):
        if not isinstance(flag, bool | np.bool_):
            raise TypeError(f"{argument} must be True or False; got {flag!r}")
    alpha = concentration(counts, prior)
    totals = _row_totals(counts, story.PREVALENCE if prevalence is None else prevalence)
    _check_proper(counts, alpha, totals, force)

    root = root_sequence(seed)
    result: dict[str, xr.Dataset] = {}
    test_sets = group_test_sets(counts.sum("predicted"), alpha.sum("predicted"), shared_prevalence)
    measured = counts.coords.get("measured")
    if sampler == "nuts":
        result |= _nuts(story, counts, alpha, totals, shared_prevalence, draws, chains, root, nuts_options)
    else:
        exact = story.posterior(counts, alpha)
        result["posterior"] = _draw(exact, totals, test_sets, measured, (chains, draws), root, "posterior")
    if {"prior", "prior_predictive"} & set(groups):
        if float(alpha.min()) <= 0:
            raise ValueError("groups cannot hold 'prior' where the prior is improper; got a concentration of 0")
        result["prior"] = _draw(alpha, totals, test_sets, measured, (chains, draws), root, "prior")
    result["observed_data"] = counts.rename("counts").to_dataset()
    result["constant_data"] = alpha.rename("prior_concentration").to_dataset()
    result["posterior"].attrs |= {
        "model": model,
        "sampler": "nuts" if sampler == "nuts" else "exact",
        "prior": _words(prior, "uniform"),
        "prevalence": _words(prevalence, story.PREVALENCE),
        "shared_prevalence": int(shared_prevalence),
        "seed": str(seed),
        "inference_library": "bayesrank",
        "inference_library_version": version("bayesrank"),
    }
    for name, source in (("prior_predictive", "prior"), ("posterior_predictive", "posterior")):
        if name in groups:
            performance = result[source]["performance"]
            result[name] = sample_counts(performance, counts, totals, root, name).to_dataset()
    if "log_likelihood" in groups:
        result["log_likelihood"] = _log_likelihood(result["posterior"]["performance"], counts, totals).to_dataset()
    return to_container({name: result[name] for name in result if name in groups or name not in GROUPS})


def concentration(counts: xr.DataArray, prior: Any = None) -> xr.DataArray:
    """The prior concentration of every cell, with the dims of ``counts``.

    Parameters
    ----------
    counts : xarray.DataArray
        Integer counts (entity, [dataset], actual, predicted).
    prior : number, str, array_like, mapping or DataArray, optional
        As for :func:`fit`.

    Returns
    -------
    xarray.DataArray
        Non-negative floats, named "prior_concentration".

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=80, fp=0, fn=3, tp=27)
    >>> concentration(counts, "jeffreys").values.tolist()
    [[[0.5, 0.5], [0.5, 0.5]]]
    """
    entities = counts["entity"].values.tolist()
    if isinstance(prior, Mapping):
        if set(prior) != set(entities):
            missing, extra = set(entities) - set(prior), set(prior) - set(entities)
            raise ValueError(f"prior must name every entity; got none for {missing or '{}'}, unknown {extra or '{}'}")
        each = [concentration(counts.sel(entity=[name]), prior[name]) for name in entities]
        return xr.concat(each, "entity")
    if isinstance(prior, xr.DataArray):
        values = _align("prior", prior, counts, counts.dims)
    else:
        values = _cell_prior(prior, counts.sizes["actual"])
    bad = ~((values >= 0) & (values < np.inf))
    if bad.any():
        raise ValueError(
            f"prior must hold non-negative finite concentrations for every cell; got {_first(values, bad)}"
        )
    ones = xr.ones_like(counts, dtype=float).drop_vars("measured", errors="ignore")
    return (ones * values).transpose(*counts.dims).rename("prior_concentration")


def _cell_prior(prior: Any, n_classes: int) -> xr.DataArray:
    if prior is None:
        prior = "uniform"
    if isinstance(prior, str):
        if prior not in PRIORS:
            raise ValueError(f"prior must be a number, an array or one of {list(PRIORS)}; got {prior!r}")
        prior = PRIORS[prior]
    try:
        values = np.asarray(prior, dtype=float)
    except (TypeError, ValueError):
        raise TypeError(f"prior must be a number, a name, an array or a mapping; got {type(prior).__name__}") from None
    if isinstance(prior, bool) or values.shape not in ((), (n_classes, n_classes)):
        raise ValueError(f"prior must be one number or of shape {(n_classes, n_classes)}; got {prior!r}")
    return xr.DataArray(np.broadcast_to(values, (n_classes, n_classes)), dims=OUTCOME)


def _row_totals(counts: xr.DataArray, prevalence: Any) -> xr.DataArray | str:
    """Known class shares (actual, and what dims they come with), or the word "sampled"."""
    if isinstance(prevalence, str):
        if prevalence not in ("sampled", "observed"):
            raise ValueError(f"prevalence must be 'sampled', 'observed', a number or a DataArray; got {prevalence!r}")
        if prevalence == "sampled":
            return "sampled"
        cases = counts.sum("predicted")
        total = cases.sum("actual")
        return (cases / total.where(total > 0)).drop_vars("measured", errors="ignore")
    if not isinstance(prevalence, xr.DataArray):
        if isinstance(prevalence, bool) or not isinstance(prevalence, int | float | np.number):
            raise TypeError(
                f"prevalence must be 'sampled', 'observed', a number or a DataArray; got {type(prevalence).__name__}"
            )
        prevalence = xr.DataArray(float(prevalence))
    names = [d for d in counts.dims if d != "predicted"]
    prevalence = _align("prevalence", prevalence, counts, ("chain", "draw", *names))
    outside = ~((prevalence >= 0) & (prevalence <= 1))
    if outside.any():
        raise ValueError(f"prevalence must lie between 0 and 1; got {_first(prevalence, outside)}")
    if "actual" in prevalence.dims:
        if bool((np.abs(prevalence.sum("actual") - 1) > 1e-6).any()):
            raise ValueError(f"prevalence must sum to 1 over actual; got {float(prevalence.sum('actual').max()):.6g}")
        return prevalence
    if counts.sizes["actual"] != 2:
        raise ValueError(
            f"prevalence must have the dim actual for {counts.sizes['actual']} classes; got {prevalence.dims}"
        )
    return xr.concat([1 - prevalence, prevalence], "actual").assign_coords(actual=counts["actual"].values)


def _align(argument: str, values: xr.DataArray, counts: xr.DataArray, dims: Sequence[Any]) -> xr.DataArray:
    """A labelled argument in the order of ``counts``; it has to name all that counts holds, and nothing else."""
    if values.dtype.kind not in "iuf":
        raise TypeError(f"{argument} must hold numbers; got dtype {values.dtype}")
    if set(values.dims) - set(dims):
        raise ValueError(f"{argument} must have dims among {', '.join(map(str, dims))}; got {values.dims}")
    for dim in set(values.dims) & set(counts.dims):
        wanted = counts[dim].values.tolist()
        if dim in values.coords:
            held = values[dim].values.tolist()
            if sorted(map(repr, held)) != sorted(map(repr, wanted)):
                raise ValueError(f"{argument} must name every {dim} of counts once, {wanted}; got {held}")
            values = values.sel({dim: wanted})
        elif values.sizes[dim] != len(wanted):
            raise ValueError(f"{argument} must hold {len(wanted)} values along {dim}; got {values.sizes[dim]}")
    return values.astype(float)


def _check_proper(counts: xr.DataArray, alpha: xr.DataArray, totals: Any, force: bool) -> None:
    """An improper prior is refused where a cell has neither prior nor cases, and a rate would be degenerate."""
    measured = counts["measured"] if "measured" in counts.coords else True
    empty = ((counts + alpha) <= 0) & measured
    if not force and bool(empty.any()):
        where = {d: empty[d].values.tolist()[i] for d, i in zip(empty.dims, np.argwhere(empty.values)[0], strict=True)}
        raise ValueError(
            f"prior must be positive where a cell has no cases, or a rate is degenerate; got concentration 0 and "
            f"count 0 at {where} (br.fit(..., force=True) accepts it)"
        )
    if isinstance(totals, xr.DataArray) and "actual" in totals.dims and bool(totals.isnull().any()):
        lacking = totals.isnull().any("actual") & measured
        if bool(lacking.any()):
            raise ValueError("prevalence cannot be 'observed' where an entity has no cases; got a table of zeros")


def _draw(
    concentration: xr.DataArray,
    totals: xr.DataArray | str,
    test_sets: tuple[xr.DataArray, list[str]],
    measured: xr.DataArray | None,
    shape: tuple[int, int],
    root: np.random.SeedSequence,
    purpose: str,
) -> xr.Dataset:
    """Exact draws of performance = row total × row; entities of one test set share the draw of its row totals."""
    cells = [d for d in concentration.dims if d not in OUTCOME]
    size = shape[0] * shape[1]
    rows = np.empty((size, *concentration.shape))
    for position in np.ndindex(*(concentration.sizes[d] for d in cells)):
        name = [concentration[d].values[i] for d, i in zip(cells, position, strict=True)]
        rows[:, *position] = dirichlet(stream(root, purpose, "row", *name), concentration.values[position], size)
    dims = ("chain", "draw", *concentration.dims)
    coords = {"chain": np.arange(shape[0]), "draw": np.arange(shape[1]), **concentration.coords}
    row = xr.DataArray(rows.reshape(*shape, *concentration.shape), coords, dims)
    if isinstance(totals, str):
        index, keys = test_sets
        row_concentration = concentration.sum("predicted").values
        shares = np.empty((size, *row_concentration.shape))
        for i, key in enumerate(keys):
            where = index.values == i
            shares[:, where] = dirichlet(stream(root, purpose, "row totals", key), row_concentration[where][0], size)[
                :, None
            ]
        total = row.isel(predicted=0, drop=True).copy(data=shares.reshape(*shape, *row_concentration.shape))
    else:
        total = _match_draws(totals, *shape)
    return _finish(row * total, dims, measured)


def _match_draws(totals: xr.DataArray, chains: int, draws: int) -> xr.DataArray:
    """Known row totals, after a check that draws of theirs are as many as ours."""
    for dim, size in (("chain", chains), ("draw", draws)):
        if dim in totals.dims and totals.sizes[dim] != size:
            raise ValueError(f"prevalence must hold {size} along {dim}; got {totals.sizes[dim]}")
    return totals.drop_vars(["chain", "draw"], errors="ignore")


def _finish(performance: xr.DataArray, dims: Sequence[Any], measured: xr.DataArray | None) -> xr.Dataset:
    """The posterior group: performance, NaN where nothing was measured."""
    performance = performance.transpose(*dims).drop_vars("measured", errors="ignore").rename("performance")
    if measured is not None:
        performance = performance.where(measured).assign_coords(measured=measured)
    return performance.to_dataset()


def _nuts(
    story: ModuleType,
    counts: xr.DataArray,
    alpha: xr.DataArray,
    totals: Any,
    shared: bool,
    draws: int,
    chains: int,
    root: np.random.SeedSequence,
    options: dict[str, Any],
) -> dict[str, xr.Dataset]:
    """The same posterior by PyMC's NUTS."""
    import pymc as pm

    if float(alpha.min()) <= 0:
        raise ValueError("prior must be positive for sampler='nuts'; got a concentration of 0")
    fixed = totals
    if isinstance(totals, xr.DataArray):
        # Any one draw of a known prevalence will do: the rows, which are what is sampled, do not depend on it.
        one = totals.isel(chain=0, draw=0, drop=True, missing_dims="ignore").fillna(1 / counts.sizes["actual"])
        fixed = (one * xr.ones_like(counts.isel(predicted=0, drop=True), dtype=float)).transpose(*counts.dims[:-1])
    options = {"progressbar": False, "cores": min(chains, 2)} | options
    with story.build(counts, alpha, fixed, shared):
        trace = pm.sample(draws=draws, chains=chains, random_seed=int(root.generate_state(1)[0]), **options)
    sampled = groups_of(trace)
    row = sampled["posterior"]["row"]
    if isinstance(totals, xr.DataArray):
        performance = row * _match_draws(totals, chains, draws)
    else:
        performance = sampled["posterior"]["performance"]
    posterior = _finish(performance, row.dims, counts.coords.get("measured"))
    return {"posterior": posterior, "sample_stats": sampled["sample_stats"]}


def _log_likelihood(performance: xr.DataArray, counts: xr.DataArray, totals: Any) -> xr.DataArray:
    """Log probability of each table, or of each of its rows where the row totals were known."""
    over = list(OUTCOME) if isinstance(totals, str) else ["predicted"]
    share = performance.sum(over, skipna=False)
    # A class without cases says nothing, whatever its rates: here the rates of a class of prevalence 0 are lost.
    p = (performance / share.where(share > 0)).where(counts.sum(over) > 0, 1.0)
    p = p.where(performance.notnull())
    choose = special.gammaln(counts.sum(over) + 1) - special.gammaln(counts + 1).sum(over)
    return (choose + special.xlogy(counts, p).sum(over, skipna=False)).transpose("chain", "draw", ...).rename("counts")


def _words(value: Any, default: str) -> str:
    """A prior or prevalence as the report names it."""
    if value is None or isinstance(value, str):
        return value or default
    return f"{float(value):g}" if np.ndim(value) == 0 and not isinstance(value, Mapping) else "given as an array"


def _story(model: str, counts: xr.DataArray) -> ModuleType:
    if not isinstance(model, str) or model not in MODELS:
        raise KeyError(f"model must be one of {list(MODELS)}; got {model!r}")
    if model == "beta_binomial" and counts.sizes["actual"] != 2:
        raise ValueError(
            f"model 'beta_binomial' needs two classes; counts has {counts.sizes['actual']} "
            "(use 'dirichlet_multinomial' with prevalence='observed', or br.one_vs_rest)"
        )
    return MODELS[model]


def _positive(argument: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{argument} must be a whole number; got {value!r}")
    if value < 1:
        raise ValueError(f"{argument} must be at least 1; got {value}")
    return int(value)


def _first(values: xr.DataArray, bad: xr.DataArray) -> float:
    return float(values.values[bad.values].ravel()[0])
