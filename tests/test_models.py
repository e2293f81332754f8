"""The model contract: a class of one's own is sampled, ranked and reported; so is a posterior of one's own."""

import numpy as np
import pytest
import xarray as xr

import bayesrank as br
from bayesrank._core.compat import to_container
from bayesrank._core.source import groups_of
from bayesrank.models import find_model, names

RNG = np.random.default_rng(5)
#: Right answers of three entities on six data sets of 60 cases: means on the logit scale 0, 1 and 2.
RATES = 1 / (1 + np.exp(-(np.array([0.0, 1.0, 2.0])[:, None] + 0.3 * RNG.standard_normal((3, 6)))))
EVIDENCE = xr.Dataset(
    {
        "right": (("entity", "dataset"), RNG.binomial(60, RATES)),
        "cases": ("dataset", np.full(6, 60)),
    },
    {"entity": ["low", "middle", "high"], "dataset": list("uvwxyz")},
)


class Hierarchical:
    """Right answers are binomial; logits of the rates vary around each entity's own mean from data set to data set."""

    words = "Each entity's rate varies from data set to data set."
    kind = "typical"

    def __init__(self, evidence, *, spread=1.0):
        self.evidence = evidence
        self.settings = {"spread": spread}

    def observed(self):
        return {}

    def build(self):
        import pymc as pm

        coords = {d: self.evidence[d].values for d in ("entity", "dataset")}
        with pm.Model(coords=coords) as model:
            mean = pm.Normal("mean", 0, 1.5, dims="entity")
            sd = pm.HalfNormal("sd", self.settings["spread"])
            off = pm.Normal("off", 0, 1, dims=("entity", "dataset"))
            rate = pm.Deterministic(
                "rate", pm.math.sigmoid(mean[:, None] + sd * off), dims=("entity", "dataset")
            )
            pm.Binomial(
                "right",
                n=self.evidence["cases"].values,
                p=rate,
                observed=self.evidence["right"].values,
            )
        return model

    def performances(self, sampled, root):
        """Half of the cases positive, both rates the same: what a table of such an entity would be."""

        def table(rate):
            right = xr.DataArray(np.eye(2), dims=("actual", "predicted"))
            labels = {d: ["negative", "positive"] for d in ("actual", "predicted")}
            both = 0.5 * (right * rate + (1 - right) * (1 - rate))
            return both.assign_coords(labels).transpose(..., "actual", "predicted")

        return sampled.drop_vars(["off", "rate"]).assign(
            performance=table(sampled["rate"]),
            performance_typical=table(1 / (1 + np.exp(-sampled["mean"]))),
        )


@pytest.fixture(scope="module")
def posterior():
    return br.fit(
        EVIDENCE, Hierarchical, draws=100, chains=2, seed=1, nuts={"tune": 200}, spread=0.5
    )


@pytest.mark.slow
def test_a_class_of_ones_own_is_sampled(posterior):
    groups = groups_of(posterior)
    assert set(groups) == {"posterior", "sample_stats"}
    attrs = groups["posterior"].attrs
    assert [attrs[name] for name in ("model", "sampler", "kind", "spread")] == [
        "Hierarchical",
        "nuts",
        "typical",
        0.5,
    ]
    assert {"mean", "sd", "performance"} <= set(groups["posterior"].data_vars)


def test_it_is_ranked_by_the_kind_that_the_model_names(posterior):
    ranking = br.credible_ranking(posterior, "accuracy")
    assert br.ranking_table(ranking).index.tolist() == ["high", "middle", "low"]
    typical = br.credible_ranking(posterior, "accuracy", kind="typical")
    xr.testing.assert_equal(ranking, typical)
    observed = br.credible_ranking(posterior, "accuracy", kind="observed")
    assert observed["tier"].dims == ("dataset", "entity")


def test_what_a_model_lacks_is_refused_by_name():
    with pytest.raises(ValueError, match="sampler must be 'nuts' or 'auto' for Hierarchical"):
        br.fit(EVIDENCE, Hierarchical, sampler="exact")
    with pytest.raises(
        TypeError, match=r"options must be among \['spread'\].*'spraed'.*did you mean spread"
    ):
        br.fit(EVIDENCE, Hierarchical, spraed=1)


def test_models_are_found_by_the_names_of_their_files():
    others = ["beta_binomial", "classes", "dirichlet_multinomial", "logit_normal"]
    population = [f"hierarchical_{name}" for name in others]
    others_first = ["correlated_folds", "crossed_logit_normal", "davidson"]
    assert names() == [
        "dirichlet_multinomial",
        "bayesian_bootstrap",
        "beta_binomial",
        *others_first,
        *population,
        "latent_class",
        "normal_means",
        "paired",
        "partial_truth",
        "retrained",
    ]
    assert find_model("beta_binomial").__name__ == "BetaBinomial"


# --- A posterior of one's own -------------------------------------------------------------------------------------


def test_a_posterior_of_ones_own_is_ranked_by_a_ranking_score_or_a_variable():
    right = np.random.default_rng(2).beta([80, 85, 60], [20, 15, 40], (2, 500, 3))
    dims = ("chain", "draw", "entity")
    coords = {"entity": ["a", "b", "c"], "outcome": ["wrong", "right"]}
    held = xr.Dataset(
        {"performance": ((*dims, "outcome"), np.stack([1 - right, right], -1))}, coords
    )
    satisfaction = xr.DataArray([0.0, 1.0], {"outcome": ["wrong", "right"]}, ["outcome"])
    scored = br.ranking_score(
        to_container({"posterior": held}), xr.ones_like(satisfaction), satisfaction
    )
    assert br.ranking_table(br.credible_ranking(scored)).index[-1] == "c"
    mine = to_container(
        {"posterior": xr.Dataset({"mean_outcome": (dims, right)}, {"entity": ["a", "b", "c"]})}
    )
    ranking = br.credible_ranking(mine, "mean_outcome")
    assert br.ranking_table(ranking).index[-1] == "c"
    assert ranking["expected_regret"].isnull().all()
    assert br.rank(mine, "mean_outcome").dims == dims


def test_sensitivity_takes_a_model_of_ones_own(monkeypatch):
    """Its options are its own, and those of NUTS are passed on."""
    import bayesrank.sensitivities.analysis as module

    asked = []

    def fit(evidence, model, *, nuts=None, **options):
        asked.append((model, nuts, sorted(options)))
        return br.fit(evidence, "beta_binomial", draws=20, seed=1)

    monkeypatch.setattr(module, "fit", fit)
    counts = br.datasets.load("ascus_hc2_repc").isel(dataset=0, drop=True)
    br.sensitivity(
        counts,
        "f1",
        model=Hierarchical,
        models=["beta_binomial"],
        nuts={"tune": 7},
        draws=20,
        seed=1,
    )
    assert [(model, nuts) for model, nuts, _ in asked] == [
        (Hierarchical, {"tune": 7}),
        ("beta_binomial", None),
    ]
