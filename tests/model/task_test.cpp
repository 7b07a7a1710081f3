#include "model/task.h"

#include <gtest/gtest.h>

#include "model/candidate.h"

namespace cupel {
namespace {

TEST(TensorSpec, IsDescribedAsPeopleWriteIt) {
  EXPECT_EQ(describe({"float32", {16, 256}, {256, 1}, 16384}), "f32[16,256]");
  EXPECT_EQ(describe({"bfloat16", {8}, {1}, 16}), "bf16[8]");
  EXPECT_EQ(describe({"bool", {}, {}, 1}), "bool[]");
}

TEST(TensorSpec, UnusualDtypeKeepsItsFullName) {
  EXPECT_EQ(describe({"complex64", {2}, {1}, 16}), "complex64[2]");
}

TEST(Candidate, IsAddressedByItsSourceAlone) {
  const auto first = make_candidate("class ModelNew: pass\n", "a");
  EXPECT_EQ(first.id.size(), 64U);
  EXPECT_EQ(first.id, make_candidate("class ModelNew: pass\n", "b").id);
  EXPECT_NE(first.id, make_candidate("class ModelNew: pass", "a").id);
  EXPECT_EQ(first.label, "a");
}

}  // namespace
}  // namespace cupel
