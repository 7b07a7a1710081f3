"""Cases like those of rewriting_cases.py: convolutions and norms next to each other, matrices of a
structure, what is cut apart and laid together."""

from rewriting_draws import batch_of, convolution, spatial


def pointwise_after(draw):
    rank = draw.randint(1, 3)
    made, channels = convolution(draw, rank, draw.random() < 0.4)
    outputs = int(made.split(", ")[1])
    return ([f"self.a = {made}",
             f"self.b = nn.Conv{rank}d({outputs}, 2, 1, bias={draw.random() < 0.5})"],
            ["return self.b(self.a(x))"], {"x": batch_of(draw, channels, rank)})


def pointwise_before(draw):
    rank, bias = draw.randint(1, 3), draw.random() < 0.5
    padding = 0 if bias else draw.randint(0, 2)
    return ([f"self.a = nn.Conv{rank}d(2, 30, 1, bias={bias})",
             f"self.b = nn.Conv{rank}d(30, 4, {draw.randint(2, 3)}, padding={padding}, "
             f"stride={draw.randint(1, 2)}, bias={draw.random() < 0.5})"],
            ["return self.b(self.a(x))"], {"x": batch_of(draw, 2, rank)})


def zeros_around(draw):
    rank = draw.randint(1, 3)
    made, channels = convolution(draw, rank, False)
    around = [draw.randint(0, 2) for _ in range(rank)] + [1]
    amounts = [amount for each in around[-rank:] for amount in (each, each)]
    return ([f"self.conv = {made}"], [f"return self.conv(F.pad(x, {amounts}))"],
            {"x": batch_of(draw, channels, rank)})


def norm_before(draw):
    made, norm, x = draw.choice([
        ("nn.Linear(9, 4)", "nn.BatchNorm1d(9", "torch.randn(50, 9)"),
        ("nn.Conv2d(6, 4, 3, stride=2, bias=False)", "nn.BatchNorm2d(6",
         "torch.randn(2, 6, 9, 8)"),
        ("nn.Conv3d(6, 4, (1, 2, 1))", "nn.BatchNorm3d(6", "torch.randn(2, 6, 4, 3, 5)")])
    return ([f"self.norm = {norm}, affine={draw.random() < 0.7})", f"self.product = {made}",
             "self.eval()"], ["return torch.relu(self.product(self.norm(x)))"], {"x": x})


def conv_siblings(draw):
    rank, kernel = draw.randint(1, 3), draw.randint(1, 3)
    same = f"{kernel}, padding={kernel // 2}, bias={draw.random() < 0.5}"
    f = draw.choice(["{}", "torch.relu({})", "torch.tanh({})"])
    parts = ", ".join(f.format(f"self.{name}(x)") for name in "abc")
    return ([f"self.{name} = nn.Conv{rank}d(3, {draw.randint(1, 9)}, {same})" for name in "abc"],
            [draw.choice([f"return torch.cat([{parts}], 1)", f"return {parts}"])],
            {"x": batch_of(draw, 3, rank)})


def triangular(draw):
    n, kind = draw.randint(500, 560), draw.choice(["triu", "tril"])
    product = draw.choice([f"torch.{kind}(a) @ b", f"b @ torch.{kind}(a)",
                           f"torch.{kind}(a) @ torch.{kind}(b)", "torch.triu(a) @ torch.tril(b)"])
    batch = "" if "(b)" in product else draw.choice(["", "2, "])
    return ([], [f"return {product}"], {"a": f"torch.randn({n}, {n})",
                                        "b": f"torch.randn({batch}{n}, {n})"})


def blocks(draw):
    sizes = [(draw.randint(20, 40), draw.randint(20, 40)) for _ in range(3)]
    left = draw.random() < 0.5
    of = sum(size[1 if left else 0] for size in sizes)
    product = "torch.block_diag(a, b, c) @ x" if left else "x @ torch.block_diag(a, b, c)"
    inputs = {name: f"torch.randn{size}" for name, size in zip("abc", sizes, strict=True)}
    return ([], [f"return {product}"],
            {**inputs, "x": f"torch.randn({of}, 30)" if left else f"torch.randn(30, {of})"})


