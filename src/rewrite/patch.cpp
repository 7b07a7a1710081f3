#include "rewrite/patch.h"

#include <fmt/format.h>

#include <algorithm>

namespace cupel::rewrite {
namespace {

constexpr std::int64_t k_bytes_of_double = 8;
constexpr std::int64_t k_bytes_of_float = 4;
constexpr std::int64_t k_bytes_of_half = 2;

std::int64_t element_bytes(const std::string& dtype) {
  if (dtype.ends_with("64")) return k_bytes_of_double;
  if (dtype.ends_with("32")) return k_bytes_of_float;
  return dtype.ends_with("16") ? k_bytes_of_half : 1;
}

void rename_leaves(GraphResult& result, std::string_view old, const std::string& now) {
  rename_uses(result.value, old, now);
  for (GraphResult& item : result.items) rename_leaves(item, old, now);
}

void replace_value(Graph& graph, const std::string& old, const std::string& now) {
  for (GraphNode& node : graph.nodes) {
    for (GraphArgument& given_one : node.arguments) rename_uses(given_one.value, old, now);
  }
  rename_leaves(graph.result, old, now);
}

// Puts every node behind what it uses. What is derived from weights may have been made, by an
// earlier patch, behind the place where a later one needs it.
class InOrder {
 public:
  explicit InOrder(std::vector<GraphNode> nodes) : given_(std::move(nodes)) {
    for (std::size_t i = 0; i < given_.size(); ++i) at_[given_[i].name] = i;
  }

  std::vector<GraphNode> nodes() && {
    ordered_.reserve(given_.size());
    for (std::size_t i = 0; i < given_.size(); ++i) add(i);
    return std::move(ordered_);
  }

 private:
  void add(std::size_t i) {
    if (!begun_.insert(i).second) return;
    for (const std::string& used : inputs_of(given_[i])) {
      const auto found = at_.find(used);
      if (found != at_.end()) add(found->second);
    }
    ordered_.push_back(std::move(given_[i]));
  }

  std::vector<GraphNode> given_, ordered_;
  std::unordered_map<std::string, std::size_t> at_;
  std::unordered_set<std::size_t> begun_;
};

}  // namespace

TensorSpec dense_spec(const std::string& dtype, Sizes shape) {
  TensorSpec spec;
  spec.dtype = dtype;
  spec.strides.resize(shape.size());
  std::int64_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    spec.strides[i] = stride;
    stride *= std::max<std::int64_t>(shape[i], 1);
  }
  spec.bytes = element_count(shape) * element_bytes(dtype);
  spec.shape = std::move(shape);
  return spec;
}

Sizes broadcast(const Sizes& a, const Sizes& b) {
  const Sizes& longer = a.size() >= b.size() ? a : b;
  const Sizes& shorter = a.size() >= b.size() ? b : a;
  Sizes shape = longer;
  const std::size_t shift = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    if (shape[shift + i] == 1) shape[shift + i] = shorter[i];
  }
  return shape;
}

GraphArgument given(const char* name, const std::string& node) {
  return {name, node.empty() ? GraphValue{} : GraphValue::of_node(node)};
}
GraphArgument given(const char* name, GraphValue value) {
  return {name, std::move(value)};
}
GraphArgument given(const char* name, const Sizes& values) {
  return {name, GraphValue::of(values)};
}

GraphArgument given(const char* name, const std::vector<std::string>& nodes) {
  GraphValue list;
  list.kind = GraphValue::Kind::list;
  for (const std::string& node : nodes) list.items.push_back(GraphValue::of_node(node));
  return {name, std::move(list)};
}

const TensorSpec& PatchBuilder::spec(const std::string& value) const {
  for (const GraphNode& node : nodes_) {
    if (node.name == value) return spec_of(node);
  }
  return spec_of(index_->node(value));
}

std::string PatchBuilder::add(GraphNode node, std::string_view stem) {
  int number = 1;
  const auto taken = [&](const std::string& name) {
    return index_->find(name) != nullptr ||
           std::ranges::any_of(nodes_, [&](const GraphNode& other) { return other.name == name; });
  };
  do {
    node.name = fmt::format("{}_r{}", stem, number++);
  } while (taken(node.name));
  nodes_.push_back(std::move(node));
  places_.push_back(place_);
  return nodes_.back().name;
}

std::string PatchBuilder::call(std::string op, std::vector<GraphArgument> arguments, Sizes shape,
                               const std::string& like) {
  GraphNode node;
  node.op = std::move(op);
  node.arguments = std::move(arguments);
  node.outputs.push_back(dense_spec(spec(like).dtype, std::move(shape)));
  const std::string stem(kind_of(node).empty() ? node.op.substr(node.op.find('.') + 1)
                                               : std::string(kind_of(node)));
  return add(std::move(node), stem);
}

