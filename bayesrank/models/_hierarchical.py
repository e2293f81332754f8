"""Shared parts of hierarchical models of counts: members of a population, its mean and spread, three performances."""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import xarray as xr

from bayesrank._checks import check_bool, label_values
from bayesrank._random import Block, fingerprint, stream
from bayesrank._sampling import dirichlet_of_each, sample_counts, sample_outcomes
from bayesrank.evidence.counts import are_outcomes, check_counts, check_outcomes
from bayesrank.models._conjugate import Conjugate
from bayesrank.models._outcomes import observed_data
from bayesrank.models._population import (
    SPREAD,
    Population,
    check_spread,
    learn,
    log_likelihood,
    log_prior_of_spread,
    spread_variable,
)
from bayesrank.models._priors import OF_MEANS, in_words
from bayesrank.models._priors import concentration as prior_concentration
from bayesrank.models._product_multinomial import check_proper, known_totals, multinomial, row_totals, test_sets

#: Means and spreads by name: of the rates (population, row, ...) and of the class shares.
Hyper = dict[str, np.ndarray]
MEAN, SPREAD_OF, SHARES, SPREAD_OF_SHARES = "mean_rate", "spread", "mean_prevalence", "spread_of_prevalence"
DRAWS = ("chain", "draw")
#: Values of the attr ``typical`` of a posterior, by option.
TYPICAL = {"median": "rates of the median data set", "mean": "means of the rates over data sets"}