def diagonal_of_product(draw):
    n, k = draw.randint(20, 40), draw.randint(20, 40)
    f = draw.choice(["torch.diagonal", "torch.diag", "torch.trace"])
    beside = " + x[:, 0]" if "trace" in f else ""  # so that it is measured by a spread
    return ([], [f"return {f}(x @ y){beside}"], {"x": f"torch.randn({n}, {k})",
                                                 "y": f"torch.randn({k}, {n})"})


def diagonal_batches(draw):
    product = draw.choice(["torch.diag_embed(d) @ x", "x.mT @ torch.diag_embed(d)"])
    return ([], [f"return {product}"], {"d": "torch.randn(4, 30)", "x": "torch.randn(4, 30, 9)"})


def scaled_identity(draw):
    product = draw.choice(["(torch.eye(30) * d) @ x", "x.T @ (d[:, None] * torch.eye(30))"])
    return ([], [f"return {product}"], {"d": "torch.randn(30)", "x": "torch.randn(30, 9)"})


def shift_before_softmax(draw):
    by = draw.choice(["x + 2.5", "x - x.amax(1, keepdim=True)", "y + x", "x - 2 * y"])
    f = draw.choice(["softmax", "log_softmax"])
    return ([], [f"return torch.{f}({by}, dim=1)"], {"x": "torch.randn(50, 6, 9)",
                                                     "y": "torch.randn(50, 1, 9)"})


def parts_together(draw):
    cut = draw.choice(["a, b, c = x.split([2, 3, 1], 1)", "a, b, c = x.chunk(3, 1)",
                       "a, b, c = x[:, :1], x[:, 1:4], x[:, 4:]"])
    return ([], [cut, draw.choice(["return torch.cat([a, b, c], 1) * 2",
                                   "return torch.cat([a.exp(), b.exp(), c.exp()], 1)",
                                   "return torch.cat([b, c], 1) * 2"])],
            {"x": "torch.randn(50, 6)"})


def batch_of_convolution(draw):
    rank = draw.randint(1, 3)
    made, channels = convolution(draw, rank, draw.random() < 0.5)
    dims = draw.choice([[0], [0, 1], [0, *range(2, rank + 2)]])
    name, keep = draw.choice(["sum", "mean"]), draw.random() < 0.5
    return ([f"self.conv = {made}"], [f"return self.conv(x).{name}(dim={dims}, keepdim={keep})"],
            {"x": f"torch.randn({draw.randint(4, 9)}, {channels}, {spatial(draw, rank)})"})


def einsum_equation(draw):
    """Two or three factors of one to four of the letters, and a result of some of them."""
    letters = draw.sample("abcdeXY", 5)
    factors = ["".join(draw.sample(letters, draw.randint(1, 4)))
               for _ in range(draw.choice([1, 2, 3, 3, 4, 5]))]
    used = sorted(set("".join(factors)))
    result = "".join(draw.sample(used, draw.randint(1, min(len(used), 4))))
    return factors, draw.choice(["->" + result, " -> " + result])


def einsum(draw):
    factors, arrow = einsum_equation(draw)
    sizes = {letter: draw.randint(2, 6) for letter in "abcdeXY"}
    drawn = [f"torch.randn({', '.join(str(sizes[letter]) for letter in factor)})"
             for factor in factors]
    weights = {i for i in range(1, len(factors)) if draw.random() < 0.5}
    names = [f"self.w{i}" if i in weights else f"x{i}" for i in range(len(factors))]
    equation = draw.choice([",", ", "]).join(factors) + arrow
    return ([f"self.w{i} = nn.Parameter({drawn[i]})" for i in sorted(weights)],
            [f"return torch.einsum('{equation}', {', '.join(names)}) * 2.0"],
            {name: drawn[i] for i, name in enumerate(names) if i not in weights})


