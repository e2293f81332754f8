"""The table and the verdict say what the ranking holds."""

import numpy as np
import pytest
import xarray as xr

import bayesrank as br


def draws_of(values, names):
    return xr.DataArray(np.asarray(values, float), {"entity": names}, ("draw", "entity"), name="f1")


@pytest.fixture(scope="module")
def clear():
    values = draws_of(np.random.default_rng(1).normal([0.5, 0.9, 0.51], 0.02, (4000, 3)), ["a", "b", "c"])
    return values, br.credible_ranking(values)


def test_table(clear):
    values, ranking = clear
    table = br.ranking_table(ranking)
    assert table.index.tolist() == ["b", "c", "a"]
    assert table.loc["b", "median"] == np.median(values.sel(entity="b"))
    np.testing.assert_allclose(
        table.loc["a", ["lower", "upper"]].tolist(), np.quantile(values.sel(entity="a"), [0.025, 0.975])
    )
    for column in (
        "probability_best",
        "expected_rank",
        "rank_lower",
        "rank_upper",
        "tier",
        "expected_regret",
        "undefined",
    ):
        np.testing.assert_array_equal(table[column], ranking[column].sel(entity=table.index.values))


def test_table_of_a_point_estimate():
    counts = br.from_counts(tn=[9, 5], fp=[1, 5], fn=[1, 4], tp=[9, 6], entity=["a", "b"])
    f1 = br.scores.f1(counts)
    table = br.ranking_table(br.credible_ranking(f1))
    assert table.loc["a", "lower"] == table.loc["a", "upper"] == table.loc["a", "median"] == 0.9


def test_verdict_of_a_clear_winner(clear):
    sentences = br.verdict(clear[1])
    assert sentences == [
        "b is the most probable best by f1: P(best) > 0.999.",
        "Each of the others is worse: b beats each of them with probability at least 0.95, taken singly.",
    ]


def test_verdict_of_equals_names_no_winner():
    values = draws_of(np.random.default_rng(1).random((4000, 3)), ["a", "b", "c"])
    sentences = br.verdict(br.credible_ranking(values))
    assert "share the highest probability" in sentences[0]
    assert "may be as good" in sentences[1]
    assert sentences[-1] == "No two of them are told apart with probability 0.95."


def test_a_single_tier_does_not_hide_that_others_are_told_apart():
    """c is all over the place, and first on average; a is above b nearly always."""
    rng = np.random.default_rng(3)
    steady = rng.normal([0.5, 0.4], 0.02, (4000, 2))
    values = draws_of(np.column_stack([steady, rng.normal(0.6, 0.3, 4000)]), list("abc"))
    ranking = br.credible_ranking(values)
    assert ranking["tier"].values.tolist() == [1, 1, 1]
    assert "such as a above b" in br.verdict(ranking)[-1]


def test_a_rope_is_named_where_one_was_used(clear):
    values, _ = clear
    with_rope = " ".join(br.verdict(br.credible_ranking(values, rope=0.01)))
    assert "beats each of them by more than 0.01 with probability at least 0.95" in with_rope
    assert "by more than" not in " ".join(br.verdict(clear[1]))


def test_verdict_names_few_members_of_the_best_set():
    means = np.array([0.5, 2.0, 1.0, -9.0, -9.0, -9.0, -9.0])
    values = draws_of(means + np.random.default_rng(2).normal(size=(4000, 7)), list("abcdefg"))
    assert "has 3 members: b, c and a." in " ".join(br.verdict(br.credible_ranking(values)))
    alike = draws_of(np.random.default_rng(3).random((4000, 7)), list("abcdefg"))
    assert "has 7 members." in " ".join(br.verdict(br.credible_ranking(alike)))


def test_equal_probabilities_are_told_by_the_error_of_their_difference():
    """Of two that share all of P(best), the difference varies twice as much as each: 2 p - 1 of n draws."""
    n, p = 4000, 0.513  # 1.6 standard errors of p from 1/2, so that both are said to share it; by hypot, 2.3
    first = np.arange(n) < p * n
    rng = np.random.default_rng(4)
    values = draws_of(np.column_stack([first, ~first])[rng.permutation(n)], ["a", "b"])
    assert br.verdict(br.credible_ranking(values))[0].startswith("a and b share the highest probability")


