"""A host for one round of the winner's audit in which no time counts and as little as can be looks
like a host (docs/audit.md, "Surroundings"). users_main.py, a script in a user's directory, does
the calls: while a program runs, no frame of this package is on the stack, since a generator that
has handed out a request is not running. The script is told by a variable what to import, holds no
object of this package's, and answers into a list. What tells of this package (modules, their place
in the path, variables) is taken out of the process, unless the program imports it, or a package
of its user's that may do so: then its user has it, too.

It answers `load`, `call` and `state` as cupel.host does, and asks the judge to build as that does.
Single use."""

import sys

from cupel import inline  # first, so that it is known what comes with it

INLINE = {name: module for name, module in sys.modules.items()
          if name.split(".")[0] == "cupel" and name != __name__}

import ast
import base64
import ctypes
import functools
import os
import pickle

from cupel import gpu_arena, host_program, light_extension, placement
from cupel.build_door import BuildDoor
from cupel.host import ARENAS, GPU_MEMORY_SHARE, HIDDEN_FILES, Session, end
from cupel.host_clock import PythonClock
from cupel.host_faults import ProgramFault, fault_of
from cupel.host_program import find_class, module_of
from cupel.host_socket import exit_when_closed, hide_socket
from cupel.outputs import plain_leaves
from cupel.process_start import EXIT_BROKEN
from cupel.protocol import Channel
from cupel.state_names import load, names_for

SOCKET_FD = 3  # as the judge has jails inherit it
PACKAGE = "cupel"
PACKAGE_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
IMPORTING = ("import_module", "__import__")
VARIABLES = ("PYTHONPATH", "BACKEND")  # that only this process needs, to find itself
ENVIRONMENT_BEGIN, ENVIRONMENT_END = 47, 48  # proc(5): fields of stat, from behind the name on

# Of the program's file, since a user's import gives it another name than a host's.
MODULE_NAMES = ("model", "kernels", "fused", "network", "layers", "fast_model", "block")


def module_name(directory):
    """One of them, as the judge has drawn the directory."""
    return MODULE_NAMES[sum(directory.encode()) % len(MODULE_NAMES)]


class Request:
    """One piece of work for the script, and what came of it."""

    def __init__(self, work, arguments, phase):
        self.work, self.arguments, self.phase = work, arguments, phase
        self.answer = None  # (what it returned, what it raised)

    def outcome(self):
        """What the work returned; raises what it raised, as a fault of the program's."""
        result, problem = self.answer
        if problem is not None:
            raise fault_of(problem, self.phase, HIDDEN_FILES) from None
        return result


class Unmade:
    """A program whose instances are made request by request; then as host_program.Program."""

    def __init__(self, request, weights):
        self._request, self._weights = request, weights
        self.import_ms = self.construct_ms = 0.0
        self.instances, self.seed, self.weights = [], 0, "seeded"
        self.gradients = True  # nobody asks here whether they were left on

    def requests(self, torch):
        request = self._request
        if request.get("import_root") or imports_package(request["source"]):
            bring_back()
        if request.get("import_root"):
            sys.path.insert(0, request["import_root"])
        torch.set_grad_enabled(True)
        module, code = module_of(request["source"], module_name(os.getcwd()))
        yield from self._run(exec, (code, module.__dict__), "import")
        cls = find_class(module, request["class"])
        for wanted in request["instances"]:
            torch.set_grad_enabled(True)
            make = self._constructor(torch, cls, wanted["seed"])
            self.instances.append((yield from self._run(*make, "construct")))
            self.seed = wanted["seed"]
        torch.set_grad_enabled(False)
        first = request["instances"][0]["weights"]
        names = names_for(self.instances, first, self._weights)
        for instance, wanted in zip(self.instances, request["instances"]):
            yield from self._settle(instance, names, wanted["weights"])
        self.weights = "seeded" if names is None else "loaded"

    def _settle(self, instance, names, delivered):
        """As of host_program."""
        if names is not None:
            state = load(instance, names, delivered, self._weights)
            yield from self._run(instance.load_state_dict, (state,), "construct")
        if self._request.get("mode") == "inference":
            yield from self._run(instance.eval, (), "construct")
        if callable(getattr(instance, "prepare", None)):
            yield from self._run(instance.prepare, (), "prepare")

    @staticmethod
    def loaded_state():
        """Nobody asks here what calls have written."""
        return {}

    @staticmethod
    def _run(work, arguments, phase):
        request = Request(work, arguments, phase)
        yield request
        return request.outcome()

    def _constructor(self, torch, cls, seed):
        """(callable, its arguments). On a GPU the place of tensors takes a frame of ours."""
        init = base64.b64decode(self._request["init"])
        if placement.is_gpu(self._request["device"]):
            return placement.construct, (cls, init, seed, self._request["device"])
        torch.manual_seed(seed)
        arguments = pickle.loads(init)
        if isinstance(arguments, dict):
            return functools.partial(cls, **arguments), ()
        return cls, tuple(arguments)


