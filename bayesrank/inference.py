"""Evidence and a model give a posterior: exact draws where the model has them, NUTS elsewhere.

The result is an ArviZ container whose posterior holds ``performance``: for every draw and entity the probabilities of
the outcomes. Everything to the right (scores, rankings, maps) is a function of it. What a model is, the models say:
nothing here knows one by name.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache, partial
from importlib.metadata import version
from typing import Any, Literal

import numpy as np
import xarray as xr

from bayesrank._checks import check_choice, check_integer, check_memory, describe_value
from bayesrank._chunks import Drawn, Sizes, chunk_sizes, draw_lazily
from bayesrank._compat import get_variable, to_container
from bayesrank._nuts import TUNE, sample, warn_of_chains
from bayesrank._random import Block, Seed, blocks, fingerprint, root_sequence, stream
from bayesrank._types import ModelName
from bayesrank.evidence._case_counts import counts_of
from bayesrank.evidence._pooled import record_text
from bayesrank.evidence.counts import hold_parts
from bayesrank.models import chosen_by_evidence, make_model, takes_cases

__all__ = ["draw_groups", "fit"]

GROUPS = ("prior", "prior_predictive", "posterior_predictive", "log_likelihood", "log_prior")
#: What is known of how evidence was put together, which the posterior keeps.
KEPT = ("note", "pooled", "missing", "cases", "cases_left_out", "fewest_runs", "most_runs")


def fit(
    evidence: Any,
    model: ModelName | None = None,
    *,
    draws: int = 1000,
    chains: int = 4,
    seed: Seed = None,
    sampler: Literal["auto", "exact", "nuts"] = "auto",
    groups: Sequence[str] = (),
    nuts: Mapping[str, Any] | None = None,
    chunks: Any = None,
    **options: Any,
) -> Any:
    """Posterior draws of every entity's performance.

    Parameters
    ----------
    evidence : xarray.DataArray or Dataset
        What the model takes; integer counts (entity, [dataset], actual, predicted), as made by
        :func:`bayesrank.from_counts` and its kin, for the models of tables. A coord ``test_set`` (entity, [dataset])
        of them names which entities met the same cases; without it those with equal class sizes did. Counts (entity,
        [dataset], outcome) of outcomes without classes, for ``"dirichlet_multinomial"`` and the hierarchical
        models. Joint outcomes of single cases, as from :func:`bayesrank.joint_outcomes` and
        :func:`bayesrank.from_outcomes`, for ``"paired"``; other models named here take their counts by data set, and a
        note says that pairing is not used.
    model : str or class, optional
        How the evidence arose: ``"dirichlet_multinomial"``, the cases drawn at random; ``"beta_binomial"``, the
        numbers of negatives and positives set by design; ``"paired"``, all entities met the same cases, which are
        known one by one; or a class like those in :mod:`bayesrank.models`. By default the evidence decides:
        ``"paired"`` for joint outcomes, ``"dirichlet_multinomial"`` for counts.
    draws, chains : int
        Draws in each chain, and chains.
    seed : int, SeedSequence or Generator, optional
        Of all randomness. Exact draws of an entity depend on the seed, its name and its evidence, not on its
        neighbours; the first draws of a longer run are those of a shorter one.
    sampler : {"auto", "exact", "nuts"}
        "auto" draws exactly where the model can. Elsewhere it uses the model's own sampler, if there is one and
        ``nuts`` is not given, and NUTS otherwise.
    groups : sequence of str
        Extra groups: any of "prior", "prior_predictive", "posterior_predictive", "log_likelihood", "log_prior".
    nuts : mapping, optional
        Arguments of :func:`pymc.sample` (``tune``, ``target_accept``, ``progressbar``, ...); ``nuts_sampler``: by
        default nutpie where it is installed, else PyMC's. On a terminal a bar says how far it is.
    chunks : int, "auto" or mapping, optional
        Draws of a chain in a chunk: the draws are then lazy (Dask), drawn chunk by chunk whenever they are used, and
        never held together; the numbers are those that are held without. As for :meth:`xarray.Dataset.chunk`: -1 is a
        whole chain, "auto" what Dask's ``array.chunk-size`` suggests, and a mapping tells ``chain`` (by default 1
        in a chunk) and ``draw``. Whole blocks of 1,000 draws, since each of these comes from random streams of its
        own; other chunks are refused. For models with exact draws. Needs Dask.
    **options
        The model's own; for the models of tables:

        - ``prior``: concentration α of each cell: ``"four_cases"`` (the default: two cases spread over the diagonal,
          two over the other cells; for two classes the uniform prior; of outcomes without classes four spread over
          all), ``"uniform"`` (1), ``"jeffreys"`` (1/2),
          ``"haldane"`` (0), ``"unit"`` (for each class 1/2 on the diagonal and 1/2 over the other cells: the default
          of hierarchical models, where it is worth one data set), a number, an array (actual, predicted), a mapping
          from every entity to any of these, or a DataArray over any dims of the counts;
        - ``prevalence``: ``"sampled"`` with the cases (default of the Dirichlet-multinomial), ``"observed"`` (default
          of the beta-binomial), the prevalence of the positive class as a number, or labelled draws of it;
        - ``shared_prevalence=False``: entities of one test set have a prevalence each (not of ``"paired"``);
        - ``target``, of ``"paired"`` with cases in clusters: ``"case"`` (the default, all cases weigh the same) or
          ``"cluster"`` (all clusters do);
        - ``range=(low, high)``, of ``"paired"`` with outcomes that are numbers: between which they lie, so that the
          prior counts as two cases at each end; ``base``, from values to the cases that each counts as;
        - ``spread``, of hierarchical models: the scale of the prior of how much data sets differ, by default 0.25 as a
          share of the largest standard deviation of rates, and 1 in logits for ``"hierarchical_logit_normal"``;
        - ``split_prior=True`` divides the prior by the number of data sets, for means over them
          (:func:`bayesrank.performance.mean_over_datasets`);
        - ``force=True`` accepts an entity without cases, and a rate that nothing is known of.

    Returns
    -------
    arviz.InferenceData or xarray.DataTree
        What the installed ArviZ works with. Groups: ``posterior`` with ``performance`` (chain, draw, entity,
        [dataset], actual, predicted), and ``prevalence`` (chain, draw, test_set, actual) where it is sampled;
        ``observed_data`` with ``counts``; ``constant_data`` with ``prior_concentration``; ``sample_stats`` of NUTS,
        whose attrs tell divergences, the largest R-hat and the fewest effective draws; and those asked for. Of outcomes
        without classes the posterior holds ``mean_outcome`` (chain, draw, entity, [dataset]), and ``performance`` over
        ``outcome`` where these have few values. A pair that was not measured has a performance of NaN.
        ``log_likelihood`` holds ``counts``, of the rows of each table given their totals, and ``row_totals``, those of
        each test set once. Where some pairs were not measured, ``counts`` is over ``table`` instead of (entity,
        dataset), which are its coords.

    Raises
    ------
    ValueError, TypeError
        Naming the argument, what it held and what it should hold.
    KeyError
        If the model is unknown.

    Warns
    -----
    UserWarning
        If the chains of a sampled model cannot be trusted, and what to do about it.

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
    return to_container(
        draw_groups(
            evidence,
            model,
            draws=draws,
            chains=chains,
            seed=seed,
            sampler=sampler,
            groups=groups,
            nuts=nuts,
            chunks=chunks,
            **options,
        )
    )


