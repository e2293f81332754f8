"""Estimate how many trajectories of agents have a fault from the verdicts of judges, and people's looks at some.

Faults were put into 300 of the 400 trajectories, so that the truth is known. Five automatic judges look at all of them,
and people at 40. Replace ``cases`` by your own table: one row a case, a column for each judge, and the truth of some.

    python examples/judged_trajectories.py
"""

import numpy as np

import bayesrank as br

frame = br.datasets.load_cases("trajectory_judges")
cases = frame.loc[frame.index.repeat(frame["count"])].drop(columns="count").reset_index(drop=True)
judges = [name for name in cases if name not in ("true_type", "truth")]

rng = np.random.default_rng(8)
looked_at = rng.permutation(len(cases)) < 40
cases["human"] = cases["truth"].where(looked_at)


def estimate(judge: list[str]) -> np.ndarray:
    """Return the 95% interval of the share of faults, and its median in the middle."""
    posterior = br.fit(br.from_judged(cases, judge=judge, truth="human"), seed=1)["posterior"]
    return np.quantile(posterior["mean_outcome"], [0.025, 0.5, 0.975])


alone = {judge: cases[judge].mean() for judge in judges}
corrected = {judge: estimate([judge]) for judge in judges} | {"all five": estimate(judges)}

if __name__ == "__main__":
    print(
        f"People found faults in {cases['human'].mean():.2f} of 40 trajectories; the truth is 0.75."
    )
    for judge, (low, middle, high) in corrected.items():
        says = f"says {alone[judge]:.2f}, " if judge in alone else ""
        print(f"{judge:24} {says}corrected {middle:.2f} ({low:.2f} to {high:.2f})")