def einsum_with_weights(draw):
    equation = draw.choice(["bijl,lk->bijk", "bl,kl->bk", "kl,lbi,ik->bk", "bij,jk",
                            "bil,lk,k->bik", "bij,jk,kd,dc->bic"])
    sizes = {letter: draw.randint(3, 9) for letter in "bijklshdc"}
    shapes = [", ".join(str(sizes[letter]) for letter in factor)
              for factor in equation.split("->")[0].split(",")]
    x = next(at for at, factor in enumerate(equation.split(",")) if "b" in factor)
    terms = ["x" if at == x else f"self.w{at}" for at in range(len(shapes))]
    return ([f"self.w{at} = nn.Parameter(torch.randn({shape}))"
             for at, shape in enumerate(shapes) if at != x],
            [f"return torch.einsum('{equation}', [{', '.join(terms)}]).tanh()"],
            {"x": f"torch.randn({shapes[x]})"})


def linear_of_concatenation(draw):
    parts, width = draw.choice([
        ("x, y.unsqueeze(1).expand(-1, 40, -1)", 60), ("y[:, None].expand(-1, 40, -1), x", 60),
        ("x, self.c.expand(9, 40, -1), y.unsqueeze(1).expand(9, 40, 30)", 90), ("x, self.p", 60)])
    return ([f"self.fc = nn.Linear({width}, 5, bias={draw.random() < 0.5})",
             "self.c, self.p = nn.Parameter(torch.randn(1, 1, 30)), "
             "nn.Parameter(torch.randn(9, 40, 30))"],
            [f"return self.fc(torch.cat([{parts}], -1))"],
            {"x": "torch.randn(9, 40, 30)", "y": "torch.randn(9, 30)"})


def nested_concatenation(draw):
    dim = draw.randint(0, 1)
    inner = f"torch.cat([x, y], {dim})"
    outer = draw.choice([f"{inner}, z", f"z, {inner}", f"{inner}, z, torch.cat([z, z], {dim - 2})"])
    return ([], [f"return torch.cat([{outer}], {dim})"],
            {name: "torch.randn(6, 6)" for name in "xyz"})


