"""The action of the gate: its steps run in a shell, its comment is one, and text of a pull request is never code."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
WORKFLOW = re.search(
    r"```yaml\n(.*?)```", (ROOT / "docs" / "howto" / "gate.md").read_text("utf-8"), re.DOTALL
)[1]
SHELL = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"]


def results(path, right):
    lines = [f"{i},{int(i < right)}" for i in range(400)]
    path.write_text("\n".join(["case,outcome", *lines]) + "\n", encoding="utf-8")


@pytest.fixture
def runner(tmp_path):
    """Run a step as GitHub does, with the package of this checkout and a gh that writes down how it was called."""
    (tmp_path / "bayesrank" / "bin").mkdir(parents=True)
    programs = {
        tmp_path
        / "bayesrank"
        / "bin"
        / "bayesrank": f'exec "{sys.executable}" -m bayesrank "$@"\n',
        tmp_path / "gh": 'printf "%s\\n" "$*" >> "$CALLS"\n[ -z "$REFUSED" ] || exit 1\n'
        'case "$*" in *--paginate*) echo "$FOUND" ;; esac\n',
    }
    for path, code in programs.items():
        path.write_text(f"#!/bin/sh\n{code}", encoding="utf-8")
        path.chmod(0o755)
    files = {name: tmp_path / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "CALLS")}
    paths = {
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "RUNNER_TEMP": str(tmp_path),
        "PYTHONPATH": str(ROOT),
    }

    def run(step, **given):
        environment = os.environ | paths | {name: str(path) for name, path in files.items()} | given
        return subprocess.run(
            [*SHELL, STEPS[step]["run"]],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )

    return run, files


def test_inputs_reach_the_shell_as_variables_only():
    for step in STEPS.values():
        assert "${{" not in step["run"]
        used = set(re.findall(r"\$\{?([A-Z_]+)", step["run"]))
        assert used <= {*step["env"], "RUNNER_TEMP", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"}
        assert set(step["env"]) <= used | {"GH_TOKEN"}
        assert step["shell"] == "bash"
        subprocess.run(["bash", "-n", "-c", step["run"]], check=True)
    asked = {name for step in STEPS.values() for value in step["env"].values()
             for name in re.findall(r"inputs\.(\w+)", value)}  # fmt: skip
    assert asked == set(ACTION["inputs"])
    assert STEPS["Install"]["env"] == {"SOURCE": "${{ github.action_path }}"}


def test_the_page_asks_for_no_more_than_comments():
    workflow = yaml.safe_load(WORKFLOW)
    assert workflow["permissions"] == {"contents": "read", "pull-requests": "write"}
    assert workflow[True] == "pull_request"  # YAML reads "on" as True
    [used] = [
        step for step in workflow["jobs"]["gate"]["steps"] if "bayesrank" in step.get("uses", "")
    ]
    needed = {name for name, about in ACTION["inputs"].items() if about.get("required")}
    assert needed <= set(used["with"]) <= set(ACTION["inputs"])


@pytest.mark.parametrize(
    ("right", "options", "status", "words"),
    [
        pytest.param(301, "--prob '0.9'", "0", "new", marks=pytest.mark.slow),
        (None, "", "2", "**The gate has no answer.**"),
    ],
)
def test_the_answer_is_written_and_its_status_is_that_of_the_job(
    runner, tmp_path, right, options, status, words
):
    run, files = runner
    results(tmp_path / "base.csv", 300)
    if right is not None:
        results(tmp_path / "new.csv", right)
    done = run("Decide", BASE="base.csv", NEW="new.csv", OPTIONS=options)
    assert done.returncode == 0, done.stderr
    assert files["GITHUB_OUTPUT"].read_text() == f"status={status}\n"
    comment = (tmp_path / "comment.md").read_text(encoding="utf-8")
    assert comment.startswith("<!-- bayesrank gate -->\n**")
    assert words in comment
    assert files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8") == comment.split("\n", 1)[1]
    assert run("Exit", STATUS=status).returncode == int(status)
    if right is None:
        assert re.search(r"^    bayesrank: .*new\.csv", comment, re.MULTILINE)


@pytest.mark.parametrize("name", ["$(touch hacked).csv", "--help", "a b; touch hacked"])
def test_strange_names_are_names(runner, tmp_path, name):
    run, _ = runner
    (tmp_path / "bayesrank" / "bin" / "bayesrank").write_text(
        '#!/bin/sh\nprintf "%s\\n" "$@"\n', encoding="utf-8"
    )
    options = "--margin '$(touch hacked) 1' `touch hacked`"
    assert run("Decide", BASE=name, NEW=name, OPTIONS=options).returncode == 0
    words = [
        "gate",
        "--margin",
        "$(touch hacked) 1",
        "`touch",
        "hacked`",
        "--format",
        "markdown",
        "--",
        name,
        name,
    ]
    assert (tmp_path / "answer.md").read_text().splitlines() == words
    assert not (tmp_path / "hacked").exists()


@pytest.mark.parametrize(("found", "call"), [("", "--method POST repos/o/r/issues/3/comments"),
                                             ("7\n9", "--method PATCH repos/o/r/issues/comments/7")])  # fmt: skip
def test_a_pull_request_has_one_comment(runner, tmp_path, found, call):
    run, files = runner
    done = run("Comment", GH_TOKEN="t", REPOSITORY="o/r", NUMBER="3", FOUND=found, REFUSED="")
    assert (done.returncode, done.stdout) == (0, "")
    asked, written = files["CALLS"].read_text().splitlines()
    assert "repos/o/r/issues/3/comments" in asked
    assert 'select(.user.type == "Bot"' in asked  # a person's comment is not overwritten
    assert call in written
    assert f"body=@{tmp_path}/comment.md" in written


def test_a_token_that_may_not_write_fails_no_job(runner):
    done = runner[0]("Comment", GH_TOKEN="t", REPOSITORY="o/r", NUMBER="3", FOUND="", REFUSED="yes")
    assert done.returncode == 0
    assert "::warning::The comment was not written" in done.stdout


def fill(text, known):
    """Return a value of a step with the expressions of GitHub replaced, as its runner does."""
    return re.sub(r"\$\{\{\s*([\w.]+)\s*\}\}", lambda match: known[match[1]], str(text))


@pytest.mark.parametrize(
    ("right", "status", "words"),
    [
        (250, 1, "**Worse: new is worse than base"),
        pytest.param(300, 0, "**Not worse: new", marks=pytest.mark.slow),
    ],
)
def test_all_steps_run_in_order_and_the_job_has_the_status_of_the_gate(
    runner, tmp_path, right, status, words
):
    """The package is installed already: python3 only writes down how it was called."""
    run, files = runner
    for name, count in (("base", 300), ("new", right)):
        results(tmp_path / f"{name}.csv", count)
    (tmp_path / "python3").write_text(
        '#!/bin/sh\nprintf "%s\\n" "$*" >> "$CALLS"\n', encoding="utf-8"
    )
    (tmp_path / "bayesrank" / "bin" / "python").write_text(
        (tmp_path / "python3").read_text(), encoding="utf-8"
    )
    for path in (tmp_path / "python3", tmp_path / "bayesrank" / "bin" / "python"):
        path.chmod(0o755)
    known = {f"inputs.{name}": about.get("default", "") for name, about in ACTION["inputs"].items()}
    known |= {
        "inputs.base": "base.csv",
        "inputs.new": "new.csv",
        "inputs.options": "--margin 0.01",
        "inputs.token": "t",
    }
    known |= {
        "github.action_path": "/action",
        "github.repository": "o/r",
        "github.event.pull_request.number": "3",
    }
    done = {}
    for name, step in STEPS.items():
        given = {key: fill(value, known) for key, value in step["env"].items()}
        done[name] = run(name, **given, FOUND="7", REFUSED="")
        for line in files["GITHUB_OUTPUT"].read_text().splitlines() if "id" in step else ():
            key, value = line.split("=", 1)
            known[f"steps.{step['id']}.outputs.{key}"] = value
    assert [one.returncode for one in done.values()] == [0, 0, 0, status], [
        one.stderr for one in done.values()
    ]
    assert fill(ACTION["outputs"]["status"]["value"], known) == str(status)
    venv, install, *asked, written = files["CALLS"].read_text().splitlines()
    assert venv == f"-m venv {tmp_path}/bayesrank"
    assert install.endswith("install --quiet /action")
    assert len(asked) == 1
    assert "--method PATCH repos/o/r/issues/comments/7" in written
    assert words in (tmp_path / "comment.md").read_text(encoding="utf-8")
