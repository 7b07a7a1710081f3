#include "propose/prompts/template.h"

#include <gtest/gtest.h>

#include "base/files.h"

namespace cupel::propose {
namespace {

class TemplateTest : public ::testing::Test {
 protected:
  TemplateTest() : directory_(*TempDir::create("/tmp", "cupel-template")) {}

  void write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(write_file_atomic(directory_.path() / name, text));
  }
  Result<std::string> render(const std::string& text, const Values& values) {
    write("t.md", text);
    return render_template(directory_.path(), "t.md", values);
  }
  std::string place(int line) {
    return (directory_.path() / "t.md").string() + ":" + std::to_string(line);
  }

  TempDir directory_;
};

TEST_F(TemplateTest, FillsValues) {
  EXPECT_EQ(*render("a {{x}} b {{ y }}\n", {{"x", "1"}, {"y", "2"}}), "a 1 b 2\n");
}

TEST_F(TemplateTest, WhatValuesHoldIsNotLookedAtAgain) {
  EXPECT_EQ(*render("{{x}}", {{"x", "{{y}} {{#z}}"}}), "{{y}} {{#z}}");
}

TEST_F(TemplateTest, ASectionVanishesWithItsValue) {
  const std::string text = "a\n{{#x}}\nx is {{x}}\n{{/x}}\nb\n";
  EXPECT_EQ(*render(text, {{"x", "1"}}), "a\nx is 1\nb\n");
  EXPECT_EQ(*render(text, {{"x", ""}}), "a\nb\n");
  EXPECT_EQ(*render("a{{#x}} and x{{/x}}.\n", {{"x", ""}}), "a.\n");
}

TEST_F(TemplateTest, SectionsNest) {
  const std::string text = "{{#x}}x{{#y}}y{{/y}}{{/x}}!";
  EXPECT_EQ(*render(text, {{"x", "1"}, {"y", "1"}}), "xy!");
  EXPECT_EQ(*render(text, {{"x", "1"}, {"y", ""}}), "x!");
  EXPECT_EQ(*render(text, {{"x", ""}, {"y", "1"}}), "!");
}

TEST_F(TemplateTest, IncludesFiles) {
  write("part.md", "part {{x}}\n");
  EXPECT_EQ(*render("a\n{{>part.md}}\nb\n", {{"x", "1"}}), "a\npart 1\nb\n");
}

TEST_F(TemplateTest, ErrorsNameFileAndLine) {
  const Values values = {{"x", "1"}, {"empty", ""}};
  for (const std::string mark : {"{{unknown}}", "{{empty}}", "{{#unknown}}", "{{/x}}", "{{#x}}",
                                 "{{}}", "{{x", "{{>missing.md}}"}) {
    const auto rendered = render("one\ntwo " + mark + "\n", values);
    ASSERT_FALSE(rendered) << mark;
    EXPECT_EQ(rendered.error().where, place(2)) << mark << " " << rendered.error().describe();
    EXPECT_EQ(rendered.error().tag, ErrorTag::input) << mark;
  }
}

TEST_F(TemplateTest, AnUnknownNameIsNoticedInAHiddenSectionToo) {
  EXPECT_FALSE(render("{{#x}}{{unknown}}{{/x}}", {{"x", ""}}));
}

TEST_F(TemplateTest, ErrorsOfAnIncludedFileNameThatFile) {
  write("part.md", "\n\n{{unknown}}\n");
  const auto rendered = render("{{>part.md}}", {});
  ASSERT_FALSE(rendered);
  EXPECT_EQ(rendered.error().where, (directory_.path() / "part.md").string() + ":3");
}

TEST_F(TemplateTest, AFileThatIncludesItselfIsAnError) {
  EXPECT_FALSE(render("{{>t.md}}", {}));
}

}  // namespace
}  // namespace cupel::propose
