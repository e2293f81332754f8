"""Covariates of data sets: density, predictions at chosen values, refusals, and a fit with known slopes."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import special, stats

import bayesrank as br
from bayesrank.evidence.ledger import ledger_of
from bayesrank.models import make_model
from bayesrank.words.sentences import say
from tests.commands import invoke, json_of, refused

NAME = "crossed_logit_normal"
SETS = 12
THRESHOLD = np.linspace(1.0, 5.0, SETS)


def studies(slopes=((0.5, -0.5), (0.0, 0.0)), cases=(120, 80), seed=1):
    """Return two tests on 12 studies; logits of TNR and TPR have these slopes on a threshold that varies by study."""
    rng = np.random.default_rng(seed)
    logits = (
        1
        + np.array(slopes)[:, None] * (THRESHOLD - 3)[None, :, None]
        + rng.normal(0, 0.2, (2, SETS, 2))
    )
    (tn, tp) = rng.binomial(cases, special.expit(logits)).reshape(-1, 2).T
    names, sets = np.repeat(["A", "B"], SETS), [f"s{i:02}" for i in range(SETS)] * 2
    counts = br.from_counts(
        tn=tn, fp=cases[0] - tn, fn=cases[1] - tp, tp=tp, entity=names, dataset=sets
    )
    return counts.assign_coords(threshold=("dataset", THRESHOLD))


@pytest.mark.slow
def test_the_density_has_a_slope_of_each_entity():
    """Log densities of the PyMC model against the model written out, up to a constant."""
    import pytensor.tensor as pt

    model = make_model(NAME, studies(), {"covariates": "threshold"})
    graph = model.build()
    logp = graph.compile_logp(jacobian=False, mode="FAST_COMPILE")
    sum_to_zero = graph.rvs_to_transforms[graph["contrasts"]]
    rng, gaps = np.random.default_rng(3), []
    x = (THRESHOLD - THRESHOLD.mean()) / THRESHOLD.std()
    for _ in range(4):
        mu, common, sd_of_slopes = (
            rng.normal(size=(2, 2)),
            rng.normal(size=(1, 2)),
            rng.uniform(0.1, 1, (1, 2)),
        )
        z = rng.normal(size=(2, 1, 2))
        slope = (common + sd_of_slopes * z)[:, 0]
        point = {
            "median_right_logodds__": mu.mean(0),
            "contrasts_zerosum__": sum_to_zero.forward(pt.as_tensor((mu - mu.mean(0)).T)).eval(),
            "common_slope": common, "sd_of_slopes_log__": np.log(sd_of_slopes), "standard_slopes": z,
        }  # fmt: skip
        wanted = stats.beta(0.5, 0.5).logpdf(special.expit(mu.mean(0))).sum()
        wanted += (
            stats.norm.logpdf(mu - mu.mean(0), scale=2).sum() + stats.norm.logpdf(common).sum()
        )
        wanted += stats.halfnorm.logpdf(sd_of_slopes, scale=0.5).sum() + stats.norm.logpdf(z).sum()
        effects = {}
        for name, number in (("difficulty", SETS), ("deviations", len(model.pairs))):
            sd, half = rng.uniform(0.2, 1.5, 2), rng.uniform(0.1, 0.9)
            standard = rng.normal(size=(number, 2))
            point |= {
                f"sd_of_{name}_log__": np.log(sd),
                f"half_of_{name}_logodds__": special.logit(half),
            }
            point[f"standard_{name}"] = standard
            wanted += (
                stats.halfnorm.logpdf(sd, scale=2 if name == "difficulty" else 1).sum()
                + stats.beta.logpdf(half, 2, 2)
                + stats.norm.logpdf(standard).sum()
            )
            rho = 2 * half - 1
            effects[name] = standard @ np.linalg.cholesky(np.outer(sd, sd) * [[1, rho], [rho, 1]]).T
        entity, dataset = model.pairs.T
        logits = (
            mu[entity]
            - effects["difficulty"][dataset]
            + effects["deviations"]
            + x[dataset, None] * slope[entity]
        )
        wanted += stats.binom(model.cases, special.expit(logits)).logpmf(model.hits).sum()
        gaps.append(float(logp(point)) - wanted)
    assert np.ptp(gaps) == pytest.approx(0, abs=1e-7)


def test_typical_rates_move_with_the_chosen_value():
    """Drawn from given parameters: at one standard deviation above the mean, logits differ by the slope."""
    at = THRESHOLD.mean() + THRESHOLD.std()
    slope = np.array([[[0.7, -0.3]], [[0.0, 0.4]]])
    found = {}
    for name, value in (("mean", None), ("above", {"threshold": at})):
        model = make_model(NAME, studies(), {"covariates": ["threshold"], "at": value})
        hyper = {
            "mu": np.array([[[1.0, 0.5], [0.2, 0.1]]]),
            "logits": np.zeros((1, 24, 2)),
            "slope": slope[None],
        }
        hyper |= {f"sd_of_{term}": np.full((1, 2), 1e-9) for term in model.terms}
        hyper |= {f"half_of_{term}": np.full(1, 0.5) for term in model.terms}
        from bayesrank._core.random import Block, root_sequence

        found[name] = model._rates(hyper, "posterior", Block(0, 0, 1, (1, 1)), root_sequence(1))
    for kind in (1, 2):
        right = [
            special.logit(found[name][kind][0][..., [0, 1], [0, 1]]) for name in ("mean", "above")
        ]
        np.testing.assert_allclose(right[1] - right[0], slope[:, 0], atol=1e-6)


@pytest.mark.parametrize(
    ("counts", "options", "wrong"),
    [
        (studies(), {"covariates": "dose"}, r"must be among the coords of counts along dataset, \['threshold'\]"),
        (studies(), {"covariates": "threshold", "at": {"dose": 1.0}}, "must give values for the covariates"),
        (studies(), {"covariates": "threshold", "at": {"threshold": "high"}}, "must be a number for 'threshold'"),
        (studies(), {"at": {"threshold": 1.0}}, "must be None without covariates"),
        (studies().assign_coords(threshold=("dataset", np.ones(SETS))), {"covariates": "threshold"}, "must vary"),
        (studies().assign_coords(kind=("entity", [0.0, 1.0])), {"covariates": "kind"}, "along dataset"),
        (
            studies().assign_coords(threshold=("dataset", [np.nan, *THRESHOLD[1:]])),
            {"covariates": "threshold"}, "a finite number for each measured table",
        ),
        (
            studies().assign_coords(site=("dataset", list("abcdefghijkl"))),
            {"covariates": "site"}, "must contain numbers",
        ),
    ],
)  # fmt: skip
def test_other_covariates_are_refused(counts, options, wrong):
    with pytest.raises(br.ArgumentError, match=wrong):
        make_model(NAME, counts, options)


def table_of_studies(**columns):
    """Two tests on four studies, as a data frame."""
    counts = studies().isel(dataset=slice(4))
    rows = counts.stack(row=("entity", "dataset")).transpose("row", ...)
    held = {
        "test": rows["entity"].values,
        "dataset": rows["dataset"].values,
        "Threshold": rows["threshold"].values,
    }
    cells = rows.values.reshape(-1, 4).T
    return pd.DataFrame(held | dict(zip(("tn", "fp", "fn", "tp"), cells, strict=True)) | columns)


def test_a_table_holds_covariates_of_studies_or_of_tests():
    frame = table_of_studies(dose=[1.0, 2, 3, 4, 1, 2, 3, 5])
    counts = br.from_frame(frame, covariates=["threshold", "dose"])
    assert counts["Threshold"].dims == ("dataset",)
    np.testing.assert_array_equal(counts["Threshold"], THRESHOLD[:4])
    assert counts["dose"].dims == ("entity", "dataset")
    assert float(counts["dose"].sel(entity="B", dataset="s03")) == 5
    assert [one[0] for one in ledger_of(counts).covariates] == ["Threshold", "dose"]
    assert "covariates Threshold (1 to 2.091), dose (1 to 5)" in say(
        ledger_of(counts).read_note("test")
    )
    assert ledger_of(counts).ignored == ()
    model = make_model(NAME, counts, {"covariates": ["Threshold", "dose"]})
    np.testing.assert_allclose(
        model.covariates.centre, [THRESHOLD[:4].mean(), frame["dose"].mean()]
    )
    # The same numbers, with one row for each cell of a matrix, in another order, and without one table.
    long = frame.melt(
        ["test", "dataset", "Threshold", "dose"], ["tn", "fp", "fn", "tp"], "cell", "count"
    ).iloc[::-1]
    long["actual"] = np.where(long["cell"].isin(["tp", "fn"]), "yes", "no")
    long["predicted"] = np.where(long["cell"].isin(["tp", "fp"]), "yes", "no")
    lacking = long[(long["test"] != "B") | (long["dataset"] != "s00")].drop(columns="cell")
    other = br.from_frame(lacking, covariates="dose")
    assert other["dose"].sel(entity="B").sortby("dataset").isnull().values.tolist() == [
        True,
        False,
        False,
        False,
    ]
    np.testing.assert_allclose(
        make_model(NAME, other, {"covariates": "dose"}).covariates.centre, [20 / 7]
    )


@pytest.mark.parametrize(
    ("change", "covariates", "wrong"),
    [
        ({}, "dose", "covariates must name a column of frame"),
        ({}, "tp", "must name a column that holds a number for each data set"),
        ({"Threshold": ["high"] * 8}, "threshold", "row 0: Threshold must be a number"),
        ({"Threshold": [1.0, np.inf] * 4}, "threshold", "row 1: Threshold must be a number"),
        ({"Threshold": [1.0, None] * 4}, "threshold", "must be a number"),
    ],
)
def test_columns_that_are_no_covariates_are_refused(change, covariates, wrong):
    with pytest.raises(br.ArgumentError, match=wrong):
        br.from_frame(table_of_studies(**change), covariates=covariates)


def test_covariates_need_counts_on_data_sets():
    with pytest.raises(br.ArgumentError, match="without counts on several data sets"):
        br.from_frame(
            table_of_studies().drop(columns="dataset").iloc[[0, 4]], covariates="threshold"
        )
    cases = pd.DataFrame({"case": [1, 2], "age": [30.0, 40.0], "A": [0, 1], "B": [1, 1]})
    with pytest.raises(
        br.ArgumentError, match="covariates cannot be used for a table without counts"
    ):
        br.from_frame(cases, entities=["A", "B"], covariates="age")
    twice = pd.DataFrame(
        {"entity": list("aa"), "dataset": list("xx"), "actual": [0, 1], "predicted": [0, 1]}
    )
    with pytest.raises(
        br.ArgumentError, match="must be the same in all rows of an entity on a data set"
    ):
        br.from_frame(twice.assign(count=5, dose=[1.0, 2.0]), covariates="dose")


def test_the_command_describes_and_refuses_covariates(tmp_path):
    path = tmp_path / "studies.csv"
    table_of_studies(kind=[1] * 4 + [2] * 4).to_csv(path, index=False)
    told = invoke("doctor", path, "--covariate", "threshold")
    assert "Threshold: 1 to 2.091; one value for each data set." in told
    assert "Few data sets for a slope: A 4, B 4." in told
    assert f"bayesrank rank {path} --covariate Threshold --at Threshold=1.545" in " ".join(
        told.split()
    )
    told = invoke("doctor", path, "--covariate", "kind")
    assert "values differ between the systems of a data set" in told
    assert "must vary between the data sets of an entity" in " ".join(told.split())
    for words, wrong in (
        (["--at", "threshold=1"], "--at cannot be used without --covariate"),
        (["--covariate", "threshold", "--at", "1"], "--at must have the form threshold=0.5"),
        (
            ["--covariate", "threshold", "--model", "beta_binomial"],
            "models with covariates: crossed_logit_normal",
        ),
        (["--covariate", "threshold", "--at", "dose=1"], "must give values for the covariates"),
        (["--covariate", "dose"], "--covariate must name a column"),
    ):
        assert wrong in refused("rank", path, *words)
    assert "--covariate cannot be used for a shipped data set" in refused(
        "rank", "tornado", "--covariate", "x"
    )


@pytest.mark.slow
def test_the_command_ranks_at_a_value_as_python_does(tmp_path):
    path = tmp_path / "studies.csv"
    table_of_studies().to_csv(path, index=False)
    words = ("--covariate", "threshold", "--at", "threshold=2", "--draws", 300, "-s", "tpr")
    told = json_of("rank", path, *words)
    assert "Rates of a typical or new data set are for Threshold = 2." in told["notes"]
    counts = br.from_frame(table_of_studies(), covariates="threshold")
    posterior = br.fit(counts, covariates=["Threshold"], at={"Threshold": 2.0}, draws=300, seed=1)
    ranking = br.credible_ranking(posterior, "tpr")
    assert len(told["ranking"]) == 2
    for one in told["ranking"]:
        assert one["median"] == pytest.approx(
            float(ranking["median"].sel(entity=one["entity"])), abs=1e-9
        )


@pytest.mark.slow
def test_slopes_are_found_and_the_order_depends_on_the_value():
    counts, found = studies(), {}
    for at in (1.0, 5.0):
        posterior = br.fit(
            counts, covariates=["threshold"], at={"threshold": at}, draws=400, seed=1
        )
        found[at] = br.credible_ranking(posterior, "tpr")
    slope = posterior["posterior"]["slope"].isel(covariate=0)
    truth = xr.DataArray([[0.5, -0.5], [0.0, 0.0]], dims=("entity", "actual"))
    error = (slope.mean(("chain", "draw")) - truth) / slope.std(("chain", "draw"))
    assert abs(error).max() < 3
    assert found[1.0]["probability_best"].sel(entity="A") > 0.7
    assert found[5.0]["probability_best"].sel(entity="B") > 0.95
    assert found[5.0].attrs["headline"] == "best"
    assert "threshold = 5" in " ".join(br.notes(found[5.0]))
    assert np.isnan(found[5.0]["observed"]).all()
