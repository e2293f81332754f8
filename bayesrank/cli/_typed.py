"""Values of options as they are typed: scores, prevalences, numbers by name, names with commas, and preferences."""

import csv
import math
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import click
import xarray as xr
from click.shell_completion import CompletionItem

import bayesrank as br
from bayesrank._core.errors import ArgumentError
from bayesrank._core.outputs import check_output
from bayesrank.scores import Score, as_score, f_beta

CELLS = ("tn", "fp", "fn", "tp")
#: Averages over classes that are completed beside the catalogue.
AVERAGED = tuple(
    f"{kind}_{name}" for kind in ("macro", "weighted") for name in ("f1", "precision", "recall")
)
FORMS = "'around SCORE [RADIUS]', 'between SCORE SCORE ...', 'over REGION' or 'beta A1 A2 B1 B2'"
CONVENTION = (
    "Which distribution is uniform is a convention: it depends on the coordinates of the Tile."
)


class ValueType(click.ParamType):
    """A value that ``read`` returns, given the text and the name of the option; errors say what to type."""

    def __init__(self, name: str, read: Callable[[str, str], Any]) -> None:
        self.name, self.read = name, read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return (
            self.read(value, param.opts[-1] if param else self.name)
            if isinstance(value, str)
            else value
        )


class ScoreName(ValueType):
    """The name of a score, which a shell completes."""

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        names = [name for names in (br.scores.catalog().index, AVERAGED) for name in names]
        return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def output_file(kind: str) -> ValueType:
    """Return the type of an option that names a file to write; that it can be written is checked before the work."""

    def check(path: str, option: str) -> str:
        check_output(option, path, kind)
        return path

    return ValueType("file", check)


def read_number(text: str, option: str) -> float:
    try:
        return float(text)
    except ValueError:
        hint = f" (write {text.replace(',', '.')})" if re.fullmatch(r"-?\d*,\d+", text) else ""
        hint = hint or (
            f" (write {float(text.strip('% ')) / 100:g})" if re.fullmatch(r"[\d.]+%", text) else ""
        )
        raise ArgumentError(
            option, "must be a number with a decimal point", f"{text!r}{hint}"
        ) from None


def read_share(text: str, option: str) -> float | str:
    """Return a prevalence: 2% is 0.02; the sample 12/600, and a word such as observed, stay."""
    if re.fullmatch(r"\d*,\d+\s*%?", text.strip()):
        raise ArgumentError(
            option, f"must have a decimal point, {text.strip().replace(',', '.')}", f"{text!r}"
        )
    if "/" in text:
        sample = re.fullmatch(r"\s*(\d+)\s*/\s*(\d+)\s*", text)
        if sample is None or not int(sample[1]) <= int(sample[2]) > 0:
            raise ArgumentError(
                option, "must be positives/cases, two whole numbers such as 12/600", f"{text!r}"
            )
        return f"{int(sample[1])}/{int(sample[2])}"
    number = number_or_word(text.strip().rstrip("%"))
    if isinstance(number, str):
        return text
    return number / 100 if text.strip().endswith("%") else number


def target_prevalence(prevalence: float | str | None, draws: int, seed: int) -> Any:
    """Return a prevalence as functions take it: draws of it if it was estimated from a sample of cases."""
    if not isinstance(prevalence, str) or "/" not in prevalence:
        return prevalence
    positives, cases = map(int, prevalence.split("/"))
    return br.performance.prevalence_draws(positives, cases, draws=draws, seed=seed)


def number_or_word(text: str, option: str = "") -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def read_weights(text: str, option: str) -> str | dict[str, float]:
    """Return weights by name from "a=1,b=2"; another text is a word or the name of a coord."""
    if "=" not in text:
        return text.strip()
    pairs = [one.rsplit("=", 1) for one in read_names(text, option)]
    if bad := next((pair for pair in pairs if len(pair) < 2), None):
        raise ArgumentError(option, "must have the form a=1,b=2", f"{bad[0]!r}")
    return {name.strip(): read_number(number, option) for name, number in pairs}


def read_values(text: str, option: str) -> dict[str, float]:
    """Return numbers by name from "a=1,b=2"."""
    result = read_weights(text, option)
    if isinstance(result, str):
        raise ArgumentError(option, "must have the form threshold=0.5", f"{text!r}")
    return result


def read_names(text: str, option: str = "") -> list[str]:
    """Return names separated by commas; a name that contains a comma is in quotation marks."""
    return [
        name.strip() for name in next(csv.reader([text], skipinitialspace=True), []) if name.strip()
    ]


def read_conditions(
    context: click.Context, option: click.Parameter, typed: tuple[str, ...]
) -> dict | None:
    """Return the wanted values by column from several COLUMN=VALUE; None if there are none."""
    found: dict[str, list[str]] = {}
    for text in typed:
        column, mark, value = text.partition("=")
        if not mark or not column.strip():
            raise ArgumentError(option.opts[-1], "must have the form COLUMN=VALUE", f"{text!r}")
        found.setdefault(column.strip(), []).append(" ".join(value.split()))
    return found or None


