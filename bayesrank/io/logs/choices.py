"""What a user says about evaluation logs, and errors with a remedy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bayesrank._core.checks import check_choice, check_integer, check_sequence, describe_value
from bayesrank._core.errors import Advice, ArgumentError, ArgumentTypeError
from bayesrank._core.escape import quote_word
from bayesrank.io.formats._mapped import parse_map, write_map

#: Words for what a user may choose between; formats may have others for variants.
CHOOSABLE = ("metric", "variant", "judge", "dataset", "category", "entity", "status", "file")


class LogError(ArgumentError):
    """Logs that cannot be ranked as they are. ``remedy`` holds one choice that lets reading go on."""

    def __init__(
        self, argument: object, wanted: str, got: object = "", hint: str = "", **remedy: Any
    ) -> None:
        super().__init__(argument, wanted, got, hint)
        self.remedy = remedy

    def with_contents(self, contents: str) -> "LogError":
        """Return the error with the list of what the logs hold."""
        hint = Advice.of(self.hint, contents and f"the logs hold {contents}")
        return LogError(self.argument, self.wanted, self.got, hint, **self.remedy)


class EveryFileLeftOut(ArgumentError):
    """The user, or a remedy, leaves out every file."""


@dataclass(frozen=True)
class Choices:
    """What a user says about logs; ``shell`` is whether remedies are typed in a shell."""

    name: Mapping[str, str] = field(default_factory=dict)
    only: Mapping[str, Sequence[str]] = field(default_factory=dict)
    match: str = "id"
    reruns: str | None = None
    errors: str | None = None
    #: Fields of files that no format knows, by role; empty without a mapping.
    map: Mapping[str, str] = field(default_factory=dict)
    #: How many cases there are; the logs may list only some, and the unlisted ones are wrong.
    cases: int | None = None
    missing: Any = None
    lower: bool = False
    shell: bool = False

    def say(self, option: str, value: Any, key: str = "") -> str:
        """Return a remedy as it is typed; ``value`` may be a list of values to keep."""
        values = (
            [str(value)]
            if isinstance(value, str) or not isinstance(value, Sequence)
            else list(value)
        )
        if not self.shell:
            typed = value if len(values) > 1 or value != values else values[0]
            return f"{option}={ {key: typed}!r}" if key else f"{option}={typed!r}"
        if not any("," in text for text in values):
            values = [",".join(values)]
        return " ".join(
            f"--{option} {quote_word(f'{key}={text}' if key else text)}" for text in values
        )

    def leave_out(self, file: str) -> str:
        """Return how to leave a file out, as the end of a sentence."""
        return f"{self.say('name', '', file)} leaves the file out"

    def also(self, **more: Any) -> "Choices":
        merged: dict[str, Any] = {
            key: {**(getattr(self, key) or {}), **v} if isinstance(v, Mapping) else v
            for key, v in more.items()
        }
        return replace(self, **merged)

    def typed(self) -> str:
        """Return all options as they are typed in a shell."""
        shell = replace(self, shell=True)
        text = [
            shell.say(o, value, key)
            for o in ("name", "only")
            for key, value in getattr(self, o).items()
        ]
        text += [shell.say("match", self.match)] * (self.match != "id")
        text += [f"--map {quote_word(write_map(self.map))}"] * bool(self.map)
        text += [
            shell.say(o, getattr(self, o))
            for o in ("reruns", "errors", "cases", "missing")
            if getattr(self, o) is not None
        ]
        return " ".join(text + ["--lower-is-better"] * self.lower)


def check_choices(
    name: Any,
    only: Any,
    match: Any,
    reruns: Any,
    errors: Any,
    shell: bool = False,
    map: Any = None,
    columns: bool = False,
    cases: Any = None,
) -> Choices:
    """Return choices after a check; with ``columns``, ``only`` may name any column of a table."""
    check_choice("match", match, ("id", "content"))
    if reruns is not None:
        check_choice("reruns", reruns, ("runs", "latest"))
    if errors is not None:
        check_choice("errors", errors, ("scored", "skip"))
    for argument, value in (("name", name), ("only", only)):
        if value is not None and not isinstance(value, Mapping):
            raise ArgumentTypeError(argument, "must be a mapping", describe_value(value))
    retained = {}
    for key, value in (only or {}).items():
        if not columns:
            check_choice("only", key, CHOOSABLE)
        several = (
            [value]
            if isinstance(value, str | int | float)
            else check_sequence(f"only[{key!r}]", value)
        )
        retained[key] = [str(one) for one in several]
    roles = {} if map is None else parse_map(map, "--map" if shell else "map")
    number = None if cases is None else check_integer("cases", cases, 1)
    return Choices(dict(name or {}), retained, match, reruns, errors, roles, number, shell=shell)
