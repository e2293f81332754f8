"""A posterior that no process holds: drawn by two workers, ranked in this one, with the numbers of one in memory.

A chunk is drawn where it is needed. Workers send back the values of the score, a fraction of the tables; the order
of work changes no number, since every block of draws comes from random streams of its own.

    python examples/two_workers.py
"""

import xarray as xr

import bayesrank as br


def main() -> None:
    # Processes of one machine; the address of a scheduler makes it many machines.
    from distributed import Client

    counts = br.datasets.load("antibody_tests")
    run = {"model": "beta_binomial", "draws": 8000, "chains": 2, "seed": 1}
    with Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        posterior = br.fit(counts, chunks=2000, **run)
        table = br.as_performance(posterior)
        print(
            f"{len(client.nthreads())} workers; chunks of {table.data.chunksize}, {table.nbytes / 1e6:.0f} MB in all"
        )
        ranking = br.credible_ranking(posterior, "informedness")
    xr.testing.assert_identical(ranking, br.credible_ranking(br.fit(counts, **run), "informedness"))
    print(br.verdict(ranking)[0])
    print("The ranking in memory has the same numbers.")


if __name__ == "__main__":
    main()
