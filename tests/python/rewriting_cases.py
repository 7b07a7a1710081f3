"""Tasks of a few lines on which a rule of src/rewrite must fire, and some on which it must not.

A case is a function of a random.Random: lines of the constructor, lines of forward, and what draws
each input."""

from rewriting_composed_cases import COMPOSED_CASES
from rewriting_draws import batch_of, convolution, spatial
from rewriting_loop_cases import LOOP_CASES


def reduction(draw, dims, name=None):
    name = name or draw.choice(["sum", "mean"])
    return f".{name}(dim={dims}, keepdim={draw.random() < 0.5})"


def sum_through_linear(draw):
    a, b = draw.randint(20, 40), draw.randint(10, 30)
    dims = draw.choice([[-1], [0], [0, 1], [1, 2], [0, 2]])
    return ([f"self.fc = nn.Linear({a}, {b}, bias={draw.random() < 0.5})"],
            [f"return self.fc(x){reduction(draw, dims)}"],
            {"x": f"torch.randn({draw.randint(3, 9)}, {draw.randint(3, 9)}, {a})"})


def sum_through_product(draw):
    a, b, c = (draw.randint(20, 40) for _ in range(3))
    dims = draw.choice([[-1], [-2], [-2, -1]])
    return ([], [f"return torch.matmul(x, y){reduction(draw, dims)}"],
            {"x": f"torch.randn(3, {a}, {b})", "y": f"torch.randn(3, {b}, {c})"})


def sum_through_scale(draw):
    by = draw.choice(["* 3.0", "/ 4", "* y"])
    return ([], [f"return (x {by}){reduction(draw, [1])}"],
            {"x": "torch.randn(40, 300, 8)", "y": "torch.randn(40, 1, 1)"})


def sum_through_sum(draw):
    other = draw.choice(["+ 2.5", "- y", "+ y"])
    return ([], [f"return (x {other}){reduction(draw, [1])}"],
            {"x": "torch.randn(40, 300, 8)",
             "y": draw.choice(["torch.randn(8)", "torch.randn(300, 8)", "torch.randn(40, 1, 8)"])})


def sum_of_sum(draw):
    name, keep = draw.choice(["sum", "mean"]), draw.random() < 0.5
    return ([], [f"y = x.{name}(dim={draw.randint(0, 2)}, keepdim={keep})",
                 f"return y{reduction(draw, [-1], name)}"],
            {"x": f"torch.randn({draw.randint(2, 50)}, 60, {draw.randint(2, 70)}, 5)"})


def sum_through_moved(draw):
    moved, dims = draw.choice([(".transpose(1, 2)", [1]), (".transpose(0, 1)", [0, 1]),
                               (".unsqueeze(1)", [1, 2]), (".permute(2, 0, 1)", [0])])
    return (["self.fc = nn.Linear(30, 40)"],
            [f"return self.fc(x){moved}{reduction(draw, dims)}"],
            {"x": f"torch.randn({draw.randint(2, 9)}, {draw.randint(2, 9)}, 30)"})


def mean_of_convolution(draw):
    rank = draw.randint(1, 3)
    made, channels = convolution(draw, rank, draw.random() < 0.5)
    dims = list(range(2, rank + 2))
    if draw.random() < 0.3:
        dims = [1, *dims]
    return ([f"self.conv = {made}"], [f"return self.conv(x){reduction(draw, dims)}"],
            {"x": batch_of(draw, channels, rank)})


def global_pool_of_convolution(draw):
    rank = draw.randint(1, 3)
    made, channels = convolution(draw, rank, draw.random() < 0.5)
    return ([f"self.conv = {made}", f"self.pool = nn.AdaptiveAvgPool{rank}d(1)"],
            ["return self.pool(self.conv(x)).flatten(1)"], {"x": batch_of(draw, channels, rank)})


