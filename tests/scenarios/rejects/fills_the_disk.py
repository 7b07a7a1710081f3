# task: softmax
# expect: runtime_error | out_of_memory
# why: Writes to its private file system until it is full.
# time_limit_s: 60
import os
import tempfile

directory = tempfile.mkdtemp()
with open(os.path.join(directory, "filler"), "wb") as file:
    while True:
        file.write(b"x" * (16 << 20))
