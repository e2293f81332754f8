"""Votes, for docs/measured/votes.md: ranks from a judge's votes, errors of rank sets, and times beside others.

Run: python scripts/measure_votes.py [GROUP ...] [--boards N] [--sums FILE] [--peers FOLDER] prints the tables of the
groups arena, pairings, rules, judges, units, beside, adaptive, arenakit, style and times; without a name, all of them.
In units, beside, adaptive and arenakit, each cell gets N more boards, which are added to the sums in FILE, so that a
long night adds to the last one. arena-rank and arenakit take part in times where they are installed or in FOLDER.
"""

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr
from scipy.stats import rankdata

import bayesrank as br
from bayesrank.evidence.pairings import pairing_factor, uneven_factor
from bayesrank.models import davidson
from bayesrank.models.parts.pairs import Pairs, sample_each

JUDGES = ("claude", "gpt4", "gpt35")
COLUMNS = {"a": "model_a", "b": "model_b", "count": "count"}
#: Draws of labels, and human votes among the 27,045.
REPEATS, LABELS = 50, 1000
#: Boards of simulated votes, votes of an entity, the frequency of ties, and votes between two choices of pairs.
RUNS, EACH, NU, STEP = 200, 60, 0.75, 10
#: Boards of the normal approximation, and 1 / variance of the prior of its strengths.
RULES, PRECISION = 400, 0.25
#: Rules by which nothing, or earlier votes, choose the next pairs.
FIXED, ADAPTIVE = (
    ("balanced", "sparse", "unbalanced"),
    ("closest", "leader", "dropped", "Swiss", "Swiss only", "next"),
)
#: Boards with a judge: how many, votes, and votes of people among them.
JUDGED_RUNS, ENTITIES, JUDGED, JUDGED_LABELS = 40, 8, 1500, 100
#: Boards of votes that share voters or questions, and boards of the same without regard to these.
TAILS = {"rank^-0.7": -0.7, "rank^-1": -1.0}
SHARED_RUNS, IGNORED_RUNS, UNEQUAL_RUNS, MODELS = 100, 25, 40, 6
#: Voters, votes of each (a name: 9,000 in all, in proportion to a power of the rank), questions, verdicts on each, and
#: the standard deviation of a taste.
SHARED = (
    *((voters, 60, 0, 0, taste) for voters in (5, 10, 50) for taste in (0.5, 1.0)),
    *((1500, tail, 0, 0, taste) for tail in TAILS for taste in (0.5, 1.0)),
    *(
        (0, 0, questions, verdicts, 1.0)
        for questions, verdicts in ((20, 3), (60, 1), (60, 3), (60, 10))
    ),
    *((voters, 40, questions, 0, 1.0) for voters, questions in ((10, 10), (10, 50), (50, 20))),
)
#: Those with models of unequal strength, too.
SPREAD_CELLS = ((10, 60, 0, 0, 1.0), (50, 60, 0, 0, 1.0), (0, 0, 60, 3, 1.0), (50, 40, 20, 0, 1.0))
HEAVY = 9000
#: Units beside a judge that errs in this share of its votes: voters and their votes (or verdicts on a question),
#: questions, taste, the share of voters whose votes are known (a negative one: of votes), and whether a judge's vote
#: without a known one has no voter.
ERRORS, BESIDE_RUNS = 0.3, 60
BESIDE = (
    (20, 40, 0, 1.0, 0.5, False),
    (50, 20, 0, 1.0, 0.4, True),
    (50, 40, 0, 0.5, -0.2, False),
    (0, 20, 60, 1.0, -0.3, False),
    (50, 30, 30, 1.0, 0.4, False),
)
#: Standard deviation of the strengths of unequal models, votes behind their true values, and boards with style.
UNEQUAL, MANY, STYLED_RUNS = 0.5, 400_000, 60


#: Rules, and voters of boards whose next pairs follow from earlier votes, with a taste of standard deviation 1.
ADAPTIVE_RULES = ("balanced", "unbalanced", "closest", "leader", "dropped", "Swiss", "next")
ADAPTIVE_VOTERS, ADAPTIVE_RUNS = (10, 50, 200), 60


