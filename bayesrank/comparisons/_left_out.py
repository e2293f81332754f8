"""Predictive densities of omitted units: in closed form, by Pareto-smoothed importance sampling, or by refits."""

import json
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from scipy.special import gammaln, logsumexp

from bayesrank._core.compat import pareto_k_threshold, psis
from bayesrank._core.errors import ArgumentError
from bayesrank._core.labels import select_names
from bayesrank._core.random import root_sequence, stream
from bayesrank._core.records import ModelRecord, SamplerRecord
from bayesrank._core.source import groups_of
from bayesrank.comparisons._compared import Compared, Unit, left_out_units
from bayesrank.evidence.counts import names_test_sets
from bayesrank.inference import fit
from bayesrank.models.parts.conjugate import log_evidence


class LeftOut(NamedTuple):
    """Expected log predictive density of each unit, its loss against the fit to all data, and the method."""

    elpd: np.ndarray
    loss: np.ndarray
    pareto_k: np.ndarray
    refitted: np.ndarray
    method: str


class LeftOutCases(NamedTuple):
    """Numbers of equal single cases: answers (entity, data set, row, answer) and classes (sizes, class)."""

    answers: np.ndarray
    classes: np.ndarray
    times: np.ndarray


def distinct_cases(model: Compared) -> LeftOutCases:
    """Return the distinct single cases. Each is predicted given all others: its answer given its class, and its class
    once per test set.
    """
    answers = np.argwhere((model.tables > 0) & model.measured[:, :, None, None])
    sizes = _class_sizes(model)
    classes = np.argwhere(sizes > 0)
    times = np.concatenate([model.tables[tuple(answers.T)], sizes[tuple(classes.T)]])
    return LeftOutCases(answers, classes, times)


def expected_closed_form(model: Compared, by: str) -> LeftOut:
    """Return the densities of a conjugate model: ratios of Beta functions."""
    tables, before, sizes, sizes_before, retained = _concentrations(model)
    full = tables.sum(1, keepdims=True) if model.pooled else tables
    if by == "case":
        which = distinct_cases(model)
        with np.errstate(divide="ignore"):
            parts = [
                _one_case(before + full, which.answers),
                _one_case(sizes_before + retained, which.classes),
            ]
        elpd, fitted = (np.concatenate(part) for part in zip(*parts, strict=True))
    else:
        densities = (
            _table(tables, before + full - tables),
            _table(sizes, sizes_before + retained - sizes),
        )
        own = _table(tables, before + full), _table(sizes, sizes_before + retained)
        units = left_out_units(model, by)
        elpd, fitted = (
            np.array([_sum_of_unit(unit, *each) for unit in units]) for each in (densities, own)
        )
    none = np.full(elpd.size, np.nan)
    return LeftOut(elpd, fitted - elpd, none, np.zeros(elpd.size, bool), "closed form")


def log_marginal(model: Compared) -> float:
    """Return the log marginal likelihood of a conjugate model or of a model with ``log_evidence``, else NaN."""
    tables = model.tables * model.measured[:, :, None, None]
    sizes = _class_sizes(model)
    choose = _choose(tables).sum() + _choose(sizes).sum()
    if not hasattr(model.instance, "conjugate"):
        method = getattr(model.instance, "log_evidence", None)
        return np.nan if method is None else float(choose + method())
    tables, before, sizes, sizes_before, retained = _concentrations(model)
    if model.pooled:
        # One record of each test set, with all of its cases.
        first = list({one.test_set: k for k, one in enumerate(model.sizes)}.values())
        tables, before, sizes, sizes_before = (
            tables.sum(1),
            before[:, 0],
            retained[first],
            sizes_before[first],
        )
    return float(
        choose + log_evidence(tables, before).sum() + log_evidence(sizes, sizes_before).sum()
    )


