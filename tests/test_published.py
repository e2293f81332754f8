"""Published counts of meta-analyses, and published answers: the models of today against both."""

from functools import cache

import numpy as np
import pytest
from scipy.special import expit

from tests.scripts import load_script


@pytest.fixture(scope="module")
def measure():
    """The script with the counts and the published values, which the documentation's numbers come from."""
    module = load_script("scripts/measure_published.py")
    module.likelihoods = cache(module.likelihoods)
    return module


def test_published_counts(measure):
    """Numbers of studies, tables, negatives and positives, as published."""
    found = {}
    for name in measure.FORMS:
        counts = measure.load(name)
        tables = counts.sum(("actual", "predicted")) > 0
        cases = counts.sum(("entity", "dataset", "predicted")).values.tolist()
        found[name] = (counts.sizes["dataset"], int(tables.sum()), *cases)
    assert found["dementia"] == (14, 14, 913, 436)
    assert found["iqcode"] == (13, 13, 1342, 1403)
    assert sum(found["iqcode"][2:]) == 2745
    assert found["hpv"][:2] == (17, 36)
    assert found["hpv, CC"][:2] == (9, 18)
    assert found["hpv, LBC"][:2] == (10, 20)
    assert found[measure.MISPRINT] == (10, 20, 9487, 972)
    assert found["ascus_hc2_repc"] == (10, 20, 9487, 982)
    assert set(
        measure.load("hpv").sel(entity="HC2").sum("predicted").min("dataset").values.tolist()
    ) == {16, 819}


def test_tests_of_a_study_have_different_numbers_of_people(measure, capsys):
    measure.print_totals()
    names = [line.split(" {")[0] for line in capsys.readouterr().out.splitlines()]
    assert names == [
        *(
            "Clavel C 2001",
            "Mahmud SM 2012",
            "Moy LM 2010",
            "Pan Q 2003",
            "Ronco G 2006",
            "Salmeron J 2003",
        ),
        "de Cremoux P 2003",
    ]


def test_maximum_likelihood_gives_the_published_bivariate_values(measure):
    """Logits of metandi, midas and metadta, and the summary of a Cochrane review."""
    logits, _ = measure.maximum_likelihood(measure.load("dementia"), False, "pair")
    np.testing.assert_allclose(logits, [[1.370958, 0.636762]], atol=0.002)
    logits, _ = measure.maximum_likelihood(measure.load("iqcode"), False, "pair")
    np.testing.assert_allclose(expit(logits), [[0.91, 0.66]], atol=0.005)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ascus_hc2_repc, 1 for 11", "hpv, CC", "hpv, LBC", "hpv"])
def test_maximum_likelihood_gives_the_published_values(measure, name):
    """Within the rounding of two decimals; the network within another 0.005."""
    theirs, _ = measure.likelihoods(name)
    names = measure.load(name)["entity"].values.tolist()
    published = [[value for value, *_ in measure.PUBLISHED[name, test]] for test in names]
    np.testing.assert_allclose(theirs, published, atol=0.005 + 0.005 * (name == "hpv"))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["dementia", "iqcode"])
def test_medians_agree_where_the_form_does(measure, name):
    draws = measure.rates_of(measure.fit(name)).isel(entity=0)
    [published] = [found for (data, _), found in measure.PUBLISHED.items() if data == name]
    for rate, (value, low, high) in zip(draws["rate"].values, published, strict=True):
        middle, lower, upper = measure.summary(draws.sel(rate=rate))
        assert middle == pytest.approx(value, abs=0.01)
        assert lower < low + 0.02
        assert upper > high - 0.02


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ascus_hc2_repc", "hpv, CC", "hpv, LBC", "hpv"])
def test_medians_agree_with_the_likelihood_of_our_form(measure, name):
    """Priors, and the median instead of the maximum, change rates by less than 0.015."""
    _, ours = measure.likelihoods(name)
    found = (
        measure.rates_of(measure.fit(name)).median(("chain", "draw")).transpose("entity", "rate")
    )
    np.testing.assert_allclose(found, ours, atol=0.015)


@pytest.mark.slow
def test_tests_are_compared_within_studies(measure):
    """Ratios of a published network of contrasts, from a network whose studies have different tests."""
    draws = measure.rates_of(measure.fit("hpv"))
    for (name, test), published in measure.CONTRASTS.items():
        ratio = draws.sel(entity="HC2") / draws.sel(entity=test)
        for rate, (value, *_) in zip(draws["rate"].values, published, strict=True):
            assert measure.summary(ratio.sel(rate=rate))[0] == pytest.approx(value, abs=0.02), (
                name,
                test,
                rate,
            )
