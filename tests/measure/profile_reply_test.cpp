#include "measure/host/profile_reply.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace cupel::measure {
namespace {

using nlohmann::json;

TEST(ProfileReply, IsReadWithinLimits) {
  json rows = json::array();
  for (int i = 0; i < 40; ++i) rows.push_back({{"name", std::string(500, 'x')}, {"ns", 1e30}});
  const json reply{{"profile", {{"call_ns", 5e6}, {"cores", 1.5}, {"operators", rows}}}};
  const auto profile = told_profile(reply);
  ASSERT_TRUE(profile.has_value()) << profile.error().describe();
  EXPECT_EQ(profile->call_ns, 5e6);
  ASSERT_EQ(profile->operators.size(), 12U);
  EXPECT_LE(profile->operators[0].name.size(), 200U);
  EXPECT_EQ(profile->operators[0].ns, 0);
}

TEST(ProfileReply, DoesNotSayWhoseItIs) {
  const json reply{{"profile", {{"candidate_id", "x"}, {"label", "eager"}, {"problem", "p"}}}};
  const auto profile = told_profile(reply);
  ASSERT_TRUE(profile.has_value());
  EXPECT_EQ(profile->candidate_id + profile->label + profile->problem, "");
}

TEST(ProfileReply, WhatIsNoneIsAnError) {
  EXPECT_FALSE(told_profile(json::object()).has_value());
  EXPECT_FALSE(told_profile({{"profile", 3}}).has_value());
  EXPECT_FALSE(told_profile({{"profile", {{"operators", "none"}}}}).has_value());
}

}  // namespace
}  // namespace cupel::measure
