"""Summary ROC: regions that hold what they say, the classical ellipse and curve, and what the picture draws."""

import numpy as np
import pytest
import xarray as xr
from matplotlib.path import Path
from scipy import special, stats

import bayesrank as br
from bayesrank._core.compat import to_container
from bayesrank._core.source import groups_of

MU, TAU, RHO, ERROR = np.array([1.8, 1.0]), np.array([0.7, 0.5]), -0.6, np.array([0.2, 0.15])


#: Logits of TNR and TPR on three data sets.
LOGITS = MU + np.array([[0.3, -0.4], [0, 0], [-0.8, 0.5]])


def rates(logits, *dims, **coords):
    """Draws of performances with logits (..., 2) of TNR and TPR."""
    right = [
        xr.DataArray(special.expit(logits[..., i]), coords, ("chain", "draw", "entity", *dims))
        for i in (0, 1)
    ]
    return br.from_rates(tnr=right[0], tpr=right[1], prevalence=0.5)


def posterior(entities=1, draws=20_000, rho=RHO, tau=TAU):
    """Draws as if from the bivariate model: normal medians of (logit TNR, logit TPR), fixed spreads."""
    rng, names = np.random.default_rng(1), [f"test {i}" for i in range(entities)]
    mu = MU - 0.3 * np.arange(entities)[:, None] + ERROR * rng.normal(size=(1, draws, entities, 2))
    new = mu + tau * (rng.normal(size=mu.shape) @ np.linalg.cholesky([[1, rho], [rho, 1]]).T)
    typical, seen = rates(mu, entity=names), np.broadcast_to(LOGITS, (1, draws, entities, 3, 2))
    group = xr.Dataset(
        {
            "performance_typical": typical,
            "performance_new": rates(new, entity=names),
            "performance": rates(seen, "dataset", entity=names, dataset=list("xyz")),
            "median_rate": 2 * typical,
            "sd_between_datasets": (
                ("chain", "draw", "actual"),
                np.broadcast_to(tau, (1, draws, 2)),
            ),
            "correlation_between_datasets": (("chain", "draw"), np.full((1, draws), rho)),
        },
    )
    tn, tp = np.tile(np.round([100, 50] * special.expit(LOGITS)).astype(int), (entities, 1)).T
    cells = {"tn": tn, "fp": 100 - tn, "fn": 50 - tp, "tp": tp}
    counts = br.from_counts(**cells, entity=np.repeat(names, 3), dataset=list("xyz") * entities)
    counts[0, 2, 1] = 0  # no positives
    return to_container({"posterior": group, "observed_data": counts.to_dataset(name="counts")})


def inside(points, region, draws):
    """The share of (FPR, TPR) within a region, seen in logits, where its edges are straight enough."""
    edge = special.logit(np.stack([points[f"{region}_fpr"], points[f"{region}_tpr"]], -1))
    return Path(edge).contains_points(special.logit(draws)).mean()


@pytest.mark.parametrize("prob", [0.5, 0.95])
def test_regions_hold_their_share_of_the_draws(prob):
    source = posterior()
    points = br.performance.summary_points(source, prob=prob).isel(entity=0)
    for kind, region in (("typical", "credible"), ("new", "prediction")):
        rates = [f(source, kind=kind).values.ravel() for f in (br.scores.fpr, br.scores.tpr)]
        assert inside(points, region, np.stack(rates, -1)) == pytest.approx(prob, abs=0.003)


