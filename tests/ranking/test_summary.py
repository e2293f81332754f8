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
    assert sentences[0].startswith("b is the most probable best by f1: P(best) > 0.999")
    assert "first tier holds one entity" in sentences[1]
    assert "smallest set that holds the best entity with probability 0.95 has 1 member: b." in sentences[2]
    assert "2 tiers among 3 entities" in sentences[3]


def test_verdict_of_equals_names_no_winner():
    values = draws_of(np.random.default_rng(1).random((4000, 3)), ["a", "b", "c"])
    sentences = br.verdict(br.credible_ranking(values))
    assert "share the highest probability" in sentences[0]
    assert "holds 3 of 3 entities" in sentences[1]
    assert "single tier" in " ".join(sentences)


def test_verdict_names_few_members_of_the_best_set():
    means = np.array([0.5, 2.0, 1.0, -9.0, -9.0, -9.0, -9.0])
    values = draws_of(means + np.random.default_rng(2).normal(size=(4000, 7)), list("abcdefg"))
    assert br.verdict(br.credible_ranking(values))[2].endswith("has 3 members: b, c and a.")
    alike = draws_of(np.random.default_rng(3).random((4000, 7)), list("abcdefg"))
    assert br.verdict(br.credible_ranking(alike))[2].endswith("has 7 members.")


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
