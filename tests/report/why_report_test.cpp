#include "report/why_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "model/event.h"
#include "report/sample_run.h"

namespace cupel::report {
namespace {

std::vector<journal::Event> sample_events() {
  const Judged judged = sample_judged("p0003", "b", sample_verdict("b", 1.5));
  Proposed proposed{judged.proposal, judged.candidate};
  proposed.proposal.reason = "it costs nothing";
  const ProposalJudged verdict{"p0003", "b", judged.verdict, 2.5};
  const Decision lead{"lead", "it is faster than all before", "b"};
  return {{4, 1'000'000'000, std::string(journal::kind::k_proposed), "p0003", encode(proposed)},
          {5, 3'000'000'000, std::string(journal::kind::k_measured), "p0003", encode(Evidence{})},
          {6, 3'500'000'000, std::string(journal::kind::k_judged), "p0003", encode(verdict)},
          {7, 3'500'000'000, std::string(journal::kind::k_decision), "", encode(lead)}};
}

TEST(WhyText, TellsTheStoryInOrder) {
  const std::string text = why_text(sample_events(), {});
  std::size_t at = 0;
  for (const char* part :
       {"proposed as p0003", "because it costs nothing", "measured in", "judged faster 1.500x",
        "over eager: 1.50x 1.48-1.52", "decided: lead, because it is faster"}) {
    const std::size_t found = text.find(part, at);
    ASSERT_NE(found, std::string::npos) << part << "\n" << text;
    at = found;
  }
}

TEST(WhyText, SaysWhenAnEventCannotBeRead) {
  auto events = sample_events();
  events[2].body = "{";
  EXPECT_NE(why_text(events, {}).find("unreadable event"), std::string::npos);
}

TEST(WhyJson, KeepsEveryEvent) {
  const auto json = nlohmann::json::parse(why_json(sample_events()));
  EXPECT_EQ(json["kind"], "why");
  ASSERT_EQ(json["events"].size(), 4u);
  EXPECT_EQ(json["events"][2]["body"]["verdict"]["outcome"], "faster");
}

}  // namespace
}  // namespace cupel::report
