"""Crossed effects: designs, the density of the graph, NUTS, comparisons within data sets, defaults and notes."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import special, stats

import bayesrank as br
from bayesrank._core.source import groups_of
from bayesrank.models import make_model
from bayesrank.models.parts.designs import basis_of_presence, describe_design
from tests.commands import json_of
from tests.scripts import load_script
from tests.told import codes_in

# Short runs warn that they are short.
pytestmark = pytest.mark.filterwarnings("ignore:The chains did not converge")
NAME = "crossed_logit_normal"
COMPLETE, CHAIN = (
    np.ones((3, 6), bool),
    np.array([[1, 1, 1, 1, 0, 0], [0, 0, 1, 1, 1, 0], [0, 0, 0, 0, 1, 1]], bool),
)
APART = np.array([[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 0]], bool)


def counts_of(met, right=None, cases=20, classes=False, seed=1):
    """Counts of the entities that met data sets (entity, dataset)."""
    rng = np.random.default_rng(seed)
    entity, dataset = np.nonzero(met)
    names = {"entity": [f"e{i}" for i in entity], "dataset": [f"s{d}" for d in dataset]}
    right = rng.binomial(cases, 0.8, met.shape) if right is None else np.asarray(right)
    right = right[met]
    if not classes:
        return br.from_frame(
            pd.DataFrame({**names, "correct": right, "wrong": cases - right}), dataset="dataset"
        )
    tp = rng.binomial(cases, 0.7, len(right))
    return br.from_counts(tn=right, fp=cases - right, fn=cases - tp, tp=tp, **names)


def fit(counts, **options):
    return groups_of(br.fit(counts, **{"model": NAME, "seed": 1, "draws": 500} | options))[
        "posterior"
    ]


def logits(posterior, variable="performance_typical"):
    """Draws (draw, entity) of the logits of typical rates of right and wrong."""
    return special.logit(
        posterior[variable].sel(outcome=1).transpose("chain", "draw", "entity").values
    ).reshape(-1, posterior.sizes["entity"])


# --- Designs ----------------------------------------------------------------------------------------------------------


def frame_of(datasets, third=1.0):
    """One row a case: the outcomes of three entities on ten cases of each data set."""
    rng = np.random.default_rng(3)
    right = rng.random((10 * datasets, 3)) < [0.6, 0.7, 0.8]
    frame = pd.DataFrame(right.astype(float), columns=list("abc"))
    frame.loc[0, "c"] = third
    return frame.assign(
        dataset=np.repeat([f"d{i}" for i in range(datasets)], 10), case=range(10 * datasets)
    )


def cases_of(datasets, third=1.0, **columns):
    frame = frame_of(datasets, third)
    return br.from_outcomes(
        frame if columns else frame.drop(columns="case"), dataset="dataset", **columns
    )


COUNTS_OF_FOUR = counts_of(np.ones((3, 4), bool))


def test_designs_are_named_and_their_pairs_listed():
    assert describe_design(COMPLETE, "abc") == ("complete", 0, 18, [], [])
    assert describe_design(CHAIN, "abc") == ("connected", 9, 18, [["a", "c"]], [])
    assert describe_design(APART, "abc") == ("unconnected", 10, 18, [], [["a", "b"], ["a", "c"]])


@pytest.mark.parametrize("met", [COMPLETE, CHAIN, APART])
def test_columns_span_the_shares_of_entities_and_are_orthogonal(met):
    basis = basis_of_presence(met)
    share = (met / met.sum(0)).T
    share = share - share.mean(0)
    assert basis.shape[1] == np.linalg.matrix_rank(share)
    np.testing.assert_allclose(basis.T @ basis, 6 * np.eye(basis.shape[1]), atol=1e-12)
    np.testing.assert_allclose(basis.mean(0), 0, atol=1e-12)
    np.testing.assert_allclose(basis @ (basis.T @ share) / 6, share, atol=1e-12)


# --- The density ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [pytest.param(False, marks=pytest.mark.slow), True])
def test_the_density_of_the_graph_is_that_of_the_model(classes):
    """Differences between points, with the means of the difficulties written out."""
    import pytensor.tensor as pt

    story = make_model(NAME, counts_of(CHAIN, classes=classes), {"spread": 0.7})
    model = story.build()
    logp = model.compile_logp(jacobian=False, mode="FAST_COMPILE")
    sum_to_zero = model.rvs_to_transforms[model["contrasts"]]
    rng = np.random.default_rng(5)
    rows, gaps = 1 + classes, []
    for _ in range(4):
        mu = rng.normal(size=(3, rows))
        level = mu.mean(0)
        contrasts = sum_to_zero.forward(pt.as_tensor((mu - level).T)).eval()
        point = {"median_right_logodds__": level, "contrasts_zerosum__": contrasts}
        point["coefficients"] = rng.normal(size=(2, rows))
        wanted = stats.beta(0.5, 0.5).logpdf(special.expit(level)).sum()  # one case
        wanted += stats.norm.logpdf(mu - level, scale=2).sum()
        wanted += stats.norm.logpdf(point["coefficients"]).sum()
        effects = {}
        for name, number in (("difficulty", 6), ("deviations", len(story.pairs))):
            sd = rng.uniform(0.2, 1.5, rows)
            point[f"sd_of_{name}_log__"] = np.log(sd)
            point[f"standard_{name}"] = z = rng.normal(size=(number, rows))
            scale = 1.4 if name == "difficulty" else 0.7
            wanted += stats.halfnorm.logpdf(sd, scale=scale).sum() + stats.norm.logpdf(z).sum()
            factor = np.diag(sd)
            if classes:
                half = rng.uniform(0.1, 0.9)
                point[f"half_of_{name}_logodds__"] = special.logit(half)
                wanted += stats.beta.logpdf(half, 2, 2)
                rho = 2 * half - 1
                factor = np.linalg.cholesky(np.outer(sd, sd) * [[1, rho], [rho, 1]])
            effects[name] = z @ factor.T
        entity, dataset = story.pairs.T
        hard = effects["difficulty"] + 1.4 * basis_of_presence(CHAIN) @ point["coefficients"]
        rate = special.expit(mu[entity] - hard[dataset] + effects["deviations"])
        wanted += stats.binom(story.cases, rate).logpmf(story.hits).sum()
        gaps.append(float(logp(point)) - wanted)
    assert np.ptp(gaps) == pytest.approx(0, abs=1e-7)


def summaries(posterior):
    """Parameters (draw, ...) in one row."""
    names = ["median_rate", "sd_of_deviations", "sd_of_difficulty", "difficulty", "mean_difficulty"]
    size = posterior.sizes["chain"] * posterior.sizes["draw"]
    return np.concatenate(
        [posterior[name].values.reshape(size, -1) for name in names if name in posterior], -1
    )


@pytest.mark.slow
@pytest.mark.parametrize("classes", [False, True])
@pytest.mark.parametrize("met", [CHAIN, APART])
def test_the_sampler_and_nuts_agree(met, classes):
    counts = counts_of(met, classes=classes)
    ours, other = (
        summaries(fit(counts, draws=2000, **options))
        for options in ({}, {"nuts": {"target_accept": 0.99}})
    )
    error = np.hypot(ours.std(0), other.std(0)) / np.sqrt(500)
    assert (abs(ours.mean(0) - other.mean(0)) < 5 * error).all()
    assert (abs(np.log(ours.std(0) / other.std(0))) < 5 / np.sqrt(500)).all()


@pytest.mark.slow
@pytest.mark.parametrize("design", ["complete", "connected", "unconnected"])
def test_calibration(design):
    measure = load_script("scripts/measure_crossed.py")
    for name, ranks in measure.draw_ranks(400, measure.CALIBRATED[design], False, seed=3).items():
        assert stats.kstest(ranks, "uniform").pvalue > 1e-3, name


# --- Comparisons within data sets -------------------------------------------------------------------------------------


def test_a_complete_design_with_two_entities_is_a_paired_analysis_of_logits():
    """With many cases and many data sets, the mean difference of logits and its standard error over data sets."""
    rng = np.random.default_rng(3)
    logit = rng.normal(0.5, 1, 25) + np.array([[0.25], [0.0]]) + rng.normal(0, 0.3, (2, 25))
    right = rng.binomial(20_000, special.expit(logit))
    found = logits(fit(counts_of(np.ones((2, 25), bool), right, 20_000)))
    apart = found[:, 0] - found[:, 1]
    paired = np.diff(special.logit(right / 20_000)[::-1], axis=0)[0]
    error = paired.std(ddof=1) / np.sqrt(25)
    assert apart.mean() == pytest.approx(paired.mean(), abs=0.15 * error)
    assert apart.std() == pytest.approx(error, rel=0.15)


def test_no_entity_is_credited_for_missing_the_hard_data_sets():
    """Equal entities: e1 lacks the hard data sets, and only the model of independent data sets prefers it."""
    rates = np.array([0.95, 0.94, 0.93, 0.95, 0.94, 0.93, 0.5, 0.4, 0.45])
    right = np.broadcast_to((200 * rates).astype(int), (2, 9))
    met = np.array([[1] * 9, [1] * 6 + [0] * 3], bool)
    counts = counts_of(met, right, 200)
    chosen, other = (
        logits(fit(counts, model=name)) for name in (NAME, "hierarchical_beta_binomial")
    )
    assert (chosen[:, 1] > chosen[:, 0]).mean() == pytest.approx(0.5, abs=0.1)
    assert (other[:, 1] > other[:, 0]).mean() > 0.95
    # Both would have the low rates of the hard data sets on a typical one.
    assert chosen.mean(0) == pytest.approx(chosen.mean(), abs=0.1)
    new = logits(fit(counts), "performance_new")
    assert np.corrcoef(new.T)[0, 1] > 0.9


def test_many_entities_do_not_pull_the_level():
    """The data sets alone inform of the level: eight entities with the answers of two have their typical rates."""
    right = np.array([28, 29, 27, 30])
    few, many = (
        logits(fit(counts_of(np.ones((k, 4), bool), np.tile(right, (k, 1)), 30))) for k in (2, 8)
    )
    assert few.mean() == pytest.approx(many.mean(), abs=0.25)


def test_few_data_sets_near_1_keep_their_typical_rate():
    """Rates of 0.995, 0.96 and 0.995: a prior of four cases and a narrower difficulty had the median 0.961."""
    right = np.array([[199, 192, 199]] * 2)
    typical = special.expit(np.median(logits(fit(counts_of(np.ones((2, 3), bool), right, 200)))))
    assert 0.978 < typical < 0.993


def test_one_prior_for_the_level():
    counts = counts_of(COMPLETE)
    with pytest.raises(br.ArgumentError, match="must be the same for all entities"):
        br.fit(
            counts, NAME, prior=xr.DataArray([[1.0, 2], [2, 1], [1, 2]], dims=("entity", "outcome"))
        )


def test_what_nothing_connects_stays_uncertain():
    right = np.array([[9] * 6, [19] * 6, [19] * 6])
    found = logits(fit(counts_of(APART, right)))
    joined = logits(fit(counts_of(COMPLETE, right)))
    assert (found[:, 1] - found[:, 0]).std() > 1
    assert (joined[:, 1] - joined[:, 0]).std() < 0.5
    assert 0.2 < (found[:, 1] > found[:, 0]).mean() < 0.8


def test_a_complete_design_is_the_model_of_meta_analysis():
    counts = counts_of(COMPLETE, classes=True)
    one, other = (make_model(name, counts, {}) for name in (NAME, "hierarchical_logit_normal"))
    assert one.terms == other.terms
    assert one.basis.shape == (6, 0)


@pytest.mark.slow
def test_draws_of_a_complete_design_are_those_of_meta_analysis():
    """The same terms; the prior of the medians differs, and the sampler's length."""
    counts = counts_of(COMPLETE, classes=True)
    ours, theirs = (
        summaries(fit(counts, model=name, draws=400))
        for name in (NAME, "hierarchical_logit_normal")
    )
    error = np.hypot(ours.std(0), theirs.std(0)) / np.sqrt(160)
    assert (abs(ours.mean(0) - theirs.mean(0)) < 4.5 * error).all()


