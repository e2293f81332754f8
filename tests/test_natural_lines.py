"""Lines that users of scikit-learn type without reading the documentation: they work, or the error names the fix."""

# ruff: noqa: E501
import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, fbeta_score, make_scorer, matthews_corrcoef
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

import bayesrank as br
from bayesrank.integrations import sklearn as hooks


class Polars:
    """What polars' frames offer: columns by name, as arrays, and no index."""

    def __init__(self, columns):
        self.held, self.columns = columns, list(columns)

    def get_column(self, name):
        return pd.Series(self.held[name], name=name)


def namespace():
    X, y = make_classification(600, 8, n_informative=4, weights=[0.7], random_state=0)
    y = pd.Series(np.where(y == 1, "fraud", "ok"), name="label")
    X = pd.DataFrame(X, columns=[f"f{i}" for i in range(8)])
    X.index = y.index = [f"tx{i:05d}" for i in range(600)]
    Xtr, Xte, ytr, yte = train_test_split(X, y, test_size=0.5, stratify=y, random_state=1)
    old, new = (
        LogisticRegression().fit(Xtr, ytr),
        DecisionTreeClassifier(max_depth=4, random_state=0).fit(Xtr, ytr),
    )
    po, pn, qo, qn = (
        old.predict(Xte),
        new.predict(Xte),
        old.predict_proba(Xte),
        new.predict_proba(Xte),
    )
    models, ynum = {"old": old, "new": new}, (yte == "fraud").astype(int)
    ev = br.from_estimators(models, Xte, yte, positive="fraud")
    post = br.fit(ev, seed=1)
    tools = {name: getattr(hooks, name) for name in hooks.__all__} | {
        "np": np,
        "pd": pd,
        "br": br,
        "partial": partial,
    }
    tools |= {
        "f1_score": f1_score,
        "fbeta_score": fbeta_score,
        "matthews_corrcoef": matthews_corrcoef,
    }
    tools |= {
        "make_scorer": make_scorer,
        "LogisticRegression": LogisticRegression,
        "Polars": Polars,
    }
    tools |= {
        "Xte": Xte,
        "yte": yte,
        "ynum": ynum,
        "old": old,
        "new": new,
        "models": models,
        "ev": ev,
        "post": post,
    }
    tools |= {
        "po": po,
        "pn": pn,
        "qo": qo,
        "qn": qn,
        "pos": 0,
        "rk": br.credible_ranking(post, "f1"),
    }
    preds = pd.DataFrame({"old": po, "new": pn})
    tools |= {"preds": preds, "predsi": preds.set_index(yte.index)}
    tools["long"] = pd.DataFrame(
        {
            "model": ["a"] * 50 + ["b"] * 50,
            "case": [*range(50)] * 2,
            "correct": [1] * 40 + [0] * 10 + [1] * 30 + [0] * 20,
        }
    )
    tools["wide"] = pd.DataFrame({"a": [1] * 40 + [0] * 10, "b": [1] * 30 + [0] * 20})
    return tools


@pytest.fixture(scope="module")
def tools():
    return namespace()


def outcome_of(line, tools):
    """Return "works", "refused" if the package's own error has a fix or says what is wanted, or "raw"."""
    try:
        with warnings.catch_warnings(action="ignore"):
            eval(line, dict(tools))
    except br.ArgumentError as error:
        return "refused", str(error)
    except Exception as error:
        return "raw", f"{type(error).__name__}: {error}"
    return "works", ""