def expected_by_sampling(model: Compared, by: str, refit: bool) -> LeftOut:
    """Return the densities by importance sampling, and by refits where the weights are unreliable."""
    rows, sizes = _log_likelihood(model, model.groups, model.posterior, by)
    units = left_out_units(model, by)
    terms = _terms(model, units, rows.shape[-1])
    log_likelihood = np.stack([_sum_of_term(term, rows, sizes) for term in terms], -1)
    elpd, k = _weight_draws(log_likelihood, model)
    draws = log_likelihood.shape[0] * log_likelihood.shape[1]
    fitted = logsumexp(log_likelihood, axis=(0, 1)) - np.log(draws)
    bad = k > pareto_k_threshold(draws)
    again = np.zeros(elpd.size, bool)
    if refit and bad.any() and model.instance is not None:
        elpd[bad], again[bad] = (
            _refits(model, units, [terms[i] for i in np.flatnonzero(bad)], by),
            True,
        )
    # Terms of a unit are summed; its Pareto k is the largest of theirs.
    unit = np.array([term.unit for term in terms])
    worst = np.full(len(units), -np.inf)
    np.maximum.at(worst, unit, k)
    return LeftOut(
        np.bincount(unit, elpd, len(units)),
        np.bincount(unit, fitted - elpd, len(units)),
        np.where(np.isneginf(worst), np.nan, worst),
        np.bincount(unit, again, len(units)) > 0,
        "importance sampling" + " and refits" * bool(again.any()),
    )


class _Term(NamedTuple):
    """A factor of the likelihood of a unit: rows (entity, data set, row) and class sizes."""

    unit: int
    rows: list[tuple[int, int, int]]
    sizes: list[int]


def _terms(model: Compared, units: list[Unit], rows: int) -> list[_Term]:
    """Return the terms of all units: one each, or one for each row if the rows of a model are independent."""
    by_row = getattr(model.instance, "rows_apart", False)
    terms = []
    for i, (_, tables, sizes) in enumerate(units):
        rows_of_tables = [(e, d, c) for e, d in tables for c in range(rows)]
        own = (
            [_Term(i, [row], []) for row in rows_of_tables]
            if by_row
            else [_Term(i, rows_of_tables, sizes)]
        )
        terms += own + [_Term(i, [], sizes)] * bool(by_row and sizes)
    return terms


