# task: softmax
# expect: invalid_reply
# why: A C++ kernel where a Python module is due.
#include <cmath>

void softmax(const float* x, float* y, int n) {
  for (int i = 0; i < n; ++i) y[i] = std::exp(x[i]);
}
