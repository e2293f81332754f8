"""Scores of several attempts at a case: whether one of them succeeds, all of them, or their most frequent answer."""

from functools import cache

from bayesrank._core.checks import check_choice, check_integer
from bayesrank.evidence.attempts import Attempts
from bayesrank.scores.score import Score

#: The first reference has the estimate of one success, the second the score of all.
CHEN = "Chen et al. (2021), Evaluating large language models trained on code, arXiv:2107.03374"
WANG = "Wang et al. (2023), Self-consistency improves chain of thought reasoning, arXiv:2203.11171"
#: What the scores are of.
CASES = ("like these", "these")
YAO = "Yao et al. (2024), tau-bench, arXiv:2406.12045"


def pass_at_k(k: int, *, cases: str = "like these") -> Score:
    """Return pass@k: the probability that at least one of k attempts at a case succeeds.

    A case with c right runs of n has the unbiased estimate 1 - C(n - c, k) / C(n, k), and the score
    is the mean over cases like these. In terms of a ranking score, if all cases have n runs: the
    outcomes are c = 0, ..., n, all of importance 1, and their satisfaction is the estimate. With
    different numbers of runs, 1 of 2 and 2 of 4 right runs differ (pass@2 is 1 and 5/6), and each
    case with at least k runs of all entities has its own estimate.

    Parameters
    ----------
    k : int
        Number of attempts, at least 1. pass@1 is the mean outcome.
    cases : {"like these", "these"}
        What the score is of. For cases like these, the cases are a sample. For these cases, as of a
        fixed benchmark, only the runs vary, as for :func:`bayesrank.scores.attempts_curve`.

    Returns
    -------
    Score
        Named ``pass_at_<k>``, with the alias ``pass@<k>``; of these cases
        ``pass_at_<k>_of_these_cases``, with the alias ``pass@<k> of these cases``. It is of
        posteriors of :func:`bayesrank.fit` with the model ``"paired"``, whose evidence has right or
        wrong runs of each case.

    Raises
    ------
    ValueError, TypeError
        If k is no positive integer, or ``cases`` is neither of the two. A source without runs, or
        with fewer than k of each case, raises where the score is used; of these cases also one with
        several data sets.

    References
    ----------
    Chen et al. (2021), Evaluating large language models trained on code, arXiv:2107.03374.

    Examples
    --------
    >>> import pandas as pd
    >>> runs = pd.DataFrame({"case": [1, 1, 2, 2] * 4, "run": [1, 2, 3, 4] * 4, "a": [1, 0, 0, 0] * 4})
    >>> runs["case"] = [i // 4 for i in range(16)]
    >>> posterior = br.fit(br.from_outcomes(runs, case="case", run="run"), seed=1)
    >>> br.credible_ranking(posterior, br.scores.pass_at_k(2))["observed"].values
    array([0.5])
    """
    return _of_attempts(
        check_integer("k", k, 1), False, check_choice("cases", cases, CASES) == "these"
    )


def pass_hat_k(k: int, *, cases: str = "like these") -> Score:
    """Return pass^k: the probability that all of k attempts at a case succeed.

    A case with c right runs of n has the unbiased estimate C(c, k) / C(n, k); all else is as for
    :func:`pass_at_k`.

    Parameters
    ----------
    k : int
        Number of attempts, at least 1. pass^1 is the mean outcome.
    cases : {"like these", "these"}
        As for :func:`pass_at_k`.

    Returns
    -------
    Score
        Named ``pass_hat_<k>``, with the alias ``pass^<k>``; of these cases
        ``pass_hat_<k>_of_these_cases``, with the alias ``pass^<k> of these cases``.

    Raises
    ------
    ValueError, TypeError
        As for :func:`pass_at_k`.

    References
    ----------
    Yao et al. (2024), tau-bench, arXiv:2406.12045.

    Examples
    --------
    >>> br.scores.pass_hat_k(4).name, br.scores.get("pass^4").display
    ('pass_hat_4', 'pass^4')
    """
    return _of_attempts(
        check_integer("k", k, 1), True, check_choice("cases", cases, CASES) == "these"
    )


def majority_at_k(k: int) -> Score:
    """Return the probability that the most frequent answer of k attempts at a case is right.

    The estimate of a case is the share of k of its runs, drawn without replacement, whose most
    frequent answer is right; ties are broken at random. It needs the answers of the runs.

    Parameters
    ----------
    k : int
        Number of attempts, at least 1.

    Returns
    -------
    Score
        Named ``majority_at_<k>``, with the aliases ``majority@<k>`` and ``maj@<k>``.

    Raises
    ------
    ValueError, TypeError
        As for :func:`pass_at_k`; a source without answers raises where the score is used.

    References
    ----------
    Wang et al. (2023), Self-consistency improves chain of thought reasoning in language models,
    arXiv:2203.11171.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> runs = pd.DataFrame({"case": np.repeat(range(4), 3), "run": [1, 2, 3] * 4, "a": [1, 1, 0] * 4})
    >>> said = pd.DataFrame({"a": ["7", "7", "8"] * 4})
    >>> posterior = br.fit(br.from_outcomes(runs, case="case", run="run", answers=said), seed=1)
    >>> br.credible_ranking(posterior, "majority@3")["observed"].item()
    1.0
    """
    k = check_integer("k", k, 1)
    return Score(
        f"majority_at_{k}",
        None,
        symbol=f"maj@{k}",
        display=f"majority@{k}",
        formula=f"mean over cases of the share of {k} runs whose most frequent answer is right",
        aliases=(f"majority@{k}", f"maj@{k}"),
        depends_on_prevalence=False,
        only_of="runs",
        attempts=Attempts(k, majority=True),
        domain=f"at least {k} runs of a case, with their answers",
        reference=WANG,
    )


@cache
def _of_attempts(k: int, every: bool, these: bool) -> Score:
    mark, word = ("^", "hat") if every else ("@", "at")
    of_these = " of these cases" * these
    share = f"C(c, {k}) / C(n, {k})" if every else f"1 - C(n - c, {k}) / C(n, {k})"
    return Score(
        f"pass_{word}_{k}" + of_these.replace(" ", "_"),
        None,
        symbol=f"pass{mark}{k}",
        display=f"pass{mark}{k}",
        formula=f"mean over cases of {share}, for c right of n runs",
        aliases=(f"pass{mark}{k}{of_these}",),
        depends_on_prevalence=False,
        only_of="runs",
        attempts=Attempts(k, every, these=these),
        domain=f"at least {k} runs of a case",
        reference=YAO if every else CHEN,
    )
