"""Metrics and scorers of scikit-learn as names of scores, without importing scikit-learn."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from bayesrank._core.errors import ArgumentError, ArgumentKeyError

#: Arguments of a metric that choose what is undefined, or the weights of cases, which belong to the
#: evidence.
LEFT_OUT = {"zero_division": None, "normalize": True, "adjusted": False, "squared": True}
AVERAGED = ("macro", "micro", "weighted")


def is_metric(score: Any) -> bool:
    """Return whether this is a metric or a scorer of scikit-learn, also with arguments bound by functools.partial."""
    function, _ = _unbind(score)
    return str(getattr(function, "__module__", "")).startswith("sklearn.metrics") and hasattr(
        function, "__name__"
    )


def metric_name(score: Callable[..., Any]) -> str:
    """Return the name of the score that a metric or scorer computes.

    Raises
    ------
    ArgumentError
        If an argument of the metric belongs to the evidence, or has no equivalent here.

    Examples
    --------
    >>> from sklearn.metrics import f1_score, make_scorer
    >>> metric_name(f1_score), metric_name(make_scorer(f1_score, average="macro"))
    ('f1_score', 'f1_score_macro')
    """
    function, settings = _unbind(score)
    name, arguments = function.__name__, dict(settings)
    for argument, typed in (("pos_label", "positive"), ("sample_weight", "weight")):
        if argument in arguments:
            raise ArgumentError(
                "score",
                f"must not set {argument}, which the evidence sets",
                f"{name} with {argument}=",
                f"pass {typed}= to the function that makes the evidence",
            )
    average = arguments.pop("average", None)
    if "beta" in arguments:
        name = f"f{arguments.pop('beta'):g}"
    odd = {
        key: value
        for key, value in arguments.items()
        if LEFT_OUT.get(key, value) not in (value, None)
    }
    odd |= {key: value for key, value in arguments.items() if key not in LEFT_OUT}
    if odd:
        raise ArgumentKeyError(
            "score",
            "must be a metric without these arguments",
            odd,
            "br.scores.catalog() lists scores",
        )
    return f"{name}_{average}" if average in AVERAGED else name


def _unbind(score: Any) -> tuple[Any, Mapping[str, Any]]:
    """Return a metric and the arguments that a scorer or a partial function binds."""
    if hasattr(score, "_score_func"):
        return score._score_func, getattr(score, "_kwargs", {})
    if isinstance(score, partial):
        return score.func, score.keywords
    return score, {}


def split_metric(score: Any, positive: Any) -> tuple[Any, Any]:
    """Return a score without the ``pos_label`` of its scorer, and the positive class, which this may name.

    Raises
    ------
    ArgumentError
        If ``positive`` names another class.
    """
    if score is None or not is_metric(score):
        return score, positive
    function, settings = _unbind(score)
    named = settings.get("pos_label")
    if named is None:
        return score, positive
    if positive is not None and positive != named:
        raise ArgumentError(
            "positive", f"must be the pos_label of the scorer, {named!r}", f"{positive!r}"
        )
    return partial(
        function, **{key: value for key, value in settings.items() if key != "pos_label"}
    ), named
