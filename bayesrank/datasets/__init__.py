"""Example data sets, each with its provenance, licence and caveats."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from importlib import resources
from typing import Literal

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._checks import check_choice
from bayesrank.evidence.frames import from_frame
from bayesrank.evidence.outcomes import from_outcomes
from bayesrank.evidence.predictions import from_predictions, joint_outcomes

__all__ = ["describe", "load", "load_cases", "load_joint", "names"]


@dataclass(frozen=True)
class _DataSet:
    title: str
    description: str
    question: str
    licence: str
    citation: str
    caveats: str
    model: str
    file: str


_DATA_SETS = {
    "antibody_tests": _DataSet(
        "Independent evaluation of 108 COVID-19 antibody tests",
        "Each test was run on 30 antibody-positive and 80 antibody-negative samples of one of four panels. "
        "Three products were evaluated twice; their names carry the test_id. Coords: test_id, panel (the "
        "test set), status, antibody.",
        "Which antibody test tells antibody-positive from antibody-negative samples best?",
        "public domain (CC0 1.0)",
        "U.S. Food and Drug Administration, openFDA: Independent Evaluations of COVID-19 Serological Tests, 2020 on",
        "The samples are not a random sample of the population, and their numbers were set by design: they tell "
        "nothing of the prevalence. The panels differ. Nine tests made no error at all.",
        "beta_binomial",
        "antibody_tests.csv",
    ),
    "anomaly_detectors": _DataSet(
        "Numenta Anomaly Benchmark: 15 detectors on 58 time series",
        "Counts of records of each time series, at the thresholds of the benchmark's standard profile. "
        "Coord: group. The detector 'null' never fires.",
        "Which detector finds the anomalous records of a time series best?",
        "MIT, (c) 2014-2024 Numenta Inc.",
        "Ahmad, Lavin, Purdy, Agha (2017), Neurocomputing 262:134-147",
        "Records of one time series are autocorrelated, so counts overstate how much is known. Six series have "
        "no positives.",
        "dirichlet_multinomial",
        "nab_anomaly_detectors.csv",
    ),
    "utah_trees": _DataSet(
        "Presence of 13 tree species on 386 plots in Utah, predicted by three models",
        "Predicted present where the model's probability is above 1/2; load_cases has the probabilities. The data "
        "sets are the species.",
        "Which model predicts the presence of a tree species best?",
        "Unlimited (US government work)",
        "Moisen et al. (2006), Ecological Modelling 199:176-187",
        "Every model saw the same plots (a paired design), and the 13 species share them too.",
        "dirichlet_multinomial",
        "utah_trees_predictions.csv",
    ),
    "mnist_folds": _DataSet(
        "MLP and SVM on the MNIST digits, five folds",
        "Ten classes; the data sets are the folds.",
        "Which of the two classifiers recognises handwritten digits better?",
        "MIT, (c) 2025 Ivo Verhoeven",
        "Documentation of prob_conf_mat, 2025",
        "Both classifiers saw the same cases (a paired design), and the folds' training sets overlap.",
        "dirichlet_multinomial",
        "mnist_mlp_svm_folds.csv",
    ),
    "small_studies": _DataSet(
        "24 small published confusion matrices",
        "One entity a study, by its number; 7a is a cocaine-purity classifier and 7b its rival on the same samples.",
        "How much can small studies tell?",
        "CC BY 4.0",
        "Tötsch, Hoffmann (2021), PeerJ Computer Science 7:e398",
        "The studies asked different questions; their ranking is an exercise.",
        "dirichlet_multinomial",
        "toetsch_binary_classifiers.csv",
    ),
    "tornado": _DataSet(
        "Finley's tornado forecasts of 1884",
        "Finley's forecasts, and the forecast 'never a tornado'.",
        "Does Finley's forecast beat the forecast that there is never a tornado?",
        "public domain",
        "Finley (1884); Murphy (1996), Weather and Forecasting 11:3-20",
        "Both forecasts are for the same occasions (a paired design), which are not independent of each other.",
        "dirichlet_multinomial",
        "finley_tornado.csv",
    ),
    "breast_cancer": _DataSet(
        "Nine scikit-learn classifiers on the Wisconsin breast-cancer data",
        "Predictions of 569 patients by 10-fold cross-validation; 0 is malignant, 1 benign (the positive class). "
        "load_cases has labels and probabilities of every patient.",
        "Which classifier tells benign from malignant tumours best?",
        "counts ours; data UCI, CC BY 4.0",
        "Wolberg, Street, Mangasarian (1995)",
        "Every classifier saw the same patients (a paired design), and the folds' training sets overlap.",
        "dirichlet_multinomial",
        "breast_cancer_preds.csv",
    ),
    "langchain_tool_use": _DataSet(
        "Nine language models on 20 tool-use tasks",
        "1 where a model solved the task, 0 where not (load_cases, for from_outcomes). As counts, every task asks for "
        "the answer 'right' and none for 'wrong'.",
        "Which language model uses tools best, and can 20 tasks tell?",
        "MIT, (c) 2025 sambowyer (distributed with bayes_evals)",
        "LangChain benchmarks; Bowyer, Aitchison, Ivanova (2025), arXiv 2503.01747",
        "Every model met the same tasks (a paired design), which are very few. Models of one family resemble each "
        "other. Of the counts only the accuracy has a meaning.",
        "paired",
        "langchain_tool_use.csv",
    ),
    "livecodebench_execution": _DataSet(
        "LiveCodeBench: 37 language models predict the output of 479 programs",
        "Ten times the share of the runs that were right, mostly of 10 (one entry, 1.25, of 8), on 479 cases of 92 "
        "questions (load_cases, for from_outcomes with cluster='question'). As counts, a case is right where more than "
        "half of the runs were; every case asks for the answer 'right' and none for 'wrong'.",
        "Which language model foresees best what a program does?",
        "CC BY-SA 4.0, the authors of LiveCodeBench",
        "Jain et al. (2024), LiveCodeBench, arXiv 2403.07974",
        "Every model met the same cases (a paired design), and cases of one question resemble each other, so counts "
        "overstate how much is known. Models of one family resemble each other. Of the counts only the accuracy has a "
        "meaning.",
        "paired",
        "livecodebench_execution.csv",
    ),
    "imagenet_models": _DataSet(
        "1,555 image models on ImageNet and five test sets like it",
        "How many images each model (or model@image size) got right at the first guess: 1 is right, 0 wrong. The data "
        "sets are imagenet (50,000 images), real (its labels reassessed, 46,837), v2 (10,000), sketch (50,889), a "
        "(7,500 hard ones) and r (30,000 renditions). Coords: image_size in pixels, parameters in millions.",
        "Which model recognises images best, and how many of 1,555 can 10,000 images separate?",
        "Apache-2.0",
        "R. Wightman, PyTorch Image Models: results of all models on ImageNet and out-of-distribution test sets",
        "The imagenet column served to select models while they were trained, so it flatters them. Models of one "
        "family resemble each other, and so do entries of one model at several image sizes. Counts only: all models "
        "saw the same images (a paired design), but nothing tells which ones each got right. The counts are recovered "
        "from percentages with three decimals.",
        "dirichlet_multinomial",
        "imagenet_models.csv.gz",
    ),
    "ascus_hc2_repc": _DataSet(
        "Repeat cytology and HC2 for the triage of women with ASC-US cytology: ten studies",
        "Two tests, repeat cytology (RepC) and Hybrid Capture 2 (HC2), in ten studies that used both. The positive "
        "class is cervical intraepithelial neoplasia of grade 2 or worse (CIN2+).",
        "Which test finds CIN2+ better, and how much do the studies differ?",
        "published facts, laid out again",
        "Arbyn et al. (2013), Cochrane Database of Systematic Reviews CD008054; Nyaga, Arbyn, Aerts (2017), Journal of "
        "Statistical Software 82(1)",
        "Each study used both tests on women of its own, but the counts do not say how their errors overlap. One "
        "published copy has one false negative of HC2 in Solomon 2001; 11 is right.",
        "hierarchical_logit_normal",
        "ascus_hc2_repc.csv",
    ),
    "scheidler_lymph_imaging": _DataSet(
        "CT, MRI and lymphangiography for lymph-node metastases: 37 studies",
        "44 tables of three tests: computed tomography (CT), magnetic resonance imaging (MRI) and lymphangiography "
        "(LAG), in patients with cervical cancer. Seven studies used two tests.",
        "Which kind of imaging finds lymph-node metastases better, and how much do the studies differ?",
        "published facts, laid out again",
        "Scheidler, Hricak, Yu, Subak, Segal (1997), JAMA 278:1096-1101",
        "Most studies used one test, so the tests are compared across patients who differ. Many tables are small, and "
        "some have empty cells. One published copy has 11 false positives of MRI in Kim 1990; one is right.",
        "hierarchical_logit_normal",
        "scheidler_lymph_imaging.csv",
    ),
}

#: Number of images in each test set of imagenet_models.
IMAGES = {"imagenet": 50_000, "real": 46_837, "v2": 10_000, "sketch": 50_889, "a": 7_500, "r": 30_000}
#: Data sets with single cases.
CASES = ("utah_trees", "breast_cancer", "langchain_tool_use", "livecodebench_execution")


def names() -> list[str]:
    """Return the names of the example data sets.

    Examples
    --------
    >>> names()[0]
    'antibody_tests'
    """
    return list(_DATA_SETS)


def describe(name: str) -> dict[str, str]:
    """Describe a data set: title, description, question, licence, citation, caveats, model and file.

    Parameters
    ----------
    name : str
        One of :func:`names`.

    Raises
    ------
    KeyError
        If the name is unknown.

    Examples
    --------
    >>> describe("tornado")["licence"]
    'public domain'
    """
    return {"name": name, **asdict(_find(name))}


def load(name: str) -> xr.DataArray:
    """Load the counts of a data set.

    Parameters
    ----------
    name : str
        One of :func:`names`.

    Returns
    -------
    xarray.DataArray
        Integer ``counts`` (entity, [dataset], actual, predicted); for ``imagenet_models`` (entity, dataset, outcome).

    Raises
    ------
    KeyError
        If the name is unknown.

    Examples
    --------
    >>> load("antibody_tests").sizes["entity"]
    108
    """
    _find(name)
    return _LOADERS[name]()


def load_cases(name: str) -> pd.DataFrame:
    """Load the single cases of a data set as a table with one row for each case.

    Parameters
    ----------
    name : str
        One of ``utah_trees``, ``breast_cancer``, ``langchain_tool_use`` and ``livecodebench_execution``.

    Raises
    ------
    KeyError
        If the name is unknown.
    ValueError
        If the data set has counts only.

    Examples
    --------
    >>> len(load_cases("breast_cancer"))
    569
    """
    _find(name)
    if name not in CASES:
        raise ValueError(f"name must be a data set with single cases, one of {CASES}; got {name!r}")
    return _read(name)


def load_joint(name: str) -> xr.Dataset:
    """Load the joint outcomes of the cases of a data set, for the model ``"paired"``.

    Parameters
    ----------
    name : str
        A data set with single cases, as for :func:`load_cases`.

    Returns
    -------
    xarray.Dataset
        As from :func:`bayesrank.joint_outcomes` or, without classes, :func:`bayesrank.from_outcomes`. The data sets of
        ``utah_trees`` are its species, the clusters of ``livecodebench_execution`` its questions.

    Raises
    ------
    KeyError
        If the name is unknown.
    ValueError
        If the data set has counts only.

    Examples
    --------
    >>> load_joint("langchain_tool_use")["count"].sum().item()
    20
    """
    cases = load_cases(name)
    if name == "langchain_tool_use":
        return from_outcomes(cases)
    if name == "livecodebench_execution":
        return from_outcomes(cases.drop(columns="case"), cluster="question")
    if name == "utah_trees":
        observed, predicted = _presence(cases)
        labels = ["absent", "present"]
        return joint_outcomes(observed, predicted, labels=labels, dataset=cases["species"])
    return joint_outcomes(cases["y_true"], cases[_classifiers(cases)])


def _find(name: str) -> _DataSet:
    return _DATA_SETS[check_choice("name", name, names(), KeyError)]


def _read(name: str) -> pd.DataFrame:
    path = resources.files("bayesrank.datasets").joinpath("data", _DATA_SETS[name].file)
    packed: Literal["gzip"] | None = "gzip" if path.name.endswith(".gz") else None
    with path.open("rb") as file:
        # A detector is named "null", so only an empty field is a missing value.
        return pd.read_csv(file, keep_default_na=False, na_values=[""], encoding="utf-8", compression=packed)


def _counts(frame: pd.DataFrame, **columns: str) -> xr.DataArray:
    """Return counts from a table without single cases."""
    counts = from_frame(frame, **columns)
    assert isinstance(counts, xr.DataArray)
    return counts


def _antibody_tests() -> xr.DataArray:
    frame = _read("antibody_tests")
    repeated = frame["entity"].duplicated(keep=False)
    frame["entity"] = frame["entity"].where(~repeated, frame["entity"] + " (" + frame["test_id"] + ")")
    about = {c: ("entity", frame[c].to_numpy(dtype=object)) for c in ("test_id", "panel", "status", "antibody")}
    # Each panel is one set of samples.
    return _counts(frame).assign_coords(about | {"test_set": about["panel"]})


def _anomaly_detectors() -> xr.DataArray:
    frame = _read("anomaly_detectors")
    counts = _counts(frame, dataset="dataset")
    group = frame.drop_duplicates("dataset").set_index("dataset")["group"]
    return counts.assign_coords(group=("dataset", group[counts["dataset"].values].to_numpy(dtype=object)))


def _utah_trees() -> xr.DataArray:
    cases = _read("utah_trees")
    observed, predicted = _presence(cases)
    return from_predictions(observed, predicted, labels=["absent", "present"], dataset=cases["species"])


def _presence(cases: pd.DataFrame) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return the observed presence of species on each plot, and each model's predictions."""
    predicted = {m: np.where(cases[m] > 0.5, "present", "absent") for m in ("gam", "see5", "sgb")}
    return np.where(cases["observed"] == 1, "present", "absent"), predicted


