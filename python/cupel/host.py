"""The untrusted process that runs one program: `python -m cupel.host --fd N`.

It imports torch and starts its thread pool, says that it is ready, loads one program, and then
calls it as often as the judge asks (docs/protocol.md, "Host"). Single use. Everything it says is
a claim: the judge checks each output and keeps its own clock.

Garbage collection is the same for every program: off, but for a collection of young objects
before every GC_CALLS-th request of calls, and a full one after which the survivors are frozen
(what compiling left) after loading and before SETTLING_CALLS. None is in the time that is claimed.
"""

import argparse
import base64
import collections
import contextlib
import functools
import gc
import json
import os
import pickle
import sys
import traceback
from time import perf_counter_ns  # as it is before a program is here

import torch

from cupel import (compiler_start, host_program, inline, light_extension, own_kernels, placement,
                   profiling)
from cupel.baton import TURNS, Baton
from cupel.build_door import BuildDoor
from cupel.gpu_work import GpuWork
from cupel.host_clock import open_clock
from cupel.host_faults import ProgramFault, fault_of
from cupel.host_program import Program
from cupel.host_socket import exit_when_closed, hide_socket
from cupel.nothing import Nothing
from cupel.outputs import addresses_of_dense, dense, form, laid_out, plain_leaves
from cupel.process_start import (EXIT_BROKEN, STANDARD_STREAMS, collect_and_freeze,
                                 forget_preload)
from cupel.process_state import Watch
from cupel.protocol import Channel, align, dtype_name, open_arena, unflatten
from cupel.returned_memory import overwrite, part_of
from cupel.slots import Slots

GC_CALLS = 16
SETTLING_CALLS = (2, 4, 8)
ANY_CORE = -1
ARENAS = 3  # descriptors beside `load`; a fourth one is the baton
GPU_MEMORY_SHARE = 0.4  # of torch's allocator in one host: two programs, and room for the referee
HIDDEN_FILES = {__file__, open_clock.__code__.co_filename, form.__code__.co_filename,
                torch.nn.modules.module.__file__}
NOTHING_TO_READ = (torch.empty(0),)  # of a baton that is given back; no tensors: the call failed


