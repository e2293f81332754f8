"""Whatever the arguments of a report and of a decision hold, what is refused is told by the argument's name."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayesrank as br
from bayesrank.report import ranking_report
from bayesrank.report.ranking_report import KNOWN

COUNTS = br.from_counts(tn=[70, 79, 60], fp=[10, 1, 20], fn=[9, 1, 9], tp=[21, 29, 21], entity=list("abc"))
POSTERIOR = br.fit(COUNTS, draws=25, seed=1)
PERFORMANCE = br.as_performance(POSTERIOR)
WORTH = {"tn": 0, "fp": -1, "fn": -10, "tp": 0}
RANKING = br.credible_ranking(POSTERIOR, "f1")
DECISION = br.decisions.expected_utility(POSTERIOR, WORTH)
NAMELESS = PERFORMANCE.assign_coords(entity=["a", None, "c"])
JUNK = [
    True, 0, -0.5, np.nan, np.inf, 1j, "", "zzz", b"f1", [None], ["a", "a"], {"a": 1}, {"zzz"}, np.float64(0.3),
    np.int64(2), np.bool_(False), np.array([]), np.array([[np.nan, 1], [1, 0]]), np.array(["a", "b"]), pd.NA, pd.NaT,
    pd.DataFrame({"a": [1]}), pd.Series([1, 2]), xr.Dataset(), xr.DataArray(0.5), xr.DataArray([0.1], dims="zzz"),
    RANKING.drop_attrs(), POSTERIOR, COUNTS * 0, object(), range(3), int,
]  # fmt: skip
REPORT = ("source", "score", "ranking", "kind", "data", "command", "sections", "results")
GIVEN = ("decisions", "drift", "cases", "sensitivity")


def is_told(error, *arguments):
    told = str(error.args[0]) if isinstance(error, ValueError | TypeError | KeyError) else ""
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


@pytest.mark.parametrize("argument", REPORT)
def test_a_report_refuses_by_name(argument):
    given = {"source": POSTERIOR, "score": "f1", "sections": []}
    given |= {} if argument in ("score", "source") else {"ranking": RANKING}
    taken = 0
    for value, error in refusals(ranking_report, given, argument, JUNK):
        taken += error is None
        assert error is None or is_told(error, argument), (value, error)
    # Counts are taken, too, as a ranking takes them; those of zeros have no score.
    assert taken <= {"source": 2, "command": 2, "data": 1, "results": 1}.get(argument, 0), argument


@pytest.mark.parametrize("argument", ["source", "benefit", "prevalence", "strategies", "prob", "kind"])
def test_an_expected_utility_refuses_by_name(argument):
    given = {"source": POSTERIOR, "benefit": WORTH}
    for value, error in refusals(br.decisions.expected_utility, given, argument, JUNK):
        assert error is None or is_told(error, argument), (value, error)


def test_results_are_refused_by_the_name_of_their_section_and_by_a_verdict():
    partial = [DECISION.drop_vars(name) for name in ("notes", "mean_error", "lower", "probability_best_error", "tier")]
    broken = [DECISION.isel(entity=[0]), DECISION.isel(entity=[]), DECISION.drop_attrs(), DECISION.drop_vars("entity")]
    broken += [DECISION.assign(choice="zzz"), DECISION.expand_dims(x=2), *partial]
    # A verdict takes several kinds of results: what resembles one kind is refused by the name of that kind.
    for value, error in refusals(br.verdict, {}, "result", [*JUNK, None, *broken]):
        assert is_told(error, "result", "decision", "ranking"), (value, error)
    for name in GIVEN:
        for value in [*JUNK, *([*broken, RANKING] if name == "decisions" else [])]:
            with pytest.raises((ValueError, TypeError)) as caught:
                ranking_report(POSTERIOR, "f1", ranking=RANKING, sections=[], results={name: value})
            assert is_told(caught.value, name), (name, value)


@pytest.mark.parametrize(
    "performance",
    [
        PERFORMANCE.isel(draw=[]), PERFORMANCE.isel(entity=[]), PERFORMANCE.isel(entity=[0, 0, 1]), -PERFORMANCE,
        PERFORMANCE * 2, PERFORMANCE.astype(str), PERFORMANCE.astype(complex), PERFORMANCE.isel(actual=0, drop=True),
        PERFORMANCE.expand_dims(dataset=["x", "y"]), PERFORMANCE.expand_dims(zzz=2), NAMELESS,
    ],
)  # fmt: skip
def test_a_posterior_is_of_draws_and_named_entities(performance):
    held = performance.rename("performance").to_dataset()
    [(_, error)] = refusals(ranking_report, {"score": "f1"}, "source", [held])
    assert is_told(error, "source"), error
    if performance.sizes["entity"] == 0 or performance.sizes.get("draw") == 0:
        given = {"benefit": WORTH, "prevalence": 0.1, "strategies": True}
        [(_, error)] = refusals(br.decisions.expected_utility, given, "source", [performance])
        assert is_told(error, "source"), error


def test_a_ranking_is_of_the_posterior_and_by_the_score():
    given = {"source": POSTERIOR, "score": "f1", "sections": []}
    others = [
        br.credible_ranking(POSTERIOR, "mcc"), DECISION, RANKING.assign_coords(entity=list("xyz")),
        RANKING.isel(entity=[0]), *(RANKING.drop_vars(name) for name in ("lower", "observed", "effective_sample_size")),
    ]  # fmt: skip
    for value, error in refusals(ranking_report, given, "ranking", others):
        assert is_told(error, "ranking"), (value, error)
    assert "<h1>" in ranking_report(**given, ranking=RANKING.isel(entity=[2, 1, 0], rival=[2, 1, 0]))


def test_what_is_known_of_data_has_the_words_of_the_shipped_ones():
    held = {key for name in br.datasets.names() for key in br.datasets.describe(name)}
    assert held <= set(KNOWN)
    with pytest.raises(ValueError, match=r"data must have no keys but title, .*; got str 'titel'"):
        ranking_report(POSTERIOR, "f1", ranking=RANKING, sections=[], data={"titel": "Kits"})
    with pytest.raises(TypeError, match="data must tell the title as a text; got int 5"):
        ranking_report(POSTERIOR, "f1", ranking=RANKING, sections=[], data={"title": 5})


def test_a_performance_without_draws_has_a_report_without_what_needs_them():
    html = ranking_report(br.as_performance(COUNTS).to_dataset(), "f1", sections=["ops"])
    assert 'id="ops"' not in html
    assert "The section ops is left out: it needs draws of two classes" in html
