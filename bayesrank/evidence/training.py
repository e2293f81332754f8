"""Retrained models: outcomes of several training seeds on the same cases, and runs that look like retrained models."""

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from scipy.special import chdtrc

from bayesrank._core.errors import Advice, ArgumentError, Typed
from bayesrank._core.labels import factorize, name_coord
from bayesrank._core.notes import Note

#: Means of runs that differ more than their cases allow, so improbably, are refused; above, they
#: cap the headline.
REFUSED, DOUBTED = 0.001, 0.01
#: With fewer cases, or clusters, the distribution of the means of runs is not normal enough for a
#: test.
ENOUGH = 20


class SeedMeans(NamedTuple):
    """Mean outcomes of each seed or run, and the variance that the cases alone give them."""

    names: list[Hashable]  #: Of the seeds, in their order of appearance.
    mean: np.ndarray  #: (entity, seed), NaN where an entity was not trained with a seed.
    noise: (
        np.ndarray
    )  #: (entity): the part of the variance of a mean that differs between seeds of a case.
    units: np.ndarray  #: (entity): cases, or clusters, that have all seeds of the entity.

    @property
    def number(self) -> np.ndarray:
        """Return the number of seeds of each entity."""
        return (~np.isnan(self.mean)).sum(axis=1)

    def to_dataset(self, entities: np.ndarray) -> xr.Dataset:
        """Return the variables of the evidence."""
        variables = {
            "seed_mean": (("entity", "training_seed"), self.mean),
            "seed_noise": ("entity", self.noise),
        }
        return xr.Dataset(variables, {"entity": entities, "training_seed": name_coord(self.names)})


def untrained(values: np.ndarray, seed: Sequence[Hashable]) -> np.ndarray:
    """Return which outcomes (row, entity) are missing because the entity has none at all with the seed of the row."""
    which = factorize(seed)[0]
    has_outcome = np.zeros((which.max(initial=-1) + 1, values.shape[1]), bool)
    np.logical_or.at(has_outcome, which, ~np.isnan(values))
    return ~has_outcome[which]


def means_of_seeds(
    values: np.ndarray,
    case: Sequence[Hashable],
    seed: Sequence[Hashable],
    weight: np.ndarray | None = None,
    cluster: Sequence[Hashable] | None = None,
) -> SeedMeans:
    """Return the means of each seed over the cases that have all seeds of the entity.

    ``values`` (row, entity) are outcomes of the case and the seed of each row, NaN if missing;
    ``weight`` and ``cluster`` are those of the case. The noise is unbiased: on average, it is the
    variance of the means over seeds if a seed changes single cases, but no mean.
    """
    (which, cases), (of_seed, names) = factorize(case), factorize(seed)
    first = np.unique(which, return_index=True)[1]
    share = np.ones(len(cases)) if weight is None else weight[first].astype(float)
    home = np.arange(len(cases)) if cluster is None else factorize([cluster[i] for i in first])[0]
    mean = np.full((values.shape[1], len(names)), np.nan)
    noise, units = np.zeros(len(mean)), np.zeros(len(mean), int)
    for i, column in enumerate(values.T):
        means = np.full((len(cases), len(names)), np.nan)
        means[which, of_seed] = column
        trained = ~np.isnan(means).all(axis=0)
        means = means[:, trained]
        full = ~np.isnan(means).any(axis=1)
        units[i] = len(np.unique(home[full]))
        if not full.any():
            continue
        own, at = share[full] / share[full].sum(), home[full]
        mean[i, trained] = own @ means[full]
        off = means[full] - means[full].mean(axis=1, keepdims=True)
        off -= own @ off
        sums = np.zeros((home.max() + 1, off.shape[1]))
        np.add.at(sums, at, own[:, None] * off)
        if off.shape[1] > 1 and units[i] > 1:
            noise[i] = (sums**2).sum() / (off.shape[1] - 1) * units[i] / (units[i] - 1)
    return SeedMeans(names, mean, noise, units)


def check_seeds(
    seed_means: SeedMeans, values: np.ndarray, case: Sequence[Hashable], entities: Sequence[Any]
) -> None:
    """Raise an error unless each entity has two seeds at least, and each of its cases all its seeds."""
    if (seed_means.number < 2).any():
        name = entities[int(np.argmax(seed_means.number < 2))]
        raise ArgumentError(
            "training_seed",
            "must name at least two seeds of each entity; otherwise the variation of training is unknown",
            f"{seed_means.number.min()} of {name!r}",
            Advice("without ", Typed("training_seed"), ", the ranking is of these fitted models"),
        )
    which = factorize(case)[0]
    answered = np.zeros((which.max() + 1, values.shape[1]), int)
    np.add.at(answered, which, ~np.isnan(values))
    partly = (answered > 0) & (answered < seed_means.number)
    if partly.any():
        i, j = np.argwhere(partly)[0]
        raise ArgumentError(
            "frame",
            "must contain an outcome of each case for every training seed of an entity",
            f"{answered[i, j]} of {seed_means.number[j]} for {case[int(np.argmax(which == i))]!r} and {entities[j]!r}",
            Advice(Typed("missing", 0), " counts a missing answer as 0, or wrong"),
        )


def check_runs(run_means: SeedMeans, run: Any, entities: Sequence[Any]) -> list[Note]:
    """Raise an error if the means of runs differ more than their cases allow; return a note if it is in doubt.

    The statistic is that of Cochran (1950), Biometrika 37:256-266: over all entities, and for the
    entity with the smallest p-value of all, each at half the level.
    """
    tested = (run_means.units >= ENOUGH) & (run_means.number > 1) & (run_means.noise > 0)
    if not tested.any():
        return []
    freedom = run_means.number[tested] - 1
    statistic = (
        freedom * np.nanvar(run_means.mean[tested], axis=1, ddof=1) / run_means.noise[tested]
    )
    tails = chdtrc(freedom, statistic)
    p = min(
        2 * min(float(chdtrc(freedom.sum(), statistic.sum())), float(tails.min()) * tested.sum()),
        1.0,
    )
    if p >= DOUBTED:
        return []
    i = int(np.flatnonzero(tested)[np.argmin(tails)])
    low, high = float(np.nanmin(run_means.mean[i])), float(np.nanmax(run_means.mean[i]))
    fields = {
        "entity": str(entities[i]),
        "low": low,
        "high": high,
        "runs": int(run_means.number[i]),
        "p": p,
    }
    if p >= REFUSED:
        return [Note("runs_differ", fields)]
    column = run if isinstance(run, str) else getattr(run, "name", None) or "run"
    raise ArgumentError(
        "run",
        "must name repetitions of one fitted model, and the means of these runs differ more than their cases allow "
        f"(p = {p:.1g}), as those of retrained models do",
        f"means from {low:.3f} to {high:.3f} in {fields['runs']} runs of {fields['entity']!r}",
        Advice(Typed("training_seed", column), " instead ranks retrained models"),
    )
