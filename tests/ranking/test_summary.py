"""The table and the verdict say what the ranking holds."""

import numpy as np
import pytest
import xarray as xr

import bayesrank as br
from bayesrank._core.compat import to_container
from bayesrank.ranking.evidence import evidence_of
from bayesrank.ranking.summary import effective_draws
from tests.strategies import draws_of


def said(ranking):
    """Verdict and notes as one text."""
    return " ".join([*br.verdict(ranking), *br.notes(ranking)])


@pytest.fixture(scope="module")
def clear():
    values = draws_of(
        np.random.default_rng(1).normal([0.5, 0.9, 0.51], 0.02, (4000, 3)),
        ["a", "b", "c"],
        name="f1",
    )
    return values, br.credible_ranking(values)


def test_table(clear):
    values, ranking = clear
    table = br.ranking_table(ranking)
    assert table.index.tolist() == ["b", "c", "a"]
    assert table.loc["b", "median"] == np.median(values.sel(entity="b"))
    np.testing.assert_allclose(
        table.loc["a", ["lower", "upper"]].tolist(),
        np.quantile(values.sel(entity="a"), [0.025, 0.975]),
    )
    for column in (
        "probability_best",
        "expected_rank",
        "rank_lower",
        "rank_upper",
        "tier",
        "expected_regret",
    ):
        np.testing.assert_array_equal(table[column], ranking[column].sel(entity=table.index.values))


def test_notes_of_a_clear_winner(clear):
    assert br.notes(clear[1])[1:] == [
        "By the rank sets (posterior probability 0.95), 1 of 3 entities (b) could be best.",
        "b beats every rival with probability at least 0.95 each (pairwise, not jointly).",
        "There are 2 tiers. Tier 1 contains the entities that could be best; tier 2 contains the remaining "
        "entities that no other remaining entity is surely above, and so on.",
    ]


def test_a_rope_is_named_where_one_was_used(clear):
    counts = br.from_counts(tn=[90, 50], fp=[10, 50], fn=[9, 49], tp=[91, 51], entity=["b", "a"])
    posterior = br.fit(counts, seed=1)
    with_rope = br.verdict(br.credible_ranking(posterior, "f1", rope=0.01))[0]
    assert with_rope.endswith("it beats a by more than 0.01 with probability at least 0.95.")
    assert "by more than" not in said(clear[1])
    too_wide = br.verdict(br.credible_ranking(posterior, "f1", rope=0.4))[0]
    assert too_wide.startswith(
        "b is ahead (over 99.9% chance of being best), but P(b beats a by more than 0.4) = 0."
    )
    assert too_wide.endswith(", below 0.95.")


def test_contradictions_come_first_but_not_at_the_end_of_the_range():
    counts = br.from_counts(tn=[880, 50], fp=[20, 0], fn=[40, 0], tp=[60, 50], entity=["a", "b"])
    fair = br.credible_ranking(br.fit(counts, seed=1), "accuracy")
    assert "outside" not in said(fair)  # b is perfect: at the end of its interval, which is closed
    assert float(fair["upper"].sel(entity="b")) == float(fair["observed"].sel(entity="b")) == 1
    some = br.from_counts(tn=880, fp=20, fn=0, tp=60)  # no miss, but not perfect
    assert not br.credible_ranking(br.fit(some, seed=1), "tpr")["contradicted"].any()
    stubborn = br.credible_ranking(br.fit(counts, seed=1, prior=500), "accuracy")
    assert br.verdict(stubborn)[-1].startswith(
        "The observed accuracy of a is outside its 95% interval (0.940, interval"
    )


def test_a_point_estimate_is_not_called_sure():
    counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    assert br.verdict(br.credible_ranking(counts, "f1")) == [
        "No ranking: b comes first, but a point estimate has no probabilities.",
        "A model gives probabilities (br.fit).",
    ]  # fmt: skip


NOTES = {
    "The prevalence differs between entities, from 0.1 (a) to 0.4 (b). F1 depends on it. The claims hold": (
        {"tn": [880, 580], "fp": [20, 20], "fn": [40, 160], "tp": [60, 240]}, "f1"),
    "All entities met the same cases (inferred from equal class sizes); errors are assumed independent": (
        {"tn": [70, 79], "fp": [10, 1], "fn": [9, 1], "tp": [21, 29]}, "informedness"),
    "No case of the class 'positive' for b: only the prior determines the rate of that class.": (
        {"tn": [70, 79], "fp": [10, 1], "fn": [9, 0], "tp": [21, 0]}, "informedness"),
    "1 entity has fewer than 10 cases of a class (b has 3 of 'positive'): rates of such a class depend strongly": (
        {"tn": [70, 79], "fp": [10, 1], "fn": [9, 1], "tp": [21, 2]}, "informedness"),
}  # fmt: skip


