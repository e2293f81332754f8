"""Write the parts of pages that list what the package holds: models, data sets, formats, commands, and pictures.

A page has a comment such as ``<!-- models -->`` where its list belongs.
"""

import inspect
import re

import click

from bayesrank import datasets, models
from bayesrank.cli import cli
from bayesrank.cli._help import COMMON, group_options
from bayesrank.io import formats

TAKES = {
    "counts": "counts",
    "cases": "joint outcomes of cases",
    "means": "means and standard errors",
    "votes": "votes on pairs",
    "folds": "scores of folds",
    "probabilities": "predicted probabilities of cases",
}

#: Classes whose options several models have.
SHARED = """\
.. autoclass:: bayesrank.models.parts.product_multinomial.ProductMultinomial
   :no-members:

.. autoclass:: bayesrank.models.dirichlet_multinomial.Outcomes
   :no-members:
"""


def list_models() -> str:
    """Return a section for each model, with its class's docstring."""
    parts = []
    for name in models.names():
        found = models.find_model(name)
        takes = TAKES[getattr(found, "takes", "counts")]
        if getattr(found, "most_outcomes", None):
            takes += f" of {found.most_outcomes} classes"
        if population := models.population_of(name):
            takes += f"; it learns how {population} differ"
        exact = hasattr(found, "draw") or hasattr(found, "sample_chains")
        options = ", ".join(f"`{option}=`" for option in models.options_of(found)) or "none"
        parts.append(
            f"(model-{name})=\n## {name}\n\n{found.words}\n\n- **Evidence:** {takes}.\n"
            f"- **Draws:** {'exact, without a Markov chain' if hasattr(found, 'draw') else 'Markov chains'}"
            f"{'' if exact else ', by NUTS'}.\n- **Options of `br.fit`:** {options}.\n\n"
            f"```{{eval-rst}}\n.. autoclass:: {found.__module__}.{found.__name__}\n   :no-members:\n```\n"
        )
    parts.append(f"## Shared options\n\n```{{eval-rst}}\n{SHARED}```\n")
    return "\n".join(parts)


def list_datasets() -> str:
    """Return a table of the data sets by their question, and a section for each."""
    rows, parts = ["| question | data set | cases |", "|---|---|---|"], []
    for name in datasets.names():
        about = datasets.describe(name)
        single = "yes" if name in (*datasets.CASES, *datasets.DECISION_VALUES) else ""
        rows.append(f"| {about['question']} | [{name}](#data-{name}) | {single} |")
        parts.append(
            f"(data-{name})=\n## {name}\n\n**{about['title']}.** {about['description']}\n\n*{about['question']}*\n\n"
            f"- **Caveats:** {about['caveats']}\n- **Source:** {about['citation']}.\n"
            f"- **Licence:** {about['licence']}.\n"
            f"- **Model:** `{about['model']}`, as in `bayesrank rank {name}`.\n"
        )
    return "\n".join([*rows, "", *parts])


def list_formats() -> str:
    """Return a section for each format of logs, with the docstring of its module."""
    found = sorted(map(formats.load, formats.names()), key=lambda module: module.TITLE.casefold())
    return "\n\n".join(f"### {module.TITLE}\n\n{inspect.getdoc(module)}" for module in found)


def describe(option: click.Option, context: click.Context) -> str:
    """Return the names and the help of an option as an item of a definition list."""
    names, text = option.get_help_record(context) or ("", "")
    return f"`{names}`\n: {re.sub(r'([*_<])', lambda found: chr(92) + found[1], text)}\n"


def list_commands() -> str:
    """Return the options that commands share, once, and a section for each command with its own options."""
    context = click.Context(cli, info_name="bayesrank")
    shared, parts = {group: {} for group in COMMON}, []
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        inner = click.Context(command, info_name=name, parent=context)
        usage = " ".join(command.collect_usage_pieces(inner))
        parts.append(
            f"(command-{name})=\n## bayesrank {name}\n\n```text\nbayesrank {name} {usage}\n```\n"
        )
        text, *examples = re.split(
            r"^Examples:\n",
            (command.help or "") + "\n" + (command.epilog or ""),
            flags=re.MULTILINE,
        )
        for paragraph in filter(None, (each.strip("\n") for each in text.split("\n\n"))):
            plain = paragraph.replace("\b\n", "")
            parts.append(
                f"```text\n{plain}\n```\n" if paragraph.startswith("\b\n") else f"{plain}\n"
            )
        for group, options in group_options(command, inner).items():
            if group in COMMON:
                shared[group].update({option.name: option for option in options})
                linked = ", ".join(f"`{option.opts[-1]}`" for option in options)
                parts.append(
                    f"**{group}:** {linked} ([above](#command-{group.split()[0].lower()})).\n"
                )
            else:
                parts.append(
                    f"**{group}**\n\n" + "\n".join(describe(option, inner) for option in options)
                )
        if examples:
            lines = "\n".join(line.strip() for line in examples[0].strip().splitlines())
            parts.append(f"**Examples**\n\n```text\n{lines}\n```\n")
    first = [
        f"(command-{group.split()[0].lower()})=\n### {group}\n\n"
        + "\n".join(describe(option, context) for option in options.values())
        for group, options in shared.items()
    ]
    return "\n".join(["## Common options\n", *first, *parts])


def list_thumbnails(text: str) -> str:
    """Return the pictures of the gallery as a grid, each with the question that it answers."""
    found = re.findall(
        r"^\(gallery-([\w-]+)\)=\n### ([^\n]*)\n.*?!\[(.*?)\]\((.*?)\)",
        text,
        re.DOTALL | re.MULTILINE,
    )
    cards = [
        f":::{{grid-item-card}} {question}\n:link: gallery-{name}\n:link-type: ref\n"
        f":img-top: {path}\n:img-alt: {alt}\n:::"
        for name, question, alt, path in found
    ]
    return "\n".join(
        ["::::{grid} 2 3 3 4", ":gutter: 2", ":class-container: gallery", *cards, "::::"]
    )


LISTS = {
    "reference/models": list_models,
    "reference/datasets": list_datasets,
    "reference/command": list_commands,
    "reference/formats": list_formats,
}


def write_lists(app, page, source):
    """Replace the comment of a page by its list."""
    if page == "gallery/index":
        source[0] = source[0].replace("<!-- thumbnails -->", list_thumbnails(source[0]))
    elif page in LISTS:
        source[0] = re.sub(
            r"^<!-- \w+ -->$", lambda _: LISTS[page](), source[0], flags=re.MULTILINE
        )


def setup(app):
    app.connect("source-read", write_lists)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
