"""Predictive densities of omitted units: in closed form, by importance sampling, or by refits.

Conjugate models have a closed form. For other models the draws of the full posterior are weighted by Pareto-smoothed
importance sampling. If Pareto k shows that the tail of the weights is too heavy, the model is fitted again without the
unit.
"""

import json
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from scipy.special import gammaln, logsumexp

from bayesrank._compat import groups_of, psis
from bayesrank._random import root_sequence, stream
from bayesrank.comparisons._compared import Compared, left_out_units
from bayesrank.inference import fit
from bayesrank.models._conjugate import log_evidence


class LeftOut(NamedTuple):
    """Expected log predictive density of each unit, its loss against the fit to all data, and the method."""

    elpd: np.ndarray
    loss: np.ndarray
    pareto_k: np.ndarray
    refitted: np.ndarray
    method: str


class Cases(NamedTuple):
    """Numbers of equal single cases: answers (entity, data set, row, answer) and classes (sizes, class)."""

    answers: np.ndarray
    classes: np.ndarray
    times: np.ndarray


def distinct_cases(model: Compared) -> Cases:
    """Return the distinct single cases. Each is predicted given all others: its answer given its class, and its class
    once per test set."""
    answers = np.argwhere((model.tables > 0) & model.measured[:, :, None, None])
    sizes = _class_sizes(model)
    classes = np.argwhere(sizes > 0)
    times = np.concatenate([model.tables[tuple(answers.T)], sizes[tuple(classes.T)]])
    return Cases(answers, classes, times)


def expected_closed_form(model: Compared, by: str) -> LeftOut:
    """Return the densities of a conjugate model: ratios of Beta functions."""
    tables, before, sizes, sizes_before, kept = _concentrations(model)
    if by == "case":
        which = distinct_cases(model)
        with np.errstate(divide="ignore"):
            parts = [
                _one_case(*_posterior_of_cases(tables, before, model.pooled), which.answers),
                _one_case(sizes_before + kept, sizes_before.sum(-1) + kept.sum(-1), which.classes),
            ]
        elpd, fitted = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
    else:
        others = _cases_of_others(tables) if model.pooled else 0 * tables
        left = _table(tables, before + others), _table(sizes, sizes_before + kept - sizes)
        own = _table(tables, before + others + tables), _table(sizes, sizes_before + kept)
        elpd, fitted = (
            np.array([_sum_of_unit(unit, *each) for unit in left_out_units(model, by)]) for each in (left, own)
        )
    none = np.full(elpd.size, np.nan)
    return LeftOut(elpd, fitted - elpd, none, np.zeros(elpd.size, bool), "closed form")


def log_marginal(model: Compared) -> float:
    """Return the log marginal likelihood of a conjugate model or of a model with ``log_evidence``, else NaN."""
    tables = model.tables * model.measured[:, :, None, None]
    sizes = _class_sizes(model)
    choose = _choose(tables).sum() + _choose(sizes).sum()
    if not hasattr(model.instance, "conjugate"):
        known = getattr(model.instance, "log_evidence", None)
        return np.nan if known is None else float(choose + known())
    tables, before, sizes, sizes_before, _ = _concentrations(model)
    if model.pooled:
        total = log_evidence(tables.sum(1), before[:, 0]).sum()
        first = {one.test_set: k for k, one in reversed(list(enumerate(model.sizes)))}
        for name, k in first.items():
            mine = [i for i, one in enumerate(model.sizes) if one.test_set == name]
            total += float(log_evidence(sizes[mine].sum(0), sizes_before[k]))
        return float(choose + total)
    return float(choose + log_evidence(tables, before).sum() + log_evidence(sizes, sizes_before).sum())


def expected_by_sampling(model: Compared, by: str, refit: bool) -> LeftOut:
    """Return the densities by importance sampling, and by refits where the weights are unreliable."""
    terms, log_likelihood = (_case_terms if by == "case" else _unit_terms)(model, by)
    elpd, k = _weight_draws(log_likelihood, model)
    draws = log_likelihood.shape[0] * log_likelihood.shape[1]
    fitted = logsumexp(log_likelihood, axis=(0, 1)) - np.log(draws)
    bad = k > pareto_k_threshold(draws)
    again = np.zeros(elpd.size, bool)
    if refit and bad.any() and model.instance is not None:
        found = _refits(model, by, [terms[i] for i in np.flatnonzero(bad)])
        elpd[bad], again[bad] = found, True
    k = np.where(np.isneginf(k), np.nan, k)
    # Terms of a unit are summed; its Pareto k is the largest of theirs.
    unit = np.array([term.unit for term in terms])
    size = unit.max(initial=-1) + 1
    worst = np.full(size, -np.inf)
    np.maximum.at(worst, unit, np.where(np.isnan(k), -np.inf, k))
    method = "importance sampling" + " and refits" * bool(again.any())
    return LeftOut(
        np.bincount(unit, elpd, size),
        np.bincount(unit, fitted - elpd, size),
        np.where(np.isneginf(worst), np.nan, worst),
        np.bincount(unit, again, size) > 0,
        method,
    )


