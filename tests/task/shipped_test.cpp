#include "task/shipped.h"

#include <gtest/gtest.h>

#include "base/files.h"

namespace cupel::task {
namespace {

TEST(Docstring, FirstLine) {
  EXPECT_EQ(docstring_line("\"\"\"One line.\"\"\"\nimport torch"), "One line.");
  EXPECT_EQ(docstring_line("\n'''\nFirst.\nSecond.'''"), "First.");
  EXPECT_EQ(docstring_line("import torch\n\"\"\"No.\"\"\""), "");
  EXPECT_EQ(docstring_line("\"\"\"\"\"\""), "");
  EXPECT_EQ(docstring_line(""), "");
}

TEST(Shipped, ListsPythonFilesByName) {
  const auto directory = TempDir::create("/tmp", "cupel-shipped");
  ASSERT_TRUE(directory);
  for (const char* name : {"b.py", "a.py", "notes.txt"}) {
    ASSERT_TRUE(write_file_atomic(directory->path() / name, "\"\"\"Text.\"\"\""));
  }
  const auto tasks = list_shipped(directory->path());
  ASSERT_TRUE(tasks);
  ASSERT_EQ(tasks->size(), 2u);
  EXPECT_EQ(tasks->front().name, "a");
  EXPECT_EQ(tasks->front().summary, "Text.");
}

TEST(Shipped, AMissingDirectoryIsTheEnvironmentsFault) {
  const auto tasks = list_shipped("/nonexistent/tasks");
  ASSERT_FALSE(tasks);
  EXPECT_EQ(tasks.error().tag, ErrorTag::environment);
}

}  // namespace
}  // namespace cupel::task
