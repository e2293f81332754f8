"""Write the files of tests/corpus and the manifest with their right answers. Usage: python scripts/make_corpus.py

A file is written as a tool writes it: by pandas, scikit-learn, the csv module, or in the layout of R, Excel or a
leaderboard, which ``by`` names with its version. The right answer is computed here from the numbers that the file is
made of, without bayesrank, or it is a published number. The reader never sees these numbers but in the file.
"""

import json

from corpus_files.cases import cases_in_columns, cases_in_rows
from corpus_files.counts import cells_in_rows, counts, detection, means, right_and_wrong
from corpus_files.folds_votes import folds, votes
from corpus_files.labels import labels, one_classifier, probabilities
from corpus_files.tools import clinicians, hosts_and_evaluators, other_learners
from corpus_files.writing import ENTRIES, FOLDER, HAND, put


def main() -> None:
    for old in FOLDER.iterdir():
        old.unlink()
    for make in (counts, detection, cells_in_rows, right_and_wrong, means, cases_in_rows, cases_in_columns, labels,
                 one_classifier,
                 probabilities, folds, votes, clinicians, other_learners, hosts_and_evaluators):  # fmt: skip
        make()
    for one in ENTRIES:
        one["source"] = HAND
    put("manifest.json", json.dumps(ENTRIES, indent=1, ensure_ascii=False) + "\n")
    print(f"{len(ENTRIES)} files, {sum(path.stat().st_size for path in FOLDER.iterdir()):,} bytes")


if __name__ == "__main__":
    main()
