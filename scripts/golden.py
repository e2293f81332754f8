"""Run some thousand small analyses and compare their results and words with those in ``tests/golden``.

usage: python scripts/golden.py [--only PATTERN] [--renew]

Ranks, sets, codes, sentences, errors and exit codes must be equal; floats may differ by 1e-12, relative
or absolute. The script prints the differences (old, new, and in which field of which analysis), and exits
with 1 if there is any. ``--renew`` writes the present results: do so only for differences that you have
read and intend. ``--only`` takes a pattern for names of analyses, such as ``'votes/*'`` or ``'*/ranking'``.

The analyses are in ``golden_analyses.py`` (evidence and operations) and ``golden_calls.py`` (functions
without evidence, and commands). The goldens hold for the default stack (Python 3.11, PyMC 5, ArviZ 0.23)
on the machine that wrote them: another processor, or another version of NumPy or SciPy, may change last
digits by more than 1e-12. With Python 3.13, PyMC 6 and ArviZ 1 on the same machine, only two kinds differ
(``datasets_missing`` and ``datasets_two``): small differences grow in the Markov chain of the model
``crossed_logit_normal``. CI does not run this script.
"""

import argparse
import contextlib
import io
import json
import os
import re
import shlex
import shutil
import sys
import tempfile
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from fnmatch import fnmatchcase
from functools import partial
from html.parser import HTMLParser
from itertools import zip_longest
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import golden_analyses as analyses
import golden_calls as calls
import numpy as np
import pandas as pd
import xarray as xr

import bayesrank as br
from bayesrank.ranking.facts import FACTS

FOLDER = Path(__file__).resolve().parents[1] / "tests" / "golden"
#: One thread a process, as two processes share the machine; and what decides how the command prints.
ENVIRONMENT = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
ENVIRONMENT |= {"COLUMNS": "100", "NO_COLOR": "1", "MPLBACKEND": "agg"}
PROCESSES = 2
TOLERANCE = 1e-12
#: Larger arrays are summarised by two numbers, and still larger ones by five.
MOST_VALUES, MANY_VALUES = 9, 100
#: Numbers within text that are compared as floats.
NUMBER = re.compile(r"(-?\d+\.\d{10,}(?:e[+-]?\d+)?)")
#: Attrs that say with which version a result was computed, or what a score is, which the catalogue says.
LEFT_OUT: tuple[str, ...] = (
    "inference_library",
    "inference_library_version",
    "created_at",
    "arviz_version",
)
LEFT_OUT += ("display", "range", "finite_mean", "depends_on_prevalence", "higher_is_better")
GROUPS = ("posterior", "observed_data", "constant_data")
NONE = "(none)"

Record = dict[str, Any]
Difference = tuple[str, Any, Any]


# --- What is recorded of a result -----------------------------------------------------------------


