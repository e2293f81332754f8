"""Whatever the arguments of a report and of a decision hold, what is refused is told by the argument's name."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayesrank as br
from bayesrank.report import ranking_report
from tests.test_refusals import assert_refused

COUNTS = br.from_counts(
    tn=[70, 79, 60], fp=[10, 1, 20], fn=[9, 1, 9], tp=[21, 29, 21], entity=list("abc")
)
POSTERIOR = br.fit(COUNTS, draws=25, seed=1)
PERFORMANCE = br.as_performance(POSTERIOR)
WORTH = {"tn": 0, "fp": -1, "fn": -10, "tp": 0}
RANKING = br.credible_ranking(POSTERIOR, "f1")
DECISION = br.decisions.expected_utility(POSTERIOR, WORTH)
JUNK = [
    True, 0, -0.5, np.nan, np.inf, 1j, "", "zzz", b"f1", [None], ["a", "a"], {"a": 1}, {"zzz"}, np.float64(0.3),
    np.int64(2), np.bool_(False), np.array([]), np.array([[np.nan, 1], [1, 0]]), np.array(["a", "b"]), pd.NA, pd.NaT,
    pd.DataFrame({"a": [1]}), pd.Series([1, 2]), xr.Dataset(), xr.DataArray(0.5), xr.DataArray([0.1], dims="zzz"),
    RANKING.drop_attrs(), POSTERIOR, COUNTS * 0, object(), range(3), int,
]  # fmt: skip
SEVERAL = [
    PERFORMANCE.isel(draw=[]), PERFORMANCE.isel(entity=[]), PERFORMANCE.isel(entity=[0, 0, 1]), -PERFORMANCE,
    PERFORMANCE * 2, PERFORMANCE.astype(str), PERFORMANCE.astype(complex), PERFORMANCE.isel(actual=0, drop=True),
    PERFORMANCE.expand_dims(dataset=["x", "y"]), PERFORMANCE.expand_dims(zzz=2),
    PERFORMANCE.assign_coords(entity=["a", None, "c"]),
]  # fmt: skip
MORE = {
    "source": [*(held.rename("performance").to_dataset() for held in SEVERAL), *SEVERAL[:2]],
    "ranking": [
        br.credible_ranking(POSTERIOR, "mcc"), DECISION, RANKING.assign_coords(entity=list("xyz")),
        RANKING.isel(entity=[0]), *(RANKING.drop_vars(name) for name in ("lower", "observed", "effective_sample_size")),
    ],
    "data": [{"titel": "Kits"}, {"title": 5}],
}  # fmt: skip
REPORT = {"source": POSTERIOR, "score": "f1", "sections": []}
UTILITY = {"source": POSTERIOR, "benefit": WORTH, "prevalence": 0.1, "strategies": True}
CALLS = [
    *(
        (ranking_report, REPORT, name)
        for name in (*REPORT, "ranking", "kind", "data", "command", "results")
    ),
    *((br.decisions.expected_utility, UTILITY, name) for name in (*UTILITY, "prob", "kind")),
]
#: How many values are taken. Of counts as of a ranking; those of zeros have no score.
TAKEN = {
    ranking_report: {"source": 2, "command": 2, "data": 1, "results": 1},
    br.decisions.expected_utility: {"source": 5, "prevalence": 3, "strategies": 2, "prob": 1},
}


def is_told(error, *arguments):
    told = str(error) if isinstance(error, br.ArgumentError) else ""
    return told.startswith(tuple(f"{argument} must" for argument in arguments)) and "got " in told


def refusals(function, given, argument, values):
    """What each value brings about; None where it is taken."""
    for value in values:
        try:
            function(**given | {argument: value})
        except Exception as error:
            yield value, error
        else:
            yield value, None


@pytest.mark.parametrize(("function", "given", "argument"), CALLS)
def test_a_report_and_a_decision_refuse_by_name(function, given, argument):
    if function is ranking_report and argument not in ("score", "source"):
        given = given | {"ranking": RANKING}
    taken = 0
    for value, error in refusals(function, given, argument, [*JUNK, *MORE.get(argument, [])]):
        taken += error is None
        assert error is None or is_told(error, argument), (value, error)
    assert taken == TAKEN[function].get(argument, 0)


def test_results_are_refused_by_the_name_of_their_section_and_by_a_verdict():
    partial = [
        DECISION.drop_vars(name)
        for name in ("mean", "mean_error", "lower", "probability_best_error", "tier")
    ]
    broken = [
        DECISION.isel(entity=[0]),
        DECISION.isel(entity=[]),
        DECISION.drop_attrs(),
        DECISION.drop_vars("entity"),
    ]
    broken += [DECISION.assign(choice="zzz"), DECISION.expand_dims(x=2), *partial]
    # A verdict takes several kinds of results: what resembles one kind is refused by the name of that kind.
    for value, error in refusals(br.verdict, {}, "result", [*JUNK, None, *broken]):
        assert is_told(error, "result", "decision", "ranking"), (value, error)
    for name in ("decisions", "drift", "cases", "sensitivity"):
        for value in [*JUNK, *([*broken, RANKING] if name == "decisions" else [])]:
            given = {"ranking": RANKING, "sections": [], "results": {name: value}}
            assert_refused(
                f"^{name} must .*got ", lambda given=given: ranking_report(POSTERIOR, "f1", **given)
            )


def test_a_ranking_may_have_another_order():
    assert "<h1>" in ranking_report(
        **REPORT, ranking=RANKING.isel(entity=[2, 1, 0], rival=[2, 1, 0])
    )


def test_a_performance_without_draws_has_a_report_without_what_needs_them():
    html = ranking_report(br.as_performance(COUNTS).to_dataset(), "f1", sections=["ops"])
    assert 'id="ops"' not in html
    assert "The section ops is left out: it needs draws of two classes" in html
