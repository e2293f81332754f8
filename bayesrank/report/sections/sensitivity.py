"""What other priors, models and data would say, from a result of :func:`bayesrank.sensitivity`."""

from typing import Any

from bayesrank._core import prose
from bayesrank._core.checks import check_result, rename_argument
from bayesrank._core.records import ResultRecord
from bayesrank.report.page import Page, PageBlock, PageRequest, block
from bayesrank.sensitivities.analysis import NEEDED, sensitivity
from bayesrank.words.results import verdict_parts

PLACE, ON_REQUEST = 75, True
NEEDS = "results={'sensitivity': br.sensitivity(...)}"
HEADER = [
    "analysis",
    "first",
    "P(first of the base is best)",
    "Kendall's τ to base",
    "conclusions kept",
]


def compute(request: PageRequest) -> Any:
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


def make(page: Page) -> PageBlock | None:
    result = page.results.get("sensitivity")
    if result is None:
        return None
    check_result("br.sensitivity", "sensitivity", result, NEEDED)
    with rename_argument("sensitivity", "result"):
        parts = verdict_parts(result)
    size = float(ResultRecord.of(result).effective_draws)
    columns = ("alternative", "leader", "base_leader_probability_best", "kendall_tau")
    surviving = result["survives"].sum("conclusion").values.tolist()
    rows = [
        [str(name), str(leader) or "–", prose.probability(p, size), prose.number(tau, 2),
         f"{n} of {result.sizes['conclusion']}"]
        for name, leader, p, tau, n in zip(
            *(result[column].values.tolist() for column in columns), surviving, strict=True
        )
    ]  # fmt: skip
    html = block("words", parts.sentences()) + block("table", HEADER, rows)
    html += block("fold", "Notes", block("words", parts.notes)) if parts.notes else ""
    return PageBlock("Does the ranking depend on the analysis?", html)
