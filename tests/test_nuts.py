"""Sampling: which sampler, what is kept of its draws, what a terminal shows, and the words for bad chains."""

import io
import sys

import numpy as np
import pytest
import xarray as xr

import bayesrank as br
from bayesrank._core import nuts as _nuts
from bayesrank._core.compat import import_arviz, to_container
from bayesrank._core.source import parse_source
from bayesrank.ranking.evidence import sampling

#: What is installed is tested; nutpie is an extra.
SAMPLERS = ["pymc", *["nutpie"] * _nuts._is_installed("nutpie")]
SHAPE = 2, 200


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture(scope="module")
def model():
    """A normal mean with known variance and a flat prior, and a standard deviation without data."""
    import pymc as pm
    import pytensor

    with pm.Model() as found:
        mean = pm.Flat("mean")
        pm.HalfNormal("sd")
        pm.Normal("y", mean, 1.0, observed=np.array([1.0, 2.0, 3.0, 6.0]))
    # Compiling C would take longer than so few draws.
    with pytensor.config.change_flags(mode="FAST_COMPILE"):
        yield found


@pytest.fixture(scope="module", params=SAMPLERS)
def sampled(request, model):
    """The groups of a run, and what a terminal shows meanwhile."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stderr", screen := Terminal())
        options = {"tune": 200, "cores": 1, "target_accept": 0.9, "nuts_sampler": request.param}
        return request.param, _nuts.sample(model, SHAPE, 1, options), screen.getvalue()


def test_every_sampler_gives_the_variables_of_the_model(sampled):
    name, groups, shown = sampled
    assert groups["sample_stats"].attrs["nuts_sampler"] == name
    assert set(groups["posterior"]) == {"mean", "sd"}
    assert groups["posterior"]["mean"].dims == ("chain", "draw")
    # The posterior of the mean is Normal(3, 1/2); at least a quarter of the draws are effective.
    assert abs(float(groups["posterior"]["mean"].mean()) - 3) < 5 * 0.5 / np.sqrt(100)
    assert shown.index("compiling the model") < shown.index("sampling")


def test_diagnostics_are_those_of_arviz(sampled):
    az, (_, groups, _) = import_arviz(), sampled
    about, kept = groups["sample_stats"].attrs, groups["posterior"]
    rhat, bulk = az.rhat(kept), az.ess(kept)
    assert about["rhat"] == pytest.approx(max(float(rhat[v].max()) for v in kept))
    assert about["ess_bulk"] == pytest.approx(min(float(bulk[v].min()) for v in kept))
    assert about["worst"] == min(kept, key=lambda v: float(bulk[v].min()))
    assert about["divergences"] == int(groups["sample_stats"]["diverging"].sum())


def test_nothing_is_shown_without_a_terminal(model, monkeypatch, capfd):
    monkeypatch.setattr(sys, "stderr", screen := io.StringIO())
    _nuts.sample(model, (1, 20), 1, {"tune": 30, "cores": 1, "nuts_sampler": "pymc"})
    assert screen.getvalue() == capfd.readouterr()[0] == ""


def test_transformed_variables_stay_out(model, monkeypatch):
    """nutpie under PyMC 5 leaves them in the posterior."""
    draws = (("chain", "draw"), np.random.default_rng(1).random((2, 20)))
    leaky = {
        "posterior": xr.Dataset(dict.fromkeys(("mean", "sd", "sd_log__"), draws)),
        "sample_stats": xr.Dataset(),
    }
    monkeypatch.setattr(_nuts, "_is_installed", lambda name: True)
    monkeypatch.setattr(_nuts, "_nutpie", lambda *_: xr.DataTree.from_dict(leaky))
    found = _nuts.sample(model, (2, 20), 1, {})
    assert set(found["posterior"]) == {"mean", "sd"}
    assert found["sample_stats"].attrs["nuts_sampler"] == "nutpie"


def test_the_extra_is_taken_where_it_is_installed(monkeypatch):
    monkeypatch.setattr(_nuts, "_is_installed", lambda name: True)
    for options in ({}, {"tune": 5, "cores": 2, "target_accept": 0.9}, {"progressbar": False}):
        assert _nuts.choose_sampler(options) == "nutpie"
    # What only PyMC has is PyMC's.
    for options in ({"init": "adapt_diag"}, {"nuts_sampler": "pymc"}):
        assert _nuts.choose_sampler(options) == "pymc"
    with pytest.raises(
        ValueError, match=r"nuts must contain options among .* for nutpie; got \['init'\]"
    ):
        _nuts.choose_sampler({"nuts_sampler": "nutpie", "init": "adapt_diag"})
    monkeypatch.setattr(_nuts, "_is_installed", lambda name: False)
    assert _nuts.choose_sampler({}) == "pymc"
    with pytest.raises(
        ValueError, match="nuts needs a nuts_sampler that is installed; got 'nutpie'"
    ):
        _nuts.choose_sampler({"nuts_sampler": "nutpie"})


@pytest.mark.parametrize(("sampler", "other"), [("nutpie", "numpyro"), ("numpyro", "nutpie")])
def test_a_library_is_chosen_by_name(monkeypatch, sampler, other):
    counts = br.from_counts(tn=70, fp=10, fn=6, tp=24)
    monkeypatch.setattr(_nuts, "_is_installed", lambda name: False)
    with pytest.raises(
        br.ArgumentError,
        match=f"must be installed; got '{sampler}', which is not installed.*pip install {sampler}",
    ):
        br.fit(counts, sampler=sampler)
    monkeypatch.setattr(_nuts, "_is_installed", lambda name: True)
    with pytest.raises(br.ArgumentError, match="must not name another nuts_sampler"):
        br.fit(counts, sampler=sampler, nuts={"nuts_sampler": other})
    asked = []

    def sample(model, shape, seed, options):
        asked.append(dict(options))
        raise InterruptedError

    monkeypatch.setattr("bayesrank.inference.sample", sample)
    with pytest.raises(InterruptedError):
        br.fit(counts, sampler=sampler, nuts={"tune": 50})
    assert asked[0]["nuts_sampler"] == sampler
    assert asked[0]["tune"] == 50


@pytest.mark.slow
@pytest.mark.parametrize("library", ["nutpie", "numpyro"])
def test_a_library_agrees_with_exact_draws(library):
    pytest.importorskip(library)
    counts = br.from_counts(tn=[70, 60], fp=[10, 20], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
    rates = {}
    for sampler in (library, "exact"):
        fitted = br.fit(counts, "beta_binomial", sampler=sampler, seed=1)
        rates[sampler] = br.scores.informedness(br.as_performance(fitted))
    assert fitted["posterior"].attrs["sampler"] == "exact"
    means = {name: held.mean(("chain", "draw")) for name, held in rates.items()}
    spread = rates["exact"].std(("chain", "draw"))
    assert float((abs(means[library] - means["exact"]) / spread).max()) < 5 / np.sqrt(1000)


def test_nuts_is_seeded_by_the_evidence(monkeypatch):
    seeds = []

    def sample(model, shape, seed, options):
        seeds.append(seed)
        raise InterruptedError

    monkeypatch.setattr("bayesrank.inference.sample", sample)
    for tn in (700, 701, 700):
        with pytest.raises(InterruptedError):
            br.fit(br.from_counts(tn=tn, fp=99, fn=60, tp=240), sampler="nuts", seed=1)
    assert seeds[0] == seeds[2] != seeds[1]


def test_a_verdict_knows_how_it_was_sampled():
    draws = np.random.default_rng(1).beta(5, 2, (4, 200, 2))
    fit = {
        "posterior": xr.Dataset(
            {"x": (("chain", "draw", "entity"), draws)}, {"entity": ["a", "b"]}
        ),
        "sample_stats": xr.Dataset(
            {"diverging": (("chain", "draw"), np.ones((4, 200), bool))},
            attrs={"tune": 500, "target_accept": 0.95},
        ),
    }
    ranking = br.credible_ranking(to_container(fit), "x")
    assert br.verdict(ranking)[-1].startswith("The chains did not converge (800 divergences)")
    # What to do about it is the first of the notes.
    assert "{'target_accept': 0.975}" in br.notes(ranking)[0]


def test_an_undefined_draw_counts_as_the_middle_of_all_draws():
    draws = np.random.default_rng(2).normal(size=(2, 400))
    draws[0, :90] = np.nan
    found = sampling(
        parse_source(xr.DataTree.from_dict({"sample_stats": xr.Dataset()})),
        xr.DataArray(draws[..., None], dims=("chain", "draw", "entity")),
    )
    filled = np.where(np.isnan(draws), np.nanmedian(draws), draws)
    wanted = _nuts.diagnostics(xr.Dataset({"x": (("chain", "draw"), filled)}), xr.Dataset())
    for name in ("rhat", "ess_bulk", "ess_tail"):
        assert found[name] == pytest.approx(wanted[name], rel=1e-9)


def test_chains_apart_are_warned_of_with_their_tuning():
    draws = xr.Dataset(
        {"x": (("chain", "draw"), np.random.default_rng(1).normal([[0], [3]], size=(2, 400)))}
    )
    stats = xr.Dataset({"diverging": (("chain", "draw"), np.zeros((2, 400), bool))})
    found = _nuts.diagnostics(draws, stats)
    assert found["rhat"] > 1.5
    with pytest.warns(UserWarning, match="'tune': 500"):
        _nuts.warn_of_chains(stats.assign_attrs(found), 2, 250)
    # Constant variables and few draws say nothing.
    assert np.isnan(_nuts.diagnostics(xr.ones_like(draws), xr.Dataset())["rhat"])
    few = _nuts.diagnostics(draws.isel(draw=slice(3)), xr.Dataset({"diverging": ("draw", [True])}))
    assert few["divergences"] == 1
    assert np.isnan(few["ess_bulk"])