def draw_groups(
    evidence: Any,
    model: Any = None,
    *,
    draws: int = 1000,
    chains: int = 4,
    seed: Seed = None,
    sampler: Literal["auto", "exact", "nuts"] = "auto",
    groups: Sequence[str] = (),
    nuts: Mapping[str, Any] | None = None,
    chunks: Any = None,
    **options: Any,
) -> dict[str, xr.Dataset]:
    """Return the groups of :func:`fit` by name, without ArviZ, which takes longer to import than most fits take."""
    shape = check_integer("chains", chains, 1), check_integer("draws", draws, 1)
    check_choice("sampler", sampler, ("auto", "exact", "nuts"))
    if isinstance(groups, str) or not isinstance(groups, Sequence | set) or [g for g in groups if g not in GROUPS]:
        raise ValueError(f"groups must be a sequence with any of {GROUPS}; got {describe_value(groups)}")
    if nuts is not None and not isinstance(nuts, Mapping):
        raise TypeError(f"nuts must be a mapping of arguments of pymc.sample; got {describe_value(nuts)}")
    taken = {"draws", "chains", "random_seed"} & set(nuts or {})
    if taken:
        raise ValueError(f"nuts must not hold draws, chains or a seed, which are arguments of fit; got {sorted(taken)}")
    chosen = model is None
    model = chosen_by_evidence(evidence) if chosen else model
    evidence = _evidence_for(model, evidence)
    story = make_model(model, evidence, options)
    exact = hasattr(story, "draw")
    if sampler == "exact" and not exact:
        raise ValueError(f"sampler must be 'nuts' or 'auto' for {type(story).__name__}, which has no exact draws")
    if nuts is not None and sampler != "nuts" and exact:
        raise ValueError(f"nuts must be left out unless sampler='nuts'; got it with sampler={sampler!r}")
    root = root_sequence(seed)
    result = dict(story.observed())
    sizes = None
    if "counts" in (observed := result.get("observed_data", xr.Dataset())).data_vars:
        # A variable holds the tables that were pooled, also in a file.
        kept = observed["counts"].attrs
        result["observed_data"] = observed = observed.assign(hold_parts(observed["counts"]))
        if "pooled" in kept:
            observed["counts"].attrs = kept | {"pooled": record_text(kept["pooled"])}
    if chunks is None:
        _check_memory(result, shape)
    else:
        _check_lazy(story, exact and sampler != "nuts")
        sizes = chunk_sizes(chunks, shape, _numbers(result))

    if exact and sampler != "nuts":
        result["posterior"] = _exact(story, "posterior", shape, root, sizes)
    else:
        result |= _sampled(story, shape, root, result, None if sampler == "auto" and nuts is None else dict(nuts or {}))
    if {"prior", "prior_predictive"} & set(groups):
        _needs(story, "draw" if exact else "draw_prior", "prior")
        result["prior"] = _exact(story, "prior", shape, root, sizes).assign_attrs(kind=story.kind)
    for name in ("prior_predictive", "posterior_predictive"):
        if name in groups:
            _needs(story, "replicate", name)
            result[name] = story.replicate(result[name.removesuffix("_predictive")], root, name)
    for name in ("log_likelihood", "log_prior"):
        if name in groups:
            _needs(story, name, name)
            result[name] = _of_measured(getattr(story, name)(result["posterior"]), _observed(result))
    sampler = result["sample_stats"].attrs.get("sampler", "nuts") if "sample_stats" in result else "exact"
    result["posterior"].attrs |= (
        _provenance(evidence)
        | story.settings
        | {
            "model": model if isinstance(model, str) else type(story).__name__,
            "model_chosen_by": "evidence" if chosen else "user",
            "words": story.words,
            "kind": story.kind,
            "sampler": sampler,
            **({"nuts": json.dumps(dict(nuts), default=str)} if nuts else {}),
            "seed": str(seed),
            "inference_library": "bayesrank",
            "inference_library_version": _own_version(),
        }
    )
    order = ("posterior", "sample_stats", *GROUPS, "observed_data", "constant_data")
    kept = [name for name in order if name in result and (name in groups or name not in GROUPS)]
    for name in ("posterior", "prior"):
        if name in kept:
            result[name] = _plain_coords(result[name], result.get("observed_data", xr.Dataset()))
    return {name: result[name] for name in kept}


