"""A host for one round of the winner's audit in which no time counts and as little as can be looks
like a host (docs/audit.md, "Surroundings"). users_main.py, a script in a user's directory, does
the calls: while a program runs, no frame of this package is on the stack, since a generator that
has handed out an errand is not running. The package's modules are out of sys.modules, but for what
candidates import.

It answers `load`, `call` and `state` as cupel.host does, and asks the judge to build as that does.
Single use."""

import base64
import os
import pickle
import sys

from cupel import host_program, inline, light_extension, placement
from cupel.build_door import BuildDoor
from cupel.host import (ARENAS, EXIT_BROKEN, GPU_MEMORY_SHARE, HIDDEN_FILES, Session, end,
                        exit_when_closed, hide_socket)
from cupel.host_clock import PythonClock
from cupel.host_faults import ProgramFault, fault_of
from cupel.host_program import find_class, module_of
from cupel.outputs import plain_leaves
from cupel.protocol import Channel
from cupel.state_names import load, names_for

SOCKET_FD = 3  # as the judge has jails inherit it
STAYING = ("cupel", "cupel.inline")  # a user has these as well
VARIABLES = ("PYTHONPATH",)          # that only this process needs, to find itself


# Of the program's file, since a user's import gives it another name than a host's.
MODULE_NAMES = ("model", "kernels", "fused", "network", "layers", "fast_model", "block")


def module_name(directory):
    """One of them, as the judge has drawn the directory."""
    return MODULE_NAMES[sum(directory.encode()) % len(MODULE_NAMES)]


class Errand:
    """One piece of work for the script, and what came of it."""

    def __init__(self, work, arguments, phase):
        self.work, self.arguments, self.phase = work, arguments, phase
        self.result = None

    def done(self, result, problem):
        self.result = result
        self.problem = problem

    def outcome(self):
        """What the work returned; raises what it raised, as a fault of the program's."""
        if self.problem is not None:
            raise fault_of(self.problem, self.phase, HIDDEN_FILES) from None
        return self.result


class Unmade:
    """A program whose instances are made errand by errand; then as host_program.Program."""

    def __init__(self, request, weights):
        self._request, self._weights = request, weights
        self.import_ms = self.construct_ms = 0.0
        self.instances, self.seed, self.weights = [], 0, "seeded"
        self.gradients = True  # nobody asks here whether they were left on

    def errands(self, torch):
        request = self._request
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
        errand = Errand(work, arguments, phase)
        yield errand
        return errand.outcome()

    def _constructor(self, torch, cls, seed):
        """(callable, its arguments). On a GPU the place of tensors takes a frame of ours."""
        init = base64.b64decode(self._request["init"])
        if placement.is_gpu(self._request["device"]):
            return placement.construct, (cls, init, seed, self._request["device"])
        torch.manual_seed(seed)
        arguments = pickle.loads(init)
        if isinstance(arguments, dict):
            return (lambda: cls(**arguments)), ()
        return cls, tuple(arguments)


class UsersSession(Session):
    """A session whose calls are errands."""

    def __init__(self, request, fds):
        for fd in fds[ARENAS:]:
            os.close(fd)  # the baton: no call is in a row
        if placement.is_gpu(request["device"]):
            placement.bound_memory(request["device"], GPU_MEMORY_SHARE)
        super().__init__(request, fds[:ARENAS], PythonClock(request["device"]), Unmade)

    def call_errands(self, request):
        """Yields the call; returns the reply."""
        instance = self._get_ready(request)
        errand = Errand(instance, self._arguments(request["at"], request.get("values")), "call")
        yield errand
        try:
            said, leaves = plain_leaves(errand.outcome(), self._torch_device, self._inputs.hold)
            outputs = self._copy_out(leaves, request["out"])
            self._clock.join()
        except BaseException as error:
            raise fault_of(error, "call", HIDDEN_FILES) from None
        return {"re": "done", "claim_ns": 0, **said, "outputs": outputs}


def errands(torch):
    """(callable, arguments, where to tell what came of it) for as long as the judge asks."""
    channel = begin()
    channel.send({"re": "ready", "torch": torch.__version__, "threads": torch.get_num_threads()})
    try:
        for errand in serve(channel, torch):
            yield errand.work, errand.arguments, errand.done
    except (BrokenPipeError, ConnectionResetError):
        end(0)
    except BaseException:  # a request that the protocol does not allow, or a fault of this file
        end(EXIT_BROKEN)
    end(0)


def begin():
    """Takes what tells of a host out of the process. Returns the channel."""
    fd = hide_socket(SOCKET_FD, keep=SOCKET_FD)
    host_program.work_directory = os.path.dirname(os.path.abspath(sys.argv[0]))
    exit_when_closed(fd)
    for name in VARIABLES:
        os.environ.pop(name, None)
    for name in [name for name in sys.modules if name.split(".")[0] == "cupel"]:
        if name not in STAYING:
            del sys.modules[name]
    return Channel(fd)


def serve(channel, torch):
    """Yields errands, answers requests; until `bye` or the socket's end."""
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
                session = UsersSession(request, fds)
                yield from session.program.errands(torch)
                reply = session.loaded()
            elif request["op"] == "call":
                reply = yield from session.call_errands(request)
            else:
                reply = session.state(request)
        except ProgramFault as fault:
            reply = fault.reply()
        door.close()
        channel.send(reply)
