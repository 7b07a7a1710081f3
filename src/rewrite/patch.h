// What a rule wants changed: new nodes, and which values they take the place of.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "rewrite/graph_index.h"

namespace cupel::rewrite {

// The new nodes stand where the matched node stood, or before a later one. `values`: old name, new
// name; a new name may also be one that the graph has already, before the matched node.
struct Patch {
  std::vector<GraphNode> nodes;
  std::vector<std::pair<std::string, std::string>> values;
  std::vector<std::string> removed = {};  // nodes whose effect a new node has
  // Of each of `nodes` the one that it stands before, "": the matched one. Fewer: "" for the rest.
  std::vector<std::string> places = {};
};

// Makes nodes with the sizes that their operators give. Values are named by their nodes; "" is no
// tensor (no bias). Floating tensors of one dtype alone: rules look at that first.
class PatchBuilder {
 public:
  explicit PatchBuilder(const GraphIndex& index) : index_(&index) {}

  // What is made from now on stands before this node, which comes after the matched one.
  void stand_before(const std::string& node) { place_ = node; }

  const Sizes& shape(const std::string& value) const { return spec(value).shape; }
  const TensorSpec& spec(const std::string& value) const;

  // Any operator; `arguments` in the schema's order, defaults that follow left out.
  std::string call(std::string op, std::vector<GraphArgument> arguments, Sizes shape,
                   const std::string& like);
  // The same, of float16.
  std::string half(std::string op, std::vector<GraphArgument> arguments, Sizes shape);
  std::string view(std::string op, std::vector<GraphArgument> arguments, Sizes shape,
                   const std::string& like);

  // An operator that writes: into what its first argument names, or into memory of its own.
  std::string write(std::string op, std::vector<GraphArgument> arguments, Sizes shape);

  // An operator of several results, and one of these.
  std::string calls(std::string op, std::vector<GraphArgument> arguments,
                    const std::vector<Sizes>& shapes, const std::string& like);
  std::string piece(const std::string& several, std::int64_t index);

  std::string reduce(bool mean, const std::string& x, const Sizes& dims);  // keeps dimensions
  std::string times(const std::string& a, double factor);
  std::string plus(const std::string& a, double term);
  std::string times(const std::string& a, const std::string& b);
  std::string plus(const std::string& a, const std::string& b);
  std::string minus(const std::string& a, const std::string& b);
  std::string over(const std::string& a, const std::string& b);
  std::string linear(const std::string& x, const std::string& weight, const std::string& bias);
  std::string matmul(const std::string& a, const std::string& b);
  std::string reshape(const std::string& x, const Sizes& shape);  // x itself where it has it
  std::string permute(const std::string& x, const Sizes& dims);
  std::string flip(const std::string& x, const Sizes& dims);
  std::string pad(const std::string& x, const Sizes& amounts);  // torch's order, zeros
  std::string slice(const std::string& x, std::int64_t dim, std::int64_t start, std::int64_t end,
                    std::int64_t step);
  std::string select(const std::string& x, std::int64_t dim, std::int64_t index);
  std::string cat(const std::vector<std::string>& parts, std::int64_t dim);
  std::string unary(const std::string& kind, const std::string& x);
  // The same operator with another first argument, whose shape it keeps.
  std::string again(const GraphNode& node, const std::string& old, const std::string& now);

  Patch done(const std::string& old, const std::string& now) &&;
  // `value` has the node's elements in their order, perhaps with dimensions that the node dropped.
  Patch done_shaped(const GraphNode& node, const std::string& value) &&;
  Patch done(std::vector<std::pair<std::string, std::string>> values) &&;

 private:
  std::string add(GraphNode node, std::string_view stem);
  std::string binary(const char* kind, const std::string& a, const std::string& b);
  std::string with_number(const char* kind, const std::string& a, double value);

  const GraphIndex* index_;
  std::vector<GraphNode> nodes_;
  std::vector<std::string> places_;
  std::string place_;
};

// Row-major, and with its bytes.
TensorSpec dense_spec(const std::string& dtype, Sizes shape);
// The shape of an operation on both; they must broadcast.
Sizes broadcast(const Sizes& a, const Sizes& b);

// Arguments, with the names of ATen's schemas.
GraphArgument given(const char* name, const std::string& node);  // "": None
GraphArgument given(const char* name, GraphValue value);
GraphArgument given(const char* name, const Sizes& values);
GraphArgument given(const char* name, const std::vector<std::string>& nodes);

// The graph with a patch applied in the place of node `at`, without what nobody uses any more.
Graph patched(const Graph& graph, const std::string& at, const Patch& patch);
// The graph without nodes that nobody uses and that have no effect. What draws random numbers has
// one: later ones are others without it.
Graph without_dead_nodes(Graph graph);

}  // namespace cupel::rewrite
