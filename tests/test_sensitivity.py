"""Which conclusions survive, against refits, reweighted draws and brute force."""

import itertools
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayesrank as br
from bayesrank.sensitivities import conflicts
from bayesrank.sensitivities.conflicts import beta_binomial_tails, prior_conflict
from bayesrank.words.sentences import say
from tests.strategies import INCOMPLETE, peak_of
from tests.told import codes_in, notes_in

COUNTS = br.from_counts(
    tn=[170, 179, 160], fp=[10, 1, 20], fn=[9, 2, 19], tp=[61, 68, 51], entity=["b", "a", "c"]
)
RNG = np.random.default_rng(5)
RIGHT = pd.DataFrame(
    {
        "x": RNG.binomial(1, 0.8, 200),
        "y": RNG.binomial(1, 0.6, 200),
        "z": RNG.binomial(1, 0.55, 200),
    }
)
ANSWERS = br.from_outcomes(RIGHT)

STRONG = [[9, 1], [1, 9]]
TRUE = RNG.binomial(1, 0.4, 300)
JOINT = br.joint_outcomes(
    TRUE, {n: np.where(RNG.random(300) < q, TRUE, 1 - TRUE) for n, q in (("p", 0.9), ("q", 0.7))}
)
CELLS = dict(
    zip(("tn", "fp", "fn", "tp"), np.random.default_rng(2).integers(20, 40, (4, 6)), strict=True)
)
SETS = br.from_counts(**CELLS, entity=list("aaabbb"), dataset=list("xyz") * 2)
TABLES = br.from_frame(
    RIGHT.melt(var_name="entity", value_name="outcome").value_counts().reset_index()
)


@pytest.fixture(scope="module")
def found():
    return br.sensitivity(
        COUNTS,
        "accuracy",
        scores=["f1", (0.5, 0.5)],
        prevalences=[0.02],
        priors={"strong": STRONG},
        seed=4,
        draws=100,
    )


FLAT, POPULATION = "beta_binomial", "hierarchical_beta_binomial"
KINDS = {"base": "base", "without": "data"}
#: Evidence, score, what is varied, and the analysis of each row: how it differs from the base.
ROWS = {
    "counts": (COUNTS, "accuracy", None, {
        "base": {}, "prior strong": {"prior": STRONG}, "prior at half its weight": {"prior": 0.25},
        "prior at twice its weight": {"prior": 1}, "model beta_binomial": {"model": "beta_binomial"},
        "score f1": {"score": "f1"}, "score canonical_0_5_0_5": {"score": (0.5, 0.5)},
        "prevalence 0.02": {"prevalence": 0.02},
    }),
    # Twice one case on two outcomes is the uniform prior, which is listed once.
    "outcomes": (ANSWERS, "mean_outcome", {"models": ["dirichlet_multinomial"]}, {
        "base": {}, "prior uniform": {"prior": 1},
        "prior at half its weight": {"prior": 0.25}, "model dirichlet_multinomial": {"evidence": TABLES},
    }),
    "joint tables": (JOINT, "f1", {"scores": ["tnr"], "prevalences": [0.1], "models": ["dirichlet_multinomial"]}, {
        "base": {}, "prior uniform": {"prior": 1}, "prior at half its weight": {"prior": 0.25},
        "model dirichlet_multinomial": {"model": "dirichlet_multinomial"}, "score tnr": {"score": "tnr"},
        "prevalence 0.1": {"prevalence": 0.1},
    }),
    # Tables of several data sets are pooled.
    "data sets": (SETS, "f1", {"alternatives": ["datasets"], "model": "dirichlet_multinomial"}, {
        "base": {"evidence": br.pool(SETS)},
        **{f"without data set {n}": {"evidence": br.pool(SETS.drop_sel(dataset=n))} for n in "xyz"},
    }),
    # But for hierarchical models, in the base as among the others.
    "population": (SETS, "f1", {"model": POPULATION, "models": [FLAT], "alternatives": ["weights", "models"]}, {
        "base": {"model": POPULATION}, "prior of the spread at half its scale": {"model": POPULATION, "spread": 0.125},
        "prior of the spread at twice its scale": {"model": POPULATION, "spread": 0.5},
        "model beta_binomial": {"evidence": br.pool(SETS), "model": FLAT},
    }),
    "flat": (SETS, "f1", {"alternatives": ["models"], "models": [POPULATION], "model": FLAT}, {
        "base": {"evidence": br.pool(SETS), "model": FLAT}, "model hierarchical_beta_binomial": {"model": POPULATION},
    }),
}  # fmt: skip


