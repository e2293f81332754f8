"""What scores, rankings, OPS and every map of the Tile take: a performance of the kind asked for."""

import inspect

import pytest
import xarray as xr

import bayesrank as br
from tests.test_class_labels import PERFORMANCE, assert_same, public_cases

#: Functions that need the evidence of a fit beside its performance, or have no aggregate of a new group.
OF_FITS = (
    "aggregate_score",
    "ranking_report",
    "sensitivity",
    "predictive_check",
    "posterior_predictive",
)
CASES = {
    "score": (br.scores.f1, PERFORMANCE),
    "average": (br.scores.macro_tnr, PERFORMANCE),
    "correlation": (
        lambda s, **kind: br.tile.correlation("mcc", 3, performances=s, **kind),
        PERFORMANCE,
    ),
    **{
        name: (call, source)
        for name, (call, source) in public_cases()
        if "kind" in inspect.signature(call).parameters and not name.endswith(OF_FITS)
    },
}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] * name.endswith("best_consistency"))
        for name in CASES
    ],
)
def test_the_kind_of_performance(name):
    call, source = CASES[name]
    array = br.as_performance(source)
    other = array.roll(entity=1) ** 2
    other = other / other.sum(("actual", "predicted"))
    posterior = xr.Dataset({"performance": array, "performance_new": other})
    assert_same(call(posterior, kind="new"), call(other))
    assert_same(call(posterior), call(array))
    with pytest.raises(AssertionError):
        assert_same(call(array), call(other))
    with pytest.raises(
        ValueError, match=r"(source|performances) must contain a variable 'performance_typical'"
    ):
        call(posterior, kind="typical")


def test_most_functions_are_there():
    assert len(CASES) > 35