# --- The default, its notes and its limits ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("met", "codes"),
    [
        (COMPLETE, ["design_complete"]),
        (CHAIN, ["design_incomplete"]),
        (APART, ["design_incomplete", "entities_unconnected"]),
    ],
    ids=["complete", "connected", "unconnected"],
)
def test_the_design_is_in_the_notes(met, codes):
    posterior = br.fit(counts_of(met), NAME, seed=1, draws=20)
    about = groups_of(posterior)["posterior"].attrs
    assert codes_in(about) == codes
    assert about["design"] == (
        "unconnected" if len(codes) > 1 else codes[0].removeprefix("design_")
    ).replace("incomplete", "connected")
    assert set(codes) <= set(codes_in(br.credible_ranking(posterior)))


def test_models_without_difficulty_say_so():
    for met, code in ((COMPLETE, "difficulty_ignored"), (CHAIN, "easy_datasets_credited")):
        about = fit(counts_of(met), model="hierarchical_beta_binomial", draws=20).attrs
        assert codes_in(about) == [code]
    about = fit(counts_of(CHAIN), model="hierarchical_logit_normal", draws=20).attrs
    assert codes_in(about) == ["datasets_missing_at_random"]
    one = fit(counts_of(COMPLETE[:1]), model="hierarchical_beta_binomial", draws=20)
    assert codes_in(one.attrs) == []


