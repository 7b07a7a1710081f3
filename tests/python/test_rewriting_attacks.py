"""Programs written to break src/rewrite: each is rewritten rightly, or left as it is.

Both programs are called twice, with NaN among the inputs the second time, from the same state of
the random numbers. Outputs and buffers must agree; where the reference has a NaN, so must the
other."""

import unittest

import rewriting
import torch

TOLERANCE = 1e-11  # of the spread, in float64
X = {"x": "torch.randn(6, 5)", "y": "torch.randn(5, 5)"}
HEADS = {"q": "torch.randn(2, 4, 6, 8)", "k": "torch.randn(2, 4, 7, 8)",
         "v": "torch.randn(2, 4, 7, 5)", "m": "torch.randn(2, 1, 6, 7)"}
PLACES = {"x": "torch.randn(2, 6, 4)", "h": "torch.randn(2, 4)"}
IMAGE = {"x": "torch.randn(1, 4, 12, 13)"}
BUFFER = "self.register_buffer('n', torch.ones({}))"
NORM = "self.norm = nn.BatchNorm1d(5)"


# --- buffers that a call writes, and random numbers: (constructor, lines of forward) on X

STATE = [
    (NORM, "t = self.norm.running_mean * 1.0; z = self.norm(x); return z + t.sum() * 2"),
    (NORM, "t = x * self.norm.running_mean; z = self.norm(x); return z, t.sum(0)"),
    (NORM, "a = self.norm.running_mean.sum(); z = self.norm(x)\n"
           "return z, a * 2 * 3, self.norm.running_mean.sum()"),
    (NORM, "z = self.norm(x); return z[:, 1:3] * 2 * 3, z[1:3].sum(0)"),
    (NORM, "return self.norm(x) * 3 + 1"),
    (NORM, "z = self.norm(x[:, :, None].repeat(9, 1, 9000)); s = self.norm.running_mean.sum()\n"
           "return z.mean(2), s"),
    (NORM, "z = self.norm(x[:, :, None].repeat(9, 1, 9000)).mean(2)\n"
           "return z, self.norm.running_mean.sum(), self.norm(x)[1:] * 2"),
    (f"{NORM}; self.register_buffer('m', self.norm.running_mean)",
     "z = self.norm(x); return z + self.m * 2 * 3"),
    (BUFFER.format(5), "t = torch.cat([self.n[:2], self.n[2:]]); self.n.add_(1)\n"
                       "return x * 2 * 3 + t"),
    (BUFFER.format(1), "t = self.n.sum(); self.n.add_(1); return x * 2 * 3 + t"),
    (BUFFER.format(5), "t = torch.stack([self.n, x[0]])[0]; self.n.add_(1); return x * 2 * 3 + t"),
    (BUFFER.format(5), "t = self.n.clone(); self.n.add_(1); return x * 2 * 3 + t"),
    (BUFFER.format(5), "t = self.n * x; self.n.copy_(x[0]); return t.sum(1), (x * 2).sum(1)"),
    ("pass", "z = torch.cat([F.dropout(x, 0.5, True), x])[6:]\n"
             "return z * 2 * 3 + F.dropout(x, 0.5, True)"),
    ("pass", "z = F.dropout(x, 0.5, True); return x * 2 * 3 + F.dropout(x, 0.5, True)"),
    ("pass", "return torch.relu(F.alpha_dropout(torch.sigmoid(x), 0.5, True))"),
    ("self.drop = nn.Dropout(0.5)", "return (self.drop(x) * 2 + F.dropout(x, 0.0)).sum(1) * 3"),
]

# --- attention that is none, or has odd masks: (scores, result) on HEADS

