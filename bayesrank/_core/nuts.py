"""Sample PyMC models: choose the sampler, show progress on a terminal, and check the chains."""

import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core import prose
from bayesrank._core.compat import import_arviz, open_groups
from bayesrank._core.errors import ArgumentError
from bayesrank._core.notes import Note
from bayesrank._core.records import SamplerRecord

#: Upper limit of R-hat, and minimum effective sample size per chain (Vehtari et al. 2021).
RHAT, EFFECTIVE = 1.01, 100
#: First ``target_accept`` to suggest for divergences; later suggestions halve the distance to 1.
ACCEPT = 0.95
#: Options of pymc.sample that nutpie supports, by its names; with other options PyMC samples.
NUTPIE = {
    "tune": "tune",
    "cores": "cores",
    "target_accept": "target_accept",
    "max_treedepth": "maxdepth",
}
TUNE = 1000
#: Samplers that are chosen by name, with the modules that each needs.
LIBRARIES = {"nutpie": ("nutpie",), "numpyro": ("numpyro", "jax")}


def sample(
    model: Any, shape: tuple[int, int], seed: int, options: Mapping[str, Any]
) -> dict[str, xr.Dataset]:
    """Sample a PyMC model with arguments of :func:`pymc.sample`; return ``posterior`` and ``sample_stats``.

    ``sample_stats`` has the attrs ``nuts_sampler``, and those of :func:`diagnostics`.
    """
    options = {"tune": TUNE, "cores": min(shape[0], 2)} | dict(options)
    name = choose_sampler(options)
    options.pop("nuts_sampler", None)
    shown = options.pop("progressbar", None)
    names = [variable.name for variable in model.unobserved_RVs]
    with _bar(
        sys.stderr.isatty() if shown is None else bool(shown),
        shape[0] * (shape[1] + options["tune"]),
    ) as step:
        run = _nutpie if name == "nutpie" else _pymc
        groups = open_groups(
            run(
                model,
                shape,
                seed,
                options | ({} if run is _nutpie else {"nuts_sampler": name}),
                step,
            )
        )
    # Select by name: some samplers keep transformed variables in the posterior.
    posterior = groups["posterior"][names].transpose("chain", "draw", ...)
    stats = groups["sample_stats"]
    problems = diagnostics(posterior, stats)
    settings = {"nuts_sampler": name} | {
        key: options[key] for key in ("tune", "target_accept") if key in options
    }
    return {"posterior": posterior, "sample_stats": stats.assign_attrs(settings | problems)}


def choose_sampler(options: Mapping[str, Any]) -> str:
    """Return the requested sampler, else nutpie if it is installed and supports the options, else "pymc"."""
    requested = options.get("nuts_sampler")
    if requested is None:
        supported = {*NUTPIE, "progressbar"}
        return "nutpie" if set(options) <= supported and _is_installed("nutpie") else "pymc"
    if requested == "nutpie":
        if not _is_installed("nutpie"):
            raise ArgumentError(
                "nuts",
                "needs a nuts_sampler that is installed",
                "'nutpie', which is not installed",
                "pip install nutpie installs it",
            )
        unknown = sorted(set(options) - {*NUTPIE, "progressbar", "nuts_sampler"})
        if unknown:
            raise ArgumentError(
                "nuts", f"must contain options among {sorted(NUTPIE)} for nutpie", unknown
            )
    return str(requested)


