"""Each model, section, command, format and picture is found in its folder and tried; one without an example fails.

The tables below are keyed by the names that the folders give. Whoever adds a file adds its line here.
"""

import ast
import pkgutil
import re
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayesrank as br
from bayesrank import cli, models, papers, plots
from bayesrank._core.source import groups_of
from bayesrank.io import formats
from bayesrank.report import ranking_report, sections
from tests.commands import invoke
from tests.evidence import test_formats as logs
from tests.source import files_naming

TESTS = Path(__file__).parent
RNG = np.random.default_rng(5)

COUNTS = br.from_counts(
    tn=[70, 79, 60], fp=[10, 1, 20], fn=[9, 1, 9], tp=[21, 29, 21], entity=["a", "b", "c"]
)
#: a is best where negatives count, b where positives do.
CROSSED = br.from_counts(tn=[95, 40], fp=[5, 60], fn=[60, 5], tp=[40, 95], entity=["a", "b"])
STUDIES = br.from_counts(
    tn=[45, 38, 90, 27, 60], fp=[5, 12, 10, 3, 40], fn=[4, 9, 2, 3, 1], tp=[16, 11, 28, 7, 19],
    entity=["A"] * 5, dataset=["Oslo", "Rome", "Lima", "Kyiv", "Bonn"],
)  # fmt: skip
CLASSES = br.from_matrix([[[30, 2, 1], [3, 25, 2], [1, 1, 35]], [[20, 12, 1], [3, 15, 12], [1, 11, 25]]],
                         "actual_rows", entity=["u", "v"])  # fmt: skip
GRADES = xr.DataArray(
    RNG.integers(1, 9, (2, 3, 3)), {"entity": ["a", "b"], "dataset": list("xyz"), "outcome": [0, 1, 2]},
    ("entity", "dataset", "outcome"),
)  # fmt: skip
JOINT = br.from_outcomes(
    pd.DataFrame(RNG.random((60, 3)) < [0.9, 0.6, 0.5], columns=list("abc")).astype(int)
)
RETRIES = br.from_outcomes(
    pd.DataFrame((RNG.random((80, 2)) < [0.9, 0.6]).astype(int), columns=list("ab"))
    .assign(case=np.arange(80) // 4, run=np.arange(80) % 4),
    case="case", run="run",
)  # fmt: skip
BATTLES = pd.DataFrame(
    [("a", "b", "a"), ("b", "c", "b"), ("a", "c", "tie")] * 9, columns=["x", "y", "winner"]
)
VOTES = br.from_votes(BATTLES, a="x", b="y", winner="winner")
FOLDS = br.from_folds(
    pd.DataFrame(RNG.random((20, 2)), columns=list("ab")).assign(run=np.arange(20) // 10),
    train=90, test=10, repeat="run",
)  # fmt: skip
JUDGED = br.from_judged(
    pd.DataFrame({"case": [*range(40)] * 2, "system": ["a"] * 40 + ["b"] * 40, "gpt": [1, 0, 1, 1] * 20})
    .assign(human=lambda held: held["gpt"].where(held["case"] < 20)),
    judge="gpt", truth="human", entity="system", case="case",
)  # fmt: skip
SEEDS = br.from_outcomes(
    pd.DataFrame((RNG.random((80, 2)) < [0.9, 0.6]).astype(int), columns=list("ab"))
    .assign(case=np.arange(80) % 20, seed=np.arange(80) // 20),
    case="case", training_seed="seed",
)  # fmt: skip
PROBABILITIES = br.from_probabilities(
    np.arange(60) % 2, pd.DataFrame(RNG.random((60, 2)), columns=["a", "b"])
)
MEANS = br.from_frame(
    pd.DataFrame({"entity": ["a", "b"], "mean": [0.71, 0.62], "se": [0.01, 0.02]})
)


def names_in(package):
    """Names of the public modules of a package, as its folders hold them now; inner packages hold their parts."""
    found = pkgutil.iter_modules(package.__path__)
    return {module.name for module in found if not module.ispkg and not module.name.startswith("_")}


# --- Models -----------------------------------------------------------------------------------------------------------

#: Evidence that each model fits.
EVIDENCE = {
    "dirichlet_multinomial": COUNTS,
    "beta_binomial": COUNTS,
    "crossed_logit_normal": STUDIES,
    "hierarchical_beta_binomial": STUDIES,
    "hierarchical_classes": CLASSES,
    "hierarchical_dirichlet_multinomial": GRADES,
    "hierarchical_logit_normal": STUDIES,
    "normal_means": MEANS,
    "correlated_folds": FOLDS,
    "davidson": VOTES,
    "bayesian_bootstrap": PROBABILITIES,
    "paired": JOINT,
    "partial_truth": JUDGED,
    "latent_class": br.datasets.load("myocardial_indicators"),
    "retrained": SEEDS,
}
#: Models that are sampled by NUTS, whose compilation takes long.
COMPILED = {"hierarchical_dirichlet_multinomial"}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow) if name in COMPILED else name
        for name in models.names()
    ],
)
def test_each_model_fits_its_evidence(name):
    evidence = EVIDENCE[name]
    options = {"nuts": {"tune": 40}} if name in COMPILED else {}
    groups = groups_of(br.fit(evidence, name, seed=1, draws=40, chains=2, **options))
    posterior = groups["posterior"]
    main = next(
        posterior[variable]
        for variable in ("performance", "mean_outcome", "strength", "auc_roc")
        if variable in posterior
    )
    assert (main.sizes["chain"], main.sizes["draw"]) == (2, 40)
    assert main["entity"].values.tolist() == evidence["entity"].values.tolist()
    assert bool(np.isfinite(main).all())
    assert main.std("draw").min() > 0
    if "performance" in posterior:
        outcome = [dim for dim in ("actual", "predicted", "outcome") if dim in main.dims]
        np.testing.assert_allclose(main.sum(outcome), 1, rtol=1e-9)
    assert posterior.attrs["model"] == name


