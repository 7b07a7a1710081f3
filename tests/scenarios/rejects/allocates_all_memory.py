# task: softmax
# expect: out_of_memory
# why: Fills memory until there is none left.
# time_limit_s: 60
import torch

kept = []
while True:
    kept.append(torch.ones(64 << 20))
