// Random faults, hundreds of them: no question costs more than was announced, and what a service
// bills is never more than what was charged.
#include <map>

#include "base/rng.h"
#include "llm/money/ledger.h"
#include "service_fixture.h"

namespace cupel::llm {
namespace {

constexpr int k_questions = 250;  // a dialect; four of them
constexpr int k_turns_max = 7;

Usage random_usage(Rng& rng, const Prompt& prompt) {
  Usage usage;
  usage.prompt_tokens =
      1 + static_cast<std::int64_t>(rng.below(prompt.system.size() + prompt.user.size()));
  usage.cached_tokens = static_cast<std::int64_t>(rng.below(usage.prompt_tokens + 1));
  usage.reply_tokens = static_cast<std::int64_t>(rng.below(prompt.reply_tokens_max + 1));
  usage.thought_tokens = static_cast<std::int64_t>(rng.below(usage.reply_tokens + 1));
  return usage;
}

Turn random_turn(Rng& rng, const Prompt& prompt) {
  constexpr Turn::Kind k_kinds[] = {Turn::Kind::reply,  Turn::Kind::error, Turn::Kind::error,
                                    Turn::Kind::cut,    Turn::Kind::stall, Turn::Kind::malformed,
                                    Turn::Kind::silence};
  constexpr int k_statuses[] = {400, 401, 408, 409, 429, 500, 502, 503, 504, 529};
  constexpr Reply::End k_ends[] = {Reply::End::complete, Reply::End::complete,
                                   Reply::End::truncated, Reply::End::refused, Reply::End::failed};
  constexpr const char* k_waits[] = {"", "", "3", "Sun, 06 Nov 1994 08:49:37 GMT", "9999", "soon"};
  Turn turn;
  turn.kind = k_kinds[rng.below(std::size(k_kinds))];
  turn.text = std::string(rng.below(4) * 17, 'k');
  turn.end = k_ends[rng.below(std::size(k_ends))];
  turn.usage = random_usage(rng, prompt);
  turn.says_usage = rng.below(4) != 0;
  turn.piece_bytes = rng.below(3) == 0 ? 1 + rng.below(50) : 0;
  turn.line_end = rng.below(2) == 0 ? "\n" : "\r\n";
  turn.status = k_statuses[rng.below(std::size(k_statuses))];
  turn.body = rng.below(2) == 0 ? R"({"error": {"message": "temperature"}})" : "<html>";
  turn.retry_after = k_waits[rng.below(std::size(k_waits))];
  return turn;
}

class BillTest : public ::testing::TestWithParam<Speech> {};
INSTANTIATE_TEST_SUITE_P(All, BillTest, k_all_speeches, speech_name);

TEST_P(BillTest, NoFaultBreaksTheBound) {
  Rng rng(20 + static_cast<std::uint64_t>(GetParam()));
  ServiceFixture fixture(GetParam());
  std::map<Reply::End, int> ends;
  Ledger ledger({.nano_usd_max = 1'000'000'000, .queries_max = k_questions});
  std::int64_t billed = 0;
  for (int question = 0; question < k_questions; ++question) {
    SCOPED_TRACE(question);
    fixture.prompt.user = std::string(1 + rng.below(400), 'u');
    fixture.prompt.reply_tokens_max = 1 + static_cast<std::int64_t>(rng.below(300));
    fixture.prompt.billed_attempts_max = 1 + static_cast<int>(rng.below(3));
    std::vector<Turn> turns;
    for (int i = 0; i < k_turns_max; ++i) turns.push_back(random_turn(rng, fixture.prompt));
    const auto provider = fixture.provider();
    const std::string id = std::to_string(question);
    if (!ledger.reserve(id, provider->nano_usd_max(fixture.prompt), 1)) break;
    const Reply reply = fixture.ask(*provider, turns);
    ledger.settle(id, reply.nano_usd, 1);
    ASSERT_GE(reply.nano_usd, fixture.billed_nano_usd());
    ASSERT_LE(reply.nano_usd, provider->nano_usd_max(fixture.prompt));
    ASSERT_LE(reply.attempts, fixture.settings.attempts_max);
    ASSERT_EQ(reply.end == Reply::End::complete, reply.problem.empty()) << reply.problem;
    billed += fixture.billed_nano_usd();
    ++ends[reply.end];
  }
  EXPECT_LE(billed, ledger.nano_usd_spent());
  EXPECT_LE(ledger.nano_usd_spent(), 1'000'000'000);
  EXPECT_EQ(ends.size(), 4u) << "the scripts reach every end";
}

}  // namespace
}  // namespace cupel::llm
