"""Generated pages are up to date."""

import importlib.util
from pathlib import Path

DOCS = Path(__file__).parent.parent / "docs"


def test_the_page_of_scores_is_up_to_date():
    spec = importlib.util.spec_from_file_location("make_scores_page", DOCS / "make_scores_page.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert (DOCS / "scores.md").read_text(encoding="utf-8") == module.page(), "run make docs"