class Sums:
    """Sums over boards of each cell, which a file keeps."""

    def __init__(self, path: Path | None = None, boards: int | None = None) -> None:
        self.path, self.boards = path, boards
        self.held = json.loads(path.read_text()) if path is not None and path.exists() else {}

    def add(
        self, name: str, default: int, board: Callable[[int], tuple]
    ) -> tuple[int, list[float]]:
        """Add boards, each a row of numbers from its seed; return the number of all boards, and the means."""
        old = self.held.get(name, {"boards": 0, "sums": 0})
        number = self.boards or default
        rows = np.array([board(run) for run in range(old["boards"], old["boards"] + number)], float)
        sums, total = rows.sum(axis=0) + old["sums"], old["boards"] + number
        self.held[name] = {"boards": total, "sums": sums.tolist()}
        if self.path is not None:
            self.path.write_text(json.dumps(self.held))  # a night may end at any time
        return total, (sums / total).tolist()


SUMS = Sums()


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
        found.setdefault(name, []).append(
            (((low <= truth) & (truth <= high)).sum(), (high - low + 1).mean(), spread)
        )

    for judge in JUDGES:
        add(
            f"all votes of {judge}, as the truth",
            br.from_votes(battles, winner=judge, **COLUMNS),
            1,
        )
    for seed in range(REPEATS):
        known = np.random.default_rng(seed).multivariate_hypergeometric(
            battles["count"].values, LABELS
        )
        labelled = battles.assign(count=known).query("count > 0")
        rest = battles.assign(count=battles["count"] - known, human=None).query("count > 0")
        add(
            f"{LABELS:,} human votes alone",
            br.from_votes(labelled, winner="human", **COLUMNS),
            seed,
        )
        both = pd.concat([labelled, rest])
        for judge in JUDGES:
            name = f"{LABELS:,} human votes and all of {judge}"
            add(name, br.from_votes(both, winner="human", judge=judge, **COLUMNS), seed)
    heads = (
        "human ranks inside, of 20",
        "mean size of a set",
        "mean width of intervals of strength",
    )
    print_table(
        [
            {"votes": name} | dict(zip(heads, np.mean(held, axis=0).tolist(), strict=True))
            for name, held in found.items()
        ]
    )