PLAIN = "torch.softmax(s, -1) @ v"
ATTENTION = [
    ("q @ k.mT * 0.3 + m[0, 0, 0]", PLAIN), ("q @ k.mT * 0.3 + m.sum()", PLAIN),
    ("q @ k.mT * 0.3 + m[0, 0]", PLAIN), ("q @ k.mT * 0.3 + m[..., :1]", PLAIN),
    ("q @ k.mT * 0.3 + m[..., :1, :]", PLAIN), ("(q @ k.mT + m) * 0.3", PLAIN),
    ("q @ k.mT * -0.3", PLAIN), ("q @ k.mT * 0.0", PLAIN), ("q @ k.mT * m[..., :1]", PLAIN),
    ("q @ k.mT * m.sum()", PLAIN), ("q @ k.mT // 3", PLAIN), ("1 - q @ k.mT", PLAIN),
    ("q @ k.mT - m", PLAIN), ("torch.add(q @ k.mT, m, alpha=2)", PLAIN),
    ("q[:1] @ k[:1].mT * 0.3 + m", "torch.softmax(s, -1) @ v[:1]"),
    ("(q @ k.mT * 0.3).masked_fill(m > 9, float('-inf'))", PLAIN),
    ("(q @ k.mT).masked_fill(torch.ones(7) < 0, float('-inf'))", PLAIN),
    ("(q @ k.mT).masked_fill(torch.ones(6, 7) > 0, torch.finfo(torch.float64).min)", PLAIN),
    ("q @ k.mT * 0.3", "F.dropout(torch.softmax(s, -1), 0.5, True) @ v"),
    ("q @ k.mT * 0.3", "torch.softmax(s, -2) @ v"), ("q @ k.mT * 0.3", f"({PLAIN}, s)"),
    ("q.float() @ k.mT.float()", "torch.softmax(s, -1, dtype=torch.float64) @ v"),
    ("q @ k[:, :2].repeat_interleave(2, 1).mT",
     "torch.softmax(s, -1) @ v[:, :2].repeat_interleave(2, 1)"),
    ("q.unflatten(1, (2, 2)) @ k[:, :2, None].mT", "torch.softmax(s, -1) @ v[:, :2, None]"),
    ("q * 1", "F.scaled_dot_product_attention(s, k[:, :2], v[:, :2], enable_gqa=True)[:, :, 1:3]"),
    ("q * 1", "F.scaled_dot_product_attention(s, k, v, m, scale=0.7)[:, :, 1:3] * 2"),
    ("q * 1", "F.scaled_dot_product_attention(s, k, v, m[0, 0, :1])[:, :, -1]"),
    ("q * 1", "F.scaled_dot_product_attention(s, k, v, dropout_p=0.5)[:, :, 4] * 2 * 3"),
]

# --- loops that are nearly recurrent layers: (constructor, before, step, result) on PLACES

GRU, LSTM = "self.c = nn.GRUCell(4, 4)", "self.c = nn.LSTMCell(4, 4)"
TWO = f"{GRU}; self.d = nn.GRUCell(4, 4)"
LOOPS = [
    (GRU, "pass", "h = self.c(x[:, t], h) * 0.9", "h"),
    (TWO, "pass", "h = (self.c if t % 2 else self.d)(x[:, t], h)", "h"),
    ("self.c = nn.GRUCell(4, 4, bias=False)", "pass", "h = self.c(x[:, t], h)", "h"),
    (GRU, "pass", "h = self.c(x[:, 0], h)", "h"), (GRU, "pass", "h = self.c(h, h)", "h"),
    (TWO, "g = h * 2", "h = self.c(x[:, t], h); g = self.d(h, g)", "(h, g)"),
    (LSTM, "c = h * 2", "h, c = self.c(x[:, t], (c, h))", "(h, c)"),
    (LSTM, "c, o = h * 2, []", "h, c = self.c(x[:, t], (h, c)); o.append(c)",
     "(h, torch.stack(o))"),
    (LSTM, "c = h * 2", "h, c = self.c(x[:, t], (h, torch.zeros_like(c)))", "(h, c)"),
    (LSTM, "c = h * 2", "h, c = self.c(x[:, -t - 1], (h, c))", "(h, c)"),
    ("self.c = nn.Linear(4, 4)", "o = []", "o += [self.c(x[:, -100:1]), self.c(x[:, t:t + 3:4])]",
     "torch.cat(o, 1) * h.sum()"),
    ("self.c = nn.Linear(4, 4)", "pass",
     "h = torch.tanh(self.c(x[:, t]) + self.c(h)) * self.c(h) + x[:, (t * 2) % 6]", "h"),
]

