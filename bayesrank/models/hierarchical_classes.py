"""Classes as a population: the recall of each class varies around a mean that all classes share.

The recall of a class is Beta(mκ, (1 - m)κ), with m and κ learned from all classes of a table, and errors are Dirichlet
over the other classes. With a separate prior on each class, the priors would outweigh the data in a macro average if
classes have about two cases.
"""

from typing import Any, ClassVar

import numpy as np
import xarray as xr

from bayesrank._random import Block, fingerprint, stream
from bayesrank._sampling import dirichlet, dirichlet_of_each
from bayesrank.evidence.counts import check_counts
from bayesrank.models.parts.conjugate import loses_rows
from bayesrank.models.parts.hierarchical import Learned, concentration, log_odds_density, log_spread_density
from bayesrank.models.parts.population import dirichlet_by_uniforms, log_likelihood, spread_variable

MEAN, SPREAD_OF = "mean_recall", "spread"


class HierarchicalClasses(Learned):
    """Model recalls of classes that vary around a mean, with a learned spread; for macro averages over small classes.

    The evidence is counts of two or more classes, the options are those of
    :class:`~bayesrank.models.parts.hierarchical.Learned`. Means and spreads are drawn by quadrature, without chains.

    Each class has a recall θ ~ Beta(mκ, (1 - m)κ). The prior of m weighs as much as one class: its two concentrations
    are the shares of the prior's mass on the diagonal and off it, by default Beta(1/2, 1/2). Errors on a class have a
    Dirichlet distribution over the other classes, with the prior's concentrations of those cells. Class shares are
    those of the Dirichlet-multinomial model.

    Examples
    --------
    Five classes have two recognised cases each; a sixth class without cases has a similar recall:

    >>> import numpy as np
    >>> counts = br.from_matrix(np.diag([2, 2, 2, 2, 2, 0]), "actual_rows")
    >>> for model in ("dirichlet_multinomial", "hierarchical_classes"):
    ...     tables = br.one_vs_rest(br.fit(counts, model, seed=1)["posterior"]["performance"])
    ...     print(model, round(float(br.scores.tpr(tables).isel(label=5).mean()), 1))
    dirichlet_multinomial 0.5
    hierarchical_classes 1.0
    """

    needs_classes: ClassVar[bool] = True
    learns: ClassVar[str] = "classes"
    words: ClassVar[str] = "Class recalls vary around each entity's mean with a learned spread; errors are Dirichlet."
    check = staticmethod(check_counts)

    def __init__(self, counts: xr.DataArray, **options: Any) -> None:
        super().__init__(counts, **options)
        self.settings["population"] = "classes"
        self.measured = self.test_set.values != ""
        # (entity, [dataset], class, wrong or right), (entity, [dataset], class, other class)
        self.answers, self.errors = answer_tables(self.counts.values)
        prior_answers, self.error_prior = answer_tables(self.concentration.values)
        mass = prior_answers.sum(-2)
        self.prior = mass / mass.sum(-1, keepdims=True)

    def draw(self, group: str, block: Block, root: np.random.SeedSequence) -> dict[str, xr.Variable]:
        cells, off = self.test_set.dims, ~np.eye(self.counts.sizes["actual"], dtype=bool)
        mean, spread = np.full((2, block.size, *self.measured.shape), np.nan)
        rates = np.full((block.size, *self.counts.shape), np.nan)
        for at in zip(*np.nonzero(self.measured), strict=True):
            name = [self.counts[d].values[i] for d, i in zip(cells, at, strict=True)]
            counts, errors = (part[at] * (group == "posterior") for part in (self.answers, self.errors))
            prior = self.prior[at]
            rng = stream(root, group, "population of classes", *name, fingerprint(counts, prior), *block.key)
            mean[:, *at], spread[:, *at] = self.learn_population(counts, prior, self.spread).draw(rng, block.size)
            evidence = fingerprint(counts, errors, prior, self.error_prior[at])
            of_answers, of_errors = stream(root, group, "classes", *name, evidence, *block.key).spawn(2)
            alpha = concentration(np.stack([1 - mean[:, *at], mean[:, *at]], -1), spread[:, *at])
            wrong, right = np.moveaxis(dirichlet_of_each(of_answers, alpha[:, None] + counts), -1, 0)
            spread_over = dirichlet(of_errors, self.error_prior[at] + errors, block.size)
            rows = np.empty((block.size, *off.shape))
            rows[:, off] = (wrong[..., None] * spread_over).reshape(block.size, -1)
            rows[:, ~off] = right
            rates[:, *at] = rows
        alpha = self.concentration.values + self.counts.values * (group == "posterior")
        prevalence, [each], of = self.draw_shares(alpha, group, [block], root)
        tables = {"performance": rates * each[:, of].reshape(*rates.shape[:-1], 1)}
        if loses_rows(self.totals):
            tables["rate"] = rates
        found = {name: xr.Variable(("draw", *cells, "actual", "predicted"), table) for name, table in tables.items()}
        found |= {MEAN: xr.Variable(("draw", *cells), mean), SPREAD_OF: xr.Variable(("draw", *cells), spread)}
        return found | prevalence

    def graph(self) -> Any:
        """Return the PyMC model with recalls, errors and ``performance`` (entity, [dataset], actual, predicted).

        Recalls are integrated out: nearly equal ones would need short steps.
        """
        import pymc as pm

        dims, sizes, classes = list(map(str, self.counts.dims)), self.counts.values.sum(-1), self.counts.shape[-1]
        # The position of each class among the others of another class.
        here, place = (
            np.arange(classes)[:, None],
            np.arange(classes) - (np.arange(classes) > np.arange(classes)[:, None]),
        )
        with pm.Model(coords=self.graph_coords()) as model:
            prior = self.prior
            mean = pm.Beta(MEAN, prior[..., 1], prior[..., 0], dims=dims[:-2], shape=prior.shape[:-1])
            spread = spread_variable(SPREAD_OF, self.spread, prior.shape[:-1])
            size = 1 / spread**2 - 1
            right, wrong = (np.zeros(sizes.shape) + (part * size)[..., None] for part in (mean, 1 - mean))
            errors = pm.Dirichlet("errors", self.error_prior, shape=self.error_prior.shape)
            each = errors[..., here, place.clip(max=classes - 2)]
            counts = self.counts.values
            pm.CustomDist(
                "counts", right, wrong, each, sizes, logp=_log_density, random=_draw_counts,
                signature="(c),(c),(c,c),(c)->(c,c)", observed=counts, dims=dims,
            )  # fmt: skip
            answers = pm.math.stack([wrong, right], axis=-1) + self.answers
            recall = dirichlet_by_uniforms("recall", answers, self.answers.shape)[..., 1]
            recall = pm.Deterministic("recall", recall, dims=dims[:-1])[..., None]
            rate = pm.math.where(np.eye(classes, dtype=bool), recall, (1 - recall) * each)
            self.add_performances({"": rate})
        return model

    def log_prior(self, posterior: xr.Dataset) -> xr.Dataset:
        """Return log prior densities without constants, of means and prevalences over their log odds."""
        mean = posterior[MEAN]
        rates = xr.concat([1 - mean, mean], "answer").transpose(..., "answer")
        prior = xr.DataArray(self.prior, dims=(*map(str, self.test_set.dims), "answer"))
        found = {
            MEAN: log_odds_density(rates, prior, "answer").fillna(0.0),
            SPREAD_OF: log_spread_density(posterior[SPREAD_OF], self.spread).fillna(0.0),
        }
        if "prevalence" in posterior:
            rows = xr.DataArray(self.by_test_set(self.concentration.values.sum(-1)), dims=("test_set", "actual"))
            found["prevalence"] = log_odds_density(posterior["prevalence"], rows, "actual")
        return xr.Dataset(found)

    def log_likelihood(self, posterior: xr.Dataset) -> xr.Dataset:
        """Return the log probability ``counts`` (..., actual) of each row given its total and the population.

        Recalls and errors are integrated out. Sampled row totals are in ``row_totals`` (test_set).
        """
        draws = ("chain", "draw")
        mean, spread = (posterior[name].transpose(*draws, ...).values[..., None] for name in (MEAN, SPREAD_OF))
        rows = log_likelihood(self.answers, np.stack([1 - mean, mean], -1), spread)
        mass = self.error_prior.sum(-1)
        rows = rows + log_likelihood(self.errors, self.error_prior / mass[..., None], 1 / np.sqrt(mass + 1))
        dims = (*draws, *map(str, self.test_set.dims), "actual")
        found: dict[str, Any] = {"counts": (dims, rows)}
        if "prevalence" in posterior:
            found["row_totals"] = self.log_likelihood_of_sizes(posterior)
        coords = {name: coord for name, coord in posterior.coords.items() if "predicted" not in coord.dims}
        return xr.Dataset(found, coords)


