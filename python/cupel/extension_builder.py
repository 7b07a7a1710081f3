"""Builds one load_inline() extension for somebody else: `python -m cupel.extension_builder OUT.so`,
the request of light_extension.request_of() on standard input. Runs in a jail without a GPU."""

import json
import os
import shutil
import sys
import tempfile


def build(request, out):
    """Builds and checks that the module loads; raises what cpp_extension raises."""
    if request["architectures"]:
        os.environ["TORCH_CUDA_ARCH_LIST"] = request["architectures"]
    os.environ["TORCH_EXTENSIONS_DIR"] = tempfile.mkdtemp()
    from torch.utils import cpp_extension

    from cupel import light_extension
    module = light_extension.lightly(cpp_extension.load_inline)(**request["arguments"])
    shutil.copyfile(module.__file__, out)


def main():
    request = json.load(sys.stdin)
    try:
        build(request, sys.argv[1])
    except (RuntimeError, ImportError, OSError, TypeError, ValueError) as error:
        print(error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
