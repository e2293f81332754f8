"""The ledger: which cases and runs of each entity were read, what came of them, and what was left out."""

import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._core.labels import factorize
from bayesrank._core.notes import Note
from bayesrank._core.nouns import noun
from bayesrank._core.records import EvidenceRecord, reading_attr

#: Dims over which the cases of an entity are counted.
COUNTED = ("dataset", "group", "label", "actual", "predicted", "outcome")
#: The status of a run with an outcome of its own, and of a run whose file says nothing else about a
#: lost outcome.
SCORED, NO_OUTCOME = "scored", "no outcome"


@dataclass(frozen=True)
class Tally:
    """The runs of an entity with one status, and how many of them have an outcome that counts."""

    status: str
    runs: int
    counted: int


@dataclass(frozen=True)
class Entry:
    """The cases and runs of one entity.

    ``cases`` is the number of cases that the ranking uses. ``absent`` is the number of cases that
    only other entities met. ``runs`` is the number of runs that were made. ``weight`` is the sum of
    the importance weights of its cases, relative to the largest one; None without weights.
    """

    entity: str
    cases: int
    absent: int = 0
    runs: int = 0
    outcomes: tuple[Tally, ...] = ()
    weight: float | None = None


@dataclass(frozen=True)
class Drop:
    """Cases or runs that were read and are not used; ``reason`` is "not_common" or "no_outcome"."""

    what: str
    number: int
    total: int
    reason: str


@dataclass(frozen=True)
class Ledger:
    """What was read: the entries of all entities, and how many cases there are in all.

    ``missing`` is the treatment of missing outcomes ("common", "own" or a number), empty if none is
    missing.
    """

    entries: tuple[Entry, ...]
    cases: int
    classes: int = 0
    datasets: int = 0
    missing: str = ""
    dropped: tuple[Drop, ...] = ()
    source: str = ""
    ignored: tuple[str, ...] = field(default=())
    #: What is counted: cases, or votes on pairs of entities.
    unit: str = "case"
    #: For truth known in part: the smallest and the largest number of cases of an entity with a
    #: known truth.
    labels: tuple[int, int] | None = None
    #: The name, the smallest and the largest value of each covariate of data sets.
    covariates: tuple[tuple[str, float, float], ...] = ()
    #: For votes: how many have a winner, are ties, and call both bad; and how many voters and
    #: questions there are.
    results: tuple[tuple[str, float], ...] = ()
    units: tuple[tuple[str, int], ...] = ()

    def to_attrs(self) -> dict[str, str]:
        """Return the ledger as a text in attrs, which every file format can hold."""
        of_votes = {"results", "units"}
        fields_set = {
            name: value for name, value in asdict(self).items() if value or name not in of_votes
        }
        return {"ledger": json.dumps(fields_set, ensure_ascii=False)}

    @staticmethod
    def from_attrs(attrs: Mapping[Any, Any]) -> "Ledger | None":
        """Return the ledger in attrs of evidence, a posterior or a ranking; None if there is none."""
        text = EvidenceRecord.from_attrs(attrs).ledger
        if not text:
            return None
        with reading_attr("ledger"):
            fields_read = json.loads(text)
            entries = [
                Entry(**one | {"outcomes": tuple(Tally(**tally) for tally in one["outcomes"])})
                for one in fields_read["entries"]
            ]
            drops = tuple(Drop(**one) for one in fields_read["dropped"])
            fields_read |= {
                name: tuple(map(tuple, fields_read.get(name, ())))
                for name in ("covariates", "results", "units")
            }
            fields_read |= {
                "entries": tuple(entries),
                "dropped": drops,
                "ignored": tuple(fields_read["ignored"]),
            }
            return Ledger(
                **fields_read | {"labels": fields_read["labels"] and tuple(fields_read["labels"])}
            )

    def entry(self, entity: object) -> Entry | None:
        """Return the entry of an entity; None if it has none."""
        return next((one for one in self.entries if one.entity == str(entity)), None)

    def has_runs(self) -> bool:
        """Return whether a case has several runs of one entity."""
        return any(one.runs > self.cases - one.absent for one in self.entries)

    def read_note(self, called: str, stratum: str = "data set") -> Note:
        """Return what was read as a note; an entity is ``called`` so, and a data set is called ``stratum``."""
        return Note(
            "evidence_read",
            self._fields(called) | ({"stratum": stratum} if stratum != "data set" else {}),
        )

    def used_note(self) -> Note:
        """Return what the evidence is as a note, for a paragraph on methods."""
        return Note("evidence_used", self._fields(noun()))

    def _fields(self, called: str) -> dict[str, Any]:
        cases = [one.cases for one in self.entries]
        fields = {"entities": len(cases), "noun": called, "cases": self.cases}
        fields |= {"fewest": min(cases, default=0), "most": max(cases, default=0)}
        fields |= {"runs": sum(one.runs for one in self.entries) if self.has_runs() else 0}
        fields |= {
            "classes": self.classes,
            "datasets": self.datasets,
            "missing": self.missing,
            "source": self.source,
        }
        fields |= {"unit": self.unit} if self.unit != "case" else {}
        fields |= {"labels": list(self.labels)} if self.labels else {}
        fields |= {"covariates": list(map(list, self.covariates))} if self.covariates else {}
        fields |= {"units": dict(self.units)} if self.units else {}
        return fields | {
            "ignored": self.ignored,
            "dropped": [asdict(drop) for drop in self.dropped],
        }

    def run_notes(self) -> list[Note]:
        """Return what came of the runs as a note, if there is more to say than their number."""
        by_status = self.by_status()
        absent = {one.entity: one.absent for one in self.entries if one.absent}
        if not self.has_runs() and set(by_status) <= {SCORED}:
            return []
        runs = {status: tally.runs for status, tally in by_status.items()}
        ruled = [
            status for status, tally in by_status.items() if tally.counted and status != SCORED
        ]
        return [
            Note(
                "runs_by_outcome",
                {"runs": sum(runs.values()), "outcomes": runs, "ruled": ruled, "absent": absent},
            )
        ]

    def by_status(self) -> dict[str, Tally]:
        """Return the runs of all entities by status, scored runs first."""
        found: dict[str, Tally] = {}
        for tally in (tally for one in self.entries for tally in one.outcomes):
            before = found.get(tally.status, Tally(tally.status, 0, 0))
            found[tally.status] = Tally(
                tally.status, before.runs + tally.runs, before.counted + tally.counted
            )
        return dict(sorted(found.items(), key=lambda item: item[0] != SCORED))