class Session:
    """A loaded program with its arenas; runs calls. Not thread-safe."""

    def __init__(self, request, fds, clock, make_program=Program):
        self._device = request["device"]
        inputs, outputs, weights = (open_arena(fd, size, self._device, populate=True)
                                    for fd, size in zip(fds, request["arenas"]))
        self._baton = Baton(fds[ARENAS], clock.library) if fds[ARENAS:] else None
        self._clock = clock
        self._inputs, self._outputs = Slots(inputs), Slots(outputs)
        self._leaves = [(leaf["offset"], leaf["dtype"], tuple(leaf["shape"]),
                         tuple(leaf["strides"])) for leaf in request["inputs"]]
        self._tree = request["input_tree"]
        self._flat = self._tree == "[" + ",".join("t" * len(self._leaves)) + "]"
        self._room = request["output_room"]
        self._source = request.get("source", "")
        self._torch_device = torch.device(self._device)
        self._calls = 0
        # (what is told, leaves) of the last two calls where they may be held, and of the held.
        self._recent = collections.deque(maxlen=2) if request.get("holds") else None
        self._may_lie_in_inputs = set(request.get("in_inputs", ()))
        self._held = []
        self._returned = None  # parts of memory that outputs lie in, where it is overwritten
        self._core, self._given_cores = ANY_CORE, os.sched_getaffinity(0)
        self._gpu_work = GpuWork(self._device)
        torch.set_num_threads(request["threads"])
        # As in a user's process, where a program's traces are looked for.
        torch.set_grad_enabled(bool(request.get("holds")))
        placement.settle_precision(request["policy"])
        self._watch = Watch() if request.get("holds") else None
        self.program = Nothing(request) if "nothing" in request else make_program(request, weights)
        placement.synchronize(self._device)

    def loaded(self):
        collect_and_freeze()
        program = self.program
        if self._watch:
            self._watch.program_made(program.seed, program.loaded_state, program.gradients)
        return {"re": "loaded", "import_ms": program.import_ms,
                "construct_ms": program.construct_ms, "weights": program.weights}

    def call(self, request):
        instance = self._get_ready(request)
        arguments = self._arguments(request["at"], request.get("values"))
        self._as_call(self._gpu_work.rehearse)
        if gated := "gate_ns" in request:
            self._clock.gate(request["gate_ns"])
        # A gated call finds the GPU's cache empty, where what is overwritten would lie.
        self._returned = None if gated else []
        try:
            claim_ns, form = self._run(instance, arguments, request["out"])
            self._as_call(lambda: overwrite(self._returned or []))
        finally:
            self._returned = None
        queued = {"device_ns": self._clock.queued_ns()} if gated else {}
        return {"re": "done", "claim_ns": claim_ns, **queued, **form}

    def row(self, request, say):
        """A row of warm calls with next to nothing around them, one each time the judge hands over
        the baton. Outputs are copied to request["out"], if that is there; else the judge reads
        them where they lie, before it takes the baton back. `say` sends the first reply."""
        instance = self._get_ready(request)
        rows, outs = self._arguments_of_each(request), request.get("out")
        sealed = request.get("sealed")
        again = [] if sealed is None else self._arguments_of_each(request)
        say({"re": "armed"})
        claims, forms, at = [], [], request["at"]
        for i, arguments in enumerate(rows):
            turn = request["turn"] + i * TURNS
            before = self._gpu_work.rehearse
            if sealed is not None:
                self._get_warm(instance, again[i - 1] if i else None)
                before = functools.partial(self._open_sealed, at[i], sealed)
            if outs:
                claim_ns, form = self._copied_call(instance, arguments, outs[i], turn, before)
            else:
                claim_ns, form = self._warm_call(instance, arguments, turn)
            claims.append(claim_ns)
            forms.append(form)
        return {"re": "done", "claims_ns": claims, "outputs": forms}

    def _copied_call(self, instance, arguments, out, turn, before):
        """before(): what the GPU does of ours before the claim begins."""
        baton = self._baton
        baton.await_turn(turn)
        try:
            self._as_call(before)
            claim_ns, form = self._run(instance, arguments, out)
        except BaseException:
            baton.give_back(turn, [])
            raise
        baton.give_back(turn, NOTHING_TO_READ)
        return claim_ns, form

    def _warm_call(self, instance, arguments, turn):
        baton, now_ns = self._baton, perf_counter_ns
        baton.await_turn(turn)
        try:
            start = now_ns()
            result = instance(*arguments)
            claim_ns = now_ns() - start
            addresses = addresses_of_dense(result)
            if not addresses:
                said, leaves = plain_leaves(result, self._torch_device, self._inputs.hold)
                baton.give_back(turn, [dense(leaf) for leaf in leaves])
        except BaseException as error:
            baton.give_back(turn, [])
            raise fault_of(error, "call", HIDDEN_FILES) from None
        if addresses:  # all else can wait until the judge has looked
            baton.tell(turn, addresses)
            said, leaves = plain_leaves(result, self._torch_device, self._inputs.hold)
        if self._recent is not None:
            self._recent.append((said, self._out_of_inputs(leaves, self._may_lie_in_inputs)))
        return claim_ns, {**said, "outputs": [form(leaf) for leaf in leaves]}

    def burst(self, request, say):
        """Calls in a row in one turn of the baton, none of which waits for the GPU. In a turn
        before inputs are opened, in one behind outputs are copied. `say` sends the first reply."""
        instance = self._get_ready(request)
        rows, turn = self._arguments_of_each(request), request["turn"]
        say({"re": "armed"})
        self._as_call(self._gpu_work.get_the_device)
        with self._turn(turn):
            for i, at in enumerate(request["at"]):
                self._open_sealed(at, request["sealed"], i)
        with self._turn(turn + TURNS):
            results = [instance(*arguments) for arguments in rows]
        results = self._read_again(lambda: [self._apart(result) for result in results])
        copies = self._read_again(lambda: [copy for (_, leaves), out in zip(results, request["out"])
                                           for copy in self._copies(leaves, out)])
        self._as_call(self._clock.join)
        with self._turn(turn + 2 * TURNS):
            self._copy_again(copies)
        return {"re": "done", "outputs": [{**said, "outputs": [form(leaf) for leaf in leaves]}
                                          for said, leaves in results]}

    @contextlib.contextmanager
    def _turn(self, turn):
        """What is done in it has been done when the baton is given back."""
        self._baton.await_turn(turn)
        try:
            yield
            self._clock.join()
        except BaseException as error:
            self._baton.give_back(turn, [])
            raise fault_of(error, "call", HIDDEN_FILES) from None
        self._baton.give_back(turn, NOTHING_TO_READ)

    def _open_sealed(self, at, size, index=0):
        self._clock.open_sealed(self._inputs.address(at), size, self._baton.key(index))

    def _apart(self, result):
        """(what is told, leaves), without leaves that lie in an input, which the judge is about to
        overwrite."""
        said, leaves = plain_leaves(result, self._torch_device, self._inputs.hold)
        return said, self._out_of_inputs(leaves)

    def _get_ready(self, request):
        """Returns the instance to be called."""
        self._stay_on(request["core"])
        self._collect_garbage()
        torch.set_grad_enabled(False)
        return self.program.instances[request["instance"]]

    def batch(self, request):
        """All arguments are made first, so that a call follows closely on the one before."""
        instance = self._get_ready(request)
        arguments = self._arguments_of_each(request)
        runs = [self._run(instance, *each) for each in zip(arguments, request["out"])]
        return {"re": "batch_done", "claim_ns": sum(run[0] for run in runs),
                "outputs": [run[1] for run in runs]}

    def state(self, _):
        """What the program has changed of the process, for all other code in it."""
        return {"re": "state", "changes": self._watch.changes()}

    def hold(self, _):
        """Keeps what the call before the last one returned, which nobody could know beforehand."""
        self._held.append(self._recent[0])
        self._watch.between_calls()
        return {"re": "held"}

    def recall(self, request):
        """Copies out once more what a call returned that was held, and lets go of it: its tensors
        as they are by now."""
        (said, leaves), self._held[request["index"]] = self._held[request["index"]], None
        try:
            self._clock.join()
            self._copy_again(self._copies(leaves, request["out"]))
            self._clock.join()
        except BaseException as error:
            raise fault_of(error, "call", HIDDEN_FILES) from None
        return {"re": "recalled", **said, "outputs": [form(leaf) for leaf in leaves],
                **self._own_kernels()}

    def _own_kernels(self):
        built = inline.cuda_kernels_built()
        return {"kernels": list(built), "sharing": own_kernels.told(
            self._source, built, light_extension.cuda_sources_built())}

    def _copy_again(self, copies):
        self._read_again(lambda: [slot.copy_(leaf) for slot, leaf in copies])

    @staticmethod
    def _read_again(work):
        """work(), on outputs of earlier calls. One that could be read right after its call and
        cannot be now, as CUDA graphs of torch.compile() have it, fails in a phase of its own."""
        try:
            return work()
        except ProgramFault as fault:  # an output of another kind than it was
            raise ProgramFault("recall", "raised", fault.what) from None
        except BaseException as error:
            raise fault_of(error, "recall", HIDDEN_FILES) from None

    def profile(self, request):
        """Where the time of calls on one input goes (profiling.py)."""
        instance = self._get_ready(request)
        arguments = self._arguments(request["at"], request.get("values"))
        try:
            return profiling.reply(lambda: instance(*arguments), self._device, request)
        except BaseException as error:
            raise fault_of(error, "profile", HIDDEN_FILES) from None

    def _stay_on(self, core):
        """Calls that compile may run anywhere: compilers inherit this thread's cores."""
        if core != self._core:
            os.sched_setaffinity(0, self._given_cores if core == ANY_CORE else {core})
            self._core = core

    def _collect_garbage(self):
        self._calls += 1
        if self._calls in SETTLING_CALLS:
            collect_and_freeze()
        elif self._calls % GC_CALLS == 0:
            gc.collect(1)

    def _arguments_of_each(self, request):
        places = request["at"]
        values = request.get("values") or [""] * len(places)
        return [self._arguments(at, value) for at, value in zip(places, values)]

    def _arguments(self, at, values):
        """Fresh tensor objects on the slot at `at`: what a program does to one stays there."""
        view = self._inputs.view
        tensors = [view(at + offset, dtype, shape, strides).data
                   for offset, dtype, shape, strides in self._leaves]
        if self._flat:
            return tensors
        others = pickle.loads(base64.b64decode(values)) if values else []
        return unflatten(self._tree, tensors, others)

    def _run(self, instance, arguments, out):
        torch.set_grad_enabled(False)
        try:
            if not self._gpu_work:
                result, claim_ns = self._clock.time(instance, arguments)
                told = self._take(result, out)
            else:
                told, claim_ns = self._clock.time(self._taking(instance, out), arguments)
            self._clock.join()
            return claim_ns, told
        except BaseException as error:
            raise fault_of(error, "call", HIDDEN_FILES) from None

    def _taking(self, instance, out):
        """On a GPU outputs are taken as the next operation of a model would take them: queued on
        the current stream at once. What that stream does not wait for need not be there yet."""
        def call(*arguments):
            result = instance(*arguments)
            self._clock.returned()
            return self._take(result, out)
        return call

    def _take(self, result, out):
        """Copies the outputs; returns what is told of them."""
        said, leaves = plain_leaves(result, self._torch_device, self._inputs.hold)
        outputs = self._copy_out(leaves, out)
        if self._returned is not None:
            self._returned += map(part_of, leaves)
        if self._recent is not None:
            self._recent.append((said, self._out_of_inputs(leaves, self._may_lie_in_inputs)))
        return {**said, "outputs": outputs}

    def _out_of_inputs(self, leaves, may_lie=()):
        """The leaves; a copy of one that lies in an input, which the judge is about to overwrite,
        unless its place is among `may_lie`."""
        return [leaf.clone() if i not in may_lie and self._inputs.hold(leaf) else leaf
                for i, leaf in enumerate(leaves)]

    def _get_warm(self, instance, arguments):
        """Before a call's turn the program is called on what it was given last: meanwhile its code
        has left the processor's caches (seen: 65 us in place of 40). Then the GPU's are emptied."""
        if arguments is not None:
            self._as_call(lambda: instance(*arguments))
        self._as_call(self._gpu_work.empty_cache)

    @staticmethod
    def _as_call(work):
        """work(), which fails as a call does: a GPU that an earlier call has broken tells of it
        late."""
        try:
            return work()
        except BaseException as error:
            raise fault_of(error, "call", HIDDEN_FILES) from None

    def _copy_out(self, leaves, out):
        """Returns their forms."""
        for slot, leaf in self._copies(leaves, out):
            slot.copy_(leaf)
        return [form(leaf) for leaf in leaves]

    def _copies(self, leaves, out):
        """(place, leaf) of what there is room for: without gaps, as dense() has it, each leaf at
        the next multiple of 64."""
        offset, copies = 0, []
        for leaf in leaves:
            size = leaf.numel() * leaf.element_size()
            if size and offset + size <= self._room:
                shape = tuple(leaf.shape)
                place = self._outputs.view(out + offset, dtype_name(leaf.dtype), shape,
                                           laid_out(shape, leaf.stride()))
                copies.append((place, leaf))
            offset += align(size)
        return copies


