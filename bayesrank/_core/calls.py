"""Calls of public functions: arguments under the names of other packages, and errors that name the right argument."""

import sys
from collections.abc import Callable, Collection, Mapping
from functools import update_wrapper
from inspect import Parameter, Signature, signature
from types import FunctionType
from typing import Any, TypeVar

from bayesrank._core.errors import ArgumentTypeError
from bayesrank._core.keywords import suggest_argument

Function = TypeVar("Function", bound=Callable[..., Any])

#: Arguments of scikit-learn, SciPy and ArviZ that mean exactly the same, and their names here.
SYNONYMS = {
    **dict.fromkeys(("random_state", "random_seed", "rng"), "seed"),
    **dict.fromkeys(("sample_weight", "sample_weights", "weights"), "weight"),
    **dict.fromkeys(("scoring", "metric"), "score"),
    "pos_label": "positive",
    "ci_prob": "prob",
}
#: What a call of another package means here, by a method that its arguments have.
MEANT = {
    "predict": "bayesrank.integrations.sklearn.compare_estimators({'old': old, 'new': new}, X, y, 'f1') compares "
    "fitted estimators"
}


def check_call(function: Function) -> Function:
    """Decorate a public function: exact synonyms of its keywords are accepted, and wrong calls raise a typed error.

    Examples
    --------
    >>> from bayesrank._core.calls import check_call
    >>> @check_call
    ... def double(x, *, seed=None):
    ...     return 2 * x
    >>> double(3, random_state=1)
    6
    >>> double(3, sed=1)
    Traceback (most recent call last):
    bayesrank._core.errors.ArgumentTypeError: sed is not an argument of br.double (did you mean seed=?)
    """
    synonyms, translate, refuse = SYNONYMS, in_own_words, _check_arguments

    def call(*args: Any, **kwargs: Any) -> Any:
        if not synonyms.keys().isdisjoint(kwargs):
            kwargs = translate(kwargs, signature_of(function).parameters)
        try:
            return function(*args, **kwargs)
        except TypeError:
            refuse(function, args, kwargs)
            raise

    signature_of = signature
    # With the globals of the function, by which doctest finds the examples of a module.
    result = FunctionType(
        call.__code__, function.__globals__, function.__name__, None, call.__closure__
    )
    return update_wrapper(result, function)  # type: ignore[return-value]


def in_own_words(given: Mapping[str, Any], known: Collection[str]) -> dict[str, Any]:
    """Return keywords with the known name of each exact synonym."""
    result: dict[str, Any] = {}
    for name, value in given.items():
        own = SYNONYMS.get(name, name)
        own = name if name in known or own not in known else own
        if own in result:
            raise ArgumentTypeError(own, "must be given once", f"{own}= and a synonym of it")
        result[own] = value
    return result


def _check_arguments(function: Callable[..., Any], args: tuple, kwargs: Mapping[str, Any]) -> None:
    """Raise a typed error for arguments that do not fit the signature of a function."""
    declared = signature(function)
    try:
        declared.bind(*args, **kwargs)
        return
    except TypeError:
        pass
    name, parameters = _name_of(function), declared.parameters
    meant = next(
        (words for method, words in MEANT.items() if any(hasattr(one, method) for one in args)), ""
    )
    open_ended = any(one.kind is Parameter.VAR_KEYWORD for one in parameters.values())
    for unknown in [] if open_ended else [key for key in kwargs if key not in parameters]:
        raise ArgumentTypeError(
            unknown, f"is not an argument of {name}", "", suggest_argument(unknown, parameters)
        )
    positional = [
        one.name for one in parameters.values() if one.kind is Parameter.POSITIONAL_OR_KEYWORD
    ]
    if len(args) > len(positional):
        only = [one.name for one in parameters.values() if one.kind is Parameter.KEYWORD_ONLY]
        keywords = f"by name: {', '.join(f'{key}=' for key in only)}" if only else ""
        most = f"only {' and '.join(positional)}" if positional else "no arguments"
        requirement = f"takes {most} by position"
        raise ArgumentTypeError(name, requirement, f"{len(args)} arguments", meant or keywords)
    for twice in (key for key in positional[: len(args)] if key in kwargs):
        raise ArgumentTypeError(
            twice, f"must be given once to {name}", "a value in its place and one by name"
        )
    needed = [
        one
        for one in parameters.values()
        if one.default is Parameter.empty and one.name not in kwargs
    ]
    lacking = [
        one.name for one in needed if one.name not in positional[: len(args)] and one.kind in NAMED
    ]
    if lacking:
        raise ArgumentTypeError(
            lacking[0], f"must be given to {name}", "none", meant or _form(name, declared)
        )


#: Kinds of parameters that have one value.
NAMED = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)


def _form(name: str, declared: Signature) -> str:
    """Return a call with the arguments that must be given."""
    needed = [
        one
        for one in declared.parameters.values()
        if one.default is Parameter.empty and one.kind in NAMED
    ]
    texts = [
        f"{one.name}=..." if one.kind is Parameter.KEYWORD_ONLY else one.name for one in needed
    ]
    choices = [f"{one.name}: {_choices(one)}" for one in needed if _choices(one)]
    return f"{name}({', '.join(texts)}){''.join(f'; {text}' for text in choices)}"


def _choices(parameter: Parameter) -> str:
    """Return the values of an argument that takes one of a few."""
    return (
        " or ".join(map(repr, getattr(parameter.annotation, "__args__", ())))
        if _is_literal(parameter)
        else ""
    )


def _is_literal(parameter: Parameter) -> bool:
    return str(getattr(parameter.annotation, "__origin__", "")) == "typing.Literal"


def _name_of(function: Callable[..., Any]) -> str:
    """Return how a function is called: br.fit, or br.ops.of_value in its namespace."""
    own = function.__qualname__
    if "." in own:  # a method
        return own
    parts = function.__module__.split(".")[1:-1]
    is_top = own in dir(sys.modules["bayesrank"]) or not parts or parts[0].startswith("_")
    space = "" if is_top else f"{parts[0]}."
    return f"br.{space}{own}"
