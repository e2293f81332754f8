"""Measure what the model of crossed effects claims about equal and different entities, and how its intervals hold.

Run ``python scripts/measure_crossed.py [PART] [--boards N]``; without a part, all of them (about an hour). The tables
are in docs/measured/crossed.md. A board is one simulated evaluation: entities with right and wrong answers on data sets
whose difficulty has mean 1 and standard deviation 1, in logits, but in one part. Rates are those at the median
difficulty.

- "claims": the first of two entities is better. How often each is called best, by the headline of a ranking, or by the
  probability that it beats its rival alone (*pairs*).
- "few": entities are equal, on few data sets.
- "coverage": how often 95% intervals of typical rates and of differences of logits hold the truth.
- "truths": the same for typical rates from 0.5 to 0.99, and difficulties that vary less or more.
- "tables": the same for the two rates of tables of counts.
- "calibration": ranks of truths that are drawn from the prior, among their posterior draws.
- "covariate": the same for slopes of a covariate, and for rates at a chosen value of it. Sampled by NUTS.
- "priors": how the scale of the priors changes the difference of the first two entities.
"""

import argparse
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from scipy import special, stats

import bayesrank as br
from bayesrank._core.random import Block, root_sequence
from bayesrank._core.source import groups_of
from bayesrank.models import make_model

CROSSED = "crossed_logit_normal"
OTHERS = ("hierarchical_logit_normal", "hierarchical_beta_binomial")
#: Data sets, number of them that all entities but the first lack, and which.
DESIGNS = {
    "12 sets": (12, 0, ""),
    "12 sets, 4 at random missing": (12, 4, "random"),
    "12 sets, the 4 hardest missing": (12, 4, "hardest"),
    "20 sets, 8 at random missing": (20, 8, "random"),
    "20 sets, the 8 hardest missing": (20, 8, "hardest"),
    "3 sets": (3, 0, ""),
    "4 sets": (4, 0, ""),
    "5 sets": (5, 0, ""),
    "5 sets, 1 at random missing": (5, 1, "random"),
    "3 sets, the hardest missing": (3, 1, "hardest"),
    "5 sets, the hardest missing": (5, 1, "hardest"),
}
DRAWS = {"draws": 250, "chains": 4}


def simulate(
    rng: np.random.Generator,
    design: str,
    entities: int,
    cases: int,
    spread: float,
    ahead: float = 0.0,
    middle: float = 1.0,
    sd_of_difficulty: float = 1.0,
) -> xr.DataArray:
    """Return counts of right and wrong answers; the first entity is ahead by this many logits."""
    datasets, missing, which = DESIGNS[design]
    difficulty = rng.normal(middle, sd_of_difficulty, datasets)
    rows = []
    for i in range(entities):
        met = np.ones(datasets, bool)
        if i and which == "hardest":
            met[np.argsort(difficulty)[:missing]] = False
        if i and which == "random":
            met[rng.permutation(datasets)[:missing]] = False
        for d in np.flatnonzero(met):
            logit = difficulty[d] + rng.normal(0, spread) + (ahead if i == 0 else 0.0)
            right = rng.binomial(cases, special.expit(logit))
            rows.append(
                {
                    "entity": f"e{i:02d}",
                    "dataset": f"s{d:02d}",
                    "correct": right,
                    "wrong": cases - right,
                }
            )
    return br.from_frame(pd.DataFrame(rows), dataset="dataset")


def draw(evidence: xr.DataArray, model: str, seed: int) -> Any:
    """Return a posterior."""
    return br.fit(evidence, model, seed=seed, **DRAWS)


def logits_of(posterior: Any) -> np.ndarray:
    """Return draws (draw, entity) of the logits of typical rates."""
    rate = groups_of(posterior)["posterior"]["performance_typical"].sel(outcome=1)
    rate = rate.stack(at=("chain", "draw")).transpose("at", "entity").values
    return special.logit(rate.clip(1e-12, 1 - 1e-12))


