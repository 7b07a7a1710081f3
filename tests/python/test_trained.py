import unittest

import torch

from cupel.trained import (DEAD_SIZE, NOT_AT_ALL, SCALE_SIZE, VARIATIONS, Variation, can_vary,
                           is_mask, notes_on, trained_instance, unvaried, vary_weights)


def kurtosis(tensor):
    return float((tensor - tensor.mean()).pow(4).mean() / tensor.var() ** 2)


class Every(torch.nn.Module):
    """One of each kind of state."""

    def __init__(self):
        super().__init__()
        self.matrix = torch.nn.Parameter(torch.randn(256, 128) / 16)
        self.identity = torch.nn.Parameter(torch.eye(64))
        self.tied = self.identity
        self.zeros = torch.nn.Parameter(torch.zeros(32))
        self.decay = torch.nn.Parameter(torch.full((32,), 0.9))
        self.whole = torch.nn.Parameter(torch.arange(4), requires_grad=False)
        self.norm = torch.nn.BatchNorm1d(64)
        self.register_buffer("ones", torch.ones(16))
        self.register_buffer("causal", torch.ones(8, 8).tril())
        self.register_buffer("bias", torch.zeros(8, 8).masked_fill(torch.ones(8, 8).triu(1) > 0,
                                                                   float("-inf")))
        self.register_buffer("table", torch.arange(8.0), persistent=False)
        self.register_buffer("index", torch.arange(8))


def state(model):
    return {name: tensor.detach().clone() for name, tensor in model.state_dict().items()}


class VaryWeightsTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(3)
        self.model = Every()
        self.before = state(self.model)

    def test_every_floating_tensor_that_a_state_dict_holds_is_varied_densely(self):
        vary_weights(self.model, 7)
        after = state(self.model)
        same = {name for name in after if torch.equal(after[name], self.before[name])}
        self.assertEqual(same, {"whole", "causal", "bias", "index", "norm.num_batches_tracked"})
        for name in set(after) - same:
            moved = (after[name] != self.before[name]).double().mean()
            self.assertGreater(float(moved), 0.9, name)
            self.assertTrue(bool(torch.isfinite(after[name]).all()), name)
        self.assertIs(self.model.tied, self.model.identity)
        self.assertTrue(torch.equal(self.model.table, torch.arange(8.0)))

    def test_statistics_are_those_of_trained_weights(self):
        vary_weights(self.model, 7)
        matrix, before = self.model.matrix.detach(), self.before["matrix"]
        self.assertAlmostEqual(float(matrix.square().mean() / before.square().mean()), 1, 4)
        self.assertTrue(20 < kurtosis(matrix) < 150, kurtosis(matrix))
        self.assertTrue(0.04 < float((matrix == 0).double().mean()) < 0.09)
        rows = matrix.square().mean(1).sqrt()
        self.assertGreater(float(rows.max() / rows.median()), 2)

    def test_what_is_positive_stays_so_unless_it_is_to_leave_its_bounds(self):
        vary_weights(self.model, 7)
        decay = self.model.decay.detach()
        self.assertTrue(bool((decay < 0).any()) and bool((decay > 1).any()))
        self.assertLess(float(self.model.ones.min()), 1e-5)
        self.model.load_state_dict(self.before)
        vary_weights(self.model, 7, Variation(1.0, 2))
        self.assertGreater(float(self.model.ones.min()), 1e-2)
        variances = self.model.norm.running_var
        self.assertTrue(bool((variances > 0).all()))
        self.assertGreater(float(variances.max() / variances.median()), SCALE_SIZE / 3)
        decay = self.model.decay.detach()
        self.assertTrue(bool(((decay > 0) & (decay < 1)).all()))
        self.assertLess(float(torch.minimum(decay, 1 - decay).min()), 0.02)

    def test_what_is_in_order_stays_so(self):
        for edges in (torch.linspace(-1, 1, 12), torch.linspace(9, 1, 12)):
            model = torch.nn.Module()
            model.register_buffer("edges", edges.clone())
            vary_weights(model, 7)
            self.assertFalse(torch.equal(model.edges, edges))
            again = model.edges.sort(descending=bool(edges[0] > edges[1])).values
            self.assertTrue(torch.equal(model.edges, again))

    def test_single_numbers_change_in_size(self):
        model = torch.nn.Module()
        model.scale = torch.nn.Parameter(torch.tensor(1.0))
        model.exponent = torch.nn.Parameter(torch.ones(1) * 3)
        model.shift = torch.nn.Parameter(torch.tensor(-2.0))
        torch.manual_seed(3)
        vary_weights(model, 7)
        for name, was in (("scale", 1.0), ("exponent", 3.0), ("shift", 2.0)):
            now = abs(float(getattr(model, name).detach()))
            self.assertGreater(abs(now / was - 1), 0.001, name)

    def test_some_scales_are_negative_and_some_channels_dead(self):
        vary_weights(self.model, 7)
        self.assertTrue(0 < int((self.model.norm.weight < 0).sum()) < 16)
        self.assertTrue(bool((self.model.ones > 0).all()), "a buffer is no learned scale")
        self.assertLess(float(self.model.norm.running_var.min()), 10 * DEAD_SIZE)
        vary_weights(self.model, 7, VARIATIONS[1])
        self.assertGreater(float(Every().norm.running_var.min()), 0.5)

    def test_some_rows_of_a_matrix_are_lost(self):
        for rows, lost in ((15, 0), (16, 1), (128, 2)):
            model = torch.nn.Linear(24, rows)
            vary_weights(model, 7)
            self.assertEqual(int((model.weight == 0).all(1).sum()), lost)
            vary_weights(model, 7, VARIATIONS[1])
            self.assertEqual(int((model.weight == 0).all(1).sum()), 0)

    def test_some_slopes_of_a_prelu_are_above_one_and_the_others_are_not(self):
        for channels, steep in ((1, 1), (64, 4)):
            model = torch.nn.PReLU(channels)
            vary_weights(model, 7)
            self.assertEqual(int((model.weight > 1).sum()), steep)

    def test_scales_of_next_to_nothing_grow(self):
        model = torch.nn.Linear(2, 2)
        model.gamma = torch.nn.Parameter(torch.full((64, 1, 1), 1e-6))
        vary_weights(model, 7)
        self.assertGreater(float(model.gamma.square().mean().sqrt()), 0.1)
        few = torch.nn.Linear(2, 2)
        few.temperature = torch.nn.Parameter(torch.full((1,), 0.07))
        vary_weights(few, 7)
        self.assertTrue(0 < float(few.temperature) < 1)

    def test_the_same_under_the_same_seed_and_less_at_less_strength(self):
        again, little, none = Every(), Every(), Every()
        for model in (again, little, none):
            model.load_state_dict(self.before)
        vary_weights(self.model, 7)
        vary_weights(again, 7)
        vary_weights(little, 7, Variation(0.125, 0))
        vary_weights(none, 7, NOT_AT_ALL)
        self.assertTrue(torch.equal(again.matrix, self.model.matrix))
        self.assertTrue(torch.equal(none.matrix, self.before["matrix"]))

        def gap(model):
            return float((model.matrix - self.before["matrix"]).norm())
        self.assertTrue(0 < gap(little) < gap(again) / 4)

    def test_masks_have_two_values_and_are_not_diagonal(self):
        self.assertTrue(is_mask(self.model.causal) and is_mask(self.model.bias))
        for tensor in (torch.eye(4), torch.ones(4, 4), torch.randn(4, 4), torch.arange(2.0)):
            self.assertFalse(is_mask(tensor))

    def test_what_stays_as_constructed_is_named(self):
        told = "\n".join(unvaried(self.model))
        for name in ("whole", "causal", "bias", "table", "index"):
            self.assertIn(name, told)
        for name in ("matrix", "num_batches_tracked"):
            self.assertNotIn(name, told)
        self.assertFalse(can_vary(torch.nn.ReLU()))


