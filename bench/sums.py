#!/usr/bin/env python3
"""What sums in float32 are off by: the table of docs/equality.md on sums in order.

    scripts/python.sh bench/sums.py [--terms 1024,4096,16384,65536,262144] [--rows 256]

For each length and for terms of one sign (uniform on [0, 1)) and of both (normal), the rms error
of three ways to add up, as a multiple of that of torch.sum, which adds in pairs: a product with
ones, in order, and of terms that were rounded to TF32 first. Fixed seed; needs torch alone.
"""

import argparse

import torch

TF32_BITS_DROPPED = 13
KINDS = {"one": torch.rand, "both": torch.randn}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--terms", default="1024,4096,16384,65536,262144")
    parser.add_argument("--rows", type=int, default=256, help="sums of each length")
    options = parser.parse_args()
    generator = torch.Generator().manual_seed(1)
    print(f"{'terms':>8} {'signs':>5} {'product':>8} {'in order':>8} {'TF32':>8}")
    for terms in map(int, options.terms.split(",")):
        for signs, draw in KINDS.items():
            values = draw(options.rows, terms, generator=generator)
            product, in_order, rounded = multiples(values)
            print(f"{terms:8} {signs:>5} {product:8.1f} {in_order:8.1f} {rounded:8.1f}",
                  flush=True)


def multiples(values):
    """rms errors of the sums along the last dimension, as multiples of torch.sum's."""
    wanted = values.double().sum(1)
    ways = (values.sum(1), (values @ torch.ones(values.shape[1], 1)).squeeze(1),
            in_order(values), to_tf32(values).double().sum(1))
    reference, *others = ((way.double() - wanted).square().mean().sqrt().item() for way in ways)
    return [other / reference for other in others]


def in_order(values):
    total = torch.zeros(values.shape[0])
    for column in values.t().contiguous():
        total += column
    return total


def to_tf32(values):
    """Ten bits of mantissa, ties to even."""
    bits = values.view(torch.int32)
    odd = (bits >> TF32_BITS_DROPPED) & 1
    half = (1 << (TF32_BITS_DROPPED - 1)) - 1
    return ((bits + half + odd) & -(1 << TF32_BITS_DROPPED)).view(torch.float32)


if __name__ == "__main__":
    main()