def _evidence_for(model: Any, evidence: Any) -> Any:
    """The evidence in the form that a model known by name takes."""
    cases = isinstance(evidence, xr.Dataset) and "pattern" in evidence.dims
    return counts_of(evidence) if cases and isinstance(model, str) and not takes_cases(model) else evidence


def _provenance(evidence: Any) -> dict[str, Any]:
    """How the evidence was put together, as attrs of the posterior."""
    found = {name: evidence.attrs[name] for name in KEPT if name in getattr(evidence, "attrs", {})}
    if "pooled" in found:
        found["pooled"] = record_text(found["pooled"])
    if isinstance(evidence, xr.Dataset) and "cluster" in evidence.coords:
        found["clusters"] = len(set(evidence["cluster"].values.tolist()))
    return found


def _plain_coords(group: xr.Dataset, observed: xr.Dataset) -> xr.Dataset:
    """Leave out coords that describe entities and data sets: ``observed_data`` has them, and ArviZ stumbles on them.

    Scalar coords stay, since ArviZ takes them: ``positive`` says which class is the positive one.
    """
    described = [name for name, coord in group.coords.items() if coord.dims and name not in group.dims]
    return group.drop_vars([name for name in described if name in observed.coords])


@cache
def _own_version() -> str:
    return version("bayesrank")  # of which the file is read anew each time


def _exact(
    story: Any, group: str, shape: tuple[int, int], root: np.random.SeedSequence, sizes: Sizes | None
) -> xr.Dataset:
    """Exact draws of all blocks of the grid, or of those of each chunk when they are asked for."""
    coords = {"chain": np.arange(shape[0]), "draw": np.arange(shape[1])} | story.coords()
    draw = partial(_drawn, story, group, root)
    return xr.Dataset(draw(list(blocks(*shape))) if sizes is None else draw_lazily(draw, sizes), coords)


