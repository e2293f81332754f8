"""The stored verdicts on scores, against audits, the printed Table 1, and the sentences of rankings."""

import subprocess
import sys

import numpy as np
import pytest

import bayesrank as br
from bayesrank.scores.names import SCORES
from bayesrank.scores.verdicts import example_of, turned, verdict_on
from bayesrank.theory.audits import FIXED, TESTS
from tests.commands import invoke, json_of, refused
from tests.theory.test_audits import PRINTED, search_coarsely

#: Scores of two classes that have a direction.
DIRECTED = [
    name
    for name, score in SCORES.items()
    if score.higher_is_better is not None
    and score.space in ("binary", "classes")
    and name != "adjacent_accuracy"
]
SAME_CASES = br.from_counts(
    tn=[75, 68, 60], fp=[10, 17, 25], fn=[9, 6, 2], tp=[21, 24, 28], entity=["a", "b", "c"]
)
OTHER_PREVALENCES = br.from_counts(
    tn=[900, 380], fp=[100, 120], fn=[20, 100], tp=[80, 400], entity=["a", "b"]
)
SAME, OTHER = (br.fit(each, draws=20, seed=1) for each in (SAME_CASES, OTHER_PREVALENCES))


def by_better_values(name):
    score = SCORES[name]
    return score if score.higher_is_better else turned(score)


def test_every_score_with_a_direction_has_a_verdict_and_no_other_score():
    stored = {name for name, score in SCORES.items() if score.may_rank}
    assert stored == {*DIRECTED, "mean_outcome"}
    assert br.scores.catalog().loc["mcc", "may_rank"] == "no"
    assert set(br.scores.catalog()["may_rank"]) == {"yes", "at one prevalence", "no", ""}


@pytest.mark.parametrize("name", [name for name in DIRECTED if SCORES[name].may_rank != "yes"])
def test_the_counterexample_in_whole_numbers_proves_itself(name):
    score, verdict = by_better_values(name), verdict_on(SCORES[name])
    example = example_of(verdict)
    assert len(set(example.sum(axis=1).tolist())) == 1  # equally many cases
    positives = example[:, 2:].sum(axis=1)
    if verdict.may_rank == "no":
        assert len(set(positives.tolist())) == 1
    values = score.of_cells(*example.T)
    if verdict.fault == "surely worse":
        right = example[:, [0, 3]].sum(axis=1)
        assert right[0] == 0 or right[1] == example[1].sum()
        assert values[0] > values[1]
        return
    np.testing.assert_array_equal(2 * example[2], example[0] + example[1])
    if verdict.fault == "above":
        assert values[2] > values[:2].max() + 1e-6
    elif verdict.fault == "below":
        assert values[2] < values[:2].min() - 1e-6
    else:
        assert verdict.fault == "undefined"
        assert np.isnan(values[2])
        assert not np.isnan(values[:2]).any()


@pytest.mark.parametrize("name", DIRECTED)
def test_scores_that_may_rank_have_a_place_on_the_tile(name):
    verdict = SCORES[name].may_rank
    assert (br.place(name) is not None) == (verdict == "yes")
    assert (br.place(name, 0.3) is not None) == (verdict in ("yes", "at one prevalence"))


@pytest.mark.parametrize("name", PRINTED)
def test_verdicts_are_those_of_the_printed_table_1(name):
    """A score passes if all tests held, or, if lower is better, if it orders exactly against a ranking score."""
    columns = PRINTED[name]
    lower = SCORES[name].higher_is_better is False
    held = [low == -1 if lower else tests == "VVV" for tests, low, _ in columns]
    if SCORES[name].higher_is_better is None:
        assert SCORES[name].may_rank == ""
    else:
        assert SCORES[name].may_rank == (
            "yes" if all(held) else "at one prevalence" if all(held[1:]) else "no"
        )


QUICK = ("accuracy", "fnr", "informedness", "mcc")


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] * (n not in QUICK)) for n in DIRECTED]
)
def test_verdicts_equal_audits_at_three_prevalences(name, monkeypatch):
    search_coarsely(monkeypatch)
    score, verdict = by_better_values(name), SCORES[name].may_rank

    def passes(prevalence):
        row = br.audit(score, prevalence)
        return all(bool(row[test]) for test in TESTS)

    free, fixed = passes(None), [passes(share) for share in FIXED]
    assert verdict == ("yes" if free else "at one prevalence" if all(fixed) else "no")
    if verdict == "no":
        assert not any(fixed)


@pytest.mark.parametrize("name", DIRECTED)
def test_a_ranking_says_if_its_score_should_not_rank_and_only_then(name):
    ranking = br.credible_ranking(SAME, name)
    said = [line for line in br.verdict(ranking) if "should not rank" in line]
    assert bool(said) == (SCORES[name].may_rank == "no")
    assert len(br.verdict(ranking)) <= 4
    everything = " ".join([*br.verdict(ranking), *br.notes(ranking)])
    assert "may rank only while" not in everything  # one prevalence
    assert everything.count("should not rank") == len(said)


@pytest.mark.parametrize("name", DIRECTED)
def test_a_ranking_across_prevalences_says_if_its_score_needs_one(name):
    ranking = br.credible_ranking(OTHER, name)
    notes = [
        line for line in br.notes(ranking) if "may rank only while the prevalence is fixed" in line
    ]
    assert len(notes) == (SCORES[name].may_rank == "at one prevalence")
    assert not any("may rank only" in line for line in br.verdict(ranking))


