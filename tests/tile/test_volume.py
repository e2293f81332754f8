"""The volume under the Tile against the four cases as printed, in many digits, near their borders; its properties."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
import xarray as xr

import bayesrank as br


def performances(rows):
    return xr.DataArray(np.reshape(rows, (-1, 2, 2)), dims=("entity", "actual", "predicted"))


def printed(row):
    """Eq. 10 to 15 as printed, for these very floats: all digits that may cancel and 30 more. 0 times log 0 is 0."""
    with localcontext() as context:
        context.prec = 900
        tn, fp, fn, tp = (Decimal(float(x)) for x in row)
        context.prec = 50 - 2 * sum(min(part.adjusted(), 0) for part in (tp - tn, fn - fp) if part)

        def times_log(factor, x):
            return factor * x.ln() if factor else Decimal(0)

        if tp == tn and fn == fp:
            return float(tn / (tn + fp))
        if tp == tn:
            slope = tn / (fn - fp)
            return float(times_log(slope, tn + fn) - times_log(slope, tn + fp))
        if fn == fp:
            slope = fn / (tp - tn)
            return float(1 - times_log(slope, tp + fn) + times_log(slope, tn + fn))
        total = (
            times_log(tn**2 - fn**2, tn + fn)
            + times_log(tp**2 - fp**2, tp + fp)
            + times_log(fp**2 - tn**2, fp + tn)
            + times_log(fn**2 - tp**2, fn + tp)
        )
        return float((1 - total / ((tp - tn) * (fn - fp))) / 2)


def assert_agrees(rows):
    """Within 16 roundings of the paper's equations."""
    found = br.tile.volume(performances(rows)).values
    np.testing.assert_allclose(
        found, [printed(row) for row in rows], rtol=0, atol=16 * np.finfo(float).eps
    )


@pytest.mark.parametrize("exponent", range(1, 17, 3))
@pytest.mark.parametrize("wrong", [0.25, 0.1, 1e-3, 1e-8, 0.4999])
def test_near_the_borders_of_the_cases(exponent, wrong):
    step = 0.1 * min(wrong, 0.5 - wrong) * 10.0 ** (1 - exponent)
    s = u = (
        np.array([[-1, -1], [0, 1], [1, 0], [1, 1], [1, -1], [0, 0], [1, 1e-4], [1e-4, 1]]) * step
    )
    right = 0.5 - wrong
    rows = [
        [right + s[i, 0], wrong + u[j, 0], wrong + u[j, 1], right + s[i, 1]]
        for i in range(8)
        for j in range(8)
    ]
    assert_agrees([np.array(row) / sum(row) for row in rows])


def test_far_from_the_borders():
    rng = np.random.default_rng(0)
    for concentration in (1.0, 0.3, 0.05, 0.01):  # the last has cells below 1e-100
        assert_agrees(rng.dirichlet([concentration] * 4, 100 if concentration > 0.1 else 20))
    assert_agrees(rng.multinomial(5, [0.25] * 4, 300) / 5)  # zero cells


def test_is_the_mean_of_the_tile():
    # Eq. 9 by Simpson's rule, whose error for such smooth scores is of the order of (1/100)^4.
    array = performances(np.random.default_rng(1).dirichlet([8, 4, 4, 8], 20))
    weight = np.r_[1, np.tile([4, 2], 49), 4, 1] / 300
    mean = np.einsum("j,eji,i->e", weight, br.tile.value(array, 101), weight)
    np.testing.assert_allclose(br.tile.volume(array), mean, atol=1e-7)
