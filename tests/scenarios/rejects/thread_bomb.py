# task: softmax
# expect: runtime_error | timeout | out_of_memory
# why: Starts threads without end.
# time_limit_s: 5
import threading
import time

while True:
    threading.Thread(target=time.sleep, args=(1e6,), daemon=True).start()
