"""Errors of the package in the words of the command: options for arguments."""

import re
import shlex

from bayesrank._escape import escape_invisible

__all__ = ["in_options", "shorten"]

#: Arguments that the command has as options of the same name.
OPTIONS = (
    *("prior", "prevalence", "model", "score", "rope", "prob", "draws", "seed", "sampler", "join", "missing", "kind"),
    *("positive", "benefit", "reference", "cost", "scores", "priors", "models", "prevalences"),
    *("match", "reruns", "errors", "only"),
)
RENAMED = {
    "statement": "--ask",
    "evidence": "DATA",
    "counts": "DATA",
    "frame": "DATA",
    "scores": "--other-score",
    "priors": "--other-prior",
    "models": "--other-model",
    "prevalences": "--other-prevalence",
}
#: An argument with its value, as Python types it, and advice in parentheses that only Python can take.
TYPED = re.compile(rf"\b({'|'.join(OPTIONS)})=('[^']*'|[\w.-]+)")
PYTHON = re.compile(r" \((?:or, in Python,|(?![^)]*(?:--|in Python))[^()]*\bbr\.)(?:[^()]|\([^()]*\))*\)")


def in_options(message: str) -> str:
    """Return an error's message as the command prints it: arguments are options, and advice for Python is left out.

    Examples
    --------
    >>> in_options("prior must be positive for sampler='nuts'; got a concentration of 0")
    '--prior must be positive for --sampler nuts; got a concentration of 0'
    >>> in_options("counts must be positive (br.fit(..., force=True) accepts it)")
    'DATA must be positive'
    >>> in_options("counts.csv, line 3: tn must be a count")
    'counts.csv, line 3: tn must be a count'
    """
    message = PYTHON.sub("", message)
    message = TYPED.sub(lambda found: f"--{found[1]} {shlex.quote(found[2].strip(chr(39)))}", message)
    names = "|".join({*OPTIONS, *RENAMED})
    found = re.match(rf"({names}) (?=must |cannot )", message)
    return message if found is None else RENAMED.get(found[1], f"--{found[1]}") + message[found.end(1) :]


#: The longest word of a message, such as a name of the file, and the longest message.
LONGEST_WORD, LONGEST_MESSAGE = 160, 1200


def shorten(message: str) -> str:
    """Return a message on one line that cuts long quotations."""
    words = (f"{word[:LONGEST_WORD]}..." if len(word) > LONGEST_WORD + 3 else word for word in message.split(" "))
    text = escape_invisible(" ".join(words))
    if len(text) <= LONGEST_MESSAGE:
        return text
    return f"{text[: LONGEST_MESSAGE // 2]} ... {text[-LONGEST_MESSAGE // 2 :]}"
