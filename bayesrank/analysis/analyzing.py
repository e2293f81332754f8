"""One call from data to a verdict: the analysis, and its results."""

import os
from collections.abc import Mapping
from functools import cached_property
from html import escape
from typing import Any, Literal, NamedTuple

import pandas as pd
import xarray as xr
from rich.cells import cell_len

from bayesrank._core import prose
from bayesrank._core.calls import check_call, in_own_words
from bayesrank._core.checks import (
    check_bool,
    check_column_names,
    describe_value,
    rename_argument,
)
from bayesrank._core.compat import to_container
from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.escape import escape_invisible
from bayesrank._core.labels import (
    select_names,
    suggest_entity,
)
from bayesrank._core.names import short_names
from bayesrank._core.percent import using_words_of
from bayesrank._core.random import Seed
from bayesrank._core.types import Evidence, ModelName, ScoreLike
from bayesrank.analysis.default_score import choose_score
from bayesrank.analysis.draws import draw, rank_posterior
from bayesrank.analysis.setup import Setup, set_up, with_scores
from bayesrank.analysis.sources import Given, evidence_in
from bayesrank.analysis.titles import default_note, describe_weighting, title_of
from bayesrank.evidence.groups import has_groups
from bayesrank.evidence.ledger import ledger_of
from bayesrank.evidence.probabilities import probabilities_of
from bayesrank.models import (
    population_of,
)
from bayesrank.ranking.credible import check_ranks
from bayesrank.ranking.summary import ranking_table
from bayesrank.scores import Score, as_score
from bayesrank.words.cells import ranking_cells
from bayesrank.words.models import check_model, model_notes
from bayesrank.words.parts import Verdict
from bayesrank.words.results import verdict_parts

#: The number of entities that the text of an analysis shows.
SHOWN = 20


