// Forms: the same arithmetic by another operator, which a library may do faster or slower.
#include <algorithm>

#include "rewrite/facts/reductions.h"
#include "rewrite/facts/rules.h"

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
  return std::move(build).done_shaped(node, result);
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
  return std::move(build).done_shaped(node, result);
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
  return std::move(build).done_shaped(node, result);
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

// A transposed convolution of stride s and padding p along one dimension: output s j + r sums
// x[j - q] w[r + p + s q] over q from `first` to `last`, so that each r is a convolution of its
// own.
struct Phases {
  std::int64_t stride = 1;
  std::int64_t first = 0, last = 0;    // q
  std::int64_t before = 0, after = 0;  // zeros around the taps, so that every r has as many
  std::int64_t count = 0;              // of j
  std::int64_t taps() const { return last - first + 1; }
};

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a >= 0 ? a / b : -((b - 1 - a) / b);
}

Phases phases_of(const Convolution& conv, std::size_t dim, std::int64_t taps, std::int64_t out) {
  Phases found;
  const std::int64_t s = conv.stride[dim];
  const std::int64_t p = conv.padding[dim];
  found.stride = s;
  found.first = floor_div(-p, s);
  found.last = floor_div(taps - 1 - p, s);
  found.before = -p - s * found.first;
  found.after = p + s * found.last + s - taps;
  found.count = (out + s - 1) / s;
  return found;
}

// (channels out, strides.., channels in, taps..), taps turned around, as one convolution's weight.
std::string phases_weight(PatchBuilder& build, const std::string& weight,
                          const std::vector<Phases>& phases) {
  const Sizes given_shape = build.shape(weight);
  Sizes around, split{given_shape[0], given_shape[1]}, order{1}, turned;
  Sizes merged{given_shape[1], given_shape[0]};
  for (std::size_t i = phases.size(); i-- > 0;) {
    around.push_back(phases[i].before);
    around.push_back(phases[i].after);
  }
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const auto place = static_cast<std::int64_t>(i);
    split.push_back(phases[i].taps());
    split.push_back(phases[i].stride);
    order.push_back(2 * place + 3);
    merged[0] *= phases[i].stride;
    merged.push_back(phases[i].taps());
    turned.push_back(place + 2);
  }
  order.push_back(0);
  for (std::size_t i = 0; i < phases.size(); ++i)
    order.push_back(2 * static_cast<std::int64_t>(i) + 2);
  const std::string parts = build.reshape(build.pad(weight, around), split);
  return build.flip(build.reshape(build.permute(parts, order), merged), turned);
}

// (batch, channels strides.., places..) as (batch, channels, places strides..), cut to `shape`.
std::string interleaved(PatchBuilder& build, const std::string& value,
                        const std::vector<Phases>& phases, const Sizes& shape) {
  const auto rank = static_cast<std::int64_t>(phases.size());
  Sizes split{shape[0], shape[1]}, order{0, 1}, merged{shape[0], shape[1]};
  for (const Phases& each : phases) split.push_back(each.stride);
  for (const Phases& each : phases) split.push_back(each.count);
  for (std::int64_t i = 0; i < rank; ++i) {
    order.push_back(2 + rank + i);
    order.push_back(2 + i);
  }
  for (const Phases& each : phases) merged.push_back(each.count * each.stride);
  std::string result = build.reshape(build.permute(build.reshape(value, split), order), merged);
  for (std::int64_t i = 0; i < rank; ++i) {
    const auto dim = static_cast<std::size_t>(i) + 2;
    if (merged[dim] != shape[dim]) result = build.slice(result, i + 2, 0, shape[dim], 1);
  }
  return result;
}

// The input with what the phases reach over its ends: as the convolution's own padding where that
// is the same on both sides.
std::string padded_for(PatchBuilder& build, const std::string& input,
                       const std::vector<Phases>& phases, const Sizes& shape, Sizes& padding) {
  Sizes amounts;
  bool symmetric = true;
  padding.assign(phases.size(), 0);
  for (std::size_t i = phases.size(); i-- > 0;) {
    const std::int64_t left = phases[i].last;
    const std::int64_t right = phases[i].count - phases[i].first - shape[i + 2];
    amounts.push_back(left);
    amounts.push_back(right);
    symmetric = symmetric && left == right && left >= 0;
    padding[i] = left;
  }
  if (symmetric) return input;
  padding.assign(phases.size(), 0);
  return build.pad(input, amounts);
}

// Stride s: each of the s places between two inputs has taps of its own, and all are channels of
// one convolution, laid side by side afterwards.
Found transposed_as_phases(const GraphIndex& index, const GraphNode& node) {
  const auto conv = convolution_of(index, node);
  if (!conv || !conv->transposed || conv->groups != 1) return std::nullopt;
  if (!all_are(conv->dilation, 1) || all_are(conv->stride, 1)) return std::nullopt;
  if (!index.is_static(conv->weight)) return std::nullopt;
  PatchBuilder build(index);
  const Sizes taps = build.shape(conv->weight);
  const Sizes in = build.shape(conv->input);
  const Sizes& out = spec_of(node).shape;
  std::vector<Phases> phases;
  Convolution forward = *conv;
  Sizes places{out[0], out[1]};
  std::int64_t copies = 1;
  for (std::size_t i = 0; i < conv->spatial(); ++i) {
    phases.push_back(phases_of(*conv, i, taps[i + 2], out[i + 2]));
    places.push_back(phases[i].count);
    copies *= phases[i].stride;
  }
  places[1] *= copies;
  forward.input = padded_for(build, conv->input, phases, in, forward.padding);
  forward.transposed = false;
  forward.stride.assign(conv->spatial(), 1);
  forward.output_padding.assign(conv->spatial(), 0);
  forward.weight = phases_weight(build, conv->weight, phases);
  if (!conv->bias.empty()) {
    const std::string column = build.reshape(conv->bias, {out[1], 1});
    const std::vector<std::string> all(static_cast<std::size_t>(copies), column);
    forward.bias = build.reshape(build.cat(all, 1), {out[1] * copies});
  }
  const std::string result = convolve(build, forward, places);
  return std::move(build).done(node.name, interleaved(build, result, phases, out));
}