def serve(channel, clock):
    """Answers requests until `bye` or the socket's end."""
    door = BuildDoor(channel)
    inline.set_builder(door.cpp)
    light_extension.set_door(door.extension)
    session = None
    while True:
        request, fds = channel.receive()
        if request is None or request["op"] == "bye":
            return
        door.open()
        try:
            if request["op"] == "load":
                inline.substitute(**request.get("substitute", {}))
                session = Session(request, fds, clock)
                reply = session.loaded()
            elif request["op"] in ("row", "burst"):
                reply = getattr(session, request["op"])(request, channel.send)
            else:
                reply = getattr(session, request["op"])(request)  # call, batch, hold, profile, ...
        except ProgramFault as fault:
            reply = fault.reply()
        door.close()
        channel.send(reply)


def warm_up(device):
    """Starts what a first call would otherwise start: the thread pool, the BLAS, on a GPU its
    context too.

    OpenMP (OMP_PROC_BIND, set by the judge) binds this thread to the first core and its workers to
    the others; the probe library lets the threads that the program starts run anywhere."""
    matrix = torch.ones(256, 256)
    (matrix @ matrix).exp_().sum()
    if placement.is_gpu(device):
        warm_up_gpu(device)


def warm_up_gpu(device):
    """The context and the allocator; a first call is untimed and starts the rest. A program that
    wants more memory than a host may have fails by itself, before the others of its round do."""
    placement.bound_memory(device, GPU_MEMORY_SHARE)
    torch.ones(256, device=device).exp_().sum().item()


