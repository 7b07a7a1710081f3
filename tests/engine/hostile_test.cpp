// Whole searches against services of every temper, over real HTTP on loopback: what was spent, what
// was bought, and that all that was bought is judged.
#include <gtest/gtest.h>

#include "engine/scripted_search.h"
#include "journal/reader.h"
#include "llm/fake_service.h"
#include "llm/service_fixture.h"

namespace cupel::engine {
namespace {

using llm::ServiceFixture;
using llm::Speech;
using llm::Turn;

constexpr std::int64_t k_budget_nano_usd = 5'000'000'000;
constexpr const char* k_program = "class ModelNew: a program of its own";

// What a run came to, in the words of its journal.
struct Outcome {
  RunRecord record;
  std::string error;
  journal::RunState state;
  std::size_t requests = 0;
  std::int64_t reserved = 0;  // over all questions
  std::int64_t billed = 0;
  int bought = 0;
  int judged = 0;
};

std::string kind_text(const Turn& turn) {
  switch (turn.kind) {
    case Turn::Kind::reply:
      return "streams answers";
    case Turn::Kind::error:
      return "HTTP " + std::to_string(turn.status) +
             (turn.retry_after.empty() ? "" : ", wait " + turn.retry_after + " s");
    case Turn::Kind::cut:
      return "cuts streams off";
    case Turn::Kind::stall:
      return "falls silent";
    case Turn::Kind::malformed:
      return "sends no JSON";
    case Turn::Kind::silence:
      return "says nothing";
    case Turn::Kind::whole:
      return "does not stream";
    case Turn::Kind::document:
      return "sends " + turn.body.substr(0, 16);
  }
  return "";
}

// A row of the table that this test prints: `cupel`'s ledger beside the service's books.
void print_row(const std::string& temper, const Outcome& outcome) {
  const auto usd = [](std::int64_t nano_usd) { return usd_of(nano_usd); };
  std::printf(
      "%-28s %4zu requests, reserved $%7.4f, spent $%7.4f, billed $%7.4f, %2d bought, %2d "
      "judged\n",
      temper.c_str(), outcome.requests, usd(outcome.reserved), usd(outcome.state.nano_usd_spent),
      usd(outcome.billed), outcome.bought, outcome.judged);
}

std::int64_t reserved_in(const std::filesystem::path& directory) {
  std::int64_t sum = 0;
  const auto events = journal::read_events(directory, false);
  for (const journal::Event& event : *events) {
    if (event.kind != journal::kind::k_asked) continue;
    const auto asked = decode_proposal_asked(event.body);
    if (asked) sum += asked->nano_usd_max;
  }
  return sum;
}

class HostileService : public testing::Test {
 protected:
  HostileService() : directory_(scratch()) {
    service_.settings.prices = {"fake-model=1.25,0.125,10"};
  }

  Outcome search_against(const Turn& turn) {
    service_.service.always(turn);
    return sit(kind_text(turn));
  }

  // Each program is another one: a service that repeats itself sells duplicates.
  Outcome search_against_programs(std::vector<Turn> turns) {
    const std::string temper = kind_text(turns.front());
    const std::string later = kind_text(turns.back());
    service_.service.script(std::move(turns));
    return sit(temper + (later == temper ? "" : ", then " + later));
  }

  static RunRequest dollars_of(RunRequest request) {
    request.options.nano_usd_max = k_budget_nano_usd;
    return request;
  }

  Outcome sit(const std::string& temper) { return sit(temper, search_request(12)); }

  Outcome sit(const std::string& temper, const RunRequest& request) {
    const SystemClock clock;
    journal::Journal journal = open_or_die(directory_.path(), clock);
    const auto provider = service_.provider();
    Agents agents = scripted_agents(*provider);
    ScriptedEvaluator evaluator = evaluator_of(7);
    SilentSink sink;
    const auto record = run(dollars_of(request), Means(evaluator, agents), journal, sink);
    Outcome outcome{record ? *record : RunRecord{}, record ? "" : record.error().describe(),
                    journal.state()};
    outcome.requests = service_.service.requests().size();
    outcome.billed = service_.billed_nano_usd();
    outcome.reserved = reserved_in(directory_.path());
    count(outcome);
    print_row(temper, outcome);
    EXPECT_EQ(outcome.judged, outcome.bought) << temper;
    EXPECT_LE(outcome.state.nano_usd_spent, outcome.reserved) << temper;
    return outcome;
  }

