"""The table of roles: what a column may mean, and every heading and word by which a reader knows it or asks.

A role is one option and one argument of the same name. It is filled without being named only by a
standard heading. Other headings only make a reader ask. Headings are written as
:func:`bayesrank.io.tables.columns.squeeze` returns them: case, blanks, hyphens and underscores do
not count. Tables, logs, submissions and the help read these lists, and no other module has lists of
its own.
"""

import re
from typing import NamedTuple

#: Options of the command that have other names than the arguments of Python.
OPTIONS = {"dataset": "dataset-column", "covariates": "covariate"}
CELLS = ("tn", "fp", "fn", "tp")


def _cell(right: str, sign: str) -> tuple[str, ...]:
    """Return the headings of a cell, such as tp, true positives, true pos., TP (n)."""
    cell = right[0] + sign[0]
    words = (f"{right}{sign}", f"{right}{sign}s", f"{right}{sign[:3]}", f"{right}{sign[:3]}s")
    return (cell, *words, f"{cell}s", f"n{cell}", f"{cell}n", f"{cell}count")


def _words(text: str) -> tuple[str, ...]:
    """Return the words of a text, in its order."""
    return tuple(text.split())


def _word_set(text: str) -> set[str]:
    """Return the words of a text whose order does not matter."""
    return set(text.split())


# --- Headings that fill a role without being named ----------------------------------------

#: The first heading of each role is its name.
STANDARD: dict[str, tuple[str, ...]] = {
    **{
        f"{right[0]}{sign[0]}": _cell(right, sign)
        for right in ("true", "false")
        for sign in ("negative", "positive")
    },
    "actual": _words("""
    actual ytrue truelabel trueclass truth groundtruth gold goldlabel goldstandard
    actuallabel actualclass referencestandard ytest yactual
"""),
    "predicted": _words("""
    predicted ypred prediction pred predictedlabel predictedclass predlabel predclass yhat
    predictionlabel
"""),
    "count": ("count", "counts", "frequency", "freq"),
    "correct": ("correct", "ncorrect", "numcorrect", "right", "correctanswers"),
    "wrong": ("wrong", "incorrect", "nwrong", "nincorrect", "numincorrect", "wronganswers"),
    "total": ("total", "n", "ntotal", "numtotal", "ncases", "trials"),
    "mean": ("mean", "meanoutcome", "meanscore", "average", "avg"),
    "se": ("se", "stderr", "stderror", "standarderror", "sem"),
    "lower": _words("""
    lower cilower lowerci lowerbound cilow lcl lower95 ci95lower 95cilower
"""),
    "upper": _words("""
    upper ciupper upperci upperbound cihigh ucl upper95 ci95upper 95ciupper
"""),
    "probability": _words("""
    probability prob proba yprob yproba yscore predictedprobability decisionvalue
"""),
    "outcome": _words("outcome iscorrect score result passed success grade"),
    "entity": ("entity",),
    "case": ("case", "caseid", "casename"),
    "run": ("run", "runid"),
    "training_seed": ("trainingseed", "trainseed"),
    "dataset": _words("dataset datasetname datasetid study studyname studyid keydataset"),
    "cluster": ("cluster", "clusterid"),
    "fold": ("fold",),
    "repeat": ("repeat",),
    "a": ("modela", "model1", "playera", "player1"),
    "b": ("modelb", "model2", "playerb", "player2"),
    "winner": ("winner",),
}
#: The headings of entities in the singular; each may end in name, id or s. Used if there is no
#: other candidate.
ENTITY_WORDS = _words("""
    model classifier system detector algorithm alg method name team test center centre
    submission participant player site hospital laboratory lab agent rater reader annotator
    estimator approach assay kit tool llm competitor learner scheme wflow workflow
    experiment indextest marker biomarker
""")
ENTITY_NAMES = {
    f"{name}{ending}" for name in ENTITY_WORDS for ending in ("", "name", "id", "s")
} | {"keyscheme"}


