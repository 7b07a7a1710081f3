#include "engine/own_programs/rewriting.h"

#include <gtest/gtest.h>

#include "rewrite/patch.h"

namespace cupel::engine {
namespace {

using rewrite::dense_spec;
using rewrite::given;

constexpr const char* k_rule = "recurrent cells as one operator";
constexpr std::int64_t k_places = 4, k_features = 3, k_states = 2;

GraphNode source(const char* name, const char* op, const char* python,
                 std::vector<std::int64_t> shape) {
  GraphNode node;
  node.name = name;
  node.op = op;
  node.source = python;
  node.outputs = {dense_spec("float32", std::move(shape))};
  return node;
}

GraphNode call(std::string name, const char* op, std::vector<GraphArgument> arguments,
               std::vector<std::int64_t> shape) {
  GraphNode node;
  node.name = std::move(name);
  node.op = op;
  node.arguments = std::move(arguments);
  node.outputs = {dense_spec("float32", std::move(shape))};
  return node;
}

// for i in range(4): h = self.cell(x[i], h)
GraphExport loop_of_cells() {
  GraphExport exported;
  Graph& graph = exported.graph;
  graph.init = "[]";
  graph.parameters = {"x", "h"};
  graph.nodes = {
      source("x", "input", "x", {k_places, 1, k_features}),
      source("h", "input", "h", {1, k_states}),
      source("w_ih", "weight", "self.cell.weight_ih", {3 * k_states, k_features}),
      source("w_hh", "weight", "self.cell.weight_hh", {3 * k_states, k_states}),
  };
  std::string state = "h";
  for (std::int64_t i = 0; i < k_places; ++i) {
    const std::string place = "place_" + std::to_string(i);
    graph.nodes.push_back(call(place, "aten.select.int",
                               {given("self", "x"), given("dim", GraphValue::of(std::int64_t{0})),
                                given("index", GraphValue::of(i))},
                               {1, k_features}));
    graph.nodes.back().is_view = true;
    const std::string next = "state_" + std::to_string(i);
    graph.nodes.push_back(call(
        next, "aten.gru_cell.default",
        {given("input", place), given("hx", state), given("w_ih", "w_ih"), given("w_hh", "w_hh")},
        {1, k_states}));
    state = next;
  }
  graph.result.value = GraphValue::of_node(state);
  return exported;
}

std::string programs_for(Policy policy, std::string_view device) {
  Task task;
  task.source = "# the task\n";
  std::string all;
  for (const Seed& seed :
       rewritten(task, loop_of_cells(), {TaskFacts{}, policy, Effort::quick, device}).seeds) {
    all += seed.label + "\n" + seed.source;
  }
  return all;
}

// cuDNN's layer is told to be as precise as the cells were, wherever the program will run.
TEST(Rewriting, ALayerMadeOfCellsIsHeldToTheirPrecision) {
  const std::vector<std::pair<Policy, const char*>> settings{
      {Policy::eager, "cpu"}, {Policy::tf32, "cuda"}, {Policy::half, "cuda:1"}};
  for (const auto& [policy, device] : settings) {
    const std::string programs = programs_for(policy, device);
    EXPECT_NE(programs.find(k_rule), std::string::npos) << device;
    EXPECT_NE(programs.find("as_precise_as_products(torch.gru, x, "), std::string::npos) << device;
    EXPECT_EQ(programs.find("torch.gru("), std::string::npos) << device;
  }
}

TEST(Rewriting, UnderStrictPoliciesNoLayerIsMadeOfCellsOnAGpu) {
  for (const Policy policy : {Policy::exact, Policy::eager}) {
    EXPECT_NE(programs_for(policy, "cpu").find(k_rule), std::string::npos);
    for (const char* device : {"cuda", "cuda:1"}) {
      EXPECT_EQ(programs_for(policy, device).find(k_rule), std::string::npos) << device;
    }
  }
}

}  // namespace
}  // namespace cupel::engine
