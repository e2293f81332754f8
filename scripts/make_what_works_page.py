"""Write docs/reference/what_works.md: which operation works with which kind of evidence, and why another one does not.

Run ``python scripts/make_what_works_page.py``. Every cell is one of the small analyses of ``scripts/golden.py``, whose
results are stored in ``tests/golden``: an operation works, or raises an error that says why not.
"""

import json
from inspect import signature
from pathlib import Path
from typing import Any

import bayesrank as br

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference" / "what_works.md"
#: The kinds of evidence, by their analyses.
KINDS = {
    "counts": "confusion matrices",
    "datasets": "matrices on data sets",
    "groups": "matrices of groups of cases",
    "classes": "matrices of three classes",
    "right_wrong": "counts of outcomes",
    "joint_labels": "predicted classes by case",
    "joint_clusters": "predicted classes, clusters",
    "outcomes": "right or wrong by case",
    "outcomes_datasets": "right or wrong, data sets",
    "outcomes_clusters": "right or wrong, clusters",
    "outcomes_weights": "right or wrong, weights",
    "grades": "grades by case",
    "seeds": "training seeds",
    "means": "means and standard errors",
    "folds": "scores of folds",
    "probabilities": "predicted probabilities",
    "judged": "truth known in part",
    "no_gold": "no gold standard",
    "votes": "votes",
    "votes_voters": "votes, voters and questions",
    "rates": "known rates",
    "draws": "draws alone",
}
#: The operations, by their analyses.
OPERATIONS = {
    "ranking": "`br.credible_ranking`",
    "exact": '`method="exact"`',
    "auto": '`method="auto"`',
    "rope": "`rope=`",
    "statements": "`br.probability`",
    "top_set": "`br.top_set`",
    "board": "`br.board`",
    "score_table": "`br.score_table`",
    "plan": "`br.plan`",
    "gate": "`br.decisions.gate`",
    "noninferiority": "`br.decisions.noninferiority`",
    "utility": "`br.decisions.expected_utility`",
    "sensitivity": "`br.sensitivity`",
    "tile": "`br.tile.credible`",
    "ops": "`br.ops.of_draws`",
    "predictive": "`br.posterior_predictive`",
    "heterogeneity": "`br.heterogeneity`",
    "mean over datasets": '`over="dataset"`',
    "worst group": '`aggregate="worst"`',
    "deciding_cases": "`br.cases.deciding_cases`",
}

#: What makes evidence, and the arguments that say what cases share or count.
MAKERS = (
    *(
        "from_counts",
        "from_predictions",
        "joint_outcomes",
        "from_outcomes",
        "from_probabilities",
        "from_folds",
    ),
    *("from_judged", "from_votes"),
)
ARGUMENTS = (
    "dataset",
    "group",
    "cluster",
    "case",
    "run",
    "count",
    "weight",
    "missing",
    "covariates",
)
#: Arguments that are the evidence, or come from it.
EVIDENCE = ("evidence", "source", "posterior", "joint", "ops")

HEAD = """# What works with what

After this page you know which operation takes which kind of evidence, and why another one does not. Each cell was run
on a small example: a dot says that the operation works, and a letter names the reason below why it raises an error.

{everywhere} work with every kind.
The columns of the table are:

"""


def refusal(record: Any) -> str:
    """Return what an analysis that raised an error must have; empty if it worked."""
    if not isinstance(record, dict) or set(record) != {"error"}:
        return ""
    wanted, _, _ = record["error"].partition(": ")[2].partition("; got ")
    argument, _, rest = wanted.partition(" must ")
    return f"{'the evidence' if argument in EVIDENCE else f'`{argument}`'} must {rest}"


def letter(number: int) -> str:
    """Return a, b, ..., z, aa, ab, ..."""
    return "" if number < 0 else letter(number // 26 - 1) + chr(ord("a") + number % 26)


def arguments_table() -> str:
    """Return the table of what makes evidence and the arguments that it takes, by its signature."""
    rows = []
    for maker in MAKERS:
        takes = signature(getattr(br, maker)).parameters
        rows.append(
            f"| `br.{maker}` | "
            + " | ".join("•" if name in takes else "" for name in ARGUMENTS)
            + " |"
        )
    heads = " | ".join(f"`{name}=`" for name in ARGUMENTS)
    return "\n".join([f"| function | {heads} |", "|---" + "|:-:" * len(ARGUMENTS) + "|", *rows])


def page() -> str:
    """Return the page."""
    records = {
        kind: json.loads((ROOT / "tests" / "golden" / f"{kind}.json").read_text(encoding="utf-8"))
        for kind in KINDS
    }
    why = {
        operation: [refusal(records[kind][f"{kind}/{operation}"]) for kind in KINDS]
        for operation in OPERATIONS
    }
    some = [operation for operation in OPERATIONS if any(why[operation])]
    reasons = {
        reason: letter(i)
        for i, reason in enumerate(dict.fromkeys(x for one in some for x in why[one] if x))
    }
    rows = []
    for i, name in enumerate(KINDS.values()):
        cells = [reasons.get(why[operation][i], "•") for operation in some]
        rows.append(f"| {name} | " + " | ".join(cells) + " |")
    everywhere = [OPERATIONS[operation] for operation in OPERATIONS if operation not in some]
    legend = [f"{i + 1}. {OPERATIONS[operation]}" for i, operation in enumerate(some)]
    heads = " | ".join(str(i + 1) for i in range(len(some)))
    table = [f"| evidence | {heads} |", "|---" + "|:-:" * len(some) + "|", *rows]
    said = [f"- **{name}**: {reason}" for reason, name in reasons.items()]
    head = HEAD.format(everywhere=f"{', '.join(everywhere[:-1])} and {everywhere[-1]}")
    parts = ["\n".join(legend), "\n".join(table), "## Why not\n\n" + "\n".join(said)]
    parts.append(
        f"## Arguments\n\nThese functions make evidence, and take these arguments.\n\n{arguments_table()}"
    )
    return head + "\n\n".join(parts) + "\n"


def main() -> None:
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
