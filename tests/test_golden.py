"""Golden results: every function, kind, model and command is among them, and the comparison notices every change."""

import ast
import copy
import json
import math
import pkgutil
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import bayesrank as br
from bayesrank import cli
from tests.scripts import ROOT, load_script

SCRIPTS = ROOT / "scripts"
MODULES = (
    "cases",
    "comparisons",
    "datasets",
    "decisions",
    "ops",
    "performance",
    "predictive",
)
MODULES += ("statements", "theory", "tile")
#: Public functions without an entry, and why.
ELSEWHERE = {
    "doctor": "command doctor",
    "read": "command convert",
    "ranking_report": "command report",
    "analyze": "command rank, whose digits it has (tests/test_analysis.py)",
    "to_pymc": "makes a graph of PyMC, no result",
    "from_estimators": "fits of scikit-learn differ between its versions",
}


@pytest.fixture(scope="module")
def golden():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SCRIPTS))
        yield load_script("scripts/golden.py")


def called_in(*files):
    """Names called or passed as attributes, such as fit in br.fit."""
    trees = [ast.parse((SCRIPTS / file).read_text("utf-8")) for file in files]
    return {
        node.attr for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Attribute)
    }


def functions_of(module):
    held = {name: getattr(module, name) for name in getattr(module, "__all__", dir(module))}
    return {name for name, each in held.items() if callable(each) and not isinstance(each, type)}


# --- What the goldens hold ----------------------------------------------------------------------------------------


def test_every_public_function_has_an_analysis():
    called = called_in("golden_analyses.py", "golden_calls.py", "golden.py")
    public = functions_of(br).union(*(functions_of(getattr(br, name)) for name in MODULES))
    assert "credible_ranking" in public
    assert public - called == set(ELSEWHERE)


def test_every_constructor_has_a_kind_of_evidence(golden):
    constructors = {name for name in functions_of(br) if name.startswith("from_")} | {
        "joint_outcomes"
    }
    assert constructors - called_in("golden_analyses.py") == {"from_estimators"}
    assert "hierarchical_dirichlet_multinomial" in set(br.models.names()) - set(
        golden.analyses.MODELS
    )
    assert len(set(br.models.names()) - set(golden.analyses.MODELS)) == 1


def test_every_command_and_format_has_a_line(golden):
    lines = [*golden.calls.COMMANDS, *golden.calls.MORE_COMMANDS]
    commands = {
        each.name for each in pkgutil.iter_modules(cli.__path__) if not each.name.startswith("_")
    }
    assert commands <= {line.partition(" ")[0] for line in lines}
    for form in ("csv", "json", "board", "markdown", "latex"):
        assert any(f"--format {form}" in line for line in lines if line.startswith("rank"))


def test_the_files_hold_the_analyses_of_the_scripts(golden):
    """Renew the goldens (CONTRIBUTING.md) if this fails."""
    assert {path.stem for path in golden.FOLDER.glob("*.json")} == set(golden.parts())
    for part in golden.parts():
        assert set(golden.stored(part)) == set(golden.analyses_of(part)), part


def test_every_operation_and_model_works_for_a_kind(golden):
    kinds = {kind: golden.stored(kind) for kind in golden.analyses.KINDS}
    for name in [
        *golden.analyses.OPERATIONS,
        *(f"model {model}" for model in golden.analyses.MODELS),
    ]:
        assert any("error" not in held[f"{kind}/{name}"] for kind, held in kinds.items()), name
    for kind, held in kinds.items():
        assert "error" not in held[f"{kind}/evidence"], kind
    refused = [
        name
        for name, held in golden.stored("bare").items()
        if isinstance(held, dict) and "error" in held
    ]
    assert refused == ["bare/ranking without a score"]
    assert sum(path.stat().st_size for path in golden.FOLDER.glob("*.json")) < 1.7e6


# --- The comparison -----------------------------------------------------------------------------------------------

RECORD = {
    "kind/ranking": {
        "median (entity 2)": [0.81, 0.5],
        "tier (entity 2)": [1, 2],
        "undefined": math.nan,
        "verdict": ["a is best: P(best) > 0.999.", "Expected loss: 0."],
        "printed": ["a,0.8123456789012345,1"],
    }
}


@pytest.mark.parametrize(
    ("field", "value", "path"),
    [
        ("median (entity 2)", [0.81 + 1e-11, 0.5], "median (entity 2) → 0"),
        ("median (entity 2)", [0.5, 0.81], "median (entity 2) → 0"),
        ("median (entity 2)", [0.81], "median (entity 2) → 1"),
        ("median (entity 2)", [math.nan, 0.5], "median (entity 2) → 0"),
        ("tier (entity 2)", [1, 1], "tier (entity 2) → 1"),
        ("tier (entity 2)", [1.0, 2], "tier (entity 2) → 0"),
        ("tier (entity 2)", [True, 2], "tier (entity 2) → 0"),
        ("undefined", 0.0, "undefined"),
        ("verdict", ["a is best: P(best) > 0.99.", "Expected loss: 0."], "verdict → 0"),
        ("verdict", ["a is best: P(best) > 0.999."], "verdict → 1"),
        ("verdict", None, "verdict"),
        ("printed", ["a,0.8123456789112345,1"], "printed → 0"),
        ("printed", ["a,0.8123456789012345,2"], "printed → 0"),
        ("printed", ["b,0.8123456789012345,1"], "printed → 0"),
        ("new field", "", "new field"),
    ],
)
def test_a_change_is_reported(golden, field, value, path):
    changed = copy.deepcopy(RECORD)
    changed["kind/ranking"][field] = value
    found = list(golden.differences(RECORD, changed))
    assert found[0][0] == f"kind/ranking → {path}"
    shown = golden.describe(found)
    assert f"kind/ranking → {path}\n    old: {golden.shorten(found[0][1])}\n    new: " in shown


