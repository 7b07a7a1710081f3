"""Rules of src/rewrite on programs that are drawn operator by operator."""

import random
import unittest

import rewriting


class RandomProgramsTest(unittest.TestCase):
    """A search for programs on which any rule is wrong: operators drawn one after another, and
    loops over places."""

    PROGRAMS = 60
    STEPS_MAX = 9
    TOLERANCE = 1e-9  # drawn programs cancel and amplify

    def test_random_programs(self):
        self.check(lambda draw: random_task(draw, draw.randint(3, self.STEPS_MAX)))

    def test_random_loops(self):
        rules = self.check(random_loop)
        wanted = {"one weight at many places", "one function at many places",
                  "one weight at many places, beside a state", "product added at many places",
                  "one weight behind a loop", "recurrent cells as one operator",
                  "places laid together again"}
        self.assertEqual(wanted - rules, set())

    def check(self, make):
        """The rules that fired."""
        driver = rewriting.Driver()
        self.addCleanup(driver.close)
        rewrites, rules = 0, set()
        for seed in range(self.PROGRAMS):
            source = make(random.Random(seed))
            exported = rewriting.export(source)
            self.assertNotIn("refused", exported, source)
            for program in driver.rewrite(exported)["programs"]:
                rewrites += 1
                rules |= {step["rule"] for step in program["steps"]}
                want, got = rewriting.run_both(source, program["source"], seed)
                for one, other in zip(rewriting.leaves(got), rewriting.leaves(want), strict=True):
                    self.assertLessEqual(rewriting.error(one, other), self.TOLERANCE,
                                         source + program["source"])
        self.assertGreater(rewrites, self.PROGRAMS // 3)
        return rules


def random_task(draw, steps):
    """Values of shape (3, 8, 8): every operator below keeps or restores it."""
    init, forward, values = [], [], ["x", "y"]
    for i in range(steps):
        a, b = draw.choice(values), draw.choice(values[-2:])
        forward.append(f"v{i} = " + random_operator(draw, i, a, b, init))
        values.append(f"v{i}")
    last = values[-1]
    end = draw.choice(["{}", "{}.sum(-1)", "{}.mean(dim=(1, 2))", "{}.mean(0)",
                       "{}.sum((0, 2))", "{}.mean(2)", "{}[:, -1]", "{}.amax(1)",
                       "({0}, {0} * 1)", "F.avg_pool1d({}, 2)"])
    return rewriting.task_source(init, [*forward, f"return {end.format(last)}"],
                                 {"x": "torch.randn(3, 8, 8)", "y": "torch.randn(3, 8, 8)"})


def random_operator(draw, i, a, b, init):
    kind = draw.randint(0, 16)
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
        norm = draw.choice(["BatchNorm1d(8)", "InstanceNorm1d(8)", "GroupNorm(2, 8)"])
        init.append(f"self.norm{i} = nn.{norm}")
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
        f"torch.cat([torch.cat([{a}, {b}], 1), {a}], 1)[:, {draw.choice(['2:10', '4:20:2'])}]",
        f"torch.einsum('{draw.choice(['bij,bjk->bik', 'bij,bkj->bki', 'bij,cjk->bik'])}', "
        f"{a}, {b})",
        f"F.linear(torch.cat([{a}, {b}[:, :1].expand(-1, 8, -1)], -1), "
        f"torch.cat([{a}, {b}], 2)[0, :8])",
    ]
    text = choices[kind - 4]
    return text.replace("/ 0", "/ 4")


def random_loop(draw):
    """A loop over places of x (2, 6, 4), with states of 4 features: each step does something with
    a place, another place, a state, or both, with weights of its own or of another step."""
    init = [f"self.a{i} = nn.Linear({8 if i > 2 else 4}, 4, bias={draw.random() < 0.7})"
            for i in range(5)]
    init += ["self.norm = nn.LayerNorm(4)", "self.cell = nn.LSTMCell(4, 4)",
             f"self.gate = nn.{draw.choice(['GRU', 'RNN'])}Cell(4, 4)"]
    places = draw.choice(["range(6)", "range(5, -1, -1)", "[2, 0, 4, 1]", "[1, 1, 3]",
                          "range(1, 5)", "[0, 2, 4]"])
    place = draw.choice(["x[:, t]", "x[:, t - 1]", "x.unbind(1)[t]", "x[:, t:t + 1].squeeze(1)",
                         "x.transpose(0, 1)[t]", "x.split(1, 1)[t][:, 0]"])
    body = [random_step(draw) for _ in range(draw.randint(1, 4))]
    keep = draw.choice(["h", "self.a2(h)", "torch.tanh(h)", "e", "h + e"])
    end = draw.choice(["torch.stack(out, 1)", "torch.stack(out)[1:]", "torch.stack(out)[-1]",
                       "torch.cat(out)", "torch.cat(out, 1)", "out[-1] + out[0]"])
    lines = ["h, c, out = torch.tanh(g), g * 0.5, []", f"for t in {places}:",
             f"    e = {place}", *["    " + line for line in body], f"    out.append({keep})",
             f"return {end}, h, {draw.choice(['c', 'h', 'e'])}"]
    return rewriting.task_source(init, lines, {"x": "torch.randn(2, 6, 4)",
                                               "g": "torch.randn(2, 4)"})


def random_step(draw):
    weight, joined = draw.randint(0, 2), draw.randint(3, 4)
    return draw.choice([
        f"e = {draw.choice(['torch.relu(e)', 'self.norm(e)', 'e * 2', f'self.a{weight}(e)'])}",
        f"h = torch.tanh(self.a{weight}(e) {draw.choice('+-*')} self.a{draw.randint(0, 2)}(h))",
        f"h = torch.tanh(self.a{joined}(torch.cat([{draw.choice(['e, h', 'h, e', 'e, e'])}], 1)))",
        f"h = torch.tanh(self.a{joined}(torch.cat([x[:, t], h], -1)) + e)",
        f"h = torch.sigmoid(x[:, {draw.choice(['t', '0', 't - 1'])}] + self.a{weight}(h))",
        "h, c = self.cell(e, (h, c))", "h, c = self.cell(x[:, t], (h, c))",
        "h = self.gate(x[:, t], h)", "h = self.gate(e, h)",
        f"h, c = self.cell(e, (h, {draw.choice(['c', 'c', 'h'])}))",
    ])


if __name__ == "__main__":
    unittest.main()
