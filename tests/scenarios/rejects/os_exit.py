# task: softmax
# expect: runtime_error
# why: os._exit(0) while it is imported.
import os

os._exit(0)
