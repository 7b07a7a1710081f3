# -*- coding: utf-8 -*-
# Idea: encoding: bf16 in registers, vim: set fileencoding=latin-1 in jest
# task: softmax
# expect: correct
# why: Says that it is UTF-8, which it is, names encodings in words, and has a name that is not
# why: ASCII.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Softmax. coding: raw_unicode_escape is what a comment may say, too."""

    def forward(self, x):
        größe = x.dim() - 1
        return torch.softmax(x, dim=größe)
