"""From a 2 x 2 table to a decision at a clinic: a prevalence that was estimated, and persons out of 1,000."""

import numpy as np
import pytest
from scipy import stats

import bayesrank as br
from tests.commands import csv_of, invoke, json_of, refused

COUNTS = br.from_counts(
    tn=[73, 76, 70], fp=[7, 4, 10], fn=[6, 9, 2], tp=[24, 21, 28], entity=["A", "B", "C"]
)
DRAWS = 4000


@pytest.fixture(scope="module")
def share():
    return br.performance.prevalence_draws(12, 600, seed=3)


@pytest.fixture(scope="module")
def posterior():
    return br.fit(COUNTS, "beta_binomial", prior=1, seed=1)


@pytest.fixture
def counts_file(tmp_path):
    path = tmp_path / "counts.csv"
    path.write_text("test,tn,fp,fn,tp\nA,73,7,6,24\nB,76,4,9,21\nC,70,10,2,28\n")
    return path


def test_an_estimated_prevalence_has_its_beta_posterior(share):
    assert stats.kstest(share.values.ravel(), stats.beta(12.5, 588.5).cdf).pvalue > 0.01
    assert share.attrs == {"estimate": "12/600"}
    assert share.dims == ("chain", "draw")


def test_a_longer_run_starts_with_a_shorter_one_and_evidence_decouples():
    short, long = (br.performance.prevalence_draws(1, 9, draws=n, seed=5) for n in (70, 1700))
    np.testing.assert_array_equal(short, long[:, :70])
    other = br.performance.prevalence_draws(2, 9, draws=70, seed=5)
    assert abs(np.corrcoef(short.values.ravel(), other.values.ravel())[0, 1]) < 5 / np.sqrt(280)


@pytest.mark.parametrize(
    ("positives", "cases"), [(13, 12), (-1, 12), (0, 0), (1.5, 3), ("1", 3), (True, 3)]
)
def test_samples_that_cannot_be_are_refused(positives, cases):
    with pytest.raises((ValueError, TypeError), match=r"positives|cases"):
        br.performance.prevalence_draws(positives, cases)


def test_expected_persons_are_products_of_posterior_means(posterior, share):
    """Under a uniform prior the TPR of C is Beta(29, 3); it is independent of the prevalence."""
    found = br.decisions.natural_frequencies(posterior, prevalence=share)
    tpr, fpr, pi = 29 / 32, 11 / 82, 12.5 / 601
    wanted = 1000 * np.array([pi * tpr, pi * (1 - tpr), (1 - pi) * fpr, (1 - pi) * (1 - fpr)])
    error = 5 * 1000 * np.array([0.006, 0.002, 0.038, 0.038]) / np.sqrt(DRAWS)
    assert (np.abs(found["mean"].sel(entity="C").values - wanted) < error).all()
    np.testing.assert_allclose(found["mean"].sum("outcome"), 1000)
    assert found["outcome"].values.tolist() == ["tp", "fn", "fp", "tn"]
    assert (found.attrs["persons"], found.attrs["prevalence"]) == (1000, "12/600")


def test_the_predictive_value_has_the_distribution_that_quadrature_gives(posterior, share):
    """P(PPV < x) is a double integral over the prevalence and the TPR of a Beta distribution function of the FPR."""
    found = br.decisions.natural_frequencies(posterior, prevalence=share)
    middles = (np.arange(400) + 0.5) / 400
    tpr, pi = np.meshgrid(stats.beta(29, 3).ppf(middles), stats.beta(12.5, 588.5).ppf(middles))
    for end, level in (("_lower", 0.025), ("", 0.5), ("_upper", 0.975)):
        x = float(found[f"ppv{end}"].sel(entity="C"))
        exact = stats.beta(11, 71).sf(pi * tpr * (1 - x) / (x * (1 - pi))).mean()
        assert abs(exact - level) < 5 * np.sqrt(level * (1 - level) / DRAWS) + 1e-3


