#include "measure/call/result_tree.h"

#include <gtest/gtest.h>

#include <string>

namespace cupel::measure {
namespace {

TEST(ServesAs, ATreeServesAsItself) {
  for (const char* tree : {"t", "[]", "[t,v,[t]]", "(a:t,b:[t,v])", "{a:t,=1:t}", "{@a:t}",
                           "<x:{},y:t>", "{a:(b:<c:t>)}"}) {
    EXPECT_TRUE(serves_as(tree, tree)) << tree;
  }
}

TEST(ServesAs, NamesServeWhoReadsPlacesOrKeys) {
  EXPECT_TRUE(serves_as("(a:t,b:t)", "[t,t]"));
  EXPECT_TRUE(serves_as("{@a:t}", "{a:t}"));
  EXPECT_TRUE(serves_as("{@a:t}", "<a:t>"));
  EXPECT_TRUE(serves_as("(a:t,b:t)", "<a:t,b:t>"));
}

TEST(ServesAs, WhatIsReadByNamesNeedsThem) {
  EXPECT_FALSE(serves_as("[t,t]", "(a:t,b:t)"));
  EXPECT_FALSE(serves_as("(a:t,c:t)", "(a:t,b:t)"));
  EXPECT_FALSE(serves_as("{a:t}", "{@a:t}"));
  EXPECT_FALSE(serves_as("{a:t}", "<a:t>"));
  EXPECT_FALSE(serves_as("<a:t>", "{a:t}"));
  EXPECT_FALSE(serves_as("{1:t}", "{=1:t}"));
  EXPECT_FALSE(serves_as("{@a:t}", "[t]"));
}

TEST(ServesAs, MoreOrLessOrOtherwiseNestedIsNotServed) {
  for (const char* tree : {"", "t", "[t]", "[t,t,t]", "[t,[t]]", "[[t],t]", "[t,v]", "[t,t]t",
                           "[t,t", "(a:t)", "(t,t)", "[t t]", "[t,t,]"}) {
    EXPECT_FALSE(serves_as(tree, "[t,t]")) << tree;
  }
}

TEST(ServesAs, GoesNoDeeperThanWhatIsWanted) {
  EXPECT_FALSE(serves_as(std::string(1 << 22, '['), "[t]"));
}

}  // namespace
}  // namespace cupel::measure
