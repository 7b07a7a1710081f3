#include "report/answers/why_report.h"

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

std::vector<journal::Event> agent_events() {
  Proposed proposed;
  proposed.proposal = {"p0004", Proposal::Kind::improve, "improve", {}, "it leads"};
  proposed.proposal.idea = "tile the rows";
  const ProposalAsked asked{"p0004", "openai:gpt-5", 250'000'000, 1};
  Prompt prompt;
  prompt.agent = "improve";
  prompt.system = "You write kernels.";
  prompt.user = "Make it faster.";
  ProposalReplied replied{"p0004", {}, 1, false};
  replied.reply.end = Reply::End::complete;
  replied.reply.text = "Here it is.";
  replied.reply.nano_usd = 40'000'000;
  const ProposalParsed parsed{"p0004", make_candidate("source", "tiled"), {"code fence"}};
  using namespace journal::kind;
  const auto event = [](std::int64_t seq, std::string_view kind, std::string body) {
    return journal::Event{seq, seq, std::string(kind), "p0004", std::move(body)};
  };
  return {event(1, k_proposed, encode(proposed)),
          event(2, k_prompted, encode(prompt)),
          event(2, k_asked, encode(asked)),
          event(3, k_replied, encode(replied)),
          event(4, k_parsed, encode(parsed)),
          event(5, k_built, encode(ProposalBuilt{"p0004", 1.5, ""}))};
}

TEST(WhyText, TellsWhatAnAgentWasAskedAndWhatItCost) {
  const std::string text = why_text(agent_events(), {});
  for (const char* part :
       {"because it leads", "idea: tile the rows",
        "33 B of prompt for the agent 'improve' (strong)",
        "asked openai:gpt-5, at most $0.25 and one query", "complete, 11 B in", "$0.04, one query",
        "tiled", "mended: code fence", "compiled ahead in 1.5 s"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(WhyText, WordsAsTheyWereSent) {
  EXPECT_EQ(prompt_text(agent_events()).value_or(""), "You write kernels.\n\nMake it faster.\n");
  EXPECT_EQ(reply_text(agent_events()).value_or(""), "Here it is.\n");
  EXPECT_FALSE(prompt_text(sample_events()));
  EXPECT_FALSE(reply_text(sample_events()));
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

TEST(WhyText, TellsOfAnAudit) {
  Evidence evidence;
  evidence.programs.resize(2);
  ProgramEvidence& program = evidence.programs[1];
  program.label = "b.py";
  program.endurance.calls = 1018;
  program.endurance.held.resize(8);
  program.endurance.memory = {{10, 100 << 20}, {1000, 130 << 20}};
  evidence.kernel_trials = {{"scan", {}}};
  Verdict verdict = sample_verdict("b", 1.5);
  verdict.outcome = Outcome::suspect;
  verdict.reasons = {{"memory_growth", "its memory grows", 30, 0}};
  const std::string text =
      why_text({{5, 0, std::string(journal::kind::k_measured), "b", encode(evidence)},
                {6, 0, std::string(journal::kind::k_audited), "b",
                 encode(WinnerAudit{"b", "b.py", verdict, 8})}},
               {.color = false, .width = 200});
  for (const char* part :
       {"b.py: 1018 calls more", "8 outputs read twice", "memory 100 MiB to 130 MiB",
        "the kernel scan was tried", "audited: suspect(memory_growth) in 8.0 s",
        "memory_growth: its memory grows"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

}  // namespace
}  // namespace cupel::report
