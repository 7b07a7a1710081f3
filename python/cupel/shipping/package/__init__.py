"""Faster programs for modules that Cupel judged, and the guards under which they run.

    import PACKAGE
    PACKAGE.apply(model)      # replaces modules in place, says which; PACKAGE.restore(model)

README.md says what was measured and what that is worth; provenance.json has all of it.
"""

from .replacing import apply, replaced, restore
from .manifest import MANIFEST
from .attachment import why

__all__ = ["MANIFEST", "apply", "replaced", "restore", "why"]
