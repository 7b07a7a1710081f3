#include "engine/winner_file.h"

#include <gtest/gtest.h>

namespace cupel::engine {
namespace {

TEST(WinnerFile, ALabelCannotLeaveTheComment) {
  Judged judged;
  judged.candidate = make_candidate("class ModelNew: pass\n", "odd\nimport os\r\x01name.py");
  RunRecord record;
  record.task.name = "two\nlines";
  record.judged = {judged};
  record.table.rows = {{"winner", judged.candidate.id, "", {}}};
  const std::string text = winner_text(record, judged.candidate.id);
  const std::string header = text.substr(0, text.find("class ModelNew"));
  EXPECT_EQ(header.find("\nimport"), std::string::npos);
  EXPECT_EQ(header.find('\r'), std::string::npos);
  for (std::size_t at = 0; at < header.size(); at = header.find('\n', at) + 1) {
    EXPECT_EQ(header[at], '#');
  }
}

}  // namespace
}  // namespace cupel::engine
