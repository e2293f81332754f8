"""What other priors, models and data would say, from a result of :func:`bayesrank.sensitivity`."""

from typing import Any

import numpy as np

from bayesrank import _text
from bayesrank._checks import check_result, rename_argument
from bayesrank.report.page import Block, Page, Request, block
from bayesrank.sensitivities.analysis import NEEDED, sensitivity
from bayesrank.words.results import verdict_parts

PLACE, ON_REQUEST = 75, True
NEEDS = "results={'sensitivity': br.sensitivity(...)}"
HEADER = ["analysis", "first", "P(base's first is best)", "Kendall's τ to base", "conclusions kept"]


def compute(request: Request) -> Any:
    """Return the sensitivity of the ranking that the command made."""
    return sensitivity(
        request.evidence,
        request.score,
        model=request.model,
        kind=request.kind,
        join=request.join,
        prob=request.prob,
        rope=request.rope,
        draws=request.draws,
        seed=request.seed,
        **request.options,
    )


def make(page: Page) -> Block | None:
    """Return the verdict on the result, its notes, and a row for each analysis."""
    result = page.results.get("sensitivity")
    if result is None:
        return None
    check_result("br.sensitivity", "sensitivity", result, NEEDED)
    with rename_argument("sensitivity", "result"):
        parts = verdict_parts(result)
    size = float(result.attrs.get("effective_draws", np.inf))
    rows = []
    for i, name in enumerate(result["alternative"].values.tolist()):
        one = result.isel(alternative=i)
        rows.append(
            [
                str(name),
                str(one["leader"].item()) or "–",
                _text.probability(float(one["base_leader_probability_best"]), size),
                _text.number(float(one["kendall_tau"]), 2),
                f"{int(one['survives'].sum())} of {one.sizes['conclusion']}",
            ]
        )
    html = block("words", parts.sentences()) + block("table", HEADER, rows)
    html += block("fold", "Notes", block("words", parts.notes)) if parts.notes else ""
    return Block("Does the ranking depend on the analysis?", html)
