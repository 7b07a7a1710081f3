"""What a host does on a GPU beside its program's work, so that calls are alike."""

import torch

from cupel import placement

REHEARSALS = 8


class GpuWork:
    """On `device` ("cpu": nothing is done). Not thread-safe."""

    def __init__(self, device):
        self._device = device
        self._on_gpu = placement.is_gpu(device)
        self._scratch = torch.zeros(64, device=device) if self._on_gpu else None
        self._cached = None

    def __bool__(self):
        return self._on_gpu

    def rehearse(self):
        """A few operations of ours: a host that was frozen is slow at first, and by chance so
        (seen: 40 to 120 us for one and the same call). Not in batches, whose later calls need none:
        nothing is in their brackets that a host could leave out."""
        if self._on_gpu:
            for _ in range(REHEARSALS):
                torch.add(self._scratch, 1.0).mul_(2.0)

    def get_the_device(self):
        """The device works for this process's context when it returns."""
        self.rehearse()
        placement.synchronize(self._device)

    def empty_cache(self):
        """Of level 2: twice as much as it holds is written and then read. What was only written
        would have to go to memory while the program runs. Waits."""
        if not self._on_gpu:
            return
        if self._cached is None:
            size = torch.cuda.get_device_properties(self._device).L2_cache_size
            self._cached = torch.zeros(2 * size // 8, dtype=torch.int64, device=self._device)
        self._cached.add_(1)
        self._cached.amax()
        placement.synchronize(self._device)
