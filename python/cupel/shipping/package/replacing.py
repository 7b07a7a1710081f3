"""apply() and restore(): modules of a model get another `forward`, and their own again."""

import torch

from .attachment import ATTRIBUTE, Attachment, attachment_of, take_place
from .here import strangers
from .kernels import use_prebuilt
from .manifest import ENTRIES, NAME
from .matching import READS_OTHERWISE, refusal

TRUSTABLE = {"machine", "torch"}


class Replaced:
    """What apply() did. Prints as a list."""

    def __init__(self):
        self.modules = {}  # path of a module in the model -> labels of its winners
        self.left = {}     # path -> why it was left alone

    def __bool__(self):
        return bool(self.modules)

    def __str__(self):
        lines = [f"{NAME}: {path or 'the model itself'} -> {', '.join(labels)}"
                 for path, labels in self.modules.items()]
        lines += [f"{NAME}: {path or 'the model itself'} is left alone: {reason}"
                  for path, reason in self.left.items()]
        if not lines:
            lines = [f"{NAME}: the model has no module of a measured class"]
        return "\n".join(lines)


def apply(model, trust=(), quiet=False):
    """Replaces the forward of each module of the model that was measured, in place; says which.

    The original answers whatever was not measured. `trust`: "machine" and "torch" run winners on
    another processor, GPU or version of torch than they were measured on. Returns what was done."""
    trust = {trust} if isinstance(trust, str) else set(trust)
    if trust - TRUSTABLE:
        raise ValueError(f"trust may hold {sorted(TRUSTABLE)}, not {sorted(trust - TRUSTABLE)}")
    done = Replaced()
    for path, module in model.named_modules():
        if isinstance(module, torch.nn.DataParallel):
            raise ValueError("nn.DataParallel copies modules for each call, and the copies would "
                             "not be replaced: use DistributedDataParallel, or one device")
        entries, reason = measured_entries(module, trust)
        if entries:
            reason = _attach(module, entries)
        if reason:
            done.left[path] = reason
        elif entries:
            done.modules[path] = list(dict.fromkeys(entry.told["label"] for entry, _ in entries))
    if not quiet:
        print(done)
    return done


def restore(model):
    """Undoes apply(). Returns how many modules have their own forward again."""
    count = 0
    for module in model.modules():
        found = attachment_of(module)
        if found is None or type(found) is not Attachment:
            continue
        module.__dict__.pop("forward", None)
        del module.__dict__[ATTRIBUTE]
        count += 1
    return count


def replaced(model):
    """Paths of the modules that apply() has replaced."""
    return [path for path, module in model.named_modules()
            if type(attachment_of(module)) is Attachment]


def measured_entries(module, trust):
    """([(an entry that holds for the module here, on which GPUs of several)]; why there are none,
    or "")."""
    entries, reasons = [], []
    answers = {}
    for entry in ENTRIES.values():
        if entry.original not in answers:
            answers[entry.original] = refusal(entry.original, module)
        reason = answers[entry.original]
        if reason is None:
            continue
        reason, gpus = (reason, None) if reason else strangers(entry, trust)
        if reason:
            reasons.append(reason)
        else:
            entries.append((entry, gpus))
    # Of several classes of one name the one that reads as the user's tells more.
    reasons.sort(key=lambda reason: READS_OTHERWISE in reason)
    return entries, "" if entries or not reasons else reasons[0]


def _attach(module, entries):
    """Why it cannot be, or ""."""
    there = attachment_of(module)
    if there is not None and type(there) is not Attachment:
        return f"{type(there).__module__.split('.')[0]} has replaced it already"
    if there is not None:
        restore(module)
    use_prebuilt()
    take_place(module, Attachment(module, entries))
    return ""
