"""Effective draws a second of the logit-normal model beside a straightforward PyMC model of the same likelihood.

Run: python tests/benchmarks/bench_hierarchical.py
"""

import time
from typing import Any

import numpy as np
import pymc as pm

import bayesrank as br
from bayesrank._compat import groups_of, import_arviz
from bayesrank.models import make_model

NAME = "hierarchical_logit_normal"
DRAWS = {"draws": 1000, "tune": 1000, "chains": 2, "cores": 1, "random_seed": 1, "progressbar": False}


def studies(entities: int, datasets: int, cases: int) -> Any:
    """Counts of entities on the same data sets."""
    rng = np.random.default_rng(1)
    hard = rng.normal(size=(datasets, 2)) * 0.6
    logits = rng.normal([1.8, 1.0], 0.4, (entities, 1, 2)) - hard + 0.6 * rng.normal(size=(entities, datasets, 2))
    total = rng.integers(cases // 2, 2 * cases, (datasets, 2))
    right = rng.binomial(total, 1 / (1 + np.exp(-logits)))
    wrong = total - right
    return br.from_counts(
        tn=right[..., 0].ravel(),
        fp=wrong[..., 0].ravel(),
        fn=wrong[..., 1].ravel(),
        tp=right[..., 1].ravel(),
        entity=np.repeat([f"e{i}" for i in range(entities)], datasets),
        dataset=list(range(datasets)) * entities,
    )


def straightforward(counts: Any) -> Any:
    """As one would write it down: all effects non-centred, covariances by their Cholesky factors, LKJ(2)."""
    table = counts.values
    cases, right = table.sum(-1), np.stack([table[..., 0, 0], table[..., 1, 1]], -1)
    entities, datasets, _ = right.shape
    with pm.Model() as model:
        mu = pm.Logistic("level", 0, 1, shape=(entities, 2))
        logits = mu[:, None]
        for name, shape in (("difficulty", (datasets, 2)), ("deviations", (entities, datasets, 2))):
            if name == "difficulty" and entities == 1:
                continue
            factor, _, _ = pm.LKJCholeskyCov(f"factor_of_{name}", n=2, eta=2, sd_dist=pm.HalfNormal.dist(1, size=2))
            z = pm.Normal(f"z_of_{name}", shape=shape)
            pm.Deterministic(f"sd_of_{name}", pm.math.sqrt((factor**2).sum(-1)))
            logits = logits + z @ factor.T
        pm.Binomial("counts", n=cases, logit_p=logits, observed=right)
    return model


def speed(model: Any, **how: Any) -> tuple[float, int]:
    """Effective draws a second, of the slowest of medians and spreads, and divergences; compiling does not count."""
    with model:
        start = time.perf_counter()
        trace = pm.sample(**DRAWS | how)
        seconds = time.perf_counter() - start
    groups = groups_of(trace)
    seconds = groups["sample_stats"].attrs.get("sampling_time", seconds)
    names = [name for name in groups["posterior"] if str(name).startswith(("level", "sd_of"))]
    least = min(float(part.min()) for part in import_arviz().ess(groups["posterior"][names]).data_vars.values())
    return least / seconds, int(groups["sample_stats"]["diverging"].sum())


def main() -> None:
    for entities, datasets, cases in ((1, 15, 50), (3, 15, 100), (12, 10, 400)):
        counts = studies(entities, datasets, cases)
        story = make_model(NAME, counts, {})
        ours, cut = speed(story.build(), **story.nuts)
        theirs, lost = speed(straightforward(counts))
        print(
            f"{entities} entities x {datasets} data sets: {ours:.0f} effective draws/s ({cut} divergences), "
            f"straightforward {theirs:.0f} ({lost}): {ours / theirs:.1f} times"
        )


if __name__ == "__main__":
    main()