def vote(
    strength: np.ndarray, i: np.ndarray, j: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Return 0 where the first wins, 1 where the second does, 2 for a tie."""
    half = (strength[i] - strength[j]) / 2
    weight = np.stack([np.exp(half), np.exp(-half), np.full(half.shape, NU)], axis=-1)
    return (
        rng.random((*half.shape, 1)) * weight.sum(-1, keepdims=True) > np.cumsum(weight, axis=-1)
    ).sum(-1)


def frame_of(i: np.ndarray, j: np.ndarray, winner: np.ndarray, **more: np.ndarray) -> pd.DataFrame:
    words = np.array(["model_a", "model_b", "tie"])
    held = {
        "model_a": [f"m{x}" for x in i],
        "model_b": [f"m{x}" for x in j],
        "human": words[winner],
    }
    return pd.DataFrame(held | {name: words[said] for name, said in more.items()} | {"count": 1})


class Boards:
    """Votes (board, entity, rival) on entities of known strengths, and the pairs by earlier votes."""

    def __init__(self, strength: np.ndarray, nu: float, rng: np.random.Generator) -> None:
        self.strength, self.nu, self.rng = strength, nu, rng
        boards, self.entities = strength.shape
        self.wins, self.ties = np.zeros((2, boards, self.entities, self.entities))
        self.now, self.row = np.zeros(strength.shape), np.arange(boards)[:, None]

    @property
    def numbers(self) -> np.ndarray:
        return self.wins + self.wins.transpose(0, 2, 1) + self.ties

    def add(self, i: np.ndarray, j: np.ndarray) -> None:
        """Add a vote on each pair (board, vote)."""
        i, j = np.broadcast_arrays(i, j)
        half = (self.strength[self.row, i] - self.strength[self.row, j]) / 2
        weight = np.stack([np.exp(half), np.exp(-half), np.full(half.shape, self.nu)], axis=-1)
        won = (
            self.rng.random((*half.shape, 1)) * weight.sum(-1, keepdims=True)
            > np.cumsum(weight, axis=-1)
        ).sum(-1)
        np.add.at(self.wins, (self.row, i, j), won == 0)
        np.add.at(self.wins, (self.row, j, i), won == 1)
        np.add.at(self.ties, (self.row, i, j), won == 2)
        np.add.at(self.ties, (self.row, j, i), won == 2)

    def estimate(self, steps: int) -> np.ndarray:
        """Move the strengths towards the mode, with ties as half wins; return the information."""
        numbers, won, own = self.numbers, self.wins + self.ties / 2, np.arange(self.entities)
        for _ in range(steps):
            share = 1 / (1 + np.exp(self.now[:, None, :] - self.now[:, :, None]))
            slope = (won - numbers * share).sum(axis=2) - PRECISION * self.now
            weight = numbers * share * (1 - share)
            information = -weight
            information[:, own, own] += weight.sum(axis=2) + PRECISION
            self.now += np.clip(np.linalg.solve(information, slope[..., None])[..., 0], -2, 2)
        return information

    def choose(self, rule: str, votes: int, wanted: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the next pairs (board, vote) by the strengths so far."""
        order = np.argsort(-self.now, axis=1, kind="stable")
        if rule == "leader":  # the leader meets the second
            return order[:, [0] * STEP], order[:, [1] * STEP]
        if rule == "closest":
            sorted_ = np.take_along_axis(self.now, order, axis=1)
            place = (sorted_[:, :-1] - sorted_[:, 1:]).argmin(axis=1)[:, None].repeat(STEP, axis=1)
            return order[self.row, place], order[self.row, place + 1]
        if (
            rule == "dropped"
        ):  # the pairs of those that are left: the worse half is dropped at each third of the votes
            left = max(self.entities >> (3 * votes // wanted), 2)
            first, second = np.triu_indices(left, 1)
            return order[:, first], order[:, second]
        start = int(self.rng.integers(2)) if rule == "next" else 0
        met = order[:, start : start + (self.entities - start) // 2 * 2]
        return met[:, ::2], met[:, 1::2]


class VoterBoard(Boards):
    """One board whose votes are those of voters with tastes."""

    def __init__(
        self, strength: np.ndarray, nu: float, rng: np.random.Generator, tastes: np.ndarray
    ) -> None:
        super().__init__(strength, nu, rng)
        self.tastes, self.rows = tastes, list[np.ndarray]()

    def add(self, i: np.ndarray, j: np.ndarray) -> None:
        i, j = (held[0] for held in np.broadcast_arrays(i, j))
        voter = self.rng.integers(len(self.tastes), size=len(i))
        own, row = self.strength[0] + self.tastes[voter], np.arange(len(i))
        half = (own[row, i] - own[row, j]) / 2
        weight = np.stack([np.exp(half), np.exp(-half), np.full(half.shape, self.nu)], axis=-1)
        won = (
            self.rng.random((len(i), 1)) * weight.sum(-1, keepdims=True)
            > np.cumsum(weight, axis=-1)
        ).sum(-1)
        np.add.at(self.wins[0], (i, j), won == 0)
        np.add.at(self.wins[0], (j, i), won == 1)
        for one, other in ((i, j), (j, i)):
            np.add.at(self.ties[0], (one, other), won == 2)
        self.rows.append(np.stack([i, j, won, voter]))


def play(
    rule: str,
    strength: np.ndarray,
    each: int,
    nu: float,
    rng: np.random.Generator,
    tastes: np.ndarray | None = None,
) -> Boards:
    """Return boards with on average ``each`` votes of an entity, with pairs by a rule; with tastes, one board."""
    boards = Boards(strength, nu, rng) if tastes is None else VoterBoard(strength, nu, rng, tastes)
    entities, wanted = strength.shape[1], each * strength.shape[1] // 2
    first, second = np.triu_indices(entities, 1)
    if rule == "sparse":  # a ring
        keep = (second - first == 1) | (second - first == entities - 1)
        first, second = first[keep], second[keep]
    if rule in FIXED:
        for k in range(len(strength)):
            share = (
                rng.permutation(1 / np.arange(1, len(first) + 1))
                if rule == "unbalanced"
                else np.ones(len(first))
            )
            which = rng.choice(len(first), wanted, p=share / share.sum())
            if tastes is not None:
                boards.add(first[None, which], second[None, which])
                continue
            one = Boards(strength[[k]], nu, rng)
            one.add(first[None, which], second[None, which])
            boards.wins[k], boards.ties[k] = one.wins[0], one.ties[0]
        return boards
    votes = 0
    if rule != "Swiss only":  # one vote on each pair
        boards.add(first[None], second[None])
        votes = len(first)
    while votes < wanted:
        boards.estimate(2)
        i, j = boards.choose(rule, votes, wanted)
        boards.add(i, j)
        votes += i.shape[1]
    return boards


def judge_sets(ranking: xr.Dataset, strength: np.ndarray) -> tuple[bool, bool, float]:
    """Return whether a set misses a true rank, or the headline names a wrong best; and the mean size of the sets."""
    truth = strength[[int(name[1:]) for name in ranking["entity"].values]]
    low, high = ranking["rank_lower"].values, ranking["rank_upper"].values
    # Equal entities share their ranks: a set must contain all of these.
    best, worst = (truth[:, None] < truth).sum(1) + 1, (truth[:, None] <= truth).sum(1)
    missed = bool(((low > best) | (high < worst)).any())
    wrong = ranking.attrs["headline"] == "best" and (not np.ptp(truth) or low[np.argmax(truth)] > 1)
    return missed, bool(wrong), float((high - low + 1).mean())


def sample_quickly(
    pairs: Pairs, draws: int, rngs: list[np.random.Generator]
) -> tuple[np.ndarray, np.ndarray]:
    """Return what ``sample_around_mode`` does, with independent draws, which are faster for few of them."""
    theta = np.stack([sample_each(pairs, draws, rng)[0] for rng in rngs])
    return theta, np.ones(theta.shape[:2])


def measure_pairings() -> None:
    """Print how often a rank set misses a true rank, by how the pairs were chosen."""
    rows = []
    davidson.sample_around_mode = sample_quickly
    grid = [
        (0.0, 8, EACH),
        (0.0, 3, EACH),
        (0.0, 20, EACH),
        (0.0, 12, 4 * EACH),
        (0.5, 8, EACH),
        (1.0, 8, EACH),
    ]
    for spread, entities, each in grid:
        for rule in (*FIXED, *ADAPTIVE):
            if entities == 3 and rule in ("sparse", "Swiss only", "next"):
                continue  # of three entities, these are other rules
            rng = np.random.default_rng([int(10 * spread), entities, each])
            played = play(rule, spread * rng.standard_normal((RUNS, entities)), each, NU, rng)
            first, second = np.triu_indices(entities, 1)
            found = []
            for k in range(RUNS):
                said = (
                    played.wins[k][first, second],
                    played.wins[k][second, first],
                    played.ties[k][first, second],
                )
                frame = pd.concat(
                    [frame_of(first, second, np.full(len(first), w)) for w in range(3)]
                )
                frame = frame.assign(count=np.concatenate(said).astype(int)).query("count > 0")
                votes = br.from_votes(frame, winner="human", **COLUMNS)
                found.append(judge_sets(rank_votes(votes, k, draws=200), played.strength[k]))
            missed, wrong, size = np.mean(found, axis=0).tolist()
            rows.append(
                {"entities": entities, "strengths": f"spread {spread:g}" if spread else "equal", "votes each": each,
                 "pairs": rule, "a set misses": missed, "wrong best": wrong, "mean size of a set": size}
            )  # fmt: skip
            print(rows[-1], file=sys.stderr, flush=True)
    print_table(rows)


def measure_rules() -> None:
    """Print how often a set of equal entities misses a rank, by the normal approximation and without ties."""
    rows = []
    for rule in ADAPTIVE:
        for entities in (4, 6, 8, 12, 20, 40):
            row: dict[str, object] = {"pairs": rule, "entities": entities}
            for each in (15, 60, 240, 1000):
                rng = np.random.default_rng([entities, each])
                if each * entities // 2 < entities * (entities - 1) and rule != "Swiss only":
                    row |= {f"{each:,} votes": np.nan, f"{each:,}, before": np.nan}
                    continue  # votes beyond the first on each pair would be few
                played = play(rule, np.zeros((RULES, entities)), each, 0.0, rng)
                covariance = np.linalg.inv(played.estimate(8))
                now = judge_errors(played, covariance, rng)
                row |= {f"{each:,} votes": now[0], f"{each:,}, before": now[1]}
            rows.append(row)
            print(row, file=sys.stderr, flush=True)
    print_table(rows)


def judge_errors(
    played: Boards, covariance: np.ndarray, rng: np.random.Generator
) -> tuple[float, float]:
    """Return how often a standardised error exceeds its critical value, and how often without regard to closeness."""
    i, j = np.triu_indices(played.entities, 1)
    missed = np.zeros((2, len(covariance)), bool)
    for k, (each, now, wins, ties) in enumerate(
        zip(covariance, played.now, played.wins, played.ties, strict=True)
    ):
        spread = np.sqrt(each[i, i] + each[j, j] - 2 * each[i, j])
        drawn = np.linalg.cholesky(each) @ rng.standard_normal((played.entities, 600))
        critical = np.quantile((np.abs(drawn[i] - drawn[j]) / spread[:, None]).max(axis=0), 0.95)
        largest = (np.abs(now[i] - now[j]) / spread).max()
        factors = pairing_factor(wins, ties)[0], uneven_factor(wins + wins.T + ties)
        missed[:, k] = [largest > critical * factor for factor in factors]
    return tuple(missed.mean(axis=1).tolist())


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


def shared_votes(
    cell: tuple[int, int | str, int, int, float], strength: np.ndarray, rng: np.random.Generator
) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return votes of voters, on questions, or of both, whose tastes vary, and the roles of their columns."""
    voters, each, questions, verdicts, taste = cell
    models = len(strength)
    if voters:
        if each in TAILS:
            share = np.arange(1, voters + 1) ** TAILS[each]
            voter = rng.choice(voters, HEAVY, p=share / share.sum())
        else:
            voter = np.repeat(np.arange(voters), each)
        question = (
            rng.integers(questions, size=len(voter)) if questions else np.zeros(len(voter), int)
        )
        i = rng.integers(models, size=len(voter))
        j = (i + rng.integers(1, models, size=len(voter))) % models
    else:  # each question compares two models
        question = np.repeat(np.arange(questions), verdicts)
        voter = np.zeros(len(question), int)
        pair = rng.integers(models, size=questions)
        i, j = pair[question], ((pair + rng.integers(1, models, size=questions)) % models)[question]
    own = np.tile(strength, (len(i), 1))
    own = own + (taste * rng.standard_normal((voters, models)))[voter] if voters else own
    own = own + (taste * rng.standard_normal((questions, models)))[question] if questions else own
    row = np.arange(len(i))
    half = (own[row, i] - own[row, j]) / 2
    weight = np.stack([np.exp(half), np.exp(-half), np.full(half.shape, NU)], axis=-1)
    said = (
        rng.random((len(i), 1)) * weight.sum(-1, keepdims=True) > np.cumsum(weight, axis=-1)
    ).sum(-1)
    frame = frame_of(i, j, said).assign(voter=voter, question=question)
    return frame, ({"cluster": "voter"} if voters else {}) | (
        {"case": "question"} if questions else {}
    )


def true_strengths(taste: float, parts: int, strength: np.ndarray) -> np.ndarray:
    """Return the strengths over all voters and questions, by votes that share nothing."""
    if not strength.any():
        return strength
    cell = (MANY, 1, 0, 0, taste * np.sqrt(parts))
    frame, _ = shared_votes(cell, strength, np.random.default_rng(99))
    found = davidson.Davidson(br.from_votes(frame, winner="human", **COLUMNS)).observed()[
        "observed_data"
    ]["strength"]
    return found.sel(entity=[f"m{k}" for k in range(len(strength))]).values


def measure_units() -> None:
    """Print claims and intervals of votes that share voters, questions, or both."""
    rows = []
    for spread, cells in ((0.0, SHARED), (UNEQUAL, SPREAD_CELLS)):
        for place, cell in enumerate(cells):
            voters, each, questions, verdicts, taste = cell
            strength = spread * np.linspace(1.5, -1.5, MODELS)
            truth = true_strengths(taste, bool(voters) + bool(questions), strength)
            number = UNEQUAL_RUNS if spread else SHARED_RUNS

            def board(run: int, place: int = place, cell: tuple = cell, strength: np.ndarray = strength,
                      truth: np.ndarray = truth, spread: float = spread) -> tuple:  # fmt: skip
                frame, roles = shared_votes(
                    cell, strength, np.random.default_rng([place, int(10 * spread), run])
                )
                votes = br.from_votes(frame, winner="human", **COLUMNS, **roles)
                return judge_shared(votes, truth, run)

            def ignoring(
                run: int, place: int = place, cell: tuple = cell, strength: np.ndarray = strength
            ) -> tuple:
                frame, _ = shared_votes(cell, strength, np.random.default_rng([place, 0, run]))
                alone = rank_votes(br.from_votes(frame, winner="human", **COLUMNS), run)
                return (alone.attrs["headline"] == "best",)

            name = f"units | {spread:g} | {cell}"
            boards, (effective, wrong, missed, cover, best) = SUMS.add(name, number, board)
            without = "" if spread else SUMS.add(f"{name} | ignored", IGNORED_RUNS, ignoring)[1][0]
            rows.append(
                {"models": f"spread {spread:g}" if spread else "equal", "voters": voters or "",
                 "votes each": str(each) if voters else "", "questions": questions or "",
                 "verdicts each": verdicts or "", "taste": f"{taste:g}", "boards": boards,
                 "effective units": round(effective, 1), "false best": wrong, "ignoring units": without,
                 "true best": best - wrong if spread else "", "a set misses": missed, "coverage": cover}
            )  # fmt: skip
            print(rows[-1], file=sys.stderr, flush=True)
    print_table(rows)


def judged_votes(
    cell: tuple, strength: np.ndarray, rng: np.random.Generator
) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return votes of voters or on questions, of which some are known, with those of a judge."""
    voters, each, questions, taste, share, empty = cell
    frame, roles = shared_votes((voters, each, questions, each, taste), strength, rng)
    errs = rng.random(len(frame)) < ERRORS
    frame["gpt"] = np.where(
        errs, rng.choice(["model_a", "model_b", "tie"], len(frame)), frame["human"]
    )
    known = (
        (rng.permutation(voters) < share * voters)[frame["voter"]]
        if share > 0
        else rng.random(len(frame)) < -share
    )
    frame["human"] = np.where(known, frame["human"], None)
    if empty:
        frame["voter"] = frame["voter"].astype(object).where(known, None)
    return frame, roles


def measure_beside() -> None:
    """Print claims and intervals of equal models, where a judge voted beside people who share voters or questions."""
    rows = []
    for cell in BESIDE:
        voters, each, questions, taste, share, empty = cell
        truth = np.zeros(MODELS)

        def board(run: int, cell: tuple = cell, truth: np.ndarray = truth) -> tuple:
            rng = np.random.default_rng([BESIDE.index(cell), 7, run])
            frame, roles = judged_votes(cell, truth, rng)
            votes = br.from_votes(frame, winner="human", judge="gpt", **COLUMNS, **roles)
            return judge_shared(votes, truth, run)

        found = SUMS.add(f"beside | {cell}", BESIDE_RUNS, board)
        boards, (effective, wrong, missed, cover, _) = found
        kind = "votes" if share < 0 else "voters, others empty" if empty else "voters"
        rows.append(
            {"voters": voters or "", "votes": each * (voters or questions), "questions": questions or "",
             "taste": f"{taste:g}", "known": f"{abs(share):.0%} of {kind}", "boards": boards,
             "effective units": round(effective, 1), "false best": wrong,
             "a set misses": missed, "coverage": cover}
        )  # fmt: skip
        print(rows[-1], file=sys.stderr, flush=True)
    print_table(rows)


def judge_shared(votes: xr.Dataset, truth: np.ndarray, seed: int) -> tuple:
    """Return effective units, whether the best is wrong, whether a set misses, coverage, whether a best is named."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        posterior = br.fit(votes, seed=seed, draws=250)
    ranking = br.credible_ranking(posterior)
    missed, wrong, _ = judge_sets(ranking, truth)
    true = truth[[int(name[1:]) for name in ranking["entity"].values]]
    cover = ((ranking["lower"].values <= true) & (true <= ranking["upper"].values)).mean()
    effective = 1 + posterior["observed_data"]["unit_freedom"].values.min()
    return effective, wrong, missed, cover, ranking.attrs["headline"] == "best"


def measure_adaptive() -> None:
    """Print claims on equal models, where earlier votes choose the next pairs and votes share voters."""
    rows = []
    for voters in ADAPTIVE_VOTERS:
        for rule in ADAPTIVE_RULES:

            def board(run: int, voters: int = voters, rule: str = rule) -> tuple:
                rng = np.random.default_rng([voters, len(rule), run])
                tastes = rng.standard_normal((voters, ENTITIES))
                played = play(rule, np.zeros((1, ENTITIES)), EACH, NU, rng, tastes)
                i, j, won, voter = np.concatenate(played.rows, axis=1)
                votes = br.from_votes(
                    frame_of(i, j, won).assign(voter=voter),
                    winner="human",
                    cluster="voter",
                    **COLUMNS,
                )
                return judge_shared(votes, np.zeros(ENTITIES), run)

            boards, (effective, wrong, missed, cover, _) = SUMS.add(
                f"adaptive | {voters} | {rule}", ADAPTIVE_RUNS, board
            )
            rows.append(
                {"voters": voters, "pairs": rule, "boards": boards, "effective voters": round(effective, 1),
                 "false best": wrong, "a set misses": missed, "coverage": cover}
            )  # fmt: skip
            print(rows[-1], file=sys.stderr, flush=True)
    print_table(rows)


def measure_arenakit() -> None:
    """Print how often arenakit's bootstrap of voters or questions gives one of equal models the rank 1 alone."""
    import arenakit

    def interval(arena: "arenakit.Arena", run: int, cluster: str) -> bool:
        ranks = arenakit.bootstrap(arena, n_resamples=300, seed=run, cluster=cluster).rank_ci()
        return bool((ranks == 1).all(axis=1).any())

    rows = []
    for place, cell in enumerate(SHARED):
        voters, each, questions, verdicts, taste = cell
        if voters and questions:
            continue  # its bootstrap has one kind of unit

        def board(run: int, place: int = place, cell: tuple = cell) -> tuple:
            frame, roles = shared_votes(
                cell, np.zeros(MODELS), np.random.default_rng([place, 0, run])
            )
            unit, name = ("voter_id", "voter") if "cluster" in roles else ("item_id", "item")
            words = frame["human"].map({"model_a": "a", "model_b": "b"}).fillna("tie")
            held = zip(
                frame["model_a"],
                frame["model_b"],
                words,
                frame[next(iter(roles.values()))],
                strict=True,
            )
            battles = [
                arenakit.Battle(model_a=a, model_b=b, winner=winner, **{unit: str(code)})
                for a, b, winner, code in held
            ]
            arena = arenakit.Arena(battles)
            ours = rank_votes(br.from_votes(frame, winner="human", **COLUMNS, **roles), run)
            return (
                ours.attrs["headline"] == "best",
                interval(arena, run, name),
                interval(arena, run, "battle"),
            )

        boards, (ours, clustered, plain) = SUMS.add(f"arenakit | {cell}", IGNORED_RUNS, board)
        rows.append(
            {"voters": voters or "", "votes each": str(each) if voters else "", "questions": questions or "",
             "verdicts each": verdicts or "", "taste": f"{taste:g}", "boards": boards, "bayesrank": ours,
             "arenakit, units": clustered, "arenakit, votes": plain}
        )  # fmt: skip
        print(rows[-1], file=sys.stderr, flush=True)
    print_table(rows)


def measure_style() -> None:
    """Print the bias of strengths by the length of answers, with and without it as a covariate."""
    rows = []
    for name, voters in (("independent votes", 0), ("50 voters", 50)):
        found = []
        for run in range(STYLED_RUNS):
            rng = np.random.default_rng([7, voters, run])
            strength, length = np.linspace(0.8, -0.8, 5), np.array([-1.0, 0.5, 0.0, 1.0, -0.5])
            i = rng.integers(5, size=3000)
            j = (i + rng.integers(1, 5, size=3000)) % 5
            longer = length[i] - length[j] + rng.standard_normal(3000)
            won = rng.random(3000) < 1 / (1 + np.exp(strength[j] - strength[i] - longer))
            frame = frame_of(i, j, np.where(won, 0, 1)).assign(
                longer=longer, voter=rng.integers(50, size=3000)
            )
            roles = {"cluster": "voter"} if voters else {}
            truth = xr.DataArray(strength, {"entity": [f"m{k}" for k in range(5)]}, ("entity",))
            each = []
            for covariates in ("longer", None):
                votes = br.from_votes(
                    frame, winner="human", **COLUMNS, covariates=covariates, **roles
                )
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    posterior = br.fit(votes, seed=run, draws=250)
                ranking = br.credible_ranking(posterior)
                inside = (ranking["lower"] <= truth) & (truth <= ranking["upper"])
                each += [inside.mean().item(), float(abs(ranking["median"] - truth).mean())]
                if covariates:
                    drawn = posterior["posterior"]["coefficient"]
                    each += [float(abs(drawn.mean() - 1) < 2 * drawn.std()), float(drawn.mean())]
            found.append(each)
        cover, error, slope, mean, plain, off = np.mean(found, axis=0).tolist()
        rows.append(
            {"votes": name, "coverage": cover, "mean error": error, "mean coefficient": mean,
             "within two errors": slope, "coverage without": plain, "mean error without": off}
        )  # fmt: skip
    print_table(rows)


def measure_times() -> None:
    """Print the CPU time of ranks and sets of 27,045 votes, and of the 95% intervals of ranks of other packages."""
    battles = br.datasets.load_cases("arena_battles")
    battles = battles.loc[battles.index.repeat(battles["count"]), ["model_a", "model_b", "human"]]
    battles = battles.sample(frac=1, random_state=1).reset_index(drop=True)
    rows = []
    jobs = (("bayesrank", _rank_ours), ("bayesrank, 1,500 voters", _rank_voters))
    for name, job in (*jobs, ("arena-rank", _rank_arena), ("arenakit", _rank_kit)):
        try:
            job(battles[:2000])  # compiles
            start, wall = time.process_time(), time.perf_counter()
            size = job(battles)
        except ImportError as error:
            print(f"{name}: {error}", file=sys.stderr)
            continue
        spent = time.process_time() - start, time.perf_counter() - wall
        rows.append(
            {
                "package": name,
                "CPU s": spent[0],
                "wall s": spent[1],
                "mean size of the 95% ranks": size,
            }
        )
    print_table(rows)


def _rank_ours(battles: pd.DataFrame) -> float:
    votes = br.from_votes(battles, a="model_a", b="model_b", winner="human")
    ranking = br.credible_ranking(br.fit(votes, seed=1))
    return float((ranking["rank_upper"] - ranking["rank_lower"] + 1).mean())


def _rank_voters(battles: pd.DataFrame) -> float:
    """Return the mean size of ranks with voters, which the data lack: 1,500 voters by Zipf's law."""
    share = 1 / np.arange(1, 1501)
    voter = np.random.default_rng(1).choice(1500, len(battles), p=share / share.sum())
    votes = br.from_votes(
        battles.assign(voter=voter), a="model_a", b="model_b", winner="human", cluster="voter"
    )
    ranking = br.credible_ranking(br.fit(votes, seed=1))
    return float((ranking["rank_upper"] - ranking["rank_lower"] + 1).mean())


def _rank_arena(battles: pd.DataFrame) -> float:
    """Return the mean size of ranks by intervals of ratings that do not overlap, as on the leaderboard of LMArena."""
    from arena_rank.models.bradley_terry import BradleyTerry
    from arena_rank.utils.data_utils import PairDataset

    frame = battles.assign(
        winner=battles["human"].where(battles["human"].str.startswith("model"), "tie")
    )
    data = PairDataset.from_pandas(frame[["model_a", "model_b", "winner"]])
    found = BradleyTerry(n_competitors=len(data.competitors)).compute_ratings_and_cis(
        data, significance_level=0.05
    )
    low, high = (np.asarray(found[name]) for name in ("rating_lower", "rating_upper"))
    above = (low[:, None] > high).sum(axis=0)
    below = (high[:, None] < low).sum(axis=0)
    return float((len(low) - above - below).mean())


def _rank_kit(battles: pd.DataFrame) -> float:
    import arenakit

    words = battles["human"].map({"model_a": "a", "model_b": "b"}).fillna("tie")
    rows = zip(battles["model_a"], battles["model_b"], words, strict=True)
    board = arenakit.Arena(
        [arenakit.Battle(model_a=a, model_b=b, winner=winner) for a, b, winner in rows]
    )
    ranks = arenakit.bootstrap(board).rank_ci()
    return float((ranks[:, 1] - ranks[:, 0] + 1).mean())


JOBS = {
    "arena": measure_arena,
    "pairings": measure_pairings,
    "rules": measure_rules,
    "judges": measure_judges,
    "units": measure_units,
    "beside": measure_beside,
    "adaptive": measure_adaptive,
    "arenakit": measure_arenakit,
    "style": measure_style,
    "times": measure_times,
}


def main() -> None:
    global SUMS
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("groups", nargs="*", choices=[[], *JOBS], metavar="GROUP")
    parser.add_argument(
        "--boards", type=int, help="more boards of each cell of units, adaptive and arenakit"
    )
    parser.add_argument("--sums", type=Path, help="file with the sums of earlier boards")
    parser.add_argument("--peers", help="folder with other packages")
    chosen = parser.parse_args()
    if chosen.peers:
        sys.path.append(chosen.peers)
    SUMS = Sums(chosen.sums, chosen.boards)
    for group in chosen.groups or [name for name in JOBS if name != "arenakit" or chosen.peers]:
        JOBS[group]()
        print()


if __name__ == "__main__":
    main()
