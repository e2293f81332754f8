"""Random streams with keys, so that the draws of an entity do not depend on the other entities.

A stream is derived from the seed and a key (purpose, names, evidence, chain, block) by a hash that
is stable across processes and platforms. The order of input, other entities, chunks and threads
have no effect. The evidence in the key decouples two fits with the same seed and names.

Each block of draws on a fixed grid has its own stream, and can be drawn in any order by any worker.
"""

import hashlib
import json
import struct
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from bayesrank._core.errors import ArgumentError, ArgumentTypeError

Seed = int | np.random.SeedSequence | np.random.Generator | None

_JSON = json.JSONEncoder(default=repr)
#: Number of draws of a chain in a block, which has one stream.
BLOCK = 1000
#: Binary digits of a float that count in a key, about ten decimal digits.
BITS = 33


class Block(NamedTuple):
    """Draws ``start`` to ``stop`` of a chain, in a run of ``shape`` (chains, draws)."""

    chain: int
    start: int
    stop: int
    shape: tuple[int, int]

    @property
    def key(self) -> tuple[int, int]:
        """Return the position of the block on the grid, a part of the key of its streams."""
        return self.chain, self.start // BLOCK

    @property
    def size(self) -> int:
        return self.stop - self.start


def blocks_between(
    chain: int, chain_end: int, start: int, stop: int, shape: tuple[int, int]
) -> list[Block]:
    """Return the blocks of a part of the grid that starts at a block."""
    return [
        Block(c, at, min(at + BLOCK, stop), shape)
        for c in range(chain, chain_end)
        for at in range(start, stop, BLOCK)
    ]


def unseeded() -> np.random.SeedSequence:
    """Return a root that differs in every call; tests replace this function by one that repeats in every run."""
    return np.random.SeedSequence()


def root_sequence(seed: Seed) -> np.random.SeedSequence:
    """Return the root of all streams. A Generator is advanced, so that a second use gives other draws."""
    if isinstance(seed, np.random.SeedSequence):
        return seed
    if isinstance(seed, np.random.Generator):
        return np.random.SeedSequence([int(word) for word in seed.integers(0, 2**32, size=4)])
    if seed is None:
        return unseeded()
    if isinstance(seed, int | np.integer) and not isinstance(seed, bool):
        if seed < 0:
            raise ArgumentError("seed", "must be a non-negative integer", seed)
        return np.random.SeedSequence(int(seed))
    raise ArgumentTypeError(
        "seed", "must be an int, a numpy SeedSequence or Generator, or None", type(seed).__name__
    )


def stream(root: np.random.SeedSequence, *key: Any) -> np.random.Generator:
    """Return the random generator of ``key`` under ``root``."""
    return np.random.default_rng(_sequence(root, key))


def seed_words(root: np.random.SeedSequence, *key: Any) -> np.ndarray:
    """Return two 64-bit words for ``key`` under ``root``: the seed of a compiled stream."""
    return _sequence(root, key).generate_state(2, np.uint64)


def _sequence(root: np.random.SeedSequence, key: Sequence[Any]) -> np.random.SeedSequence:
    parts = [part.item() if isinstance(part, np.generic) else part for part in key]
    # The names 1 and "1" differ and have different streams.
    spawn_key = (
        *root.spawn_key,
        *struct.unpack("<4I", hashlib.sha256(_JSON.encode(parts).encode()).digest()[:16]),
    )
    return np.random.SeedSequence(root.entropy, spawn_key=spawn_key, pool_size=root.pool_size)


def fingerprint(*arrays: Any) -> str:
    """Return a stable hash of arrays, the evidence in a key.

    Floats count to BITS binary digits, because the last digits of computed values differ between
    processors.
    """
    digest = hashlib.sha256()
    for array in map(np.asarray, arrays):
        numeric = array.dtype.kind in "biuf"
        digest.update(repr(array.shape).encode())
        digest.update(
            _rounded(array).astype("<f8").tobytes() if numeric else repr(array.tolist()).encode()
        )
    return digest.hexdigest()[:32]


def _rounded(array: np.ndarray) -> np.ndarray:
    if array.dtype.kind != "f":
        return array
    mantissa, exponent = np.frexp(array.astype(float))
    return np.ldexp(np.round(np.ldexp(mantissa, BITS)), exponent - BITS)
