// Products with weights, and what is folded into these.
#pragma once

#include <optional>
#include <string>

#include "rewrite/facts/reductions.h"

namespace cupel::rewrite {

// A product with weights, whose result has `channels` at dimension `axis`.
struct Linear {
  std::string value;  // its node
  std::string input, weight, bias;
  std::int64_t axis = 0;
  std::int64_t channels = 0;
  std::optional<Convolution> convolution;  // none: linear
};

// Of a node, where its weights are static.
std::optional<Linear> product_at(const GraphIndex& index, const GraphNode& node);
// Of the node `value`, where nobody else uses it.
std::optional<Linear> linear_of(const GraphIndex& index, const std::string& value);

// The product again, with other weights.
std::string rebuilt(PatchBuilder& build, const Linear& linear, const GraphIndex& index,
                    const std::string& weight, const std::string& bias);
// The product times a number.
std::string scaled(PatchBuilder& build, const Linear& linear, const GraphIndex& index,
                   double factor);

// A factor a channel, in the shape in which it multiplies the weight.
std::string beside_weight(PatchBuilder& build, const Linear& linear, const std::string& factor);

// `count` channels at dimension `axis` of a tensor.
struct Channels {
  std::int64_t axis = 0;
  std::int64_t count = 0;
};
// A static tensor that varies along the channels of a tensor of this rank alone, as (channels) or
// as one element; "" else.
std::string a_channel_each(PatchBuilder& build, const Channels& channels, const std::string& value,
                           std::int64_t rank);

// `of` times a finite number, in the dtype of `of`, which is floating.
struct Scaled {
  std::string of;
  double factor = 1;
};
std::optional<Scaled> scaled_of(const GraphIndex& index, const GraphNode& node);

// The two operands of a commutative node, the static or constant one second.
struct Operands {
  std::string changing;
  std::string fixed;             // a static tensor, or
  std::optional<double> number;  // a constant
  bool swapped = false;
};
std::optional<Operands> operands_of(const GraphIndex& index, const GraphNode& node);

}  // namespace cupel::rewrite
