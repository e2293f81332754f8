"""Measure how the bivariate logit-normal model of one entity holds what it says: calibration and coverage.

Run ``python scripts/measure_meta_analysis.py`` (some minutes). Many meta-analyses are sampled at once, by Metropolis
steps in NumPy; tests/test_logit_normal.py holds this sampler against NUTS. Half-widths are two standard errors.

- Calibration: truths drawn from the priors have uniform ranks among their draws, with plain and with sparse tables.
- Coverage: stated truths, 15 studies, 95% intervals of the summary point (the rates at the median data set), of the
  mean of the rates and of the rates on one more data set.
"""

import sys
from typing import NamedTuple

import numpy as np
from scipy import stats
from scipy.special import expit

STUDIES = 15
#: (logit TNR, logit TPR): medians, standard deviations and correlation.
TRUTHS = {
    "good test": ((2.2, 1.4), (0.7, 0.6), -0.3),
    "poor test": ((0.8, 0.2), (0.5, 0.5), 0.0),
    "little between studies": ((1.7, 1.7), (0.2, 0.1), 0.0),
    "much between studies": ((2.0, 1.0), (1.2, 1.0), -0.6),
}
#: Negatives and positives of a study, from and below; rare positives make most tables nearly empty in one row.
SIZES = {"plain": ((30, 200), (15, 120)), "sparse": ((5, 40), (0, 6))}


class Draws(NamedTuple):
    """Draws (draw, meta-analysis, ...) of what one meta-analysis learns."""

    mu: np.ndarray  # medians of the logits (..., row)
    sd: np.ndarray  # (..., row)
    rho: np.ndarray
    logits: np.ndarray  # of each study (..., study, row)


def sample(
    right: np.ndarray,
    cases: np.ndarray,
    rng: np.random.Generator,
    draws: int = 400,
    tune: int = 800,
    thin: int = 5,
    scale: float = 1.0,
) -> Draws:
    """The posteriors of many meta-analyses (meta-analysis, study, row) at once: Metropolis steps, centred and not.

    The priors are those of the model: uniform median rates, half-normal standard deviations, LKJ(2).
    """
    many, studies, _ = right.shape
    yes, no = right + 0.5, cases - right + 0.5
    information = np.where(cases > 0, yes * no / (cases + 1), 0)
    eta = np.log(yes / no)
    mu = eta.mean(1)
    # Logarithms of both standard deviations, and the artanh of the correlation.
    spread = np.log(np.full((many, 3), 0.5) * scale)
    spread[:, 2] = 0.0
    steps = {name: np.full(many, 0.5) for name in ("centred", "free", "move")}
    reach = np.full((many, studies), 1.2)
    kept: list[tuple[np.ndarray, ...]] = []
    log = np.log

    def likelihood(eta: np.ndarray) -> np.ndarray:
        return right * eta - cases * np.logaddexp(0, eta)

    def prior(spread: np.ndarray) -> np.ndarray:
        sd = np.exp(spread[:, :2])
        return (spread[:, :2] - sd**2 / 2 / scale**2).sum(1) - 4 * np.logaddexp(
            spread[:, 2], -spread[:, 2]
        )

    def prior_of_mean(mu: np.ndarray) -> np.ndarray:
        return -(np.logaddexp(0, mu) + np.logaddexp(0, -mu)).sum(-1)

    def standard(eta: np.ndarray, mu: np.ndarray, spread: np.ndarray) -> np.ndarray:
        t = (eta - mu[:, None]) / np.exp(spread[:, None, :2])
        rho = np.tanh(spread[:, None, 2])
        # The square root of 1 - ρ², which must not round to 0.
        t[..., 1] = (t[..., 1] - rho * t[..., 0]) * np.cosh(spread[:, None, 2])
        return t

    def placed(t: np.ndarray, mu: np.ndarray, spread: np.ndarray) -> np.ndarray:
        sd, rho = np.exp(spread[:, None, :2]), np.tanh(spread[:, None, 2])
        second = rho * t[..., 0] + t[..., 1] / np.cosh(spread[:, None, 2])
        return mu[:, None] + sd * np.stack([t[..., 0], second], -1)

    def normal(t: np.ndarray, spread: np.ndarray) -> np.ndarray:
        return -(t**2).sum(-1) / 2 - (spread[:, :2].sum(1) - log(np.cosh(spread[:, 2])))[:, None]

    def adapt(name: str, taken: np.ndarray, wanted: float, at: int) -> None:
        if at < tune:
            steps[name] *= np.exp((taken - wanted) / (at + 1) ** 0.6)

    for at in range(tune + draws * thin):
        # Studies: random walks as long as the counts and the population let them.
        for _ in range(2):
            length = reach[..., None] / np.sqrt(information + np.exp(-2 * spread[:, None, :2]))
            other = eta + length * rng.standard_normal(eta.shape)
            gain = (likelihood(other) - likelihood(eta)).sum(-1)
            gain += normal(standard(other, mu, spread), spread) - normal(
                standard(eta, mu, spread), spread
            )
            taken = log(rng.random(gain.shape)) < gain
            eta = np.where(taken[..., None], other, eta)
            if at < tune:
                reach *= np.exp((taken - 0.35) / (at + 1) ** 0.6)
        # Medians given the studies: normal but for their prior.
        sd, rho = np.exp(spread[:, :2]) / np.sqrt(studies), np.tanh(spread[:, 2])
        z = rng.standard_normal((many, 2))
        other = eta.mean(1) + sd * np.stack(
            [z[:, 0], rho * z[:, 0] + z[:, 1] / np.cosh(spread[:, 2])], -1
        )
        taken = log(rng.random(many)) < prior_of_mean(other) - prior_of_mean(mu)
        mu = np.where(taken[:, None], other, mu)
        # Spreads given the studies, then given the standardised studies: the one is slow where the other is fast.
        for _ in range(2):
            other = spread + steps["centred"][:, None] * rng.standard_normal((many, 3))
            gain = prior(other) - prior(spread)
            gain += (
                normal(standard(eta, mu, other), other) - normal(standard(eta, mu, spread), spread)
            ).sum(1)
            taken = log(rng.random(many)) < gain
            spread = np.where(taken[:, None], other, spread)
            adapt("centred", taken, 0.3, at)
        for name in ("free", "move"):
            t = standard(eta, mu, spread)
            other, to = spread, mu
            if name == "free":
                other = spread + steps[name][:, None] * rng.standard_normal((many, 3))
            else:
                to = mu + steps[name][:, None] * rng.standard_normal((many, 2))
            there = placed(t, to, other)
            gain = prior(other) - prior(spread) + prior_of_mean(to) - prior_of_mean(mu)
            gain += (likelihood(there) - likelihood(eta)).sum((1, 2))
            taken = log(rng.random(many)) < gain
            spread, mu = np.where(taken[:, None], other, spread), np.where(taken[:, None], to, mu)
            eta = np.where(taken[:, None, None], there, eta)
            adapt(name, taken, 0.3, at)
        if at >= tune and (at - tune) % thin == thin - 1:
            kept.append((mu, np.exp(spread[:, :2]), np.tanh(spread[:, 2]), eta))
    return Draws(*(np.stack(part) for part in zip(*kept, strict=True)))