@pytest.mark.parametrize("what", ROWS)
def test_every_row_is_the_ranking_of_that_analysis(found, what):
    """Exact where it is known in closed form; else draws of one seed and evidence, which are the same draws."""
    evidence, score, varied, analyses = ROWS[what]
    result = (
        found if varied is None else br.sensitivity(evidence, score, seed=4, draws=100, **varied)
    )
    assert result["alternative"].values.tolist() == list(analyses)
    for name, changed in analyses.items():
        how = {"evidence": evidence, "score": score} | changed
        by = how.pop("score")
        posterior = br.fit(**how, seed=np.random.SeedSequence(4), draws=100)
        ranking = br.credible_ranking(posterior, by, method="auto").sel(entity=result["entity"])
        row, first = result.sel(alternative=name), name.split()[0]
        assert row["kind"].item() == KINDS.get(first, first)
        for variable in (
            "median",
            "lower",
            "probability_best",
            "rank_lower",
            "tier",
            "consensus_rank",
        ):
            np.testing.assert_allclose(
                row[variable], ranking[variable], rtol=1e-12, err_msg=f"{name}, {variable}"
            )
        assert row["leader"].item() == br.ranking_table(ranking).index[0]
        best = ranking["probability_best"].sel(entity=result["leader"].values[0])
        np.testing.assert_allclose(row["base_leader_probability_best"], best)
        both = [result["consensus_rank"].values[0], ranking["consensus_rank"].values]
        assert row["kendall_tau"].item() == pytest.approx(stats.kendalltau(*both).statistic)


def test_the_scaled_prior_is_the_power_of_its_density_over_log_odds():
    """Draws of the base posterior, weighed by the prior density of the log-odds to the power k - 1, are its draws."""
    prior = np.array([[12.0, 3.0], [4.0, 11.0]])
    p = (
        br.as_performance(br.fit(COUNTS, prior=prior, draws=20_000, seed=1))
        .sel(entity="c")
        .values.reshape(-1, 2, 2)
    )
    result = br.sensitivity(
        COUNTS, "accuracy", prior=prior, priors=[], models=[], draws=4000, seed=2
    )
    for name, k in (("prior at half its weight", 0.5), ("prior at twice its weight", 2.0)):
        weight = np.exp((k - 1) * (prior * np.log(p)).sum((1, 2)))
        weight /= weight.sum()
        accuracy = p[:, 0, 0] + p[:, 1, 1]
        mean = weight @ accuracy
        error = np.sqrt(weight**2 @ (accuracy - mean) ** 2)
        row = result.sel(alternative=name, entity="c")
        sd = float(row["upper"] - row["lower"]) / 3.92
        # The median of a nearly normal posterior is off its mean by less than a hundredth of its width.
        assert (
            abs(float(row["median"]) - mean)
            < 4.5 * np.hypot(error, 1.26 * sd / np.sqrt(16_000)) + 0.03 * sd
        )


def test_conclusions_are_those_of_the_base(found):
    first = ["a comes first", "a is the best with probability at least 0.95", "the first tier is a"]
    assert found["conclusion"].values.tolist() == [*first, "a beats b", "a beats c"]
    base = found.sel(alternative="base")
    assert base["survives"].all()
    assert int(found["pairs"]) == int(base["pairs_kept"])
    assert int(base["pairs_turned"]) == 0
    assert base["kendall_tau"].item() == pytest.approx(1)


