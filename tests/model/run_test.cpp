#include "model/run.h"

#include <gtest/gtest.h>

namespace cupel {
namespace {

Verdict verdict_of(Outcome outcome, double ratio) {
  Verdict verdict;
  verdict.outcome = outcome;
  verdict.ratios = {{"eager", "e", ratio, ratio, ratio, 1, ratio, 10}};
  return verdict;
}

FinalTable sample_table() {
  return {{{"eager", "e", "eager", {}},
           {"best free variant", "a", "a", verdict_of(Outcome::faster, 1.2)},
           {"winner", "b", "b", verdict_of(Outcome::faster, 1.5)}}};
}

TEST(ApplyAudits, APassedAuditsVerdictTakesItsRow) {
  FinalTable table = sample_table();
  apply_audits(table, {{"b", "b", verdict_of(Outcome::faster, 1.45), 9}});
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[2].role, "winner");
  EXPECT_EQ(table.rows[2].verdict.ratios[0].ratio, 1.45);
}

TEST(ApplyAudits, AFailedOneTakesTheRole) {
  FinalTable table = sample_table();
  apply_audits(table, {{"b", "b", verdict_of(Outcome::wrong, 1), 9}});
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[2].role, "failed audit");
  EXPECT_EQ(table.rows[2].verdict.outcome, Outcome::wrong);
}

TEST(ApplyAudits, WhatFailedHasARowInLaterTables) {
  FinalTable table = sample_table();
  apply_audits(table, {{"c", "c", verdict_of(Outcome::ambiguous, 1.01), 9}});
  ASSERT_EQ(table.rows.size(), 4u);
  EXPECT_EQ(table.rows[3].role, "failed audit");
  EXPECT_EQ(table.rows[3].label, "c");
}

}  // namespace
}  // namespace cupel
