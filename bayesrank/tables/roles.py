"""The roles of columns: one table that ``br.from_frame``, the command and its help read.

A role is one option and one argument of the same name. It is filled without being named only by a standard heading.
"""

from typing import NamedTuple

from bayesrank.tables.columns import ENTITY_NAMES, ROLES

#: Options of the command that have other names than the arguments of Python.
OPTIONS = {"dataset": "dataset-column", "covariates": "covariate"}


class Role(NamedTuple):
    """What a column means: the name of its argument, what the help says, and headings that fill it unasked."""

    name: str
    text: str
    #: Normalised as bayesrank.tables.columns.squeeze does: case, blanks, hyphens and underscores do not count.
    headings: tuple[str, ...] = ()
    #: What is typed, if not the name of a column.
    metavar: str = ""

    @property
    def option(self) -> str:
        """Return the option of the command."""
        return f"--{OPTIONS.get(self.name, self.name).replace('_', '-')}"


#: Roles of tables of cases, counts, means and votes.
TABLE = tuple(
    Role(name, text, ROLES.get(name, headings))
    for name, text, headings in (
        (
            "entity",
            "The column that names the entities, or several, such as model,variant. [default: entity, model, team, "
            "test, ...]",
            (),
        ),
        ("dataset", "The column that names the data sets, or several, such as suite,task. [default: dataset]", ()),
        ("case", "The column that names the cases, or the questions of votes. [default: case]", ()),
        ("run", "The column that names the runs of a case. [default: run]", ()),
        (
            "training_seed",
            "The column with the training seed of the model; ranks over retrained models.",
            (),
        ),
        (
            "cluster",
            "The column that names the cluster of each case, or the voter of each vote. [default: cluster]",
            (),
        ),
        ("count", "The column that says how many cases a row stands for.", ()),
        ("weight", "The column with importance (survey) weights of cases.", ()),
        (
            "outcome",
            "The column with the outcomes of cases, the scores of folds, or the means beside --se, of any name.",
            (),
        ),
        ("se", "The column with the standard error of each mean. [default: se]", ()),
        ("lower", "The column with the lower end of the 95% interval of each mean. [default: lower]", ()),
        ("upper", "The column with the upper end of the 95% interval of each mean. [default: upper]", ()),
        (
            "a",
            "Votes: the column with the first entity. [default: model_a]",
            ("modela", "model1", "playera", "player1"),
        ),
        (
            "b",
            "Votes: the column with the second entity. [default: model_b]",
            ("modelb", "model2", "playerb", "player2"),
        ),
        ("winner", "Votes: the column with the winner. [default: winner]", ("winner",)),
    )
)
#: The roles of the cells of a confusion matrix.
CELLS = tuple(
    Role(name, f"The column of {what}.", ROLES[name], "COLUMN")
    for name, what in (
        *(("tn", "true negatives"), ("fp", "false positives"), ("fn", "false negatives"), ("tp", "true positives")),
    )
)
#: The roles of a table of scores of folds.
FOLDS = (
    Role("fold", "Scores of cross-validation: the column with the folds.", ("fold",), "COLUMN"),
    Role("repeat", "Scores of cross-validation: the column with the repetitions.", ("repeat",)),
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
#: Roles that no option names: they are columns of the forms of tables.
UNNAMED = tuple(
    Role(name, "", ROLES[name]) for name in ("actual", "predicted", "probability", "correct", "wrong", "total", "mean")
)


def standard_headings() -> dict[str, tuple[str, ...]]:
    """Return the headings that fill each role without being named, the role's own name first."""
    held = {role.name: role.headings for role in (*TABLE, *CELLS, *FOLDS, *UNNAMED) if role.headings}
    singular = sorted(name for name in ENTITY_NAMES if not name.endswith(("name", "id", "s")))
    return held | {"entity": ("entity", *singular)}