std::string PatchBuilder::half(std::string op, std::vector<GraphArgument> arguments, Sizes shape) {
  const std::string first = arguments.front().value.text;
  const std::string name = call(std::move(op), std::move(arguments), std::move(shape), first);
  nodes_.back().outputs.front() = dense_spec("float16", spec_of(nodes_.back()).shape);
  return name;
}

std::string PatchBuilder::view(std::string op, std::vector<GraphArgument> arguments, Sizes shape,
                               const std::string& like) {
  const std::string name = call(std::move(op), std::move(arguments), std::move(shape), like);
  nodes_.back().is_view = true;
  return name;
}

std::string PatchBuilder::write(std::string op, std::vector<GraphArgument> arguments, Sizes shape) {
  const std::string first = arguments.front().value.text;
  const std::string name = call(std::move(op), std::move(arguments), std::move(shape), first);
  nodes_.back().is_effect = true;
  nodes_.back().is_view = nodes_.back().op == k_with_part;
  return name;
}

std::string PatchBuilder::calls(std::string op, std::vector<GraphArgument> arguments,
                                const std::vector<Sizes>& shapes, const std::string& like) {
  const std::string name = call(std::move(op), std::move(arguments), shapes.front(), like);
  for (std::size_t i = 1; i < shapes.size(); ++i) {
    nodes_.back().outputs.push_back(dense_spec(spec_of(nodes_.back()).dtype, shapes[i]));
  }
  nodes_.back().is_tuple = true;
  return name;
}

std::string PatchBuilder::piece(const std::string& several, std::int64_t index) {
  const auto made = std::ranges::find(nodes_, several, &GraphNode::name);
  GraphNode node;
  node.op = "getitem";
  node.arguments = {given("self", several), given("index", GraphValue::of(index))};
  node.outputs = {made->outputs[static_cast<std::size_t>(index)]};
  node.is_view = true;
  return add(std::move(node), "getitem");
}

std::string PatchBuilder::reduce(bool mean, const std::string& x, const Sizes& dims) {
  Sizes kept = shape(x);
  for (const std::int64_t dim : dims) kept[static_cast<std::size_t>(dim)] = 1;
  return call(mean ? "aten.mean.dim" : "aten.sum.dim_IntList",
              {given("self", x), given("dim", dims), given("keepdim", GraphValue::of(true))},
              std::move(kept), x);
}

std::string PatchBuilder::with_number(const char* kind, const std::string& a, double value) {
  return call(fmt::format("aten.{}.Tensor", kind),
              {given("self", a), given("other", GraphValue::of(value))}, shape(a), a);
}

std::string PatchBuilder::binary(const char* kind, const std::string& a, const std::string& b) {
  return call(fmt::format("aten.{}.Tensor", kind), {given("self", a), given("other", b)},
              broadcast(shape(a), shape(b)), a);
}

std::string PatchBuilder::times(const std::string& a, double factor) {
  return with_number("mul", a, factor);
}
std::string PatchBuilder::plus(const std::string& a, double term) {
  return with_number("add", a, term);
}
std::string PatchBuilder::times(const std::string& a, const std::string& b) {
  return binary("mul", a, b);
}
std::string PatchBuilder::plus(const std::string& a, const std::string& b) {
  return binary("add", a, b);
}
std::string PatchBuilder::minus(const std::string& a, const std::string& b) {
  return binary("sub", a, b);
}
std::string PatchBuilder::over(const std::string& a, const std::string& b) {
  return binary("div", a, b);
}

std::string PatchBuilder::linear(const std::string& x, const std::string& weight,
                                 const std::string& bias) {
  Sizes out = shape(x);
  out.back() = shape(weight).front();
  std::vector<GraphArgument> arguments{given("input", x), given("weight", weight)};
  if (!bias.empty()) arguments.push_back(given("bias", bias));
  return call("aten.linear.default", std::move(arguments), std::move(out), x);
}

std::string PatchBuilder::matmul(const std::string& a, const std::string& b) {
  Sizes left = shape(a);
  Sizes right = shape(b);
  const std::int64_t rows = left[left.size() - 2];
  const std::int64_t columns = right.back();
  left.resize(left.size() - 2);
  right.resize(right.size() - 2);
  Sizes out = broadcast(left, right);
  out.push_back(rows);
  out.push_back(columns);
  return call("aten.matmul.default", {given("self", a), given("other", b)}, std::move(out), a);
}

std::string PatchBuilder::reshape(const std::string& x, const Sizes& wanted) {
  if (shape(x) == wanted) return x;
  return view("aten.reshape.default", {given("self", x), given("shape", wanted)}, wanted, x);
}

std::string PatchBuilder::permute(const std::string& x, const Sizes& dims) {
  Sizes out;
  for (const std::int64_t dim : dims) out.push_back(shape(x)[static_cast<std::size_t>(dim)]);
  return view("aten.permute.default", {given("self", x), given("dims", dims)}, std::move(out), x);
}

std::string PatchBuilder::flip(const std::string& x, const Sizes& dims) {
  return call("aten.flip.default", {given("self", x), given("dims", dims)}, shape(x), x);
}