def pareto_k_threshold(draws: int) -> float:
    """Return the Pareto k above which importance sampling with this many draws is unreliable (Vehtari et al. 2024)."""
    return float(min(1 - 1 / np.log10(draws), 0.7))


class _Term(NamedTuple):
    """Return the terms of one unit: rows (entity, data set, row, answer or None) and class sizes."""

    unit: int
    rows: tuple[tuple[int, int, int, int | None], ...] = ()
    sizes: tuple[tuple[int, int | None], ...] = ()


def _unit_terms(model: Compared, by: str) -> tuple[list[_Term], np.ndarray]:
    rows, sizes = _log_likelihood(model, _likelihood_of(model))
    apart = getattr(model.instance, "rows_apart", False)
    terms, found = [], []
    for i, (_, tables, records) in enumerate(left_out_units(model, by)):
        each = [(e, d, c, None) for e, d in tables for c in range(rows.shape[-1])]
        own = (
            [_Term(i, (row,)) for row in each] if apart else [_Term(i, tuple(each), tuple((r, None) for r in records))]
        )
        if apart and records:
            own.append(_Term(i, (), tuple((r, None) for r in records)))
        terms += own
        found += [_sum_of_term(term, rows, sizes) for term in own]
    return terms, np.stack(found, -1)


def _case_terms(model: Compared, by: str) -> tuple[list[_Term], np.ndarray]:
    rate, share = _log_rates(model, model.posterior)
    which = distinct_cases(model)
    answers, classes = which.answers.tolist(), which.classes.tolist()
    terms = [_Term(i, (tuple(place),)) for i, place in enumerate(answers)]
    terms += [_Term(len(answers) + i, (), (tuple(place),)) for i, place in enumerate(classes)]
    parts = [rate[(..., *which.answers.T)], share[(..., *which.classes.T)]]
    return terms, np.concatenate(parts, -1)


