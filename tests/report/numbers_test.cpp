#include "report/words/numbers.h"

#include <gtest/gtest.h>

namespace cupel::report {
namespace {

TEST(Numbers, Ratios) {
  EXPECT_EQ(ratio_text({"", "", 1.416, 1.40, 1.44, 0, 0, 0}), "1.42x 1.40-1.44");
  EXPECT_EQ(ratio_text({"", "", 1.004, 1.001, 1.007, 0, 0, 0}), "1.004x 1.001-1.007");
  EXPECT_EQ(ratio_text({"", "", 24.12, 22, 26, 0, 0, 0}), "24.1x 22.0-26.0");
  EXPECT_EQ(ratio_text({"", "", 241.2, 220, 260, 0, 0, 0}), "241x 220-260");
  EXPECT_EQ(ratio_text({"", "", 1.02, 1.02e-6, 1.02e6, 0, 0, 0}), "1.02x ?");
}

TEST(Numbers, Times) {
  EXPECT_EQ(ms_text(0), "");
  EXPECT_EQ(ms_text(0.01234), "0.0123 ms");
  EXPECT_EQ(ms_text(1.2344), "1.234 ms");
  EXPECT_EQ(ms_text(12.34), "12.3 ms");
  EXPECT_EQ(ms_text(123.4), "123 ms");
  EXPECT_EQ(ms_text(1234), "1.23 s");
  EXPECT_EQ(seconds_text(0.44), "0.4 s");
  EXPECT_EQ(seconds_text(59.4), "59 s");
  EXPECT_EQ(seconds_text(59.6), "1 min 00 s");
  EXPECT_EQ(seconds_text(3725), "1 h 02 min");
}

TEST(Numbers, ErrorsMoneyAndBytes) {
  EXPECT_EQ(error_text(0), "0");
  EXPECT_EQ(error_text(1.23e-7), "1.2e-07");
  EXPECT_EQ(error_text(1e30), "unbounded");
  EXPECT_EQ(money_text(0), "$0");
  EXPECT_EQ(money_text(1.234), "$1.23");
  EXPECT_EQ(bytes_text(512), "512 B");
  EXPECT_EQ(bytes_text(3.2 * 1024 * 1024), "3.2 MiB");
}

TEST(Numbers, Allclose) {
  Verdict verdict;
  EXPECT_EQ(allclose_text(verdict), "");
  verdict.checked_calls = 1;
  EXPECT_EQ(allclose_text(verdict), "no");
  verdict.close_1e2 = true;
  EXPECT_EQ(allclose_text(verdict), "1e-2");
  verdict.close_1e4 = true;
  EXPECT_EQ(allclose_text(verdict), "1e-4");
}

}  // namespace
}  // namespace cupel::report