# --- everything else: (constructor, result) on X

FC = "self.fc = nn.Linear(5, 7)"
PLAIN_PROGRAMS = [
    (FC, "self.fc(x)[:, 4:2], self.fc(x)[3:1]"), (FC, "self.fc(x[:0]).sum(1), (x[:0] * 2).mean(0)"),
    (FC, "self.fc(x[:, :5]).t().reshape(7, 2, 3) * 2 * 3, (self.fc(x) * 2).std(1)"),
    (FC, "F.linear(self.fc(x), self.fc.weight.T) * 2, self.fc.weight[1:], self.fc.weight * 2"),
    (FC, "(self.fc(x) // 2).sum(1), torch.div(self.fc(x), 2, rounding_mode='trunc') * 3"),
    (FC, "torch.isnan(self.fc(x) * 2), torch.nan_to_num(x * 2 * 3)"),
    ("self.fc = nn.Linear(5, 1)", "self.fc(x[:1]).sum(0), x[:1].logsumexp(0), x[:, :1].prod(1)"),
    ("self.fc = nn.utils.parametrizations.spectral_norm(nn.Linear(5, 4)); self.eval()",
     "self.fc(x) * 2 + 1"),
    ("pass", "torch.cat([x[:, :3], x[:, 3:1]], 1) * 2 * 3"),
    ("pass", "(x[:, :1] + y[:1]).sum(1), (x[:1] * y[:, :1]).mean(0), (x[:, :1] - y[:1]).mean()"),
    ("pass", "torch.relu(x - x), (x - x) * 0 + x * 2 * 3"),
    ("pass", "torch.where(x > 0, x, math.nan).sum(1) * 3"),
    ("pass", "torch.trace(y @ y), torch.diag(y @ y, 1), torch.diagonal(y @ y, dim1=1, dim2=0)"),
    ("pass", "torch.einsum('ii->i', y) * 2, torch.einsum('Zj,Zk', x, x), torch.einsum('ij->', x)"),
    ("pass", "(x.float() * 1e30) / 1e-30, torch.clamp(x.float() * 2, -1, 1e38) * 1000.0"),
    ("pass", "((x > 0) * 0.5).mean(1), (x > 0) * 1, ~(x > 0)"),
    ("pass", "(x.long() * 3).sum(), x.long() // 2 * 1, (x.long() / 4).mean(1)"),
    ("pass", "(torch.complex(x, -x).conj() * 3).real.sum(1), torch.relu(torch.exp(x * 1j).real)"),
    ("pass", "torch.amax(torch.tanh(x), (0, 1), True), torch.amax(F.leaky_relu(x, -0.5), 1)"),
    ("pass", "F.gelu(x * 2 * 3), 0.5 * x * (1 + torch.tanh(0.8 * (x + 0.0447 * x ** 3)))"),
]
WINDOWS = ["ceil_mode=True", "padding=1", "stride=1, padding=1", "divisor_override=3",
           "count_include_pad=False, padding=1", "ceil_mode=True, count_include_pad=False"]
CONVOLUTIONS = ["nn.Conv2d(4, 8, 3, padding=1, groups=2)", "nn.Conv2d(4, 8, 4, padding='same')",
                "nn.Conv2d(4, 8, 3, padding=1, padding_mode='circular')",
                "nn.ConvTranspose2d(4, 8, 3, 2, 1, output_padding=1, groups=2)",
                "nn.ConvTranspose2d(4, 8, 3, (3, 2), (0, 1), (2, 1), dilation=(1, 2))"]


