"""Shared parts of hierarchical models of counts: members of a population, its mean and spread, three performances."""

from typing import Any, ClassVar

import numpy as np
import xarray as xr

from bayesrank._core.checks import check_number
from bayesrank._core.errors import ArgumentError
from bayesrank._core.notes import Note
from bayesrank._core.random import Block, fingerprint, stream
from bayesrank._core.sampling import dirichlet_of_each
from bayesrank.evidence.counts import check_tables
from bayesrank.evidence.weighting import check_whole_cases
from bayesrank.models.parts import population as _population
from bayesrank.models.parts.conjugate import known_shares
from bayesrank.models.parts.population import (
    SPREAD,
    Population,
    dirichlet_by_uniforms,
    learn,
    spread_variable,
)
from bayesrank.models.parts.priors import OF_MEANS, in_words
from bayesrank.models.parts.product_multinomial import Rows, check_observed, known_totals

#: Means and spreads by name: of the rates (population, row, ...) and of the class shares.
Hyper = dict[str, np.ndarray]
MEAN, SPREAD_OF, SHARES, SPREAD_OF_SHARES = (
    "mean_rate",
    "spread",
    "mean_prevalence",
    "spread_of_prevalence",
)
DRAWS = ("chain", "draw")


class Learned(Rows):
    """What models share that learn the mean and the spread of a population.

    The options are ``prior``, ``prevalence``, ``spread`` and ``force``, as for
    :func:`bayesrank.fit`.
    """

    def __init__(
        self,
        counts: xr.DataArray,
        *,
        prior: Any = None,
        prevalence: Any = None,
        spread: float = SPREAD,
        force: bool = False,
    ) -> None:
        check_whole_cases(counts, "counts", "for a hierarchical model")
        #: Scale of the prior of the spread.
        self.spread = check_number("spread", spread, 0.0, ends=False)
        super().__init__(counts, prior, force)
        self.totals = self._known_totals(prevalence)
        if not force:
            check_observed(self.counts, self.totals)
        if (least := float(self.concentration.min())) <= 0:
            raise ArgumentError(
                "prior",
                "must be positive for the mean of a population",
                f"a concentration of {least:g}",
            )
        self.settings |= {"spread": self.spread}
        self.settings |= {} if self.outcomes else {"prevalence": in_words(prevalence, "sampled")}
        self._learned: dict[str, Population] = {}

    def _known_totals(self, prevalence: Any) -> xr.DataArray | None:
        return known_totals(self.counts, "sampled" if prevalence is None else prevalence)

    def priors(self) -> list[Note]:
        """Return every prior, for reports."""
        return [
            Note("prior_of_population", self.prior_of_answers() | {"spread": self.spread}),
            *self._priors_of_shares(),
        ]

    def _priors_of_shares(self) -> list[Note]:
        return [] if self.outcomes or self.totals is not None else super().priors()[1:]

    def learn_population(self, counts: np.ndarray, prior: np.ndarray, scale: float) -> Population:
        """Return the posterior of a population of counts (member, wrong or right), by quadrature, only once."""
        key = fingerprint(np.array(sorted(counts.tolist())), prior, scale)
        if key not in self._learned:
            self._learned[key] = learn(counts[:, 1], counts.sum(-1), prior[::-1], scale)
        return self._learned[key]


def _check_one_prior(alpha: np.ndarray, over_datasets: bool) -> None:
    """Raise an error unless concentrations (entity, data set, row, answer) are equal within a population."""
    of_each, member = (alpha[:, :1], "dataset") if over_datasets else (alpha[:1], "entity")
    if (alpha != of_each).any():
        raise ArgumentError(
            "prior",
            f"must be the same for every {member} of a population",
            f"several along {member}",
        )
    totals = alpha.sum(-1)
    if not np.allclose(totals, totals[:1], rtol=1e-9, atol=0):
        raise ArgumentError(
            "prior",
            "must use the same row totals for all entities of a population",
            "several along entity",
        )


