"""Preferences as text: "around f1 0.2", "between ppv tpr", "over upper_half", "beta 1 1 4 1"."""

import re
from typing import Any

import click
import xarray as xr

FORMS = "'around SCORE [RADIUS]', 'between SCORE SCORE ...', 'over REGION' or 'beta A1 A2 B1 B2'"
CONVENTION = (
    "Uniform is a convention, not ignorance: other coordinates for the same scores would make another distribution "
    "uniform."
)
RADIUS = 0.1


class _Number(click.ParamType):
    """A number with a decimal point."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            return float(value)
        except ValueError:
            hint = f" (write {value.replace(',', '.')})" if re.fullmatch(r"-?\d*,\d+", value) else ""
            hint = hint or (f" (write {float(value.strip('% ')) / 100:g})" if re.fullmatch(r"[\d.]+%", value) else "")
            self.fail(f"must be a number with a decimal point; got {value!r}{hint}", param, ctx)


NUMBER = _Number()
#: Options that several commands have.
ROPE = click.option(
    "--rope",
    type=NUMBER,
    default=0.0,
    show_default=True,
    help="Region of practical equivalence: smaller differences count as equal.",
)
KIND = click.option(
    "--kind",
    type=click.Choice(["typical", "new"]),
    help="Hierarchical models only: a typical data set or a new one. [default: typical]",
)
NOTES = click.option("--notes", is_flag=True, help="Print the notes below the verdict.")


def read_preferences(text: str, prevalence: str | None) -> tuple[xr.Dataset, str]:
    """Return points of the Tile with their weights, and their description.

    ``text`` and ``prevalence`` are what was typed. A score is a name, or a place such as (0.5, 1); some have a place
    only if the prevalence is a number.
    """
    from bayesrank.tile import around, beta_preferences, between, over
    from bayesrank.tile.preferences import REGIONS

    fixed = fixed_prevalence(prevalence)
    words = [word for word in re.findall(r"\([^()]*\)|[^\s,()]+", text) if word != "and"]
    kind, rest = (words[0], words[1:]) if words else ("", [])
    if kind == "around" and len(rest) in (1, 2):
        radius = _numbers(rest[1:], text)[0] if len(rest) == 2 else RADIUS
        found = around(_place(rest[0], text), radius, fixed)
        where = f"within {radius:g} of {rest[0]} on the Tile"
    elif kind == "between" and len(rest) > 1:
        found = between(*(_place(word, text) for word in rest), prevalence=fixed)
        where = f"{'on the line' if len(rest) == 2 else 'in the region'} between {', '.join(rest[:-1])} and {rest[-1]}"
    elif kind == "over" and rest:
        region = "_".join(rest).replace("-", "_").lower()
        found = over(region)
        where = f"{region.replace('_', ' ')} ({REGIONS[region][0]})"
    elif kind == "beta" and len(rest) == 4:
        a1, a2, b1, b2 = _numbers(rest, text)
        where = f"a ~ Beta({a1:g}, {a2:g}), b ~ Beta({b1:g}, {b2:g})"
        line = f"Preferences: {where}." + (f" {CONVENTION}" if a1 == a2 == 1 or b1 == b2 == 1 else "")
        return beta_preferences((a1, a2), (b1, b2)), line
    else:
        raise ValueError(f"--preference must be {FORMS}; got {text!r}")
    return found, f"Preferences: {where}, uniformly. {CONVENTION}"


def fixed_prevalence(prevalence: str | None) -> float | None:
    """Return the number in a text (2% is 0.02), or None if it is not a number."""
    percent = (prevalence or "").strip().endswith("%")
    if prevalence is not None and re.fullmatch(r"\s*\d*,\d+\s*%?\s*", prevalence):
        raise ValueError(
            f"--prevalence must have a decimal point, {prevalence.strip().replace(',', '.')}; got {prevalence!r}"
        )
    try:
        return None if prevalence is None else float(prevalence.strip().rstrip("%")) / (100 if percent else 1)
    except ValueError:
        return None


def _place(word: str, text: str) -> Any:
    """Return a score's name, or the two numbers of a place."""
    return _numbers(re.split(r"[\s,]+", word[1:-1].strip()), text) if word.startswith("(") else word


def _numbers(words: list[str], text: str) -> list[float]:
    try:
        return [float(word) for word in words]
    except ValueError:
        raise ValueError(
            f"--preference must be {FORMS}, with numbers for radius, places and A1 to B2; got {text!r}"
        ) from None