@pytest.mark.parametrize("note", NOTES)
def test_what_has_to_be_known_first(note):
    cells, score = NOTES[note]
    posterior = br.fit(br.from_counts(**cells, entity=["a", "b"]), draws=100, seed=1)
    ranking = br.credible_ranking(posterior, score)
    # A caveat is the verdict's last sentence; how the counts arose is a note.
    where = br.notes(ranking)[0] if note.startswith("All entities") else br.verdict(ranking)[-1]
    assert where.startswith(note)


def test_verdict_says_what_is_undefined():
    values = draws_of([[0.5, np.nan], [0.6, 0.7]] * 50, ["a", "b"], name="f1")
    partly = br.credible_ranking(values)
    assert "1 entity has no defined F1 in some draws" in br.notes(partly)[-1]
    assert br.verdict(partly)[0].startswith(
        "b is ahead (50% chance of being best), but draws without their evidence"
    )
    nothing = draws_of(np.full((10, 2), np.nan), ["a", "b"], name="f1")
    ranking = br.credible_ranking(nothing)
    assert br.verdict(ranking) == ["Nothing to rank: no entity has a defined F1 in any draw."]
    assert br.ranking_table(ranking)["tier"].isna().all()


# --- What a review by fresh eyes found ----------------------------------------------------------------------------


def one_answer_for_each_class(classes, tables, rng):
    """Tables (entity, actual, predicted) of which every class met one answer, or has no cases; the last is empty."""
    answers = rng.integers(classes, size=(tables, classes))
    answers[0], answers[1] = np.arange(classes), 0  # always right, and always the same answer
    cases = rng.choice([0, 1, 30, 3000], size=(tables, classes), p=[0.1, 0.2, 0.5, 0.2])
    cases[:2], cases[-1] = 40, 0
    return np.eye(classes, dtype=int)[answers] * cases[..., None]


@pytest.mark.parametrize(
    ("classes", "prevalence"),
    [
        (2, "observed"),
        (3, "sampled"),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in ((2, "sampled"), (3, "observed"), (10, "sampled"), (10, "observed"))
        ),
    ],
)
def test_one_answer_for_all_cases_of_each_class_contradicts_nothing(classes, prevalence):
    """Every prior pulls the rates of such a table to one side; and a prior that mixed answers contradict is told."""
    rng = np.random.default_rng(classes)
    counts = br.from_matrix(one_answer_for_each_class(classes, 12, rng), "actual_rows")
    scores = [
        "accuracy",
        "mcc",
        "cohen_kappa",
        *(["informedness", "f1", "ppv"] if classes == 2 else ["macro_f1"]),
    ]
    posterior = br.fit(counts, prevalence=prevalence, draws=100, seed=1, force=True)
    for score in scores:
        assert not br.credible_ranking(posterior, score)["contradicted"].any(), score
    if classes == 2 and prevalence == "observed":
        assert not br.credible_ranking(posterior, "informedness", method="exact")[
            "contradicted"
        ].any()
    mixed = br.from_matrix(np.eye(classes, dtype=int) * 9 + 1, "actual_rows")
    wrong = xr.DataArray(1000 * (1 - np.eye(classes)) + 1, dims=("actual", "predicted"))
    against = br.fit(mixed, prevalence=prevalence, prior=wrong, draws=250, seed=1)
    assert br.credible_ranking(against, "accuracy")["contradicted"].all()


def test_an_undefined_draw_does_not_hide_a_sampler_that_is_stuck():
    x = (
        0.5
        + 0.2 * np.arange(4)[:, None, None]
        + 0.01 * np.random.default_rng(0).normal(size=(4, 500, 3))
    )
    stats = xr.Dataset({"diverging": (("chain", "draw"), np.zeros((4, 500), bool))})
    for hole in (False, True):
        x[0, 0, 2] = np.nan if hole else x[0, 0, 2]
        values = xr.Dataset({"acc": (("chain", "draw", "entity"), x)}, {"entity": list("abc")})
        posterior = to_container({"posterior": values, "sample_stats": stats})
        ranking = br.credible_ranking(posterior, "acc")
        assert br.verdict(ranking)[-1].startswith("The chains did not converge (R-hat up to 2")
        assert br.notes(ranking)[0].startswith("Chains that disagree need more tuning")


