"""A plugin for pytest: a test fails if a new version is worse than the one before, as the gate decides.

pytest finds it by the entry point ``bayesrank`` of the group ``pytest11``. It loads nothing heavy
before a test calls the fixture ``assert_not_worse``.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import pytest

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

__all__ = ["assert_not_worse"]

#: The property of a test's report that holds the decision, and the title of the decisions in
#: pytest's summary.
PROPERTY = TITLE = "bayesrank gate"


def assert_not_worse(
    base: Any,
    new: Any,
    score: Any = None,
    *,
    margin: float = 0.0,
    fail_on: Literal["worse", "undecided"] = "worse",
    missing: Any = None,
    looks: int | Literal["any"] = 1,
    prob: float = 0.95,
    higher_is_better: bool | None = None,
    seed: Any = 1,
) -> "xr.Dataset":
    """Raise AssertionError if a new version is worse than the one before, by more than a margin.

    In a test, ask for the fixture of the same name, which also prints the decision in pytest's
    summary.

    Parameters
    ----------
    base, new : mapping, Series or DataFrame
        The outcomes of the two versions: by case, or a table with the columns ``case`` and
        ``outcome``, or ``case``, ``actual`` and ``predicted``; also the table that
        :func:`bayesrank.read` returns of the logs of one system. Cases are paired by their names.
    score : Score, str or callable, optional
        As for :func:`bayesrank.analyze`.
    margin : float
        The largest loss that does not matter, in units of the score.
    fail_on : {"worse", "undecided"}
        "undecided" fails also if the cases do not decide.
    missing : "common" or number, optional
        How a case counts that a version did not answer: only the cases of both versions count, or a
        number is its outcome, such as 0 for a wrong answer. By default it raises an error.
    looks, prob, higher_is_better : optional
        As for :func:`bayesrank.decisions.gate`.
    seed : optional
        As for :func:`bayesrank.fit`.

    Returns
    -------
    xarray.Dataset
        The result of :func:`bayesrank.decisions.gate`, for the entity "new".

    Raises
    ------
    AssertionError
        If the new version is worse, or undecided with ``fail_on="undecided"``. The message is the
        decision.
    ArgumentError
        If the outcomes have no names of cases, or a version lacks answers without ``missing``.

    Examples
    --------
    >>> base = {f"q{i}": int(i < 300) for i in range(400)}
    >>> found = assert_not_worse(base, {case: int(case < "q35") for case in base}, margin=0.1)
    >>> found["verdict"].values.tolist()
    ['not worse']
    >>> assert_not_worse(base, dict.fromkeys(base, 0), margin=0.1)
    Traceback (most recent call last):
    ...
    AssertionError: Worse: new is worse than base by more than 0.1 (mean outcome -0.748, ...
    """
    __tracebackhide__ = True
    from bayesrank._core.checks import check_choice

    check_choice("fail_on", fail_on, ("worse", "undecided"))
    result, decision = _decide(
        base, new, score, missing, higher_is_better, seed, margin=margin, looks=looks, prob=prob
    )
    if result.attrs["verdict"] in {"worse", fail_on}:
        raise AssertionError(decision)
    return result


@pytest.fixture(name="assert_not_worse")
def _assert_not_worse(
    record_property: Callable[[str, object], None],
) -> Callable[..., "xr.Dataset"]:
    """Fail a test if a new version is worse than the one before, as the gate decides; print the decision."""

    def check(*versions: Any, **options: Any) -> "xr.Dataset":
        __tracebackhide__ = True
        from bayesrank.words.results import verdict_parts

        try:
            result = assert_not_worse(*versions, **options)
        except AssertionError as failure:
            record_property(PROPERTY, str(failure))
            raise
        record_property(PROPERTY, " ".join(verdict_parts(result).sentences()))
        return result

    return check


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the decisions of all tests."""
    lines = [
        f"{report.nodeid}: {text}"
        for outcome in ("passed", "failed")
        for report in terminalreporter.stats.get(outcome, [])
        for name, text in getattr(report, "user_properties", [])
        if name == PROPERTY and report.when == "call"
    ]
    if lines:
        terminalreporter.section(TITLE)
        for line in lines:
            terminalreporter.write_line(line)


def _decide(
    base: Any,
    new: Any,
    score: Any,
    missing: Any,
    higher_is_better: bool | None,
    seed: Any,
    **options: Any,
) -> "tuple[xr.Dataset, str]":
    """Return the result of the gate, and its sentences."""
    import pandas as pd

    from bayesrank.analysis.default_score import choose_score
    from bayesrank.analysis.draws import silence_samplers
    from bayesrank.decisions import gate
    from bayesrank.evidence.counts import pool
    from bayesrank.evidence.kinds.given import parse_given
    from bayesrank.inference import fit
    from bayesrank.io.tables.frames import from_frame
    from bayesrank.scores import as_score
    from bayesrank.words.results import verdict_parts

    tables = {"base": _table_of("base", base), "new": _table_of("new", new)}
    frame = pd.concat(
        [table.assign(entity=name) for name, table in tables.items()],
        join="inner",
        ignore_index=True,
    )
    evidence = from_frame(frame, entity="entity", case="case", missing=missing)
    evidence = pool(evidence) if "dataset" in evidence.coords else evidence
    used = choose_score(evidence, None if score is None else as_score(score))
    stated = tables["new"].attrs.get("higher_is_better") if used.space == "outcomes" else None
    better = stated if higher_is_better is None else higher_is_better
    with silence_samplers():
        models: Any = {"scores": (used.name,)} if parse_given(evidence).draws_scores else {}
        result = gate(
            fit(evidence, seed=seed, **models), "base", used, higher_is_better=better, **options
        )
    return result, " ".join(verdict_parts(result).sentences())


def _table_of(argument: str, outcomes: Any) -> "pd.DataFrame":
    """Return a table with the outcomes of one version."""
    from collections.abc import Mapping

    import pandas as pd

    from bayesrank._core.checks import describe_value
    from bayesrank._core.errors import ArgumentError, ArgumentTypeError
    from bayesrank._core.frames import as_pandas
    from bayesrank._core.prose import list_names

    if isinstance(outcomes, Mapping | pd.Series):
        return pd.DataFrame(
            {
                "case": [str(case) for case, _ in outcomes.items()],
                "outcome": [*dict(outcomes).values()],
            }
        )
    if not hasattr(outcomes, "columns"):
        hint = "pd.read_csv or br.read reads a file" if isinstance(outcomes, str) else ""
        raise ArgumentTypeError(
            argument, "must be outcomes by case, or a table of them", describe_value(outcomes), hint
        )
    table = as_pandas(argument, outcomes)
    if "case" not in table:
        raise ArgumentError(
            argument,
            "must have a column case, by which versions are paired",
            list_names(map(str, table)),
        )
    systems = table["entity"].unique() if "entity" in table else ()
    if len(systems) > 1:
        raise ArgumentError(
            argument,
            "must come from one system",
            list_names(map(str, systems)),
            "table[table['entity'] == NAME]",
        )
    return table
