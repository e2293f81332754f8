"""Each kind of evidence has one type, which is parsed once; what depends on it is registered by the type."""

import ast
import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayesrank as br
from bayesrank._core.source import parse_source
from bayesrank.claims import information
from bayesrank.evidence import kinds
from bayesrank.evidence.kinds import given, swaps
from bayesrank.models.parts import defaults
from bayesrank.planning import updates
from tests.scripts import load_script
from tests.source import syntax

ANALYSES = load_script("scripts/golden_analyses.py")
RIGHT = ANALYSES.right()
TABLES = ANALYSES.counts()
#: The type of each kind of evidence, by how the names of its examples begin.
TYPES = {
    "counts datasets covariates groups classes right_wrong words grades_counted": kinds.TableEvidence,
    "outcomes_datasets groups_of_cases": kinds.TableEvidence,  # the model of several data sets sums their cases
    "predictions": kinds.TableEvidence,
    "joint outcomes seeds no_gold grades": kinds.CaseEvidence,
    "means": kinds.MeanEvidence,
    "folds": kinds.FoldEvidence,
    "probabilities": kinds.ProbabilityEvidence,
    "judged": kinds.JudgedEvidence,
    "votes": kinds.VoteEvidence,
    "rates draws": kinds.DrawsAlone,
}
STARTS = sorted(
    ((start, kind) for starts, kind in TYPES.items() for start in starts.split()),
    key=lambda x: -len(x[0]),
)


def parsed(posterior):
    return kinds.parse_evidence(parse_source(posterior))


@pytest.mark.filterwarnings("ignore:The chains")
@pytest.mark.parametrize("name", ANALYSES.KINDS)
def test_evidence_has_a_type(name):
    evidence = ANALYSES.KINDS[name]()
    options = {"draws": 20, "chains": 1, "seed": 1}
    posterior = evidence if name in ANALYSES.FITTED else br.fit(evidence, **options)
    assert type(parsed(posterior)) is next(kind for start, kind in STARTS if name.startswith(start))


def test_evidence_is_parsed_once():
    source = parse_source(br.fit(TABLES, draws=20, chains=1, seed=1))
    assert kinds.parse_evidence(source) is kinds.parse_evidence(source)


def test_entities_with_the_same_answers_are_found():
    posterior = br.fit(
        br.from_outcomes(RIGHT.assign(c=RIGHT["a"], d=RIGHT["b"])), draws=20, chains=1, seed=1
    )
    assert parsed(posterior).first_identical(np.array([1, 0, 2, 3])).tolist() == [0, 1, 1, 0]


@dataclass(frozen=True, eq=False)
class GradeEvidence(kinds.EvidenceKind):
    """Ordinal grades of essays, of which some readers agree up to one grade."""

    noun: ClassVar[str] = "grades"
    unit: ClassVar[str] = "graded essays"
    number: int
    adjacent: np.ndarray  #: Essays on which the reader is at most one grade off (entity).

    @classmethod
    def parse(cls, parts):
        if "grade" not in parts.observed:
            return None
        return cls(parts.observed.sizes["essay"], parts.observed["adjacent"].values)

    def needed(self, model):
        return self.unit

    def interchangeable(self, fitted):
        return swaps.groups_of(self.adjacent.tolist())


def weigh_grades(evidence, observed, score, found):
    """What a binomial number of essays is worth: few essays need the t distribution."""
    return replace(
        found, freedom=float(evidence.number - 1), observed=evidence.adjacent / evidence.number
    )


def variance_of_grades(evidence, observed, score, entities):
    share = evidence.adjacent / evidence.number
    return share * (1 - share) / evidence.number


WORTH = information.Worth(weigh_grades, variance_of_grades)


def grades(number=90, adjacent=(63, 67, 63)):
    share = np.array(adjacent) / number
    values = np.random.default_rng(1).normal(
        share, np.sqrt(share * (1 - share) / number), (2, 400, len(share))
    )
    draws = xr.Dataset(
        {"agreement": (("chain", "draw", "entity"), values)}, {"entity": list("abc")}
    )
    observed = {
        "grade": ("essay", np.arange(number) % 5),
        "adjacent": ("entity", np.array(adjacent)),
    }
    groups = {
        "posterior": draws.assign_attrs(model="grades"),
        "observed_data": xr.Dataset(observed, draws.coords),
    }
    return xr.DataTree.from_dict({name: group.drop_dims([]) for name, group in groups.items()})


@pytest.fixture
def registered(monkeypatch):
    monkeypatch.setattr(kinds, "_KINDS", [*kinds._KINDS])
    monkeypatch.setattr(given, "_GIVEN", [*given._GIVEN])
    monkeypatch.setattr(defaults, "_DEFAULTS", {**defaults._DEFAULTS})
    monkeypatch.setattr(updates, "_NEW_UNITS", {**updates._NEW_UNITS})
    monkeypatch.setattr(information, "_WORTH", {**information._WORTH})
    kinds.register_kind(GradeEvidence)


