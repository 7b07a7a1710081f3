// What goes wrong between here and a service, on a real connection, in simulated time.
#include <arpa/inet.h>
#include <sys/socket.h>

#include <thread>

#include "base/files.h"
#include "service_fixture.h"

namespace cupel::llm {
namespace {

Turn http_error(int status, const std::string& body = "", const std::string& retry_after = "") {
  Turn turn;
  turn.kind = Turn::Kind::error;
  turn.status = status;
  turn.body = body;
  turn.retry_after = retry_after;
  return turn;
}

Turn of_kind(Turn::Kind kind) {
  Turn turn;
  turn.kind = kind;
  return turn;
}

class FaultsTest : public ::testing::TestWithParam<Speech> {
 protected:
  ServiceFixture fixture{GetParam()};
  const Turn good{.text = "now"};
};
INSTANTIATE_TEST_SUITE_P(All, FaultsTest, k_all_speeches, speech_name);

TEST_P(FaultsTest, WhatPassesIsTriedAgainAndNotPaid) {
  for (const int status : {408, 409, 429, 500, 503, 529}) {
    const Reply reply = fixture.ask({http_error(status), good});
    EXPECT_EQ(reply.text, "now") << status << ": " << reply.problem;
    EXPECT_EQ(reply.attempts, 2);
    EXPECT_EQ(reply.nano_usd, fixture.billed_nano_usd()) << status;
    EXPECT_TRUE(reply.usage_known);
  }
}

TEST_P(FaultsTest, AGatewayThatLostItsUpstreamMayBill) {
  for (const int status : {502, 504}) {
    const Reply reply = fixture.ask({http_error(status), good});
    EXPECT_EQ(reply.text, "now") << status << ": " << reply.problem;
    EXPECT_GE(reply.nano_usd, fixture.billed_nano_usd()) << status;
    EXPECT_FALSE(reply.usage_known);
  }
}

TEST_P(FaultsTest, WhatDoesNotPassIsNotTriedAgain) {
  for (const int status : {301, 400, 401, 402, 403, 404, 413, 422}) {
    const Reply reply =
        fixture.ask({http_error(status, R"({"error": {"message": "not so"}})"), good});
    EXPECT_EQ(reply.end, Reply::End::failed);
    EXPECT_TRUE(reply.problem.starts_with("HTTP " + std::to_string(status) + ": not so"));
    EXPECT_EQ(reply.attempts, 1);
    EXPECT_EQ(reply.nano_usd, 0);
  }
}

TEST_P(FaultsTest, PausesGrowAndEnd) {
  const Reply reply = fixture.ask({});
  EXPECT_EQ(reply.end, Reply::End::failed);
  EXPECT_EQ(reply.attempts, fixture.settings.attempts_max);
  EXPECT_NE(reply.problem.find("HTTP 500"), std::string::npos) << reply.problem;
  EXPECT_NE(reply.problem.find("6 attempts"), std::string::npos) << reply.problem;
  EXPECT_EQ(reply.nano_usd, 0);
  const std::vector<double> sleeps_s = fixture.sleeper.sleeps_s();
  ASSERT_EQ(sleeps_s.size(), 5u);
  for (std::size_t i = 0; i < sleeps_s.size(); ++i) {
    EXPECT_GE(sleeps_s[i], 0.5 * (1 << i));
    EXPECT_LE(sleeps_s[i], 1.0 * (1 << i));
  }
}

TEST_P(FaultsTest, WhoIsLimitedByTheMinuteWaitsLongerThanThat) {
  const Turn limited = http_error(429);
  const Reply reply = fixture.ask({limited, limited, limited, limited, limited, good});
  EXPECT_EQ(reply.text, "now") << reply.problem;
  double waited_s = 0;
  for (const double sleep_s : fixture.sleeper.sleeps_s()) waited_s += sleep_s;
  EXPECT_GE(waited_s, 60);
}

TEST_P(FaultsTest, RetryAfterIsWaitedForInBothForms) {
  EXPECT_EQ(fixture.ask({http_error(429, "", "37"), good}).text, "now");
  EXPECT_EQ(fixture.sleeper.sleeps_s().back(), 37);
  fixture.clock.advance_s(60 - static_cast<double>(fixture.clock.now_ns()) / k_ns_per_s);
  EXPECT_EQ(fixture.ask({http_error(429, "", "Sun, 06 Nov 1994 08:52:37 GMT"), good}).text, "now");
  EXPECT_EQ(fixture.sleeper.sleeps_s().back(), 120);
}

TEST_P(FaultsTest, WhoeverAsksForHoursIsGivenUp) {
  const Reply reply = fixture.ask({http_error(429, "", "7200"), good});
  EXPECT_EQ(reply.end, Reply::End::failed);
  EXPECT_NE(reply.problem.find("7200 s"), std::string::npos) << reply.problem;
  EXPECT_EQ(reply.attempts, 1);
}

TEST_P(FaultsTest, ACutStreamIsPaidAtItsWorstAndTriedOnce) {
  for (const auto kind :
       {Turn::Kind::cut, Turn::Kind::stall, Turn::Kind::malformed, Turn::Kind::silence}) {
    const Reply good_reply = fixture.ask({of_kind(kind), good});
    EXPECT_EQ(good_reply.text, "now") << good_reply.problem;
    EXPECT_GE(good_reply.nano_usd, fixture.billed_nano_usd());
    EXPECT_FALSE(good_reply.usage_known);
    const Reply bad_reply = fixture.ask({of_kind(kind), of_kind(kind), good});
    EXPECT_EQ(bad_reply.end, Reply::End::failed);
    EXPECT_GE(bad_reply.nano_usd, fixture.billed_nano_usd());
    EXPECT_NE(bad_reply.problem, "");
  }
}

TEST_P(FaultsTest, AStalledStreamSaysSo) {
  fixture.settings.attempts_max = 1;
  const Reply reply = fixture.ask({of_kind(Turn::Kind::stall)});
  EXPECT_NE(reply.problem.find("no byte for 30 s"), std::string::npos) << reply.problem;
  EXPECT_NE(reply.text, "now");
}

TEST_P(FaultsTest, AReplyThatNeverEndsIsEnded) {
  fixture.settings.attempts_max = 1;
  fixture.settings.limits.stall_s = 1e9;
  fixture.settings.limits.overall_s = 90;
  const Reply reply = fixture.ask({of_kind(Turn::Kind::stall)});
  EXPECT_NE(reply.problem.find("no end after 90 s"), std::string::npos) << reply.problem;
}

TEST_P(FaultsTest, AReplyThatIsTooLargeIsNotAskedForAgain) {
  fixture.settings.limits.reply_bytes_max = 20'000;
  const Reply reply = fixture.ask({{.text = std::string(100'000, 'x')}, good});
  EXPECT_EQ(reply.end, Reply::End::failed);
  EXPECT_NE(reply.problem.find("larger than 20000 bytes"), std::string::npos) << reply.problem;
  EXPECT_EQ(reply.attempts, 1);
  EXPECT_LE(reply.text.size(), 20'000u);
}

TEST_P(FaultsTest, ASettingThatTheModelDoesNotTakeIsLeftOutFromThenOn) {
  const auto provider = fixture.provider();
  const Turn refusal = http_error(400, R"({"error": {"type": "invalid_request_error",
                         "message": "`temperature` is deprecated for this model."}})");
  EXPECT_EQ(fixture.ask(*provider, {refusal, good}).text, "now");
  EXPECT_NE(fixture.service.requests().at(0).body.find("temperature"), std::string::npos);
  EXPECT_EQ(fixture.service.requests().at(1).body.find("temperature"), std::string::npos);
  EXPECT_EQ(fixture.sleeper.sleeps_s().back(), 0);
  EXPECT_EQ(fixture.ask(*provider, {good}).attempts, 1);
  EXPECT_EQ(fixture.service.requests().at(0).body.find("temperature"), std::string::npos);
}

TEST_P(FaultsTest, NoErrorShowsTheKey) {
  const std::string key(k_test_key);
  const std::string body =
      R"({"error": {"message": "Incorrect API key )" + key + " or " + key.substr(0, 12) + "***\"}}";
  for (const int status : {400, 401, 500}) {
    const Reply reply = fixture.ask({http_error(status, body)});
    EXPECT_EQ(encode(reply).find(key.substr(0, 8)), std::string::npos) << reply.problem;
    EXPECT_NE(reply.problem.find(status == 500 ? "HTTP 500" : "Incorrect API key"),
              std::string::npos);
  }
  const Reply reply = fixture.ask({{.text = "your key is " + key}});
  EXPECT_EQ(encode(reply).find(key), std::string::npos) << reply.text;
}

TEST_P(FaultsTest, AServiceThatCountsBeyondTheBoundIsNotAskedAgain) {
  const auto provider = fixture.provider();
  const Reply reply = fixture.ask(*provider, {{.text = "dear", .usage = {1'000'000, 0, 9, 0}}});
  EXPECT_EQ(reply.text, "dear");
  EXPECT_EQ(reply.nano_usd, provider->nano_usd_max(fixture.prompt));
  const Reply next = fixture.ask(*provider, {good});
  EXPECT_EQ(next.end, Reply::End::failed);
  EXPECT_EQ(next.attempts, 0);
  EXPECT_EQ(next.nano_usd, 0);
  EXPECT_TRUE(fixture.service.requests().empty());
}

TEST_P(FaultsTest, AStoppedRunIsAnsweredAtOnce) {
  fixture.settings.limits.stall_s = 1e9;
  const auto provider = fixture.provider();
  fixture.service.script({of_kind(Turn::Kind::stall)});
  std::thread stopper([&] {
    while (fixture.service.requests().empty()) std::this_thread::yield();
    fixture.stop.raise();
  });
  const Reply reply = provider->ask(fixture.prompt, fixture.stop);
  stopper.join();
  fixture.service.release_stalled();
  EXPECT_EQ(reply.end, Reply::End::failed);
  EXPECT_NE(reply.problem.find("stopped"), std::string::npos) << reply.problem;
  EXPECT_GE(reply.nano_usd, fixture.billed_nano_usd());
  EXPECT_EQ(provider->ask(fixture.prompt, fixture.stop).attempts, 0);
}

TEST(Faults, ADeadPortCostsNothing) {
  ServiceFixture fixture(Speech::chat);
  const UniqueFd bound(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(bound.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::getsockname(bound.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  fixture.settings.base_url = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  const Reply reply = fixture.ask({});
  EXPECT_EQ(reply.end, Reply::End::failed);
  EXPECT_EQ(reply.attempts, fixture.settings.attempts_max);
  EXPECT_EQ(reply.nano_usd, 0);
  EXPECT_TRUE(fixture.service.requests().empty());
}

TEST(Faults, AnEmptyPurseIsNotAPause) {
  ServiceFixture fixture(Speech::chat);
  const Reply reply = fixture.ask({http_error(
      429, R"({"error": {"code": "insufficient_quota", "message": "You exceeded your quota"}})")});
  EXPECT_EQ(reply.attempts, 1);
  EXPECT_NE(reply.problem.find("quota"), std::string::npos);
}

TEST(Faults, GeminisOwnRetryDelayIsWaitedFor) {
  ServiceFixture fixture(Speech::gemini);
  const Turn busy = http_error(429, R"([{"error": {"code": 429, "message": "slow down", "details":
      [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34s"}]}}])");
  EXPECT_EQ(fixture.ask({busy, {.text = "now"}}).text, "now");
  EXPECT_EQ(fixture.sleeper.sleeps_s().back(), 34);
}

TEST(Faults, TheNewerNameOfTheTokenLimitIsLearnt) {
  ServiceFixture fixture(Speech::chat);
  auto made = make_provider(fixture.service.base_url() + "#mine", fixture.settings);
  ASSERT_TRUE(made);
  const Turn refusal = http_error(400, R"({"error": {"message":
      "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."}})");
  EXPECT_EQ(fixture.ask(**made, {refusal, {.text = "now"}}).text, "now");
  EXPECT_NE(fixture.service.requests().at(1).body.find("\"max_completion_tokens\""),
            std::string::npos);
}

TEST(Faults, APromptOfUnreasonableLengthIsNotSent) {
  ServiceFixture fixture(Speech::chat);
  fixture.prompt.user = std::string(300'000, 'x');
  const Reply reply = fixture.ask({Turn{}});
  EXPECT_EQ(reply.end, Reply::End::failed);
  EXPECT_TRUE(fixture.service.requests().empty());
}

TEST(Faults, QuestionsMayBeAskedSideBySide) {
  ServiceFixture fixture(Speech::messages);
  const auto provider = fixture.provider();
  fixture.service.script(std::vector<Turn>(32, Turn{.text = "ok"}));
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 8; ++round) {
        good += provider->ask(fixture.prompt, fixture.stop).text == "ok";
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 32);
}

}  // namespace
}  // namespace cupel::llm
