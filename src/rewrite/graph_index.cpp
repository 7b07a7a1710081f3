#include "rewrite/graph_index.h"

#include <algorithm>
#include <cstdlib>

#include "rewrite/ranges.h"

namespace cupel::rewrite {
namespace {

using Kind = GraphValue::Kind;

const GraphValue k_nothing;
const std::string k_no_name;
const std::vector<std::string> k_nobody;

bool is_source(const GraphNode& node) {
  return node.op == "weight" || node.op == "constant";
}

}  // namespace

GraphIndex::GraphIndex(const Graph& graph) : graph_(&graph) {
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    positions_[graph.nodes[i].name] = i;
    for (const std::string& used : inputs_of(graph.nodes[i])) {
      ++uses_[used];
      users_[used].push_back(graph.nodes[i].name);
    }
  }
  std::vector<std::string> leaves;
  collect_leaves(graph.result, leaves);
  for (const std::string& leaf : leaves) ++uses_[leaf];
  settle_written();
  settle_static();
  ranges_ = ranges_of(*this);
}

void GraphIndex::settle_written() {
  for (const GraphNode& node : graph_->nodes) {
    if (!node.is_effect || node.op == k_begun_with || node.op == k_with_part) continue;
    if (is_kind(node, {"batch_norm", "instance_norm"})) {
      written_.insert({operand(node, "running_mean"), operand(node, "running_var")});
      continue;
    }
    for (const std::string& used : inputs_of(node)) {
      if (this->node(used).op == "weight") written_.insert(used);
    }
  }
  for (const GraphNode& node : graph_->nodes) {
    const auto inputs = inputs_of(node);
    const bool shows = node.is_view && !inputs.empty() && written_.contains(inputs.front());
    if (shows) written_.insert(node.name);
  }
}

void GraphIndex::settle_static() {
  for (const GraphNode& node : graph_->nodes) {
    if (node.is_effect || node.is_random || node.op == "input" || written_.contains(node.name)) {
      continue;
    }
    const auto inputs = inputs_of(node);
    const bool derived = std::ranges::all_of(
        inputs, [this](const std::string& name) { return static_.contains(name); });
    if (is_source(node) || derived) static_.insert(node.name);
  }
}

const GraphNode& GraphIndex::node(std::string_view name) const {
  const GraphNode* const found = find(name);
  if (found == nullptr) std::abort();  // a rule named a node that its graph does not have
  return *found;
}

const GraphNode* GraphIndex::find(std::string_view name) const {
  const auto found = positions_.find(std::string(name));
  return found == positions_.end() ? nullptr : &graph_->nodes[found->second];
}

std::size_t GraphIndex::position(std::string_view name) const {
  return positions_.at(std::string(name));
}

int GraphIndex::uses(std::string_view name) const {
  const auto found = uses_.find(std::string(name));
  return found == uses_.end() ? 0 : found->second;
}

const std::vector<std::string>& GraphIndex::users(std::string_view name) const {
  const auto found = users_.find(std::string(name));
  return found == users_.end() ? k_nobody : found->second;
}

bool GraphIndex::reads_written(std::string_view name) const {
  const GraphNode* const found = find(name);
  if (found == nullptr) return false;
  return written_.contains(std::string(name)) ||
         std::ranges::any_of(inputs_of(*found),
                             [this](const std::string& used) { return written_.contains(used); });
}

bool GraphIndex::may_wait(std::string_view first, std::string_view second) const {
  for (std::size_t i = position(first) + 1; i < position(second); ++i) {
    const GraphNode& between = graph_->nodes[i];
    if (between.is_effect || reads_written(between.name)) return false;
  }
  return position(first) < position(second);
}

bool GraphIndex::is_static(std::string_view name) const {
  return static_.contains(std::string(name));
}

Interval GraphIndex::range(std::string_view name) const {
  const auto found = ranges_.find(std::string(name));
  return found == ranges_.end() ? Interval{} : found->second;
}

void collect_nodes(const GraphValue& value, std::vector<std::string>& names) {
  if (value.kind == Kind::node) names.push_back(value.text);
  for (const GraphValue& item : value.items) collect_nodes(item, names);
}

