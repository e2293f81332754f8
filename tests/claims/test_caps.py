"""The table of caps: one entry each, which rankings raise and words print."""

import ast
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayesrank as br
from bayesrank._core.notes import Note
from bayesrank._core.source import groups_of
from bayesrank.claims.caps import CAPS, Cap, Limit, check_caps, is_limited
from bayesrank.ranking.claims import cap
from bayesrank.words.sentences import say, sentences
from tests.source import files_naming


def test_an_unknown_cap_is_refused_where_it_is_made():
    ranking = br.credible_ranking(
        br.fit(br.from_counts(tn=[9, 5], fp=[1, 5], fn=[1, 5], tp=[9, 5]), seed=1), "f1"
    )
    with pytest.raises(
        br.ArgumentError, match=r"caps must have an entry in bayesrank/claims/caps.py; got 'rain'"
    ):
        cap(ranking, [Note("rain")])


def test_one_cap_of_each_code():
    twice = [Note("means_without_n"), Note("sets_need_draws"), Note("means_without_n")]
    assert check_caps(twice) == twice[:2]


@pytest.mark.parametrize("limit", Limit)
def test_a_cap_limits_as_much_as_the_caps_below_it(limit):
    [code, *_] = [code for code, entry in CAPS.items() if entry.limit is limit]
    order = list(Limit)
    assert [is_limited([Note(code)], other) for other in order] == [
        place <= order.index(limit) for place in range(len(order))
    ]
    assert not is_limited([], limit)


@pytest.mark.parametrize("code", CAPS)
def test_every_cap_says_why_and_has_one_sentence(code):
    entry = CAPS[code]
    assert bool(entry.sentence) != (code in sentences())
    assert bool(entry.why) == (entry.limit is not Limit.POPULATION)
    # What is withheld for want of evidence names the evidence that would lift it.
    assert not entry.sentence.startswith("Every rank") or entry.limit is Limit.SETS


def test_a_new_cap_is_one_entry(monkeypatch):
    new = Cap(
        "rain",
        Limit.HEADLINE,
        why="{days} days of rain blur {entities} for {rivals}",
        lift="Dry days of {leader} are needed.",
        sentence="It rained on {days} days at {entities}.",
    )
    monkeypatch.setattr("bayesrank.claims.caps.CAPS", {**CAPS, "rain": new})
    monkeypatch.setattr("bayesrank.words.sentences.CAPS", {**CAPS, "rain": new})
    counts = br.from_counts(
        tn=[990, 500], fp=[10, 500], fn=[10, 500], tp=[990, 500], entity=["a", "b"]
    )
    ranking = br.credible_ranking(br.fit(counts, seed=1), "f1")
    assert ranking.attrs["headline"] == "best"
    wet = cap(ranking, [Note("rain", {"days": 3, "entities": ["x", "y"]})])
    assert (wet.attrs["headline"], wet.attrs["caps"]) == ("leads", ["rain"])
    headline, _, step, *_ = br.verdict(wet)
    assert (
        headline
        == "a is ahead (over 99.9% chance of being best), but 3 days of rain blur x and y for b."
    )
    assert step == "Dry days of a are needed."
    assert say(Note("rain", {"days": 3, "entities": ["x", "y"]})) in br.notes(wet)
    assert np.array_equal(wet["rank_upper"], ranking["rank_upper"])


TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "docs" / "understand" / "rank_sets.md"


def caps_asserted():
    """Return the codes in assertions of tests on the caps of a ranking."""
    trees = [tree for _, tree in files_naming(TESTS, "caps", pattern="test_*.py")]
    parts = [ast.unparse(node) for tree in trees for node in ast.walk(tree) if is_check(node)]
    return {code for code in CAPS for part in parts if f"'{code}'" in part and "caps" in part}


def is_check(node):
    """Whether a node is an assertion or a decorator."""
    return isinstance(node, ast.Assert | ast.Call)


def test_every_cap_is_raised_by_some_evidence_and_explained_on_the_page():
    assert caps_asserted() == set(CAPS)
    tables = (PAGE.parent / "tables").glob("rank_sets_*.csv")
    explained = "".join(path.read_text("utf-8") for path in [PAGE, *tables])
    assert [code for code in CAPS if f"`{code}`" not in explained] == []


COUNTS = br.from_counts(tn=[90, 60], fp=[10, 40], fn=[10, 40], tp=[90, 60], entity=["a", "b"])


def caps_of_ranking(source, score=None, **options):
    return br.credible_ranking(source, score, **options).attrs["caps"]


