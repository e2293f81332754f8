"""How many more cases would settle the ranking, from a result of :func:`bayesrank.plan`."""

from bayesrank.planning import plan
from bayesrank.report.page import Page, PageBlock, PageRequest, block, picture
from bayesrank.words.plans import verdict_of_plan

PLACE, ON_REQUEST = 72, True
NEEDS = "results={'planning': br.plan(...)}"


def compute(request: PageRequest) -> object:
    # As in the ranking, so that both say one number.
    target, rope, kind = request.prob, request.rope, request.kind
    return plan(request.posterior, request.score, target, rope=rope, kind=kind, seed=request.seed)


def make(page: Page) -> PageBlock | None:
    from bayesrank.plots import plan as draw

    result = page.results.get("planning")
    if result is None:
        return None
    verdict = verdict_of_plan(result)
    caption = (
        "Probability that more cases meet the target; the band is twice the Monte-Carlo error."
    )
    html = block("words", [*verdict.sentences(), *verdict.notes])
    if not result.sizes["n"]:
        return PageBlock("More cases", html)
    return PageBlock(
        "More cases",
        html + picture(lambda figure: draw(result, figure.subplots()), (6.4, 3.6), caption),
    )
