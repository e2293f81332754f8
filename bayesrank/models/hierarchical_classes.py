"""Classes as a population: the recall of each class varies around a mean that all classes share.

The recall of a class is Beta(mκ, (1 - m)κ), with m and κ learned from all classes of a table.
Errors on a class are Dirichlet over the other classes, with a concentration that is learned from
all classes, too. With a separate prior on each class, a macro average of classes with few cases is
mostly its prior, or its interval is too narrow. Where some classes have many more cases than
others, the mean recall depends on the size of the class, since rare classes are often harder.
"""

from types import EllipsisType
from typing import Any, ClassVar

import numpy as np
import xarray as xr
from scipy.special import gammaln

from bayesrank._core.notes import Note
from bayesrank._core.random import Block, fingerprint, stream
from bayesrank._core.sampling import TINY, dirichlet_of_each
from bayesrank.evidence.counts import check_counts
from bayesrank.models.parts.conjugate import loses_rows
from bayesrank.models.parts.hierarchical import (
    Learned,
    concentration,
    log_odds_density,
    log_spread_density,
)
from bayesrank.models.parts.population import (
    SLOPE,
    SlopedPopulation,
    dirichlet_by_uniforms,
    draw_spread,
    learn_slope,
    log_likelihood,
    spread_variable,
    with_shift,
)

MEAN, SPREAD_OF, SPREAD_OF_ERRORS = "mean_recall", "spread", "spread_of_errors"
SLOPE_OF = "slope_of_size"
SPREAD_OF_SHARES = "spread_of_prevalence"