def mean_of_one_axis(draw):
    rank = draw.randint(2, 3)
    made, channels = convolution(draw, rank, draw.random() < 0.5)
    dim = draw.randint(2, rank + 1)
    return ([f"self.conv = {made}"], [f"return self.conv(x){reduction(draw, [dim])}"],
            {"x": batch_of(draw, channels, rank)})


def sum_of_channels(draw):
    rank = draw.randint(1, 3)
    made, channels = convolution(draw, rank, draw.random() < 0.5)
    return ([f"self.conv = {made}"], [f"return self.conv(x){reduction(draw, [1])}"],
            {"x": batch_of(draw, channels, rank)})


def pool_of_convolution(draw):
    rank = draw.randint(1, 3)
    window = draw.randint(2, 4)
    kernel = draw.randint(1, 3)
    return ([f"self.conv = nn.Conv{rank}d(3, 12, {kernel}, padding={draw.randint(0, kernel)})",
             f"self.pool = nn.AvgPool{rank}d({window})"],
            ["return self.pool(self.conv(x))"],
            {"x": f"torch.randn(2, 3, {spatial(draw, rank, 12, 19)})"})


def pool_of_transposed(draw):
    rank, stride, kernel = draw.randint(1, 3), draw.randint(1, 3), draw.randint(1, 5)
    padding = draw.randint(0, kernel - 1)
    times = draw.randint(1, 2)
    window = draw.randint(1, 2 * stride * times)
    extra = draw.randint(0, stride - 1)
    return ([f"self.conv = nn.ConvTranspose{rank}d(3, 12, {kernel}, stride={stride}, "
             f"padding={padding}, output_padding={extra})",
             f"self.pool = nn.AvgPool{rank}d({window}, stride={stride * times})"],
            ["return self.pool(self.conv(x))"],
            {"x": f"torch.randn(2, 3, {spatial(draw, rank, 7, 12)})"})


def pool_of_features(draw):
    window = draw.randint(2, 5)
    return ([f"self.fc = nn.Linear(20, {draw.randint(20, 41)}, bias={draw.random() < 0.5})",
             f"self.pool = nn.AvgPool1d({window})"],
            ["return self.pool(self.fc(x).unsqueeze(1)).squeeze(1)"], {"x": "torch.randn(9, 20)"})


def max_of_max(draw):
    rank = draw.randint(1, 3)
    first, second = draw.randint(2, 3), draw.randint(2, 3)
    stride = draw.randint(1, first)
    return ([f"self.a = nn.MaxPool{rank}d({first}, {stride})",
             f"self.b = nn.MaxPool{rank}d({second})"],
            ["return self.b(self.a(x))"],
            {"x": f"torch.randn(8, 9, {spatial(draw, rank, 15, 20)})"})


def mean_of_mean(draw):
    rank = draw.randint(1, 3)
    return ([f"self.a = nn.AvgPool{rank}d({draw.randint(2, 3)})",
             f"self.b = nn.AvgPool{rank}d({draw.randint(2, 3)}, {draw.randint(1, 3)})"],
            ["return self.b(self.a(x))"],
            {"x": f"torch.randn(8, 9, {spatial(draw, rank, 15, 20)})"})


def rising_behind_pool(draw):
    f = draw.choice(["torch.relu(x)", "torch.tanh(x)", "torch.sigmoid(x)", "x * 2.5", "x - 1",
                     "F.leaky_relu(x, 0.1)", "torch.clamp(x, -1.0, 1.0)"])
    pool = draw.choice(["F.max_pool2d({}, 2)", "torch.amax({}, dim=[2, 3])"])
    return ([], [f"return {pool.format(f)}"], {"x": f"torch.randn(9, 9, {spatial(draw, 2)})"})