def test_another_kind_is_ranked_by_what_it_is_worth(registered):
    few = grades(15, (7, 12, 7))
    assert type(parsed(few)) is GradeEvidence
    assert br.credible_ranking(few, "agreement", higher_is_better=True).attrs["caps"] == [
        "draws_alone"
    ]
    information.register_worth(GradeEvidence, WORTH)
    ranking = br.credible_ranking(few, "agreement", higher_is_better=True)
    assert ranking[
        "in_best_set"
    ].all()  # the t distribution of 14 degrees of freedom: 2.02 standard deviations are not enough
    assert ranking.attrs["needed_evidence"] == "graded essays"
    equal = ranking.sel(entity=["a", "c"])  # entities with equal numbers have equal results
    for name in ("median", "lower", "expected_rank", "probability_best"):
        assert np.ptp(equal[name].values) == 0, name
    assert br.verdict(ranking)[0].startswith("b is ahead")


def test_each_operation_on_values_takes_another_kind(registered, tmp_path):
    information.register_worth(GradeEvidence, WORTH)
    posterior, better = grades(400, (280, 340, 280)), {"higher_is_better": True}
    ranking = br.credible_ranking(posterior, "agreement", **better)
    assert br.verdict(ranking)[0].startswith("b is best")
    assert json.loads(br.board(ranking))["entities"][0]["entity"] == "b"
    assert br.ranking_table(ranking).index[0] == "b"
    assert br.decisions.gate(posterior, "a", "agreement", **better).attrs["verdict"]
    assert br.top_set(posterior, "agreement", 1, **better)["in_confidence_set"].values.tolist() == [
        False,
        True,
        False,
    ]
    assert br.probability(posterior, "b > a", "agreement", **better)["probability"] > 0.99
    assert br.rank(posterior, "agreement", **better).dims[-1] == "entity"
    posterior.to_netcdf(tmp_path / "grades.nc")
    with xr.open_datatree(tmp_path / "grades.nc") as read:
        assert br.credible_ranking(read, "agreement", **better).equals(ranking)
    with pytest.raises(KeyError):
        br.plan(posterior, "agreement", true_scores="posterior", seed=1, **better)

    def add(evidence, source, request):
        units = np.full(len(source.keep), float(evidence.number))
        return source.normal(units, source.covariance, unit=evidence.unit)

    updates.register_updates(GradeEvidence, updates.NewUnits(add))
    plan = br.plan(posterior, "agreement", true_scores="posterior", seed=1, **better)
    assert plan.attrs["unit"] == "graded essays"


@dataclass(frozen=True, eq=False)
class GivenGrades(given.GivenEvidence):
    """Ordinal grades of essays as a user holds them."""

    noun: ClassVar[str] = "grades"
    form: ClassVar[str] = "grades"
    summary: ClassVar[bool] = True

    @classmethod
    def recognise(cls, evidence):
        return isinstance(evidence, xr.Dataset) and "grade" in evidence

    @property
    def space(self):
        return {"outcome": 2}


class Readers:
    """A model of grades: a binomial share of essays on which a reader is at most one grade off."""

    words: ClassVar[str] = "Readers agree up to one grade on an unknown share of essays."
    kind: ClassVar[str] = "observed"
    takes: ClassVar[str] = "grades"

    def __init__(self, evidence):
        self.evidence, self.settings = evidence, {}
        self.number, self.adjacent = evidence.sizes["essay"], evidence["adjacent"].values

    def observed(self):
        return {"observed_data": self.evidence}

    def coords(self):
        return {"entity": self.evidence["entity"].values}

    def draw(self, group, block, root):
        rng = np.random.default_rng(root)
        size = (block.size, len(self.adjacent))
        drawn = rng.beta(self.adjacent + 0.5, self.number - self.adjacent + 0.5, size)
        return {"mean_outcome": xr.Variable(("draw", "entity"), drawn)}


def test_the_default_model_is_registered_by_kind(registered):
    evidence = grades()["observed_data"].to_dataset()
    given.register_given(GivenGrades)
    with pytest.raises(
        br.ArgumentError, match="model must be given for grades, which have no default model"
    ):
        br.fit(evidence)
    defaults.register_default(GivenGrades, defaults.always(Readers))
    information.register_worth(GradeEvidence, WORTH)
    posterior = br.fit(evidence, draws=400, chains=2, seed=1)
    assert type(parsed(posterior)) is GradeEvidence
    np.testing.assert_allclose(
        posterior["posterior"]["mean_outcome"].mean(("chain", "draw")), [0.7, 0.74, 0.7], atol=0.01
    )
    assert br.verdict(br.credible_ranking(posterior))[0].startswith("b is ahead")
    with pytest.raises(
        br.ArgumentError, match="must be Readers for grades, which hold neither counts nor cases"
    ):
        br.fit(evidence, "paired")
    with pytest.raises(br.ArgumentError, match="grades have one model and one prior"):
        br.sensitivity(evidence)


