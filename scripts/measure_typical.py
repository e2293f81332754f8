"""Measure how often 95% intervals over several data sets hold the true rate: typical, new, and mean rates.

Run ``python scripts/measure_typical.py`` (about twenty minutes); ``typical``, ``split`` or ``logits`` after it runs one
part, and a number after that sets the evaluations of a cell.

``typical`` measures the hierarchical beta-binomial model. True rates of data sets have a Beta distribution of stated
mean and standard deviation. The typical rate is that mean. Each cell is the share of 95% intervals that hold it, over
simulated evaluations of one entity; of a new data set it is the mean probability of its true rate within the interval.
Half-widths are two standard errors. The posterior of mean and spread is that of the model, on a grid that serves all
evaluations at once.

``split`` measures the mean rate over the observed data sets, by ``br.performance.mean_over_datasets``: under a
conjugate model with ``split_prior=True``, and under the hierarchical model. All data sets have the same true rate. The
evaluations of a cell are entities of one call of ``br.fit``, because neither model shares information between entities.

``logits`` measures the typical rate of ``hierarchical_logit_normal`` for right and wrong answers of one entity, by its
prior: one case or four. Logits of true rates are normal about the logit of the typical rate.
"""

import sys
import warnings

import numpy as np
import xarray as xr
from measure_leader import share
from scipy import stats
from scipy.special import betaln, expit, logit

import bayesrank as br
from bayesrank.models.parts.population import SPREAD, log_prior_of_spread

#: Data sets, and cases of each.
DESIGNS = ((3, 20), (5, 20), (15, 20), (5, 200))
#: Mean and standard deviation of the true rates.
TRUTHS = (
    *((mean, sd) for sd in (0.0, 0.02) for mean in (0.5, 0.8, 0.95, 0.99)),
    *((mean, 0.1) for mean in (0.5, 0.8, 0.95)),
    *((mean, 0.3) for mean in (0.5, 0.8)),
)
#: The same for means over the observed data sets, and the true rate of all data sets.
SPLIT_DESIGNS = ((60, 2), (30, 3), (30, 5), (15, 10), (15, 20))
SPLIT_TRUTHS = (0.5, 0.8, 0.95)
SPLIT_MODELS = {
    "split prior": ("dirichlet_multinomial", {"split_prior": True}),
    "hierarchical": ("hierarchical_beta_binomial", {}),
}
#: The same for logits that vary: data sets, their cases, standard deviations and typical rates.
LOGIT_SETS, LOGIT_CASES, LOGIT_SPREADS, LOGIT_RATES = (
    (3, 12),
    400,
    (0.3, 1.0, 2.0),
    (0.8, 0.95, 0.99),
)
DRAWS, TAILS = 1000, (0.025, 0.975)
#: The grid: the mean is Beta(1/2, 1/2), of which the quantiles are even; the cube root of the spread is even.
MEANS = np.sin((np.arange(500) + 0.5) / 500 * np.pi / 2) ** 2
ROOTS = (np.arange(64) + 0.5) / 64
SPREADS = ROOTS**3
PRIOR = np.repeat(log_prior_of_spread(SPREADS, SPREAD) + 2 * np.log(ROOTS), MEANS.size)


def concentrations(mean: float, sd: float) -> tuple[float, float]:
    """Return those of the Beta distribution with this mean and standard deviation."""
    kappa = mean * (1 - mean) / sd**2 - 1
    return mean * kappa, (1 - mean) * kappa


def likelihoods(cases: int) -> np.ndarray:
    """Return log probabilities (right answers, cell) of the right answers among as many cases, in cells of the grid."""
    right = np.arange(cases + 1)[:, None, None]
    kappa = np.broadcast_to(1 / SPREADS[:, None] ** 2 - 1, (SPREADS.size, MEANS.size))
    chance = betaln(MEANS * kappa + right, (1 - MEANS) * kappa + cases - right)
    return (chance - betaln(MEANS * kappa, (1 - MEANS) * kappa)).reshape(cases + 1, -1)


def intervals(rng: np.random.Generator, boards: np.ndarray, chances: np.ndarray) -> np.ndarray:
    """Return the 95% intervals (board, typical or new, end) for boards of right answers (board, dataset)."""
    times = (boards[:, :, None] == np.arange(len(chances))).sum(1)
    posterior = times @ chances + PRIOR
    posterior = np.exp(posterior - posterior.max(1, keepdims=True))
    found = np.empty((len(boards), 2, 2))
    edges = np.linspace(0, 1, MEANS.size + 1)
    for i, mass in enumerate(posterior):
        along = np.cumsum(mass.reshape(SPREADS.size, -1).sum(0))
        found[i, 0] = np.sin(np.interp(TAILS, np.r_[0, along / along[-1]], edges) * np.pi / 2) ** 2
        whole = np.cumsum(mass)
        cell = np.searchsorted(whole, rng.random(DRAWS) * whole[-1]).clip(max=mass.size - 1)
        spread, mean = divmod(cell, MEANS.size)
        alpha, beta = (
            MEANS[mean] * (1 / SPREADS[spread] ** 2 - 1),
            (1 - MEANS[mean]) * (1 / SPREADS[spread] ** 2 - 1),
        )
        found[i, 1] = np.quantile(rng.beta(alpha, beta), TAILS)
    return found