void collect_leaves(const GraphResult& result, std::vector<std::string>& names) {
  collect_nodes(result.value, names);
  for (const GraphResult& item : result.items) collect_leaves(item, names);
}

std::vector<std::string> inputs_of(const GraphNode& node) {
  std::vector<std::string> names;
  for (const GraphArgument& given : node.arguments) collect_nodes(given.value, names);
  return names;
}

void rename_uses(GraphValue& value, std::string_view old, const std::string& now) {
  if (value.kind == Kind::node && value.text == old) value.text = now;
  for (GraphValue& item : value.items) rename_uses(item, old, now);
}

std::string_view kind_of(const GraphNode& node) {
  constexpr std::string_view k_prefix = "aten.";
  const std::string_view op = node.op;
  if (!op.starts_with(k_prefix)) return "";
  const std::size_t end = op.find('.', k_prefix.size());
  return op.substr(k_prefix.size(), end == std::string_view::npos ? end : end - k_prefix.size());
}

bool is_kind(const GraphNode& node, std::initializer_list<std::string_view> kinds) {
  return std::ranges::find(kinds, kind_of(node)) != kinds.end() && !kind_of(node).empty();
}

bool is_product(const GraphNode& node) {
  return is_kind(node, {"matmul", "mm", "bmm"});
}

const std::string& right_factor(const GraphNode& node) {
  return operand(node, kind_of(node) == "matmul" ? "other" : "mat2");
}

bool is_reshape(const GraphNode& node) {
  return node.op != "aten.view.dtype" &&
         is_kind(node, {"view", "reshape", "_unsafe_view", "flatten", "squeeze", "unsqueeze",
                        "unflatten"});
}

bool maps_elements(const GraphNode& node) {
  return inputs_of(node).size() == 1 &&
         is_kind(node, {"add", "sub", "mul", "div", "neg", "relu", "sigmoid", "tanh", "exp", "gelu",
                        "silu", "mish", "hardswish", "clamp", "hardtanh", "leaky_relu", "abs"});
}

const GraphValue& argument(const GraphNode& node, std::string_view name) {
  for (const GraphArgument& given : node.arguments) {
    if (given.name == name) return given.value;
  }
  return k_nothing;
}

const std::string& operand(const GraphNode& node, std::string_view name) {
  const GraphValue& value = argument(node, name);
  return value.kind == Kind::node ? value.text : k_no_name;
}

std::optional<double> number(const GraphValue& value) {
  if (value.kind == Kind::real) return value.real;
  if (value.kind == Kind::integer) return static_cast<double>(value.integer);
  return std::nullopt;
}

std::optional<std::int64_t> integer(const GraphValue& value) {
  if (value.kind != Kind::integer) return std::nullopt;
  return value.integer;
}

bool is_none(const GraphValue& value) {
  return value.kind == Kind::none;
}

bool is_true(const GraphValue& value) {
  return value.kind == Kind::boolean && value.integer != 0;
}

std::optional<Sizes> integers(const GraphValue& value) {
  if (value.kind == Kind::integer) return Sizes{value.integer};
  if (value.kind != Kind::list) return std::nullopt;
  Sizes found;
  for (const GraphValue& item : value.items) {
    if (item.kind != Kind::integer) return std::nullopt;
    found.push_back(item.integer);
  }
  return found;
}

const TensorSpec& spec_of(const GraphNode& node) {
  if (node.outputs.empty()) std::abort();  // every node yields a tensor: decoding checked it
  return node.outputs.front();
}

std::int64_t rank_of(const GraphNode& node) {
  return static_cast<std::int64_t>(spec_of(node).shape.size());
}

std::int64_t element_count(const Sizes& shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  return count;
}

bool same_form(const TensorSpec& a, const TensorSpec& b) {
  return a.dtype == b.dtype && a.shape == b.shape;
}

bool is_floating(const TensorSpec& spec) {
  return spec.dtype.starts_with("float") || spec.dtype == "bfloat16";
}

std::int64_t from_front(std::int64_t dim, std::int64_t rank) {
  return dim < 0 ? dim + rank : dim;
}

}  // namespace cupel::rewrite
