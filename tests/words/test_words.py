"""Verdicts: their structure, and that thin evidence is said in every sentence."""

import json

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayesrank as br
from bayesrank._core.notes import Note
from bayesrank.decisions.tables import utility_table
from bayesrank.report.sections.tile import map_of
from bayesrank.words.caveats import Caveat
from bayesrank.words.models import check_model, model_notes
from bayesrank.words.parts import compose
from bayesrank.words.results import verdict_parts
from bayesrank.words.sentences import caveat_of, say
from tests.commands import invoke
from tests.report.test_sections import STUDIES
from tests.scripts import load_script
from tests.strategies import draws_of
from tests.told import fields_of


def everything(result):
    return " ".join([*br.verdict(result), *br.notes(result)])


@pytest.mark.parametrize(
    ("means", "kind", "headline"),
    [
        (
            [5, 0, 0],
            "leads",
            "but draws without their evidence cannot rule out any other for fixed true scores.",
        ),
        (
            [5, 4, -9],
            "leads",
            "a is ahead (78% chance of being best); b is still in contention; c is ruled out as best.",
        ),
        (
            [1, 0.5, 0.3],
            "leads",
            "a is ahead (53% chance of being best); no entity is separated from any other.",
        ),
        # The evidence behind the draws is not known: equal draws may come from different evidence.
        (
            [0, 0, -20],
            "leads",
            "a and b are ahead (50% chance of being best each); c is ruled out as best.",
        ),
    ],
)
def test_headlines_by_condition(means, kind, headline):
    half = np.random.default_rng(1).normal(size=(2000, 3))
    # Every draw with the first two exchanged, too, so that equal ones are equal exactly.
    draws = np.concatenate([half, half[:, [1, 0, 2]]]) * 0.9 + np.array(means)
    ranking = br.credible_ranking(draws_of(draws, list("abc"), name="f1"))
    parts = verdict_parts(ranking)
    assert parts.kind == ranking.attrs["headline"] == kind
    assert parts.headline.endswith(headline)
    assert len(br.verdict(ranking)) <= 4
    assert bool(parts.next_step) == (kind != "best")
    # What the rank sets leave is said whatever they leave.
    assert sum("rank sets (posterior probability 0.95)" in line for line in br.notes(ranking)) == 1


def test_a_high_p_best_beside_rivals_is_explained():
    """P(best) of the leader above 0.95, or that of a rival below 0.01, although the rank sets keep the rival."""

    def rank(*correct):
        board = pd.DataFrame({"model": [*"abcdefgh"][: len(correct)], "correct": correct})
        return br.credible_ranking(
            br.fit(br.from_frame(board.assign(wrong=100 - board["correct"])), seed=1)
        )

    two = rank(60, 47)
    assert two["probability_best"].max() > 0.95
    assert two.attrs["headline"] == "leads"
    assert (
        ", a posterior probability (for some true scores such data mislead more often)"
        in br.verdict(two)[0]
    )
    ranking = rank(67, 57, 52, 52, 52, 52, 52, 52)
    assert "posterior probability;" not in br.verdict(ranking)[0]
    small = int((ranking["probability_best"].where(ranking["in_best_set"], 1) < 0.01).sum())
    assert small
    note = f"P(best) is below 0.01 for {small} of these: it is a posterior probability, and the sets hold for any true"
    assert sum(note in line for line in br.notes(ranking)) == 1
    assert "posterior probability;" not in everything(rank(50, 50))


def test_an_only_entity_has_no_chance_to_be_best():
    counts = br.from_counts(tn=[9, 8], fp=[1, 2], fn=[2, 3], tp=[8, 7], entity=["a", "b"])
    alone = br.fit(counts.sel(entity=["a"]), seed=1)
    for method in ("draws", "exact"):
        ranking = br.credible_ranking(alone, "f1", method=method)
        assert br.verdict(ranking) == ["Nothing to rank: a is the only entity."]
        assert json.loads(br.board(ranking))["entities"][0]["probability_best_text"] == "–"
    assert ">a</td><td" in br.ranking_report(alone, "f1", sections=[])
    assert ">0.99" not in br.ranking_report(alone, "f1", sections=[])
    worth = {"tn": 0, "fp": -1, "fn": -9, "tp": 0}
    assert utility_table(br.decisions.expected_utility(alone, worth))[1][0][3] == "–"
    for name in ("trajectory_judges", "hepatic_scans"):
        printed = invoke("rank", name, "--draws", "100")
        assert "Nothing to rank" in printed
        assert ">0.9" not in printed
    both = json.loads(br.board(br.credible_ranking(br.fit(counts, seed=1), "f1")))["entities"]
    assert "–" not in {one["probability_best_text"] for one in both}