class Analysis:
    """An analysis with its results: what :func:`analyze` returns. Its text and its HTML are the verdict and the table.

    Attributes
    ----------
    evidence : DataArray or Dataset
        What was analysed, after data sets were pooled or chosen.
    score : Score
        The score of the ranking.
    model : str
        The name of the model.
    ranking : xarray.Dataset
        The result of :func:`bayesrank.credible_ranking`.

    Examples
    --------
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["old", "new"])
    >>> found = br.analyze(counts, "f1")
    >>> found.verdict[0]
    'new is best: P(best) > 0.999.'
    >>> found.differences.round(2)[["difference", "lower", "upper"]]
            difference  lower  upper
    entity
    old          -0.27  -0.42  -0.14
    """

    def __init__(
        self, setup: Setup, score: Score, drawn: xr.DataTree, ranking: xr.Dataset, asked: "Asked"
    ) -> None:
        self.evidence, self.model, self.score, self.ranking = (
            setup.evidence,
            setup.model,
            score,
            ranking,
        )
        self._setup, self._drawn, self._asked = setup, drawn, asked

    @cached_property
    def posterior(self) -> Any:
        """The posterior, as from :func:`bayesrank.fit`, with the group ``prior`` if there is a prior to draw from."""
        return to_container(
            {name: node.to_dataset() for name, node in self._drawn.children.items()}
        )

    @cached_property
    def table(self) -> pd.DataFrame:
        """The ranking as a table, best first (:func:`bayesrank.ranking_table`)."""
        return ranking_table(self.ranking)

    @cached_property
    def differences(self) -> pd.DataFrame:
        """The difference of each other entity from the leader, in the order of the ranking.

        Indexed by entity: ``difference`` (median of the score minus that of the leader), ``lower``
        and ``upper`` (its interval at ``prob``), in units of the score; ``probability``, that the
        leader is better by more than the ROPE; and ``separated``, whether the confidence sets
        separate it from the leader.
        """
        leader, rest = self.table.index[0], self.table.iloc[1:]
        pair = select_names(self.ranking, entity=leader)
        order = [pair["rival"].values.tolist().index(name) for name in rest.index]
        result = rest[["difference", "difference_lower", "difference_upper"]]
        result = result.set_axis(["difference", "lower", "upper"], axis=1)
        return result.assign(
            probability=pair["superiority"].values[order],
            separated=pair["surely_above"].values[order].astype(bool),
        )

    @property
    def verdict(self) -> list[str]:
        """The verdict in at most four sentences, as :func:`bayesrank.verdict` gives it."""
        return self._parts.sentences()

    @cached_property
    def weighting(self) -> str:
        """On which share of the Tile each entity is best, in words; empty if there is no Tile of these entities."""
        return describe_weighting(self._setup, self._drawn, self.ranking)

    @property
    def notes(self) -> list[str]:
        """The notes of :func:`bayesrank.notes`, how the data were read, and what was chosen for want of an argument."""
        chosen = (
            [default_note(self._setup, self.ranking, self.score)]
            if self._asked.score is None
            else []
        )
        text = [*self._parts.notes, *self._setup.say_remarks(self.score), *chosen]
        return list(dict.fromkeys(text))

    def plot(self, ax: Any = None) -> Any:
        """Draw the ranking with :func:`bayesrank.plots.forest`, and return the Axes."""
        from bayesrank.plots import forest

        return forest(self.ranking, ax)

    def report(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the report of :func:`bayesrank.ranking_report` as HTML, and write it to a file if a path is given."""
        from bayesrank.report import ranking_report

        data = {"title": self._setup.ledger.source} if self._setup.ledger.source else None
        source = self._setup.source_of(self._drawn)
        return ranking_report(
            source, self.score, path, ranking=self.ranking, kind=self._asked.kind, data=data
        )

    @cached_property
    def _parts(self) -> Verdict:
        return verdict_parts(self.ranking, model_notes(check_model(self._drawn), self._drawn))

    def _sentences(self) -> list[str]:
        """Return the verdict, and the sentence on the Tile if there is one."""
        return [*self.verdict, *[self.weighting] * bool(self.weighting)]

    def _first_rows(self) -> tuple[str, list[str], list[list[str]], int]:
        """Return title, heading and cells of the first entities, and the number of the others."""
        first = self.table.head(SHOWN)
        with using_words_of(self._setup.origin):
            header, rows = ranking_cells(self.ranking, first, [], 3)
        title = title_of(self._setup, self.ranking, self.score)
        return title, header, rows, len(self.table) - len(first)

    def __repr__(self) -> str:
        title, header, rows, others = self._first_rows()
        shown = zip(short_names([row[0] for row in rows], 40), rows, strict=True)
        cells = [header, *([name, *row[1:]] for name, row in shown)]
        widths = [max(cell_len(row[i]) for row in cells) for i in range(len(header))]
        lines = [
            "  ".join(
                (cell + " " * (width - cell_len(cell)))
                if not i
                else (" " * (width - cell_len(cell)) + cell)
                for i, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            for row in cells
        ]
        more = [f"... and {prose.count(others, 'more ' + self._setup.noun)}"] if others else []
        return "\n".join([title, *self._sentences(), "", *map(str.rstrip, lines), *more])

    def _repr_html_(self) -> str:
        title, header, rows, others = self._first_rows()
        head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
        lines = []
        for name, *cells in rows:
            shown = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
            lines.append(f"<tr><th>{escape(escape_invisible(name))}</th>{shown}</tr>")
        body = "".join(lines)
        first, *rest = self._sentences()
        more = (
            f"<p>... and {escape(prose.count(others, 'more ' + self._setup.noun))}</p>"
            if others
            else ""
        )
        text = "".join(f"<p>{escape(line)}</p>" for line in rest)
        return (
            f"<div><p>{escape(title)}</p><p><strong>{escape(first)}</strong></p>{text}"
            f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}</div>"
        )


class Asked(NamedTuple):
    """What the user asked for: the score, None for the default, and the kind of the ranking."""

    score: Any
    kind: str | None


@check_call
def analyze(
    data: Any,
    predictions: Any = None,
    score: ScoreLike | None = None,
    *,
    model: ModelName | None = None,
    prior: Any = None,
    prevalence: Any = None,
    over: str | None = None,
    aggregate: str | None = None,
    weights: Any = None,
    join: Literal["exact", "inner"] = "exact",
    higher_is_better: bool | None = None,
    kind: str | None = None,
    at: Mapping[str, float] | None = None,
    scale: str | None = None,
    anchor: Mapping[str, float] | None = None,
    prob: float = 0.95,
    rope: float = 0.0,
    draws: int = 1000,
    sampler: Literal["auto", "exact", "nuts", "nutpie", "numpyro"] = "auto",
    seed: Seed = 1,
    **roles: Any,
) -> Analysis:
    """Fit a model, rank the entities and state the conclusions, with the defaults of ``bayesrank rank``.

    Parameters
    ----------
    data : DataArray, Dataset, DataFrame, str or sequence
        One of:

        - evidence, as from :func:`bayesrank.from_counts`, :func:`bayesrank.joint_outcomes` and the
          like;
        - a table for :func:`bayesrank.from_frame`, also the one that :func:`bayesrank.read`
          returns;
        - the true label of each case, with ``predictions``;
        - the name of a shipped data set, or of a file with a table.
    predictions : mapping, DataFrame or array, optional
        The predicted labels of each entity, as for :func:`bayesrank.joint_outcomes`, or its
        probabilities, as for :func:`bayesrank.from_probabilities`, if the score is one of
        probabilities. Beside evidence or a table, the second argument is the score.
    score : Score, str or callable, optional
        The score to rank by. The default depends on the evidence: the mean of outcomes;
        informedness of two classes that both have cases, accuracy of other classes; F1 of
        detections, which have no true negatives. A note names the default that was used. Predicted
        probabilities have no default.
    model, prior, prevalence : optional
        As for :func:`bayesrank.fit`; the default model is chosen by the evidence.
    over, aggregate, weights : optional
        Rank by an aggregate over groups or data sets, as for :func:`bayesrank.credible_ranking`.
        Evidence with groups (``group=``) is ranked by the mean over them unless ``over`` says
        otherwise.
    join : str
        How to pool data sets, as for :func:`bayesrank.pool`, where the model does not learn from
        them together.
    higher_is_better : bool, optional
        The direction of outcomes; needed if their name speaks of errors, losses, times, costs or
        ranks.
    kind, prob, rope : optional
        As for :func:`bayesrank.credible_ranking`. The ranking is exact within limits of work and
        error, else from draws.
    at : mapping, optional
        Values of the ``covariates`` at which results hold, as for :func:`bayesrank.fit`.
    scale, anchor : optional
        For votes: ``scale="elo"`` ranks by Elo ratings, and ``anchor`` is the rating of an entity,
        by its name.
    draws, sampler, seed : optional
        As for :func:`bayesrank.fit`; four chains.
    **roles
        Arguments of :func:`bayesrank.from_frame` for a table, such as ``entity="model"``, and of
        :func:`bayesrank.joint_outcomes` beside predictions, such as ``positive="yes"``.

    Returns
    -------
    Analysis
        It prints as the verdict and the table. The attributes are ``evidence``, ``model``,
        ``score``, ``posterior``, ``ranking``, ``table``, ``differences``, ``verdict``,
        ``weighting`` and ``notes``, the methods ``plot`` and ``report``.

    Raises
    ------
    ArgumentError
        If the data or an argument cannot be used; the message names the place and the fix.

    See Also
    --------
    fit, credible_ranking : The two steps, for analyses with other choices.
    bayesrank.plots.forest, ranking_report : What ``plot`` and ``report`` make.

    Examples
    --------
    >>> y = [0] * 60 + [1] * 40
    >>> old, new = [0] * 50 + [1] * 10 + [0] * 9 + [1] * 31, [0] * 58 + [1] * 2 + [0] * 2 + [1] * 38
    >>> br.analyze(y, {"old": old, "new": new}, "f1").verdict[0]
    'new is best: P(best) > 0.999.'
    """
    if score is None and _is_score(predictions):
        predictions, score = None, predictions
    fitted = isinstance(data, Mapping) and any(hasattr(one, "predict") for one in data.values())
    requested = None if score is None or fitted else as_score(score)
    with rename_argument("data", "y_true"):
        evidence, given = evidence_in(
            data, predictions, requested, in_own_words(roles, ("positive", "weight"))
        )
    for argument, value in (("at", at), ("anchor", anchor)):
        if value is not None and not isinstance(value, Mapping):
            raise ArgumentTypeError(
                argument, "must be a mapping from names to numbers", describe_value(value)
            )
    if "entity" not in evidence.dims:
        hint = suggest_entity(evidence.dims, "data")
        raise ArgumentError(
            "data", "must have the dim entity", f"the dims {tuple(evidence.dims)}", hint
        )
    covariates = roles.get("covariates") or ()
    return analyze_evidence(
        evidence,
        given,
        score,
        draws=draws,
        sampler=sampler,
        seed=seed,
        kind=kind,
        prob=prob,
        rope=rope,
        model=model,
        prior=prior,
        prevalence=prevalence,
        over=over,
        aggregate=aggregate,
        weights=weights,
        join=join,
        higher_is_better=higher_is_better,
        at=None if at is None else dict(at),
        scale=scale,
        anchor=None if anchor is None else dict(anchor),
        covariates=check_column_names("covariates", covariates, ()) if covariates else (),
    )


def _is_score(argument: Any) -> bool:
    """Return whether the second argument of :func:`analyze` is a score instead of predictions."""
    if isinstance(argument, xr.DataArray):
        return set(argument.dims) == {"actual", "predicted"}  # an importance
    return isinstance(argument, str | Score | tuple) or callable(argument)


def analyze_evidence(
    evidence: Evidence,
    given: "Given",
    score: ScoreLike | None,
    *,
    draws: int = 1000,
    sampler: Any = "auto",
    seed: Seed = 1,
    kind: str | None = None,
    prob: float = 0.95,
    rope: float = 0.0,
    over: str | None = None,
    higher_is_better: bool | None = None,
    **choices: Any,
) -> Analysis:
    """Return the analysis of evidence; ``choices`` are those of :func:`set_up`."""
    if higher_is_better is not None:
        check_bool("higher_is_better", higher_is_better)
    requested = None if score is None else as_score(score)
    if over is None and has_groups(evidence) and not given.shipped:
        over = "group"
    if requested is not None and requested.space == "cases":
        evidence = probabilities_of(evidence)
    setup = set_up(
        evidence,
        over=over,
        higher_is_better=given.higher_is_better if higher_is_better is None else higher_is_better,
        usual=given.usual,
        remarks=given.remarks,
        source=given.source,
        ignored=ledger_of(evidence).ignored,
        **choices,
    )
    setup = with_scores(setup, [requested])
    used = choose_score(setup.evidence, requested)
    if kind is not None and population_of(setup.model) != "data sets":
        raise ArgumentError(
            "kind", "cannot be used for models that do not learn from data sets", f"{kind!r}"
        )
    check_ranks(setup.evidence.sizes.get("entity", 0))  # draws of more than fit may take minutes
    drawn = draw(setup, draws=draws, seed=seed, sampler=sampler, prior=True)
    ranking = rank_posterior(setup, drawn, used, prob=prob, rope=rope, kind=kind)
    return Analysis(setup, used, drawn, ranking, Asked(score, kind))
