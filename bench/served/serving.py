"""What the programs of this package share: some batches, one in five of them of another size."""

import torch

CALLS, SINGLE_EVERY = 40, 5


def serve(model, call, tokens, batch):
    with torch.no_grad():
        for i in range(CALLS):
            call(model, tokens(1 if i % SINGLE_EVERY == 0 else batch))
