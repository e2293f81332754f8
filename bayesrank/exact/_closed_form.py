"""Posteriors in closed form: of counts, or of what :func:`bayesrank.fit` made of counts."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from bayesrank._core.compat import get_variable
from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.source import Source, parse_source
from bayesrank._core.types import Container
from bayesrank.evidence.counts import are_outcomes, check_tables
from bayesrank.evidence.weighting import WEIGHTED
from bayesrank.models import choose_closed_form, chosen_by_evidence, find_model, make_model
from bayesrank.models import names as models
from bayesrank.models.parts.conjugate import NoClosedForm
from bayesrank.performance.arrays import entities_without_posterior


class ClosedForm(NamedTuple):
    """Conjugate posteriors of entities (entity, [dataset]), and the model that they come from."""

    #: Concentrations (entity, ..., actual, predicted). Outcomes 0 and 1 are tables whose cases are
    #: all positive.
    concentration: np.ndarray
    #: Class shares (entity, ..., actual) if they are known; else those of a test set are Dirichlet.
    totals: np.ndarray | None
    test_set: np.ndarray  #: Names of test sets (entity, ...); "" where nothing was measured.
    frame: xr.DataArray  #: The labels of all tables, as an array of zeros.
    model: Any  #: The model of the counts.
    performance: (
        xr.DataArray | None
    )  #: The expected performance; None where the prevalence is not known.

    def at(self, position: tuple[int, ...]) -> "ClosedForm":
        """Return the closed form of one element along the other dims."""
        here: Any = (slice(None), *position)
        return self._replace(
            concentration=self.concentration[here],
            totals=None if self.totals is None else self.totals[here],
            test_set=self.test_set[here],
            frame=self.frame[here],
        )


def closed_form_of(
    source: Container, model: Any, options: dict[str, Any], group: str = "posterior"
) -> ClosedForm:
    """Return the closed form of counts with a model, or of a posterior without one; ``group`` may be "prior"."""
    source = parse_source(source)
    counts_source = source.array if source.array is not None else source.observed
    over_groups = "group" in counts_source.dims
    if source.array is not None:
        counts = check_tables(_groups_as_datasets(source.array), "source")
        if (
            over_groups and model is None
        ):  # as br.fit chooses it, before groups are called data sets
            model = chosen_by_evidence(source.array, options=options)
        instance = make_model(choose_closed_form(model, counts, options), counts, options)
    else:
        instance = _model_of(source, model, options)
    if not hasattr(instance, "conjugate"):
        raise NoClosedForm(
            "model", f"must have a posterior in closed form; {type(instance).__name__} has none"
        )
    cases = instance.counts.values.sum(axis=-1) > 0
    if (
        (instance.improper & cases).any()
        if source.array is not None
        else entities_without_posterior(source)
    ):
        raise NoClosedForm(
            "prior",
            "must be positive, as one_case, uniform and jeffreys are, where a cell has no cases",
            "a concentration of 0",
            "method='draws' leaves the scores of such cells undefined",
        )
    conjugate = instance.conjugate()
    if group == "prior":
        conjugate = replace(conjugate, posterior=conjugate.prior)
    outcomes = are_outcomes(conjugate.posterior)
    row = ["outcome"] if outcomes else ["actual", "predicted"]
    table = conjugate.posterior.transpose("entity", ..., *row)
    frame = xr.zeros_like(table.isel(dict.fromkeys(row, 0), drop=True))
    concentration, totals, performance = table.values, None, None
    if outcomes:
        if table["outcome"].values.tolist() != [0, 1]:
            raise NoClosedForm(
                "source",
                "must have the outcomes 0 and 1, of which the mean is known in closed form",
                f"{table['outcome'].values.tolist()}",
                "method='draws' ranks them",
            )
        concentration = np.stack([np.broadcast_to([1.0, 0.0], table.shape), table.values], axis=-2)
        totals = np.broadcast_to([0.0, 1.0], table.shape)
    elif conjugate.totals is not None:
        if {"chain", "draw"} & set(conjugate.totals.dims):
            raise NoClosedForm(
                "prevalence",
                "must be one number for each table",
                f"draws of it, {conjugate.totals.dims}",
            )
        totals = (frame + conjugate.totals).transpose(*frame.dims, "actual").values
        performance = table / table.sum("predicted") * conjugate.totals.transpose(..., "actual")
    test_set = conjugate.test_set.transpose(*frame.dims).values
    counts = instance.observed()["observed_data"]["counts"]
    retained = {
        name: c
        for name, c in counts.coords.variables.items()
        if c.dims == ("entity",) and name != "test_set"
    }
    frame = frame.assign_coords(retained)
    if over_groups:
        frame = frame.rename(dataset="group")
        performance = None if performance is None else performance.rename(dataset="group")
    return ClosedForm(concentration, totals, test_set, frame, instance, performance)


def _groups_as_datasets(array: xr.DataArray) -> xr.DataArray:
    """Return an array whose groups are called data sets; groups without cases stay."""
    return array.rename(group="dataset") if "group" in array.dims else array


def _model_of(source: Source, model: Any, options: dict[str, Any]) -> Any:
    """Return the model of a posterior, made again from its counts and options."""
    if source.container is None:
        raise ArgumentTypeError(
            "source", "must be counts, or what br.fit makes of counts", "a Dataset"
        )
    if model is not None or options:
        raise ArgumentError(
            "model and its options",
            "cannot be used for a posterior, which has them",
            f"{model!r}, {options}",
        )
    group = source.group("posterior")
    posterior = xr.Dataset() if group is None else group
    record, counts = source.model, get_variable(source.observed, "counts")
    prior = get_variable(source.group("constant_data"), "prior_concentration")
    counts, prior = (
        None if held is None else _groups_as_datasets(held) for held in (counts, prior)
    )
    conjugate = record.model in models() and hasattr(find_model(record.model), "conjugate")
    if not conjugate or counts is None or prior is None or "performance" not in posterior:
        raise NoClosedForm(
            "source",
            "must be a posterior that br.fit made of counts with a conjugate model",
            f"one of {record.model or 'no known model'!r}",
            "method='draws' ranks it",
        )
    performance = _groups_as_datasets(posterior["performance"])
    if performance["entity"].values.tolist() != counts["entity"].values.tolist():
        raise ArgumentError(
            "source",
            "must contain a posterior and the counts of the same entities",
            "different entities",
        )
    if are_outcomes(counts):
        return make_model(record.model, _as_evidence(counts), {"prior": prior, "force": True})
    prevalence: Any = record.assumed_prevalence
    if record.sets_prevalence:
        # The attribute is text, which has lost digits.
        shares = performance.sum("predicted", skipna=False).drop_vars("predicted", errors="ignore")
        prevalence = shares.isel(chain=0, draw=0, drop=True).fillna(0.5)
        if bool((np.abs(shares - prevalence) > 1e-9).any()):
            raise NoClosedForm(
                "source",
                "must not rest on draws of a prevalence, which have no closed form; it does",
            )
        prevalence = prevalence / prevalence.sum("actual")
    if "test_set" in counts.coords:
        # Tables that were not measured have no test set, but the model requires a name.
        counts = counts.assign_coords(
            test_set=xr.where(counts["test_set"] == "", "none", counts["test_set"])
        )
    again = {"prior": prior, "prevalence": prevalence, "force": True}
    return make_model(record.model, _as_evidence(counts), again)


def _as_evidence(counts: xr.DataArray) -> xr.DataArray:
    """Return counts of a file as whole numbers; effective numbers of weighted cases stay fractions."""
    return counts if WEIGHTED in counts.attrs else counts.astype(np.int64)
