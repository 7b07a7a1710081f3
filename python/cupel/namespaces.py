"""Entering a jail's namespaces and giving up every right on the way in. Linux; calls libc directly
(Python has setns from 3.12 on only). The calling process must have one thread."""

import ctypes
import os
import signal
import struct

PR_SET_PDEATHSIG = 1
PR_CAPBSET_DROP = 24
PR_SET_NO_NEW_PRIVS = 38
PR_SET_SECCOMP = 22
SECCOMP_MODE_FILTER = 2
FILTER_INSTRUCTION_BYTES = 8
CAPABILITIES_MAX = 64
# capset(2): struct __user_cap_header_struct {version, pid} and two __user_cap_data_struct of
# {effective, permitted, inheritable}.
CAPABILITY_HEADER = struct.pack("Ii", 0x20080522, 0)
NO_CAPABILITIES = bytes(24)

_libc = ctypes.CDLL(None, use_errno=True)


class _FilterProgram(ctypes.Structure):
    """struct sock_fprog"""
    _fields_ = [("instructions", ctypes.c_ushort), ("first", ctypes.c_void_p)]


def _check(result, what):
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def enter(descriptors):
    """Joins the namespaces in this order. A PID namespace takes effect for children alone."""
    for descriptor in descriptors:
        _check(_libc.setns(descriptor, 0), "setns")


def drop_privileges():
    """No capability now, none to be gained by executing anything. Keeps the user and group."""
    for capability in range(CAPABILITIES_MAX):
        if _libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            break  # beyond the kernel's last one, or none left to drop with
    _check(_libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    _check(_libc.capset(CAPABILITY_HEADER, NO_CAPABILITIES), "capset")


def filter_system_calls(instructions):
    """Applies a seccomp program, the bytes of struct sock_filter, to this process and its children
    for good; nothing for none. Needs drop_privileges() before."""
    if not instructions:
        return
    memory = ctypes.create_string_buffer(instructions, len(instructions))
    program = _FilterProgram(len(instructions) // FILTER_INSTRUCTION_BYTES,
                             ctypes.addressof(memory))
    _check(_libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0),
           "seccomp")


def die_with_parent():
    """SIGKILL when the process that forked this one ends."""
    _check(_libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0), "die with parent")
