"""Every verdict and every reason code has a scenario and a line in docs/codes.md."""

import re
import unittest

import source_tree as tree

unittest.TestCase.maxDiff = None  # a list of offenders is read whole

# Where candidates lie, each with the verdict that it must get.
SCENARIOS = ("tests/scenarios", "tests/cheats", "tests/honest")
# Codes that no file of these can bring about; a unit test must name each.
OUT_OF_REACH = {
    "round_failed": "needs a machine that cannot run a round",
    "host_failed": "needs a jail that dies before the program runs",
    "baseline_failed": "needs a reference that passed admission and then dies",
    "baseline_wrong": "needs a reference that passed admission and then computes wrongly",
    "no_evidence": "needs a round in which nothing was checked",
    "too_few_calls": "needs a round cut off by its budget",
    "values_unchecked": "needs calls so long that a round's limit ends it",
    "weights_unchecked": "needs a round cut off before the second weights",
    "interval_too_wide": "depends on the noise of the machine",
}


def outcomes():
    table = (tree.ROOT / "src/model/verdict.cpp").read_text()
    return re.findall(r'\{Outcome::\w+, "(\w+)"\}', table)


def codes():
    """{code: outcome} of the judge's table."""
    table = (tree.ROOT / "src/judge/codes.h").read_text()
    return dict(re.findall(r'^\s*\{"(\w+)",\s*"(\w+)",', table, re.M))


def expectations(*folders):
    """The "# expect:" lines below the folders: "wrong(value) | wrong(range)"."""
    return [line for folder in folders or SCENARIOS
            for path in tree.files(folder, suffixes=(".py",))
            for line in re.findall(r"^#\s*expect:(.*)$", path.read_text(), re.M)]


def words(lines):
    return {word for line in lines for word in re.findall(r"\w+", line)}


def reached_by_scenarios():
    """Outcomes and codes of which a scenario is about: its first alternative names them."""
    first = words(line.split("|")[0] for line in expectations())
    return first | {codes().get(word) for word in first}


def unit_tests():
    return "".join(path.read_text() for path in tree.cpp_files("tests"))


class CodesTest(unittest.TestCase):
    def test_tables_are_read(self):
        self.assertEqual(len(outcomes()), 14)
        self.assertGreater(len(codes()), 20)
        self.assertLessEqual(set(codes().values()), set(outcomes()) | {"info"})

    def test_every_outcome_has_a_code(self):
        self.assertEqual(set(outcomes()) - set(codes().values()), set())

    def test_every_code_has_a_scenario(self):
        deciding = {code for code, outcome in codes().items() if outcome != "info"}
        self.assertEqual(sorted(deciding - reached_by_scenarios() - set(OUT_OF_REACH)), [])

    def test_every_outcome_has_a_scenario(self):
        self.assertEqual(sorted(set(outcomes()) - reached_by_scenarios()), [])

    def test_codes_out_of_reach_exist_and_have_a_unit_test(self):
        self.assertEqual(set(OUT_OF_REACH) - set(codes()), set())
        text = unit_tests()
        self.assertEqual([code for code in OUT_OF_REACH if f'"{code}"' not in text], [])

    def test_scenarios_expect_only_codes_that_exist(self):
        known = set(outcomes()) | set(codes()) | {"correct"}
        self.assertEqual(sorted(words(expectations()) - known), [])

    def test_no_attack_may_be_accepted(self):
        gains = {"correct", "faster", "same"}
        self.assertGreaterEqual(len(expectations("tests/cheats")), 66)
        self.assertEqual([line for line in expectations("tests/cheats") if gains & words([line])],
                         [])

    def test_every_honest_candidate_must_be_accepted(self):
        right = {"correct", "faster", "same", "slower", "ambiguous"}
        self.assertGreaterEqual(len(expectations("tests/honest")), 40)
        self.assertEqual([line for line in expectations("tests/honest")
                          if not words([line]) <= right], [])

    def test_every_code_is_described(self):
        text = (tree.ROOT / "docs/codes.md").read_text()
        names = set(codes()) | set(outcomes())
        self.assertEqual(sorted(name for name in names if f"`{name}`" not in text), [])


if __name__ == "__main__":
    unittest.main()
