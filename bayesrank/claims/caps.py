"""The caps: reasons that limit what a ranking may claim. Each cap is one entry of one table.

Rankings, plans, gates and decisions raise a cap as a note with the code of its entry. Verdicts,
boards and pages read the entry: what the cap limits, why, and what would lift it. A new cap is one
entry here.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from bayesrank._core import prose
from bayesrank._core.errors import ArgumentError
from bayesrank._core.notes import Note
from bayesrank._core.nouns import a_noun, noun, nouns

__all__ = ["CAPS", "Cap", "Limit", "cap_of", "check_caps", "is_limited"]

#: A sentence on a cap lists this many names.
NAMED = 3
#: Ends the sentences on how much evidence would lift a cap.
BEFORE = "before any {noun} can be ruled out."


class Limit(Enum):
    """What a cap limits, from the least to the most."""

    POPULATION = "an entity may be best of the evidence seen, not of other evidence like it"
    HEADLINE = "no entity is called best"
    SETS = "every rank is possible, and no entity is called best"
    ALL = "there is no ranking"


@dataclass(frozen=True)
class Cap:
    """One reason that limits a claim.

    The texts are templates of the fields of the note, and of ``noun``, ``nouns`` and ``a_noun``,
    the word for an entity. ``why`` continues "A leads, but ..."; it and ``lift`` may also use
    ``leader``, ``score`` and ``rivals``, and ``why`` the ``claim`` that failed. ``lift`` is a
    sentence, empty if nothing but more evidence lifts the cap. ``sentence`` is the note; if it is
    empty, the function with the name of the code in ``bayesrank.words.sentences`` makes it.
    """

    code: str
    limit: Limit
    why: str
    lift: str = ""
    sentence: str = ""
    #: Whether a number of further cases may be printed beside the cap.
    allows_numbers: bool = False

    def fill(self, template: str, fields: Mapping[str, Any], **context: str) -> str:
        """Return one of the templates with the fields of a note, and the word for an entity."""
        words = {"noun": noun(), "nouns": nouns(), "a_noun": a_noun()}
        return template.format(
            **{name: _Field(value) for name, value in {**words, **fields, **context}.items()}
        )


class _Field:
    """A field of a note in a template: lists are names, and ``{unit:plural}`` is a plural."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __format__(self, spec: str) -> str:
        if isinstance(self.value, list | tuple):
            return prose.few_names([str(name) for name in self.value], NAMED)
        return prose.plural(self.value) if spec == "plural" else format(self.value, spec)


