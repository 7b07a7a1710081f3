// Scales and shifts let through: past rectifiers and clamps, out of pools, into norms.
#include <algorithm>
#include <cmath>

#include "rewrite/facts/rules.h"
#include "rewrite/facts/weighted.h"
#include "rewrite/ranges.h"

namespace cupel::rewrite {
namespace {

using Found = std::optional<Patch>;

std::optional<Scaled> scaled_up_of(const GraphIndex& index, const GraphNode& node) {
  const auto found = scaled_of(index, node);
  return found && found->factor > 0 ? found : std::nullopt;
}

// clamp(x, low, high); an infinite bound is none.
std::string clamped(PatchBuilder& build, const std::string& x, const Interval& bounds) {
  const auto bound = [](double value) {
    return std::isfinite(value) ? GraphValue::of(value) : GraphValue{};
  };
  return build.call(
      "aten.clamp.default",
      {given("self", x), given("min", bound(bounds.low)), given("max", bound(bounds.high))},
      build.shape(x), x);
}

bool is_clamp(const GraphNode& node, Interval& bounds) {
  return is_kind(node, {"clamp", "clamp_min", "clamp_max", "hardtanh", "relu6"}) &&
         passes_unchanged(node, bounds) && bounds.low <= bounds.high;
}

// f(W x + b) c = f((c W) x + c b) where f lets a positive factor through.
Found past_rectifier(const GraphIndex& index, const GraphNode& node) {
  const auto scale = scaled_up_of(index, node);
  if (!scale || !is_only_use(index, scale->of)) return std::nullopt;
  const GraphNode& inner = index.node(scale->of);
  Interval bounds;
  const bool clamps = is_clamp(inner, bounds);
  if (!clamps && !is_kind(inner, {"relu", "leaky_relu", "abs"})) return std::nullopt;
  const auto linear = linear_of(index, operand(inner, "self"));
  if (!linear) return std::nullopt;
  PatchBuilder build(index);
  const std::string product = scaled(build, *linear, index, scale->factor);
  const std::string result =
      clamps ? clamped(build, product, {bounds.low * scale->factor, bounds.high * scale->factor})
             : build.again(inner, linear->value, product);
  return std::move(build).done(node.name, result);
}

// clamp(c clamp(x, a, b), low, high) = c clamp(clamp(x, a, b), low / c, high / c).
Found clamp_of_scaled_clamp(const GraphIndex& index, const GraphNode& node) {
  const std::string& of = operand(node, "self");
  Interval outer, inner;
  const bool rectifies = kind_of(node) == "relu" && passes_unchanged(node, outer);
  if (of.empty() || (!rectifies && !is_clamp(node, outer)) || !is_only_use(index, of)) {
    return std::nullopt;
  }
  const auto scale = scaled_up_of(index, index.node(of));
  if (!scale || !is_only_use(index, scale->of) || !is_clamp(index.node(scale->of), inner)) {
    return std::nullopt;
  }
  const auto bound = [&](double value) {
    return std::min(std::max(value, outer.low / scale->factor), outer.high / scale->factor);
  };
  const Interval bounds{bound(inner.low), bound(inner.high)};
  const bool overflows = (std::isinf(bounds.low) && !std::isinf(inner.low)) ||
                         (std::isinf(bounds.high) && !std::isinf(inner.high));
  if (overflows) return std::nullopt;
  PatchBuilder build(index);
  const std::string& source = operand(index.node(scale->of), "self");
  if (spec_of(index.node(source)).dtype != spec_of(node).dtype) return std::nullopt;
  const std::string both = clamped(build, source, bounds);
  return std::move(build).done(node.name, build.times(both, scale->factor));
}

// A leaky rectifier of a leaky rectifier, and a rectifier of one.
Found rectifiers_meet(const GraphIndex& index, const GraphNode& node) {
  const std::string& of = operand(node, "self");
  if (!is_kind(node, {"leaky_relu", "relu"}) || of.empty() || !is_only_use(index, of)) {
    return std::nullopt;
  }
  const GraphNode& inner = index.node(of);
  const auto slope = [](const GraphNode& each) {
    return kind_of(each) == "relu" ? 0 : number(argument(each, "negative_slope")).value_or(-1);
  };
  if (kind_of(inner) != "leaky_relu" || slope(inner) < 0 || slope(node) < 0) return std::nullopt;
  PatchBuilder build(index);
  const std::string& source = operand(inner, "self");
  if (kind_of(node) == "relu") {
    return std::move(build).done(node.name, build.again(node, of, source));
  }
  const std::string both = build.call(
      "aten.leaky_relu.default",
      {given("self", source), given("negative_slope", GraphValue::of(slope(inner) * slope(node)))},
      spec_of(node).shape, source);
  return std::move(build).done(node.name, both);
}

// x + t with t static, of x's shape and dtype.
struct Shifted {
  std::string of, by;
};

std::optional<Shifted> shifted_of(const GraphIndex& index, const std::string& value) {
  if (value.empty() || !is_only_use(index, value)) return std::nullopt;
  const GraphNode& node = index.node(value);
  if (kind_of(node) != "add" || number(argument(node, "alpha")).value_or(1) != 1) {
    return std::nullopt;
  }
  const auto operands = operands_of(index, node);
  if (!operands || operands->number) return std::nullopt;
  return Shifted{operands->changing, operands->fixed};
}

// reshape(reshape(x + s) + t), of x's shape again: x + (s + t), both laid out as x is.
Found shifts_meet(const GraphIndex& index, const GraphNode& node) {
  if (!is_reshape(node) || !is_floating(spec_of(node))) return std::nullopt;
  const auto outer = shifted_of(index, operand(node, "self"));
  if (!outer || !is_only_use(index, outer->of)) return std::nullopt;
  const GraphNode& split = index.node(outer->of);
  const auto inner = is_reshape(split) ? shifted_of(index, operand(split, "self")) : std::nullopt;
  if (!inner || spec_of(index.node(inner->of)).shape != spec_of(node).shape) return std::nullopt;
  PatchBuilder build(index);
  const Sizes& apart = spec_of(split).shape;
  const std::string repeated = build.view(
      "aten.expand.default", {given("self", outer->by), given("size", apart)}, apart, outer->by);
  const std::string both = build.plus(build.reshape(repeated, spec_of(node).shape), inner->by);
  return std::move(build).done(node.name, build.plus(inner->of, both));
}

// --- out of pools

struct Pool {
  std::string of;
  std::size_t dims = 0;  // the last ones
  bool mean = false;
};

std::optional<Pool> pool_of(const GraphIndex& index, const GraphNode& node) {
  if (const auto mean = average_pool_of(index, node)) {
    return Pool{mean->of, mean->window.size(), true};
  }
  const std::string_view kind = kind_of(node);
  if (!is_kind(node, {"max_pool1d", "max_pool2d", "max_pool3d"})) return std::nullopt;
  return Pool{operand(node, "self"), static_cast<std::size_t>(kind[kind.size() - 2] - '0'), false};
}

// Whether a tensor or number is the same all over each window: of size 1 along pooled dimensions.
bool is_same_in_windows(const GraphIndex& index, const GraphNode& node, const char* name,
                        const Pool& pool) {
  if (number(argument(node, name))) return true;
  const std::string& value = operand(node, name);
  if (value.empty() || spec_of(index.node(value)).dtype != spec_of(node).dtype) return false;
  const Sizes& shape = spec_of(index.node(value)).shape;
  const std::size_t seen = std::min(shape.size(), pool.dims);
  return std::all_of(shape.end() - static_cast<std::ptrdiff_t>(seen), shape.end(),
                     [](std::int64_t size) { return size == 1; });
}

// What is scaled or shifted by the other operand; "" where that varies within a window.
std::string varying_operand(const GraphIndex& index, const GraphNode& node, const Pool& pool) {
  const bool commutes = is_kind(node, {"add", "mul"});
  const auto spans = [&](const char* name) {
    const std::string& value = operand(node, name);
    return !value.empty() && spec_of(index.node(value)).shape == spec_of(node).shape &&
           spec_of(index.node(value)).dtype == spec_of(node).dtype;
  };
  if (spans("self") && is_same_in_windows(index, node, "other", pool)) return operand(node, "self");
  const bool swapped = commutes && spans("other") && is_same_in_windows(index, node, "self", pool);
  return swapped ? operand(node, "other") : std::string();
}

// The pool of x + c is the pool of x, plus c; of an average pool, products too.
Found out_of_pool(const GraphIndex& index, const GraphNode& node) {
  const auto pool = pool_of(index, node);
  if (!pool || pool->of.empty() || !is_only_use(index, pool->of)) return std::nullopt;
  const GraphNode& inner = index.node(pool->of);
  const bool shifts =
      is_kind(inner, {"add", "sub"}) && number(argument(inner, "alpha")).value_or(1) == 1;
  const bool scales =
      pool->mean && is_kind(inner, {"mul", "div"}) && is_none(argument(inner, "rounding_mode"));
  if ((!shifts && !scales) || !is_floating(spec_of(node))) return std::nullopt;
  const std::string varying = varying_operand(index, inner, *pool);
  if (varying.empty()) return std::nullopt;
  GraphNode pooling = node;
  for (GraphArgument& each : pooling.arguments) rename_uses(each.value, pool->of, varying);
  PatchBuilder build(index);
  const std::string pooled =
      build.call(pooling.op, pooling.arguments, spec_of(node).shape, varying);
  return std::move(build).done(node.name, build.again(inner, varying, pooled));
}

// --- into norms

// A norm with a weight and a bias, both static, each for its channels.
std::optional<Channels> channels_of(const GraphIndex& index, const GraphNode& norm) {
  if (!is_kind(norm, {"batch_norm", "group_norm", "instance_norm", "layer_norm"})) {
    return std::nullopt;
  }
  const std::string& weight = operand(norm, "weight");
  const std::string& bias = operand(norm, "bias");
  if (weight.empty() || bias.empty() || !index.is_static(weight) || !index.is_static(bias)) {
    return std::nullopt;
  }
  const TensorSpec& spec = spec_of(index.node(weight));
  if (spec.shape.size() != 1 || spec.dtype != spec_of(norm).dtype) return std::nullopt;
  return Channels{kind_of(norm) == "layer_norm" ? rank_of(norm) - 1 : 1, spec.shape[0]};
}

Found into_norm(const GraphIndex& index, const GraphNode& node) {
  const bool scales = is_kind(node, {"mul", "div"}) && is_none(argument(node, "rounding_mode"));
  const bool shifts =
      is_kind(node, {"add", "sub"}) && number(argument(node, "alpha")).value_or(1) == 1;
  const auto operands = operands_of(index, node);
  if ((!scales && !shifts) || !operands || !is_only_use(index, operands->changing)) {
    return std::nullopt;
  }
  if (operands->swapped && is_kind(node, {"sub", "div"})) return std::nullopt;
  const GraphNode& norm = index.node(operands->changing);
  const auto channels = channels_of(index, norm);
  if (!channels || !index.may_wait(norm.name, node.name)) return std::nullopt;
  PatchBuilder build(index);
  const auto changed = [&](const std::string& value, const std::string& fixed) {
    const char* const op = kind_of(node) == "mul"   ? "aten.mul.Tensor"
                           : kind_of(node) == "div" ? "aten.div.Tensor"
                           : kind_of(node) == "add" ? "aten.add.Tensor"
                                                    : "aten.sub.Tensor";
    return build.call(
        op,
        {given("self", value), operands->number ? given("other", GraphValue::of(*operands->number))
                                                : given("other", fixed)},
        build.shape(value), value);
  };
  std::string fixed;
  if (!operands->number) {
    fixed = a_channel_each(build, *channels, operands->fixed, rank_of(node));
    if (fixed.empty()) return std::nullopt;
  }
  GraphNode again = norm;
  if (scales) {
    const std::string weight = changed(operand(norm, "weight"), fixed);
    for (GraphArgument& each : again.arguments) {
      if (each.name == "weight") each.value = GraphValue::of_node(weight);
    }
  }
  const std::string bias = changed(operand(norm, "bias"), fixed);
  for (GraphArgument& each : again.arguments) {
    if (each.name == "bias") each.value = GraphValue::of_node(bias);
  }
  const std::string& input = operand(norm, "input");
  Patch patch = std::move(build).done(node.name, build.again(again, input, input));
  if (norm.is_effect) patch.removed.push_back(norm.name);
  return patch;
}

constexpr Rule k_rules[] = {
    {"scale past a rectifier into weights",
     "f(x) c = f(c x) for c > 0 where f rectifies or clamps, its bounds scaled alike",
     Rounding::reorders, Kept::cheaper, past_rectifier},
    {"clamp of a scaled clamp", "clamp(c x, low, high) = c clamp(x, low / c, high / c) for c > 0",
     Rounding::reorders, Kept::cheaper, clamp_of_scaled_clamp},
    {"rectifiers meet", "what is below zero is multiplied by both slopes, what is above by none",
     Rounding::reorders, Kept::cheaper, rectifiers_meet},
    {"shifts meet past a reshape",
     "what is added before and after other sizes are given is added at once, laid out alike",
     Rounding::reorders, Kept::cheaper, shifts_meet},
    {"scale or shift out of a pool",
     "what is the same all over a window may as well come after the pool, where there are fewer",
     Rounding::reorders, Kept::cheaper, out_of_pool},
    {"scale or shift into a norm", "(w z + b) c = (c w) z + c b, and (w z + b) + c = w z + (b + c)",
     Rounding::reorders, Kept::cheaper, into_norm},
};

}  // namespace

std::span<const Rule> passing_rules() {
  return k_rules;
}

}  // namespace cupel::rewrite
