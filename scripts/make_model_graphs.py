"""Draw the PyMC graphs of models with more than one variable into docs/figures/graph_NAME.png.

It needs Graphviz (``dot``) and its Python package. Run it as ``python scripts/make_model_graphs.py`` after a change of
a model's ``build`` or ``graph``.
"""

import shutil
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
from PIL import Image

import bayesrank as br

FIGURES = Path(__file__).parent.parent / "docs" / "figures"


def evidence() -> dict:
    """Return evidence for each model, as small as its plates allow."""
    sets = {"entity": list("AAABBB"), "dataset": list("xyzxyz")}
    studies = br.from_counts(
        tn=[45, 38, 90, 40, 36, 80],
        fp=[5, 12, 10, 10, 14, 20],
        fn=[4, 9, 2, 6, 12, 7],
        tp=[16, 11, 28, 14, 8, 23],
        **sets,
    )
    tests = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["A", "B"])
    classes = br.from_matrix(
        np.array([[[8, 1, 1], [2, 7, 1], [0, 1, 9]]] * 2), "actual_rows", entity=["A", "B"]
    )
    votes = pd.DataFrame(
        {"a": list("xxyyzx"), "b": list("yzzxxy"), "winner": ["a", "a", "tie", "b", "a", "b"]}
    )
    return {
        "dirichlet_multinomial": tests,
        "beta_binomial": tests,
        "hierarchical_beta_binomial": studies,
        "crossed_logit_normal": studies,
        "hierarchical_classes": classes,
        "davidson": br.from_votes(votes, a="a", b="b", winner="winner"),
    }


def draw(folder: Path) -> list[Path]:
    """Draw all graphs into a folder, without what only typical and new data sets need; return the files."""
    import pymc as pm

    found = []
    for name, held in evidence().items():
        graph = br.to_pymc(held, name)
        shown = [v.name for v in (*graph.observed_RVs, *graph.potentials)]
        shown += [v for v in ("performance", "win_probability") if v in graph.named_vars]
        drawn = pm.model_to_graphviz(graph, var_names=shown, dpi=200)
        drawn.graph_attr["bgcolor"] = "white"
        path = folder / f"graph_{name}"
        drawn.render(path, format="png", cleanup=True)
        found.append(path.with_suffix(".png"))
        Image.open(found[-1]).convert("RGB").quantize(16).save(found[-1], optimize=True)
    return found


if __name__ == "__main__":
    if shutil.which("dot") is None or find_spec("graphviz") is None:
        print(
            "Graphviz (dot) and the Python package graphviz are needed; the pictures stay as they are."
        )
    else:
        print(*draw(FIGURES), sep="\n")
