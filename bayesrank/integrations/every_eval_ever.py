"""Records of Every Eval Ever: the score of each system with its uncertainty, and its ranks in a proposed extension.

The schema of Every Eval Ever (version 0.3.0) has a field for the uncertainty of a score,
``score_details.uncertainty``, and none for ranks. The extension is the object
``score_details.ranking``, with the schema in ``every_eval_ever.schema.json``.
"""

import hashlib
import json
import os
import re
import time
import uuid
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from typing import Any, Literal

import numpy as np
import pandas as pd

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_choice
from bayesrank._core.draws import draw_dims
from bayesrank._core.errors import Advice, ArgumentError, Typed
from bayesrank._core.random import Seed
from bayesrank._core.records import RankingRecord
from bayesrank.analysis import Analysis, analyze
from bayesrank.ranking.facts import get_fact
from bayesrank.ranking.values import score_values

__all__ = ["make_records"]

SCHEMA_VERSION = "0.3.0"
RELATIONSHIPS = ("first_party", "third_party", "collaborative", "other")
#: What the libraries of these formats are called there; others have the title of their format.
LIBRARIES = {"Inspect": "inspect_ai", "lm-evaluation-harness": "lm_eval", "HELM": "helm"}
#: Characters that no name of a folder may have there.
UNSAFE = re.compile(r'[<>:"\\|?*\x00-\x1f]')
#: Significant digits of every number, as in a board.
DIGITS = 6


@check_call
def make_records(
    frame: pd.DataFrame,
    *,
    source_organization_name: str,
    evaluator_relationship: Literal["first_party", "third_party", "collaborative", "other"],
    missing: Any = None,
    prob: float = 0.95,
    seed: Seed = 1,
) -> dict[str, str]:
    """Return a record of Every Eval Ever for each system and data set of evaluation logs, as JSON by path.

    The systems of each data set are ranked by their mean outcome, as :func:`bayesrank.analyze`
    does.

    Parameters
    ----------
    frame : DataFrame
        The table that :func:`bayesrank.read` returns. The name of each system must have the form
        ``developer/model``.
    source_organization_name : str
        Who provides the data; the logs do not say.
    evaluator_relationship : {"first_party", "third_party", "collaborative", "other"}
        How the evaluator relates to the developers of the models; the logs do not say.
    missing : "common", "own" or number, optional
        As for :func:`bayesrank.from_frame`.
    prob, seed : optional
        As for :func:`bayesrank.analyze`.

    Returns
    -------
    dict
        From the path in a data store, ``data/DATASET/DEVELOPER/MODEL/UUID.json``, to the text of
        the record. ``score`` is the observed mean; ``uncertainty`` has the posterior standard
        deviation and the credible interval, and ``ranking`` the extension. The time of the record
        is that of the clock, or ``SOURCE_DATE_EPOCH``.

    Raises
    ------
    ArgumentError
        If a system has no developer in its name, or the data leave open what is ranked.

    Examples
    --------
    >>> import json, pandas as pd
    >>> frame = pd.DataFrame({"entity": ["org/old"] * 50 + ["org/new"] * 50, "dataset": "quiz",
    ...                       "case": [*range(50)] * 2, "outcome": [1, 0] * 25 + [1] * 48 + [0] * 2})
    >>> records = make_records(frame, source_organization_name="us", evaluator_relationship="third_party")
    >>> path, text = next(iter(records.items()))
    >>> path[:18], json.loads(text)["evaluation_results"][0]["score_details"]["ranking"]["rank_upper"]
    ('data/quiz/org/new/', 1)
    """
    check_choice("evaluator_relationship", evaluator_relationship, RELATIONSHIPS)
    if not source_organization_name.strip():
        raise ArgumentError(
            "source_organization_name", "must be a name", f"{source_organization_name!r}"
        )
    _check_names(frame["entity"].unique())
    now = str(int(os.environ.get("SOURCE_DATE_EPOCH") or time.time()))
    source = {
        "source_type": "evaluation_run",
        "source_organization_name": source_organization_name,
        "evaluator_relationship": evaluator_relationship,
    }
    made: dict[str, str] = {}
    for dataset in dict.fromkeys(frame["dataset"]):
        part = frame[frame["dataset"] == dataset]
        part.attrs = frame.attrs
        analysis = analyze(part, missing=missing, prob=prob, seed=seed)
        for name, result in _results(analysis, str(dataset), frame.attrs):
            developer, model = name.split("/", 1)
            unknown = {"deployment_type": "unknown", "model_availability": "unknown"}
            record = {
                "schema_version": SCHEMA_VERSION,
                "evaluation_id": f"{dataset}/{name}/{now}",
                "retrieved_timestamp": now,
                "source_metadata": source,
                "eval_library": {"name": _library(frame.attrs), "version": "unknown"},
                "model_info": {
                    "name": model,
                    "id": name,
                    "developer": developer,
                    "additional_details": unknown,
                },
                "evaluation_results": [result],
            }
            # The same result has the same name, whenever it is written.
            digest = hashlib.sha256(json.dumps([name, result], sort_keys=True).encode()).digest()
            folder = f"data/{UNSAFE.sub('_', str(dataset)).replace('/', '_')}/{developer}/{model.replace('/', '_')}"
            text = json.dumps(record, ensure_ascii=False, allow_nan=False, indent=2) + "\n"
            made[f"{folder}/{uuid.UUID(bytes=digest[:16], version=4)}.json"] = text
    return made


