"""Serves a small residual network of `timm` with weights that nobody trained."""

import timm
import torch

from served.serving import serve

BATCH, SIZE = 2, 96


def tokens(batch):
    return torch.randn(batch, 3, SIZE, SIZE)


def model():
    torch.manual_seed(0)
    return timm.create_model("test_resnet", pretrained=False).eval()


def call(module, batch):
    return [module(batch)]


if __name__ == "__main__":
    serve(model(), call, tokens, BATCH)
