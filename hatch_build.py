"""The links of the distribution, from the one setting ``address`` in pyproject.toml; none while it is empty."""

import tomllib
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


def urls_of(address: str) -> dict[str, str]:
    """Return the links of a project by its address, such as that of its repository."""
    address = address.rstrip("/")
    if not address:
        return {}
    return {
        "Source": address,
        "Issues": f"{address}/issues",
        "Changelog": f"{address}/blob/main/CHANGELOG.md",
        "Documentation": f"{address}/tree/main/docs",
    }


class Links(MetadataHookInterface):
    """Set ``project.urls``."""

    def update(self, metadata: dict[str, Any]) -> None:
        settings = tomllib.loads(Path(self.root, "pyproject.toml").read_text("utf-8"))
        metadata["urls"] = urls_of(settings["tool"]["bayesrank"]["address"])
