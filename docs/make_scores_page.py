"""Writes docs/scores.md from the catalogue's metadata. Run: python docs/make_scores_page.py"""

from pathlib import Path

import bayesrank as br

PAGE = Path(__file__).parent / "scores.md"
BETTER = {True: "higher", False: "lower", None: "–"}

HEAD = """\
# The scores

{number} scores of two classes. Each is an attribute of `br.scores`, by its name or an alias, and is called with
whatever holds a performance. Undefined values, infinite ones among them, are NaN.

- *ranks*: the importance of TN, FP, FN, TP if it is a ranking score; `br.place` says where its order lies on the Tile.
- *π*: whether it depends on the prevalence at fixed rates.
- Families: `f_beta`, `weighted_accuracy`, `tversky`, `decision_benefit`, `net_benefit`, `scaled_log`, `balanced`,
  `probability`.
- For more than two classes: `accuracy`, `error_rate`, `mcc`, `cohen_kappa` (also `_linear`, `_quadratic`), and
  `macro_average`, `micro_average`, `weighted_average` of any.

| name | symbol | formula | defined | range | better | π | ranks | aliases | reference |
|---|---|---|---|---|---|---|---|---|---|
"""


def page() -> str:
    table = br.scores.catalog()
    lines = HEAD.format(number=len(table)).splitlines()
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
