"""Writes docs/reference/scores.md from the catalogue's metadata. Run: python scripts/make_scores_page.py"""

from pathlib import Path

import bayesrank as br
from bayesrank.scores.averages import AVERAGES
from bayesrank.scores.names import SCORES

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "scores.md"
BETTER = {True: "higher", False: "lower", None: "–"}

HEAD = """\
# The scores

After this page you can find a score by its name or alias, and see its formula, its range and the cases where it is
undefined.

There are {number} scores. Each is an attribute of `br.scores`, such as `br.scores.f1(posterior)`. Functions with an
argument `score` take its name, as in `br.credible_ranking(posterior, "f1")`. Undefined and infinite values are NaN.

In the table,

- *π* says whether the score depends on the prevalence at fixed rates;
- *may rank* is the verdict of the [audit](../theory/audit.md). By a score that should not rank ("no"), a mixture of two
  entities can be better or worse than both, even at one prevalence; `bayesrank audit mcc` prints an example. A score
  with "at one prevalence" may rank entities whose test sets have the same prevalence. Scores without a direction, and
  those of votes and probabilities, have no verdict;
- *ranks* lists the importances of TN, FP, FN and TP if the score is a ranking score. `br.place` returns its place on
  the Tile.

More scores than the table lists:

- **Families**: `f_beta`, `weighted_accuracy`, `tversky`, `decision_benefit`, `net_benefit`, `scaled_log`, `balanced`,
  `conditional_probability` and `implicit`. `of_importance(importance)` and `canonical(a, b)` return the ranking score
  of an importance, or of a point of the Tile. Functions with an argument `score` also take such an importance
  (`br.importance`), or a pair (a, b).
- **More than two classes** (multiclass): {more} are defined for them.
- **Averages over classes** of any two-class score with a direction, such as `br.scores.macro_f1` and
  `br.scores.smallest_recall`. The prefix names the average: {averages}. Classes without cases are omitted if the counts
  are available. Macro and weighted means of precision, recall, F and Jaccard are those of scikit-learn: a label that
  occurs in the answers of an entity alone is one more class, and it counts 0, as do undefined values.
  `br.scores.average(score, how)` averages a score without a name, such as `f_beta(3)`. Use it for accuracy, too, since
  "macro accuracy" has two meanings. [Averages may not rank](../theory/averages.md).
- **Outcomes without classes** have {outcomes}, which is their default.
- **Votes on pairs** have {votes}, which only functions for rankings accept.

*Delta P* has two meanings. `delta_p` (also `markedness`) is P(positive | called positive) − P(positive | called
negative): the prediction is the cue, and the truth is the outcome. `delta_p_prime` (also `informedness`; Powers' ΔP′)
is P(called positive | positive) − P(called positive | negative). Lovell et al. call the informedness Delta P. The two
are equal if as many cases are called positive as are positive.

| name | symbol | formula | defined | range | better | π | may rank | ranks | aliases | reference |
|---|---|---|---|---|---|---|---|---|---|---|
"""


def page() -> str:
    table = br.scores.catalog()
    more = ", ".join(
        f"`{name}`" for name, score in SCORES.items() if score.matrix_function is not None
    )
    outcomes = ", ".join(f"`{name}`" for name, score in SCORES.items() if score.space == "outcomes")
    votes = ", ".join(f"`{name}`" for name, score in SCORES.items() if score.space == "votes")
    averages = ", ".join(f"`{kind}_`" for kind in AVERAGES)
    lines = HEAD.format(
        number=len(table), more=more, outcomes=outcomes, votes=votes, averages=averages
    ).splitlines()
    for name, row in table.iterrows():
        low, high = (f"{end:.4g}".replace("inf", "∞") for end in row["range"])
        importance = row["importance"]
        cells = [
            f"`{name}`",
            row["symbol"],
            row["formula"],
            row["domain"],
            f"{low} to {high}",
            BETTER[row["higher_is_better"]],
            "yes" if row["depends_on_prevalence"] else "no",
            row["may_rank"] or "–",
            "" if importance is None else ", ".join(f"{w:g}" for w in importance.values()),
            ", ".join(f"`{alias}`" for alias in row["aliases"]),
            row["reference"],
        ]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