  Outcome read_by_the_service() {
    const SystemClock clock;
    journal::Journal journal = open_or_die(directory_.path(), clock);
    ScriptedProvider writer({});
    const auto reader = service_.provider();
    Agents agents = scripted_agents(writer);
    agents.reader = reader.get();
    ScriptedEvaluator evaluator = evaluator_of(7);
    SilentSink sink;
    const RunRequest request = dollars_of(search_request(12));
    const auto record = run(request, Means(evaluator, agents), journal, sink);
    Outcome outcome{record ? *record : RunRecord{}, record ? "" : record.error().describe(),
                    journal.state()};
    count(outcome);
    return outcome;
  }

  static void count(Outcome& outcome) {
    for (const Judged& judged : outcome.state.record.judged) {
      if (!asks_agent(judged.proposal.kind) || judged.candidate.id.empty()) continue;
      ++outcome.bought;
      ++outcome.judged;
    }
    for (const auto& open : outcome.state.open) outcome.bought += !open.candidate.id.empty();
  }

  // Ends with a sentence that holds `words` after one request, for which `nano_usd` are charged.
  void expect_end(const Turn& turn, const std::string& words, bool charged = false) {
    const Outcome outcome = search_against(turn);
    EXPECT_NE(outcome.error.find(words), std::string::npos) << outcome.error;
    EXPECT_EQ(outcome.requests, 1u) << words;
    EXPECT_EQ(outcome.state.nano_usd_spent > 0, charged) << outcome.state.nano_usd_spent;
    EXPECT_LT(outcome.state.nano_usd_spent, k_budget_nano_usd / 20);
    EXPECT_EQ(outcome.bought, 0);
    EXPECT_TRUE(ledger_is_closed(outcome.state));
    fresh();
  }

  static bool ledger_is_closed(const journal::RunState& state) {
    return std::none_of(state.open.begin(), state.open.end(),
                        [](const auto& open) { return open.asked.has_value(); });
  }

  void fresh() { directory_ = scratch(); }

