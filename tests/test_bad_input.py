"""Bad input is refused with a message that names the argument, what it held and what it should hold."""

# One case a line, however long.
# ruff: noqa: E501

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayesrank as br
from bayesrank.report import ranking_report

NAN = float("nan")
OK = {"tn": 8, "fp": 2, "fn": 1, "tp": 9}
COUNTS = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
SETS = br.from_counts(tn=[7, 8], fp=[1, 1], fn=[9, 1], tp=[2, 2], entity=["a", "b"], dataset=["x", "y"])
THREE = br.from_matrix([[5, 1, 0], [2, 7, 1], [0, 0, 4]], "actual_rows")
FRAME = pd.DataFrame({"entity": ["a", "b"], "tn": [8, 9], "fp": [2, 1], "fn": [1, 3], "tp": [9, 7]})
LONG = pd.DataFrame({"entity": "a", "actual": [0, 1], "predicted": [0, 1], "count": [3, 4]})
VALUES = xr.DataArray(np.arange(12.0).reshape(4, 3), {"entity": list("abc")}, ("draw", "entity"))
POSTERIOR = br.fit(COUNTS, seed=1, draws=5)


def fit(**options):
    return lambda: br.fit(COUNTS, **options)


def by_entity(values, names=None):
    return xr.DataArray(values, None if names is None else {"entity": names}, ["entity"])


def counts_like(values, entity=("a",), actual=("n", "p"), predicted=("n", "p")):
    coords = {"entity": list(entity), "actual": list(actual), "predicted": list(predicted)}
    return xr.DataArray(values, coords, ("entity", "actual", "predicted"))


