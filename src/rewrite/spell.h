// Operators as Python: F.linear(x, w, b), x + y, and torch.ops.aten.NAME where torch has no name.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "model/graph.h"

namespace cupel::rewrite {

// How a node that an argument names is written; the device on which the model's state lies, too.
using NameOf = std::function<std::string(const std::string&)>;

inline constexpr std::string_view k_device_of_state;  // no node has this name

struct Spelled {
  std::string text;
  bool is_infix = false;  // needs parentheses as part of another expression
};

Spelled spell(const GraphNode& node, const NameOf& name_of);

// A constant, or a list with nodes in it.
std::string python_of(const GraphValue& value, const NameOf& name_of);

// Whether programs call this one as torch.nn.functional's.
bool is_of_functional(std::string_view name);

// A Python string literal.
std::string quoted(std::string_view text);

}  // namespace cupel::rewrite
