"""What every public function asks of the arguments that many of them share is asked by all, in the same words."""

import inspect
import math

import pytest

import bayesrank as br

COUNTS = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
POINT = br.as_performance(COUNTS)
DRAWS = br.as_performance(br.fit(COUNTS, draws=5, chains=1, seed=1))
PMF = br.predictive.score_pmf(br.predictive.confusion_pmf(COUNTS.sel(entity="a"), positives=5, negatives=6), "f1")
TILE = br.tile.value(POINT.sel(entity="a"), 3)

#: What is no such thing, of whole numbers, of shares and of seeds; None is one where it is the default.
WHOLE = ["x", None, True, math.nan, -1, 1.5, [1]]
SHARE = ["x", None, True, math.nan, -1, 1.5, [1]]
SEED = ["x", True, math.nan, -1, 1.5]
BAD = {"resolution": WHOLE, "k": WHOLE, "draws": WHOLE, "size": WHOLE, "points": WHOLE} | {
    "prob": SHARE,
    "prevalence": SHARE,
    "seed": SEED,
}
#: Good values of what else must be given, by name, or by function and name.
GOOD = {
    "a": 0.5,
    "b": 0.5,
    "cases": 3,
    "benefit": {"tn": 0, "fp": -1, "fn": -2, "tp": 0},
    "corners": ("f1", "accuracy"),
    "counts": COUNTS,
    "curve": "roc",
    "credible": br.tile.credible(DRAWS, 3),
    "entities": "a",
    "entity": "a",
    "evidence": COUNTS,
    "fnr": 0.1,
    "fpr": 0.1,
    "k": 1,
    "metric": "auc_roc",
    "ops": br.ops.of_draws(DRAWS, "f1"),
    "pmf": PMF,
    "other": "accuracy",
    "posterior": DRAWS,
    "predictions": {"a": [0.1, 0.9, 0.4]},
    "prevalence": 0.3,
    "reference": "a",
    "region": "tile",
    "regions": br.tile.regions(POINT),
    "rival": "b",
    "rivals": "b",
    "sampler": lambda rng, n: (rng.random(n), rng.random(n)),
    "score": "f1",
    "scores": ["f1"],
    "source": DRAWS,
    "thresholds": [0.2, 0.5],
    "tile": TILE,
    "tiles": TILE.expand_dims("entity"),
    "to": "a",
    "tpr": 0.8,
    "value": 0.5,
    "values": br.scores.f1(DRAWS),
    "y_score": [0.1, 0.9, 0.4],
    "y_true": [0, 1, 1],
}
GOOD_OF = {
    "beta_preferences": {"a": (1, 1), "b": (1, 1)},
    "drift": {"source": {"old": COUNTS, "new": COUNTS}},
    "entity": {"source": POINT},
    "frontier": {"source": POINT},
    "from_rates": {"prevalence": 0.5, "fpr": 0.1},
    "no_skill_curve": {"prevalence": 0.3},
    "of_value": {"score": "lift_at_k", "at": 1, "size": 3},
    "preference_ranking": {"b": 0.5},
    "posterior_predictive": {"size": 5},
    "sensitivity": {"score": "f1"},
    "regions": {"source": POINT},
    "value_curves": {"score": "lift_at_k", "at": 1, "size": 3},
    "robustness": {"source": POINT},
}
#: Sequences of prevalences are good here, and a class may be missing.
ALLOWED = [
    ("no_skill", "prevalence", [1]),
    ("value_tiles", "prevalence", [1]),
    ("from_rates", "prevalence", [1]),
]


def public_functions():
    for module in (br, br.scores, br.tile, br.ops, br.predictive, br.plots, br.performance):
        for name in module.__all__:
            if inspect.isfunction(function := getattr(module, name)):
                yield function


def cases():
    for function in dict.fromkeys(public_functions()):
        parameters = inspect.signature(function).parameters
        for argument in BAD.keys() & parameters.keys():
            for bad in BAD[argument]:
                optional = bad is None and parameters[argument].default is None
                if not optional and (function.__name__, argument, bad) not in ALLOWED:
                    yield pytest.param(function, argument, bad, id=f"{function.__name__}-{argument}-{bad!r}")


@pytest.mark.parametrize(("function", "argument", "bad"), sorted(cases(), key=lambda case: case.id))
def test_bad_values_of_shared_arguments_are_refused_by_name(function, argument, bad):
    parameters = inspect.signature(function).parameters.values()
    several = [value for p in parameters if p.kind is p.VAR_POSITIONAL for value in GOOD[p.name]]
    needed = [p.name for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) and p.default is p.empty]
    given = {name: GOOD[name] for name in needed} | GOOD_OF.get(function.__name__, {})
    with pytest.raises((TypeError, ValueError), match=rf"^{argument} must ") as caught:
        function(*several, **given | {argument: bad})
    assert "\n" not in str(caught.value)


def test_these_are_many_functions():
    assert len({(case.values[0], case.values[1]) for case in cases()}) > 50