def main():
    parser = argparse.ArgumentParser(prog="cupel.host")
    parser.add_argument("--fd", type=int, required=True)
    fd = parser.parse_args().fd
    sys.argv[:] = ["candidate.py"]
    forget_preload()
    # A memory checker has descriptors of its own.
    checked = os.environ.pop("CUPEL_MEMORY_CHECKED", "")
    live(fd if checked else hide_socket(fd, keep=fd))


def forked(fd):
    """The life of one that the fork server forked."""
    sys.argv[:] = ["candidate.py"]
    live(hide_socket(fd, keep=STANDARD_STREAMS))


def live(fd):
    """A host's whole life, on the judge's socket `fd`. Never returns."""
    exit_when_closed(fd)
    host_program.work_directory = os.environ.pop("CUPEL_WORK", "")
    device = os.environ.pop("CUPEL_DEVICE", "cpu")
    if start := os.environ.pop("CUPEL_COMPILER_START", ""):
        compiler_start.link(start)
    channel, clock = Channel(fd), open_clock(device)
    os.register_at_fork(after_in_child=channel.close)
    warm_up(device)
    os.environ.pop("PYTORCH_NO_CUDA_MEMORY_CACHING", None)  # of a memory checker; torch knows it
    collect_and_freeze()
    gc.disable()
    channel.send({"re": "ready", "torch": torch.__version__, "threads": torch.get_num_threads()})
    end(run(channel, clock))


def run(channel, clock):
    """Returns the exit status."""
    try:
        serve(channel, clock)
    except (BrokenPipeError, ConnectionResetError):
        return 0
    except BaseException:  # a request that the protocol does not allow, or a fault of this file
        traceback.print_exc()
        return EXIT_BROKEN
    return 0


def end(status):
    """At once: a program's threads and exit handlers have no say."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:  # the program may have put anything there
            pass
    os._exit(status)


if __name__ == "__main__":
    main()
