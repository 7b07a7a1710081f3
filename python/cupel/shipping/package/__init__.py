"""Faster programs for modules that Cupel judged, and the guards under which they run.

    import PACKAGE
    PACKAGE.apply(model)      # replaces modules in place, says which; PACKAGE.restore(model)

README.md says what was measured and what that is worth; provenance.json has all of it.
"""

from .here import require_torch

require_torch()

from . import layers  # noqa: E402
from .attachment import why  # noqa: E402
from .manifest import MANIFEST  # noqa: E402
from .replacing import apply, replaced, restore  # noqa: E402

__all__ = ["MANIFEST", "apply", "layers", "replaced", "restore", "why"]