_ENTRIES = (
    Cap(
        "pooled_datasets",
        Limit.POPULATION,
        why="",
        sentence="Ranks, tiers and probabilities are for these {datasets} {unit:plural} together; nothing is claimed "
        "about other {unit:plural} like these.",
        allows_numbers=True,
    ),
    Cap(
        "probability_below",
        Limit.HEADLINE,
        why="{claim} below {prob:g}",
        allows_numbers=True,
    ),
    Cap(
        "not_identified",
        Limit.ALL,
        why="the cases do not identify the parameters of the model",
    ),
    Cap(
        "clusters_too_few",
        Limit.SETS,
        why="{clusters:.2g} effective {unit} are too few to rule out {rivals}",
        lift=f"At least {{enough}} effective {{unit}} instead of {{clusters:.2g}} are needed {BEFORE}",
        sentence="Every rank is possible: rank sets need {enough} effective {unit}, and there are {clusters:.2g}. "
        "More {unit} of about equal size would help; more data from the same {unit} would not.",
    ),
    Cap(
        "cases_too_few",
        Limit.SETS,
        why="fewer than {enough} cases are too few to rule out {rivals}",
        lift=f"At least {{enough}} cases instead of {{cases:g}} are needed {BEFORE}",
        sentence="Every rank is possible: without a prior, rank sets need {enough} cases, and there are {cases:g}.",
    ),
    Cap(
        "cases_of_class_too_few",
        Limit.SETS,
        why="with fewer than {enough} cases of a class or data set, no {noun} can be ruled out",
        lift=f"At least {{enough}} cases of each class and data set are needed {BEFORE}",
        sentence="Every rank is possible: rank sets need {enough} cases of each class in each data set of the mean.",
    ),
    Cap(
        "datasets_too_few",
        Limit.SETS,
        why="{datasets} data sets are too few to rule out {rivals}",
        lift=f"At least {{enough}} data sets instead of {{datasets}} are needed {BEFORE}",
        sentence="Every rank is possible: rank sets over data sets like these need {enough} of them, and there are "
        "{datasets}.",
    ),
    Cap(
        "seeds_too_few",
        Limit.SETS,
        why="{seeds} training seeds are too few to rule out {rivals}",
        lift="At least {enough} training seeds of each {noun} are needed before any can be ruled out.",
        sentence="Every rank is possible: over retrained models, rank sets need {enough} training seeds of each "
        "{noun}, and there are {seeds}.",
    ),
    Cap(
        "one_run_of_folds",
        Limit.SETS,
        why="one run of cross-validation cannot rule out {rivals}",
        lift=f"Repeats with other splits (a column repeat), or more data sets, are needed {BEFORE}",
        sentence="Every rank is possible: one run of cross-validation does not show how much scores of learners vary. "
        "Repeat it with other splits (a column repeat), or add data sets (a column dataset).",
    ),
    Cap(
        "means_without_n",
        Limit.SETS,
        why="means without numbers of cases cannot rule out {rivals}",
        lift=f"The numbers of cases behind the means (column n) are needed {BEFORE}",
        sentence="Every rank is possible: standard errors of few cases are themselves uncertain, and the numbers of "
        "cases are not known. Add them as the column n.",
    ),
    Cap(
        "sets_need_draws",
        Limit.SETS,
        why="integrals alone cannot rule out {rivals} (method='auto' computes rank sets from draws)",
        lift=f"Draws (method='auto') are needed {BEFORE}",
        sentence="Every rank is possible, since rank sets need draws (method='auto' has draws and exact "
        "probabilities).",
    ),
    Cap(
        "not_measured",
        Limit.SETS,
        why="rank sets for {what} are not justified",
        lift="No number of cases lifts this limit: the error rate of rank sets for {what} is not known.",
        sentence="Every rank is possible: the error rate of rank sets for {what} was not measured.",
    ),
    Cap(
        "groups_unequal",
        Limit.SETS,
        why="the sizes of a {unit} differ too much between {nouns} to rule out {rivals}",
        sentence="Every rank is possible: one {noun} has {ratio:.2g} times as many cases of a {unit} as another. With "
        "few cases, chance makes gaps larger, so equal {nouns} with unequal numbers often look different.",
    ),
    Cap(
        "prevalences_differ",
        Limit.HEADLINE,
        why="the test sets differ in prevalence, on which {score} depends",
        lift="A comparison at one prevalence (prevalence=, --prevalence), or by TPR and TNR separately, is needed "
        "first, not more cases.",
    ),
    Cap(
        "chains_unreliable",
        Limit.HEADLINE,
        why="the chains did not converge",
        lift="Longer chains (draws=, tune=) are needed first, not more cases.",
    ),
    Cap(
        "differences_skewed",
        Limit.HEADLINE,
        why="a few extreme differences decide the comparison with {entities}",
        lift="More cases, or a known range of the outcomes (range=), are needed before the mean difference from "
        "{entities} can be judged.",
        sentence="The mean difference between the leader and {entities} depends on a few extreme values: it is too "
        "skewed for so few units. Confidence statements then fail too often.",
    ),
    Cap(
        "draws_alone",
        Limit.HEADLINE,
        why="draws without their evidence cannot rule out {rivals} for fixed true scores",
        lift="The counts or outcomes behind the draws (evidence=) are needed before any {noun} is called best.",
        sentence="Draws without evidence carry no promise for fixed true scores: the possible ranks are a summary of "
        "the posterior. Pass the counts or outcomes behind the draws (evidence=), or add counts over entity to the "
        "group observed_data.",
    ),
    Cap(
        "draws_too_narrow",
        Limit.HEADLINE,
        why="the draws vary less than the evidence allows",
        lift="Draws that vary as much as the evidence allows are needed first, not more cases.",
        sentence="The difference between {one} and {other} varies {percent:.0f}% as much in the draws as in the "
        "default model of the same evidence. So the draws carry no promise for fixed true scores.",
    ),
    Cap(
        "runs_differ",
        Limit.HEADLINE,
        why="runs of {entity} differ more than their cases allow",
        sentence="The means of {runs} runs of {entity} lie between {low:.3f} and {high:.3f}, further apart than their "
        "cases explain (p = {p:.1g}). If runs are retrained models, name their column as training seeds "
        "(training_seed=, --training-seed).",
    ),
    Cap(
        "easy_datasets_credited",
        Limit.HEADLINE,
        why="data sets are missing for {lacking}, and they may be the hard ones",
    ),
    Cap(
        "observed_undefined",
        Limit.HEADLINE,
        why="the observed {score} of {leader} is undefined",
        lift="Cases on which the {score} of {leader} is defined are needed.",
        sentence="The observed score of the leader is undefined: its rank comes from the prior alone.",
    ),
    Cap(
        "rivals_undefined",
        Limit.HEADLINE,
        why="without a prior the {score} of {entities} is undefined",
        lift="A prior (prior='jeffreys', --prior jeffreys) is needed first, not more cases.",
        sentence="{entities} could be better than the leader: without a prior the score is undefined.",
    ),
    Cap(
        "model_contradicted",
        Limit.HEADLINE,
        why="the prior or the model contradicts the data",
        lift="Another prior or model is needed first, not more cases.",
        sentence="An observed value of {a_noun} that could be best is outside its interval, so no {noun} is called "
        "best.",
    ),
    Cap(
        "pairs_unconnected",
        Limit.HEADLINE,
        why="{leader} shares no data set or case with {entities}",
        lift="Cases or data sets that {leader} shares with its rivals are needed.",
        sentence="The leader shares no data set or case with {entities}: the comparison includes differences between "
        "the data sets.",
    ),
    Cap(
        "pools_unconnected",
        Limit.HEADLINE,
        why="no chain of votes connects {leader} with {entities}",
        lift="Votes that connect {leader} with its rivals are needed.",
        sentence="No chain of votes connects the leader with {entities}: they cannot be compared.",
    ),
    Cap(
        "latent_fit_poor",
        Limit.HEADLINE,
        why="the dependence of the tests in the model contradicts the data",
    ),
    Cap(
        "latent_fit_unchecked",
        Limit.HEADLINE,
        why="the cases cannot show how the errors of the tests depend on each other",
    ),
    Cap(
        "latent_first_depends",
        Limit.HEADLINE,
        why="another dependence of the tests, which fits no worse, puts another test first",
    ),
)
#: The entry of each code.
CAPS: Mapping[str, Cap] = {entry.code: entry for entry in _ENTRIES}


def cap_of(note: Note) -> Cap:
    """Return the entry of a note that is a cap."""
    return CAPS[note.code]


def check_caps(notes: Iterable[Note]) -> list[Note]:
    """Return notes that are caps, one of each code."""
    caps: dict[str, Note] = {}
    for note in notes:
        if note.code not in CAPS:
            raise ArgumentError(
                "caps", "must have an entry in bayesrank/claims/caps.py", repr(note.code)
            )
        caps.setdefault(note.code, note)
    return list(caps.values())


def is_limited(caps: Iterable[Note], limit: Limit) -> bool:
    """Return whether a cap limits a claim at least as much as ``limit``."""
    order = list(Limit)
    return any(order.index(cap_of(note).limit) >= order.index(limit) for note in caps)