def test_a_conclusion_that_fails_is_stated_with_the_alternative():
    # Better among negatives, worse among positives: which is better is a question of the score.
    counts = br.from_counts(
        tn=[950, 800], fp=[50, 200], fn=[60, 5], tp=[40, 95], entity=["shy", "eager"]
    )
    result = br.sensitivity(counts, "tnr", scores=["tpr"], seed=1)
    survives = result["survives"].to_pandas()
    assert survives.loc["score tpr"].tolist() == [False] * 4
    assert survives.drop("score tpr").all().all()
    row = result.sel(alternative="score tpr")
    assert (row["kendall_tau"].item(), int(row["pairs_kept"]), int(row["pairs_turned"])) == (
        -1.0,
        0,
        1,
    )
    words = br.verdict(result)
    assert (
        words[0]
        == "None of 4 conclusions of the base analysis by specificity (TNR) holds under all 4 alternatives."
    )
    assert words[1] == 'The conclusion "shy comes first" fails under "score tpr".'
    assert words[2].startswith("P(shy is best) lies between <0.001 and >0.999")
    assert any(
        "some alternative keeps none of these orders; at most 1 is reversed" in line
        for line in br.notes(result)
    )


@pytest.mark.parametrize(
    ("classes", "entities"),
    [
        (2, 1),
        *(
            pytest.param(*each, marks=pytest.mark.slow)
            for each in ((2, 3), (10, 3), (50, 1), (50, 3))
        ),
    ],
)
def test_all_defaults_go_together(classes, entities):
    rng = np.random.default_rng(classes)
    table = rng.poisson(2, (entities, classes, classes)) + 20 * np.eye(classes, dtype=int)
    result = br.sensitivity(br.from_matrix(table, "actual_rows"), "accuracy", draws=25, seed=1)
    assert result["survives"].sel(alternative="base").all()
    assert result["kendall_tau"].isnull().all() == (entities == 1)
    assert br.verdict(result)
    names = result["alternative"].values.tolist()
    # For two classes the default prior is Jeffreys', and the uniform one is twice as heavy.
    assert ("prior jeffreys" in names) == (classes > 2)
    assert ("prior of the spread at twice its scale" in names) == (
        classes > 2
    )  # classes learn from each other
    assert ("model beta_binomial" in names) == (classes == 2)


def test_order_and_seed():
    some = {"draws": 100, "alternatives": ["models"]}
    one = br.sensitivity(COUNTS, "f1", seed=3, **some)
    turned = br.sensitivity(COUNTS.isel(entity=[2, 0, 1]), "f1", seed=3, **some)
    for name in ("probability_best", "tier"):
        np.testing.assert_allclose(turned[name].sel(entity=one["entity"]), one[name], rtol=1e-12)
    assert turned["conclusion"].values.tolist() == one["conclusion"].values.tolist()
    assert (turned["survives"].values == one["survives"].values).all()
    # A generator is asked once: the rates of both models are drawn from the same streams.
    generator = br.sensitivity(COUNTS, "tpr", seed=np.random.default_rng(1), **some)
    other = generator.sel(alternative="model beta_binomial")["median"]
    np.testing.assert_allclose(other, generator["median"][0], rtol=1e-12)


SURE = [[90.0, 10.0], [10.0, 90.0]]


def tail_of(masses, seen):
    return min(1.0, 2 * min(masses[: seen + 1].sum(), masses[seen:].sum()))


def test_tails_against_brute_force():
    counts = br.from_counts(tn=[5, 9], fp=[7, 3], fn=[4, 1], tp=[3, 6], entity=["a", "b"])
    prior = np.array([[6.0, 2.0], [1.5, 4.0]])
    found = prior_conflict(counts, prior=prior)
    assert found["check"].values.tolist() == [
        "right of negative", "right of positive", "right of all", "cases of positive",
    ]  # fmt: skip
    for i, ((tn, _), (_, tp)) in enumerate(counts.values):
        rows = [
            stats.betabinom(12, 6, 2).pmf(np.arange(13)),
            stats.betabinom(7, 4, 1.5).pmf(np.arange(8)),
        ]
        together = np.zeros(20)
        for a, b in itertools.product(range(13), range(8)):
            together[a + b] += rows[0][a] * rows[1][b]
        sizes = stats.betabinom(19, 5.5, 8).pmf(np.arange(20))
        exact = [
            tail_of(rows[0], tn),
            tail_of(rows[1], tp),
            tail_of(together, tn + tp),
            tail_of(sizes, 7),
        ]
        np.testing.assert_allclose(found["tail_probability"][i], exact, rtol=1e-9)
        np.testing.assert_allclose(found["observed"][i], [tn / 12, tp / 7, (tn + tp) / 19, 7 / 19])
    np.testing.assert_allclose(
        found["expected"][0], [0.75, 4 / 5.5, (12 * 0.75 + 7 * 4 / 5.5) / 19, 5.5 / 13.5]
    )
    assert found.attrs["bound"] == pytest.approx(0.01 / 8)
    posterior = [stats.beta(6 + 5, 2 + 7), stats.beta(4 + 3, 1.5 + 4)]
    mean = 12 * posterior[0].mean() + 7 * posterior[1].mean()
    sd = np.hypot(12 * posterior[0].std(), 7 * posterior[1].std())
    np.testing.assert_allclose(
        found["pull"][0, :3],
        [
            *((b.mean() - x) / b.std() for b, x in zip(posterior, (5 / 12, 3 / 7), strict=True)),
            (mean - 8) / sd,
        ],
    )
    assert "cases of positive" not in prior_conflict(counts, "beta_binomial")["check"].values