def pairs(
    rng: np.random.Generator,
    shape: tuple[int, ...],
    mu: np.ndarray,
    sd: np.ndarray,
    rho: np.ndarray,
) -> np.ndarray:
    """Normal pairs (..., row)."""
    z = rng.standard_normal((*shape, 2))
    return mu + sd * np.stack([z[..., 0], rho * z[..., 0] + np.sqrt(1 - rho**2) * z[..., 1]], -1)


def test_sets(rng: np.random.Generator, shape: tuple[int, ...], sizes: str) -> np.ndarray:
    """Cases (..., row)."""
    return np.stack([rng.integers(*ends, shape) for ends in SIZES[sizes]], -1)


def ranks(
    seed: int, replicates: int, studies: int, sizes: str, draws: int = 99, **how: int
) -> dict[str, np.ndarray]:
    """Ranks, as shares, of truths drawn from the priors among their draws."""
    rng = np.random.default_rng(seed)
    mu = rng.logistic(size=(replicates, 2))
    sd = abs(rng.standard_normal((replicates, 2)))
    rho = 2 * rng.beta(2, 2, replicates) - 1
    eta = pairs(rng, (replicates, studies), mu[:, None], sd[:, None], rho[:, None])
    cases = test_sets(rng, (replicates, studies), sizes)
    found = sample(rng.binomial(cases, expit(eta)), cases, rng, draws, **{"thin": 20, **how})
    new = pairs(rng, (replicates,), mu, sd, rho)
    drawn = pairs(rng, (draws, replicates), found.mu, found.sd, found.rho)
    compared = {
        "median of logit TNR": (found.mu[..., 0], mu[:, 0]),
        "median of logit TPR": (found.mu[..., 1], mu[:, 1]),
        "sd of logit TNR": (found.sd[..., 0], sd[:, 0]),
        "sd of logit TPR": (found.sd[..., 1], sd[:, 1]),
        "correlation": (found.rho, rho),
        "logit TPR of a study": (found.logits[..., 0, 1], eta[:, 0, 1]),
        "logit TPR of a new one": (drawn[..., 1], new[:, 1]),
    }
    return {
        name: ((values < truth).sum(0) + rng.random(replicates)) / (draws + 1)
        for name, (values, truth) in compared.items()
    }


def coverage(
    seed: int, name: str, sizes: str, replicates: int = 1000, prob: float = 0.95
) -> dict[str, float]:
    """Shares of intervals that hold the truth: of the summary point, and of the rates of one more data set."""
    rng = np.random.default_rng(seed)
    mu, sd, rho = (np.asarray(part) for part in TRUTHS[name])
    eta = pairs(rng, (replicates, STUDIES), mu, sd, rho)
    cases = test_sets(rng, (replicates, STUDIES), sizes)
    found = sample(rng.binomial(cases, expit(eta)), cases, rng)
    new = pairs(rng, (replicates,), mu, sd, rho)
    drawn = pairs(rng, found.rho.shape, found.mu, found.sd, found.rho)
    ends = (1 - prob) / 2, (1 + prob) / 2
    held = {}
    for what, values, truth in (("summary", found.mu, mu), ("new", drawn, new)):
        low, high = np.quantile(values, ends, axis=0)
        for row, rate in enumerate(("TNR", "TPR")):
            truths = np.broadcast_to(truth, low.shape)[:, row]
            held[f"{what} {rate}"] = float(
                ((low[:, row] <= truths) & (truths <= high[:, row])).mean()
            )
    return held


def main(replicates: int) -> None:
    """Print calibration, then coverage."""
    for sizes in SIZES:
        for name, found in ranks(1, replicates, STUDIES, sizes).items():
            print(
                f"{sizes}: {name}: Kolmogorov-Smirnov p = {stats.kstest(found, 'uniform').pvalue:.2f}"
            )
    for sizes in SIZES:
        for i, name in enumerate(TRUTHS):
            held = coverage(10 + i, name, sizes, replicates)
            error = 2 * np.sqrt(0.95 * 0.05 / replicates)
            print(
                f"{sizes}: {name}: "
                + ", ".join(f"{k} {v:.3f}" for k, v in held.items())
                + f" (± {error:.3f})"
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