WORKS = """
br.from_predictions(yte,{'old':po,'new':pn},positive='fraud',sample_weight=np.ones(len(yte)))
br.from_predictions(yte,{'old':po,'new':pn},positive='fraud',weights=np.ones(len(yte)))
br.from_predictions(yte,{'old':po,'new':pn},positive='fraud',weight=np.ones(len(yte)))
br.analyze(ev, 'f1')
br.analyze(ev)
br.analyze(yte, {'old': po, 'new': pn}, 'f1', pos_label='fraud')
br.analyze(yte, {'old': po, 'new': pn}, f1_score, positive='fraud', sample_weight=np.ones(len(yte)))
br.analyze(yte, {'old': qo[:, pos], 'new': qn[:, pos]}, 'roc_auc', positive='fraud')
br.analyze(yte, preds, 'mcc', positive='fraud').differences
br.analyze(long, 'accuracy').table
br.analyze(wide).verdict
br.analyze(pd.DataFrame({'model': ['a', 'b'], 'correct': [80, 90], 'total': [100, 100]}), random_state=1).notes
br.analyze('breast_cancer', 'f1').plot()
br.analyze(ev, 'f1').report('out.html')
br.analyze(ev, 'f1', model='paired', rope=0.01)
compare_estimators(models, Xte, yte, 'f1', positive='fraud').verdict
compare_estimators([('old', old), ('new', new)], Xte, yte, make_scorer(f1_score, pos_label='fraud')).table
compare_estimators(models, Xte, yte, 'roc_auc', pos_label='fraud').differences
compare_estimators(models, Xte, yte, 'balanced_accuracy', cv=3, positive='fraud')
compare_estimators(models, Xte, yte, 'neg_brier_score', positive='fraud')._repr_html_()
RankingDisplay.from_estimators(models, Xte, yte, score='f1', positive='fraud')
RankingDisplay.from_predictions(yte, {'old': po, 'new': pn}, score='mcc', positive='fraud').plot()
CredibleRocDisplay.from_estimators(models, Xte, yte, positive='fraud')
CredibleRocDisplay.from_predictions(yte, {'old': qo, 'new': qn}, positive='fraud').ax_
CredibleCalibrationDisplay.from_estimators(models, Xte, yte, positive='fraud', strategy='uniform')
br.joint_outcomes(yte, [po, pn], positive='fraud')
br.joint_outcomes(yte, [('old', po), ('new', pn)], positive='fraud')
br.joint_outcomes(yte, po, pos_label='fraud')
br.from_estimators(old, Xte, yte, positive='fraud')
br.from_estimators([old, new], Xte, yte, positive='fraud')
br.from_probabilities(yte, [('old', qo[:, pos]), ('new', qn[:, pos])], pos_label='fraud')
br.fit(ev, rng=np.random.default_rng(1))
br.fit(ev, random_seed=3, chains=2, draws=100)
br.credible_ranking(post, make_scorer(f1_score))
br.credible_ranking(post, make_scorer(fbeta_score, beta=2))
br.credible_ranking(post, partial(fbeta_score, beta=0.5))
br.credible_ranking(post, 'f1', ci_prob=0.9)
br.credible_ranking(post, matthews_corrcoef)
br.credible_ranking(post, metric='f1')
br.probability(rk, 'new > old')
br.probability(post, 'new > old + 0.01', 'f1')
br.plots.forest(post, 'f1')
br.plots.superiority(post, 'f1')
br.plots.score_differences(post, 'f1')
br.plots.roc_curve(br.from_probabilities(yte, {'old': qo[:, pos]}, positive='fraud'))
br.decisions.expected_utility(post, {'fp': -1, 'fn': -20})
br.verdict(br.decisions.noninferiority(post, 'old'))
br.ops.best_threshold(yte, {'old': qo[:, pos]}, {'fp': -1, 'fn': -20}, pos_label='fraud', random_state=1)
br.from_predictions(yte,po)
br.from_predictions(yte,{'old':po,'new':pn})
br.from_predictions(yte,{'old':po,'new':pn},positive='fraud')
br.joint_outcomes(yte,preds,positive='fraud')
br.joint_outcomes(yte.to_numpy(),predsi,positive='fraud')
br.joint_outcomes(list(yte),{'old':list(po),'new':list(pn)},positive='fraud')
br.joint_outcomes(yte,np.column_stack([po,pn]),positive='fraud')
br.joint_outcomes(yte,{'old':po,'new':pn},positive='Fraud')
br.from_estimators(models,Xte,yte,positive='fraud')
br.from_estimators([('old',old),('new',new)],Xte,yte,positive='fraud')
br.from_estimators(models,Xte,yte,positive='fraud',sample_weight=np.ones(len(yte)))
br.fit(br.from_estimators(models,Xte,yte,positive='fraud'),seed=1)
br.fit(br.from_estimators(models,Xte,yte,positive='fraud'),random_state=1)
br.credible_ranking(br.fit(br.from_estimators(models,Xte,yte,positive='fraud'),seed=1),'f1').to_dataframe()
br.verdict(br.credible_ranking(br.fit(br.from_estimators(models,Xte,yte,positive='fraud'),seed=1),'f1'))
br.from_probabilities(yte,{'old':qo[:,1],'new':qn[:,1]},positive='fraud')
br.from_probabilities(yte,qo[:,pos],positive='fraud')
br.verdict(br.credible_ranking(br.fit(br.from_probabilities(yte,{'old':qo[:,pos],'new':qn[:,pos]},positive='fraud'),seed=1),'average_precision'))
br.verdict(br.credible_ranking(br.fit(br.from_probabilities(yte,{'old':qo,'new':qn},positive='fraud'),seed=1),'roc_auc_score'))
br.fit(br.from_estimators(models,Xte,yte,positive='fraud'),'bayesian_bootstrap',seed=1)
br.ops.best_threshold(yte,{'old':qo[:,pos],'new':qn[:,pos]},'f1',positive='fraud',seed=1)
br.ops.best_threshold(yte,{'old':qo[:,pos],'new':qn[:,pos]},{'tn':0,'fp':-1,'fn':-20,'tp':0},positive='fraud',seed=1)
br.ops.best_threshold(br.from_estimators(models,Xte,yte,positive='fraud'),'f1',seed=1)
br.from_counts(tn=50,fp=2,fn=3,tp=10)
br.probability(br.fit(br.from_estimators(models,Xte,yte,positive='fraud'),seed=1),'new > old','f1')
br.probability(br.fit(br.from_estimators(models,Xte,yte,positive='fraud'),seed=1),'new > old + 0.02','f1')
br.probability(br.credible_ranking(br.fit(br.from_estimators(models,Xte,yte,positive='fraud'),seed=1),'f1'),'new > old')
br.joint_outcomes(yte,{'old':po,'new':pn},positive='fraud',count=np.where(yte=='fraud',1,2))
rk.attrs.keys()
br.plots.score_differences(post,'f1')
br.ranking_table(rk).T
br.ranking_table(rk).to_csv()[:200]
post.posterior
br.score_table(post,['f1','recall','precision','mcc'])
br.score_table(post,['f1','recall','precision','mcc']).to_dataframe()
float(br.probability(post,'new > old','f1').probability)
br.verdict(br.decisions.expected_utility(post,{'tn':0,'fp':-1,'fn':-20,'tp':0}))
br.decisions.expected_utility(post,{'fp':-1,'fn':-20})
br.verdict(br.decisions.noninferiority(post,'old'))
br.from_outcomes(pd.DataFrame({'old':(po==yte),'new':(pn==yte)}))
br.credible_ranking(post,'f1',ci_prob=.9)
br.credible_ranking(post,f1_score)
br.credible_ranking(post,'F1')
br.credible_ranking(post,'f1_score')
br.fit(ev,chains=2,draws=500,seed=1)
br.analyze(yte,{'old':po,'new':pn},score='f1',positive='fraud')
br.joint_outcomes(Polars({'old': list(yte)}).get_column('old'), Polars({'old': po, 'new': pn}), positive='fraud')
""".strip().splitlines()

