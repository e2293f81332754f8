"""Print what a maintainer does by hand for a release, in order, with what is done already.

Run: python scripts/release.py
"""

import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]


class Step(NamedTuple):
    """A step of a release: what to do, and whether it is done; None if only a person can tell."""

    words: str
    done: bool | None = None


def read(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def git(*words: str) -> str:
    """Return what git prints; empty outside of a checkout."""
    return subprocess.run(
        ["git", *words], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.strip()


def steps() -> Iterator[Step]:
    """Yield the steps in order."""
    settings = tomllib.loads(read("pyproject.toml"))
    address = settings["tool"]["bayesrank"]["address"]
    version = re.search(r'^__version__ = "(.*)"$', read("bayesrank/__init__.py"), re.MULTILINE)[1]
    named = [
        f"\nversion: {version}\n" in read("CITATION.cff"),
        f'version: "{version}"' in read("conda/recipe.yaml"),
    ]
    named += [
        f"Version {version} (" in read("CHANGELOG.md"),
        f"version = {{{version}}}" in read("docs/citing.md"),
    ]
    yield Step(
        "Register the name bayesrank on the package index first, with a trusted publisher or a token of this project "
        "alone. Until then nobody may be told to install it by its name: anyone could register it."
    )
    yield Step(
        "Write the address of the repository as tool.bayesrank.address in pyproject.toml, as repository-code in "
        "CITATION.cff, and for OWNER/bayesrank on the page docs/howto/gate.md.",
        bool(address),
    )
    yield Step(
        f"Version {version} is in bayesrank/__init__.py, CITATION.cff, conda/recipe.yaml, CHANGELOG.md and "
        "docs/citing.md.",
        all(named),
    )
    yield Step(
        "Replace 'is not on a package index yet' in CHANGELOG.md by the date.",
        "is not on a package index yet" not in read("CHANGELOG.md"),
    )
    yield Step(
        "Commit everything; the working tree is clean.",
        bool(git("rev-parse", "HEAD")) and not git("status", "-s"),
    )
    yield Step("The workflow 'tests' passes on this commit, or .ci/run does here.")
    yield Step(
        "Build and try both distributions: python scripts/check_wheel.py -o dist, on each supported Python."
    )
    yield Step(
        f"Tag the commit: git tag -s v{version}, and push the tag.",
        f"v{version}" in git("tag").split(),
    )
    yield Step("Upload dist/* with twine, and install it from the index in an empty environment.")
    yield Step(
        "Send conda/recipe.yaml to conda-forge, with the address and sha256 of the source distribution as source."
    )
    yield Step("Archive the tagged source where it gets a DOI, and add the DOI to CITATION.cff.")
    yield Step(
        "Enable private reports of vulnerabilities, which SECURITY.md names, and the pages of the workflow 'docs'."
    )
    yield Step(
        "Name the authors in paper/paper.md and CITATION.cff, and submit the paper.",
        "To be named" not in read("paper/paper.md"),
    )


def main() -> None:
    for number, step in enumerate(steps(), 1):
        mark = {True: "done", False: "to do", None: "by hand"}[step.done]
        print(f"{number:2}. [{mark}] {step.words}")


if __name__ == "__main__":
    main()