@pytest.mark.parametrize("name", models.names())
def test_each_model_states_its_prior_and_options_and_speaks(name):
    model = models.find_model(name)
    evidence = EVIDENCE[name]
    assert re.fullmatch(r"[A-Z].*\.", model.words)
    assert model.kind in ("observed", "typical", "new")
    made = models.make_model(name, evidence, {})
    observed = made.observed()
    assert "observed_data" in observed
    assert (
        made.settings["prior"] in ("flat", 2.0, "pseudo_cases")
        or "prior_concentration" in observed["constant_data"]
    )
    with pytest.raises(ValueError, match="options"):
        br.fit(evidence, name, no_such_option=1)


# --- Sections of the report -------------------------------------------------------------------------------------------


def drifted():
    months = {"dataset": ["May", "June"] * 2, "entity": ["a", "a", "b", "b"]}
    return br.from_counts(
        tn=[80, 70, 60, 60], fp=[20, 30, 40, 40], fn=[10, 9, 4, 4], tp=[90, 91, 96, 96], **months
    )


def priced():
    cells = {
        "entity": list("ab") * 30,
        "case": np.repeat(range(30), 2),
        "outcome": RNG.integers(0, 2, 60),
    }
    return br.from_frame(pd.DataFrame({**cells, "usd": RNG.random(60)}), cost="usd")


def utility(posterior):
    return br.decisions.expected_utility(
        posterior, {"tn": 0, "fp": -1, "fn": -9, "tp": 0}, prevalence=0.1
    )


#: For each section: evidence, model, score, and the results that it shows; "categories" are shown by the command alone.
PAGES = {
    "attempts": (lambda: RETRIES, None, "mean_outcome", None),
    "cases": (lambda: JOINT, "paired", "mean_outcome", lambda p: br.cases.deciding_cases(JOINT)),
    "categories": None,
    "class_tiles": (lambda: CLASSES, None, "accuracy", None),
    "confusions": (lambda: CLASSES, None, "accuracy", None),
    "costs": (priced, None, "mean_outcome", None),
    "curves": (
        lambda: PROBABILITIES,
        None,
        "auc_roc",
        lambda p: br.ops.credible_curves(PROBABILITIES, seed=1, draws=50),
    ),
    "datasets": (lambda: STUDIES, "hierarchical_beta_binomial", "f1", None),
    "decisions": (lambda: COUNTS, None, "f1", utility),
    "diagnostics": (lambda: COUNTS, None, "f1", None),
    "drift": (
        lambda: CROSSED,
        None,
        "f1",
        lambda p: br.ops.drift(br.fit(drifted(), seed=1, draws=50), "f1"),
    ),
    "judges": (lambda: JUDGED, None, "mean_outcome", None),
    "latent": (lambda: br.datasets.load("myocardial_indicators"), None, "f1", None),
    "ops": (lambda: COUNTS, None, "f1", None),
    "pairing": (lambda: JOINT, "paired", "mean_outcome", None),
    "planning": (
        lambda: CROSSED,
        None,
        "f1",
        lambda p: br.plan(p, "f1", sizes=[10, 100], futures=50, seed=1),
    ),
    "predictive": (lambda: STUDIES, "hierarchical_beta_binomial", "f1", None),
    "prior": (lambda: COUNTS, None, "f1", None),
    "ranks": (lambda: COUNTS, None, "f1", None),
    "rates": (lambda: COUNTS, None, "f1", None),
    "sensitivity": (
        lambda: CROSSED,
        None,
        "f1",
        lambda p: br.sensitivity(CROSSED, "f1", seed=1, draws=50),
    ),
    "tile": (lambda: CROSSED, None, "f1", None),
}