class Hierarchical:
    """Model rows of counts whose rates vary between members: the data sets of an entity or, without them, the entities.

    The options are ``prior``, ``prevalence``, ``spread`` and ``force``, as for :func:`bayesrank.fit`. The mean rates
    have one prior, by default ``"unit"``, the information of one data set. Class shares vary between data sets around a
    mean of their own, unless a prevalence is given.
    """

    words: ClassVar[str]
    learns: ClassVar[str] = "data sets"
    most_outcomes: ClassVar[int | None] = None
    #: One fit covers all data sets.
    over_datasets_together: ClassVar[bool] = True
    #: Default prior of the mean rates.
    prior_of_means: ClassVar[str] = OF_MEANS

    def __init__(
        self,
        counts: xr.DataArray,
        *,
        prior: Any = None,
        prevalence: Any = None,
        spread: float = SPREAD,
        force: bool = False,
    ) -> None:
        check_bool("force", force)
        #: Scales of the priors of the spread of rates and of class shares.
        self.spread = self.spread_of_shares = check_spread(spread)
        self.outcomes = are_outcomes(counts)
        self.counts = check_outcomes(counts, "evidence") if self.outcomes else check_counts(counts, "evidence")
        if self.most_outcomes not in (None, self.counts.shape[-1]):
            raise ValueError(
                f"evidence must have two {'outcomes' if self.outcomes else 'classes'} for the model "
                f"{type(self).__name__}; got {self.counts.shape[-1]} (use 'hierarchical_dirichlet_multinomial')"
            )
        self.over_datasets = "dataset" in self.counts.dims
        self.concentration = prior_concentration(self.counts, self.prior_of_means if prior is None else prior)
        self.totals = self._known_totals(prevalence)
        if not force:
            check_proper(self.counts, self.concentration)
        self.row = ("outcome",) if self.outcomes else ("actual", "predicted")
        members, alpha = self._rows(self.counts), self._rows(self.concentration)
        # (population, row, member, answer); members are the data sets of each entity, or all entities.
        self.members = np.moveaxis(members, 1, 2) if self.over_datasets else np.moveaxis(members[:, 0], 0, 1)[None]
        self.names = self.counts["entity"].values.tolist() if self.over_datasets else ["all entities"]
        # Members are drawn in the order of their names, so that the order of the evidence has no effect.
        called = self.counts["dataset" if self.over_datasets else "entity"].values.tolist()
        self.order = np.array(sorted(range(len(called)), key=lambda i: repr(called[i])))
        self.prior = _check_one_prior(alpha, self.over_datasets)
        rows = row_totals(self.concentration) if not self.outcomes else xr.zeros_like(row_totals(self.counts))
        self.test_set, _ = test_sets(self.counts, rows, True)
        self.kind = "typical" if self.over_datasets else "observed"
        self.settings: dict[str, Any] = {
            "prior": in_words(prior, self.prior_of_means),
            "spread": self.spread,
            **({} if self.outcomes else {"prevalence": in_words(prevalence, "sampled")}),
            "population": "data sets" if self.over_datasets else "entities",
            **({"typical": TYPICAL["mean"]} if self.over_datasets else {}),
        }
        self._learned: dict[str, Population] = {}
        self.values = label_values(self.counts["outcome"].values) if self.outcomes else None
        if self.values is not None:
            self.settings["mean_outcome_range"] = [float(self.values.min()), float(self.values.max())]

    def _known_totals(self, prevalence: Any) -> xr.DataArray | None:
        if self.outcomes:
            if prevalence is not None:
                raise ValueError(f"prevalence must be None for outcomes, which have no classes; got {prevalence!r}")
            return None
        if isinstance(prevalence, str) and prevalence == "observed":
            raise ValueError(
                "prevalence must be 'sampled', a number or a DataArray for a hierarchical model, since typical and new "
                "data sets have no observed one; got 'observed'"
            )
        totals = known_totals(self.counts, "sampled" if prevalence is None else prevalence)
        if totals is not None and {"entity", "dataset"} & set(totals.dims):
            raise ValueError(
                "prevalence must be one number, or draws of it, for a hierarchical model; got one for each of "
                f"{[d for d in totals.dims if d in ('entity', 'dataset')]}"
            )
        return totals

    def _rows(self, table: xr.DataArray) -> np.ndarray:
        """Return values as (entity, data set, row, answer)."""
        shape = (table.sizes["entity"], table.sizes.get("dataset", 1), -1, table.shape[-1])
        return table.values.reshape(shape)

    def observed(self) -> dict[str, xr.Dataset]:
        """Return the observed data and the prior of the means."""
        found = observed_data(self.counts, self.test_set, self.values)
        return {"observed_data": found, "constant_data": self.concentration.to_dataset()}

    def coords(self) -> dict[str, Any]:
        """Return the coords of the draws: those of the counts, and the test sets."""
        kept = {str(name): coord for name, coord in self.counts.coords.items() if name != "test_set"}
        return kept | ({} if self.outcomes or self.totals is not None else {"test_set": self.test_sets})

    @property
    def test_sets(self) -> list[str]:
        """Return the names of the test sets, in order of first appearance."""
        return list(dict.fromkeys(name for name in self.test_set.values.ravel().tolist() if name))

    @property
    def class_sizes(self) -> np.ndarray:
        """Return the class sizes (test set, class); each test set counts once, for any number of entities."""
        cases, named = self.counts.sum("predicted").values, self.test_set.values
        return np.array([cases[named == name][0] for name in self.test_sets])

    @property
    def ordered_sizes(self) -> np.ndarray:
        """Return the class sizes in an order that does not depend on the order of the evidence."""
        return np.array(sorted(self.class_sizes.tolist()))

    def _sort_key(self, name: str) -> tuple[list, str]:
        """Return a sort key of test sets of equal size: the data sets and the given name."""
        given = name.split(" (test set ")[0] if self.test_set.attrs["named"] else ""
        if not self.over_datasets:
            return [], given
        here = (self.test_set == name).any("entity").values
        return sorted(self.counts["dataset"].values[here].tolist(), key=repr), given

    @property
    def learns_shares(self) -> bool:
        """Return whether class shares are learned as a population of test sets."""
        return self.over_datasets and not self.outcomes and self.totals is None

    @property
    def share_prior(self) -> np.ndarray:
        """Return concentrations of the mean class shares: the prior's row totals, scaled to the weight of one row."""
        rows = self.prior[0].sum(-1)
        return rows / len(rows)

    def _tables(self, hyper: Hyper, group: str, block: Block, root: np.random.SeedSequence) -> dict[str, xr.Variable]:
        """Draw performances given the populations: of each member, a typical and a new data set."""
        own, typical, new = self._rates(hyper, group, block, root)
        shares, found = self._shares(hyper, group, block, root)
        tables = {"performance": own * shares["observed"][..., None]}
        if self.over_datasets:
            tables["performance_typical"] = typical * shares["typical"][..., None]
            tables["performance_new"] = new * shares["new"][..., None]
        tables["performance"][:, self.test_set.values == ""] = np.nan
        cells = {
            name: ("draw", *map(str, self.test_set.dims if name == "performance" else ["entity"])) for name in tables
        }
        for name, table in tables.items():
            values = table[..., 0, :] if self.outcomes else table
            found[name] = xr.Variable((*cells[name], *self.row), values)
            if self.values is not None:
                mean = xr.Variable(cells[name], values @ self.values)
                found[name.replace("performance", "mean_outcome")] = mean
        return found | self._parameters(hyper)

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
                seen = counts if group == "posterior" else 0 * counts
                members[:, i, c, self.order] = dirichlet_of_each(rng, alpha[:, None] + seen)
                new[:, i, c] = dirichlet_of_each(rng.spawn(1)[0], alpha)
        # (draw, entity, data set, row, answer), or without data sets (draw, entity, row, answer)
        own = np.moveaxis(members, 3, 2) if self.over_datasets else np.moveaxis(members[:, 0], 2, 1)
        return own, hyper[MEAN], new

    def _parameters(self, hyper: Hyper) -> dict[str, xr.Variable]:
        """Return the parameters of the populations of rates, as posterior variables."""
        rows = self.row[:-1]
        over = ("draw", *["entity"] * self.over_datasets, *rows)
        found = {}
        for name, dims in ((MEAN, (*over, self.row[-1])), (SPREAD_OF, over)):
            values = hyper[name]
            sizes = {**self.counts.sizes, "draw": len(values)}
            found[name] = xr.Variable(dims, values.reshape([sizes[d] for d in dims]))
        return found

    def _shares(
        self, hyper: Hyper, group: str, block: Block, root: np.random.SeedSequence
    ) -> tuple[dict[str, np.ndarray], dict[str, xr.Variable]]:
        """Draw class shares of each table, a typical and a new data set (draw, ..., class)."""
        if self.outcomes:
            return dict.fromkeys(("observed", "typical", "new"), np.ones((1, 1, 1))), {}
        if self.totals is not None:
            known = Conjugate(self.concentration, self.concentration, self.totals, self.test_set, self.test_set)
            share = known.known_shares(block)
            one = share.reshape(block.size, -1, share.shape[-1])[:, :1]
            return {"observed": share, "typical": one, "new": one}, {}
        sizes, prior, named = self.class_sizes, self.prior[0].sum(-1), self.test_set.values
        alpha = np.broadcast_to(prior, (block.size, len(prior)))
        if self.learns_shares:
            alpha = concentration(hyper[SHARES], hyper[SPREAD_OF_SHARES])
        seen = sizes if group == "posterior" else 0 * sizes
        each = np.empty((block.size, *sizes.shape))
        share = np.full((block.size, *named.shape, len(prior)), np.nan)
        key = fingerprint(self.ordered_sizes, prior)
        for i, name in enumerate(self.test_sets):
            rng = stream(root, group, "prevalence", key, sizes[i].tolist(), *self._sort_key(name), *block.key)
            each[:, i] = dirichlet_of_each(rng, alpha + seen[i])
            share[:, named == name] = each[:, i, None]
        found = {"prevalence": xr.Variable(("draw", "test_set", "actual"), each)}
        if not self.learns_shares:
            # A single test set, or no population of them: typical and new data sets have the observed shares.
            return {"observed": share, "typical": each[:, :1], "new": each[:, :1]}, found
        found[SHARES] = xr.Variable(("draw", "actual"), hyper[SHARES])
        found[SPREAD_OF_SHARES] = xr.Variable("draw", hyper[SPREAD_OF_SHARES])
        new = dirichlet_of_each(stream(root, group, "new prevalence", key, *block.key), alpha)
        return {"observed": share, "typical": hyper[SHARES][:, None], "new": new[:, None]}, found

    def _draw_class_shares(self, group: str, block: Block, root: np.random.SeedSequence) -> Hyper:
        """Draw the mean and spread of the class shares of test sets, by quadrature for two classes."""
        if not self.learns_shares:
            return {}
        sizes, prior = self.class_sizes, self.share_prior
        rng = stream(root, group, "population of test sets", fingerprint(self.ordered_sizes, prior), *block.key)
        mean, spread = self._population(group, sizes, prior, self.spread_of_shares, rng, block.size)
        return {SHARES: mean, SPREAD_OF_SHARES: spread}

    def _population(
        self, group: str, counts: np.ndarray, prior: np.ndarray, scale: float, rng: np.random.Generator, size: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw a population's mean (draw, answer) and spread (draw), by quadrature for two answers."""
        seen = counts if group == "posterior" else 0 * counts
        key = fingerprint(seen, prior, scale)
        if key not in self._learned:
            self._learned[key] = learn(seen[:, 1], seen.sum(-1), prior[::-1], scale)
        mean, spread = self._learned[key].draw(rng, size)
        return np.stack([1 - mean, mean], -1), spread

    def build(self) -> Any:
        """Return the PyMC model of counts given row totals, and of each test set's class sizes, without rates."""
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
                pm.DirichletMultinomial("cases", n=sizes.sum(-1), a=mean * (1 / spread**2 - 1), observed=sizes)
        return model

    def performances(self, sampled: xr.Dataset, root: np.random.SeedSequence) -> xr.Dataset:
        """Return the posterior group from sampled means and spreads; rates given these are drawn exactly."""
        return by_chain(sampled, self.coords(), lambda hyper, block: self._tables(hyper, "posterior", block, root))

    def replicate(self, group: xr.Dataset, root: np.random.SeedSequence, purpose: str) -> xr.Dataset:
        """Draw counts of new cases of the same data sets, one table for each draw."""
        if self.outcomes:
            return sample_outcomes(group["performance"], self.counts.sum("outcome"), root, purpose).to_dataset()
        known = self.totals is not None
        return sample_counts(group["performance"], self.counts, known, root, purpose).to_dataset()

    def log_prior(self, posterior: xr.Dataset) -> xr.Dataset:
        """Return log prior densities without constants: of means over their log odds, and of spreads.

        ``mean_rate`` and ``spread`` have the dims of these variables, as have those of class shares. If the entities
        are the population, ``prevalence`` (test_set) is the density of the class shares of each test set.
        """
        found = {
            MEAN: log_odds_density(posterior[MEAN], self._rows_of(self.prior), self.row[-1]),
            SPREAD_OF: log_spread_density(posterior[SPREAD_OF], self.spread),
        }
        if SHARES in posterior:
            shares = xr.DataArray(self.share_prior, dims="actual")
            found[SHARES] = log_odds_density(posterior[SHARES], shares, "actual")
            found[SPREAD_OF_SHARES] = log_spread_density(posterior[SPREAD_OF_SHARES], self.spread_of_shares)
        elif "prevalence" in posterior:
            rows = xr.DataArray(self.prior[0].sum(-1), dims="actual")
            found["prevalence"] = log_odds_density(posterior["prevalence"], rows, "actual")
        return xr.Dataset(found)

    def _rows_of(self, prior: np.ndarray) -> xr.DataArray:
        """Return concentrations (population, row, answer) over the dims of the mean rates."""
        dims = [*["entity"] * self.over_datasets, *self.row]
        return xr.DataArray(prior.reshape([self.counts.sizes[d] for d in dims]), dims=dims)

    def log_likelihood(self, posterior: xr.Dataset) -> xr.Dataset:
        """Return the log probability ``counts`` (entity, [dataset], [actual]) of each row given its total.

        Rates are integrated out, so that leave-one-out removes a table. If class shares are sampled, ``row_totals``
        (test_set) is the log probability of the class sizes given their population or, without data sets, the
        prevalence.
        """
        mean, spread = self._populations(posterior)
        rows = log_likelihood(self.members, mean[..., None, :], spread[..., None])
        # In the layout of the tables: (entity, data set, row), or without data sets (entity, row).
        rows = np.swapaxes(rows, 3, 4) if self.over_datasets else np.swapaxes(rows[:, :, 0], 2, 3)
        dims = (*DRAWS, *map(str, self.test_set.dims), *self.row[:-1])
        found: dict[str, Any] = {"counts": (dims, rows[..., 0] if self.outcomes else rows)}
        if (shares := self._log_likelihood_of_shares(posterior)) is not None:
            found["row_totals"] = shares
        coords = {name: posterior[name] for name in DRAWS} | self.coords()
        kept = {name: coord for name, coord in coords.items() if self.row[-1] not in getattr(coord, "dims", ())}
        return xr.Dataset(found, kept)

    def _log_likelihood_of_shares(self, posterior: xr.Dataset) -> tuple[tuple[str, ...], np.ndarray] | None:
        """Return the log probability of the class sizes of each test set, if class shares are sampled."""
        if SHARES in posterior:
            mean, spread = (posterior[name].transpose(*DRAWS, ...).values for name in (SHARES, SPREAD_OF_SHARES))
            found = log_likelihood(self.class_sizes, mean[..., None, :], spread[..., None])
        elif "prevalence" in posterior:
            share = posterior["prevalence"]
            sizes = share.isel(chain=0, draw=0, drop=True).copy(data=self.class_sizes)
            found = multinomial(sizes, share, "actual").transpose(*DRAWS, "test_set").values
        else:
            return None
        return (*DRAWS, "test_set"), found

    def _populations(self, posterior: xr.Dataset) -> tuple[np.ndarray, np.ndarray]:
        """Return mean (chain, draw, population, row, answer) and spread (the same without answer)."""
        lead = [posterior.sizes[d] for d in DRAWS]
        mean, spread = (posterior[name].transpose(*DRAWS, ...).values for name in (MEAN, SPREAD_OF))
        return mean.reshape(*lead, *self.prior.shape), spread.reshape(*lead, *self.prior.shape[:-1])

    def _of_new_members(self, posterior: xr.Dataset, new: np.ndarray) -> xr.DataArray:
        """Return counts (chain, draw, population, row, member, answer) with the dims of the evidence."""
        own = np.swapaxes(new, 3, 4) if self.over_datasets else np.swapaxes(new[:, :, 0], 2, 3)
        coords = {name: posterior[name].values for name in DRAWS}
        coords |= {str(d): self.counts[d].values for d in self.counts.dims}
        dims = (*DRAWS, *map(str, self.counts.dims))
        return xr.DataArray(own.reshape(*new.shape[:2], *self.counts.shape), coords, dims, "counts")


class Apart(Hierarchical):
    """Hierarchical models in which, given the class sizes, each row of counts has its own mean and spread."""

    rows_apart: ClassVar[bool] = True

    def renew(self, posterior: xr.Dataset, root: np.random.SeedSequence, purpose: str) -> xr.DataArray:
        """Draw counts for an equal number of new members, with the observed sizes, one for each draw.

        The rates of new members do not depend on the counts; :meth:`replicate` draws new cases of the same members.
        """
        alpha = concentration(*self._populations(posterior))
        new = np.empty((*alpha.shape[:2], *self.members.shape), np.int64)
        for i, name in enumerate(self.names):
            for c, counts in enumerate(self.members[i]):
                rng = stream(root, purpose, "new members", name, c, fingerprint(counts[self.order], self.prior[i, c]))
                rates = dirichlet_of_each(rng, np.repeat(alpha[:, :, i, c, None], len(counts), axis=2))
                new[:, :, i, c, self.order] = rng.multinomial(counts[self.order].sum(-1), rates)
        return self._of_new_members(posterior, new)


def by_chain(
    sampled: xr.Dataset, coords: dict[str, Any], tables: Callable[[Hyper, Block], dict[str, xr.Variable]]
) -> xr.Dataset:
    """Return the group of variables that ``tables`` draws for the sampled values (draw, ...) of each chain."""
    chains, draws = sampled.sizes["chain"], sampled.sizes["draw"]
    parts = []
    for chain in range(chains):
        hyper = {
            str(name): one.isel(chain=chain).transpose("draw", ...).values for name, one in sampled.data_vars.items()
        }
        parts.append(tables(hyper, Block(chain, 0, draws, (chains, draws))))
    found = {
        name: (("chain", *map(str, variable.dims)), np.stack([part[name].values for part in parts]))
        for name, variable in parts[0].items()
    }
    return xr.Dataset(found, {"chain": sampled["chain"], "draw": sampled["draw"]} | coords)


def log_odds_density(rate: xr.DataArray, prior: xr.DataArray, answers: str) -> xr.DataArray:
    """Return the log density of Dirichlet rates over their log odds, without constants."""
    kept = rate.drop_vars([name for name, c in rate.coords.items() if answers in c.dims])
    logs: xr.DataArray = xr.apply_ufunc(np.log, kept.where(~(kept < np.finfo(float).tiny), np.finfo(float).tiny))
    return (logs * prior).sum(answers, skipna=False).transpose(*[d for d in rate.dims if d != answers])


def log_spread_density(spread: xr.DataArray, scale: float) -> xr.DataArray:
    """Return the log prior density of a spread, clipped to the open interval of its values."""
    tiny = np.finfo(float).eps
    return spread.copy(data=log_prior_of_spread(spread.clip(tiny, 1 - tiny).values, scale))


def concentration(mean: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """Return the concentrations of a population's rates from their mean (..., answer) and spread."""
    return mean * (1 / np.square(spread) - 1)[..., None]


def _check_one_prior(alpha: np.ndarray, over_datasets: bool) -> np.ndarray:
    """Return the concentrations (population, row, answer), which must be equal within a population."""
    member = "dataset" if over_datasets else "entity"
    if (alpha != (alpha[:, :1] if over_datasets else alpha[:1])).any():
        raise ValueError(f"prior must be the same for every {member} of a population; got several along {member}")
    totals = alpha.sum(-1)
    if not np.allclose(totals, totals[:1], rtol=1e-9, atol=0):
        raise ValueError("prior must be the same for all row totals of a population; got several along entity")
    if alpha.min() <= 0:
        raise ValueError(f"prior must be positive for the mean of a population; got a concentration of {alpha.min():g}")
    return alpha[:, 0] if over_datasets else alpha[:1, 0]
