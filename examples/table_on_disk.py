"""A table of cases on disk, counted part by part by two workers with little memory, and ranked.

The counts of parts are patterns of a true class and predictions, which are added.

    python examples/table_on_disk.py
"""

from tempfile import TemporaryDirectory

import dask.array as da
import xarray as xr
from distributed import Client

import bayesrank as br

RIGHT, CHUNK = {"small": 0.90, "medium": 0.92, "large": 0.9205}, 1_000_000


def count(start: int, path: str) -> xr.Dataset:
    part = xr.open_zarr(path, consolidated=False).isel(case=slice(start, start + CHUNK)).load()
    return br.joint_outcomes(part["actual"], {name: part[name] for name in RIGHT})


def main(cases: int = 4_000_000) -> None:
    actual, hard, *luck = da.random.default_rng(1).random((5, cases), chunks=(1, CHUNK))
    table = {"actual": ("case", actual < 0.3)}
    for (name, rate), own in zip(RIGHT.items(), luck, strict=True):  # a hard case is hard for all
        wrong = hard + 0.1 * own > rate + 0.05
        table[name] = ("case", wrong ^ (actual < 0.3))
    with TemporaryDirectory() as path, Client(n_workers=2, memory_limit="600MB") as client:
        xr.Dataset(table).to_zarr(path, consolidated=False)
        found = client.gather(client.map(count, range(0, cases, CHUNK), path=path))
    parts = xr.concat(found, "pattern")
    joint = br.joint_outcomes(parts.actual, parts.predicted.to_pandas(), count=parts["count"])
    print(*br.verdict(br.credible_ranking(br.fit(joint, seed=1), "informedness")), sep="\n")


if __name__ == "__main__":
    main()