def sections_on(html):
    """Names of the sections between table and notes."""
    ids = re.findall(r'<h2 id="(\w+)">', html)
    return ids[1 : ids.index("notes")]


@pytest.mark.parametrize("name", sections.names())
def test_each_section_is_on_a_page_that_has_its_data(name, tmp_path):
    if PAGES[name] is None:
        frame = pd.DataFrame(
            {
                "entity": list("ab") * 30,
                "case": np.repeat(range(30), 2),
                "outcome": [1, 0, 1, 1] * 15,
            }
        )
        frame.assign(topic=np.repeat(["x", "y"], 30)).to_csv(tmp_path / "cases.csv", index=False)
        page = tmp_path / "page.html"
        invoke(
            "report",
            tmp_path / "cases.csv",
            "--by",
            "topic",
            "--with",
            name,
            "--draws",
            50,
            "-o",
            page,
        )
        assert name in sections_on(page.read_text("utf-8"))
        return
    evidence, model, score, result = PAGES[name]
    groups = [] if name == "curves" else ["prior"]  # the bootstrap has no prior to draw from
    posterior = br.fit(evidence(), model, seed=1, draws=50, groups=groups)
    results = {} if result is None else {name: result(posterior)}
    assert name in sections_on(ranking_report(posterior, score, sections=[name], results=results))


@pytest.mark.parametrize("name", sorted(set(sections.names()) - {"diagnostics"}))
def test_each_section_says_what_it_lacks(name):
    """Means of one entity have no counts, no cases, no draws of a prior and no rival."""
    posterior = br.fit(MEANS.isel(entity=[0]), seed=1, draws=50)
    html = ranking_report(posterior, "mean_outcome", sections=[name])
    assert name not in sections_on(html)
    assert f"The section {name} is left out: it needs " in html


# --- Commands ---------------------------------------------------------------------------------------------------------

#: Words of a run of each command, and what it must print; LOGS stands for a folder of logs of lm-eval.
RUNS = {
    "audit": (["mcc"], "should not rank"),
    "check": (["LOGS"], "Problems:   none."),
    "convert": (["LOGS"], "entity,dataset,case"),
    "datasets": ([], "tornado"),
    "decide": (["tornado", "--benefit", "tn=0,fp=-1,fn=-9,tp=0", "--draws", 50], "utility"),
    "diff": (["BOARD", "BOARD"], "none changed its rank"),
    "doctor": (["LOGS"], "lm-eval"),
    "drift": (["MONTHS", "--draws", 50], "No alarm in 1 look since May"),
    "gate": (["BASE", "NEW"], "Undecided: new"),
    "ops": (["tornado", "--draws", 50], "OPS"),
    "plan": (["tornado", "--draws", 50], "cases"),
    "rank": (["tornado", "--score", "f1", "--draws", 50], "P(best)"),
    "report": (["tornado", "--draws", 50, "-o", "PAGE"], "PAGE"),
    "scores": (["tornado", "--draws", 50], "entity"),
    "sensitivity": (["tornado", "--score", "tpr", "--draws", 50], "prior"),
    "tile": (["tornado", "--draws", 50], "share"),
}


@pytest.mark.parametrize("name", sorted(names_in(cli)))
def test_each_command_runs(name, tmp_path):
    words, wanted = RUNS[name]
    logs.both(logs.lm_eval, tmp_path / "logs")
    places = {"LOGS": tmp_path / "logs", "PAGE": tmp_path / "page.html"}
    for version, outcomes in (("base", "10"), ("new", "01")):
        places[version.upper()] = tmp_path / f"{version}.csv"
        places[version.upper()].write_text(f"case,outcome\nx,{outcomes[0]}\ny,{outcomes[1]}\n")
    places["MONTHS"] = tmp_path / "months.csv"
    places["MONTHS"].write_text("dataset,tn,fp,fn,tp\nMay,80,20,10,90\nJune,81,19,9,91\n")
    if "BOARD" in words:
        places["BOARD"] = tmp_path / "board.json"
        places["BOARD"].write_text(br.board(br.credible_ranking(br.fit(COUNTS, seed=1), "f1")))
    printed = invoke(name, *(places.get(word, word) for word in words))
    assert str(places.get(wanted, wanted)) in printed
    shown = invoke(name, "--help")
    assert shown.startswith("Usage: cli " + name)
    assert "--help" in shown


