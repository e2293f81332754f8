"""The self-contained HTML report: one file that opens without a network."""

from bayesrank.report.ranking_report import ranking_report

__all__ = ["ranking_report"]