def test_a_missing_field_and_a_missing_analysis_are_reported(golden):
    without = {
        "kind/ranking": {
            name: held for name, held in RECORD["kind/ranking"].items() if name != "verdict"
        }
    }
    assert [path for path, _, _ in golden.differences(RECORD, without)] == [
        "kind/ranking → verdict"
    ]
    assert [(path, new) for path, _, new in golden.differences(RECORD, {})] == [
        ("kind/ranking", golden.NONE)
    ]
    assert [(path, old) for path, old, _ in golden.differences({}, RECORD)] == [
        ("kind/ranking", golden.NONE)
    ]


def test_equal_records_and_last_digits_are_no_difference(golden):
    near = copy.deepcopy(RECORD)
    near["kind/ranking"]["median (entity 2)"] = [0.81 * (1 + 2e-13), 0.5 - 4e-13]
    near["kind/ranking"]["printed"] = ["a,0.8123456789012349,1"]
    assert list(golden.differences(RECORD, near)) == []
    assert list(golden.differences(json.loads(golden.text_of(RECORD)), RECORD)) == []


def test_equal_changes_are_listed_together(golden):
    shown = golden.describe([(f"kind{i}/gate", "old words", "new words") for i in range(9)])
    assert shown.count("old words") == 1
    assert "and 4 more" in shown


# --- The records --------------------------------------------------------------------------------------------------


def test_a_record_notices_the_order_and_each_value_of_large_arrays(golden):
    values = np.linspace(0.1, 0.9, 40)
    first = golden.record(xr.DataArray(values, dims="draw"))
    for other in (
        values[::-1],
        np.where(np.arange(40) == 7, 0.3, values),
        np.where(np.arange(40) == 7, np.nan, values),
    ):
        assert list(golden.differences(first, golden.record(xr.DataArray(other, dims="draw"))))
    assert golden.record(xr.Dataset({"rank": ("entity", [2, 1])}))["rank (entity 2)"] == [2, 1]


def test_an_error_is_recorded_with_its_type_and_words(golden):
    found = golden.attempt(lambda: br.scores.get("nonesuch"))
    assert found["error"].startswith("ArgumentKeyError: score must be ")


def test_a_command_is_recorded_with_its_exit_code_and_lines(golden, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = golden.print_command("rank nonesuch.csv")
    assert found["exit"] == 2
    assert found["printed"] == []
    assert "nonesuch.csv" in found["errors"][0]
    Path("counts.csv").write_text("entity,correct,wrong\na,46,4\nb,30,20\n")
    found = golden.print_command("rank counts.csv --draws 50")
    assert found["exit"] == 0
    assert any("a is best" in line for line in found["printed"])


# --- The weight of a package --------------------------------------------------------------------------------------


def test_structure_is_counted(tmp_path):
    count = load_script("scripts/count_structure.py")
    (tmp_path / "part").mkdir()
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "more.py").write_text("x = 1\n")
    (tmp_path / "part" / "code.py").write_text(
        '"""A docstring."""\n\nclass A:\n    pass\n\n\ndef f(a, b, c, d, e, f, g):\n    """Return."""\n'
        "    found = [x for x in a if b and c]\n    # no code\n    return holds_votes(found) if d else e\n\n"
        "class A:\n    pass\n"
    )
    row = count.weigh("mine", tmp_path)
    assert (row.lines, row.functions, row.body_p50, row.over_6_parameters) == (14, 1, 4, 1)
    assert (row.class_names_used_twice, row.questions_of_kind, row.folders_that_ask) == (1, 1, 1)
    # 7 lines of code; the docstrings count as statements, of which one is dense.
    assert row.conditional_expressions == pytest.approx(100 / 7)
    assert row.dense_statements == pytest.approx(100 / 9)
    assert row.vague_names == 100
    assert (
        count.table([row, count.ANCHORS[0]]).splitlines()[-1].startswith("| tinygp | 4,525 | 324 |")
    )


def test_what_does_not_work_is_refused_in_words():
    """Each analysis works or raises an error of the package, which says why not; none ends with another error."""
    others = {}
    for path in (ROOT / "tests" / "golden").glob("*.json"):
        for name, found in json.loads(path.read_text(encoding="utf-8")).items():
            if isinstance(found, dict) and set(found) == {"error"}:
                kind = found["error"].partition(":")[0]
                if kind not in (
                    "ArgumentError",
                    "ArgumentTypeError",
                    "ArgumentKeyError",
                    "NoClosedForm",
                ):
                    others[name] = found["error"]
    assert others == {}


def test_the_page_says_what_works():
    page = load_script("scripts/make_what_works_page.py").page()
    assert (ROOT / "docs" / "reference" / "what_works.md").read_text(encoding="utf-8") == page, (
        "run make docs"
    )
