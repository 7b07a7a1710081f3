// Forms: the same arithmetic by another operator, which a library may do faster or slower.
#include <algorithm>

#include "rewrite/reductions.h"
#include "rewrite/rules.h"

namespace cupel::rewrite {
namespace {

using Found = std::optional<Patch>;

bool all_are(const Sizes& values, std::int64_t wanted) {
  return std::ranges::all_of(values, [=](std::int64_t value) { return value == wanted; });
}

Found one_as_two(const GraphIndex& index, const GraphNode& node) {
  const auto conv = convolution_of(index, node);
  if (!conv || conv->spatial() != 1) return std::nullopt;
  PatchBuilder build(index);
  Convolution flat = *conv;
  const auto with_row = [&](const std::string& value) {
    Sizes shape = build.shape(value);
    shape.insert(shape.end() - 1, 1);
    return build.reshape(value, shape);
  };
  flat.input = with_row(conv->input);
  flat.weight = with_row(conv->weight);
  flat.stride.insert(flat.stride.begin(), 1);
  flat.dilation.insert(flat.dilation.begin(), 1);
  flat.padding.insert(flat.padding.begin(), 0);
  flat.output_padding.insert(flat.output_padding.begin(), 0);
  Sizes shape = spec_of(node).shape;
  shape.insert(shape.end() - 1, 1);
  const std::string result = convolve(build, flat, shape);
  const std::string shaped = build.reshape(result, spec_of(node).shape);
  return std::move(build).done(node.name, shaped);
}

Found pointwise_as_product(const GraphIndex& index, const GraphNode& node) {
  const auto conv = convolution_of(index, node);
  if (!conv || conv->transposed || conv->groups != 1) return std::nullopt;
  const Sizes weight = spec_of(index.node(conv->weight)).shape;
  if (!all_are(Sizes(weight.begin() + 2, weight.end()), 1)) return std::nullopt;
  if (!all_are(conv->stride, 1) || !all_are(conv->padding, 0)) return std::nullopt;
  PatchBuilder build(index);
  const Sizes in = build.shape(conv->input);
  const std::int64_t places = element_count(Sizes(in.begin() + 2, in.end()));
  const std::string x = build.reshape(conv->input, {in[0], in[1], places});
  const std::string matrix = build.reshape(conv->weight, {weight[0], weight[1]});
  std::string result = build.matmul(matrix, x);
  if (!conv->bias.empty()) {
    result = build.plus(result, build.reshape(conv->bias, {weight[0], 1}));
  }
  const std::string shaped = build.reshape(result, spec_of(node).shape);
  return std::move(build).done(node.name, shaped);
}

// Grouped, and of one tap: a product for each group.
Found grouped_as_batched(const GraphIndex& index, const GraphNode& node) {
  const auto conv = convolution_of(index, node);
  if (!conv || conv->transposed || conv->groups == 1) return std::nullopt;
  const Sizes weight = spec_of(index.node(conv->weight)).shape;
  if (!all_are(Sizes(weight.begin() + 2, weight.end()), 1) || weight[1] == 1) return std::nullopt;
  if (!all_are(conv->stride, 1) || !all_are(conv->padding, 0)) return std::nullopt;
  PatchBuilder build(index);
  const Sizes in = build.shape(conv->input);
  const std::int64_t places = element_count(Sizes(in.begin() + 2, in.end()));
  const std::int64_t groups = conv->groups;
  const std::string x = build.reshape(conv->input, {in[0], groups, weight[1], places});
  const std::string matrices = build.reshape(conv->weight, {groups, weight[0] / groups, weight[1]});
  std::string result = build.matmul(matrices, x);
  if (!conv->bias.empty()) {
    result = build.plus(result, build.reshape(conv->bias, {groups, weight[0] / groups, 1}));
  }
  const std::string shaped = build.reshape(result, spec_of(node).shape);
  return std::move(build).done(node.name, shaped);
}

// Stride 1: scattering with a weight is gathering with the weight turned around.
Found transposed_as_forward(const GraphIndex& index, const GraphNode& node) {
  const auto conv = convolution_of(index, node);
  if (!conv || !conv->transposed || conv->groups != 1 || !all_are(conv->stride, 1)) {
    return std::nullopt;
  }
  PatchBuilder build(index);
  const Sizes& taps = build.shape(conv->weight);
  Convolution forward = *conv;
  Sizes dims{1, 0}, flipped, amounts;
  bool symmetric = true;
  for (std::size_t i = 0; i < conv->spatial(); ++i) {
    const std::int64_t reach = conv->dilation[i] * (taps[i + 2] - 1) - conv->padding[i];
    symmetric = symmetric && reach >= 0 && conv->output_padding[i] == 0;
    forward.padding[i] = reach;
    dims.push_back(static_cast<std::int64_t>(i) + 2);
    flipped.push_back(static_cast<std::int64_t>(i) + 2);
  }
  if (!symmetric) return std::nullopt;
  forward.transposed = false;
  forward.weight = build.permute(build.flip(conv->weight, flipped), dims);
  const std::string result = convolve(build, forward, spec_of(node).shape);
  return std::move(build).done(node.name, result);
}

constexpr Rule k_rules[] = {
    {"transposed convolution as a convolution",
     "at stride 1 scattering with a weight is gathering with "
     "the weight turned around",
     Rounding::reorders, Kept::form, transposed_as_forward},
    {"1-d convolution as 2-d", "a row is an image of height one", Rounding::reorders, Kept::form,
     one_as_two},
    {"pointwise convolution as a product",
     "a convolution of one tap multiplies each place by the same "
     "matrix",
     Rounding::reorders, Kept::form, pointwise_as_product},
    {"grouped pointwise convolution as batched products",
     "each group of channels has a matrix of its "
     "own",
     Rounding::reorders, Kept::form, grouped_as_batched},
};

}  // namespace

std::span<const Rule> form_rules() {
  return k_rules;
}

}  // namespace cupel::rewrite
