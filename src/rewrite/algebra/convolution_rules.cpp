// Sums, means and average pools moved through convolutions, transposed ones too, with exact
// borders.
#include <algorithm>
#include <cmath>

#include "rewrite/facts/reductions.h"
#include "rewrite/facts/rules.h"

namespace cupel::rewrite {
namespace {

using Found = std::optional<Patch>;

std::size_t at(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

bool all_are(const Sizes& values, std::int64_t wanted) {
  return std::ranges::all_of(values, [=](std::int64_t value) { return value == wanted; });
}

// The convolution before a node. Others may need its result too: they keep it.
std::optional<Convolution> convolution_before(const GraphIndex& index, const std::string& of) {
  if (of.empty()) return std::nullopt;
  return convolution_of(index, index.node(of));
}

// (size of the input, taps): how often each tap meets each place, over all outputs.
std::string taps_read(PatchBuilder& build, const Convolution& conv, std::size_t dim,
                      std::int64_t outputs) {
  const std::int64_t size = build.shape(conv.input)[dim + 2];
  const std::int64_t taps = build.shape(conv.weight)[dim + 2];
  const auto whole = [](const char* name, std::int64_t value) {
    return given(name, GraphValue::of(value));
  };
  return build.call("cupel.taps_read",
                    {given("like", conv.weight), whole("size", size), whole("taps", taps),
                     whole("stride", conv.stride[dim]), whole("padding", conv.padding[dim]),
                     whole("dilation", conv.dilation[dim]), whole("outputs", outputs),
                     given("transposed", GraphValue::of(conv.transposed))},
                    {size, taps}, conv.weight);
}

// A power of two, which rounds nothing, by which a sum of so many is no larger than their mean in
// half precision, whose numbers end at 65504.
double kept_in_range(std::int64_t count) {
  return std::exp2(-std::ceil(std::log2(static_cast<double>(std::max<std::int64_t>(count, 1)))));
}

// (size of the input, taps): taps_read(), of a mean times kept_in_range().
std::string taps_taken(PatchBuilder& build, const Convolution& conv, std::size_t dim,
                       std::int64_t outputs, bool mean) {
  const std::string taps = taps_read(build, conv, dim, outputs);
  return mean ? build.times(taps, kept_in_range(outputs)) : taps;
}

// (batch, channels, taps..): for each tap the sum of all places that it meets.
std::string tap_sums(PatchBuilder& build, const Convolution& conv, const Sizes& outputs,
                     bool mean) {
  std::string x = conv.input;
  const std::size_t count = conv.spatial();
  x = build.matmul(x, taps_taken(build, conv, count - 1, outputs[count - 1], mean));
  for (std::size_t left = count - 1; left-- > 0;) {
    // (.., size, taps so far) as a matrix product from the left with (taps, size).
    Sizes shape = build.shape(x);
    std::int64_t behind = 1;
    for (std::size_t i = left + 3; i < shape.size(); ++i) behind *= shape[i];
    shape.resize(left + 3);
    shape.push_back(behind);
    x = build.reshape(x, shape);
    const std::string taps = taps_taken(build, conv, left, outputs[left], mean);
    x = build.matmul(build.permute(taps, {1, 0}), x);
  }
  return x;
}

// The weight as (outputs, channels * taps) of one product.
std::string weight_matrix(PatchBuilder& build, const Convolution& conv) {
  std::string weight = conv.weight;
  if (conv.transposed) {
    Sizes dims{1, 0};
    for (std::size_t i = 0; i < conv.spatial(); ++i)
      dims.push_back(static_cast<std::int64_t>(i) + 2);
    weight = build.permute(weight, dims);
  }
  const Sizes shape = build.shape(weight);
  return build.reshape(weight, {shape[0], element_count(shape) / shape[0]});
}

bool reduces_all_places(const Reduction& reduction, const Convolution& conv) {
  Sizes spatial;
  for (std::size_t i = 0; i < conv.spatial(); ++i)
    spatial.push_back(static_cast<std::int64_t>(i) + 2);
  Sizes wanted = reduction.dims;
  std::erase_if(wanted, [](std::int64_t dim) { return dim < 2; });
  return wanted == spatial;
}

Found all_places(const GraphIndex& index, const GraphNode& node) {
  const auto reduction = reduction_of(index, node);
  if (!reduction) return std::nullopt;
  const auto conv = convolution_before(index, reduction->of);
  if (!conv || conv->groups != 1 || !reduces_all_places(*reduction, *conv)) return std::nullopt;
  if (std::ranges::find(reduction->dims, 0) != reduction->dims.end()) return std::nullopt;
  const Sizes& shape = spec_of(index.node(reduction->of)).shape;
  const Sizes outputs(shape.begin() + 2, shape.end());
  const auto places = static_cast<double>(element_count(outputs));
  PatchBuilder build(index);
  const std::string sums = tap_sums(build, *conv, outputs, reduction->mean);
  std::string weight = weight_matrix(build, *conv);
  std::string bias = conv->bias;
  double factor = 1 / places;
  for (const std::int64_t each : outputs) factor /= kept_in_range(each);
  if (reduction->mean) weight = build.times(weight, factor);
  if (!reduction->mean && !bias.empty()) bias = build.times(bias, places);
  const Sizes& matrix = build.shape(weight);
  const std::string rows = build.reshape(sums, {shape[0], matrix[1]});
  std::string result = build.linear(rows, weight, bias);
  if (reduction->dims.front() == 1) result = build.reduce(reduction->mean, result, {1});
  return std::move(build).done_shaped(node, result);
}

// A convolution treats each of the batch by itself, so that their sum may come first.
Found batch(const GraphIndex& index, const GraphNode& node) {
  const auto reduction = reduction_of(index, node);
  if (!reduction || reduction->dims.front() != 0) return std::nullopt;
  const auto conv = convolution_before(index, reduction->of);
  if (!conv) return std::nullopt;
  Sizes shape = spec_of(index.node(reduction->of)).shape;
  PatchBuilder build(index);
  Convolution one = *conv;
  one.input = build.reduce(reduction->mean, conv->input, {0});
  if (!reduction->mean && !one.bias.empty()) {
    one.bias = build.times(one.bias, static_cast<double>(shape[0]));
  }
  shape[0] = 1;
  std::string result = convolve(build, one, shape);
  const Sizes rest(reduction->dims.begin() + 1, reduction->dims.end());
  if (!rest.empty()) result = build.reduce(reduction->mean, result, rest);
  return std::move(build).done_shaped(node, result);
}

// The convolution over the other dimensions, of channels * taps channels.
Convolution without_dim(const Convolution& conv, std::size_t dim) {
  Convolution rest = conv;
  for (Sizes* list : {&rest.stride, &rest.padding, &rest.dilation, &rest.output_padding}) {
    list->erase(list->begin() + static_cast<std::ptrdiff_t>(dim));
  }
  return rest;
}

// Dimensions 0.., with `from` moved to place `to`.
Sizes moved(std::size_t rank, std::size_t from, std::size_t to) {
  Sizes dims;
  for (std::size_t i = 0; i < rank; ++i) {
    if (i != from) dims.push_back(static_cast<std::int64_t>(i));
  }
  dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(to), static_cast<std::int64_t>(from));
  return dims;
}

// (batch, channels * taps, other places): sums along one dimension, a channel for each tap.
std::string one_dim_sums(PatchBuilder& build, const Convolution& conv, std::size_t dim,
                         std::int64_t outputs, bool mean) {
  const std::size_t rank = conv.spatial() + 2;
  const std::string last = build.permute(conv.input, moved(rank, dim + 2, rank - 1));
  const std::string sums = build.matmul(last, taps_taken(build, conv, dim, outputs, mean));
  const std::string taps_second = build.permute(sums, moved(rank, rank - 1, 2));
  Sizes shape = build.shape(taps_second);
  shape[1] *= shape[2];
  shape.erase(shape.begin() + 2);
  return build.reshape(taps_second, shape);
}

std::string one_dim_weight(PatchBuilder& build, const Convolution& conv, std::size_t dim) {
  // The taps of this dimension beside the input's channels, which come first where transposed.
  const std::size_t rank = conv.spatial() + 2;
  const std::size_t channels = conv.transposed ? 0 : 1;
  const std::string beside = build.permute(conv.weight, moved(rank, dim + 2, channels + 1));
  Sizes shape = build.shape(beside);
  shape[channels] *= shape[channels + 1];
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(channels) + 1);
  return build.reshape(beside, shape);
}

Found one_dim(const GraphIndex& index, const GraphNode& node) {
  const auto reduction = reduction_of(index, node);
  if (!reduction || reduction->dims.size() != 1 || reduction->dims[0] < 2) return std::nullopt;
  const auto conv = convolution_before(index, reduction->of);
  if (!conv || conv->groups != 1 || conv->spatial() < 2) return std::nullopt;
  const std::size_t dim = at(reduction->dims[0]) - 2;
  Sizes shape = spec_of(index.node(reduction->of)).shape;
  const std::int64_t outputs = shape[dim + 2];
  PatchBuilder build(index);
  Convolution rest = without_dim(*conv, dim);
  rest.input = one_dim_sums(build, *conv, dim, outputs, reduction->mean);
  rest.weight = one_dim_weight(build, *conv, dim);
  const double factor = 1 / static_cast<double>(outputs) / kept_in_range(outputs);
  if (reduction->mean) rest.weight = build.times(rest.weight, factor);
  if (!reduction->mean && !rest.bias.empty()) {
    rest.bias = build.times(rest.bias, static_cast<double>(outputs));
  }
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(dim) + 2);
  const std::string result = convolve(build, rest, shape);
  return std::move(build).done_shaped(node, result);
}

