"""A host's end of the judge's socket: its life ends with it, and a program does not find it."""

import _thread
import fcntl
import os
import select

from cupel.process_start import close_others

SOCKET_FD_MIN, SOCKET_FD_CHOICES = 32, 224


def exit_when_closed(fd):
    """Ends the process when the judge is gone, even while the program runs or hangs."""
    poll = select.poll()
    poll.register(fd, 0)  # hang-ups are always reported

    def wait():
        poll.poll()
        os._exit(0)

    _thread.start_new_thread(wait, ())  # that no list of a program's threads holds


def hide_socket(fd, keep):
    """Moves the socket to a descriptor that children do not inherit and nothing tells; closes all
    others from `keep` on. Returns the new one."""
    number = SOCKET_FD_MIN + int.from_bytes(os.urandom(1), "little") % SOCKET_FD_CHOICES
    moved = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, number)
    close_others([moved], keep)
    return moved
