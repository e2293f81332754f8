"""Notebooks and scripts of examples/ run, and notebooks print what they show."""

import io
import json
import re
import runpy
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import pytest

from tests.pages import run_notebook

EXAMPLES = Path(__file__).parents[1] / "examples"
#: The notebook of the quick run; CI runs the others, on both generations of ArviZ.
QUICK = ("paired_cases",)
#: The notebook that chooses between the names of both generations itself.
OF_BOTH = ("own_model",)


def notebooks():
    assert {"crossed_covariate", "diagnostics", "own_model", "prior_to_decision"} <= {
        path.stem for path in EXAMPLES.glob("*.ipynb")
    }
    for path in sorted(EXAMPLES.glob("*.ipynb")):
        yield pytest.param(path, id=path.stem, marks=[pytest.mark.slow] * (path.stem not in QUICK))


@pytest.fixture
def names_of_arviz_1(monkeypatch, path):
    """Give ArviZ 0.23 the names of 1.x, for which the other notebooks are written."""
    import arviz as az

    if int(az.__version__.split(".")[0]) >= 1 or path.stem in OF_BOTH:
        return
    pair = az.plot_pair

    def predictive(fit, var_names, group="posterior_predictive", **_):
        group = group.removesuffix("_predictive")
        how = {"kind": "cumulative", "num_pp_samples": 50, "observed": True}
        return az.plot_ppc(fit, var_names=[var_names], group=group, **how)

    def sensitivity(fit, var_names, prior_var_names, **_):
        names = [prior_var_names] if isinstance(prior_var_names, str) else prior_var_names
        return az.psens(fit, component="prior", component_var_names=names, var_names=var_names)

    for name, function in (
        ("plot_trace_dist", az.plot_trace),
        (
            "plot_ess_evolution",
            lambda fit, **options: az.plot_ess(fit, kind="evolution", **options),
        ),
        ("plot_ppc_dist", predictive),
        ("plot_pair", lambda fit, var_names, **_: pair(fit, var_names=var_names, divergences=True)),
        ("psense_summary", sensitivity),
    ):
        monkeypatch.setattr(az, name, function, raising=False)


def test_no_notebook_patches_a_library():
    for path in EXAMPLES.glob("*.ipynb"):
        code = ["".join(c["source"]) for c in json.loads(path.read_text(encoding="utf-8"))["cells"]
                if c["cell_type"] == "code"]  # fmt: skip
        assert not [
            source
            for source in code
            if "__version__" in source or re.search(r"^\s*az\.\w+ = ", source, re.M)
        ]


@pytest.mark.usefixtures("names_of_arviz_1")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", notebooks())
def test_notebook_prints_what_it_shows(path, monkeypatch):
    import matplotlib.pyplot as plt

    monkeypatch.chdir(EXAMPLES)  # where Jupyter runs them

    names: dict = {}
    for _, each in run_notebook(json.loads(path.read_text(encoding="utf-8"))["cells"], names):
        plt.close("all")
        assert each.agrees, f"{each.source}\nprints\n{each.printed}instead of\n{each.shown}"
    if path.stem == "diagnostics":
        check_broken_models(names)


def check_broken_models(names):
    """Check that each broken model of the notebook is found by the diagnostic that should find it, and by no other."""
    chains = {kind: names["diagnose"](names[kind]) for kind in ("one_rate", "centred", "settled")}
    # Wrong likelihood: perfect chains, but data that the model cannot produce, and a study that cannot be left out.
    assert chains["one_rate"]["divergences"] == 0
    assert chains["one_rate"]["R-hat"] < 1.01
    assert float((names["replicated"] >= names["observed"]).mean()) < 0.01
    assert names["k"].max() > 0.7
    # Wrong geometry: the same model, with a parametrisation that NUTS cannot explore, and with one that it can.
    assert chains["centred"]["divergences"] > 50 > 5 * chains["settled"]["divergences"]
    assert chains["centred"]["effective draws"] < 400 < chains["settled"]["effective draws"]
    # The model of the package passes.
    assert names["fit"]["sample_stats"].attrs["divergences"] == 0
    assert names["fit"]["sample_stats"].attrs["rhat"] < 1.015
    assert names["check"]["p_value"].min() > 0.01


def run(name):
    """Run a script as from the shell; return its variables and what it prints."""
    printed = io.StringIO()
    with redirect_stdout(printed):
        found = runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    return found, printed.getvalue()


def test_the_organiser_learns_who_shares_the_first_place():
    found, printed = run("organiser")
    # The true rates fall from A to L: teams of the first tier are the best ones, and the intervals contain the truth.
    first = found["table"].index[found["table"]["tier"] == 1]
    assert set(first) <= {"team A", "team B", "team C", "team D"}
    true = np.array([found["rates"][name] for name in found["table"].index])
    assert ((found["table"]["lower"] <= true) & (true <= found["table"]["upper"])).sum() >= 11
    assert "P(teams A and B are both in the top 3)" in printed


def test_the_clinician_chooses_a_test_that_harms_least():
    found, printed = run("clinician")
    sensitivity, specificity = found["TYPICAL"]
    harm = (1 - found["SICK"]) * (1 - specificity) + found["SICK"] * found["HARM"] * (
        1 - sensitivity
    )
    chosen = found["TESTS"].index(found["decision"]["choice"].item())
    assert harm[chosen] < harm.min() + 0.02
    assert "On a typical study" in printed


@pytest.mark.slow
def test_the_leaderboard_has_fewer_tiers_than_ranks():
    found, printed = run("leaderboard")
    assert found["board"]["tier"].max() < len(found["board"]) == 37
    assert "37 printed ranks" in printed


def test_the_drift_monitor_blames_the_classifier_from_may_on():
    _, printed = run("drift_monitor")
    alarms = [
        line.split()[0] for line in printed.splitlines() if line.endswith("<- the classifier")
    ]
    assert alarms == ["May", "June"]


def test_plans_are_answers():
    found, printed = run("planning")
    needed = [plan["needed"].item() for plan in found["plans"].values()]
    assert needed[0] == needed[1] == 0 < needed[2]
    assert all(question in printed for question in found["questions"])


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_scripts_are_short_and_say_how_to_run_them(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) < 40
    assert f"    python examples/{path.name}" in lines