def _check_names(names: Iterable[Any]) -> None:
    """Raise an error unless each system is called developer/model, which names its folder."""
    for name in names:
        parts = str(name).split("/")
        if len(parts) < 2 or not all(
            part.strip(" .") and not UNSAFE.search(part) for part in parts
        ):
            hint = Advice(
                Typed("name", "FILE=DEVELOPER/MODEL", python="name={FILE: 'developer/model'}"),
                " names it",
            )
            raise ArgumentError(
                "a system", "must be named developer/model in Every Eval Ever", f"{name!r}", hint
            )


def _results(
    analysis: Analysis, dataset: str, attrs: dict[Any, Any]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the name and the result of each system of a data set, best first."""
    ranking, table = analysis.ranking, analysis.table
    record = RankingRecord.of(ranking)
    metric = str((attrs.get("metric") or {}).get(dataset, record.score))
    low, high = record.range or (-np.inf, np.inf)
    config = {
        "metric_id": metric,
        "metric_name": metric,
        "lower_is_better": not record.higher_is_better,
        "score_type": "continuous",
        "min_score": _bound(low),
        "max_score": _bound(high),
    }
    values = score_values(analysis.posterior, analysis.score, True, None).values
    spread = dict(
        zip(values["entity"].values.tolist(), values.std(draw_dims(values)).values, strict=True)
    )
    method = f"posterior of the model {analysis.model}, bayesrank {version('bayesrank')}"
    names = [str(name) for name in table.index]
    for name, row in table.iterrows():
        entity = ranking.sel(entity=name)
        uncertainty = {
            "standard_error": {
                "value": _round(spread[name]),
                "method": f"standard deviation of the {method}",
            },
            "confidence_interval": {
                "lower": _round(row["lower"]),
                "upper": _round(row["upper"]),
                "confidence_level": record.prob,
                "method": f"credible interval of the {method}",
            },
            "num_samples": int(row["cases"]),
        }
        ranks = {
            "compared_with": [other for other in names if other != str(name)],
            "rank_lower": int(row["rank_lower"]),
            "rank_upper": int(row["rank_upper"]),
            "confidence_level": record.prob,
            "sets": get_fact(entity, "sets"),
            "in_best_set": bool(entity["in_best_set"]),
            "probability_best": _round(row["probability_best"]),
            "tier": int(row["tier"]),
            "headline": get_fact(entity, "headline"),
            "method": method,
        }
        details = {"score": _round(row["observed"]), "uncertainty": uncertainty, "ranking": ranks}
        result = {
            "evaluation_name": dataset,
            "source_data": {"dataset_name": dataset, "source_type": "other"},
            "metric_config": config,
            "score_details": details,
        }
        yield str(name), result


def _library(attrs: dict[Any, Any]) -> str:
    """Return the name of the library that wrote the logs."""
    titles = [str(title) for title in attrs.get("formats", [])]
    return ", ".join(LIBRARIES.get(title, title) for title in titles) or "unknown"


def _bound(end: float) -> float | str:
    if np.isfinite(end):
        return float(end)
    return "Infinity" if end > 0 else "-Infinity"


def _round(value: Any) -> float:
    return float(f"{float(value):.{DIGITS}g}")
