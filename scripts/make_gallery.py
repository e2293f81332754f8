"""Draw the pictures of docs/gallery/index.md by the code on that page.

Run: python scripts/make_gallery.py [NAME ...]
"""

import re
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from PIL import Image

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "gallery" / "index.md"
FIGURES = DOCS / "figures" / "gallery"


def examples(text: str) -> tuple[str, dict[str, str]]:
    """Return the lines that all examples share, and the code of each, by the name of its heading."""
    shared = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    found = re.findall(r"^### (\w+)\n.*?```python\n(.*?)```", text, re.DOTALL | re.MULTILINE)
    assert shared
    return shared[1], dict(found)


def draw(folder: Path = FIGURES, only: tuple[str, ...] = ()) -> list[Path]:
    """Run the code of the page, and save the picture of each example as a small PNG."""
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
        plt.gcf().savefig(path, dpi=85)
        Image.open(path).convert("RGB").quantize(96, dither=Image.Dither.NONE).save(path, optimize=True)
        pictures.append(path)
    plt.close("all")
    return pictures


if __name__ == "__main__":
    draw(only=tuple(sys.argv[1:]))
