"""What ties an output to other tensors."""

import unittest

import referee_session  # noqa: F401  (puts python/ on the path)
import torch
from cupel.ties import ties_of
from torch._subclasses.fake_tensor import FakeTensorMode


def ties(*leaves, inputs=()):
    storages = [tensor.untyped_storage().data_ptr() for tensor in inputs]
    return ties_of(list(leaves), lambda leaf: leaf.untyped_storage().data_ptr() in storages)


class Ties(unittest.TestCase):
    def setUp(self):
        self.x = torch.zeros(6, 8)

    def test_tensors_of_their_own_have_none(self):
        self.assertEqual(ties(self.x, self.x.clone(), torch.zeros(0), torch.zeros(())), ())
        self.assertEqual(ties(self.x.t(), torch.zeros(2, 3, 4, 4).to(
            memory_format=torch.channels_last)[:, :, ::2]), ())

    def test_memory_of_an_input(self):
        self.assertEqual(ties(self.x + 1, self.x[1:], inputs=[self.x]), [[], ["input"]])

    def test_memory_of_another_output(self):
        x = self.x
        for one, two in ((x, x), (x, x.t()), (x[:3], x[2:]), (x[:, ::2], x[:, 4]),
                         (x, x.view(torch.int32)), (x[0], x.view(torch.uint8)[0, 31:32])):
            self.assertEqual(ties(one, x + 1, two), [["output"], [], ["output"]])

    def test_views_of_one_buffer_that_share_no_element(self):
        x = self.x
        self.assertEqual(ties(x[:3], x[3:]), ())
        self.assertEqual(ties(x[:, :-1], x[:, -1]), ())
        self.assertEqual(ties(x[:, ::2], x[:, 1::2]), ())
        self.assertEqual(ties(x[0], x.view(torch.uint8)[1, :4]), ())

    def test_one_place_for_several_elements(self):
        x = self.x
        for leaf in (x[:1].expand(4, 8), torch.zeros(()).expand(3), x.view(-1).unfold(0, 4, 2)):
            self.assertEqual(ties(leaf), [["itself"]])
        self.assertEqual(ties(x[:1].expand(1, 8), x.view(-1)[:40].unfold(0, 4, 4)[2:]), ())

    def test_gradients(self):
        with torch.inference_mode():
            frozen = torch.zeros(3)
        self.assertEqual(ties(torch.zeros(2, requires_grad=True), frozen),
                         [["gradients"], ["inference"]])

    def test_fake_tensors_tell_as_well(self):
        with FakeTensorMode():
            x = torch.zeros(6, 8)
            leaves = [x, x[0], x[:1].expand(3, 8)]
            self.assertEqual(ties_of(leaves, lambda leaf: False),
                             [["output"] * 2, ["output"] * 2, ["itself", "output", "output"]])


if __name__ == "__main__":
    unittest.main()
