#include "rewrite/cost.h"

#include <algorithm>

#include "rewrite/facts/einsum.h"

namespace cupel::rewrite {
namespace {

// A machine does so many operations in the time of one byte: CPUs 5 to 10, GPUs 10 to 20.
constexpr double k_operations_a_byte = 8;
// What launching one operator weighs: 2 to 5 us of a CPU core's or, less exactly, a GPU's traffic.
constexpr double k_bytes_a_launch = 64 << 10;

double elements(const GraphIndex& index, const std::string& name) {
  return name.empty() ? 0 : static_cast<double>(element_count(spec_of(index.node(name)).shape));
}

// Two operations for each output element and each term of its sum.
double product_operations(const GraphNode& node, const GraphIndex& index) {
  const double out = static_cast<double>(element_count(spec_of(node).shape));
  const std::string_view kind = kind_of(node);
  if (kind == "linear" || node.op == k_split_product) {
    return 2 * out * static_cast<double>(spec_of(index.node(operand(node, "input"))).shape.back());
  }
  const char* const left = kind == "bmm" || kind == "matmul" || kind == "mm" ? "self" : "mat1";
  const std::string& first = operand(node, kind == "baddbmm" ? "batch1" : left);
  if (first.empty() || spec_of(index.node(first)).shape.empty()) return out;
  return 2 * out * static_cast<double>(spec_of(index.node(first)).shape.back());
}

double convolution_operations(const GraphNode& node, const GraphIndex& index, bool transposed) {
  const std::string& weight = operand(node, "weight");
  const Sizes& out = spec_of(node).shape;
  if (weight.empty() || out.size() < 3) return 0;
  // Every weight meets every place of the output, or of the input where the output is scattered to.
  const Sizes& places = transposed ? spec_of(index.node(operand(node, "input"))).shape : out;
  double count = 2 * elements(index, weight) * static_cast<double>(places.front());
  for (std::size_t i = 2; i < places.size(); ++i) count *= static_cast<double>(places[i]);
  return count;
}

double attention_operations(const GraphNode& node, const GraphIndex& index) {
  const auto& keys = spec_of(index.node(operand(node, "key"))).shape;
  const auto& query = spec_of(index.node(operand(node, "query"))).shape;
  if (keys.size() < 2) return 0;
  return 4 * static_cast<double>(element_count(query)) * static_cast<double>(keys[keys.size() - 2]);
}

// Every weight meets every row of every place.
double recurrent_operations(const GraphNode& node, const GraphIndex& index) {
  const Sizes& x = spec_of(index.node(operand(node, "input"))).shape;
  double weights = 0;
  for (const std::string& used : inputs_of(node)) {
    if (index.is_static(used) && rank_of(index.node(used)) == 2) weights += elements(index, used);
  }
  return 2 * weights * static_cast<double>(element_count(x)) /
         static_cast<double>(std::max<std::int64_t>(x.empty() ? 1 : x.back(), 1));
}

double window_operations(const GraphNode& node) {
  const auto window = integers(argument(node, "kernel_size"));
  const double out = static_cast<double>(element_count(spec_of(node).shape));
  return window ? out * static_cast<double>(element_count(*window)) : out;
}

double operations_of(const GraphNode& node, const GraphIndex& index) {
  if (is_kind(node, {"linear", "matmul", "mm", "bmm", "addmm", "baddbmm"}) ||
      node.op == k_split_product) {
    return product_operations(node, index);
  }
  const std::string_view kind = kind_of(node);
  if (kind.starts_with("conv_transpose")) return convolution_operations(node, index, true);
  if (kind.starts_with("conv")) return convolution_operations(node, index, false);
  if (kind == "scaled_dot_product_attention") return attention_operations(node, index);
  if (node.op == k_masked_attention) return attention_operations(node, index) / 2;
  const bool recurrent = node.op == k_layer_as_products ||
                         is_kind(node, {"lstm", "gru", "rnn_tanh", "rnn_relu", "lstm_cell",
                                        "gru_cell", "rnn_tanh_cell", "rnn_relu_cell"});
  if (recurrent && !operand(node, "input").empty()) {
    return recurrent_operations(node, index);
  }
  if (kind.find("pool") != std::string_view::npos) return window_operations(node);
  double largest = static_cast<double>(element_count(spec_of(node).shape));
  for (const std::string& used : inputs_of(node))
    largest = std::max(largest, elements(index, used));
  return largest;
}

// What is written of a larger whole is the part alone.
Cost cost_of_part(const GraphNode& node, const GraphIndex& index) {
  const auto bytes = static_cast<double>(spec_of(index.node(operand(node, "part"))).bytes);
  return {elements(index, operand(node, "part")), 2 * bytes, 1};
}

void add_einsum(Cost& cost, const Einsum& einsum, const GraphNode& node) {
  const EinsumWork work = work_of(einsum);
  const auto elements =
      static_cast<double>(std::max<std::int64_t>(element_count(spec_of(node).shape), 1));
  const double each = static_cast<double>(spec_of(node).bytes) / elements;
  cost.operations = work.operations;
  cost.bytes += 2 * each * work.elements_between;
  cost.launches = work.steps;
}

Cost cost_of(const GraphNode& node, const GraphIndex& index) {
  Cost cost;
  if (node.arguments.empty() || node.is_view) return cost;
  cost.launches = 1;
  cost.operations = operations_of(node, index);
  for (const TensorSpec& spec : node.outputs) cost.bytes += static_cast<double>(spec.bytes);
  for (const std::string& used : inputs_of(node)) {
    cost.bytes += static_cast<double>(spec_of(index.node(used)).bytes);
  }
  if (const auto einsum = einsum_of(index, node)) add_einsum(cost, *einsum, node);
  return cost;
}

Cost sum_of(const GraphIndex& index, bool with_static) {
  Cost total;
  for (const GraphNode& node : index.graph().nodes) {
    if (!with_static && index.is_static(node.name)) continue;
    const bool writes_part = node.op == k_begun_with || node.op == k_with_part;
    const Cost cost = writes_part ? cost_of_part(node, index) : cost_of(node, index);
    total.operations += cost.operations;
    total.bytes += cost.bytes;
    total.launches += cost.launches;
  }
  return total;
}

}  // namespace

double Cost::weight() const {
  return bytes + operations / k_operations_a_byte +
         static_cast<double>(launches) * k_bytes_a_launch;
}

Cost cost_of(const GraphIndex& index) {
  return sum_of(index, false);
}

Cost cost_as_written(const GraphIndex& index) {
  return sum_of(index, true);
}

}  // namespace cupel::rewrite
