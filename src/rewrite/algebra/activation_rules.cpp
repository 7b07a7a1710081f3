// Activations that a program writes out: one operator of torch, which reads and writes once.
#include <cmath>
#include <numbers>

#include "rewrite/facts/rules.h"
#include "rewrite/patch.h"

namespace cupel::rewrite {
namespace {

using Found = std::optional<Patch>;

constexpr double k_relative_max = 1e-15;  // what computing sqrt(2 / pi) in float64 may be off

bool is_close(std::optional<double> value, double wanted) {
  return value && std::abs(*value - wanted) <= k_relative_max * std::abs(wanted);
}

// The operand of an operator of this kind; "" where the value is none.
std::string behind(const GraphIndex& index, const std::string& value, std::string_view kind) {
  if (value.empty() || kind_of(index.node(value)) != kind) return "";
  return operand(index.node(value), "self");
}

// The tensor that a constant is added to or that it multiplies; "" for another one.
std::string behind_constant(const GraphIndex& index, const std::string& value,
                            std::string_view kind, double constant) {
  const std::string of = behind(index, value, kind);
  if (of.empty()) return "";
  const GraphNode& node = index.node(value);
  const bool plain =
      number(argument(node, "alpha")).value_or(1) == 1 && is_none(argument(node, "rounding_mode"));
  return plain && is_close(number(argument(node, "other")), constant) ? of : "";
}

bool has_default(const GraphNode& node, const char* name, double value) {
  return number(argument(node, name)).value_or(value) == value;
}

bool clamps_to(const GraphNode& node, double low, double high) {
  if (kind_of(node) == "relu6") return low == 0 && high == 6;
  const bool hardtanh = kind_of(node) == "hardtanh";
  if (!hardtanh && kind_of(node) != "clamp") return false;
  return number(argument(node, hardtanh ? "min_val" : "min")) == low &&
         number(argument(node, hardtanh ? "max_val" : "max")) == high;
}

// Whether the value is clamp((x + 3) / 6, 0, 1), or clamp(x + 3, 0, 6) / 6.
bool is_hard_sigmoid(const GraphIndex& index, const std::string& value, const std::string& x) {
  if (behind(index, value, "hardsigmoid") == x) return true;
  const GraphNode& node = index.node(value);
  if (clamps_to(node, 0, 1)) {
    const std::string sum = behind_constant(index, operand(node, "self"), "div", 6);
    return behind_constant(index, sum, "add", 3) == x;
  }
  const std::string clamped = behind_constant(index, value, "div", 6);
  if (clamped.empty() || !clamps_to(index.node(clamped), 0, 6)) return false;
  return behind_constant(index, operand(index.node(clamped), "self"), "add", 3) == x;
}

// Whether the value is tanh(softplus(x)).
bool is_mish_factor(const GraphIndex& index, const std::string& value, const std::string& x) {
  const std::string inner = behind(index, value, "tanh");
  if (behind(index, inner, "softplus") != x) return false;
  const GraphNode& softplus = index.node(inner);
  return has_default(softplus, "beta", 1) && has_default(softplus, "threshold", 20);
}

// Whether the value is 1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)).
bool is_gelu_factor(const GraphIndex& index, const std::string& value, const std::string& x) {
  const std::string tanh = behind_constant(index, value, "add", 1);
  const double scale = std::sqrt(2 / std::numbers::pi);
  const std::string sum = behind_constant(index, behind(index, tanh, "tanh"), "mul", scale);
  if (behind(index, sum, "add") != x || !has_default(index.node(sum), "alpha", 1)) return false;
  const std::string cube =
      behind_constant(index, operand(index.node(sum), "other"), "mul", 0.044715);
  return behind(index, cube, "pow") == x && number(argument(index.node(cube), "exponent")) == 3.0;
}

// x f(x) of a product; "" is none.
Found activation(const GraphIndex& index, const GraphNode& node, const std::string& x,
                 const std::string& factor) {
  if (x.empty() || factor.empty() || !same_form(spec_of(index.node(x)), spec_of(node))) {
    return std::nullopt;
  }
  PatchBuilder build(index);
  if (behind(index, factor, "sigmoid") == x) {
    return std::move(build).done(node.name, build.unary("silu", x));
  }
  if (is_mish_factor(index, factor, x)) {
    return std::move(build).done(node.name, build.unary("mish", x));
  }
  if (is_hard_sigmoid(index, factor, x)) {
    return std::move(build).done(node.name, build.unary("hardswish", x));
  }
  const std::string whole = behind_constant(index, x, "mul", 0.5);
  if (whole.empty() || !is_gelu_factor(index, factor, whole)) return std::nullopt;
  GraphArgument approximate = given("approximate", GraphValue{GraphValue::Kind::text, "tanh"});
  approximate.is_keyword = true;
  const std::string gelu =
      build.call("aten.gelu.default", {given("self", whole), approximate}, build.shape(x), x);
  return std::move(build).done(node.name, gelu);
}

Found written_out(const GraphIndex& index, const GraphNode& node) {
  if (kind_of(node) != "mul" || !is_floating(spec_of(node))) return std::nullopt;
  const std::string& a = operand(node, "self");
  const std::string& b = operand(node, "other");
  if (a.empty() || b.empty()) return std::nullopt;
  auto found = activation(index, node, a, b);
  return found ? found : activation(index, node, b, a);
}

// x clamp(x + 3, 0, 6) / 6, divided last.
Found divided_last(const GraphIndex& index, const GraphNode& node) {
  const std::string product = behind_constant(index, node.name, "div", 6);
  if (product.empty() || kind_of(index.node(product)) != "mul") return std::nullopt;
  const std::string& a = operand(index.node(product), "self");
  const std::string& b = operand(index.node(product), "other");
  for (const auto& [x, factor] : {std::pair(a, b), std::pair(b, a)}) {
    if (x.empty() || factor.empty() || !clamps_to(index.node(factor), 0, 6)) continue;
    const std::string shifted = operand(index.node(factor), "self");
    if (behind_constant(index, shifted, "add", 3) != x) continue;
    if (!same_form(spec_of(index.node(x)), spec_of(node))) continue;
    PatchBuilder build(index);
    return std::move(build).done(node.name, build.unary("hardswish", x));
  }
  return std::nullopt;
}

constexpr Rule k_rules[] = {
    {"activation written out",
     "x times this function of x is what torch calls silu, mish, hardswish or gelu",
     Rounding::reorders, Kept::cheaper, written_out},
    {"activation written out", "x clamp(x + 3, 0, 6) / 6 is what torch calls hardswish",
     Rounding::reorders, Kept::cheaper, divided_last},
};

}  // namespace

std::span<const Rule> activation_rules() {
  return k_rules;
}

}  // namespace cupel::rewrite
