"""Errors of the package in the words of the command: options for arguments, and what can be done in a shell."""

import re
import shlex

from bayesrank._escape import escape_invisible

__all__ = ["in_options", "shortened"]

#: Arguments that the command has as options of the same name.
OPTIONS = (
    *("prior", "prevalence", "model", "score", "rope", "prob", "draws", "seed", "sampler", "join", "missing", "kind"),
    *("positive", "benefit", "reference", "scores", "priors", "models", "prevalences"),
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
#: What the package advises, and what a shell user can do.
ADVICE = {
    "must be positive where a cell has no cases, or a rate is degenerate": (
        "must put something on every cell without cases (four_cases, uniform and jeffreys do)"
    ),
    " (br.fit(..., force=True) accepts it)": "",
    "missing='common'": "--missing common",
    "missing='own'": "--missing own",
    "missing=0": "--missing 0",
    " of br.from_outcomes": "",
    ", or a number or an array; got": ", or a number; got",
    "sampler='nuts'": "--sampler nuts",
    "join='inner'": "--join inner",
}


def in_options(message: str) -> str:
    """Return an error's message as the command prints it."""
    for wording, meant in ADVICE.items():
        message = message.replace(wording, meant)
    message = re.sub(r"\(pass positive=(.+?) or positive=(.+?) where the labels are read, or .*\)", _positives, message)
    names = "|".join({*OPTIONS, *RENAMED})
    found = re.match(rf"({names}) (?=must |cannot )", message)
    return message if found is None else RENAMED.get(found[1], f"--{found[1]}") + message[found.end(1) :]


#: The longest word of a message, such as a name of the file, and the longest message.
LONGEST_WORD, LONGEST_MESSAGE = 160, 1200


def shortened(message: str) -> str:
    """Return a message on one line that cuts long quotations."""
    words = (f"{word[:LONGEST_WORD]}..." if len(word) > LONGEST_WORD + 3 else word for word in message.split(" "))
    text = escape_invisible(" ".join(words))
    if len(text) <= LONGEST_MESSAGE:
        return text
    return f"{text[: LONGEST_MESSAGE // 2]} ... {text[-LONGEST_MESSAGE // 2 :]}"


def _positives(found: re.Match[str]) -> str:
    """Both labels as they are typed."""
    return "({})".format(" or ".join(f"--positive {shlex.quote(label.strip(chr(39)))}" for label in found.groups()))
