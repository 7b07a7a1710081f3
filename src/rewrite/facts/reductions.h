// Sums and means as one thing, however the program writes them.
#pragma once

#include <optional>
#include <string>

#include "rewrite/patch.h"

namespace cupel::rewrite {

// A sum or mean of the value `of` over `dims` (from the front, ascending, none twice).
struct Reduction {
  std::string of;
  Sizes dims;
  bool keeps = false;  // reduced dimensions stay, with size 1
  bool mean = false;
};

// sum, mean, global average pools; nothing for others, and for sums that change the dtype.
std::optional<Reduction> reduction_of(const GraphIndex& index, const GraphNode& node);

// An average pool without padding over the last dimensions, each window inside.
struct AveragePool {
  std::string of;
  Sizes window;
  Sizes stride;
};
std::optional<AveragePool> average_pool_of(const GraphIndex& index, const GraphNode& node);

// A convolution with symmetric padding; lists have one entry a spatial dimension.
struct Convolution {
  std::string input, weight, bias;  // bias: "" for none
  Sizes stride, padding, dilation, output_padding;
  std::int64_t groups = 1;
  bool transposed = false;
  std::size_t spatial() const { return stride.size(); }
};
std::optional<Convolution> convolution_of(const GraphIndex& index, const GraphNode& node);

// The node's only producer is used by nobody else: changing it costs nobody anything.
bool is_only_use(const GraphIndex& index, const std::string& value);

// The convolution as a node, transposed or not, with these sizes of its result.
std::string convolve(PatchBuilder& build, const Convolution& convolution, Sizes shape);

}  // namespace cupel::rewrite
