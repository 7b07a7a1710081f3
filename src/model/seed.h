// A program of the free portfolio, as a plain value: made in propose, taken by search.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace cupel {

// Name of the seed that is plain torch.compile: it has a row of its own in the final table.
inline constexpr std::string_view k_compile_seed_name = "compile";

struct Seed {
  std::string name;    // short and stable: "compile", "channels_last"; Proposal::label of a seed
  std::string label;   // for people: "torch.compile, default"
  std::string source;  // Python source that defines ModelNew
  double expected_compile_s = 0;  // rough wall time before its first call; 0: negligible
};

std::string encode(const Seed& seed);
Result<Seed> decode_seed(std::string_view json);

}  // namespace cupel