def scale_into_weights(draw):
    kind = draw.choice(["linear", "conv", "transposed"])
    by = draw.choice(["* 0.3", "/ 7.0", "* self.c", "/ self.c"])
    if kind == "linear":
        return ([f"self.fc = nn.Linear(9, 11, bias={draw.random() < 0.5})",
                 "self.c = nn.Parameter(torch.rand(11) + 0.5)"], [f"return self.fc(x) {by}"],
                {"x": "torch.randn(5, 4, 9)"})
    made = "nn.Conv2d(3, 4, 3)" if kind == "conv" else "nn.ConvTranspose2d(3, 4, 3)"
    return ([f"self.conv = {made}", "self.c = nn.Parameter(torch.rand(4, 1, 1) + 0.5)"],
            [f"return self.conv(x) {by}"], {"x": f"torch.randn(2, 3, {spatial(draw, 2)})"})


def shift_into_bias(draw):
    by = draw.choice(["+ 0.3", "- self.c", "+ self.c"])
    bias = by == "+ 0.3" or draw.random() < 0.5
    return ([f"self.conv = nn.Conv2d(3, 4, 3, bias={bias})",
             "self.c = nn.Parameter(torch.randn(1, 4, 1, 1))"],
            [f"return self.conv(x) {by}"], {"x": f"torch.randn(2, 3, {spatial(draw, 2)})"})


def norm_into_weights(draw):
    kind = draw.choice(["linear", "conv", "transposed"])
    made, norm, x = {
        "linear": ("nn.Linear(9, 4)", "nn.BatchNorm1d(4", "torch.randn(5, 9)"),
        "conv": ("nn.Conv2d(6, 4, 3, groups=2, bias=False)", "nn.BatchNorm2d(4",
                 "torch.randn(2, 6, 9, 8)"),
        "transposed": ("nn.ConvTranspose2d(3, 4, 3)", "nn.BatchNorm2d(4",
                       "torch.randn(2, 3, 9, 8)"),
    }[kind]
    affine = draw.random() < 0.7
    return ([f"self.product = {made}", f"self.norm = {norm}, affine={affine})", "self.eval()"],
            ["return torch.relu(self.norm(self.product(x)))"], {"x": x})


def before_linear(draw):
    sign = draw.choice(["*", "+"])
    return (["self.fc = nn.Linear(9, 11)", "self.c = nn.Parameter(torch.randn(9))"],
            [f"return self.fc(x {sign} self.c)"], {"x": "torch.randn(50, 9)"})


def like_terms(draw):
    return (["self.fc = nn.Linear(9, 11)"],
            ["y = self.fc(x)", draw.choice(["return y * 0.5 + y", "return y + y * 3",
                                            "return y + y"])],
            {"x": "torch.randn(50, 9)"})


def constants_meet(draw):
    return ([], [draw.choice(["return x * 3 / 2", "return x + 1.5 - 4", "return x / 4 * 0.3"])],
            {"x": "torch.randn(50, 9)"})


def diagonal_factor(draw):
    product = draw.choice(["torch.diag(d) @ x", "x.T @ torch.diag(d)",
                           "torch.matmul(torch.diag(d), x)"])
    n = draw.randint(20, 60)
    return ([], [f"return {product}"],
            {"d": f"torch.randn({n})", "x": f"torch.randn({n}, {draw.randint(2, 50)})"})


def triangle(draw):
    n = draw.randint(256, 300)
    return ([], [f"return torch.{draw.choice(['triu', 'tril'])}(torch.matmul(a, b))"],
            {"a": f"torch.randn({n}, 2000)", "b": f"torch.randn(2000, {n})"})


def linear_after_linear(draw):
    return ([f"self.a = nn.Linear(9, 50, bias={draw.random() < 0.5})",
             f"self.b = nn.Linear(50, 7, bias={draw.random() < 0.5})"],
            ["return self.b(self.a(x))"], {"x": "torch.randn(30, 9)"})


def other_order(draw):
    product = draw.choice(["(a @ b) @ v", "v.T @ (b @ a)"])
    n = draw.randint(80, 99)
    return ([], [f"return {product}"], {"a": f"torch.randn({n}, {n})",
                                        "b": f"torch.randn({n}, {n})",
                                        "v": f"torch.randn({n}, 2)"})


