"""The report that ``bayesrank rank`` writes, with the sections that are asked for."""

import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click
import xarray as xr

import bayesrank as br
from bayesrank._outputs import check_output, write_output
from bayesrank.cli._analysis import Analysis, Question, quiet
from bayesrank.cli.decide import benefits, entity_called
from bayesrank.evidence._case_counts import counts_of
from bayesrank.models import chosen_by_evidence, in_closed_form
from bayesrank.report.sections import LACKING, SECTIONS

NONE = "none"
OPTIONS = (
    click.option("--report", type=click.Path(dir_okay=False), help="Write a self-contained HTML report."),
    click.option(
        "--sections",
        help=f"Of the report: some of {', '.join(SECTIONS)}, with commas, or {NONE}. [default: those that the data "
        "have and that take no long time]",
    ),
    click.option("--sensitivity", is_flag=True, help="With a section on other priors, models and data sets."),
    click.option(
        "--benefit", help="With a section on what using an entity is worth, as for 'bayesrank decide'; at --prevalence."
    ),
    click.option("--reference", help="With a section on who is no worse than this entity, as for 'bayesrank decide'."),
    click.option(
        "--drift",
        is_flag=True,
        help="With a section on what changed from data set to data set, and whether prevalence or rates did it: they "
        "are periods, in the order of the file.",
    ),
    click.option("--cases", is_flag=True, help="With a section on which cases tell entities apart, of single cases."),
)


def reporting(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of a report."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True)
class Report:
    """What a report is to hold; checked before the work that it asks for."""

    path: str
    sections: tuple[str, ...] | None
    sensitivity: bool
    benefit: dict[str, float] | None
    reference: str | None
    drift: bool
    cases: bool

    def one_by_one(self, asked: Question) -> xr.Dataset | None:
        """What came of the cases, where they are known one by one."""
        if not self.cases:
            return None
        if not isinstance(asked.evidence, xr.Dataset):
            raise ValueError(
                "--cases must go with one row a case and the model paired, which knows them one by one; got "
                f"{asked.about['title']} with the model {asked.model}"
            )
        return br.cases.deciding_cases(asked.evidence)

    def changes(self, analysis: Analysis, score: Any, prob: float, draws: int, seed: int) -> xr.Dataset | None:
        """How the entities changed from data set to data set, each of which has rates of its own."""
        if not self.drift:
            return None
        asked, whole = analysis.asked, analysis.asked.whole
        counts = counts_of(whole) if isinstance(whole, xr.Dataset) and not asked.outcomes else whole
        periods = isinstance(counts, xr.DataArray) and "dataset" in counts.dims and counts.sizes["dataset"] > 1
        if not periods or counts.sizes.get("actual") != 2:
            raise ValueError(
                "--drift needs data sets of two classes as periods, two or more, without --dataset; got "
                f"{asked.about['title']}"
            )
        if "dataset" in analysis.performance.dims:
            return br.ops.drift(analysis.posterior, score, prob=prob)
        # A model that a data set can have for itself alone.
        single = asked.model if asked.model in in_closed_form() else chosen_by_evidence(counts)
        with quiet():
            posterior = br.fit(counts, single, draws=draws, seed=seed, **asked.options)
        return br.ops.drift(posterior, score, prob=prob)

    def decisions(self, posterior: Any, counts: xr.DataArray | None, prob: float, data: str) -> list[xr.Dataset] | None:
        """The decisions that are asked for."""
        for option, value in (("--benefit", self.benefit), ("--reference", self.reference)):
            if value is not None and (counts is None or counts.sizes["actual"] != 2):
                raise ValueError(f"{option} must be left out for data that are not of two classes; got it for {data}")
        found = []
        if self.benefit is not None:
            found.append(br.decisions.expected_utility(posterior, self.benefit, prob=prob))
        if self.reference is not None:
            assert counts is not None
            found.append(br.decisions.noninferiority(posterior, entity_called(self.reference, counts), prob=prob))
        return found or None

    def write(
        self,
        analysis: Analysis,
        score: Any,
        ranking: xr.Dataset,
        better: bool | None,
        kind: str | None,
        join: Any,
        draws: int,
        seed: int,
    ) -> list[str]:
        """Make the report and write it; what of it could not be had, in words."""
        from bayesrank.report import ranking_report

        asked, prob, other = analysis.asked, ranking.attrs["prob"], None
        decisions = self.decisions(analysis.posterior, analysis.counts, prob, asked.about["title"])
        drift, cases = self.changes(analysis, score, prob, draws, seed), self.one_by_one(asked)
        if self.sensitivity:
            how = {"prob": prob, "rope": ranking.attrs["rope"], "draws": draws, "seed": seed, "join": join}
            how |= {"kind": kind, "higher_is_better": better}
            with quiet():
                other = br.sensitivity(asked.whole, score, model=asked.model, **how, **asked.options)
        html = ranking_report(
            analysis.posterior,
            score,
            ranking,
            kind=kind,
            data=asked.about,
            command=shlex.join(["bayesrank", *sys.argv[1:]]),
            sections=self.sections,
            decisions=decisions,
            drift=drift,
            cases=cases,
            sensitivity=other,
        )
        write_output("--report", self.path, "report", html)
        return [LACKING[name] for name in self.sections or () if LACKING[name] in html]


def check_report_options(
    report: str | None,
    sections: str | None,
    sensitivity: bool,
    benefit: str | None,
    reference: str | None,
    drift: bool,
    cases: bool,
) -> Report | None:
    """What was typed of a report; None if there is to be none."""
    given = {"--sections": sections, "--sensitivity": sensitivity, "--benefit": benefit, "--reference": reference}
    given |= {"--drift": drift, "--cases": cases}
    if report is None:
        for option, value in given.items():
            if value:
                raise ValueError(f"{option} must go with --report, which it is for")
        return None
    check_output("--report", report, "report")
    worths = benefits(benefit) if benefit else None
    return Report(report, _sections(sections), sensitivity, worths, reference, drift, cases)


def _sections(text: str | None) -> tuple[str, ...] | None:
    """Names as typed."""
    if text is None:
        return None
    names = [name.strip() for name in text.split(",")]
    if names == [NONE]:
        return ()
    unknown = [name for name in names if name not in SECTIONS]
    if unknown:
        raise ValueError(f"--sections must be among {', '.join(SECTIONS)}, or {NONE}; got {unknown[0]!r}")
    return tuple(names)
