"""What torch.compile makes on a CPU in each fresh process, whatever it compiles: trials of the
vector instructions that its compiler has, and its headers precompiled. Three quarters of a small
program's compilation. `python -m cupel.compiler_start OUT` makes them once, of nobody's program,
in a jail; a host finds them in its own caches, where nothing else differs (link())."""

import os
import shutil
import sys
import tempfile

USER = "user"  # torch's temporary files are called after whoever runs it: as in hosts
CACHE, TEMPORARY = "cache", "tmp"  # in OUT: of the two directories that torch writes to
LOCKS = "locks"  # each process has its own


def make(out):
    """Before torch is imported: it reads these variables then."""
    cache, temporary = os.path.join(out, CACHE), os.path.join(out, TEMPORARY)
    os.makedirs(temporary)
    os.environ.update(TORCHINDUCTOR_CACHE_DIR=cache, TMPDIR=temporary, USER=USER,
                      TORCHINDUCTOR_COMPILE_THREADS="1")
    import torch
    from torch._inductor import cpu_vec_isa
    cpu_vec_isa.pick_vec_isa()
    with tempfile.TemporaryDirectory(dir=out) as others:  # what is the small program's own
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = others
        torch.compile(torch.sin)(torch.ones(64))
    for directory, _, _ in os.walk(out):
        if os.path.basename(directory) == LOCKS:
            shutil.rmtree(directory)


def link(start):
    """Of what make() left in `start`: each file, where this process's torch looks for it."""
    for part, variable in ((CACHE, "TORCHINDUCTOR_CACHE_DIR"), (TEMPORARY, "TMPDIR")):
        source = os.path.join(start, part)
        for directory, _, names in os.walk(source):
            there = os.path.join(os.environ[variable], os.path.relpath(directory, source))
            os.makedirs(there, exist_ok=True)
            for name in names:
                os.symlink(os.path.join(directory, name), os.path.join(there, name))


if __name__ == "__main__":
    make(sys.argv[1])
