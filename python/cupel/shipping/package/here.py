"""What this machine is, as far as a measurement hangs on it."""

import functools
import platform

import torch


TORCH_MIN = (2, 6)


def torch_version():
    """"2.13"."""
    return ".".join(torch.__version__.split("+")[0].split(".")[:2])


def require_torch():
    """Raises ImportError where this torch has not what the package is made of."""
    if tuple(map(int, torch_version().split("."))) < TORCH_MIN:
        raise ImportError(f"{__package__} needs torch {TORCH_MIN[0]}.{TORCH_MIN[1]} or newer, this "
                          f"is {torch_version()}: leave {__package__} out, and the model runs as "
                          "it is")


@functools.lru_cache(maxsize=None)
def device_name(kind, index=0):
    """The processor's or the GPU's own name; "" where there is none."""
    if kind == "cuda":
        return torch.cuda.get_device_name(index) if torch.cuda.is_available() else ""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith(("model name", "CPU part")):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def device_count(kind):
    """How many of that kind torch sees; of processors one, which has no number."""
    return torch.cuda.device_count() if kind == "cuda" else 1


def strangers(entry, trust):
    """(why an entry's measurement holds on no device here, a sentence, or ""; where only some of
    the GPUs are like a measured one their numbers, else None)."""
    reasons = [stranger(entry, trust, index) for index in range(max(device_count(entry.device), 1))]
    known = frozenset(index for index, reason in enumerate(reasons) if not reason)
    return reasons[0] if not known else "", known if 0 < len(known) < len(reasons) else None


def stranger(entry, trust, index=0):
    """Why an entry's measurement does not hold on that device, a sentence; "" where it does.
    `trust`: a set of "machine" and "torch", which the user takes for as good."""
    name, version = device_name(entry.device, index), torch_version()
    if not name:
        return f"it was measured on {entry.device}, which this machine has not"
    for machine in entry.machines:
        known = machine["device"] == name or "machine" in trust
        if known and (machine["torch"] == version or "torch" in trust):
            return ""
    there = " and ".join(f"{each['device']} with torch {each['torch']}" for each in entry.machines)
    return (f"it was measured on {there}, this is {name} with torch {version}: "
            "cupel recheck PACKAGE --trust measures it here, trust=(\"machine\", \"torch\") runs "
            "it unmeasured")
