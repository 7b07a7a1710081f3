"""Texts of small tasks that a referee is asked about."""

LINEAR = """
    import torch

    class Model(torch.nn.Module):
        def __init__(self, width):
            super().__init__()
            self.linear = torch.nn.Linear(width, 3)
            self.register_buffer("scale", torch.full((3,), 2.0), persistent=False)

        def forward(self, x):
            return self.linear(x) * self.scale

    def get_inputs():
        return [torch.rand(5, 4)]

    def get_init_inputs():
        return [4]
"""
TRANSPOSED = """
    import torch

    class Model(torch.nn.Module):
        def forward(self, pair, factor, table):
            return {"product": pair[0] @ pair[1] * factor, "rows": (table["i"] + 1,)}

    def get_inputs():
        return [[torch.rand(6, 4).T, torch.rand(6, 6)[:, :3]], 2.0 + torch.rand(()).item(),
                {"i": torch.randint(0, 9, (7,))}]
"""
NORM = """
    import torch

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.norm = torch.nn.LayerNorm(4)

        def forward(self, x):
            return self.norm(x)

    def get_inputs():
        return [torch.rand(5, 4)]
"""
# The first row of x is as near to one code as to another.
NEAREST = """
    import torch

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("codes", torch.tensor([[0.0, 0.0], [2.0, 0.0], [0.0, 5.0]]))

        def forward(self, x):
            return self.codes[(x[:, None] - self.codes).square().sum(2).argmin(1)]

    def get_inputs():
        x = 0.1 * torch.rand(64, 2)
        x[0] = torch.tensor([1.0, 0.7])
        return [x]
"""