def claim(posterior: Any) -> tuple[int, int, int]:
    """Return the entity that is best by all pairs and the one by the headline, or -1; and whether one is ruled out."""
    logits = logits_of(posterior)
    leader = int(logits.mean(0).argmax())
    pairwise = all(
        (logits[:, leader] > logits[:, j]).mean() >= 0.95
        for j in range(logits.shape[1])
        if j != leader
    )
    ranking = br.credible_ranking(posterior)
    inside = ranking["in_best_set"].values
    best = int(inside.argmax()) if ranking.attrs["headline"] == "best" else -1
    return leader if pairwise else -1, best, int(not inside.all())


def error(share: float, boards: int) -> str:
    """Return a share and two standard errors."""
    return f"{share:.3f} ± {2 * (max(share * (1 - share), 1 / boards / 4) / boards) ** 0.5:.3f}"


def measure_claims(boards: int, only: str) -> None:
    """Print how often an entity is called best."""
    print("| design | cases | spread | first ahead by | model | headline: first | headline: another | pairs: first |"
          " pairs: another |\n|---|---:|---:|---:|---|---:|---:|---:|---:|")  # fmt: skip
    for design, cases, spread, ahead in (
        *((d, 60, 0.1, 0.3) for d in DESIGNS if "12" in d or "20" in d),
        *((d, 60, spread, 0.5) for d in ("12 sets", "5 sets") for spread in (0.1, 0.3)),
    ):
        if only not in design:
            continue
        complete = not DESIGNS[design][1]
        for name in (CROSSED, *(OTHERS[:1] if complete else OTHERS[1:])):
            named = np.array(
                [row[:2] for row in run(boards, design, 2, cases, spread, ahead, name)]
            )
            shares = (
                [(named[:, kind] == 0).mean() for kind in (1, 0)],
                [(named[:, kind] > 0).mean() for kind in (1, 0)],
            )
            cells = [error(shares[who][kind], boards) for kind in (0, 1) for who in (0, 1)]
            print(
                f"| {design} | {cases} | {spread} | {ahead} | {name} | {' | '.join(cells)} |",
                flush=True,
            )


def run(
    boards: int, design: str, entities: int, cases: int, spread: float, ahead: float, model: str
) -> list:
    """Return the claims on each board; boards do not depend on the model."""
    rng = np.random.default_rng(
        [1, entities, cases, int(10 * spread), int(10 * ahead), *design.encode()]
    )
    boards_of = [
        (simulate(rng, design, entities, cases, spread, ahead), int(rng.integers(2**31)))
        for _ in range(boards)
    ]
    return [claim(draw(evidence, model, seed)) for evidence, seed in boards_of]


def measure_few(boards: int, only: str) -> None:
    """Print how often an entity is called best though all are equal, on few data sets."""
    print("| data sets | entities | cases | spread | one is best | one is ruled out | pairs: one is best |"
          "\n|---|---:|---:|---:|---:|---:|---:|")  # fmt: skip
    for design in ("3 sets", "4 sets", "5 sets", "12 sets"):
        for entities in (2, 5, 20):
            for spread in (0.0, 0.1, 0.3):
                if only not in design or (
                    design == "12 sets" and (entities == 20 or spread == 0.1)
                ):
                    continue
                named = np.array(run(boards, design, entities, 60, spread, 0.0, CROSSED))
                cells = [
                    error((named[:, 1] >= 0).mean(), boards),
                    error(named[:, 2].mean(), boards),
                ]
                cells.append(error((named[:, 0] >= 0).mean(), boards))
                print(
                    f"| {design} | {entities} | 60 | {spread} | {' | '.join(cells)} |", flush=True
                )