class Holder:
    """What trained_instance() handles: something with a model."""

    def __init__(self):
        torch.manual_seed(3)
        self.model = torch.nn.Linear(8, 8)


def errors(rms, nonfinite=0):
    return [{"rms": rms, "max": rms, "nonfinite": nonfinite, "spread": 1.0}]


class TrainedInstanceTest(unittest.TestCase):
    def strength_where(self, errors_when_varied):
        """What is settled on, where the reference's errors hang on how far the weights moved."""
        before = Holder().model.weight.detach()

        def errors_of(instance):
            moved = float((instance.model.weight - before).norm())
            return errors_when_varied(moved)
        instance, variation = trained_instance(Holder, errors_of, 5)
        self.assertEqual(torch.equal(instance.model.weight, before), variation.strength == 0)
        return variation.strength

    def test_full_strength_where_the_reference_is_as_good(self):
        self.assertEqual(self.strength_where(lambda moved: errors(1e-7)), 1.0)

    def test_less_where_the_reference_is_of_no_use(self):
        for spoiled in (errors(1e-3), errors(1e-7, nonfinite=3), None):
            strength = self.strength_where(
                lambda moved, spoiled=spoiled: spoiled if moved > 1 else errors(1e-7))
            self.assertTrue(0 < strength < 1, strength)

    def test_less_where_the_reference_comes_near_what_tells_nothing(self):
        """Although it is not much worse there than with weights as constructed."""
        strength = self.strength_where(lambda moved: errors(3e-2 if moved > 1 else 1e-2))
        self.assertTrue(0 < strength < 1, strength)
        self.assertEqual(self.strength_where(lambda moved: errors(3e-2)), 1.0)

    def test_none_where_nothing_helps(self):
        self.assertEqual(self.strength_where(
            lambda moved: errors(1e-3) if moved else errors(1e-7)), 0)

    def test_boldness_goes_first(self):
        class Normed(Holder):
            def __init__(self):
                self.model = torch.nn.LayerNorm(32)

        def errors_of(instance):
            return errors(1e-3 if bool((instance.model.weight < 0).any()) else 1e-7)
        _, variation = trained_instance(Normed, errors_of, 5)
        self.assertEqual(variation, Variation(1.0, 0))
        self.assertIn("no scale is negative", " ".join(notes_on(Normed().model, variation)))
        _, variation = trained_instance(Normed, lambda _: errors(1e-7), 5)
        self.assertEqual(variation, Variation(1.0, 1))

    def test_lone_numbers_go_far_where_the_reference_bears_it(self):
        class Scaled(Holder):
            def __init__(self):
                self.model = torch.nn.Linear(64, 64)
                self.model.scale = torch.nn.Parameter(torch.tensor(2.5))
                self.model.decay = torch.nn.Parameter(torch.full((3, 1), 0.1))

        for seed in range(4):
            instance, variation = trained_instance(Scaled, lambda _: errors(1e-7), seed)
            self.assertEqual(variation, Variation(1.0, 4))
            self.assertGreater(float(instance.model.scale), 4 * 2.5)
            decay = instance.model.decay
            self.assertTrue(bool(((decay > 0) & (decay < 1)).all()))
            self.assertLess(float(decay.min()), 0.05)
        instance, variation = trained_instance(
            Scaled, lambda it: errors(1e-3 if float(it.model.scale) > 4 * 2.5 else 1e-7),
            5)
        self.assertEqual(variation.boldness, 1)
        self.assertIn("no lone number is far", " ".join(notes_on(Scaled().model, variation)))


if __name__ == "__main__":
    unittest.main()
