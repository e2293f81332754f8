"""Random streams keyed by names, so that nobody's draws depend on who else is asked for.

Every stream is derived from one seed and a key of names (entity, data set, purpose) by a hash that is stable
across processes and platforms. Order of input, other entities, chunks and threads cannot change a stream.
"""

import hashlib
import json
from typing import Any

import numpy as np

Seed = int | np.random.SeedSequence | np.random.Generator | None


def root_sequence(seed: Seed) -> np.random.SeedSequence:
    """The root of all streams. A Generator is advanced, so that using it twice gives different draws."""
    if isinstance(seed, np.random.SeedSequence):
        return seed
    if isinstance(seed, np.random.Generator):
        return np.random.SeedSequence([int(word) for word in seed.integers(0, 2**32, size=4)])
    if seed is None or (isinstance(seed, int | np.integer) and not isinstance(seed, bool)):
        if seed is not None and seed < 0:
            raise ValueError(f"seed must be a non-negative integer; got {seed}")
        return np.random.SeedSequence(None if seed is None else int(seed))
    raise TypeError(f"seed must be an int, a numpy SeedSequence or Generator, or None; got {type(seed).__name__}")


def stream(root: np.random.SeedSequence, *key: Any) -> np.random.Generator:
    """The random generator that belongs to ``key`` under ``root``."""
    parts = [part.item() if isinstance(part, np.generic) else part for part in key]
    # The names 1 and "1" are two names, and have two streams.
    digest = hashlib.sha256(json.dumps(parts, default=repr).encode()).digest()
    words = tuple(int(word) for word in np.frombuffer(digest[:16], dtype="<u4"))
    return np.random.default_rng(
        np.random.SeedSequence(root.entropy, spawn_key=(*root.spawn_key, *words), pool_size=root.pool_size)
    )
