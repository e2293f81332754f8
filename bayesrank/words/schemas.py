"""Check JSON values against the part of JSON Schema that the schema of boards uses."""

import math
from collections.abc import Mapping
from typing import Any

from bayesrank._core.checks import EXACT
from bayesrank._core.errors import ArgumentError

#: Python types of the types in JSON; true and false are no numbers.
TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "null": (type(None),),
    "integer": (int,),
    "number": (int, float),
}


def check_schema(value: Any, schema: Mapping[str, Any], argument: str, place: str = "") -> None:
    """Raise an error that names the first field of a JSON value that its schema does not allow.

    Parameters
    ----------
    value
        What ``json.loads`` returned.
    schema : mapping
        A JSON Schema of ``type``, ``const``, ``enum``, ``minimum``, ``maximum``, ``properties``,
        ``required``, ``additionalProperties``, ``items``, ``minItems`` and ``maxItems``.
    argument : str
        What the value is called in messages, such as its file.
    place : str
        The path of the value in that file, such as ``entities[2].rank``.

    Raises
    ------
    ValueError
        If a field is missing, unknown, of another type, or outside its limits.

    Examples
    --------
    >>> from bayesrank.words.schemas import check_schema
    >>> schema = {"type": "object", "properties": {"rank": {"type": "integer", "minimum": 1}}, "required": ["rank"]}
    >>> check_schema({"rank": 2}, schema, "may.json")
    >>> check_schema({"rank": "1"}, schema, "may.json")
    Traceback (most recent call last):
    ...
    bayesrank._core.errors.ArgumentError: may.json must have a value of type integer in the field rank; got '1'
    """
    where = f"in the field {place}" if place else "at the top"
    if "const" in schema and not (
        type(value) is type(schema["const"]) and value == schema["const"]
    ):
        raise ArgumentError(argument, f"must have {schema['const']!r} {where}", _show(value))
    if "enum" in schema and value not in schema["enum"]:
        raise ArgumentError(
            argument, f"must have one of {', '.join(schema['enum'])} {where}", _show(value)
        )
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(_is_of(value, kind) for kind in kinds):
        raise ArgumentError(
            argument, f"must have a value of type {' or '.join(kinds)} {where}", _show(value)
        )
    if isinstance(value, dict):
        _check_object(value, schema, argument, place)
    elif isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", math.inf):
            raise ArgumentError(
                argument, f"has the wrong number of values {where}", f"{len(value)}"
            )
        for i, item in enumerate(value):
            check_schema(item, schema.get("items", {}), argument, f"{place}[{i}]")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        low, high = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
        if not low <= value <= high:
            limits = f"of at least {low}" if high == math.inf else f"from {low} to {high}"
            raise ArgumentError(argument, f"must have a number {limits} {where}", _show(value))


def _check_object(
    value: Mapping[str, Any], schema: Mapping[str, Any], argument: str, place: str
) -> None:
    properties, others = schema.get("properties", {}), schema.get("additionalProperties", True)
    lacking = [name for name in schema.get("required", []) if name not in value]
    if lacking:
        raise ArgumentError(
            argument, f"must have the field {_join(place, lacking[0])}", "a board without it"
        )
    for name, item in value.items():
        if name in properties:
            check_schema(item, properties[name], argument, _join(place, name))
        elif isinstance(others, Mapping):
            check_schema(item, others, argument, _join(place, name))
        elif not others:
            raise ArgumentError(
                argument, "must have only the fields of a board", _join(place, name)[:80]
            )


def _join(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name


def _is_of(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if isinstance(value, int) and kind in ("integer", "number"):
        return bool(abs(value) <= EXACT)
    return isinstance(value, TYPES[kind]) and not (
        isinstance(value, float) and not math.isfinite(value)
    )


def _show(value: Any) -> str:
    """Return a value on one line, cut if it is long."""
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # an integer of thousands of digits
        text = "a number of too many digits"
    return text if len(text) <= 80 else f"{text[:80]}..."
