// Chains of recurrent cells, place after place: one operator of torch.
#include <algorithm>
#include <map>

#include "rewrite/facts/places.h"
#include "rewrite/facts/reductions.h"
#include "rewrite/facts/rules.h"

namespace cupel::rewrite {
namespace {

using Found = std::optional<Patch>;

struct Cell {
  const GraphNode* node = nullptr;
  Place place;
  std::vector<std::string> state;   // h, and c
  std::vector<std::string> result;  // the same behind it
  std::vector<std::string> weights;
};

std::string_view whole_loop_of(const GraphNode& cell) {
  static const std::map<std::string_view, std::string_view> wholes{{"lstm_cell", "lstm"},
                                                                   {"gru_cell", "gru"},
                                                                   {"rnn_tanh_cell", "rnn_tanh"},
                                                                   {"rnn_relu_cell", "rnn_relu"}};
  const auto found = wholes.find(kind_of(cell));
  return found == wholes.end() ? "" : found->second;
}

// The names of several results; "" for one that nobody uses.
std::vector<std::string> results_of(const GraphIndex& index, const GraphNode& node) {
  if (!node.is_tuple) return {node.name};
  std::vector<std::string> names(node.outputs.size());
  for (const std::string& user : index.users(node.name)) {
    const GraphNode& piece = index.node(user);
    std::string& name = names[static_cast<std::size_t>(argument(piece, "index").integer)];
    if (piece.op != "getitem" || !name.empty()) return {};
    name = user;
  }
  return names;
}

std::optional<Cell> cell_of(const GraphIndex& index, const GraphNode& node) {
  if (whole_loop_of(node).empty()) return std::nullopt;
  const auto place = place_of(index, operand(node, "input"));
  if (!place || place->keeps || rank_of(index.node(place->of)) != 3 || place->dim > 1) {
    return std::nullopt;
  }
  Cell cell{&node, *place, {}, results_of(index, node), {}};
  collect_nodes(argument(node, "hx"), cell.state);
  for (const char* name : {"w_ih", "w_hh", "b_ih", "b_hh"}) {
    if (!operand(node, name).empty()) cell.weights.push_back(operand(node, name));
  }
  const bool whole = cell.state.size() == cell.result.size() && cell.weights.size() % 2 == 0 &&
                     rank_of(index.node(cell.state.front())) == 2;
  return whole ? std::optional(cell) : std::nullopt;
}

// The cell that goes on from this one's state.
std::optional<Cell> next_cell(const GraphIndex& index, const Cell& cell) {
  for (const std::string& user : index.users(cell.result.front())) {
    auto next = cell_of(index, index.node(user));
    if (next && next->state == cell.result && next->weights == cell.weights &&
        next->node->op == cell.node->op && next->place.is_like(cell.place)) {
      return next;
    }
  }
  return std::nullopt;
}

// From this cell on, places one after another in one direction; of what a cell keeps to itself
// nobody but the next one knows.
std::vector<Cell> chain_from(const GraphIndex& index, const Cell& first) {
  std::vector<Cell> chain{first};
  while (!chain.back().result.front().empty()) {
    auto next = next_cell(index, chain.back());
    if (!next) break;
    const std::int64_t step = next->place.index - chain.back().place.index;
    const std::int64_t usual =
        chain.size() < 2 ? step : chain[1].place.index - chain[0].place.index;
    const bool hidden =
        chain.back().result.size() < 2 || is_only_use(index, chain.back().result[1]);
    if (step != usual || (step != 1 && step != -1) || !hidden) break;
    chain.push_back(std::move(*next));
  }
  return chain;
}

bool begins_chain(const GraphIndex& index, const Cell& cell) {
  const GraphNode* before = index.find(cell.state.front());
  if (before != nullptr && before->op == "getitem") before = index.find(operand(*before, "self"));
  const auto previous = before == nullptr ? std::nullopt : cell_of(index, *before);
  if (!previous) return true;
  const auto next = next_cell(index, *previous);
  return !next || next->node->name != cell.node->name;
}

// The whole loop's operator: its names are outputs and last states. The cells' products are
// products of matrices. cuDNN's layer has a switch of its own, which is looser by default:
// torch.lstm alone would be TF32 on a GPU where the loop is float32.
std::vector<std::string> whole_loop(PatchBuilder& build, const std::vector<Cell>& chain,
                                    const std::string& x) {
  const Cell& first = chain.front();
  const Sizes& state = build.shape(first.state.front());
  const Sizes layer{1, state[0], state[1]};
  std::vector<std::string> states;
  for (const std::string& each : first.state) states.push_back(build.reshape(each, layer));
  Sizes outputs = build.shape(x);
  outputs.back() = state[1];
  std::vector<Sizes> shapes{outputs};
  shapes.resize(1 + states.size(), layer);
  GraphValue function;
  function.kind = GraphValue::Kind::torch;
  function.text = whole_loop_of(*first.node);
  std::vector<GraphArgument> arguments{given("layer", function), given("input", x)};
  arguments.push_back(states.size() > 1 ? given("hx", states) : given("hx", states.front()));
  arguments.push_back(given("params", first.weights));
  arguments.push_back(given("has_biases", GraphValue::of(first.weights.size() > 2)));
  arguments.push_back(given("num_layers", GraphValue::of(std::int64_t{1})));
  arguments.push_back(given("dropout", GraphValue::of(0.0)));
  arguments.push_back(given("train", GraphValue::of(false)));
  arguments.push_back(given("bidirectional", GraphValue::of(false)));
  arguments.push_back(given("batch_first", GraphValue::of(first.place.dim == 1)));
  const std::string all =
      build.calls(std::string(k_layer_as_products), std::move(arguments), shapes, x);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    names.push_back(build.piece(all, static_cast<std::int64_t>(i)));
  }
  return names;
}

Found cells_as_one(const GraphIndex& index, const GraphNode& node) {
  const auto first = cell_of(index, node);
  if (!first || !begins_chain(index, *first)) return std::nullopt;
  const auto chain = chain_from(index, *first);
  if (chain.size() < 2) return std::nullopt;
  PatchBuilder build(index);
  const auto count = static_cast<std::int64_t>(chain.size());
  const bool backwards = chain[1].place.index < chain[0].place.index;
  const std::int64_t lowest = std::min(chain.front().place.index, chain.back().place.index);
  const std::int64_t dim = first->place.dim;
  std::string x = first->place.of;
  if (build.shape(x)[static_cast<std::size_t>(dim)] != count) {
    x = build.slice(x, dim, lowest, lowest + count, 1);
  }
  if (backwards) x = build.flip(x, {dim});
  const auto results = whole_loop(build, chain, x);
  std::vector<std::pair<std::string, std::string>> values;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const std::string& hidden = chain[i].result.front();
    if (hidden.empty()) continue;
    values.emplace_back(hidden, build.select(results.front(), dim, static_cast<std::int64_t>(i)));
  }
  if (first->state.size() > 1 && !chain.back().result[1].empty()) {
    const Sizes& state = spec_of(index.node(first->state[1])).shape;
    values.emplace_back(chain.back().result[1], build.reshape(results[2], state));
  }
  if (values.empty()) return std::nullopt;
  return std::move(build).done(std::move(values));
}

constexpr Rule k_rules[] = {
    {"recurrent cells as one operator",
     "a chain of cells from place to place is what torch calls a recurrent layer; its products are "
     "held to the precision of the cells'",
     Rounding::reorders, Kept::cheaper, cells_as_one, Tf32::held},
};

}  // namespace

std::span<const Rule> cell_rules() {
  return k_rules;
}

}  // namespace cupel::rewrite