def siblings(draw):
    bias = draw.random() < 0.5
    return ([f"self.a = nn.Linear(9, 5, bias={bias})", f"self.b = nn.Linear(9, 6, bias={bias})",
             f"self.c = nn.Linear(9, 4, bias={bias})"],
            ["return self.a(x), torch.tanh(self.b(x)), self.c(x)"], {"x": "torch.randn(30, 9)"})


def activation(draw):
    text = draw.choice([
        "x * torch.sigmoid(x)", "torch.sigmoid(x) * x", "x * torch.tanh(F.softplus(x))",
        "x * torch.clamp((x + 3) / 6, 0, 1)", "x * F.relu6(x + 3) / 6", "x * (F.relu6(x + 3) / 6)",
        "F.hardsigmoid(x) * x",
        "0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * "
        "(x + 0.044715 * torch.pow(x, 3.0))))"])
    return ([], ["x = x * 4", f"return {text}"], {"x": "torch.randn(50, 6)"})


def mean_beside(draw):
    rank = draw.randint(2, 3)
    made, channels = convolution(draw, rank, True, stride=2)
    dims = list(range(2, rank + 2))
    return ([f"self.conv = {made}"],
            ["z = self.conv(x)", f"return z - torch.mean(z, dim={dims}, keepdim=True)"],
            {"x": batch_of(draw, channels, rank)})


def product_as_linear(draw):
    return (["self.weight = nn.Parameter(torch.randn(9, 40))"],
            [f"return (x @ self.weight){reduction(draw, [1])}"], {"x": "torch.randn(30, 9)"})


def scale_of_product(draw):
    by, n = draw.choice(["* 0.3", "/ 7.0"]), draw.randint(30, 40)
    return ([], [f"return torch.tanh((x @ y.mT) {by})"],
            {"x": f"torch.randn(2, {n}, 5)", "y": f"torch.randn(2, {draw.randint(20, 50)}, 5)"})


def part_of_product(draw):
    part = draw.choice(["[:, -1]", "[:, 1:3]", "[..., :4]", "[0]", "[:, ::2]"])
    return (["self.fc = nn.Linear(9, 20)"], [f"return self.fc(x){part}"],
            {"x": "torch.randn(5, 6, 9)"})


def part_of_matrices(draw):
    part = draw.choice(["[:, -1]", "[:, 1:3]", "[..., :4]"])
    return ([], [f"return (x @ y){part}"], {"x": "torch.randn(5, 20, 9)",
                                            "y": "torch.randn(5, 9, 30)"})


def part_of_elementwise(draw):
    f, part = draw.choice(["tanh", "exp"]), draw.choice(["[:, 1]", "[:3]"])
    return ([], [f"return torch.{f}(x * y){part}"],
            {"x": "torch.randn(50, 6, 9)", "y": "torch.randn(50, 6, 9)"})


def part_of_attention(draw):
    mask = draw.choice(["", ", attn_mask=self.mask", ", attn_mask=self.mask[:1]",
                        ", attn_mask=self.mask > 0"])
    part = draw.choice(["[:, 0]", "[:, -3:]", "[:, 1::4]", "[:, :, :7].transpose(0, 1)[0]"])
    back = draw.choice([".reshape(2, 20, 24)", ".flatten(2)", " * 1.0", ".unflatten(3, (4, 2))"])
    return ([f"self.{name} = nn.Linear(24, 24)" for name in "qkvo"]
            + ["self.mask = nn.Parameter(torch.randn(20, 20))"],
            ["q, k, v = (f(x).view(2, 20, 3, 8).transpose(1, 2) for f in (self.q, self.k, self.v))",
             f"y = F.scaled_dot_product_attention(q, k, v{mask}).permute(0, 2, 1, 3){back}",
             f"return y{part}"],
            {"x": "torch.randn(2, 20, 24)"})