def coverage(
    rng: np.random.Generator, datasets: int, cases: int, truth: tuple[float, float], number: int
) -> list[str]:
    """Return the shares for the typical rate and for that of a new data set, with two standard errors."""
    mean, sd = truth
    rates = (
        rng.beta(*concentrations(mean, sd), (number, datasets))
        if sd
        else np.full((number, datasets), mean)
    )
    boards, which = np.unique(
        np.sort(rng.binomial(cases, rates), axis=1), axis=0, return_inverse=True
    )
    chances = likelihoods(cases)
    parts = np.array_split(boards, np.ceil(len(boards) / 200))
    ends = np.concatenate([intervals(rng, part, chances) for part in parts])[which.ravel()]
    found = ((ends[..., 0] <= mean) & (mean <= ends[..., 1])).astype(float)
    if sd:
        found[:, 1] = np.diff(stats.beta.cdf(ends[:, 1], *concentrations(mean, sd)))[:, 0]
    errors = 2 * found.std(0) / np.sqrt(number)
    return [
        f"{share:.3f} ± {error:.3f}" for share, error in zip(found.mean(0), errors, strict=True)
    ]


def typical(number: int) -> None:
    """Print a table of the typical rate, and one of a new data set's rate."""
    rng = np.random.default_rng(1)
    cells = {
        (truth, design): coverage(rng, *design, truth, number)
        for truth in TRUTHS
        for design in DESIGNS
    }
    for kind, what in enumerate(("typical", "new")):
        print(
            f"\n| {what}: mean, standard deviation | "
            + " | ".join(f"{d} × {n}" for d, n in DESIGNS)
            + " |"
        )
        print("|---|" + "---|" * len(DESIGNS))
        for mean, sd in TRUTHS:
            shares = [cells[(mean, sd), design][kind] for design in DESIGNS]
            print(f"| {mean:g}, {sd:g} | " + " | ".join(shares) + " |", flush=True)


def mean_coverage(
    model: str, options: dict, datasets: int, cases: int, truth: float, number: int
) -> str:
    """Return the share of 95% intervals of the mean rate over data sets that hold it, with two standard errors."""
    rng = np.random.default_rng([1, datasets, cases, round(100 * truth)])
    right = rng.binomial(cases, truth, (number, datasets))
    coords = {"entity": range(number), "dataset": range(datasets), "outcome": [0, 1]}
    counts = xr.DataArray(
        np.stack([cases - right, right], -1), coords, tuple(coords), name="counts"
    )
    fit = br.fit(counts, model, seed=1, draws=DRAWS // 2, chains=2, **options)
    draws = br.performance.mean_over_datasets(fit)["posterior"]["mean_outcome"]
    low, high = (draws.quantile(tail, ["chain", "draw"]).values for tail in TAILS)
    return share(list((low <= truth) & (truth <= high)))


def split(number: int) -> None:
    """Print a table of the mean rate over the observed data sets, with and without a model that learns their spread."""
    factors = [f"{np.sqrt((cases - 1) / (cases + 1)):.2f}" for _, cases in SPLIT_DESIGNS]
    print(
        "\n| mean over data sets: model, rate | "
        + " | ".join(f"{d} × {n}" for d, n in SPLIT_DESIGNS)
        + " |"
    )
    print("|---|" + "---|" * len(SPLIT_DESIGNS))
    print("| factor sqrt((n - 1) / (n + 1)) | " + " | ".join(factors) + " |")
    for name, (model, options) in SPLIT_MODELS.items():
        for truth in SPLIT_TRUTHS:
            shares = [
                mean_coverage(model, options, *design, truth, number) for design in SPLIT_DESIGNS
            ]
            print(f"| {name}, {truth:g} | " + " | ".join(shares) + " |", flush=True)


def logits(number: int) -> None:
    """Print a table of the typical rate of the logit-normal model, by its prior."""
    print(
        "\n| prior, typical rate | "
        + " | ".join(f"{n} sets, {sd:g}" for n in LOGIT_SETS for sd in LOGIT_SPREADS)
        + " |"
    )
    print("|---|" + "---|" * len(LOGIT_SETS) * len(LOGIT_SPREADS))
    for prior in ("unit", "four_cases"):
        for rate in LOGIT_RATES:
            shares = [
                logit_coverage(prior, rate, n, sd, number)
                for n in LOGIT_SETS
                for sd in LOGIT_SPREADS
            ]
            print(f"| `{prior}`, {rate:g} | " + " | ".join(shares) + " |", flush=True)


def logit_coverage(prior: str, rate: float, datasets: int, sd: float, number: int) -> str:
    """Return the share of 95% intervals of the typical rate that hold it, with two standard errors."""
    held = []
    for k in range(number):
        rng = np.random.default_rng([2, k, datasets, round(100 * rate), round(10 * sd)])
        right = rng.binomial(LOGIT_CASES, expit(logit(rate) + sd * rng.standard_normal(datasets)))
        coords = {"entity": ["a"], "dataset": range(datasets), "outcome": [0, 1]}
        counts = xr.DataArray(
            np.stack([LOGIT_CASES - right, right], -1)[None], coords, tuple(coords), name="counts"
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fit = br.fit(counts, "hierarchical_logit_normal", prior=prior, seed=k, draws=DRAWS // 2)
        low, high = np.quantile(br.as_performance(fit, "typical").sel(outcome=1), TAILS)
        held.append(low <= rate <= high)
    return share(held)


PARTS = {"typical": (typical, 1000), "split": (split, 400), "logits": (logits, 100)}

if __name__ == "__main__":
    for part, (measure, times) in PARTS.items():
        if len(sys.argv) == 1 or sys.argv[1] == part:
            measure(int(sys.argv[2]) if len(sys.argv) > 2 else times)