  TempDir directory_;
  ServiceFixture service_{Speech::chat};
};

Turn http_error(int status, const std::string& body, const std::string& retry_after = "") {
  Turn turn;
  turn.kind = Turn::Kind::error;
  turn.status = status;
  turn.body = body;
  turn.retry_after = retry_after;
  return turn;
}

Turn document(const std::string& body) {
  Turn turn;
  turn.kind = Turn::Kind::document;
  turn.body = body;
  return turn;
}

std::vector<Turn> programs(Turn::Kind kind, int count) {
  std::vector<Turn> turns;
  for (int i = 0; i < count; ++i) {
    Turn turn;
    turn.kind = kind;
    turn.text = std::string(k_program) + std::to_string(i);
    turns.push_back(std::move(turn));
  }
  return turns;
}

TEST_F(HostileService, WhatIsNoAnswerEndsItWithASentence) {
  expect_end(document("<html><title>Sign in</title></html>"), "a web page (\"Sign in\")");
  expect_end(document("{\"result\": 1}"), "JSON of result", true);
  expect_end(http_error(401, R"({"error": {"message": "bad key"}})"), "does not accept the key");
  expect_end(http_error(404, R"({"error": {"message": "gone"}})"), "no such model or address");
  expect_end(http_error(429, R"({"error": {"code": "insufficient_quota", "message": "x"}})"),
             "no money or quota is left");
}

TEST_F(HostileService, WhoOnlyTurnsQuestionsAwayIsGivenUpAndCostsNothing) {
  for (const Turn& turn : {http_error(429, "{}"), http_error(429, "{}", "30"),
                           http_error(429, "{}", "9999"), http_error(500, "boom")}) {
    const Outcome outcome = search_against(turn);
    EXPECT_NE(outcome.error.find("the LLM does not answer"), std::string::npos) << outcome.error;
    EXPECT_EQ(outcome.state.nano_usd_spent, 0);
    EXPECT_LE(outcome.requests, 60u);
    fresh();
  }
}

TEST_F(HostileService, AnswersThatDoNotStreamAreBoughtAndJudged) {
  const Outcome outcome = search_against_programs(programs(Turn::Kind::whole, 13));
  EXPECT_EQ(outcome.error, "");
  EXPECT_TRUE(outcome.record.finished);
  EXPECT_EQ(outcome.requests, 13u);
  EXPECT_EQ(outcome.bought, 12);
  EXPECT_EQ(outcome.judged, 12);
  EXPECT_EQ(outcome.state.nano_usd_spent, outcome.billed);
}

// Samples of the very same prompt, as many as the service sells at once.
TEST_F(HostileService, SeveralAnswersToOneQuestionAreBoughtTogetherAndJudged) {
  RunRequest request = search_request(8);
  request.strategy_source = {};
  request.options.strategy = "kernelbench";
  request.options.queries_max = 8;
  std::vector<Turn> turns = programs(Turn::Kind::reply, 2);
  for (Turn& turn : turns) {
    for (const char* name : {"b", "c", "d"}) turn.others.push_back(turn.text + name);
  }
  service_.service.script(turns);
  const Outcome outcome = sit("sells four answers at once", request);
  EXPECT_EQ(outcome.error, "");
  EXPECT_TRUE(outcome.record.finished);
  EXPECT_EQ(outcome.requests, 2u);
  EXPECT_EQ(outcome.bought, 8);
  EXPECT_EQ(outcome.record.queries, 8);
  EXPECT_EQ(outcome.state.nano_usd_spent, outcome.billed);
  EXPECT_TRUE(ledger_is_closed(outcome.state));
}

TEST_F(HostileService, AnswersThatWereNotGivenAreAskedForAgain) {
  RunRequest request = search_request(4);
  request.strategy_source = {};
  request.options.strategy = "kernelbench";
  request.options.queries_max = 4;
  service_.service.script(programs(Turn::Kind::reply, 4));
  const Outcome outcome = sit("gives one answer of four", request);
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.requests, 4u);
  EXPECT_EQ(outcome.bought, 4);
  EXPECT_EQ(outcome.record.queries, 4);
  EXPECT_EQ(outcome.state.nano_usd_spent, outcome.billed);
}

TEST_F(HostileService, WhatWasBoughtBeforeTheServiceWasLostIsJudged) {
  std::vector<Turn> turns = programs(Turn::Kind::reply, 6);
  const Turn empty = http_error(402, R"({"error": {"message": "no credits"}})");
  turns.insert(turns.end(), 20, empty);
  const Outcome outcome = search_against_programs(turns);
  EXPECT_NE(outcome.error.find("no money or quota is left"), std::string::npos) << outcome.error;
  EXPECT_EQ(outcome.bought, 5);  // and the ideas
  EXPECT_EQ(outcome.judged, 5);
  EXPECT_EQ(outcome.state.nano_usd_spent, outcome.billed);
  EXPECT_FALSE(outcome.state.record.finished);
}

// The service is the reader's; those who write are of another.
TEST_F(HostileService, AReaderOfAnyTemperCostsNoProgramItsPlace) {
  for (const Turn& turn :
       {document("<html><title>Sign in</title></html>"), document("{\"result\": 1}"),
        http_error(401, R"({"error": {"message": "bad key"}})"), http_error(500, "boom"),
        Turn{.kind = Turn::Kind::cut}, programs(Turn::Kind::reply, 1).front()}) {
    service_.service.always(turn);
    const Outcome outcome = read_by_the_service();
    EXPECT_EQ(outcome.error, "");
    EXPECT_TRUE(outcome.record.finished);
    EXPECT_EQ(outcome.judged, 12);
    EXPECT_TRUE(outcome.state.open.empty());
    EXPECT_LE(outcome.state.nano_usd_spent, k_budget_nano_usd);
    EXPECT_LE(outcome.state.record.readings.size(), 12u);
    for (const auto& [id, reading] : outcome.state.record.readings) {
      EXPECT_NE(reading.problem, "");
    }
    fresh();
  }
}

// What is charged at its worst for nothing ends it long before the budget does.
TEST_F(HostileService, WhoOnlyBreaksOffIsGivenUpAfterAFewQuestions) {
  for (const Turn::Kind kind : {Turn::Kind::cut, Turn::Kind::malformed, Turn::Kind::silence}) {
    const Outcome outcome = search_against({.kind = kind});
    EXPECT_LE(outcome.state.nano_usd_spent, k_budget_nano_usd / 4);
    EXPECT_GE(outcome.state.nano_usd_spent, outcome.billed);
    EXPECT_TRUE(ledger_is_closed(outcome.state));
    EXPECT_LE(outcome.requests, 6u);
    EXPECT_NE(outcome.error.find("paid for and gave no answer"), std::string::npos)
        << outcome.error;
    fresh();
  }
}

}  // namespace
}  // namespace cupel::engine