#: Lines that have two readings or none, and words of the error.
REFUSED = {
    "br.analyze('brest_cancer')": "); got 'brest_cancer' (did you mean 'breast_cancer'?",
    "br.analyze(post, 'f1')": "br.verdict(br.credible_ranking(posterior, 'f1'))",
    "br.analyze(models, Xte, yte)": "bayesrank.integrations.sklearn.compare_estimators(estimators",
    "compare_estimators({'old': LogisticRegression(), 'new': new}, Xte, yte, 'f1', positive='fraud')": "fit it before, or pass cv= for out-of-fold predictions",
    "compare_estimators(models, Xte, yte, 'f1')": "positive='ok' or positive='fraud' says which",
    "CredibleRocDisplay.from_predictions(yte, qo[:, pos], positive='fraud', pos_label='fraud')": "positive must be given once; got positive= and a synonym of ",
    "CredibleCalibrationDisplay.from_predictions(yte, {'old': qo[:, pos]}, positive='fraud', strategy='kmeans')": "strategy must be one of ['quantile', 'uniform']; got 'kmeans",
    "br.from_predictions(yte.to_numpy(), np.column_stack([po, pn]).T, positive='fraud')": "2, 300) (predictions.T has one",
    "br.from_predictions(yte, pn, sample_wieght=np.ones(len(yte)))": "did you mean weight=?",
    "br.from_estimators(models, Xte)": "br.from_estimators(estimators, X, y)",
    "br.fit(ev, n_chains=2)": "did you mean chains=?",
    "br.credible_ranking(post, {'fp': -1, 'fn': -20})": "br.importance(fp=-1, fn=-20) weighs outcomes; br.decisions.e",
    "br.plots.calibration(yte, qo)": "did you mean br.plots.calibration_curve?",
    "br.verdict(post)": "br.verdict(br.credible_ranking(posterior, 'f1')) ranks it by",
    "br.rank_models(post)": "did you mean br.credible_ranking?",
    "br.score_table(post, ['f1', 'recall', f1_score])": "scores must name each score once; got ['f1', 'tpr', 'f1']",
    "br.from_counts(tn=[50, 51], fp=[2, 1], fn=[3, 2], tp=[10, 11], names=['old', 'new'])": "did you mean entity=?",
    "br.compare(old,new,Xte,yte)": "bayesrank.integrations.sklearn.compare_estimators({'old': ol",
    "br.joint_outcomes(yte,models,positive='fraud')": ") (br.from_estimators(estimators, X, y) predicts with them",
    "br.joint_outcomes(yte,{'old':po,'new':pn},positive=1)": "positive must be one of the classes ['fraud', 'ok']; got 1",
    "br.verdict(br.fit(br.from_estimators(models,Xte,yte,positive='fraud'),seed=1))": "br.verdict(br.credible_ranking(posterior, 'f1')) ranks it by",
    "br.verdict(br.credible_ranking(br.fit(br.from_probabilities(yte,{'old':qo[:,pos],'new':qn[:,pos]},positive='fraud'),seed=1),'ece'))": "); got 'ece', a function of predicted probabilities that is ",
    "br.rank(pd.DataFrame({'old':[.9,.91,.92,.9,.89],'new':[.92,.93,.91,.92,.9]}))": "br.analyze(frame) fits and ranks a table; scores of folds ne",
    "br.from_matrix([[50,2],[3,10]])": "br.from_matrix(matrix, orientation); orientation: 'actual_ro",
    "br.from_matrix({'old':[[50,2],[3,10]],'new':[[49,3],[1,12]]})": "br.from_matrix(matrix, orientation); orientation: 'actual_ro",
    "br.fit(br.from_estimators(models,Xte,yte),'bayesian_bootstrap',seed=1)": "positive='ok' or positive='fraud' says which",
    "br.credible_ranking(br.fit(br.from_estimators(models,Xte,yte),seed=1),'f1')": "positive='ok' or positive='fraud' says which",
    "br.score_posterior(post,'f1')": "counts must be a DataArray, as made by br.from_counts; got ",
    "br.plots.reliability(yte,qo)": "did you mean br.plots.calibration_curve?",
    "br.joint_outcomes(ynum,{'old':(qo[:,pos]),'new':(qn[:,pos])})": "predictions['old'] must contain labels, not probabilities (set ",
    "br.joint_outcomes(ynum,{'old':np.where(qo[:,pos]>.5,'1','0')})": "rename its labels to those of y_true",
    "br.credible_ranking(post,'f1',hdi_prob=.9)": "did you mean prob=?",
    "br.credible_ranking(post,'fbeta')": "score must be a member of its family, br.scores.f_beta(beta)",
    "br.credible_ranking(post,'auc_roc')": ") for 2 classes; got 'auc_roc', a score of predicted probabi",
    "br.plots.forest(post)": "pass one, such as 'f1'",
    "br.plots.winner_tile(post)": "br.plots.credible_tile(br.tile.credible(posterior)) draws a ",
}


@pytest.mark.parametrize("line", WORKS)
def test_a_natural_line_works(line, tools, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert outcome_of(line, tools) == ("works", "")


@pytest.mark.parametrize("line", REFUSED)
def test_an_error_names_the_fix(line, tools, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    kind, message = outcome_of(line, tools)
    assert kind == "refused"
    assert REFUSED[line] in message


def test_at_least_seven_of_ten_lines_work():
    assert len(WORKS) + len(REFUSED) > 90
    assert len(WORKS) >= 0.7 * (len(WORKS) + len(REFUSED))
