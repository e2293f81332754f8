"""Scores of votes on pairs of entities, which the model of the votes computes: they are relative to the field."""

from bayesrank.scores.names import INFINITY, add
from bayesrank.scores.score import Score

add(
    Score(
        "strength",
        None,
        formula="logit of the probability to win against an average entity, given no tie",
        range=(-INFINITY, INFINITY),
        depends_on_prevalence=False,
        only_of="votes",
        domain="votes on pairs of entities",
        reference="Davidson (1970), Journal of the American Statistical Association 65:317-328",
    )
)
add(
    Score(
        "win_probability",
        None,
        formula="mean of P(win) + P(tie) / 2 over all rivals in the field",
        depends_on_prevalence=False,
        only_of="votes",
        domain="votes on pairs of entities",
        reference="Davidson (1970), Journal of the American Statistical Association 65:317-328",
    )
)
add(
    Score(
        "elo",
        None,
        formula="1000 + 400 / ln 10 times the strength, or relative to the rating of an anchor",
        range=(-INFINITY, INFINITY),
        depends_on_prevalence=False,
        only_of="votes",
        domain="votes on pairs of entities",
        reference="Elo (1978), The Rating of Chessplayers, Past and Present, Arco, for the scale",
        display="Elo rating",
    )
)