def _log_density(counts: Any, right: Any, wrong: Any, errors: Any, sizes: Any) -> Any:
    """Return the log probability of each table in a PyMC model, without constants; recalls are integrated out.

    ``right`` and ``wrong`` are the concentrations of recalls (..., class), ``errors`` the shares of the other classes
    (..., class, class), whose diagonal is ignored, and ``sizes`` the cases of each class.
    """
    import pymc as pm

    same = np.eye(errors.type.shape[-1], dtype=bool)
    hits = (counts * same).sum(-1)
    log = pm.logp(pm.BetaBinomial.dist(alpha=right, beta=wrong, n=sizes), hits)
    log += (counts * pm.math.log(pm.math.where(same, 1.0, errors))).sum(-1)
    return log.sum(-1)


def _draw_counts(
    right: np.ndarray, wrong: np.ndarray, errors: np.ndarray, sizes: np.ndarray, rng: Any, size: Any
) -> np.ndarray:
    """Draw the counts of tables; for the arguments, see ``_log_density``."""
    same = np.eye(errors.shape[-1])
    hits = rng.binomial(sizes, rng.beta(right, wrong))
    shares = errors * (1 - same)
    return rng.multinomial(sizes - hits, shares / shares.sum(-1, keepdims=True)) + (hits[..., None] * same).astype(int)


def answer_tables(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return wrong and right answers of each class (..., class, 2), and the errors (..., class, other class)."""
    classes = table.shape[-1]
    off = ~np.eye(classes, dtype=bool)
    errors = table[..., off].reshape(*table.shape[:-1], classes - 1)
    return np.stack([errors.sum(-1), table[..., ~off]], -1), errors
