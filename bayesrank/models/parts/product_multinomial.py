"""Shared parts of the conjugate models: multinomial rows with a Dirichlet prior, sampled or known row totals."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import pairwise, product
from typing import Any, ClassVar

import numpy as np
import xarray as xr
from scipy import special

from bayesrank._core.checks import (
    check_bool,
    check_choice,
    check_labelled_prevalence,
    class_shares,
    label_values,
)
from bayesrank._core.compat import get_variable
from bayesrank._core.errors import Advice, ArgumentError, InPython, Typed
from bayesrank._core.labels import select_names
from bayesrank._core.notes import Note
from bayesrank._core.random import BLOCK, Block, fingerprint, seed_words
from bayesrank._core.records import EvidenceRecord
from bayesrank._core.sampling import fill_tables, outcome_order, sample_counts, sample_outcomes
from bayesrank._core.threads import LITTLE, in_threads
from bayesrank.evidence.counts import are_outcomes, check_counts, parts_of
from bayesrank.evidence.pooled import record_of
from bayesrank.evidence.weighting import BALANCED, OF_WEIGHTS, UNIT_WEIGHT, check_whole_cases
from bayesrank.models.parts.conjugate import (
    Conjugate,
    NoClosedForm,
    check_proper_prior,
    constant_shares,
    known_shares,
    loses_rows,
)
from bayesrank.models.parts.priors import DEFAULT, align, concentration, in_words, split


class Rows:
    """What models of counts share: the checked counts, the prior, test sets, observed data and predictions."""

    words: ClassVar[str]
    kind: str = "observed"
    check: ClassVar[Callable[..., xr.DataArray]]
    default_prior: ClassVar[str] = DEFAULT
    #: Maximum number of classes or outcomes, and what to use for more.
    most_outcomes: ClassVar[int | None] = None
    instead: ClassVar[str] = "'dirichlet_multinomial' with prevalence='observed', or br.one_vs_rest"
    #: Known class shares; None if they are sampled, or there are no classes.
    totals: xr.DataArray | None = None

    def __init__(
        self, counts: xr.DataArray, prior: Any, force: bool, split_prior: bool = False
    ) -> None:
        check_bool("split_prior", split_prior)
        check_bool("force", force)
        self.counts = type(self).check(counts, "evidence")
        self.outcomes = are_outcomes(self.counts)
        if self.most_outcomes not in (None, self.counts.shape[-1]):
            raise ArgumentError(
                "evidence",
                f"must have two {'outcomes' if self.outcomes else 'classes'} for the model {type(self).__name__}",
                self.counts.shape[-1],
                f"use {self.instead}",
            )
        self.concentration = concentration(
            self.counts, self.default_prior if prior is None else prior
        )
        if split_prior:
            self.concentration = split(self.concentration, self.counts)
        if not force:
            check_cases(self.counts)
        #: Rows without a posterior (entity, [dataset], [actual]): a cell has neither cases nor a
        #: prior.
        self.improper = (self.counts.values + self.concentration.values <= 0).any(axis=-1) & (
            not force
        )
        self.test_set, self.key = test_sets(self.counts, self.concentration)
        self.settings: dict[str, Any] = {"prior": in_words(prior, self.default_prior)}
        self.values = label_values(self.counts["outcome"].values) if self.outcomes else None
        if self.values is not None:
            self.settings["mean_outcome_range"] = [
                float(self.values.min()),
                float(self.values.max()),
            ]

    def observed(self) -> dict[str, xr.Dataset]:
        weights = {
            name: self.counts[name].variable for name in OF_WEIGHTS if name in self.counts.coords
        }
        data = xr.Dataset(
            {"counts": self.counts.variable},
            self._coords(test_set=self.test_set.variable, **weights),
        )
        if self.values is not None:
            total = self.counts.sum("outcome")
            mean = self.counts.dot(
                xr.DataArray(self.values, dims="outcome"), dim="outcome"
            ) / total.where(total > 0)
            data["mean_outcome"] = mean.variable
        return {"observed_data": data, "constant_data": self.concentration.to_dataset()}

    def prior_of_answers(self) -> dict[str, Any]:
        """Return the concentrations of right and of each wrong answer, None where they differ; and their number."""
        cells, size = self.concentration.values, self.concentration.shape[-1]
        right, wrong = (cells, cells) if self.outcomes else (cells[..., np.eye(size, dtype=bool)],
                                                             cells[..., ~np.eye(size, dtype=bool)])  # fmt: skip
        ends = [float(part.flat[0]) if np.ptp(part) < 1e-12 else None for part in (right, wrong)]
        return {"right": ends[0], "wrong": ends[1], "answers": size, "outcomes": self.outcomes}

    def priors(self) -> list[Note]:
        """Return every prior, for reports."""
        result = [Note("prior_of_cells", self.prior_of_answers())]
        if not self.outcomes and self.totals is None:
            shares = self.concentration.values.sum(-1)
            each = float(shares.flat[0]) if np.ptp(shares) < 1e-12 else None
            result.append(Note("prior_of_shares", {"each": each, "spread": None}))
        return result

    def coords(self) -> dict[str, Any]:
        sampled = not self.outcomes and self.totals is None
        return self._coords(**({"test_set": self.test_sets} if sampled else {}))

    def _coords(self, **more: Any) -> dict[str, Any]:
        """Return coords of the counts, except test sets, and others; without labels, which would be compared again."""
        held = self.counts.coords.variables.items()
        return {
            str(name): coord for name, coord in held if name not in ("test_set", *OF_WEIGHTS)
        } | more

    @cached_property
    def test_sets(self) -> list[str]:
        """Return the names of the test sets, in order of first appearance."""
        return list(dict.fromkeys(name for name in self.test_set.values.ravel().tolist() if name))

    @property
    def name_of_rows(self) -> str:
        """Return the name of the rows in a PyMC model: rates of classes, or probabilities of outcomes."""
        return "probability" if self.outcomes else "rate"

    @property
    def place_of_test_set(self) -> np.ndarray:
        """Return the position of each table's test set among the names, 0 for pairs that were not measured."""
        position = {name: i for i, name in enumerate(self.test_sets)}
        return np.vectorize(lambda name: position.get(name, 0), otypes=[int])(self.test_set.values)

    def by_test_set(self, tables: np.ndarray) -> np.ndarray:
        """Return values of tables (entity, [dataset], ...) that all entities of a test set share: (test set, ...)."""
        return np.stack(
            [tables[tuple(np.argwhere(self.test_set.values == name)[0])] for name in self.test_sets]
        )

    @property
    def class_sizes(self) -> np.ndarray:
        """Return the class sizes (test set, class); each test set counts once, for any number of entities."""
        return self.by_test_set(self.counts.sum("predicted").values)

    def draw_shares(
        self, alpha: np.ndarray, group: str, blocks: Sequence[Block], root: np.random.SeedSequence
    ) -> tuple[dict[str, xr.Variable], list[np.ndarray], np.ndarray]:
        """Draw sampled row totals; return also the shares (draw, set, actual) of each block, and the set of each table.

        ``alpha`` holds the concentrations of all tables. Outcomes without classes have row totals
        of 1.
        """
        names = self.test_set.values
        if self.outcomes:
            return {}, [np.ones((block.size, 1, 1)) for block in blocks], np.zeros(names.size, int)
        if self.totals is not None:
            known = [known_shares(self.totals, self.concentration, block) for block in blocks]
            return (
                {},
                [each.reshape(len(each), names.size, -1) for each in known],
                np.arange(names.size),
            )
        tables, starts = (
            self.by_test_set(alpha.sum(-1))[:, None],
            np.cumsum([0, *(block.size for block in blocks)]),
        )
        seeds = np.stack(
            [seed_words(root, group, "row totals", key) for key in self.by_test_set(self.key)]
        )
        each = np.empty((starts[-1], len(tables), alpha.shape[-2]))

        def fill(number: int) -> None:
            out = each[starts[number] : starts[number + 1], :, None]
            fill_tables(out, np.arange(len(tables)), tables, seeds, blocks[number].key)

        in_threads(fill, range(len(blocks)), each.size)
        prevalence = {"prevalence": xr.Variable(("draw", "test_set", "actual"), each)}
        return (
            prevalence,
            [each[start:stop] for start, stop in pairwise(starts)],
            self.place_of_test_set.ravel(),
        )

    def graph_coords(self) -> dict[str, Any]:
        """Return the coords of a PyMC model of all tables."""
        coords = {str(dim): self.counts[dim].values for dim in self.counts.dims}
        return coords | (
            {} if self.outcomes or self.totals is not None else {"test_set": self.test_sets}
        )

    def add_performances(self, rates: dict[str, Any]) -> None:
        """Add the performances of rates (..., answer), by kind, to the PyMC model in context; and their class shares.

        Given draws of a prevalence are not part of a model, which then has no performance.
        """
        import pymc as pm

        shares = {} if self.outcomes else self.shares_in_graph()
        if shares is None:
            return
        for kind, rate in rates.items():
            dims = ["entity"] if kind else [*map(str, self.test_set.dims)]
            table = rate if self.outcomes else rate * shares[kind][..., None]
            if not kind:
                unknown = (self.test_set.values == "").reshape(
                    *self.test_set.shape, *[1] * (self.counts.ndim - self.test_set.ndim)
                )
                table = pm.math.where(unknown, np.nan, table)
            pm.Deterministic(
                f"performance{kind}",
                table,
                dims=[*dims, *map(str, self.counts.dims[self.test_set.ndim :])],
            )
            if self.values is not None:
                pm.Deterministic(f"mean_outcome{kind}", pm.math.dot(table, self.values), dims=dims)

    def shares_in_graph(self) -> dict[str, Any] | None:
        """Add the class shares of each table to the PyMC model in context, and return them; None if they have draws."""
        if self.totals is not None:
            share = constant_shares(self.totals, self.concentration)
            return None if share is None else {"": share}
        each = self.add_prevalence(self.by_test_set(self.concentration.values.sum(-1)))
        return {"": each[self.place_of_test_set]}

    def add_prevalence(self, alpha: Any) -> Any:
        """Add the class shares (test_set, actual) with these concentrations, and the class sizes, to the PyMC model."""
        import pymc as pm

        sizes, dims = self.class_sizes, ("test_set", "actual")
        each = pm.Dirichlet("prevalence", alpha, dims=dims, shape=sizes.shape)
        pm.Multinomial("row_totals", sizes.sum(-1), each, observed=sizes, dims=dims)
        return each

    def replicate(
        self, group: xr.Dataset, root: np.random.SeedSequence, purpose: str
    ) -> xr.Dataset:
        check_whole_cases(self.counts, "evidence", "for predictions of counts")
        if self.outcomes:
            return sample_outcomes(
                group["performance"], self.counts.sum("outcome"), root, purpose
            ).to_dataset()
        known, rate = self.totals is not None, get_variable(group, "rate")
        return sample_counts(
            group["performance"], self.counts, known, root, purpose, rate
        ).to_dataset()

    def log_likelihood_of_sizes(self, posterior: xr.Dataset) -> xr.DataArray:
        """Return the log probability (test_set) of the class sizes of each test set, given its class shares."""
        share = posterior["prevalence"]
        sizes = share.isel(chain=0, draw=0, drop=True).copy(data=self.class_sizes)
        return multinomial(sizes, share, "actual").transpose("chain", "draw", "test_set")