def _sum_of_term(term: _Term, rows: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return the log-likelihood (chain, draw) of a term."""
    result = sizes[:, :, term.sizes].sum(-1)
    for e, d, c in term.rows:
        result = result + rows[:, :, e, d, c]
    return result


def _weight_draws(log_likelihood: np.ndarray, model: Compared) -> tuple[np.ndarray, np.ndarray]:
    """Return the expected log predictive density and Pareto k of each term; k is -inf if all draws agree."""
    chains, draws, size = log_likelihood.shape
    elpd, k = log_likelihood[0, 0].copy(), np.full(size, -np.inf)
    moves = np.ptp(log_likelihood, axis=(0, 1)) > 1e-12
    if moves.any():
        effective = SamplerRecord.of(model.groups.get("sample_stats", xr.Dataset())).ess_bulk
        efficiency = (
            float(min(effective / (chains * draws), 1.0)) if np.isfinite(effective) else 1.0
        )
        terms = xr.DataArray(log_likelihood[..., moves], dims=("chain", "draw", "term"))
        elpd[moves], k[moves] = (x.values for x in psis(terms, efficiency))
        k[moves] = np.where(np.isnan(k[moves]), np.inf, k[moves])
    return elpd, k


def _refits(model: Compared, units: list[Unit], terms: list[_Term], by: str) -> list[float]:
    """Return the expected log predictive densities of terms, each by a model fitted without it or its unit."""
    if hasattr(model.instance, "log_evidence"):
        full = model.instance.log_evidence()
        return [full - _log_evidence_without(model, term) for term in terms]
    refitted: dict[int, tuple] = {}
    result = []
    for term in terms:
        if term.unit not in refitted:
            refitted = {term.unit: _refit_without(model, units[term.unit], by)}
        values = _sum_of_term(term, *refitted[term.unit])
        result.append(float(logsumexp(values) - np.log(values.size)))
    return result


def _log_evidence_without(model: Compared, term: _Term) -> float:
    """Return the log marginal likelihood without a term, less the log number of orders of its cases."""
    members = model.instance.members.copy()
    sizes = None if model.instance.outcomes else model.instance.class_sizes.copy()
    removed = []
    for e, d, c in term.rows:
        e, d = int(model.order[0][e]), int(model.order[1][d])
        removed.append(members[e, c, d] if model.over_datasets else members[0, c, e])
    for k in term.sizes:
        assert sizes is not None
        removed.append(sizes[model.instance.test_sets.index(model.sizes[k].test_set)])
    orders = sum(float(_choose(row)) for row in removed)
    for row in removed:
        row[:] = 0
    return float(model.instance.log_evidence(members, sizes)) - orders


def _refit_without(model: Compared, unit: Unit, by: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the log-likelihood of all data by a model fitted without a unit.

    The class sizes of a test set are omitted with its tables, which are independent of them.
    """
    name, tables, sizes = unit
    places = tables or [(e, model.sizes[k].dataset) for k in sizes for e in model.sizes[k].entities]
    at = [model.order[0][[e for e, _ in places]], model.order[1][[d for _, d in places]]][
        : 1 + model.over_datasets
    ]
    counts = model.groups["observed_data"]["counts"]
    changed = counts.drop_vars("test_set", errors="ignore").copy(deep=True)
    changed.values[tuple(at)] = 0
    if names_test_sets(counts):
        names = counts["test_set"].values.astype("U200")
        names[tuple(at)] = f"left out of {len(places)}"
        changed = changed.assign_coords(test_set=(counts["test_set"].dims, names))
    record = ModelRecord.of(model.posterior)
    seed = stream(root_sequence(0), "refit", model.name, name).integers(2**31)
    # With the settings of the full posterior, if the model must be sampled.
    nuts = json.loads(record.nuts) if record.nuts and not hasattr(model.instance, "draw") else None
    options = model.options | getattr(model.instance, "as_designed", {})
    run: dict[str, Any] = {
        "draws": model.posterior.sizes["draw"],
        "chains": model.posterior.sizes["chain"],
        "seed": int(seed),
    }
    refitted = groups_of(fit(changed, record.model, nuts=nuts, **run, **options))
    return _log_likelihood(model, {}, _name_test_sets(refitted, model.instance), by)


def _name_test_sets(groups: dict[str, xr.Dataset], instance: Any) -> xr.Dataset:
    """Return the posterior of a refit over the test sets of the model of all data, by the names of these.

    Tables that are left out have no cases, so that the refit has other test sets where they are
    inferred from totals.
    """
    posterior = groups["posterior"]
    if "test_set" not in posterior.coords:
        return posterior
    before, after = (
        instance.test_set.values.ravel(),
        groups["observed_data"]["test_set"].values.ravel(),
    )
    first = {name: str(after[before == name][0]) for name in instance.test_sets}
    return select_names(posterior, test_set=list(first.values())).assign_coords(
        test_set=list(first)
    )


def _log_likelihood(
    model: Compared, groups: dict[str, xr.Dataset], posterior: xr.Dataset, by: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return log-likelihoods of rows (chain, draw, entity, data set, row) and class sizes (chain, draw, sizes).

    Where a whole data set is left out and the model can integrate the effects of a data set out,
    its first entity has the likelihood of all its tables: importance weights are then more even.
    """
    instance = model.instance
    if by == "dataset" and model.over_datasets and hasattr(instance, "log_likelihood_of_datasets"):
        densities = instance.log_likelihood_of_datasets(posterior)
        by_dataset = densities["counts"].transpose("chain", "draw", "dataset").values
        rows = np.zeros((*by_dataset.shape[:2], len(model.order[0]), by_dataset.shape[2], 1))
        rows[:, :, model.measured.argmax(0), np.arange(by_dataset.shape[2]), 0] = by_dataset[
            :, :, model.order[1]
        ]
        return rows, _of_sizes(model, densities, rows.shape[:2])
    densities = (
        groups["log_likelihood"]
        if "log_likelihood" in groups
        else instance.log_likelihood(posterior)
    )
    over = ["dataset"] * model.over_datasets
    counts = densities["counts"]
    if "table" in counts.dims:
        names = {name: model.groups["observed_data"][name].values for name in ("entity", "dataset")}
        counts = (
            counts.set_index(table=list(names))
            .unstack("table", fill_value=0.0)
            .reindex(names, fill_value=0.0)
        )
    rows = counts.transpose("chain", "draw", "entity", *over, ...).values
    rows = rows.reshape(*rows.shape[:2], len(model.order[0]), len(model.order[1]), -1)
    rows = rows[:, :, model.order[0]][:, :, :, model.order[1]]
    return rows, _of_sizes(model, densities, rows.shape[:2])


def _of_sizes(model: Compared, log_likelihood: xr.Dataset, shape: tuple[int, ...]) -> np.ndarray:
    """Return the log-likelihoods (chain, draw, sizes) of class sizes from those of test sets."""
    if not model.sizes:
        return np.zeros((*shape, 0))
    totals = log_likelihood["row_totals"].transpose("chain", "draw", "test_set")
    at = [totals["test_set"].values.tolist().index(one.test_set) for one in model.sizes]
    return totals.values[:, :, at]


def _concentrations(model: Compared) -> tuple[np.ndarray, ...]:
    """Return counts and prior of the tables, counts and prior of the class sizes, and the cases of each test set."""
    closed = model.instance.conjugate()
    tables = model.tables * model.measured[:, :, None, None]
    alpha = closed.prior.values.reshape(len(model.order[0]), -1, *model.tables.shape[2:])[
        model.order[0]
    ]
    alpha = np.repeat(alpha, tables.shape[1], axis=1) if model.pooled else alpha[:, model.order[1]]
    if float(alpha.min()) <= 0:
        raise ArgumentError(
            "prior",
            "must be positive, since it predicts the cases that are left out",
            f"0 in the prior of {model.name!r}",
        )
    sizes = _class_sizes(model)
    before = np.array(
        [alpha[min(one.entities), one.dataset].sum(-1) for one in model.sizes]
    ).reshape(sizes.shape)
    same = [[one.test_set == other.test_set for other in model.sizes] for one in model.sizes]
    retained = np.array(same, np.int64).reshape(len(sizes), len(sizes)) @ sizes
    return tables, alpha, sizes, before, retained


def _class_sizes(model: Compared) -> np.ndarray:
    return np.array([one.cases for one in model.sizes], np.int64).reshape(
        len(model.sizes), model.tables.shape[-2]
    )


def _one_case(after: np.ndarray, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the log probability of one case given all others, and given all cases including itself."""
    at = tuple(places.T)
    a, full = after[at], after.sum(-1)[at[:-1]]
    return np.log(a - 1) - np.log(full - 1), np.log(a) - np.log(full)


def _table(counts: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """Return the Dirichlet-multinomial log probability of counts (..., answer) given their total."""
    return log_evidence(counts, alpha) + _choose(counts)


def _choose(counts: np.ndarray) -> np.ndarray:
    return gammaln(counts.sum(-1) + 1) - gammaln(counts + 1).sum(-1)


def _sum_of_unit(unit: Unit, rows: np.ndarray, sizes: np.ndarray) -> float:
    _, tables, records = unit
    return float(sum(rows[e, d].sum() for e, d in tables) + sum(sizes[k] for k in records))
