"""Scripts of the documentation and the examples as modules, whose functions tests call."""

import importlib.util
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parent.parent


def load_script(path: str) -> ModuleType:
    """Return the module that a file of the repository makes."""
    spec = importlib.util.spec_from_file_location(Path(path).stem, ROOT / path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