# --- Formats ----------------------------------------------------------------------------------------------------------

#: Functions that write logs of each format.
WRITERS = {
    "agents": [logs.terminal_bench, logs.harbor, logs.aider, logs.lerobot],
    "code_tests": [logs.code],
    "deepeval": [logs.deepeval],
    "every_eval_ever": [logs.eee],
    "helm": [logs.helm],
    "inspect": [logs.inspect],
    "judgments": [logs.alpaca_eval, logs.arena_hard, logs.mt_bench],
    "livecodebench": [logs.livecodebench],
    "lighteval": [logs.lighteval],
    "lm_eval": [logs.lm_eval],
    "metr": [logs.metr],
    "mteb": [logs.mteb],
    "openai_evals": [logs.openai],
    "opencompass": [logs.opencompass],
    "predictions": [logs.caret, logs.kaggle],
    "promptfoo": [logs.promptfoo],
    "swebench": [logs.swebench, logs.swebench_instances],
    "tables": [logs.mlflow],
    "tau_bench": [logs.tau],
    "test_reports": [logs.junit, logs.pytest_report],
    "weka": [logs.weka],
}


@pytest.mark.parametrize("name", formats.names())
def test_each_format_is_recognised_by_itself_alone_and_read(name, tmp_path):
    for writer in WRITERS[name]:
        folder = tmp_path / writer.__name__
        folder.mkdir()
        logs.both(writer, folder)
        found = set()
        for file in filter(Path.is_file, folder.rglob("*")):
            head = formats.head_text(file.read_bytes()[:65536])
            knowing = {other for other in formats.names() if formats.load(other).recognise(head)}
            assert len(knowing) == 1, (file, knowing)
            found |= knowing
        assert found == {name}
        frame = br.read(folder, only=logs.ONLY.get(writer.__name__))
        assert logs.outcomes(frame) == logs.RIGHT
    assert formats.load(name).TITLE


# --- Pictures ---------------------------------------------------------------------------------------------------------


#: Functions that modules of pictures share and that draw nothing.
SHARED = {"check_slices"}


def functions_in(package):
    """Public functions of the public modules of a package, read from its files."""
    files = [Path(package.__file__).parent / f"{name}.py" for name in names_in(package)]
    trees = [ast.parse(file.read_text("utf-8")) for file in files if file.exists()]
    return {node.name for tree in trees for node in tree.body
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")}  # fmt: skip


@cache
def called_in_tests():
    """Names that tests call as br.plots.NAME(...), or after an import from the package of pictures."""
    found = set()
    for _, tree in files_naming(TESTS, "plots", "papers", pattern="test_*.py"):
        froms = [
            node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module
        ]
        imported = {
            alias.name
            for node in froms
            if re.match(r"bayesrank\.(plots|papers)\b", node.module)
            for alias in node.names
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                name = ast.unparse(node.func)
                if name in imported or re.fullmatch(r"(br\.)?(plots|papers)\.\w+", name):
                    found.add(name.rpartition(".")[2])
    return found


@pytest.mark.parametrize("package", [plots, papers])
def test_each_picture_of_the_folder_is_public_and_drawn(package):
    drawing = functions_in(package) - SHARED
    assert drawing
    assert drawing <= set(package.__all__)
    assert drawing <= called_in_tests()


# --- The tables hold what the folders hold ----------------------------------------------------------------------------

TABLES = {models: EVIDENCE, sections: PAGES, cli: RUNS, formats: WRITERS}


@pytest.mark.parametrize("package", TABLES)
def test_the_tables_hold_what_the_folders_hold(package, tmp_path, monkeypatch):
    assert names_in(package) == set(TABLES[package])
    # A file that nobody has written an example for is found, and fails.
    (tmp_path / "brand_new.py").write_text("")
    (tmp_path / "_helper.py").write_text("")
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    assert names_in(package) - set(TABLES[package]) == {"brand_new"}


def test_a_new_picture_without_a_test_is_found(tmp_path, monkeypatch):
    (tmp_path / "__init__.py").write_text("")
    (tmp_path / "new.py").write_text("def new_picture(): ...\ndef _hidden(): ...\n")
    monkeypatch.setattr(plots, "__path__", [str(tmp_path)])
    monkeypatch.setattr(plots, "__file__", str(tmp_path / "__init__.py"))
    assert functions_in(plots) == {"new_picture"}
    assert "new_picture" not in called_in_tests()
