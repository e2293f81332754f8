"""Fit models to evidence: exact posterior draws where available, else the sampler of the model, or NUTS."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial, wraps
from importlib.metadata import version
from typing import Any, Literal, ParamSpec

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_choice, check_integer, describe_value
from bayesrank._core.chunks import Drawn, Sizes, chunk_sizes, draw_lazily
from bayesrank._core.compat import to_container
from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.keywords import arguments_of
from bayesrank._core.memory import check_memory
from bayesrank._core.notes import add_notes, notes_text
from bayesrank._core.nuts import LIBRARIES, TUNE, choose_by_name, sample, warn_of_chains
from bayesrank._core.random import Block, Seed, blocks_between, fingerprint, root_sequence, stream
from bayesrank._core.records import ModelRecord, SamplerRecord
from bayesrank._core.types import ModelName
from bayesrank.evidence.counts import hold_parts
from bayesrank.evidence.groups import datasets_as_groups, groups_as_datasets, has_groups
from bayesrank.evidence.kinds.given import parse_given
from bayesrank.evidence.pooled import record_text
from bayesrank.evidence.predictions import counts_of
from bayesrank.evidence.probabilities import probabilities_of
from bayesrank.evidence.weighting import check_whole_cases
from bayesrank.models import chosen_by_evidence, find_model, make_model, takes_cases

Options = ParamSpec("Options")

GROUPS = ("prior", "prior_predictive", "posterior_predictive", "log_likelihood", "log_prior")
#: Attrs of the evidence that the posterior keeps.
KEPT = (
    "notes",
    "pooled",
    "missing",
    "cases",
    "cases_left_out",
    "fewest_runs",
    "most_runs",
    "ledger",
    "dataset_weight_sums",
    "noun",
    "in_percent",
)


def _in_container(function: Callable[Options, dict[str, xr.Dataset]]) -> Callable[Options, Any]:
    """Decorate a function so that it returns its groups as the container of the installed ArviZ."""

    @wraps(function)
    def wrapped(*args: Options.args, **kwargs: Options.kwargs) -> Any:
        return to_container(function(*args, **kwargs))

    return wrapped


@check_call
@_in_container
def fit(
    evidence: Any,
    model: ModelName | None = None,
    *,
    draws: int = 1000,
    chains: int = 4,
    seed: Seed = None,
    sampler: Literal["auto", "exact", "nuts", "nutpie", "numpyro"] = "auto",
    groups: Sequence[str] = (),
    nuts: Mapping[str, Any] | None = None,
    chunks: Any = None,
    **options: Any,
) -> Any:
    """Draw from the posterior of every entity's performance.

    Parameters
    ----------
    evidence : xarray.DataArray or Dataset
        One of:

        - counts (entity, [dataset or group], actual, predicted) or, without classes, over
          ``outcome``, as from :func:`bayesrank.from_counts`;
        - joint outcomes of single cases, as from :func:`bayesrank.joint_outcomes` and
          :func:`bayesrank.from_outcomes`;
        - means with standard errors, from :func:`bayesrank.from_frame`;
        - votes, from :func:`bayesrank.from_votes`;
        - scores of folds, from :func:`bayesrank.from_folds`.

        Entities with the same value of the coord ``test_set`` (entity, [dataset]) have the same
        cases. Without this coord, entities with equal class sizes are assumed to have seen the same
        cases.
    model : str or class, optional
        One of :mod:`bayesrank.models`, or a class:

        - ``"dirichlet_multinomial"`` (default for counts): random cases;
        - ``"hierarchical_classes"``: recalls of classes share a mean and a spread. Default for
          three or more classes with fewer than 200 cases of a class, unless a ``prior`` or importance
          weights are given;
        - ``"beta_binomial"``: class sizes fixed by design;
        - ``"paired"`` (default for joint outcomes): all entities saw the same cases;
        - ``"crossed_logit_normal"``: entities are compared within data sets. Default for several
          entities on three or more data sets with two classes or outcomes, up to 600 tables, unless
          cases have clusters or weights;
        - ``"hierarchical_logit_normal"``: the bivariate model of meta-analyses. Default for one
          entity there;
        - ``"hierarchical_beta_binomial"`` (default for two classes or outcomes in groups): the
          groups of an entity have equal rates with prior probability 0.25, otherwise exchangeable
          ones. So chance does not exaggerate their gap;
        - ``"normal_means"`` (default for means): independent normal errors;
        - ``"correlated_folds"`` (default for scores of folds): overlapping training sets.

        Models of counts ignore the pairing of joint outcomes, and a note says so.
    draws, chains : int
        Number of draws in each chain, and number of chains.
    seed : int, SeedSequence or Generator, optional
        Seed of all random numbers. Exact draws of an entity depend only on the seed and on its name
        and evidence. A longer run starts with the draws of a shorter one.
    sampler : {"auto", "exact", "nuts", "nutpie", "numpyro"}
        "auto" draws exactly if the model can, else with the model's own sampler unless ``nuts`` is
        given, else by NUTS. "nutpie" and "numpyro" are NUTS by these libraries, which must be
        installed.
    groups : sequence of str
        Extra groups: any of "prior", "prior_predictive", "posterior_predictive", "log_likelihood",
        "log_prior".
    nuts : mapping, optional
        Arguments of :func:`pymc.sample` (``tune``, ``target_accept``, ``progressbar``, ...). By
        default ``nuts_sampler`` is nutpie if installed, else PyMC's.
    chunks : int, "auto" or mapping, optional
        Return lazy (Dask) draws in chunks of this many draws, a multiple of 1,000, or as in
        :meth:`xarray.Dataset.chunk`. Their values equal those of draws in memory. The model must
        have exact draws.
    **options
        Options of the model. Models of counts take:

        - ``prior``: concentration α of each cell: ``"one_case"`` (default: one case, half of it
          right and half wrong, of each of two classes; of more classes, and without classes, one in
          all), ``"four_cases"`` (two cases spread over the diagonal, two over the other cells;
          without classes, four over all outcomes), ``"uniform"`` (1), ``"jeffreys"`` (1/2),
          ``"haldane"`` (0: the rates of a class with an empty cell are NaN), ``"unit"`` (1/2 on the
          diagonal and 1/2 over the other cells of each class; default of hierarchical models), a
          number, an array (actual, predicted), a mapping from entities to any of these, or a
          DataArray;
        - ``prevalence``: ``"sampled"`` with the cases (default of the Dirichlet-multinomial),
          ``"observed"`` (default of the beta-binomial), the share of the positive class, or
          labelled draws of it;
        - ``target`` (``"paired"`` with clusters): equal weights for ``"case"`` (default) or
          ``"cluster"``;
        - ``range=(low, high)`` (``"paired"`` with numeric outcomes): their bounds; the prior counts
          as half a case at each. ``base``: a mapping from values to prior cases, instead;
        - ``spread`` (hierarchical models): scale of the prior on the differences between data sets,
          as a share of the largest possible standard deviation of rates (default 0.25); in logits
          for ``"hierarchical_logit_normal"`` (default 1) and ``"crossed_logit_normal"`` (default 1,
          and twice as much for the difficulty of data sets);
        - ``split_prior=True``: divide the prior by the number of data sets, for
          :func:`bayesrank.performance.mean_over_datasets`;
        - ``force=True``: accept entities without cases, and take a cell with neither cases nor a
          prior as impossible.

    Returns
    -------
    arviz.InferenceData or xarray.DataTree
        The type depends on the installed ArviZ. Groups:

        - ``posterior``: ``performance`` (chain, draw, entity, [dataset], actual, predicted) and, if
          sampled, ``prevalence`` (chain, draw, test_set, actual). Without classes: ``mean_outcome``
          (chain, draw, entity, [dataset]) and, for few values, ``performance`` over ``outcome``.
          (entity, dataset) pairs that were not measured are NaN;
        - ``observed_data``: ``counts``; ``constant_data``: ``prior_concentration``;
        - ``sample_stats`` of NUTS, with diagnostics as attrs;
        - the groups of ``groups``. ``log_likelihood`` holds ``counts`` (given the row totals) and
          ``row_totals`` (once for each test set). If pairs are missing, ``counts`` has the dim
          ``table``.

    Raises
    ------
    ValueError, TypeError, KeyError
        If the model is unknown or does not suit the evidence; if it lacks a requested option, exact
        draws or NUTS; if an entity has no cases (unless ``force=True``), a group is unknown, or the
        draws exceed the memory.

    Warns
    -----
    UserWarning
        If the chains of a sampled model are not reliable; the message says what to change.

    References
    ----------
    Conjugacy: Gelman et al., Bayesian Data Analysis, 3rd ed., sections 2.4 and 3.4.

    Examples
    --------
    >>> counts = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
    >>> posterior = br.fit(counts, "beta_binomial", seed=1)
    >>> br.as_performance(posterior).dims
    ('chain', 'draw', 'entity', 'actual', 'predicted')
    """
    shape = check_integer("chains", chains, 1), check_integer("draws", draws, 1)
    check_choice("sampler", sampler, ("auto", "exact", "nuts", *LIBRARIES))
    _check_groups(groups)
    _check_nuts(nuts)
    if sampler in LIBRARIES:
        nuts = choose_by_name(sampler, nuts)
        sampler = "nuts"
    chosen = model is None
    model = chosen_by_evidence(evidence, options=options) if chosen else model
    chosen_by = "evidence" if chosen else "user"
    if isinstance(evidence, xr.DataArray | xr.Dataset) and has_groups(evidence):
        options |= {"draws": draws, "chains": chains, "seed": seed, "sampler": sampler}
        options |= {"groups": groups, "nuts": nuts, "chunks": chunks}
        drawn = draw_groups(groups_as_datasets(evidence), model, **options)
        drawn["posterior"].attrs |= {"model_chosen_by": chosen_by, "stratum": "group"}
        names = pd.unique(evidence["group"].values)
        return {name: datasets_as_groups(group, names) for name, group in drawn.items()}
    evidence = _evidence_for(model, evidence)
    instance = make_model(model, evidence, options, arguments_of(fit))
    exactly = _draws_exactly(instance, sampler, nuts)
    root = root_sequence(seed)
    result = dict(instance.observed())
    observed = _with_parts(result.get("observed_data", xr.Dataset()))
    result |= {"observed_data": observed} if "observed_data" in result else {}
    # The observed tables or means, if there are any.
    table = next(
        (observed[name] for name in ("counts", "mean_outcome") if name in observed.data_vars), None
    )
    sizes = _chunk_sizes(instance, chunks, shape, table, exactly)
    if exactly:
        result["posterior"] = _draw_exactly(instance, "posterior", shape, root, sizes)
    else:
        options_of_nuts = None if sampler == "auto" and nuts is None else dict(nuts or {})
        result |= _sample(instance, shape, root, result, options_of_nuts)
    if {"prior", "prior_predictive"} & set(groups):
        _check_method(instance, "draw" if hasattr(instance, "draw") else "draw_prior", "prior")
        prior = _draw_exactly(instance, "prior", shape, root, sizes)
        result["prior"] = prior.assign_attrs(kind=instance.kind)
    _add_groups(result, groups, instance, root, table)
    used = SamplerRecord.of(result["sample_stats"]).sampler if "sample_stats" in result else "exact"
    record = ModelRecord(
        model=model if isinstance(model, str) else type(instance).__name__,
        model_chosen_by=chosen_by,
        words=instance.words,
        kind=instance.kind,
        sampler=used,
        nuts=json.dumps(dict(nuts), default=str) if nuts else None,
        seed=str(seed),
        priors=notes_text(instance.priors()) if hasattr(instance, "priors") else "",
    )
    result["posterior"].attrs |= {
        **add_notes(_provenance(evidence), getattr(instance, "notes", ())),
        **instance.settings,
        **record.to_attrs(),
        "inference_library": "bayesrank",
        "inference_library_version": _own_version(),
    }
    order = ("posterior", "sample_stats", *GROUPS, "observed_data", "constant_data")
    retained = [name for name in order if name in result and (name in groups or name not in GROUPS)]
    for name in {"posterior", "prior"} & set(retained):
        result[name] = _without_descriptions(result[name], observed)
    return {name: result[name] for name in retained}


def _check_groups(groups: Any) -> None:
    is_sequence = isinstance(groups, Sequence | set) and not isinstance(groups, str)
    if not is_sequence or any(name not in GROUPS for name in groups):
        raise ArgumentError(
            "groups", f"must be a sequence with any of {GROUPS}", describe_value(groups)
        )


def _check_nuts(nuts: Any) -> None:
    if nuts is None:
        return
    if not isinstance(nuts, Mapping):
        raise ArgumentTypeError(
            "nuts", "must be a mapping of arguments of pymc.sample", describe_value(nuts)
        )
    reserved = {"draws", "chains", "random_seed"} & set(nuts)
    if reserved:
        raise ArgumentError(
            "nuts",
            "must not contain draws, chains or a seed: these are arguments of br.fit",
            sorted(reserved),
        )


def _draws_exactly(instance: Any, sampler: str, nuts: Mapping[str, Any] | None) -> bool:
    """Return whether draws are exact; raise an error if the model has no such sampler."""
    has_exact = hasattr(instance, "draw")
    name = type(instance).__name__
    if sampler == "exact" and not has_exact:
        requirement = f"must be 'nuts' or 'auto' for {name}, which has no exact draws"
        raise ArgumentError("sampler", requirement)
    if sampler == "nuts" and not hasattr(instance, "build"):
        requirement = f"must be 'auto' or 'exact' for the model {name}"
        raise ArgumentError("sampler", requirement, "'nuts'")
    if nuts is not None and sampler != "nuts" and has_exact:
        raise ArgumentError(
            "nuts", "cannot be used unless sampler='nuts'", f"it with sampler={sampler!r}"
        )
    return has_exact and sampler != "nuts"


def _with_parts(observed: xr.Dataset) -> xr.Dataset:
    """Return the observed data with the counts that were pooled, and the record of pooling as text."""
    if "counts" not in observed.data_vars:
        return observed
    # The attrs of the variable record the pooling, also in a file.
    attrs = observed["counts"].attrs
    if parts := hold_parts(observed["counts"]):
        observed = observed.assign(parts)
    if "pooled" in attrs:
        observed["counts"].attrs = attrs | {"pooled": record_text(attrs["pooled"])}
    return observed


def _chunk_sizes(
    instance: Any,
    chunks: Any,
    shape: tuple[int, int],
    table: xr.DataArray | None,
    exactly: bool,
) -> Sizes | None:
    """Return the sizes of lazy chunks, if the model can draw them; check that other draws fit into the memory."""
    if chunks is None:
        if table is not None:
            unit = "cells" if table.name == "counts" else "means"
            size = f"{' x '.join(map(str, table.shape))} {unit}"
            drawn = f"{shape[0]} x {shape[1]} draws of {size}"
            arguments = f"draws={shape[1]}, chains={shape[0]}"
            check_memory("draws must be fewer", drawn, (*shape, table.size), arguments)
        return None
    if not exactly:
        why = "sampler='nuts'" if hasattr(instance, "draw") else "which has no exact draws"
        raise ArgumentError(
            "chunks",
            f"must be None for {type(instance).__name__}, {why}: its sampler holds all draws (.chunk makes "
            "chunks of them)",
        )
    return chunk_sizes(chunks, shape, 1 if table is None else table.size)


def _add_groups(
    result: dict[str, xr.Dataset],
    groups: Sequence[str],
    instance: Any,
    root: np.random.SeedSequence,
    table: xr.DataArray | None,
) -> None:
    """Add the requested groups that are computed from draws of the posterior or the prior."""
    for name in ("prior_predictive", "posterior_predictive"):
        if name in groups:
            _check_method(instance, "replicate", name)
            result[name] = instance.replicate(result[name.removesuffix("_predictive")], root, name)
    for name in ("log_likelihood", "log_prior"):
        if name in groups:
            _check_method(instance, name, name)
            result[name] = _measured_only(getattr(instance, name)(result["posterior"]), table)


def _without_descriptions(group: xr.Dataset, observed: xr.Dataset) -> xr.Dataset:
    """Drop the coords that describe entities and data sets, which ArviZ cannot handle: ``observed`` has them."""
    described = [
        name
        for name, coord in group.coords.variables.items()
        if coord.dims and name not in group.dims
    ]
    return group.drop_vars([name for name in described if name in observed.coords])


@check_call
def to_pymc(evidence: Any, model: ModelName | type | None = None, **options: Any) -> Any:
    """Return the PyMC model of the evidence, to look at, extend, and sample.

    Parameters
    ----------
    evidence : DataArray or Dataset
        Counts, outcomes, means, votes or scores of folds, as for :func:`fit`.
    model : str or type, optional
        As for :func:`fit`; the default is the model that :func:`fit` would choose.
    **options
        Options of the model, as for :func:`fit`.

    Returns
    -------
    pymc.Model
        The evidence is observed. The model has the variables to rank, with their dims and coords:
        ``performance`` (entity, [dataset], actual, predicted) or (entity, [dataset], outcome), for
        hierarchical models also ``performance_typical`` and ``performance_new`` (entity, ...); for
        numeric outcomes ``mean_outcome`` (entity,
        ...); for votes ``strength`` and ``win_probability`` (entity). Therefore :func:`credible_ranking` accepts the
        result of :func:`pymc.sample`. Pairs that were not measured are NaN.

    Raises
    ------
    ArgumentError
        If the model has no PyMC graph (``paired``, ``partial_truth``, ``bayesian_bootstrap`` and
        ``retrained`` draw random weights of cases), the evidence has weighted cases, or the
        prevalence is given as draws.

    See Also
    --------
    fit : Draw from the posterior, exactly or by compiled samplers where there are any.

    Examples
    --------
    >>> counts = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
    >>> graph = br.to_pymc(counts, "beta_binomial")
    >>> sorted(variable.name for variable in graph.unobserved_RVs)
    ['performance', 'rate']
    >>> list(graph.named_vars_to_dims["performance"])
    ['entity', 'actual', 'predicted']
    """
    model = chosen_by_evidence(evidence, options=options) if model is None else model
    evidence = _evidence_for(model, evidence)
    instance = make_model(model, evidence, options)
    make = getattr(instance, "graph", None) or getattr(instance, "build", None)
    name = model if isinstance(model, str) else type(instance).__name__
    if make is None:
        raise ArgumentError(
            "model",
            "must have a PyMC graph",
            f"{name!r}, which draws random weights of cases",
            NO_GRAPH,
        )
    check_whole_cases(evidence, "evidence", "for a PyMC model")
    result = make()
    if not RANKED & set(result.named_vars):
        raise ArgumentError(
            "prevalence",
            "must be 'sampled', 'observed' or a number for a PyMC model",
            "draws of a prevalence",
        )
    return result


#: What can be done about a model without a PyMC graph, and the variables that can be ranked.
NO_GRAPH = "models of counts have one: br.to_pymc(br.from_frame(...), 'dirichlet_multinomial'), which ignores pairing"
RANKED = {"performance", "mean_outcome", "strength"}


#: The groups of :func:`fit` by name, without importing ArviZ, which takes longer than most fits.
draw_groups: Callable[..., dict[str, xr.Dataset]] = fit.__wrapped__.__wrapped__  # type: ignore[attr-defined]


def _evidence_for(model: Any, evidence: Any) -> Any:
    """Return the evidence in the form that a named model takes."""
    if isinstance(model, str) and getattr(find_model(model), "takes", "") == "probabilities":
        return probabilities_of(evidence)
    parsed = parse_given(evidence)
    cases = parsed.of_cases and not parsed.truth_in_part
    return (
        counts_of(evidence)
        if cases and isinstance(model, str) and not takes_cases(model)
        else evidence
    )


def _provenance(evidence: Any) -> dict[str, Any]:
    """Return the record of how the evidence was assembled, as attrs of the posterior."""
    result = {name: evidence.attrs[name] for name in KEPT if name in getattr(evidence, "attrs", {})}
    if "pooled" in result:
        result["pooled"] = record_text(result["pooled"])
    if isinstance(evidence, xr.Dataset) and "cluster" in evidence.coords:
        result["clusters"] = len(set(evidence["cluster"].values.tolist()))
    return result


@cache
def _own_version() -> str:
    return version("bayesrank")  # cached, since each call reads a file


def _draw_exactly(
    instance: Any,
    group: str,
    shape: tuple[int, int],
    root: np.random.SeedSequence,
    sizes: Sizes | None,
) -> xr.Dataset:
    """Return exact draws of all blocks, or lazily of the blocks of each chunk."""
    coords = {"chain": np.arange(shape[0]), "draw": np.arange(shape[1])} | instance.coords()
    draw = partial(_draw_blocks, instance, group, root)
    drawn = (
        draw(blocks_between(0, shape[0], 0, shape[1], shape))
        if sizes is None
        else draw_lazily(draw, sizes)
    )
    return xr.Dataset(drawn, coords)


def _draw_blocks(
    instance: Any, group: str, root: np.random.SeedSequence, blocks: Sequence[Block]
) -> Drawn:
    """Draw blocks (chain, draw, ...), the same ones in each chain; all at once if the model can."""
    shape = len({block.chain for block in blocks}), -1
    if hasattr(instance, "draws"):
        return {
            name: (("chain", *map(str, part.dims)), part.values.reshape(*shape, *part.shape[1:]))
            for name, part in instance.draws(group, blocks, root).items()
        }
    starts = np.cumsum([0, *(block.size for block in blocks)])
    found: dict[str, tuple[tuple[str, ...], np.ndarray]] = {}
    for i, block in enumerate(blocks):
        drawn = (
            instance.draw(group, block, root)
            if hasattr(instance, "draw")
            else instance.draw_prior(block, root)
        )
        for name, part in drawn.items():
            if not i:
                found[name] = (
                    ("chain", *map(str, part.dims)),
                    np.empty((starts[-1], *part.shape[1:])),
                )
            found[name][1][starts[i] : starts[i + 1]] = part.values
    return {
        name: (dims, part.reshape(*shape, *part.shape[1:])) for name, (dims, part) in found.items()
    }


def _sample(
    instance: Any,
    shape: tuple[int, int],
    root: np.random.SeedSequence,
    observed: Mapping[str, xr.Dataset],
    options: dict[str, Any] | None,
) -> dict[str, xr.Dataset]:
    """Draw with the model's own sampler, if there is one and no options of NUTS are given; else with NUTS.

    The seed of NUTS depends on the evidence.
    """
    tune = TUNE
    if options is None and hasattr(instance, "sample_chains"):
        sampled = instance.sample_chains(shape, root)
    else:
        evidence = [
            group[name].values
            for group in observed.values()
            for name in sorted(map(str, group.variables))
        ]
        seed = int(
            stream(root, "nuts", type(instance).__name__, fingerprint(*evidence)).integers(2**31)
        )
        options = getattr(instance, "nuts", {}) | (options or {})
        sampled = sample(instance.build(), shape, seed, options)
        tune = options.get("tune", TUNE)
    stats = sampled["sample_stats"]
    warn_of_chains(stats, shape[0], tune)
    posterior = instance.performances(sampled["posterior"], root)
    if hasattr(instance, "coords"):
        posterior = posterior.assign_coords(
            {k: v for k, v in instance.coords().items() if k not in posterior.coords}
        )
    return {"posterior": posterior, "sample_stats": stats}


def _check_method(instance: Any, method: str, group: str) -> None:
    if not hasattr(instance, method):
        hint = " (br.sensitivity scales priors by refitting)" if group == "log_prior" else ""
        raise ArgumentError(
            "groups",
            f"cannot include {group!r} for {type(instance).__name__}, which has no method {method!r}{hint}",
        )


def _measured_only(log_likelihood: xr.Dataset, counts: xr.DataArray | None) -> xr.Dataset:
    """Return log-likelihoods along ``table``, without tables that were not measured, since ArviZ cannot skip them."""
    measured = None if counts is None else counts.coords.get("measured")
    pair = ["entity", "dataset"]
    if (
        measured is None
        or bool(measured.all())
        or "counts" not in log_likelihood
        or not set(pair) <= set(log_likelihood["counts"].dims)
    ):
        return log_likelihood
    retained = measured.transpose(*pair).values.ravel()
    tables = (
        log_likelihood["counts"]
        .drop_vars("measured", errors="ignore")
        .stack(table=pair)
        .isel(table=retained)
    )
    return log_likelihood.drop_vars(["counts", "measured", *pair], errors="ignore").assign(
        counts=tables.reset_index("table")
    )
