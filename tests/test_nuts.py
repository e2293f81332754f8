"""Sampling: which sampler, what is kept of its draws, what a terminal shows, and what is said of bad chains."""

import io
import sys

import numpy as np
import pytest
import xarray as xr

import bayesrank as br
from bayesrank import _nuts
from bayesrank._compat import groups_of, to_container

GRADES = xr.DataArray(
    np.array([[[30, 20, 10], [25, 30, 5], [28, 22, 10]]]),
    {"entity": ["a"], "dataset": ["x", "y", "z"], "outcome": [0, 1, 2]},
    ("entity", "dataset", "outcome"),
    name="counts",
)
MODEL = "hierarchical_dirichlet_multinomial"
#: What is installed is tested; nutpie is an extra.
SAMPLERS = ["pymc", *["nutpie"] * _nuts._is_installed("nutpie")]


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture(scope="module", params=SAMPLERS)
def fitted(request):
    nuts = {"tune": 300, "target_accept": 0.95, "nuts_sampler": request.param}
    return request.param, groups_of(br.fit(GRADES, MODEL, seed=1, draws=300, chains=2, nuts=nuts))


def test_every_sampler_gives_the_variables_of_the_model(fitted):
    name, groups = fitted
    assert groups["posterior"].attrs["sampler"] == "nuts"
    assert groups["sample_stats"].attrs["nuts_sampler"] == name
    assert not [v for v in groups["posterior"] if v.endswith("__")]
    mean = groups["posterior"]["mean_rate"].mean(["chain", "draw"]).values[0]
    # Plain shares are 0.46, 0.40 and 0.14 of 60 cases each; the prior counts as four.
    np.testing.assert_allclose(mean, [0.455, 0.395, 0.15], atol=0.05)


def test_diagnostics_are_those_of_arviz(fitted):
    import arviz as az

    groups = fitted[1]
    about = groups["sample_stats"].attrs
    kept = groups["posterior"][["mean_rate", "spread"]]
    rhat, bulk = az.rhat(kept), az.ess(kept)
    assert about["rhat"] == pytest.approx(max(float(rhat[v].max()) for v in kept))
    assert about["ess_bulk"] == pytest.approx(min(float(bulk[v].min()) for v in kept))
    assert 0 < about["ess_tail"] <= 1100
    assert about["worst"] in kept
    assert about["divergences"] == int(groups["sample_stats"]["diverging"].sum())


def test_the_extra_is_taken_where_it_is_installed(monkeypatch):
    monkeypatch.setattr(_nuts, "_is_installed", lambda name: True)
    assert _nuts.choose_sampler({}) == _nuts.choose_sampler({"tune": 5, "cores": 2, "target_accept": 0.9}) == "nutpie"
    assert _nuts.choose_sampler({"progressbar": False}) == "nutpie"
    # What only PyMC has is PyMC's.
    assert _nuts.choose_sampler({"init": "adapt_diag"}) == "pymc"
    assert _nuts.choose_sampler({"nuts_sampler": "pymc"}) == "pymc"
    with pytest.raises(ValueError, match=r"nuts must hold options among .* for nutpie; got \['init'\]"):
        _nuts.choose_sampler({"nuts_sampler": "nutpie", "init": "adapt_diag"})
    monkeypatch.setattr(_nuts, "_is_installed", lambda name: False)
    assert _nuts.choose_sampler({}) == "pymc"
    with pytest.raises(ValueError, match="nuts must hold a nuts_sampler that is installed; got 'nutpie'"):
        br.fit(GRADES, MODEL, nuts={"nuts_sampler": "nutpie"})


@pytest.mark.slow
def test_transformed_variables_stay_out(monkeypatch):
    """nutpie under PyMC 5 leaves them in the posterior."""
    plain = _nuts._pymc

    def leaky(model, shape, seed, options, step):
        groups = groups_of(plain(model, shape, seed, {"nuts_sampler": "pymc"} | options, step))
        extra = groups["posterior"].assign(spread_logodds__=groups["posterior"]["spread"])
        return {"posterior": extra, "sample_stats": groups["sample_stats"]}

    monkeypatch.setattr(_nuts, "_is_installed", lambda name: True)
    monkeypatch.setattr(_nuts, "_nutpie", leaky)
    nuts = {"tune": 50, "cores": 1}
    fit = groups_of(br.fit(GRADES, MODEL, seed=1, draws=20, chains=1, nuts=nuts))
    assert "spread_logodds__" not in fit["posterior"]
    assert fit["sample_stats"].attrs["nuts_sampler"] == "nutpie"


@pytest.mark.parametrize("name", SAMPLERS)
@pytest.mark.parametrize("terminal", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_a_terminal_shows_that_it_compiles_and_nothing_else_shows_anything(name, terminal, monkeypatch, capfd):
    # Written at once, whatever is short.
    screen = Terminal() if terminal else io.StringIO()
    monkeypatch.setattr(sys, "stderr", screen)
    nuts = {"tune": 30, "cores": 1, "nuts_sampler": name}
    with pytest.warns(UserWarning, match="did not settle"):
        br.fit(GRADES, MODEL, seed=1, draws=20, chains=1, nuts=nuts)
    shown = screen.getvalue()
    out, _ = capfd.readouterr()
    assert out == ""
    if terminal:
        assert "compiling the model" in shown
        assert "sampling" in shown
        assert shown.index("compiling") < shown.index("sampling")
    else:
        assert shown == ""


def test_a_verdict_knows_how_it_was_sampled():
    draws = np.random.default_rng(1).beta(5, 2, (4, 200, 2))
    fit = {
        "posterior": xr.Dataset({"x": (("chain", "draw", "entity"), draws)}, {"entity": ["a", "b"]}),
        "sample_stats": xr.Dataset(
            {"diverging": (("chain", "draw"), np.ones((4, 200), bool))}, attrs={"tune": 500, "target_accept": 0.95}
        ),
    }
    ranking = br.credible_ranking(to_container(fit), "x")
    assert br.verdict(ranking)[-1].startswith("The sampler did not settle (800 divergences)")
    # What to do about it is the first of the notes.
    assert "{'target_accept': 0.975}" in br.notes(ranking)[0]


def test_chains_apart_are_warned_of_with_their_tuning():
    draws = xr.Dataset({"x": (("chain", "draw"), np.random.default_rng(1).normal([[0], [3]], size=(2, 400)))})
    stats = xr.Dataset({"diverging": (("chain", "draw"), np.zeros((2, 400), bool))})
    found = _nuts.diagnostics(draws, stats)
    assert found["rhat"] > 1.5
    with pytest.warns(UserWarning, match="'tune': 500"):
        _nuts.warn_of_chains(stats.assign_attrs(found), 2, 250)


def test_constant_variables_and_few_draws_say_nothing():
    draws = xr.Dataset({"x": (("chain", "draw"), np.ones((2, 400)))})
    assert np.isnan(_nuts.diagnostics(draws, xr.Dataset())["rhat"])
    few = _nuts.diagnostics(draws.isel(draw=slice(3)), xr.Dataset({"diverging": ("draw", [True])}))
    assert few["divergences"] == 1
    assert np.isnan(few["ess_bulk"])
