"""Those of tests/python/rewriting_cases.py that are loops over places, written out."""


def same_at_places(draw):
    places = draw.choice(["[x[:, i] for i in range(12)]", "x.unbind(1)", "x.transpose(0, 1)"])
    return ([f"self.a = nn.Linear(9, 9, bias={draw.random() < 0.5})", "self.b = nn.Linear(9, 9)"],
            ["h = torch.zeros_like(x[:, 0])", f"for each in {places}:",
             "    h = torch.tanh(self.a(each) + self.b(h))", "return h"],
            {"x": "torch.randn(3, 12, 9)"})


def places_of(draw, steps):
    """A tensor (3, steps, 9)'s places, in one of the ways in which loops take them."""
    return draw.choice([f"[x[:, i] for i in range({steps})]", "x.unbind(1)",
                        f"[x[:, i] for i in range({steps - 1}, -1, -1)]", "x.transpose(0, 1)"])


def function_at_places(draw):
    f = draw.choice(["torch.relu(each)", "self.norm(each)", "each * 0.5", "torch.tanh(each)"])
    return (["self.b = nn.Linear(9, 9)", "self.norm = nn.LayerNorm(9)"],
            ["h = torch.zeros_like(x[:, 0])", f"for each in {places_of(draw, 12)}:",
             f"    h = torch.sin(self.b(h)) + {f}", "return h"], {"x": "torch.randn(3, 12, 9)"})


def sliced_places(draw):
    pieces = draw.choice(["x.split(1, dim=1)", "x.chunk(12, dim=1)",
                          "[x[:, i:i + 1] for i in range(12)]"])
    return (["self.a = nn.Linear(9, 9)", "self.b = nn.Linear(9, 9, bias=False)"],
            ["h = torch.zeros_like(x[:, :1])", f"for each in {pieces}:",
             "    h = torch.tanh(self.a(each) * self.b(h))", "return h"],
            {"x": "torch.randn(3, 12, 9)"})


def joined_at_places(draw):
    order = draw.choice(["each, h", "h, each", "h, each, g"])
    width = 17 if "g" in order else 13
    return ([f"self.a = nn.Linear({width}, 4, bias={draw.random() < 0.7})"],
            ["h = x[:, 0, :4] * 0", "out = []", f"for each in {places_of(draw, 12)}:",
             f"    h = torch.tanh(self.a(torch.cat([{order}], dim=-1)))", "    out.append(h)",
             draw.choice(["return torch.stack(out, 1)", "return h"])],
            {"x": "torch.randn(3, 12, 9)", "g": "torch.randn(3, 4)"})


def added_at_places(draw):
    both = draw.choice(["self.a(each) + self.b(h)", "self.b(h) + self.a(each)"])
    return ([f"self.a = nn.Linear(9, 7, bias={draw.random() < 0.5})",
             f"self.b = nn.Linear(7, 7, bias={draw.random() < 0.5})"],
            ["h = torch.zeros_like(x[:, 0, :7])", f"for each in {places_of(draw, 12)}:",
             f"    h = torch.tanh({both})", "return h"], {"x": "torch.randn(3, 12, 9)"})


def weight_behind_loop(draw):
    end = draw.choice(["torch.stack(out, 1)", "torch.stack(out)", "torch.cat(out, 0)"])
    f = draw.choice(["self.c(h)", "torch.sigmoid(h)"])
    return (["self.b = nn.Linear(9, 9)", "self.c = nn.Linear(9, 5)"],
            ["out, h = [], x", "for i in range(6):", "    h = torch.tanh(self.b(h))",
             f"    out.append({f})", f"return {end}"], {"x": "torch.randn(4, 9)"})


def cells(draw):
    kind = draw.choice(["LSTM", "GRU", "RNN"])
    steps, low, high = 9, draw.randint(0, 2), draw.randint(6, 9)
    first = draw.random() < 0.5
    order = f"range({low}, {high})" if draw.random() < 0.6 else f"range({high - 1}, {low - 1}, -1)"
    more = ", nonlinearity='relu'" if kind == "RNN" and draw.random() < 0.5 else ""
    layers = [f"self.a = nn.{kind}Cell(5, 7, bias={draw.random() < 0.7}{more})"]
    step = ["h, c = self.a(each, (h, c))"] if kind == "LSTM" else ["h = self.a(each, h)"]
    if draw.random() < 0.5:
        layers.append("self.b = nn.GRUCell(7, 7)")
        step.append("g = self.b(h, g)")
    last = ["g"] if len(step) > 1 else ["h", *(["c"] if kind == "LSTM" else [])]
    kept = "torch.stack(out, 1)" if draw.random() < 0.5 else "out[-1]"
    return (layers, ["out = []", f"for t in {order}:",
                     f"    each = x[{'t' if first else ':, t'}]", *["    " + s for s in step],
                     f"    out.append({last[0]})", f"return {kept}, {', '.join(last)}"],
            {"x": f"torch.randn({steps}, 3, 5)" if first else f"torch.randn(3, {steps}, 5)",
             "h": "torch.randn(3, 7)", "c": "torch.randn(3, 7)", "g": "torch.randn(3, 7)"})


def laid_again(draw):
    end = draw.choice(["torch.stack([z[:, i] for i in range(5)], 1)",
                       "torch.stack([z[:, i] for i in range(1, 4)], 1)",
                       "torch.cat(z.split(1, 1), 1)"])
    return ([], ["z = torch.sin(x)", f"return torch.exp({end})"], {"x": "torch.randn(6, 5, 4)"})


LOOP_CASES = [
    ("one weight at many places", same_at_places, False),
    ("one weight at many places", sliced_places, False),
    ("one function at many places", function_at_places, False),
    ("one weight at many places, beside a state", joined_at_places, False),
    ("product added at many places", added_at_places, False),
    ("one weight behind a loop", weight_behind_loop, False),
    ("recurrent cells as one operator", cells, False),
    ("places laid together again", laid_again, False),
]
