"""Truth known in part: judged outcomes and partial verification."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy.stats import chisquare

import bayesrank as br
from bayesrank._core.source import groups_of
from tests.commands import csv_of

TEST = [1] * 429 + [0] * 221
DISEASE = [1] * 231 + [0] * 32 + [None] * 166 + [1] * 27 + [0] * 54 + [None] * 140
#: Cases of agents: truth, verdicts of three judges, number.
FAULTS = [
    (0, "000", 66), (0, "001", 1), (0, "100", 33), (1, "000", 23), (1, "001", 35), (1, "011", 58),
    (1, "100", 18), (1, "101", 24), (1, "110", 5), (1, "111", 137),
]  # fmt: skip


def board(seed=0, cases=400, labels=80):
    """Return judged answers in long form: the judge calls right answers right, and some wrong ones too."""
    rng = np.random.default_rng(seed)
    rows, known = [], rng.permutation(cases) < labels
    for name, rate in (("a", 0.9), ("b", 0.6)):
        right = rng.random(cases) < rate
        verdict = (rng.random(cases) < np.where(right, 0.95, 0.3)).astype(int)
        human = np.where(known, right.astype(float), np.nan)
        rows.append(
            pd.DataFrame({"system": name, "case": range(cases), "gpt": verdict, "human": human})
        )
    return pd.concat(rows, ignore_index=True)


def of_board(frame, **more):
    return br.from_judged(frame, judge="gpt", truth="human", entity="system", case="case", **more)


def mean_of(evidence, **options):
    return br.fit(evidence, seed=1, **options)["posterior"]["mean_outcome"]


def test_hepatic_scans_are_those_of_begg_and_greenes():
    posterior = br.fit(br.joint_outcomes(DISEASE, {"scan": TEST}), draws=2500, seed=1)
    table = posterior["observed_data"]["performance"]
    for name, observed, low, high in (("tpr", 0.8365, 0.787, 0.881), ("tnr", 0.7384, 0.656, 0.808)):
        score = br.scores.get(name)
        assert float(score(table)[0]) == pytest.approx(observed, abs=5e-5)
        drawn = score(posterior).values.ravel()
        assert np.median(drawn) == pytest.approx(observed, abs=0.004)
        assert np.quantile(drawn, [0.025, 0.975]) == pytest.approx([low, high], abs=0.01)
    assert br.credible_ranking(posterior, "f1")["cases"].item() == 650


def test_with_all_labels_the_observed_mean_is_that_of_the_labels():
    frame = board(labels=400)
    observed = br.fit(of_board(frame), draws=4, seed=1)["observed_data"]["mean_outcome"]
    assert observed.values == pytest.approx(frame.groupby("system")["human"].mean().values)


def test_an_empty_truth_is_unknown():
    frame = board(labels=200)
    missing = frame["human"].isna()
    written = frame["human"].map({1.0: "1", 0.0: "0"}).where(~missing, "")
    with_none = of_board(frame)
    xr.testing.assert_identical(of_board(frame.assign(human=written)), with_none)


def test_forty_labels_estimate_the_faults_of_agents_without_bias():
    truth, verdicts, number = zip(*FAULTS, strict=True)
    cases = pd.DataFrame(
        {f"judge {i}": [int(v[i]) for v in verdicts] for i in range(3)} | {"truth": truth}
    )
    cases = cases.loc[cases.index.repeat(number)].reset_index(drop=True).astype(float)
    assert cases["truth"].mean() == 0.75
    rng, means = np.random.default_rng(3), []
    for _ in range(40):
        frame = cases.assign(truth=cases["truth"].where(rng.permutation(len(cases)) < 40))
        judged = br.from_judged(frame, judge=["judge 0", "judge 1", "judge 2"], truth="truth")
        means.append(float(mean_of(judged, draws=200, chains=1).mean()))
    assert np.mean(means) == pytest.approx(0.75, abs=0.02)


def test_entities_are_paired_on_common_cases():
    rng = np.random.default_rng(1)
    right = rng.random(300) < 0.7
    verdict = (rng.random(300) < np.where(right, 0.9, 0.4)).astype(int)
    human = np.where(np.arange(300) < 100, right, np.nan)
    other = np.where(np.arange(300) < 3, 1 - human, human)
    frame = pd.DataFrame({"ja": verdict, "jb": verdict, "ha": human, "hb": other})
    judged = br.from_judged(frame, judge={"a": "ja", "b": "jb"}, truth={"a": "ha", "b": "hb"})
    drawn = mean_of(judged)
    difference = drawn.sel(entity="a") - drawn.sel(entity="b")
    assert float(difference.var()) < 0.5 * float(drawn.var(("chain", "draw")).sum())


def test_another_entity_leaves_the_distribution_as_it_is():
    frame = board()
    both = mean_of(of_board(frame), draws=4000).sel(entity="a").values.ravel()
    alone = mean_of(of_board(frame[frame["system"] == "a"]), draws=4000).values.ravel()
    assert both.mean() == pytest.approx(alone.mean(), abs=6 * alone.std() / np.sqrt(8000))
    assert both.std() == pytest.approx(alone.std(), rel=0.05)


def test_ranking_speaks_of_labels():
    ranking = br.credible_ranking(br.fit(of_board(board()), seed=1))
    assert ranking.attrs["headline"] == "best"
    assert any("truth is known for 80 of 400 cases" in note for note in br.notes(ranking))
    few = br.credible_ranking(br.fit(of_board(board(labels=3)), seed=1))
    assert few["rank_upper"].values.tolist() == [2, 2]


def test_identical_systems_have_identical_numbers():
    frame = board()
    twin = frame[frame["system"] == "a"].assign(system="z")
    ranking = br.credible_ranking(br.fit(of_board(pd.concat([frame, twin])), seed=1))
    assert (
        ranking["probability_best"].sel(entity="a").item()
        == ranking["probability_best"].sel(entity="z").item()
    )


def test_labels_chosen_by_verdict_and_strata_without_labels_are_named():
    frame = board(cases=600, labels=600)
    frame["human"] = frame["human"].where((frame["gpt"] == 1) & (frame["case"] < 200))
    ranking = br.credible_ranking(br.fit(of_board(frame), seed=1))
    text = " ".join([*br.verdict(ranking), *br.notes(ranking)])
    assert "depends on the verdict" in text
    assert "with the verdict 0" in text


def test_clusters_carry_the_weights():
    frame = board()
    plain = mean_of(of_board(frame)).std(("chain", "draw")).values
    single = (
        mean_of(of_board(frame.assign(c=frame["case"]), cluster="c")).std(("chain", "draw")).values
    )
    assert single == pytest.approx(plain, rel=0.06)
    ten = frame.loc[frame.index.repeat(10)].assign(c=lambda f: f["case"])
    ten["case"] = ten.groupby("system").cumcount()
    assert mean_of(of_board(ten, cluster="c")).std(("chain", "draw")).values == pytest.approx(
        plain, rel=0.25
    )


def weighted_board(seed=3, cases=600):
    """Return labels (some None), predictions and weights of cases."""
    rng = np.random.default_rng(seed)
    truth = rng.random(cases) < 0.4
    guess = np.where(rng.random(cases) < 0.85, truth, ~truth).astype(int)
    known = [
        int(label) if seen else None
        for label, seen in zip(truth, rng.random(cases) < 0.4, strict=True)
    ]
    return known, guess, rng.choice([0.2, 1.0, 3.0], cases)


def test_weights_multiply_where_the_truth_is_known_in_part():
    """Shares have the mean and the variance of a weighted bootstrap; the labels have the effective number."""
    known, guess, weight = weighted_board()
    fitted = br.fit(br.joint_outcomes(known, {"a": guess}, weight=weight), seed=1)
    share = fitted["posterior"]["performance"].sum("actual").sel(predicted=1)
    mean = np.average(guess, weights=weight)
    assert share.mean().item() == pytest.approx(mean, abs=0.002)
    wanted = np.sqrt((weight**2 * (guess - mean) ** 2).sum()) / weight.sum()
    assert share.std().item() == pytest.approx(wanted, rel=0.04)
    of_labels = weight[[label is not None for label in known]]
    effective = of_labels.sum() ** 2 / np.square(of_labels).sum()
    assert fitted["observed_data"]["labels"].item() == pytest.approx(effective, rel=1e-5)


def test_weights_of_cases_with_one_verdict_do_not_move_the_rate_of_another():
    """A weight that depends on the verdict alone changes no rate given the verdict."""
    known, guess, _ = weighted_board()
    found = []
    for low in (1.0, 0.1):
        joint = br.joint_outcomes(known, {"a": guess}, weight=np.where(guess == 1, 1.0, low))
        ppv = br.scores.ppv(br.fit(joint, seed=1))
        found.append((ppv.mean().item(), ppv.std().item()))
    assert found[1] == pytest.approx(found[0], rel=0.03)


def test_the_unit_of_weights_has_no_effect():
    known, guess, weight = weighted_board(cases=80)
    draws = [
        br.fit(br.joint_outcomes(known, {"a": guess}, weight=each), seed=1, draws=50)["posterior"][
            "performance"
        ]
        for each in (weight, 8 * weight)
    ]
    xr.testing.assert_equal(*draws)
    equal = br.fit(
        br.joint_outcomes(known, {"a": guess}, weight=np.full(80, 0.3)), seed=1, draws=50
    )
    plain = br.fit(br.joint_outcomes(known, {"a": guess}), seed=1, draws=50)
    xr.testing.assert_equal(equal["posterior"]["performance"], plain["posterior"]["performance"])


def test_judged_cases_take_weights(tmp_path):
    """The mean outcome is that of the weighted cases, in Python and from a file; weights belong to cases."""
    frame = board(labels=400).rename(columns={"system": "entity"})
    frame["w"] = np.random.default_rng(1).choice([0.2, 1.0, 3.0], 400)[frame["case"]]
    judged = br.from_judged(frame, judge="gpt", truth="human", weight="w")
    mean = br.fit(judged, seed=1)["posterior"]["mean_outcome"]
    for name, part in frame.groupby("entity"):
        wanted = np.average(part["human"], weights=part["w"])
        assert mean.sel(entity=name).mean().item() == pytest.approx(wanted, abs=0.01)
        spread = np.sqrt((part["w"] ** 2 * (part["human"] - wanted) ** 2).sum()) / part["w"].sum()
        assert mean.sel(entity=name).std().item() == pytest.approx(spread, rel=0.1)
    path = tmp_path / "judged.csv"
    frame.to_csv(path, index=False)
    table = csv_of(
        "rank", path, "--truth", "human", "--judge", "gpt", "--weight", "w", "--draws", 200
    )
    own = br.credible_ranking(br.fit(judged, seed=1, draws=200))
    np.testing.assert_allclose(
        table.loc[["a", "b"], "lower"], own["lower"].sel(entity=["a", "b"]), atol=0.02
    )
    with pytest.raises(ValueError, match="weight must be the same for all rows of a case"):
        br.from_judged(frame.assign(w=range(800)), judge="gpt", truth="human", weight="w")
    with pytest.raises(ValueError, match="weight must contain finite numbers"):
        br.from_judged(frame.assign(w=-1.0), judge="gpt", truth="human", weight="w")


@pytest.mark.parametrize("boards", [100, pytest.param(300, marks=pytest.mark.slow)])
def test_ranks_of_true_means_among_draws_are_uniform_under_the_prior(boards):
    """Simulation-based calibration (Talts and others 2018), given that all three verdicts occur."""
    rng, ranks = np.random.default_rng(4), []
    while len(ranks) < boards:
        shares, strength, common = (
            rng.dirichlet(np.full(3, 1 / 3)),
            2.0 ** rng.integers(8),
            rng.random(),
        )
        rates, verdict = (
            rng.beta(strength * common, strength * (1 - common), 3),
            rng.choice(3, 120, p=shares),
        )
        if len(set(verdict)) == 3:
            human = np.where(np.arange(120) < 30, rng.random(120) < rates[verdict], np.nan)
            frame = pd.DataFrame({"gpt": verdict, "human": human})
            evidence = br.from_judged(frame, judge="gpt", truth="human")
            ranks.append((mean_of(evidence, draws=49, chains=1) < shares @ rates).sum().item())
    assert chisquare(np.bincount(np.array(ranks) // 10, minlength=5)).pvalue > 0.001


def test_cases_may_be_counted():
    frame = pd.DataFrame({"gpt": [1, 1, 0, 0], "human": [1, None, 0, 1], "n": [4, 5, 0, 2]})
    counted = br.from_judged(frame, judge="gpt", truth="human", count="n")
    single = frame.loc[frame.index.repeat(frame["n"])].reset_index(drop=True)
    alone = br.from_judged(single, judge="gpt", truth="human")
    assert counted.drop_attrs().identical(alone.drop_attrs())
    assert (counted["labels"].item(), counted["count"].sum().item()) == (6, 11)
    with pytest.raises(ValueError, match="not new evidence"):
        br.from_judged(
            frame.assign(case=list("abcd")), judge="gpt", truth="human", count="n", case="case"
        )


def test_many_cases_without_labels_have_the_distribution_of_single_weights(monkeypatch):
    from bayesrank.models import partial_truth

    frame = board(labels=100)
    frame["gpt"] = np.where(frame["case"] % 7 == 0, "unsure", frame["gpt"])
    found = []
    for units in (2000, 1):
        monkeypatch.setattr(partial_truth, "UNITS", units)
        found.append(mean_of(of_board(frame), draws=4000).values.reshape(-1, 2))
    single, bulk = found
    error = single.std(axis=0) * np.sqrt(2 / len(single))
    assert (np.abs(single.mean(axis=0) - bulk.mean(axis=0)) < 5 * error).all()
    np.testing.assert_allclose(bulk.std(axis=0), single.std(axis=0), rtol=0.04)
    assert np.corrcoef(bulk.T)[0, 1] == pytest.approx(np.corrcoef(single.T)[0, 1], abs=0.04)
    # Sums of weights of three cases are Gamma(3), whatever the copula.
    part = partial_truth.PartialTruth(of_board(frame)).parts[0]
    column = part.stratum + part.width * np.arange(2)
    sums = part._sums_of_bulk(part._bulk, column, np.random.default_rng(1), 20_000)
    shape = np.array(
        [
            (part.times * (column[:, c // part.width] == c))[part._bulk].sum()
            for c in range(len(sums))
        ]
    )
    np.testing.assert_allclose(sums.mean(axis=1), shape, rtol=0.02)
    np.testing.assert_allclose(sums.var(axis=1), shape, rtol=0.06)


def test_errors_of_the_judge_are_those_it_was_made_with():
    frame = board(cases=4000, labels=2000)
    posterior = br.fit(of_board(frame), seed=1)
    found = br.judge_errors(posterior)
    assert found["rejects_right"].values == pytest.approx(0.05, abs=0.02)
    assert found["accepts_wrong"].sel(entity="b").item() == pytest.approx(0.3, abs=0.04)
    for name, right in (("accepts_wrong", 0), ("rejects_right", 1)):
        known = frame[(frame["system"] == "b") & (frame["human"] == right)]
        share = (known["gpt"] != right).mean()
        assert (
            found[f"{name}_lower"].sel(entity="b") < share < found[f"{name}_upper"].sel(entity="b")
        )
    assert found["judge_mean"].sel(entity="a").item() == frame[frame["system"] == "a"]["gpt"].mean()
    assert found["judge_rank"].values.ravel().tolist() == [1, 2]
    with pytest.raises(ValueError, match="verdicts"):
        br.judge_errors(br.fit(br.datasets.load("hepatic_scans"), draws=20, seed=1))
    with pytest.raises(ValueError, match="one data set"):
        br.judge_errors(br.fit(of_board(frame.assign(d=1), dataset="d"), draws=20, seed=1))


def test_intervals_of_errors_are_quantiles_of_their_draws():
    posterior = br.fit(of_board(board()), seed=1)
    found = br.judge_errors(posterior, prob=0.8)
    ends = groups_of(posterior)["posterior"]["judge_error"].quantile(
        [0.5, 0.1, 0.9], ("chain", "draw")
    )
    for outcome, name in ((0, "accepts_wrong"), (1, "rejects_right")):
        for i, end in enumerate(("", "_lower", "_upper")):
            np.testing.assert_allclose(found[name + end], ends.sel(outcome=outcome)[i])


@pytest.mark.parametrize(("columns", "names"), [
    ({"a": ["a1", "a2"]}, ["a1", "a2"]),
    ({"a": ["a1"], "b": ["b1"]}, ["judge"]),
    ({"a": ["a1", "a2"], "b": ["b1", "b2"]}, ["judge 1", "judge 2"]),
])  # fmt: skip
def test_judges_of_several_entities_are_numbered_if_there_are_several(columns, names):
    frame = pd.DataFrame({name: [1, 0, 1, 1] for name in ("a1", "a2", "b1", "b2", "a", "b")})
    assert (
        br.from_judged(frame, judge=columns, truth={x: x for x in columns})["judge"].values.tolist()
        == names
    )


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
def test_a_missing_verdict_of_one_of_two_judges_is_no_word(missing):
    frame = pd.DataFrame(
        {"one": [1, 0, 1], "two": pd.Series([1, missing, 0], dtype=object), "truth": [1, 0, None]}
    )
    labels = br.from_judged(frame, judge=["one", "two"], truth="truth")[
        "verdict_label"
    ].values.tolist()
    assert "nan" not in [str(label).lower() for label in labels]


def test_judge_as_truth_and_labels_alone_are_alternatives():
    frame = board()
    found = br.sensitivity(of_board(frame), draws=300, seed=1)
    names = ["base", "verdicts of gpt as the truth", "cases with a known truth alone"]
    assert found["alternative"].values.tolist() == names
    rates = frame.groupby("system")["gpt"].mean()
    assert found["median"].values[1] == pytest.approx(rates[["a", "b"]].values, abs=0.02)
    assert found["median"].values[2] == pytest.approx(
        frame.groupby("system")["human"].mean().values, abs=0.04
    )
    only = of_board(frame.assign(gpt=np.where(frame["gpt"] == 1, "good", "bad")))
    assert br.sensitivity(only, draws=100, seed=1)["alternative"].values.tolist() == [
        "base",
        names[2],
    ]


def test_odds_that_tip_the_order_turn_it():
    """The leader's unlabelled cases, drawn with these odds below those of its labelled ones, have its rival's rate."""
    rng, n = np.random.default_rng(5), 40_000
    verdict = rng.random((n, 2)) < 0.7
    rate = np.where(verdict, 0.9, 0.4) - [0.0, 0.06]
    human = np.where(rng.permutation(n)[:, None] < n // 4, rng.random((n, 2)) < rate, np.nan)
    frame = pd.DataFrame(
        {"ja": verdict[:, 0] + 0, "jb": verdict[:, 1] + 0, "ha": human[:, 0], "hb": human[:, 1]}
    )
    judged = br.from_judged(frame, judge={"a": "ja", "b": "jb"}, truth={"a": "ha", "b": "hb"})
    found = br.sensitivity(judged, draws=200, seed=1)
    odds = found["tipping_odds"].sel(entity="b").item()
    assert np.isnan(found["tipping_odds"].sel(entity="a").item())
    moved = [p / (p + (1 - p) * odds) for p in (0.9, 0.4)]
    mean = 0.25 * (0.7 * 0.9 + 0.3 * 0.4) + 0.75 * (0.7 * moved[0] + 0.3 * moved[1])
    assert mean == pytest.approx(0.7 * 0.84 + 0.3 * 0.34, abs=0.01)
    assert any(
        "in cases with a known truth as in" in note and "b would come before a" in note
        for note in br.notes(found)
    )


def test_odds_of_verification_tip_the_order_of_two_tests():
    """At these odds, F1 from the observed shares of verified cases is the same for both tests."""
    rng = np.random.default_rng(1)
    disease = rng.random(8000) < 0.4
    tests = np.stack(
        [rng.random(8000) < np.where(disease, *rates) for rates in ((0.85, 0.2), (0.75, 0.08))]
    )
    known = rng.random(8000) < np.where(tests.any(axis=0), 0.8, 0.3)
    joint = br.joint_outcomes(
        np.where(known, disease + 0, None), dict(zip("xy", tests + 0, strict=True))
    )
    found = br.sensitivity(joint, "f1", draws=300, seed=1)
    leader = found["leader"].values[0]
    odds = found["tipping_odds"].drop_sel(entity=leader).item()
    share = np.zeros(8000)
    for pattern in range(4):
        here = tests[0] + 2 * tests[1] == pattern
        rate = disease[here & known].mean()
        share[here] = known[here].mean() * rate + (1 - known[here].mean()) * rate / (
            rate + (1 - rate) * odds
        )
    f1 = [2 * share[test].sum() / (test.sum() + share.sum()) for test in tests]
    assert odds != pytest.approx(1, abs=0.05)
    assert f1[0] == pytest.approx(f1[1], abs=0.004)


def test_three_classes_and_data_sets():
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 3, 500)
    guess = np.where(rng.random(500) < 0.8, truth, rng.integers(0, 3, 500))
    part = [int(t) if i % 2 else None for i, t in enumerate(truth)]
    joint = br.joint_outcomes(part, {"x": guess})
    accuracy = br.scores.accuracy(br.fit(joint, seed=1)).mean()
    assert float(accuracy) == pytest.approx(np.mean(guess == truth), abs=0.04)
    mean = mean_of(of_board(board().assign(d=lambda f: f["case"] // 200), dataset="d"))
    assert dict(mean.sizes) == {"chain": 4, "draw": 1000, "entity": 2, "dataset": 2}


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        (lambda f: f.assign(gpt=f["gpt"].where(f["human"].isna())), "labels of other cases"),
        (lambda f: f.assign(human=np.nan), "at least one case"),
        (lambda f: f.assign(human=f["human"] * 2), "1 or 0"),
        (lambda f: pd.concat([f, f]), "each case of an entity once"),
        (lambda f: f.assign(gpt=np.arange(len(f)) / 7), "at most 20"),
    ],
)
def test_bad_input_is_refused(change, wanted):
    with pytest.raises(ValueError, match=wanted):
        of_board(change(board()))


@pytest.mark.parametrize("model", ["paired", "dirichlet_multinomial"])
def test_other_models_refuse_missing_truths(model):
    with pytest.raises(ValueError, match="partial_truth"):
        br.fit(br.joint_outcomes(DISEASE, {"scan": TEST}), model)


def test_a_plan_is_in_labels_on_the_entities_that_could_be_best():
    from bayesrank.planning.preposterior import read_source
    from bayesrank.planning.updates import with_units
    from bayesrank.ranking.aggregates import scored

    rng = np.random.default_rng(6)
    right = rng.random((3000, 3)) < [0.85, 0.73, 0.4]
    verdict = rng.random((3000, 3)) < np.where(right, 0.95, 0.4)

    def posterior_of(labels):
        human = np.where(np.arange(3000)[:, None] < labels, right, np.nan)
        names = {name: name for name in "abc"}
        frame = pd.DataFrame({f"j{k}": verdict[:, i] + 0 for i, k in enumerate("abc")})
        frame = frame.assign(**{f"h{k}": human[:, i] for i, k in enumerate("abc")})
        columns = [{name: f"{kind}{name}" for name in names} for kind in "jh"]
        return br.fit(br.from_judged(frame, judge=columns[0], truth=columns[1]), seed=1)

    posterior = posterior_of(60)
    plan = br.plan(posterior, seed=1)
    assert plan.attrs["unit"] == "labels"
    assert "more labels on each of a and b are enough" in br.verdict(plan)[0]
    assert "Labels on 1 other entity change nothing: it is first in no draw." in " ".join(
        br.notes(plan)
    )
    # The variance of the difference with four times as many labels is the predicted one.
    source = with_units(read_source(scored(posterior, None, None, None), None, None, 1, {}))
    updates = source.updates(2000, np.random.default_rng(1))
    updates.extend(180)
    predicted = updates.moments()[1].reshape(-1, 2, 2)[0]
    held = mean_of_draws(posterior_of(240))
    assert (predicted[0, 0] + predicted[1, 1] - 2 * predicted[0, 1]) ** 0.5 == pytest.approx(
        held.std(), rel=0.15
    )
    with pytest.raises(ValueError, match="plan is in labels of these cases"):
        br.plan(posterior, more="runs")


def test_a_plan_of_labels_ends_with_the_last_unlabelled_case():
    from bayesrank.planning.preposterior import read_source
    from bayesrank.planning.updates import with_units
    from bayesrank.ranking.aggregates import scored

    known = np.where(np.arange(len(DISEASE)) > 0, np.nan_to_num(np.array(DISEASE, float)), np.nan)
    posterior = br.fit(
        br.joint_outcomes(known, {"scan": TEST, "other": 1 - np.asarray(TEST)}), seed=1
    )
    source = with_units(
        read_source(scored(posterior, "accuracy", None, None), "accuracy", None, 1, {})
    )
    assert source.most == 1


def mean_of_draws(posterior):
    drawn = posterior["posterior"]["mean_outcome"]
    return (drawn.sel(entity="a") - drawn.sel(entity="b")).values


@pytest.mark.parametrize("score", ["f1", "tpr"])
def test_a_plan_of_verified_cases_predicts_the_spread_after_them(score):
    from bayesrank.planning.preposterior import read_source
    from bayesrank.planning.updates import with_units
    from bayesrank.ranking.aggregates import scored

    rng = np.random.default_rng(5)
    disease, shared = (rng.random(3000) < 0.3) + 0, rng.standard_normal(3000)
    tests = {
        name: (effect * disease - 0.7 + 0.6 * shared + rng.standard_normal(3000) > 0) + 0
        for name, effect in {"a": 1.5, "b": 1.3}.items()
    }

    def posterior_of(verified):
        # Positive tests are verified more often.
        known = np.cumsum(rng_of.random(3000) < 0.3 + 0.5 * tests["a"]) <= verified
        chosen = known & (rng_of.random(3000) < 0.3 + 0.5 * tests["a"])
        return br.fit(br.joint_outcomes(pd.Series(disease).where(chosen), tests), seed=1)

    def spread_of(posterior):
        drawn = br.scores.get(score)(posterior)
        return (drawn.sel(entity="a") - drawn.sel(entity="b")).std().item()

    rng_of = np.random.default_rng(1)
    posterior = posterior_of(300)
    labels = posterior["observed_data"]["labels"].values.max()
    rng_of = np.random.default_rng(1)
    later = posterior_of(1200)
    source = with_units(read_source(scored(posterior, score, None, None), score, None, 1, {}))
    updates = source.updates(2000, np.random.default_rng(1))
    updates.extend(int(later["observed_data"]["labels"].values.max() - labels))
    predicted = updates.moments()[1].reshape(-1, 2, 2)[0]
    variance = predicted[0, 0] + predicted[1, 1] - 2 * predicted[0, 1]
    assert variance**0.5 == pytest.approx(spread_of(later), rel=0.15)
    assert variance**0.5 < 0.7 * spread_of(posterior)
    plan = br.plan(posterior, score, seed=1)
    assert "more verified cases are enough" in br.verdict(plan)[0]


def test_standard_headings_of_judged_tables_are_taken_and_others_asked_for():
    frame = pd.DataFrame(
        {
            "entity": list("aabb"),
            "case": [1, 2, 1, 2],
            "gpt": [1, 0, 1, 1],
            "human": [1, 0, None, 1],
        }
    )
    found = br.from_judged(frame, judge="gpt", truth="human")
    xr.testing.assert_identical(
        found, br.from_judged(frame, judge="gpt", truth="human", entity="entity", case="case")
    )
    assert found["entity"].values.tolist() == ["a", "b"]
    upper = frame.rename(columns={"entity": "Entity", "case": "CASE"})
    xr.testing.assert_identical(found, br.from_judged(upper, judge="gpt", truth="human"))
    for heading in ("model", "System"):
        with pytest.raises(
            ValueError,
            match=f"^entity must say what the column '{heading}' holds.*entity='{heading}'",
        ):
            br.from_judged(frame.rename(columns={"entity": heading}), judge="gpt", truth="human")
    with pytest.raises(ValueError, match=r"^count must say what .*count='count'"):
        br.from_judged(frame.drop(columns="case").assign(count=2), judge="gpt", truth="human")
    # A judge may be called so.
    judges = frame.drop(columns=["entity", "case"]).rename(columns={"gpt": "model"})
    assert br.from_judged(judges, judge="model", truth="human")["entity"].values.tolist() == [
        "all cases"
    ]
