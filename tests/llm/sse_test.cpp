#include "llm/wire/sse.h"

#include <gtest/gtest.h>

#include <vector>

namespace cupel::llm {
namespace {

std::vector<std::string> data_of(const std::string& stream, std::size_t piece_bytes) {
  std::vector<std::string> data;
  SseParser parser([&](const SseEvent& event) { data.push_back(event.name + "|" + event.data); });
  for (std::size_t at = 0; at < stream.size(); at += piece_bytes) {
    parser.feed(stream.substr(at, piece_bytes));
  }
  parser.finish();
  return data;
}

using Strings = std::vector<std::string>;

TEST(Sse, EveryLineEndAndEveryCutGivesTheSameEvents) {
  const Strings expected{"|one", "named|two\nlines", "|  spaced"};
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    const std::string stream = ": a comment" + end + "data: one" + end + end + "event: named" +
                               end + "data:two" + end + "data: lines" + end + "id: 7" + end + end +
                               end + "data:   spaced" + end + end;
    for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
      EXPECT_EQ(data_of(stream, piece), expected) << piece;
    }
  }
}

TEST(Sse, AByteOrderMarkIsLeftOut) {
  EXPECT_EQ(data_of("\xEF\xBB\xBF"
                    "data: x\n\n",
                    1),
            Strings{"|x"});
}

TEST(Sse, AtTheEndWholeLinesCountAndHalfLinesDoNot) {
  EXPECT_EQ(data_of("data: whole\n", 3), Strings{"|whole"});
  EXPECT_EQ(data_of("data: whole\ndata: hal", 3), Strings{"|whole"});
  EXPECT_EQ(data_of("data: hal", 3), Strings{});
}

TEST(Sse, AnEventWithoutDataIsNone) {
  EXPECT_EQ(data_of("event: ping\n\n: \n\ndata\n\n", 2), Strings{"|"});
}

}  // namespace
}  // namespace cupel::llm
