// What `--inputs` says: the tensors of one call, "f32[16,256],i64[8,4]<100,mask=bool[3]".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cupel::task {

// One tensor. Floats are drawn from a standard normal, integers from [0, bound), bools from
// {false, true}.
struct InputTensor {
  std::string dtype;  // torch's name without the prefix: "float32"
  std::vector<std::int64_t> shape;
  std::int64_t bound = 0;    // integers only: exclusive upper bound, at least 1
  std::string keyword = "";  // the name that it is given by; empty: by its place
};

// An input error points at the offending place and says what was expected there.
Result<std::vector<InputTensor>> parse_input_spec(std::string_view text);

}  // namespace cupel::task
