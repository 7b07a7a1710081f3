"""An output in chunks, and sums over its rows and slices, which come of them."""

import math

import torch

CHUNK = 1 << 17             # elements: three float64 chunks fit a core's L2 cache
GPU_CHUNK = 1 << 24         # fewer, since each ends in a wait for the GPU


def chunk_of(device):
    """Elements that are worked on at a time."""
    return CHUNK if device.type == "cpu" else GPU_CHUNK


def in_chunks(*flats):
    """Parts of flat tensors of one length, side by side: what is made of all of a large one at once
    would not find the memory."""
    return zip(*(flat.split(chunk_of(flat.device)) for flat in flats))


class SliceSums:
    """Sums over rows, and over slices along each dimension, of values that come in stretches of
    whole rows or parts of one."""

    def __init__(self, shape, like):
        self._shape, self._columns = shape, shape[-1]
        self._rows = torch.zeros(math.prod(shape[:-1]), dtype=torch.float64, device=like.device)
        self._by_column = torch.zeros(self._columns, dtype=torch.float64, device=like.device)

    def add(self, start, values):
        """`values`: those of the flat, row-major elements from `start` on."""
        row, column = divmod(start, self._columns)
        if values.numel() < self._columns:
            self._rows[row] += values.sum()
            self._by_column[column:column + values.numel()] += values
            return
        block = values.view(-1, self._columns)
        self._rows[row:row + len(block)] = block.sum(dim=1)
        self._by_column += block.sum(dim=0)

    def named(self):
        """[(name, one sum a cell)]: of rows, then of slices along dimension 0, 1, ..."""
        grid = self._rows.view(self._shape[:-1])
        sums = [] if grid.dim() < 2 else [("rows", self._rows)]
        for at in range(grid.dim()):
            others = [d for d in range(grid.dim()) if d != at]
            sums.append((f"slices along dimension {at}", grid.sum(dim=others) if others else grid))
        sums.append((f"slices along dimension {grid.dim()}", self._by_column))
        return [(name, values) for name, values in sums if values.numel() > 1]


def stretches(shape, flat):
    """(start, stop) of the chunks to work on: whole rows, or parts of one that is larger."""
    count, chunk = flat.numel(), chunk_of(flat.device)
    columns = shape[-1] if shape else count
    if columns <= chunk and shape:
        step = chunk // columns * columns
        return [(at, min(at + step, count)) for at in range(0, count, step)]
    return [(at, min(at + chunk, row + columns)) for row in range(0, count, max(1, columns))
            for at in range(row, row + columns, chunk)]


def sliced_shape(leaf):
    """The dimensions along which slices are looked at."""
    shape = tuple(leaf.shape) + ((2,) if leaf.is_complex() else ())
    return shape if leaf.numel() and len(shape) > 1 else ()
