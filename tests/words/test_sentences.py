"""Notes in words: the sentence of each code, and that every note of the package has one."""

import ast
import inspect
from collections import defaultdict
from functools import cache
from pathlib import Path
from string import Formatter

import pytest
import xarray as xr

import bayesrank as br
from bayesrank._core.notes import Note, notes_of, notes_text
from bayesrank.claims.caps import CAPS
from bayesrank.words.caveats import Caveat
from bayesrank.words.sentences import caveat_of, say, sentences
from tests.source import files_naming
from tests.told import notes_in

FOLDER = Path(br.__file__).parent
#: Every code of a note that has a sentence.
CODES = {*sentences(), *(code for code, cap in CAPS.items() if cap.sentence)}
#: Fields of what was read.
READ = {
    "entities": 6,
    "noun": "model",
    "cases": 400,
    "fewest": 349,
    "most": 349,
    "runs": 0,
    "classes": 3,
    "datasets": 1,
    "missing": "common",
    "source": "x.csv",
    "ignored": ["comment"],
    "dropped": [{"what": "cases", "number": 51, "total": 400, "reason": "not_common"}],
}
#: The rows of evaluation logs.
OF_LOGS = [
    (
        "unreadable_files",
        {"files": ["x (locked)"]},
        "Files that cannot be read are left out: x (locked).",
    ),
    (
        "evidence_read",
        READ,
        "Read 400 cases × 6 models, 3 classes, from x.csv; left out: 51 of 400 cases, which not all "
        "models met; ignored: comment.",
    ),
    (
        "evidence_used",
        READ,
        "The evidence was 400 cases × 6 models, 3 classes; left out: 51 of 400 cases, which not all models met.",
    ),
    (
        "runs_by_outcome",
        {
            "runs": 7,
            "outcomes": {"scored": 5, "usage limit": 2},
            "ruled": ["usage limit"],
            "absent": {"b": 3},
        },
        "7 runs: 5 scored, 2 usage limit (their outcomes count). Cases never met: b 3.",
    ),
    (
        "about_files",
        {"files": ["a.json", "b.json"], "code": "run_status", "fields": {"status": "cancelled"}},
        "a.json and 1 more: The run has the status cancelled.",
    ),
    (
        "human_baseline",
        {},
        "The system 'human' is a baseline of people; the files may lack its failed runs.",
    ),
    (
        "board_total",
        {"cases": 72, "totals": {"Lite": 300, "Verified": 500}},
        "The files list 72 cases, and the tool's board divides by all cases: 300 (Lite), 500 (Verified). cases=N, or "
        "--cases N, counts the unlisted ones as wrong.",
    ),
    (
        "cases_unlisted",
        {"total": 100, "listed": 72, "runs": 60},
        "The logs list 72 of 100 cases. Every unlisted case counts as wrong, in 60 runs altogether.",
    ),
    (
        "more_submitted",
        {"submitted": 9, "total": 8},
        "9 instances were submitted, and 8 were in the run.",
    ),
    (
        "run_status",
        {"status": "error"},
        "The run has the status error.",
    ),
    (
        "case_is_task",
        {},
        "Each case is a whole task; the standard error of its score is not used.",
    ),
    (
        "self_reported",
        {},
        "Its scores are self-reported.",
    ),
    (
        "fewer_rows",
        {"rows": 3, "expected": 5},
        "The file holds 3 of 5 rows.",
    ),
    (
        "unknown_domain",
        {"domains": ["airline", "retail"]},
        "The file does not show its domain. The domains airline, retail use the same numbers, so equal ids may be"
        " different tasks.",
    ),
    (
        "unknown_files",
        {"files": 2, "first": "x.txt"},
        "No format recognises 2 files, such as x.txt.",
    ),
    (
        "scores_alone",
        {"files": 1, "first": "x.json"},
        "1 file with scores but no cases, such as x.json: not ranked.",
    ),
    (
        "datasets_left_out",
        {"key": "metric", "wanted": ["acc"], "datasets": ["t"]},
        "Left out, since they lack the metric acc: t.",
    ),
    (
        "files_left_out",
        {"key": "metric", "wanted": ["match"], "files": ["b.json", "c.json"], "total": 3},
        "Left out, since they lack the metric match: 2 of 3 files, b.json, c.json.",
    ),
    (
        "no_number",
        {"column": "cost", "rows": 2, "first": "$1"},
        "The cost of 2 rows is no number, such as '$1', and is left out.",
    ),
    (
        "variant",
        {"called": "filter", "values": ["strict"]},
        "The filter is strict.",
    ),
    (
        "logs_are_runs",
        {},
        "Several logs of a system on the same cases are runs of it.",
    ),
    (
        "latest_log_counts",
        {},
        "Of several logs of a system on the same cases, the latest counts.",
    ),
    (
        "setups_differ",
        {"key": "shots", "setups": {"a": "0", "b": "5"}},
        "Systems differ in shots: a 0, b 5.",
    ),
    (
        "scales_differ",
        {"dataset": "t", "share": "a", "other": "b", "highest": 98.5},
        "Outcomes of t are at most 1 for a and at most 98.5 for b: their scales may differ.",
    ),
    (
        "cut_file",
        {"file": "a.json", "cases": 3, "expected": 4},
        "a.json holds 3 of 4 cases of its run or data set. cases=4, or --cases 4, counts the others as wrong.",
    ),
    (
        "cases_by_position",
        {"dataset": "t", "first": "0"},
        "Cases of t are matched by numbers alone, such as 0; the files hold no content that shows that "
        "they are the same cases.",
    ),
]
SEPARATION = {
    "entity": "a",
    "rival": "b",
    "difference": 0.05,
    "score": "F1",
    "unit": "cases",
    "needed": 1234.0,
    "most": 100,
    "cases_each": 1.0,
    "designed": None,
    "positives": None,
    "per_case": False,
    "paired": True,
    "assurance": 0.8,
}
#: The paragraph on methods.
OF_METHODS = [
    (
        "prior_of_cells",
        {"right": 1.0, "wrong": 1.0, "answers": 2, "outcomes": False},
        "The rate of right answers of each class has the prior Beta(1, 1).",
    ),
    (
        "prior_of_cells",
        {"right": 2 / 3, "wrong": 1 / 3, "answers": 3, "outcomes": False},
        "The answers to cases of a class have a Dirichlet prior with the concentration 0.667 for the right answer and "
        "0.333 for each other one.",
    ),
    (
        "prior_of_cells",
        {"right": None, "wrong": 1.0, "answers": 2, "outcomes": False},
        "The answers have Dirichlet priors with the supplied concentrations.",
    ),
    (
        "prior_of_cells",
        {"right": 2.0, "wrong": 2.0, "answers": 2, "outcomes": True},
        "The probabilities of the outcomes have a Dirichlet prior with the concentration 2 for each.",
    ),
    (
        "prior_of_shares",
        {"each": 2.0},
        "The class shares have a Dirichlet prior with the concentration 2 for each class.",
    ),
    (
        "prior_of_shares",
        {"each": None, "spread": 0.25},
        "The mean class shares over data sets have a Dirichlet prior with the supplied concentrations. For their "
        "spread s, the prior of s/√(1 − s²) is half-Student-t with 3 degrees of freedom and scale 0.25.",
    ),
    (
        "prior_of_population",
        {"right": 0.5, "wrong": 0.25, "answers": 3, "outcomes": False, "spread": 0.25},
        "The mean rates of a population have a Dirichlet prior with the concentrations 0.5 (right answer) and "
        "0.25 (each other one). Their spread s is the standard deviation of the rates as a share of the largest "
        "possible one. The prior of s/√(1 − s²) is half-Student-t with 3 degrees of freedom and scale 0.25.",
    ),
    (
        "prior_of_size_slope",
        {"scale": 1.0},
        "Class sizes differ by more than chance, so the log odds of the mean recall are linear in the log size of the "
        "class. The prior of the slope is normal with mean 0 and standard deviation 1.",
    ),
    (
        "prior_of_classes",
        {"right": 0.5, "wrong": 0.5, "spread": 0.25},
        "The mean recall of an entity's classes has the prior Beta(0.5, 0.5). The prior of s/√(1 − s²) is "
        "half-Student-t with 3 degrees of freedom and scale 0.25, where s is the standard deviation of the recalls as "
        "a share of the largest possible one. Errors on a class are Dirichlet over the other classes, with a spread "
        "that all classes share; its prior is uniform.",
    ),
    (
        "prior_of_classes",
        {"right": None, "wrong": 0.5, "spread": 0.25},
        "The mean recall of an entity's classes has a supplied prior. The prior of s/√(1 − s²) is half-Student-t with "
        "3 degrees of freedom and scale 0.25, where s is the standard deviation of the recalls as a share of the "
        "largest possible one. Errors on a class are Dirichlet over the other classes, with a spread that all classes "
        "share; its prior is uniform.",
    ),
    (
        "prior_of_class_shares",
        {},
        "The class shares have a Dirichlet prior with equal means, and a spread whose prior is uniform.",
    ),
    (
        "prior_of_equal_groups",
        {"probability": 0.25},
        "With prior probability 0.25 all groups of an entity have the same rate in a class; otherwise their rates"
        " come from a population. The results are averaged over both possibilities.",
    ),
    (
        "prior_of_logits",
        {
            "right": 1.0, "wrong": 1.0, "answers": 2, "outcomes": False, "scales": {"deviations": 1.0},
            "both": True, "contrasts": 2.0, "correlation": 2.0,
        },
        "The common level of all entities, as a rate of right answers in the median data set, has the prior "
        "Beta(1, 1). The median logits of the entities are normal around this level, with standard deviation 2. "
        "The standard deviations, in logits, have half-normal priors, with scale 1 for the deviations of "
        "entities; the correlation of both classes has the prior 2 Beta(2, 2) − 1.",
    ),
    (
        "prior_of_logits",
        {
            "right": None, "wrong": 1.0, "answers": 2, "outcomes": True,
            "scales": {"difficulty": 2.0, "deviations": 1.0}, "both": False, "contrasts": None, "correlation": 2.0,
        },
        "For each entity, the rate of right answers in the median data set has a Beta prior with the supplied "
        "concentrations. The standard deviations, in logits, have half-normal priors, with scale 2 for the "
        "difficulty of data sets and scale 1 for the deviations of entities.",
    ),
    (
        "prior_of_slopes",
        {"names": ["year"], "common": 1.0, "apart": 0.5, "at": [3.0]},
        "The slope of a covariate, in logits for each of its standard deviations, is normal around 0 with standard "
        "deviation 1; slopes of entities differ with a half-normal standard deviation of scale 0.5. Typical data sets "
        "are predicted at year = 3.",
    ),
    (
        "prior_of_presence",
        {"columns": 2, "sd": 2.0},
        "Data sets with different entities may differ in mean difficulty: in logits, each of 2 orthogonal "
        "contrasts between them has a normal prior around 0 with standard deviation 2. A typical data set is the "
        "average of the observed ones.",
    ),
    (
        "prior_of_presence",
        {"columns": 1, "sd": 1.4},
        "Data sets with different entities may differ in mean difficulty: in logits, the difference between them "
        "has a normal prior around 0 with standard deviation 1.4. A typical data set is the average of the "
        "observed ones.",
    ),
    ("datasets_of_each", {"fewest": 9, "most": 17}, "Each entity was measured on 9 to 17 data sets."),
    (
        "unequal_cases",
        {"unequal": 7, "shared": 17},
        "In 7 of 17 data sets with several entities, the entities have different numbers of cases.",
    ),
    (
        "answers_independent",
        {},
        "Given the rates on a data set, answers of different entities to the same case are assumed to be independent.",
    ),
    (
        "ranked_performance",
        {"kind": "typical", "typical": "median"},
        "Scores are those of a typical data set: the rates at the median logits, which meta-analyses call the summary "
        "point; they are not mean rates.",
    ),
    (
        "ranked_performance",
        {"kind": "typical", "typical": "mean"},
        "Scores are those of a typical data set: the mean rates over data sets.",
    ),
    (
        "ranked_performance",
        {"kind": "new", "typical": "mean"},
        "Scores are those of one more data set of the population, with the differences between data sets.",
    ),
    ("prevalence_source", {"source": "0.1", "depends": False}, "The score does not depend on the prevalence."),
    (
        "prevalence_source",
        {"source": "given as an array", "depends": True},
        "The prevalence was supplied as numbers or draws (state their source here).",
    ),
    (
        "prevalence_source",
        {"source": "12/600", "depends": True},
        "The prevalence was estimated from a separate sample (12 positives of 600 cases, Jeffreys' prior), and its "
        "uncertainty is part of every interval.",
    ),
    ("reference_standard", {"known": True}, "The reference standard is assumed to be free of error."),
    ("reference_standard", {"known": False}, "Errors or gaps of the reference standard are part of the model."),
    (
        "ranks_withheld",
        {},
        "No ranks are excluded: the evidence does not justify rank sets at the stated probability.",
    ),
    (
        "chains_converged",
        {"chains": 4, "draws": 1000, "rhat": 1.002, "ess": 2110.0, "divergences": 0},
        "4 chains of 1,000 draws: the largest R-hat of the score is 1.002, the smallest effective sample size 2,110, "
        "with 0 divergences.",
    ),
]  # fmt: skip
#: Code, fields, and the sentence that a reader sees; several rows where the fields change the wording.
ROWS = [
    *OF_METHODS,
    *OF_LOGS,
    (
        "answers_of_all_kept",
        {"kept": 3, "total": 5},
        "Answers are missing: 3 of 5 cases are kept; all entities met these.",
    ),
    (
        "attempts_of_cases_like_these",
        {"k": 4, "every": False},
        "The score is the probability that at least one of 4 attempts succeeds at a case like these; it does not speak "
        "of these cases alone.",
    ),
    (
        "attempts_of_cases_like_these",
        {"k": 4, "every": True},
        "The score is the probability that all of 4 attempts succeed at a case like these; it does not speak of these "
        "cases alone.",
    ),
    (
        "attempts_of_these_cases",
        {"k": 4, "every": True},
        "The score is the probability that all of 4 attempts succeed, as a mean over these cases. Only their runs "
        "vary; it does not speak of other cases.",
    ),
    (
        "attempts_of_cases_like_these",
        {"k": 1, "every": False},
        "The score is the probability that one attempt succeeds at a case like these; it does not speak of these cases "
        "alone.",
    ),
    (
        "cases_with_few_runs",
        {"least": 6, "used": 50, "total": 60},
        "50 of 60 cases have at least 6 runs of every entity that met them; the others are left out.",
    ),
    (
        "cost_of_attempts",
        {"k": 4, "costs": {"a": 0.12345, "b": 20.0}},
        "Up to 4 attempts at a case that stop at a success cost on average: a 0.123 and b 20.",
    ),
    ("cost_of_attempts", {"k": 1, "costs": {"a": 0.5}}, "One attempt at a case costs on average: a 0.5."),
    (
        "curve_ends",
        {"k": 2, "entities": ["a"]},
        "The curve ends at 2 attempts, since a has no more runs of some case.",
    ),
    (
        "curve_ends",
        {"k": 3, "entities": ["a", "b"]},
        "The curve ends at 3 attempts, since a and b have no more runs of some case.",
    ),
    (
        "curve_of_cases",
        {"k": 4, "prob": 0.9, "these": True},
        "The scores are probabilities for these cases, of which only the runs vary, not for other cases. Bands and "
        "claims hold for 1 to 4 attempts together, with probability 0.9.",
    ),
    (
        "curve_of_cases",
        {"k": 8, "prob": 0.95, "these": False},
        "The scores are probabilities for cases like these, not for these cases alone. Bands and claims hold for 1 to "
        "8 attempts together, with probability 0.95.",
    ),
    ("missing_runs_counted", {"value": 0, "runs": 2}, "Missing answers count as 0: 2 runs without an outcome."),
    (
        "missing_answers_counted",
        {"value": 0.0, "missing": 5, "total": 90, "most": 4, "entity": "b"},
        "Missing answers count as 0: 5 of 90, at most 4 of one entity (b).",
    ),
    (
        "cases_summed",
        {},
        "Per-case data were summed to counts, which do not show the cases that entities share: "
        "pairing is not used (the model 'paired' uses it).",
    ),
    (
        "joined_by_label",
        {"arguments": ["m", "n"], "by": "y_true"},
        "Cases are joined by label: m, n were put in the order of y_true.",
    ),
    (
        "joined_by_position",
        {"arguments": ["m"], "by": "y_true"},
        "Cases are matched by position: m has other labels than y_true.",
    ),
    (
        "weights_balance_classes",
        {},
        "The weights make all classes equally large, so they were computed from the class sizes: the prevalence is "
        "taken as set by them, without an uncertainty of its own.",
    ),
    ("one_entity", {"datasets": 6}, "No column names entities: the 6 rows are data sets of one."),
    (
        "weighted_votes",
        {"votes": 3000, "effective": 2100.44},
        "The weights of 3,000 votes are unequal: they count as 2,100.4 votes (Kish's effective number).",
    ),
    (
        "weighted_cases",
        {"cases": 200, "effective": 101.25},
        "The weights of 200 cases are unequal: they count as 101.2 cases (Kish's effective number).",
    ),
    (
        "own_cases",
        {"fewest": 26, "most": 30, "total": 30, "entity": "y"},
        "Answers are missing, so that entities have different cases, from 26 of 30 (y) to 30: the ranking assumes that "
        "answers are missing at random.",
    ),
    (
        "few_cases_and_prior_of_range",
        {"cases": 20, "prior_cases": 4.0, "centre": 0.5},
        "Only 20 cases, and a prior of 4 cases at the ends of the range: means are shrunk towards 0.5.",
    ),
    (
        "few_cases_and_prior",
        {"cases": 1, "one_dataset": False},
        "Only 1 case: the result depends on the prior.",
    ),
    (
        "few_cases_and_prior",
        {"cases": 2, "one_dataset": True},
        "Only 2 cases on one of the data sets: the result depends on the prior.",
    ),
    (
        "few_units_without_prior",
        {"units": 49, "unit": "case", "one_class": False, "one_dataset": False, "enough": 50},
        "Only 49 cases: with almost no prior, intervals from fewer than about 50 are too narrow.",
    ),
    (
        "few_units_without_prior",
        {"units": 3, "unit": "cluster", "one_class": True, "one_dataset": True, "enough": 50},
        "Only 3 clusters of a class on one of the data sets: intervals from fewer than about 50 are too narrow.",
    ),
    (
        "few_clusters",
        {"units": 1, "one_class": True, "one_dataset": False},
        "Only 1 cluster of a class: how much clusters differ is unknown.",
    ),
    (
        "few_clusters",
        {"units": 8, "one_class": False, "one_dataset": False},
        "Only 8 clusters: intervals are wider to allow for few clusters.",
    ),
    (
        "errors_t_distributed",
        {},
        "Errors of the means are t-distributed; no range of the outcome is assumed.",
    ),
    (
        "errors_normal",
        {},
        "Errors of the means are assumed to be normal and of known size: with about 30 cases or "
        "fewer, intervals are too narrow. No range of the outcome is assumed.",
    ),
    (
        "one_run_of_folds",
        {},
        "Every rank is possible: one run of cross-validation does not show how much scores of learners vary. Repeat it "
        "with other splits (a column repeat), or add data sets (a column dataset).",
    ),
    (
        "datasets_too_few",
        {"datasets": 3, "enough": 5},
        "Every rank is possible: rank sets over data sets like these need 5 of them, and there are 3.",
    ),
    (
        "seeds_too_few",
        {"seeds": 3, "enough": 4},
        "Every rank is possible: over retrained models, rank sets need 4 training seeds of each entity, and there are "
        "3.",
    ),
    (
        "runs_differ",
        {"entity": "a", "low": 0.852, "high": 0.892, "runs": 5, "p": 0.0057},
        "The means of 5 runs of a lie between 0.852 and 0.892, further apart than their cases explain (p = 0.006). If "
        "runs are retrained models, name their column as training seeds (training_seed=, --training-seed).",
    ),
    (
        "over_retrained",
        {"fewest": 4, "most": 5},
        "The ranking is over retrained models: the 4 to 5 training seeds of each entity are a sample, crossed with the "
        "cases. Seeds of different entities are independent.",
    ),
    (
        "for_fitted_models",
        {},
        "The ranking is for these fitted models, averaged over training seeds; nothing is claimed about retrained "
        "ones.",
    ),
    (
        "folds_of_one_dataset",
        {"splits": 100, "ratio": 1 / 9},
        "The ranking is of learners trained on samples like this data set: the variance of 100 splits is increased for "
        "overlapping training sets (test to training cases 0.11).",
    ),
    (
        "folds_of_datasets",
        {"datasets": 12},
        "The ranking is of learners on data sets like these 12, of which each is one observation.",
    ),
    (
        "truth_known_in_part",
        {"fewest": 40, "most": 60, "cases": 1000, "by_verdict": True, "of": ["a"], "entities": 2},
        "The truth is known for 40 to 60 of 1,000 cases for each entity. For a, the share of cases with a known "
        "truth depends on the verdict, for which the model corrects. Among cases with equal verdicts, those "
        "with a known truth are assumed to be a random sample.",
    ),
    (
        "truth_known_in_part",
        {"fewest": 40, "most": 40, "cases": 200, "by_verdict": False, "of": [], "entities": 1},
        "The truth is known for 40 of 200 cases. The share of cases with a known truth does not visibly depend on the "
        "verdict. Among cases with equal verdicts, those with a known truth are assumed to be a random "
        "sample.",
    ),
    (
        "latent_class_named",
        {"anchor": "a", "chosen": False, "known": 0, "cases": 90},
        "No truth is known. The positive class is the one in which a is more often positive (anchor= chooses "
        "another test).",
    ),
    (
        "latent_class_named",
        {"anchor": "a", "chosen": True, "known": 9, "cases": 90},
        "The truth is known for 9 of 90 cases. The positive class is the one in which a is more often "
        "positive.",
    ),
    (
        "latent_class_named",
        {"anchor": "", "chosen": False, "known": 9, "cases": 90},
        "The truth is known for 9 of 90 cases; these cases define the positive class.",
    ),
    (
        "latent_dependences",
        {"rows": [["none", 129.845, 20, 0.196, 0.196], ["common", 44.64, 19, 0.1, 0.3]], "chosen": "none"},
        "Maximum-likelihood fits under each assumed dependence of the tests within a class: independence (chosen), G² "
        "129.84 on 20 degrees of freedom, prevalence 0.196; a common random effect, G² 44.64 on 19 degrees of "
        "freedom, prevalence 0.100 to 0.300 over the populations.",
    ),
    (
        "latent_populations",
        {"populations": 2},
        "There are 2 populations; scores that depend on the prevalence use the prevalence of all cases together "
        "(br.at_prevalence chooses another).",
    ),
    (
        "latent_fit_poor",
        {"dependence": "none", "g2": 129.84, "freedom": 20},
        "The data contradict independence of the tests within a class (G² 129.84 on 20 degrees of freedom): "
        "try another dependence=.",
    ),
    (
        "latent_first_depends",
        {"rows": [["none", ["V2"]], ["common", ["V3", "V5"]]], "chosen": "none"},
        "Which test comes first depends on the assumed dependence of the tests within a class, and the other "
        "kinds of dependence fit no worse: V2 under independence (chosen); V3, V5 under a common random effect.",
    ),
    (
        "latent_fit_unchecked",
        {"dependence": "none"},
        "The model assumes independence of the tests within a class, which these cases cannot check. More tests "
        "or verified cases could check it.",
    ),
    (
        "latent_identified",
        {"rank": 6, "parameters": 6, "smallest": 0.65, "contraction": 0.998, "least": "prevalence of x"},
        "All 6 parameters are identified (smallest singular value 0.65). The variance of prevalence in population"
        " x shrinks least from prior to posterior: by 99.8%.",
    ),
    (
        "not_identified",
        {"rank": 3, "structural": 3, "parameters": 5, "smallest": 0.0, "contraction": 0.8,
         "least": "sensitivity of a", "weak": [], "tests": 2, "populations": 1, "dependence": "none"},
        "The cases identify 3 of 5 parameters without a gold standard (smallest singular value 0). A third "
        "test, a second population of another prevalence, or ten verified cases of each class would identify "
        "the others.",
    ),
    (
        "not_identified",
        {"rank": 5, "structural": 5, "parameters": 5, "smallest": 0.03, "contraction": 0.8,
         "least": "sensitivity of a", "weak": ["prevalence"], "tests": 2, "populations": 2, "dependence": "none"},
        "The cases hardly inform prevalence, although all parameters are identified in principle (smallest "
        "singular value 0.03). More cases, a third test, populations that differ more, or ten verified cases "
        "of each class would help.",
    ),
    (
        "not_identified",
        {"rank": 95, "structural": 101, "parameters": 101, "smallest": 0.0, "contraction": 0.8,
         "least": "sensitivity of a", "weak": [], "tests": 50, "populations": 1, "dependence": "none"},
        "The design identifies all 101 parameters, but at the posterior draws the cases identify only 95 "
        "(smallest singular value 0). More draws help if the chains have not settled; else more cases, or ten verified "
        "ones of each class.",
    ),
    (
        "entities_without_labels",
        {"entities": ["a", "b"]},
        "No truth is known for a, b: the verdicts alone say nothing about the truth.",
    ),
    (
        "strata_without_labels",
        {"strata": 2, "share": 0.1, "entity": "a", "verdict": "1"},
        "No truth is known for the 10% of cases of a with the verdict 1 (and 1 other group of cases): their rate is "
        "taken from the other cases and the prior.",
    ),
    (
        "means_without_n",
        {},
        "Every rank is possible: standard errors of few cases are themselves uncertain, and the numbers of cases are "
        "not known. Add them as the column n.",
    ),
    (
        "clusters_vary_less",
        {"pairs": 3, "of": 10},
        "For 3 of 10 pairs of entities, clusters vary less than independent cases would. A lead must also be large "
        "enough for independent cases, which is conservative.",
    ),
    (
        "clusters_hardly_differ",
        {"entities": ["a"]},
        "For a, all but a few clusters have the same result, which hardly shows how much clusters differ. The interval "
        "is wider for this, at most as for one case in each cluster.",
    ),
    (
        "clusters_hardly_differ",
        {"entities": ["a", "b"]},
        "For a, b, all but a few clusters have the same result, which hardly shows how much clusters differ. The "
        "intervals are wider for this, at most as for one case in each cluster.",
    ),
    (
        "votes_uneven",
        {"fewest": 7, "most": 1160, "percent": 27.4, "intervals": None},
        "Pairs have 7 to 1,160 votes, which differ by more than chance. Earlier votes may have chosen the pairs, so "
        "the possible ranks allow for errors that are 27% larger.",
    ),
    (
        "close_strengths_met",
        {"percent": 73.5, "intervals": None},
        "Entities of similar strength met more often than chance explains. Earlier votes may have matched them, so the "
        "possible ranks allow for errors that are 74% larger.",
    ),
    (
        "close_strengths_met",
        {"percent": 73.5, "intervals": 90.2},
        "Entities of similar strength met more often than chance explains. Earlier votes may have matched them, so the "
        "possible ranks allow for errors that are 74% larger, and intervals are 90% wider.",
    ),
    ("few_cases_of_means", {"cases": 5}, "Only 5 cases: intervals of skewed outcomes are too narrow."),
    (
        "means_unpaired",
        {},
        "The comparison is unpaired: means and standard errors do not show which cases were hard for several entities.",
    ),
    (
        "means_over_datasets",
        {"datasets": 30, "weights": None, "unit": "data set"},
        "Means over 30 data sets, with equal weights: they describe these data sets, not a new one.",
    ),
    (
        "means_over_datasets",
        {"datasets": 2, "weights": ["small 0.25", "large 0.75"], "unit": "group"},
        "Means over 2 groups, with the weights small 0.25, large 0.75: they describe these groups, not a new one.",
    ),
    (
        "mean_of_one_dataset",
        {"dataset": "large", "unit": "data set"},
        "Means over data sets, with all the weight on large.",
    ),
    (
        "prior_repeated",
        {"cases": 120.0},
        "The prior is repeated on each data set and counts as 120 cases in all: split_prior=True divides one prior "
        "among them.",
    ),
    (
        "prior_repeated",
        {"cases": None},
        "The prior is repeated on each data set: split_prior=True divides one prior among them.",
    ),
    (
        "variance_lost",
        {"cases": 2, "of_classes": True, "percent": 42.3, "model": "hierarchical_beta_binomial"},
        "Data sets have as few as 2 cases of a class, and a split prior loses variance there: intervals of the mean "
        "are too narrow by up to 42%. The model 'hierarchical_beta_binomial' avoids this.",
    ),
    (
        "chains_unreliable",
        {"divergences": 3, "rhat": 1.2, "effective": 50.4},
        "The chains did not converge (3 divergences, R-hat up to 1.20, only 50 effective draws): do not rely on these "
        "numbers yet.",
    ),
    (
        "fewer_divergences",
        {"target_accept": 0.975},
        "Divergences: smaller steps, nuts={'target_accept': 0.975}; if they stay, a tighter prior or another "
        "parametrisation of the model.",
    ),
    (
        "chains_to_agree",
        {"tune": 2000},
        "Chains that disagree need more tuning (nuts={'tune': 2000}) and more draws (draws=).",
    ),
    ("chains_to_agree", {"tune": None}, "Chains that disagree need more draws (draws=)."),
    ("more_draws", {"times": 4}, "Too few effective draws: ask for about 4 times as many (draws=)."),
    (
        "datasets_not_replicated",
        {"share": 0.0, "draws": 4000},
        "Data sets differ more than the model predicts (predictive check, p <0.001).",
    ),
    (
        "model_that_learns_differences",
        {"model": "hierarchical_beta_binomial"},
        "The model 'hierarchical_beta_binomial' learns how data sets differ (br.predictive.predictive_check checks "
        "it).",
    ),
    (
        "default_score",
        {"score": "mean outcome", "low": 0.0, "high": 1.0, "higher_is_better": True},
        "No score was given: the ranking is by mean outcome, of outcomes from 0 to 1; higher is better.",
    ),
    (
        "default_score",
        {"score": "mean outcome", "low": None, "high": None, "higher_is_better": False},
        "No score was given: the ranking is by mean outcome; lower is better.",
    ),
    (
        "positive_class",
        {"positive": "sick", "negative": "well"},
        "The positive class is 'sick', the negative one 'well'.",
    ),
    (
        "positive_class_by_choice",
        {"positive": "no", "negative": "yes"},
        "The positive class is 'no', the negative one 'yes'.",
    ),
    (
        "clusters_too_few",
        {"clusters": 3.2, "enough": 5, "unit": "voters"},
        "Every rank is possible: rank sets need 5 effective voters, and there are 3.2. More voters of about equal size "
        "would help; more data from the same voters would not.",
    ),
    (
        "cases_too_few",
        {"cases": 3.0, "enough": 5},
        "Every rank is possible: without a prior, rank sets need 5 cases, and there are 3.",
    ),
    (
        "cases_of_class_too_few",
        {"enough": 2},
        "Every rank is possible: rank sets need 2 cases of each class in each data set of the mean.",
    ),
    (
        "more_to_separate",
        SEPARATION,
        "To separate a from b, collect about 1,300 more cases: 80% power if they truly differ by 0.05 in F1.",
    ),
    (
        "more_to_separate",
        SEPARATION | {"unit": "clusters", "needed": 1.0, "cases_each": 5.2},
        "To separate a from b, collect about 1 more cluster (6 cases): 80% power if they truly differ by 0.05 in F1.",
    ),
    (
        "more_to_separate",
        SEPARATION | {"designed": 99.0, "positives": 0.25, "per_case": True, "paired": False, "assurance": 0.9},
        "To separate a from b, collect about 1,300 more cases per entity (or 99 with 25% positives, ranked with "
        "prevalence=; per-case data may need fewer): 90% power if they truly differ by 0.05 in F1.",
    ),
    (
        "more_to_separate",
        SEPARATION | {"needed": None},
        "More than 100 times as many cases as today would be needed to separate a from b if they truly differ by 0.05 "
        "in F1.",
    ),
    (
        "no_difference",
        {"entity": "a", "rival": "b", "ahead": 2},
        "The data show no difference between a and b. Pass the smallest difference that matters (rope=, --rope): "
        "the verdict then says how many more cases would show a difference of that size.",
    ),
    (
        "sets_need_draws",
        {},
        "Every rank is possible, since rank sets need draws (method='auto' has draws and exact probabilities).",
    ),
    (
        "not_measured",
        {"what": "the worst of several categories"},
        "Every rank is possible: the error rate of rank sets for the worst of several categories was not measured.",
    ),
    (
        "pooled_datasets",
        {"datasets": 8, "unit": "data set"},
        "Ranks, tiers and probabilities are for these 8 data sets together; nothing is claimed about other data sets "
        "like these.",
    ),
    (
        "aggregated",
        {"aggregate": "worst", "number": 4, "unit": "category", "weights": ["a 0.5", "b 0.5"], "categories": True},
        "In each draw, the value of an entity is the worst of 4 categories, each the mean of its data sets or "
        "groups. The weights are a 0.5, b 0.5.",
    ),
    (
        "worst_of_each",
        {"worst": [["IBM", "DF", 0.97]], "draws": 4000, "unit": "group"},
        "Most probable worst group: DF for IBM (probability 0.970).",
    ),
    (
        "groups_unequal",
        {"ratio": 50.0, "unit": "group"},
        "Every rank is possible: one entity has 50 times as many cases of a group as another. With few cases, "
        "chance makes gaps larger, so equal entities with unequal numbers often look different.",
    ),
    ("groups_without_cases", {"groups": ["x", "y"]}, "x, y have no cases and no scores."),
    (
        "entities_lack_groups",
        {"entities": ["a"], "lacking": ["z"], "unit": "group"},
        "a is not ranked: a has no cases of z, and an aggregate without these cases answers another question. A "
        "weight of 0 leaves a group out.",
    ),
    (
        "points_of_tasks",
        {"number": 20, "unit": "data set"},
        "The results on each of 20 data sets are one observation, so the ranking is for data sets like these, with the "
        "same rivals.",
    ),
    (
        "groups_independent",
        {"cases": 40, "unit": "group"},
        "The groups have independent priors, and the smallest has 40 cases: chance alone makes medians and "
        "probabilities of the gap and the worst score too extreme. Intervals and possible ranks allow for this. For "
        "two classes or outcomes, the model 'hierarchical_beta_binomial' corrects it.",
    ),
    (
        "pair_reversed_by_absence",
        {"one": "a", "other": "b", "absent": "c"},
        "By the observed scores, a is above b, but below it without c: this aggregate depends on the compared "
        "entities.",
    ),
    (
        "observed_undefined",
        {},
        "The observed score of the leader is undefined: its rank comes from the prior alone.",
    ),
    (
        "rivals_undefined",
        {"entities": ["b"]},
        "b could be better than the leader: without a prior the score is undefined.",
    ),
    (
        "no_posterior",
        {"entities": ["a", "b"]},
        "a, b have a cell with no cases and no prior: the scores that depend on its class are undefined "
        "(prior='jeffreys', --prior jeffreys, defines them).",
    ),
    (
        "model_contradicted",
        {},
        "An observed value of an entity that could be best is outside its interval, so no entity is called best.",
    ),
    (
        "pairs_unconnected",
        {"entities": ["b", "c"]},
        "The leader shares no data set or case with b and c: the comparison includes differences between the "
        "data sets.",
    ),
    (
        "probability_below",
        {"rival": "b", "p": 0.9, "prob": 0.95, "rope": 0.02},
        "The probability that the leader beats b by more than 0.02 is 0.90, below 0.95.",
    ),
    (
        "probability_below",
        {"rival": None, "p": 0.94, "prob": 0.95, "rope": 0.0},
        "P(best) of the leader is 0.94, below 0.95.",
    ),
    (
        "few_discordant",
        {"first": "a", "rival": "b", "different": 5.0, "cases": 10.0, "clusters": False, "bootstrap": False},
        "a beats b (pairwise), but they differ on only 5 of 10 cases: the comparison rests on these and on the prior.",
    ),
    (
        "few_discordant",
        {"first": "a", "rival": "b", "different": 1.0, "cases": None, "clusters": False, "bootstrap": True},
        "a beats b (pairwise), but they differ on only 1 case: too few for the Bayesian bootstrap.",
    ),
    (
        "few_discordant",
        {"first": "a", "rival": "b", "different": 4.0, "cases": 10.0, "clusters": True, "bootstrap": True},
        "a beats b (pairwise), but they differ on only 4 clusters: too few for the Bayesian bootstrap.",
    ),
    (
        "prevalences_differ",
        {
            "label": None, "lowest": 0.05, "lowest_entity": "a", "highest": 0.5, "highest_entity": "b", "score": "F1",
        },
        "The prevalence differs between entities, from 0.05 (a) to 0.5 (b). F1 depends on it, so part of the order "
        "may come from the test sets. Compare them at one prevalence (br.at_prevalence, --prevalence), or by TPR and "
        "TNR separately.",
    ),
    (
        "prevalences_differ",
        {
            "label": "cat", "lowest": 0.05, "lowest_entity": "a", "highest": 0.5, "highest_entity": "b", "score": "MCC",
        },
        "The share of the class 'cat' differs between entities, from 0.05 (a) to 0.5 (b). MCC depends on it, so part "
        "of the order may come from the test sets. Compare them at one prevalence (br.at_prevalence, --prevalence), or "
        "by the recall of each class separately.",
    ),
    (
        "prevalences_checked",
        {
            "label": None, "lowest": 0.05, "lowest_entity": "a", "highest": 0.5, "highest_entity": "b", "score": "F1",
        },
        "The prevalence differs between entities, from 0.05 (a) to 0.5 (b). F1 depends on it. The claims hold at the "
        "prevalences of the test sets and at common ones.",
    ),
    (
        "ranks_at_one_prevalence",
        {
            "label": None, "lowest": 0.05, "lowest_entity": "a", "highest": 0.5, "highest_entity": "b", "score": "J",
        },
        "The prevalence differs between entities, from 0.05 (a) to 0.5 (b). J may rank only while the prevalence is "
        "fixed: otherwise a mixture of two entities can have a better J than both. Compare them at one prevalence "
        "(br.at_prevalence, --prevalence), or by TPR and TNR separately.",
    ),
    (
        "score_should_not_rank",
        {"score": "G-mean", "fault": "above", "nearest": "informedness", "tau": 0.83, "at": 0.5},
        "G-mean should not rank: a mixture of two entities can have a better G-mean than both. Of the scores that may "
        "rank, informedness has the most similar order at prevalence 0.5 (tau = 0.83).",
    ),
    (
        "differences_skewed",
        {"entities": ["b", "c"]},
        "The mean difference between the leader and b and c depends on a few extreme values: it is too skewed for so "
        "few units. Confidence statements then fail too often.",
    ),
    (
        "draws_alone",
        {},
        "Draws without evidence carry no promise for fixed true scores: the possible ranks are a summary of the "
        "posterior. Pass the counts or outcomes behind the draws (evidence=), or add counts over entity to the group "
        "observed_data.",
    ),
    (
        "draws_too_narrow",
        {"percent": 10.2, "one": "a", "other": "b"},
        "The difference between a and b varies 10% as much in the draws as in the default model of the same evidence. "
        "So the draws carry no promise for fixed true scores.",
    ),
    (
        "prevalence_set",
        {"score": "accuracy", "by_design": False},
        "Accuracy depends on the prevalence, which was set by hand: at another one the ranking may differ.",
    ),
    (
        "prevalence_set",
        {"score": "PPV", "by_design": False, "estimate": "12/600"},
        "PPV depends on the prevalence, which was estimated from a sample (12 of 600 cases were positive): at another "
        "one the ranking may differ.",
    ),
    (
        "prevalence_set",
        {"score": "F1", "by_design": True},
        "F1 depends on the prevalence, which was set by the design of the study: at another one the ranking may "
        "differ.",
    ),
    (
        "same_cases",
        {"sharing": 3, "entities": 3, "test_sets": 1, "one": True, "of_outcomes": False, "named": False},
        "All entities met the same cases (inferred from equal class sizes); errors are assumed independent between "
        "entities (per-case data allow the paired model).",
    ),
    (
        "same_cases",
        {"sharing": 2, "entities": 3, "test_sets": 1, "one": False, "of_outcomes": False, "named": True},
        "2 of 3 entities share a test set with another (1 shared test set); errors are assumed independent between "
        "entities (per-case data allow the "
        "paired model).",
    ),
    (
        "same_cases",
        {"sharing": 3, "entities": 3, "test_sets": 1, "one": True, "of_outcomes": True, "named": True},
        "All entities met the same cases; outcomes are assumed independent between entities (per-case data allow the "
        "paired model).",
    ),
    (
        "same_cases",
        {"sharing": 2, "entities": 3, "test_sets": 1, "one": False, "of_outcomes": True, "named": False},
        "2 of 3 entities have as many cases as another and may have met the same cases; outcomes are assumed "
        "independent between entities (per-case data allow the paired model).",
    ),
    (
        "class_without_cases",
        {"labels": ["cat"], "classes": 3, "entities": ["a"], "population": None},
        "No case of the class 'cat' for a: only the prior determines the rate of that class.",
    ),
    (
        "class_without_cases",
        {"labels": ["cat", "dog"], "classes": 3, "entities": ["a", "b"], "population": "entities"},
        "No case of 2 of 3 classes ('cat', 'dog') for a, b: only the prior and the other entities determine the rates "
        "of these classes.",
    ),
    (
        "named_class_counts_zero",
        {"labels": ["cat"], "score": "macro F1"},
        "'cat' has answers and no case: the observed macro F1 counts it as 0, as scikit-learn does, and its interval "
        "takes the recall of this class from the model.",
    ),
    (
        "few_cases_of_class",
        {"entities": 2, "fewest": 3, "entity": "a", "label": "cat", "population": None, "enough": 10},
        "2 entities have fewer than 10 cases of a class (a has 3 of 'cat'): rates of such a class depend strongly "
        "on the prior.",
    ),
    (
        "few_cases_of_class",
        {"entities": 1, "fewest": 3, "entity": "a", "label": "cat", "population": "classes", "enough": 10},
        "1 entity has fewer than 10 cases of a class (a has 3 of 'cat'): rates of such a class depend strongly on"
        " the prior and the other classes.",
    ),
    (
        "few_cases",
        {"entities": 1, "fewest": 9, "entity": "a", "enough": 10},
        "1 entity has fewer than 10 cases (a has 9): such a mean depends strongly on the prior.",
    ),
    (
        "prior_shifts_average",
        {"entities": 2, "score": "macro F1", "enough": 10},
        "For 2 entities at least half of the classes have fewer than 10 cases: the prior on each class shifts macro "
        "F1, whose intervals may be too narrow.",
    ),
    (
        "at_covariates",
        {"names": ["threshold", "dose"], "at": [2.5, 10.0]},
        "Rates of a typical or new data set are for threshold = 2.5 and dose = 10.",
    ),
    (
        "design_complete",
        {"entities": 3, "datasets": 12},
        "The design is complete: 3 entities met all 12 data sets, and entities are compared within data sets.",
    ),
    (
        "design_incomplete",
        {"kind": "connected", "missing": 1, "total": 24, "through_others": []},
        "The design is connected: 1 of 24 results is missing. Entities are compared within data sets. The model "
        "does not correct for results that are missing because they were bad.",
    ),
    (
        "design_incomplete",
        {"kind": "connected", "missing": 9, "total": 24, "through_others": [["A", "C"], ["B", "D"]]},
        "The design is connected: 9 of 24 results are missing. Entities are compared within data sets. Pairs "
        "without a common data set are compared only through other entities: A and C, B and D. The model does not "
        "correct for results that are missing because they were bad.",
    ),
    (
        "entities_unconnected",
        {"pairs": [["A", "B"]], "instead": "hierarchical_logit_normal"},
        "No data set connects A and B: the prior alone separates their rates from the difficulty of the data sets. The "
        "model 'hierarchical_logit_normal' compares them if their data sets are samples of one population.",
    ),
    (
        "difficulty_ignored",
        {"instead": "crossed_logit_normal"},
        "The model ignores that a hard data set is hard for all entities (the model 'crossed_logit_normal' does not).",
    ),
    (
        "datasets_missing_at_random",
        {"instead": "crossed_logit_normal", "lacking": ["B", "C"]},
        "B, C lack data sets, and the model takes these as missing at random (the model 'crossed_logit_normal' does "
        "not).",
    ),
    (
        "easy_datasets_credited",
        {"instead": None, "lacking": ["B"]},
        "B lacks data sets, and the model ignores that these may be harder or easier for all entities.",
    ),
    (
        "model_that_learns_classes",
        {"model": "hierarchical_classes"},
        "The model 'hierarchical_classes' learns from all classes how their recalls differ.",
    ),
    (
        "without_cases",
        {"entities": ["a", "b"]},
        "a, b have no data: the prior alone determines the printed values.",
    ),
    (
        "for_new_dataset",
        {"unit": "group"},
        "The ranking is for one new group; its intervals include how much groups differ.",
    ),
    (
        "for_typical_dataset",
        {"typical": "mean", "mean_prevalence": True, "unit": "data set"},
        "The ranking is for a typical data set: means of the rates over data sets, at their mean prevalence.",
    ),
    (
        "for_typical_dataset",
        {"typical": "median", "mean_prevalence": False, "unit": "group"},
        "The ranking is for a typical group: rates of the median group.",
    ),
    (
        "few_datasets",
        {"datasets": 5, "kind": "new", "enough": 10, "unit": "data set"},
        "At least one entity was measured on only 5 data sets. With fewer than 10, intervals for a new data set "
        "depend on the prior on the differences between data sets.",
    ),
    (
        "heavy_tails",
        {"entities": ["a"]},
        "Outcomes of a have heavy tails for so few cases: intervals of the mean are too narrow.",
    ),
    (
        "bayesian_bootstrap",
        {},
        "Intervals and claims hold unless rare extreme values exist that no case shows (Bayesian bootstrap without a "
        "prior). range=(low, high) adds a prior for them.",
    ),
    (
        "order_reversed_by_pool",
        {"score": "tpr", "pairs": [["A", "B"]]},
        "By tpr, pooling reverses the order of 1 pair (Simpson's paradox). Every data set on which both have a "
        "score ranks A above B; the pool ranks the opposite.",
    ),
    (
        "pooled_datasets_differ",
        {
            "datasets": 15, "different": 1, "entities": 6, "entity": "test 2", "part": "recall", "label": "positive",
            "p": 3e-5, "model": "hierarchical_beta_binomial",
        },
        "The 15 pooled data sets differ for 1 of 6 entities, most for test 2 (in the recall of 'positive', "
        "adjusted p = 3e-5): use --model hierarchical_beta_binomial, in Python br.fit(evidence, "
        "'hierarchical_beta_binomial') instead of br.pool.",
    ),
    (
        "pooled_datasets_differ",
        {
            "datasets": 6, "different": 1, "entities": 1, "entity": "a", "part": "mean outcome", "label": "",
            "p": 0.012, "model": None,
        },
        "The 6 pooled data sets differ for a (in the mean outcome, adjusted p = 0.012): rank each data set "
        "(--dataset NAME, in Python br.fit before br.pool).",
    ),
    (
        "observed_outside_interval",
        {
            "score": "F1", "entity": "a", "prob": 0.95, "observed": 0.9, "lower": 0.5, "upper": 0.8, "others": 1,
        },
        "The observed F1 of a is outside its 95% interval (0.900, interval 0.500 to 0.800): the prior or the model "
        "contradicts the data (also for 1 more entity).",
    ),
    (
        "pools_unconnected",
        {"entities": ["a", "b"]},
        "No chain of votes connects the leader with a and b: they cannot be compared.",
    ),
    (
        "votes_unconnected",
        {"pools": [["a", "b"], ["c"]]},
        "No vote connects 2 pools of entities, (a, b), (c): compare within pools only.",
    ),
    (
        "votes_one_sided",
        {},
        "Some entities never lost, or never won, against the rest: how far they are apart depends on the prior.",
    ),
    ("votes_all_ties", {}, "All votes are ties: how far entities may be apart depends on the prior."),
    ("votes_without_ties", {}, "No vote is a tie, so ties are left out of the model."),
    (
        "votes_by_result",
        {"decided": 20000.0, "tie": 1234.0, "both bad": 3.0},
        "Of 21,237 votes, 20,000 have a winner, 1,234 are ties and 3 call both bad. Both bad counts as a tie. A tie is "
        "evidence that two strengths are close; it says nothing about how good either answer is.",
    ),
    (
        "votes_perfect",
        {"won": ["a"], "lost": ["y", "z"]},
        "a won every vote and y and z lost every vote. The votes bound these strengths from one side only; the prior "
        "bounds the other side.",
    ),
    (
        "votes_at_equal_style",
        {"covariates": ["length", "tone"]},
        "Strengths are for answers with equal length and tone. Rank without the covariates to see what they change.",
    ),
    (
        "style_coefficients",
        {"coefficients": [["length", 0.2823, -0.0121, 0.5]], "prob": 0.95},
        "Effect on the log-odds of a win, for each unit of the covariate: length 0.282 (95% interval −0.0121 to 0.5).",
    ),
    (
        "orders_merged",
        {"battles": 28, "decided": 56, "first": 31, "lower": 0.42, "upper": 0.68},
        "Both orders of 28 battles were judged, and count as one vote each; the entity named first won 31 of their 56 "
        "votes with a winner (55%, 95% interval 42% to 68%; 50% without an effect of the order).",
    ),
    (
        "votes_judged",
        {"judges": ["gpt4", "claude"], "labels": 1000, "votes": 27045},
        "The votes of people are known for 1,000 of 27,045. Each draw fills in the others from the votes of gpt4,"
        " claude, whose errors may differ between entities. Among equal votes on the same pair, those with a "
        "known vote of a person are assumed to be a random sample. The order in which the two were shown is not "
        "used.",
    ),
    (
        "votes_relative",
        {"independent": "votes"},
        "A strength is relative to the other entities: the order of two entities also depends on their votes "
        "against others. Votes are assumed independent.",
    ),
    (
        "score_undefined",
        {"score": "MCC", "entities": ["a", "b"], "lacking": "positive calls"},
        "The observed MCC of a, b is undefined, because there are no positive calls.",
    ),
    (
        "interval_closed",
        {"entities": ["a"], "score": "F1", "end": 1.0},
        "The interval of a includes 1, the end of the range: at most one case separates the observed F1 from it.",
    ),
    (
        "interval_closed",
        {"entities": ["a", "b"], "score": "informedness", "end": -1.0},
        "The intervals of a, b include -1, the end of the range: at most one case separates the observed informedness "
        "from it.",
    ),
    (
        "interval_missing",
        {"entities": 1},
        "The interval of 1 entity is missing; only the rank is known. Its odds are beyond the range of the "
        "quadrature: if no error was observed, the prior alone determines the error rate.",
    ),
    (
        "quadrature_error",
        {"error": 0.002, "reason": "the grid is coarse"},
        "Probabilities may be off by up to 0.002: the grid is coarse (method='draws' is an alternative).",
    ),
    (
        "metric_prevalence_by_design",
        {"metric": "brier"},
        "The metric Brier score depends on the prevalence, which was not learned from the cases but set by the design "
        "of the study: at another prevalence the ranking may differ.",
    ),
    (
        "draws_equal",
        {"entities": ["e0", "e1", "e2", "e3", "e4"]},
        "All draws of e0, e1, e2 and 2 more are equal, since all observed cases agree; unobserved cases may differ.",
    ),
    (
        "few_costs",
        {"units": 12, "enough": 50},
        "Only 12 cases or clusters: with fewer than about 50, intervals of mean costs are too narrow, and P(front) "
        "is too certain.",
    ),
    (
        "costs_without_prior",
        {},
        "Costs have no prior; they are paired with the outcomes of the same cases (Bayesian bootstrap).",
    ),
    (
        "few_discordant_at_threshold",
        {
            "threshold": 0.5, "first": "marker", "rival": "treat none", "different": 1, "cases": 500, "others": 2,
            "enough": 50,
        },
        "At the threshold 0.5, marker and treat none differ on only 1 of 500 cases: too few for the Bayesian "
        "bootstrap, whose probabilities are too certain (at 2 more thresholds, the best and its closest rival "
        "differ on fewer than 50 cases).",
    ),
    (
        "prior_contradicted",
        {
            "part": "right", "label": None, "expected": 0.9, "table": "a on x", "observed": 0.595, "tail": 0.0,
            "tables": 2,
        },
        "The prior contradicts the data: it expects 0.9 of all cases right, and a on x has 0.595; the prior "
        "probability of a share as extreme is below 1e-10. This holds for 2 tables.",
    ),
    (
        "prior_contradicted",
        {
            "part": "right", "label": "0", "expected": 0.9, "table": "a", "observed": 0.5, "tail": 2e-4, "tables": 1,
        },
        "The prior contradicts the data: it expects 0.9 of the cases of class '0' right, and a has 0.5; the prior "
        "probability of a share as extreme is 0.0002.",
    ),
    (
        "prior_contradicted",
        {
            "part": "cases", "label": "0", "expected": 0.9, "table": "a", "observed": 0.5, "tail": 2e-4, "tables": 1,
        },
        "The prior contradicts the data: it expects 0.9 of the cases in class '0', and a has 0.5; the prior "
        "probability of a share as extreme is 0.0002.",
    ),
    (
        "prior_contradicted",
        {
            "part": "outcome", "label": "1", "expected": 0.8, "table": "z", "observed": 0.5, "tail": 2e-4, "tables": 1,
        },
        "The prior contradicts the data: it expects 0.8 of the cases with outcome 1, and z has 0.5; the prior "
        "probability of a share as extreme is 0.0002.",
    ),
    ("datasets_pooled", {"datasets": 2, "total": 2}, "Pooled over 2 data sets; --dataset chooses one."),
    (
        "submissions_skipped",
        {"files": ["a.xlsx", "notes.txt"], "suffixes": [".csv", ".tsv"]},
        "Not read, since submissions end in .csv, .tsv: a.xlsx, notes.txt.",
    ),
    ("latest_submission_counts", {"teams": 2}, "2 teams submitted several times: the last file by name counts."),
    (
        "submissions_lack_cases",
        {"missing": 5, "total": 900, "most": 4, "team": "red"},
        "Missing answers count as wrong: 5 of 900, at most 4 of one team (red). With more than two classes, a "
        "missing answer is none of the classes.",
    ),
    (
        "out_of_fold",
        {"folds": 5},
        "Labels are out-of-fold predictions; all entities have the same 5 folds. Each entity is 5 fitted models, "
        "whose training sets overlap. The ranking is of these fitted models; br.from_folds ranks learners.",
    ),
    ("probabilities_lacking", {"entities": ["a"]}, "Probabilities are left out, since a has none."),
    (
        "datasets_averaged",
        {"datasets": 3},
        "Scores are means over 3 data sets, with equal weights; --dataset chooses one.",
    ),
    (
        "losses_need_probabilities",
        {},
        "Values are not all between 0 and 1: the Brier score and the log loss, which need probabilities, are left out.",
    ),
    (
        "log_loss_infinite",
        {"entities": ["a"]},
        "The log loss is left out: it is infinite for a, with probability 0 for a true class.",
    ),
    (
        "intervals_withheld",
        {"entities": ["a", "b"]},
        "No interval is shown for a, b: with few cases of the rarer class and an almost perfect order, the data do "
        "not bound the area. More cases of that class would help.",
    ),
    (
        "datasets_pooled",
        {"datasets": 1, "total": 2},
        "Pooled over 1 data set of 2, seen by every entity; --dataset chooses one.",
    ),
    ("datasets_learned", {"datasets": 5}, "The model is fitted to 5 data sets, each with its own rates."),
    (
        "model_of_cases",
        {"model": "paired"},
        "Per-case data are available, so the model is paired; --model chooses another.",
    ),
    (
        "cases_in_clusters",
        {"clusters": 4},
        "Cases are in 4 clusters; cases of one cluster are not assumed independent.",
    ),
    ("column_names_entities", {"column": "team"}, "The column team names the entities."),
    ("column_names_cases", {"column": "qid"}, "The column qid names the cases."),
    (
        "rows_selected",
        {"conditions": ["metric = dice", "split = dev or test"], "rows": 1200, "of": 4800},
        "1,200 of 4,800 rows are read: those with metric = dice and split = dev or test.",
    ),
    (
        "low_may_be_good",
        {"name": "rmse"},
        "High values of rmse rank first by default. If it is an error, a loss, a distance, a time, a cost or a rank, "
        "pass higher_is_better=False.",
    ),
    (
        "probabilities_unused",
        {"columns": ["Class1", "Class2"]},
        "The predicted labels are ranked. The probabilities in Class1, Class2 are not used: br.from_probabilities "
        "takes them.",
    ),
    (
        "labels_outside_averages",
        {"labels": ["neutral", "?"]},
        "Averages over classes leave out the labels that were not chosen: neutral, ?.",
    ),
    (
        "labels_never_true",
        {"labels": ["x", "y"]},
        "Predicted labels that are the true label of no case count as wrong: x, y.",
    ),
    (
        "positive_class_unknown",
        {"labels": ["ham", "spam"], "options": "--positive ham or --positive spam"},
        "None of the classes 'ham' and 'spam' is known as the positive one: --positive ham or --positive spam says "
        "which.",
    ),
    (
        "case_names_shared",
        {"cases": 2, "if_pooled": True},
        "Several data sets have cases of the same name (2), which count as different cases. If they are the same, as "
        "in overlapping folds, pooling counts them twice.",
    ),
    (
        "outcomes_are_means_over_runs",
        {"runs": "2 runs"},
        "The outcome of a case is its mean over 2 runs of one fitted model.",
    ),
    ("column_holds_verdicts", {"column": "gpt"}, "The column gpt holds the verdicts of the judge."),
    (
        "truth_missing_not_at_random",
        {"leader": "a", "rival": "b", "odds": 2.5, "most": 1000, "positive": ""},
        "b would come before a if the odds that a is right were 2.5 times as high in cases with a known truth as "
        "in other cases with the same verdict.",
    ),
    (
        "truth_missing_not_at_random",
        {"leader": "a", "rival": "b", "odds": 0.25, "most": 1000, "positive": "sick"},
        "b would come before a if the odds of sick were 1/4 as high in cases with a known truth as in other cases"
        " with the same verdict.",
    ),
    (
        "truth_missing_not_at_random",
        {"leader": "a", "rival": "", "odds": None, "most": 1000, "positive": ""},
        "a stays first if, among cases with equal verdicts, the odds that a is right differ by a factor of at "
        "most 1,000 between cases with a known truth and the others.",
    ),
    (
        "no_true_negatives",
        {},
        "There are no true negatives, as in detection: only scores that need none rank the entities, such as F1, "
        "precision and recall.",
    ),
    (
        "numbers_taken_as_grades",
        {},
        "The numbers are assumed to be outcomes. If they are predicted labels, add the true label of each case as a "
        "column actual.",
    ),
    (
        "counts_from_fractions",
        {"columns": ["Sensitivity", "Specificity"]},
        "The fractions in Sensitivity, Specificity are read as counts.",
    ),
    (
        "ends_of_intervals",
        {"columns": ["low", "high"]},
        "low, high are assumed to be the ends of 95% intervals of normal distributions.",
    ),
    (
        "games_make_one_vote",
        {"left_out": 2},
        "Two games with sides changed make one vote: for the winner of both, else a tie. 2 pairs without two results "
        "are left out.",
    ),
    (
        "games_make_one_vote",
        {"left_out": 0},
        "Two games with sides changed make one vote: for the winner of both, else a tie.",
    ),
    (
        "ones_taken_as_right",
        {},
        "1 is assumed to mean right, and 0 wrong. If they are results of tests, add the truth as a "
        "column actual: to be often positive does not make a test good.",
    ),
    ("runs_or_cases_would_help", {"advice": "More runs would not help."}, "More runs would not help."),
]  # fmt: skip
#: Caveats of the codes that have one.
CAVEATS = {
    Caveat.UNSEEN_VALUES: {"bayesian_bootstrap"},
    Caveat.POSITIVE_LABEL: {"positive_class_by_choice"},
    Caveat.PREVALENCE_SET: {"prevalence_set"},
    Caveat.SHOULD_NOT_RANK: {"score_should_not_rank"},
    Caveat.PREVALENCES_DIFFER: {"prevalences_differ", "prevalences_checked"},
    Caveat.PRIOR_OUTWEIGHS_DATA: {
        "class_without_cases", "few_cases_of_class", "prior_shifts_average", "votes_one_sided", "without_cases",
        "votes_all_ties", "votes_perfect", "entities_without_labels", "strata_without_labels", "not_identified",
    },
    Caveat.FEW_UNITS: {
        "intervals_withheld",
        "few_cases_and_prior_of_range", "few_cases_and_prior", "few_clusters", "few_units_without_prior",
        "few_cases_of_means",
        "means_unpaired", "variance_lost", "few_discordant", "few_cases", "few_datasets", "heavy_tails",
    },
    Caveat.MODEL_CONTRADICTED: {
        "datasets_not_replicated", "prior_contradicted", "latent_fit_poor", "latent_fit_unchecked",
        "latent_first_depends",
    },
    Caveat.DATASETS_DIFFER: {
        "easy_datasets_credited", "entities_unconnected", "pooled_datasets_differ", "votes_unconnected",
    },
    Caveat.OUTSIDE_INTERVAL: {"observed_outside_interval"},
    Caveat.NOT_CONVERGED: {"chains_unreliable"},
}  # fmt: skip


