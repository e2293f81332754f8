"""What a release needs: links, workflows, issue forms, a conda recipe, a paper, and the steps by hand."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

from tests.scripts import load_script

ROOT = Path(__file__).parents[1]
ABOUT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted(
    path for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml") if path.stem != "config"
)


def read(name):
    return (ROOT / name).read_text("utf-8")


def test_the_links_come_from_one_setting():
    code = read("hatch_build.py").replace(
        "from hatchling.metadata.plugin.interface import MetadataHookInterface", ""
    )
    space = {"MetadataHookInterface": type("Hook", (), {"root": str(ROOT)})}
    exec(code, space)
    assert space["urls_of"]("") == {}
    links = space["urls_of"]("https://example.org/owner/bayesrank/")
    assert links["Source"] == "https://example.org/owner/bayesrank"
    assert links["Issues"] == "https://example.org/owner/bayesrank/issues"
    metadata = {}
    space["Links"]().update(metadata)
    assert metadata == {"urls": space["urls_of"](ABOUT["tool"]["bayesrank"]["address"])}
    assert "urls" in ABOUT["project"]["dynamic"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_run_what_is_there_and_may_only_read(path):
    workflow = yaml.safe_load(path.read_text("utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    targets = set(re.findall(r"^([a-z-]+):", read("Makefile"), re.MULTILINE))
    [job] = workflow["jobs"].values()
    assert job["timeout-minutes"] <= 60
    lines = [step["run"] for step in job["steps"] if "run" in step]
    for line in lines:
        assert "${{" not in line
        assert set(re.findall(r"\bmake ([a-z-]+)", line)) <= targets
        assert all((ROOT / name).is_file() for name in re.findall(r"scripts/\w+\.py", line))
    assert any("make" in line or "scripts/" in line for line in lines)


def test_all_three_workflows_are_there_and_tests_forbid_skips_on_both_stacks():
    assert [path.stem for path in WORKFLOWS] == ["docs", "tests", "wheel"]
    job = yaml.safe_load(WORKFLOWS[1].read_text("utf-8"))["jobs"]["tests"]
    assert job["strategy"]["matrix"]["python"] == ["3.11", "3.13"]
    assert job["env"] == {"BAYESRANK_FORBID_SKIPS": "1"}


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_issue_forms_ask_for_what_is_needed(path):
    form = yaml.safe_load(path.read_text("utf-8"))
    assert {"name", "description", "body"} <= set(form)
    assert {item["type"] for item in form["body"]} <= {"textarea", "input"}
    names = [item["id"] for item in form["body"]]
    assert (
        len(names)
        == len(set(names))
        == sum(item["validations"]["required"] for item in form["body"])
    )
    assert all(item["attributes"]["label"] for item in form["body"])


def test_the_conda_recipe_needs_what_the_wheel_needs():
    recipe = yaml.safe_load(read("conda/recipe.yaml"))
    needed = {}
    for text in ABOUT["project"]["dependencies"]:
        one = Requirement(text)
        needed["matplotlib-base" if one.name == "matplotlib" else one.name] = str(one.specifier)
        needed |= dict.fromkeys(one.extras, "")
    said = dict(re.match(r"(\S+) ?(.*)", line).groups() for line in recipe["requirements"]["run"])
    assert said.pop("python") == ">=${{ python_min }}"
    assert said == needed
    assert recipe["context"]["python_min"] == ABOUT["project"]["requires-python"].removeprefix(">=")
    assert recipe["about"]["license"] == ABOUT["project"]["license"]
    assert recipe["about"]["license_file"] == ABOUT["project"]["license-files"]
    scripts = [f"{name} = {value}" for name, value in ABOUT["project"]["scripts"].items()]
    assert recipe["build"]["python"]["entry_points"] == scripts


def test_the_paper_has_the_form_of_the_journal():
    _, head, text = read("paper/paper.md").split("---\n", 2)
    assert {"title", "tags", "authors", "affiliations", "date", "bibliography"} <= set(
        yaml.safe_load(head)
    )
    wanted = ["Summary", "Statement of need", "State of the field", "Software design", "Research impact statement",
              "AI usage disclosure", "Acknowledgements", "References"]  # fmt: skip
    assert re.findall(r"^# (.*)$", text, re.MULTILINE) == wanted
    assert 750 < len(text.split()) < 1750
    cited = set(re.findall(r"@([\w-]+)", text))
    entries = re.findall(r"^@\w+\{([\w-]+),$", read("paper/paper.bib"), re.MULTILINE)
    assert sorted(entries) == sorted(cited)
    for picture in re.findall(r"\]\((\S+\.png)\)", text):
        assert (ROOT / "paper" / picture).is_file()
    assert all((ROOT / name).is_file() for name in re.findall(r"scripts/\w+\.py", text))


def test_the_steps_by_hand_begin_with_the_name(capsys):
    script = load_script("scripts/release.py")
    script.main()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(
        " 1. [by hand] Register the name bayesrank on the package index first"
    )
    assert len(lines) >= 12
    found = {step.words.split(":")[0][:20]: step.done for step in script.steps()}
    assert found["Write the address of"] is bool(ABOUT["tool"]["bayesrank"]["address"])
    assert found["Version 0.2.0 is in "] is True


def test_the_distribution_has_what_its_tests_read():
    held = set(ABOUT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"])
    assert {
        "hatch_build.py",
        "paper",
        "conda",
        ".github",
        "SECURITY.md",
        "CITATION.cff",
        "action.yml",
    } <= held
    assert all((ROOT / name).exists() for name in held)
