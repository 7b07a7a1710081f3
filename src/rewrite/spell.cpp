#include "rewrite/spell.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "rewrite/graph_index.h"

namespace cupel::rewrite {
namespace {

using Kind = GraphValue::Kind;

// Functions of torch that take what the operator of the same name takes, in the same order.
constexpr auto k_torch_names = std::to_array<std::string_view>({"abs",
                                                                "acos",
                                                                "amax",
                                                                "amin",
                                                                "arange",
                                                                "argmax",
                                                                "argmin",
                                                                "baddbmm",
                                                                "batch_norm",
                                                                "bitwise_and",
                                                                "bitwise_not",
                                                                "bitwise_or",
                                                                "bmm",
                                                                "cat",
                                                                "ceil",
                                                                "chunk",
                                                                "clamp",
                                                                "clamp_max",
                                                                "clamp_min",
                                                                "clone",
                                                                "cos",
                                                                "cumprod",
                                                                "cumsum",
                                                                "diag",
                                                                "diag_embed",
                                                                "diagonal",
                                                                "dropout",
                                                                "einsum",
                                                                "embedding",
                                                                "eq",
                                                                "erf",
                                                                "exp",
                                                                "eye",
                                                                "flatten",
                                                                "flip",
                                                                "floor",
                                                                "full",
                                                                "full_like",
                                                                "gather",
                                                                "ge",
                                                                "group_norm",
                                                                "gru",
                                                                "gru_cell",
                                                                "gt",
                                                                "index_select",
                                                                "instance_norm",
                                                                "layer_norm",
                                                                "le",
                                                                "log",
                                                                "log1p",
                                                                "log_softmax",
                                                                "logical_and",
                                                                "logical_not",
                                                                "logical_or",
                                                                "logsumexp",
                                                                "lstm",
                                                                "lstm_cell",
                                                                "lt",
                                                                "masked_fill",
                                                                "matmul",
                                                                "max",
                                                                "maximum",
                                                                "mean",
                                                                "min",
                                                                "minimum",
                                                                "mm",
                                                                "movedim",
                                                                "ne",
                                                                "neg",
                                                                "ones",
                                                                "ones_like",
                                                                "outer",
                                                                "permute",
                                                                "pow",
                                                                "prod",
                                                                "reciprocal",
                                                                "relu",
                                                                "reshape",
                                                                "rnn_relu",
                                                                "rnn_relu_cell",
                                                                "rnn_tanh",
                                                                "rnn_tanh_cell",
                                                                "roll",
                                                                "rsub",
                                                                "rsqrt",
                                                                "select",
                                                                "selu",
                                                                "sigmoid",
                                                                "sign",
                                                                "sin",
                                                                "softmax",
                                                                "split",
                                                                "sqrt",
                                                                "square",
                                                                "squeeze",
                                                                "stack",
                                                                "std",
                                                                "sum",
                                                                "t",
                                                                "tanh",
                                                                "topk",
                                                                "transpose",
                                                                "tril",
                                                                "triu",
                                                                "unbind",
                                                                "unflatten",
                                                                "unsqueeze",
                                                                "var",
                                                                "var_mean",
                                                                "where",
                                                                "zeros",
                                                                "zeros_like",
                                                                "addmm"});
// The same of torch.nn.functional.
constexpr auto k_functional_names = std::to_array<std::string_view>({"adaptive_avg_pool1d",
                                                                     "adaptive_avg_pool2d",
                                                                     "adaptive_avg_pool3d",
                                                                     "avg_pool1d",
                                                                     "avg_pool2d",
                                                                     "avg_pool3d",
                                                                     "conv1d",
                                                                     "conv2d",
                                                                     "conv3d",
                                                                     "conv_transpose1d",
                                                                     "conv_transpose2d",
                                                                     "conv_transpose3d",
                                                                     "gelu",
                                                                     "hardsigmoid",
                                                                     "hardswish",
                                                                     "hardtanh",
                                                                     "leaky_relu",
                                                                     "linear",
                                                                     "logsigmoid",
                                                                     "max_pool1d",
                                                                     "max_pool2d",
                                                                     "max_pool3d",
                                                                     "mish",
                                                                     "pad",
                                                                     "relu6",
                                                                     "scaled_dot_product_attention",
                                                                     "silu",
                                                                     "softplus"});
struct Infix {
  std::string_view kind, sign;
};
constexpr Infix k_infix[] = {
    {"add", "+"}, {"sub", "-"}, {"mul", "*"}, {"div", "/"}, {"matmul", "@"}};
// Methods of a tensor that have no function of the same arguments.
constexpr auto k_methods =
    std::to_array<std::string_view>({"expand", "expand_as", "contiguous", "repeat", "add_", "sub_",
                                     "mul_", "div_", "copy_", "fill_", "zero_"});

template <std::size_t N>
bool listed(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::string real_text(double value) {
  if (std::isnan(value)) return "float(\"nan\")";
  if (std::isinf(value)) return value > 0 ? "float(\"inf\")" : "float(\"-inf\")";
  const std::string text = fmt::format("{}", value);  // the shortest that reads back the same
  const bool looks_integer = text.find_first_of(".en") == std::string::npos;
  return looks_integer ? text + ".0" : text;
}

// Given in order up to the last that is no default; the rest by name where it must be.
std::string arguments_text(const GraphNode& node, const NameOf& name_of, std::size_t first = 0) {
  std::size_t end = first;
  for (std::size_t i = first; i < node.arguments.size(); ++i) {
    const GraphArgument& given = node.arguments[i];
    if (!given.is_default && !given.is_keyword) end = i + 1;
  }
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  for (std::size_t i = first; i < node.arguments.size(); ++i) {
    const GraphArgument& given = node.arguments[i];
    const std::string value = python_of(given.value, name_of);
    if (i < end && !given.is_keyword) add(value);
    if (given.is_keyword && !given.is_default) add(given.name + "=" + value);
  }
  return text;
}

bool all_plain(const GraphNode& node, std::string_view kind) {
  // elu's further arguments are no arguments of torch.nn.functional's.
  return kind != "elu" || std::ranges::all_of(node.arguments.begin() + 2, node.arguments.end(),
                                              &GraphArgument::is_default);
}

bool is_infix_call(const GraphNode& node) {
  if (node.arguments.size() < 2) return false;
  const bool simple = std::ranges::all_of(
      node.arguments.begin() + 2, node.arguments.end(), [](const GraphArgument& given) {
        return given.is_default || given.value.kind == Kind::none;
      });
  // A number on the left has no dtype of its own: the operator would be Python's.
  return simple && node.arguments.front().value.kind == Kind::node;
}

std::string callee(const GraphNode& node) {
  const std::string_view kind = kind_of(node);
  if (listed(k_torch_names, kind)) return fmt::format("torch.{}", kind);
  if (listed(k_functional_names, kind)) return fmt::format("F.{}", kind);
  if (kind == "linalg_vector_norm") return "torch.linalg.vector_norm";
  if (kind == "elu" && all_plain(node, kind)) return "F.elu";
  return fmt::format("torch.ops.{}", node.op);
}

std::string operand_text(const GraphValue& value, const NameOf& name_of) {
  std::string text = python_of(value, name_of);
  const bool compound = text.find(' ') != std::string::npos && text.back() != ')';
  const bool negative = text.front() == '-';
  return compound || negative ? "(" + text + ")" : text;
}

// Larger than any dimension: how ATen says that a slice has no end.
constexpr std::int64_t k_far_behind = 1LL << 40;

std::string slice_text(const GraphNode& node, const NameOf& name_of) {
  const auto part = [&](const char* name, std::int64_t plain) {
    const auto value = integer(argument(node, name));
    return !value || *value == plain ? std::string() : std::to_string(*value);
  };
  const auto end = integer(argument(node, "end"));
  const bool to_the_end = !end || *end > k_far_behind;
  const std::int64_t rank = rank_of(node);
  const std::int64_t dim = from_front(integer(argument(node, "dim")).value_or(0), rank);
  std::string text = part("start", 0) + ":" + (to_the_end ? "" : std::to_string(*end));
  const std::string step = part("step", 1);
  if (!step.empty()) text += ":" + step;
  std::string before;
  for (std::int64_t i = 0; i < dim; ++i) before += ":, ";
  if (dim > 1 && dim == rank - 1) before = "..., ";
  return fmt::format("{}[{}{}]", operand_text(argument(node, "self"), name_of), before, text);
}

Spelled spell_special(const GraphNode& node, const NameOf& name_of) {
  const std::string_view kind = kind_of(node);
  const auto self = [&] { return operand_text(argument(node, "self"), name_of); };
  if (node.op == "getitem") {
    return {fmt::format("{}[{}]", self(), argument(node, "index").integer)};
  }
  if (node.op.starts_with("cupel.")) {
    return {fmt::format("{}({})", node.op.substr(6), arguments_text(node, name_of))};
  }
  if (kind == "slice") return {slice_text(node, name_of)};
  if (kind == "alias") return {self()};
  if (is_kind(node, {"view", "_unsafe_view"})) {
    return {fmt::format("{}.reshape({})", self(), arguments_text(node, name_of, 1))};
  }
  if (kind == "numpy_T") return {self() + ".T"};
  if (kind == "detach") return {self() + ".detach()"};
  if (kind == "lift_fresh_copy") return {self() + ".clone()"};
  if (listed(k_methods, kind)) {
    return {fmt::format("{}.{}({})", self(), kind, arguments_text(node, name_of, 1))};
  }
  return {};
}

}  // namespace

bool is_of_functional(std::string_view name) {
  return listed(k_functional_names, name) || name == "elu";
}

std::string quoted(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') literal += '\\';
    literal += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return literal + "\"";
}

std::string python_of(const GraphValue& value, const NameOf& name_of) {
  switch (value.kind) {
    case Kind::none:
      return "None";
    case Kind::node:
      return name_of(value.text);
    case Kind::boolean:
      return value.integer != 0 ? "True" : "False";
    case Kind::integer:
      return std::to_string(value.integer);
    case Kind::real:
      return real_text(value.real);
    case Kind::text:
      return quoted(value.text);
    case Kind::torch:
      return "torch." + value.text;
    case Kind::device:
      return value.text.empty() ? name_of(std::string(k_device_of_state)) : quoted(value.text);
    case Kind::list:
      break;
  }
  std::string text;
  for (const GraphValue& item : value.items) {
    text += (text.empty() ? "" : ", ") + python_of(item, name_of);
  }
  return "[" + text + "]";
}

Spelled spell(const GraphNode& node, const NameOf& name_of) {
  Spelled special = spell_special(node, name_of);
  if (!special.text.empty()) return special;
  for (const Infix& infix : k_infix) {
    if (infix.kind != kind_of(node) || !is_infix_call(node)) continue;
    return {fmt::format("{} {} {}", operand_text(node.arguments[0].value, name_of), infix.sign,
                        operand_text(node.arguments[1].value, name_of)),
            true};
  }
  return {fmt::format("{}({})", callee(node), arguments_text(node, name_of))};
}

}  // namespace cupel::rewrite
