"""Scripts of the documentation and the examples as modules, whose functions tests call."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parent.parent


def load_script(path: str) -> ModuleType:
    """Return the module that a file of the repository makes."""
    spec = importlib.util.spec_from_file_location(Path(path).stem, ROOT / path)
    module = importlib.util.module_from_spec(spec)
    if str(Path(spec.origin).parent) not in sys.path:
        sys.path.append(str(Path(spec.origin).parent))  # a script imports scripts beside it
    spec.loader.exec_module(module)
    return module
