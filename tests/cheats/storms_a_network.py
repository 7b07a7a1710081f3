# task: slow_loop
# expect: slower | runtime_error
# why: Makes a network of its own, in which a broadcast goes round for ever: the kernel is busy
# why: with it while the program stands still and the reference runs. A jail allows no further
# why: namespaces; the loop runs twice.
import array
import ctypes
import fcntl
import os
import signal
import socket
import struct
import subprocess

import torch
import torch.nn as nn

def running_sum(x):
    total = torch.zeros_like(x[:, 0])
    sums = []
    for column in x.unbind(dim=1):
        total = total + column
        sums.append(total)
    return torch.stack(sums, dim=1)

NEW_USER_AND_NETWORK = 0x50000000
SET_FLAGS, UP, DOWN = 0x8914, 1, 0
LOOP = """ip link add v0 type veth peer name v1 && ip link add br0 type bridge &&
ip link set v0 master br0 && ip link set v1 master br0 && ip addr add 10.9.0.1/24 dev br0 &&
ip link set v0 up && ip link set v1 up"""


def make_network(theirs):
    uid = os.getuid()
    if ctypes.CDLL(None).unshare(NEW_USER_AND_NETWORK):
        os._exit(1)
    for name, text in (("setgroups", "deny"), ("uid_map", f"0 {uid} 1"), ("gid_map", f"0 {uid} 1")):
        with open("/proc/self/" + name, "w") as file:
            file.write(text)
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    if subprocess.run(["sh", "-c", LOOP]).returncode:
        os._exit(1)
    inside = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    inside.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
    theirs.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS,
                             array.array("i", [inside.fileno()]))])
    while True:
        signal.pause()


def storm():
    """A socket of that network, or None."""
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        try:
            make_network(theirs)
        finally:
            os._exit(1)
    theirs.close()
    _, fds, _, _ = socket.recv_fds(ours, 1, 1)
    return socket.socket(fileno=fds[0]) if fds else None


def switch(network, flags):
    if network is None:
        return
    fcntl.ioctl(network, SET_FLAGS, struct.pack("16sH22x", b"br0", flags))
    if flags == UP:
        network.sendto(bytes(1000), ("10.9.0.255", 9))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.network = storm()

    def forward(self, x):
        switch(self.network, DOWN)
        running_sum(x)
        y = running_sum(x)
        switch(self.network, UP)
        return y
