"""The table and the verdict say what the ranking holds."""

import dataclasses

import numpy as np
import pytest
import xarray as xr

import bayesrank as br
from bayesrank._compat import groups_of, to_container
from bayesrank.ranking.evidence import evidence_of
from bayesrank.report import ranking_report


def said(ranking):
    """Verdict and notes as one text."""
    return " ".join([*br.verdict(ranking), *br.notes(ranking)])


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
    assert br.verdict(clear[1]) == [
        "b is best: P(best) > 0.999, and it beats every rival with probability at least 0.95.",
    ]
    assert br.notes(clear[1]) == [
        "By the 0.95 confidence set for the best (whatever the true scores), 1 of 3 entities (b) could be best.",
        "By the posterior, the smallest set that holds the best with probability 0.95 has 1 member: b.",
        "b beats every rival with probability at least 0.95 each (pairwise, not jointly).",
        "There are 2 tiers: each entity is compared with the first of its tier (pairwise posterior probability, not "
        "joint).",
    ]


def test_verdict_of_equals_names_no_winner():
    values = draws_of(np.random.default_rng(1).random((4000, 3)), ["a", "b", "c"])
    ranking = br.credible_ranking(values)
    assert br.verdict(ranking)[0] == "a, b and c share the first place."
    assert "all 3 entities could be best" in said(ranking)


def test_a_single_tier_does_not_hide_that_others_are_told_apart():
    """c is all over the place, and first on average; a is above b nearly always."""
    rng = np.random.default_rng(3)
    steady = rng.normal([0.5, 0.4], 0.02, (4000, 2))
    values = draws_of(np.column_stack([steady, rng.normal(0.6, 0.3, 4000)]), list("abc"))
    ranking = br.credible_ranking(values)
    assert ranking["tier"].values.tolist() == [1, 1, 1]
    assert br.verdict(ranking)[0] == "c leads (P(best) = 0.626), but a cannot be ruled out; b is worse."


def test_a_rope_is_named_where_one_was_used(clear):
    values, _ = clear
    with_rope = br.verdict(br.credible_ranking(values, rope=0.01))[0]
    assert with_rope.endswith("it beats every rival by more than 0.01 with probability at least 0.95.")
    assert "by more than" not in said(clear[1])
    too_wide = br.verdict(br.credible_ranking(values, rope=0.4))[0]
    assert too_wide.startswith("b leads (P(best) > 0.999), but its probability of beating c and a by more than 0.4 is")


def test_verdict_names_few_members_of_the_best_set():
    means = np.array([0.5, 2.0, 1.0, -9.0, -9.0, -9.0, -9.0])
    values = draws_of(means + np.random.default_rng(2).normal(size=(4000, 7)), list("abcdefg"))
    assert "has 3 members: b, c and a." in said(br.credible_ranking(values))
    assert br.verdict(br.credible_ranking(values))[0] == (
        "b leads (P(best) = 0.706), but c and a cannot be ruled out; 4 others are worse."
    )
    alike = draws_of(np.random.default_rng(3).random((4000, 7)), list("abcdefg"))
    assert "has 7 members: " in said(br.credible_ranking(alike))


def test_equal_probabilities_are_told_by_the_error_of_their_difference():
    """Of two that share all of P(best), the difference varies twice as much as each: 2 p - 1 of n draws."""
    n, p = 4000, 0.513  # 1.6 standard errors of p from 1/2, so that both are said to share it; by hypot, 2.3
    first = np.arange(n) < p * n
    rng = np.random.default_rng(4)
    values = draws_of(np.column_stack([first, ~first])[rng.permutation(n)], ["a", "b"])
    assert br.verdict(br.credible_ranking(values))[0] == "a and b share the first place."


def test_contradictions_come_first_but_not_at_the_end_of_the_range():
    counts = br.from_counts(tn=[880, 50], fp=[20, 0], fn=[40, 0], tp=[60, 50], entity=["a", "b"])
    fair = br.credible_ranking(br.fit(counts, seed=1), "accuracy")
    assert "outside" not in said(fair)  # b is perfect: above its interval, and contradicts nothing
    assert float(fair["upper"].sel(entity="b")) < float(fair["observed"].sel(entity="b"))
    some = br.from_counts(tn=880, fp=20, fn=0, tp=60)  # no miss, but not perfect
    assert not br.credible_ranking(br.fit(some, seed=1), "tpr")["contradicted"].any()
    stubborn = br.credible_ranking(br.fit(counts, seed=1, prior=500), "accuracy")
    assert br.verdict(stubborn)[-1].startswith(
        "The observed accuracy of a is outside its 95% interval (0.940, interval"
    )


