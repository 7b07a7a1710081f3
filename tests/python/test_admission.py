"""Linting through the protocol: what it finds out about a task, and what mutants look like."""

import textwrap
import unittest

import referee_session

ERROR_OF_NOISE = 1e-4  # float32 rounding of these small tasks stays far below
GROUP_MULTIPLE = 32


def task(body, inputs="torch.randn(32, 48)", init="pass"):
    body, init = (textwrap.indent(textwrap.dedent(text), "        ") for text in (body, init))
    return (f"import torch\nclass Model(torch.nn.Module):\n    def __init__(self):\n"
            f"        super().__init__()\n{init}\n    def forward(self, x, *more):\n{body}\n"
            f"def get_inputs():\n    return [{inputs}]\n")


def is_wrong(error):
    return error["rms"] > ERROR_OF_NOISE or error["nonfinite"] or error["mismatched"] \
        or error["group"] > GROUP_MULTIPLE


class Admissions(referee_session.RefereeTest):
    def admit(self, source, samples=2, **fields):
        self.facts_of(source, **fields)
        reply = self.referee.ask("admit", samples=samples)
        self.assertEqual(reply["re"], "admitted", reply)
        return reply["evidence"]

    @staticmethod
    def kept(evidence):
        return [report["name"] for report in evidence["classes"] if report["kept"]]

    @staticmethod
    def tried(evidence, name, value_class="nominal"):
        for report in evidence["mutants"]:
            if (report["name"], report["value_class"]) == (name, value_class):
                return report["outputs"]
        return None

    def assert_rejected(self, evidence, name, value_class="nominal"):
        outputs = self.tried(evidence, name, value_class)
        self.assertTrue(any(map(is_wrong, outputs)), (name, outputs))

    def assert_accepted(self, evidence, name, value_class="nominal"):
        outputs = self.tried(evidence, name, value_class)
        self.assertFalse(any(map(is_wrong, outputs)), (name, outputs))

    def test_it_tells_whether_all_numbers_are_of_low_precision(self):
        half, argmax = "torch.randn(32, 48).bfloat16()", "return x.softmax(1).argmax(1)"
        self.assertTrue(self.admit(task(argmax, half))["in_half"])
        self.assertFalse(self.admit(task(argmax))["in_half"])
        self.assertFalse(self.admit(task("return x.float().softmax(1)", half))["in_half"])

    def test_tensors_that_each_call_leaves_in_attributes_are_noted(self):
        leaves = task("""
            if self.cache is None:
                self.cache = torch.ones(48)
            self.loss, self.part[0].seen = x.mean(), [x.sum()]
            self.mean = self.mean + x.mean()
            return x * self.cache + self.part[0].weight.sum()""", init="""
            self.cache, self.part = None, torch.nn.ModuleList([torch.nn.Linear(2, 2)])
            self.register_buffer("mean", torch.zeros(()))""")
        notes = [note for note in self.admit(leaves)["notes"] if "attribute" in note]
        self.assertEqual(notes, [f"each call leaves a tensor in the attribute {name}, which is not "
                                 "compared" for name in ("loss", "part.0.seen")])

    def test_under_exact_it_knows_what_operands_of_two_terms_make(self):
        product = task("return x @ self.l.weight", init="self.l = torch.nn.Linear(48, 48)")
        (multiple,) = self.admit(product, policy="exact")["in_two_terms"]
        self.assertGreater(multiple, 10)
        self.assertLess(multiple, 50)
        self.assertEqual(self.admit(product)["in_two_terms"], [])
        whole = task("return x.sum(1), x > 0", inputs="torch.randint(9, (32, 48)).float()")
        self.assertEqual(self.admit(whole, policy="exact")["in_two_terms"], [0, 0])

    def test_a_sound_task(self):
        evidence = self.admit(task("return torch.tanh(self.l(x))",
                                   init="self.l = torch.nn.Linear(48, 48)"))
        self.assertEqual(evidence["oracle"], "float64")
        self.assertTrue(evidence["deterministic"])
        self.assertFalse(evidence["mutates_inputs"])
        self.assertEqual(evidence["input_fully_read"], [True])
        self.assertEqual(len(self.kept(evidence)), 11)
        self.assertEqual(len(evidence["mutants"]), 11 * 13)
        for name in ("zeros", "constant", "mean", "identity", "other_input", "stale",
                     "perturbed_weights", "skipped_tail", "first_rows_only", "rescale_1.01"):
            self.assert_rejected(evidence, name)
        self.assertAlmostEqual(self.tried(evidence, "rescale_1.01")[0]["rms"], 0.01, places=3)
        for report in evidence["classes"]:
            for error in report["outputs"]:  # none of classes that make no difference
                self.assertLess(error["rms"], ERROR_OF_NOISE)

    def test_the_settings_limit_the_classes(self):
        evidence = self.admit(task("return x.exp()"), value_classes=["small", "nominal"])
        self.assertEqual(self.kept(evidence), ["nominal", "small"])

    def test_dropout_is_not_deterministic(self):
        evidence = self.admit(task("return self.d(x)", init="self.d = torch.nn.Dropout(0.5)"))
        self.assertFalse(evidence["deterministic"])

    def test_state_between_calls_is_not_deterministic(self):
        evidence = self.admit(task("self.n += 1\nreturn x + self.n", init="self.n = 0"))
        self.assertFalse(evidence["deterministic"])

    def assert_outputs_cannot_be_kept(self, source, **fields):
        self.facts_of(source, **fields)
        reply = self.referee.ask("admit", samples=2)
        self.assertEqual((reply["re"], reply.get("kind")), ("failed", "unsupported"), reply)
        self.assertIn("memory of its own that its later calls write to", reply["what"])

    def test_outputs_in_a_buffer_that_later_calls_write_to(self):
        own = task("return self.y.copy_(x)", init="self.y = torch.empty(32, 48)")
        self.assert_outputs_cannot_be_kept(own)
        self.assert_outputs_cannot_be_kept(own, policy="half")

    def test_two_such_buffers_in_turn(self):
        self.assert_outputs_cannot_be_kept(task(
            "self.y.reverse()\nreturn x * 2, self.y[0].copy_(x)[4:]",
            init="self.y = [torch.empty(32, 48), torch.empty(32, 48)]"))

    def test_a_buffer_that_stays_as_it_is(self):
        self.admit(task("return x * 2, self.y", init="self.y = torch.randn(32, 48)"))

    def test_batch_norm_in_train_mode_is_deterministic(self):
        evidence = self.admit(task("return self.n(x)", init="self.n = torch.nn.BatchNorm1d(48)"))
        self.assertTrue(evidence["deterministic"])

    def test_writing_to_inputs_is_seen(self):
        evidence = self.admit(task("return x.mul_(2).exp()"))
        self.assertTrue(evidence["mutates_inputs"])
        self.assert_rejected(evidence, "other_input")

    def test_writing_to_lists_and_dictionaries_is_seen(self):
        for statement, mutates in (("y['k'] = y['k'] + x", True), ("y['n'] += 1", True),
                                   ("y['l'].append(x)", True), ("y['k'] = y['k']", False)):
            evidence = self.admit(task(
                f"y = more[0]; {statement}; return x.exp()",
                "torch.randn(32, 48), {'k': torch.randn(32, 48), 'n': 3, 'l': []}"))
            self.assertEqual(evidence["mutates_inputs"], mutates, statement)

    def test_inputs_that_are_not_read(self):
        inputs = "torch.randn(32, 48), torch.randn(32, 48), torch.randint(0, 9, (64,)), " \
                 "torch.randint(0, 9, (64,))"
        evidence = self.admit(task("return x[:4] + more[1].sum() * 0.1", inputs))
        self.assertEqual(evidence["input_fully_read"], [False, False, True, False])

    def test_relu_and_max_read_everything(self):
        evidence = self.admit(task("return torch.relu(x).amax(0)"))
        self.assertEqual(evidence["input_fully_read"], [True])

    def test_identity_passes_only_where_the_task_is_it(self):
        evidence = self.admit(task("return x.clamp(-1, 1)", inputs="torch.rand(32, 48)"))
        self.assert_accepted(evidence, "identity")
        self.assert_rejected(evidence, "identity", "large")
        self.assert_rejected(evidence, "identity", "shifted")

    def test_zeros_pass_where_outputs_are_zero(self):
        evidence = self.admit(task("return (x - x.mean(1, keepdim=True)).mean(1, keepdim=True)"
                                   ".clamp(min=1e-3) - 1e-3"))
        for name in ("zeros", "other_input", "stale", "rescale_1.01"):
            self.assert_accepted(evidence, name)

    def test_classes_outside_the_domain_are_dropped(self):
        evidence = self.admit(task("return x * torch.log(0.9 - x.amax()) + 0 * x.amin().sqrt()",
                                   inputs="torch.rand(32, 48) * 0.5"))
        self.assertEqual(self.kept(evidence), ["nominal", "small", "repeated_rows", "zeros"])
        reasons = {r["name"]: r["reason"] for r in evidence["classes"] if not r["kept"]}
        self.assertIn("NaN or infinities", reasons["large"])

    def test_classes_that_are_partly_outside_are_kept(self):
        evidence = self.admit(task("return torch.log(x)", inputs="0.1 + torch.rand(32, 48)"))
        self.assertIn("extremes", self.kept(evidence))
        self.assert_rejected(evidence, "skipped_tail", "extremes")

    def test_classes_that_make_no_difference_are_left_out(self):
        evidence = self.admit(task("return x * 3"))
        reasons = {r["name"]: r["reason"] for r in evidence["classes"] if not r["kept"]}
        self.assertIn("both signs", reasons["negated_rows"])
        self.assertIn("could be another", reasons["permuted"])
        mask = "torch.rand(32, 48), torch.ones(32, 48).tril().bool()"
        evidence = self.admit(task("return x.masked_fill(more[0], 0)", mask))
        self.assertIn("negated_rows", self.kept(evidence))
        self.assertIn("permuted", self.kept(evidence))

    def test_classes_on_which_the_reference_raises_are_dropped(self):
        evidence = self.admit(task("assert x.max() < 2\nreturn x * 3", "torch.rand(32, 48)"))
        reasons = {r["name"]: r["reason"] for r in evidence["classes"] if not r["kept"]}
        self.assertIn("AssertionError", reasons["large"])
        self.assertIn("small", self.kept(evidence))

    def test_a_single_number_is_no_constant(self):
        evidence = self.admit(task("return (x * x).mean()"))
        self.assert_rejected(evidence, "constant")
        evidence = self.admit(task("return (x * 0 + 3).sum()"))
        self.assert_accepted(evidence, "constant")

    def test_it_tells_on_which_classes_near_ties_explain_nothing(self):
        steps = self.admit(task("return torch.round(x / 0.03) * 0.03"))
        self.assertEqual(steps["no_near_ties"], [])
        for forward, exactly in (("torch.softmax(self.l(x), 1) * (x > -1e9)", True),
                                 ("torch.softmax(self.l(x), 1)", False)):
            shares = task(f"return {forward}", "torch.randn(256, 64) * 8",
                          "self.l = torch.nn.Linear(64, 64)")
            found = self.admit(shares)["no_near_ties"]
            self.assertEqual(found == ["large"], exactly)
            self.assertIn("large", found)

    def test_want_of_memory_is_no_finding(self):
        self.facts_of(task("if x.max() > 2: raise MemoryError\nreturn x * 3", "torch.rand(32, 48)"))
        reply = self.referee.ask("admit", samples=2)
        self.assertEqual((reply["re"], reply["kind"]), ("failed", "too_large"))

    def test_a_class_that_does_not_fit_beside_programs_is_dropped(self):
        rounds = {"memory_bytes": 3 << 30}
        self.facts_of(task("if x.std() > 3: raise MemoryError\nreturn x * 3", "torch.rand(32, 48)"))
        reply = self.referee.ask("admit", samples=2, **rounds)
        reasons = {r["name"]: r["reason"] for r in reply["evidence"]["classes"] if not r["kept"]}
        self.assertIn("more than the 3.0 GiB that rounds leave", reasons["large"])
        self.assertIn("small", self.kept(reply["evidence"]))
        self.facts_of(task("if x.dtype == torch.float64: raise MemoryError\nreturn x * 3"))
        reply = self.referee.ask("admit", samples=2, **rounds)
        self.assertEqual(reply.get("kind"), "too_large", reply)
        self.assertIn("more than the 3.0 GiB that rounds leave", reply["what"])

    def test_half_falls_back_to_what_is_of_use(self):
        source = task("return self.l(x + 1e3 - 1e3)", init="self.l = torch.nn.Linear(48, 48)")
        evidence = self.admit(source, policy="half")
        self.assertIn("in bfloat16 the reference's own error is too large to be of use; tolerances "
                      "are those of autocast to bfloat16", evidence["notes"])
        self.assertEqual(evidence["half_way"], "autocast to bfloat16")
        self.assertLess(evidence["classes"][0]["outputs"][0]["rms"], 0.02)

    def test_half_that_is_of_no_use_at_all_is_reported_as_it_is(self):
        source = task("return x @ self.w - x @ (self.w + 1e-4)",
                      init="self.w = torch.nn.Parameter(torch.randn(48, 48))")
        evidence = self.admit(source, policy="half")
        self.assertFalse(any("tolerances are those" in note for note in evidence["notes"]))

    def test_agreed_infinities_are_kept_nominally(self):
        evidence = self.admit(task("return torch.log(torch.relu(x))"))
        self.assertIn("nominal", self.kept(evidence))
        self.assertTrue(any("agree by place" in note for note in evidence["notes"]))

    def test_a_reference_that_always_raises_is_kept_nowhere(self):
        evidence = self.admit(task("if x[0, 0] != 0: raise ValueError('no')\nreturn x",
                                   "torch.zeros(8, 8) if Model.first() else torch.rand(8, 8)",
                                   ).replace("    def forward", "    calls = []\n    @classmethod\n"
                                             "    def first(cls):\n        cls.calls.append(1)\n"
                                             "        return len(cls.calls) < 4\n    def forward"))
        self.assertEqual(self.kept(evidence), [])
        self.assertEqual(evidence["mutants"], [])

    def test_fixed_inputs_are_noted(self):
        source = task("return x * 2", "torch.manual_seed(1) and None or torch.rand(8, 8)")
        evidence = self.admit(source)
        self.assertIn("input 0 has the same values every time", evidence["notes"])
        self.assert_accepted(evidence, "other_input")

    def test_half_is_looser_than_eager(self):
        source = task("return self.l(x)", init="self.l = torch.nn.Linear(48, 48)")
        own = [self.admit(source, policy=policy)["classes"][0]["outputs"][0]["rms"]
               for policy in ("eager", "half")]
        self.assertGreater(own[1], 100 * own[0])

    def test_integer_outputs_take_part(self):
        evidence = self.admit(task("return x.exp(), x.argmax(1)"))
        self.assertEqual(self.tried(evidence, "rescale_1.01")[1]["mismatched"], 0)
        self.assertGreater(self.tried(evidence, "zeros")[1]["group"], 32)
        self.assertEqual(evidence["classes"][0]["outputs"][1]["mismatched"], 0)

    def test_integer_outputs_alone(self):
        for body in ("return x.argmax(1)", "return (x > 2.2).any(dim=1)", "return x > 0.5",
                     "return torch.bincount((x.abs().view(-1) * 9).long().clamp(max=31),"
                     " minlength=32)", "return x.sort(1)[1]", "return torch.topk(x, 5)[1]"):
            with self.subTest(body=body):
                evidence = self.admit(task(body))
                self.assertIn("ties", self.kept(evidence))
                own = evidence["classes"][0]["outputs"][0]
                self.assertEqual((own["mismatched"], own["nonfinite"]), (0, 0))
                self.assertLess(own["max"], 1e-6)
                self.assertTrue(any(is_wrong(report["outputs"][0])
                                    for report in evidence["mutants"]
                                    if report["name"] == "other_input"))

    def test_infinities_of_the_task_switch_no_class_off(self):
        evidence = self.admit(task("return x.tril() + torch.full((48, 48), -torch.inf).triu(1)",
                                   inputs="torch.randn(48, 48)"))
        self.assertIn("spikes", self.kept(evidence))
        self.assert_rejected(evidence, "some_rows_only")

    def test_mutants_beside_masks(self):
        evidence = self.admit(task("return self.l(x).masked_fill(x > 0.5, -1e30)",
                                   init="self.l = torch.nn.Linear(48, 48)"))
        for name in ("largest_only", "larger_half_only", "some_rows_only", "perturbed_weights"):
            self.assert_rejected(evidence, name)

    def test_values_beside_tensors_must_repeat(self):
        evidence = self.admit(task("return x * 2, float(torch.rand(()))"))
        self.assertFalse(evidence["deterministic"])
        evidence = self.admit(task("return x * 2, {'rows': len(x), 'name': 'a'}"))
        self.assertTrue(evidence["deterministic"])

    def test_what_overflows_in_the_references_own_type(self):
        evidence = self.admit(task("return x * x * 8", inputs="torch.randn(64, 512).half() * 16"))
        self.assertIn("heavy_tails", self.kept(evidence))
        for report in evidence["classes"]:
            self.assertEqual([e["nonfinite"] for e in report["outputs"]],
                             [0] * len(report["outputs"]), report["name"])

    def test_only_kept_classes_are_drawn_afterwards(self):
        self.admit(task("return x * torch.log(x.amin())", inputs="0.1 + torch.rand(32, 48)"))
        self.assertEqual(self.referee.share_vault(1 << 20), {"re": "ok"})
        reply = self.referee.ask("prepare", first=0, count=32, offset=0, stride=8192, instance=0,
                                 mix="timed")
        self.assertNotIn("extremes", [made["class"] for made in reply["sets"]])
        self.assertEqual(self.referee.ask("vault", bytes=0), {"re": "ok"})
        reply = self.referee.ask("prepare", first=32, count=1, offset=0, stride=8192)
        self.assert_fails(reply, "unsupported", "no vault")


if __name__ == "__main__":
    unittest.main()
