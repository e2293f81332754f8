r"""Hierarchical beta-binomial: rates differ from data set to data set around a mean, by a spread that is learned.

The story. Entity :math:`e` is right on a case of class :math:`c` of data set :math:`d` with a rate of its own there,

.. math::

    \theta_{edc} \sim \mathrm{Beta}(m_{ec}\kappa_{ec}, (1 - m_{ec})\kappa_{ec}), \qquad
    x_{edc} \sim \mathrm{Binomial}(n_{edc}, \theta_{edc}),

so that :math:`x` is beta-binomial. A priori the mean :math:`m` is Beta of the prior's concentrations of right and
wrong, and the spread :math:`s = 1/\sqrt{\kappa + 1}`, the standard deviation of the rates as a share of the largest
that their mean allows, is Beta(1, 2). Entities and classes are independent given the class sizes, whose own story is
the same: the share of a class in a test set varies around a mean, and every test set enters once.

Three performances answer three questions. ``performance`` (observed): how good is the entity on each of these data
sets? Rates of small data sets are drawn towards the mean. ``performance_typical``: how good is it on average over data
sets like these, each weighing the same (the means of rates and of prevalence)? ``performance_new``: how good will it be
on one more data set? All entities then meet the same prevalence; their rates there are drawn each for itself, since
this model knows no difficulty that entities share.

Without data sets the entities are the population: each one's rates are drawn towards the mean of all, the less cases it
has the more. Then there is nothing typical or new, and what is ranked is ``performance``.

References
----------
Gelman et al., Bayesian Data Analysis, 3rd ed., section 5.3, the model for rats.
"""

from typing import Any, ClassVar

import numpy as np
import xarray as xr

from bayesrank._checks import flag
from bayesrank._random import Block, fingerprint, stream
from bayesrank._sampling import sample_counts
from bayesrank.counts import check_counts
from bayesrank.models._conjugate import Conjugate
from bayesrank.models._population import SPREAD, Population, concentration, learn, log_likelihood
from bayesrank.models._priors import DEFAULT, in_words
from bayesrank.models._priors import concentration as prior_concentration
from bayesrank.models._product_multinomial import check_proper, known_totals, test_sets

#: Rates this close to 0 or 1 are as good as these, but leave no score undefined that is not.
LEAST = 1e-300
Hyper = dict[str, np.ndarray]