std::string PatchBuilder::pad(const std::string& x, const Sizes& amounts) {
  if (std::ranges::all_of(amounts, [](std::int64_t amount) { return amount == 0; })) return x;
  Sizes out = shape(x);
  for (std::size_t i = 0; i * 2 < amounts.size(); ++i) {
    out[out.size() - 1 - i] += amounts[2 * i] + amounts[2 * i + 1];
  }
  return call("aten.pad.default", {given("self", x), given("pad", amounts)}, std::move(out), x);
}

std::string PatchBuilder::slice(const std::string& x, std::int64_t dim, std::int64_t start,
                                std::int64_t end, std::int64_t step) {
  Sizes out = shape(x);
  out[static_cast<std::size_t>(dim)] = (end - start + step - 1) / step;
  return view(
      "aten.slice.Tensor",
      {given("self", x), given("dim", GraphValue::of(dim)), given("start", GraphValue::of(start)),
       given("end", GraphValue::of(end)), given("step", GraphValue::of(step))},
      std::move(out), x);
}

std::string PatchBuilder::select(const std::string& x, std::int64_t dim, std::int64_t index) {
  Sizes out = shape(x);
  out.erase(out.begin() + dim);
  return view(
      "aten.select.int",
      {given("self", x), given("dim", GraphValue::of(dim)), given("index", GraphValue::of(index))},
      std::move(out), x);
}

std::string PatchBuilder::cat(const std::vector<std::string>& parts, std::int64_t dim) {
  Sizes out = shape(parts.front());
  out[static_cast<std::size_t>(dim)] = 0;
  for (const std::string& part : parts) {
    out[static_cast<std::size_t>(dim)] += shape(part)[static_cast<std::size_t>(dim)];
  }
  return call("aten.cat.default", {given("tensors", parts), given("dim", GraphValue::of(dim))},
              std::move(out), parts.front());
}

std::string PatchBuilder::unary(const std::string& kind, const std::string& x) {
  return call(fmt::format("aten.{}.default", kind), {given("self", x)}, shape(x), x);
}

std::string PatchBuilder::again(const GraphNode& node, const std::string& old,
                                const std::string& now) {
  GraphNode copy = node;
  for (GraphArgument& each : copy.arguments) rename_uses(each.value, old, now);
  copy.outputs = {dense_spec(spec_of(node).dtype, shape(now))};
  const std::string stem(kind_of(node));
  return add(std::move(copy), stem);
}

Patch PatchBuilder::done(const std::string& old, const std::string& now) && {
  return {std::move(nodes_), {{old, now}}, {}, std::move(places_)};
}
Patch PatchBuilder::done_shaped(const GraphNode& node, const std::string& value) && {
  const std::string shaped = reshape(value, spec_of(node).shape);
  return std::move(*this).done(node.name, shaped);
}
Patch PatchBuilder::done(std::vector<std::pair<std::string, std::string>> values) && {
  return {std::move(nodes_), std::move(values), {}, std::move(places_)};
}

Graph patched(const Graph& graph, const std::string& at, const Patch& patch) {
  Graph result = graph;
  for (const auto& [old, now] : patch.values) replace_value(result, old, now);
  for (std::size_t i = 0; i < patch.nodes.size(); ++i) {
    const bool elsewhere = i < patch.places.size() && !patch.places[i].empty();
    const auto place =
        std::ranges::find(result.nodes, elsewhere ? patch.places[i] : at, &GraphNode::name);
    GraphNode node = patch.nodes[i];
    if (elsewhere) {  // between what it took the place of: it may use that too
      for (const auto& [old, now] : patch.values) {
        for (GraphArgument& each : node.arguments) rename_uses(each.value, old, now);
      }
    }
    result.nodes.insert(place, std::move(node));
  }
  std::erase_if(result.nodes, [&](const GraphNode& node) {
    return std::ranges::find(patch.removed, node.name) != patch.removed.end();
  });
  result.nodes = InOrder(std::move(result.nodes)).nodes();
  return without_dead_nodes(std::move(result));
}

Graph without_dead_nodes(Graph graph) {
  std::unordered_set<std::string> alive;
  const auto keep = [&](const GraphValue& value) {
    std::vector<std::string> names;
    collect_nodes(value, names);
    alive.insert(names.begin(), names.end());
  };
  std::vector<const GraphResult*> open{&graph.result};
  while (!open.empty()) {
    const GraphResult* const part = open.back();
    open.pop_back();
    keep(part->value);
    for (const GraphResult& item : part->items) open.push_back(&item);
  }
  std::vector<GraphNode> kept;
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    const bool needed =
        node->is_effect || node->is_random || node->op == "input" || alive.contains(node->name);
    if (!needed) continue;
    for (const GraphArgument& each : node->arguments) keep(each.value);
    kept.push_back(std::move(*node));
  }
  std::ranges::reverse(kept);
  graph.nodes = std::move(kept);
  return graph;
}

}  // namespace cupel::rewrite
