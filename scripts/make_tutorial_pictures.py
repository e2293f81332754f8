"""Draw the pictures of docs/learn/tutorial.md by the code on that page, each by the last figure before it.

Run: python scripts/make_tutorial_pictures.py
"""

import doctest
import os
import re
import tempfile
from contextlib import chdir, redirect_stdout
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "learn" / "tutorial.md"
FIGURES = DOCS / "figures" / "tutorial"
#: A block of code, or the name of a picture.
PART = re.compile(r"```python\n(?P<code>.*?)```|figures/tutorial/(?P<name>\w+)\.png", re.DOTALL)


def draw(folder: Path = FIGURES) -> list[Path]:
    """Run the code of the page in a folder of its own, and save each picture as a PNG."""
    folder.mkdir(parents=True, exist_ok=True)
    names, parser, pictures = {}, doctest.DocTestParser(), []
    with (
        tempfile.TemporaryDirectory() as elsewhere,
        chdir(elsewhere),
        open(os.devnull, "w") as nowhere,
    ):
        for part in PART.finditer(PAGE.read_text(encoding="utf-8")):
            if part["code"]:
                with redirect_stdout(nowhere):
                    for example in parser.get_examples(part["code"]):
                        exec(example.source, names)
            else:
                pictures.append(folder / f"{part['name']}.png")
                plt.gcf().savefig(pictures[-1], dpi=200)
    plt.close("all")
    return pictures


if __name__ == "__main__":
    draw()
