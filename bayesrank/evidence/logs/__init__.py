"""Evaluation logs as one table: formats read the files, and ambiguous logs are refused with words."""

from collections.abc import Mapping
from typing import Any, Literal

import pandas as pd

from bayesrank.evidence.logs.choices import Choices, LogError, check_choices
from bayesrank.evidence.logs.files import Logs, collect, is_log
from bayesrank.evidence.logs.stops import find_stop
from bayesrank.evidence.logs.table import settle

__all__ = ["Choices", "LogError", "Logs", "check_choices", "collect", "find_stop", "is_log", "read", "settle"]


def read(
    paths: Any,
    *,
    name: Mapping[str, str] | None = None,
    only: Mapping[str, Any] | None = None,
    match: Literal["id", "content"] = "id",
    reruns: Literal["runs", "latest"] | None = None,
    errors: Literal["scored"] | None = None,
) -> pd.DataFrame:
    """Read evaluation logs as one table with a row for each system, case and run.

    Formats are recognised by what files hold: lm-evaluation-harness, Inspect, SWE-bench, Every Eval Ever, HELM,
    promptfoo, EvalPlus, JUnit XML, predictions and more (see the guide "From your harness to a ranking").

    Parameters
    ----------
    paths : path or list of paths
        Files, folders, patterns such as ``"logs/*.jsonl"``, compressed files and zip archives; ``"-"`` is standard
        input.
    name : mapping, optional
        Names of systems by file, folder or pattern, where files do not say them. An empty name leaves a file out.
    only : mapping, optional
        Values to keep, one or a list, by ``"metric"``, ``"variant"`` (a filter or perturbation), ``"judge"``,
        ``"dataset"``, ``"category"``, ``"entity"``, ``"status"`` or ``"file"``.
    match : {"id", "content"}
        What makes two cases the same.
    reruns : {"runs", "latest"}, optional
        What a system's second log of the same cases is: further runs, or a replacement. Refused by default.
    errors : {"scored"}, optional
        Keep what files count errored runs as. By default their outcome is missing.

    Returns
    -------
    pandas.DataFrame
        ``entity``, ``dataset``, ``case``, ``run`` and ``outcome``, and as far as the files have them ``category``,
        ``cost``, ``seconds``, ``status``. A case that a system did not meet has no row; ``status`` is "scored",
        "abstained", "timeout", "error" or the like, and the outcome of an error is NaN. ``attrs`` hold what was
        recognised: ``formats``, ``source`` (of names), ``metric``, ``higher_is_better``, ``remarks``, ``doubts``.

    Raises
    ------
    ValueError
        If no format recognises a file, or if files mix metrics, filters, judges, directions, contents of cases or runs.
        The message says what to type.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> import bayesrank as br
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for model, rewards in {"a": [1, 0, 1], "b": [1, 0, 0]}.items():
    ...     runs = [{"task_id": i, "reward": r, "info": {}, "traj": [], "trial": 0} for i, r in enumerate(rewards)]
    ...     _ = (folder / f"{model}.json").write_text(json.dumps(runs))
    >>> frame = read(folder)
    >>> frame.groupby("entity")["outcome"].sum().to_dict()
    {'a': 2.0, 'b': 1.0}
    >>> br.from_frame(frame).sizes["pattern"]
    3
    """
    choices = check_choices(name, only, match, reruns, errors)
    return settle(collect(paths, choices), choices)