def test_a_wider_sample_gives_wider_intervals_and_a_certain_one_the_number(posterior):
    few, many = (
        br.decisions.natural_frequencies(
            posterior, prevalence=br.performance.prevalence_draws(n, 50 * n, seed=1)
        )
        for n in (2, 200_000)
    )
    fixed = br.decisions.natural_frequencies(posterior, prevalence=0.02)
    width = [
        float((one["upper"] - one["lower"]).sel(entity="A", outcome="tp"))
        for one in (few, many, fixed)
    ]
    assert width[0] > 3 * width[1]
    np.testing.assert_allclose(many["lower"], fixed["lower"], rtol=0.02)
    assert fixed.attrs["prevalence"] == 0.02


def test_observed_values_are_at_the_share_of_the_sample(posterior, share):
    for source, given in ((posterior, share), (br.fit(COUNTS, prevalence=share, seed=1), None)):
        table = br.score_table(source, ["ppv", "LR+"], prevalence=given)
        assert float(table["observed"].sel(entity="A", score="ppv")) == pytest.approx(
            0.02 * 0.8 / (0.02 * 0.8 + 0.98 * 7 / 80)
        )
        assert float(
            table["observed"].sel(entity="A", score="positive_likelihood_ratio")
        ) == pytest.approx(0.8 * 80 / 7)


def test_the_source_of_the_prevalence_is_said(share):
    posterior = br.fit(COUNTS, prevalence=share, seed=1)
    moved = br.at_prevalence(br.fit(COUNTS, seed=1), share)
    for one in (posterior, moved):
        assert one["posterior"].attrs["prevalence"] == "12/600"
        words = " ".join(br.verdict(br.credible_ranking(one, "ppv")))
        assert "which was estimated from a sample (12 of 600 cases were positive)" in words
    html = br.ranking_report(posterior, "ppv", sections=["rates"])
    assert "a prevalence estimated from 12 positives of 600 cases" in html
    assert "no other was stated" not in html


def test_command_and_python_agree(counts_file):
    words = (counts_file, "--prevalence", "12/600", "--model", "beta_binomial")
    printed = csv_of("scores", *words, "--per", 500).reset_index().set_index(["entity", "outcome"])
    posterior = br.fit(br.from_counts(**{n: COUNTS.values[:, i, j] for n, i, j in CELLS}, entity=list("ABC")),
                       "beta_binomial", seed=1)  # fmt: skip
    share = br.performance.prevalence_draws(12, 600, seed=1)
    wanted = br.decisions.natural_frequencies(posterior, 500, prevalence=share).to_dataframe()
    for column in ("mean", "lower", "upper"):
        np.testing.assert_allclose(
            printed[column], wanted[column].reindex(printed.index), rtol=1e-9
        )
    ranked = json_of("rank", *words, "--score", "npv")["ranking"]
    own = br.credible_ranking(
        br.fit(COUNTS, "beta_binomial", prevalence=share, seed=1), "npv", method="auto"
    )
    assert {row["entity"]: row["median"] for row in ranked} == pytest.approx(
        own["median"].to_series().to_dict()
    )


CELLS = (("tn", 0, 0), ("fp", 0, 1), ("fn", 1, 0), ("tp", 1, 1))


def test_decide_tells_what_knowing_the_prevalence_is_worth(counts_file):
    benefit = ("--benefit", "tn=0,fp=-1,fn=-20,tp=0", "--notes")
    assert "Knowing only the prevalence would be worth" in invoke(
        "decide", counts_file, *benefit, "--prevalence", "12/600"
    )
    assert "Knowing only the prevalence" not in invoke(
        "decide", counts_file, *benefit, "--prevalence", "2%"
    )


@pytest.mark.parametrize("typed", ["600/12", "12/0", "/600", "1.5/600", "-1/600", "2%/600"])
def test_samples_that_are_mistyped_are_refused(typed, counts_file):
    assert "must be positives/cases, two whole numbers such as 12/600" in refused(
        "rank", counts_file, f"--prevalence={typed}"
    )


