"""The report that ``bayesrank rank`` writes, with the sections that are asked for."""

import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import xarray as xr

import bayesrank as br
from bayesrank.cli._analysis import Analysis, quiet
from bayesrank.cli.decide import benefits
from bayesrank.report.sections import SECTIONS

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

    def decisions(self, posterior: Any, counts: xr.DataArray | None, prob: float, data: str) -> list[xr.Dataset] | None:
        """The decisions that are asked for."""
        for option, value in (("--benefit", self.benefit), ("--reference", self.reference)):
            if value is not None and (counts is None or counts.sizes["actual"] != 2):
                raise ValueError(f"{option} must be left out for data that are not of two classes; got it for {data}")
        found = []
        if self.benefit is not None:
            found.append(br.expected_utility(posterior, self.benefit, prob=prob))
        if self.reference is not None:
            assert counts is not None
            names = {str(name): name for name in counts["entity"].values.tolist()}
            if self.reference not in names:
                raise ValueError(
                    f"--reference must be one of {', '.join(list(names)[:5])}, ...; got {self.reference!r}"
                )
            found.append(br.noninferiority(posterior, names[self.reference], prob=prob))
        return found or None

    def write(
        self, analysis: Analysis, score: Any, ranking: xr.Dataset, kind: str | None, join: Any, draws: int, seed: int
    ) -> None:
        """Make the report and write it."""
        from bayesrank.report import ranking_report

        asked, prob, other = analysis.asked, ranking.attrs["prob"], None
        decisions = self.decisions(analysis.posterior, analysis.counts, prob, asked.about["title"])
        if self.sensitivity:
            how = {"prob": prob, "rope": ranking.attrs["rope"], "draws": draws, "seed": seed, "join": join}
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
            sensitivity=other,
        )
        Path(self.path).write_text(html, encoding="utf-8")


def checked_report(
    report: str | None,
    sections: str | None,
    sensitivity: bool,
    benefit: str | None,
    reference: str | None,
    kind: str | None,
) -> Report | None:
    """What was typed of a report; None if there is to be none."""
    given = {"--sections": sections, "--sensitivity": sensitivity, "--benefit": benefit, "--reference": reference}
    if report is None:
        for option, value in given.items():
            if value:
                raise ValueError(f"{option} must go with --report, which it is for")
        return None
    if not Path(report).absolute().parent.is_dir():
        raise ValueError(f"--report must name a file in a folder that there is; got {report!r}")
    if sensitivity and kind == "new":
        raise ValueError("--sensitivity must be left out of --kind new, which it does not know")
    return Report(report, _sections(sections), sensitivity, benefits(benefit) if benefit else None, reference)


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
