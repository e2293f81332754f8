"""Importances, places on the Tile and kinds of performance are accepted wherever a score is."""

from functools import cache

import numpy as np
import pytest
import xarray as xr

import bayesrank as br

COUNTS = br.from_counts(
    tn=[70, 75, 60], fp=[10, 5, 20], fn=[6, 9, 2], tp=[24, 21, 28], entity=["a", "b", "c"]
)
POSTERIOR = br.fit(COUNTS, draws=300, seed=1)
F1 = {
    "importance": br.importance(fp=1, fn=1, tp=2),
    "place": (1.0, 0.5),
    "ranking": br.scores.canonical(1, 0.5),
}


@cache
def of_f1(call):
    return call("f1")


@pytest.mark.parametrize("stand_in", F1.values(), ids=F1)
@pytest.mark.parametrize(
    "call",
    [
        lambda score: br.credible_ranking(POSTERIOR, score)[
            ["rank_probability", "median"]
        ].to_dataarray(),
        lambda score: br.rank(POSTERIOR, score),
        lambda score: br.contour(score, [0.3, 0.6], [0.1, 0.2], 0.3),
        lambda score: br.ops.of_value(score, 0.6, 0.1),
        lambda score: br.ops.of_draws(POSTERIOR, score),
        lambda score: br.score_posterior(COUNTS, score).cdf(0.7),
        lambda score: br.predictive.score_pmf(br.predictive.confusion_pmf(COUNTS[:1], 6, 9), score)[
            "probability"
        ],
        lambda score: np.array(br.place(score)),
        lambda score: br.tile.correlation(score, 3, size=50, seed=1),
        lambda score: br.audit(score)["tau_min"],
    ],
)
def test_an_importance_or_a_place_stands_for_its_score(stand_in, call):
    np.testing.assert_allclose(call(stand_in), of_f1(call), rtol=1e-9, atol=1e-12)


def test_importances_go_by_position_or_label_as_in_ranking_scores():
    importance = br.importance(tn=1, fp=2, fn=3, tp=4)
    weights = br.scores.of_importance(importance).importance
    assert weights == {"tn": 1, "fp": 2, "fn": 3, "tp": 4}
    assert (
        br.scores.of_importance(importance.transpose("predicted", "actual")).importance == weights
    )
    assert (
        br.scores.of_importance(importance.drop_vars(["actual", "predicted"])).importance == weights
    )
    table = COUNTS.assign_coords(actual=["ill", "well"], predicted=["ill", "well"])
    named = importance.assign_coords(actual=["well", "ill"], predicted=["well", "ill"])
    np.testing.assert_allclose(
        br.scores.of_importance(named)(table), br.ranking_score(table, named)
    )


def test_the_kind_that_a_posterior_names_is_its_default():
    typical = br.as_performance(COUNTS)
    new = br.as_performance(COUNTS[::-1].assign_coords(entity=COUNTS["entity"]))
    source = xr.Dataset(
        {"performance_typical": typical, "performance_new": new}, attrs={"kind": "typical"}
    )
    for call in (br.scores.f1, lambda held: br.canonical_score(held, 1.0, 0.5)):
        xr.testing.assert_identical(call(source), call(typical))
    with pytest.raises(ValueError, match="source must be a posterior for kind"):
        br.scores.f1(COUNTS, kind="new")
