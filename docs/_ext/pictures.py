"""Draw pictures and reports during the build, and show them.

Pictures are of the gallery, the tutorial, the papers and what was measured; reports of Start pages and leaderboards.
All run in processes of their own, beside the reading of the pages. A picture or report is drawn again only if the
package or its page has changed.
"""

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

from docutils import nodes
from PIL import Image
from sphinx.errors import ExtensionError

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
GALLERY, REPORTS = DOCS / "figures" / "gallery", DOCS / "_build" / "extra" / "reports"
PAPERS, TUTORIAL, MEASURED = (
    DOCS / "figures" / name for name in ("papers", "tutorial", "measured")
)
BENCHMARKS = DOCS / "measured" / "benchmarks.md"
#: Pixels of the page for each inch of a picture, which has 200 for each inch, to be sharp on every screen.
INCH = 100


def state_of(*sources: Path) -> str:
    """Return a digest of the package and of some files."""
    found = hashlib.sha256()
    for path in sorted([*(ROOT / "bayesrank").rglob("*.py"), *sources]):
        found.update(path.read_bytes())
    return found.hexdigest()


def figures_on(pages: list[Path]) -> list[str]:
    """Return the names of the figures of the papers that pages show."""
    found = [
        re.findall(r"figures/papers/(\w+)\.png", page.read_text(encoding="utf-8")) for page in pages
    ]
    return [name for names in found for name in names]


def start_drawing(app):
    """Start what draws; pages wait for it."""
    started = []
    for script, folder, sources in (
        ("make_gallery.py", GALLERY, [DOCS / "gallery" / "index.md"]),
        ("make_tutorial_pictures.py", TUTORIAL, [DOCS / "learn" / "tutorial.md"]),
        (
            "make_measured_pictures.py",
            MEASURED,
            [*(DOCS / "measured" / "tables").glob("*.csv"), BENCHMARKS],
        ),
        ("paper_figures.py", PAPERS, sorted((DOCS / "papers").glob("*.md"))),
        (
            "make_reports.py",
            REPORTS,
            [*(DOCS / "start").glob("*.md"), DOCS / "learn" / "leaderboards.md"],
        ),
    ):
        mark, state = folder / ".state", state_of(ROOT / "scripts" / script, *sources)
        if mark.exists() and mark.read_text() == state:
            continue
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, str(ROOT / "scripts" / script)]
        if folder == PAPERS:
            command += [str(PAPERS), *figures_on(sources)]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
        }
        running = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        started.append((script, mark, state, running))
    for script, mark, state, running in started:
        printed, _ = running.communicate()
        if running.returncode:
            raise ExtensionError(f"{script} failed:\n{printed}")
        mark.write_text(state)


def show_small(app, tree):
    """Show a picture at the size that it was drawn for, not at the number of its pixels."""
    for image in tree.findall(nodes.image):
        path = DOCS / image["uri"].lstrip("/")
        if path.suffix == ".png" and path.is_file() and "width" not in image:
            picture = Image.open(path)
            image["width"] = (
                f"{round(picture.width * INCH / picture.info.get('dpi', (INCH,))[0])}px"
            )


def link_report(app, tree, page):
    """Link the reports that commands of a page write: behind the title of a Start page, and behind a leaderboard."""
    places = [(tree[0], 0, page.removeprefix("start/"))] if page.startswith("start/") else []
    for image in list(tree.findall(nodes.image)) if page == "learn/leaderboards" else []:
        paragraph = image.parent
        places.append(
            (paragraph.parent, paragraph.parent.index(paragraph), Path(image["uri"]).stem)
        )
    for section, place, name in places:
        if (REPORTS / f"{name}.html").is_file():
            address = (
                app.builder.get_relative_uri(page, "index").removesuffix("index.html")
                + f"reports/{name}.html"
            )
            text = "Open the report of these data"
            link = nodes.reference("", text, refuri=address, internal=True, classes=["report"])
            section.insert(place + 1, nodes.paragraph("", "", link))


def setup(app):
    app.connect("builder-inited", start_drawing)
    app.connect("doctree-read", show_small)
    app.connect("doctree-resolved", link_report)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