def ledger_of(evidence: Any) -> Ledger:
    """Return the ledger in the attrs of evidence, or else what the evidence itself shows."""
    return Ledger.from_attrs(evidence.attrs) or count_evidence(evidence)


def count_evidence(evidence: Any) -> Ledger:
    """Return the cases of each entity as the evidence holds them: counts, joint outcomes or means."""
    names = evidence["entity"].values.tolist()
    datasets = (
        len(set(np.ravel(evidence["dataset"].values).tolist()))
        if "dataset" in evidence.coords
        else 0
    )
    if isinstance(evidence, xr.DataArray):
        cases = np.asarray(
            evidence.sum([dim for dim in evidence.dims if dim in COUNTED]).values, np.int64
        )
        classes = evidence.sizes.get("actual", 0)
    elif "pattern" in evidence.dims:
        answered = np.ones((evidence.sizes["pattern"], len(names)), bool)
        if "outcome" in evidence:
            answered = evidence["outcome"].transpose("pattern", "entity").notnull().values
        count = np.asarray(evidence["count"].values)
        entries = tuple(
            Entry(str(name), int(n)) for name, n in zip(names, count @ answered, strict=True)
        )
        return Ledger(entries, int(count.sum()), evidence.sizes.get("label", 0), datasets)
    else:
        cases = (
            np.nan_to_num(evidence["cases"].values).astype(int)
            if "cases" in evidence
            else np.zeros(len(names), int)
        )
        classes = 0
    entries = tuple(Entry(str(name), int(n)) for name, n in zip(names, cases, strict=True))
    return Ledger(entries, int(cases.max(initial=0)), classes, datasets)


