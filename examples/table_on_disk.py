"""A table of cases on disk that is larger than the memory of two workers: counted part by part, and ranked.

Paired evidence is a count of patterns: the true class of a case, and what each model predicted. Patterns
of parts of a table are added, so no process needs the whole table.

    python examples/table_on_disk.py [millions of cases]
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import dask.array as da
import pandas as pd
import xarray as xr

import bayesrank as br

#: The share of cases that each model gets right.
MODELS = {"small": 0.90, "medium": 0.92, "large": 0.9205}
#: Number of cases in a chunk of the file, which a worker reads at once.
CHUNK = 1_000_000
#: The memory of each worker.
MEMORY = "600MB"


def write(path: Path, cases: int) -> None:
    """Write true classes and predictions to Zarr, chunk by chunk; what is hard for a model is hard for all."""
    rng = da.random.default_rng(1)
    actual = rng.random(cases, chunks=CHUNK) < 0.3
    hard = rng.random(cases, chunks=CHUNK)
    table = {"actual": ("case", actual)}
    for name, rate in MODELS.items():
        right = hard + 0.1 * rng.random(cases, chunks=CHUNK) < rate + 0.05
        table[name] = ("case", da.where(right, actual, ~actual))
    xr.Dataset(table).to_zarr(path, consolidated=False)


def count(path: Path, start: int) -> pd.DataFrame:
    """Return the patterns of a part of the table: the true class, the predictions, and how many cases have them."""
    part = xr.open_zarr(path, consolidated=False).isel(case=slice(start, start + CHUNK)).load()
    joint = br.joint_outcomes(part["actual"], {name: part[name] for name in MODELS})
    predicted = joint["predicted"].to_pandas()
    return predicted.assign(actual=joint["actual"].to_pandas(), count=joint["count"].to_pandas())


def main(cases: int) -> None:
    from distributed import Client

    with (
        TemporaryDirectory() as folder,
        Client(
            n_workers=2, threads_per_worker=1, memory_limit=MEMORY, dashboard_address=None
        ) as client,
    ):
        path = Path(folder, "cases.zarr")
        write(path, cases)
        table = xr.open_zarr(path, consolidated=False)
        print(f"{cases:,} cases, {table.nbytes / 1e6:,.0f} MB; two workers of {MEMORY}.")
        parts = client.gather(
            client.map(count, [path] * -(-cases // CHUNK), range(0, cases, CHUNK))
        )
    patterns = pd.concat(parts)
    joint = br.joint_outcomes(patterns["actual"], patterns[list(MODELS)], count=patterns["count"])
    print(
        f"{len(patterns)} patterns of {len(parts)} parts, {joint.sizes['pattern']} of the whole table."
    )
    ranking = br.credible_ranking(br.fit(joint, seed=1), "informedness")
    print(*br.verdict(ranking), sep="\n")


if __name__ == "__main__":
    main(int(float(sys.argv[1]) * 1e6) if len(sys.argv) > 1 else 4_000_000)