class DirichletRows(Rows):
    """Model rows of counts that are multinomial given their totals, with a Dirichlet prior.

    The options are ``prior``, ``split_prior`` and ``force``, as for :func:`bayesrank.fit`.
    """

    def __init__(
        self,
        counts: xr.DataArray,
        *,
        prior: Any = None,
        split_prior: bool = False,
        force: bool = False,
    ) -> None:
        super().__init__(counts, prior, force, split_prior)
        self.settings["split_prior"] = int(split_prior)
        #: The dim of the answers.
        self.answers = "outcome" if self.outcomes else "predicted"

    def conjugate(self) -> Conjugate:
        shape, scale = self.masses
        if scale is not None and not self._has_weights_of_classes:
            raise NoClosedForm(
                "weight",
                "must be equal for a posterior in closed form, or depend on the class alone with class sizes known",
                "other weights",
                Advice(
                    "rank them with ",
                    Typed("method", "draws"),
                    "; models are compared without weights",
                ),
            )
        posterior = self.concentration.copy(data=shape).rename("concentration")
        return Conjugate(self.concentration, posterior, self.totals, self.test_set)

    @cached_property
    def masses(self) -> tuple[np.ndarray, np.ndarray | None]:
        """Return shape and scale of gamma variables whose shares are the posterior; the scale is None if all are 1.

        A cell of weights w has the mass Σ w G with exponential G, and the prior's case has a weight
        of its own. A gamma variable has its mean and variance, exactly its distribution if all
        weights are equal.
        """
        counts, prior = self.counts.values, self.concentration.values
        if UNIT_WEIGHT not in self.counts.coords:
            return prior + counts, None
        each, weight, times = (
            self.counts[name]
            .variable.set_dims(self.counts.sizes)
            .transpose(*self.counts.dims)
            .values
            for name in OF_WEIGHTS
        )
        prior = prior * times * weight
        mean = counts + prior
        scale = np.divide(counts * each + prior * weight, mean, out=weight.copy(), where=mean > 0)
        return mean / scale, scale

    @property
    def _has_weights_of_classes(self) -> bool:
        """Return whether all cases of a class have one weight, and class sizes are known."""
        scale = self.masses[1]
        return (self.totals is not None or self.outcomes) and (scale is None or _is_even(scale))

    def draw(
        self, group: str, block: Block, root: np.random.SeedSequence
    ) -> dict[str, xr.Variable]:
        return self.draws(group, [block], root)

    def draws(
        self, group: str, blocks: Sequence[Block], root: np.random.SeedSequence
    ) -> dict[str, xr.Variable]:
        """Draw consecutive blocks of the prior or the posterior, with the dim ``draw`` first.

        The variables are ``performance``; ``prevalence`` (test_set, actual) if row totals are
        sampled; ``rate``, the rows, if a class may have a share of 0; and ``mean_outcome`` of
        outcomes that are numbers. Each table of each block has its own stream.
        """
        prior, (posterior, scale) = self.concentration.values, self.masses
        if group == "prior":
            check_proper_prior(not bool((prior <= 0).any()))
        alpha, scale = (prior, None) if group == "prior" else (posterior, scale)
        dims, starts = (
            ("draw", *map(str, self.counts.dims)),
            np.cumsum([0, *(block.size for block in blocks)]),
        )
        prevalence: dict[str, xr.Variable] = {}
        apart = (
            scale is not None and self.totals is None and not self.outcomes and not _is_even(scale)
        )
        if apart:  # the class sizes of weighted cases depend on the answers
            shares, of = (
                [np.ones((block.size, 1, 1)) for block in blocks],
                np.zeros(self.test_set.size, int),
            )
        else:
            prevalence, shares, of = self.draw_shares(alpha, group, blocks, root)
        retained = ("performance", "rate") if loses_rows(self.totals) else ("performance",)
        arrays = {name: np.empty((starts[-1], *alpha.shape)) for name in retained}
        # The order of outcomes is no evidence; classes have theirs.
        order: Any = outcome_order(self.counts["outcome"].values) if self.outcomes else slice(None)
        tables = alpha[..., order].reshape(self.test_set.size, -1, alpha.shape[-1])
        tables = tables.reshape(len(tables), 1, -1) if apart else tables
        measured = np.flatnonzero(self.test_set.values.ravel() != "")
        seeds = np.zeros((len(tables), 2), np.uint64)
        for i in measured.tolist():
            at = np.unravel_index(i, self.test_set.shape)
            names = [self.counts[d].values[k] for d, k in zip(self.test_set.dims, at, strict=True)]
            seeds[i] = seed_words(
                root, group, "row", *names, fingerprint(prior[at][order], posterior[at][order])
            )

        def fill(piece: tuple[int, np.ndarray]) -> None:
            number, which = piece
            here = slice(starts[number], starts[number + 1])
            for name, array in arrays.items():
                out = array[here].reshape(-1, *tables.shape)
                share = shares[number] if name == "performance" else None
                fill_tables(out, which, tables, seeds, blocks[number].key, share, of)
                if not isinstance(order, slice):
                    out[:, which] = out[:, which][..., np.argsort(order)]

        together = max(LITTLE // (BLOCK * tables[0].size), 1)
        parts = [measured[k : k + together] for k in range(0, len(measured), together)]
        in_threads(fill, product(range(len(blocks)), parts), starts[-1] * alpha.size)
        if scale is not None:
            self._multiply(arrays, prevalence, scale)
        for array in arrays.values() if len(measured) < len(tables) else ():
            array[:, self.test_set.values == ""] = np.nan
        for array in arrays.values() if self.improper.any() else ():
            array[:, self.improper] = np.nan
        result = {name: xr.Variable(dims, array) for name, array in arrays.items()} | prevalence
        if self.values is not None:
            result["mean_outcome"] = xr.Variable(dims[:-1], arrays["performance"] @ self.values)
        return result

    def build(self) -> Any:
        """Return the PyMC model, with ``performance`` in it unless draws of a prevalence are given."""
        import pymc as pm

        alpha, dims = self.concentration.values, list(map(str, self.counts.dims))
        if alpha.min() <= 0:
            raise ArgumentError(
                "prior", "must be positive for a PyMC model", "a concentration of 0"
            )
        with pm.Model(coords=self.graph_coords()) as model:
            # shape= besides dims=: PyMC 6 does not compile a dim of length 1 whose length comes
            # from coords only.
            row = pm.Dirichlet(self.name_of_rows, a=alpha, dims=dims, shape=alpha.shape)
            pm.Multinomial(
                "counts",
                n=self.counts.values.sum(-1),
                p=row,
                observed=self.counts.values,
                dims=dims,
            )
            self.add_performances({"": row})
        return model

    def performances(self, sampled: xr.Dataset, root: np.random.SeedSequence) -> xr.Dataset:
        row, measured = sampled[self.name_of_rows], self.test_set.drop_attrs() != ""
        more = {}
        if self.outcomes:
            performance = row
            if self.values is not None:
                mean = row.dot(xr.DataArray(self.values, dims="outcome"), dim="outcome")
                more = {"mean_outcome": mean.where(measured).drop_vars("test_set", errors="ignore")}
        elif self.totals is not None:
            shape = row.sizes["chain"], row.sizes["draw"]
            # One chain at a time, as for exact draws.
            blocks = [Block(c, 0, shape[1], shape) for c in range(shape[0])]
            parts = [known_shares(self.totals, self.concentration, block) for block in blocks]
            shares = row.isel(predicted=0, drop=True).copy(data=np.stack(parts))
            performance = row * shares
            more = {"rate": row} if loses_rows(shares) else {}
        else:
            names = xr.where(self.test_set == "", self.test_sets[0], self.test_set)
            performance = row * select_names(sampled["prevalence"], test_set=names).drop_vars(
                "test_set", errors="ignore"
            )
            more = {"prevalence": sampled["prevalence"]}
        performance = (
            performance.transpose(*row.dims).where(measured).drop_vars("test_set", errors="ignore")
        )
        return xr.Dataset({"performance": performance} | more)

    def log_prior(self, posterior: xr.Dataset) -> xr.Dataset:
        """Return the log prior density of rates over their log odds: ``rate`` (entity, [dataset], actual).

        Constants are omitted: a power of it multiplies the concentrations, as in
        :func:`bayesrank.sensitivity`. With a sampled prevalence, ``prevalence`` (test_set) is the
        density of the class shares; of outcomes without classes, ``performance`` that of their
        probabilities.
        """
        alpha = self.concentration.reset_coords(drop=True)
        # 0 for pairs that were not measured.
        log = xr.where(alpha > 0, alpha * np.log(self._rates_of(posterior)), 0.0).sum(
            self.answers, skipna=False
        )
        densities = {"performance" if self.outcomes else "rate": log.fillna(0.0)}
        if "prevalence" in posterior:
            log = np.log(posterior["prevalence"].transpose("chain", "draw", "test_set", "actual"))
            densities["prevalence"] = (log * self.by_test_set(alpha.sum("predicted").values)).sum(
                "actual"
            )
        names = [
            name
            for name in posterior.coords
            if name in ("chain", "draw", "entity", "dataset", "test_set")
        ]
        densities = {
            name: log.reset_coords(drop=True).transpose("chain", "draw", ...)
            for name, log in densities.items()
        }
        return xr.Dataset(densities).assign_coords({name: posterior[name] for name in names})

    def log_likelihood(self, posterior: xr.Dataset) -> xr.Dataset:
        """Return the log probability ``counts`` (entity, [dataset], [actual]) of each row given its total.

        If row totals are sampled, ``row_totals`` (test_set) is their log probability, once for each
        test set.
        """
        # A class without cases has log probability 0 for any rates.
        known = (self.counts.sum(self.answers) > 0) | posterior["performance"].isnull()
        rate = self._rates_of(posterior).where(known, 1.0)
        densities = {
            "counts": multinomial(self.counts, rate, self.answers).transpose("chain", "draw", ...)
        }
        if "prevalence" in posterior:
            densities["row_totals"] = self.log_likelihood_of_sizes(posterior)
        return xr.Dataset(densities)

    def _multiply(
        self, arrays: dict[str, np.ndarray], prevalence: dict[str, xr.Variable], scale: np.ndarray
    ) -> None:
        """Multiply tables (draw, ...) and class shares by the weights of their cells; sums stay as they are."""
        axes = (-1,) if self.totals is not None or self.outcomes else (-2, -1)
        for tables in arrays.values():
            before = tables.sum(axis=axes, keepdims=True)
            tables *= scale
            after = tables.sum(axis=axes, keepdims=True)
            tables *= np.divide(before, after, out=np.ones_like(after), where=after != 0)
        for name, held in prevalence.items():
            each = held.values * self.by_test_set(scale.max(axis=-1))
            prevalence[name] = xr.Variable(held.dims, each / each.sum(axis=-1, keepdims=True))

    def _rates_of(self, posterior: xr.Dataset) -> xr.DataArray:
        """Return the rows of a posterior, given their totals."""
        performance = posterior["performance"]
        if self.outcomes or "rate" in posterior:
            return performance if self.outcomes else posterior["rate"]
        total = performance.sum("predicted", skipna=False)
        return performance / total.where(total > 0)


def _is_even(scale: np.ndarray) -> bool:
    """Return whether all cells of a row have one weight."""
    return bool((np.ptp(scale, axis=-1) <= 1e-9 * scale.max(axis=-1)).all())


class ProductMultinomial(DirichletRows):
    """Model tables whose rows are multinomial given their totals.

    Counts are (entity, [dataset], actual, predicted). Tables with the same value of the coord
    ``test_set`` (entity, [dataset]) have the same cases; by default those with equal row totals on
    a data set. The options are ``prior``, ``prevalence``, ``split_prior`` and ``force``, as for
    :func:`bayesrank.fit`.
    """

    #: Default of ``prevalence``.
    PREVALENCE: ClassVar[str]
    check = staticmethod(check_counts)

    def __init__(
        self, counts: xr.DataArray, *, prevalence: Any = None, force: bool = False, **options: Any
    ) -> None:
        super().__init__(counts, force=force, **options)
        default = "observed" if BALANCED in self.counts.attrs else self.PREVALENCE
        self.totals = known_totals(self.counts, default if prevalence is None else prevalence)
        if not force:
            check_observed(self.counts, self.totals)
        self.settings["prevalence"] = in_words(prevalence, default)


def row_totals(counts: xr.DataArray) -> xr.DataArray:
    """Return class sizes (..., actual); outcomes without classes count as one class."""
    if are_outcomes(counts):
        return counts.sum("outcome").expand_dims(actual=["any"], axis=-1)
    return counts.sum("predicted")


def test_sets(counts: xr.DataArray, prior: xr.DataArray) -> tuple[xr.DataArray, np.ndarray]:
    """Return the name of each table's test set ("" if not measured), and the key of its row totals' stream.

    Entities share a test set by the coord ``test_set`` of the counts or, without it, by equal row
    totals on a data set. With different row totals of the prior their draws are independent.
    """
    rows = row_totals(counts)
    cells = [d for d in rows.dims if d != "actual"]
    totals = rows.transpose(*cells, "actual").values
    priors = 0 * totals if are_outcomes(counts) else prior.values.sum(-1)
    if (parts := parts_of(counts)) is not None:
        # Pools with equal class sizes may differ in their data sets, whose order has no effect.
        parts = parts.isel(
            dataset=np.argsort([str(name) for name in parts["dataset"].values], kind="stable")
        )
        totals = (
            row_totals(parts)
            .transpose("entity", "dataset", "actual")
            .values.reshape(len(totals), -1)
        )
    elif "dataset" not in counts.dims and "sizes" in (
        record := record_of(EvidenceRecord.of(counts)) or {}
    ):
        alike = dict(zip(map(str, record["entities"]), record["sizes"], strict=True))
        entities = [str(name) for name in counts["entity"].values.tolist()]
        if set(entities) <= set(alike):  # counts from a file, without their parts
            pairs = zip(entities, totals.tolist(), strict=True)
            totals = np.array([[*map(str, row), alike[name]] for name, row in pairs])
    measured = np.broadcast_to(
        counts["measured"].values if "measured" in counts.coords else True, totals.shape[:-1]
    )
    named = (
        _named_test_sets(counts, cells, totals, measured) if "test_set" in counts.coords else None
    )
    keys = np.full(measured.shape, "", dtype=object)
    for position in zip(*np.nonzero(measured), strict=True):
        place = [
            str(rows[d].values[i]) for d, i in zip(cells, position, strict=True) if d != "entity"
        ]
        place += [] if named is None else [f"named {named[position]}"]
        keys[position] = repr([*place, totals[position].tolist(), priors[position].tolist()])
    unique = [key for key in dict.fromkeys(keys.ravel().tolist()) if key]
    label = {"": ""} | {key: f"test set {i + 1}" for i, key in enumerate(unique)}
    if named is not None:
        names = {
            keys[position]: str(named[position])
            for position in zip(*np.nonzero(measured), strict=True)
        }
        taken = Counter(names.values())
        label |= {
            key: name if taken[name] == 1 else f"{name} ({label[key]})"
            for key, name in names.items()
        }
    labels = np.array([label[key] for key in keys.ravel()], dtype=str).reshape(keys.shape)
    coords, about = {d: rows[d].variable for d in cells}, {"named": int(named is not None)}
    return xr.DataArray(labels, coords, cells, "test_set", about), keys.astype(str)


def _named_test_sets(
    counts: xr.DataArray, cells: list, totals: np.ndarray, measured: np.ndarray
) -> np.ndarray:
    """Return the test set that the user named for each table; tables of one test set must have equal class sizes."""
    given = counts["test_set"].variable
    lacking = [
        name for name in given.values.ravel().tolist() if name == "" or name != name or name is None
    ]
    if lacking:
        raise ArgumentError("test_set", "must name the test set of every entity", f"{lacking[0]!r}")
    named = np.broadcast_to(
        given.set_dims({d: counts.sizes[d] for d in cells}).transpose(*cells).values, measured.shape
    )
    seen: dict[Any, tuple[list, Any]] = {}
    names = counts["entity"].values.tolist()
    for position in zip(*np.nonzero(measured), strict=True):
        entity, cases = names[position[0]], totals[position].tolist()
        first_cases, first_entity = seen.setdefault(
            (named[position], *position[1:]), (cases, entity)
        )
        if first_cases != cases:
            raise ArgumentError(
                "test_set",
                "must name entities with the same cases",
                f"{str(named[position])!r} for {first_entity!r} "
                f"with {first_cases} cases of the classes and {entity!r} with {cases}",
            )
    return named


def known_totals(counts: xr.DataArray, prevalence: Any) -> xr.DataArray | None:
    """Return known class shares (actual, and the dims of ``prevalence``); None if they are sampled."""
    if isinstance(prevalence, str):
        check_choice(
            "prevalence", prevalence, ("sampled", "observed"), other="a number or a DataArray"
        )
        if prevalence == "sampled":
            return None
        cases = counts.sum("predicted")
        total = cases.sum("actual")
        return (cases / total.where(total > 0)).drop_vars(
            ["measured", "test_set", *OF_WEIGHTS], errors="ignore"
        )
    dims = ("chain", "draw", *counts.dims[:-1])
    return class_shares(
        align("prevalence", check_labelled_prevalence(prevalence), counts, dims), counts
    )


def check_cases(counts: xr.DataArray) -> None:
    """Raise an error for an entity without cases."""
    none = counts.values.reshape(counts.sizes["entity"], -1).sum(axis=1) == 0
    if none.any():
        who = counts["entity"].values[none].tolist()
        raise ArgumentError(
            "evidence",
            "must contain at least one case of every entity; otherwise the prior alone determines its result",
            f"none of {who}",
            InPython("br.fit(..., force=True) accepts it"),
        )


def check_observed(counts: xr.DataArray, totals: xr.DataArray | None) -> None:
    if totals is None or "actual" not in totals.dims or not bool(totals.isnull().any()):
        return
    lacking = totals.isnull().any("actual") & (
        counts["measured"] if "measured" in counts.coords else True
    )
    if bool(lacking.any()):
        raise ArgumentError(
            "prevalence", "cannot be 'observed' if an entity has no cases", "a table of zeros"
        )


def multinomial(counts: xr.DataArray, p: xr.DataArray, over: str) -> xr.DataArray:
    """Return the log probability of counts over a dim, given their total."""
    choose = special.gammaln(counts.sum(over) + 1) - special.gammaln(counts + 1).sum(over)
    return choose + special.xlogy(counts, p).sum(over, skipna=False)