def test_entities_that_lack_data_sets_are_not_best_by_a_model_that_ignores_difficulty():
    """C4: the first entity is better by 0.5 logits, but the others lack the hardest data sets."""
    right = np.array([[10, 12, 26, 27, 27, 28], [8, 9, 24, 25, 25, 26], [8, 9, 24, 25, 25, 26]])
    met = np.ones((3, 6), bool)
    met[1:, :2] = False
    posterior = br.fit(counts_of(met, right, 30), "hierarchical_beta_binomial", seed=1)
    ranking = br.credible_ranking(posterior)
    assert "easy_datasets_credited" in ranking.attrs["caps"]
    assert ranking.attrs["headline"] == "leads"
    assert "is best" not in br.verdict(ranking)[0]


@pytest.mark.parametrize(
    ("base", "other"),
    [
        (NAME, "hierarchical_beta_binomial"),
        ("hierarchical_beta_binomial", NAME),
        ("hierarchical_logit_normal", NAME),
    ],
)
def test_the_other_model_is_among_those_of_a_sensitivity_analysis(base, other):
    found = br.sensitivity(counts_of(CHAIN), model=base, alternatives=["models"], seed=1, draws=20)
    assert f"model {other}" in found["alternative"].values


def test_without_data_sets_there_is_nothing_to_cross():
    with pytest.raises(br.ArgumentError, match="several data sets"):
        br.fit(counts_of(COMPLETE).isel(dataset=0, drop=True), NAME)