def measure_coverage(boards: int, only: str) -> None:
    """Print how often 95% intervals hold the true typical rates and differences."""
    print(
        "| design | entities | cases | spread | typical rates | differences |\n|---|---:|---:|---:|---:|---:|"
    )
    for design in DESIGNS:
        for entities, cases, spread in ((2, 60, 0.1), (2, 60, 0.3), (5, 400, 0.3)):
            if only not in design:
                continue
            rng = np.random.default_rng([2, entities, cases, int(10 * spread), *design.encode()])
            rates, apart = [], []
            for _ in range(boards):
                evidence = simulate(rng, design, entities, cases, spread)
                logits = logits_of(draw(evidence, CROSSED, int(rng.integers(2**31))))
                low, high = np.quantile(logits, [0.025, 0.975], axis=0)
                rates.append(((low <= 1) & (high >= 1)).mean())
                low, high = np.quantile(logits[:, 1:] - logits[:, :1], [0.025, 0.975], axis=0)
                apart.append(((low <= 0) & (high >= 0)).mean())
            cells = [
                f"{np.mean(x):.3f} ± {2 * np.std(x) / boards**0.5:.3f}" for x in (rates, apart)
            ]
            print(
                f"| {design} | {entities} | {cases} | {spread} | {' | '.join(cells)} |", flush=True
            )


def measure_truths(boards: int, only: str) -> None:
    """Print how often 95% intervals hold the true typical rates of two entities with 200 cases, at several truths."""
    print(
        "| data sets | rate | difficulty varies by | typical rates | width in logits |\n|---:|---:|---:|---:|---:|"
    )
    for design in ("3 sets", "5 sets", "12 sets"):
        for rate in (0.5, 0.73, 0.95, 0.99):
            for sd in (0.3, 1.0, 2.0) if only in design else ():
                rng = np.random.default_rng([4, int(100 * rate), int(10 * sd), *design.encode()])
                truth, held, width = special.logit(rate), [], []
                for _ in range(boards):
                    evidence = simulate(rng, design, 2, 200, 0.3, middle=truth, sd_of_difficulty=sd)
                    logits = logits_of(draw(evidence, CROSSED, int(rng.integers(2**31))))
                    low, high = np.quantile(logits, [0.025, 0.975], axis=0)
                    held.append(((low <= truth) & (high >= truth)).mean())
                    width.append((high - low).mean())
                share = f"{np.mean(held):.3f} ± {2 * np.std(held) / boards**0.5:.3f}"
                print(
                    f"| {design.split()[0]} | {rate} | {sd} | {share} | {np.median(width):.2f} |",
                    flush=True,
                )


def measure_tables(boards: int, only: str) -> None:
    """Print how often 95% intervals hold a true typical TNR and TPR of 0.95, of two entities with tables of counts."""
    print("| data sets | difficulty varies by | typical rates |\n|---:|---:|---:|")
    for design, sd in (("3 sets", 1.0), ("3 sets", 2.0), ("5 sets", 1.0)):
        if only not in design:
            continue
        datasets, rate, held = DESIGNS[design][0], 0.95, []
        rng = np.random.default_rng([9, datasets, int(100 * rate), int(10 * sd)])
        for _ in range(boards):
            hard, rows = rng.normal(0, sd, (datasets, 2)), []
            for name in "ab":
                logits = special.logit(rate) + hard + rng.normal(0, 0.3, (datasets, 2))
                for d, (tn, tp) in enumerate(rng.binomial(200, special.expit(logits)).tolist()):
                    rows.append(
                        {
                            "entity": name,
                            "dataset": d,
                            "tn": tn,
                            "fp": 200 - tn,
                            "fn": 200 - tp,
                            "tp": tp,
                        }
                    )
            evidence = br.from_frame(pd.DataFrame(rows), dataset="dataset")
            found = groups_of(draw(evidence, CROSSED, int(rng.integers(2**31))))["posterior"][
                "median_rate"
            ]
            right = np.stack(
                [found.isel(actual=c, predicted=c).values.reshape(-1, 2) for c in (0, 1)]
            )
            low, high = np.quantile(right, [0.025, 0.975], axis=1)
            held.append(((low <= rate) & (high >= rate)).mean())
        share = f"{np.mean(held):.3f} ± {2 * np.std(held) / boards**0.5:.3f}"
        print(f"| {design.split()[0]} | {sd} | {share} |", flush=True)


#: Designs of the calibration: which of three entities met which of six data sets.
CALIBRATED = {
    "complete": np.ones((3, 6), bool),
    "connected": np.array([[1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 0, 0], [1, 0, 1, 0, 1, 0]], bool),
    "unconnected": np.array([[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 0]], bool),
}