def record(value: Any) -> Any:
    """Return a result as JSON holds it: small arrays as lists, large ones by their moments."""
    if isinstance(value, xr.Dataset):
        arrays = {
            name: held for name, held in value.variables.items() if name not in ("chain", "draw")
        }
        arrays |= facts_of(value)
        if "cap_notes" in arrays:
            arrays["caps"] = arrays.pop("cap_notes")
        attrs = {
            name: held
            for name, held in value.attrs.items()
            if name not in {*arrays, *LEFT_OUT, "cap_notes"}
        }
        found = {f"@{name}": codes_of(record(held)) for name, held in attrs.items()}
        return record_arrays(arrays) | found | record_words(value)
    if isinstance(value, xr.DataArray):
        coords = {
            name: held for name, held in value.coords.items() if name not in ("chain", "draw")
        }
        return record_arrays({value.name or "values": value, **coords})
    if isinstance(value, pd.DataFrame):
        columns = {str(name): record(value[name].to_numpy()) for name in value}
        return {"index": record(value.index.to_numpy())} | columns
    if isinstance(value, xr.DataTree) or hasattr(value, "observed_data"):
        parts = {name: value[name] for name in GROUPS if name in list(value)}
        plain = {
            k: each.to_dataset() if isinstance(each, xr.DataTree) else each
            for k, each in parts.items()
        }
        return {
            f"{group}.{key}": held
            for group, each in plain.items()
            for key, held in record(each).items()
        }
    if isinstance(value, dict):
        return {str(key): record(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [record(each) for each in value]
    if isinstance(value, np.ndarray):
        return summary_of(value)
    if isinstance(value, np.generic):
        return value.item()
    return value if isinstance(value, str | bool | int | float | None) else str(value)


def facts_of(result: xr.Dataset) -> dict[str, xr.Variable]:
    """Return the facts in the attrs of one ranking as several rankings hold theirs."""
    if "schema" not in result.attrs:
        return {}
    return {name: xr.Variable((), result.attrs[name]) for name in FACTS if name in result.attrs}


def record_arrays(arrays: dict[Any, Any]) -> Record:
    """Return the values of arrays by name and sizes; of Monte-Carlo errors the mean."""
    found: Record = {}
    for name, array in arrays.items():
        sizes = ", ".join(f"{dim} {size}" for dim, size in array.sizes.items())
        is_error = str(name).endswith("_error") and array.dtype.kind == "f"
        found[f"{name} ({sizes})" if sizes else str(name)] = summary_of(
            array.mean() if is_error else array
        )
    return found


def summary_of(array: Any) -> Any:
    values = np.asarray(array)
    if values.ndim == 0:
        return codes_of(values.item())
    if values.dtype.kind not in "biuf" or values.size <= MOST_VALUES:
        shown = values.ravel().tolist()
        return record(
            shown if len(shown) <= 4 * MOST_VALUES else [len(shown), *shown[:3], *shown[-3:]]
        )
    finite = values.ravel()[np.isfinite(values.ravel())].astype(float)
    found: Record = {} if finite.size == values.size else {"not finite": values.size - finite.size}
    if finite.size:
        # The moment weighs values by their place, so that it changes with their order.
        found |= {
            "mean": finite.mean(),
            "moment": finite @ np.linspace(0, 1, finite.size) / finite.size,
        }
    if finite.size > MANY_VALUES:
        found |= zip(("10%", "50%", "90%"), np.quantile(finite, [0.1, 0.5, 0.9]), strict=True)
    return {name: float(held) for name, held in found.items()}


def codes_of(value: Any) -> Any:
    """Return the codes of encoded facts, whose fields the recorded sentences show; other values unchanged."""
    if not (isinstance(value, str) and value.startswith(("[[", "{"))):
        return value
    facts = json.loads(value)
    return [str(fact[0] if isinstance(fact, list) else fact) for fact in facts]


def record_words(result: xr.Dataset) -> Record:
    """Return the verdict and the notes of a result, if it has any."""
    found: Record = {}
    for name, words in (("verdict", br.verdict), ("notes", br.notes)):
        with contextlib.suppress(br.ArgumentError):
            found[name] = list(words(result))
    return found


class PageText(HTMLParser):
    """The text of a page in lines, without styles, scripts, pictures and versions of packages."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.hidden = 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.hidden += tag in ("style", "script", "svg")

    def handle_endtag(self, tag: str) -> None:
        self.hidden -= tag in ("style", "script", "svg")

    def handle_data(self, data: str) -> None:
        if not self.hidden and data.strip() and not re.search("Python 3|bayesrank 0", data):
            self.lines.append(" ".join(data.split()))


# --- Running the analyses -------------------------------------------------------------------------


def parts() -> list[str]:
    """Return the names of the parts, each with a file of goldens; those that take longest come first."""
    return [*(f"command_{file}" for file in calls.FILES), "command_more", "bare", *analyses.KINDS]


def analyses_of(part: str) -> dict[str, Callable[[], Any]]:
    """Return the analyses of a part by name."""
    if part == "bare":
        found = dict(calls.BARE)
    elif part.startswith("command_"):
        file = part.removeprefix("command_")
        lines = calls.MORE_COMMANDS if file == "more" else calls.COMMANDS
        commands = [line.replace("FILE", f"{file}.csv") for line in lines]
        found = {command: partial(print_command, command) for command in commands}
    else:
        cell = analyses.Cell(part)
        found = {name: partial(function, cell) for name, function in analyses.OPERATIONS.items()}
        for model in analyses.MODELS:
            found[f"model {model}"] = partial(analyses.fit_and_rank, analyses.Cell(part, model))
    return {f"{part}/{name}": function for name, function in found.items()}


def run_part(part: str, wanted: str) -> tuple[str, Record]:
    """Return the records of the analyses of a part whose names match."""
    warnings.simplefilter("ignore")
    with working_folder() if part.startswith("command_") else contextlib.nullcontext():
        items = analyses_of(part).items()
        found = {name: attempt(function) for name, function in items if fnmatchcase(name, wanted)}
    return part, json.loads(json.dumps(found))


def attempt(function: Callable[[], Any]) -> Any:
    """Return the record of a function's result, or of its error."""
    try:
        return record(function())
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


@contextlib.contextmanager
def working_folder() -> Iterator[None]:
    """Work in a new folder with the files of the commands."""
    before, folder = Path.cwd(), Path(tempfile.mkdtemp())
    os.chdir(folder)
    try:
        calls.write_files()
        yield
    finally:
        os.chdir(before)
        shutil.rmtree(folder)


def print_command(line: str) -> Record:
    """Return the exit code of a command, the lines that it prints, and the text of the page that it writes."""
    from bayesrank.cli import main

    streams = [io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2)]
    before, code = sys.argv, 0
    try:
        sys.argv = ["bayesrank", *shlex.split(line)]
        with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
            main()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    finally:
        sys.argv = before
    printed, errors = (stream.buffer.getvalue().decode() for stream in streams)
    found: Record = {
        "exit": code,
        "printed": printed.replace(br.__version__, "VERSION").splitlines(),
    }
    if errors:
        found["errors"] = errors.splitlines()
    if (page := Path("page.html")).exists():
        found["page"] = PageText(page.read_text("utf-8")).lines
        page.unlink()
    return found


# --- Comparing ------------------------------------------------------------------------------------


def differences(old: Any, new: Any, path: tuple[str, ...] = ()) -> Iterator[Difference]:
    """Yield the path, the old and the new value of everything that differs."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new}):
            yield from differences(old.get(key, NONE), new.get(key, NONE), (*path, key))
    elif isinstance(old, list) and isinstance(new, list):
        for i, (first, second) in enumerate(zip_longest(old, new, fillvalue=NONE)):
            yield from differences(first, second, (*path, str(i)))
    elif not are_equal(old, new):
        yield " → ".join(path), old, new


def are_equal(old: Any, new: Any) -> bool:
    """Return whether two values agree: floats within the tolerance, everything else exactly."""
    if isinstance(old, float) and isinstance(new, float):
        return bool(np.isclose(new, old, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True))
    if isinstance(old, str) and isinstance(new, str):
        first, second = NUMBER.split(old), NUMBER.split(new)
        pairs = zip(first[1::2], second[1::2], strict=False)
        return first[::2] == second[::2] and all(are_equal(float(a), float(b)) for a, b in pairs)
    return type(old) is type(new) and old == new


def describe(found: list[Difference]) -> str:
    """Return differences as text; those with the same old and new value are listed together."""
    places = defaultdict(list)
    for path, old, new in found:
        places[shorten(old), shorten(new)].append(path)
    lines = []
    for (old, new), paths in places.items():
        more = f"    and {len(paths) - 5} more" if len(paths) > 5 else ""
        lines += [*paths[:5], more, f"    old: {old}", f"    new: {new}"]
    return "\n".join(line for line in lines if line)


def shorten(value: Any, size: int = 400) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= size else f"{text[:size]} ..."


# --- The files ------------------------------------------------------------------------------------


def text_of(records: Record) -> str:
    """Return records as JSON with a line for each field or sentence, so that a change is a small diff."""
    found = (
        f"{json.dumps(name)}: {text_of_fields(held)}" for name, held in sorted(records.items())
    )
    return "{\n" + ",\n".join(found) + "\n}\n"


def text_of_fields(held: Any) -> str:
    if not isinstance(held, dict) or not held:
        return text_of_value(held)
    fields = (f" {json.dumps(name)}: {text_of_value(value)}" for name, value in held.items())
    return "{\n" + ",\n".join(fields) + "}"


def text_of_value(value: Any) -> str:
    is_text = isinstance(value, list) and any(
        isinstance(each, str) and " " in each for each in value
    )
    if is_text and len(value) > 1:
        return "[\n  " + ",\n  ".join(json.dumps(each, ensure_ascii=False) for each in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def stored(part: str) -> Record:
    path = FOLDER / f"{part}.json"
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


def renew(part: str, records: Record) -> None:
    path = FOLDER / f"{part}.json"
    path.unlink(missing_ok=True)
    if records:
        FOLDER.mkdir(exist_ok=True)
        path.write_text(text_of(records), "utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--only", default="*", metavar="PATTERN", help="names of the analyses to run"
    )
    parser.add_argument("--renew", action="store_true", help="write the present results")
    options = parser.parse_args()
    os.environ |= ENVIRONMENT
    known = {*parts(), *(path.stem for path in FOLDER.glob("*.json"))}
    wanted = {part for part in known if fnmatchcase(part, options.only.partition("/")[0])}
    jobs = [part for part in parts() if part in wanted]
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool:
        found = dict(pool.map(run_part, jobs, [options.only] * len(jobs)))
    changes: list[Difference] = []
    for part in sorted(wanted):
        old, new = stored(part), found.get(part, {})
        matching = {name: held for name, held in old.items() if fnmatchcase(name, options.only)}
        changes += differences(matching, new)
        if options.renew:
            renew(part, {name: held for name, held in old.items() if name not in matching} | new)
    print(describe(changes))
    count = sum(map(len, found.values()))
    print(f"{count} analyses, {len(changes)} differences{', written' if options.renew else ''}")
    return int(bool(changes) and not options.renew)


if __name__ == "__main__":
    sys.exit(main())