// Inputs of a few channels fill a tensor core's row or a vector only when there are zeros beside.
constexpr std::int64_t k_channels_together = 8;

Found channels_padded(const GraphIndex& index, const GraphNode& node) {
  const auto conv = convolution_of(index, node);
  if (!conv || conv->transposed || conv->groups != 1 || !index.is_static(conv->weight)) {
    return std::nullopt;
  }
  PatchBuilder build(index);
  const std::int64_t channels = build.shape(conv->input)[1];
  if (channels % k_channels_together == 0 || channels > 2 * k_channels_together) {
    return std::nullopt;
  }
  const std::int64_t missing = k_channels_together - channels % k_channels_together;
  Sizes amounts(2 * conv->spatial(), 0);
  amounts.push_back(0);
  amounts.push_back(missing);
  Convolution wider = *conv;
  wider.input = build.pad(conv->input, amounts);
  wider.weight = build.pad(conv->weight, amounts);
  const std::string result = convolve(build, wider, spec_of(node).shape);
  return std::move(build).done(node.name, result);
}

// Whether a convolution differs from another one in its weights and channels alone.
bool is_sibling(const GraphIndex& index, const Convolution& a, const Convolution& b) {
  const Sizes& one = spec_of(index.node(a.weight)).shape;
  const Sizes& other = spec_of(index.node(b.weight)).shape;
  return a.input == b.input && a.bias.empty() == b.bias.empty() && a.stride == b.stride &&
         a.padding == b.padding && a.dilation == b.dilation && !b.transposed && b.groups == 1 &&
         index.is_static(b.weight) && (b.bias.empty() || index.is_static(b.bias)) &&
         Sizes(one.begin() + 1, one.end()) == Sizes(other.begin() + 1, other.end());
}

// Several convolutions of the same input as one, of all their channels.
Found siblings(const GraphIndex& index, const GraphNode& node) {
  const auto first = convolution_of(index, node);
  if (!first || !is_sibling(index, *first, *first) || first->transposed) return std::nullopt;
  std::vector<const GraphNode*> all;
  std::vector<std::string> weights, biases;
  std::int64_t channels = 0;
  for (const std::string& user : index.users(first->input)) {
    const GraphNode& other = index.node(user);
    const auto conv = convolution_of(index, other);
    if (!conv || !is_sibling(index, *first, *conv)) continue;
    all.push_back(&other);
    weights.push_back(conv->weight);
    biases.push_back(conv->bias);
    channels += spec_of(other).shape[1];
  }
  if (all.size() < 2 || all.front()->name != node.name) return std::nullopt;
  PatchBuilder build(index);
  Convolution one = *first;
  one.weight = build.cat(weights, 0);
  if (!one.bias.empty()) one.bias = build.cat(biases, 0);
  Sizes shape = spec_of(node).shape;
  shape[1] = channels;
  const std::string whole = convolve(build, one, shape);
  std::vector<std::pair<std::string, std::string>> values;
  std::int64_t begin = 0;
  for (const GraphNode* each : all) {
    const std::int64_t end = begin + spec_of(*each).shape[1];
    values.emplace_back(each->name, build.slice(whole, 1, begin, end, 1));
    begin = end;
  }
  return std::move(build).done(std::move(values));
}

constexpr Rule k_rules[] = {
    {"transposed convolution as a convolution",
     "at stride 1 scattering with a weight is gathering with the weight turned around",
     Rounding::reorders, Kept::form, transposed_as_forward},
    {"transposed convolution as its phases",
     "at stride s each of the s places between two inputs has taps of its own: channels of one "
     "convolution, laid side by side",
     Rounding::reorders, Kept::form, transposed_as_phases},
    {"convolutions of one input", "channels of one larger weight give the outputs of all",
     Rounding::reorders, Kept::form, siblings},
    {"channels padded", "a channel of zeros adds nothing", Rounding::reorders, Kept::form,
     channels_padded, Tf32::same_switch, true},
    {"1-d convolution as 2-d", "a row is an image of height one", Rounding::reorders, Kept::form,
     one_as_two},
    {"pointwise convolution as a product",
     "a convolution of one tap multiplies each place by the same matrix", Rounding::reorders,
     Kept::form, pointwise_as_product, Tf32::stricter_switch},
    {"grouped pointwise convolution as batched products",
     "each group of channels has a matrix of its own", Rounding::reorders, Kept::form,
     grouped_as_batched, Tf32::stricter_switch},
};

}  // namespace

std::span<const Rule> form_rules() {
  return k_rules;
}

}  // namespace cupel::rewrite