def test_the_highest_caveat_is_the_fourth_sentence():
    few, more = Note("heavy_tails", {"entities": ["a"]}), Note("few_cases_of_means", {"cases": 5})
    stuck = Note("chains_unreliable", {"divergences": 3, "rhat": None, "effective": None})
    notes = ["Plain.", few, stuck, more]
    made = compose("leads", "No winner.", notes, "Loss.", "Step.")
    assert made.sentences() == ["No winner.", "Loss.", "Step.", say(stuck)]
    assert made.notes == (say(few), say(more), "Plain.")
    assert compose("best", "a is best.", ["Plain."]).sentences() == ["a is best."]


def test_without_draws_nothing_is_ruled_out():
    counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    ranking = br.credible_ranking(counts, "f1", method="exact")
    assert br.verdict(ranking)[0].endswith(
        "cannot rule out a (method='auto' computes rank sets from draws)."
    )
    assert any(line.startswith("Every rank is possible") for line in br.notes(ranking))
    near = br.from_counts(tn=[70, 71], fp=[10, 9], fn=[9, 9], tp=[21, 21], entity=["a", "b"])
    close = br.credible_ranking(near, "f1", method="exact")
    assert "worse" not in everything(close)


def test_one_failed_run_of_240_is_no_winner():
    """Before: P(A beats B) > 0.999 by the bootstrap; with range=(0, 1), which is the default now, 0.77."""
    frame = pd.DataFrame(
        {
            "case": np.repeat(range(60), 4),
            "run": [0, 1, 2, 3] * 60,
            "A": 1,
            "B": [1] * 7 + [0] + [1] * 232,
        }
    )
    runs = br.from_outcomes(frame, case="case", run="run")
    ranking = br.credible_ranking(br.fit(runs, "paired", seed=1), "mean_outcome")
    assert float(ranking["superiority"].sel(entity="A", rival="B")) == pytest.approx(0.77, abs=0.04)
    assert br.verdict(ranking)[0].startswith("A is ahead (7")
    same = br.fit(runs, "paired", seed=1, range=(0, 1))
    xr.testing.assert_identical(br.credible_ranking(same, "mean_outcome"), ranking)


@pytest.mark.parametrize(
    ("numbers", "shares"),
    [
        ([0, 1], True),
        ([0.2, 0.8], True),
        ([0.13, 0.77], False),
        ([0.5, 3.0], False),
        ([0, 2], False),
    ],
)
def test_only_shares_of_right_answers_have_a_range_by_default(numbers, shares):
    frame = pd.DataFrame({"a": numbers * 30, "b": numbers[::-1] * 30})
    fit = br.fit(br.from_outcomes(frame), "paired", seed=1, draws=20)
    assert (fit["posterior"].attrs["prior"] == "one_case") == shares
    notes = everything(br.credible_ranking(fit, "mean_outcome"))
    assert ("Bayesian bootstrap" in notes) == (not shares)


def test_discordant_cases_are_counted_not_all_cases():
    rng = np.random.default_rng(1)
    seconds = rng.uniform(0.31, 0.77, 400)
    frame = pd.DataFrame({"a": seconds, "b": seconds - np.where(np.arange(400) < 7, 0.2113, 0)})
    ranking = br.credible_ranking(br.fit(br.from_outcomes(frame), "paired", seed=1), "mean_outcome")
    assert (
        "a beats b (pairwise), but they differ on only 7 of 400 cases: too few for the Bayesian bootstrap."
        in everything(ranking)
    )


def test_heavy_tails_are_said():
    rng = np.random.default_rng(2)
    costs = pd.DataFrame({"a": rng.lognormal(0, 1.5, 60), "b": rng.normal(5, 1, 60)})
    ranking = br.credible_ranking(
        br.fit(br.from_outcomes(costs), "paired", seed=1, draws=200), "mean_outcome"
    )
    assert "Outcomes of a have heavy tails" in everything(ranking)


