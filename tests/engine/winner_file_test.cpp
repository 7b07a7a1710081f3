#include "engine/finish/winner_file.h"

#include <gtest/gtest.h>

#include "base/source_text.h"

namespace cupel::engine {
namespace {

std::string text_under(const std::string& label, const std::string& task) {
  Judged judged;
  judged.candidate = make_candidate("class ModelNew: pass\n", label);
  RunRecord record;
  record.task.name = task;
  record.judged = {judged};
  const FinalTable table{{{"winner", judged.candidate.id, "", {}}}};
  return winner_text(record, table, judged.candidate.id);
}

TEST(WinnerFile, ALabelCannotLeaveTheComment) {
  const std::string text = text_under("odd\nimport os\r\x01name.py", "two\nlines");
  const std::string header = text.substr(0, text.find("class ModelNew"));
  EXPECT_EQ(header.find("\nimport"), std::string::npos);
  EXPECT_EQ(header.find('\r'), std::string::npos);
  for (std::size_t at = 0; at < header.size(); at = header.find('\n', at) + 1) {
    EXPECT_EQ(header[at], '#');
  }
}

// Python heeds the first cookie in the first two lines, which is the file's own.
TEST(WinnerFile, ALabelIsNoCodingCookieAndNoForeignBytes) {
  for (const char* label : {"idea: encoding: bf16 in registers", "coding: raw_unicode_escape",
                            "vim: set fileencoding=utf-7 :", "caf\xE9.py", "\xEF\xBB\xBF.py"}) {
    const std::string text = text_under(label, label);
    EXPECT_EQ(source_problem(text), "") << label;
    EXPECT_TRUE(text.starts_with("# -*- coding: utf-8 -*-\n# ")) << label;
  }
}

TEST(WinnerFile, ALongLabelIsCut) {
  EXPECT_LT(text_under(std::string(100'000, 'x'), "task").size(), 2000u);
}

}  // namespace
}  // namespace cupel::engine
