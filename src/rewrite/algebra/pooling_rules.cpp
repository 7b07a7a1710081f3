// Pools of pools, monotone functions behind pools, pools of products.
#include <algorithm>
#include <cmath>
#include <string>

#include "rewrite/facts/reductions.h"
#include "rewrite/facts/rules.h"

namespace cupel::rewrite {
namespace {

using Found = std::optional<Patch>;

// A max pool without padding, dilation or rounding up: windows inside.
struct MaxPool {
  std::string of;
  Sizes window, stride;
};

std::optional<MaxPool> max_pool_of(const GraphNode& node) {
  const std::string_view kind = kind_of(node);
  if (!is_kind(node, {"max_pool1d", "max_pool2d", "max_pool3d"})) return std::nullopt;
  const auto count = static_cast<std::size_t>(kind[kind.size() - 2] - '0');
  const auto list = [&](const char* name, std::int64_t otherwise) {
    Sizes values = integers(argument(node, name)).value_or(Sizes{});
    if (values.empty()) values.push_back(otherwise);
    if (values.size() == 1) values.resize(count, values[0]);
    return values;
  };
  if (is_true(argument(node, "ceil_mode"))) return std::nullopt;
  if (list("padding", 0) != Sizes(count, 0) || list("dilation", 1) != Sizes(count, 1)) {
    return std::nullopt;
  }
  MaxPool pool{operand(node, "self"), list("kernel_size", 1), {}};
  const auto stride = integers(argument(node, "stride"));
  pool.stride = stride && !stride->empty() ? list("stride", 1) : pool.window;
  if (pool.of.empty()) return std::nullopt;
  return pool;
}

std::string pool_op(const char* kind, std::size_t count) {
  return "aten." + std::string(kind) + "_pool" + std::to_string(count) + "d.default";
}

Patch pooled(PatchBuilder&& build, const GraphNode& node, const char* kind, const std::string& of,
             const Sizes& window, const Sizes& stride) {
  const std::string result =
      build.call(pool_op(kind, window.size()),
                 {given("self", of), given("kernel_size", window), given("stride", stride)},
                 spec_of(node).shape, of);
  return std::move(build).done(node.name, result);
}

Found max_of_max(const GraphIndex& index, const GraphNode& node) {
  const auto outer = max_pool_of(node);
  if (!outer || !is_only_use(index, outer->of)) return std::nullopt;
  const auto inner = max_pool_of(index.node(outer->of));
  if (!inner || inner->window.size() != outer->window.size()) return std::nullopt;
  Sizes window, stride;
  for (std::size_t i = 0; i < inner->window.size(); ++i) {
    if (inner->stride[i] > inner->window[i]) return std::nullopt;  // it leaves elements out
    window.push_back((outer->window[i] - 1) * inner->stride[i] + inner->window[i]);
    stride.push_back(outer->stride[i] * inner->stride[i]);
  }
  return pooled(PatchBuilder(index), node, "max", inner->of, window, stride);
}

Found mean_of_mean(const GraphIndex& index, const GraphNode& node) {
  const auto outer = average_pool_of(index, node);
  if (!outer || !is_only_use(index, outer->of)) return std::nullopt;
  const auto inner = average_pool_of(index, index.node(outer->of));
  if (!inner || inner->window.size() != outer->window.size()) return std::nullopt;
  if (inner->window != inner->stride) return std::nullopt;  // elements would count twice
  Sizes window, stride;
  for (std::size_t i = 0; i < inner->window.size(); ++i) {
    window.push_back(outer->window[i] * inner->window[i]);
    stride.push_back(outer->stride[i] * inner->stride[i]);
  }
  return pooled(PatchBuilder(index), node, "avg", inner->of, window, stride);
}

// Of all numbers: a NaN that one of them gives, as a root does, would be lost.
bool is_rising(const GraphNode& node) {
  if (kind_of(node) == "leaky_relu") {
    return number(argument(node, "negative_slope")).value_or(-1) >= 0;
  }
  if (is_kind(node, {"mul", "div"})) {
    const auto factor = number(argument(node, "other"));
    return factor && *factor > 0 && std::isfinite(*factor) &&
           is_none(argument(node, "rounding_mode"));
  }
  if (is_kind(node, {"add", "sub"})) {
    const auto term = number(argument(node, "other"));
    return term && std::isfinite(*term);
  }
  return is_kind(node, {"relu", "relu6", "sigmoid", "tanh", "exp", "hardtanh", "hardsigmoid",
                        "clamp", "clamp_min", "clamp_max"});
}

// Whether the operator's other arguments are constants, so that it maps each element alike.
bool has_one_input(const GraphNode& node) {
  return inputs_of(node).size() == 1;
}

Found monotone_behind_pool(const GraphIndex& index, const GraphNode& node) {
  const auto pool = max_pool_of(node);
  const bool extreme = is_kind(node, {"amax"});
  if (!pool && !extreme) return std::nullopt;
  const std::string& of = operand(node, "self");
  if (of.empty() || !is_only_use(index, of)) return std::nullopt;
  const GraphNode& inner = index.node(of);
  if (!is_rising(inner) || !has_one_input(inner)) return std::nullopt;
  const std::string& source = operand(inner, "self");
  if (source.empty() || spec_of(index.node(source)).dtype != spec_of(node).dtype) {
    return std::nullopt;
  }
  PatchBuilder build(index);
  GraphNode first = node;
  for (GraphArgument& each : first.arguments) rename_uses(each.value, of, source);
  const std::string smaller = build.call(first.op, first.arguments, spec_of(node).shape, source);
  return std::move(build).done(node.name, build.again(inner, source, smaller));
}

// A pool over the features of a product, as programs write it: unsqueeze, pool, squeeze.
Found pool_of_features(const GraphIndex& index, const GraphNode& node) {
  const auto pool = average_pool_of(index, node);
  if (!pool || pool->window.size() != 1 || !is_only_use(index, pool->of)) return std::nullopt;
  const GraphNode* inner = &index.node(pool->of);
  while (is_reshape(*inner) && is_only_use(index, operand(*inner, "self")) &&
         spec_of(*inner).shape.back() ==
             spec_of(index.node(operand(*inner, "self"))).shape.back()) {
    inner = &index.node(operand(*inner, "self"));
  }
  if (kind_of(*inner) != "linear" || !is_only_use(index, inner->name)) return std::nullopt;
  const std::string& weight = operand(*inner, "weight");
  const std::string& bias = operand(*inner, "bias");
  if (!index.is_static(weight)) return std::nullopt;
  PatchBuilder build(index);
  const auto pool_rows = [&](const std::string& rows) {
    Sizes shape = build.shape(rows);
    shape.back() = spec_of(node).shape.back();
    return build.call(
        "aten.avg_pool1d.default",
        {given("self", rows), given("kernel_size", pool->window), given("stride", pool->stride)},
        shape, rows);
  };
  const std::string by_feature = build.permute(weight, {1, 0});
  const std::string fewer = build.permute(pool_rows(by_feature), {1, 0});
  std::string less;
  if (!bias.empty()) {
    const std::string row = build.reshape(bias, {1, build.shape(bias)[0]});
    less = build.reshape(pool_rows(row), {spec_of(node).shape.back()});
  }
  const std::string product = build.linear(operand(*inner, "input"), fewer, less);
  return std::move(build).done_shaped(node, product);
}

constexpr Rule k_rules[] = {
    {"average pool of a product's features",
     "the mean of outputs is the product with the mean of their weights", Rounding::reorders,
     Kept::cheaper, pool_of_features},
    {"max pool of a max pool", "the largest of the largest is the largest of all", Rounding::none,
     Kept::cheaper, max_of_max},
    {"average pool of an average pool", "the mean of means of equally many is the mean of all",
     Rounding::reorders, Kept::cheaper, mean_of_mean},
    {"rising function behind a maximum",
     "f rises, so f(max x) = max f(x), and f is computed for fewer elements", Rounding::none,
     Kept::cheaper, monotone_behind_pool},
};

}  // namespace

std::span<const Rule> pooling_rules() {
  return k_rules;
}

}  // namespace cupel::rewrite