class UsersSession(Session):
    """A session whose calls are requests."""

    def __init__(self, request, fds):
        for fd in fds[ARENAS:]:
            os.close(fd)  # the baton: no call is in a row
        if placement.is_gpu(request["device"]):
            placement.bound_memory(request["device"], GPU_MEMORY_SHARE)
        super().__init__(request, fds[:ARENAS], PythonClock(request["device"]), Unmade)

    def call_requests(self, request):
        """Yields the call; returns the reply."""
        instance = self._get_ready(request)
        call = Request(instance, self._arguments(request["at"], request.get("values")), "call")
        yield call
        try:
            said, leaves = plain_leaves(call.outcome(), self._torch_device, self._inputs.hold)
            outputs = self._copy_out(leaves, request["out"])
            self._clock.join()
        except BaseException as error:
            raise fault_of(error, "call", HIDDEN_FILES) from None
        return {"re": "done", "claim_ns": 0, **said, "outputs": outputs}


def requests(torch, answers):
    """(callable, arguments) for as long as the judge asks; the script answers each with a pair, at
    the end of `answers`."""
    channel, own = begin()
    channel.send({"re": "ready", "torch": torch.__version__, "threads": torch.get_num_threads()})
    try:
        for request in serve(channel, torch, own):
            yield request.work, request.arguments
            request.answer = answers.pop()
    except (BrokenPipeError, ConnectionResetError):
        end(0)
    except BaseException:  # a request that the protocol does not allow, or a fault of this file
        end(EXIT_BROKEN)
    end(0)


def begin():
    """Takes what tells of a host out of the process. Returns the channel, and this package's
    modules."""
    fd = hide_socket(SOCKET_FD, keep=SOCKET_FD)
    host_program.work_directory = os.path.dirname(os.path.abspath(sys.argv[0]))
    exit_when_closed(fd)
    for name in VARIABLES:
        os.environ.pop(name, None)
    erase_variables()
    own = cover()
    sys.path[:] = [place for place in sys.path if os.path.abspath(place) != PACKAGE_ROOT]
    sys.path_importer_cache.pop(PACKAGE_ROOT, None)
    return Channel(fd), own


def erase_variables():
    """The same where /proc/self/environ shows what the process began with."""
    with open("/proc/self/stat", encoding="ascii", errors="replace") as stat:
        fields = stat.read().rpartition(")")[2].split()
    begin, end = int(fields[ENVIRONMENT_BEGIN]), int(fields[ENVIRONMENT_END])
    at = begin
    for entry in ctypes.string_at(begin, end - begin).split(b"\0"):
        if entry.partition(b"=")[0].decode(errors="replace") in VARIABLES:
            ctypes.memset(at, 0, len(entry))
        at += len(entry) + 1


def cover():
    """Takes this package's modules out of the process. Returns them by name."""
    own = {name: module for name, module in sys.modules.items() if name.split(".")[0] == PACKAGE}
    for name in own:
        parent, _, last = name.rpartition(".")
        if parent in INLINE and name not in INLINE:
            vars(INLINE[parent]).pop(last, None)
        del sys.modules[name]
    return own


def bring_back():
    """What a program that imports this package, or modules of its user's that may do so, finds of
    it in its user's process."""
    sys.path.append(PACKAGE_ROOT)
    sys.modules.update(INLINE)


def imports_package(source):
    """Whether its text imports the package, by a statement or a call. A text that says its name
    otherwise may look for it."""
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # told when it is compiled
        return False
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    names += [argument.value for node in nodes if isinstance(node, ast.Call)
              and getattr(node.func, "attr", getattr(node.func, "id", "")) in IMPORTING
              for argument in node.args if isinstance(argument, ast.Constant)
              and isinstance(argument.value, str)]
    return any(name.split(".")[0] == PACKAGE for name in names)


def serve(channel, torch, own):
    """Yields requests to the script, answers the judge's; until `bye` or the socket's end."""
    session, door = None, BuildDoor(channel)
    inline.set_builder(door.cpp)
    light_extension.set_door(door.extension)
    while True:
        request, fds = channel.receive()
        if request is None or request["op"] == "bye":
            return
        door.open()
        try:
            if request["op"] == "load":
                sys.modules.update(own)  # no program runs yet; what a GPU needs is imported here
                session = UsersSession(request, fds)
                cover()
                yield from session.program.requests(torch)
                reply = session.loaded()
            elif request["op"] == "call":
                reply = yield from session.call_requests(request)
            else:
                reply = session.state(request)
        except ProgramFault as fault:
            reply = fault.reply()
        door.close()
        channel.send(reply)
