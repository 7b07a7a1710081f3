#include "report/words/text_table.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <sstream>

namespace cupel::report {
namespace {

TEST(TextTable, AlignsColumns) {
  TextTable table({{"name"}, {"ms", Column::Align::right}});
  table.add_row({"a", "1.5"});
  table.add_row({"longer", "12.5"});
  EXPECT_EQ(table.str({}), "name      ms\na        1.5\nlonger  12.5\n");
}

TEST(TextTable, CutsTheFlexibleColumn) {
  TextTable table({{"name", Column::Align::left, true}, {"id"}});
  table.add_row({std::string(100, 'n'), "p0001"});
  const std::string text = table.str({.width = 40});
  EXPECT_NE(text.find("nnn..  p0001"), std::string::npos) << text;
}

TEST(Cut, NeverSplitsACodePoint) {
  EXPECT_EQ(cut("\xC3\xA9t\xC3\xA9s longs", 4), "\xC3\xA9t..");
  EXPECT_EQ(cut("a\nb", 9), "a b");
  EXPECT_EQ(cut("a\xC2\x9B"
                "2Jb",
                9),
            "a 2Jb");
}

RC_GTEST_PROP(CutProperty, FitsTheWidth, (const std::string& text)) {
  const auto width = *rc::gen::inRange<std::size_t>(3, 40);
  RC_ASSERT(display_width(cut(text, width)) <= width);
}

RC_GTEST_PROP(WrapProperty, KeepsEveryWord, (const std::vector<std::uint8_t>& lengths)) {
  std::string text;
  for (const std::uint8_t length : lengths) text += std::string(length % 12 + 1, 'w') + " ";
  const std::string wrapped = wrap(text, 30, 4);
  std::istringstream before(text), after(wrapped);
  std::string a, b;
  while (before >> a) {
    RC_ASSERT(static_cast<bool>(after >> b));
    RC_ASSERT(a == b);
  }
  std::istringstream lines(wrapped);
  for (std::string line; std::getline(lines, line);) RC_ASSERT(line.size() <= 30u);
}

}  // namespace
}  // namespace cupel::report
