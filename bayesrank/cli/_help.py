"""Options of a command in groups; options that most commands share are explained by ``bayesrank rank --help`` alone."""

import click

#: Groups of options, in the order of the help. Options in no group are those of the command itself.
OWN, EVIDENCE, LOGS, MODEL, SCORE, OUTPUT = (
    *("Options of this command", "Evidence options", "Log options", "Model options", "Score options", "Output options"),
)
MEMBERS = {
    EVIDENCE: "dataset entity entities dataset_column case run training_seed cluster outcome se lower upper "
    "a b winner count weight tn fp fn tp truth judge group category cost where ignore fold repeat train test "
    "positive missing join",
    LOGS: "name only map match reruns errors",
    MODEL: "model prior prevalence sampler draws seed",
    SCORE: "score lower_is_better higher_is_better rope kind prob ask over aggregate weights by benefit reference",
    OUTPUT: "notes columns format top digits picture output wanted export",
}
#: Groups that other commands than rank list by name.
COMMON = (EVIDENCE, LOGS, MODEL)


def group_options(command: click.Command, ctx: click.Context) -> dict[str, list[click.Option]]:
    """Return the options of a command by group, without empty groups."""
    place = {name: group for group, names in MEMBERS.items() for name in names.split()}
    found: dict[str, list[click.Option]] = {group: [] for group in (OWN, *MEMBERS)}
    for option in command.get_params(ctx):
        if isinstance(option, click.Option):
            found[place.get(str(option.name), OUTPUT if option.is_eager else OWN)].append(option)
    return {group: options for group, options in found.items() if options}


class Grouped(click.Command):
    """A command whose help has its options in groups."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        brief = self.name != "rank" and any(option.name == "model" for option in self.params)
        for group, options in group_options(self, ctx).items():
            with formatter.section(group):
                if brief and group in COMMON:
                    formatter.write_text(", ".join(option.opts[-1] for option in options))
                    formatter.write_text("These are explained by 'bayesrank rank --help'.")
                else:
                    formatter.write_dl([record for option in options if (record := option.get_help_record(ctx))])