def part_of_rows(draw):
    return (["self.norm = nn.LayerNorm(9)"], ["return self.norm(x)[:, 0]"],
            {"x": "torch.randn(50, 6, 9)"})


def part_of_cat(draw):
    return ([], ["z = torch.cat([x, y], dim=1)",
                 f"return torch.exp(z[:, {draw.choice([':6', '6:', '7:9'])}])"],
            {"x": "torch.randn(5, 6)", "y": "torch.randn(5, 9)"})


def attention(draw):
    scores = draw.choice(["q @ k.transpose(-2, -1) / 3.0", "(q * 0.3) @ k.transpose(-2, -1)",
                          "q @ k.transpose(-2, -1) * 0.2 + mask",
                          "(q @ k.mT * 0.2).masked_fill(self.hidden, float('-inf'))",
                          "(q / 4.0) @ k.mT * self.heads.exp() + mask",
                          "(q @ k.mT) * q.sum(-1, keepdim=True) / 9.0"])
    return (["self.register_buffer('hidden', torch.triu(torch.ones(9, 9), 1).bool())",
             "self.heads = nn.Parameter(torch.randn(3, 1, 1))"],
            [f"return torch.softmax({scores}, dim=-1) @ v"],
            {"q": "torch.randn(2, 3, 9, 8)", "k": "torch.randn(2, 3, 9, 8)",
             "v": f"torch.randn(2, 3, 9, {draw.randint(4, 9)})", "mask": "torch.randn(9, 9)"})


def scale_past_rectifier(draw):
    f = draw.choice(["torch.relu(z)", "F.leaky_relu(z, -0.2)", "torch.abs(z)",
                     "torch.clamp(z, -0.3, 0.4)", "torch.clamp(z, min=-1.5)", "F.relu6(z)",
                     "F.hardtanh(z)"])
    made, x = draw.choice([("nn.Linear(9, 30)", "torch.randn(40, 9)"),
                           ("nn.ConvTranspose2d(3, 4, 3, bias=False)", "torch.randn(2, 3, 9, 8)")])
    return ([f"self.product = {made}"],
            ["z = self.product(x)", f"return {f} {draw.choice(['* 3.0', '/ 0.7'])}"], {"x": x})


def clamp_of_scaled_clamp(draw):
    low, high = sorted(draw.uniform(-1, 1) for _ in range(2))
    outer = draw.choice([f"torch.clamp(z, {low}, {high})", f"torch.clamp(z, max={high})",
                         "F.relu6(z)"])
    inner = draw.choice(["torch.clamp(x, -0.5, 0.25)", "torch.clamp(x, min=0.1)", "F.hardtanh(x)"])
    return ([], [f"z = {inner} {draw.choice(['* 2.0', '/ 0.3'])}", f"return {outer} / 2"],
            {"x": "torch.randn(50, 9)"})


def rectifiers_meet(draw):
    outer = draw.choice(["F.leaky_relu(z, 0.3)", "torch.relu(z)", "F.leaky_relu(z, 0.0)"])
    return ([], ["z = F.leaky_relu(x, 0.2)", f"return {outer}"], {"x": "torch.randn(50, 9)"})


def out_of_pool(draw):
    pool = draw.choice(["F.max_pool2d(z, 3, 2, padding=1)", "F.avg_pool2d(z, 2)"])
    by = ["x + self.c", "x - self.c", "self.c + x", "x + y", "x - 1.5"]
    if "avg" in pool:
        by += ["x * self.c", "x / 3", "y * x"]
    return (["self.c = nn.Parameter(torch.rand(4, 1, 1) + 0.5)"],
            ["x = torch.sin(x)", f"z = {draw.choice(by)}", f"return {pool}"],
            {"x": f"torch.randn(2, 4, {spatial(draw, 2)})", "y": "torch.randn(2, 1, 1, 1)"})


