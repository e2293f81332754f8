"""The performance behind a Tile or a decision: the mean over data sets, and the draws that probabilities are of."""

from bayesrank._core.errors import ArgumentError
from bayesrank._core.source import Over, parse_source
from bayesrank._core.types import Container
from bayesrank.evidence.kinds import parse_evidence
from bayesrank.performance.arrays import as_performance
from bayesrank.performance.means import mean_over_datasets
from bayesrank.ranking.aggregates import kind_of, scored
from bayesrank.ranking.evidence import cases_of
from bayesrank.ranking.strata import dim_of, keep_strata, strata_of
from bayesrank.ranking.values import natural_score, score_values


def mean_performance(source: Container, purpose: str, worst: bool = False) -> Container:
    """Return the mean performance of an aggregate, where others have no meaning; another source unchanged.

    With ``worst``, the worst group has a meaning too, and the performances (..., dataset) are
    returned for it.
    """
    if not isinstance(source, Over):
        return source
    source.check(
        ("mean", "worst") if worst else ("mean",), purpose, "other aggregates are no performance"
    )
    by_dataset = source.source.with_datasets()
    values = score_values(
        by_dataset, natural_score(by_dataset) or "accuracy", True, kind_of(by_dataset)
    ).values
    cases = cases_of(by_dataset, values)
    strata = strata_of(source, values, cases)
    if source.aggregate == "mean":
        return parse_source(mean_over_datasets(source.source, strata.mapping))
    if len(strata.labels) < len(strata.names):
        raise ArgumentError(
            "over",
            f"must be {dim_of(source)} for the worst {dim_of(source)} on a Tile",
            f"{source.over!r}",
        )
    used = strata.weight > 0
    if cases is not None and "dataset" in cases.dims:
        used &= (cases.sum("entity") > 0).values
    keep_strata(strata, used, source)
    return as_performance(by_dataset, kind_of(by_dataset)).isel(dataset=used)


def likely_performance(source: Container, kind: str | None) -> tuple[Container, str | None]:
    """Return the performance that probabilities are of, and its kind: further from its median where clusters are few.

    The units are those of the accuracy. A source without clusters is returned unchanged.
    """
    held = parse_source(source)
    if held.container is None or not parse_evidence(held).clustered:
        return source, kind
    cells, both = as_performance(held, kind), ["actual", "predicted"]
    if "actual" not in cells.dims:
        return source, kind
    likely = scored(held, "accuracy", None, kind).units.spread(cells, (0.0, 1.0)).clip(0.0, 1.0)
    return likely / likely.sum(both, skipna=False) * cells.sum(both, skipna=False), None