def draw_ranks(boards: int, met: np.ndarray, classes: bool, seed: int = 1) -> dict[str, np.ndarray]:
    """Return ranks, as shares, of truths that are drawn from the prior, among their posterior draws."""
    entity, dataset = np.nonzero(met)
    names = {"entity": [f"e{i}" for i in entity], "dataset": [f"s{d}" for d in dataset]}
    size = np.full(len(entity), 30)
    cells = {"tn": size, "fp": size, "fn": size, "tp": size} if classes else {}
    frame = pd.DataFrame({**names, **(cells or {"correct": size, "wrong": size})})
    evidence = br.from_frame(frame, dataset="dataset")
    story = make_model(CROSSED, evidence, {})
    drawn = story.draw_prior(Block(0, 0, boards, (1, boards)), root_sequence(seed))
    rng = np.random.default_rng(seed)
    ranks: dict[str, list] = {}
    for b in range(boards):
        one = evidence.copy(deep=True)
        performance = drawn["performance"].values[b]
        for i, d in story.pairs:
            table = performance[i, d]
            total = evidence.values[i, d].sum(-1, keepdims=classes)
            rate = table / table.sum(-1, keepdims=True)
            one.values[i, d] = rng.multinomial(total[:, 0] if classes else total, rate)
        posterior = groups_of(br.fit(one, CROSSED, seed=b, draws=250, chains=4))["posterior"]
        for name in ("median_rate", "sd_of_deviations", "sd_of_difficulty", "difficulty"):
            held = posterior[name].stack(at=("chain", "draw")).transpose("at", ...).values[::5]
            truth = drawn[name].values[b]
            if name == "median_rate":
                held, truth = held[..., 0], truth[..., 0]  # one of two answers
                logits, true = special.logit(held[:, :2]), special.logit(truth[:2])
                share = ((logits[:, 1] - logits[:, 0]) < (true[1] - true[0])).mean(0)
                ranks.setdefault("difference", []).append(np.ravel(share)[0])
            ranks.setdefault(name, []).append(np.ravel((held < truth).mean(0))[0])
    return {name: np.array(values) for name, values in ranks.items()}


def measure_calibration(boards: int, only: str) -> None:
    """Print p-values of uniform ranks."""
    print("| design | evidence | quantity | Kolmogorov-Smirnov p |\n|---|---|---|---:|")
    for design, met in CALIBRATED.items():
        for classes in (False, True):
            if only not in design:
                continue
            for name, ranks in draw_ranks(boards, met, classes).items():
                evidence = "two classes" if classes else "right and wrong"
                # Ranks are multiples of 1/200; half a step of noise makes them continuous.
                smooth = ranks + (np.random.default_rng(1).random(len(ranks)) - ranks) / 201
                print(
                    f"| {design} | {evidence} | {name} | {stats.kstest(smooth, 'uniform').pvalue:.3f} |",
                    flush=True,
                )


#: Values of the covariate on six data sets, and the value for which rates are predicted.
COVARIATE, CHOSEN = np.array([0.0, 1.0, 2.0, 3.0, 5.0, 7.0]), 6.0


