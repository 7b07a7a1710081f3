#include "base/embedded.h"

#include <gtest/gtest.h>

namespace cupel {
namespace {

TEST(Filled, PutsValuesWhereTheirNamesStand) {
  EXPECT_EQ(filled("a = {value}, {value}\n", {{"value", "{other}"}, {"other", "1"}}),
            "a = {other}, {other}\n");
}

TEST(Filled, LeavesOtherBracesAlone) {
  EXPECT_EQ(filled("a, b = {}, {x: {y}}", {{"y", "1"}}), "a, b = {}, {x: 1}");
  EXPECT_EQ(filled("{", {{"y", "1"}}), "{");
  EXPECT_EQ(filled("{yes} {y", {{"y", "1"}}), "{yes} {y");
}

TEST(Filled, IndentsLinesAsTheLineThatNamesThem) {
  EXPECT_EQ(filled("if a:\n    {lines}\nelse: {lines}\n", {{"lines", "b\nc"}}),
            "if a:\n    b\n    c\nelse: b\nc\n");
}

TEST(Indented, LeavesEmptyLinesEmpty) {
  EXPECT_EQ(indented("a\n\n  b\n", 2), "  a\n\n    b\n");
  EXPECT_EQ(indented("a", 1), " a");
  EXPECT_EQ(indented("", 4), "");
}

}  // namespace
}  // namespace cupel