def test_the_sentence_names_the_fault_and_the_score_that_orders_most_alike():
    said = br.verdict(br.credible_ranking(SAME, "mcc"))[-1]
    assert said.startswith(
        "MCC should not rank: a mixture of two entities can have a better MCC than both."
    )
    assert "Of the scores that may rank, " in said
    assert "at prevalence 0.3" in said
    note = next(
        n for n in br.notes(br.credible_ranking(OTHER, "balanced_accuracy")) if "may rank only" in n
    )
    assert "Of the scores that may always rank, " in note


def test_the_verdict_on_more_than_two_classes():
    counts = br.from_matrix([[[30, 2, 1], [3, 25, 2], [1, 1, 35]], [[20, 12, 1], [3, 15, 12], [1, 11, 25]]],
                            "actual_rows", entity=["u", "v"])  # fmt: skip
    posterior = br.fit(counts, draws=200, seed=1)
    expected = {
        "accuracy": False,
        "balanced_accuracy": False,
        "mcc": True,
        "cohen_kappa": True,
        "g_mean": True,
    }
    for name, no in expected.items():
        lines = br.verdict(br.credible_ranking(posterior, name))
        assert any("should not rank" in line for line in lines) == no, name
    assert not any(
        "should not" in line for line in br.verdict(br.credible_ranking(posterior, "macro_f1"))
    )
    # One class against the others has two classes.
    assert any(
        "should not rank" in line for line in br.verdict(br.credible_ranking(posterior, "mcc:1"))
    )


def test_the_nearest_score_is_the_one_whose_order_is_most_alike_at_a_prevalence():
    name, tau, at = verdict_on(br.scores.mcc).nearest(0.47)
    assert at == 0.5
    fpr, tpr = (grid.ravel() for grid in np.meshgrid(np.linspace(0, 1, 81), np.linspace(0, 1, 81)))
    cells = 0.5 * (1 - fpr), 0.5 * fpr, 0.5 * (1 - tpr), 0.5 * tpr
    from scipy.stats import kendalltau

    def of(other):
        one, two = br.scores.mcc.of_cells(*cells).round(9), SCORES[other].of_cells(*cells).round(9)
        both = np.isfinite(one) & np.isfinite(two)
        return kendalltau(one[both], two[both]).statistic

    assert of(name) == pytest.approx(tau, abs=2e-3)
    assert all(
        of(other) <= of(name) + 1e-9 for other in ("f1", "accuracy", "informedness", "ppv", "tpr")
    )


def test_own_functions_averages_and_one_entity_have_no_line():
    assert br.scores.Score("mcc", br.scores.mcc.function).may_rank == ""
    assert br.scores.macro_f1.may_rank == ""
    assert br.scores.f_beta(3).may_rank == "yes"
    one = br.fit(SAME_CASES.isel(entity=[0]), draws=200, seed=1)
    assert not any(
        "should not rank" in line for line in br.verdict(br.credible_ranking(one, "mcc"))
    )


def test_a_table_of_scores_has_the_verdicts_beside_the_scores():
    table = br.score_table(SAME, ["f1", "informedness", "mcc", lambda tn, fp, fn, tp: tp])
    assert table["may_rank"].values.tolist() == ["yes", "at one prevalence", "no", ""]


def test_the_command_says_if_the_score_should_not_rank():
    line = "MCC should not rank"
    few = ("tornado", "--draws", 50)
    assert invoke("rank", *few, "-s", "mcc").count(line) == 1
    assert invoke("rank", *few, "-s", "mcc", "--notes").count(line) == 1
    assert line not in invoke("rank", *few, "-s", "f1")
    assert line not in invoke("scores", *few, "-s", "mcc", "-s", "f1")  # no ranking


def test_the_command_audit_prints_verdict_place_and_counterexample():
    printed = invoke("audit", "mcc")
    assert printed.startswith(
        "MCC should not rank, even at one prevalence: a mixture of two entities can have a better"
    )
    assert "half of A, half of B" in printed
    assert "Place on the Tile: none." in printed
    assert "Place on the Tile: (a, b) = (1, 0.5)." in invoke("audit", "F1")
    at = invoke("audit", "kappa", "--prevalence", "20%")
    assert "may rank at prevalence 0.2" in at
    assert "pairs of performances in" in at
    assert "TN" not in at
    average = json_of("audit", "macro_f1")
    assert average["classes"] == 3
    assert len(average["counterexample"]) == 3
    assert "must be a number" in refused("audit", "f1", "--prevalence", "12/600")
    assert "rank" in invoke("audit", "fnr")
    assert "has no direction" in invoke("audit", "prevalence")
    assert "Searched" in invoke("audit", "macro_fnr")
    assert "TN" in invoke("audit", "g_mean")  # two classes, though it is an average of more
    assert "Place on the Tile: (a, b) = (1, 0.5)." in invoke("audit", "f1:cat")
    assert invoke("audit", "mean_outcome") == "Mean outcome may rank.\n"
    rare = invoke("audit", "mcc", "--prevalence", "1e-7")
    assert "should not rank at prevalence 1e-07" in rare
    assert "TN" not in rare  # too many cases for whole numbers


def test_importing_the_package_and_its_scores_reads_no_verdicts():
    code = "import sys, bayesrank as br; br.scores.f1; print('bayesrank.scores.verdicts' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "False\n"