// Over channels the weight is summed; `channel` is where the weight has the output's.
Found channels(const GraphIndex& index, const GraphNode& node) {
  const auto reduction = reduction_of(index, node);
  if (!reduction || reduction->dims != Sizes{1}) return std::nullopt;
  const auto conv = convolution_before(index, reduction->of);
  if (!conv || conv->groups != 1) return std::nullopt;
  PatchBuilder build(index);
  Convolution one = *conv;
  one.weight = build.reduce(reduction->mean, conv->weight, {conv->transposed ? 1 : 0});
  if (!one.bias.empty()) one.bias = build.reduce(reduction->mean, one.bias, {0});
  Sizes shape = spec_of(index.node(reduction->of)).shape;
  shape[1] = 1;
  const std::string result = convolve(build, one, shape);
  return std::move(build).done_shaped(node, result);
}

// The weight, averaged over all windows that touch it: taps of the convolution and the pool as one.
std::string pooled_weight(PatchBuilder& build, const std::string& weight, const Sizes& window) {
  Sizes around;
  for (std::size_t i = window.size(); i-- > 0;) {
    around.push_back(window[i] - 1);
    around.push_back(window[i] - 1);
  }
  const std::string padded = build.pad(weight, around);
  Sizes shape = build.shape(padded);
  for (std::size_t i = 0; i < window.size(); ++i) shape[i + 2] -= window[i] - 1;
  const std::string op = "aten.avg_pool" + std::to_string(window.size()) + "d.default";
  return build.call(op,
                    {given("self", padded), given("kernel_size", window),
                     given("stride", Sizes(window.size(), 1))},
                    shape, weight);
}

