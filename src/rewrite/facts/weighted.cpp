#include "rewrite/facts/weighted.h"

#include <cmath>

namespace cupel::rewrite {

std::optional<Linear> linear_of(const GraphIndex& index, const std::string& value) {
  if (value.empty() || !is_only_use(index, value)) return std::nullopt;
  return product_at(index, index.node(value));
}

std::optional<Linear> product_at(const GraphIndex& index, const GraphNode& node) {
  Linear found;
  found.value = node.name;
  if (kind_of(node) == "linear") {
    found.input = operand(node, "input");
    found.weight = operand(node, "weight");
    found.bias = operand(node, "bias");
    found.axis = rank_of(node) - 1;
    if (rank_of(index.node(found.weight)) != 2) return std::nullopt;
  } else {
    const auto conv = convolution_of(index, node);
    if (!conv || (conv->transposed && conv->groups != 1)) return std::nullopt;
    found.input = conv->input;
    found.weight = conv->weight;
    found.bias = conv->bias;
    found.axis = 1;
    found.convolution = conv;
  }
  if (!index.is_static(found.weight)) return std::nullopt;
  if (!found.bias.empty() && !index.is_static(found.bias)) return std::nullopt;
  found.channels = spec_of(node).shape[static_cast<std::size_t>(found.axis)];
  return found;
}

std::string rebuilt(PatchBuilder& build, const Linear& linear, const GraphIndex& index,
                    const std::string& weight, const std::string& bias) {
  if (!linear.convolution) return build.linear(linear.input, weight, bias);
  Convolution conv = *linear.convolution;
  conv.weight = weight;
  conv.bias = bias;
  return convolve(build, conv, spec_of(index.node(linear.value)).shape);
}

std::string scaled(PatchBuilder& build, const Linear& linear, const GraphIndex& index,
                   double factor) {
  const std::string weight = build.times(linear.weight, factor);
  const std::string bias = linear.bias.empty() ? "" : build.times(linear.bias, factor);
  return rebuilt(build, linear, index, weight, bias);
}

std::string beside_weight(PatchBuilder& build, const Linear& linear, const std::string& factor) {
  Sizes shape(build.shape(linear.weight).size(), 1);
  const bool second = linear.convolution && linear.convolution->transposed;
  shape[second ? 1 : 0] = linear.channels;
  return build.reshape(factor, shape);
}

std::optional<Operands> operands_of(const GraphIndex& index, const GraphNode& node) {
  Operands found;
  found.changing = operand(node, "self");
  found.fixed = operand(node, "other");
  found.number = number(argument(node, "other"));
  if (found.changing.empty() || (found.fixed.empty() && !found.number)) return std::nullopt;
  if (!found.number && index.is_static(found.changing)) {
    std::swap(found.changing, found.fixed);
    found.swapped = true;
  }
  if (!found.number && !index.is_static(found.fixed)) return std::nullopt;
  if (index.is_static(found.changing)) return std::nullopt;
  const TensorSpec& of = spec_of(index.node(found.changing));
  if (of.shape != spec_of(node).shape || of.dtype != spec_of(node).dtype) return std::nullopt;
  if (!found.number && spec_of(index.node(found.fixed)).dtype != of.dtype) return std::nullopt;
  return found;
}

std::string a_channel_each(PatchBuilder& build, const Channels& channels, const std::string& value,
                           std::int64_t rank) {
  const Sizes& shape = build.shape(value);
  const std::int64_t count = element_count(shape);
  if (static_cast<std::int64_t>(shape.size()) > rank) return "";
  if (count == 1) return build.reshape(value, {1});
  const std::int64_t place = channels.axis - (rank - static_cast<std::int64_t>(shape.size()));
  if (place < 0 || count != channels.count) return "";
  if (shape[static_cast<std::size_t>(place)] != channels.count) return "";
  return build.reshape(value, {channels.count});
}

std::optional<Scaled> scaled_of(const GraphIndex& index, const GraphNode& node) {
  if (!is_kind(node, {"mul", "div"}) || !is_none(argument(node, "rounding_mode"))) {
    return std::nullopt;
  }
  const std::string& of = operand(node, "self");
  const auto by = number(argument(node, "other"));
  if (of.empty() || !by || spec_of(index.node(of)).dtype != spec_of(node).dtype) {
    return std::nullopt;
  }
  const Scaled found{of, kind_of(node) == "div" ? 1 / *by : *by};
  if (!is_floating(spec_of(node)) || !std::isfinite(found.factor)) return std::nullopt;
  return found;
}

}  // namespace cupel::rewrite
