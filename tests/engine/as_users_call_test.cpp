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

// That outputs are written to changes no input, and is tried wherever there is one.
TEST(AsUsersCall, ALayoutIsTriedWhereItChangesAnInput) {
  const auto count = [](std::size_t dimensions, bool on_gpu, std::int64_t weight_bytes = 0) {
    const TensorSpec input{"float32", std::vector<std::int64_t>(dimensions, 2), {}, 0};
    TaskFacts facts = facts_of({{"float32", {}, {}, 4}, input});
    facts.weight_bytes = weight_bytes;
    return input_layouts(facts, on_gpu).size();
  };
  EXPECT_EQ(count(0, false), 2);
  EXPECT_EQ(count(1, false), 4);
  EXPECT_EQ(count(2, false), 5);
  EXPECT_EQ(count(3, false), 7);
  EXPECT_EQ(count(2, true), 6);
  EXPECT_EQ(count(2, true, 64), 7);
}

// The facts of a task whose reference tells this.
TaskFacts telling_facts(const std::string& tree, std::vector<TensorSpec> outputs) {
  TaskFacts facts;
  facts.output_tree = tree;
  facts.outputs = std::move(outputs);
  return facts;
}

ProgramEvidence telling_a_part(const std::string& tree) {
  ProgramEvidence program;
  program.mismatches = {{"structure", tree, "{state:{...}}", 0}};
  return program;
}

const TensorSpec k_vector{"float32", {4}, {1}, 16};
const TensorSpec k_count{"int64", {}, {}, 8};

TEST(AsUsersCall, WhatTheReferenceTellsIsWantedOfPrograms) {
  const auto state = telling_facts("{state:{norm.count:t,norm.mean:t},result:[t,{a:t}]}",
                                   {k_count, k_vector, k_vector, k_vector});
  EXPECT_EQ(told_by(k_state, state),
            (std::vector<std::string>{"\"norm.count\": (\"int64\", [])",
                                      "\"norm.mean\": (\"float32\", [4])"}));
  const auto forms = telling_facts("{forms:{1.0:[t,t],1.all:{a:t,b:[t]}}}",
                                   {k_vector, k_vector, k_vector, k_vector});
  EXPECT_EQ(told_by(k_broadcasts, forms),
            (std::vector<std::string>{"\"1.0\": None", "\"1.all\": None"}));
  const auto named = telling_facts("{forms:{1.0:(total:t,top:<a:t,b:t>),1.all:t}}",
                                   {k_vector, k_vector, k_vector, k_vector});
  EXPECT_EQ(told_by(k_broadcasts, named),
            (std::vector<std::string>{"\"1.0\": None", "\"1.all\": None"}));
  EXPECT_TRUE(told_by(k_broadcasts, telling_facts("{forms:{}}", {})).empty());
  EXPECT_EQ(described(k_broadcasts, told_by(k_broadcasts, forms)),
            "inputs of size 1 that broadcast (input.dimension: 1.0, 1.all)");
  const auto options = telling_facts("{forms:{scale.0.5:t,mask.square.0:t}}", {k_vector, k_vector});
  EXPECT_EQ(told_by(k_options, options),
            (std::vector<std::string>{"\"scale.0.5\": None", "\"mask.square.0\": None"}));
  EXPECT_EQ(described(k_options, told_by(k_options, options)),
            "arguments that the task leaves at their defaults or passes as None "
            "(argument.value: scale.0.5, "
            "mask.square.0)");
  EXPECT_EQ(described(k_state, told_by(k_state, state)),
            "what calls leave in the module's buffers");
}

TEST(AsUsersCall, APartIsAskedForByItsNumbers) {
  const std::vector<std::string> wanted{"a", "b", "c"};
  EXPECT_EQ(part_of(wanted, telling_a_part("{kept:{0:t,2:t},result:t}")),
            (std::vector<std::string>{"a", "c"}));
  EXPECT_EQ(part_of(wanted, telling_a_part("{kept:{1:[t,t],2:t")), std::vector<std::string>{"b"});
  EXPECT_TRUE(part_of(wanted, telling_a_part("{kept:{},result:t}")).empty());
  EXPECT_TRUE(part_of(wanted, telling_a_part("[t]")).empty());
  EXPECT_TRUE(part_of(wanted, {}).empty());
}

TEST(AsUsersCall, ATaskThatTellsMoreIsOneOfItsOwn) {
  Task task;
  task.id = "1";
  task.source = "def get_inputs(): ...";
  task.settings.held_out = {"ROWS = 3"};
  const Task other = telling(task, k_state, TaskFacts());
  EXPECT_NE(other.id, task.id);
  EXPECT_NE(other.source.find("arranged.tell_state(Model, None)"), std::string::npos);
  EXPECT_TRUE(other.settings.held_out.empty());
  const Task part = telling(task, k_state, std::vector<std::string>{"\"a\": None"});
  EXPECT_NE(part.id, other.id);
  EXPECT_NE(part.source.find("tell_state(Model, {\"a\": None})"), std::string::npos);
}

TEST(AsUsersCall, AsManyBroadcastsAreTriedAsThereIsRoomFor) {
  TaskFacts facts;
  facts.output_bytes = 30 << 20;
  EXPECT_NE(telling(Task(), k_broadcasts, facts).source.find("most=2)"), std::string::npos);
  facts.output_bytes = 1;
  EXPECT_NE(telling(Task(), k_broadcasts, facts).source.find("most=8)"), std::string::npos);
}

TEST(AsUsersCall, OfAClassTheTaskIsATextLikeAnyOther) {
  Task task;
  task.kind = Task::Kind::module;
  task.source = task::module_task_source({"pkg.mod", "Net"}, {{"float32", {8, 4}}}, "[]",
                                         Mode::as_constructed);
  EXPECT_NE(task.source.find("class Model(Net)"), std::string::npos);
  const Task other = telling(task, k_state, TaskFacts());
  EXPECT_NE(other.source.find("tell_state(Model, None)"), std::string::npos);
  EXPECT_EQ(other.kind, Task::Kind::module);
}

}  // namespace
}  // namespace cupel::engine
