# task: softmax
# expect: invalid_reply
# why: A chat answer around the code.
Sure! Here is a faster version:

```python
import torch
```