class AttackTest(unittest.TestCase):
    def setUp(self):
        self.driver = rewriting.Driver()
        self.addCleanup(self.driver.close)

    def attack(self, init, lines, inputs):
        source = rewriting.task_source(init.split("; "), lines, inputs)
        with self.subTest(lines=lines):
            exported = rewriting.export(source)
            if "refused" in exported:
                return
            for program in self.driver.rewrite(exported)["programs"]:
                want, got = (called_twice(module, name) for module, name in
                             ((source, "Model"), (f"{source}\n{program['source']}", "ModelNew")))
                for one, other in zip(got, want, strict=True):
                    self.assertLessEqual(error(one, other), TOLERANCE, program["source"])

    def test_state(self):
        for init, lines in STATE:
            self.attack(init, lines.split("\n"), X)

    def test_attention(self):
        for scores, result in ATTENTION:
            self.attack("pass", [f"s = {scores}", f"return {result}"], HEADS)

    def test_loops(self):
        for init, before, step, result in LOOPS:
            self.attack(init, [before, "for t in range(6):", f"    {step}", f"return {result}"],
                        PLACES)

    def test_the_rest(self):
        for init, result in PLAIN_PROGRAMS:
            self.attack(init, [f"return {result}"], X)

    def test_windows(self):
        for window in WINDOWS:
            self.attack("pass", ["z = F.avg_pool2d(torch.relu(x) * 2 - 1, 2, " + window + ")",
                                 "return F.avg_pool2d(z, 2)"], IMAGE)
        for window in [*WINDOWS[:3], "dilation=2", "return_indices=True"]:
            self.attack("pass", [f"return F.max_pool2d(torch.relu(x) * 2 - 1, 3, {window})"], IMAGE)

    def test_sums_beyond_half_precision(self):
        self.attack("self.c = nn.Conv2d(1, 3, 3).half()",
                    ["z = self.c((x[:, :1].abs() + 1).half().repeat(1, 1, 30, 20))",
                     "return z.mean((2, 3)), z.mean(3).amax(2)"], IMAGE)

    def test_convolutions(self):
        for made in CONVOLUTIONS:
            self.attack(f"self.c = {made}", [
                "z = self.c(x)",
                "return z.mean((2, 3)), z.mean(2), z.sum(0), F.avg_pool2d(z, 2), z.mean(1) * 2"],
                IMAGE)


def called_twice(source, name):
    """Outputs of two calls, and buffers behind them."""
    module = rewriting.module_of(source)
    torch.manual_seed(1)
    model, found = getattr(module, name)(), []
    state = {key: torch.randn_like(value).abs() + 0.1 if value.is_floating_point() else value
             for key, value in model.state_dict().items()}
    model.load_state_dict(state)
    if hasattr(model, "prepare"):
        model.prepare()
    inputs = module.get_inputs()
    with torch.no_grad():
        for _ in range(2):
            found += rewriting.leaves(model(*[value.clone() for value in inputs]))
            for value in inputs:
                value.reshape(-1)[3] = torch.nan
    torch.set_default_dtype(torch.float32)
    return found + [value for key, value in model.state_dict().items() if key in state]


def error(got, want):
    """As rewriting.error, of what is a number in both: a NaN must stay one, but there may be more
    of them."""
    if got.shape != want.shape or got.dtype != want.dtype or (want.isnan() & ~got.isnan()).any():
        return float("inf")
    if not want.is_floating_point():
        return 0 if torch.equal(got, want) else float("inf")
    both = ~got.isnan() & ~want.isnan()
    limit = 1 if want.dtype == torch.float64 else torch.finfo(want.dtype).eps * 1e13
    return rewriting.error(got[both], want[both]) / limit


if __name__ == "__main__":
    unittest.main()
