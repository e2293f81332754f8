"""Votes, for docs/measured/votes.md: ranks from a judge's votes, errors of rank sets, and times beside others.

Run: python scripts/measure_votes.py [arena | pairings | judges | times] ... prints the tables; without a name, all of
them. The times of arena-rank and arenakit are printed where they are installed.
"""

import sys
import time
import warnings
from collections.abc import Iterator

import numpy as np
import pandas as pd
import xarray as xr
from scipy.stats import rankdata

import bayesrank as br
from bayesrank.models import davidson
from bayesrank.models.parts.pairs import Pairs, sample_each

JUDGES = ("claude", "gpt4", "gpt35")
COLUMNS = {"a": "model_a", "b": "model_b", "count": "count"}
#: Draws of labels, and human votes among the 27,045.
REPEATS, LABELS = 50, 1000
#: Boards of simulated votes.
RUNS, ENTITIES, VOTES, NU, STEP = 400, 8, 240, 0.75, 10
#: How earlier votes choose the next pairs.
ADAPTIVE = ("closest", "leader", "dropped", "Swiss")
#: Boards with a judge: how many, votes, and votes of people among them.
JUDGED_RUNS, JUDGED, JUDGED_LABELS = 40, 1500, 100


def rank_votes(votes: xr.Dataset, seed: int, draws: int = 250) -> xr.Dataset:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return br.credible_ranking(br.fit(votes, seed=seed, draws=draws))


def print_table(rows: list[dict]) -> None:
    frame = pd.DataFrame(rows)
    print("| " + " | ".join(frame.columns) + " |\n|" + " --- |" * len(frame.columns))
    for row in frame.itertuples(index=False):
        print("| " + " | ".join(f"{x:.3f}" if isinstance(x, float) else str(x) for x in row) + " |")


def measure_arena() -> None:
    """Print how many human ranks the sets hold, from a judge's votes and 1,000 human votes, and how wide these are."""
    battles = br.datasets.load_cases("arena_battles")
    whole = br.from_votes(battles, winner="human", **COLUMNS)
    estimate = rank_votes(whole, 1)["observed"]
    human = pd.Series(rankdata(-estimate.values), estimate["entity"].values)
    found: dict[str, list] = {}

    def add(name: str, votes: xr.Dataset, seed: int) -> None:
        ranking = rank_votes(votes, seed)
        truth = human[ranking["entity"].values.tolist()].values
        low, high = ranking["rank_lower"].values, ranking["rank_upper"].values
        spread = (ranking["upper"] - ranking["lower"]).mean().item()
        found.setdefault(name, []).append((((low <= truth) & (truth <= high)).sum(), (high - low + 1).mean(), spread))

    for judge in JUDGES:
        add(f"all votes of {judge}, as the truth", br.from_votes(battles, winner=judge, **COLUMNS), 1)
    for seed in range(REPEATS):
        known = np.random.default_rng(seed).multivariate_hypergeometric(battles["count"].values, LABELS)
        labelled = battles.assign(count=known).query("count > 0")
        rest = battles.assign(count=battles["count"] - known, human=None).query("count > 0")
        add(f"{LABELS:,} human votes alone", br.from_votes(labelled, winner="human", **COLUMNS), seed)
        both = pd.concat([labelled, rest])
        for judge in JUDGES:
            name = f"{LABELS:,} human votes and all of {judge}"
            add(name, br.from_votes(both, winner="human", judge=judge, **COLUMNS), seed)
    heads = ("human ranks inside, of 20", "mean size of a set", "mean width of intervals of strength")
    print_table(
        [
            {"votes": name} | dict(zip(heads, np.mean(held, axis=0).tolist(), strict=True))
            for name, held in found.items()
        ]
    )


