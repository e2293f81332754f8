"""The report's paragraph on methods, ready to paste, with what it cites."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.notes import Note, notes_of
from bayesrank._core.nouns import noun, nouns
from bayesrank._core.records import ModelRecord, RankingRecord
from bayesrank.evidence.ledger import Ledger
from bayesrank.models import references_of, takes_truth_as_known
from bayesrank.ranking.evidence import sampling
from bayesrank.ranking.intervals import order_name
from bayesrank.ranking.summary import is_exact
from bayesrank.report.page import Page, PageBlock
from bayesrank.scores import Score
from bayesrank.scores.display import display_name
from bayesrank.words.rankings import unobserved_last
from bayesrank.words.sentences import say

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
#: The order within a tier, by its name.
ORDERS = {
    "consensus": "in the consensus order: of all orders that were tried, it has the smallest posterior expected "
    "Kendall distance",
    "predictive": "by the score of the posterior mean performance",
}
RHAT = (
    "Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021). Rank-normalization, folding, and localization: an "
    "improved R-hat for assessing convergence of MCMC. Bayesian Analysis 16:667-718."
)
CONFIDENCE = (
    "Mogstad, Romano, Shaikh and Wilhelm (2024). Inference for ranks with applications to mobility across "
    "neighbourhoods and academic achievement across countries. Review of Economic Studies 91:476-518."
)
WINNER = "Hung and Fithian (2019). Rank verification for exponential families. Annals of Statistics 47:758-782."


def definition(
    name: str, score: Score | None, labels: int | None, ends: tuple[float, float]
) -> str:
    """Return the score in words: its formula for two classes, else its definition."""
    words = score.display if score is not None else display_name(name)
    if score is None:
        return words
    if score.attempts is not None:
        return f"{words}, the {score.formula}"
    if score.space == "outcomes":
        between = f", between {ends[0]:g} and {ends[1]:g}" if np.isfinite(ends).all() else ""
        return f"{words}, the expected outcome of a case{between}"
    if labels != 2 and name == "accuracy":
        return f"{words}, the share of cases whose predicted class{f', of {labels},' * bool(labels)} is the actual one"
    if labels != 2 and score.function is not None:  # the formula is of two classes
        return f"{words}{f', in its form for {labels} classes' * bool(labels)}"
    if not score.formula:
        return words
    where = "" if score.domain == "everywhere" else f", defined where {score.domain}"
    return f"{words} = {score.formula}{where}"


def methods(
    model_record: ModelRecord,
    ranking: xr.Dataset,
    what: str,
    evidence: str,
    versions: str,
    sections: Sequence[PageBlock] = (),
    stated: Sequence[Note] = (),
) -> tuple[str, list[str]]:
    facts = RankingRecord.of(ranking)
    model = _describe_model(model_record)
    sentences = [f"{evidence} were ranked by {what}{',' if model and ',' in what else ''}{model}."]
    ledger = Ledger.from_attrs(ranking.attrs)
    if ledger is not None:
        sentences.append(say(ledger.used_note()))
        sentences += [say(note) for note in ledger.run_notes()]
    if facts.evidence:
        sentences.append(facts.evidence)
    if model_record.words:
        words = " ".join(model_record.words.split())
        sentences.append(f"{words[:1].upper()}{words[1:]}".rstrip(".") + ".")
    sentences += [say(note) for note in [*notes_of(model_record.priors), *stated]]
    if is_exact(ranking):
        sentences.append(
            "The posterior of the score is known in closed form; medians, intervals, superiority, ranks and P(best) "
            "are computed from it by integration, without draws."
        )
        if facts.draws:
            sentences.append(f"Rank sets and tiers rest on {facts.draws:,} posterior draws.")
    elif facts.draws > 1:
        # Nothing is known of draws that the user made, not even that they are independent.
        sampler = SAMPLERS.get(model_record.sampler or "", "")
        sentences.append(f"Every one of {facts.draws:,} posterior draws{sampler} was ranked.")
    else:
        sentences.append("Single values were ranked, without draws: their uncertainty is unknown.")
    sentences.append(
        f"Intervals are equal-tailed and hold {facts.percent} of the posterior{_describe_sets(facts)}"
        f"{f'; probabilities of superiority ignore differences up to {facts.rope:g}' if facts.rope else ''}. "
        f"{nouns().capitalize()} are listed by tier, and then {ORDERS[order_name(ranking)]}{unobserved_last(ranking)}."
    )
    sentences += [block.methods for block in sections if block.methods]
    sentences.append(f"Computed with {versions}.")
    cited = [FOUNDATIONS] + [line for block in sections for line in block.references]
    cited += references_of(model_record.model)
    cited += [SAMPLER] * (model_record.sampler == "nuts")
    cited += [RHAT] * any(note.code == "chains_converged" for note in stated)
    cited += [CONFIDENCE, WINNER] * (facts.sets in ("confidence", "posterior"))
    return " ".join(sentences), cited


def facts_of_methods(page: Page, performance: xr.DataArray | None) -> list[Note]:
    """Return what readers of a paper must know: target, prevalence, reference standard, ranks and convergence."""
    record, result = page.about, list[Note]()
    if record.over_datasets:
        ranked = {"kind": page.kind or record.kind, "typical": record.typical or ""}
        result.append(Note("ranked_performance", ranked))
        of_model = notes_of(page.posterior.attrs.get("notes", ""))
        result += [
            note for note in of_model if note.code in ("design_complete", "design_incomplete")
        ]
        result += _facts_of_cases(page.counts)
    if performance is not None and "actual" in performance.dims:
        depends = page.facts.depends_on_prevalence is not False
        if record.prevalence is not None or not depends:
            result.append(
                Note("prevalence_source", {"source": record.assumed_prevalence, "depends": depends})
            )
        if record.model is not None:
            result.append(Note("reference_standard", {"known": takes_truth_as_known(record.model)}))
    if page.facts.sets == "none":
        result.append(Note("ranks_withheld"))
    if record.sampler != "exact" and page.posterior.group("sample_stats") is not None:
        run, sizes = sampling(page.posterior, page.found.values), page.found.values.sizes
        chains: dict[str, Any] = {"chains": sizes.get("chain", 1), "draws": sizes.get("draw", 1)}
        chains |= {"rhat": run["rhat"], "ess": run["ess_bulk"], "divergences": run["divergences"]}
        result.append(Note("chains_converged", chains))
    return result


def _facts_of_cases(counts: xr.DataArray | None) -> list[Note]:
    """Return on how many data sets entities were measured, where their cases differ, and what is assumed of errors."""
    if (
        counts is None
        or not {"dataset", "actual", "predicted"} <= set(counts.dims)
        or counts.sizes["entity"] < 2
    ):
        return []
    sizes = counts.sum("predicted").transpose("dataset", "entity", "actual").values
    measured = sizes.sum(-1) > 0
    shared, entities_each = measured.sum(1) > 1, measured.sum(0)
    if not shared.any():
        return []
    least, most = np.where(measured[..., None], sizes, np.inf).min(1), sizes.max(1)
    unequal = int((shared & (least < most).any(1)).sum())
    facts = []
    if np.ptp(entities_each):
        facts.append(
            Note(
                "datasets_of_each",
                {"fewest": int(entities_each.min()), "most": int(entities_each.max())},
            )
        )
    if unequal:
        facts.append(Note("unequal_cases", {"unequal": unequal, "shared": int(shared.sum())}))
    return [*facts, Note("answers_independent")]


def _describe_sets(facts: RankingRecord) -> str:
    """Say what ranks and tiers rest on."""
    if facts.sets not in ("confidence", "posterior"):
        return ""
    return (
        f"; rank sets order all pairs at once at {facts.percent}. Tier 1 contains the {nouns()} that could be best, "
        f"also at {facts.percent}, with an error of its own; tier 2 contains the remaining "
        f"{nouns()} that no other remaining {noun()} is surely above"
    )


def _describe_model(model_record: ModelRecord) -> str:
    if model_record.model is None:
        return ""
    parts = [model_record.model.replace("_", "-")]
    parts += ["chosen by the evidence"] * (model_record.model_chosen_by == "evidence")
    stated = {"prior": model_record.prior, "prevalence": model_record.prevalence}
    parts += [f"{name} {value}" for name, value in stated.items() if value]
    return f" with a Bayesian model: {', '.join(parts)}"
