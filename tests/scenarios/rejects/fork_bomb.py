# task: softmax
# expect: runtime_error | timeout | out_of_memory
# why: Forks without end.
# time_limit_s: 5
import os

while True:
    os.fork()