def vote(strength: np.ndarray, i: np.ndarray, j: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return 0 where the first wins, 1 where the second does, 2 for a tie."""
    half = (strength[i] - strength[j]) / 2
    weight = np.stack([np.exp(half), np.exp(-half), np.full(half.shape, NU)], axis=-1)
    return (rng.random((*half.shape, 1)) * weight.sum(-1, keepdims=True) > np.cumsum(weight, axis=-1)).sum(-1)


def frame_of(i: np.ndarray, j: np.ndarray, winner: np.ndarray, **more: np.ndarray) -> pd.DataFrame:
    words = np.array(["model_a", "model_b", "tie"])
    held = {"model_a": [f"m{x}" for x in i], "model_b": [f"m{x}" for x in j], "human": words[winner]}
    return pd.DataFrame(held | {name: words[said] for name, said in more.items()} | {"count": 1})


def pairings(kind: str, strength: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Return the pairs of all votes, and the votes."""
    first, second = np.triu_indices(len(strength), 1)
    if kind in ADAPTIVE:
        return _adaptive(kind, strength, first, second, rng)
    if kind == "sparse":  # a ring
        keep = (second - first == 1) | (second - first == len(strength) - 1)
        first, second = first[keep], second[keep]
    share = np.full(len(first), 1 / len(first))
    if kind == "unbalanced":
        share = rng.permutation(1 / np.arange(1, len(first) + 1))
    which = rng.choice(len(first), VOTES * len(strength) // ENTITIES, p=share / share.sum())
    return first[which], second[which], vote(strength, first[which], second[which], rng)


def next_pairs(kind: str, now: np.ndarray, first: np.ndarray, second: np.ndarray, votes: int) -> np.ndarray:
    """Return the next pairs (positions) by the strengths so far."""
    place = np.argsort(np.argsort(-now))
    if kind == "Swiss":  # the first meets the second, the third the fourth
        return np.flatnonzero(
            (np.abs(place[first] - place[second]) == 1) & (np.minimum(place[first], place[second]) % 2 == 0)
        )
    if kind == "leader":  # the leader meets the second
        return np.full(STEP, int(np.flatnonzero((place[first] < 2) & (place[second] < 2))[0]))
    if kind == "dropped":  # the pairs of those that are left: the worse half is dropped at each third of the votes
        left = max(len(now) >> (3 * votes // (VOTES * len(now) // ENTITIES)), 2)
        return np.flatnonzero((place[first] < left) & (place[second] < left))
    return np.full(STEP, int(np.argmin(np.abs(now[first] - now[second]))))


def _adaptive(
    kind: str, strength: np.ndarray, first: np.ndarray, second: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, ...]:
    """Return votes whose pairs are chosen by the strengths so far, after one vote on each pair."""
    i, j = first, second
    said = vote(strength, i, j, rng)
    while len(i) < VOTES * len(strength) // ENTITIES:
        wins, ties = (np.zeros((len(strength),) * 2) for _ in range(2))
        np.add.at(wins, (np.where(said == 0, i, j)[said < 2], np.where(said == 0, j, i)[said < 2]), 1)
        np.add.at(ties, (i[said == 2], j[said == 2]), 1)
        pairs = Pairs.of(wins, ties + ties.T, 0.25)
        now = pairs.split(pairs.mode()[None])[0][0]
        more = next_pairs(kind, now, first, second, len(i))
        i, j = np.append(i, first[more]), np.append(j, second[more])
        said = np.append(said, vote(strength, first[more], second[more], rng))
    return i, j, said


def judge_sets(ranking: xr.Dataset, strength: np.ndarray) -> tuple[bool, bool, float]:
    """Return whether a set misses a true rank, or the headline names a wrong best; and the mean size of the sets."""
    truth = strength[[int(name[1:]) for name in ranking["entity"].values]]
    low, high = ranking["rank_lower"].values, ranking["rank_upper"].values
    # Equal entities share their ranks: a set must hold all of these.
    best, worst = (truth[:, None] < truth).sum(1) + 1, (truth[:, None] <= truth).sum(1)
    missed = bool(((low > best) | (high < worst)).any())
    wrong = ranking.attrs["headline"] == "best" and (not np.ptp(truth) or low[np.argmax(truth)] > 1)
    return missed, bool(wrong), float((high - low + 1).mean())


def sample_quickly(pairs: Pairs, draws: int, rngs: list[np.random.Generator]) -> tuple[np.ndarray, np.ndarray]:
    """Return what ``sample_around_mode`` does, with independent draws, which are faster for few of them."""
    theta = np.stack([sample_each(pairs, draws, rng)[0] for rng in rngs])
    return theta, np.ones(theta.shape[:2])


def measure_pairings() -> None:
    """Print how often a rank set misses a true rank, by how the pairs were chosen."""
    rows = []
    davidson.sample_around_mode = sample_quickly
    for spread, entities in ((0.0, ENTITIES), (0.0, 3), (0.0, 20), (1.0, ENTITIES)):
        for kind in ("balanced", "sparse", "unbalanced", *ADAPTIVE):
            if kind == "sparse" and entities == 3:
                continue  # a ring of three has all pairs
            found = []
            for run in range(RUNS if spread == 0 else RUNS // 4):
                rng = np.random.default_rng([run, int(spread), entities])
                strength = spread * rng.standard_normal(entities)
                votes = br.from_votes(frame_of(*pairings(kind, strength, rng)), winner="human", **COLUMNS)
                found.append(judge_sets(rank_votes(votes, run, draws=200), strength))
            missed, wrong, size = np.mean(found, axis=0).tolist()
            rows.append(
                {"entities": entities, "strengths": f"spread {spread:g}" if spread else "equal", "pairs": kind,
                 "boards": len(found), "a set misses": missed, "wrong best": wrong, "mean size of a set": size}
            )  # fmt: skip
            print(rows[-1], file=sys.stderr, flush=True)
    print_table(rows)


def boards_of_judges(kind: str) -> Iterator[tuple[pd.DataFrame, np.ndarray, int]]:
    """Yield votes, strengths and the seed: a judge repeats a person's vote with some probability, else it has its own.

    Its own strengths are those of people plus a bias, which one entity of a judge that favours its kin has.
    """
    repeats = {"good": 0.6, "kin": 0.6, "noise": 0.0}[kind]
    for run in range(JUDGED_RUNS):
        rng = np.random.default_rng([run, ENTITIES, JUDGED_LABELS])
        strength = rng.standard_normal(ENTITIES)
        bias = np.eye(ENTITIES)[0] * 2 if kind == "kin" else 0.2 * rng.standard_normal(ENTITIES)
        i, j = rng.integers(ENTITIES, size=JUDGED), rng.integers(1, ENTITIES, size=JUDGED)
        j = (i + j) % ENTITIES
        human = vote(strength, i, j, rng)
        own = vote(strength + bias, i, j, rng) if repeats else rng.integers(3, size=JUDGED)
        frame = frame_of(i, j, human, judge=np.where(rng.random(JUDGED) < repeats, human, own))
        frame.loc[JUDGED_LABELS:, "human"] = None
        yield frame, strength, run


def measure_judges() -> None:
    """Print the errors of rank sets and of intervals of differences from a judge's votes, and their widths."""
    rows = []
    for kind in ("good", "kin", "noise"):
        found = []
        for frame, strength, run in boards_of_judges(kind):
            each = []
            for judge in ("judge", None):
                used = frame if judge else frame[frame["human"].notna()]
                votes = br.from_votes(used, winner="human", judge=judge, **COLUMNS)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    posterior = br.fit(votes, seed=run, draws=250)
                ranking = br.credible_ranking(posterior)
                drawn = posterior["posterior"]["strength"].stack(sample=("chain", "draw"))
                drawn = drawn.transpose("entity", "sample").values
                truth = strength[[int(name[1:]) for name in ranking["entity"].values]]
                i, j = np.triu_indices(len(truth), 1)
                low, high = np.quantile(drawn[i] - drawn[j], [0.025, 0.975], axis=1)
                inside = (low <= truth[i] - truth[j]) & (truth[i] - truth[j] <= high)
                each += [judge_sets(ranking, strength)[0], inside.mean(), (high - low).mean()]
            found.append(each)
        missed, cover, width, _, alone, wide = np.mean(found, axis=0).tolist()
        rows.append(
            {"judge": kind,  "human votes": JUDGED_LABELS, "a set misses": missed,
             "coverage of differences": cover, "by human votes alone": alone, "ratio of widths": width / wide}
        )  # fmt: skip
    print_table(rows)


def measure_times() -> None:
    """Print the CPU time of ranks and sets of 27,045 votes, and of the 95% intervals of ranks of other packages."""
    battles = br.datasets.load_cases("arena_battles")
    battles = battles.loc[battles.index.repeat(battles["count"]), ["model_a", "model_b", "human"]]
    battles = battles.sample(frac=1, random_state=1).reset_index(drop=True)
    rows = []
    for name, job in (("bayesrank", _rank_ours), ("arena-rank", _rank_arena), ("arenakit", _rank_kit)):
        try:
            job(battles[:2000])  # compiles
            start, wall = time.process_time(), time.perf_counter()
            size = job(battles)
        except ImportError as error:
            print(f"{name}: {error}", file=sys.stderr)
            continue
        spent = time.process_time() - start, time.perf_counter() - wall
        rows.append({"package": name, "CPU s": spent[0], "wall s": spent[1], "mean size of the 95% ranks": size})
    print_table(rows)


def _rank_ours(battles: pd.DataFrame) -> float:
    votes = br.from_votes(battles, a="model_a", b="model_b", winner="human")
    ranking = br.credible_ranking(br.fit(votes, seed=1))
    return float((ranking["rank_upper"] - ranking["rank_lower"] + 1).mean())


def _rank_arena(battles: pd.DataFrame) -> float:
    """Return the mean size of ranks by intervals of ratings that do not overlap, as on the leaderboard of LMArena."""
    from arena_rank.models.bradley_terry import BradleyTerry
    from arena_rank.utils.data_utils import PairDataset

    frame = battles.assign(winner=battles["human"].where(battles["human"].str.startswith("model"), "tie"))
    data = PairDataset.from_pandas(frame[["model_a", "model_b", "winner"]])
    found = BradleyTerry(n_competitors=len(data.competitors)).compute_ratings_and_cis(data, significance_level=0.05)
    low, high = (np.asarray(found[name]) for name in ("rating_lower", "rating_upper"))
    above = (low[:, None] > high).sum(axis=0)
    below = (high[:, None] < low).sum(axis=0)
    return float((len(low) - above - below).mean())


def _rank_kit(battles: pd.DataFrame) -> float:
    import arenakit

    words = battles["human"].map({"model_a": "a", "model_b": "b"}).fillna("tie")
    rows = zip(battles["model_a"], battles["model_b"], words, strict=True)
    board = arenakit.Arena([arenakit.Battle(model_a=a, model_b=b, winner=winner) for a, b, winner in rows])
    ranks = arenakit.bootstrap(board).rank_ci()
    return float((ranks[:, 1] - ranks[:, 0] + 1).mean())


if __name__ == "__main__":
    JOBS = {"arena": measure_arena, "pairings": measure_pairings, "judges": measure_judges, "times": measure_times}
    for job in sys.argv[1:] or JOBS:
        JOBS[job]()
        print()
