"""The report's paragraph on methods, ready to paste, with what it cites."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from bayesrank.models import references_of
from bayesrank.ranking.summary import is_exact
from bayesrank.report.page import Block
from bayesrank.scores import Score
from bayesrank.scores._display import display_name

__all__ = ["definition", "methods"]

FOUNDATIONS = (
    "Piérard, Halin, Cioppa, Deliège and Van Droogenbroeck (2024). Foundations of the theory of performance-based "
    "ranking."
)
#: Samplers, by the attr ``sampler`` of a posterior.
SAMPLERS = {
    "nuts": " (Markov chain Monte Carlo, NUTS)",
    "metropolis": " (Markov chain Monte Carlo, Metropolis steps)",
    "exact": " (independent draws)",
}
SAMPLER = "Hoffman and Gelman (2014). The No-U-Turn sampler. Journal of Machine Learning Research 15:1593-1623."
CONFIDENCE = (
    "Mogstad, Romano, Shaikh and Wilhelm (2024). Inference for ranks with applications to mobility across "
    "neighbourhoods and academic achievement across countries. Review of Economic Studies 91:476-518."
)


def definition(name: str, score: Score | None, labels: int | None, ends: tuple[float, float]) -> str:
    """What is ranked by, in words: of two classes the formula, of more and of outcomes what stands in its place.

    Parameters
    ----------
    name : str
        Of the score or of the variable.
    score : Score, optional
        If it is one.
    labels : int, optional
        Classes; None of outcomes without classes.
    ends : pair of float
        Of the score's range.

    Examples
    --------
    >>> import bayesrank as br
    >>> definition("tpr", br.scores.tpr, 2, (0.0, 1.0))
    'sensitivity (TPR) = TP / (FN + TP), defined where FN + TP > 0'
    >>> definition("accuracy", br.scores.accuracy, 10, (0.0, 1.0))
    'accuracy, the share of cases whose predicted class, of 10, is the actual one'
    >>> definition("mean_outcome", br.scores.mean_outcome, None, (0.0, 1.0))
    'mean outcome, the expected outcome of a case, between 0 and 1'
    """
    words = score.display if score is not None else display_name(name)
    if score is not None and score.space == "outcomes":
        low, high = ends
        return f"{words}, the expected outcome of a case" + (
            f", between {low:g} and {high:g}" if np.isfinite(low) and np.isfinite(high) else ""
        )
    if score is None:
        return words
    if labels != 2 and name == "accuracy":
        return f"{words}, the share of cases whose predicted class{f', of {labels},' * bool(labels)} is the actual one"
    if labels != 2 and score.function is not None:  # the formula is of two classes
        return f"{words}{f', in its form for {labels} classes' * bool(labels)}"
    if not score.formula:
        return words
    where = "" if score.domain == "everywhere" else f", defined where {score.domain}"
    return f"{words} = {score.formula}{where}"


def methods(
    about: Mapping[Any, Any],
    ranking: xr.Dataset,
    what: str,
    evidence: str,
    versions: str,
    sections: Sequence[Block] = (),
) -> tuple[str, list[str]]:
    """The paragraph and its references.

    Parameters
    ----------
    about : dict
        Attrs of the posterior.
    ranking : xarray.Dataset
        Of one ranking.
    what : str
        The score, as :func:`definition` says it.
    evidence : str
        How many entities, on how many cases.
    versions : str
        Of the packages.
    sections : sequence of Block
        The sections shown, with what they say and cite here.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> ranking = br.credible_ranking(counts, "f1", method="exact")
    >>> text, cited = methods({"model": "paired"}, ranking, "f1", "2 entities", "bayesrank 1")
    >>> text[:58], len(cited)
    ('2 entities were ranked by f1 with a Bayesian model: paired', 3)
    """
    percent, exact, draws = f"{100 * ranking.attrs['prob']:g}%", is_exact(ranking), ranking.attrs.get("draws")
    sampled = about.get("sampler") == "nuts"
    said = [f"{evidence} were ranked by {what}{_model(about)}."]
    if ranking.attrs.get("evidence"):
        said.append(str(ranking.attrs["evidence"]))
    if about.get("words"):
        said.append(_sentence(str(about["words"])))
    if exact:
        said.append(
            "The posterior of the score is known in closed form; medians, intervals, superiority, ranks and P(best) "
            "are integrals over it, without draws."
        )
        if draws:
            said.append(f"Simultaneous rank intervals and confidence sets of ranks rest on {draws:,} posterior draws.")
    elif draws and draws > 1:
        # Of draws that were given nothing is known, not even that they are independent.
        said.append(f"Every one of {draws:,} posterior draws{SAMPLERS.get(str(about.get('sampler')), '')} was ranked.")
    else:
        said.append("Single values were ranked, without draws, so that nothing is known of their uncertainty.")
    said.append(
        f"Intervals are equal-tailed and hold {percent} of the posterior; an entity belongs to a tier unless the "
        f"tier's first entity beats it with probability {ranking.attrs['prob']:g} or more"
        + (f"; differences up to {ranking.attrs['rope']:g} do not count" if ranking.attrs["rope"] else "")
        + ". Entities are listed in a consensus order, which disagrees with the posterior on as few pairs as was found."
    )
    said += [block.methods for block in sections if block.methods]
    said.append(f"Computed with {versions}.")
    cited = [FOUNDATIONS] + [line for block in sections for line in block.references]
    cited += references_of(about.get("model"))
    cited += [SAMPLER] * sampled
    cited += [CONFIDENCE] * ("rank_confidence_lower" in ranking)
    return " ".join(said), cited


def _model(about: Mapping[Any, Any]) -> str:
    """The model of a posterior, how it was chosen, and its prior."""
    if "model" not in about:
        return ""
    chosen = ", chosen by the evidence" * (about.get("model_chosen_by") == "evidence")
    name = str(about["model"]).replace("_", "-")
    return f" with a Bayesian model: {name}{chosen}{_prior(about)}"


def _prior(about: Mapping[Any, Any]) -> str:
    prior = f", prior {about['prior']}" if about.get("prior") else ""
    return prior + (f", prevalence {about['prevalence']}" if about.get("prevalence") else "")


def _sentence(text: str) -> str:
    text = _scalar(text)
    return f"{text[:1].upper()}{text[1:]}".rstrip(".") + "."


def _scalar(value: Any) -> str:
    return " ".join(str(value).split())
