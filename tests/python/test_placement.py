import pickle
import unittest

import torch

from cupel import placement


class Keeps(torch.nn.Module):
    def __init__(self, size, *rest, scale=1.0):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(size))
        self.rest, self.scale = rest, scale


class Placement(unittest.TestCase):
    def test_only_cuda_is_a_gpu(self):
        self.assertEqual([placement.is_gpu(name) for name in ("cpu", "cuda", "cuda:1")],
                         [False, True, True])

    def test_equal_seeds_make_equal_weights(self):
        init = pickle.dumps([3, [torch.ones(2)]])
        one, same, other = (placement.construct(Keeps, init, seed, "cpu") for seed in (1, 1, 2))
        self.assertTrue(torch.equal(one.weight, same.weight))
        self.assertFalse(torch.equal(one.weight, other.weight))
        self.assertIsNot(one.rest[0], same.rest[0])

    def test_arguments_may_have_names(self):
        instance = placement.construct(Keeps, pickle.dumps({"size": 2, "scale": 3.0}), 1, "cpu")
        self.assertEqual(instance.scale, 3.0)

    def test_moved_reaches_into_containers(self):
        value = {"a": [torch.ones(1)], "b": (torch.ones(1), 2), "c": "text"}
        there = placement.moved(value, "meta")
        self.assertEqual(there["a"][0].device.type, "meta")
        self.assertEqual(there["b"][0].device.type, "meta")
        self.assertEqual((there["b"][1], there["c"]), (2, "text"))

    def test_what_precision_a_policy_leaves(self):
        matmul, cudnn = torch.backends.cuda.matmul, torch.backends.cudnn
        self.addCleanup(setattr, cudnn, "allow_tf32", cudnn.allow_tf32)
        self.addCleanup(setattr, matmul, "allow_tf32", matmul.allow_tf32)
        placement.settle_precision("tf32", reference=True)
        self.assertEqual((matmul.allow_tf32, cudnn.allow_tf32), (True, True))
        with placement.no_tf32():
            self.assertEqual((matmul.allow_tf32, cudnn.allow_tf32), (False, False))
        placement.settle_precision("eager")
        self.assertEqual((matmul.allow_tf32, cudnn.allow_tf32), (True, True))
        placement.settle_precision("exact")
        self.assertEqual((matmul.allow_tf32, cudnn.allow_tf32), (False, False))


if __name__ == "__main__":
    unittest.main()
