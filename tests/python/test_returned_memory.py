import ctypes
import unittest
from unittest import mock

import numpy
import torch

from cupel import returned_memory
from cupel.returned_memory import NAN_IN_EACH, overwrite, part_of


def words_of(storage):
    """As they lie there now, without holding the storage once more."""
    return numpy.frombuffer(ctypes.string_at(storage.data_ptr(), storage.nbytes() // 2 * 2),
                            dtype=numpy.int16)


class ReturnedMemory(unittest.TestCase):
    def overwritten(self, tensors):
        """Which words of the first tensor's storage are overwritten, once the tensors are gone."""
        parts = [part_of(tensor) for tensor in tensors]
        storage = parts[0].storage
        tensors.clear()
        overwrite(parts)
        self.assertEqual(parts, [])
        return words_of(storage) == NAN_IN_EACH

    def test_half_of_it_is_nan_from_a_place_that_is_drawn(self):
        starts = set()
        for _ in range(20):
            changed = self.overwritten([torch.zeros(1000)])
            self.assertEqual(changed.sum(), 1000)
            starts.add(changed.tobytes())
        self.assertGreater(len(starts), 10)
        y = torch.zeros(4)
        y.view(torch.int16).fill_(NAN_IN_EACH)
        self.assertTrue(y.isnan().all())

    def test_no_more_than_the_tensor_reaches(self):
        changed = self.overwritten([torch.zeros(1000)[100:200:2]])
        self.assertEqual(changed[200:398].sum(), changed.sum())
        self.assertEqual(changed.sum(), 99)

    def test_what_somebody_holds_stays(self):
        y = torch.zeros(100)
        self.assertFalse(self.overwritten([y[10:20]]).any())
        self.assertFalse(y.any())

    def test_what_is_not_the_allocators_stays(self):
        buffer = numpy.zeros(100, dtype=numpy.float32)
        self.assertFalse(self.overwritten([torch.from_numpy(buffer)]).any())
        overwrite([part_of(torch._efficientzerotensor(4))])  # at address 0

    def test_several_in_one_storage_and_sizes_of_all_kinds(self):
        whole = torch.zeros(64)
        pieces = list(whole.split(16))
        del whole
        self.assertEqual(self.overwritten(pieces).sum(), 64)
        for size in (0, 1, 3, 7):
            self.overwritten([torch.zeros(size, dtype=torch.uint8), torch.zeros(4)])
        self.overwritten([torch.zeros(1).expand(5, 5)])

    def test_a_torch_that_cannot_tell_who_holds_it(self):
        with mock.patch.object(returned_memory, "_use_count", None):
            self.assertFalse(self.overwritten([torch.zeros(100)]).any())


if __name__ == "__main__":
    unittest.main()