@pytest.mark.parametrize(("rho", "tau"), [(RHO, TAU), (0.5, 2 * TAU[::-1])], ids=["down", "up"])
def test_of_normal_logits_the_region_is_the_classical_ellipse(rho, tau):
    """Reitsma's: all vertices as far from the centre, in the metric of the covariance, as chi-squared says."""
    points = br.performance.summary_points(posterior(rho=rho, tau=tau)).isel(entity=0)
    total = np.diag(ERROR**2) + np.outer(tau, tau) * [[1, rho], [rho, 1]]
    total *= [[1, -1], [-1, 1]]  # of (logit FPR, logit TPR)
    edge = special.logit(np.stack([points["prediction_fpr"], points["prediction_tpr"]], -1)) - [
        -MU[0],
        MU[1],
    ]
    distance = np.einsum("vi,ij,vj->v", edge, np.linalg.inv(total), edge)
    assert distance == pytest.approx(stats.chi2(2).ppf(0.95), rel=0.06)
    assert (float(points["fpr"]), float(points["tpr"])) == pytest.approx(
        (special.expit(-MU[0]), special.expit(MU[1])), abs=4e-3
    )


def test_the_curve_is_the_line_of_rutter_and_gatsonis():
    """Harbord et al.: logit TPR = Λ exp(-β/2) + exp(-β) logit FPR, with exp(-β) = σ(TPR)/σ(TNR)."""
    points = br.performance.summary_points(posterior()).isel(entity=0)
    beta = np.log(TAU[0] / TAU[1])
    accuracy = np.exp(beta / 2) * MU[1] + np.exp(-beta / 2) * MU[0]
    fpr = special.logit(points["curve_fpr"].values)
    wanted = accuracy * np.exp(-beta / 2) + np.exp(-beta) * fpr
    np.testing.assert_allclose(special.logit(points["curve_tpr"].values), wanted, atol=0.01)
    np.testing.assert_allclose(fpr[[0, -1]], [-MU[0] - 0.3, -MU[0] + 0.8], atol=1e-9)
    assert bool(br.performance.summary_points(posterior(rho=0.5))["curve_tpr"].isnull().all())


def test_studies_are_what_was_observed():
    points = br.performance.summary_points(posterior(2))
    assert points["cases"].values.tolist() == [[150, 150, 100], [150, 150, 150]]
    assert np.isnan(points["observed_tpr"].values[0, 2])
    assert points["observed_fpr"].values[0, 1] == pytest.approx(14 / 100)


def test_draws_that_do_not_vary_or_underflow_have_regions_of_their_own():
    source = groups_of(posterior())["posterior"]
    fixed = source.assign(performance_typical=xr.full_like(source["performance_typical"], 0.25))
    points = br.performance.summary_points(fixed).isel(entity=0)
    np.testing.assert_allclose(points["credible_fpr"], 0.5)
    never = source.assign(performance_new=source["performance_typical"].copy())
    never["performance_new"].values[..., 1] = 0
    never["performance_new"].values[..., 0] = 0.5
    points = br.performance.summary_points(never).isel(entity=0)
    np.testing.assert_allclose(points["prediction_tpr"], 0, atol=1e-9)


def test_who_is_undefined_has_no_region():
    source = groups_of(posterior(2))["posterior"]
    source["performance_typical"].values[:, :, 0] = np.nan
    points = br.performance.summary_points(source)
    assert points["credible_fpr"].isnull().all("vertex").values.tolist() == [True, False]
    assert br.plots.summary_roc(points) is not None


@pytest.mark.parametrize(
    "entities", [3, 40, *(pytest.param(size, marks=pytest.mark.slow) for size in (1, 6))]
)
def test_the_picture_draws_what_was_computed(entities):
    points = br.performance.summary_points(posterior(entities, 500))
    ax = br.plots.summary_roc(points)
    marks = [line for line in ax.lines if len(line.get_xdata()) == 1]
    np.testing.assert_allclose([line.get_ydata()[0] for line in marks], points["tpr"])
    dashed = [line for line in ax.lines if line.get_linestyle() == "--"]
    assert len(dashed) == (entities if entities < 5 else 0)
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts[0] == "test 0"
    assert "95% credible region" in texts
    assert ("and 24 more" in texts) == (entities == 40)
    if entities < 5:
        assert any(text.startswith("summary curve") for text in texts)
        sizes = next(c for c in ax.collections if len(c.get_offsets()) == 3).get_sizes()
        assert sizes[1] / sizes[2] == pytest.approx(1.5)
