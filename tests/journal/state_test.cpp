#include "journal/state.h"

#include <gtest/gtest.h>

#include <limits>

#include "journal/samples.h"

namespace cupel::journal {
namespace {

Event event_of(std::string_view kind, std::string subject, std::string body) {
  return {12, 5, std::string(kind), std::move(subject), std::move(body)};
}

void expect_refused(RunState& state, const Event& event, const std::string& words) {
  const auto outcome = apply(state, event);
  ASSERT_FALSE(outcome);
  EXPECT_NE(outcome.error().what.find(words), std::string::npos) << outcome.error().describe();
  EXPECT_NE(outcome.error().where.find("event 12"), std::string::npos);
}

TEST(RunState, RefusesAnUnknownKind) {
  RunState state;
  expect_refused(state, event_of("telepathy", "", "{}"), "telepathy");
}

TEST(RunState, RefusesABodyThatIsNotWhatItsKindSays) {
  RunState state;
  expect_refused(state, event_of(kind::k_run_started, "", "{\"run_id\":7}"), "start of a run");
  expect_refused(state, event_of(kind::k_proposed, "p0001", "not JSON"), "proposal");
  expect_refused(state, event_of(kind::k_tabled, "table", "[1"), "final table");
}

TEST(RunState, RefusesAVerdictWithoutAProposal) {
  RunState state;
  expect_refused(state, event_of(kind::k_judged, "p0001", encode(sample_judged(1, Outcome::same))),
                 "p0001");
  expect_refused(state, event_of(kind::k_faulted, "p0001", "{}"), "p0001");
  expect_refused(state, event_of(kind::k_rejected, "p0001", "{}"), "p0001");
}

TEST(RunState, AClockSetBackCountsAsNoTime) {
  RunState state;
  Event event = event_of(kind::k_decision, "", encode(Decision{"stop", "", ""}));
  for (const std::int64_t wall_s : {10, 12, 3, 4}) {
    event.wall_ns = wall_s * 1'000'000'000;
    ASSERT_TRUE(apply(state, event));
  }
  EXPECT_DOUBLE_EQ(state.record.wall_s, 3.0);
}

TEST(RunState, KeepsVerdictsThatAreNotFinite) {
  RunState state;
  ASSERT_TRUE(apply(state, event_of(kind::k_proposed, "p0001", encode(sample_proposed(1)))));
  ProposalJudged body = sample_judged(1, Outcome::wrong);
  body.verdict.error_max = std::numeric_limits<double>::infinity();
  body.verdict.error_rms = std::numeric_limits<double>::quiet_NaN();
  ASSERT_TRUE(apply(state, event_of(kind::k_judged, "p0001", encode(body))));
  EXPECT_GT(state.record.judged[0].verdict.error_max, 1e300);
  EXPECT_NE(state.record.judged[0].verdict.error_rms, state.record.judged[0].verdict.error_rms);
}

}  // namespace
}  // namespace cupel::journal