def choose_by_name(sampler: str, options: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the options of NUTS with a named sampler; raise if it is not installed or they name another."""
    inner = dict(options or {}).get("nuts_sampler", sampler)
    if inner != sampler:
        raise ArgumentError(
            "nuts", f"must not name another nuts_sampler beside sampler={sampler!r}", f"{inner!r}"
        )
    if not all(map(_is_installed, LIBRARIES[sampler])):
        raise ArgumentError(
            "sampler",
            "must be installed",
            f"{sampler!r}, which is not installed",
            f"pip install {sampler} installs it",
        )
    return dict(options or {}) | {"nuts_sampler": sampler}


def diagnostics(posterior: xr.Dataset, stats: xr.Dataset) -> dict[str, Any]:
    """Return divergences, the largest R-hat and the smallest effective sample sizes of all variables that vary.

    They are NaN if there are too few draws. ``worst`` is the variable with the smallest effective
    sample size.
    """
    result = {
        "divergences": int(stats["diverging"].sum()) if "diverging" in stats else 0,
        "rhat": np.nan,
        "ess_bulk": np.nan,
        "ess_tail": np.nan,
        "worst": "",
    }
    if posterior.sizes.get("draw", 0) < 4:
        return result
    az = import_arviz()
    moving = (posterior.max(["chain", "draw"]) > posterior.min(["chain", "draw"])).compute()
    several = posterior.sizes["chain"] > 1
    with np.errstate(invalid="ignore"):  # a term that the design fixes has no R-hat
        measures = {"rhat": az.rhat(posterior)} if several else {}
    measures |= {f"ess_{kind}": az.ess(posterior, method=kind) for kind in ("bulk", "tail")}
    for name, each in measures.items():
        values = {str(v): each[v].where(moving[v]) for v in posterior if bool(moving[v].any())}
        ends = {v: float(x.max() if name == "rhat" else x.min()) for v, x in values.items()}
        if ends:
            result[name] = max(ends.values()) if name == "rhat" else min(ends.values())
            if name == "ess_bulk":
                # A variable and its transform tie; the last one, the transform, is that of the
                # posterior.
                result["worst"] = min(reversed(ends), key=lambda v: ends[v])
    return result


def chain_problems(
    divergences: int,
    rhat: float,
    effective: float,
    chains: int,
    tune: int | None = None,
    accept: float | None = None,
    sampler: str = "nuts",
) -> list[Note]:
    """Return what is wrong with the chains, and then what to change; nothing for reliable chains.

    R-hat and the effective sample size are the worst of all variables, NaN if unknown. The sampler
    "metropolis" only needs more draws.
    """
    disagree, inefficient = rhat > RHAT, effective < EFFECTIVE * chains
    if not (divergences or disagree or inefficient):
        return []
    wrong = {
        "divergences": divergences,
        "rhat": rhat if disagree else None,
        "effective": effective if inefficient else None,
    }
    notes = [Note("chains_unreliable", wrong)]
    if divergences:
        more = ACCEPT if (accept or 0) < ACCEPT else round((1 + float(accept or 0)) / 2, 4)
        notes.append(Note("fewer_divergences", {"target_accept": more}))
    if disagree:
        notes.append(
            Note(
                "chains_to_agree", {"tune": None if sampler == "metropolis" else 2 * (tune or TUNE)}
            )
        )
    elif inefficient:
        times = max(2, int(np.ceil(EFFECTIVE * chains / max(effective, 1.0))))
        notes.append(Note("more_draws", {"times": times}))
    return notes


def say_unreliable(divergences: int, rhat: float | None, effective: float | None) -> str:
    """Say what is wrong with the chains."""
    wrong = [prose.count(divergences, "divergence")] if divergences else []
    wrong += [] if rhat is None else [f"R-hat up to {rhat:.2f}"]
    wrong += [] if effective is None else [f"only {effective:.0f} effective draws"]
    return f"The chains did not converge ({', '.join(wrong)}): do not rely on these numbers yet."


def say_fewer_divergences(target_accept: float) -> str:
    """Say how to avoid divergences."""
    return (
        f"Divergences: smaller steps, nuts={{'target_accept': {target_accept:g}}}; if they stay, a tighter prior or "
        "another parametrisation of the model."
    )


def say_chains_to_agree(tune: int | None) -> str:
    """Say how to make the chains agree; without ``tune``, the sampler needs no tuning."""
    more = (
        "more draws (draws=)"
        if tune is None
        else f"more tuning (nuts={{'tune': {tune}}}) and more draws (draws=)"
    )
    return f"Chains that disagree need {more}."


def say_more_draws(times: int) -> str:
    """Say how many draws are needed."""
    return f"Too few effective draws: ask for about {times} times as many (draws=)."


#: The sentences of the codes of :func:`chain_problems`, which warnings and the notes of rankings
#: share.
SENTENCES: dict[str, Callable[..., str]] = {
    "chains_unreliable": say_unreliable,
    "fewer_divergences": say_fewer_divergences,
    "chains_to_agree": say_chains_to_agree,
    "more_draws": say_more_draws,
}


def warn_of_chains(stats: xr.Dataset, chains: int, tune: int) -> None:
    """Warn of problems of the sampled chains, if there are any."""
    record = SamplerRecord.of(stats)
    effective = float(np.nanmin([record.ess_bulk, record.ess_tail, np.inf]))
    settings = tune, record.target_accept, record.sampler
    if notes := chain_problems(record.divergences, record.rhat, effective, chains, *settings):
        text = " ".join(SENTENCES[note.code](**note.fields) for note in notes)
        warnings.warn(text, UserWarning, stacklevel=3)


def _is_installed(name: str) -> bool:
    return find_spec(name) is not None


def _pymc(
    model: Any,
    shape: tuple[int, int],
    seed: int,
    options: dict[str, Any],
    step: Callable[..., None],
) -> Any:
    """Sample with PyMC, or with another sampler that PyMC knows."""
    import pymc as pm

    by_pymc = options["nuts_sampler"] == "pymc"
    if by_pymc and step is not _silent and "callback" not in options:
        options = options | {"callback": lambda trace, draw: step("sampling", 1)}
    with model, warnings.catch_warnings():
        # chain_problems reports these problems in the same words for all samplers.
        warnings.filterwarnings("ignore", category=UserWarning, module="pymc")
        return pm.sample(
            draws=shape[1],
            chains=shape[0],
            random_seed=seed,
            progressbar=False,
            **{"quiet": True, "compute_convergence_checks": False} | options,
        )


def _nutpie(
    model: Any,
    shape: tuple[int, int],
    seed: int,
    options: dict[str, Any],
    step: Callable[..., None],
) -> Any:
    import nutpie

    compiled = nutpie.compile_pymc_model(model)
    step("sampling", 0)
    renamed = {NUTPIE[name]: value for name, value in options.items()}
    return nutpie.sample(
        compiled, draws=shape[1], chains=shape[0], seed=seed, progress_bar=False, **renamed
    )


def _silent(stage: str, draws: int) -> None:
    """Ignore progress."""


@contextmanager
def _bar(shown: bool, total: int) -> Iterator[Callable[..., None]]:
    """Show a progress bar on standard error: first the compilation, then the number of draws."""
    if not shown:
        yield _silent
        return
    from rich.console import Console
    from rich.errors import LiveError
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    try:
        bar.start()
    except LiveError:  # another live display is active
        yield _silent
        return
    task = bar.add_task("compiling the model", total=None)

    def step(stage: str, draws: int) -> None:
        # A sampler that does not report draws gets a bar without a total.
        bar.update(task, description=stage, total=total if draws else None, advance=draws)

    try:
        yield step
    finally:
        bar.stop()
