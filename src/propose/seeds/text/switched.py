def __call__(self, *inputs):
    with SeedSwitches():
        return super().__call__(*inputs)
