"""Every rule of src/rewrite: where it fires both programs agree, and it fires only where it may."""

import random
import unittest

import rewriting
from rewriting_cases import CASES
from rewriting_near_misses import NEAR

TOLERANCE = 1e-12  # of the spread, in float64
DRAWS = 3          # sizes drawn for each case


class RewritingTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.driver = rewriting.Driver()

    @classmethod
    def tearDownClass(cls):
        cls.driver.close()

    def rewritten(self, source):
        exported = rewriting.export(source)
        self.assertNotIn("refused", exported, source)
        found = self.driver.rewrite(exported)
        for program in found["programs"]:
            made = rewriting.cudnn_calls_made_of_products(exported, program["source"])
            self.assertEqual(made, [], source + program["source"])
        return found

    def expect_same(self, source, program, integers=False):
        got, want = [], []
        want, got = rewriting.run_both(source, program["source"], 5, integers)
        for one, other in zip(rewriting.leaves(got), rewriting.leaves(want), strict=True):
            limit = 0 if integers else TOLERANCE
            self.assertLessEqual(rewriting.error(one, other), limit,
                                 source + program["source"])

    def check_case(self, rule, make, exact):
        draw = random.Random(f"{rule} {make}" if isinstance(make, str) else rule)
        fired = 0
        for _ in range(DRAWS * 4):
            if fired == DRAWS:
                break
            source = rewriting.task_source(*make(draw))
            for program in self.rewritten(source)["programs"]:
                fired += rule in [step["rule"] for step in program["steps"]]
                self.expect_same(source, program)
                if exact:
                    self.expect_same(source, program, integers=True)
        self.assertGreater(fired, 0, f"{rule} never fired")

    def test_near_misses(self):
        inputs = {"x": "torch.randn(6, 5)", "y": "torch.randn(5, 5)"}
        for rule, forward in NEAR:
            with self.subTest(rule=rule, forward=forward):
                source = rewriting.task_source([], forward, inputs)
                programs = self.rewritten(source)["programs"]
                for program in programs:
                    self.assertNotIn(rule, [step["rule"] for step in program["steps"]])
                    self.expect_same(source, program)


def add_case(number, rule, make, exact):
    def test(self):
        self.check_case(rule, make, exact)
    name = "".join(c if c.isalnum() else "_" for c in rule)
    setattr(RewritingTest, f"test_{number:02}_{name}", test)


for at, case in enumerate(CASES):
    add_case(at, *case)

if __name__ == "__main__":
    unittest.main()
