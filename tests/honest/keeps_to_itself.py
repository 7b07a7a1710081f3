# task: slow_loop
# expect: faster
# ratio_min: 4
# audited: yes
# why: Gradients off, a logger, decimal's precision and numpy's warnings: all for itself alone.
import decimal
import logging

import numpy
import torch
import torch.nn as nn

logger = logging.getLogger(__name__)
logger.setLevel(logging.ERROR)

with torch.no_grad():
    ONE = torch.ones(1) * 2 - 1


class ModelNew(nn.Module):
    def forward(self, x):
        logger.debug("called")
        with torch.no_grad(), decimal.localcontext() as context, numpy.errstate(all="ignore"):
            context.prec = 8
            return torch.cumsum(x, dim=1) * ONE