Found pool_of_convolution(const GraphIndex& index, const GraphNode& node) {
  const auto pool = average_pool_of(index, node);
  if (!pool) return std::nullopt;
  const auto conv = convolution_before(index, pool->of);
  if (!conv || conv->transposed || pool->window.size() != conv->spatial()) return std::nullopt;
  if (!all_are(conv->stride, 1) || !all_are(conv->dilation, 1)) return std::nullopt;
  PatchBuilder build(index);
  Convolution both = *conv;
  both.weight = pooled_weight(build, conv->weight, pool->window);
  both.stride = pool->stride;
  return std::move(build).done(node.name, convolve(build, both, spec_of(node).shape));
}

// How a transposed convolution of stride s, then averaged in windows at stride m s, reads its
// input: z[j] = sum_q x[m j + q] V[p - s q], V[u] = mean over the window of W[u + t].
struct Gather {
  std::int64_t first = 0, last = 0;    // q
  std::int64_t before = 0, after = 0;  // padding of the input; negative cuts
  std::int64_t start = 0;              // of p - s q in V, for q = last
};

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return a >= 0 ? (a + b - 1) / b : -((-a) / b);
}
std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return -ceil_div(-a, b);
}

Gather gather_of(const Convolution& conv, std::size_t dim, std::int64_t window, std::int64_t step,
                 std::int64_t taps, std::int64_t size, std::int64_t outputs) {
  const std::int64_t s = conv.stride[dim];
  const std::int64_t p = conv.padding[dim];
  Gather gather;
  gather.first = ceil_div(p - taps + 1, s);
  gather.last = floor_div(p + window - 1, s);
  gather.before = -gather.first;
  gather.after = step * (outputs - 1) + gather.last - (size - 1);
  gather.start = p - s * gather.last + window - 1;  // V begins at -(window - 1)
  return gather;
}