def test_a_planted_conflict_is_named():
    counts = br.from_counts(
        tn=[60, 91], fp=[40, 9], fn=[41, 8], tp=[59, 92], entity=["planted", "fine"]
    )
    found = prior_conflict(counts, prior=SURE)
    assert found["conflict"].sel(entity="planted").values.tolist() == [True, True, True, False]
    assert not found["conflict"].sel(entity="fine").any()
    assert (found["tail_probability"].where(found["conflict"], 0) <= 0.01 / 8).all()
    notes = notes_in(found)
    assert codes_in(found) == ["prior_contradicted"] * 3
    worst = {"part": "right", "label": None, "table": "planted", "observed": 0.595, "tables": 1}
    assert worst.items() <= notes[0].fields.items()
    assert notes[0].fields["expected"] == pytest.approx(0.9)
    result = br.sensitivity(counts, "accuracy", prior=SURE, alternatives=[], seed=1)
    assert notes_in(result)[:3] == notes
    assert set(map(say, notes)) <= {*br.verdict(result), *br.notes(result)}
    # Small errors in every class are seen in all of them together.
    ten = br.from_matrix(np.full((10, 10), 1) + 9 * np.eye(10, dtype=int), "actual_rows")
    spread = prior_conflict(ten, prior=np.full((10, 10), 1 / 3) + np.eye(10) * 26.7)
    assert spread["conflict"].sel(check="right of all").all()


