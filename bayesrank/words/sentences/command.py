"""Sentences about what the command chose and combined."""

from bayesrank._core import prose
from bayesrank._core.nouns import noun


def datasets_pooled(datasets: int, total: int) -> str:
    which = prose.count(total, "data set")
    if datasets < total:
        which = f"{prose.count(datasets, 'data set')} of {total}, seen by every {noun()}"
    return f"Pooled over {which}; --dataset chooses one."


def datasets_averaged(datasets: int) -> str:
    return f"Scores are means over {prose.count(datasets, 'data set')}, with equal weights; --dataset chooses one."


def datasets_learned(datasets: int) -> str:
    return f"The model is fitted to {prose.count(datasets, 'data set')}, each with its own rates."


def model_of_cases(model: str) -> str:
    return f"Per-case data are available, so the model is {model}; --model chooses another."


def cases_in_clusters(clusters: int) -> str:
    return f"Cases are in {prose.count(clusters, 'cluster')}; cases of one cluster are not assumed independent."
