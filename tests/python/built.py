"""Where the repository is, and its built binary: CUPEL_BINARY, or build/cupel in the repository."""

import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("CUPEL_BINARY", ROOT / "build" / "cupel"))
