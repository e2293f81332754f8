"""How a file of the corpus is written, with its right answer."""

import platform
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import sklearn

FOLDER = Path(__file__).parents[2] / "tests" / "corpus"
PANDAS, SKLEARN = f"pandas {pd.__version__}", f"scikit-learn {sklearn.__version__}"
CSV = f"csv of Python {platform.python_version()}"
R = "layout of R 4.4 (write.table, as.data.frame)"
HAND = "scripts/make_corpus.py"
ENTRIES: list[dict[str, Any]] = []
rng = np.random.default_rng(20261130)


def put(name: str, text: str | bytes) -> None:
    path = FOLDER / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


def entry(
    name: str,
    text: str | bytes | pd.DataFrame,
    score: str,
    observed: dict[str, float],
    *,
    by: str = PANDAS,
    options: str = "",
    asks: str = "",
    remedies: dict[str, dict[str, Any] | None] | None = None,
    mutate: bool = True,
) -> None:
    """Write a file with its answer: the observed value of each entity, after ``options``.

    A file that must stop has in ``asks`` words of the question, and in ``remedies`` what each printed remedy promises;
    None means that it stops again.
    """
    put(name, text.to_csv(index=False) if isinstance(text, pd.DataFrame) else text)
    ENTRIES.append(
        {
            "file": name,
            "by": by,
            "score": score,
            "observed": {str(k): float(v) for k, v in observed.items()},
        }
        | ({"options": options} if options else {})
        | ({"asks": asks} if asks else {})
        | ({"remedies": remedies} if remedies else {})
        | ({} if mutate else {"mutate": False})
    )


def rows_text(*rows: str) -> str:
    return "\n".join(rows) + "\n"