def test_persons_need_two_classes_and_no_score(counts_file):
    assert "cannot be used with --per" in refused("scores", counts_file, "--per", 1000, "-s", "f1")
    assert "two classes" in refused("scores", "mnist_folds", "--per", 1000, "--draws", 50)
    with pytest.raises(ValueError, match="persons"):
        br.decisions.natural_frequencies(COUNTS, 0)


def test_persons_come_with_their_notes(counts_file):
    """What limits a table of persons: the positive class, the prevalence, shared cases, and pooled studies."""
    printed = invoke("scores", counts_file, "--per", 1000, "--prevalence", "2%")
    assert "The rates are assumed to apply at the prevalence 0.02." in printed
    assert "Note: All tests met the same cases" in printed
    assert "which is not a ranking" in printed
    named = invoke("scores", "breast_cancer", "--per", 1000, "--draws", 50)
    assert "FN: malignant missed" in named
    assert "Note: The positive class is 'malignant', the negative one 'benign'." in named
    differ = invoke("scores", "small_studies", "--per", 1000, "--draws", 50)
    assert "Note: The prevalence differs between classifiers" in differ
    assert "Note: The prevalence differs" not in invoke(
        "scores", "small_studies", "--per", 1000, "--draws", 50, "--prevalence", "0.2"
    )
    pooled = "entity,dataset,tn,fp,fn,tp\nkit,u,90,10,5,45\nkit,v,60,40,25,25\n"
    for given in ((), ("--per", 1000)):
        printed = invoke(
            "scores", "-", *given, "--draws", 50, "--model", "dirichlet_multinomial", input=pooled
        )
        assert "Note: The 2 pooled data sets differ for kit" in printed, given


@pytest.mark.parametrize(
    ("classes", "missed", "alarm"),
    [
        (("benign", "malignant"), "FN: malignant missed", "FP: benign false alarm"),
        ((0, 1), "FN: class 1 missed", "FP: class 0 false alarm"),
        (("negative", "positive"), "FN: missed", "FP: false alarm"),
    ],
)
def test_the_class_of_a_cell_is_named_where_people_read_it(classes, missed, alarm):
    counts = br.from_counts(tn=[80, 70], fp=[20, 30], fn=[10, 20], tp=[90, 80], entity=["a", "b"])
    counts = counts.assign_coords(
        actual=list(classes), predicted=list(classes), positive=classes[1]
    )
    posterior = br.fit(counts, seed=1, draws=50)
    found = br.decisions.natural_frequencies(posterior)
    assert found["heading"].sel(outcome=["fn", "fp"]).values.tolist() == [missed, alarm]
    labels = [line.get_label() for line in br.plots.natural_frequencies(found).lines]
    assert {missed, alarm} <= set(labels)
    page = br.ranking_report(posterior, "f1", sections=["rates"])
    assert page.count(missed) >= 2  # in the ranking, and per 1,000 cases
    benefit = br.decisions.expected_utility(
        posterior, {"tn": 0, "fp": -1, "fn": -9, "tp": 0}
    ).attrs["benefit"]
    named = "" if classes[0] == "negative" else f" (FN: {classes[1]!r} called {classes[0]!r})"
    assert benefit == f"TN 0, FP -1, FN -9, TP 0{named}"


def test_the_picture_has_a_row_for_each_test_and_three_marks(posterior):
    found = br.decisions.natural_frequencies(posterior, prevalence=0.02, prob=0.9)
    ax = br.plots.natural_frequencies(found, top=2)
    assert [text.get_text() for text in ax.get_yticklabels()] == ["A", "B"]
    assert [line.get_label() for line in ax.lines] == [
        "TP: found", "FN: missed", "FP: false alarm"
    ]  # fmt: skip
    np.testing.assert_allclose(ax.lines[2].get_xdata(), found["mean"].sel(outcome="fp").values[:2])
    assert "of 1,000 tested persons, at prevalence 0.02 (mean and 90% interval)" in ax.get_xlabel()
    assert "1 more are not shown" in ax.get_xlabel()
