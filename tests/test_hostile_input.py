"""Input that is odd, huge or broken ends in words, at once; a known answer where there is one."""

import inspect
import random
import re
import subprocess
import sys
import warnings
from datetime import date

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayesrank as br
from bayesrank._core.memory import available_memory, check_memory, container_limits
from bayesrank.io.tables.files import read_evidence
from bayesrank.io.tables.values import as_count, as_label_columns, as_outcomes
from bayesrank.tile.grid import with_entity
from tests.calls import calls, valid_call
from tests.commands import refused

COUNTS = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 11], tp=[21, 19], entity=["a", "b"])
POSTERIOR = br.fit(COUNTS, draws=50, chains=2, seed=1)
POINT = br.as_performance(COUNTS)


@pytest.mark.parametrize("prob", [1e-12, 1 - 1e-12])
def test_probabilities_next_to_the_ends(prob):
    found = br.credible_ranking(POSTERIOR, "tpr", prob=prob, method="auto")
    assert (found["lower"] <= found["median"]).all()
    assert (found["median"] <= found["upper"]).all()


def test_lazy_counts_are_compared():
    xr.testing.assert_allclose(
        br.decisions.noninferiority(COUNTS.chunk(entity=1), "a"),
        br.decisions.noninferiority(COUNTS, "a"),
    )


def test_a_point_estimate_has_a_score_table():
    table = br.score_table(POINT, ["f1", "mcc"])
    np.testing.assert_allclose(table["median"].sel(score="f1"), br.scores.f1(POINT))


def test_a_table_without_the_coord_entity_is_predicted():
    one = COUNTS.isel(entity=[0])
    found = br.predictive.confusion_pmf(one.drop_vars("entity"))
    np.testing.assert_array_equal(found.values, br.predictive.confusion_pmf(one).values)


def test_the_largest_outcomes_are_ranked_as_small_ones():
    """A power of two changes no digit: values and losses are scaled by it, and nothing else is changed."""
    small, scale = pd.DataFrame({"a": [1.0, -1.0, 0.5], "b": [1.0, 1.0, 0.1]}), 2.0**332
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found, large = (
            br.credible_ranking(
                br.fit(br.from_outcomes(frame), "paired", draws=50, seed=1), "mean_outcome"
            )
            for frame in (small, scale * small)
        )
    for name in ("lower", "median", "upper", "observed", "expected_regret"):
        np.testing.assert_array_equal(large[name], scale * found[name], err_msg=name)
    for name in ("rank_probability", "superiority", "contradicted", "tier"):
        np.testing.assert_array_equal(large[name], found[name], err_msg=name)


def test_limits_of_containers_are_read(tmp_path):
    root, own = tmp_path / "cgroup", tmp_path / "self"
    inner = root / "pod" / "task"
    inner.mkdir(parents=True)
    own.write_text("0::/pod/task\n")
    assert container_limits(root, own) == []
    (inner / "memory.max").write_text("max\n")
    (root / "pod" / "memory.max").write_text("1000000\n")
    assert container_limits(root, own) == [1e6]
    old = root / "memory" / "docker"
    old.mkdir(parents=True)
    (old / "memory.limit_in_bytes").write_text("2000000\n")
    own.write_text("4:cpu:/elsewhere\n3:memory:/docker\n")
    assert container_limits(root, own) == [2e6]
    assert container_limits(tmp_path / "no", tmp_path / "none") == []


@pytest.mark.skipif(sys.platform == "win32", reason="limits of processes")
def test_the_limit_of_the_process_counts():
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (3 * 2**30, 3 * 2**30));"
        "from bayesrank._core.memory import check_memory; check_memory('x must be fewer', 'x', (2**28,), '1')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "more than half of the memory that this process may use (3.0 GiB)" in done.stderr
    check_memory("x must be fewer", "x", (8,), "1")
    assert available_memory()[0] > 2**20


