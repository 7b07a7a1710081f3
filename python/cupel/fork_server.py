"""The fork server: a trusted process that has imported torch and runs nobody's program. Hosts, or
referees, are forked from it into jails that stand ready, so that a fresh process costs milliseconds
instead of the seconds of `import torch`: `python -m cupel.fork_server --forks host --fd N`.

For each request it forks a *keeper*, which enters the jail's namespaces and forks the process there
(a process enters a PID namespace by being born in it), waits for its end and writes how it ended.
The server has one thread and starts none: only such a process forks safely, and only such a process
may enter a user namespace. It holds nothing that a host may not know.
"""

import argparse
import gc
import importlib
import itertools
import os
import resource
import signal
import sys
import traceback

gc.disable()  # until all is imported, which makes little garbage: a sixth less time

import torch

from cupel import namespaces
from cupel.process_start import EXIT_BROKEN, collect_and_freeze, forget_preload
from cupel.protocol import Channel

# What torch.compile imports at its first use: 2 to 3 s, once instead of in every host.
COMPILERS = ("torch._dynamo", "torch._inductor.compile_fx", "torch._inductor.codecache",
             "torch._inductor.select_algorithm", "torch._inductor.kernel.conv",
             "torch._inductor.codegen.triton", "torch._inductor.runtime.triton_heuristics",
             "torch._inductor.fx_passes.post_grad", "triton")
EXIT_NO_ENTRY = 71  # the process never ran; the keeper's last words are in its output
FORKED = {"host": "cupel.host", "referee": "cupel.referee"}  # modules with a `forked(sockets..)`


class ForkRequest:
    """What a process to be needs; descriptors come in the order of docs/protocol.md, "Fork
    server"."""

    def __init__(self, request, descriptors):
        rest = iter(descriptors)
        self.sockets = list(itertools.islice(rest, request["sockets"]))
        self.output, self.status = next(rest), next(rest)
        self.cgroups = list(itertools.islice(rest, request["cgroups"]))
        self.namespaces = list(rest)
        self.environment = request["environment"]
        self.directory = request["directory"]
        self.filter = bytes.fromhex(request["filter"])
        self.data_bytes_max = request["data_bytes_max"]
        self.file_bytes_max = request["file_bytes_max"]
        self.descriptors_max = request["descriptors_max"]
        self.descriptors = list(descriptors)

    def close(self):
        for descriptor in self.descriptors:
            os.close(descriptor)


def keep(wanted, forked):
    """The keeper's life: enters the jail, forks a process that calls forked(), reports how it
    ended. Never returns."""
    code = EXIT_NO_ENTRY
    try:
        os.setsid()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        _connect_streams(wanted.output)
        _join(wanted.cgroups)
        _limit(wanted)
        if wanted.namespaces:
            namespaces.enter(wanted.namespaces)
            namespaces.drop_privileges()
            forget_unseen_directories()
        if wanted.directory:
            os.chdir(wanted.directory)
        child = os.fork()
        if child == 0:
            _become(wanted, forked)
        for socket in wanted.sockets:
            os.close(socket)
        code = _exit_code(os.waitpid(child, 0)[1])
    except BaseException as problem:
        print(f"cannot enter the jail: {type(problem).__name__}: {problem}", file=sys.stderr)
        sys.stderr.flush()
    os.write(wanted.status, str(code).encode())
    os._exit(0)


def forget_unseen_directories():
    """Drops what imports have listed of directories on sys.path that the jail does not show, such
    as an editable install's."""
    for directory in list(sys.path_importer_cache):
        if not os.path.exists(directory):
            del sys.path_importer_cache[directory]


def _become(wanted, forked):
    try:
        namespaces.die_with_parent()
        os.setsid()  # signals to its process group do not reach the keeper
        namespaces.filter_system_calls(wanted.filter)
        os.environ.update(wanted.environment)
    except BaseException:
        traceback.print_exc()
        os._exit(EXIT_NO_ENTRY)
    try:
        forked(*wanted.sockets)
    except BaseException:
        traceback.print_exc()
    os._exit(EXIT_BROKEN)


def _exit_code(status):
    """As shells and bwrap have it: 128 + number for a signal."""
    return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def _connect_streams(output):
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(null)


def _join(cgroups):
    for procs in cgroups:
        os.write(procs, b"0")


def _limit(wanted):
    limits = {resource.RLIMIT_CORE: 0, resource.RLIMIT_DATA: wanted.data_bytes_max,
              resource.RLIMIT_FSIZE: wanted.file_bytes_max,
              resource.RLIMIT_NOFILE: wanted.descriptors_max}
    for which, value in limits.items():
        if value or which == resource.RLIMIT_CORE:
            most = resource.getrlimit(which)[1]
            value = value if most == resource.RLIM_INFINITY else min(value, most)
            resource.setrlimit(which, (value, value))


def serve(channel, forked):
    """Forks until `bye` or until the judge closes the socket."""
    while True:
        request, descriptors = channel.receive()
        if request is None or request["op"] == "bye":
            return
        if request["op"] == "import":
            forks = import_compilers()
            channel.send({"re": "imported", "threads": thread_count() if forks else 0})
            continue
        wanted = ForkRequest(request, descriptors)
        keeper = os.fork()
        if keeper == 0:
            channel.close()
            keep(wanted, forked)
        wanted.close()
        channel.send({"re": "forked", "pid": keeper})


def import_compilers():
    """Imports what is there of COMPILERS; a host imports the rest by itself. False: CUDA has been
    asked something on the way, and no process forked from this one could use it."""
    os.environ["PYTORCH_NVML_BASED_CUDA_CHECK"] = "1"  # is_available() by NVML, which may be asked
    untouched = CudaUntouched()
    with untouched:
        for name in COMPILERS:
            try:
                importlib.import_module(name)
            except Exception:  # torch's own modules differ from version to version
                pass
    collect_and_freeze()
    return untouched.holds()


class CudaUntouched:
    """Sees whether CUDA's runtime is asked for its devices, which starts it."""

    def __init__(self):
        self._asked = 0
        self._ask = getattr(torch._C, "_cuda_getDeviceCount", None)

    def __enter__(self):
        if self._ask:
            torch._C._cuda_getDeviceCount = self._count

    def __exit__(self, *_):
        if self._ask:
            torch._C._cuda_getDeviceCount = self._ask

    def _count(self):
        self._asked += 1
        return self._ask()

    def holds(self):
        return not self._asked and not torch.cuda.is_initialized()


def thread_count():
    return len(os.listdir("/proc/self/task"))


def main():
    parser = argparse.ArgumentParser(description="Cupel's fork server; the judge starts it.")
    parser.add_argument("--fd", type=int, required=True, help="the judge's socket")
    parser.add_argument("--forks", choices=FORKED, required=True)
    arguments = parser.parse_args()
    os.set_inheritable(arguments.fd, False)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # keepers are reaped by the kernel
    channel = Channel(arguments.fd)
    forget_preload()
    forked = importlib.import_module(FORKED[arguments.forks]).forked
    sys.argv[1:] = []
    collect_and_freeze()
    gc.enable()
    channel.send({"re": "ready", "threads": thread_count()})
    try:
        serve(channel, forked)
    except (BrokenPipeError, ConnectionResetError):
        pass


if __name__ == "__main__":
    main()
