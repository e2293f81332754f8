"""Evaluation logs as one table: formats read the files, and ambiguous logs are refused with words."""

from collections.abc import Mapping
from typing import Any, Literal

import pandas as pd

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_absent, check_path, check_paths
from bayesrank.io.logs.choices import Choices, LogError, check_choices
from bayesrank.io.logs.files import Logs, collect
from bayesrank.io.logs.stops import find_stop, list_contents
from bayesrank.io.logs.submissions import read_submissions
from bayesrank.io.logs.table import settle

__all__ = [
    "Choices",
    "LogError",
    "Logs",
    "check_choices",
    "collect",
    "find_stop",
    "read",
    "read_submissions",
    "settle",
]


@check_call
def read(
    paths: Any,
    *,
    name: Mapping[str, str] | None = None,
    only: Mapping[str, Any] | None = None,
    match: Literal["id", "content"] = "id",
    reruns: Literal["runs", "latest"] | None = None,
    errors: Literal["scored", "skip"] | None = None,
    map: Mapping[str, str] | None = None,
    cases: int | None = None,
    truth: Any = None,
    missing: Literal["wrong"] | None = None,
    positive: Any = None,
) -> pd.DataFrame:
    """Read evaluation logs as one table with a row for each system, case and run; or the submissions of teams.

    Formats are recognised by the content of the files: lm-evaluation-harness, Inspect, SWE-bench,
    Every Eval Ever, HELM, promptfoo, EvalPlus, JUnit XML, predictions and more (see the guide "From
    your harness to a ranking").

    Parameters
    ----------
    paths : path or list of paths
        Files, folders, patterns such as ``"logs/*.jsonl"``, compressed files and zip archives;
        ``"-"`` is standard input.
    name : mapping, optional
        Names of systems by file, folder or pattern, if the files do not name them. An empty name
        ignores a file.
    only : mapping, optional
        Values to keep, one or a list, by ``"metric"``, ``"variant"`` (a filter or perturbation),
        ``"judge"``, ``"dataset"``, ``"category"``, ``"entity"``, ``"status"`` or ``"file"``. With
        ``truth``, by its columns.
    match : {"id", "content"}
        Whether cases of two systems are matched by id or by content.
    reruns : {"runs", "latest"}, optional
        Whether a second log of a system on the same cases holds further runs or replaces the first
        log. By default such logs raise an error.
    errors : {"scored", "skip"}, optional
        ``"scored"`` uses the scores that the files give to runs with errors. By default their
        outcome is missing. ``"skip"`` leaves out files that cannot be read, and names them in
        ``attrs["doubts"]``: damaged, cut and empty files, dangling links, and folders without
        permission. By default they raise an error.
    map : mapping, optional
        Fields of other JSON, JSON lines or tables, by role: ``"case"``, ``"entity"``,
        ``"outcome"``, and if the fields exist ``"dataset"``, ``"run"``, ``"cluster"``,
        ``"category"``, ``"cost"``. A field is a path such as ``"run.model"``, or ``"@key"``,
        ``"@row"``, ``"@file"``, ``"@folder"``: see the guide. Without it, such files raise an error
        that proposes one.
    cases : int, optional
        The number of all cases, if the files list only some, such as the resolved ones. Every case
        that a system does not list then counts as wrong, with the status "not listed".
    truth : path, optional
        A table with the id and the true label of each case. The files are then submissions, one for
        each team (CSV, TSV, ``.gz``, Parquet): an id, and a label, a probability of the positive
        class, or a probability of each class. A team has the name of its file; in a folder with one
        folder for each team, it has the name of its folder. A heading that names a class, such as
        ``benign``, decides which class the probabilities are of. ``only`` keeps values of other
        columns of the truth. Files with other endings are not read; ``attrs["remarks"]`` lists
        them. ``reruns="latest"`` keeps the last of several files by name.
    missing : "wrong", optional
        Count a case without an answer as wrong. With two classes the answer is the other class;
        with more, it is none of the classes. A missing probability of the true class is 0. By
        default such a case raises an error.
    positive : label, optional
        The positive one of two classes. It is needed for missing probabilities, and for headings
        that name a class, if the labels do not show it.

    Returns
    -------
    pandas.DataFrame
        ``entity``, ``dataset``, ``case``, ``run`` and ``outcome``, and if the files have them
        ``category``, ``cost``, ``seconds``, ``status``. A case that a system did not meet has
        no row; ``status`` is "scored", "abstained", "timeout", "error" or the like, and the outcome
        of an error is NaN. ``attrs`` describe the recognised logs: ``formats``, ``source`` (of
        names), ``metric``, ``higher_is_better``, ``remarks``, ``doubts``.

        With ``truth``: ``case``, ``actual``, one column for each team ("team: class" for
        probabilities of several classes), and the other columns of the truth, for
        :func:`bayesrank.from_frame`.

    Raises
    ------
    ValueError
        If no format recognises a file, or if files mix metrics, filters, judges, directions,
        contents of cases or runs. The message says what to type.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "model.json")
    >>> _ = path.write_text('[{"task_id": 1, "reward": 1, "info": {}}, {"task_id": 2, "reward": 0, "info": {}}]')
    >>> read(path)[["entity", "case", "outcome"]].values.tolist()
    [['model', '1', 1.0], ['model', '2', 0.0]]
    """
    columns = truth is not None
    choices = check_choices(
        name, only, match, reruns, errors, map=map, columns=columns, cases=cases
    )
    if truth is not None:
        return read_submissions(
            check_paths("paths", paths), check_path("truth", truth), choices, missing, positive
        )
    for argument, given in (("missing", missing), ("positive", positive)):
        check_absent(argument, given, "for logs; it is for submissions beside truth=")
    logs = collect(paths, choices)
    try:
        return settle(logs, choices)
    except LogError as error:
        raise error.with_contents(list_contents(logs)) from None
