"""Run a real eval set of Inspect with its mock model in the folder argv[1]; store its data frames beside the logs."""

import asyncio
import shutil
import sys
import time
from pathlib import Path

from inspect_ai import Task, eval_set
from inspect_ai.analysis import EvalModel, EvalTask, SampleSummary, evals_df, samples_df
from inspect_ai.dataset import Sample
from inspect_ai.hooks import EvalSetEnd
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import match

HEAVY = ("bayesrank.analysis", "arviz", "matplotlib", "numba", "pandas", "pymc", "scipy", "xarray")


def quiz():
    samples = [Sample(input=f"question {i}", target="yes", id=f"q{i}") for i in range(10)]
    return Task(dataset=samples, scorer=match(), name="quiz", epochs=2)


def model(name, right):
    """Return a model that knows the first questions. Its usage is stated, since Inspect would load a tokenizer."""

    def answer(messages, *rest):
        said = ModelOutput.from_content(
            name, "yes" if int(messages[-1].text.split()[1]) < right else "no"
        )
        said.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return said

    return get_model(f"mockllm/{name}", custom_outputs=answer)


def end_again(folder):
    """End an eval set whose folder has each log twice, so that it is open whether these are further runs."""
    for path in folder.glob("one/*.eval"):
        (folder / "twice").mkdir(exist_ok=True)
        for name in (path.name, f"copy-{path.name}"):
            shutil.copy(path, folder / "twice" / name)
    from bayesrank.integrations.inspect_hooks import RankingHook

    asyncio.run(RankingHook().on_eval_set_end(EvalSetEnd("again", str(folder / "twice"))))


def load_hook():
    """Load the entry point as Inspect does; return what it loaded that is heavy."""
    from importlib.metadata import entry_points

    before = set(sys.modules)
    [point] = entry_points(group="inspect_ai", name="bayesrank")
    began = time.perf_counter()
    point.load()
    print(f"The entry point loads in {1000 * (time.perf_counter() - began):.0f} ms.")
    return [name for name in HEAVY if name in set(sys.modules) - before]


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    assert load_hook() == []
    models = [model("old", 2), model("new", 9)]
    assert eval_set(quiz(), log_dir=str(folder / "one"), model=models, display="plain")[0]
    end_again(folder)
    samples_df(str(folder / "one"), quiet=True).to_parquet(folder / "samples.parquet")
    evals_df(str(folder / "one"), quiet=True).to_parquet(folder / "evals.parquet")
    columns = [*EvalTask, *EvalModel, *SampleSummary]
    samples_df(str(folder / "one"), columns=columns, quiet=True).to_parquet(folder / "wide.parquet")