def read_score(text: str, option: str = "--score") -> Score:
    """Return a score: a name, an importance of the four cells, a point of the Tile, or an F score with any beta."""
    if "=" not in text:
        beta = re.fullmatch(r"f[\s_-]?(\d*\.\d+)(?:[\s_-]?score)?", text.strip(), re.I)
        return as_score(text) if beta is None else f_beta(float(beta[1]))
    requirement = (
        "must be a name, weights tn=1,fp=1,fn=5,tp=1, or a place a=0.3,b=0.7, with decimal points"
    )
    numbers = _numbers_by_name(option, text, requirement)
    if set(numbers) == {"a", "b"}:
        score = as_score((numbers["a"], numbers["b"]))
        return replace(score, display=f"ranking score (a={numbers['a']:g}, b={numbers['b']:g})")
    if not set(numbers) <= set(CELLS):
        raise ArgumentError(option, requirement, repr(text))
    typed = [f"{cell}={numbers.get(cell, 0):g}" for cell in CELLS]
    try:
        score = as_score(br.importance(**numbers))
    except ArgumentError as error:
        if "--benefit" in error.hint:
            error.hint = _hint_at_costs(numbers)
        raise
    return replace(score, name=",".join(typed), display=f"ranking score ({', '.join(typed)})")


def _hint_at_costs(numbers: dict[str, float]) -> str:
    """Return how to rank by costs, for numbers that cannot be importances but may be meant as costs."""
    benefit = [
        f"{cell}={(-1 if cell in ('fp', 'fn') else 1) * numbers.get(cell, 0):g}".replace(
            "=-0", "=0"
        )
        for cell in CELLS
    ]
    return f"costs are negative benefits: bayesrank decide DATA --benefit {','.join(benefit)} --prevalence 0.1"


def read_benefit(text: str, option: str) -> dict[str, float]:
    requirement = "must be tn=NUMBER,fp=NUMBER,fn=NUMBER,tp=NUMBER, each once"
    result = _numbers_by_name(option, text, requirement)
    if set(result) != set(CELLS):
        raise ArgumentError(option, requirement, repr(text))
    return result


def _numbers_by_name(option: str, text: str, wanted: str) -> dict[str, float]:
    """Parse NAME=NUMBER,...; an error says what is wanted."""
    result: dict[str, float] = {}
    for part in re.split(r"(?<![,;\s])[,;\s]++(?=[a-z])", text.strip().lower()):
        name, _, value = (word.strip() for word in part.partition("="))
        number = number_or_word(value)
        if name in result or isinstance(number, str) or not math.isfinite(number):
            raise ArgumentError(option, wanted, repr(text))
        result[name] = number
    return result


def read_preferences(text: str, prevalence: float | None) -> tuple[xr.Dataset, str]:
    """Return points of the Tile with their weights, and their description.

    A score is a name, or a place such as (0.5, 1); some have a place only if the prevalence is a
    number.
    """
    from bayesrank.tile import around, beta_preferences, between, over
    from bayesrank.tile.preferences import REGIONS

    words = [word for word in re.findall(r"\([^()]*\)|[^\s,()]+", text) if word != "and"]
    kind, rest = (words[0], words[1:]) if words else ("", [])
    if kind == "around" and len(rest) in (1, 2):
        radius = _numbers(rest[1:], text)[0] if len(rest) == 2 else 0.1
        result = around(_place(rest[0], text), radius, prevalence)
        where = f"within {radius:g} of {rest[0]} on the Tile"
    elif kind == "between" and len(rest) > 1:
        result = between(*(_place(word, text) for word in rest), prevalence=prevalence)
        where = f"{'on the line' if len(rest) == 2 else 'in the region'} between {', '.join(rest[:-1])} and {rest[-1]}"
    elif kind == "over" and rest:
        region = "_".join(rest).replace("-", "_").lower()
        result = over(region)
        where = f"{region.replace('_', ' ')} ({REGIONS[region][0]})"
    elif kind == "beta" and len(rest) == 4:
        a1, a2, b1, b2 = _numbers(rest, text)
        where = f"a ~ Beta({a1:g}, {a2:g}), b ~ Beta({b1:g}, {b2:g})"
        line = f"Preferences: {where}." + (
            f" {CONVENTION}" if a1 == a2 == 1 or b1 == b2 == 1 else ""
        )
        return beta_preferences((a1, a2), (b1, b2)), line
    else:
        raise ArgumentError("--preference", f"must be {FORMS}", f"{text!r}")
    return result, f"Preferences: {where}, uniformly. {CONVENTION}"


def _place(word: str, text: str) -> Any:
    """Return a score's name, or the two numbers of a place."""
    return _numbers(re.split(r"[\s,]+", word[1:-1].strip()), text) if word.startswith("(") else word


def _numbers(words: list[str], text: str) -> list[float]:
    numbers = [number_or_word(word) for word in words]
    if any(isinstance(number, str) for number in numbers):
        raise ArgumentError(
            "--preference",
            f"must be {FORMS}, with numbers for radius, places and A1 to B2",
            f"{text!r}",
        )
    return [float(number) for number in numbers]