def test_contradictions_come_first_but_not_at_the_end_of_the_range():
    counts = br.from_counts(tn=[880, 50], fp=[20, 0], fn=[40, 0], tp=[60, 50], entity=["a", "b"])
    fair = br.credible_ranking(br.fit(counts, seed=1), "accuracy")
    assert "outside" not in " ".join(br.verdict(fair))  # b is perfect: above its interval, and contradicts nothing
    assert float(fair["upper"].sel(entity="b")) < float(fair["observed"].sel(entity="b"))
    stubborn = br.credible_ranking(br.fit(counts, seed=1, prior=500), "accuracy")
    first = br.verdict(stubborn)[0]
    assert first.startswith("What was observed lies outside of its own 95% interval for 1 of 2 entities (a: 0.940")


def test_what_choosing_the_first_costs():
    """The mean shortfall of two independent normals with one spread is sd / sqrt(pi) at equal means."""
    values = draws_of(np.random.default_rng(5).normal(0.5, 0.1, (4000, 2)), ["a", "b"]).rename("accuracy")
    ranking = br.credible_ranking(values, "accuracy")
    cost = float(ranking["expected_regret"].min())
    assert abs(cost - 0.1 / np.sqrt(np.pi)) < 5 * 0.1 / np.sqrt(4000)
    first = br.ranking_table(ranking).index[0]
    assert br.verdict(ranking)[-1].startswith(f"Choosing {first} costs {cost:.2g} of accuracy on average")


def test_a_point_estimate_is_not_called_sure():
    counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    assert br.verdict(br.credible_ranking(counts, "f1"))[-1] == (
        "b comes first by f1. A point estimate does not say how sure that is."
    )


NOTES = {
    "The prevalence differs between entities, from 0.1 (a) to 0.4 (b), and f1": (
        {"tn": [880, 580], "fp": [20, 20], "fn": [40, 40], "tp": [60, 360]}, "f1"),
    "All entities met the same cases, as equal class sizes suggest; their errors are taken as independent": (
        {"tn": [70, 79], "fp": [10, 1], "fn": [9, 1], "tp": [21, 29]}, "informedness"),
    "No case of the class 'positive', so only the prior says how it is told: b.": (
        {"tn": [70, 79], "fp": [10, 1], "fn": [9, 0], "tp": [21, 0]}, "informedness"),
    "Fewer than 10 cases of a class for 1 entity (fewest: 3 of 'positive' for b)": (
        {"tn": [70, 79], "fp": [10, 1], "fn": [9, 1], "tp": [21, 2]}, "informedness"),
}  # fmt: skip


@pytest.mark.parametrize("note", NOTES)
def test_what_has_to_be_known_first(note):
    cells, score = NOTES[note]
    posterior = br.fit(br.from_counts(**cells, entity=["a", "b"]), draws=100, seed=1)
    sentences = br.verdict(br.credible_ranking(posterior, score))
    at = next(i for i, sentence in enumerate(sentences) if sentence.startswith(note))
    assert at < next(i for i, sentence in enumerate(sentences) if "best by" in sentence)


def test_nothing_is_said_that_does_not_apply():
    cells = {"tn": [880, 890], "fp": [20, 20], "fn": [40, 40], "tp": [60, 60]}
    posterior = br.fit(br.from_counts(**cells, entity=["a", "b"]), draws=100, seed=1)
    assert br.credible_ranking(posterior, "informedness").attrs["notes"] == []
    # 0.1 and 0.099 are one prevalence within their uncertainty; the note on the design needs a design.
    assert br.credible_ranking(posterior, "f1").attrs["notes"] == []
    designed = br.fit(br.from_counts(**cells, entity=["a", "b"]), "beta_binomial", draws=100, seed=1)
    assert [note.split(",")[0] for note in br.credible_ranking(designed, "f1").attrs["notes"]] == [
        "The prevalence differs between entities", "f1 depends on the prevalence",
    ]  # fmt: skip


def test_verdict_says_what_is_undefined():
    values = draws_of([[0.5, np.nan], [0.6, 0.7]] * 50, ["a", "b"])
    assert "1 entity had no defined f1 in some draws" in br.verdict(br.credible_ranking(values))[-1]
    nothing = draws_of(np.full((10, 2), np.nan), ["a", "b"])
    ranking = br.credible_ranking(nothing)
    assert br.verdict(ranking) == ["No entity has a defined f1 in any draw: there is nothing to rank."]
    assert br.ranking_table(ranking)["tier"].isna().all()


def test_no_probability_is_printed_as_zero_or_one(clear):
    assert not any(f"= {p} " in s for s in br.verdict(clear[1]) for p in ("0.", "1."))


def test_one_entity_beats_nobody():
    values = br.scores.f1(br.fit(br.from_counts(tn=70, fp=10, fn=9, tp=21, entity="alone"), draws=10, seed=1))
    assert br.verdict(br.credible_ranking(values)) == ["alone is the only entity: there is nothing to rank it against."]
