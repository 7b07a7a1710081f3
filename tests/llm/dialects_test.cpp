// Every dialect against a server that speaks it from its documentation.
#include <nlohmann/json.hpp>

#include "llm/providers/http_provider.h"
#include "service_fixture.h"

namespace cupel::llm {
namespace {

using nlohmann::json;

std::string header(const SeenRequest& request, const std::string& name) {
  for (const auto& [key, value] : request.headers) {
    if (std::equal(key.begin(), key.end(), name.begin(), name.end(),
                   [](char a, char b) { return std::tolower(a) == std::tolower(b); })) {
      return value;
    }
  }
  return "";
}

class DialectsTest : public ::testing::TestWithParam<Speech> {
 protected:
  ServiceFixture fixture{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(All, DialectsTest, k_all_speeches, speech_name);

TEST_P(DialectsTest, AReplyArrivesWithItsUsageAndPrice) {
  const Turn turn{.text = "def f():\n  return \"\xC3\xA9\"\n", .usage = {300, 200, 50, 20}};
  const Reply reply = fixture.ask({turn});
  EXPECT_EQ(reply.end, Reply::End::complete) << reply.problem;
  EXPECT_EQ(reply.text, turn.text);
  EXPECT_EQ(reply.model, "fake-model-1");
  EXPECT_EQ(reply.problem, "");
  EXPECT_TRUE(reply.usage_known);
  EXPECT_EQ(reply.usage.prompt_tokens, 300);
  EXPECT_EQ(reply.usage.cached_tokens, 200);
  EXPECT_EQ(reply.usage.reply_tokens, 50);
  EXPECT_EQ(reply.usage.thought_tokens, 20);
  EXPECT_EQ(reply.nano_usd, 100 * 1000 + 200 * 100 + 50 * 10'000);
  EXPECT_EQ(reply.attempts, 1);
}

TEST_P(DialectsTest, AStreamMayBeCutUpAnyhow) {
  for (const std::string end : {"\n", "\r\n"}) {
    for (const std::size_t piece : {1, 2, 3, 7, 61}) {
      const Turn turn{
          .text = "kernel \xE2\x82\xAC \r\n done", .piece_bytes = piece, .line_end = end};
      const Reply reply = fixture.ask({turn});
      ASSERT_EQ(reply.end, Reply::End::complete) << piece << ": " << reply.problem;
      EXPECT_EQ(reply.text, turn.text) << piece;
    }
  }
}

TEST_P(DialectsTest, AMegabyteArrivesWhole) {
  const Turn turn{.text = std::string(1 << 20, 'x')};
  const Reply reply = fixture.ask({turn});
  EXPECT_EQ(reply.end, Reply::End::complete) << reply.problem;
  EXPECT_EQ(reply.text.size(), turn.text.size());
}

TEST_P(DialectsTest, TruncationAndRefusalAreAnswersThatAreNotAskedAgain) {
  Reply reply = fixture.ask({{.text = "half", .end = Reply::End::truncated}});
  EXPECT_EQ(reply.end, Reply::End::truncated);
  EXPECT_EQ(reply.text, "half");
  EXPECT_NE(reply.problem, "");
  reply = fixture.ask({{.text = "I cannot", .end = Reply::End::refused}});
  EXPECT_EQ(reply.end, Reply::End::refused);
  EXPECT_NE(reply.problem, "");
  EXPECT_TRUE(reply.usage_known);
  EXPECT_EQ(fixture.service.requests().size(), 1u);
}

TEST_P(DialectsTest, AReplyWithoutUsageIsChargedAtItsWorst) {
  const Reply reply = fixture.ask({{.says_usage = false}});
  EXPECT_EQ(reply.end, Reply::End::complete) << reply.problem;
  EXPECT_FALSE(reply.usage_known);
  EXPECT_EQ(2 * reply.nano_usd, fixture.provider()->nano_usd_max(fixture.prompt));
}

TEST_P(DialectsTest, AnEmptyReplyIsAskedAgainAndBothArePaid) {
  const Reply reply = fixture.ask({{.text = ""}, {.text = "now"}});
  EXPECT_EQ(reply.end, Reply::End::complete) << reply.problem;
  EXPECT_EQ(reply.text, "now");
  EXPECT_EQ(reply.attempts, 2);
  EXPECT_EQ(reply.usage.reply_tokens, 20);
  EXPECT_EQ(reply.nano_usd, fixture.billed_nano_usd());
}

TEST_P(DialectsTest, AFailureInsideTheStreamIsTriedAgain) {
  const Reply reply = fixture.ask({{.end = Reply::End::failed}, {.text = "now"}});
  EXPECT_EQ(reply.end, Reply::End::complete) << reply.problem;
  EXPECT_EQ(reply.text, "now");
  EXPECT_GE(reply.nano_usd, fixture.billed_nano_usd());
}

TEST_P(DialectsTest, TheKeyTravelsInItsHeaderAndNowhereElse) {
  fixture.ask({Turn{}});
  const SeenRequest request = fixture.service.requests().at(0);
  const std::string key(k_test_key);
  std::map<Speech, std::pair<std::string, std::string>> expected = {
      {Speech::chat, {"authorization", "Bearer " + key}},
      {Speech::responses, {"authorization", "Bearer " + key}},
      {Speech::messages, {"x-api-key", key}},
      {Speech::gemini, {"x-goog-api-key", key}}};
  EXPECT_EQ(header(request, expected[GetParam()].first), expected[GetParam()].second);
  EXPECT_EQ(request.body.find(key), std::string::npos);
  EXPECT_EQ(request.path.find(key), std::string::npos);
}

TEST_P(DialectsTest, BytesThatAreNoTextDoNotBreakARequest) {
  fixture.prompt.user = "bad \xFF\xC3 bytes";
  EXPECT_EQ(fixture.ask({Turn{}}).end, Reply::End::complete);
  EXPECT_TRUE(json::accept(fixture.service.requests().at(0).body));
}

json body_of(ServiceFixture& fixture) {
  fixture.ask({Turn{}});
  return json::parse(fixture.service.requests().at(0).body);
}

TEST(Chat, AsksAsDocumented) {
  ServiceFixture fixture(Speech::chat);
  const json body = body_of(fixture);
  EXPECT_EQ(fixture.service.requests().at(0).path, "/chat/completions");
  EXPECT_EQ(body["model"], "fake-model");
  EXPECT_EQ(body["messages"][0]["role"], "system");
  EXPECT_EQ(body["messages"][1]["content"], fixture.prompt.user);
  EXPECT_EQ(body["stream"], true);
  EXPECT_EQ(body["stream_options"]["include_usage"], true);
  EXPECT_EQ(body["max_completion_tokens"], 1000);
  EXPECT_EQ(body["temperature"], 0.8);
}

TEST(Responses, AsksAsDocumented) {
  ServiceFixture fixture(Speech::responses);
  const json body = body_of(fixture);
  EXPECT_EQ(fixture.service.requests().at(0).path, "/responses");
  EXPECT_EQ(body["instructions"], fixture.prompt.system);
  EXPECT_EQ(body["input"], fixture.prompt.user);
  EXPECT_EQ(body["max_output_tokens"], 1000);
  EXPECT_EQ(body["store"], false);
}

TEST(Messages, AsksAsDocumented) {
  ServiceFixture fixture(Speech::messages);
  fixture.prompt.temperature = 1.5;
  const json body = body_of(fixture);
  EXPECT_EQ(fixture.service.requests().at(0).path, "/v1/messages");
  EXPECT_EQ(header(fixture.service.requests().at(0), "anthropic-version"), "2023-06-01");
  EXPECT_EQ(body["system"][0]["text"], fixture.prompt.system);
  EXPECT_EQ(body["max_tokens"], 1000);
  EXPECT_EQ(body["temperature"], 1.0) << "this service takes no more than 1";
}

// What a run's questions begin with is kept there: written once for a quarter more, then read.
TEST(Messages, ThePrefixIsKeptAndItsPriceCounted) {
  ServiceFixture fixture(Speech::messages);
  const json body = body_of(fixture);
  EXPECT_EQ(body["system"][0]["cache_control"]["type"], "ephemeral");
  EXPECT_EQ(body["system"].size(), 1u);
  const Reply first = fixture.ask({{.usage = {300, 0, 50, 0, 200}}});
  EXPECT_EQ(first.usage.prompt_tokens, 300);
  EXPECT_EQ(first.usage.written_tokens, 200);
  EXPECT_EQ(first.nano_usd, 100 * 1000 + 200 * 1250 + 50 * 10'000);
  const Reply next = fixture.ask({{.usage = {300, 200, 50, 0, 0}}});
  EXPECT_EQ(next.usage.cached_tokens, 200);
  EXPECT_EQ(next.nano_usd, 100 * 1000 + 200 * 100 + 50 * 10'000);
}

TEST(Gemini, AsksAsDocumented) {
  ServiceFixture fixture(Speech::gemini);
  const json body = body_of(fixture);
  EXPECT_EQ(fixture.service.requests().at(0).path,
            "/v1beta/models/fake-model:streamGenerateContent?alt=sse");
  EXPECT_EQ(body["systemInstruction"]["parts"][0]["text"], fixture.prompt.system);
  EXPECT_EQ(body["contents"][0]["role"], "user");
  EXPECT_EQ(body["generationConfig"]["maxOutputTokens"], 1000);
}

TEST(Chat, SeveralAnswersToOnePromptComeApart) {
  ServiceFixture fixture(Speech::chat);
  fixture.prompt.answers = 3;
  const auto provider = fixture.provider();
  EXPECT_GE(provider->answers_max(), 3);
  for (const Turn::Kind kind : {Turn::Kind::reply, Turn::Kind::whole}) {
    const Turn turn{.kind = kind, .text = "first", .others = {"the second", "a third"}};
    const Reply reply = fixture.ask(*provider, {turn});
    EXPECT_EQ(json::parse(fixture.service.requests().at(0).body)["n"], 3);
    EXPECT_EQ(reply.text, "first") << reply.problem;
    EXPECT_EQ(reply.others, turn.others);
    EXPECT_TRUE(reply.usage_known);
    EXPECT_EQ(reply.nano_usd, fixture.billed_nano_usd());
  }
  EXPECT_GE(provider->answers_max(), 3);
}

TEST(Chat, WhereASecondAnswerIsRefusedOneIsAskedFor) {
  ServiceFixture fixture(Speech::chat);
  fixture.prompt.answers = 3;
  const auto provider = fixture.provider();
  Turn refusal;
  refusal.kind = Turn::Kind::error;
  refusal.status = 400;
  refusal.body = R"({"error": {"message": "Unsupported value", "param": "n", "code": "x"}})";
  const Reply reply = fixture.ask(*provider, {refusal, {.text = "one"}});
  EXPECT_EQ(reply.text, "one") << reply.problem;
  EXPECT_EQ(json::parse(fixture.service.requests().at(1).body).count("n"), 0u);
  EXPECT_EQ(provider->answers_max(), 1);
}

TEST(Chat, AServiceThatGivesOneAnswerOfManySellsNoMore) {
  ServiceFixture fixture(Speech::chat);
  fixture.prompt.answers = 3;
  const auto provider = fixture.provider();
  const Reply reply = fixture.ask(*provider, {{.text = "one"}});
  EXPECT_EQ(reply.text, "one");
  EXPECT_TRUE(reply.others.empty());
  EXPECT_EQ(provider->answers_max(), 1);
}

TEST(Chat, OneOfSeveralAnswersThatIsCutLeavesTheReplyCut) {
  Answer answer;
  const auto take = openai_chat_dialect().take;
  EXPECT_TRUE(take(R"({"choices": [{"index": 0, "delta": {"content": "a"}, "finish_reason": "stop"},
      {"index": 1, "delta": {"content": "b"}, "finish_reason": null}],
      "usage": {"prompt_tokens": 9, "completion_tokens": 2}})",
                   answer));
  EXPECT_FALSE(answer.is_whole());
  EXPECT_FALSE(answer.usage_known);
}

TEST(Chat, ATemperatureOfTheModelsOwnIsLeftOut) {
  ServiceFixture fixture(Speech::chat);
  fixture.prompt.temperature = -1;
  fixture.prompt.system = "";
  const json body = body_of(fixture);
  EXPECT_FALSE(body.contains("temperature"));
  EXPECT_EQ(body["messages"].size(), 1u);
}

TEST(OpenRouter, IsToldThePriceThatTheBudgetCountsWith) {
  ServiceFixture fixture(Speech::chat);
  auto made = make_provider("openrouter:vendor/fake-model", fixture.settings);
  ASSERT_TRUE(made);
  EXPECT_EQ(fixture.ask(**made, {Turn{}}).end, Reply::End::complete);
  const json body = json::parse(fixture.service.requests().at(0).body);
  EXPECT_EQ(body["model"], "vendor/fake-model");
  EXPECT_EQ(body["max_tokens"], 1000);
  EXPECT_EQ(body["provider"]["max_price"]["prompt"], 1.0);
  EXPECT_EQ(body["provider"]["max_price"]["completion"], 10.0);
}

TEST(BaseUrl, AnyServerThatSpeaksChat) {
  ServiceFixture fixture(Speech::chat);
  fixture.settings.prices = {};
  auto made = make_provider(fixture.service.base_url() + "/v1#mine", fixture.settings);
  ASSERT_TRUE(made);
  const Reply reply = fixture.ask(**made, {Turn{}});
  EXPECT_EQ(reply.end, Reply::End::complete) << reply.problem;
  EXPECT_EQ(reply.nano_usd, 0);
  EXPECT_EQ(fixture.service.requests().at(0).path, "/v1/chat/completions");
}

TEST(GeminiPrompt, ABlockedPromptIsARefusal) {
  Answer answer;
  ASSERT_TRUE(gemini_dialect().take(
      R"({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"},
          "usageMetadata": {"promptTokenCount": 12}})",
      answer));
  EXPECT_EQ(answer.end, Reply::End::refused);
  EXPECT_EQ(answer.refusal, "PROHIBITED_CONTENT");
  EXPECT_TRUE(answer.usage_known);
}

TEST(ChatUsage, ThoughtsThatOnlyTheTotalCountsAreBilled) {
  Answer answer;
  ASSERT_TRUE(openai_chat_dialect().take(
      R"({"choices": [{"delta": {"content": "x"}, "finish_reason": "stop"}], "usage":
          {"prompt_tokens": 30, "completion_tokens": 10, "total_tokens": 340,
           "completion_tokens_details": {"reasoning_tokens": 300}}})",
      answer));
  EXPECT_EQ(answer.usage.reply_tokens, 310);
}

TEST(ChatErrors, AnErrorEventEndsTheReply) {
  Answer answer;
  ASSERT_TRUE(openai_chat_dialect().take(
      R"({"error": {"code": 402, "message": "no credits"}, "choices":
          [{"delta": {"content": ""}, "finish_reason": "error"}]})",
      answer));
  EXPECT_EQ(answer.end, Reply::End::failed);
  EXPECT_EQ(answer.problem, "no credits");
  EXPECT_FALSE(answer.retryable);
}

}  // namespace
}  // namespace cupel::llm
