// What a reader of a candidate should know, found by scanning its text. Triage, not proof: a label
// neither rejects nor acquits, and a program that hides what it does has none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cupel::propose {

struct Label {
  std::string label;
  int line = 0;  // of the first place, counted from 1
};

// "calls the reference", "falls back in except", "side streams", "threads or processes",
// "patches torch", "only torch.compile", "torch.compile", "cpp_kernel", "cuda_kernel",
// "load_inline", "triton", "CUDA graph", "lower precision", "reads addresses", "looks at its
// surroundings". In that order, each at most once. Pure; starts no Python; linear.
std::vector<Label> labels_of(std::string_view source);

}  // namespace cupel::propose