@pytest.mark.parametrize(("code", "fields", "sentence"), ROWS)
def test_the_sentence_of_each_code(code, fields, sentence):
    assert say(Note(code, fields)) == sentence
    # Files keep a note as it is.
    [read] = notes_of(notes_text([Note(code, fields)]))
    assert (read, say(read)) == (Note(code, fields), sentence)


def test_every_code_has_a_row():
    assert {code for code, *_ in ROWS} == CODES


def test_the_caveat_belongs_to_the_code():
    found = defaultdict(set)
    for code in CODES:
        found[caveat_of(Note(code))].add(code)
    found.pop(Caveat.NONE)
    assert found == CAVEATS


def codes_written(tree):
    """Yield the codes in calls of Note: texts, also of a choice between two, or of a variable that holds these."""
    held = defaultdict(list)
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Assign)
            and len(node.targets) == 1
            and isinstance(node.targets[0], ast.Name)
        ):
            held[node.targets[0].id].append(node.value)
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "Note"
        ):
            code = node.args[0]
            for value in held[code.id] if isinstance(code, ast.Name) else [code]:
                for text in [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]:
                    if isinstance(text, ast.Constant):
                        yield text.value, node


def fields_written(function, fields):
    """Return the fields that an expression in a function adds to a note, and whether these are all of them."""
    if isinstance(fields, ast.Name):
        held = [
            x.value
            for x in ast.walk(function)
            if isinstance(x, ast.Assign) and name_of(x.targets[0]) == fields.id
        ]
        more = [
            x
            for x in ast.walk(function)
            if isinstance(x, ast.AugAssign) and name_of(x.target) == fields.id
        ]
        parts = [fields_written(function, value) for value in held]
        complete = len(held) == 1 and not more
    elif isinstance(fields, ast.Dict):
        own = {key.value for key in fields.keys if key is not None}
        spread = [
            value for key, value in zip(fields.keys, fields.values, strict=True) if key is None
        ]
        parts, complete = (
            [(own, True), *(fields_written(function, value) for value in spread)],
            True,
        )
    else:
        return set(), False
    return set().union(*(names for names, _ in parts)), complete and all(
        whole for _, whole in parts
    )