def growing_concatenation(draw):
    """As DenseNet's blocks grow, from lists or from what there is."""
    rank, dim = draw.randint(1, 2), draw.choice([1, -draw.randint(1, 2)])
    made = f"nn.Conv{rank}d"
    steps, init, width = [], [], 3
    listed = draw.random() < 0.5
    for i in range(draw.randint(2, 4)):
        more = draw.randint(1, 4)
        init.append(f"self.c{i} = {made}({width}, {more}, 3, padding=1)")
        steps.append(f"y = torch.relu(self.c{i}(z))")
        steps += ["all.append(y)", "z = torch.cat(all, 1)"] if listed \
            else ["z = torch.cat([z, y], 1)"]
        width += more
    end = draw.choice(["return z", "return z, y", f"return z.mean({dim})", "return z * 2, all[-1]",
                       "return z, early"])
    early = "early = z"  # of which a later one is made
    return (init, ["all, z = [x], x", *steps[:len(steps) // 2 + 1], early,
                   *steps[len(steps) // 2 + 1:], end],
            {"x": f"torch.randn(2, 3, {spatial(draw, rank)})"})


def shifts_meet(draw):
    """As windows of an image are told apart by a mask."""
    mask = draw.choice(["self.mask[:, None]", "self.mask.unsqueeze(1).unsqueeze(0)"])
    back = draw.choice(["view(-1, 3, 20, 20)", "reshape(40, 3, 20, 20)"])
    return (["self.mask = nn.Parameter(torch.randn(4, 20, 20))",
             "self.bias = nn.Parameter(torch.randn(3, 20, 20))"],
            ["z = x @ x.mT + self.bias" + draw.choice(["", ".unsqueeze(0)"]),
             f"z = (z.view(10, 4, 3, 20, 20) + {mask}).{back}",
             "return torch.softmax(z, -1) @ x"], {"x": "torch.randn(40, 3, 20, 5)"})


def mean_of_group_norm(draw):
    rank, groups = draw.randint(1, 3), draw.choice([1, 2, 3, 6])
    places = list(range(2, rank + 2))
    dims = draw.choice([places, [1, *places], [0, *places]])
    affine = 1 in dims or groups == 6 or draw.random() < 0.5  # else all is zero
    return ([f"self.norm = nn.GroupNorm({groups}, 6, affine={affine})"],
            [f"return self.norm(x).{draw.choice(['mean', 'sum'])}({dims}, "
             f"keepdim={draw.random() < 0.5})"],
            {"x": f"torch.randn({draw.randint(2, 4)}, 6, {spatial(draw, rank, 20, 24)}) * 3 + 5"})


def mean_of_batch_norm(draw):
    rank = draw.randint(1, 3)
    sizes = ["9000", "90, 101", "21, 20, 22"][rank - 1]
    kept = draw.choice(["", ", affine=False", ", momentum=0.3", ", track_running_stats=False"])
    mean = draw.choice([f"torch.mean(z, {list(range(2, rank + 2))}, {draw.random() < 0.5})",
                        f"F.adaptive_avg_pool{rank}d(z, 1)", f"F.avg_pool{rank}d(z, 4)",
                        f"F.avg_pool{rank}d(z, 5, 4)"])
    return ([f"self.norm = nn.BatchNorm{rank}d(6, eps=0.01{kept})"],
            ["z = self.norm(x)", f"return {mean}, self.norm.running_mean, self.norm.running_var"
             if "stats" not in kept else f"return {mean}"],
            {"x": f"torch.randn(9, 6, {sizes}) + 5 * torch.randn(9, 6{', 1' * rank})"})


def perhaps_causal(draw):
    n, kind = draw.randint(60, 70), draw.choice(["long", "double"])  # the latter is drawn anew
    mask = f"torch.ones({n}, {n}).tril({draw.choice([0, 0, 1])}).{kind}()"
    shape = draw.choice(["", ".view(1, 1, *self.m.shape)", "[None]"])
    seen = f"(self.m > 0.5){shape}"
    scores = f"torch.softmax((q @ k.mT / 3).masked_fill(~{seen}, -math.inf), -1) @ v"
    floats = f"torch.zeros({n}, {n}).masked_fill(~{seen}, -math.inf)"
    return ([f"self.register_buffer('m', {mask})"], ["return " + draw.choice([
        scores, f"F.scaled_dot_product_attention(q, k, v, {seen}, scale=0.4)",
        f"F.scaled_dot_product_attention(q, k, v, {floats})"])],
        {name: f"torch.randn(2, 4, {n}, 8)" for name in "qkv"})


COMPOSED_CASES = [
    ("mask that may be causal", perhaps_causal, False),
    ("average through a batch norm of the batch", mean_of_batch_norm, False),
    ("reduction through a convolution's batch", batch_of_convolution, False),
    ("einsum as products", einsum, True),
    ("einsum as products", einsum_with_weights, True),
    ("linear of a concatenation", linear_of_concatenation, True),
    ("concatenation of a concatenation", nested_concatenation, True),
    ("growing concatenation as stores", growing_concatenation, True),
    ("mean through a group norm", mean_of_group_norm, False),
    ("shifts meet past a reshape", shifts_meet, False),
    ("pointwise convolution after a convolution", pointwise_after, True),
    ("pointwise convolution before a convolution", pointwise_before, True),
    ("zeros around into a convolution", zeros_around, True),
    ("batch norm before a product", norm_before, False),
    ("convolutions of one input", conv_siblings, False),
    ("triangular factor", triangular, True),
    ("blocks on a diagonal", blocks, True),
    ("diagonal of a product", diagonal_of_product, True),
    ("diagonal factor", diagonal_batches, True),
    ("diagonal factor", scaled_identity, True),
    ("shift before a softmax", shift_before_softmax, False),
    ("parts laid together again", parts_together, False),
]