class Hierarchical(Learned):
    """Model rows of counts whose rates vary between members: the data sets of an entity or, without them, the entities.

    The options are those of :class:`Learned`. The mean rates have one prior, by default ``"unit"``,
    the information of one data set. Class shares vary between data sets around a mean of their own,
    unless a prevalence is given.
    """

    learns: ClassVar[str] = "data sets"
    #: The model of two classes or outcomes that has a shared difficulty.
    with_difficulty: ClassVar[str] = "crossed_logit_normal"
    instead: ClassVar[str] = "'hierarchical_dirichlet_multinomial'"
    over_datasets_together: ClassVar[bool] = True
    rows_apart: ClassVar[bool] = True
    default_prior: ClassVar[str] = OF_MEANS
    #: Whether data sets are independent between entities, so that a hard data set counts against
    #: its entities.
    ignores_difficulty: ClassVar[bool] = True
    check = staticmethod(check_tables)

    def __init__(self, counts: xr.DataArray, **options: Any) -> None:
        super().__init__(counts, **options)
        #: What readers of a posterior should know about the model of this evidence.
        self.notes: list[Note] = []
        self.spread_of_shares = self.spread
        self.over_datasets = "dataset" in self.counts.dims
        self.row = ("outcome",) if self.outcomes else ("actual", "predicted")
        members, alpha = self._rows(self.counts), self._rows(self.concentration)
        # (population, row, member, answer); members are the data sets of each entity, or all
        # entities.
        self.members = (
            np.moveaxis(members, 1, 2)
            if self.over_datasets
            else np.moveaxis(members[:, 0], 0, 1)[None]
        )
        self.names = (
            self.counts["entity"].values.tolist() if self.over_datasets else ["all entities"]
        )
        # Members are drawn in the order of their names, so that the order of the evidence has no
        # effect.
        called = self.counts["dataset" if self.over_datasets else "entity"].values.tolist()
        self.order = np.array(sorted(range(len(called)), key=lambda i: repr(called[i])))
        #: Concentrations (population, row, answer), which are equal within a population.
        self.prior = alpha[:, 0] if self.over_datasets else alpha[:1, 0]
        _check_one_prior(alpha, self.over_datasets)
        self.kind = "typical" if self.over_datasets else "observed"
        self.settings |= {
            "population": "data sets" if self.over_datasets else "entities",
            **({"typical": "mean"} if self.over_datasets else {}),
        }
        if self.over_datasets and len(self.names) > 1:
            self.notes = self._notes_on_difficulty()

    def _notes_on_difficulty(self) -> list[Note]:
        """Return a note if entities were not measured on the same data sets, or if all differ in difficulty."""
        lacking = sorted(
            str(self.names[i]) for i in np.flatnonzero((self.test_set.values == "").any(1))
        )
        instead = self.with_difficulty if self.counts.shape[-1] == 2 else None
        if lacking:
            ignored = self.ignores_difficulty
            code = "easy_datasets_credited" if ignored else "datasets_missing_at_random"
            return [Note(code, {"instead": instead, "lacking": lacking})]
        return [Note("difficulty_ignored", {"instead": instead})] if self.ignores_difficulty else []

    def _priors_of_shares(self) -> list[Note]:
        if not self.learns_shares:
            return super()._priors_of_shares()
        priors = self.share_prior
        fields = {
            "each": float(priors[0]) if np.ptp(priors) < 1e-12 else None,
            "spread": self.spread_of_shares,
        }
        return [Note("prior_of_shares", fields)]

    def _known_totals(self, prevalence: Any) -> xr.DataArray | None:
        if self.outcomes:
            if prevalence is not None:
                raise ArgumentError(
                    "prevalence",
                    "must be None for outcomes, which have no classes",
                    f"{prevalence!r}",
                )
            return None
        if isinstance(prevalence, str) and prevalence == "observed":
            raise ArgumentError(
                "prevalence",
                "must be 'sampled', a number or a DataArray for a hierarchical model, since typical and new "
                "data sets have no observed one",
                "'observed'",
            )
        totals = super()._known_totals(prevalence)
        if totals is not None and (over := [d for d in totals.dims if d in ("entity", "dataset")]):
            raise ArgumentError(
                "prevalence",
                "must be one number, or draws of it, for a hierarchical model",
                f"one for each of {over}",
            )
        return totals

    def _rows(self, table: xr.DataArray) -> np.ndarray:
        """Return values as (entity, data set, row, answer)."""
        return table.values.reshape(
            table.sizes["entity"], table.sizes.get("dataset", 1), -1, table.shape[-1]
        )

    def _as_tables(self, rows: np.ndarray) -> np.ndarray:
        """Return values (..., population, row, member, answer) in the layout of the counts, without reshaping."""
        return (
            np.swapaxes(rows, -3, -2)
            if self.over_datasets
            else np.swapaxes(rows[..., 0, :, :, :], -3, -2)
        )

    def _shares_key(self, prior: np.ndarray) -> str:
        """Return the key of the class sizes and their prior, which does not depend on the order of the evidence."""
        return fingerprint(np.array(sorted(self.class_sizes.tolist())), prior)

    def _sort_key(self, name: str) -> tuple[list, str]:
        """Return a sort key of test sets of equal size: the data sets and the given name."""
        own_name = name.split(" (test set ")[0] if self.test_set.attrs["named"] else ""
        if not self.over_datasets:
            return [], own_name
        on_set = (self.test_set == name).any("entity").values
        return sorted(self.counts["dataset"].values[on_set].tolist(), key=repr), own_name

    @property
    def learns_shares(self) -> bool:
        """Return whether class shares are learned as a population of test sets."""
        return self.over_datasets and not self.outcomes and self.totals is None

    @property
    def share_prior(self) -> np.ndarray:
        """Return concentrations of the mean class shares: the prior's row totals, scaled to the weight of one row."""
        rows = self.prior[0].sum(-1)
        return rows / len(rows)

    def _tables(
        self, hyper: Hyper, group: str, block: Block, root: np.random.SeedSequence
    ) -> dict[str, xr.Variable]:
        """Draw performances given the populations: of each member, a typical and a new data set."""
        rates = dict(
            zip(("", "_typical", "_new"), self._rates(hyper, group, block, root), strict=True)
        )
        shares, result = self._shares(hyper, group, block, root)
        for kind, rate in rates.items() if self.over_datasets else [("", rates[""])]:
            cells = ("draw", *map(str, ["entity"] if kind else self.test_set.dims))
            table = rate * shares[kind][..., None]
            if not kind:
                table[:, self.test_set.values == ""] = np.nan
            values = table[..., 0, :] if self.outcomes else table
            result[f"performance{kind}"] = xr.Variable((*cells, *self.row), values)
            if self.values is not None:
                result[f"mean_outcome{kind}"] = xr.Variable(cells, values @ self.values)
        return result | self._parameters(hyper)

    def _rates(
        self, hyper: Hyper, group: str, block: Block, root: np.random.SeedSequence
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Draw rates (draw, ..., row, answer) of tables, and of a typical and a new data set per entity."""
        members = np.empty((block.size, *self.members.shape))
        new = np.empty((block.size, *self.prior.shape))
        for i, name in enumerate(self.names):
            for c, (prior, counts) in enumerate(zip(self.prior[i], self.members[i], strict=True)):
                counts = counts[self.order]
                rng = stream(root, group, "rates", name, c, fingerprint(counts, prior), *block.key)
                alpha = concentration(hyper[MEAN][:, i, c], hyper[SPREAD_OF][:, i, c])
                observed = counts if group == "posterior" else 0 * counts
                members[:, i, c, self.order] = dirichlet_of_each(rng, alpha[:, None] + observed)
                new[:, i, c] = dirichlet_of_each(rng.spawn(1)[0], alpha)
        return self._as_tables(members), hyper[MEAN], new

    def _parameters(self, hyper: Hyper) -> dict[str, xr.Variable]:
        """Return the parameters of the populations of rates, as posterior variables."""
        over = ["entity"] * self.over_datasets
        return {
            MEAN: self._variable([*over, *self.row], hyper[MEAN]),
            SPREAD_OF: self._variable([*over, *self.row[:-1]], hyper[SPREAD_OF]),
        }

    def _variable(self, dims: list[str], values: np.ndarray) -> xr.Variable:
        """Return values (draw, ...) as a posterior variable over these dims of the counts."""
        return xr.Variable(
            ("draw", *dims), values.reshape(len(values), *(self.counts.sizes[d] for d in dims))
        )

    def _shares(
        self, hyper: Hyper, group: str, block: Block, root: np.random.SeedSequence
    ) -> tuple[dict[str, np.ndarray], dict[str, xr.Variable]]:
        """Draw class shares (draw, ..., class) of each table, a typical and a new data set; posterior variables."""
        kinds = ("", "_typical", "_new")
        if self.outcomes:
            return dict.fromkeys(kinds, np.ones((1, 1, 1))), {}
        if self.totals is not None:
            share = known_shares(self.totals, self.concentration, block)
            first = share.reshape(block.size, -1, share.shape[-1])[:, :1]
            return dict(zip(kinds, (share, first, first), strict=True)), {}
        sizes, prior, named = self.class_sizes, self.prior[0].sum(-1), self.test_set.values
        alpha = np.broadcast_to(prior, (block.size, len(prior)))
        if self.learns_shares:
            alpha = concentration(hyper[SHARES], hyper[SPREAD_OF_SHARES])
        observed = sizes if group == "posterior" else 0 * sizes
        shares = np.empty((block.size, *sizes.shape))
        share = np.full((block.size, *named.shape, len(prior)), np.nan)
        key = self._shares_key(prior)
        for i, name in enumerate(self.test_sets):
            rng = stream(
                root, group, "prevalence", key, sizes[i].tolist(), *self._sort_key(name), *block.key
            )
            shares[:, i] = dirichlet_of_each(rng, alpha + observed[i])
            share[:, named == name] = shares[:, i, None]
        result = {"prevalence": xr.Variable(("draw", "test_set", "actual"), shares)}
        if not self.learns_shares:
            # A single test set, or no population of them: typical and new data sets have the
            # observed shares.
            return dict(zip(kinds, (share, shares[:, :1], shares[:, :1]), strict=True)), result
        result[SHARES] = xr.Variable(("draw", "actual"), hyper[SHARES])
        result[SPREAD_OF_SHARES] = xr.Variable("draw", hyper[SPREAD_OF_SHARES])
        new = dirichlet_of_each(stream(root, group, "new prevalence", key, *block.key), alpha)
        return dict(zip(kinds, (share, hyper[SHARES][:, None], new[:, None]), strict=True)), result

    def _draw_class_shares(self, group: str, block: Block, root: np.random.SeedSequence) -> Hyper:
        """Draw the mean and spread of the class shares of test sets, by quadrature for two classes."""
        if not self.learns_shares:
            return {}
        sizes, prior = self.class_sizes, self.share_prior
        rng = stream(root, group, "population of test sets", self._shares_key(prior), *block.key)
        mean, spread = self._population(group, sizes, prior, self.spread_of_shares, rng, block.size)
        return {SHARES: mean, SPREAD_OF_SHARES: spread}

    def _population(
        self,
        group: str,
        counts: np.ndarray,
        prior: np.ndarray,
        scale: float,
        rng: np.random.Generator,
        size: int,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw a population's mean (draw, answer) and spread (draw), by quadrature for two answers."""
        observed = counts if group == "posterior" else 0 * counts
        mean, spread = self.learn_population(observed, prior, scale).draw(rng, size)
        return np.stack([1 - mean, mean], -1), spread

    def build(self) -> Any:
        import pymc as pm

        with pm.Model() as model:
            mean = pm.Dirichlet(MEAN, self.prior, shape=self.prior.shape)
            spread = spread_variable(SPREAD_OF, self.spread, self.prior.shape[:-1])
            alpha = mean * (1 / spread**2 - 1)[..., None]
            totals = self.members.sum(-1)
            pm.DirichletMultinomial("counts", n=totals, a=alpha[:, :, None], observed=self.members)
            if self.learns_shares:
                mean = pm.Dirichlet(SHARES, self.share_prior)
                spread = spread_variable(SPREAD_OF_SHARES, self.spread_of_shares)
                sizes = self.class_sizes
                pm.DirichletMultinomial(
                    "cases", n=sizes.sum(-1), a=mean * (1 / spread**2 - 1), observed=sizes
                )
        return model

    def graph(self) -> Any:
        """Return the PyMC model with the rates of each table, and ``performance`` of the tables and of data sets.

        Rates are integrated out: nearly equal ones would need short steps.
        """
        import pymc as pm

        dims = list(map(str, self.counts.dims))
        of = [*["entity"] * self.over_datasets, *self.row]
        # As populations: of each entity over its data sets, or of all entities, which have no dim.
        prior = self.prior if self.over_datasets else self.prior[0]
        prior = prior[..., 0, :] if self.outcomes else prior
        with pm.Model(coords=self.graph_coords()) as model:
            mean = pm.Dirichlet(MEAN, prior, dims=of, shape=prior.shape)
            spread = spread_variable(SPREAD_OF, self.spread, prior.shape[:-1])
            alpha = mean * (1 / spread**2 - 1)[..., None]
            priors = alpha[:, None] if self.over_datasets else alpha[None]
            counts = self.counts.values
            priors += np.zeros(counts.shape)
            pm.DirichletMultinomial(
                "counts", n=counts.sum(-1), a=priors, observed=counts, dims=dims
            )
            name = self.name_of_rows
            rate = dirichlet_by_uniforms(name, priors + counts, counts.shape)
            rates = {"": pm.Deterministic(name, rate, dims=dims)}
            if self.over_datasets:
                new = dirichlet_by_uniforms("rate_new", alpha, prior.shape)
                rates |= {"_typical": mean, "_new": pm.Deterministic("rate_new", new, dims=of)}
            self.add_performances(rates)
        return model

    def shares_in_graph(self) -> dict[str, Any] | None:
        """Add class shares to the PyMC model in context: those of each table, of a typical and of a new data set."""
        import pymc as pm

        if not self.learns_shares:
            result = super().shares_in_graph()
            if result is not None:
                result |= dict.fromkeys(
                    ("_typical", "_new"), result[""].reshape((-1, self.counts.sizes["actual"]))[:1]
                )
            return result
        sizes, prior = self.class_sizes, self.share_prior
        mean = pm.Dirichlet(SHARES, prior, dims="actual", shape=prior.shape)
        spread = spread_variable(SPREAD_OF_SHARES, self.spread_of_shares)
        alpha = mean * (1 / spread**2 - 1)
        of_set = ("test_set", "actual")
        concentrations = alpha + np.zeros(sizes.shape)
        pm.DirichletMultinomial(
            "row_totals", n=sizes.sum(-1), a=concentrations, observed=sizes, dims=of_set
        )
        concentrations = dirichlet_by_uniforms("prevalence", concentrations + sizes, sizes.shape)
        concentrations = pm.Deterministic("prevalence", concentrations, dims=of_set)
        new = dirichlet_by_uniforms("prevalence_new", alpha, prior.shape)
        new = pm.Deterministic("prevalence_new", new, dims="actual")
        return {
            "": concentrations[self.place_of_test_set],
            "_typical": mean[None],
            "_new": new[None],
        }

    def performances(self, sampled: xr.Dataset, root: np.random.SeedSequence) -> xr.Dataset:
        shape = sampled.sizes["chain"], sampled.sizes["draw"]
        parts = []
        for chain in range(shape[0]):
            block = Block(chain, 0, shape[1], shape)
            of_chain = sampled.isel(chain=chain).transpose("draw", ...)
            hyper = {str(name): held.values for name, held in of_chain.data_vars.items()}
            shares = {} if SHARES in hyper else self._draw_class_shares("posterior", block, root)
            parts.append(self._tables(hyper | shares, "posterior", block, root))
        variables = {
            name: (
                ("chain", *map(str, variable.dims)),
                np.stack([part[name].values for part in parts]),
            )
            for name, variable in parts[0].items()
        }
        return xr.Dataset(
            variables, {"chain": sampled["chain"], "draw": sampled["draw"]} | self.coords()
        )

    def log_prior(self, posterior: xr.Dataset) -> xr.Dataset:
        """Return log prior densities without constants: of means over their log odds, and of spreads.

        If the entities are the population, ``prevalence`` is the density of the class shares of
        each test set.
        """
        dims = [*["entity"] * self.over_datasets, *self.row]
        prior = xr.DataArray(self.prior.reshape([self.counts.sizes[d] for d in dims]), dims=dims)
        densities = {
            MEAN: log_odds_density(posterior[MEAN], prior, self.row[-1]),
            SPREAD_OF: log_spread_density(posterior[SPREAD_OF], self.spread),
        }
        if SHARES in posterior:
            shares = xr.DataArray(self.share_prior, dims="actual")
            densities[SHARES] = log_odds_density(posterior[SHARES], shares, "actual")
            densities[SPREAD_OF_SHARES] = log_spread_density(
                posterior[SPREAD_OF_SHARES], self.spread_of_shares
            )
        elif "prevalence" in posterior:
            rows = xr.DataArray(self.prior[0].sum(-1), dims="actual")
            densities["prevalence"] = log_odds_density(posterior["prevalence"], rows, "actual")
        return xr.Dataset(densities)

    def log_likelihood(self, posterior: xr.Dataset) -> xr.Dataset:
        """Return the log probability ``counts`` (entity, [dataset], [actual]) of each row given its total.

        Rates are integrated out, so that leave-one-out removes a table. ``row_totals`` (test_set)
        are those of sampled class sizes.
        """
        mean, spread = self._populations(posterior)
        rows = _population.log_likelihood(self.members, mean[..., None, :], spread[..., None])
        rows = self._as_tables(rows[..., None])[..., 0]
        dims = (*DRAWS, *map(str, self.test_set.dims), *self.row[:-1])
        found: dict[str, Any] = {"counts": (dims, rows[..., 0] if self.outcomes else rows)}
        if (shares := self._log_likelihood_of_shares(posterior)) is not None:
            found["row_totals"] = shares
        coords = {name: posterior[name] for name in DRAWS} | self.coords()
        retained = {
            name: coord
            for name, coord in coords.items()
            if self.row[-1] not in getattr(coord, "dims", ())
        }
        return xr.Dataset(found, retained)

    def _log_likelihood_of_shares(
        self, posterior: xr.Dataset
    ) -> tuple[tuple[str, ...], np.ndarray] | None:
        """Return the log probability of the class sizes of each test set, if class shares are sampled."""
        if SHARES in posterior:
            mean, spread = (
                posterior[name].transpose(*DRAWS, ...).values for name in (SHARES, SPREAD_OF_SHARES)
            )
            result = _population.log_likelihood(
                self.class_sizes, mean[..., None, :], spread[..., None]
            )
        elif "prevalence" in posterior:
            result = self.log_likelihood_of_sizes(posterior).values
        else:
            return None
        return (*DRAWS, "test_set"), result

    def _populations(self, posterior: xr.Dataset) -> tuple[np.ndarray, np.ndarray]:
        """Return mean (chain, draw, population, row, answer) and spread (the same without answer)."""
        lead = [posterior.sizes[d] for d in DRAWS]
        mean, spread = (posterior[name].transpose(*DRAWS, ...).values for name in (MEAN, SPREAD_OF))
        return mean.reshape(*lead, *self.prior.shape), spread.reshape(*lead, *self.prior.shape[:-1])

    def renew(
        self, posterior: xr.Dataset, root: np.random.SeedSequence, purpose: str
    ) -> xr.DataArray:
        """Draw counts for an equal number of new members, with the observed sizes, one for each draw."""
        alpha = concentration(*self._populations(posterior))
        new = np.empty((*alpha.shape[:2], *self.members.shape), np.int64)
        for i, name in enumerate(self.names):
            for c, counts in enumerate(self.members[i]):
                rng = stream(
                    root,
                    purpose,
                    "new members",
                    name,
                    c,
                    fingerprint(counts[self.order], self.prior[i, c]),
                )
                rates = dirichlet_of_each(
                    rng, np.repeat(alpha[:, :, i, c, None], len(counts), axis=2)
                )
                new[:, :, i, c, self.order] = rng.multinomial(counts[self.order].sum(-1), rates)
        return self._of_new_members(posterior, new)

    def _of_new_members(self, posterior: xr.Dataset, new: np.ndarray) -> xr.DataArray:
        """Return counts (chain, draw, population, row, member, answer) with the dims of the evidence."""
        coords = {name: posterior[name].values for name in DRAWS}
        coords |= {str(d): self.counts[d].values for d in self.counts.dims}
        values = self._as_tables(new).reshape(*new.shape[:2], *self.counts.shape)
        return xr.DataArray(values, coords, (*DRAWS, *map(str, self.counts.dims)), "counts")


def log_odds_density(rate: xr.DataArray, prior: xr.DataArray, answers: str) -> xr.DataArray:
    """Return the log density of Dirichlet rates over their log odds, without constants."""
    retained = rate.drop_vars([name for name, c in rate.coords.items() if answers in c.dims])
    logs: xr.DataArray = xr.apply_ufunc(
        np.log, retained.where(~(retained < np.finfo(float).tiny), np.finfo(float).tiny)
    )
    return (
        (logs * prior).sum(answers, skipna=False).transpose(*[d for d in rate.dims if d != answers])
    )


def log_spread_density(spread: xr.DataArray, scale: float) -> xr.DataArray:
    """Return the log prior density of a spread, clipped to the open interval of its values."""
    tiny = np.finfo(float).eps
    return spread.copy(
        data=_population.log_prior_of_spread(spread.clip(tiny, 1 - tiny).values, scale)
    )


def concentration(mean: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """Return the concentrations of a population's rates from their mean (..., answer) and spread."""
    return mean * (1 / np.square(spread) - 1)[..., None]
