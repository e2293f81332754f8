"""The script that redraws the figures of the four papers."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from tests.scripts import load_script

#: Table 1 of Foundations, and every figure of The Tile, of Outperformance score and of Never mind the metrics; those of
#: D.2 and D.4 are one page.
PRINTED = {
    "F1", *(f"T{k}" for k in range(1, 10)), *(f"O{k}" for k in range(1, 8)), "U1", "U2a", "U2b", "U3", "U4", "U5",
    *(f"UB{k}" for k in range(1, 16)), *(f"UC{k}" for k in range(1, 16)), "UD1", "UD2", "UD3", "UD5", "UD6", "UE1",
    "UF1", "UF2", "UF3",
}  # fmt: skip


@pytest.fixture(scope="module")
def script():
    return load_script("scripts/paper_figures.py")


def looked_at(folder, files):
    index = (folder / "index.html").read_text(encoding="utf-8")
    for name, file in files.items():
        assert f'id="{name}"' in index
        assert file in index
        if file.endswith(".png"):
            picture = plt.imread(folder / file)[..., :3]
            assert np.ptp(picture) > 0.5
            assert (picture.min(axis=-1) < 0.95).mean() > 0.005, name  # something is drawn
        elif file.endswith(".html"):
            assert "<script>" in (folder / file).read_text(encoding="utf-8")
    assert "http" not in index


def test_there_is_a_function_for_every_figure(script):
    assert set(script.FIGURES) >= PRINTED
    assert all(len(caption) > 20 for caption, _ in script.FIGURES.values())
    assert len({caption for caption, _ in script.FIGURES.values()}) == len(script.FIGURES)


def test_pictures_and_pages_are_written_and_shown(script, tmp_path):
    files = script.main(tmp_path / "made", ["O1", "UC2", "UD1"])
    assert files == {"O1": "O1.png", "UC2": "UC2.png", "UD1": "UD1.html"}
    looked_at(tmp_path / "made", files)


@pytest.mark.slow
def test_all_figures_are_drawn(script, tmp_path):
    files = script.main(tmp_path)
    assert set(files) == set(script.FIGURES)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        [*files.values(), "index.html"]
    )
    looked_at(tmp_path, files)


def test_the_benefits_are_scaled_as_they_should_have_been(script):
    score = script.scaled(7, 3, 1, 4)  # Figure B.8: from 1 to 7
    assert score.range == (0.0, 1.0)
    table = np.array([5, 3, 2, 10])  # tn, fp, fn, tp
    worth = np.array([4, 3, 1, 7])
    assert score.of_cells(*table / 20) == pytest.approx(((worth - 1) / 6 @ table) / 20)
