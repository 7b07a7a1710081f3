// Convolutions next to what a convolution can do as well: a pointwise one, zeros laid around.
#include <algorithm>

#include "rewrite/facts/rules.h"
#include "rewrite/facts/weighted.h"

namespace cupel::rewrite {
namespace {

using Found = std::optional<Patch>;

bool all_are(const Sizes& values, std::int64_t wanted) {
  return std::ranges::all_of(values, [=](std::int64_t value) { return value == wanted; });
}

// One tap, each place by itself: a matrix (outputs, inputs).
bool is_pointwise(const Convolution& conv, const GraphIndex& index) {
  const Sizes& weight = spec_of(index.node(conv.weight)).shape;
  return !conv.transposed && conv.groups == 1 && all_are(conv.stride, 1) &&
         all_are(conv.padding, 0) && all_are(Sizes(weight.begin() + 2, weight.end()), 1);
}

// Of the convolution at a node, where its weights follow from weights alone.
std::optional<Convolution> weighted_convolution(const GraphIndex& index, const GraphNode& node) {
  auto conv = convolution_of(index, node);
  if (!conv || !index.is_static(conv->weight)) return std::nullopt;
  if (!conv->bias.empty() && !index.is_static(conv->bias)) return std::nullopt;
  return conv;
}

// The convolution whose result a convolution takes, where nobody else does.
std::optional<Convolution> convolution_inside(const GraphIndex& index, const Convolution& outer) {
  if (!is_only_use(index, outer.input)) return std::nullopt;
  auto inner = weighted_convolution(index, index.node(outer.input));
  if (!inner || inner->groups != 1) return std::nullopt;
  return inner;
}

std::string as_matrix(PatchBuilder& build, const std::string& weight) {
  const Sizes shape = build.shape(weight);
  return build.reshape(weight, {shape[0], element_count(shape) / shape[0]});
}

Found pointwise_after(const GraphIndex& index, const GraphNode& node) {
  const auto outer = weighted_convolution(index, node);
  if (!outer || !is_pointwise(*outer, index)) return std::nullopt;
  const auto inner = convolution_inside(index, *outer);
  if (!inner) return std::nullopt;
  PatchBuilder build(index);
  const std::string second = as_matrix(build, outer->weight);
  Sizes shape = build.shape(inner->weight);
  const std::int64_t taps = element_count(Sizes(shape.begin() + 2, shape.end()));
  const std::string first = inner->transposed
                                ? build.reshape(inner->weight, {shape[0], shape[1], taps})
                                : as_matrix(build, inner->weight);
  shape[inner->transposed ? 1 : 0] = build.shape(second)[0];
  Convolution one = *inner;
  one.weight = build.reshape(build.matmul(second, first), shape);
  one.bias = inner->bias.empty() ? outer->bias : build.linear(inner->bias, second, outer->bias);
  return std::move(build).done(node.name, convolve(build, one, spec_of(node).shape));
}

// A shift before zeros are laid around is none at the border: there the first may have no bias.
Found pointwise_before(const GraphIndex& index, const GraphNode& node) {
  const auto outer = weighted_convolution(index, node);
  if (!outer || outer->transposed || outer->groups != 1) return std::nullopt;
  const auto inner = convolution_inside(index, *outer);
  if (!inner || !is_pointwise(*inner, index)) return std::nullopt;
  if (!inner->bias.empty() && !all_are(outer->padding, 0)) return std::nullopt;
  PatchBuilder build(index);
  Sizes shape = build.shape(outer->weight);
  const std::int64_t taps = element_count(Sizes(shape.begin() + 2, shape.end()));
  const std::string flat = build.reshape(outer->weight, {shape[0], shape[1], taps});
  const std::string first = as_matrix(build, inner->weight);
  const std::string each_tap = build.matmul(build.permute(flat, {0, 2, 1}), first);
  Convolution one = *outer;
  one.input = inner->input;
  if (!inner->bias.empty()) {
    const std::string sums = build.reshape(build.reduce(false, flat, {2}), {shape[0], shape[1]});
    one.bias = build.linear(inner->bias, sums, outer->bias);
  }
  shape[1] = build.shape(first)[1];
  one.weight = build.reshape(build.permute(each_tap, {0, 2, 1}), shape);
  return std::move(build).done(node.name, convolve(build, one, spec_of(node).shape));
}

// How many zeros a node lays on both sides of each of the last dimensions; nothing where the sides
// differ, or where it lays something else.
std::optional<Sizes> zeros_around(const GraphNode& node, std::size_t spatial) {
  if (!is_kind(node, {"pad", "constant_pad_nd"})) return std::nullopt;
  const GraphValue& mode = argument(node, "mode");
  if (mode.kind == GraphValue::Kind::text && mode.text != "constant") return std::nullopt;
  const auto amounts = integers(argument(node, "pad"));
  if (!amounts || amounts->size() > 2 * spatial || amounts->size() % 2 != 0) return std::nullopt;
  if (number(argument(node, "value")).value_or(0) != 0) return std::nullopt;
  Sizes around(spatial, 0);
  for (std::size_t i = 0; i < amounts->size(); i += 2) {
    const std::int64_t amount = (*amounts)[i];
    if (amount < 0 || (*amounts)[i + 1] != amount) return std::nullopt;
    around[spatial - 1 - i / 2] = amount;
  }
  return around;
}

Found padding_into(const GraphIndex& index, const GraphNode& node) {
  const auto conv = convolution_of(index, node);
  if (!conv || conv->transposed || !is_only_use(index, conv->input)) return std::nullopt;
  const GraphNode& pad = index.node(conv->input);
  const auto around = zeros_around(pad, conv->spatial());
  if (!around || operand(pad, "self").empty()) return std::nullopt;
  PatchBuilder build(index);
  Convolution padded = *conv;
  padded.input = operand(pad, "self");
  for (std::size_t i = 0; i < conv->spatial(); ++i) padded.padding[i] += (*around)[i];
  return std::move(build).done(node.name, convolve(build, padded, spec_of(node).shape));
}

constexpr Rule k_rules[] = {
    {"pointwise convolution after a convolution",
     "a matrix times the outputs is a convolution with the matrix times its weight",
     Rounding::reorders, Kept::cheaper, pointwise_after},
    {"pointwise convolution before a convolution",
     "each tap multiplies what a matrix made of the place: tap times matrix, for each tap",
     Rounding::reorders, Kept::cheaper, pointwise_before},
    {"zeros around into a convolution", "a convolution pads its input with zeros by itself",
     Rounding::reorders, Kept::cheaper, padding_into},
};

}  // namespace

std::span<const Rule> composing_rules() {
  return k_rules;
}

}  // namespace cupel::rewrite