# What is called, the error, the argument it names, what it held, what it should hold.
CASES = [
    # counts
    (lambda: br.from_counts(**OK | {"tp": -1}), ValueError, "tp", "-1", "non-negative"),
    (lambda: br.from_counts(**OK | {"fp": 0.5}), ValueError, "fp", "0.5", "whole numbers"),
    (lambda: br.from_counts(**OK | {"fn": NAN}), ValueError, "fn", "nan", "whole numbers"),
    (lambda: br.from_counts(**OK | {"tn": np.inf}), ValueError, "tn", "inf", "whole numbers"),
    (lambda: br.from_counts(**OK | {"tn": "8"}), TypeError, "tn", "'8'", "whole numbers"),
    (lambda: br.from_counts(**OK | {"tn": True}), TypeError, "tn", "True", "whole numbers"),
    (lambda: br.from_counts(**OK | {"tn": None}), TypeError, "tn", "None", "whole numbers"),
    (lambda: br.from_counts(**OK | {"tn": 1j}), TypeError, "tn", "1j", "whole numbers"),
    (lambda: br.from_counts(**OK | {"tn": 2**60}), ValueError, "tn", "1152921504606846976", "whole numbers"),
    (lambda: br.from_counts(**OK | {"tn": [1, [2, 3]]}), ValueError, "tn", "[1, [2, 3]]", "regular array"),
    (lambda: br.from_counts(**OK | {"tn": [1, 2]}), ValueError, "tn", "(2,)", "one length"),
    (lambda: br.from_counts(tn=[], fp=[], fn=[], tp=[]), ValueError, "tn", "none", "at least one"),
    (lambda: br.from_counts(**OK, entity=["a", "b"]), ValueError, "entity", "2", "1 name"),
    (lambda: br.from_counts(**OK, entity=[None]), ValueError, "entity", "None", "name every"),
    (lambda: br.from_counts(**OK, entity=[("a", 1)]), TypeError, "entity", "('a', 1)", "single names"),
    (lambda: br.from_counts(**OK, entity=[["a"]]), TypeError, "entity", "['a']", "single names"),
    (lambda: br.from_counts(tn=[1, 1], fp=[1, 1], fn=[1, 1], tp=[1, 1], entity=["a", "a"]), ValueError, "entity", "'a'", "once"),
    (lambda: br.from_counts(tn=[1, 1], fp=[1, 1], fn=[1, 1], tp=[1, 1], entity=["a", "a"], dataset=["x", "x"]), ValueError, "entity and dataset", "'a' on 'x'", "once"),
    (lambda: br.from_counts(**OK, dataset=["x", "y"]), ValueError, "dataset", "2", "1 name"),
    # predictions
    (lambda: br.from_predictions([0, 1], [0, 1]), TypeError, "predictions", "list", "mapping"),
    (lambda: br.from_predictions([0, 1], {}), ValueError, "predictions", "none", "at least one"),
    (lambda: br.from_predictions([0, 1], {"m": [0.2, 1.0]}), ValueError, "predictions['m']", "0.2", "not probabilities"),
    (lambda: br.from_predictions([0, 1], {"m": [0]}), ValueError, "predictions['m']", "1", "2 cases"),
    (lambda: br.from_predictions([0, 1], {"m": 3}), ValueError, "predictions['m']", "()", "sequence"),
    (lambda: br.from_predictions([], {"m": []}), ValueError, "y_true", "(0,)", "sequence"),
    (lambda: br.from_predictions(["a", NAN], {"m": ["a", "b"]}), ValueError, "y_true", "missing", "every case"),
    (lambda: br.from_predictions([0, 0], {"m": [0, 0]}), ValueError, "labels", "[0]", "two or more"),
    (lambda: br.from_predictions([0, 1], {"m": [0, 2]}, labels=[0, 1]), ValueError, "predictions['m']", "2", "among labels"),
    (lambda: br.from_predictions([0, 1], {"m": [0, 1]}, labels=[0, 1, 1]), ValueError, "labels", "1", "once"),
    (lambda: br.from_predictions([0, "x"], {"m": [0, "x"]}), TypeError, "labels", "'x'", "must be given"),
    (lambda: br.from_predictions([0, 1], {"m": [0, 1]}, weight=[1, 0.5]), ValueError, "weight", "0.5", "whole"),
    (lambda: br.from_predictions([0, 1], {"m": [0, 1]}, weight=[1]), ValueError, "weight", "(1,)", "2 cases"),
    (lambda: br.from_predictions([0, 1], {"m": [0, 1]}, dataset=["x"]), ValueError, "dataset", "1", "2 names"),
    # matrices
    (lambda: br.from_matrix([[1, 2], [3, 4]], "rows"), ValueError, "orientation", "'rows'", "actual_rows"),
    (lambda: br.from_matrix([[1, 2, 3], [3, 4, 5]], "actual_rows"), ValueError, "matrix", "(2, 3)", "(C, C)"),
    (lambda: br.from_matrix([[1]], "actual_rows"), ValueError, "matrix", "(1, 1)", "C >= 2"),
    (lambda: br.from_matrix([[1, 2], [3]], "actual_rows"), ValueError, "matrix", "[[1, 2], [3]]", "regular"),
    (lambda: br.from_matrix([[0.9, 0.1], [0.2, 0.8]], "actual_rows"), ValueError, "matrix", "0.9", "counts, not rates"),
    (lambda: br.from_matrix([[1, 2], [3, 4]], "actual_rows", labels=["a"]), ValueError, "labels", "['a']", "2 classes"),
    (lambda: br.from_matrix(pd.DataFrame([[1, 2], [3, 4]], index=["a", "b"], columns=["b", "a"]), "actual_rows"), ValueError, "matrix", "['b', 'a']", "same order"),
    # frames
    (lambda: br.from_frame([1, 2]), TypeError, "frame", "list", "DataFrame"),
    (lambda: br.from_frame(FRAME.drop(columns="tp")), ValueError, "frame", "without tp", "columns"),
    (lambda: br.from_frame(FRAME.iloc[:0]), ValueError, "frame", "none", "at least one row"),
    (lambda: br.from_frame(FRAME, entity=["entity"]), TypeError, "entity", "['entity']", "name of a column"),
    (lambda: br.from_frame(FRAME, dataset="fold"), ValueError, "dataset", "got 'fold'", "name a column of frame"),
    (lambda: br.from_frame(FRAME.assign(entity="a")), ValueError, "entity", "'a'", "once"),
    (lambda: br.from_frame(pd.concat([LONG, LONG])), ValueError, "frame", "as well", "one row for each cell"),
    (lambda: br.from_frame(LONG.assign(entity=["a", None])), ValueError, "entity", "row 1", "name every item"),
    (lambda: br.from_frame(LONG.assign(actual=[0, None])), ValueError, "actual", "missing", "every case"),
    (lambda: br.from_frame(LONG.assign(count=[1, -4])), ValueError, "count", "-4", "non-negative"),
    (lambda: br.from_frame(LONG.assign(actual=pd.Categorical([0, 1]), predicted=[0, 2])), ValueError, "predicted", "2", "categories"),
    # one_vs_rest
    (lambda: br.one_vs_rest([[1, 2], [3, 4]]), TypeError, "counts", "list", "DataArray"),
    (lambda: br.one_vs_rest(xr.DataArray(np.ones((2, 3)), dims=("actual", "predicted"))), ValueError, "counts", "2 and 3", "same classes"),
    # fit: counts
    (lambda: br.fit([1, 2]), TypeError, "evidence", "list", "DataArray"),
    (lambda: br.fit(VALUES), ValueError, "evidence", "('draw', 'entity')", "dims"),
    (lambda: br.fit(COUNTS / 110), ValueError, "evidence", "0.6", "whole numbers"),
    (lambda: br.fit(-COUNTS), ValueError, "evidence", "-70", "non-negative"),
    (lambda: br.fit(COUNTS.isel(entity=[])), ValueError, "evidence", "none", "at least one entity"),
    (lambda: br.fit(COUNTS.drop_vars("entity")), ValueError, "evidence", "actual", "names each entity"),
    (lambda: br.fit(counts_like(np.ones((1, 2, 2), int), predicted=("p", "q"))), ValueError, "evidence", "'q'", "same classes"),
    (lambda: br.fit(counts_like(np.ones((2, 2, 2), int), entity=("a", "a"))), ValueError, "entity", "'a'", "once"),
    (lambda: br.fit(SETS.assign_coords(dataset=["x", "x"])), ValueError, "dataset", "'x'", "once"),
    # fit: options
    (fit(model="binomial"), KeyError, "model", "'binomial'", "beta_binomial"),
    (fit(model=["beta_binomial"]), KeyError, "model", "['beta_binomial']", "one of"),
    (lambda: br.fit(THREE, "beta_binomial"), ValueError, "model", "3", "two classes"),
    (fit(prior=-1), ValueError, "prior", "-1", "non-negative"),
    (fit(prior=NAN), ValueError, "prior", "nan", "finite"),
    (fit(prior=True), TypeError, "prior", "True", "a number"),
    (fit(prior="flat"), ValueError, "prior", "'flat'", "uniform"),
    (fit(prior=[1, 2, 3]), ValueError, "prior", "[1, 2, 3]", "(2, 2)"),
    (fit(prior=object()), TypeError, "prior", "object", "a number"),
    (fit(prior={"a": 1}), ValueError, "prior", "{'b'}", "every entity"),
    (fit(prior={"a": 1, "b": 1, "c": 1}), ValueError, "prior", "{'c'}", "every entity"),
    (fit(prior=by_entity([1.0], ["a"])), ValueError, "prior", "['a']", "every entity"),
    (fit(prior=by_entity([1.0, 2.0, 3.0])), ValueError, "prior", "3", "2 values"),
    (fit(prior=by_entity(["x", "y"])), TypeError, "prior", "U1", "numbers"),
    (fit(prior=VALUES), ValueError, "prior", "('draw', 'entity')", "dims among"),
    (fit(prevalence="known"), ValueError, "prevalence", "'known'", "'observed'"),
    (fit(prevalence=1.5), ValueError, "prevalence", "1.5", "between 0 and 1"),
    (fit(prevalence=NAN), ValueError, "prevalence", "nan", "between 0 and 1"),
    (fit(prevalence=[0.1, 0.2]), TypeError, "prevalence", "list", "DataArray"),
    (fit(prevalence=by_entity([0.1], ["a"])), ValueError, "prevalence", "['a']", "every entity"),
    (fit(prevalence=by_entity(["x", "y"])), TypeError, "prevalence", "U1", "numbers"),
    (fit(prevalence=xr.DataArray([0.1], dims="fold")), ValueError, "prevalence", "('fold',)", "dims among"),
    (fit(prevalence=xr.DataArray([0.1, 0.2], dims="draw")), ValueError, "prevalence", "2", "1000 along draw"),
    (fit(prevalence=xr.DataArray([0.3, 0.3], dims="actual")), ValueError, "prevalence", "0.6", "sum to 1"),
    (lambda: br.fit(THREE, prevalence=0.5), ValueError, "prevalence", "()", "dim actual"),
    (lambda: br.fit(br.from_counts(tn=0, fp=0, fn=0, tp=0)), ValueError, "evidence", "['entity 1']", "at least one case"),
    (fit(nuts={"tune": 100}), ValueError, "nuts", "'auto'", "sampler='nuts'"),
    (fit(nuts=3), TypeError, "nuts", "3", "mapping"),
    (fit(sampler="nuts", nuts={"draws": 5}), ValueError, "nuts", "['draws']", "arguments of fit"),
    (fit(prior=[["1", "2"], ["3", "4"]]), TypeError, "prior", "'1'", "number"),
    (fit(prior=np.True_), TypeError, "prior", "True", "number"),
    (fit(groups=[["prior"]]), ValueError, "groups", "[['prior']]", "any of"),
    (lambda: br.fit(None), TypeError, "evidence", "None", "DataArray"),
    (lambda: br.as_performance(POSTERIOR, kind=["new"]), ValueError, "kind", "['new']", "one of"),
    (lambda: br.fit(COUNTS.assign_coords(test_set=("entity", ["", ""]))), ValueError, "test_set", "''", "every entity"),
    (fit(model=dict), TypeError, "model", "dict lacks ['observed', 'build', 'performances']", "methods"),
    (fit(draws=0), ValueError, "draws", "0", "at least 1"),
    (fit(draws=10.0), TypeError, "draws", "10.0", "whole number"),
    (fit(chains=True), TypeError, "chains", "True", "whole number"),
    (fit(seed=-1), ValueError, "seed", "-1", "non-negative"),
    (fit(seed=1.5), TypeError, "seed", "float", "int"),
    (fit(sampler="gibbs"), ValueError, "sampler", "'gibbs'", "'nuts'"),
    (fit(tune=100), TypeError, "options", "['tune']", "nuts={...}"),
    (fit(groups="prior"), ValueError, "groups", "'prior'", "sequence"),
    (fit(groups=["priors"]), ValueError, "groups", "priors", "any of"),
    (fit(groups=3), ValueError, "groups", "3", "sequence"),
    (fit(force="yes"), TypeError, "force", "'yes'", "True or False"),
    (fit(shared_prevalence="no"), TypeError, "shared_prevalence", "'no'", "True or False"),
    (lambda: br.fit(br.from_counts(tn=5, fp=0, fn=1, tp=3), prior=0), ValueError, "prior", "count 0", "positive"),
    (fit(prior="haldane", groups=["prior"]), ValueError, "groups", "0", "improper"),
    (fit(prior="haldane", sampler="nuts"), ValueError, "prior", "0", "positive"),
    # performance
    (lambda: br.as_performance([0.1, 0.9]), TypeError, "source", "list", "DataArray"),
    (lambda: br.as_performance(VALUES), ValueError, "source", "('draw', 'entity')", "actual and predicted"),
    (lambda: br.as_performance(COUNTS * 1.0), ValueError, "source", "110", "sum to 1"),
    (lambda: br.as_performance(br.as_performance(COUNTS) / 2), ValueError, "source", "0.5", "sum to 1"),
    (lambda: br.as_performance(0.5 - br.as_performance(COUNTS)), ValueError, "source", "-0.2", "sum to 1"),
    (lambda: br.as_performance(-COUNTS), ValueError, "source", "-79", "no negative"),
    (lambda: br.as_performance(COUNTS.astype(str)), TypeError, "source", "U", "numbers"),
    (lambda: br.as_performance(POSTERIOR, kind="best"), ValueError, "kind", "'best'", "'typical'"),
    (lambda: br.as_performance(POSTERIOR, kind="pooled"), ValueError, "kind", "'pooled'", "'observed'"),
    (lambda: br.pool(br.from_counts(tn=1, fp=0, fn=0, tp=1)), ValueError, "counts", "('entity',", "dim dataset"),
    (lambda: br.pool(br.datasets.load("tornado"), join="outer"), ValueError, "join", "'outer'", "'inner'"),
    (lambda: br.pool([[1, 0], [0, 1]]), TypeError, "counts", "list", "DataArray"),
    (lambda: br.as_performance(POSTERIOR, kind="new"), ValueError, "source", "['performance', 'prevalence']", "performance_new"),
    (lambda: br.as_performance(COUNTS.to_dataset(name="counts")), ValueError, "source", "['counts']", "'performance'"),
    (lambda: br.scores.f1(THREE), ValueError, "source", "3", "two classes"),
    (lambda: br.scores.get("f7"), KeyError, "score", "'f7'", "catalog"),
    (lambda: br.scores.get(7), TypeError, "score", "int", "name"),
    (lambda: br.scores.as_score(7), TypeError, "score", "int", "function"),
    (lambda: br.scores.f_beta(-1), ValueError, "beta", "-1", "at least 0"),
    (lambda: br.scores.f_beta("2"), TypeError, "beta", "'2'", "number"),
    # prediction
    (lambda: br.posterior_predictive(POSTERIOR, size=0), ValueError, "size", "0", "at least 1"),
    (lambda: br.posterior_predictive(POSTERIOR, size=10.5), TypeError, "size", "10.5", "whole"),
    (lambda: br.posterior_predictive(POSTERIOR, size={"x": 1}), ValueError, "size", "['x']", "negative"),
    (lambda: br.posterior_predictive(br.as_performance(POSTERIOR)), ValueError, "size", "None", "must be given"),
    (lambda: br.posterior_predictive(xr.DataArray([0.2, 0.8], dims="outcome"), {"a": 5}), TypeError, "size", "{'a': 5}", "no classes"),
    # ranking
    (lambda: br.rank([1, 2]), TypeError, "source", "list", "DataArray"),
    (lambda: br.rank(VALUES.rename(entity="model")), ValueError, "source", "('draw', 'model')", "dim entity"),
    (lambda: br.rank(COUNTS), ValueError, "score", "('entity', 'actual', 'predicted')", "must be given"),
    (lambda: br.rank(COUNTS.to_dataset(name="performance")), ValueError, "score", "Dataset", "must be given"),
    (lambda: br.rank(COUNTS, "f1000"), KeyError, "score", "'f1000'", "one of"),
    (lambda: br.rank(VALUES, kind="observed"), ValueError, "kind", "'observed'", "None for values"),
    (lambda: br.rank(VALUES.astype(str)), TypeError, "source", "U", "numbers"),
    (lambda: br.rank(VALUES, method="dense"), ValueError, "method", "'dense'", "'average'"),
    (lambda: br.rank(VALUES, higher_is_better="yes"), TypeError, "higher_is_better", "'yes'", "True or False"),
    (lambda: br.rank(COUNTS, "prevalence"), ValueError, "higher_is_better", "None", "must be told"),
    (lambda: br.rank(br.scores.prevalence(COUNTS)), ValueError, "higher_is_better", "None", "must be given"),
    (lambda: br.rank(br.scores.fnr(COUNTS)), ValueError, "score", "None", "must be given"),
    (lambda: br.credible_ranking(VALUES, prob=1.0), ValueError, "prob", "1.0", "between 0 and 1"),
    (lambda: br.credible_ranking(VALUES, prob="95%"), TypeError, "prob", "'95%'", "a number"),
    (lambda: br.credible_ranking(VALUES, rope=-0.1), ValueError, "rope", "-0.1", "at least 0"),
    (lambda: br.credible_ranking(VALUES, rope=NAN), ValueError, "rope", "nan", "at least 0"),
    (lambda: br.credible_ranking(VALUES, rope=np.inf), ValueError, "rope", "inf", "finite"),
    (lambda: br.credible_ranking(VALUES / 0), ValueError, "source", "infinite", "finite or NaN"),
    (lambda: br.credible_ranking(VALUES.assign_coords(entity=["a", "a", "b"])), ValueError, "source", "1 repeated", "once"),
    (lambda: br.credible_ranking(VALUES.isel(draw=[])), ValueError, "source", "'draw': 0", "at least one"),
    (lambda: br.credible_ranking(VALUES.isel(entity=[])), ValueError, "source", "'entity': 0", "at least one"),
    (lambda: br.credible_ranking(VALUES.expand_dims(rank=2)), ValueError, "source", "'rank'", "must not"),
    # data sets and report
    (lambda: br.datasets.load("iris"), KeyError, "name", "'iris'", "antibody_tests"),
    (lambda: br.datasets.describe("iris"), KeyError, "name", "'iris'", "tornado"),
    (lambda: br.datasets.load_cases("tornado"), ValueError, "name", "'tornado'", "single cases"),
    (lambda: ranking_report(POSTERIOR, "f7"), KeyError, "score", "'f7'", "catalog"),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.parametrize(
    ("call", "error", "argument", "held", "wanted"), CASES, ids=[f"{i}-{c[2]}-{c[3]}" for i, c in enumerate(CASES)]
)
def test_refused_in_words(call, error, argument, held, wanted):
    with pytest.raises(error) as caught:
        call()
    message = str(caught.value.args[0])
    for part in (argument, held, wanted):
        assert part in message, f"{part!r} is not in: {message}"
    assert "\n" not in message
    assert type(caught.value) is error


def test_there_are_enough():
    assert len(CASES) >= 100