class HierarchicalBetaBinomial:
    """Each entity's rates vary from data set to data set around a mean, by a spread that is learned.

    Parameters
    ----------
    counts : xarray.DataArray
        Integer counts (entity, [dataset], actual, predicted) of two classes. Not every entity need have seen every data
        set. Without data sets the entities are the population.
    prior : number, str, array_like, mapping or DataArray, optional
        Concentrations, as for the models without hierarchy, of the means of the rates: one prior, however many data
        sets there are. With the default they are uniform.
    prevalence : "sampled", number or DataArray, optional
        Where the class shares come from: those of the data sets vary around a mean of their own (the default), or
        the prevalence of the positive class, or draws of it.
    force : bool
        Accept an entity without cases, of which only the prior speaks.

    Examples
    --------
    >>> import bayesrank as br
    >>> cells = dict(tn=[8, 9, 7], fp=[2, 1, 3], fn=[1, 0, 9], tp=[9, 5, 1])
    >>> series = br.from_counts(**cells, entity=["a"] * 3, dataset=["x", "y", "z"])
    >>> fit = br.fit(series, "hierarchical_beta_binomial", seed=1)
    >>> fit["posterior"]["spread"].mean(["chain", "draw"]).round(1).values.tolist()
    [[0.2, 0.6]]
    """

    words: ClassVar[str] = (
        "Rates differ from data set to data set around a mean of each entity, by a spread that is learned."
    )

    def __init__(self, counts: xr.DataArray, *, prior: Any = None, prevalence: Any = None, force: bool = False) -> None:
        flag("force", force)
        self.counts = check_counts(counts, "evidence")
        if self.counts.sizes["actual"] != 2:
            raise ValueError(
                f"evidence must have two classes for the model HierarchicalBetaBinomial; got "
                f"{self.counts.sizes['actual']} (br.one_vs_rest makes two-class tables)"
            )
        if isinstance(prevalence, str) and prevalence == "observed":
            raise ValueError(
                "prevalence must be 'sampled', a number or a DataArray for a hierarchical model, since typical and new "
                "data sets have no observed one; got 'observed'"
            )
        self.over_datasets = "dataset" in self.counts.dims
        self.concentration = prior_concentration(self.counts, prior)
        self.totals = known_totals(self.counts, "sampled" if prevalence is None else prevalence)
        if self.totals is not None and {"entity", "dataset"} & set(self.totals.dims):
            raise ValueError(
                f"prevalence must be one number, or draws of it, for a hierarchical model; got one for each of "
                f"{self.totals.dims}"
            )
        if not force:
            check_proper(self.counts, self.concentration)
        self.test_set, _ = test_sets(self.counts, self.concentration.sum("predicted"), True)
        self.kind = "typical" if self.over_datasets else "observed"
        self.settings: dict[str, Any] = {
            "prior": in_words(prior, DEFAULT),
            "prevalence": in_words(prevalence, "sampled"),
            "population": "data sets" if self.over_datasets else "entities",
            **({"typical": "mean over data sets"} if self.over_datasets else {}),
        }
        self._learned: dict[str, Population] = {}
        right = np.stack([self.counts.values[..., i, i] for i in range(2)], -1)
        cases = self.counts.sum("predicted").values
        # (population, class, member): the data sets of each entity, or all entities.
        shape = (slice(None),) if self.over_datasets else (None,)
        self.right, self.cases = (np.moveaxis(x[shape], -1, 1) for x in (right, cases))
        self.names = self.counts["entity"].values.tolist() if self.over_datasets else ["all entities"]
        self.prior = _one_prior(self.concentration, "dataset" if self.over_datasets else "entity")

    def observed(self) -> dict[str, xr.Dataset]:
        """What was observed, and the prior of the means."""
        counts = self.counts.assign_coords(test_set=self.test_set).rename("counts")
        return {"observed_data": counts.to_dataset(), "constant_data": self.concentration.to_dataset()}

    def coords(self) -> dict[str, Any]:
        """Coords of the draws: those of the counts, and the test sets."""
        kept = {str(name): coord for name, coord in self.counts.coords.items() if name != "test_set"}
        return kept | ({} if self.totals is not None else {"test_set": self.test_sets})

    @property
    def test_sets(self) -> list[str]:
        """Names of the test sets, in order of first appearance."""
        return list(dict.fromkeys(name for name in self.test_set.values.ravel().tolist() if name))

    @property
    def _class_sizes(self) -> np.ndarray:
        """Cases of each class in each test set: (test set, class)."""
        cases, named = self.counts.sum("predicted").values, self.test_set.values
        return np.array([cases[named == name][0] for name in self.test_sets])

    def draw(self, group: str, block: Block, root: np.random.SeedSequence) -> dict[str, xr.Variable]:
        """Draws of one block of the prior or the posterior, by quadrature of each population's mean and spread."""
        hyper: Hyper = {}
        for i, name in enumerate(self.names):
            for c in range(2):
                data = self.right[i, c], self.cases[i, c], self.prior[i, c]
                rng = stream(root, group, "population", name, c, fingerprint(*data), *block.key)
                mean, spread = self._population(group, *data).draw(rng, block.size)
                hyper.setdefault("mean_rate", np.empty((block.size, len(self.names), 2)))[:, i, c] = mean
                hyper.setdefault("spread", np.empty((block.size, len(self.names), 2)))[:, i, c] = spread
        if self.totals is None and self.over_datasets:
            data = self._class_sizes[:, 1], self._class_sizes.sum(1), self.prior[0].sum(-1)[::-1]
            rng = stream(root, group, "population of test sets", fingerprint(*data), *block.key)
            found = self._population(group, *data).draw(rng, block.size)
            hyper["mean_prevalence"], hyper["spread_of_prevalence"] = found
        return self._tables(hyper, group, block, root)

    def _population(self, group: str, right: np.ndarray, cases: np.ndarray, prior: np.ndarray) -> Population:
        seen = cases if group == "posterior" else 0 * cases
        key = fingerprint(right, seen, prior)
        if key not in self._learned:
            self._learned[key] = learn(right, seen, prior)
        return self._learned[key]

    def _tables(self, hyper: Hyper, group: str, block: Block, root: np.random.SeedSequence) -> dict[str, xr.Variable]:
        """Performances given the populations: rates of each member, of the mean, and of one more data set."""
        cells = tuple(map(str, self.counts.dims[:-2]))
        rates = np.empty((block.size, *self.right.shape))
        new = np.empty((block.size, *self.right.shape[:2]))
        for i, name in enumerate(self.names):
            for c in range(2):
                right, cases = self.right[i, c], self.cases[i, c]
                seen = (right, cases - right) if group == "posterior" else (0 * right, 0 * cases)
                rng = stream(root, group, "rates", name, c, fingerprint(right, cases, self.prior[i, c]), *block.key)
                a, b = concentration(hyper["mean_rate"][:, i, c, None], hyper["spread"][:, i, c, None])
                rates[:, i, c] = _beta(rng, a + seen[0], b + seen[1])
                new[:, i, c] = _beta(rng.spawn(1)[0], a, b)[:, 0]
        # (draw, entity, [data set], class)
        own = np.moveaxis(rates, 2, -1) if self.over_datasets else np.moveaxis(rates[:, 0], 1, -1)
        shares, found = self._shares(hyper, group, block, root)
        dims = ("draw", *cells, "actual", "predicted")
        performance = _table(own, shares["observed"])
        performance[:, self.test_set.values == ""] = np.nan
        found["performance"] = xr.Variable(dims, performance)
        over = ("draw", "entity", "actual") if self.over_datasets else ("draw", "actual")
        for name in ("mean_rate", "spread"):
            found[name] = xr.Variable(
                over, hyper[name].reshape([block.size, *[len(self.names)] * self.over_datasets, 2])
            )
        if self.over_datasets:
            dims = ("draw", "entity", "actual", "predicted")
            for kind, rate in (("typical", hyper["mean_rate"]), ("new", new)):
                found[f"performance_{kind}"] = xr.Variable(dims, _table(rate, shares[kind]))
        return found

    def _shares(
        self, hyper: Hyper, group: str, block: Block, root: np.random.SeedSequence
    ) -> tuple[dict[str, np.ndarray], dict[str, xr.Variable]]:
        """Shares of the positive class of each table, of a typical and of a new data set; and variables that tell."""
        if self.totals is not None:
            known = Conjugate(self.concentration, self.concentration, self.totals, self.test_set, self.test_set)
            share = known.known_shares(block)[..., 1]
            one = share.reshape(block.size, -1)[:, 0]
            return {"observed": share, "typical": one[:, None], "new": one[:, None]}, {}
        sizes, named = self._class_sizes, self.test_set.values
        negative, positive = sizes.T if group == "posterior" else 0 * sizes.T
        prior = self.prior[0].sum(-1)
        if self.over_datasets:
            b, a = concentration(1 - hyper["mean_prevalence"], hyper["spread_of_prevalence"])
        else:
            b, a = (np.full(block.size, x) for x in prior)
        each = np.empty((block.size, len(sizes)))
        for i in range(len(sizes)):
            rng = stream(root, group, "prevalence", fingerprint(sizes, prior, i), *block.key)
            each[:, i] = _beta(rng, a + positive[i], b + negative[i])
        share = np.full((block.size, *named.shape), np.nan)
        for i, name in enumerate(self.test_sets):
            share[:, named == name] = each[:, i, None]
        found = {"prevalence": xr.Variable(("draw", "test_set", "actual"), np.stack([1 - each, each], -1))}
        if not self.over_datasets:
            return {"observed": share}, found
        found |= {name: xr.Variable("draw", hyper[name]) for name in ("mean_prevalence", "spread_of_prevalence")}
        new = _beta(stream(root, group, "new prevalence", fingerprint(sizes, prior), *block.key), a, b)
        return {"observed": share, "typical": hyper["mean_prevalence"][:, None], "new": new[:, None]}, found

    def build(self) -> Any:
        """The PyMC model: beta-binomial counts given the class sizes, and class sizes once a test set."""
        import pymc as pm

        population = {"population": self.names, "actual": self.counts["actual"].values, "test_set": self.test_sets}
        dims = ("population", "actual")
        with pm.Model(coords=population) as model:
            a, b = np.moveaxis(self.prior, -1, 0)
            mean = pm.Beta("mean_rate", a, b, dims=dims, shape=a.shape)
            spread = pm.Beta("spread", *SPREAD, dims=dims, shape=a.shape)
            kappa = 1 / spread**2 - 1
            pm.BetaBinomial(
                "right",
                alpha=(mean * kappa)[..., None],
                beta=((1 - mean) * kappa)[..., None],
                n=self.cases,
                observed=self.right,
            )
            if self.totals is None and self.over_datasets:
                negative, positive = self.prior[0].sum(-1)
                mean = pm.Beta("mean_prevalence", positive, negative)
                spread = pm.Beta("spread_of_prevalence", *SPREAD)
                kappa = 1 / spread**2 - 1
                sizes = self._class_sizes
                pm.BetaBinomial(
                    "positives", mean * kappa, (1 - mean) * kappa, n=sizes.sum(1), observed=sizes[:, 1], dims="test_set"
                )
        return model

    def performances(self, sampled: xr.Dataset, root: np.random.SeedSequence) -> xr.Dataset:
        """The posterior group from sampled means and spreads: rates given these are drawn exactly."""
        chains, draws = sampled.sizes["chain"], sampled.sizes["draw"]
        names = [n for n in ("mean_rate", "spread", "mean_prevalence", "spread_of_prevalence") if n in sampled]
        parts = []
        for chain in range(chains):
            one = sampled.isel(chain=chain)
            hyper = {name: one[name].transpose("draw", ...).values for name in names}
            parts.append(self._tables(hyper, "posterior", Block(chain, 0, draws, (chains, draws)), root))
        found = {
            name: (("chain", *map(str, variable.dims)), np.stack([part[name].values for part in parts]))
            for name, variable in parts[0].items()
        }
        return xr.Dataset(found, {"chain": sampled["chain"], "draw": sampled["draw"]} | self.coords())

    def replicate(self, group: xr.Dataset, root: np.random.SeedSequence, purpose: str) -> xr.Dataset:
        """Tables like the observed ones, one for each draw: new cases of the same data sets."""
        known = self.totals is not None
        return sample_counts(group["performance"], self.counts, known, root, purpose).to_dataset()

    def log_likelihood(self, posterior: xr.Dataset) -> xr.Dataset:
        """Log probability of each row of each table given its total and the population: ``counts`` (..., actual).

        A table is what may be left out: the rates of a data set are integrated out. Class sizes, where their share is
        learned, are in ``row_totals`` (test_set), each once.
        """
        draws = ("chain", "draw")
        mean, spread = (posterior[name].transpose(*draws, ...).values for name in ("mean_rate", "spread"))
        if not self.over_datasets:
            mean, spread = mean[:, :, None], spread[:, :, None]
        rows = log_likelihood(self.right, self.cases, mean[..., None], spread[..., None])
        rows = np.moveaxis(rows, 4, 3) if self.over_datasets else np.moveaxis(rows[:, :, 0], 3, 2)
        dims = (*draws, *map(str, self.counts.dims[:-1]))
        found: dict[str, Any] = {"counts": (dims, rows)}
        if "mean_prevalence" in posterior:
            sizes = self._class_sizes
            hyper = (posterior[n].values[..., None] for n in ("mean_prevalence", "spread_of_prevalence"))
            found["row_totals"] = ((*draws, "test_set"), log_likelihood(sizes[:, 1], sizes.sum(1), *hyper))
        coords = {name: coord for name, coord in posterior.coords.items() if "predicted" not in coord.dims}
        return xr.Dataset(found, coords)


