#include "task/load.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/hash.h"

namespace cupel::task {
namespace {

constexpr const char* k_source = "\"\"\"A task.\"\"\"\nclass Model: pass\n";

class Load : public testing::Test {
 protected:
  Load() : directory_(*TempDir::create("/tmp", "cupel-load")) {
    write("tasks/softmax_rows.py", k_source);
    write("tasks/softmax_columns.py", k_source);
    write("net.py", k_source);
    write("pkg/mod.py", "class Net: pass\n");
  }
  void write(const std::string& name, std::string_view text) {
    const auto path = directory_.path() / name;
    ASSERT_TRUE(make_directories(path.parent_path()));
    ASSERT_TRUE(write_file_atomic(path, text));
  }
  Result<Task> load_named(TaskArgument argument) {
    return load(argument, directory_.path() / "tasks");
  }
  std::string at(const std::string& name) const { return (directory_.path() / name).string(); }
  TaskArgument net_class() const {
    return {"pkg.mod:Net", "f32[2,3]", "3", directory_.path().string()};
  }

  TempDir directory_;
};

TEST_F(Load, AFile) {
  const auto task = load_named({at("net.py"), "", "", ""});
  ASSERT_TRUE(task) << task.error().describe();
  EXPECT_EQ(task->name, "net");
  EXPECT_EQ(task->kind, Task::Kind::file);
  EXPECT_EQ(task->source, k_source);
  EXPECT_EQ(task->import_root, directory_.path().string());
  EXPECT_EQ(task->id.size(), 64u);
}

TEST_F(Load, WeightsArePartOfWhatATaskIs) {
  TaskArgument argument{at("net.py"), "", "", ""};
  const auto bare = load_named(argument);
  write("a.pt", "weights");
  argument.weights = at("a.pt");
  const auto with = load_named(argument);
  ASSERT_TRUE(with) << with.error().describe();
  EXPECT_EQ(with->weights, at("a.pt"));
  EXPECT_EQ(with->weights_id, sha256_hex("weights"));
  EXPECT_NE(with->id, bare->id);
  write("a.pt", "others");
  EXPECT_NE(load_named(argument)->id, with->id);
  TaskArgument of_class = net_class();
  of_class.weights = at("a.pt");
  EXPECT_EQ(load_named(of_class)->weights_id, sha256_hex("others"));
  argument.weights = at("none.pt");
  const auto none = load_named(argument);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().describe().find("none.pt"), std::string::npos);
}

TEST_F(Load, AShippedTaskByName) {
  const auto task = load_named({"softmax_rows", "", "", ""});
  ASSERT_TRUE(task) << task.error().describe();
  EXPECT_EQ(task->name, "softmax_rows");
}

TEST_F(Load, AClass) {
  const auto task = load_named(net_class());
  ASSERT_TRUE(task) << task.error().describe();
  EXPECT_EQ(task->kind, Task::Kind::module);
  EXPECT_EQ(task->name, "Net");
  EXPECT_EQ(task->init_spec, "[3]");
  EXPECT_NE(task->source.find("from pkg.mod import Net"), std::string::npos);
  EXPECT_EQ(task->import_root, directory_.path().string());
}

TEST_F(Load, TheIdFollowsSourceAndSettings) {
  const std::string first = load_named({at("net.py"), "", "", ""})->id;
  EXPECT_EQ(load_named({at("net.py"), "", "", ""})->id, first);
  write("net.toml", "policy = \"half\"");
  const std::string second = load_named({at("net.py"), "", "", ""})->id;
  EXPECT_NE(second, first);
  write("net.py", std::string(k_source) + "\n");
  EXPECT_NE(load_named({at("net.py"), "", "", ""})->id, second);
}

TEST_F(Load, TheModeIsTheOptionsElseTheSettings) {
  const auto mode_of = [&](const TaskArgument& argument) {
    return load_named(argument)->settings.mode;
  };
  const TaskArgument file{at("net.py"), "", "", ""};
  EXPECT_EQ(mode_of(file), Mode::as_constructed);
  EXPECT_EQ(mode_of(net_class()), Mode::inference);
  TaskArgument trained = net_class();
  trained.mode = Mode::as_constructed;
  EXPECT_EQ(mode_of(trained), Mode::as_constructed);
  write("net.toml", "mode = \"inference\"");
  EXPECT_EQ(mode_of(file), Mode::inference);
}

TEST_F(Load, TwoModesAreTwoTasks) {
  TaskArgument file{at("net.py"), "", "", ""};
  const std::string plain = load_named(file)->id;
  file.mode = Mode::as_constructed;
  EXPECT_EQ(load_named(file)->id, plain);
  file.mode = Mode::inference;
  EXPECT_NE(load_named(file)->id, plain);
  TaskArgument trained = net_class();
  trained.mode = Mode::as_constructed;
  EXPECT_NE(load_named(trained)->id, load_named(net_class())->id);
}

TEST_F(Load, TheIdOfAClassFollowsItsModule) {
  const std::string first = load_named(net_class())->id;
  write("pkg/mod.py", "class Net: x = 1\n");
  EXPECT_NE(load_named(net_class())->id, first);
}

TEST_F(Load, ErrorsSayWhatToDo) {
  write("empty.py", " \n");
  TaskArgument without_inputs = net_class();
  without_inputs.inputs.clear();
  TaskArgument without_root = net_class();
  without_root.import_root = at("nowhere");
  const std::pair<TaskArgument, const char*> cases[] = {
      {{"", "", "", ""}, "no task named"},
      {{at("missing.py"), "", "", ""}, "no such file"},
      {{at("pkg") + "/", "", "", ""}, "is a directory"},
      {{at("empty.py"), "", "", ""}, "empty"},
      {{at("net.py"), "f32[2]", "", ""}, "brings its own get_inputs"},
      {{"softmax", "", "", ""}, "did you mean softmax_columns, softmax_rows?"},
      {without_inputs, "--inputs"},
      {without_root, "no such directory"},
  };
  for (const auto& [argument, expected] : cases) {
    const auto task = load_named(argument);
    ASSERT_FALSE(task) << argument.name;
    EXPECT_EQ(task.error().tag, ErrorTag::input);
    EXPECT_NE(task.error().describe().find(expected), std::string::npos) << task.error().describe();
  }
}

}  // namespace
}  // namespace cupel::task
