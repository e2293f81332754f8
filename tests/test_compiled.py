"""Compiled code is kept on disk where that can be, and made anew where nothing can be written."""

import re
from pathlib import Path

import numba
import pytest
from numba.core import caching

import bayesrank as br
from bayesrank._core.compiled import njit


def twice(x):
    return 2 * x


def test_code_is_kept_where_it_can_be(tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    assert njit(cache=True)(twice)(21) == 42
    assert list(tmp_path.rglob("*.nbi"))


def test_without_a_folder_to_write_to_code_is_compiled_all_the_same(monkeypatch):
    found = [
        held
        for held in vars(caching).values()
        if "_locator_classes" in getattr(held, "__dict__", {})
    ]
    for held in found:
        monkeypatch.setattr(held, "_locator_classes", [])
    with pytest.raises(RuntimeError, match="no locator available"):
        numba.njit(cache=True)(twice)
    assert njit(cache=True, nogil=True)(twice)(21) == 42


def test_no_kernel_insists_on_a_folder():
    """Numba's own decorator raises at import where its cache has no place."""
    kernels = [
        path
        for path in Path(br.__file__).parent.rglob("*.py")
        if "njit" in path.read_text(encoding="utf-8")
    ]
    assert len(kernels) > 5
    for path in kernels:
        text = path.read_text(encoding="utf-8")
        assert path.name == "compiled.py" or not re.search(
            r"numba import .*njit|numba\.njit\(.*cache", text
        ), path
