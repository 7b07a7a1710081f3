"""Trains the encoder for a moment and writes encoder.pt: `python -m served.train`."""

import torch
import torch.nn.functional as F

from served.encoder import Encoder
from served.serve import LENGTH, WEIGHTS, causal, tokens

STEPS, BATCH = 60, 16


def main():
    torch.manual_seed(0)
    model = Encoder()
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    for _ in range(STEPS):
        batch = tokens(BATCH)
        logits = model(batch, bias=causal(LENGTH)).logits[:, :-1]
        loss = F.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    torch.save(model.state_dict(), WEIGHTS)


if __name__ == "__main__":
    main()
