seed_run = None

def forward(self, *inputs):
    with torch.no_grad():
        if self.seed_run is None:
            self.seed_run, self.seed_graphs = {run}, {}
        key = seed_key(inputs)
        if key not in self.seed_graphs:
            {make}
        return self.seed_graphs[key](inputs)
