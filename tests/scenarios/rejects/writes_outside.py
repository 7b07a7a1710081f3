# task: softmax
# expect: runtime_error
# why: Opens a file of the Python installation for writing; in the jail that is read-only.
import os

import torch

# Nothing is written, so that an unjailed run does no harm either.
open(os.path.join(os.path.dirname(torch.__file__), "functional.py"), "r+b").close()
