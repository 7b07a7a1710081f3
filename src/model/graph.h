// A task's program as a graph of torch's operators, with the sizes of one call.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/task.h"

namespace cupel {

// One argument of an operator.
struct GraphValue {
  enum class Kind { none, node, boolean, integer, real, text, torch, device, list };
  Kind kind = Kind::none;
  // node: its name; text: itself; torch: "float32", "contiguous_format"; device: "cuda:0", or ""
  // for that on which the model's state lies.
  std::string text;
  std::int64_t integer = 0;  // integer; boolean: 0 or 1
  double real = 0;
  std::vector<GraphValue> items;  // list

  static GraphValue of_node(std::string name);
  static GraphValue of(bool value);
  static GraphValue of(std::int64_t value);
  static GraphValue of(double value);
  static GraphValue of(const std::vector<std::int64_t>& values);
  bool operator==(const GraphValue&) const = default;
};

// An argument by the name that the operator's schema gives it; defaults are written out.
struct GraphArgument {
  std::string name;
  GraphValue value;
  bool is_default = false;
  bool is_keyword = false;  // cannot be given by its place
};

// What yields one tensor, or several ("getitem" picks one of them).
struct GraphNode {
  std::string name;  // unique in its graph, an identifier of Python
  std::string op;    // "aten.linear.default"; or "input", "weight", "constant", "getitem"
  // Of the three sources, Python that reads it: "x", "self.fc.weight", "torch.tensor(2.0,
  // dtype=torch.float32)", which lies where the model's state does if it names no device.
  std::string source;
  std::string state;  // weight: its name in the state dict; "" for a plain attribute
  std::vector<GraphArgument> arguments;
  std::vector<TensorSpec> outputs;
  bool is_tuple = false;   // yields a tuple, even of one
  bool is_effect = false;  // writes into buffers of the model: must happen, once and in order
  bool is_random = false;  // draws random numbers
  bool is_view = false;    // may share memory with its first argument
};

// What forward() returns: nested lists, tuples and dicts of tensors.
struct GraphResult {
  std::string kind = "leaf";  // "leaf", "list", "tuple", "dict"
  GraphValue value;           // leaf: a node, or a constant
  bool is_fresh = false;      // leaf: memory that neither inputs, weights nor other leaves share
  std::vector<std::string> keys;
  std::vector<GraphResult> items;
};

// Nodes come after what they use. Sizes, strides and constants are those of one call, so that the
// graph speaks of calls with the same constructor arguments and input sizes alone.
struct Graph {
  std::string init;  // constructor arguments, a Python list
  // Names of forward's arguments; "*others" and "**named" where it takes more than were given.
  std::vector<std::string> parameters;
  bool is_training = false;  // the model's mode as constructed
  std::vector<GraphNode> nodes;
  GraphResult result;
};

// Modules of a model that compute the same, each of its own weights: sources begin at "self".
struct GraphPart {
  std::string kind;                // their class, as the task's file names it: "Block"
  std::vector<std::string> paths;  // from the model: "self.layers[0]"
  Graph graph;
};

// What exporting gave: a graph, or a sentence why there is none, and those of the model's parts
// that have one.
struct GraphExport {
  Graph graph;
  std::string refused;
  std::vector<GraphPart> parts;
};

std::string encode(const Graph& graph);
Result<Graph> decode_graph(std::string_view json);
// Of the referee's reply: {"graph": ..} or {"refused": ".."}.
Result<GraphExport> decode_graph_export(std::string_view json);

}  // namespace cupel
