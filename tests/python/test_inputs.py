"""Value classes and the drawing of classes."""

import collections
import functools
import unittest

import referee_session  # noqa: F401
import torch
from cupel import inputs, loading, options, other_choices, survey, value_classes


SOURCE = """
import random, torch
class Model(torch.nn.Module):
    def forward(self, x, y, i):
        return x
def get_inputs():
    return [torch.rand(64, 96), torch.randn(96, 64).T.to(torch.float16), torch.arange(5),
            random.random()]
"""
FACTS = {"input_tree": "[t,t,t,v]",
         "inputs": [{"dtype": "float32", "shape": [64, 96]},
                    {"dtype": "float16", "shape": [64, 96]},
                    {"dtype": "int64", "shape": [5]}]}


def source(seed=5, policy="eager"):
    program = loading.load({"kind": "file", "path": "/nowhere/inputs.py", "source": SOURCE})
    return inputs.InputSource(program, FACTS, seed, policy)


def same(one, two):
    """NaN and all."""
    return torch.equal(one.nan_to_num(7), two.nan_to_num(7))


class Classes(unittest.TestCase):
    def test_keep_form_and_integers(self):
        for name in inputs.enabled_classes([]):
            tensors, values = source().make(1, name)
            self.assertEqual([t.dtype for t in tensors],
                             [torch.float32, torch.float16, torch.int64], name)
            self.assertEqual([t.stride() for t in tensors], [(96, 1), (1, 64), (1,)], name)
            self.assertEqual(tensors[2].tolist(), [0, 1, 2, 3, 4])
            self.assertIsInstance(values[0], float)

    def test_odd_elements_are_at_the_ends_by_chance(self):
        """So that a loop over a million elements that ends early is told."""
        for name, often in (("spikes", 1 / 2), ("extremes", 3 / 4), ("nonfinite", 7 / 8)):
            counts = collections.Counter()
            for seed in range(64):
                made = value_classes.changed(torch.ones(1 << 20), name, value_classes.CHANGES,
                                             torch.Generator().manual_seed(seed))
                odd = ~(made.abs() < 2)
                counts.update(first=int(odd[0]), last=int(odd[-1]), within=int(odd[1:-1].any()))
            for end in ("first", "last"):
                self.assertAlmostEqual(counts[end] / 64, often, delta=0.2, msg=name)
            self.assertEqual(counts["within"], 64)

    def test_odd_elements_are_side_by_side_by_turns(self):
        """So that who keeps a few of each block is told."""
        def blocks(name, turn):
            change = functools.partial(value_classes.CHANGES[name], turn=turn)
            made = value_classes.changed(torch.ones(1 << 20), name, {name: change},
                                         torch.Generator().manual_seed(5))
            return len(set((made > 2).nonzero().view(-1).div(128).long().tolist()))
        self.assertLess(blocks("spikes", 0), 6)
        self.assertGreater(blocks("spikes", 1), 40)
        self.assertGreater(blocks("extremes", 0), 10)
        self.assertLess(blocks("extremes", 1), 5)

    def test_again_it_is_the_same_rows_in_another_order(self):
        one = source()
        for name in ("nominal", "extremes"):
            before, values = one.make(3, name)
            after, values_again = one.make_again(3, name, 40)
            self.assertFalse(same(before[0], after[0]), name)
            for earlier, later in zip(before[:2], after[:2]):
                rows = sorted(map(tuple, earlier.tolist()))
                self.assertEqual(sorted(map(tuple, later.tolist())), rows, name)
            self.assertTrue(torch.equal(before[2], after[2]))
            self.assertEqual(values, values_again)

    def test_again_a_twin_is_the_one_before_but_for_two_rows(self):
        one = source()
        before, _ = one.make_again(3, "nominal", 40)
        twin, _ = one.make_again(3, "nominal", 41, is_twin=True)
        places = []
        for earlier, later in zip(before[:2], twin[:2]):
            self.assertTrue(torch.equal(earlier.sort(0).values, later.sort(0).values))
            places.append((earlier != later).any(1).nonzero().view(-1).tolist())
        self.assertEqual([len(rows) for rows in places], [2, 2])
        self.assertEqual(places[0], places[1])

    def test_two_rows_that_differ_are_exchanged_if_any_do(self):
        generator = torch.Generator().manual_seed(1)
        x, labels = torch.zeros(16, 5), torch.zeros(16, dtype=torch.int64)
        x[3], labels[3] = 1.0, 1
        for _ in range(20):
            made, told = value_classes.with_two_rows_exchanged([x, labels], generator)
            self.assertEqual((int(made[3].sum()), int(made.sum())), (0, 5))
            self.assertTrue(torch.equal(told, labels))  # of one dimension, beside one of two
        equal = torch.ones(4, 3)
        self.assertIs(value_classes.with_two_rows_exchanged([equal], generator)[0], equal)
        vector, = value_classes.with_two_rows_exchanged([torch.tensor([3.0, 1.0, 2.0])], generator)
        self.assertEqual(sorted(vector.tolist()), [1.0, 2.0, 3.0])

    def test_rows_move_of_what_may(self):
        generator = torch.Generator().manual_seed(1)
        def moved(*leaves):
            made = value_classes.with_rows_moved(list(leaves), generator)
            return [not torch.equal(*each) for each in zip(made, leaves)]
        tokens, vector = torch.randint(0, 99, (8, 5)), torch.randn(8)
        self.assertEqual(moved(tokens, vector, torch.ones(8, 5)), [True, False, False])
        self.assertEqual(moved(torch.randn(8, 5), tokens), [True, True])
        self.assertEqual(moved(torch.randint(0, 99, (6, 5)), torch.randn(8, 5)), [False, True])
        self.assertEqual(moved(vector, torch.randint(0, 99, (8,))), [True, True])
        self.assertEqual(moved(vector.sort().values, torch.arange(8)), [False, False])
        square = torch.randint(0, 9, (8, 8))
        self.assertEqual(moved(square, torch.randn(8, 8)), [False, True])
        waves = torch.randn(8, 5, dtype=torch.complex64)
        self.assertEqual(moved(torch.randint(0, 99, (6, 5)), waves), [False, True])
        self.assertEqual(moved(waves[:, 0]), [True])

    def test_follow_from_the_seed(self):
        for name in inputs.enabled_classes([]):
            one, two, other = (source(seed).make(9, name) for seed in (5, 5, 6))
            self.assertTrue(all(map(same, one[0], two[0])), name)
            self.assertEqual(one[1], two[1])
            self.assertFalse(torch.equal(one[0][0], other[0][0]), name)
            self.assertNotEqual(one[1], other[1])

    def test_differ_from_nominal_as_they_say(self):
        nominal = source().make(2, "nominal")[0][0]
        made = {name: source().make(2, name)[0][0] for name in inputs.enabled_classes([])}
        std = nominal.std(correction=0)
        self.assertTrue(torch.equal(made["large"], nominal * 16))
        self.assertTrue(torch.equal(made["small"], nominal / 64))
        shift = (made["shifted"] - nominal).abs().mean(1) / std
        far = sorted(int(each) for each in shift.round())[60:]
        self.assertEqual(int((shift.round() == 16).sum()), 60)
        self.assertTrue(500 <= far[0] <= far[-1] <= 1000, far)
        columns = (made["shifted_columns"] - nominal).abs() / std
        self.assertEqual(int((columns.mean(0) > 400).sum()), max(1, nominal.shape[1] // 16))
        self.assertTrue(torch.allclose(columns.amin(0), columns.amax(0), atol=1e-3))
        zeros = made["zeros"] == 0
        self.assertEqual(int(zeros.all(1).sum()), 64 // 16)
        self.assertTrue(0.05 < float(zeros.float().mean()) < 0.2)
        ones = made["zeros"] == 1  # of shares
        self.assertTrue(0.03 < float(ones.float().mean()) < 0.1)
        self.assertTrue(torch.equal(made["zeros"][~zeros & ~ones], nominal[~zeros & ~ones]))
        self.assertGreater(float((made["heavy_tails"] / nominal).max()), 20.0)
        self.assertEqual(int((made["spikes"] != nominal).sum()), 1)
        self.assertTrue(torch.equal(made["repeated_rows"][:16], nominal[:16]))
        self.assertTrue(torch.equal(made["repeated_rows"][48:], nominal[:16]))
        self.assertGreater(float(made["extremes"].max()), 65504)  # float16 overflows
        self.assertLess(float(made["extremes"].min()), -65504)
        negated = (made["negated_rows"] == -nominal).all(1)
        self.assertTrue(bool((negated | (made["negated_rows"] == nominal).all(1)).all()))
        self.assertTrue(8 < int(negated.sum()) < 56)

    def test_extremes_are_numbers_of_half_precision_where_that_is_the_policy(self):
        extremes = source(policy="half").make(2, "extremes")[0]
        self.assertTrue(1e3 < float(extremes[0].abs().max()) < 65504)
        self.assertTrue(bool(torch.isfinite(source().make(2, "extremes")[0][1]).all()))

    def test_masks_change_unless_they_are_ordered(self):
        def kinds(leaf, is_fixed=True):
            return [way.kind + "+" * way.flips for way in other_choices.ways(leaf, is_fixed)]
        generator = torch.Generator().manual_seed(1)
        mask = torch.ones(16, 16).tril().bool()
        self.assertEqual(kinds(mask), ["apart+", "alike+", "apart", "alike", "+"])
        self.assertEqual(kinds(mask, is_fixed=False), kinds(mask))
        both, _, apart, alike, flipped = (
            other_choices.in_another_way(mask.unsqueeze(-1), way, generator).squeeze(-1)
            for way in other_choices.ways(mask, True))
        self.assertTrue(torch.equal(alike.sum(1), mask.sum(1)))
        self.assertEqual((alike[1:] & ~alike[:-1]).sum(1).tolist(), [1] * 15)
        self.assertTrue(torch.equal(apart.sum(1), mask.sum(1)))
        self.assertFalse(torch.equal(apart.sum(0).sort().values, mask.sum(0).sort().values))
        for bold in (both, flipped):
            self.assertFalse(torch.equal(bold.sum(1), mask.sum(1)))
            self.assertTrue(bool(bold.any(1).all()))
        self.assertGreater(int((both != mask).sum()), 4 * int((flipped != mask).sum()))
        for whole in (torch.int64, torch.uint8):  # masks as well, unless they are one row
            left = torch.ones(16, 16, dtype=whole).tril()
            self.assertEqual(kinds(left), kinds(mask))
            made = other_choices.in_another_way(left, other_choices.ways(left, True)[0], generator)
            self.assertEqual((made.dtype, made.unique().tolist()), (whole, [0, 1]))
            self.assertTrue(bool((made != 0).any(1).all()))
            self.assertEqual(kinds(left[8]), [])
        tokens = torch.randint(0, 99, (4, 9))
        self.assertEqual((kinds(tokens), kinds(tokens, is_fixed=False)), (["apart", "alike"], []))
        for ordered in (torch.arange(9), torch.arange(9).flip(0), torch.tensor([0, 0, 4, 4, 7])):
            self.assertEqual(kinds(ordered), [])

    def test_what_is_one_value_differs_in_some_places_by_a_step(self):
        def steps(leaf):
            return [(way.low, way.rows) for way in other_choices.ways(leaf, True)]
        self.assertEqual(other_choices.ways(torch.ones(3), False), [])
        self.assertEqual(steps(torch.ones(3, dtype=torch.bool)), [(1, False)])
        self.assertEqual(steps(torch.ones(2, 3, dtype=torch.bool)), [(1, False), (1, True)])
        self.assertEqual(steps(torch.tensor(2)), [(-1, False), (1, False)])
        self.assertEqual(steps(torch.tensor(255)),
                         [(-1, False), (1, False), (-127, False), (255, False)])
        self.assertEqual(steps(torch.zeros(4, dtype=torch.long)), [(1, False)])
        self.assertEqual(steps(torch.full((2,), 255, dtype=torch.uint8)),
                         [(-1, False), (-127, False)])
        generator = torch.Generator().manual_seed(1)
        step = other_choices.Way("step", 1, 1)
        for leaf, other in ((torch.ones(64, 4, dtype=torch.bool), False), (torch.tensor(7), 8)):
            stepped = other_choices.in_another_way(leaf, step, generator)
            differs = stepped != leaf
            self.assertTrue(1 <= int(differs.sum()) <= max(1, leaf.numel() // 16))
            self.assertTrue(bool((stepped[differs] == other).all()))
        rows = other_choices.in_another_way(torch.ones(64, 4, dtype=torch.bool),
                                            step._replace(rows=True), generator)
        self.assertEqual(sorted(rows.sum(1).tolist()), [0] * 4 + [4] * 60)

    def test_steps_may_be_all_of_those_in_between(self):
        leaf = torch.full((64, 4), 8)
        spans = other_choices.between(other_choices.ways(leaf, True))
        self.assertEqual([tuple(span)[1:4] for span in spans],
                         [(-4, -1, False), (-4, -1, True), (1, 8, False), (1, 8, True)])
        generator = torch.Generator().manual_seed(1)
        for span in spans:
            made = [other_choices.in_another_way(leaf, span, generator) for _ in range(32)]
            others = torch.cat([one[one != 8] for one in made])
            self.assertEqual(others.unique().tolist(),
                             list(range(8 + span.low, 8 + span.high + 1)))
            of_rows = made[0].unique(dim=1).shape[1]
            self.assertEqual(of_rows == 1, span.rows)

    def test_ways_are_drawn_from_as_far_as_they_are_survived(self):
        steps = other_choices.ways(torch.tensor(8), True)
        spans = other_choices.between(steps)
        self.assertEqual(survey._found(steps, lambda way, draw=0: True), spans)
        self.assertEqual(survey._found(steps, lambda way, draw=0: way not in spans), steps)
        orders = other_choices.ways(torch.ones(16, 16).tril().bool(), True)
        self.assertEqual(survey._found(orders, lambda way, draw=0: True), orders[:1])
        self.assertEqual(survey._found(orders, lambda way, draw=0: not way.flips), orders[2:3])
        self.assertEqual(survey._found(orders, lambda way, draw=0: False), [])

    def test_rows_are_those_of_an_earlier_leaf(self):
        a, b, c = torch.randn(32, 8), torch.randn(32, 8), torch.randn(3, 16, 8)
        others = [torch.randn(32, 7), torch.ones(32, 8, dtype=torch.long), torch.randn(8)]
        self.assertEqual(value_classes.sharing([a, b, *others, c]), {1: [0], 5: [0, 1, 4]})
        for seed in range(5):
            generator = torch.Generator().manual_seed(seed)
            one, two, three = value_classes.with_shared_rows([a, b, c], generator)
            self.assertTrue(torch.equal(one, a))
            changed = (two != b).any(1)
            self.assertEqual(int(changed.sum()), 2)
            self.assertTrue(torch.equal(two[changed], a[changed]))
            rows = three[(three != c).any(-1)]
            self.assertEqual(len(rows), 3)
            found = (rows[:, None] == torch.cat([a, two])[None]).all(-1).any(-1)
            self.assertTrue(bool(found.all()))

    def test_a_shift_goes_either_way_where_there_are_both_signs(self):
        generator = torch.Generator().manual_seed(1)
        for leaf, signs in ((torch.randn(64), {True, False}), (torch.rand(64), {True})):
            seen = set()
            for _ in range(20):
                shifted = leaf.clone()
                value_classes.CHANGES["shifted"](shifted, generator)
                seen.add(bool((shifted > leaf).all()))
            self.assertEqual(seen, signs)

    def test_what_is_read_as_sorted_or_symmetric_stays_so(self):
        rising = torch.randn(3, 32).sort(-1).values
        square = torch.randn(2, 16, 16)
        square = square + square.mT
        for name in value_classes.CHANGES:
            generator = torch.Generator().manual_seed(1)
            for leaf in (rising, rising.flip(-1).contiguous()):
                made = value_classes.changed(leaf, name, value_classes.CHANGES, generator)
                again = made.sort(-1, descending=leaf is not rising).values
                self.assertTrue(torch.equal(made.nan_to_num(), again.nan_to_num()), name)
                self.assertFalse(torch.equal(made, leaf), name)
            made = value_classes.changed(square, name, value_classes.CHANGES, generator)
            self.assertTrue(torch.equal(made.nan_to_num(), made.mT.nan_to_num()), name)
            self.assertEqual(torch.equal(made, square), name == "negated_rows", name)

    def test_complex_leaves_change_as_two_numbers(self):
        for name in ("large", "shifted", "spikes", "extremes", "negated_rows", "nonfinite"):
            leaf = torch.randn(64, 8, dtype=torch.complex64)
            made = value_classes.changed(leaf, name, value_classes.CHANGES,
                                         torch.Generator().manual_seed(1))
            self.assertEqual(torch.equal(made, leaf), name == "nonfinite", name)

    def test_other_values_are_those_that_were_found(self):
        for value, others in ((True, [False]), (3, [4, 2, 6]), (0.5, [0.25, 1.0]), ("relu", [])):
            self.assertEqual(options.alternatives(value), others)
        self.assertTrue(options.alternatives(None))
        made = source()
        made.other_values = [[7], [None]]
        found = {made.make(index, "other_values")[1][0] for index in range(16)}
        self.assertEqual(found, {7, None})
        classes = ["other_values", "nominal", "other_values", "permuted", "other_values"]
        made.number(40, classes)
        by_turns = [made.make(index, "other_values")[1][0] for index in (40, 42, 44)]
        self.assertEqual(by_turns, [7, None, 7])
        self.assertEqual(made.make_again(42, "other_values", 90)[1], [None])
        self.assertTrue(torch.equal(made.make(1, "other_values")[0][0],
                                    made.make(1, "nominal")[0][0]))

    def test_columns_of_each_axis_are_shifted_by_turns(self):
        lines = ["import torch", "class Model(torch.nn.Module):", "    def forward(self, x):",
                 "        return x", "def get_inputs():", "    return [torch.randn(4, 5, 1, 6, 7)]"]
        program = loading.load({"kind": "file", "path": "/nowhere/waves.py",
                                "source": "\n".join(lines)})
        shape = {"dtype": "float32", "shape": [4, 5, 1, 6, 7]}
        made = inputs.InputSource(program, {"input_tree": "[t]", "inputs": [shape]}, 5)
        classes = ["nominal", "shifted_columns", "large", *["shifted_columns"] * 3]
        made.number(10, classes)
        shifted = []
        for index in (11, 13, 14, 15):
            far = (made.make(index, "shifted_columns")[0][0]
                   - made.make(index, "nominal")[0][0]).abs() > 100
            shifted.append([axis for axis in range(5) if shape["shape"][axis] > 1
                            and not torch.equal(far, far.roll(1, axis))])
        self.assertEqual(shifted, [[1], [3], [4], [1]])

    def test_survive_odd_leaves(self):
        generator = torch.Generator().manual_seed(1)
        for shape in ((), (1,), (1, 1), (1, 7), (3,), (5, 1, 2)):
            for name, apply in value_classes.CHANGES.items():
                leaf = torch.ones(shape)
                apply(leaf, generator)
                self.assertEqual(bool(torch.isfinite(leaf).all()), name != "nonfinite",
                                 (name, shape))

    def test_ties_are_always_drawn(self):
        for index in range(20):
            (leaf, *_), _ = source().make(index, "ties")
            largest = (leaf == leaf.amax(dim=-1, keepdim=True)).sum(dim=-1)
            self.assertGreater(int(largest.min()), 1)
            self.assertTrue(torch.equal(leaf, leaf.bfloat16().float()))

    def test_enabled(self):
        self.assertEqual(inputs.enabled_classes([], has_captured=True), list(inputs.CLASSES))
        self.assertNotIn("captured", inputs.enabled_classes([]))
        self.assertEqual(inputs.enabled_classes(["spikes"]), ["nominal", "spikes"])
        self.assertEqual(inputs.enabled_classes(["-nonfinite", "-spikes"]), [
            name for name in inputs.CLASSES if name not in ("captured", "nonfinite", "spikes")])
        self.assertEqual(inputs.enabled_classes(["large", "spikes", "-spikes"]),
                         ["nominal", "large"])
        self.assertEqual(inputs.enabled_classes(["-captured"], has_captured=True),
                         inputs.enabled_classes([]))


class Drawing(unittest.TestCase):
    KEPT = list(inputs.CLASSES)

    OTHERS = [name for name in KEPT if name not in inputs.USUAL]

    def usual_in(self, drawn):
        return sum(name in inputs.USUAL for name in drawn)

    def test_an_order_begins_with_each_other_class_once(self):
        for seed in range(100):
            drawn = inputs.draw_classes(self.KEPT, "timed", 2 * len(self.OTHERS), seed)
            self.assertEqual(sorted(set(drawn) - set(inputs.USUAL)), sorted(self.OTHERS))
            self.assertEqual(self.usual_in(drawn), len(self.OTHERS))

    def test_then_three_in_four_are_usual_and_the_rest_is_even(self):
        counts = collections.Counter()
        for seed in range(400):
            drawn = inputs.draw_classes(self.KEPT, "timed", 80, seed, 2 * len(self.OTHERS))
            self.assertEqual(self.usual_in(drawn), 60)
            self.assertLessEqual(abs(drawn.count("nominal") - drawn.count("captured")), 2)
            counts.update(drawn)
        others = [counts[name] for name in self.OTHERS]
        self.assertLess(max(others) / min(others), 1.2)

    def test_an_order_goes_on_where_it_was_left(self):
        whole = inputs.draw_classes(self.KEPT, "timed", 40, 3)
        parts = [inputs.draw_classes(self.KEPT, "timed", 8, 3, at) for at in range(0, 40, 8)]
        self.assertEqual(sum(parts, []), whole)

    def test_where_nothing_was_captured_the_usual_is_nominal(self):
        drawn = inputs.draw_classes(["nominal", "large"], "timed", 20, 1)
        self.assertIn(drawn.count("nominal"), (14, 15))

    def test_where_the_usual_is_not_relied_on_the_others_are_drawn(self):
        drawn = inputs.draw_classes(["large", "small"], "timed", 4, 1)
        self.assertEqual(sorted(drawn), ["large", "large", "small", "small"])

    def test_order_is_random(self):
        orders = {tuple(inputs.draw_classes(self.KEPT, "timed", 8, seed)) for seed in range(50)}
        self.assertGreater(len(orders), 40)

    def test_only_nominal(self):
        self.assertEqual(inputs.draw_classes(["nominal"], "timed", 3, 1), ["nominal"] * 3)
        self.assertEqual(inputs.draw_classes(self.KEPT, "nominal", 3, 1), ["nominal"] * 3)


class Seeds(unittest.TestCase):
    def test_words_make_unrelated_seeds(self):
        seeds = {inputs.derived_seed(seed, word, i) for seed in (1, 2) for word in ("a", "b")
                 for i in range(50)}
        self.assertEqual(len(seeds), 200)
        self.assertTrue(all(0 <= seed < 1 << 64 for seed in seeds))

    def test_values_survive_packing(self):
        self.assertEqual(inputs.pack_values([]), "")
        self.assertTrue(inputs.pack_values([1, None, "a"]))


if __name__ == "__main__":
    unittest.main()