#: Folders and files in which nothing asks which kind of evidence it holds.
TYPED = (
    *(
        "planning",
        "claims",
        "ranking",
        "decisions",
        "statements",
        "tile",
        "ops",
        "theory",
        "comparisons",
        "plots",
    ),
    *(
        "report",
        "words",
        "scores",
        "performance",
        "exact",
        "predictive",
        "cases",
        "sensitivities",
        "integrations",
    ),
    *("cli", "papers", "analysis", "inference.py", "inspection.py"),
)
#: Variables of evidence that tell the kind.
TELLING = re.compile(
    r"^(wins|ties|seed_mean|fold_score|standard_error|judge_vote|judged_\w+|pattern_\w+)$"
)
#: Types of evidence, of a posterior and as users hold it; all kinds have RankingEvidence.
TYPE = re.compile(r"^((?!Ranking)\w+Evidence|Given[A-Z]\w+)$")


def parts_asked(node):
    """What a comparison, a look-up, or a call asks for."""
    match node:
        case ast.Compare():
            return [node.left, *node.comparators]
        case ast.Subscript(value=ast.Name(id="Sequence" | "list")):
            return []  # a type
        case ast.Subscript():
            return [node.slice]
        case ast.Call():
            return node.args
        case ast.Match():
            return [one.pattern for one in node.cases]
    return []


def questions(tree):
    """The lines that look up or compare what tells the kind of evidence."""
    for node in ast.walk(tree):
        inside = [each for part in parts_asked(node) for each in ast.walk(part)]
        texts = [
            x.value for x in inside if isinstance(x, ast.Constant) and isinstance(x.value, str)
        ]
        named = [x.id for x in inside if isinstance(x, ast.Name) and TYPE.match(x.id)]
        asked = not isinstance(node, ast.Call) or getattr(node.func, "id", "") in (
            "isinstance",
            "hasattr",
            "getattr",
        )
        if (texts and any(map(TELLING.match, texts)) and not made(node)) or (asked and named):
            yield node.lineno


def made(node):
    """Whether a call makes a Dataset of its own, whose variables are no question."""
    return isinstance(node, ast.Call) and any(
        isinstance(x, ast.Dict) for part in node.args for x in ast.walk(part)
    )


@pytest.mark.parametrize("place", TYPED)
def test_nothing_asks_for_the_kind(place):
    root = Path(br.__file__).parent / place
    asked = {
        f"{path.name}:{line}"
        for path in ([root] if root.suffix else root.rglob("*.py"))
        for line in questions(syntax(path))
    }
    assert asked == set()


def test_questions_are_found():
    for text in (
        '"wins" in observed',
        'observed["judged_truth"]',
        "isinstance(x, VoteEvidence)",
        'd.get("ties")',
        "type(given) is GivenVotes",
        '"fold_score" not in evidence',
        "match x:\n case VoteEvidence():\n  pass",
    ):
        assert list(questions(ast.parse(text))), text
    for text in ("register(VoteEvidence, update_votes)", 'fit(xr.Dataset({"fold_score": points}))'):
        assert not list(questions(ast.parse(text))), text


def judged_on_datasets():
    """Ten cases of z with nine labels, then six of y with three: data sets are not in the order of their names."""
    names = ["z"] * 10 + ["y"] * 6
    truth = [1, 0, 1, 1, 0, 1, 1, 0, 1, None, 1, 0, 1, None, None, None]
    frame = pd.DataFrame({"case": range(16), "d": names, "truth": truth, "judge": [1, 0] * 8})
    rows = pd.concat([frame.assign(system=name) for name in "ab"])
    return br.from_judged(
        rows, judge="judge", truth="truth", entity="system", case="case", dataset="d"
    )


def test_the_labels_of_a_data_set_are_its_own():
    posterior = br.fit(judged_on_datasets(), draws=20, chains=1, seed=1)
    evidence = parsed(posterior)
    for name, cases, labels in (("z", 10, 9), ("y", 6, 3)):
        here = evidence.on(name)
        assert here.number_of_labels.tolist() == [labels, labels]
        assert here.count.sum() == cases
        known = (here.truth >= 0) & np.ones_like(here.verdict, bool)
        assert (here.count @ known).tolist() == [labels, labels]
