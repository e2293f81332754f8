"""Compiled loops of the Tile, each module loaded on first use, since it loads numba; compiled code is kept on disk."""