def draw_covariate_ranks(boards: int, seed: int = 1) -> Iterator[dict[str, list[float]]]:
    """Yield the ranks so far, as shares, of two entities' slopes, rates and spreads that are drawn from the prior."""
    entity, dataset = np.nonzero(np.ones((2, len(COVARIATE))))
    names = {"entity": [f"e{i}" for i in entity], "dataset": [f"s{d}" for d in dataset]}
    size = np.full(len(entity), 30)
    frame = pd.DataFrame({**names, "dose": COVARIATE[dataset], "correct": size, "wrong": size})
    evidence = br.from_frame(frame, dataset="dataset", covariates="dose")
    options = {"covariates": "dose", "at": {"dose": CHOSEN}}
    model = make_model(CROSSED, evidence, options)
    # So many that the first boards do not depend on their number.
    drawn = model.draw_prior(Block(0, 0, 1000, (1, 1000)), root_sequence(seed))
    rng = np.random.default_rng(seed)
    ranks: dict[str, list[float]] = {}
    for b in range(boards):
        one = evidence.copy(deep=True)
        for i, d in model.pairs:
            one.values[i, d] = rng.multinomial(
                evidence.values[i, d].sum(), drawn["performance"].values[b, i, d]
            )
        fitted = br.fit(
            one, CROSSED, seed=b, draws=200, chains=2, nuts={"tune": 300, "cores": 1}, **options
        )
        posterior = groups_of(fitted)["posterior"].stack(at=("chain", "draw"))

        def held(name: str, of: Any = posterior) -> np.ndarray:
            return of[name].transpose("at", ...).values[::4]

        slope, typical = held("slope")[:, :, 0], held("performance_typical")[..., 1]
        true_slope, true_typical = (
            drawn["slope"].values[b][:, 0],
            drawn["performance_typical"].values[b][:, 1],
        )
        for name, draws, truth in (
            ("slope of the first entity", slope[:, 0], true_slope[0]),
            ("difference of slopes", slope[:, 1] - slope[:, 0], true_slope[1] - true_slope[0]),
            ("typical rate at the value", typical[:, 0], true_typical[0]),
            ("difference of logits at the value", np.diff(special.logit(typical))[:, 0],
             np.diff(special.logit(true_typical))[0]),
            *((name, held(name), drawn[name].values[b]) for name in ("sd_of_deviations", "sd_of_difficulty")),
        ):  # fmt: skip
            ranks.setdefault(name, []).append(float((draws < truth).mean()))
        yield ranks


def measure_covariate(boards: int, only: str) -> None:
    """Print p-values of uniform ranks for the model with a covariate, after every 20 boards."""
    print("| quantity | boards | Kolmogorov-Smirnov p | mean rank |\n|---|---:|---:|---:|")
    for number, found in enumerate(draw_covariate_ranks(boards), 1):
        for name, held in found.items() if number % 20 == 0 or number == boards else ():
            ranks = np.array(held)
            smooth = ranks + (np.random.default_rng(1).random(number) - ranks) / 101
            p, mean = (
                stats.kstest(smooth, "uniform").pvalue,
                f"{smooth.mean():.3f} ± {2 / (12 * number) ** 0.5:.3f}",
            )
            print(f"| {name} | {number} | {p:.3f} | {mean} |", flush=True)


def measure_priors(boards: int, only: str) -> None:
    """Print the mean and standard deviation of the difference of two entities at three scales of the priors."""
    print(
        "| design | spread | difference | its standard deviation | P(first better) |\n|---|---:|---:|---:|---:|"
    )
    for design in DESIGNS:
        if only not in design:
            continue
        evidence = simulate(np.random.default_rng(5), design, 2, 60, 0.1, 0.5)
        for scale in (0.5, 1.0, 2.0):
            fit = groups_of(br.fit(evidence, CROSSED, spread=scale, seed=1))["posterior"][
                "performance_typical"
            ]
            apart = special.logit(fit.sel(outcome=1)).diff("entity").values
            print(
                f"| {design} | {scale} | {-apart.mean():.3f} | {apart.std():.3f} | {(apart < 0).mean():.3f} |"
            )


PARTS = {
    "claims": (measure_claims, 100),
    "few": (measure_few, 100),
    "coverage": (measure_coverage, 100),
    "truths": (measure_truths, 100),
    "tables": (measure_tables, 60),
    "calibration": (measure_calibration, 300),
    "covariate": (measure_covariate, 200),
    "priors": (measure_priors, 1),
}


def main() -> None:
    """Print the chosen tables."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("part", nargs="?", choices=PARTS)
    options.add_argument("--boards", type=int)
    options.add_argument("--only", default="", help="designs whose name contains this text")
    chosen = options.parse_args()
    warnings.simplefilter("ignore")
    for name, (measure, boards) in PARTS.items():
        if chosen.part in (None, name):
            measure(chosen.boards or boards, chosen.only)


if __name__ == "__main__":
    main()