def test_what_choosing_the_first_costs():
    """The mean shortfall of two independent normals with one spread is sd / sqrt(pi) at equal means."""
    values = draws_of(np.random.default_rng(5).normal(0.5, 0.1, (4000, 2)), ["a", "b"]).rename("accuracy")
    ranking = br.credible_ranking(values, "accuracy")
    cost = float(ranking["expected_regret"].min())
    assert abs(cost - 0.1 / np.sqrt(np.pi)) < 5 * 0.1 / np.sqrt(4000)
    first = br.ranking_table(ranking).index[0]
    loss = f"Expected loss from choosing {first} instead of the true best: {cost:.2g} accuracy."
    assert br.verdict(ranking)[1] == loss


def test_a_point_estimate_is_not_called_sure():
    counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    assert br.verdict(br.credible_ranking(counts, "f1")) == [
        "No winner: b comes first, but a point estimate has no probabilities.", "A model gives probabilities (br.fit).",
    ]  # fmt: skip


NOTES = {
    "The prevalence differs between entities, from 0.1 (a) to 0.4 (b), and F1": (
        {"tn": [880, 580], "fp": [20, 20], "fn": [40, 40], "tp": [60, 360]}, "f1"),
    "All entities met the same cases (inferred from equal class sizes); errors are assumed independent": (
        {"tn": [70, 79], "fp": [10, 1], "fn": [9, 1], "tp": [21, 29]}, "informedness"),
    "No case of the class 'positive' for b: only the prior determines the rate of that class.": (
        {"tn": [70, 79], "fp": [10, 1], "fn": [9, 0], "tp": [21, 0]}, "informedness"),
    "1 entity has fewer than 10 cases of a class (b has 3 of 'positive'): the prior has a large weight": (
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


def test_nothing_is_said_that_does_not_apply():
    cells = {"tn": [880, 890], "fp": [20, 20], "fn": [40, 40], "tp": [60, 60]}
    posterior = br.fit(br.from_counts(**cells, entity=["a", "b"]), draws=100, seed=1)
    assert br.credible_ranking(posterior, "informedness")["notes"].item() == ""
    # 0.1 and 0.099 are one prevalence within their uncertainty; the note on the design needs a design.
    assert br.credible_ranking(posterior, "f1")["notes"].item() == ""
    designed = br.fit(br.from_counts(**cells, entity=["a", "b"]), "beta_binomial", draws=100, seed=1)
    assert [note.split(",")[0] for note in br.credible_ranking(designed, "f1")["notes"].item().split("\n")] == [
        "The prevalence differs between entities", "F1 depends on the prevalence",
    ]  # fmt: skip


def test_verdict_says_what_is_undefined():
    values = draws_of([[0.5, np.nan], [0.6, 0.7]] * 50, ["a", "b"])
    partly = br.credible_ranking(values)
    assert "1 entity has no defined F1 in some draws" in br.notes(partly)[-1]
    assert br.verdict(partly)[0] == "b leads (P(best) = 0.50), but P(best) is below 0.95."
    nothing = draws_of(np.full((10, 2), np.nan), ["a", "b"])
    ranking = br.credible_ranking(nothing)
    assert br.verdict(ranking) == ["Nothing to rank: no entity has a defined F1 in any draw."]
    assert br.ranking_table(ranking)["tier"].isna().all()


def test_no_probability_is_printed_as_zero_or_one(clear):
    assert not any(f"= {p} " in s for s in br.verdict(clear[1]) for p in ("0.", "1."))


def test_one_entity_beats_nobody():
    values = br.scores.f1(br.fit(br.from_counts(tn=70, fp=10, fn=9, tp=21, entity="alone"), draws=10, seed=1))
    assert br.verdict(br.credible_ranking(values)) == ["Nothing to rank: alone is the only entity."]


# --- What a review by fresh eyes found ----------------------------------------------------------------------------


def counts_of(tn, fp, fn, tp, **names):
    return br.from_counts(tn=tn, fp=fp, fn=fn, tp=tp, **names)


def test_sentences_and_tiers_have_one_anchor():
    """a and b are all but equal, c is uncertain: whom the sentences name is whom the tiers are anchored on."""
    counts = counts_of([30] * 3, [5] * 3, [16, 12, 1], [208, 94, 23], entity=list("abc"))
    for seed in range(30):
        ranking = br.credible_ranking(br.fit(counts, "beta_binomial", seed=seed, draws=100), "tpr", prob=0.8)
        anchor = br.ranking_table(ranking).index[0]
        alike = ranking["tier"].values == 1
        beaten = ranking["superiority"].sel(entity=anchor).values >= 0.8
        assert not (alike & beaten).any()
        assert (alike | beaten).all() or ranking["tier"].max() > 2
        beaten = [line for line in br.notes(ranking) if " beats " in line or "is beaten by" in line]
        assert anchor in beaten[0]


def test_a_prevalence_that_was_asked_for_contradicts_nothing():
    counts = counts_of([73, 76], [7, 4], [6, 9], [24, 21], entity=["a", "b"])
    ranking = br.credible_ranking(br.fit(counts, "beta_binomial", prevalence=0.01, seed=1), "ppv")
    assert not ranking["contradicted"].any()
    # What was observed is told at the prevalence that is ranked.
    x, y = 7 / 80, 24 / 30
    assert ranking["observed"].sel(entity="a").item() == pytest.approx(0.01 * y / (0.01 * y + 0.99 * x))
    draws = xr.DataArray(np.random.default_rng(1).beta(3, 30, (4, 1000)), dims=("chain", "draw"))
    unknown = br.credible_ranking(br.fit(counts, "beta_binomial", prevalence=draws, seed=1), "ppv")
    assert unknown["observed"].isnull().all()


@pytest.mark.parametrize("score", ["mcc", "cohen_kappa", "accuracy"])
@pytest.mark.parametrize("classes", [3, 10, 50])
def test_perfect_and_hopeless_tables_contradict_nothing(score, classes):
    """Rounding puts some perfect values beside 1; a hopeless kappa of C classes ends at -1 / (C - 1)."""
    perfect, hopeless = np.eye(classes, dtype=int), np.roll(np.eye(classes, dtype=int), 1, axis=1)
    counts = br.from_matrix(np.stack([30 * perfect, 30 * hopeless]), "actual_rows")
    assert not br.credible_ranking(br.fit(counts, draws=100, seed=1), score)["contradicted"].any()


def one_answer_for_each_class(classes, tables, rng):
    """Tables (entity, actual, predicted) of which every class met one answer, or has no cases; the last is empty."""
    answers = rng.integers(classes, size=(tables, classes))
    answers[0], answers[1] = np.arange(classes), 0  # always right, and always the same answer
    cases = rng.choice([0, 1, 30, 3000], size=(tables, classes), p=[0.1, 0.2, 0.5, 0.2])
    cases[:2], cases[-1] = 40, 0
    return np.eye(classes, dtype=int)[answers] * cases[..., None]


@pytest.mark.parametrize("prevalence", ["sampled", "observed"])
@pytest.mark.parametrize("classes", [2, 3, 10])
def test_one_answer_for_all_cases_of_each_class_contradicts_nothing(classes, prevalence):
    """Every prior pulls the rates of such a table to one side; and a prior that mixed answers contradict is told."""
    rng = np.random.default_rng(classes)
    counts = br.from_matrix(one_answer_for_each_class(classes, 12, rng), "actual_rows")
    scores = ["accuracy", "mcc", "cohen_kappa", *(["informedness", "f1", "ppv"] if classes == 2 else ["macro_f1"])]
    posterior = br.fit(counts, prevalence=prevalence, draws=100, seed=1, force=True)
    for score in scores:
        assert not br.credible_ranking(posterior, score)["contradicted"].any(), score
    if classes == 2 and prevalence == "observed":
        assert not br.credible_ranking(posterior, "informedness", method="exact")["contradicted"].any()
    mixed = br.from_matrix(np.eye(classes, dtype=int) * 9 + 1, "actual_rows")
    wrong = xr.DataArray(1000 * (1 - np.eye(classes)) + 1, dims=("actual", "predicted"))
    assert br.credible_ranking(br.fit(mixed, prevalence=prevalence, prior=wrong, seed=1), "accuracy")[
        "contradicted"
    ].all()


def test_the_forecast_of_no_tornado_contradicts_no_model():
    """Finley's 2,803 forecasts against the one that is always "no tornado" (Gilbert 1884): its skill is exactly 0."""
    counts = br.datasets.load("tornado").isel(dataset=0, drop=True)
    for score in ("informedness", "mcc"):
        ranking = br.credible_ranking(counts, score, model="beta_binomial", method="exact")
        assert not ranking["contradicted"].any()
        assert not any("contradicts" in line for line in br.verdict(ranking))
    # Its informedness lies below its interval all the same: both rates are pulled inwards, and one by more.
    never = br.credible_ranking(counts, "informedness", model="beta_binomial", method="exact").sel(
        entity="never-tornado"
    )
    assert never["observed"] == 0 < never["lower"]


def test_few_draws_contradict_nothing_and_are_not_called_sure():
    counts = counts_of([73, 76, 70], [7, 4, 10], [6, 9, 2], [24, 21, 28], entity=list("ABC"))
    for chains, seed in ((4, 1), (1, 2), (1, 3)):
        lines = said(br.credible_ranking(br.fit(counts, draws=1, chains=chains, seed=seed), "f1"))
        assert "outside" not in lines
        assert "no probabilities" in lines
        assert "P(" not in lines


def test_an_undefined_draw_does_not_hide_a_sampler_that_is_stuck():
    x = 0.5 + 0.2 * np.arange(4)[:, None, None] + 0.01 * np.random.default_rng(0).normal(size=(4, 500, 3))
    stats = xr.Dataset({"diverging": (("chain", "draw"), np.zeros((4, 500), bool))})
    for hole in (False, True):
        x[0, 0, 2] = np.nan if hole else x[0, 0, 2]
        values = xr.Dataset({"acc": (("chain", "draw", "entity"), x)}, {"entity": list("abc")})
        posterior = to_container({"posterior": values, "sample_stats": stats})
        ranking = br.credible_ranking(posterior, "acc")
        assert br.verdict(ranking)[-1].startswith("The sampler did not settle (R-hat up to 2")
        assert br.notes(ranking)[0].startswith("Chains that disagree: more tuning")


def test_who_has_no_confidence_set_is_not_left_out_by_it():
    values = draws_of(np.random.default_rng(1).normal([0.9, 0.6, 0.3], 0.02, (4000, 3)), list("abc"))
    ranking = br.credible_ranking(values)
    [sentence] = [line for line in br.notes(ranking) if "confidence set" in line]
    assert sentence.endswith("1 of 3 entities (a) could be best.")
    # As of an entity that a closed form ranks and most draws, whose odds overflow, do not.
    unknown = ranking.assign({"in_best_confidence_set": ranking["in_best_confidence_set"].where([False, True, True])})
    assert br.verdict(unknown) == br.verdict(ranking)
    of_rest = ranking.assign({"in_best_confidence_set": ("entity", [np.nan, 1.0, 0.0])})
    [sentence] = [line for line in br.notes(of_rest) if "confidence set" in line]
    assert sentence.endswith("2 of 3 entities (a and b) could be best.")


def test_a_ranking_survives_a_file(tmp_path):
    counts = counts_of([73, 76], [7, 4], [6, 9], [24, 21], entity=["a", "b"])
    posterior = br.fit(counts, seed=1)
    ranking = br.credible_ranking(posterior, "f1")
    backends = {"h5netcdf", "netcdf4", "scipy"} & set(xr.backends.list_engines())
    copies = [xr.Dataset.from_dict(ranking.to_dict())]
    for engine in backends:
        ranking.to_netcdf(tmp_path / f"{engine}.nc", engine=engine)
        copies.append(xr.load_dataset(tmp_path / f"{engine}.nc", engine=engine))
    for copy in copies:
        assert br.verdict(copy) == br.verdict(ranking)
        assert br.notes(copy) == br.notes(ranking)
        # In a file the attrs are numbers of NumPy.
        labels = {br.plots.forest(one).get_xlabel().split("\n")[0] for one in (copy, ranking)}
        assert labels == {"F1 (median and 95% interval)"}
        assert ranking_report(posterior, "f1", ranking=copy) == ranking_report(posterior, "f1", ranking=ranking)


def test_predictions_are_ranked_and_nothing_is_observed_of_them():
    posterior = br.fit(counts_of([73, 76], [7, 4], [6, 9], [24, 21], entity=["a", "b"]), draws=50, seed=1)
    ranking = br.credible_ranking(br.posterior_predictive(posterior, seed=1), "f1")
    assert ranking["observed"].isnull().all()
    assert ranking["notes"].item() == ""


@pytest.mark.parametrize("names", [[1, "a"], [1, "1"], ["<b>x</b>", "y"]])
def test_names_of_any_kind(names):
    ranking = br.credible_ranking(
        br.fit(counts_of([40, 73], [40, 7], [6, 9], [24, 21], entity=names), draws=50, seed=1), "f1"
    )
    assert ranking["rival"].values.tolist() == ranking["entity"].values.tolist() == names
    assert br.verdict(ranking)


def test_points_tell_ties_and_who_is_not_ranked():
    tie = counts_of([73, 73, 70], [7, 7, 10], [6, 6, 20], [24, 24, 10], entity=["zed", "amy", "bob"])
    for order in ([0, 1, 2], [1, 2, 0]):
        assert br.verdict(br.credible_ranking(tie.isel(entity=order), "f1"))[0].startswith(
            "No winner: amy and zed come first, but a point estimate"
        )
    lacking = counts_of([73, 80, 70], [7, 0, 10], [6, 30, 20], [24, 0, 10], entity=["zed", "never", "bob"])
    assert br.notes(br.credible_ranking(lacking, "ppv"))[-1] == "Not ranked: never has no defined precision (PPV)."


def test_each_of_several_rankings_has_its_own_notes():
    data = {"entity": ["a", "b"] * 10, "dataset": np.repeat(range(10), 2)}
    ranking = br.credible_ranking(
        br.fit(counts_of([6] * 20, [2] * 20, [1] * 20, [5] * 20, **data), seed=1, draws=50), "f1"
    )
    one = ranking.isel(dataset=0)
    assert br.notes(one)[0].startswith("All entities met the same cases")
    assert br.verdict(one)[-1].startswith("2 entities have fewer than 10 cases of a class")


def test_two_test_sets_are_not_one():
    counts = counts_of([70, 60, 65, 66], [10, 20, 15, 14], [6, 9, 9, 8], [24, 21, 21, 22], entity=list("abcd"))
    named = counts.assign_coords(test_set=("entity", ["n", "n", "s", "s"]))
    note = br.credible_ranking(br.fit(named, draws=50, seed=1), "tpr")["notes"].item()
    assert note.startswith("4 of 4 entities share 2 test sets; errors are assumed independent")


def test_many_classes_or_entities_do_not_make_a_long_verdict():
    matrix = np.zeros((60, 60), int)
    matrix[:30, :30] = 20 * np.eye(30, dtype=int)
    ranking = br.credible_ranking(
        br.fit(br.from_matrix(np.stack([matrix, matrix]), "actual_rows"), draws=25, seed=1), "accuracy"
    )
    assert said(ranking).count("No case of") == 1
    values = xr.DataArray(
        np.random.default_rng(1).random((400, 200)), {"entity": [f"e{i}" for i in range(200)]}, ("draw", "entity")
    )
    many = br.credible_ranking(values.where(values["entity"] < "e12"))
    assert len(br.verdict(many)) <= 4
    assert max(map(len, [*br.verdict(many), *br.notes(many)])) < 300


def test_one_prevalence_is_seldom_called_two():
    """40 test sets of one prevalence, 60 boards: the note is said of one in forty by chance, so of at most six."""
    rng = np.random.default_rng(0)
    said = 0
    for _ in range(60):
        k = rng.binomial(1000, 0.3, 40)
        tn, tp = (1000 - k) * 9 // 10, k * 8 // 10
        counts = counts_of(tn, 1000 - k - tn, k - tp, tp)
        said += (
            "prevalence differs"
            in evidence_of(br.fit(counts, draws=1, chains=1, seed=1), None, br.scores.f1(counts), None).notes(
                br.scores.f1
            )[0]
        )
    assert said <= 6


def test_a_part_of_a_ranking_is_a_table_but_no_verdict():
    ranking = br.credible_ranking(
        br.fit(counts_of([73, 76, 70], [7, 4, 10], [6, 9, 2], [24, 21, 28]), draws=100, seed=1), "f1"
    )
    part = ranking.isel(entity=[0, 2])
    assert len(br.ranking_table(part)) == 2
    with pytest.raises(ValueError, match="ranking must be whole, of 3 entities; got 2 of them"):
        br.verdict(part)
    for other in (ranking[["tier"]], ranking.isel(entity=[])):
        with pytest.raises(ValueError, match=r"ranking must come from br\.credible_ranking"):
            br.ranking_table(other)


def test_two_that_are_never_defined_together_are_not_compared():
    values = draws_of(
        np.where(np.arange(400)[:, None] % 2 == [0, 1], np.random.default_rng(1).random((400, 2)), np.nan), ["a", "b"]
    )
    assert "cannot be compared" in br.verdict(br.credible_ranking(values))[0]


def test_a_pool_of_unequal_data_sets_is_not_one_test_set():
    """The kidney stones: 350 cases each in all, but of other sizes on small and on large ones."""
    stones = counts_of(
        [40, 8, 8, 40], [2] * 4, [6, 36, 71, 25], [81, 234, 192, 55], entity=list("ABAB"), dataset=list("ssll")
    )
    posterior = br.fit(br.pool(stones), seed=1)
    assert groups_of(posterior)["posterior"].sizes["test_set"] == 2
    lines = said(br.credible_ranking(posterior, "tpr"))
    assert "Simpson" in lines
    assert "same cases" not in lines


def test_a_tie_in_every_draw_is_called_one():
    same = np.random.default_rng(1).random((1000, 1))
    values = xr.DataArray(np.hstack([same, same, same, same - 1]), {"entity": list("abcd")}, ("draw", "entity"))
    pair = br.credible_ranking(values.isel(entity=[0, 1]))
    assert br.verdict(pair)[0] == "a and b share the first place (P(best) = 0.50 each)."
    assert "b ties with a with probability at least 0.95." in br.notes(pair)
    close = br.credible_ranking(values.isel(entity=[0, 1]) + np.array([0, 0.001]), rope=0.01)
    assert "a differs by at most 0.01 from b with probability at least 0.95." in br.notes(close)
    assert "b and c tie with a with probability at least 0.95 each." in br.notes(br.credible_ranking(values))
    assert "b ties with a with probability at least 0.95." in br.notes(br.credible_ranking(values[:, [0, 1, 3]]))


def test_tiers_that_are_out_of_step_are_told():
    """Nobody knows much of the erratic one: the first beats the steady one before it, but not it."""
    rng = np.random.default_rng(1)
    spread = {"first": (0.0, 0.1), "steady": (-1.0, 0.1), "erratic": (-1.2, 2.0), "last": (-9.0, 0.1)}
    draws = {name: rng.normal(mean, sd, 4000) for name, (mean, sd) in spread.items()}
    values = xr.DataArray(np.column_stack(list(draws.values())), {"entity": list(draws)}, ("draw", "entity"))
    ranking = br.credible_ranking(values)
    table = br.ranking_table(ranking)
    assert table.index.tolist() == list(draws)
    assert table["tier"].tolist() == [1, 2, 1, 3]
    (note,) = [line for line in br.notes(ranking) if line.startswith("Tiers and order differ")]
    assert note == (
        "Tiers and order differ for 1 entity: steady (tier 2) is before erratic (tier 1), but only steady is beaten by "
        "first with probability 0.95."
    )
    assert "differ for" not in said(br.credible_ranking(values.sel(entity=["first", "steady", "last"])))


def test_sentences_name_scores_as_headings_do():
    posterior = br.fit(br.from_counts(tn=[8, 9], fp=[2, 1], fn=[3, 1], tp=[7, 9], entity=["a", "b"]), seed=1, draws=99)
    tpr = br.credible_ranking(posterior, "tpr")
    assert br.verdict(tpr)[1].endswith(" sensitivity (TPR).")
    assert "_" not in said(tpr)
    assert br.scores.get("macro f1").display == "macro F1"
    assert dataclasses.replace(br.scores.f1, name="my_f1").display == "my f1"
    assert br.scores.Score("cost", None, display="cost in euros").display == "cost in euros"
