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

}  // namespace
}  // namespace cupel::task