def into_norm(draw):
    norm, c, x = draw.choice([
        ("nn.BatchNorm2d(4)", "4, 1, 1", "torch.randn(3, 4, 9, 8)"),
        ("nn.BatchNorm1d(9)", "9", "torch.randn(50, 9)"),
        ("nn.GroupNorm(2, 4)", "1, 4, 1, 1", "torch.randn(2, 4, 9, 8)"),
        ("nn.InstanceNorm2d(4, affine=True)", "4, 1, 1", "torch.randn(2, 4, 9, 8)"),
        ("nn.LayerNorm(9)", "1, 9", "torch.randn(50, 9)")])
    by = draw.choice(["* self.c", "/ 3", "+ self.c", "- 0.5", "- self.c", "/ self.c"])
    return ([f"self.norm = {norm}", f"self.c = nn.Parameter(torch.rand({c}) + 0.5)"],
            [f"return torch.tanh(self.norm(x) {by})"], {"x": x})


def transposed_as_phases(draw):
    rank = draw.randint(1, 3)
    stride, kernel = draw.randint(2, 3), draw.randint(1, 5)
    extra = draw.randint(0, stride - 1)
    return ([f"self.conv = nn.ConvTranspose{rank}d(4, {draw.randint(1, 4)}, "
             f"{kernel}, stride={stride}, padding={draw.randint(0, kernel - 1)}, "
             f"output_padding={extra}, bias={draw.random() < 0.7})"],
            ["return self.conv(x)"],
            {"x": f"torch.randn(2, 4, {spatial(draw, rank, 4, 7)})"})


def channels_padded(draw):
    rank, channels = draw.randint(1, 3), draw.choice([1, 3, 7, 9])
    return ([f"self.conv = nn.Conv{rank}d({channels}, 4, 3, padding=1, stride=2)"],
            ["return self.conv(x)"], {"x": f"torch.randn(2, {channels}, {spatial(draw, rank)})"})


def no_effect(text, init=()):
    return lambda draw: (list(init), [f"return {text}"], {"x": "torch.randn(6, 5)"})


