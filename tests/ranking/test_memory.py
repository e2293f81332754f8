"""Nothing of a credible ranking is draws × entities × entities."""

import tracemalloc

import numpy as np
import xarray as xr

import bayesrank as br


def test_peak_memory():
    x = np.random.default_rng(1).normal(np.linspace(0, 3, 500), 1, (4, 1000, 500))
    values = xr.DataArray(x, dims=("chain", "draw", "entity"))  # 16 MB
    br.credible_ranking(values.isel(draw=slice(0, 20), entity=slice(0, 5)))  # compile
    tracemalloc.start()
    br.credible_ranking(values)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60e6
