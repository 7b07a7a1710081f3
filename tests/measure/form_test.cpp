#include "measure/call/form.h"

#include <gtest/gtest.h>

namespace cupel::measure {
namespace {

TaskFacts pair_of_outputs() {
  TaskFacts facts;
  facts.output_tree = "[t,t]";
  facts.outputs = {{"float32", {2, 3}, {3, 1}, 24}, {"int64", {2}, {1}, 16}};
  return facts;
}

ResultForm right() {
  return {"[t,t]", {{"float32", {2, 3}, {3, 1}}, {"int64", {2}, {1}}}, {}};
}

std::string kind_of(const ResultForm& form, bool strict = false) {
  const auto found = find_form_mismatch(form, pair_of_outputs(), strict);
  return found ? found->kind + " " + found->got + " " + found->want : "";
}

TEST(FindFormMismatch, NoneWhereAllIsAlike) {
  EXPECT_EQ(kind_of(right(), true), "");
}

TEST(FindFormMismatch, TellsWhatItIsAndWhatItShouldBe) {
  ResultForm form = right();
  form.tree = "[t]";
  EXPECT_EQ(kind_of(form), "structure [t] [t,t]");
  form = right();
  form.leaves.pop_back();
  EXPECT_EQ(kind_of(form), "structure [t,t] [t,t]");
  form = right();
  form.leaves[0].shape = {3, 2};
  EXPECT_EQ(kind_of(form), "shape [3,2] [2,3]");
  form = right();
  form.leaves[1].dtype = "int32";
  EXPECT_EQ(kind_of(form), "dtype int32 int64");
}

TEST(FindFormMismatch, TiesThatTheReferenceHasNot) {
  ResultForm form = right();
  form.leaves[1].ties = {"input", "inference"};
  EXPECT_EQ(kind_of(form), "tied_output memory of an input a tensor of its own");
  TaskFacts facts = pair_of_outputs();
  facts.outputs[1].ties = {"inference", "input", "output"};
  EXPECT_FALSE(find_form_mismatch(form, facts, false));
  EXPECT_TRUE(lies_in_input(facts.outputs[1]));
  EXPECT_FALSE(lies_in_input(facts.outputs[0]));
}

TEST(FindFormMismatch, StridesCountOnlyWhereTheTaskIsStrict) {
  ResultForm form = right();
  form.leaves[0].strides = {1, 2};
  EXPECT_EQ(kind_of(form), "");
  EXPECT_TRUE(differs_in_strides(form, pair_of_outputs()));
  EXPECT_FALSE(differs_in_strides(right(), pair_of_outputs()));
  EXPECT_EQ(kind_of(form, true), "strides [1,2] [3,1]");
}

TEST(FindFormMismatch, WhatAHostSaysIsCutAndPlain) {
  ResultForm form = right();
  form.tree = std::string(100000, '\x1b');
  const auto found = find_form_mismatch(form, pair_of_outputs(), false);
  ASSERT_TRUE(found);
  EXPECT_LT(found->got.size(), 4096U);
  EXPECT_EQ(found->got.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace cupel::measure