# Rule, task, whether small integers come out exactly.
CASES = [
    *LOOP_CASES,
    *COMPOSED_CASES,
    ("reduction through linear", sum_through_linear, False),
    ("reduction through a product", sum_through_product, False),
    ("reduction through a scale", sum_through_scale, False),
    ("reduction through a sum", sum_through_sum, False),
    ("reduction of a reduction", sum_of_sum, False),
    ("reduction through moved axes", sum_through_moved, False),
    ("reduction through all places of a convolution", mean_of_convolution, False),
    ("reduction through all places of a convolution", global_pool_of_convolution, False),
    ("reduction through one axis of a convolution", mean_of_one_axis, False),
    ("reduction through a convolution's channels", sum_of_channels, False),
    ("average pool of a convolution", pool_of_convolution, False),
    ("average pool of a transposed convolution", pool_of_transposed, False),
    ("average pool of a product's features", pool_of_features, False),
    ("max pool of a max pool", max_of_max, True),
    ("average pool of an average pool", mean_of_mean, False),
    ("rising function behind a maximum", rising_behind_pool, True),
    ("scale into weights", scale_into_weights, False),
    ("shift into bias", shift_into_bias, False),
    ("batch norm into weights", norm_into_weights, False),
    ("scale or shift before linear", before_linear, True),
    ("scale past a rectifier into weights", scale_past_rectifier, False),
    ("clamp of a scaled clamp", clamp_of_scaled_clamp, False),
    ("rectifiers meet", rectifiers_meet, False),
    ("scale or shift out of a pool", out_of_pool, False),
    ("scale or shift into a norm", into_norm, False),
    ("view of the same", no_effect("x.exp().clone() * x"), False),
    ("like terms", like_terms, False),
    ("constants meet", constants_meet, False),
    ("diagonal factor", diagonal_factor, True),
    ("triangle of a product", triangle, True),
    ("linear after linear", linear_after_linear, True),
    ("products in another order", other_order, True),
    ("products of one input", siblings, False),
    ("place of a stack", no_effect("torch.stack([x.sin(), x.cos()], 1)[:, 1] * 2"), False),
    ("reduction through all places of a convolution", mean_beside, False),
    ("product with weights as linear", product_as_linear, False),
    ("scale of a product", scale_of_product, False),
    ("part of a product", part_of_product, True),
    ("part of a product of matrices", part_of_matrices, True),
    ("part of an elementwise result", part_of_elementwise, False),
    ("part of a norm by rows", part_of_rows, False),
    ("part of attention", part_of_attention, False),
    ("part of a product past views", part_of_attention, False),
    ("part of a concatenation", part_of_cat, False),
    ("attention written out", attention, False),
    ("activation written out", activation, False),
    ("neutral operand", no_effect("torch.exp(x * 1 + 0) / 1.0"), False),
    ("dropout in inference", no_effect("self.d(x) * 2 * 1", ["self.d = nn.Dropout(0.5)",
                                                             "self.eval()"]),
     True),
    ("view of the same", no_effect("x.reshape(6, 5).exp() * 1"), False),
    ("reshape of a reshape", no_effect("x.reshape(30).reshape(3, 10).exp() * 1"), False),
    ("reshape behind a map", no_effect("torch.relu((x * 2).reshape(30)) * 1"), True),
    ("permutations that cancel", no_effect("x.t().transpose(0, 1).exp() * 1"), False),
    ("reduction of one element", no_effect("x.sum(1, keepdim=True).mean(1, keepdim=True) * 2"),
     True),
    ("reduction of one element",
     no_effect("torch.logsumexp(x.sum(1, keepdim=True), 1, keepdim=True)"), False),
    ("extreme of one element", no_effect("torch.max(x.sum(1, keepdim=True), dim=1)[0] * 2"), True),
    ("idempotent operator", no_effect("torch.floor(torch.floor(x * 3))"), True),
    ("bias before an instance norm",
     lambda draw: (["self.conv = nn.Conv2d(3, 4, 3)", "self.norm = nn.InstanceNorm2d(4)"],
                   ["return self.norm(self.conv(x))"], {"x": "torch.randn(2, 3, 8, 7)"}), False),
    ("computed before", no_effect("torch.exp(x) + 2 * torch.exp(x)"), False),
    ("clamp that cannot act", no_effect("torch.relu(torch.sigmoid(x))"), True),
    ("clamp that cannot act", no_effect("F.leaky_relu(torch.relu(x), 0.1)"), True),
    ("clamp of a clamp", no_effect("torch.clamp(torch.clamp(x, -0.5, 2.0), 0.1, 0.7)"), True),
    ("transposed convolution as a convolution",
     lambda draw: ([f"self.conv = nn.ConvTranspose2d(3, 4, 3, dilation={draw.randint(1, 2)})"],
                   ["return self.conv(x)"], {"x": "torch.randn(2, 3, 8, 7)"}), True),
    ("transposed convolution as its phases", transposed_as_phases, True),
    ("channels padded", channels_padded, True),
    ("1-d convolution as 2-d",
     lambda draw: ([f"self.conv = nn.Conv{draw.choice(['', 'Transpose'])}1d(4, 6, 3, stride=2, "
                    "dilation=2, groups=2)"], ["return self.conv(x)"],
                    {"x": "torch.randn(2, 4, 17)"}),
     True),
    ("pointwise convolution as a product",
     lambda draw: ([f"self.conv = nn.Conv2d(3, 4, 1, bias={draw.random() < 0.5})"],
                   ["return self.conv(x)"], {"x": "torch.randn(2, 3, 8, 7)"}), True),
    ("grouped pointwise convolution as batched products",
     lambda draw: (["self.conv = nn.Conv2d(6, 8, 1, groups=2)"], ["return self.conv(x)"],
                   {"x": "torch.randn(2, 6, 8, 7)"}), True),
]
