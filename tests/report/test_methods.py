"""The paragraph on methods: what readers of a paper must know, from recorded facts."""

import csv
import re
from pathlib import Path

import numpy as np
import pymc as pm
import pytest

import bayesrank as br
from bayesrank.models import crossed_logit_normal, make_model, references_of, takes_truth_as_known
from bayesrank.report import methods as paragraph
from bayesrank.words.sentences import logs, methods, models, say, sentences
from tests.report.test_sections import text_of

TABLE = Path(__file__).parents[2] / "docs" / "howto" / "tables" / "reporting_1.csv"
COUNTS = br.from_counts(tn=[73, 76], fp=[7, 4], fn=[6, 9], tp=[24, 21], entity=["A", "B"])
STUDIES = br.from_counts(
    tn=[45, 38, 90, 27, 60, 44], fp=[5, 12, 10, 3, 40, 6], fn=[4, 9, 2, 3, 1, 12], tp=[16, 11, 28, 7, 19, 8],
    entity=["A"] * 3 + ["B"] * 3, dataset=["Oslo", "Rome", "Lima"] * 2,
)  # fmt: skip


def paste(posterior, score="f1"):
    text = text_of(br.ranking_report(posterior, score, sections=[]))
    return text[text.index("Methods to paste") :]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            0.02,
            "The prevalence was set to 0.02 by the authors, without uncertainty (state its source here).",
        ),
        ("observed", "The prevalence is that of the cases, assumed to be fixed by design."),
        ("sampled", "The prevalence was learned from the class sizes"),
        (
            br.performance.prevalence_draws(3, 90, draws=50, seed=1),
            "(3 positives of 90 cases, Jeffreys' prior)",
        ),
    ],
)
def test_the_source_of_the_prevalence_is_in_the_paragraph(given, words):
    posterior = br.fit(COUNTS, prevalence=given, draws=50, seed=1)
    assert words in paste(posterior)
    assert "The score does not depend on the prevalence." in paste(posterior, "tpr")
    assert words not in paste(posterior, "tpr")


def test_a_network_says_how_its_tests_are_compared():
    """Which tests met which studies, studies with other numbers of people, and errors of tests on the same people."""
    counts = br.from_counts(
        tn=[45, 38, 90, 27, 60, 44, 40], fp=[5, 12, 10, 3, 40, 6, 20], fn=[4, 9, 2, 3, 1, 12, 2],
        tp=[16, 11, 28, 7, 19, 8, 9], entity=list("AABBBCC"), dataset=["x", "y", "x", "y", "z", "x", "z"],
    )  # fmt: skip
    posterior = br.fit(counts, "crossed_logit_normal", prevalence=0.02, draws=50, chains=1, seed=1)
    text = paste(posterior, "informedness")
    for words in (
        "each of 2 orthogonal contrasts between them has a normal prior around 0 with standard deviation 2",
        "The design is connected: 2 of 9 results are missing.",
        "Each entity was measured on 2 to 3 data sets.",
        "In 3 of 3 data sets with several entities, the entities have different numbers of cases.",
        "answers of different entities to the same case are assumed to be independent",
    ):
        assert words in text, words
    methods = text[text.rindex("Methods to paste") :]
    assert methods.count("Entities are compared within data sets") == 1
    with_rates = text_of(br.ranking_report(posterior, "informedness", sections=["rates"]))
    assert (
        "Numbers per 1,000 cases are at a prevalence of 2%, set by the authors (state its source"
        in with_rates
    )
    assert "Numbers per 1,000 cases are" not in text_of(
        br.ranking_report(posterior, "f1", sections=["rates"])
    )
    alone = paste(
        br.fit(counts.isel(entity=[1]), "hierarchical_logit_normal", draws=50, chains=1, seed=1),
        "tpr",
    )
    assert "numbers of cases" not in alone
    assert "assumed to be independent" not in alone


def test_the_truth_is_free_of_error_unless_the_model_doubts_it():
    known = "The reference standard is assumed to be free of error."
    doubted = "Errors or gaps of the reference standard are part of the model."
    assert known in paste(br.fit(COUNTS, draws=50, seed=1))
    scans = br.fit(br.datasets.load("hepatic_scans"), draws=50, seed=1)
    assert (doubted in paste(scans, "tpr"), known in paste(scans, "tpr")) == (True, False)
    assert [takes_truth_as_known(name) for name in ("paired", "latent_class", "partial_truth")] == [
        True,
        False,
        False,
    ]


def test_stated_priors_are_those_of_the_models():
    [rates, shares] = make_model("dirichlet_multinomial", COUNTS, {"prior": 0.5}).priors()
    assert say(rates) == "The rate of right answers of each class has the prior Beta(0.5, 0.5)."
    assert (
        say(shares)
        == "The class shares have a Dirichlet prior with the concentration 1 for each class."
    )
    three = br.from_matrix(np.full((3, 3), 9), "actual_rows")
    words = [say(note) for note in make_model("dirichlet_multinomial", three, {}).priors()]
    assert "concentration 0.167 for the right answer and 0.0833 for each other one" in words[0]
    uneven = make_model("beta_binomial", COUNTS, {"prior": [[1, 2], [3, 4]]}).priors()
    assert [say(note) for note in uneven] == [
        "The answers have Dirichlet priors with the supplied concentrations."
    ]


