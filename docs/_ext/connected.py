"""Link names to their pages, and list on each API page the guides and pictures that use it.

Pages write names in backticks, such as `br.fit`, `bayesrank rank` or `beta_binomial`. This extension makes them links,
so that no page has to. A name of `br` that has no page is a warning.
"""

import json
import re
from collections import Counter, defaultdict
from functools import reduce
from pathlib import Path

from docutils import nodes
from sphinx.util import logging

import bayesrank
from bayesrank.scores.names import SCORES

LOGGER = logging.getLogger(__name__)
#: A name of the package in backticks, which may be called.
NAME = re.compile(r"br((?:\.[A-Za-z_]\w*)+)(?:\(.*\))?(?:\.\w+.*)?", re.DOTALL)
COMMAND = re.compile(r"bayesrank ([a-z]+)\b.*", re.DOTALL)
API, SCORES_PAGE = "reference/api/bayesrank.", "reference/scores"
#: The most guides that an API page lists, and the folders in the order of the list.
MOST, ORDER = (
    8,
    (
        "start/",
        "howto/",
        "",
        "learn/",
        "understand/",
        "reference/",
        "measured/",
        "theory/",
        "appendix/",
    ),
)
#: An example of the gallery: its picture and its code.
EXAMPLE = re.compile(r"\(\.\./figures/gallery/(\w+)\.png\)\n\n```python\n(.*?)```", re.DOTALL)


def object_of(name: str):
    """Return the object of a dotted name below the package, or None."""
    return reduce(lambda found, part: getattr(found, part, None), name.split("."), bayesrank)


def read_guides(app):
    """Count what each guide and picture uses, before pages are read."""
    app.guides, app.pictures = defaultdict(Counter), defaultdict(list)
    root = Path(app.srcdir)
    for path in sorted([*root.rglob("*.md"), *(root / "learn" / "notebooks").glob("*.ipynb")]):
        page = path.relative_to(root).with_suffix("").as_posix()
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".ipynb":
            text = "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])
        if not page.startswith(("_build", "gallery/", "papers", "reference/scores")):
            for name in used_in(text):
                app.guides[name][page] += 1
    text = (root / "gallery" / "index.md").read_text(encoding="utf-8")
    shared = re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]
    made = {
        line.split(" = ")[0]: set(used_in(line)) for line in shared.splitlines() if " = br." in line
    }
    for picture, code in EXAMPLE.findall(text):
        direct = set().union(
            *(names for word, names in made.items() if re.search(rf"\b{word}\b", code))
        )
        for name in {*used_in(code), *direct}:
            app.pictures[name].append(picture)


def used_in(text: str) -> list[str]:
    """Return the names of the package in a text, such as "tile.value"."""
    return [
        name
        for name in re.findall(r"\bbr\.([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)", text)
        if object_of(name) is not None
    ]


def target_of(app, text: str) -> tuple[str, str] | None:
    """Return the page and anchor of a text in backticks, None if it is no name."""
    objects, labels = app.env.domains["py"].objects, app.env.domains["std"].anonlabels
    if found := NAME.fullmatch(text):
        parts = found[1].strip(".").split(".")
        while parts:
            name = ".".join(parts)
            if entry := objects.get(f"bayesrank.{name}"):
                return entry.docname, entry.node_id
            if parts[0] == "scores" and len(parts) == 2 and hasattr(bayesrank.scores, parts[1]):
                known = getattr(getattr(bayesrank.scores, parts[1]), "name", None)
                return SCORES_PAGE, f"score-{known}" if known in SCORES else ""
            if parts[0] == "plots" or object_of(name) is None:
                return "", name
            parts.pop()
        return "", found[1]
    if (found := COMMAND.fullmatch(text)) and (label := labels.get(f"command-{found[1]}")):
        return label[:2]
    return labels[f"model-{text}"][:2] if f"model-{text}" in labels else None


def link_names(app, tree, page):
    """Make links of the names in backticks of a page, and add to an API page what uses it."""
    for literal in list(tree.findall(nodes.literal)):
        if any(isinstance(each, nodes.reference | nodes.title) for each in ancestors(literal)):
            continue
        target = target_of(app, literal.astext())
        if target is None or target == (page, "") or (target[0] == page and page.startswith(API)):
            continue
        if not target[0]:
            if not page.startswith(
                "develop/"
            ):  # the changes name what is gone, and the recipes what is to come
                LOGGER.warning("no page documents br.%s", target[1], location=literal)
            continue
        address = "" if target[0] == page else app.builder.get_relative_uri(page, target[0])
        address += f"#{target[1]}" if target[1] else ""
        link = nodes.reference("", "", literal.deepcopy(), refuri=address, internal=True)
        literal.parent.replace(literal, link)
    if page.startswith(API):
        add_uses(app, tree, page, page.removeprefix(API))


def ancestors(node):
    while (node := node.parent) is not None:
        yield node


def add_uses(app, tree, page, name):
    """Add the section of the guides and pictures that use what an API page documents."""
    same = {
        name,
        *(each for each in {*app.guides, *app.pictures} if object_of(each) is object_of(name)),
    }
    counts = sum((app.guides[each] for each in sorted(same)), Counter())
    guides = sorted(counts, key=lambda guide: (place(guide), -counts[guide], guide))[:MOST]
    pictures = sorted({picture for each in same for picture in app.pictures[each]})
    if not guides and not pictures:
        return
    section = nodes.section("", nodes.title("", "Where it is used"), ids=["where-it-is-used"])
    address = app.builder.get_relative_uri
    if guides:
        links = (
            nodes.reference("", "", *title(app, guide), refuri=address(page, guide), internal=True)
            for guide in guides
        )
        section += nodes.bullet_list(
            "", *(nodes.list_item("", nodes.paragraph("", "", link)) for link in links)
        )
    if pictures:
        shown = nodes.container(classes=["thumbnails"])
        for picture in pictures:
            uri = f"figures/gallery/{picture}.png"
            image = nodes.image(
                uri=uri, candidates={"*": uri}, alt=f"The picture of br.plots.{picture}"
            )
            to = f"{address(page, 'gallery/index')}#gallery-{picture.replace('_', '-')}"
            shown += nodes.reference("", "", image, refuri=to, internal=True)
        section += shown
    next(tree.findall(nodes.section)).append(section)


def title(app, page):
    return [child.deepcopy() for child in app.env.titles[page].children]


def place(guide: str) -> int:
    return next(
        k
        for k, folder in enumerate(ORDER)
        if guide.startswith(folder) and (folder or "/" not in guide)
    )


def name_scores(app, tree):
    """Give each row of the table of scores an anchor."""
    if app.env.docname == SCORES_PAGE:
        for row in tree.findall(nodes.row):
            row["ids"].append(f"score-{row[0].astext()}")


def setup(app):
    app.connect("builder-inited", read_guides)
    app.connect("doctree-read", name_scores)
    app.connect("doctree-resolved", link_names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
