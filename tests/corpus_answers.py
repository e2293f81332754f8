"""The answers of the files of tests/corpus, and what evidence says of each entity, by formulas of their own."""

import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from click.testing import CliRunner

import bayesrank as br
from bayesrank.cli import cli
from bayesrank.io.tables.files import read_evidence

FOLDER = Path(__file__).parent / "corpus"
ENTRIES = json.loads((FOLDER / "manifest.json").read_text())
#: Options that no argument of br.from_frame has the name of.
NAMES = {"dataset-column": "dataset"}
#: Options of the analysis, which a reader does not take.
ANALYSIS = ("model",)


def arguments_of(options: str) -> dict[str, Any]:
    """The arguments of br.from_frame that are the same as options of the command."""
    words, found = shlex.split(options), {}
    for option, value in zip(words[::2], words[1::2], strict=True):
        name = NAMES.get(option[2:], option[2:]).replace("-", "_")
        if name in ("entities", "judge", "dataset", "entity") and "," in value:
            found[name] = value.split(",")
        elif name == "where":
            column, _, wanted = value.partition("=")
            found.setdefault("where", {}).setdefault(column, []).append(wanted)
        elif name == "ignore":
            found.setdefault("ignore", []).append(value)
        elif name in ("train", "test"):
            found[name] = float(value)
        elif name not in ANALYSIS:
            found[name] = value
    return found


def observed_of(evidence: Any, score: str) -> dict[str, float]:
    """The observed value of each entity, from the arrays of evidence."""
    names = list(map(str, evidence["entity"].values.tolist()))
    if isinstance(evidence, xr.DataArray):
        counts = evidence.sum("dataset") if "dataset" in evidence.dims else evidence
        if "outcome" in counts.dims and counts["outcome"].dtype.kind not in "iuf":
            raise br.ArgumentError(
                "outcome", "must have numbers, which the command ranks by their mean"
            )
        if "outcome" in counts.dims:
            return dict(
                zip(
                    names,
                    (counts * counts["outcome"]).sum("outcome") / counts.sum("outcome"),
                    strict=True,
                )
            )
        return {n: _of_matrix(m, score) for n, m in zip(names, counts.values, strict=True)}
    if "wins" in evidence:
        return dict(
            zip(names, (evidence["wins"] + evidence["ties"] / 2).sum("rival").values, strict=True)
        )
    if "standard_error" in evidence:
        return dict(zip(names, evidence["mean_outcome"].values, strict=True))
    if "fold_score" in evidence:
        scores = evidence["fold_score"]
        return dict(
            zip(names, scores.mean([d for d in scores.dims if d != "entity"]).values, strict=True)
        )
    times = evidence["count"].values
    if "outcome" in evidence:
        held = evidence["outcome"].transpose("entity", "pattern").values
        return {
            n: float(np.average(v[~np.isnan(v)], weights=times[~np.isnan(v)]))
            for n, v in zip(names, held, strict=True)
        }
    labels = evidence["label"].values.tolist()
    actual = evidence["actual"].values
    found = {}
    for name, said in zip(
        names, evidence["predicted"].transpose("entity", "pattern").values, strict=True
    ):
        matrix = np.zeros((len(labels), len(labels)))
        np.add.at(matrix, (_codes(actual, labels), _codes(said, labels)), times)
        found[name] = _of_matrix(matrix, score)
    return found


def _codes(values: np.ndarray, labels: list[Any]) -> list[int]:
    known = list(map(str, labels))
    return [value if isinstance(value, int | np.integer) and str(value) not in known else known.index(str(value))
            for value in values.tolist()]  # fmt: skip


def _of_matrix(matrix: np.ndarray, score: str) -> float:
    if score == "accuracy" or len(matrix) > 2:
        return float(np.trace(matrix) / matrix.sum())
    (tn, fp), (fn, tp) = matrix
    if score == "jaccard":
        return float(tp / (tp + fp + fn))
    return float(
        2 * tp / (2 * tp + fp + fn) if score == "f1" else tp / (tp + fn) + tn / (tn + fp) - 1
    )


def by_command(
    path: Path, options: str, score: str, *more: Any
) -> tuple[dict[str, float] | None, str]:
    """The observed values that the command prints, or None with the message of its error."""
    words = [
        "rank",
        str(path),
        *shlex.split(options),
        "--format",
        "json",
        "--draws",
        "5",
        *map(str, more),
    ]
    words += ["--score", score] if score not in ("", "strength", "mean_outcome") else []
    result = CliRunner().invoke(cli, words)
    if result.exit_code != 0:
        return None, f"{result.output}{result.exception}"
    held = json.loads(result.stdout)
    value = "cases" if score == "strength" else "observed"
    return {row["entity"]: row[value] for row in held["ranking"]}, ""


def evidence_of(path: Path, options: str) -> Any:
    """The evidence in a file, as the command reads it."""
    named = arguments_of(options)
    return read_evidence(str(path), **named)


def frame_of(path: Path) -> pd.DataFrame:
    """A file as a user of pandas reads it."""
    text = path.name.removesuffix(".gz")
    if text.endswith((".json", ".jsonl")):
        return pd.read_json(path, lines=text.endswith("l"), dtype=False)
    raw = path.read_bytes()
    if raw.startswith(b"\xff\xfe"):
        return pd.read_csv(path, sep="\t", encoding="utf-16")
    if raw.startswith(b"\xef\xbb\xbfsep="):
        return pd.read_csv(path, sep=";", skiprows=1)
    if text.endswith(".txt"):
        return pd.read_csv(path, sep=r"\s+").rename_axis(None)
    head = "" if path.name.endswith(".gz") else raw.decode("utf-8-sig").split("\n", 1)[0]
    sep = next((mark for mark in ";\t|" if mark in head), ",")
    return pd.read_csv(
        path, sep=sep, decimal="," if "decimal_commas" in path.name else ".", keep_default_na=False
    )


def same(found: dict[str, float] | None, expected: dict[str, float]) -> bool:
    """Whether values agree by entity."""
    if found is None or set(found) != set(expected):
        return False
    return all(abs(float(found[name]) - expected[name]) < 1e-9 for name in expected)


def read_frame(frame: Any, options: str) -> Any:
    return br.from_frame(frame, **arguments_of(options))
