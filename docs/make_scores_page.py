"""Writes docs/scores.md from the catalogue's metadata. Run: python docs/make_scores_page.py"""

from pathlib import Path

import bayesrank as br
from bayesrank.scores.averages import AVERAGES
from bayesrank.scores.names import SCORES

PAGE = Path(__file__).parent / "scores.md"
BETTER = {True: "higher", False: "lower", None: "–"}

HEAD = """\
# The scores

{number} scores. Each is an attribute of `br.scores`, by its name or an alias, and is called with whatever holds a
performance. Undefined values, infinite ones among them, are NaN.

- *ranks*: the importance of TN, FP, FN, TP if it is a ranking score; `br.place` says where its order lies on the Tile.
- *π*: whether it depends on the prevalence at fixed rates.
- Families: `f_beta`, `weighted_accuracy`, `tversky`, `decision_benefit`, `net_benefit`, `scaled_log`, `balanced`,
  `conditional_probability`, `implicit`; `of_importance(importance)` and `canonical(a, b)`, the scores of an importance
  and of a place on the Tile. Wherever a score is asked for, an importance (as of `br.importance`) and a pair (a, b)
  stand for these.
- Of more than two classes as well: {more}.
- Of outcomes without classes: {outcomes}, which needs not be named.
- Averages over classes of any two-class score with a direction are scores, too, as `br.scores.macro_f1` and
  `br.scores.smallest_recall`, by a word before its name or alias: {averages}. Classes without cases are left out where
  the counts are known. `br.scores.average(score, how)` averages what has no name, such as `f_beta(3)`, and the
  accuracy, as "macro accuracy" may mean two things. [Averages may not rank](theory/averages.md).
- *Delta P* has two senses. Where the prediction is the cue and the truth the outcome, it is P(positive | called
  positive) less P(positive | called negative): the `markedness`, and `delta_p` here. The other way round it is P(called
  positive | positive) less P(called positive | negative): the `informedness`, which Powers writes ΔP′, and
  `delta_p_prime` here. Lovell et al. call the informedness Delta P. Both are equal where as many cases are called
  positive as are so.

| name | symbol | formula | defined | range | better | π | ranks | aliases | reference |
|---|---|---|---|---|---|---|---|---|---|
"""


def page() -> str:
    table = br.scores.catalog()
    more = ", ".join(f"`{name}`" for name, score in SCORES.items() if score.matrix_function is not None)
    outcomes = ", ".join(f"`{name}`" for name, score in SCORES.items() if score.space == "outcomes")
    averages = ", ".join(f"`{kind}_`" for kind in AVERAGES)
    lines = HEAD.format(number=len(table), more=more, outcomes=outcomes, averages=averages).splitlines()
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
            "" if importance is None else ", ".join(f"{w:g}" for w in importance.values()),
            ", ".join(f"`{alias}`" for alias in row["aliases"]),
            row["reference"],
        ]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