def test_flat_and_two_peaked_priors_contradict_nothing():
    middle = br.from_counts(tn=[50, 99], fp=[50, 1], fn=[50, 1], tp=[50, 99])
    for prior in ("uniform", "jeffreys", 0.1):
        assert not prior_conflict(middle, prior=prior)["conflict"].any()
    half = br.from_matrix(
        np.array([[[50, 50 // 2, 25], [25, 50, 25], [25, 25, 50]]]), "actual_rows"
    )
    assert not prior_conflict(half)["conflict"].any()
    # Excellent classifiers surprise the default prior, which is worth four cases and hardly moves anything.
    for table in (np.diag([400, 600]), np.diag([20] * 50), np.array([[4000, 1], [0, 12]])):
        found = prior_conflict(br.from_matrix(table, "actual_rows"))
        assert not found["conflict"].any()
        assert float(np.abs(found["pull"]).max()) < 2
    assert (
        prior_conflict(br.from_matrix(np.diag([20] * 50), "actual_rows"))["tail_probability"].min()
        < 1e-6
    )
    # An improper prior predicts nothing.
    none = prior_conflict(middle, prior="haldane")
    assert none["tail_probability"].isnull().all()
    assert notes_in(none) == []


def test_unmeasured_tables_are_not_checked():
    found = prior_conflict(INCOMPLETE)
    assert found["tail_probability"].dims == ("entity", "dataset", "check")
    assert found["tail_probability"].sel(entity="b", dataset="y").isnull().all()
    assert found["tail_probability"].sel(entity="a").notnull().all()
    assert found.attrs["bound"] == pytest.approx(0.01 / 12)


def test_one_data_set_is_not_left_out_and_nothing_may_be_changed():
    alone = br.sensitivity(SETS, "f1", alternatives=[], seed=1)
    assert alone.sizes["alternative"] == 1
    assert br.verdict(alone)[0] == "Nothing was changed: there is no alternative."
    assert (
        "data" not in br.sensitivity(SETS.isel(dataset=[0]), "f1", seed=1, draws=20)["kind"].values
    )


@pytest.mark.parametrize(
    ("outcomes", "options"),
    [
        (RIGHT.astype(float).mask(np.arange(len(RIGHT))[:, None] == [0, 1, 2]), {}),
        (RIGHT, {"range": (0, 1)}),
    ],
)
def test_right_and_wrong_are_whole_numbers_in_every_form(outcomes, options):
    """The prior of each alternative is matched with counts of 0 and 1, be they held as floats or declared as such."""
    joint = br.from_outcomes(outcomes, missing="own")
    found = br.sensitivity(joint, alternatives=[], draws=50, seed=3, **options)
    ranking = br.credible_ranking(
        br.fit(joint, "paired", draws=50, seed=np.random.SeedSequence(3)), "mean_outcome"
    )
    np.testing.assert_allclose(
        found["median"].sel(alternative="base"), ranking["median"], rtol=1e-9
    )
    assert "prior_contradicted" not in codes_in(found)


@pytest.mark.slow
def test_the_prior_of_graded_outcomes():
    grades = pd.DataFrame({"a": RNG.integers(0, 4, 80) / 3, "b": RNG.integers(0, 3, 80) / 3})
    joint = br.from_outcomes(grades)

    def alternatives(evidence=joint, **options):
        return br.sensitivity(evidence, draws=20, seed=1, **options)["alternative"].values.tolist()[
            1:
        ]

    scaled = ["prior at half its weight", "prior at twice its weight"]
    # Multiples of 1/3 are taken as means of three runs, whose prior has two cases at each end.
    assert alternatives() == ["prior uniform", "prior jeffreys", *scaled]
    # Without a prior there is nothing to scale.
    assert alternatives(prior="haldane") == ["prior uniform", "prior jeffreys"]
    assert alternatives(range=(0, 1)) == ["prior haldane", *scaled]
    assert alternatives(base={0: 1, 0.5: 3}) == ["prior haldane", *scaled]
    assert alternatives(base={0: 1, 0.5: 3}, alternatives=["models", "datasets"]) == []
    assert alternatives(prior="uniform") == ["prior jeffreys", "prior at twice its weight"]
    many = br.from_outcomes(pd.DataFrame(RNG.random((60, 2)), columns=["a", "b"]))
    assert alternatives(many) == []
    assert alternatives(many, range=(0, 1)) == ["prior haldane", *scaled]
    # Two cases at each end, halved: one at each.
    half = br.sensitivity(many, range=(0, 1), draws=100, seed=1).sel(alternative=scaled[0])
    one = br.fit(
        many, "paired", draws=100, seed=np.random.SeedSequence(1), range=(0, 1), base={0: 1, 1: 1}
    )
    np.testing.assert_allclose(
        half["median"], br.credible_ranking(one, "mean_outcome")["median"], rtol=1e-12
    )


@pytest.mark.parametrize("cases", [True, False])
def test_data_sets_of_outcomes_are_left_out_in_turn(cases):
    """A value that only one data set has stays in the prior when it is left out."""
    values = RIGHT.copy().astype(float)
    values.iloc[150:, 0] = 0.5
    where = np.repeat(["s", "t"], [150, 50])
    joint = br.from_outcomes(values, dataset=where)
    evidence = joint
    if not cases:
        long = values.assign(dataset=where).melt("dataset", var_name="entity", value_name="outcome")
        evidence = br.from_frame(long.value_counts().reset_index(), dataset="dataset")
    found = br.sensitivity(
        evidence, prior="uniform", alternatives=["models", "datasets"], draws=100, seed=1
    )
    assert found["alternative"].values.tolist() == [
        "base",
        "without data set s",
        "without data set t",
    ]
    rest = found.sel(alternative="without data set t")
    right = RIGHT[:150]
    for name in "xyz":
        exact = (right[name].sum() + 1.5) / (150 + 3)
        sd = np.sqrt(0.25 / 150)
        assert (
            abs(float(rest["median"].sel(entity=name)) - exact) < 5 * 1.3 * sd / np.sqrt(400) + 1e-3
        )


def test_a_conflict_of_outcomes_is_named():
    """The number with an outcome is beta-binomial before any data."""
    prior = np.array([40.0, 160.0])
    found = br.sensitivity(ANSWERS, prior=prior, alternatives=[], draws=20, seed=1)
    expected = {"part": "outcome", "label": "1", "expected": 0.8, "table": "z"}
    assert expected.items() <= notes_in(found)[0].fields.items()
    conflict = prior_conflict(TABLES.sortby("outcome"), prior=prior)
    assert conflict["check"].values.tolist() == ["outcome 1"]
    for name in "xyz":
        tail = tail_of(stats.betabinom(200, 160, 40).pmf(np.arange(201)), RIGHT[name].sum())
        assert float(conflict["tail_probability"].sel(entity=name).item()) == pytest.approx(
            tail, rel=1e-8
        )
    for evidence in (ANSWERS, br.from_outcomes(RIGHT, cluster=np.arange(200) // 4)):
        unsurprised = br.sensitivity(evidence, alternatives=[], draws=20, seed=1)
        assert "prior_contradicted" not in codes_in(unsurprised)
    y = RNG.binomial(1, 0.5, 200)
    joint = br.joint_outcomes(y, {"bad": np.where(RNG.random(200) < 0.6, y, 1 - y)})
    told = br.sensitivity(joint, "accuracy", prior=SURE, alternatives=[], draws=20, seed=1)
    assert "bad" in {
        note.fields["table"] for note in notes_in(told) if note.code == "prior_contradicted"
    }
    assert any(
        note.fields.get("part") == "right" and note.fields["label"] is None
        for note in notes_in(told)
    )


# --- Conflicts take the same time and memory for ten cases and for a billion ---


@pytest.mark.parametrize("size", [1, 10, 5000])
@pytest.mark.parametrize(
    ("alpha", "beta"), [(1.0, 1.0), (0.5, 0.5), (0.02, 3.0), (90.0, 10.0), (2000.0, 7.0)]
)
def test_tails_are_those_of_the_lattice(size, alpha, beta):
    for seen in sorted({0, 1, size // 3, size - 1, size} - {-1}):
        low, high = beta_binomial_tails(seen, size, alpha, beta)
        assert low == pytest.approx(
            stats.betabinom.cdf(seen, size, alpha, beta), rel=1e-7, abs=1e-10
        )
        assert high == pytest.approx(
            stats.betabinom.sf(seen - 1, size, alpha, beta), rel=1e-7, abs=1e-10
        )
        mass = stats.betabinom.pmf(seen, size, alpha, beta)
        assert low + high - 1 == pytest.approx(mass, rel=1e-6, abs=1e-9)


def large(size, right=0.9):
    tn, tp = int(0.6 * size * right), int(0.4 * size * right)
    return br.from_counts(tn=tn, fp=int(0.6 * size) - tn, fn=int(0.4 * size) - tp, tp=tp)


@pytest.mark.parametrize("prior", ["jeffreys", [[30, 10], [5, 50]], [[3000, 1000], [500, 5000]]])
def test_bins_of_the_sum_agree_with_the_counts(monkeypatch, prior):
    counts = large(60_000, 0.805)
    exact = prior_conflict(counts, prior=prior)
    monkeypatch.setattr(conflicts, "EXACT", 1000)
    binned = prior_conflict(counts, prior=prior)
    np.testing.assert_allclose(
        binned["tail_probability"], exact["tail_probability"], rtol=1e-2, atol=1e-4
    )
    for name in ("observed", "expected", "pull"):
        np.testing.assert_array_equal(binned[name], exact[name])


def test_memory_does_not_grow_with_the_cases():
    prior_conflict(large(1000))
    check = partial(prior_conflict, large(10**15), prior=SURE)
    assert peak_of(check) < 20e6
    assert check()["tail_probability"].notnull().all()


@pytest.mark.slow
def test_studies_with_two_tests_need_few_new_fits():
    """With the difficulty of a study integrated out, leaving out a study that had two tests reweights the draws."""
    found = br.sensitivity(
        br.datasets.load("scheidler_lymph_imaging"),
        "informedness",
        alternatives=["datasets"],
        seed=1,
    )
    k = found["pareto_k"].sel(alternative=found["kind"] == "data")
    assert k.size == 37
    assert not k.isnull().any()
    assert int((k > 0.7).sum()) <= 2
