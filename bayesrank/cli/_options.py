"""Options that several commands have. An option is called like the argument of the package that it sets."""

from collections.abc import Callable
from functools import reduce

import click

from bayesrank._core.nuts import LIBRARIES
from bayesrank._core.source import AGGREGATES
from bayesrank.cli._typed import (
    ScoreName,
    ValueType,
    number_or_word,
    read_benefit,
    read_conditions,
    read_names,
    read_number,
    read_score,
    read_share,
    read_values,
    read_weights,
)
from bayesrank.io.tables.roles import FOLDS, MATRIX, TABLE, Role
from bayesrank.models import names
from bayesrank.models.parts.priors import NAMES as PRIORS

Command = Callable[..., None]
NUMBER = ValueType("number", read_number)
SCORE_TYPE = ScoreName("score", read_score)
SHARE = ValueType("prevalence", read_share)
NAMES = ValueType("names", read_names)
WORD = ValueType("text", number_or_word)
PROBABILITY = click.FloatRange(0, 1, min_open=True, max_open=True)


def adding(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Return a decorator that gives a command these options, in this order."""

    return lambda command: reduce(lambda given, option: option(given), reversed(options), command)


def _once(context: click.Context, option: click.Parameter, values: tuple[str, ...]) -> str | None:
    """Return the value of an option, and refuse several values: click alone would silently take the last one."""
    if len(values) > 1:
        got = " and ".join(values)
        raise click.BadParameter(
            f"must be given once; got {got} (rank each by itself)", context, option
        )
    return values[0] if values else None


DATA = click.argument("data", metavar="DATA")
PATHS = click.argument("data", metavar="DATA", nargs=-1, required=True)
SCORE_FORMS = (
    "Name or alias (see 'bayesrank scores'), f0.7 (F-beta with beta 0.7), weights of the outcomes tn=1,fp=1,fn=5,tp=1, "
    "or a point a=0.3,b=0.7"
)
BY_DATA = "[default: mean_outcome for outcomes; informedness for two classes that both have cases; else accuracy]"
SCORE = click.option(
    "-s",
    "--score",
    type=SCORE_TYPE,
    help=f"{SCORE_FORMS} of the Tile (see 'bayesrank tile -h'). {BY_DATA}",
)
LOWER = click.option(
    "--lower-is-better", is_flag=True, help="Rank low outcomes first, such as costs or errors."
)
HIGHER = click.option(
    "--higher-is-better",
    is_flag=True,
    help="Rank high outcomes first, even if a heading names costs or errors.",
)
ROPE = click.option(
    "--rope",
    type=NUMBER,
    default=0.0,
    help="Region of practical equivalence: smaller differences count as equal.",
)
KIND = click.option(
    "--kind",
    type=click.Choice(["typical", "new"]),
    help="With several data sets: a typical one, or a new one like these. [default: typical]",
)
NOTES = click.option("--notes", is_flag=True, help="Print the notes below the verdict.")
BENEFIT = click.option(
    "--benefit",
    type=ValueType("benefit", read_benefit),
    help="Benefit of each outcome at --prevalence: tn=0,fp=-1,fn=-10,tp=0. Costs are negative.",
)
REFERENCE = click.option(
    "--reference", help="An entity: test whether the others are no worse in TPR and TNR."
)
BY = click.option(
    "--by",
    metavar="COLUMN",
    help="Rank by the mean over the categories of this column, by the worst category, and in each category.",
)
#: How to rank over groups, data sets or categories. The arguments of br.credible_ranking have the
#: same names.
over_groups = adding(
    click.option(
        "--group",
        help="The column with the group of each case: rank over groups (see --aggregate).",
    ),
    click.option("--category", help="The column with the category of each data set or group."),
    click.option(
        "--over",
        help="Rank by an aggregate over: group, dataset or category. [default: group, if given]",
    ),
    click.option(
        "--aggregate",
        type=click.Choice(AGGREGATES),
        help="mean, worst, or gap (best minus worst) of the scores; Borda points or win rate against the rivals. "
        "[default: mean]",
    ),
    click.option(
        "--weights",
        type=ValueType("weights", read_weights),
        help="Weights of the groups or data sets: cases, category (categories weigh the same), or a=1,b=2.",
    ),
)
COST = click.option(
    "--cost",
    metavar="COLUMN",
    help="Outcomes per case only: the column with the cost of each answer. Adds the mean cost, and the probability of "
    "being on the Pareto front of outcome and cost, with its picture.",
)
MODELS = ", ".join(names())
POOLED = "[default: all; pooled, except for hierarchical models]"
MISSING = (
    "Per-case data only: how to treat empty fields. common: use only cases that all entities have; own: use each "
    "entity's own cases; a number: use it as the outcome. [default: an error]"
)
JOIN = (
    "Data sets to pool. exact: refuse if they differ between entities; inner: use the common ones."
)
DEFAULT_PRIORS = (
    "[default: one_case; unit for hierarchical models; haldane (no prior) for grades per case]"
)
#: Columns of cases whose truth is known in part.
judging_options = (
    click.option(
        "--truth",
        help="For a folder of submissions: the file with the id and the true label of each case. For a table with "
        "verdicts or predictions: the column with the truth, known for some cases.",
    ),
    click.option(
        "--judge",
        type=NAMES,
        help="With --truth: the columns with verdicts of judges on all cases.",
    ),
)


def _column_option(role: Role) -> Callable[[Command], Command]:
    """Return the option of a role of columns."""
    named = WORD if "NUMBER" in role.metavar else None
    return click.option(role.option, metavar=role.metavar or "COLUMN", type=named, help=role.text)


#: The roles of columns in a table of cases, counts, means or votes.
naming_columns: tuple[Callable[[Command], Command], ...] = (
    *(_column_option(role) for role in TABLE if role.name == "entity"),
    click.option(
        "--entities",
        type=NAMES,
        help="In a table with one column for each entity: the columns to rank, such as A,B,C.",
    ),
    *(_column_option(role) for role in TABLE if role.name != "entity"),
    click.option(
        "--where",
        multiple=True,
        metavar="COLUMN=VALUE",
        callback=read_conditions,
        help="Read the rows with this value only, such as metric=dice. May be repeated: rows must meet the conditions "
        "of all columns, and for each column one of its values.",
    ),
)
#: The roles of columns in a table of scores of folds, and the sizes of its training and test sets.
naming_folds = tuple(map(_column_option, FOLDS))
naming_cells = tuple(map(_column_option, MATRIX))
#: Which of two labels is positive, and columns that are no evidence.
IGNORE = click.option("--ignore", multiple=True, help="A column to ignore; may be repeated.")
POSITIVE = click.option(
    "--positive",
    help="The positive class, if the two labels are not a known pair such as no and yes.",
)
#: How to get from DATA to evidence and a model of it. The arguments of br.from_frame have the same
#: names.
asking = adding(
    click.option(
        "-m",
        "--model",
        type=click.Choice(names()),
        metavar="MODEL",
        help=f"{MODELS}. [default: chosen by the data]",
    ),
    click.option("--prior", type=WORD, help=f"{', '.join(PRIORS)}, or a number. {DEFAULT_PRIORS}"),
    click.option(
        "--prevalence",
        type=SHARE,
        help="'sampled': estimated from these cases; 'observed': the share in these cases, without uncertainty; 2% or "
        "0.02: that share of positives; 12/600: estimated from 12 positives of 600. [default: by model]",
    ),
    click.option("--dataset", callback=_once, multiple=True, help=f"Use one data set. {POOLED}"),
    *naming_columns,
    *naming_folds,
    click.option(
        "--covariate",
        "covariates",
        multiple=True,
        metavar="COLUMN",
        help="A column of numbers on which the rates of data sets, or votes, may depend, such as a threshold, or the "
        "length of the first answer minus that of the second. May be repeated.",
    ),
    click.option(
        "--at",
        type=ValueType("values", read_values),
        help="Results are for data sets with these values of the covariates: threshold=0.5. [default: their means]",
    ),
    *naming_cells,
    *judging_options,
    click.option(
        "--scale",
        type=click.Choice(["elo"]),
        help="Votes only: strengths as Elo ratings with the mean 1,000 (or --anchor).",
    ),
    click.option(
        "--anchor",
        type=ValueType("rating", read_values),
        help="With --scale elo: the rating of one entity, such as A=1200.",
    ),
    IGNORE,
    POSITIVE,
    click.option("--missing", type=WORD, help=MISSING),
    click.option("--join", type=click.Choice(["exact", "inner"]), default="exact", help=JOIN),
    click.option(
        "--prob",
        type=PROBABILITY,
        default=0.95,
        help="Probability of intervals, rank sets and tiers.",
    ),
    click.option("--draws", default=1000, help="Draws in each of four chains."),
    click.option("--seed", default=1, help="Seed of all randomness."),
)
#: How to get from DATA to a posterior.
analysing = adding(
    asking,
    click.option(
        "--sampler",
        type=click.Choice(["auto", "exact", "nuts", *LIBRARIES]),
        default="auto",
        help="exact: draws without a Markov chain; nuts: a Markov chain by PyMC; nutpie, numpyro: by these libraries.",
    ),
)
#: What to rank by.
scoring = adding(SCORE, LOWER, HIGHER, ROPE, KIND)
NAMED = "The system of a file, folder or pattern; an empty NAME ignores the file. May be repeated."
ONLY = (
    "Keep one metric, variant (filter, perturbation), judge, dataset, category, entity, status or file; for "
    "submissions, a column of the truth. Separate several values by commas. May be repeated."
)
FIELDS = "the fields of the case, the entity and the outcome, such as run.model. 'bayesrank doctor' proposes them."
#: How to read evaluation logs.
reading_logs = adding(
    click.option("--name", multiple=True, metavar="FILE=NAME", help=NAMED),
    click.option("--only", multiple=True, metavar="WHAT=VALUE", help=ONLY),
    click.option(
        "--map",
        metavar="case=FIELD,entity=FIELD,outcome=FIELD",
        help=f"Logs of an unknown format: {FIELDS}",
    ),
    click.option(
        "--match",
        type=click.Choice(["id", "content"]),
        default="id",
        help="Match the cases of two systems by id or by content.",
    ),
    click.option(
        "--reruns",
        type=click.Choice(["runs", "latest"]),
        help="A second log of the same cases has further runs (runs), or replaces the first (latest).",
    ),
    click.option(
        "--errors",
        type=click.Choice(["scored", "skip"]),
        help="scored: use the scores in the files for runs with errors. [default: their outcome is missing] "
        "skip: leave out files that cannot be read, and name them. [default: an error]",
    ),
    click.option(
        "--cases",
        type=click.IntRange(1),
        help="The number of all cases, if the files list only some of them; the unlisted ones count as wrong.",
    ),
)