def _mnist_folds() -> xr.DataArray:
    frame = _read("mnist_folds").rename(columns={"true": "actual", "pred": "predicted"})
    return _counts(frame, dataset="fold")


def _small_studies() -> xr.DataArray:
    frame = _read("small_studies")
    # Studies of one paper with equal class sizes share their cases.
    same = [frame["doi"], frame["tn"] + frame["fp"], frame["fn"] + frame["tp"]]
    test_set = frame["study"].groupby(same).transform(" and ".join)
    return _counts(frame, entity="study").assign_coords(test_set=("entity", test_set.to_numpy(dtype=object)))


def _tornado() -> xr.DataArray:
    return _counts(_read("tornado"), dataset="dataset")


def _breast_cancer() -> xr.DataArray:
    cases = _read("breast_cancer")
    return from_predictions(cases["y_true"], cases[_classifiers(cases)])


def _classifiers(cases: pd.DataFrame) -> list[str]:
    return [column for column in cases.columns if f"prob_{column}" in cases.columns]


def _langchain_tool_use() -> xr.DataArray:
    return _right_or_wrong(_read("langchain_tool_use") == 1)


def _livecodebench_execution() -> xr.DataArray:
    runs = _read("livecodebench_execution").drop(columns=["case", "question"])
    return _right_or_wrong(runs > 5)


