"""Places in an arena that a host shares with the judge: one for each call's inputs or outputs."""

VIEWS_MAX = 4096


class Slots:
    """Views of one arena, made once for each place, dtype and shape."""

    def __init__(self, arena):
        self._arena = arena
        self._views = {}
        self._start = self.view(0, "uint8", (arena.bytes,)).data_ptr()

    def view(self, offset, dtype, shape, strides=None):
        """The tensor at `offset` (bytes). Never hand it to a program: hand out its `.data`."""
        key = (offset, dtype, shape, strides)
        view = self._views.get(key)
        if view is None:
            if len(self._views) >= VIEWS_MAX:
                self._views.clear()
            view = self._views[key] = self._arena.tensor_at(offset, dtype, shape, strides)
        return view

    def address(self, offset):
        return self._start + offset

    def hold(self, tensor):
        """Does the tensor lie here?"""
        return 0 <= tensor.data_ptr() - self._start < self._arena.bytes