def test_draws_need_evidence_that_agrees_with_their_spread():
    performance = br.as_performance(br.fit(COUNTS, seed=1))
    bare = br.credible_ranking(performance, "f1")
    assert (bare.attrs["caps"], bare.attrs["sets"], bare.attrs["headline"]) == (
        ["draws_alone"],
        "posterior",
        "leads",
    )
    known = br.credible_ranking(performance, "f1", evidence=COUNTS)
    assert (known.attrs["caps"], known.attrs["sets"], known.attrs["headline"]) == (
        [],
        "confidence",
        "best",
    )
    # Three times as many cases as there are: the draws vary 0.58 times as much.
    narrow = br.as_performance(br.fit(3 * COUNTS, seed=1))
    assert caps_of_ranking(narrow, "f1", evidence=COUNTS) == ["draws_too_narrow"]
    # Names decide which evidence belongs to which entity.
    assert caps_of_ranking(performance, "f1", evidence=COUNTS.isel(entity=[1, 0])) == []
    with pytest.raises(
        br.ArgumentError, match=r"evidence must have the entities \['a', 'b'\]; got \['x', 'y'\]"
    ):
        br.credible_ranking(performance, "f1", evidence=COUNTS.assign_coords(entity=["x", "y"]))
    with pytest.raises(br.ArgumentError, match="evidence cannot be used for a posterior"):
        br.credible_ranking(br.fit(COUNTS, seed=1), "f1", evidence=COUNTS)


def test_counts_in_the_container_are_evidence():
    posterior = br.fit(COUNTS, seed=1)
    own = xr.DataTree.from_dict(
        {
            "posterior": groups_of(posterior)["posterior"].drop_attrs(deep=False),
            "observed_data": groups_of(posterior)["observed_data"],
        }
    )
    assert br.credible_ranking(own, "f1").attrs["headline"] == "best"
    without = xr.DataTree.from_dict({"posterior": own["posterior"].to_dataset()})
    assert caps_of_ranking(without, "f1") == ["draws_alone"]


def test_values_of_own_outcomes_have_their_evidence():
    right = pd.DataFrame({"a": np.repeat([1, 0], [45, 5]), "b": np.tile([1, 0], 25)})
    draws = np.random.default_rng(1).beta([46, 26], [6, 26], (4, 500, 2))
    values = xr.DataArray(draws, {"entity": ["a", "b"]}, ("chain", "draw", "entity"), "rate")
    assert caps_of_ranking(values) == ["draws_alone"]
    assert caps_of_ranking(values, evidence=br.from_outcomes(right)) == []
    with pytest.raises(br.ArgumentError, match="evidence must be outcomes without classes"):
        br.credible_ranking(values, evidence=COUNTS)


def test_a_few_extreme_values_decide_nothing():
    rng = np.random.default_rng(1)
    grades = pd.DataFrame(
        {"a": rng.normal(1, 0.3, 60), "b": np.exp(rng.normal(0, 1.5, 60) - 1.125)}
    )
    ranking = br.credible_ranking(br.fit(br.from_outcomes(grades), seed=1))
    assert ranking.attrs["caps"] == ["differences_skewed"]
    assert ranking["in_best_set"].all()
    mild = pd.DataFrame({"a": rng.normal(1, 0.3, 60), "b": rng.normal(2, 0.3, 60)})
    assert caps_of_ranking(br.fit(br.from_outcomes(mild), seed=1)) == []


def test_a_leader_without_an_observed_score_is_not_best():
    counts = br.from_counts(
        tn=[90, 60], fp=[10, 40], fn=[0, 5], tp=[0, 5], entity=["never", "some"]
    )
    ranking = br.credible_ranking(
        br.fit(counts, prior=[[1, 1], [1, 500]], force=True, seed=1), "tpr"
    )
    assert "observed_undefined" in ranking.attrs["caps"] or ranking["consensus_position"][0] == 2
    alone = br.credible_ranking(
        br.fit(counts.isel(entity=[0, 0]).assign_coords(entity=["x", "y"]), force=True), "tpr"
    )
    assert alone.attrs["headline"] != "best"


def test_a_contradicted_prior_is_a_cap():
    ranking = br.credible_ranking(
        br.fit(COUNTS, prior=[[500, 500], [500, 500]], seed=1), "accuracy"
    )
    assert "model_contradicted" in ranking.attrs["caps"]


def test_votes_that_no_chain_connects_are_a_cap():
    votes = pd.DataFrame(
        {"a": list("AACC") * 20, "b": list("BBDD") * 20, "winner": list("ABCC") * 20}
    )
    posterior = br.fit(br.from_votes(votes, a="a", b="b", winner="winner"), seed=1)
    assert "pools_unconnected" in caps_of_ranking(posterior)


def test_a_lead_within_the_rope_is_a_cap():
    assert caps_of_ranking(br.fit(COUNTS, seed=1), "f1", rope=0.25) == ["probability_below"]


def test_four_cases_without_a_prior_are_too_few():
    right = pd.DataFrame({"a": [0.9, 0.8, 0.95, 0.85], "b": [0.1, 0.2, 0.15, 0.05]})
    assert "cases_too_few" in caps_of_ranking(br.fit(br.from_outcomes(right), seed=1))


def test_chains_that_diverge_are_a_cap():
    groups = groups_of(br.fit(COUNTS, seed=1))
    stats = xr.Dataset({"diverging": (("chain", "draw"), np.ones((4, 1000), bool))})
    stuck = xr.DataTree.from_dict({**groups, "sample_stats": stats})
    assert "chains_unreliable" in caps_of_ranking(stuck, "f1")