// (outputs, channels, taps..) of the forward convolution.
std::string gathered_weight(PatchBuilder& build, const Convolution& conv, const Sizes& window,
                            const std::vector<Gather>& gathers) {
  std::string weight = pooled_weight(build, conv.weight, window);
  Sizes dims{1, 0}, flipped;
  for (std::size_t i = 0; i < gathers.size(); ++i) {
    const Gather& gather = gathers[i];
    const auto dim = static_cast<std::int64_t>(i) + 2;
    const std::int64_t count = gather.last - gather.first + 1;
    const std::int64_t s = conv.stride[i];
    weight = build.slice(weight, dim, gather.start, gather.start + (count - 1) * s + 1, s);
    dims.push_back(dim);
    flipped.push_back(dim);
  }
  return build.permute(build.flip(weight, flipped), dims);
}

Found as_forward(const GraphIndex& index, const GraphNode& node, const Convolution& conv,
                 const Sizes& window, const Sizes& stride) {
  if (!conv.transposed || conv.groups != 1 || !all_are(conv.dilation, 1)) return std::nullopt;
  const Sizes& input = spec_of(index.node(conv.input)).shape;
  const Sizes& taps = spec_of(index.node(conv.weight)).shape;
  const Sizes& out = spec_of(node).shape;
  std::vector<Gather> gathers;
  Convolution forward = conv;
  bool symmetric = true;
  for (std::size_t i = 0; i < conv.spatial(); ++i) {
    if (stride[i] % conv.stride[i] != 0) return std::nullopt;
    const std::int64_t step = stride[i] / conv.stride[i];
    gathers.push_back(gather_of(conv, i, window[i], step, taps[i + 2], input[i + 2], out[i + 2]));
    symmetric = symmetric && gathers[i].before == gathers[i].after && gathers[i].before >= 0;
    if (gathers[i].first > gathers[i].last) return std::nullopt;
    forward.stride[i] = step;
    forward.padding[i] = gathers[i].before;
  }
  PatchBuilder build(index);
  if (!symmetric) {
    Sizes amounts;
    for (std::size_t i = gathers.size(); i-- > 0;) {
      amounts.push_back(gathers[i].before);
      amounts.push_back(gathers[i].after);
    }
    forward.input = build.pad(conv.input, amounts);
    forward.padding.assign(conv.spatial(), 0);
  }
  forward.transposed = false;
  forward.weight = gathered_weight(build, conv, window, gathers);
  return std::move(build).done(node.name, convolve(build, forward, out));
}

Found pool_of_transposed(const GraphIndex& index, const GraphNode& node) {
  const auto pool = average_pool_of(index, node);
  if (!pool) return std::nullopt;
  const auto conv = convolution_before(index, pool->of);
  if (!conv || pool->window.size() != conv->spatial()) return std::nullopt;
  return as_forward(index, node, *conv, pool->window, pool->stride);
}

constexpr Rule k_rules[] = {
    {"reduction through all places of a convolution",
     "summed over all outputs, each tap of the weight meets the sum of "
     "those places of the input that it is laid on, borders counted exactly",
     Rounding::reorders, Kept::cheaper, all_places, Tf32::stricter_switch},
    {"reduction through one axis of a convolution",
     "summed along one axis, each tap of that axis meets a sum of the input "
     "along it: the taps become channels of a convolution over the other axes",
     Rounding::reorders, Kept::cheaper, one_dim},
    {"reduction through a convolution's channels",
     "the sum over output channels is the convolution with the sum of their weights",
     Rounding::reorders, Kept::cheaper, channels},
    {"reduction through a convolution's batch",
     "a convolution treats each of the batch alike, so that it makes of their sum the sum of what "
     "it makes of each, but for the bias",
     Rounding::reorders, Kept::cheaper, batch},
    {"average pool of a convolution",
     "the mean over a window of a convolution is one convolution "
     "with the weight averaged over the window, at the pool's stride",
     Rounding::reorders, Kept::cheaper, pool_of_convolution},
    {"average pool of a transposed convolution",
     "where the pool's stride is a multiple of the convolution's, "
     "each mean reads a fixed pattern of the input: a convolution",
     Rounding::reorders, Kept::cheaper, pool_of_transposed},
};

}  // namespace

std::span<const Rule> convolution_rules() {
  return k_rules;
}

}  // namespace cupel::rewrite
