"""JUnit XML and pytest-json-report: a test is a case.

Each test is a case. Failed tests count as wrong. Errors of the setup, skipped tests and tests that
were expected to fail have no outcome. In JUnit XML, an unexpected pass cannot be distinguished from
a pass. The system has the name of the test suite or of the file.
"""

import math
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pandas as pd

from bayesrank._core.errors import ArgumentError
from bayesrank._core.inputs import read_bytes
from bayesrank.io.formats._common import begin_of, has_keys, read_json, rows_of, stem_of

TITLE = "JUnit XML or pytest-json-report"
#: Outcome and status; a test that was expected to fail is neither right nor wrong.
STATES: dict[str, tuple[float, str | None]] = {
    "passed": (1.0, None),
    "failed": (0.0, None),
    "error": (math.nan, "error"),
    "skipped": (math.nan, "skipped"),
    "xfailed": (math.nan, "expected to fail"),
    "xpassed": (math.nan, "expected to fail"),
}
GENERIC = ("", "pytest", "tests", "pytest tests", "surefire", "junit", "suite", "root")


def recognise(head: str) -> bool:
    if re.match(r"<testsuites?\b", _skip_prolog(head)):
        return True
    return has_keys(head, "tests", "nodeid", "outcome") or has_keys(
        head, "exitcode", "collectors", "nodeid"
    )


def _skip_prolog(text: str) -> str:
    """Return XML from its first element on, without the declaration and comments before it."""
    at = 0
    while begin := re.compile(r"\s*(<\?|<!--)").match(text, at):
        end = "?>" if begin[1] == "<?" else "-->"
        closing = text.find(end, begin.end())
        if closing < 0:
            return ""
        at = closing + len(end)
    return text[at:].lstrip()


def read(path: Path) -> pd.DataFrame:
    rows, entity, source = [], stem_of(path), "the name of the file"
    if not begin_of(path).startswith("<"):
        for test in read_json(path)["tests"]:
            seconds = (test.get("call") or {}).get("duration")
            rows.append(
                (test["nodeid"], *STATES[test["outcome"]], seconds, test["nodeid"].split("::")[0])
            )
    else:
        data = read_bytes(path, path.name)
        if b"<!ENTITY" in data.replace(b"\0", b""):  # also in UTF-16
            raise ArgumentError(path.name, "must not define XML entities; remove its document type")
        try:
            root = ET.fromstring(data)
        except (ET.ParseError, LookupError, ValueError) as error:
            raise ArgumentError(path.name, f"must be whole XML; {error}") from None
        suites = {suite.get("name") or "" for suite in root.iter("testsuite")}
        if len(suites) == 1 and next(iter(suites)).lower() not in GENERIC:
            entity, source = suites.pop(), "the name of the test suite"
        for test in root.iter("testcase"):
            group = test.get("classname") or ""
            seconds = float((test.get("time") or "nan").replace(",", ""))
            rows.append((f"{group}::{test.get('name')}", *_state(test), seconds, group))
    names = ("case", "outcome", "status", "seconds", "category")
    return rows_of(
        [dict(zip(names, row, strict=True)) for row in rows],
        source,
        entity=entity,
        dataset="tests",
    )


def _state(test: ET.Element) -> tuple[float, str | None]:
    if test.find("error") is not None:
        return STATES["error"]
    if test.find("failure") is not None:
        return STATES["failed"]
    skipped = test.find("skipped")
    if skipped is None:
        return STATES["passed"]
    return STATES["xfailed" if "xfail" in (skipped.get("type") or "") else "skipped"]
