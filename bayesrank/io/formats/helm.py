"""HELM: statistics of instances, and the run's own description beside them.

A run folder needs `per_instance_stats.json` and `run_spec.json`. Choose one statistic with `--only
metric=`. Perturbed copies of an instance are variants, not further cases; `--only variant=original`
keeps the originals. Trials are runs.

    bayesrank rank benchmark_output/runs/v1/ --only metric=exact_match --only variant=original
"""

import math
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd

from bayesrank.io.formats._common import has_keys, read_json, rows_of

TITLE = "HELM"
#: Statistics of the request, which are no outcomes.
COSTS = re.compile(
    "^(num_|max_prob|logprob|perplexity|bits_per_byte|inference_|training_|prompt_|batch_|finish_reason|log|estimated_"
    "|predicted_index|selected|ece_|platt_|calibration|completion|output_tokens)"
)


def recognise(head: str) -> str:
    if re.match(r"\s*\[", head) and has_keys(head, "instance_id", "train_trial_index", "stats"):
        return "cases"
    run = has_keys(head, "scenario_spec", "adapter_spec") or has_keys(
        head, "adapter_spec", "request_states"
    )
    scenario = re.match(r'\s*\{\s*"(name|definition_path)"', head) and has_keys(
        head, "definition_path", "tags"
    )
    if run or scenario:
        return "about"
    return (
        "scores"
        if re.match(r"\s*\[", head) and has_keys(head, "sum_squared", "stddev", "split")
        else ""
    )


def read(path: Path) -> pd.DataFrame:
    spec_path = path.with_name("run_spec.json")
    spec: dict[str, Any] = (
        read_json(spec_path) if spec_path.is_file() else {"name": path.parent.name}
    )
    name, adapter = spec["name"], spec.get("adapter_spec") or {}
    entity, source = adapter.get("model"), "adapter_spec.model in run_spec.json"
    if entity is None:
        text = re.search(r"model=([^,]+)", path.parent.name)
        entity, source = (text[1] if text else None), "the folder"
    dataset = re.sub(r"[:,]?model(_deployment)?=[^,]*", "", name).strip(",:") or name
    log = read_json(path)
    # A name that occurs on several splits is of several instances.
    splits = Counter(s["name"].get("split") for row in log for s in row["stats"])
    rows = []
    for row in log:
        variant = (row.get("perturbation") or {}).get("name") or "original"
        seconds = next(
            (s.get("mean") for s in row["stats"] if s["name"]["name"] == "inference_runtime"),
            math.nan,
        )
        for stat in row["stats"]:
            metric = stat["name"]["name"]
            if COSTS.match(metric):
                continue
            perturbation = (stat["name"].get("perturbation") or {}).get("name") or variant
            case = (
                row["instance_id"]
                if len(splits) == 1
                else f"{row['instance_id']} ({stat['name'].get('split')})"
            )
            mean = stat.get("mean", math.nan) if stat.get("count") else math.nan
            fields = {
                "case": case,
                "run": row["train_trial_index"],
                "outcome": mean,
                "metric": metric,
            }
            rows.append(fields | {"variant": perturbation, "seconds": seconds})
    frame = rows_of(rows, source, entity=entity, dataset=dataset)
    setup = {
        key: adapter.get(key) for key in ("method", "max_train_instances", "max_eval_instances")
    }
    frame.attrs |= {
        "variant": "perturbation",
        "beside": path.with_name("stats.json"),
        "setup": setup,
    }
    return frame
