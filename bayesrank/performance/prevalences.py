"""Draws of a prevalence that was estimated from a sample of the target population."""

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_integer
from bayesrank._core.memory import check_memory
from bayesrank._core.random import Seed, blocks_between, root_sequence, stream

#: Concentrations of both classes: Jeffreys' prior of a rate.
JEFFREYS = 0.5


@check_call
def prevalence_draws(
    positives: int, cases: int, *, draws: int = 1000, chains: int = 4, seed: Seed = None
) -> xr.DataArray:
    """Draw the prevalence of a population from which a sample has been counted.

    The posterior under Jeffreys' prior is Beta(positives + 1/2, cases - positives + 1/2). Brown,
    Cai and DasGupta (2001), Statistical Science 16:101-133, recommend its intervals.

    Parameters
    ----------
    positives, cases : int
        Number of positive cases, and of all cases, in a random sample of the target population.
    draws, chains : int
        Those of the posterior that the prevalence is for.
    seed : int, SeedSequence or Generator, optional
        Seed of all random numbers. A longer run starts with the draws of a shorter one.

    Returns
    -------
    xarray.DataArray
        Share of the positive class (chain, draw), for ``prevalence=`` of :func:`bayesrank.fit`,
        :func:`bayesrank.at_prevalence`, :func:`bayesrank.score_table` and
        :func:`bayesrank.decisions.expected_utility`. The attr ``estimate`` is the text
        "positives/cases".

    Raises
    ------
    ValueError, TypeError
        If a number is not a whole number, or positives exceed cases.

    Examples
    --------
    >>> share = prevalence_draws(12, 600, seed=1)
    >>> share.quantile([0.025, 0.5, 0.975]).round(3).values.tolist()
    [0.011, 0.02, 0.034]
    """
    root, shape = (
        root_sequence(seed),
        (check_integer("chains", chains, 1), check_integer("draws", draws, 1)),
    )
    size = check_integer("cases", cases, 1)
    number = check_integer("positives", positives, 0, size)
    check_memory("draws must be fewer", f"{shape[0]} x {shape[1]} draws", shape, str(shape[1]))
    values = np.empty(shape)
    for block in blocks_between(0, shape[0], 0, shape[1], shape):
        rng = stream(root, "estimated prevalence", number, size, *block.key)
        values[block.chain, block.start : block.stop] = rng.beta(
            number + JEFFREYS, size - number + JEFFREYS, block.size
        )
    return xr.DataArray(
        values, dims=("chain", "draw"), name="prevalence", attrs={"estimate": f"{number}/{size}"}
    )
