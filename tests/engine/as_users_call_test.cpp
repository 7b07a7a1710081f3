#include "engine/evaluate/as_users_call.h"

#include <gtest/gtest.h>

#include "task/module_source.h"

namespace cupel::engine {
namespace {

TaskFacts facts_of(std::vector<TensorSpec> inputs) {
  TaskFacts facts;
  facts.inputs = std::move(inputs);
  return facts;
}

TEST(AsUsersCall, AProgramIsArrangedByItsLastLine) {
  const Candidate program = make_candidate("class ModelNew: pass", "mine");
  const Candidate arranged = in_layout(program, "ModelNew", k_input_layouts[0]);
  EXPECT_EQ(arranged.source,
            "class ModelNew: pass\n"
            "import cupel.arranged; cupel.arranged.arrange(ModelNew, \"offset\")\n");
  EXPECT_EQ(arranged.label, "mine");
  EXPECT_NE(arranged.id, program.id);
}

TEST(AsUsersCall, ALayoutIsTriedWhereItChangesAnInput) {
  const auto count = [](std::size_t dimensions, bool on_gpu) {
    const TensorSpec input{"float32", std::vector<std::int64_t>(dimensions, 2), {}, 0};
    return input_layouts(facts_of({{"float32", {}, {}, 4}, input}), on_gpu).size();
  };
  EXPECT_EQ(count(0, false), 1);
  EXPECT_EQ(count(1, false), 3);
  EXPECT_EQ(count(2, false), 4);
  EXPECT_EQ(count(3, false), 6);
  EXPECT_EQ(count(2, true), 5);
}

TEST(AsUsersCall, InputsOfOneShapeMayBroadcastAndTheLastTwoAreTried) {
  const TensorSpec rows{"float32", {8, 4}, {4, 1}, 128};
  const TensorSpec ids{"int64", {8, 4}, {4, 1}, 256};
  const TensorSpec bias{"float32", {4}, {1}, 16};
  EXPECT_TRUE(that_may_broadcast(facts_of({rows, bias})).empty());
  EXPECT_EQ(that_may_broadcast(facts_of({rows, ids, rows, bias})),
            (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(that_may_broadcast(facts_of({rows, rows, rows})), (std::vector<std::size_t>{1, 2}));
}

TEST(AsUsersCall, ResultsAreAlikeByTheirShapes) {
  TaskFacts one;
  one.outputs = {{"float32", {8, 4}, {4, 1}, 128}};
  TaskFacts other = one;
  other.outputs[0].strides = {1, 8};
  EXPECT_TRUE(returns_alike(one, other));
  other.outputs[0].shape = {1, 4};
  EXPECT_FALSE(returns_alike(one, other));
}

TEST(AsUsersCall, ABroadcastIsATaskOfItsOwn) {
  Task task;
  task.id = "1";
  task.source = "def get_inputs(): ...";
  task.settings.held_out = {"ROWS = 3"};
  const Task other = with_broadcast(task, 1);
  EXPECT_NE(other.id, task.id);
  EXPECT_NE(other.source.find("narrowed(_all_inputs(), 1)"), std::string::npos);
  EXPECT_TRUE(other.settings.held_out.empty());
  EXPECT_NE(with_state(task).source.find("tell_state(Model)"), std::string::npos);
}

TEST(AsUsersCall, OfAClassTheTaskIsATextLikeAnyOther) {
  Task task;
  task.kind = Task::Kind::module;
  task.source = task::module_task_source({"pkg.mod", "Net"}, {{"float32", {8, 4}}}, "[]",
                                         Mode::as_constructed);
  EXPECT_NE(task.source.find("class Model(Net)"), std::string::npos);
  EXPECT_NE(with_state(task).source.find("tell_state(Model)"), std::string::npos);
  const Task other = with_broadcast(task, 0);
  EXPECT_LT(other.source.find("def get_inputs"), other.source.find("_all_inputs = get_inputs"));
  EXPECT_EQ(other.kind, Task::Kind::module);
}

}  // namespace
}  // namespace cupel::engine