@pytest.mark.parametrize(
    ("evidence", "model"),
    [
        (COUNTS_OF_FOUR, NAME),
        (COUNTS_OF_FOUR.isel(dataset=[0, 1]), "dirichlet_multinomial"),
        (COUNTS_OF_FOUR.isel(entity=[0]), "hierarchical_logit_normal"),
        (xr.concat([COUNTS_OF_FOUR] * 51, "entity"), "dirichlet_multinomial"),
        (cases_of(4), NAME),
        (cases_of(2), "paired"),
        (cases_of(4, cluster="case"), "paired"),
        (cases_of(4, third=0.5), "paired"),
    ],
)
def test_the_default_for_three_data_sets(evidence, model):
    assert br.models.chosen_by_evidence(evidence) == model


def test_data_sets_with_analyses_of_their_own_have_another_default():
    assert br.models.chosen_by_evidence(COUNTS_OF_FOUR, together=False) == "dirichlet_multinomial"
    posterior = br.fit(COUNTS_OF_FOUR, seed=1, draws=50, split_prior=True)
    assert posterior["posterior"].attrs["model"] == "dirichlet_multinomial"


def test_the_command_and_python_choose_alike(tmp_path):
    cases = frame_of(4)
    cases.to_csv(tmp_path / "cases.csv", index=False)
    found = json_of("rank", tmp_path / "cases.csv", "--draws", "100")
    posterior = br.fit(br.from_outcomes(cases, dataset="dataset", case="case"), seed=1, draws=100)
    assert posterior["posterior"].attrs["model"] == NAME
    expected = br.credible_ranking(posterior)
    medians = {row["entity"]: row["median"] for row in found["ranking"]}
    assert medians == pytest.approx(expected["median"].to_series().to_dict(), abs=1e-9)
