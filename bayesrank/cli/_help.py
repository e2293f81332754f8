"""Options of a command in groups; options that most commands share are explained by ``rank --help-all`` alone.

``bayesrank rank --help`` has what most people need.
"""

from typing import Any

import click

from bayesrank.cli._sink import print_block

#: Groups of options, in the order of the help. Options in no group are those of the command itself.
OWN, EVIDENCE, LOGS, MODEL, SCORE, OUTPUT = (
    *(
        "Options of this command",
        "Evidence options",
        "Log options",
        "Model options",
        "Score options",
        "Output options",
    ),
)
MEMBERS = {
    EVIDENCE: "dataset entity entities dataset_column case run training_seed cluster outcome se lower upper "
    "a b winner count weight tn fp fn tp truth judge group category cost where ignore fold repeat train test "
    "positive missing join predicted probability correct wrong total cases",
    LOGS: "name only map match reruns errors",
    MODEL: "model prior prevalence sampler draws seed covariates at scale anchor",
    SCORE: "score lower_is_better higher_is_better rope kind prob ask over aggregate weights by benefit reference",
    OUTPUT: "notes columns format top digits picture output wanted export",
}
#: Groups that other commands than rank list by name.
COMMON = (EVIDENCE, LOGS, MODEL)
#: Options in the short help of rank.
FREQUENT = (
    "score",
    "positive",
    "entity",
    "case",
    "cluster",
    "truth",
    "missing",
    "rope",
    "prob",
    "format",
)
SHORT = """Rank the entities of DATA: a shipped data set, a CSV file, evaluation logs, or - for standard input.

A table has a row for each entity (entity, tn, fp, fn, tp), or a row for each case and a column for each entity: right
and wrong answers, grades, or labels beside a column actual. 'bayesrank check DATA' says what was read and what to type.
"""
EXAMPLES = (
    ("bayesrank rank counts.csv --score f1", "confusion matrices"),
    ("bayesrank rank labels.csv --positive malignant", "labels of cases and the truth"),
    ("bayesrank rank answers.csv --cluster question", "right and wrong answers"),
)


def group_options(command: click.Command, ctx: click.Context) -> dict[str, list[click.Option]]:
    """Return the options of a command by group, without empty groups."""
    position = {name: group for group, names in MEMBERS.items() for name in names.split()}
    found: dict[str, list[click.Option]] = {group: [] for group in (OWN, *MEMBERS)}
    for option in command.get_params(ctx):
        if isinstance(option, click.Option):
            found[position.get(str(option.name), OUTPUT if option.is_eager else OWN)].append(option)
    return {group: options for group, options in found.items() if options}


class Grouped(click.Command):
    """A command whose help has its options in groups."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        if self.name == "rank":
            everything = click.Option(
                ["--help-all"], is_flag=True, is_eager=True, expose_value=False, callback=self._show_all,
                help="Show the headings that a table may have, and all options by topic.",
            )  # fmt: skip
            self.params.append(everything)

    def _show_all(self, ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
        if wanted:
            formatter = ctx.make_formatter()
            super().format_help(ctx, formatter)
            print_block(formatter.getvalue())
            ctx.exit()

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if self.name != "rank":
            return super().format_help(ctx, formatter)
        self.format_usage(ctx, formatter)
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(SHORT)
        with formatter.section("Examples"):
            formatter.write_dl(list(EXAMPLES))
        options_by_name = {option.name: option for option in self.get_params(ctx)}
        with formatter.section("Frequent options"):
            records = [
                options_by_name[name].get_help_record(ctx) for name in (*FREQUENT, "help_all")
            ]
            formatter.write_dl([record for record in records if record])

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        brief = self.name != "rank" and any(option.name == "model" for option in self.params)
        for group, options in group_options(self, ctx).items():
            with formatter.section(group):
                if brief and group in COMMON:
                    formatter.write_text(", ".join(option.opts[-1] for option in options))
                    formatter.write_text("These are explained by 'bayesrank rank --help-all'.")
                else:
                    formatter.write_dl(
                        [record for option in options if (record := option.get_help_record(ctx))]
                    )
