"""Draw the pictures of docs/gallery/index.md by the code on that page.

Run: python scripts/make_gallery.py [NAME ...]
"""

import re
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "gallery" / "index.md"
FIGURES = DOCS / "figures" / "gallery"


def examples(text: str) -> tuple[str, dict[str, str]]:
    """Return the lines that all examples share, and the code of each, by the name of its picture."""
    shared = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    found = re.findall(r"figures/gallery/(\w+)\.png\)\n\n```python\n(.*?)```", text, re.DOTALL)
    assert shared
    return shared[1], dict(found)


def draw(folder: Path = FIGURES, only: tuple[str, ...] = ()) -> list[Path]:
    """Run the code of the page, and save the picture of each example as a PNG."""
    shared, codes = examples(PAGE.read_text(encoding="utf-8"))
    folder.mkdir(parents=True, exist_ok=True)
    names: dict = {}
    exec(shared, names)
    pictures = []
    for name, code in codes.items():
        plt.close("all")
        exec(code, names)
        if only and name not in only:
            continue
        path = folder / f"{name}.png"
        plt.gcf().savefig(path, dpi=200)
        pictures.append(path)
    plt.close("all")
    return pictures


if __name__ == "__main__":
    draw(only=tuple(sys.argv[1:]))
