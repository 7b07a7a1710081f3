# task: softmax
# expect: timeout
# why: Sleeps forever while it is imported.
# time_limit_s: 5
import time

time.sleep(1e6)
