#include "task/settings.h"

#include <gtest/gtest.h>

#include "base/files.h"

namespace cupel::task {
namespace {

TEST(Settings, ReadsEveryKey) {
  const auto settings = parse_settings(
      "policy = \"half\"\nmode = \"inference\"\nvalue_classes = [\"nominal\", \"large\"]\n"
      "strict_strides = true\nallow_mutated_inputs = true\n",
      "cupel.toml");
  ASSERT_TRUE(settings) << settings.error().describe();
  EXPECT_EQ(settings->policy, Policy::half);
  EXPECT_EQ(settings->mode, Mode::inference);
  EXPECT_EQ(settings->value_classes, (std::vector<std::string>{"nominal", "large"}));
  EXPECT_TRUE(settings->strict_strides);
  EXPECT_TRUE(settings->allow_mutated_inputs);
}

TEST(Settings, ErrorsNameFileAndLine) {
  const std::pair<const char*, const char*> cases[] = {
      {"\n\npolcy = \"half\"", "x.toml:3"},
      {"\npolicy = \"double\"", "x.toml:2"},
      {"policy = 3", "x.toml:1"},
      {"mode = \"eval\"", "x.toml:1"},
      {"mode = true", "x.toml:1"},
      {"strict_strides = 1", "x.toml:1"},
      {"value_classes = \"nominal\"", "x.toml:1"},
      {"value_classes = [1]", "x.toml:1"},
      {"policy = ", "x.toml:1"},
  };
  for (const auto& [toml, where] : cases) {
    const auto settings = parse_settings(toml, "x.toml");
    ASSERT_FALSE(settings) << toml;
    EXPECT_EQ(settings.error().tag, ErrorTag::input);
    EXPECT_EQ(settings.error().where, where) << toml;
  }
}

TEST(Settings, TheTasksOwnFileComesFirst) {
  const auto directory = TempDir::create("/tmp", "cupel-settings");
  ASSERT_TRUE(directory);
  EXPECT_EQ(load_settings(directory->path(), "net")->policy, Policy::eager);
  ASSERT_TRUE(write_file_atomic(directory->path() / "cupel.toml", "policy = \"half\""));
  EXPECT_EQ(load_settings(directory->path(), "net")->policy, Policy::half);
  ASSERT_TRUE(write_file_atomic(directory->path() / "net.toml", "policy = \"exact\""));
  EXPECT_EQ(load_settings(directory->path(), "net")->policy, Policy::exact);
}

TEST(Settings, WhatTheySayNothingOfIsAsTheCallerHasIt) {
  TaskSettings served;
  served.mode = Mode::inference;
  EXPECT_EQ(parse_settings("policy = \"exact\"", "x.toml", served)->mode, Mode::inference);
  EXPECT_EQ(parse_settings("mode = \"as_constructed\"", "x.toml", served)->mode,
            Mode::as_constructed);
  EXPECT_EQ(load_settings("/nowhere", "net", served)->mode, Mode::inference);
  EXPECT_EQ(load_settings("/nowhere", "net")->mode, Mode::as_constructed);
}

}  // namespace
}  // namespace cupel::task