def _imagenet_models() -> xr.DataArray:
    frame = _read("imagenet_models")
    each = [
        pd.DataFrame({"entity": frame["entity"], "dataset": name, "correct": right, "wrong": images - right})
        for name, images in IMAGES.items()
        for right in [frame[f"correct_{name}"]]
    ]
    about = {"image_size": ("entity", frame["img_size"]), "parameters": ("entity", frame["params_millions"])}
    return _counts(pd.concat(each), dataset="dataset").assign_coords(about)


def _meta_analysis(name: str) -> xr.DataArray:
    return _counts(_read(name), dataset="dataset")


def _right_or_wrong(right: pd.DataFrame) -> xr.DataArray:
    """Return counts of right and wrong answers, as predictions of cases that are all positive."""
    answers = {model: np.where(right[model], "right", "wrong") for model in right.columns}
    return from_predictions(["right"] * len(right), answers, labels=["wrong", "right"])


_LOADERS: dict[str, Callable[[], xr.DataArray]] = {
    "antibody_tests": _antibody_tests,
    "anomaly_detectors": _anomaly_detectors,
    "utah_trees": _utah_trees,
    "mnist_folds": _mnist_folds,
    "small_studies": _small_studies,
    "tornado": _tornado,
    "breast_cancer": _breast_cancer,
    "langchain_tool_use": _langchain_tool_use,
    "livecodebench_execution": _livecodebench_execution,
    "imagenet_models": _imagenet_models,
    "ascus_hc2_repc": partial(_meta_analysis, "ascus_hc2_repc"),
    "scheidler_lymph_imaging": partial(_meta_analysis, "scheidler_lymph_imaging"),
}
