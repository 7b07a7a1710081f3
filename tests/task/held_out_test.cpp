#include "task/held_out.h"

#include <gtest/gtest.h>

namespace cupel::task {
namespace {

TEST(HeldOut, IsTheTaskWithOtherNamesAssigned) {
  Task task;
  task.id = "id";
  task.name = "rows";
  task.source = "rows = 4";
  task.settings.held_out = {"rows = 7", "rows = 1"};
  const Task other = on_shape(task, "rows = 7");
  EXPECT_EQ(other.source, "rows = 4\nrows = 7\n");
  EXPECT_EQ(other.name, "rows with rows = 7");
  EXPECT_TRUE(other.settings.held_out.empty());
  EXPECT_NE(other.id, task.id);
  EXPECT_NE(other.id, on_shape(task, "rows = 1").id);
}

TEST(HeldOut, MustAssignToNamesOfTheTask) {
  Task task;
  task.source = "ROWS, COLUMNS = 4, 8\nROWSON = 1\n";
  const auto refused = [&task](const char* shape) {
    task.settings.held_out = {shape};
    const Status checked = check_held_out(task);
    return checked ? std::string() : checked.error().what;
  };
  for (const char* sound :
       {"ROWS = 7", "COLUMNS=3", "ROWS, COLUMNS = 5, 6", "ROWS = COLUMNS * 2"}) {
    EXPECT_EQ(refused(sound), "") << sound;
  }
  EXPECT_NE(refused("ROWZ = 7").find("'ROWZ'"), std::string::npos);
  EXPECT_NE(refused("ROW = 7").find("'ROW'"), std::string::npos);
  EXPECT_NE(refused("ROWS, COLUMN = 5, 6").find("'COLUMN'"), std::string::npos);
  EXPECT_NE(refused("41").find("assigns nothing"), std::string::npos);
}

}  // namespace
}  // namespace cupel::task
