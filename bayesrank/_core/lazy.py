"""Public names that load at first use (SPEC 1), and errors that name the nearest one."""

from collections.abc import Callable
from typing import Any

import lazy_loader

#: What other packages call a function or a picture, and its name here.
MEANT = {
    **dict.fromkeys(
        ("reliability", "reliability_diagram", "calibration", "CalibrationDisplay"),
        "plots.calibration_curve",
    ),
    **dict.fromkeys(("roc", "RocCurveDisplay"), "plots.roc_curve"),
    **dict.fromkeys(("ranking", "leaderboard", "rank_models"), "credible_ranking"),
    **dict.fromkeys(("plot", "plot_forest", "forest_plot"), "plots.forest"),
    **dict.fromkeys(("load", "load_dataset"), "datasets.load"),
    **dict.fromkeys(
        ("compare_estimators", "compare_models"), "integrations.sklearn.compare_estimators"
    ),
    **dict.fromkeys(("report", "to_html"), "ranking_report"),
    **dict.fromkeys(("fit_model", "sample"), "fit"),
    "from_csv": "analyze",
    "read_csv": "analyze",
}


def attach(
    module: str, path: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a module from its stub."""
    find, names, public = lazy_loader.attach_stub(module, path)

    def find_or_hint(name: str) -> Any:
        try:
            return find(name)
        except AttributeError:
            if name.startswith("_"):
                raise
            raise _unknown(module, name, public) from None

    return find_or_hint, names, public


def _unknown(module: str, name: str, public: list[str]) -> AttributeError:
    """Return an error that names the nearest public name."""
    from difflib import get_close_matches

    from bayesrank._core.errors import ArgumentAttributeError

    space = module.replace("bayesrank", "br", 1)
    near = [f"{space}.{one}" for one in get_close_matches(name, public, n=1)]
    nearest = [f"br.{MEANT[name]}"] if name in MEANT else near
    return ArgumentAttributeError(
        f"{space}.{name}",
        "must be a public name",
        "",
        f"did you mean {nearest[0]}?" if nearest else "",
    )
