# task: linear
# expect: invalid_reply | runtime_error
# why: Derives ModelNew from whatever Model some module of the process holds.
# why: No host holds the task's module, unless it runs it.
import sys

import torch.nn as nn

found = [vars(module)["Model"] for module in list(sys.modules.values())
         if isinstance(vars(module).get("Model", None), type)]
found += [kind for kind in nn.Module.__subclasses__() if kind.__name__ == "Model"]


class ModelNew(found[0]):
    pass
