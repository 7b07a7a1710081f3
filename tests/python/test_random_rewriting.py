"""Rules of src/rewrite on programs that are drawn operator by operator."""

import random
import unittest

import rewriting


class RandomProgramsTest(unittest.TestCase):
    """A search for programs on which any rule is wrong: operators drawn one after another."""

    PROGRAMS = 60
    STEPS_MAX = 9
    TOLERANCE = 1e-9  # drawn programs cancel and amplify

    def test_random_programs(self):
        driver = rewriting.Driver()
        self.addCleanup(driver.close)
        rewrites = 0
        for seed in range(self.PROGRAMS):
            draw = random.Random(seed)
            source = random_task(draw, draw.randint(3, self.STEPS_MAX))
            exported = rewriting.export(source)
            self.assertNotIn("refused", exported, source)
            for program in driver.rewrite(exported)["programs"]:
                rewrites += 1
                want, got = rewriting.run_both(source, program["source"], seed)
                for one, other in zip(rewriting.leaves(got), rewriting.leaves(want), strict=True):
                    self.assertLessEqual(rewriting.error(one, other), self.TOLERANCE,
                                         source + program["source"])
        self.assertGreater(rewrites, self.PROGRAMS // 3)


def random_task(draw, steps):
    """Values of shape (3, 8, 8): every operator below keeps or restores it."""
    init, forward, values = [], [], ["x", "y"]
    for i in range(steps):
        a, b = draw.choice(values), draw.choice(values[-2:])
        forward.append(f"v{i} = " + random_operator(draw, i, a, b, init))
        values.append(f"v{i}")
    last = values[-1]
    end = draw.choice(["{}", "{}.sum(-1)", "{}.mean(dim=(1, 2))", "{}[:, -1]", "{}.amax(1)",
                       "({0}, {0} * 1)", "F.avg_pool1d({}, 2)"])
    return rewriting.task_source(init, [*forward, f"return {end.format(last)}"],
                                 {"x": "torch.randn(3, 8, 8)", "y": "torch.randn(3, 8, 8)"})


def random_operator(draw, i, a, b, init):
    kind = draw.randint(0, 13)
    if kind == 0:
        init.append(f"self.fc{i} = nn.Linear(8, 8, bias={draw.random() < 0.5})")
        return f"self.fc{i}({b})"
    if kind == 1:
        init.append(f"self.conv{i} = nn.Conv{draw.choice(['', 'Transpose'])}1d(8, 8, 3, padding=1)")
        return f"self.conv{i}({b})"
    if kind == 2:
        shape = draw.choice(["8", "1", "8, 1", "3, 1, 1"])
        init.append(f"self.p{i} = nn.Parameter(torch.rand({shape}))")
        return f"{b} {draw.choice('+-*/')} self.p{i}"
    if kind == 3:
        init.append(f"self.norm{i} = nn.{draw.choice(['BatchNorm1d(8)', 'InstanceNorm1d(8)'])}")
        return f"self.norm{i}({b})"
    choices = [
        f"{b} {draw.choice('+-*/')} {draw.choice([0, 1, 2, 0.5, -3])}"
        if draw.random() < 0.8 else f"{b} + 0 * 2",
        f"{a} {draw.choice('+-*')} {b}",
        f"torch.{draw.choice(['relu', 'tanh', 'sigmoid', 'abs'])}({b})",
        f"{b}.transpose(1, 2)", f"{b}.reshape(3, 64).reshape(3, 8, 8)", f"{a} @ {b}",
        f"{b} + {b}.mean({draw.randint(0, 2)}, keepdim=True)",
        f"torch.clamp({b}, {draw.choice(['-1.0, 1.0', 'min=0.0', '0.25, 0.5'])})",
        f"torch.softmax({b}, dim=-1)",
        f"torch.cat([{a}[:, :4], {b}[:, 4:]], dim=1)",
    ]
    text = choices[kind - 4]
    return text.replace("/ 0", "/ 4")


if __name__ == "__main__":
    unittest.main()
