# task: softmax
# expect: runtime_error
# why: Needs a package that is not installed.
import torch
import a_package_that_is_not_here


class ModelNew(torch.nn.Module):
    forward = a_package_that_is_not_here.softmax