@pytest.mark.slow
def test_one_prevalence_is_rarely_called_two():
    """40 test sets of one prevalence, 30 boards: the note is said of one in forty by chance, so of at most four."""
    rng = np.random.default_rng(0)
    said = 0
    for _ in range(30):
        k = rng.binomial(1000, 0.3, 40)
        tn, tp = (1000 - k) * 9 // 10, k * 8 // 10
        counts = br.from_counts(tn=tn, fp=1000 - k - tn, fn=k - tp, tp=tp)
        known = evidence_of(
            br.fit(counts, draws=1, chains=1, seed=1), None, br.scores.f1(counts), None
        )
        said += known.notes(br.scores.f1)[0].code == "prevalences_differ"
    assert said <= 4


def test_few_draws_contradict_nothing_and_are_not_called_sure():
    counts = br.from_counts(tn=[73, 76, 70], fp=[7, 4, 10], fn=[6, 9, 2], tp=[24, 21, 28])
    for chains, seed in ((4, 1), (1, 2), (1, 3)):
        lines = said(br.credible_ranking(br.fit(counts, draws=1, chains=chains, seed=seed), "f1"))
        assert "outside" not in lines
        assert "no probabilities" in lines
        assert "P(" not in lines


def test_a_tie_in_every_draw_is_called_one():
    same = np.random.default_rng(1).random((1000, 1))
    values = xr.DataArray(
        np.hstack([same, same, same, same - 1]), {"entity": list("abcd")}, ("draw", "entity")
    )
    pair = br.credible_ranking(values.isel(entity=[0, 1]))
    assert (
        br.verdict(pair)[0]
        == "a and b share the first place (equal with probability at least 0.95)."
    )
    assert "b ties with a with probability at least 0.95." in br.notes(pair)
    close = br.credible_ranking(values.isel(entity=[0, 1]) + np.array([0, 0.001]), rope=0.01)
    assert "a differs by at most 0.01 from b with probability at least 0.95." in br.notes(close)
    assert "b and c tie with a with probability at least 0.95 each." in br.notes(
        br.credible_ranking(values)
    )
    assert "b ties with a with probability at least 0.95." in br.notes(
        br.credible_ranking(values[:, [0, 1, 3]])
    )


def test_values_that_tie_need_no_equal_evidence():
    """A is first on one data set, B on the other: by Borda points they tie, whatever the number of cases."""
    one = br.from_counts(
        tp=[900, 600, 200],
        fn=[100, 400, 800],
        tn=[900, 600, 200],
        fp=[100, 400, 800],
        entity=[*"ABC"],
    )
    two = br.from_counts(
        tp=[500, 950, 100],
        fn=[500, 50, 900],
        tn=[500, 950, 100],
        fp=[500, 50, 900],
        entity=[*"ABC"],
    )
    posterior = br.fit(
        xr.concat([one, two], "dataset").assign_coords(dataset=["d1", "d2"]),
        "beta_binomial",
        seed=1,
    )
    sentences = br.verdict(br.credible_ranking(posterior, "f1", over="dataset", aggregate="borda"))
    first = (
        "A and B share the first place on these 2 data sets (equal with probability at least 0.95)"
    )
    assert sentences[0] == f"{first}; C is ruled out as best."
    assert not any("would help" in sentence for sentence in sentences)
    # Equal tables are equal evidence, though draws differ.
    equal = br.from_counts(tp=[50, 50], fn=[10, 10], tn=[50, 50], fp=[10, 10], entity=["A", "B"])
    for rope in (0.0, 0.001):
        said_first = br.verdict(br.credible_ranking(br.fit(equal, seed=1), "f1", rope=rope))[0]
        assert said_first == "A and B share the first place (equal evidence)."


def test_the_effective_draws_are_those_of_the_entity_that_has_fewest():
    ranking = br.credible_ranking(br.fit(br.datasets.load("antibody_tests"), seed=1), "f1")
    sizes = ranking["effective_sample_size"] * 0 + np.arange(1.0, ranking.sizes["entity"] + 1)
    unlike = ranking.assign(effective_sample_size=sizes)
    assert effective_draws(unlike) == 1
    # Draws that are undefined count for none, and an entity without a rank does not count.
    half = ranking["undefined"] * 0 + 0.5
    assert effective_draws(unlike.assign(undefined=half)) == 2
    first = np.arange(ranking.sizes["entity"]) == 0
    assert effective_draws(unlike.assign(tier=ranking["tier"].where(~first))) == 2
    assert effective_draws(ranking.assign(effective_sample_size=sizes * np.nan)) == 4000
