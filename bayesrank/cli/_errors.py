"""Errors of the package in the words of the command: options for arguments."""

import re
import shlex

import click

from bayesrank._escape import escape_invisible

__all__ = ["in_options", "shorten"]

#: Arguments of the package that hold the data.
DATA = ("evidence", "counts", "frame", "source")
#: Advice in parentheses that only Python can take.
PYTHON = re.compile(r" \((?:or, in Python,|(?![^)]*(?:--|in Python))[^()]*\bbr\.)(?:[^()]|\([^()]*\))*\)")
#: The longest word of a message, such as a name of the file, and the longest message.
LONGEST_WORD, LONGEST_MESSAGE = 160, 1200


def in_options(message: str, command: click.Command) -> str:
    """Return an error's message as the command prints it: arguments are options, and advice for Python is left out.

    The options of ``command`` have the names of the arguments that they set.
    """
    options = dict.fromkeys(DATA, "DATA")
    options |= {str(one.name): one.opts[-1] for one in command.params if isinstance(one, click.Option)}
    # One of several values is called by the singular.
    for name in [one.name for one in command.params if getattr(one, "multiple", False)]:
        options.setdefault(str(name).removesuffix("s"), options[str(name)])
    names = "|".join(options)
    message = PYTHON.sub("", message)
    message = re.sub(
        rf"\b({names})=('[^']*'|[\w.-]+)",
        lambda found: f"{options[found[1]]} {shlex.quote(found[2].strip(chr(39)))}",
        message,
    )
    return re.sub(rf"^({names})(?= must | cannot )", lambda found: options[found[1]], message)


def shorten(message: str) -> str:
    """Return a message on one line that cuts long quotations."""
    words = (f"{word[:LONGEST_WORD]}..." if len(word) > LONGEST_WORD + 3 else word for word in message.split(" "))
    text = escape_invisible(" ".join(words))
    if len(text) <= LONGEST_MESSAGE:
        return text
    return f"{text[: LONGEST_MESSAGE // 2]} ... {text[-LONGEST_MESSAGE // 2 :]}"
