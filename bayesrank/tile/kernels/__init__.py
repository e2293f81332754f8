"""Compiled loops of the Tile, each module loaded on first use, as it imports numba; compiled code is cached on disk."""
