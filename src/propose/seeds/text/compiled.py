seed_run = None

def forward(self, *inputs):
    with torch.no_grad():
        if self.seed_run is None:
            return self.seed_compile(*inputs)
        return self.seed_run(*inputs)

def seed_compile(self, *inputs):
    """The first call."""