class Role(NamedTuple):
    """What a column means: the name of its argument, what the help says, and headings that fill it unasked."""

    name: str
    text: str
    headings: tuple[str, ...] = ()
    #: What is typed, if not the name of a column.
    metavar: str = ""

    @property
    def option(self) -> str:
        """Return the option of the command."""
        return f"--{OPTIONS.get(self.name, self.name).replace('_', '-')}"


#: Roles of tables of cases, counts, means and votes.
TABLE = tuple(
    Role(name, text, STANDARD.get(name, ()) if name != "entity" else ())
    for name, text in (
        (
            "entity",
            "The column that names the entities, or several, such as model,variant. [default: entity, model, team, "
            "test, ...]",
        ),
        (
            "dataset",
            "The column that names the data sets, or several, such as suite,task. [default: dataset]",
        ),
        ("case", "The column that names the cases, or the questions of votes. [default: case]"),
        ("run", "The column that names the runs of a case. [default: run]"),
        (
            "training_seed",
            "The column with the training seed of the model; ranks over retrained models.",
        ),
        (
            "cluster",
            "The column that names the cluster of each case, or the voter of each vote. [default: cluster]",
        ),
        ("count", "The column that says how many cases a row stands for."),
        ("weight", "The column with importance (survey) weights of cases."),
        (
            "outcome",
            "The column with the outcomes of cases, the scores of folds, or the means beside --se, of any name.",
        ),
        (
            "predicted",
            "The column with the predicted labels, beside that of the truth. [default: predicted]",
        ),
        (
            "probability",
            "The column with the probability of the positive class. [default: probability]",
        ),
        (
            "correct",
            "The column with the number of right answers, beside --wrong or --total. [default: correct]",
        ),
        ("wrong", "The column with the number of wrong answers. [default: wrong]"),
        (
            "total",
            "The column with the number of all answers, or of the cases of a mean. [default: total]",
        ),
        ("se", "The column with the standard error of each mean. [default: se]"),
        (
            "lower",
            "The column with the lower end of the 95% interval of each mean. [default: lower]",
        ),
        (
            "upper",
            "The column with the upper end of the 95% interval of each mean. [default: upper]",
        ),
        ("a", "Votes: the column with the first entity. [default: model_a]"),
        ("b", "Votes: the column with the second entity. [default: model_b]"),
        ("winner", "Votes: the column with the winner. [default: winner]"),
    )
)
#: The roles of the cells of a confusion matrix.
MATRIX = tuple(
    Role(name, f"The column of {what}.", STANDARD[name], "COLUMN")
    for name, what in zip(
        CELLS,
        ("true negatives", "false positives", "false negatives", "true positives"),
        strict=True,
    )
)
#: The roles of a table of scores of folds.
FOLDS = (
    Role(
        "fold", "Scores of cross-validation: the column with the folds.", STANDARD["fold"], "COLUMN"
    ),
    Role(
        "repeat", "Scores of cross-validation: the column with the repetitions.", STANDARD["repeat"]
    ),
    *(
        Role(
            name,
            f"Scores of cross-validation: the number, or the share, of {what} cases of each split.",
            (),
            "NUMBER|COLUMN",
        )
        for name, what in (("train", "training"), ("test", "test"))
    ),
)


def standard_headings() -> dict[str, tuple[str, ...]]:
    """Return the headings that fill each role without being named, the role's own name first."""
    order = [*(role.name for role in (*TABLE, *MATRIX, *FOLDS)), *STANDARD]
    ordered = {name: STANDARD[name] for name in order if name in STANDARD}
    return ordered | {"entity": ("entity", *sorted(ENTITY_WORDS))}


# --- Headings that make a reader ask ----------------------------------------