def test_what_is_a_count_in_a_file():
    assert [as_count(text) for text in ("5", "5.0", "007", "0")] == [5, 5, 7, 0]
    for text in ("1.000", "1_000", "+5", "1,000", "-1", "1e3", "", "nan", "9" * 400, "²"):
        assert as_count(text) is None


def test_codes_stay_apart(tmp_path):
    assert as_label_columns(["01", "1"], ["1", "01"]) == [["01", "1"], ["1", "01"]]
    assert as_label_columns(["1", "10", "2"]) == [[1, 10, 2]]
    assert as_label_columns(["1.5", "-2", "0", "0.5", None]) == [[1.5, -2.0, 0.0, 0.5, None]]
    path = tmp_path / "cases.csv"
    path.write_text("actual,a,b\n01,01,1\n1,1,01\n01,01,01\n")
    assert sorted(map(str, read_evidence(str(path))["label"].values)) == ["01", "1"]


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell")
@pytest.mark.parametrize("closed", [">&-", "<&- 2>&-"])
def test_closed_streams_end_without_a_traceback(closed):
    command = f'"{sys.executable}" -c "from bayesrank.cli import main; main()" --version {closed}'
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") <= 1


# --- Few entities, holes, other orders ------------------------------------------------------------------------------


def test_one_selected_entity_is_analysed_under_its_name():
    one, both = (
        br.score_posterior(counts, "tpr").cdf([0.5, 0.8])
        for counts in (COUNTS.sel(entity="b"), COUNTS)
    )
    np.testing.assert_array_equal(one, both.sel(entity="b"))
    draws = br.as_performance(POSTERIOR)
    # Every function of the Tile begins with this one, so that none of them is compiled for it.
    np.testing.assert_array_equal(
        with_entity(draws.sel(entity="b"), None).sel(entity="b"), draws.sel(entity="b")
    )
    best = br.tile.probability_best(draws.sel(entity="b"), 3)
    assert best["entity"].values.tolist() == ["b"]
    for call in (br.tile.baseline, br.tile.state_of_the_art):
        xr.testing.assert_allclose(
            call(POINT.sel(entity="a"), 3),
            br.tile.value(POINT.sel(entity="a", drop=True), 3),
            check_dim_order=True,
        )


def test_what_is_not_known_stays_unknown():
    only_negatives = br.performance.shift_prior(br.from_counts(tn=8, fp=2, fn=0, tp=0), 0.3)
    assert br.scores.tnr(only_negatives).item() == pytest.approx(0.8)
    assert np.isnan(br.scores.tpr(only_negatives)).all()
    shifted = br.performance.shift_prior(
        POINT, xr.DataArray([0.3, np.nan], {"entity": ["a", "b"]}, ("entity",))
    )
    assert shifted.isnull().all(["actual", "predicted"]).values.tolist() == [False, True]
    assert shifted.isnull().any(["actual", "predicted"]).values.tolist() == [False, True]


def test_relations_match_entities_by_name():
    values = br.scores.ppv(
        br.from_counts(
            tn=[8, 9, 9], fp=[1, 0, 0], fn=[0, 1, 1], tp=[1, 0, 0], entity=["a", "b", "c"]
        )
    )
    performance = br.as_performance(
        br.from_counts(
            tn=[9, 8, 9], fp=[0, 1, 0], fn=[1, 0, 1], tp=[0, 1, 0], entity=["c", "a", "b"]
        )
    )
    found = br.theory.relations(values, performance)
    assert found["equivalent"].sel(entity="b", rival="c")
    assert found["incomparable"].sel(entity="a", rival="b")
    with pytest.raises(ValueError, match="performance must have the entities of values"):
        br.theory.relations(values, performance.isel(entity=[0, 1]))


def test_numbers_beside_words_for_right_and_wrong_are_0_and_1_only():
    """Another number would be on another scale: it stays text, and is refused by name."""
    assert as_outcomes(["yes", "no", "1", "0", 1, "", "2"]) == [1, 0, 1, 0, 1, None, "2"]
    assert as_outcomes(["1", "0", "2"]) == [1, 0, 2]