def _one_prior(alpha: xr.DataArray, member: str) -> np.ndarray:
    """Concentrations of right and wrong (population, class, 2): members have none of their own, test sets share one."""
    for what, held, dim in ((f"every {member}", alpha, member), ("all row totals", alpha.sum("predicted"), "entity")):
        if bool((held != held.isel({dim: 0})).any()):
            raise ValueError(f"prior must be the same for {what} of a population; got several along {dim}")
    if float(alpha.min()) <= 0:
        raise ValueError(
            f"prior must be positive for the mean of a population; got a concentration of {float(alpha.min()):g}"
        )
    values = alpha.isel(dataset=0).values if member == "dataset" else alpha.values[:1]
    return np.stack([np.stack([values[:, i, i], values[:, i, 1 - i]], -1) for i in range(2)], 1)


def _beta(rng: np.random.Generator, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Beta draws; concentrations below what can be drawn are all or nothing."""
    return rng.beta(np.maximum(a, LEAST), np.maximum(b, LEAST)).clip(LEAST, 1 - 2**-53)


def _table(rate: np.ndarray, positive: np.ndarray) -> np.ndarray:
    """Performances from the rates of being right (..., class) and the share of positives."""
    right = rate * np.stack([1 - positive, positive], -1)
    wrong = (1 - rate) * np.stack([1 - positive, positive], -1)
    return np.stack([right[..., 0], wrong[..., 0], wrong[..., 1], right[..., 1]], -1).reshape(*rate.shape, 2)