class HierarchicalClasses(Learned):
    """Model recalls of classes that vary around a mean, with a learned spread; for macro averages over small classes.

    The evidence is counts of two or more classes, the options are those of
    :class:`~bayesrank.models.parts.hierarchical.Learned`. Means and spreads are drawn by
    quadrature, without chains.

    Each class has a recall θ ~ Beta(mκ, (1 - m)κ). The prior of m weighs as much as one class: its
    two concentrations are the shares of the prior's mass on the diagonal and off it, by default
    Beta(1/2, 1/2). If class sizes vary more than those of a random sample with equal class shares,
    the log odds of the mean recall of a class with n cases are logit(m) + b (log(n + 1) - the mean
    over classes). The slope b has a standard normal prior: with probability 0.68, a third of the
    cases changes the odds of an answer being right by a factor of at most 3.
    Errors on a class have a Dirichlet distribution over the other classes, whose
    mean is the shares of the prior's mass in those cells, by default equal ones. Its spread s =
    1/√(κ + 1) is the same for all classes of an entity and has a uniform prior. Sampled class
    shares are Dirichlet with the shares of the prior's mass as means, and a spread with a uniform
    prior.

    Examples
    --------
    Five classes have two recognised cases each; a sixth class without cases has a similar recall:

    >>> import numpy as np
    >>> counts = br.from_matrix(np.diag([2, 2, 2, 2, 2, 0]), "actual_rows")
    >>> for model in ("dirichlet_multinomial", "hierarchical_classes"):
    ...     tables = br.one_vs_rest(br.fit(counts, model, seed=1)["posterior"]["performance"])
    ...     print(model, f"{float(br.scores.tpr(tables).isel(label=5).mean()):.2f}")
    dirichlet_multinomial 0.49
    hierarchical_classes 0.95
    """

    needs_classes: ClassVar[bool] = True
    learns: ClassVar[str] = "classes"
    words: ClassVar[str] = (
        "Class recalls, and errors on classes, vary around each entity's mean with learned spreads."
    )
    check = staticmethod(check_counts)

    def __init__(self, counts: xr.DataArray, **options: Any) -> None:
        super().__init__(counts, **options)
        self.settings["population"] = "classes"
        self._sloped: dict[str, SlopedPopulation] = {}
        self.measured = self.test_set.values != ""
        # (entity, [dataset], class, wrong or right), (entity, [dataset], class, other class)
        self.answers, self.errors = answer_tables(self.counts.values)
        prior_answers, errors = answer_tables(self.concentration.values)
        mass = prior_answers.sum(-2)
        self.prior = mass / mass.sum(-1, keepdims=True)
        #: The log sizes of classes about their mean; 0 where sizes are similar.
        self.log_size = size_contrast(self.counts.values.sum(-1))
        #: Expected shares of the errors on each class.
        self.error_mean = errors / errors.sum(-1, keepdims=True)

    def priors(self) -> list[Note]:
        """Return every prior, for reports."""
        ends = [
            float(part.flat[0]) if np.ptp(part) < 1e-12 else None
            for part in np.moveaxis(self.prior, -1, 0)
        ]
        fields = {"right": ends[1], "wrong": ends[0], "spread": self.spread}
        sloped = [Note("prior_of_size_slope", {"scale": SLOPE})] if self.log_size.any() else []
        sampled = [Note("prior_of_class_shares")] if self.totals is None else []
        return [Note("prior_of_classes", fields), *sloped, *sampled]

    def _draw_population(
        self,
        at: tuple[int, ...],
        counts: np.ndarray,
        rng: np.random.Generator,
        size: int,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Draw mean, spread and slope of the recalls of one table."""
        prior, covariate = self.prior[at], self.log_size[at]
        if not covariate.any():
            return *self.learn_population(counts, prior, self.spread).draw(rng, size), np.zeros(
                size
            )
        key = fingerprint(counts, prior, self.spread, covariate)
        if key not in self._sloped:
            self._sloped[key] = learn_slope(
                counts[:, 1], counts.sum(-1), prior[::-1], covariate, self.spread
            )
        return self._sloped[key].draw(rng, size)

    def draw(
        self, group: str, block: Block, root: np.random.SeedSequence
    ) -> dict[str, xr.Variable]:
        cells, off = self.test_set.dims, ~np.eye(self.counts.sizes["actual"], dtype=bool)
        mean, spread, slope, spread_of_errors = np.full(
            (4, block.size, *self.measured.shape), np.nan
        )
        rates = np.full((block.size, *self.counts.shape), np.nan)
        for at in zip(*np.nonzero(self.measured), strict=True):
            name = [self.counts[d].values[i] for d, i in zip(cells, at, strict=True)]
            counts, errors = (
                part[at] * (group == "posterior") for part in (self.answers, self.errors)
            )
            prior = self.prior[at]
            rng = stream(
                root, group, "population of classes", *name, fingerprint(counts, prior), *block.key
            )
            mean[:, *at], spread[:, *at], slope[:, *at] = self._draw_population(
                at, counts, rng, block.size
            )
            error_mean = self.error_mean[at]
            evidence = fingerprint(counts, errors, prior, error_mean)
            of_answers, of_errors, of_spread = stream(
                root, group, "classes", *name, evidence, *block.key
            ).spawn(3)
            of_class = self.mean_answers(mean[:, *at], slope[:, *at], at)
            alpha = concentration(of_class, spread[:, *at, None])
            wrong, right = np.moveaxis(dirichlet_of_each(of_answers, alpha + counts), -1, 0)
            spread_of_errors[:, *at] = draw_spread(errors, error_mean, of_spread, block.size)
            alpha = concentration(error_mean, spread_of_errors[:, *at, None])
            spread_over = dirichlet_of_each(of_errors, alpha + errors)
            rows = np.empty((block.size, *off.shape))
            rows[:, off] = (wrong[..., None] * spread_over).reshape(block.size, -1)
            rows[:, ~off] = right
            rates[:, *at] = rows
        prevalence, each, of = self._draw_class_shares(group, block, root)
        tables = {"performance": rates * each[:, of].reshape(*rates.shape[:-1], 1)}
        if loses_rows(self.totals):
            tables["rate"] = rates
        variables = {
            name: xr.Variable(("draw", *cells, "actual", "predicted"), table)
            for name, table in tables.items()
        }
        learned = {MEAN: mean, SPREAD_OF: spread, SPREAD_OF_ERRORS: spread_of_errors}
        learned |= {SLOPE_OF: slope} if self.log_size.any() else {}
        return (
            variables
            | {name: xr.Variable(("draw", *cells), values) for name, values in learned.items()}
            | prevalence
        )

    def mean_answers(
        self, mean: np.ndarray, slope: np.ndarray | float, at: tuple[int, ...] | EllipsisType = ...
    ) -> np.ndarray:
        """Return the mean of wrong and right answers (..., class, 2) of every class."""
        shift = np.asarray(slope)[..., None] * self.log_size[at]
        right, wrong = with_shift(mean[..., None], 1 - mean[..., None], shift)
        return np.stack([wrong, right], -1)

    def _draw_class_shares(
        self, group: str, block: Block, root: np.random.SeedSequence
    ) -> tuple[dict[str, xr.Variable], np.ndarray, np.ndarray]:
        """Draw class shares of test sets, with a learned spread if they are sampled, as ``draw_shares`` does."""
        if self.totals is not None:
            result, [each], of = self.draw_shares(self.concentration.values, group, [block], root)
            return result, each, of
        sizes, mean = self.class_sizes * (group == "posterior"), self.share_mean
        each, spread = np.empty((block.size, *sizes.shape)), np.empty((block.size, len(sizes)))
        for i, key in enumerate(self.by_test_set(self.key)):
            rng = stream(
                root, group, "class shares", str(key), fingerprint(sizes[i], mean[i]), *block.key
            )
            of_spread, of_shares = rng.spawn(2)
            spread[:, i] = draw_spread(sizes[[i]], mean[[i]], of_spread, block.size)
            each[:, i] = dirichlet_of_each(
                of_shares, concentration(mean[i], spread[:, i]) + sizes[i]
            )
        result = {
            "prevalence": xr.Variable(("draw", "test_set", "actual"), each),
            SPREAD_OF_SHARES: xr.Variable(("draw", "test_set"), spread),
        }
        return result, each, self.place_of_test_set.ravel()

    @property
    def share_mean(self) -> np.ndarray:
        """Return the expected class shares (test set, class): the shares of the prior's mass."""
        mass = self.by_test_set(self.concentration.values.sum(-1))
        return mass / mass.sum(-1, keepdims=True)

    def shares_in_graph(self) -> dict[str, Any] | None:
        """Add the class shares of each table, with a learned spread, to the PyMC model in context; None if given."""
        if self.totals is not None:
            return super().shares_in_graph()
        import pymc as pm

        spread = pm.Uniform(SPREAD_OF_SHARES, dims="test_set", shape=len(self.test_sets))
        each = self.add_prevalence(self.share_mean * (1 / spread**2 - 1)[:, None])
        return {"": each[self.place_of_test_set]}

    def graph(self) -> Any:
        """Return the PyMC model with recalls, errors and ``performance`` (entity, [dataset], actual, predicted).

        Recalls and errors are integrated out: nearly equal ones would need short steps.
        """
        import pymc as pm

        dims, sizes, classes = (
            list(map(str, self.counts.dims)),
            self.counts.values.sum(-1),
            self.counts.shape[-1],
        )
        # The position of each class among the others of another class.
        here, position = (
            np.arange(classes)[:, None],
            np.arange(classes) - (np.arange(classes) > np.arange(classes)[:, None]),
        )
        with pm.Model(coords=self.graph_coords()) as model:
            prior = self.prior
            mean = pm.Beta(
                MEAN, prior[..., 1], prior[..., 0], dims=dims[:-2], shape=prior.shape[:-1]
            )
            spread = spread_variable(SPREAD_OF, self.spread, prior.shape[:-1])
            size, odds = 1 / spread**2 - 1, mean / (1 - mean)
            shift = np.zeros(sizes.shape)
            if self.log_size.any():
                slope = pm.Normal(SLOPE_OF, 0, SLOPE, dims=dims[:-2], shape=prior.shape[:-1])
                shift = slope[..., None] * self.log_size
            right = pm.math.sigmoid(pm.math.log(odds)[..., None] + shift) * size[..., None]
            wrong = size[..., None] - right
            of_errors = pm.Uniform(SPREAD_OF_ERRORS, shape=prior.shape[:-1])
            alpha = self.error_mean * (1 / of_errors**2 - 1)[..., None, None]
            others, counts = position.clip(max=classes - 2), self.counts.values
            pm.CustomDist(
                "counts", right, wrong, alpha[..., here, others], sizes, logp=_log_density, random=_draw_counts,
                signature="(c),(c),(c,c),(c)->(c,c)", observed=counts, dims=dims,
            )  # fmt: skip
            errors = np.ones(self.errors.shape)
            if classes > 2:
                errors = dirichlet_by_uniforms("errors", alpha + self.errors, self.errors.shape)
            each = errors[..., here, others]
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
        densities = {
            MEAN: log_odds_density(rates, prior, "answer").fillna(0.0),
            SPREAD_OF: log_spread_density(posterior[SPREAD_OF], self.spread).fillna(0.0),
            SPREAD_OF_ERRORS: xr.zeros_like(posterior[SPREAD_OF_ERRORS]),
        }
        if SLOPE_OF in posterior:
            densities[SLOPE_OF] = -((posterior[SLOPE_OF] / SLOPE) ** 2).fillna(0.0) / 2
        if "prevalence" in posterior:
            spread = posterior[SPREAD_OF_SHARES]
            size = 1 / spread**2 - 1
            alpha = size * xr.DataArray(self.share_mean, dims=("test_set", "actual"))
            constant = xr.apply_ufunc(gammaln, size) - xr.apply_ufunc(gammaln, alpha).sum("actual")
            densities["prevalence"] = (
                log_odds_density(posterior["prevalence"], alpha, "actual") + constant
            )
            densities[SPREAD_OF_SHARES] = xr.zeros_like(spread)
        return xr.Dataset(densities)

    def log_likelihood(self, posterior: xr.Dataset) -> xr.Dataset:
        """Return the log probability ``counts`` (..., actual) of each row given its total and the population.

        Recalls and errors are integrated out. Sampled row totals are in ``row_totals`` (test_set).
        """
        draws = ("chain", "draw")
        mean, spread, of_errors = (
            posterior[name].transpose(*draws, ...).values
            for name in (MEAN, SPREAD_OF, SPREAD_OF_ERRORS)
        )
        slope = posterior[SLOPE_OF].transpose(*draws, ...).values if SLOPE_OF in posterior else 0.0
        of_class = self.mean_answers(mean, slope)
        rows = log_likelihood(self.answers, of_class, spread[..., None])
        rows = rows + log_likelihood(self.errors, self.error_mean, of_errors[..., None])
        dims = (*draws, *map(str, self.test_set.dims), "actual")
        densities: dict[str, Any] = {"counts": (dims, rows)}
        if "prevalence" in posterior:
            densities["row_totals"] = self.log_likelihood_of_sizes(posterior)
        coords = {
            name: coord for name, coord in posterior.coords.items() if "predicted" not in coord.dims
        }
        return xr.Dataset(densities, coords)


def _log_density(counts: Any, right: Any, wrong: Any, errors: Any, sizes: Any) -> Any:
    """Return the log probability of each table in a PyMC model, without constants; rates are integrated out.

    ``right`` and ``wrong`` are the concentrations of recalls (..., class), ``errors`` those of the
    other classes (..., class, class), whose diagonal is ignored, and ``sizes`` the cases of each
    class.
    """
    import pymc as pm
    import pytensor.tensor as pt

    same = np.eye(errors.type.shape[-1], dtype=bool)
    hits = (counts * same).sum(-1)
    log = pm.logp(pm.BetaBinomial.dist(alpha=right, beta=wrong, n=sizes), hits)
    alpha, other = pm.math.where(same, 1.0, errors), counts * ~same
    log += (pt.gammaln(alpha + other) - pt.gammaln(alpha)).sum(-1)
    total = (errors * ~same).sum(-1)
    log += pt.gammaln(total) - pt.gammaln(total + sizes - hits)
    return log.sum(-1)


def _draw_counts(
    right: np.ndarray, wrong: np.ndarray, errors: np.ndarray, sizes: np.ndarray, rng: Any, size: Any
) -> np.ndarray:
    """Draw the counts of tables; for the arguments, see ``_log_density``."""
    same = np.eye(errors.shape[-1])
    hits = rng.binomial(sizes, rng.beta(right, wrong))
    shares = dirichlet_of_each(rng, np.where(same, TINY, errors)) * (1 - same)
    return rng.multinomial(sizes - hits, shares / shares.sum(-1, keepdims=True)) + (
        hits[..., None] * same
    ).astype(int)


def size_contrast(cases: np.ndarray) -> np.ndarray:
    """Return log(n + 1) of the classes (..., class) of each table about its mean; 0 where sizes are similar.

    Sizes are similar if they vary about as much as those of a random sample with equal class
    shares: the arithmetic over the harmonic mean of n + 1 is about 1 + 1 / (mean n) there.
    """
    cases = np.asarray(cases, float)
    mean = cases.mean(-1)
    uneven = (cases + 1).mean(-1) * (1 / (cases + 1)).mean(-1)
    similar = uneven * mean <= mean + 2
    log_size = np.log1p(cases)
    return np.where(similar[..., None], 0.0, log_size - log_size.mean(-1, keepdims=True))


def answer_tables(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return wrong and right answers of each class (..., class, 2), and the errors (..., class, other class)."""
    classes = table.shape[-1]
    off = ~np.eye(classes, dtype=bool)
    errors = table[..., off].reshape(*table.shape[:-1], classes - 1)
    return np.stack([errors.sum(-1), table[..., ~off]], -1), errors
