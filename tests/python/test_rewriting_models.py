"""Whole models, as people write them: what is exported, which rules fire, both programs agree."""

import collections
import pathlib
import unittest

import rewriting

MODELS = pathlib.Path(__file__).resolve().parents[2] / "bench" / "models"


def source_of(name):
    """A model of bench/models in float64, as it is served."""
    source = (MODELS / f"{name}.py").read_text()
    return source.replace("\n\n\nclass", "\n\ntorch.set_default_dtype(torch.float64)\n\n\nclass", 1)


class ModelsTest(unittest.TestCase):
    def rewritten(self, source):
        """How often each rule fired; both programs agree."""
        exported = rewriting.export(source, "inference")
        self.assertNotIn("refused", exported)
        driver = rewriting.Driver()
        self.addCleanup(driver.close)
        found = driver.rewrite(exported)
        self.assertEqual(found["left_alone"], [])
        program = found["programs"][0]
        want, got = rewriting.run_both(source, program["source"], 1, mode="inference")
        self.assertLess(rewriting.error(got, want), 1e-9)
        return collections.Counter(step["rule"] for step in program["steps"])

    def test_transformer_encoder_of_twelve_layers(self):
        fired = self.rewritten(source_of("transformer_encoder"))
        self.assertEqual(fired["attention written out"], 12)
        self.assertEqual(fired["products of one input"], 12)
        # Only the first place is read, of the last layer's queries too.
        for rule in ("part of a norm by rows", "part of attention", "part of a product past views"):
            self.assertGreater(fired[rule], 0, rule)

    def test_residual_network_of_fifty_layers(self):
        fired = self.rewritten(source_of("resnet_50"))
        self.assertEqual(fired["batch norm into weights"], 53)  # each one that it has


if __name__ == "__main__":
    unittest.main()