def _drawn(story: Any, group: str, root: np.random.SeedSequence, blocks: Sequence[Block]) -> Drawn:
    """Draws (chain, draw, ...) of blocks, the same ones of each chain; all at once, where the model can."""
    shape = len({block.chain for block in blocks}), -1
    if hasattr(story, "draws"):
        return {
            name: (("chain", *map(str, part.dims)), part.values.reshape(*shape, *part.shape[1:]))
            for name, part in story.draws(group, blocks, root).items()
        }
    starts = np.cumsum([0, *(block.size for block in blocks)])
    found: dict[str, tuple[tuple[str, ...], np.ndarray]] = {}
    for i, block in enumerate(blocks):
        drawn = story.draw(group, block, root) if hasattr(story, "draw") else story.draw_prior(block, root)
        for name, part in drawn.items():
            if not i:
                found[name] = (("chain", *map(str, part.dims)), np.empty((starts[-1], *part.shape[1:])))
            found[name][1][starts[i] : starts[i + 1]] = part.values
    return {name: (dims, part.reshape(*shape, *part.shape[1:])) for name, (dims, part) in found.items()}


def _sampled(
    story: Any,
    shape: tuple[int, int],
    root: np.random.SeedSequence,
    observed: Mapping[str, xr.Dataset],
    options: dict[str, Any] | None,
) -> dict[str, xr.Dataset]:
    """Draws by the model's own sampler, if there is one and no options of NUTS; else by NUTS.

    The seed of NUTS depends on the evidence.
    """
    if options is None and hasattr(story, "sample_chains"):
        sampled = story.sample_chains(shape, root)
        warn_of_chains(sampled["sample_stats"], shape[0], TUNE)
        return {"posterior": _finished(story, sampled["posterior"], root), "sample_stats": sampled["sample_stats"]}
    evidence = [group[name].values for group in observed.values() for name in sorted(map(str, group.variables))]
    seed = int(stream(root, "nuts", type(story).__name__, fingerprint(*evidence)).integers(2**31))
    options = getattr(story, "nuts", {}) | (options or {})
    sampled = sample(story.build(), shape, seed, options)
    warn_of_chains(sampled["sample_stats"], shape[0], options.get("tune", TUNE))
    return {"posterior": _finished(story, sampled["posterior"], root), "sample_stats": sampled["sample_stats"]}


def _finished(story: Any, sampled: xr.Dataset, root: np.random.SeedSequence) -> xr.Dataset:
    """The posterior group from sampled variables, with the coords of the model."""
    posterior = story.performances(sampled, root)
    if hasattr(story, "coords"):
        posterior = posterior.assign_coords({k: v for k, v in story.coords().items() if k not in posterior.coords})
    return posterior


def _needs(story: Any, method: str, group: str) -> None:
    if not hasattr(story, method):
        hint = " (br.sensitivity scales priors by refitting)" if group == "log_prior" else ""
        raise ValueError(
            f"groups cannot hold {group!r} for {type(story).__name__}, which has no method {method!r}{hint}"
        )


def _check_lazy(story: Any, exact: bool) -> None:
    """Refuse chunks of what can only be held."""
    if not exact:
        why = "which has no exact draws" if not hasattr(story, "draw") else "sampler='nuts'"
        raise ValueError(
            f"chunks must be None for {type(story).__name__}, {why}: NUTS holds all of its draws (.chunk makes chunks "
            "of them)"
        )


def _of_measured(found: xr.Dataset, counts: xr.DataArray | None) -> xr.Dataset:
    """Log-likelihoods without tables that were not measured, which ArviZ cannot leave out: then along ``table``."""
    measured = None if counts is None else counts.coords.get("measured")
    pair = ["entity", "dataset"]
    if measured is None or bool(measured.all()) or "counts" not in found or not set(pair) <= set(found["counts"].dims):
        return found
    kept = measured.transpose(*pair).values.ravel()
    tables = found["counts"].drop_vars("measured", errors="ignore").stack(table=pair).isel(table=kept)
    return found.drop_vars(["counts", "measured", *pair], errors="ignore").assign(counts=tables.reset_index("table"))


def _numbers(observed: Mapping[str, xr.Dataset]) -> int:
    """How many numbers a draw has, about: the cells of the tables, or the means."""
    held = _observed(observed)
    return 1 if held is None else held.size


def _observed(observed: Mapping[str, xr.Dataset]) -> xr.DataArray | None:
    """The tables that were observed, or the means."""
    data = observed.get("observed_data")
    counts = get_variable(data, "counts")
    return get_variable(data, "mean_outcome") if counts is None else counts


def _check_memory(observed: Mapping[str, xr.Dataset], shape: tuple[int, int]) -> None:
    """Refuse what cannot be held, before the machine runs out of memory."""
    held = _observed(observed)
    if held is not None:
        draws = f"{shape[0]} x {shape[1]} draws of {' x '.join(str(size) for size in held.shape)} "
        what = "cells" if held.name == "counts" else "means"
        check_memory("draws must be fewer", draws + what, (*shape, held.size), f"draws={shape[1]}, chains={shape[0]}")
