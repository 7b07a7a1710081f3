// Scales, shifts and norms in inference, folded into the weights of a neighbour.
#include <algorithm>
#include <cmath>

#include "rewrite/facts/rules.h"
#include "rewrite/facts/weighted.h"

namespace cupel::rewrite {
namespace {

using Found = std::optional<Patch>;

Found scale_after(const GraphIndex& index, const GraphNode& node) {
  if (!is_kind(node, {"mul", "div"}) || !is_none(argument(node, "rounding_mode"))) {
    return std::nullopt;
  }
  const bool divides = kind_of(node) == "div";
  const auto operands = operands_of(index, node);
  if (!operands || (divides && operands->swapped)) return std::nullopt;
  const auto linear = linear_of(index, operands->changing);
  if (!linear) return std::nullopt;
  PatchBuilder build(index);
  if (operands->number) {
    const double factor = divides ? 1 / *operands->number : *operands->number;
    if (!std::isfinite(factor)) return std::nullopt;
    return std::move(build).done(node.name, scaled(build, *linear, index, factor));
  }
  const Channels channels{linear->axis, linear->channels};
  std::string factor = a_channel_each(build, channels, operands->fixed, rank_of(node));
  if (factor.empty()) return std::nullopt;
  if (divides) factor = build.unary("reciprocal", factor);
  const bool one = build.shape(factor) == Sizes{1};
  const std::string weight =
      build.times(linear->weight, one ? factor : beside_weight(build, *linear, factor));
  const std::string bias = linear->bias.empty() ? "" : build.times(linear->bias, factor);
  return std::move(build).done(node.name, rebuilt(build, *linear, index, weight, bias));
}

Found shift_after(const GraphIndex& index, const GraphNode& node) {
  if (!is_kind(node, {"add", "sub"}) || number(argument(node, "alpha")).value_or(1) != 1) {
    return std::nullopt;
  }
  const bool minus = kind_of(node) == "sub";
  const auto operands = operands_of(index, node);
  if (!operands || (minus && operands->swapped)) return std::nullopt;
  const auto linear = linear_of(index, operands->changing);
  if (!linear) return std::nullopt;
  PatchBuilder build(index);
  std::string bias;
  if (operands->number) {
    if (linear->bias.empty()) return std::nullopt;  // nothing to add it to
    bias = build.plus(linear->bias, minus ? -*operands->number : *operands->number);
  } else {
    const std::string term =
        a_channel_each(build, {linear->axis, linear->channels}, operands->fixed, rank_of(node));
    if (term.empty()) return std::nullopt;
    if (linear->bias.empty() && build.shape(term) != Sizes{linear->channels}) return std::nullopt;
    if (linear->bias.empty()) bias = minus ? build.unary("neg", term) : term;
    if (!linear->bias.empty()) {
      bias = minus ? build.minus(linear->bias, term) : build.plus(linear->bias, term);
    }
  }
  return std::move(build).done(node.name, rebuilt(build, *linear, index, linear->weight, bias));
}

// The norm's factor for each channel: weight / sqrt(variance + eps).
std::string norm_factor(PatchBuilder& build, const GraphNode& norm) {
  const double eps = number(argument(norm, "eps")).value_or(0);
  const std::string variance = build.plus(operand(norm, "running_var"), eps);
  const std::string inverse = build.unary("rsqrt", variance);
  const std::string& weight = operand(norm, "weight");
  return weight.empty() ? inverse : build.times(inverse, weight);
}

// A batch norm in inference, all of whose tensors follow from weights.
bool is_fixed_norm(const GraphIndex& index, const GraphNode& node) {
  if (kind_of(node) != "batch_norm" || is_true(argument(node, "training"))) return false;
  for (const char* name : {"running_mean", "running_var", "weight", "bias"}) {
    const std::string& value = operand(node, name);
    const bool needed = std::string_view(name).starts_with("running");
    if (value.empty() ? needed : !index.is_static(value)) return false;
    if (!value.empty() && spec_of(index.node(value)).dtype != spec_of(node).dtype) return false;
  }
  return true;
}

Found norm_after(const GraphIndex& index, const GraphNode& node) {
  if (!is_fixed_norm(index, node)) return std::nullopt;
  const auto linear = linear_of(index, operand(node, "input"));
  if (!linear || linear->axis != 1) return std::nullopt;
  PatchBuilder build(index);
  const std::string factor = norm_factor(build, node);
  const std::string& mean = operand(node, "running_mean");
  // (b - mean) * factor + shift
  std::string bias =
      linear->bias.empty() ? build.unary("neg", mean) : build.minus(linear->bias, mean);
  bias = build.times(bias, factor);
  const std::string& shift = operand(node, "bias");
  if (!shift.empty()) bias = build.plus(bias, shift);
  const std::string weight = build.times(linear->weight, beside_weight(build, *linear, factor));
  return std::move(build).done(node.name, rebuilt(build, *linear, index, weight, bias));
}

// The product behind a norm: of features at dimension 1, or a convolution without zeros at its
// borders, where the norm's shift would be missing.
bool takes_channels(const Linear& linear, const GraphIndex& index) {
  if (!linear.convolution) return rank_of(index.node(linear.input)) == 2;
  const Convolution& conv = *linear.convolution;
  return !conv.transposed && conv.groups == 1 &&
         std::ranges::all_of(conv.padding, [](std::int64_t each) { return each == 0; });
}

Found norm_before(const GraphIndex& index, const GraphNode& node) {
  const auto linear = product_at(index, node);
  if (!linear || !takes_channels(*linear, index) || !is_only_use(index, linear->input)) {
    return std::nullopt;
  }
  const GraphNode& norm = index.node(linear->input);
  if (!is_fixed_norm(index, norm)) return std::nullopt;
  PatchBuilder build(index);
  const std::string factor = norm_factor(build, norm);
  std::string shift = build.unary("neg", build.times(operand(norm, "running_mean"), factor));
  if (!operand(norm, "bias").empty()) shift = build.plus(shift, operand(norm, "bias"));
  Sizes beside = build.shape(linear->weight);
  const Sizes taps(beside.begin() + 2, beside.end());
  std::string sums = linear->weight;  // of each channel's taps
  if (!taps.empty()) {
    const Sizes flat{beside[0], beside[1], element_count(taps)};
    sums =
        build.reshape(build.reduce(false, build.reshape(sums, flat), {2}), {beside[0], beside[1]});
  }
  const std::string bias = build.linear(shift, sums, linear->bias);
  std::ranges::fill(beside, 1);
  beside[1] = build.shape(linear->weight)[1];
  const std::string weight = build.times(linear->weight, build.reshape(factor, beside));
  Linear folded = *linear;
  folded.input = operand(norm, "input");
  if (folded.convolution) folded.convolution->input = folded.input;
  return std::move(build).done(node.name, rebuilt(build, folded, index, weight, bias));
}

// linear(x * c, W) and linear(x + c, W), c along the features.
Found before_linear(const GraphIndex& index, const GraphNode& node) {
  if (kind_of(node) != "linear") return std::nullopt;
  const std::string& of = operand(node, "input");
  const std::string& weight = operand(node, "weight");
  if (!is_only_use(index, of) || !index.is_static(weight)) return std::nullopt;
  const GraphNode& inner = index.node(of);
  const bool scales = kind_of(inner) == "mul";
  if (!scales && kind_of(inner) != "add") return std::nullopt;
  if (number(argument(inner, "alpha")).value_or(1) != 1) return std::nullopt;
  const auto operands = operands_of(index, inner);
  if (!operands || operands->number) return std::nullopt;
  const std::string& bias = operand(node, "bias");
  if (!bias.empty() && !index.is_static(bias)) return std::nullopt;
  PatchBuilder build(index);
  const Sizes& shape = build.shape(operands->fixed);
  const std::int64_t features = build.shape(weight).back();
  if (element_count(shape) != features || shape.empty() || shape.back() != features) {
    return std::nullopt;
  }
  const std::string fixed = build.reshape(operands->fixed, {features});
  if (scales) {
    const std::string scaled = build.times(weight, fixed);
    return std::move(build).done(node.name, build.linear(operands->changing, scaled, bias));
  }
  const std::string shift = build.linear(fixed, weight, bias);
  return std::move(build).done(node.name, build.linear(operands->changing, weight, shift));
}

// v * c + v, v + v * c, v + v.
Found like_terms(const GraphIndex& index, const GraphNode& node) {
  if (kind_of(node) != "add" || number(argument(node, "alpha")).value_or(1) != 1) {
    return std::nullopt;
  }
  const std::string& a = operand(node, "self");
  const std::string& b = operand(node, "other");
  if (a.empty() || b.empty() || !is_floating(spec_of(node))) return std::nullopt;
  if (spec_of(index.node(b)).dtype != spec_of(node).dtype) return std::nullopt;
  PatchBuilder build(index);
  if (a == b) return std::move(build).done(node.name, build.times(a, 2));
  for (const auto& [scaled, plain] : {std::pair(a, b), std::pair(b, a)}) {
    const GraphNode& product = index.node(scaled);
    const auto factor = number(argument(product, "other"));
    if (kind_of(product) != "mul" || !factor || operand(product, "self") != plain) continue;
    return std::move(build).done(node.name, build.times(plain, *factor + 1));
  }
  return std::nullopt;
}

// (v * a) * b, (v / a) * b, (v + a) + b and the like, a and b constants.
Found constants_meet(const GraphIndex& index, const GraphNode& node) {
  const bool product = is_kind(node, {"mul", "div"});
  if (!product && !is_kind(node, {"add", "sub"})) return std::nullopt;
  const std::string& of = operand(node, "self");
  if (of.empty() || !is_only_use(index, of) || !is_floating(spec_of(node))) return std::nullopt;
  const GraphNode& inner = index.node(of);
  const bool alike = product ? is_kind(inner, {"mul", "div"}) : is_kind(inner, {"add", "sub"});
  const auto plain = [](const GraphNode& each) {
    return is_none(argument(each, "rounding_mode")) &&
           number(argument(each, "alpha")).value_or(1) == 1;
  };
  const auto outer_number = number(argument(node, "other"));
  const auto inner_number = number(argument(inner, "other"));
  if (!alike || !outer_number || !inner_number || !plain(node) || !plain(inner))
    return std::nullopt;
  const auto signed_one = [&](const GraphNode& each, double value) {
    if (product) return kind_of(each) == "div" ? 1 / value : value;
    return kind_of(each) == "sub" ? -value : value;
  };
  const double first = signed_one(inner, *inner_number);
  const double second = signed_one(node, *outer_number);
  const std::string& source = operand(inner, "self");
  if (source.empty() || spec_of(index.node(source)).dtype != spec_of(node).dtype) {
    return std::nullopt;
  }
  if (!std::isfinite(product ? first * second : first + second)) return std::nullopt;
  PatchBuilder build(index);
  const std::string result =
      product ? build.times(source, first * second) : build.plus(source, first + second);
  return std::move(build).done(node.name, result);
}

constexpr Rule k_rules[] = {
    {"like terms", "c v + v = (c + 1) v", Rounding::reorders, Kept::cheaper, like_terms},
    {"constants meet", "(v a) b = v (a b), and (v + a) + b = v + (a + b)", Rounding::reorders,
     Kept::cheaper, constants_meet},
    {"scale into weights", "c (W x + b) = (c W) x + c b, for each output channel",
     Rounding::reorders, Kept::cheaper, scale_after},
    {"shift into bias", "(W x + b) + c = W x + (b + c), for each output channel",
     Rounding::reorders, Kept::cheaper, shift_after},
    {"batch norm into weights",
     "with running statistics a batch norm is a scale and a shift for each channel",
     Rounding::reorders, Kept::cheaper, norm_after},
    {"batch norm before a product",
     "with running statistics a batch norm is a scale and a shift for each channel",
     Rounding::reorders, Kept::cheaper, norm_before},
    {"scale or shift before linear", "W (c x) = (W c) x, and W (x + c) = W x + W c",
     Rounding::reorders, Kept::cheaper, before_linear},
};

}  // namespace

std::span<const Rule> folding_rules() {
  return k_rules;
}

}  // namespace cupel::rewrite
