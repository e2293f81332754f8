"""The section of the report on a plan: how many more cases would settle the ranking."""

from typing import Any

from bayesrank._checks import rename_argument
from bayesrank.report.pictures import inline_svg
from bayesrank.words.plans import verdict_of_plan

__all__ = ["plan_section"]


def plan_section(result: Any) -> dict[str, Any] | None:
    """Return the verdict, the notes and the picture of a plan, from a result of :func:`bayesrank.plan`.

    Examples
    --------
    >>> plan_section(None) is None
    True
    """
    if result is None:
        return None
    from bayesrank.plots import plan

    with rename_argument("plan", "result"):
        verdict = verdict_of_plan(result)
    lines = [*verdict.sentences(), *verdict.notes]
    caption = "How probably more cases meet the target; the band is twice the Monte-Carlo error."
    return {"lines": lines, "svg": inline_svg(lambda ax: plan(result, ax), (6.4, 3.6)), "caption": caption}
