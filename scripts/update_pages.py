"""Renew the outputs that pages, docstrings and notebooks show: ``python scripts/update_pages.py [FILE ...]``.

Without a file: the README and all pages. Outputs that agree, such as those with an ellipsis, stay. Each output that
differs is printed, then replaced; the text around it must be read again by hand.
"""

import doctest
import importlib
import json
import os
import sys
import tempfile
from contextlib import chdir
from pathlib import Path
from types import ModuleType

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

import bayesrank as br  # noqa: E402
from tests import pages  # noqa: E402


def page(path: Path, text: str) -> str:
    """Return the text of a page with its outputs renewed."""
    outputs = pages.page_outputs(path, text)
    show(path, outputs)
    text = pages.update(text, outputs)
    script = pages.script_with_output(text)
    if script and (printed := pages.run_script(script["code"])) != script["shown"]:
        show(path, [pages.Output("", script["shown"], printed, False, 0)])
        text = text[: script.start("shown")] + printed + text[script.end("shown") :]
    return text


def module(path: Path, text: str) -> str:
    """Return the source of a module with the outputs of its docstrings renewed."""
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    imported: ModuleType = importlib.import_module(name)
    found = []
    for test in doctest.DocTestFinder(exclude_empty=True).find(imported, extraglobs={"br": br}):
        recorder = pages.Recorder()
        recorder.run(test)
        # A decorated function has no line of its own.
        first = (
            text[: text.index(test.docstring)].count("\n") if test.lineno is None else test.lineno
        )
        found += [each._replace(line=first + each.line) for each in recorder.outputs]
    show(path, found)
    return pages.update(text, found)


def notebook(path: Path, text: str) -> str:
    """Return a notebook with the texts and tables of its cells renewed; pictures stay."""
    os.chdir(ROOT / "examples")  # where Jupyter runs them
    content = json.loads(text)
    for cell, found in pages.run_notebook(content["cells"], {}):
        plt.close("all")
        if found.agrees and found.same:
            continue
        show(path, [pages.Output(f"{found.source}\n", found.shown, found.printed, False, 0)])
        streams = [out for out in cell["outputs"] if out["output_type"] == "stream"]
        for out, printed in zip(streams, [found.printed, *[""] * len(streams)], strict=False):
            out["text"] = printed.splitlines(keepends=True)
        for out in cell["outputs"]:
            if out["output_type"] == "execute_result":
                out["data"]["text/plain"] = found.text.splitlines(keepends=True)
                if "text/html" in out["data"]:
                    out["data"]["text/html"] = found.value._repr_html_().splitlines(keepends=True)
        cell["outputs"] = [out for out in cell["outputs"] if out.get("text", True)]
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def show(path: Path, outputs: list[pages.Output]) -> None:
    """Print the outputs that differ from the shown ones."""
    for each in outputs:
        if not each.agrees:
            print(
                f"{path.relative_to(ROOT)}: {each.source}- {each.shown}+ {each.printed}", flush=True
            )


RENEW = {".md": page, ".py": module, ".ipynb": notebook}


def main(names: list[str]) -> int:
    """Renew the files; return 1 if the code of one of them fails."""
    failed = 0
    for path in [Path(name).resolve() for name in names] or pages.pages_of(ROOT):
        text = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder, chdir(folder):
            os.symlink(ROOT / "examples", "examples", target_is_directory=True)
            try:
                new = RENEW[path.suffix](path, text)
            except Exception as error:
                print(f"{path.relative_to(ROOT)}: {type(error).__name__}: {error}", flush=True)
                failed = 1
                continue
        if new != text:
            path.write_text(new, encoding="utf-8")
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
