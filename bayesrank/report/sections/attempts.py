"""Who is best for how many attempts, if several runs of each case are known."""

from bayesrank._core.nouns import a_noun, noun
from bayesrank.cases.reliability import reliability_where_runs
from bayesrank.ranking.attempts import curve_where_runs
from bayesrank.report.page import Page, PageBlock, block, picture
from bayesrank.words.results import verdict_parts

PLACE, ON_REQUEST = 15, False
NEEDS = "several runs of each case, right or wrong"


def make(page: Page) -> PageBlock | None:
    curve = curve_where_runs(page.posterior, page.prob, page.score)
    if curve is None or not page.facts.higher_is_better:
        return None
    from bayesrank.plots import attempts

    words = verdict_parts(curve)
    caption = (
        "The probability that one of so many attempts at a case succeeds (right), or that all of them do (left): "
        f"medians and bands that hold the whole curve of {a_noun()} with probability {page.prob:g}. Below: the most "
        f"probable best {noun()} and P(best); a star marks where it alone could be best."
    )
    reliability = reliability_where_runs(page.posterior)
    runs = [] if reliability is None else [verdict_parts(reliability)]
    lines = [line for part in [words, *runs] for line in (*part.sentences(), *part.notes)]
    html = block("words", lines)
    html += picture(lambda figure: attempts(curve, figure.subplots()), (7.4, 4.8), caption)
    return PageBlock("Several attempts", html)