#: Cases, in tables with one row for each entity and case: used there if only one such column fits.
LONG_CASE_NAMES = {
    f"{name}{ending}"
    for name in _words("""
    question item sample example instance task problem doc document image segment seg case
    subject patient datasetitem row
""")
    for ending in ("", "id")
} - {"case", "caseid"} | {"id", "qid", "uid", "uuid", "rowindex", "recordid"}
#: The truth beside answers, which have no entity of that name: label, d, biopsy, human.
TRUTH_NAMES = _word_set("""
    label target y class d t gt gs ref refstd refstandard reference standard true real
    expected disease diseased diseasestatus status condition diagnosis event biopsy
    histology histopathology pathology autopsy culture cad pcr infected infection human
    humanlabel expert consensus annotation verified groundtruthlabel finaldiagnosis answer
""")
#: Words of headings that may hold the truth beside others, as in final_diagnosis.
TRUTH_WORDS = _word_set("""
    truth true actual gold groundtruth reference diagnosis disease diseased biopsy cancer
    carcinoma malignant malignancy tumor tumour sick histology pathology autopsy
""")
#: The truth beside predictions of one classifier, in caret's confusion matrices and resampled
#: predictions.
REFERENCES = {"reference", "obs"}
#: Folds of a cross-validation, by heading and by value, as in Fold03 and Fold03.Rep1.
FOLD_NAMES = _word_set("""
    fold foldid foldnumber foldno cvfold outerfold kfold split splitid resample keyfold
    iteration iter
""")
FOLD_VALUES = re.compile(
    r"(?i)(fold|resample|split|bootstrap|boot)[ _.-]?\d+([ _.-]?rep(eat)?[ _.-]?\d+)?"
)
#: Several rows of a case, or repetitions of a cross-validation.
REPEATS = _word_set("""
    seed randomseed seedid repeat repetition rep replicate trial epoch fit init keyrun
""")
#: Importance weights of cases.
WEIGHT_NAMES = _word_set("""
    w wt weight weights pweight caseweight sampleweight importance surveyweight
""")
#: Voters, and questions of votes.
VOTERS = {
    f"{name}{ending}"
    for name in _words("voter user judge rater annotator evaluator labeler participant worker")
    for ending in ("", "id", "name")
}
QUESTIONS = {
    f"{name}{ending}"
    for name in ("question", "prompt", "item", "task", "instruction")
    for ending in ("", "id")
} | {"qid"}
#: Columns with people, or with what is taken from them.
PEOPLE = _word_set("""
    patient sample subject person participant individual specimen donor woman child infant
""")
#: Studies by their authors, which are data sets of one test where no column names a test.
AUTHORS = {"author", "authors", "firstauthor", "publication"}
#: Groups of cases, in logs.
CATEGORIES = _words("""
    category subject subtask topic domain difficulty level type language subset task_family
    repo
""")
#: Columns that are not entities in a table with one column for each: names and groups of cases, and
#: costs.
METADATA = LONG_CASE_NAMES | _word_set("""
    index idx row rownumber no nr number key hash fold group patient subject
    seed split label target y class category level difficulty date timestamp
    epoch step batch prompt answer language source comment remark note notes
    correct wrong iscorrect passed outcome prediction predicted expected output
    total sum mean average avg median std sd score result n count time age
    keydataset keyrun keyfold keyscheme
""")
#: Words before a number or a letter, as in test1 or rater_b, beside those of entities.
NUMBERED = _word_set("""
    judge device scanner observer reviewer expert radiologist pathologist doctor
""")
#: Tests, whose 0 and 1 may be results; so may those of people.
TESTS = re.compile(
    r"(?<![A-Za-z])([Tt]est|TEST|[Aa]ssay|ASSAY|PCR|pcr|ELISA|[Aa]ntigen|[Ss]wab)s?(?![a-z])"
)
#: Names that a tool gives to columns without any, as MATLAB, R and spreadsheets do.
NAMELESS = re.compile(r"(?i)(var|v|column|col|field)_?\d+")
#: Columns beside means over the folds of a cross-validation, as tidymodels writes them.
OVER_RESAMPLES = {".estimator", ".config"}
#: Words that mark a column as a cost, as in "latency (ms)" or total_tokens.
COSTS = _word_set("""
    latency token tokens second seconds cost runtime duration elapsed price usd
""")
#: Headings of standard errors, such as acc_stderr.
SE_NAMES = re.compile(r"(?<![a-z])(stderr|std_err(or)?|se|sem|standard[ _]error)$", re.I)
#: The column with the metric, in a table with a row for each of several metrics.
METRIC_NAMES = {"metric", "metricname"}
#: Headings of columns that name what was measured in other files: none names a system.
METRIC_HEADINGS = {
    f"{name}{end}"
    for name in ("metric", "measure", "score", "criterion")
    for end in ("", "s", "name")
}
#: Names of scores, which lack the number of cases.
RATES = _words("""
    accuracy acc sensitivity specificity precision recall f1 fscore auc auroc roc tpr tnr
    fpr fnr ppv npv mcc kappa support rate percent winrate passrate fmeasure auprc map bleu
    rouge em exactmatch top1 top5 balancedaccuracy dice iou jaccard dsc hd95 asd assd nsd
    ndcg mrr logloss aucpr rmse mse mae ece brier perplexity faithfulness relevancy
    relevance correctness groundedness toxicity bias hallucination loss error ce kap wer cer
    fid chrf meteor
""")
#: Scores whose fractions are counts.
SENSITIVITIES = ("sensitivity", "sens", "tpr", "truepositiverate", "recall", "se")
SPECIFICITIES = ("specificity", "spec", "tnr", "truenegativerate", "sp")
ACCURACIES = ("accuracy", "acc", "correct", "passrate", "successrate", "score")
#: Words that qualify the name of a score: mean accuracy, F1 macro avg, context precision,
#: val/box_loss.
QUALIFIERS = _word_set("""
    mean avg average macro micro weighted balanced box cls obj seg context class
    answer val valid validation test train top score metrics metric position rank rate match
    exact classif regr b m none overall total win area under curve percent pct statistic
    similarity coefficient index entity recall
""")
#: Words in names of metrics; metrics name no systems.
METRIC_WORDS = re.compile(
    r"(?i)(^|[^a-z])(acc|accuracy|success(es)?|rewards?|scores?|loss(es)?|f1|precision|recall|auc|auroc|bleu|rouge|"
    r"mae|mse|rmse|mcc|perplexity|latency|costs?|tokens|seconds|returns?|errors?|lengths?|correct|exact_match|"
    r"pass([@_ ]?\d+)?|passed)([^a-z]|$)"
)
#: Words in headings of outcomes that may be good when they are low.
LOW_IS_GOOD = re.compile(
    r"(?<![a-z])(errors?|err|loss(es)?|times?|costs?|ranks?|rmse|mse|mae|perplexity|distances?|hausdorff|hd95|hd|assd"
    r"|masd|brier|wer|cer|eer|ece|fid|ce)(?![a-z])",
    re.I,
)
#: Columns of scikit-learn's cv_results_ and cross_validate.
FOLD_SCORES = re.compile(
    r"(mean|std|rank|split\d+)_((fit|score)_time|(test|train)_\w+)|(fit|score)_time|params?_?\w*__\w+"
)
#: Names of rows that sum up others, which confirm an agreement that may be due to chance, such as
#: that of small counts.
TOTALS = {"grand total", "macro avg", "weighted avg"} | _word_set("""
    total totals sum all overall average mean accuracy
    summe gesamt durchschnitt mittelwert mittel suma media promedio somme
    moyenne totale somma soma média totaal gemiddelde итого среднее 合計 平均 总计
""")

# --- Beginnings of names in logs of no known format, for proposals alone ----------------------------------------

PROPOSED = {
    "case": (
        *sorted(LONG_CASE_NAMES),
        *_words("case prompt ticket challenge idx index test ref"),
    ),
    "entity": _words("""
    system model agent engine llm candidate team method assistant submission solver
    checkpoint net player by name entity bot policy generator
"""),
    "outcome": _words("""
    score acc correct iscorrect isright right ok pass passed success grade reward solved hit
    win credit points outcome outcomes verdict exactmatch accepted value preference resolved
    isresolved issolved dice jaccard iou dsc
"""),
    "dataset": ("benchmark", "dataset", "task", "suite", "subset"),
    "run": _words("try run attempt trial seed repeat epoch sample turn"),
}
