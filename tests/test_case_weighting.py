"""Nothing counts or weights cases unless it is named; importance weights keep Kish's effective number of cases."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from sklearn.metrics import f1_score

import bayesrank as br
from bayesrank._core.notes import notes_of
from bayesrank.words.sentences import say
from tests.commands import invoke, refused

RNG = np.random.default_rng(3)
SIZE = 200
TRUTH = RNG.integers(0, 2, SIZE)
GUESSES = {
    name: np.where(RNG.random(SIZE) < p, TRUTH, 1 - TRUTH) for name, p in (("a", 0.8), ("b", 0.7))
}
OUTCOMES = pd.DataFrame({name: (held == TRUTH).astype(int) for name, held in GUESSES.items()})
WEIGHT = RNG.gamma(1.0, 1.0, SIZE)
KISH = WEIGHT.sum() ** 2 / (WEIGHT**2).sum()
PATIENTS = pd.DataFrame(
    {
        "patient": range(120),
        "mri": RNG.integers(0, 2, 120),
        "ct": RNG.integers(0, 2, 120),
        "weight": RNG.uniform(50, 110, 120).round(),
    }
)
MAKERS = {
    "from_predictions": lambda **given: br.from_predictions(TRUTH, GUESSES, **given),
    "joint_outcomes": lambda **given: br.joint_outcomes(TRUTH, GUESSES, **given),
    "from_outcomes": lambda **given: br.from_outcomes(OUTCOMES, **given),
}


def total(evidence):
    return float(
        evidence["count"].sum()
        if isinstance(evidence, xr.Dataset)
        else evidence.sel(entity="a").sum()
    )


@pytest.fixture(params=MAKERS)
def make(request):
    return MAKERS[request.param]


def test_weights_sum_to_the_effective_number_of_cases(make):
    found = make(weight=WEIGHT)
    assert total(found) == pytest.approx(KISH, rel=1e-6)
    (note,) = notes_of(found.attrs["notes"])
    assert note.fields["cases"] == SIZE
    assert note.fields["effective"] == pytest.approx(KISH, rel=1e-6)
    assert f"count as {KISH:,.1f} cases" in say(note)


def test_weights_have_no_scale(make):
    xr.testing.assert_identical(make(weight=WEIGHT), make(weight=WEIGHT * 1024))
    xr.testing.assert_allclose(make(weight=WEIGHT), make(weight=WEIGHT * 1e-7 / 3), atol=1e-5)


def test_equal_weights_are_no_weights(make):
    xr.testing.assert_identical(make(), make(weight=np.full(SIZE, 0.1)))
    some = np.arange(SIZE) % 3 > 0
    xr.testing.assert_identical(make(count=some.astype(int)), make(weight=some * 2.5))


def test_counts_are_rows(make):
    count = np.arange(SIZE) % 4
    assert total(make(count=count)) == count.sum()
    both = make(count=count, weight=WEIGHT)
    assert total(both) == pytest.approx((count @ WEIGHT) ** 2 / (count @ WEIGHT**2), rel=1e-6)


@pytest.mark.parametrize("average", ["binary", "macro"])
def test_weighted_scores_are_those_of_scikit_learn(average):
    found = br.from_predictions(TRUTH, GUESSES, weight=WEIGHT)
    score = {"binary": br.scores.f1, "macro": br.scores.macro_f1}[average]
    for name, guess in GUESSES.items():
        expected = f1_score(TRUTH, guess, average=average, sample_weight=WEIGHT)
        assert score(found).sel(entity=name).item() == pytest.approx(expected, abs=1e-6)


def test_data_sets_have_effective_numbers_of_their_own():
    where = np.arange(SIZE) % 2
    found = br.from_predictions(TRUTH, GUESSES, weight=WEIGHT * (1 + 9 * where), dataset=where)
    for one in (0, 1):
        own = WEIGHT[where == one]
        cases = float(found.sel(entity="a", dataset=one).sum())
        assert cases == pytest.approx(own.sum() ** 2 / (own**2).sum(), rel=1e-6)


def test_missing_cases_do_not_count():
    guess = [None, *GUESSES["a"][1:]]
    found = br.joint_outcomes(
        TRUTH, {"a": guess, "b": GUESSES["b"]}, weight=WEIGHT, missing="common"
    )
    assert total(found) == pytest.approx(WEIGHT[1:].sum() ** 2 / (WEIGHT[1:] ** 2).sum(), rel=1e-6)
    assert found.attrs["cases_left_out"] == 1
    frame = OUTCOMES.astype(float)
    frame.iloc[0, 0] = np.nan
    own = br.from_outcomes(frame, weight=WEIGHT, missing="own")
    assert total(own) == pytest.approx(KISH, rel=1e-6)


def test_runs_of_a_case_share_its_weight():
    case, run = np.arange(SIZE) // 2, np.arange(SIZE) % 2
    weight = WEIGHT[case]
    found = br.from_outcomes(OUTCOMES, case=case, run=run, weight=weight)
    own = WEIGHT[: SIZE // 2]
    assert total(found) == pytest.approx(own.sum() ** 2 / (own**2).sum(), rel=1e-6)
    with pytest.raises(br.ArgumentError, match="weight must be the same for all runs of a case"):
        br.from_outcomes(OUTCOMES, case=case, run=run, weight=WEIGHT)


def test_named_cases_take_weights_but_no_counts():
    case = [f"case {i}" for i in range(SIZE)]
    assert total(br.from_outcomes(OUTCOMES, case=case, weight=WEIGHT)) == pytest.approx(
        KISH, rel=1e-6
    )
    with pytest.raises(br.ArgumentError, match="count must be 0 or 1 if cases have names"):
        br.from_outcomes(OUTCOMES, case=case, count=[2] * SIZE)


@pytest.mark.parametrize("model", ["dirichlet_multinomial", "paired"])
def test_the_posterior_has_the_variance_of_the_weights(model):
    make = br.joint_outcomes if model == "paired" else br.from_predictions
    evidence = make(TRUTH, GUESSES, weight=WEIGHT)
    draws = br.scores.accuracy(br.fit(evidence, model, prior=0.01, draws=4000, chains=1, seed=1))
    right = GUESSES["a"] == TRUTH
    mean = np.average(right, weights=WEIGHT)
    spread = np.sqrt((WEIGHT**2 * (right - mean) ** 2).sum()) / WEIGHT.sum()
    assert float(draws.sel(entity="a").mean()) == pytest.approx(mean, abs=0.01)
    assert float(draws.sel(entity="a").std()) == pytest.approx(spread, rel=0.06)


def test_the_exact_ranking_agrees_with_draws():
    """Weights of classes whose sizes are known: the rows are Dirichlet variables."""
    evidence = br.from_predictions(TRUTH, GUESSES, weight=np.where(TRUTH == 1, 1.0, 0.3))
    posterior = br.fit(evidence, "beta_binomial", draws=4000, seed=1)
    drawn, exact = (
        br.credible_ranking(posterior, "f1", method=method) for method in ("draws", "exact")
    )
    for name in ("lower", "upper"):
        np.testing.assert_allclose(exact[name], drawn[name], atol=0.01)
    closed = br.credible_ranking(evidence, "f1", method="exact", model="beta_binomial")
    np.testing.assert_allclose(exact["median"], closed["median"], rtol=1e-9)


@pytest.mark.parametrize("model", ["dirichlet_multinomial", "beta_binomial"])
def test_other_weights_have_no_closed_form(model):
    evidence = br.from_predictions(TRUTH, GUESSES, weight=WEIGHT)
    with pytest.raises(
        br.ArgumentError, match="weight must be equal for a posterior in closed form"
    ):
        br.credible_ranking(evidence, "f1", method="exact", model=model)
    posterior = br.fit(evidence, model, draws=200, seed=1)
    auto, drawn = (
        br.credible_ranking(posterior, "f1", method=method) for method in ("auto", "draws")
    )
    xr.testing.assert_equal(auto["median"], drawn["median"])


@pytest.mark.parametrize("refuse", ["hierarchical", "pool", "predict"])
def test_models_without_weights_refuse_them(refuse):
    where = np.arange(SIZE) % 4
    evidence = br.from_predictions(TRUTH, GUESSES, weight=WEIGHT, dataset=where)
    calls = {
        "hierarchical": lambda: br.fit(evidence, "hierarchical_beta_binomial"),
        "pool": lambda: br.pool(evidence),
        "predict": lambda: br.posterior_predictive(
            br.fit(evidence, "beta_binomial", draws=10, seed=1)
        ),
    }
    with pytest.raises(br.ArgumentError, match="whole number"):
        calls[refuse]()


# --- Tables -------------------------------------------------------------------------------------------------------


def test_body_weight_is_neither_a_count_nor_an_entity():
    said = "'weight' is probably not an entity.*weight='weight'"
    with pytest.raises(br.ArgumentError, match=said):
        br.from_outcomes(PATIENTS, case="patient")
    with pytest.raises(br.ArgumentError, match=said):
        br.from_frame(PATIENTS, case="patient")
    plain = br.from_frame(PATIENTS.drop(columns="weight"), case="patient")
    assert int(plain["count"].sum()) == 120
    weighted = br.from_frame(PATIENTS, case="patient", weight="weight")
    xr.testing.assert_equal(weighted, br.from_outcomes(PATIENTS, case="patient", weight="weight"))
    kg = PATIENTS["weight"]
    assert float(weighted["count"].sum()) == pytest.approx(kg.sum() ** 2 / (kg**2).sum(), rel=1e-6)


def test_a_long_table_ignores_a_column_weight():
    long = PATIENTS.melt(["patient", "weight"], ["mri", "ct"], "entity", "outcome").rename(
        columns={"patient": "case"}
    )
    assert int(br.from_frame(long)["count"].sum()) == 120
    xr.testing.assert_equal(
        br.from_frame(long, weight="weight"),
        br.from_outcomes(PATIENTS.drop(columns="patient"), weight="weight"),
    )
    counted = br.from_frame(long, count="weight")
    assert int(counted["count"].sum()) == PATIENTS["weight"].sum()


def test_the_command_names_the_options(tmp_path):
    path = tmp_path / "patients.csv"
    PATIENTS.to_csv(path, index=False)
    words = ("rank", path, "--case", "patient", "--draws", 50)
    said = refused(*words)
    for option in ("--weight weight", "--cluster weight", "--ignore weight"):
        assert option in said
        invoke(*words, *option.split())


def test_a_form_with_counts_stays():
    frame = pd.DataFrame(
        {
            "entity": list("aaaa"),
            "actual": [0, 0, 1, 1],
            "predicted": [0, 1, 0, 1],
            "count": [5, 1, 2, 9],
        }
    )
    assert br.from_frame(frame).values.tolist() == [[[5, 1], [2, 9]]]
    xr.testing.assert_identical(br.from_frame(frame), br.from_frame(frame, count="count"))
