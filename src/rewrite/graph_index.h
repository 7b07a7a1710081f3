// Looking things up in a graph: nodes, uses, arguments, which values never change.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "model/graph.h"

namespace cupel::rewrite {

using Sizes = std::vector<std::int64_t>;

// Bounds of all elements that are not NaN, whatever inputs and weights are. Rounding is allowed
// for: a bound holds on the machine.
struct Interval {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool is_within(const Interval& other) const { return low >= other.low && high <= other.high; }
  bool is_point() const { return low == high; }
};

// An index of one graph, which must outlive it and not change. Const after construction.
class GraphIndex {
 public:
  explicit GraphIndex(const Graph& graph);

  const Graph& graph() const { return *graph_; }
  // A node of the graph by name; the name must be one.
  const GraphNode& node(std::string_view name) const;
  const GraphNode* find(std::string_view name) const;
  std::size_t position(std::string_view name) const;  // of a node among the graph's
  // How often a value is used, by nodes and by the result.
  int uses(std::string_view name) const;
  // The nodes that use a value, in order.
  const std::vector<std::string>& users(std::string_view name) const;
  // Whether a value follows from weights and constants alone: it may be derived once, after the
  // weights are loaded. Buffers that a call writes to, and what draws random numbers, do not.
  bool is_static(std::string_view name) const;
  Interval range(std::string_view name) const;
  // Whether a value lies in a buffer that a call writes into: it is another one behind the write
  // than before. And whether an operator reads such a value, or is one.
  bool lies_in_written(std::string_view name) const { return written_.contains(std::string(name)); }
  bool reads_written(std::string_view name) const;
  // Whether nothing between two nodes has an effect or reads what a call writes, so that the first
  // may happen at the second.
  bool may_wait(std::string_view first, std::string_view second) const;

 private:
  void settle_written();
  void settle_static();

  const Graph* graph_;
  std::unordered_map<std::string, std::size_t> positions_;
  std::unordered_map<std::string, int> uses_;
  std::unordered_map<std::string, std::vector<std::string>> users_;
  std::unordered_set<std::string> static_;
  std::unordered_set<std::string> written_;  // buffers, and what lies in them
  std::unordered_map<std::string, Interval> ranges_;
};

// Names of the nodes in a value, lists within it too.
void collect_nodes(const GraphValue& value, std::vector<std::string>& names);
void collect_leaves(const GraphResult& result, std::vector<std::string>& names);
std::vector<std::string> inputs_of(const GraphNode& node);
// Puts `now` in the place of every use of the node `old` in a value.
void rename_uses(GraphValue& value, std::string_view old, const std::string& now);

// "linear" of "aten.linear.default"; "" where it is not one of ATen's.
std::string_view kind_of(const GraphNode& node);
bool is_kind(const GraphNode& node, std::initializer_list<std::string_view> kinds);

// One of torch's recurrent layers, its first argument, whose products are held to the switch of
// products of matrices: own_functions.h has its Python.
inline constexpr std::string_view k_layer_as_products = "cupel.as_precise_as_products";

// New memory that begins with a part, and what writes a further part into it and yields it: of
// neither may two be taken for one.
inline constexpr std::string_view k_begun_with = "cupel.begun_with";
inline constexpr std::string_view k_with_part = "cupel.with_part";

// Attention with a mask that follows from weights, and whether that is a causal one: a number of
// Python's, of which the weights that are loaded decide.
inline constexpr std::string_view k_masked_attention = "cupel.masked_attention";
inline constexpr std::string_view k_is_causal = "cupel.is_causal";

// Powers of two for the rows of a matrix, its float32 numbers as two float16 ones each, and the
// product with one that is split so: own_functions.h has their Python.
inline constexpr std::string_view k_split_scales = "cupel.split_scales";
inline constexpr std::string_view k_split_matrix = "cupel.split_matrix";
inline constexpr std::string_view k_split_product = "cupel.split_product";

// A product of matrices, and its second factor.
bool is_product(const GraphNode& node);
const std::string& right_factor(const GraphNode& node);

// The elements of one tensor, their order and dtype kept, under other sizes.
bool is_reshape(const GraphNode& node);

// f of each element, of one tensor and constants.
bool maps_elements(const GraphNode& node);

// The argument of this name; none where there is none.
const GraphValue& argument(const GraphNode& node, std::string_view name);
// The node that an argument names; "" where it is no node.
const std::string& operand(const GraphNode& node, std::string_view name);
std::optional<double> number(const GraphValue& value);  // integer or real
std::optional<std::int64_t> integer(const GraphValue& value);
bool is_none(const GraphValue& value);
bool is_true(const GraphValue& value);
// A list of integers; one integer stands for a list of one.
std::optional<Sizes> integers(const GraphValue& value);

// The first tensor that a node yields.
const TensorSpec& spec_of(const GraphNode& node);
std::int64_t rank_of(const GraphNode& node);
std::int64_t element_count(const Sizes& shape);
bool same_form(const TensorSpec& a, const TensorSpec& b);  // shape and dtype
bool is_floating(const TensorSpec& spec);  // real ones: float64, float32, float16, bfloat16
// A dimension counted from the front.
std::int64_t from_front(std::int64_t dim, std::int64_t rank);

}  // namespace cupel::rewrite