def name_of(target):
    return target.id if isinstance(target, ast.Name) else None


@cache
def written():
    """Return the calls of Note in the package with the functions that hold them, by code."""
    found = defaultdict(list)
    for _, tree in files_naming(FOLDER, "Note("):
        for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
            for code, node in codes_written(function):
                found[code].append((function, node))
    return found


def test_every_code_is_written_and_has_a_sentence():
    assert set(written()) == CODES


def parameters_of(code):
    """Return the fields of a note: the parameters of its sentence, or what the templates of its cap name."""
    if code in sentences():
        return set(inspect.signature(sentences()[code]).parameters)
    templates = CAPS[code].why + CAPS[code].lift + CAPS[code].sentence
    named = {name for _, name, *_ in Formatter().parse(templates) if name}
    return named - {"leader", "score", "rivals", "noun", "nouns", "a_noun"}


def test_fields_are_the_parameters_of_the_sentence():
    for code, calls in written().items():
        parameters = parameters_of(code)
        for function, node in calls:
            fields, complete = fields_written(
                function, node.args[1] if len(node.args) > 1 else ast.Dict([], [])
            )
            assert fields <= parameters, (code, function.name, node.lineno)
            assert not complete or fields == parameters, (code, function.name, node.lineno)


# --- Files --------------------------------------------------------------------------------------------------------

#: A prior that the tables contradict.
SURE = [[95, 5], [5, 95]]
COUNTS = br.from_counts(
    tn=[60, 91, 4], fp=[40, 9, 0], fn=[41, 8, 0], tp=[59, 92, 3], entity=["a", "b", "c"]
)


def make_ranking():
    return br.credible_ranking(br.fit(COUNTS, draws=50, seed=1), "f1")


def make_decision():
    return br.decisions.expected_utility(
        br.fit(COUNTS, draws=50, seed=1), {"tn": 0, "fp": -1, "fn": -10, "tp": 0}
    )


def make_sensitivity():
    return br.sensitivity(COUNTS, "accuracy", prior=SURE, draws=20, seed=1)


@pytest.mark.parametrize("make", [make_ranking, make_decision, make_sensitivity])
def test_a_result_that_was_saved_has_the_same_words(make, tmp_path):
    result = make()
    assert notes_in(result)
    result.to_netcdf(tmp_path / "result.nc", engine="h5netcdf")
    with xr.open_dataset(tmp_path / "result.nc", engine="h5netcdf") as read:
        assert notes_in(read) == notes_in(result)
        assert br.verdict(read) == br.verdict(result)
        assert br.notes(read) == br.notes(result)
