# task: softmax
# expect: runtime_error
# why: Dies, while a child that ignores signals keeps its output open.
# time_limit_s: 10
import os
import signal
import time

if os.fork() == 0:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(1e6)
os._exit(1)