def test_the_graph_has_the_priors_that_are_stated():
    """Draws of the PyMC graph have the quantiles of the distributions that the sentences name."""
    model = make_model("crossed_logit_normal", STUDIES, {"spread": 0.7})
    words = " ".join(say(note) for note in model.priors())
    scales = (
        "scale 1.4 for the difficulty of data sets and scale 0.7 for the deviations of entities"
    )
    for part in ("the prior Beta(0.5, 0.5)", "standard deviation 2.", scales, "2 Beta(2, 2) − 1"):
        assert part in words
    names = [
        "median_right",
        "contrasts",
        "sd_of_difficulty",
        "half_of_deviations",
        "mean_prevalence",
    ]
    graph = br.to_pymc(STUDIES, "crossed_logit_normal", spread=0.7)
    drawn = pm.draw([graph[name] for name in names], draws=4000, random_seed=1, mode="FAST_COMPILE")
    mean = [float(np.mean(part)) for part in drawn]
    assert mean[0] == pytest.approx(0.5, abs=0.02)  # Beta(1/2, 1/2)
    assert float(np.var(drawn[0])) == pytest.approx(1 / 8, abs=0.007)
    # Two contrasts that sum to zero are ±c; each has half of the variance.
    assert float(np.var(drawn[1])) == pytest.approx(4 / 2, abs=0.15)
    assert mean[2] == pytest.approx(1.4 * np.sqrt(2 / np.pi), abs=0.04)
    assert float(np.var(drawn[3])) == pytest.approx(1 / 20, abs=0.004)  # Beta(2, 2)
    [shares] = [note for note in model.priors() if note.code == "prior_of_shares"]
    a = shares.fields["each"]
    assert float(np.var(drawn[4])) == pytest.approx(1 / (4 * (2 * a + 1)), abs=0.01)


def test_covariates_and_new_data_sets_are_stated():
    counts = STUDIES.assign_coords(year=("dataset", [1.0, 2.0, 5.0]))
    model = make_model("crossed_logit_normal", counts, {"covariates": ["year"], "at": {"year": 3}})
    assert "Typical data sets are predicted at year = 3." in " ".join(map(say, model.priors()))
    posterior = br.fit(STUDIES, "hierarchical_beta_binomial", draws=100, seed=1)
    assert "Scores are those of a typical data set: the mean rates over data sets." in paste(
        posterior
    )
    text = text_of(br.ranking_report(posterior, "f1", kind="new", sections=[]))
    assert "Scores are those of one more data set of the population" in text


@pytest.mark.slow
def test_a_meta_analysis_says_what_a_reviewer_asks_for():
    posterior = br.fit(br.datasets.load("ascus_hc2_repc"), prevalence=0.1, seed=1)
    text = paste(posterior, "informedness")
    for words in (
        "The standard deviations, in logits, have half-normal priors, with scale 2 for the difficulty of data sets",
        "which meta-analyses call the summary point", "the largest R-hat of the score is", "Reitsma", "Mundlak",
        "Chu and Cole", "Vehtari",
    ):  # fmt: skip
        assert words in text, words


def test_the_checklist_quotes_sentences_that_exist():
    with TABLE.open(encoding="utf-8", newline="") as file:
        cells = [row[-1] for row in list(csv.reader(file))[1:]]
    quoted = [words for cell in cells for words in re.findall(r'"([^"]+)"', cell)]
    assert len(quoted) > 12
    said = [texts_in(module) for module in (methods, models, logs, paragraph, crossed_logit_normal)]
    missing = [words for words in quoted if not any(words in text for text in said)]
    assert not missing


def texts_in(module):
    """The source of a module, with the parts of its texts joined."""
    text = " ".join(re.sub(r'"\s+f?"', "", Path(module.__file__).read_text("utf-8")).split())
    return (
        text.replace("{nouns()}", "entities")
        .replace("{noun()}", "entity")
        .replace("{a_noun()}", "an entity")
    )


def test_references_fit_the_model():
    assert any("Reitsma" in line for line in references_of("hierarchical_logit_normal"))
    assert not any("Reitsma" in line for line in references_of("beta_binomial"))
    assert {"prevalence_source", "reference_standard", "chains_converged"} <= set(sentences())


@pytest.mark.parametrize(("order", "words"), [
    ("consensus", "in the consensus order: of all orders"),
    ("predictive", "by the score of the posterior mean performance."),
])  # fmt: skip
def test_methods_name_the_order_of_the_list(order, words):
    counts = br.from_counts(
        tp=[0, 1, 30], fn=[1, 3, 70], tn=[9] * 3, fp=[1] * 3, entity=["A", "B", "C"]
    )
    posterior = br.fit(counts, "beta_binomial", seed=1, draws=50)
    ranking = br.credible_ranking(posterior, "tpr", order=order)
    page = br.ranking_report(posterior, "tpr", ranking=ranking)
    assert f"Entities are listed by tier, and then {words}" in text_of(page)
