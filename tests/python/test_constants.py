import unittest

import torch

from cupel.constants import OUTLIER_FACTOR, constant_parameters, vary_constants


class ConstantsTest(unittest.TestCase):
    def setUp(self):
        self.model = torch.nn.Sequential(torch.nn.LayerNorm(64), torch.nn.Linear(64, 4),
                                         torch.nn.LayerNorm(4))

    def test_only_constants_are_varied_and_the_same_by_the_same_seed(self):
        linear = self.model[1].weight.detach().clone()
        self.assertEqual(len(constant_parameters(self.model)), 4)
        vary_constants(self.model, 7)
        self.assertEqual(constant_parameters(self.model), [])
        self.assertTrue(torch.equal(self.model[1].weight, linear))
        again = torch.nn.Sequential(torch.nn.LayerNorm(64), torch.nn.Linear(64, 4),
                                    torch.nn.LayerNorm(4))
        vary_constants(again, 7)
        self.assertTrue(torch.equal(again[0].weight, self.model[0].weight))

    def test_running_statistics_are_constants_where_they_are_used(self):
        model = torch.nn.Sequential(torch.nn.Conv2d(2, 8, 1), torch.nn.BatchNorm2d(8))
        self.assertEqual(len(constant_parameters(model)), 2)
        model.eval()
        self.assertEqual(len(constant_parameters(model)), 4)
        vary_constants(model, 7)
        self.assertEqual(constant_parameters(model), [])
        self.assertTrue(bool((model[1].running_var > 0.5).all()))
        self.assertTrue(bool((model[1].running_mean.abs() <= 0.2).all()))

    def test_one_gain_in_sixteen_is_much_larger(self):
        vary_constants(self.model, 7)
        large = self.model[0].weight > OUTLIER_FACTOR / 2
        self.assertEqual(int(large.sum()), 4)
        self.assertTrue(bool((self.model[0].weight > 0.5).all()))
        self.assertTrue(bool((self.model[0].bias.abs() <= 0.2).all()))  # zeros know no factor
        self.assertTrue(bool((self.model[2].weight < 2).all()))         # too few for an outlier


if __name__ == "__main__":
    unittest.main()