def count_answers(
    names: Iterable[Any],
    answered: np.ndarray,
    count: np.ndarray,
    missing: Any,
    case: Sequence[Hashable] | None = None,
    classes: int = 0,
    datasets: Iterable[Any] = (),
    weight: np.ndarray | None = None,
) -> Ledger:
    """Return the ledger of a table with a row for each case or run, and a column for each entity.

    ``answered`` (row, entity) says where there is an answer, ``count`` how many cases a row stands for,
    and ``case`` names the case of each row if rows are runs. Without an answer, a run was not made.
    ``weight`` is the importance weight of the case of each row.
    """
    which, common = find_common(answered, case)
    size = int(which.max(initial=-1)) + 1
    times = np.asarray(count if case is None else np.ones(size), np.int64)
    retained = answered & common[:, None] if missing == "common" else answered

    def cases(mask: np.ndarray) -> int:
        return int(times[np.bincount(which[mask], minlength=size) > 0].sum())

    total = cases(np.ones(len(answered), bool))
    weight = None if weight is None or (weight == weight[:1]).all() else weight
    filled = missing is not None and not isinstance(missing, str)
    entries = []
    for i, name in enumerate(names):
        runs = int(count[answered[:, i]].sum())
        measured = cases(answered[:, i])
        used = total if filled else cases(retained[:, i])
        counted = np.ones(len(answered), bool) if filled else retained[:, i]
        own = None if weight is None else _sum_weights(weight, which, counted)
        entries.append(
            Entry(str(name), used, total - measured, runs, (Tally(SCORED, runs, runs),), own)
        )
    used_rows = np.asarray(retained.any(axis=1))
    reason = "not_common" if missing == "common" else "no_outcome"
    drops = [] if filled else [Drop("cases", total - cases(used_rows), total, reason)]
    if size < len(answered) and missing == "common":
        drops.append(
            Drop("runs", int(answered[~used_rows].sum()), int(answered.sum()), "not_common")
        )
    lacking = not answered.all()
    return Ledger(
        tuple(entries),
        total,
        classes,
        len(set(datasets)),
        _treatment(missing) if lacking else "",
        tuple(drop for drop in drops if drop.number),
    )


def find_common(
    answered: np.ndarray, case: Sequence[Hashable] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the number of the case of each row, and a mask of the rows of cases that all entities met.

    ``answered`` (row, entity) says where there is an answer. ``case`` names the case of each row if rows
    are runs: an entity met a case if it has an answer in one of its runs.
    """
    if case is None:
        return np.arange(len(answered)), np.asarray(answered.all(axis=1))
    which = factorize(case)[0]
    answers = np.zeros((int(which.max(initial=-1)) + 1, answered.shape[1]), int)
    np.add.at(answers, which, answered)
    return which, np.asarray((answers > 0).all(axis=1))[which]


def count_runs(frame: pd.DataFrame) -> tuple[Entry, ...]:
    """Return the entries of a table with a row for each run: entity, dataset, case, status and outcome."""
    entity, names = pd.factorize(frame["entity"])
    dataset, case = (
        pd.factorize(frame[key], use_na_sentinel=False)[0] for key in ("dataset", "case")
    )
    case = pd.factorize(dataset * (case.max(initial=0) + 1) + case)[0]
    cases = int(case.max(initial=-1)) + 1

    def count_cases(rows: np.ndarray) -> np.ndarray:
        """Return the number of cases of each entity in some rows."""
        pairs = np.unique((entity * cases + case)[rows & (entity >= 0)])
        return np.bincount(pairs // max(cases, 1), minlength=len(names))

    used = count_cases(np.asarray(frame["outcome"].notna()))
    absent = cases - count_cases(np.ones(len(frame), bool))
    runs = np.bincount(entity[entity >= 0], minlength=len(names))
    tallies: list[list[Tally]] = [[] for _ in names]
    outcomes = frame["outcome"].groupby([entity, frame["status"]], sort=False)
    sizes = outcomes.agg(["size", "count"])
    for (one, status), size, count in zip(sizes.index, sizes["size"], sizes["count"], strict=True):
        if one >= 0:
            tallies[one].append(Tally(str(status), int(size), int(count)))
    return tuple(
        Entry(str(name), int(used[i]), int(absent[i]), int(runs[i]), tuple(tallies[i]))
        for i, name in enumerate(names)
    )


def add_runs(ledger: Ledger, frame: pd.DataFrame) -> Ledger:
    """Return the ledger with the runs of a table, as :func:`count_runs` takes it; the used cases stay the same."""
    made = {entry.entity: entry for entry in count_runs(frame)}
    entries = [
        replace(entry, absent=own.absent, runs=own.runs, outcomes=own.outcomes)
        if own is not None
        else entry
        for entry in ledger.entries
        for own in [made.get(entry.entity)]
    ]
    return replace(ledger, entries=tuple(entries))


def _sum_weights(weight: np.ndarray, which: np.ndarray, rows: np.ndarray) -> float:
    """Return the sum of the weights of the cases in these rows; a case counts once, whatever runs it has."""
    first = np.unique(which[rows], return_index=True)[1]
    return float(weight[rows][first].sum())


def _treatment(missing: Any) -> str:
    """Return how missing outcomes are treated, as it is typed."""
    if missing is None or isinstance(missing, str):
        return missing or ""
    return f"{missing:g}"