# --- Any value for any argument -------------------------------------------------------------------------------------


class Thing:
    """An object without any use here."""


#: Values of many types; an iterator is made anew for each call.
ODD = [
    *(
        None,
        True,
        3,
        -1,
        1.5,
        np.nan,
        np.inf,
        10**12,
        10**400,
        1j,
        "",
        "nonsense",
        b"x",
        pd.NA,
        pd.NaT,
        date(2020, 1, 1),
    ),
    *(
        [],
        (),
        {},
        {"a": 1},
        {"a", "b"},
        frozenset({1, 2}),
        [[1, 2], [3, 4]],
        ["a"],
        ["a", 3],
        range(2),
    ),
    *(
        np.arange(6.0).reshape(2, 3),
        np.array([0.2, 0.4]),
        pd.Series([1.0, 2.0]),
        pd.Series(["a", "b"]),
    ),
    *(
        pd.DataFrame({"a": [1, 2]}),
        xr.DataArray(np.ones((2, 2)), dims=("x", "y")),
        xr.Dataset({"q": ("z", [1.0])}),
    ),
    *(Thing(), int, lambda *given, **named: 1, iter),
]
#: Calls that take a second or so, with every value that is good.
SLOW = r"br\.(audit|doctor|plan|sensitivity|to_pymc|ranking_report.*|plots\..*|papers\..*|tile\..*|theory\.audit.*)"


def call_with(function, more, parameter, value):
    """Call a function with one odd value, and return the message of a refusal; other errors are raised."""
    value = iter(["a", "b"]) if value is iter else value
    several, given = valid_call(function, more)
    try:
        if parameter.kind is parameter.VAR_POSITIONAL:
            function(value, **given)
        elif parameter.kind is parameter.VAR_KEYWORD:
            function(*several, **given, no_such=value)
        else:
            function(*several, **given | {parameter.name: value})
    except br.ArgumentError as error:
        return str(error)
    finally:
        plt.close("all")
    return None


def check_odd_values(function, more, numbers):
    """Try odd values of each argument: so many at random, the same in every run."""
    parameters = inspect.signature(function).parameters
    # Two arguments may contradict each other: the message names one of them.
    names = "|".join(["no_such", *(re.escape(name.rstrip("s")) for name in parameters)])
    for parameter in parameters.values():
        for i in random.Random(f"{function.__name__} {parameter.name}").sample(
            range(len(ODD)), numbers
        ):
            call = f"{function.__name__}({parameter.name}={ODD[i]!r})"
            try:
                message = call_with(function, more, parameter, ODD[i])
            except Exception as error:
                raise AssertionError(call) from error
            if message is not None:
                assert re.search(names, message), (call, message)
                assert "\n" not in message, call
                assert len(message) < 1000, call


