"""The referee's requests, end to end."""

import os
import unittest

import referee_session
import torch
from cupel import protocol
from cupel.inputs import enabled_classes
from referee_tasks import LINEAR, NEAREST, NORM, TRANSPOSED

STRIDE = 4096


class Sheet:
    """Where things lie in a test's vault: weights, 8 inputs, 8 outputs."""

    weights, inputs, outputs, size = 0, 4 * STRIDE, 12 * STRIDE, 20 * STRIDE

    @staticmethod
    def output(j):
        return Sheet.outputs + j * STRIDE


def to_compare(input=0, instance=0, offset=Sheet.outputs, program=0):
    return {"program": program, "input": input, "instance": instance,
            "outputs": [{"offset": offset}]}


class RefereeRequests(referee_session.RefereeTest):
    def start(self, source=LINEAR, **fields):
        facts = self.facts_of(source, **fields)
        self.assertEqual(self.referee.share_vault(Sheet.size), {"re": "ok"})
        self.weights = [self.referee.ask("weights", instance=i, seed=50 + i,
                                         offset=Sheet.weights + i * STRIDE) for i in (0, 1)]
        return facts

    def prepare(self, first=0, count=1, mix="nominal"):
        reply = self.referee.ask("prepare", first=first, count=count, offset=Sheet.inputs,
                                 stride=STRIDE, instance=0, mix=mix)
        self.assertEqual(reply["re"], "prepared", reply)
        return reply["sets"]

    def weight(self, name, instance=0):
        entry = next(w for w in self.weights[instance]["tensors"] if w["name"] == name)
        at = Sheet.weights + instance * STRIDE + entry["offset"]
        return self.referee.vault.tensor_at(at, entry["dtype"], entry["shape"])

    def input(self, j=0):
        return self.referee.vault.tensor_at(Sheet.inputs + j * STRIDE, "float32", (5, 4))

    def answer(self, j=0, instance=0):
        """Computes the right output of the linear task from the vault into slot j."""
        want = torch.nn.functional.linear(self.input(j), self.weight("linear.weight", instance),
                                          self.weight("linear.bias", instance))
        slot = self.referee.vault.tensor_at(Sheet.output(j), "float32", (5, 3))
        slot.copy_(want * self.weight("scale", instance))
        return slot

    def compare(self, *items):
        items = [to_compare(i, k, Sheet.output(j)) for i, k, j in items]
        reply = self.referee.ask("compare", items=items)
        self.assertEqual(reply["re"], "compared", reply)
        return [item["outputs"][0] for item in reply["items"]]

    def test_a_program_that_leaps_leaves_others_their_near_ties(self):
        self.start(NEAREST)
        self.prepare(count=4)
        codes = torch.tensor([[0.0, 0.0], [2.0, 0.0], [0.0, 5.0]])
        for slot, (place, code) in enumerate([(3, 2), (0, 1), (0, 0)]):
            output = self.referee.vault.tensor_at(Sheet.output(slot), "float32", (64, 2))
            output.zero_()
            output[place] = codes[code]
        items = [to_compare(i, 0, Sheet.output(0), program=1) for i in range(4)]
        items += [to_compare(3, 0, Sheet.output(slot), program=2) for slot in (1, 2)]
        reply = self.referee.ask("compare", items=items)
        errors = [item["outputs"][0]["max"] for item in reply["items"]]
        self.assertGreater(min(errors[:4]), 1.0)
        self.assertEqual(errors[4:], [0.0, 0.0])

    def test_an_output_is_read_in_the_strides_that_are_told_if_these_leave_no_gaps(self):
        self.start()
        self.prepare()
        want = self.answer().clone()
        turned = self.referee.vault.tensor_at(Sheet.output(1), "float32", (3, 5))
        turned.copy_(want.t())

        def rms(strides):
            outputs = [{"offset": Sheet.output(1), "strides": strides}]
            item = {**to_compare(), "outputs": outputs}
            reply = self.referee.ask("compare", items=[item])
            return reply["items"][0]["outputs"][0]["rms"]

        self.assertLess(rms([1, 5]), 1e-6)
        row_major = rms([3, 1])
        self.assertGreater(row_major, 0.1)
        for strides in ([1, 10], [0, 0], [-1, 5], [1], [1, 1 << 60], []):
            self.assertEqual(rms(strides), row_major, strides)

    def own_rms(self):
        """What the reference itself is off by on input 0."""
        (item,) = self.referee.ask("compare", items=[to_compare()])["items"]
        return item["own"][0]["rms"]

    def test_ready_names_versions(self):
        self.assertEqual(self.referee.ready["re"], "ready")
        self.assertEqual(self.referee.ready["torch"], torch.__version__.split("+")[0])

    def test_facts_of_a_linear_layer(self):
        facts = self.facts_of(LINEAR)
        self.assertEqual(facts["inputs"], [{"dtype": "float32", "shape": [5, 4],
                                            "strides": [4, 1], "bytes": 80}])
        self.assertEqual(facts["outputs"][0]["shape"], [5, 3])
        self.assertEqual((facts["input_tree"], facts["output_tree"]), ("[t]", "t"))
        self.assertEqual(facts["parameter_count"], 15)
        self.assertEqual(facts["weight_bytes"], 3 * 64)
        self.assertEqual((facts["input_bytes"], facts["output_bytes"]), (128, 64))
        self.assertGreaterEqual(facts["peak_bytes"], facts["weight_bytes"] + 80 + 60)

    def test_facts_say_which_outputs_lie_in_inputs(self):
        facts = self.facts_of(LINEAR.replace("return self", "return x, x[:2], self"))
        self.assertEqual(["input" in spec["ties"] for spec in facts["outputs"]],
                         [True, True, False])

    def test_weights_are_those_of_the_seed(self):
        self.start()
        torch.manual_seed(50)
        linear = torch.nn.Linear(4, 3)
        self.assertTrue(torch.equal(self.weight("linear.weight", 0), linear.weight))
        self.assertTrue(torch.equal(self.weight("linear.bias", 0), linear.bias))
        self.assertFalse(torch.equal(self.weight("linear.bias", 1), linear.bias))
        self.assertEqual(self.weight("scale").tolist(), [2.0, 2.0, 2.0])
        self.assertTrue(all(w["offset"] % 64 == 0 for w in self.weights[0]["tensors"]))

    def test_weights_of_the_second_instance_come_as_trained(self):
        self.start(NORM)
        for instance, constant in ((0, True), (1, False)):
            for name, value in (("norm.weight", 1.0), ("norm.bias", 0.0)):
                tensor = self.weight(name, instance)
                self.assertEqual(bool((tensor == value).all()), constant, name)
        self.assertTrue(bool((self.weight("norm.weight", 1) < 0).any()))

    def test_weights_that_stay_as_constructed_are_told(self):
        self.start(LINEAR.replace("self.linear =", "self.register_buffer('band', torch.eye("
                                  "4).flip(0)); self.linear ="))
        self.assertEqual([state["notes"] for state in self.weights],
                         [[], ["weights that stay as constructed, which have two values, as masks: "
                               "band", "weights that stay as constructed, which no state dict "
                               "holds: scale"]])

    def test_who_loads_weights_is_compared_with_what_was_loaded(self):
        self.start(NORM)
        self.prepare()
        x = self.input()
        loaded = torch.nn.functional.layer_norm(x, (4,), self.weight("norm.weight", 1),
                                                self.weight("norm.bias", 1))
        for output, instance, right in ((loaded, 2, True), (loaded, 1, False),
                                        (torch.nn.functional.layer_norm(x, (4,)), 1, True)):
            self.referee.vault.tensor_at(Sheet.output(0), "float32", (5, 4)).copy_(output)
            reply = self.referee.ask("compare", items=[to_compare(0, instance)])
            self.assertEqual(reply["items"][0]["outputs"][0]["rms"] < 1e-5, right, instance)

    def test_tied_weights_share_their_place(self):
        facts = self.start("""
            import torch

            class Model(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.a = torch.nn.Linear(4, 4, bias=False)
                    self.b = torch.nn.Linear(4, 4, bias=False)
                    self.b.weight = self.a.weight

                def forward(self, x):
                    return self.b(self.a(x))

            def get_inputs():
                return [torch.rand(2, 4)]
        """)
        entries = self.weights[0]["tensors"]
        self.assertEqual([e["name"] for e in entries], ["a.weight", "b.weight"])
        self.assertEqual({e["offset"] for e in entries}, {0})
        self.assertEqual((facts["weight_bytes"], facts["parameter_count"]), (64, 16))

    def test_parts_of_a_preparation_make_the_whole(self):
        self.start()
        whole = self.prepare(first=4, count=6, mix="timed")
        inputs = [self.input(j).clone() for j in range(6)]
        parts = []
        for k in (0, 1):
            for j in range(6):
                self.input(j).fill_(-1.0)
            sets = self.referee.ask("prepare", first=4, count=6, offset=Sheet.inputs,
                                    stride=STRIDE, instance=0, mix="timed", part=[k, 2])["sets"]
            for j in range(6):
                made = torch.equal(self.input(j), inputs[j])
                self.assertEqual(made, j % 2 == k)
            parts += sets
        self.assertEqual(sorted(parts, key=lambda entry: entry["input"]), whole)

    def test_again_those_of_odd_numbers_are_the_ones_before_but_for_two_rows(self):
        self.start()

        def made(first, at, **fields):
            sets = self.referee.ask("prepare", first=first, count=1, offset=Sheet.inputs,
                                    stride=STRIDE, instance=0, mix="timed", order=3, at=at,
                                    **fields)["sets"]
            return sets[0]["class"], self.input().clone()
        earlier = [made(10 + at, at) for at in range(6)]
        later = [made(20 + at, at, again=10 + at) for at in range(6)]
        for at in (0, 2, 4):
            (name, before), (twin_name, twin) = later[at], later[at + 1]
            self.assertEqual((name, twin_name), (earlier[at][0], earlier[at][0]))
            for rows in (before, twin):
                self.assertTrue(torch.equal(rows.sort(0).values, earlier[at][1].sort(0).values))
            self.assertEqual(int((before != twin).any(1).sum()), 2)

    def test_a_check_of_weights_finds_them_or_fails(self):
        self.start()
        again = {"instance": 1, "seed": 51, "offset": Sheet.weights + STRIDE, "check": True}
        self.assertEqual(self.referee.ask("weights", **again), self.weights[1])
        self.weight("scale", 1)[0] = 3.0
        self.assertIn("scale", self.referee.ask("weights", **again)["what"])
        self.assertEqual(self.weight("scale", 1)[0], 3.0)

    def test_sharing_sets_the_classes_to_draw(self):
        self.start()
        self.assertEqual(self.referee.ask("share", classes=["nominal", "large"], threads=1),
                         {"re": "ok"})
        drawn = {entry["class"] for entry in self.prepare(count=8, mix="timed")}
        self.assertEqual(drawn, {"nominal", "large"})

    def test_right_outputs_have_no_error(self):
        self.start()
        self.prepare(count=3)
        for j in range(3):
            self.answer(j, instance=j % 2)
        errors = self.compare((2, 0, 2), (0, 0, 0), (1, 2, 1))
        for error in errors:
            self.assertLess(error["max"], 1e-5)
            self.assertEqual((error["nonfinite"], error["poison"]), (0, 0))
            self.assertTrue(error["close_1e4"])
            self.assertEqual(error["elements"], 15)

    def test_items_come_back_in_the_order_asked(self):
        self.start()
        self.prepare(first=30, count=2)
        self.answer(0)
        self.referee.vault.tensor_at(Sheet.output(1), "float32", (15,)).fill_(9.0)
        errors = self.compare((31, 0, 1), (30, 0, 0))
        self.assertGreater(errors[0]["rms"], 0.5)
        self.assertLess(errors[1]["rms"], 1e-5)

    def test_the_other_instance_is_an_error(self):
        self.start()
        self.prepare()
        self.answer(0, instance=1)
        self.assertGreater(self.compare((0, 0, 0))[0]["rms"], 0.05)

    def test_one_wrong_element_is_found(self):
        self.start()
        self.prepare()
        slot = self.answer()
        slot[3, 1] += 0.5
        (error,) = self.compare((0, 0, 0))
        self.assertEqual(error["worst_index"], 10)
        self.assertGreater(error["max"], 0.1)
        self.assertAlmostEqual(error["worst_got"] - error["worst_want"], 0.5, places=4)
        self.assertFalse(error["close_1e2"])

    def test_own_errors_are_those_of_the_policys_arithmetic(self):
        own = {}
        for policy in ("exact", "half"):
            self.start(policy=policy)
            self.prepare(count=2)
            self.answer()
            own[policy] = self.own_rms()
        self.assertLess(own["exact"], 1e-6)
        self.assertTrue(1e-4 < own["half"] < 0.02, own)

    def test_own_errors_are_those_of_the_arithmetic_that_was_settled(self):
        source, kept = LINEAR.replace("linear(x)", "linear(x + 9 - 9)"), []
        for name in ("", "autocast to bfloat16", "bfloat16"):
            self.start(source, policy="half")
            self.referee.ask("share", classes=[], threads=1, half_way=name)
            self.prepare()
            self.answer()
            kept.append(self.own_rms())
        self.assertEqual(kept[0], kept[2])
        self.assertNotEqual(kept[0], kept[1])

    def test_groups_are_as_exact_as_the_arithmetic_that_the_lint_found(self):
        groups = []
        for uses_tf32 in (False, True):
            self.start()
            self.referee.ask("share", classes=[], threads=1, uses_tf32=uses_tf32)
            self.prepare()
            self.answer()
            self.referee.vault.tensor_at(Sheet.output(0), "float32", (15,)).mul_(1.02)
            (error,) = self.compare((0, 0, 0))
            groups.append(error["group"])
        self.assertGreater(groups[0], 10 * groups[1])

    def test_poison_is_counted(self):
        self.start()
        self.prepare()
        self.answer()
        self.referee.vault.tensor_at(Sheet.output(0), "int32", (15,))[4:6] = 0xFFFDFFFD - 2 ** 32
        (error,) = self.compare((0, 0, 0))
        self.assertEqual((error["poison"], error["nonfinite"]), (2, 2))
        self.assertEqual(error["worst_index"], 4)

    def test_inputs_follow_from_seed_and_index(self):
        self.start()
        self.prepare(first=3)
        first = self.input().clone()
        self.prepare(first=4)
        self.assertFalse(torch.equal(first, self.input()))
        self.prepare(first=3)
        self.assertTrue(torch.equal(first, self.input()))
        self.start(input_seed=8)
        self.prepare(first=3)
        self.assertFalse(torch.equal(first, self.input()))

    def test_orders_differ_and_go_on(self):
        self.start()

        def drawn(order, at):
            sets = self.referee.ask("prepare", first=at, count=8, offset=Sheet.inputs,
                                    stride=STRIDE, order=order, at=at)["sets"]
            return [entry["class"] for entry in sets]

        self.assertNotEqual(drawn(1, 0), drawn(2, 0))
        self.assertEqual(drawn(1, 0), drawn(1, 0))
        classes = {name for at in range(0, 32, 8) for name in drawn(1, at)}
        self.assertEqual(classes, set(enabled_classes([])))

    def test_trees_strides_and_values(self):
        facts = self.start(TRANSPOSED)
        self.assertEqual(facts["input_tree"], "[[t,t],v,{i:t}]")
        self.assertEqual(facts["output_tree"], "{product:t,rows:[t]}")
        self.assertTrue(facts["has_value_inputs"])
        self.assertEqual([s["strides"] for s in facts["inputs"]], [[1, 4], [3, 1], [1]])
        (made,) = self.prepare()
        factor = protocol.unflatten("v", [], _values(made))
        offsets = [Sheet.inputs, Sheet.inputs + 128, Sheet.inputs + 256]
        left, right, rows = (self.referee.vault.tensor_at(at, s["dtype"], s["shape"], s["strides"])
                             for at, s in zip(offsets, facts["inputs"]))
        self._put(Sheet.output(0), left @ right * factor)
        self._put(Sheet.output(1), rows + 1)
        errors = self._two_leaves()
        self.assertLess(errors[0]["max"], 1e-5)
        self.assertEqual(errors[1]["mismatched"], 0)
        self._put(Sheet.output(1), rows + 2)
        self.assertEqual(self._two_leaves()[1]["mismatched"], 7)

    def _put(self, at, tensor):
        dtype = protocol.dtype_name(tensor.dtype)
        self.referee.vault.tensor_at(at, dtype, tuple(tensor.shape)).copy_(tensor)

    def _two_leaves(self):
        outputs = [{"offset": Sheet.output(0)}, {"offset": Sheet.output(1)}]
        reply = self.referee.ask("compare", items=[{**to_compare(), "outputs": outputs}])
        return reply["items"][0]["outputs"]

    def test_options_vary_where_the_reference_survives_it(self):
        self.start("""
            import torch

            class Model(torch.nn.Module):
                def forward(self, x, scale, flag, mode):
                    assert mode == 3
                    return x * scale if flag else x

            def get_inputs():
                return [torch.rand(2, 4), 0.5, True, 3]
        """, value_classes=["other_values"])
        sets = self.prepare(count=8, mix="timed")
        told = {tuple(_values(made)) for made in sets if made["class"] == "other_values"}
        self.assertTrue(told)
        self.assertTrue(told <= {(0.25, True, 3), (1.0, True, 3), (0.5, False, 3)}, told)
        usual = {tuple(_values(made)) for made in sets if made["class"] == "nominal"}
        self.assertEqual(usual, {(0.5, True, 3)})

    def test_none_stays_where_the_reference_takes_a_tensor(self):
        self.start("""
            import torch

            class Model(torch.nn.Module):
                def forward(self, x, added, power):
                    x = x if added is None else x + added
                    return x ** float(power or 2)

            def get_inputs():
                return [torch.rand(2, 4), None, None]
        """, value_classes=["other_values"])
        sets = self.prepare(count=16, mix="timed")
        told = {tuple(_values(made)) for made in sets if made["class"] == "other_values"}
        self.assertTrue(told)
        self.assertTrue(told <= {(None, True), (None, 0.5)}, told)  # True is 1

    def test_released_inputs_are_gone(self):
        self.start()
        self.prepare(count=2)
        self.answer(0)
        self.assertEqual(self.referee.ask("release", first=0, count=2), {"re": "ok"})
        reply = self.referee.ask("compare", items=[to_compare()])
        self.assert_fails(reply, "unsupported", "input 0")

    def test_offsets_outside_the_vault_fail(self):
        self.start()
        reply = self.referee.ask("prepare", first=0, count=1, offset=Sheet.size - 64,
                                 stride=STRIDE, instance=0, mix="nominal")
        self.assert_fails(reply, "unsupported", "outside the vault")

    def test_a_bad_request_leaves_the_loop_alive(self):
        self.start()
        self.assert_fails(self.referee.ask("dance"), "unsupported", "dance")
        self.assert_fails(self.referee.ask("weights", seed=1), "raised")
        self.assertEqual(len(self.prepare()), 1)


def _values(made):
    import base64
    import pickle
    return pickle.loads(base64.b64decode(made["values"]))


class RefereeEnd(unittest.TestCase):
    def test_it_ends_when_the_socket_closes(self):
        self.assertEqual(referee_session.RefereeProcess().close(), 0)

    def test_it_ends_on_bye(self):
        referee = referee_session.RefereeProcess()
        referee._channel.send({"op": "bye"})
        self.assertEqual(referee.process.wait(timeout=60), 0)
        referee.close()

    def test_it_holds_no_descriptor_but_its_own(self):
        referee = referee_session.RefereeProcess()
        referee.open(LINEAR)
        for _ in range(3):
            referee.share_vault(Sheet.size)
        links = [os.readlink(f"/proc/{referee.process.pid}/fd/{fd}")
                 for fd in os.listdir(f"/proc/{referee.process.pid}/fd")]
        sockets = [link for link in links if link.startswith("socket:")]
        vaults = [link for link in links if "memfd:vault" in link]
        self.assertEqual((len(sockets), len(vaults)), (1, 1), links)
        referee.close()


if __name__ == "__main__":
    unittest.main()
