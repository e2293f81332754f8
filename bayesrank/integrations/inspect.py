"""For users of Inspect: the ranking of an eval set beside its logs, and a reader of Inspect's data frames.

:mod:`bayesrank.integrations.inspect_hooks` is the entry point that Inspect loads: it calls
:func:`write_ranking` at the end of each eval set. Inspect itself is imported only there.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from bayesrank._core.calls import check_call
from bayesrank._core.errors import ArgumentError
from bayesrank._core.frames import as_pandas
from bayesrank._core.outputs import check_output, write_output
from bayesrank._core.prose import list_names
from bayesrank._core.random import Seed
from bayesrank._core.types import ScoreLike
from bayesrank.analysis import Analysis, analyze
from bayesrank.io.formats import COLUMNS
from bayesrank.io.formats._common import category_of
from bayesrank.io.formats.inspect import flat_scores, outcome_and_status
from bayesrank.io.logs import Logs, check_choices, read, settle

__all__ = ["read_samples", "write_ranking"]

#: What :func:`write_ranking` writes into the folder of the logs: the board and the report.
BOARD, REPORT = "ranking.json", "ranking.html"
#: Columns of a frame of samples, and of a frame of evaluations, that say which sample of which task
#: and model it is.
SAMPLE, EVAL = ("eval_id", "id", "epoch"), ("model", "task_name")
PREFIX = "score_"


@check_call
def write_ranking(
    log_dir: str | os.PathLike[str],
    score: ScoreLike | None = None,
    *,
    name: Mapping[str, str] | None = None,
    only: Mapping[str, Any] | None = None,
    match: Literal["id", "content"] = "id",
    reruns: Literal["runs", "latest"] | None = None,
    errors: Literal["scored", "skip"] | None = None,
    missing: Any = None,
    seed: Seed = 1,
) -> Analysis:
    """Rank the models of the logs in a folder, and write the board and the report into this folder.

    The hook of :mod:`bayesrank.integrations.inspect_hooks` calls it without a choice at the end of
    each eval set.

    Parameters
    ----------
    log_dir : path
        A folder with logs of Inspect, ``.eval`` or ``.json``. The files ``ranking.json``
        (:func:`bayesrank.board`) and ``ranking.html`` (:func:`bayesrank.ranking_report`) are
        written there; earlier ones are replaced.
    score : Score, str or callable, optional
        As for :func:`bayesrank.analyze`; by default the mean outcome.
    name, only, match, reruns, errors : optional
        As for :func:`bayesrank.read`, such as ``only={"metric": "match"}`` for logs with several
        scorers.
    missing : {"common", "own"} or number, optional
        What a sample without an outcome counts as, as for :func:`bayesrank.from_frame`. By default
        it raises an error.
    seed : optional
        As for :func:`bayesrank.analyze`.

    Returns
    -------
    bayesrank.analysis.Analysis
        The analysis that was written.

    Raises
    ------
    ArgumentError
        If the logs leave open what is ranked, as for :func:`bayesrank.read`; nothing is then
        written. Also if ``ranking.json`` or ``ranking.html`` is a file of another kind.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for model, right in [("old", 40), ("new", 70)]:
    ...     scores = [{"match": {"value": "C" if i < right else "I"}} for i in range(80)]
    ...     samples = [{"id": i, "epoch": 1, "scores": score} for i, score in enumerate(scores)]
    ...     log = {"version": 2, "status": "success", "eval": {"task": "quiz", "model": model}, "samples": samples}
    ...     _ = (folder / f"{model}.json").write_text(json.dumps(log))
    >>> write_ranking(folder).verdict[0]
    'new is best: P(best) > 0.999.'
    >>> sorted(path.name for path in folder.glob("ranking.*"))
    ['ranking.html', 'ranking.json']
    """
    from bayesrank.words.board import board

    folder = Path(log_dir)
    if not folder.is_dir():
        raise ArgumentError(
            "log_dir", "must be a folder of this machine", f"{os.fspath(log_dir)!r}"
        )
    for file, kind in ((BOARD, "board"), (REPORT, "report")):
        check_output("log_dir", folder / file, kind)
    frame = read(folder, name=name, only=only, match=match, reruns=reruns, errors=errors)
    analysis = analyze(frame, score, missing=missing, seed=seed)
    write_output("log_dir", folder / REPORT, "report", analysis.report())
    write_output("log_dir", folder / BOARD, "board", board(analysis.ranking))
    return analysis


@check_call
def read_samples(
    samples: Any,
    evals: Any = None,
    *,
    only: Mapping[str, Any] | None = None,
    match: Literal["id", "content"] = "id",
    reruns: Literal["runs", "latest"] | None = None,
) -> pd.DataFrame:
    """Convert the data frames of ``inspect_ai.analysis`` to the table that :func:`bayesrank.read` returns for logs.

    Parameters
    ----------
    samples : DataFrame
        The result of ``samples_df(logs)``, or of a call with more columns.
    evals : DataFrame, optional
        The result of ``evals_df(logs)``, from which the columns ``model`` and ``task_name`` are
        joined by ``eval_id``. Without it, the samples must have these columns: ``samples_df(logs,
        columns=EvalTask + EvalModel + SampleSummary)``.
    only, match, reruns : optional
        As for :func:`bayesrank.read`, such as ``only={"metric": "match"}`` for several scorers.

    Returns
    -------
    pandas.DataFrame
        ``entity`` (the model), ``dataset`` (the task), ``case``, ``run`` (the epoch), ``outcome``,
        and as far as known ``category``, ``seconds`` and ``status``: for :func:`bayesrank.analyze`
        and :func:`bayesrank.from_frame`.

    Raises
    ------
    ArgumentError
        If columns are missing, no sample has a score, or the samples leave open what is ranked, as
        for :func:`bayesrank.read`.

    Examples
    --------
    >>> import pandas as pd
    >>> samples = pd.DataFrame({"eval_id": ["x", "x", "y", "y"], "id": ["q1", "q2"] * 2, "epoch": 1,
    ...                         "score_match": ["C", "I", "C", "C"]})
    >>> evals = pd.DataFrame({"eval_id": ["x", "y"], "model": ["old", "new"], "task_name": "quiz"})
    >>> read_samples(samples, evals)[["entity", "case", "outcome"]].values.tolist()
    [['old', 'q1', 1.0], ['old', 'q2', 0.0], ['new', 'q1', 1.0], ['new', 'q2', 1.0]]
    """
    choices = check_choices(None, only, match, reruns, None)
    frame = as_pandas("samples", samples)
    if evals is not None:
        frame = _with_evals(frame, as_pandas("evals", evals))
    hint = (
        "pass evals_df(logs) as the second argument"
        if evals is None
        else "samples_df(logs) has them"
    )
    _check_columns("samples", frame, (*SAMPLE, *EVAL), hint)
    metrics = [str(column) for column in frame if str(column).startswith(PREFIX)]
    if not metrics:
        raise ArgumentError(
            "samples", f"must have a column {PREFIX}SCORER", list_names(map(str, frame), 8)
        )
    # One file stands for one evaluation.
    numbers, evaluations = pd.factorize(frame["eval_id"])
    rows = [
        row | {"file": int(file)}
        for file, sample in zip(numbers, frame.astype(object).to_dict("records"), strict=True)
        for row in _rows_of_sample(sample, metrics)
    ]
    files: list[dict[Any, Any]] = [
        {"name": str(one), "format": "inspect", "source": "eval.model", "setup": {}}
        for one in evaluations
    ]
    if "dataset_samples" in frame:
        sizes = frame.groupby(numbers)["dataset_samples"].first()
        files = [one | {"expected": int(size)} for one, size in zip(files, sizes, strict=True)]
    table = pd.DataFrame(rows).reindex(columns=[*COLUMNS, "file"])
    return settle(Logs(table, files, [one["name"] for one in files], [], "variant"), choices)


def _with_evals(frame: pd.DataFrame, evals: pd.DataFrame) -> pd.DataFrame:
    """Return the samples with those columns of their evaluations that they lack."""
    _check_columns("evals", evals, ("eval_id", *EVAL), "evals_df(logs) has them")
    lacking = [
        column for column in ("dataset_samples", *EVAL) if column in evals and column not in frame
    ]
    _check_columns("samples", frame, SAMPLE, "samples_df(logs) has them")
    lost = sorted(set(frame["eval_id"]) - set(evals["eval_id"]))
    if lost:
        raise ArgumentError(
            "evals", "must have a row for each eval_id of the samples", list_names(lost, 3)
        )
    of_id = evals.drop_duplicates("eval_id").set_index("eval_id")
    return frame.join(of_id[lacking], on="eval_id")


def _check_columns(argument: str, frame: pd.DataFrame, wanted: tuple[str, ...], hint: str) -> None:
    missing = [column for column in wanted if column not in frame]
    if missing:
        raise ArgumentError(
            argument,
            f"must have the columns {list_names(wanted)}",
            f"no {list_names(missing)}",
            hint,
        )


def _rows_of_sample(sample: dict[Any, Any], metrics: list[str]) -> list[dict[str, Any]]:
    """Return one row for each score of a sample, or one without a metric if it has no score."""
    present = {key: value for key, value in sample.items() if not pd.isna(value)}
    record = {
        "entity": present.get("model"),
        "dataset": str(present.get("task_name", "data")).split("/")[-1].replace("-", "_"),
    }
    record |= {
        "case": str(sample["id"]),
        "run": int(sample["epoch"]),
        "seconds": present.get("total_time"),
    }
    record["category"] = category_of(
        {key.removeprefix("metadata_"): value for key, value in present.items()}
    )
    if "input" in present:
        record["hash"] = json.dumps([str(present["input"]), str(present.get("target", ""))])
    scores = {
        metric.removeprefix(PREFIX): _score_of(present[metric])
        for metric in metrics
        if metric in present
    }
    failed = bool(present.get("error"))
    return [
        record
        | dict(
            zip(
                ("metric", "outcome", "status"),
                (metric, *outcome_and_status(value, failed)),
                strict=True,
            )
        )
        for metric, value in (flat_scores(scores) if scores else [(None, None)])
    ]


def _score_of(value: Any) -> Any:
    """Return a score of a sample; Inspect writes scores with several parts as JSON."""
    return json.loads(value) if isinstance(value, str) and value.startswith("{") else value
