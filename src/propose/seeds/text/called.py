seed_run = None

def forward(self, *inputs):
    with torch.no_grad():
        if self.seed_run is None:
            self.seed_run = {run}
        return {output}