def test_an_entity_without_cases_is_not_as_good_and_not_ruled_out():
    cells = {"tn": [700, 600, 0], "fp": [100, 200, 0], "fn": [90, 90, 0], "tp": [210, 210, 0]}
    counts = br.from_counts(**cells, entity=["a", "b", "none"])
    ranking = br.credible_ranking(br.fit(counts, force=True, seed=1), "informedness")
    assert "none has no data: " in everything(ranking)
    assert br.ranking_table(ranking).index[0] == "a"
    assert "none" in br.verdict(ranking)[0]


def test_inferior_needs_one_rate_that_falls_short():
    """TPR and TNR each fall short with about 0.8: that one of them does has a probability above 0.95."""
    counts = br.from_counts(
        tn=[900, 841], fp=[100, 159], fn=[100, 159], tp=[900, 841], entity=["old", "new"]
    )
    found = br.decisions.noninferiority(br.fit(counts, seed=1), "old")
    assert (found[["tpr_noninferior", "tnr_noninferior"]].to_dataarray() > 0.05).all()
    assert 1 - found["noninferior"].item() > 0.9
    assert found["verdict"].values.tolist() == ["undecided"]


def test_a_decision_curve_on_one_treated_case():
    y = np.r_[np.ones(50, int), np.zeros(450, int)]
    risk = np.full(500, 0.01)
    risk[0] = 0.9
    curve = br.decisions.decision_curve(y, {"marker": risk}, [0.5], seed=1)
    assert float(curve["probability_best"].max()) == 1
    fields = {"first": "marker", "rival": "treat none", "different": 1, "cases": 500}
    assert fields.items() <= fields_of(curve, "few_discordant_at_threshold").items()


def test_table_and_map_say_the_same_number():
    posterior = br.fit(br.datasets.load("breast_cancer"), seed=1, draws=200)
    ranking = br.credible_ranking(posterior, "f1", method="auto")
    assert ranking.attrs["method"] == "exact"
    section = map_of(br.as_performance(posterior), br.scores.f1, 0.95, np.inf, None, ranking)
    [row] = [row for row in section["rows"] if row["place"] == "F1"]
    assert row["p"] == f"{float(ranking['probability_best'].max()):.3f}"
    assert all("expected share" in text for *_, text in section["legend"])


def test_a_model_that_fails_its_check_is_a_caveat():
    pooled = br.fit(br.pool(STUDIES), seed=1)
    [note, remedy] = model_notes(check_model(pooled), pooled)
    assert caveat_of(note) is Caveat.MODEL_CONTRADICTED
    assert remedy == Note("model_that_learns_differences", {"model": "hierarchical_logit_normal"})
    single = br.fit(STUDIES.isel(dataset=0, drop=True), seed=1)
    assert model_notes(check_model(single), single) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "design", ["p = 0.99 everywhere", "p = 0.5 everywhere", "p = 1, but 0.5 on 3 cases"]
)
def test_identical_systems_are_rarely_called_different(design):
    """At most 10% of the boards are nominal; 200 boards have a standard error of 0.021."""
    module = load_script("scripts/measure_repeated_runs.py")
    assert module.claims(design, 200)[0] <= 0.10 + 2 * 0.021


def test_a_result_that_lacks_something_is_refused_in_words():
    counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    posterior = br.fit(counts, seed=1, draws=50)
    results = [
        br.credible_ranking(counts, "f1", method="exact"),
        br.credible_ranking(posterior, "f1"),
    ]
    results.append(br.decisions.expected_utility(posterior, [[0, -1], [-20, 0]], prevalence=0.02))
    for result in results:
        whole = br.verdict(result)
        for name in [*result.data_vars, *result.attrs]:
            part = result.drop_vars(name) if name in result else result.copy()
            part.attrs = {key: held for key, held in result.attrs.items() if key != name}
            try:
                assert br.verdict(part)
            except ValueError as refused:
                assert "must" in str(refused)  # noqa: PT017
        assert br.verdict(result) == whole


def test_the_verdict_on_tiles_of_classes_is_that_of_each():
    tiles = br.tile.credible_by_class(
        br.from_matrix(np.full((3, 3), 4) + np.eye(3), "actual_rows"), 3
    )
    with pytest.raises(br.ArgumentError, match=r"must be one Tile .*\['label'\]"):
        br.verdict(tiles)
    assert (
        br.verdict(tiles.isel(label=0))[0]
        == "By the weighting of errors: entity 1 is best on >99% of the Tile."
    )