CALLS = calls()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("function", "more"),
    [pytest.param(f, more, id=name) for name, f, more in CALLS if not re.fullmatch(SLOW, name)],
)
def test_some_odd_values_of_each_argument_work_or_are_refused(
    function, more, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    check_odd_values(function, more, 2)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("function", "more"), [pytest.param(f, more, id=name) for name, f, more in CALLS]
)
def test_odd_values_of_each_argument_work_or_are_refused(function, more, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    several, given = valid_call(function, more)
    function(*several, **given)
    check_odd_values(function, more, len(ODD))


def test_the_sweep_finds_what_is_no_refusal():
    def broken(*, names=None, count=1):
        return [[name] for name in names] if names is not None else [0] * count

    with pytest.raises(AssertionError, match=r"broken\(names="):
        check_odd_values(broken, {}, len(ODD))


# --- Names in an order of their own ---------------------------------------------------------------------------------

MATRIX = [[9, 1], [2, 8]]
NAMED = {
    "from_counts": (
        br.from_counts,
        {"tn": [8, 9], "fp": [2, 1], "fn": [1, 3], "tp": [9, 7]},
        "entity dataset group",
    ),
    "from_matrix": (
        br.from_matrix,
        {"matrix": [MATRIX] * 2, "orientation": "actual_rows"},
        "entity labels",
    ),
    "from_rates": (
        br.from_rates,
        {"tpr": [0.8, 0.7], "tnr": 0.9, "prevalence": 0.5},
        "entity tpr tnr prevalence",
    ),
    "from_predictions": (
        br.from_predictions,
        {"y_true": [0, 1], "predictions": {"a": [0, 1]}},
        "y_true labels dataset group count weight",
    ),
    "joint_outcomes": (
        br.joint_outcomes,
        {"y_true": [0, 1], "predictions": {"a": [0, 1]}},
        "y_true dataset group cluster case count weight",
    ),
    "from_probabilities": (
        br.from_probabilities,
        {"y_true": [0, 1], "probabilities": {"a": [0.2, 0.8]}},
        "y_true case cluster dataset weight",
    ),
    "from_outcomes": (
        br.from_outcomes,
        {"frame": pd.DataFrame({"a": [0, 1], "b": [1, 1]})},
        "dataset group cluster case count weight",
    ),
    "case_weights": (br.case_weights, {"cases": 2}, "cases count dataset cluster"),
}


@pytest.mark.parametrize(
    ("function", "given", "argument"),
    [
        (function, given, name)
        for function, given, names in NAMED.values()
        for name in names.split()
    ],
)
def test_a_set_has_no_order_and_an_iterator_is_read_once(function, given, argument):
    for values in ({"svm", "tree"}, frozenset({0, 1}), iter(["svm", "tree"]), (x for x in [0, 1])):
        with pytest.raises(TypeError, match=rf"^{argument} must ") as caught:
            function(**given | {argument: values})
        assert isinstance(caught.value, br.ArgumentError)
    for values in ({"a"}, (x for x in "a")):
        with pytest.raises(
            TypeError,
            match=r"^predictions\['a'\] must (be an ordered collection of labels|contain labels in)",
        ):
            br.joint_outcomes([0], {"a": values})


def test_views_of_a_dictionary_have_an_order():
    tables = {"tree": 8, "svm": 9}
    counts = br.from_counts(
        tn=tables.values(), fp=[2, 1], fn=[1, 3], tp=[9, 7], entity=tables.keys()
    )
    assert counts["entity"].values.tolist() == ["tree", "svm"]
    assert counts.sel(entity="svm", actual="negative", predicted="negative") == 9
    with pytest.raises(TypeError, match=r"^entity must contain names in a sequence"):
        br.from_counts(tn=[8, 9], fp=[2, 1], fn=[1, 3], tp=[9, 7], entity={0: "tree", 1: "svm"})


# --- Names that are Booleans ----------------------------------------------------------------------------------------

TWO = {"tn": [70, 75, 60, 50], "fp": [10, 5, 8, 9], "fn": [6, 9, 4, 6], "tp": [24, 21, 20, 30]}


def renamed(array, names):
    """Return a result whose entities and rivals have other names."""
    return array.assign_coords({dim: names for dim in ("entity", "rival") if dim in array.dims})


def test_boolean_entities_are_names_and_no_masks():
    named, plain = (
        br.from_counts(**TWO, entity=names) for names in ([False, True, 2, 3], ["a", "b", "c", "d"])
    )
    for call in (
        lambda counts: br.decisions.noninferiority(counts, counts["entity"].values.tolist()[1])[
            "tpr_noninferior"
        ],
        lambda counts: br.sensitivity(counts, "f1", alternatives=["weights"], draws=40, seed=1)[
            "tier"
        ],
        lambda counts: br.theory.dominance(br.theory.relations(br.scores.f1(counts)))["worse"],
    ):
        found, wanted = call(named), call(plain)
        if "entity" in wanted.dims and found.sizes["entity"] == 4:
            wanted = renamed(wanted, found["entity"].values)
        np.testing.assert_array_equal(found.values, wanted.values)
    assert br.ranking_report(br.fit(named, seed=1, draws=40), "f1").count("False")
    assert br.plots.score_differences(
        br.scores.f1(br.fit(named, seed=1, draws=40)), to=True
    ).get_ylim()
    plt.close("all")


@pytest.mark.parametrize("dim", ["group", "dataset"])
@pytest.mark.parametrize("aggregate", ["mean", "worst", "gap"])
def test_boolean_groups_are_names_and_no_masks(dim, aggregate):
    entity, found = list("aabb"), []
    for names in ([True, False] * 2, ["yes", "no"] * 2):
        posterior = br.fit(
            br.from_counts(**TWO, entity=entity, **{dim: names}), "beta_binomial", draws=40, seed=1
        )
        found.append(
            br.scores.aggregate_score(posterior, "tpr", over=dim, aggregate=aggregate).mean(
                ["chain", "draw"]
            )
        )
    np.testing.assert_allclose(*found, atol=0.05)  # draws depend on the names


def test_boolean_columns_and_classes_are_names_and_no_masks():
    frame = pd.DataFrame({True: [1, 0, 1, 1], False: [0, 0, 1, 1]})
    costs = pd.DataFrame({False: [2.0, 2, 2, 3], True: [1.0, 1, 1, 1]})
    joint = br.from_outcomes(frame, cost=costs)
    np.testing.assert_array_equal(np.unique(joint["cost"].isel(entity=0)), [1])
    matrix = br.from_matrix([[5, 1], [2, 7]], "actual_rows", labels=[True, False], positive=True)
    assert matrix.isel(entity=0).values.tolist() == [[7, 2], [1, 5]]


# --- Attrs that others changed --------------------------------------------------------------------------------------


@pytest.mark.parametrize("attr", ["priors", "notes", "ledger", "pooled"])
@pytest.mark.parametrize("value", ["x", "[1]", '{"a": 1}', '[["no_such_note", {}]]', 3])
def test_attrs_that_were_changed_are_refused_by_name(attr, value):
    posterior = br.fit(COUNTS, draws=20, chains=2, seed=1)
    posterior["posterior"].attrs[attr] = value
    with pytest.raises(
        br.ArgumentError,
        match=rf"^attrs(\['({attr}|notes)'\])? (was changed after bayesrank wrote it|must contain notes)",
    ):
        br.ranking_report(posterior, "f1")


def test_an_unknown_typical_data_set_is_refused_by_name():
    studies = br.from_counts(**TWO, entity=list("aabb"), dataset=list("xyxy"))
    posterior = br.fit(studies, "hierarchical_beta_binomial", draws=20, chains=2, seed=1)
    posterior["posterior"].attrs["typical"] = "mode"
    with pytest.raises(
        br.ArgumentError, match=r"^attrs\['typical'\] must be one of \['mean', 'median'\]"
    ):
        br.credible_ranking(posterior, "f1")


def test_too_many_entities_are_refused_before_they_are_drawn(tmp_path, monkeypatch):
    """The message says how many fit, and so many do."""
    from bayesrank.analysis import analyzing
    from bayesrank.cli import _analysis
    from bayesrank.ranking import credible

    monkeypatch.setattr("bayesrank._core.memory.available_memory", lambda: (64e3, "this memory"))
    monkeypatch.setattr(credible, "available_memory", lambda: (64e3, "this memory"))
    for module in (_analysis, analyzing):
        monkeypatch.setattr(module, "draw", lambda *inputs, **how: pytest.fail("drawn"))
    path = tmp_path / "many.csv"
    rows = "".join(f"e{i},70,10,9,21\n" for i in range(30))
    path.write_text(f"entity,tn,fp,fn,tp\n{rows}")
    said = refused("rank", path)
    with pytest.raises(br.ArgumentError, match="got 30 entities; at most 20 fit"):
        br.analyze(pd.read_csv(path))

    assert "must contain fewer entities" in said
    assert "got 30 entities; at most 20 fit" in said
    credible.check_ranks(20)
    with pytest.raises(br.ArgumentError, match="fewer entities"):
        credible.check_ranks(21)