def _sum_of_term(term: _Term, rows: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return the log-likelihood (chain, draw) of a term."""
    found = np.zeros(rows.shape[:2])
    for e, d, c, _ in term.rows:
        found += rows[:, :, e, d, c]
    for r, _ in term.sizes:
        found += sizes[:, :, r]
    return found


def _weight_draws(log_likelihood: np.ndarray, model: Compared) -> tuple[np.ndarray, np.ndarray]:
    """Return the expected log predictive density and Pareto k of each term; k is -inf if all draws agree."""
    size = log_likelihood.shape[-1]
    elpd, k = log_likelihood[0, 0].copy(), np.full(size, -np.inf)
    moves = np.ptp(log_likelihood, axis=(0, 1)) > 1e-12
    if moves.any():
        effective_size = relative_efficiency(model)
        held = xr.DataArray(log_likelihood[..., moves], dims=("chain", "draw", "term"))
        elpd[moves], k[moves] = (x.values for x in psis(held, effective_size))
        k[moves] = np.where(np.isnan(k[moves]), np.inf, k[moves])
    return elpd, k


def relative_efficiency(model: Compared) -> float:
    """Return the relative effective sample size."""
    effective = model.groups.get("sample_stats", xr.Dataset()).attrs.get("ess_bulk", np.nan)
    draws = model.posterior.sizes["chain"] * model.posterior.sizes["draw"]
    return float(min(effective / draws, 1.0)) if np.isfinite(effective) else 1.0


def _refits(model: Compared, by: str, terms: list[_Term]) -> list[float]:
    """Return the expected log predictive densities of terms, each by a model fitted without its unit."""
    if hasattr(model.instance, "log_evidence"):
        whole = model.instance.log_evidence()
        found = []
        for term in terms:
            members, sizes = model.instance.members.copy(), None
            if not model.instance.outcomes:
                sizes = model.instance.class_sizes.copy()
            choose = _remove_term(model, term, members, sizes)
            found.append(whole - model.instance.log_evidence(members, sizes) + choose)
        return found
    refitted: dict[Any, tuple] = {}
    found = []
    for term in terms:
        key = term if by == "case" else term.unit
        if key not in refitted:
            refitted = {key: _refit_without(model, by, term)}
        rows, sizes = refitted[key]
        values = rows[(..., *term.rows[0])] if by == "case" and term.rows else None
        values = sizes[(..., *term.sizes[0])] if by == "case" and term.sizes else values
        values = _sum_of_term(term, rows, sizes) if values is None else values
        found.append(float(logsumexp(values) - np.log(values.size)))
    return found


def _remove_term(model: Compared, term: _Term, members: np.ndarray, sizes: np.ndarray | None) -> float:
    """Remove a term from the members and class sizes of a model; return the log number of orders of its cases."""
    choose = 0.0
    for e, d, c, answer in term.rows:
        e, d = int(model.order[0][e]), int(model.order[1][d])
        row = members[e, c, d] if model.over_datasets else members[0, c, e]
        choose += _remove_answers(row, answer)
    named = model.instance.test_sets if term.sizes else []
    for r, answer in term.sizes:
        assert sizes is not None
        choose += _remove_answers(sizes[named.index(model.sizes[r].test_set)], answer)
    return choose


def _remove_answers(row: np.ndarray, answer: int | None) -> float:
    if answer is not None:
        row[answer] -= 1
        return 0.0
    ways = float(_choose(row))
    row[:] = 0
    return ways


def _refit_without(model: Compared, by: str, term: _Term) -> tuple[np.ndarray, np.ndarray]:
    """Return the log-likelihood, or log rates of cases, of all data by a model fitted without a term's unit."""
    counts = model.groups["observed_data"]["counts"]
    changed = counts.copy(deep=True)
    # The class sizes of a test set are omitted with its tables, which are independent of them.
    names = np.array([], dtype=str) if "test_set" not in counts.coords else counts["test_set"].values.astype("U200")
    tables: list[tuple[int, int]] = []
    records: list[int] = []
    places: list[tuple[int, int, int | None, int | None]]
    if by == "case":
        places = [(e, d, c, answer) for e, d, c, answer in term.rows]
    else:
        _, tables, records = left_out_units(model, by)[term.unit]
        places = [(e, d, None, None) for e, d in tables]
    if by == "case" and term.sizes:
        # One case fewer of its class for every entity of the test set, for any answer.
        one, (r, c) = model.sizes[term.sizes[0][0]], term.sizes[0]
        places = [(e, one.dataset, c, int(np.argmax(model.tables[e, one.dataset, c]))) for e in one.entities]
    for r in records if not tables else ():
        places += [(e, model.sizes[r].dataset, None, None) for e in model.sizes[r].entities]
    left = f"left out of {len(places)}"
    for e, d, c, answer in places:
        at = (int(model.order[0][e]), *((int(model.order[1][d]),) if model.over_datasets else ()))
        if answer is None:
            changed.values[at] = 0
        else:
            changed.values[(*at, c, answer) if changed.ndim - len(at) == 2 else (*at, answer)] -= 1
        if names.size:
            names[at] = left
    if names.size:
        named = counts["test_set"].attrs.get("named", 0)
        changed = changed.drop_vars("test_set")
        changed = changed.assign_coords(test_set=(counts["test_set"].dims, names)) if named else changed
    about = model.posterior.attrs
    seed = stream(root_sequence(0), "refit", model.name, by, repr(places)).integers(2**31)
    # With the settings of the full posterior, if the model must be sampled.
    nuts = json.loads(about["nuts"]) if "nuts" in about and not hasattr(model.instance, "draw") else None
    again = fit(
        changed, about["model"], **model.options | getattr(model.instance, "as_designed", {}), seed=int(seed),
        draws=model.posterior.sizes["draw"], chains=model.posterior.sizes["chain"], nuts=nuts,
    )  # fmt: skip
    posterior = groups_of(again)["posterior"]
    if by == "case":
        return _log_rates(model, posterior)
    return _log_likelihood(model, model.instance.log_likelihood(posterior))


def _likelihood_of(model: Compared) -> xr.Dataset:
    if "log_likelihood" in model.groups:
        return model.groups["log_likelihood"]
    return model.instance.log_likelihood(model.posterior)


def _log_likelihood(model: Compared, found: xr.Dataset) -> tuple[np.ndarray, np.ndarray]:
    """Return log-likelihoods of rows (chain, draw, entity, data set, row) and class sizes (chain, draw, sizes)."""
    over = ["dataset"] * model.over_datasets
    counts = found["counts"]
    if "table" in counts.dims:
        names = {name: model.groups["observed_data"][name].values for name in ("entity", "dataset")}
        counts = counts.set_index(table=list(names)).unstack("table", fill_value=0.0).reindex(names, fill_value=0.0)
    rows = counts.transpose("chain", "draw", "entity", *over, ...).values
    rows = rows.reshape(*rows.shape[:2], len(model.order[0]), len(model.order[1]), -1)
    rows = rows[:, :, model.order[0]][:, :, :, model.order[1]]
    if not model.sizes:
        return rows, np.zeros((*rows.shape[:2], 0))
    totals = found["row_totals"].transpose("chain", "draw", "test_set")
    at = [totals["test_set"].values.tolist().index(one.test_set) for one in model.sizes]
    return rows, totals.values[:, :, at]


def _log_rates(model: Compared, posterior: xr.Dataset) -> tuple[np.ndarray, np.ndarray]:
    """Return logs of rates (chain, draw, entity, data set, row, answer) and of shares (chain, draw, sizes, class)."""
    over = ["dataset"] * model.over_datasets
    table = posterior["rate"] if "rate" in posterior else posterior["performance"]
    values = table.transpose("chain", "draw", "entity", *over, ...).values
    shape = (*values.shape[:2], len(model.order[0]), len(model.order[1]), *model.tables.shape[2:])
    values = values.reshape(shape)[:, :, model.order[0]][:, :, :, model.order[1]]
    with np.errstate(divide="ignore", invalid="ignore"):
        rate = np.log(values) - np.log(values.sum(-1, keepdims=True))
        share = np.log(values.sum(-1) / values.sum((-2, -1), keepdims=True)[..., 0])
    if not model.sizes:
        return rate, np.zeros((*rate.shape[:2], 0, 0))
    # Entities on one test set share its class shares.
    of = [(min(one.entities), one.dataset) for one in model.sizes]
    return rate, np.stack([share[:, :, e, d] for e, d in of], 2)


def _concentrations(model: Compared) -> tuple[np.ndarray, ...]:
    """Return counts and prior of the tables, counts and prior of the class sizes, and the cases of each test set."""
    known = model.instance.conjugate()
    tables = model.tables * model.measured[:, :, None, None]
    alpha = known.prior.values.reshape(len(model.order[0]), -1, *model.tables.shape[2:])[model.order[0]]
    alpha = np.repeat(alpha, tables.shape[1], axis=1) if model.pooled else alpha[:, model.order[1]]
    if float(alpha.min()) <= 0:
        raise ValueError(f"prior must be positive to predict what was left out; got 0 in the prior of {model.name!r}")
    sizes = _class_sizes(model)
    before = np.array([alpha[min(one.entities), one.dataset].sum(-1) for one in model.sizes]).reshape(sizes.shape)
    same = [[one.test_set == other.test_set for other in model.sizes] for one in model.sizes]
    kept = np.array(same, np.int64).reshape(len(sizes), len(sizes)) @ sizes
    return tables, alpha, sizes, before, kept


def _class_sizes(model: Compared) -> np.ndarray:
    return np.array([one.cases for one in model.sizes], np.int64).reshape(len(model.sizes), model.tables.shape[-2])


def _cases_of_others(tables: np.ndarray) -> np.ndarray:
    """Return the cases of all other data sets."""
    return tables.sum(1, keepdims=True) - tables


def _posterior_of_cases(tables: np.ndarray, before: np.ndarray, pooled: bool) -> tuple[np.ndarray, np.ndarray]:
    after = before + (tables.sum(1, keepdims=True) if pooled else tables)
    return after, after.sum(-1)


def _one_case(after: np.ndarray, total: np.ndarray, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the log probability of one case given all others, and given all cases including itself."""
    at = tuple(places.T)
    a, whole = after[at], total[at[:-1]]
    return np.log(a - 1) - np.log(whole - 1), np.log(a) - np.log(whole)


def _table(counts: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """Return the Dirichlet-multinomial log probability of counts (..., answer) given their total."""
    return log_evidence(counts, alpha) + _choose(counts)


def _choose(counts: np.ndarray) -> np.ndarray:
    return gammaln(counts.sum(-1) + 1) - gammaln(counts + 1).sum(-1)


def _sum_of_unit(unit: tuple, rows: np.ndarray, sizes: np.ndarray) -> float:
    _, tables, records = unit
    return float(sum(rows[e, d].sum() for e, d in tables) + sum(sizes[k] for k in records))
