// Services that will not do what they should, each with its own end: what is asked, what is
// charged, what is said.
#include <thread>

#include "service_fixture.h"

namespace cupel::llm {
namespace {

Turn document(std::string body, std::string type = "application/json") {
  Turn turn;
  turn.kind = Turn::Kind::document;
  turn.body = std::move(body);
  turn.content_type = std::move(type);
  return turn;
}

Turn http_error(int status, std::string body = "", std::string retry_after = "") {
  Turn turn;
  turn.kind = Turn::Kind::error;
  turn.status = status;
  turn.body = std::move(body);
  turn.retry_after = std::move(retry_after);
  return turn;
}

const char* const k_page = "<!DOCTYPE html>\n<html><head><title>Sign  in</title></head></html>";

// Questions of many threads to one service that always does the same.
struct Asked {
  std::vector<Reply> replies;
  std::size_t requests = 0;
};

Asked ask_at_once(ServiceFixture& fixture, const Turn& turn, int questions = 8) {
  // One question's pause moves the clock of all: it is no silence of a service that waits for a
  // core.
  fixture.settings.limits.stall_s = 1e9;
  const auto provider = fixture.provider();
  fixture.service.always(turn);
  Asked asked;
  asked.replies.resize(static_cast<std::size_t>(questions));
  std::vector<std::thread> threads;
  for (Reply& reply : asked.replies) {
    threads.emplace_back([&] { reply = provider->ask(fixture.prompt, fixture.stop); });
  }
  for (std::thread& thread : threads) thread.join();
  asked.requests = fixture.service.requests().size();
  return asked;
}

class TempersTest : public ::testing::TestWithParam<Speech> {
 protected:
  // Whoever asks after the first is told the same, and nothing is sent or charged for it.
  void expect_lost(const Turn& turn, const std::string& words) {
    const Asked asked = ask_at_once(fixture, turn);
    EXPECT_EQ(asked.requests, 1u) << words;
    for (const Reply& reply : asked.replies) {
      EXPECT_EQ(reply.end, Reply::End::failed);
      EXPECT_TRUE(reply.provider_lost);
      EXPECT_NE(reply.problem.find(words), std::string::npos) << reply.problem;
      EXPECT_TRUE(reply.attempts > 0 || reply.nano_usd == 0);
    }
  }
  std::int64_t charged(const Turn& turn) { return fixture.ask({turn}).nano_usd; }

  ServiceFixture fixture{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(All, TempersTest, k_all_speeches, speech_name);

TEST_P(TempersTest, AnAnswerInOnePieceIsAnAnswer) {
  Turn whole{.kind = Turn::Kind::whole, .text = "class ModelNew: ..."};
  const Reply reply = fixture.ask({whole});
  EXPECT_EQ(reply.text, whole.text) << reply.problem;
  EXPECT_EQ(reply.end, Reply::End::complete);
  EXPECT_EQ(reply.model, "fake-model-1");
  EXPECT_TRUE(reply.usage_known);
  EXPECT_EQ(reply.nano_usd, fixture.billed_nano_usd());
  EXPECT_EQ(reply.attempts, 1);
  whole.end = Reply::End::truncated;
  EXPECT_EQ(fixture.ask({whole}).end, Reply::End::truncated);
  whole.says_usage = false;
  const Reply uncounted = fixture.ask({whole});
  EXPECT_FALSE(uncounted.usage_known);
  EXPECT_GE(uncounted.nano_usd, fixture.billed_nano_usd());
}

TEST_P(TempersTest, AWebPageEndsItAndIsFree) {
  expect_lost(document(k_page, "text/html"), "a web page (\"Sign in\"), which is not");
  EXPECT_EQ(charged(document(k_page, "text/html")), 0);
  expect_lost(document("Welcome to nginx!", "text/plain"), "the text \"Welcome to nginx!\"");
}

TEST_P(TempersTest, AnotherSchemaEndsItAndIsChargedOnce) {
  const Turn other = document(R"({"result": {"output": "hi"}, "ok": true})");
  expect_lost(other, "JSON of ok, result, which is not");
  EXPECT_EQ(charged(other), cost_nano_usd_max(*fixture.provider()->price(), fixture.prompt));
  const Turn events =
      document("data: {\"result\": \"hi\"}\n\ndata: {\"ok\": 1}\n\n", "text/event-stream");
  expect_lost(events, "a stream of events of another kind");
}

TEST_P(TempersTest, AnErrorWithStatus200IsAnError) {
  expect_lost(document(R"({"error": {"message": "no such model", "code": 404}})"),
              "HTTP 404: no such model");
  const Turn passing = document(R"({"error": {"message": "overloaded", "code": 503}})");
  const Reply reply = fixture.ask({passing, {.text = "now"}});
  EXPECT_EQ(reply.text, "now") << reply.problem;
  EXPECT_EQ(reply.nano_usd, fixture.billed_nano_usd());
}

TEST_P(TempersTest, WhatNoQuestionCanMendEndsItAfterTheFirst) {
  const std::string body = R"({"error": {"message": "not so"}})";
  expect_lost(http_error(401, body), "does not accept the key");
  expect_lost(http_error(403, body), "does not accept the key");
  expect_lost(http_error(404, body), "no such model or address");
  expect_lost(http_error(402, body), "no money or quota is left");
  expect_lost(http_error(302, body), "the address leads elsewhere");
  EXPECT_EQ(charged(http_error(401, body)), 0);
}

TEST_P(TempersTest, AnEmptyAccountEndsItAfterTheFirst) {
  expect_lost(http_error(429, R"({"error": {"code": "insufficient_quota", "message": "x"}})"),
              "no money or quota is left");
  expect_lost(http_error(400, R"({"error": {"type": "invalid_request_error", "message":
      "Your credit balance is too low to access the API."}})"),
              "no money or quota is left");
  expect_lost(http_error(429, R"([{"error": {"code": 429, "message": "x", "details": [{"violations":
      [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel"}]}]}}])"),
              "no money or quota is left");
}

TEST_P(TempersTest, WhoLimitsForEverIsGivenUpWithinTheLimit) {
  for (const char* retry_after : {"", "20"}) {
    const double start_s = static_cast<double>(fixture.clock.now_ns()) / k_ns_per_s;
    const Asked asked = ask_at_once(fixture, http_error(429, "", retry_after));
    const double took_s = static_cast<double>(fixture.clock.now_ns()) / k_ns_per_s - start_s;
    EXPECT_LE(asked.requests, 25u) << "of eight questions with six attempts each";
    int lost = 0;
    for (const Reply& reply : asked.replies) {
      EXPECT_EQ(reply.nano_usd, 0);
      EXPECT_NE(reply.problem.find("429"), std::string::npos) << reply.problem;
      lost += reply.provider_lost;
    }
    EXPECT_GT(lost, 0);
    EXPECT_LE(took_s, 8 * fixture.settings.patience_s) << "simulated sleepers add up their pauses";
  }
}

TEST_P(TempersTest, WhoFailsForEverIsGivenUp) {
  fixture.settings.patience_s = 100;
  const Asked asked = ask_at_once(fixture, http_error(500, "boom"));
  int lost = 0;
  for (const Reply& reply : asked.replies) lost += reply.provider_lost;
  EXPECT_GT(lost, 0);
  for (const Reply& reply : asked.replies) EXPECT_EQ(reply.nano_usd, 0);
}

TEST_P(TempersTest, OneAnswerOpensTheGateToAll) {
  const Asked asked = ask_at_once(fixture, {.text = "ok"}, 12);
  EXPECT_EQ(asked.requests, 12u);
  for (const Reply& reply : asked.replies) EXPECT_EQ(reply.text, "ok") << reply.problem;
}

// Servers of one's own, as their replies look.
TEST(Tempers, ServersOnThisMachineAreUnderstood) {
  struct Server {
    const char* spec;
    const char* body;
  };
  const Server servers[] = {
      {"ollama:m",
       R"({"id":"chatcmpl-288","object":"chat.completion","created":1,"model":"llama3.2",
          "system_fingerprint":"fp_ollama","choices":[{"index":0,"message":{"role":"assistant",
          "content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":26,
          "completion_tokens":9,"total_tokens":35}})"},
      {"llamacpp:m",
       R"({"choices":[{"finish_reason":"stop","index":0,"message":{"role":"assistant",
          "content":"hi"}}],"created":1,"model":"gpt-3.5-turbo","system_fingerprint":"b4000",
          "object":"chat.completion","usage":{"completion_tokens":9,"prompt_tokens":26,
          "total_tokens":35},"id":"chatcmpl-x","timings":{"prompt_n":26,"predicted_n":9}})"},
      {"vllm:m",
       R"({"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"qwen","choices":[{
          "index":0,"message":{"role":"assistant","reasoning_content":null,"content":"hi",
          "tool_calls":[]},"logprobs":null,"finish_reason":"stop","stop_reason":null}],
          "usage":{"prompt_tokens":26,"total_tokens":35,"completion_tokens":9,
          "prompt_tokens_details":null},"prompt_logprobs":null})"},
      {"openai:fake-model",
       R"({"id":"chatcmpl-1","created":1,"model":"gpt-4o","object":"chat.completion",
          "system_fingerprint":null,"choices":[{"finish_reason":"stop","index":0,"message":{
          "content":"hi","role":"assistant","tool_calls":null,"function_call":null}}],
          "usage":{"completion_tokens":9,"prompt_tokens":26,"total_tokens":35,
          "completion_tokens_details":null,"prompt_tokens_details":null},"service_tier":null})"}};
  ServiceFixture fixture(Speech::chat);
  for (const Server& server : servers) {
    auto made = make_provider(server.spec, fixture.settings);
    ASSERT_TRUE(made) << made.error().describe();
    const Reply reply = fixture.ask(**made, {document(server.body)});
    EXPECT_EQ(reply.text, "hi") << server.spec << ": " << reply.problem;
    EXPECT_TRUE(reply.usage_known) << server.spec;
    EXPECT_EQ(reply.usage.reply_tokens, 9) << server.spec;
  }
}

// Their streams: an empty beginning, thoughts apart from the text, a count after the end.
TEST(Tempers, StreamsOfServersOnThisMachineAreUnderstood) {
  struct Server {
    const char* spec;
    const char* events;
  };
  const Server servers[] = {
      {"ollama:m",
       "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":"
       "\"m\",\"system_fingerprint\":\"fp_ollama\",\"choices\":[{\"index\":0,\"delta\":{\"role\":"
       "\"assistant\",\"content\":\"\",\"reasoning\":\"hm\"},\"finish_reason\":null}]}\n\n"
       "data: {\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\","
       "\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n\n"
       "data: {\"model\":\"m\",\"choices\":[],\"usage\":{\"prompt_tokens\":26,"
       "\"completion_tokens\":9,\"total_tokens\":35}}\n\ndata: [DONE]\n\n"},
      {"llamacpp:m",
       "data: {\"choices\":[{\"finish_reason\":null,\"index\":0,\"delta\":{\"role\":\"assistant\","
       "\"content\":null}}],\"created\":1,\"id\":\"chatcmpl-1\",\"model\":\"m\",\"object\":"
       "\"chat.completion.chunk\"}\n\n"
       "data: {\"choices\":[{\"finish_reason\":null,\"index\":0,\"delta\":{\"reasoning_content\":"
       "\"hm\"}}],\"model\":\"m\"}\n\n"
       "data: {\"choices\":[{\"finish_reason\":null,\"index\":0,\"delta\":{\"content\":\"hi\"}}],"
       "\"model\":\"m\"}\n\n"
       "data: {\"choices\":[{\"finish_reason\":\"stop\",\"index\":0,\"delta\":{}}],\"model\":"
       "\"m\"}\n\n"
       "data: {\"choices\":[],\"model\":\"m\",\"usage\":{\"completion_tokens\":9,"
       "\"prompt_tokens\":26,\"total_tokens\":35},\"timings\":{\"prompt_n\":26,"
       "\"predicted_ms\":1.5}}\n\ndata: [DONE]\n\n"},
      {"vllm:m",
       "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":"
       "\"m\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},"
       "\"logprobs\":null,\"finish_reason\":null}],\"prompt_token_ids\":null}\n\n"
       "data: {\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hi\"},"
       "\"logprobs\":null,\"finish_reason\":\"stop\",\"stop_reason\":null}]}\n\n"
       "data: {\"model\":\"m\",\"choices\":[],\"usage\":{\"prompt_tokens\":26,\"total_tokens\":35,"
       "\"completion_tokens\":9}}\n\ndata: [DONE]\n\n"},
      // A gateway of LiteLLM's puts the count into the last piece of the text.
      {"openai:fake-model",
       "data: {\"id\":\"chatcmpl-1\",\"created\":1,\"model\":\"m\",\"object\":"
       "\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hi\",\"role\":"
       "\"assistant\"}}]}\n\n"
       "data: {\"model\":\"m\",\"choices\":[{\"finish_reason\":\"stop\",\"index\":0,\"delta\":{}}],"
       "\"usage\":{\"completion_tokens\":9,\"prompt_tokens\":26,\"total_tokens\":35,"
       "\"completion_tokens_details\":null,\"prompt_tokens_details\":null}}\n\n"
       "data: [DONE]\n\n"}};
  ServiceFixture fixture(Speech::chat);
  for (const Server& server : servers) {
    auto made = make_provider(server.spec, fixture.settings);
    ASSERT_TRUE(made) << made.error().describe();
    const Reply reply = fixture.ask(**made, {document(server.events, "text/event-stream")});
    EXPECT_EQ(reply.text, "hi") << server.spec << ": " << reply.problem;
    EXPECT_EQ(reply.end, Reply::End::complete) << server.spec;
    EXPECT_TRUE(reply.usage_known) << server.spec;
    EXPECT_EQ(reply.usage.reply_tokens, 9) << server.spec;
  }
}

// How they say no, each in a shape of its own.
TEST(Tempers, RefusalsOfServersOnThisMachineAreUnderstood) {
  struct Refusal {
    int status;
    const char* body;
    const char* said;
    bool lost;
  };
  const Refusal refusals[] = {
      {404,  // Ollama
       R"({"error":{"message":"model \"m\" not found","type":"api_error","param":null}})",
       "not found", true},
      {404,  // vLLM
       R"({"object":"error","message":"The model `m` does not exist.","type":"NotFoundError",
           "param":null,"code":404})",
       "does not exist", true},
      {400,  // vLLM, a prompt that is too long
       R"({"error":{"message":"This model's maximum context length is 4096 tokens.","type":
           "BadRequestError","param":null,"code":400}})",
       "maximum context length", false},
      {503,  // llama.cpp
       R"({"error":{"code":503,"message":"Loading model","type":"unavailable_error"}})",
       "Loading model", true},
      {401,  // LiteLLM
       R"({"error":{"message":"Authentication Error, No api key passed in.","type":"auth_error",
           "param":"None","code":"401"}})",
       "Authentication Error", true},
      {429,  // LiteLLM
       R"({"error":{"message":"Budget has been exceeded! Current cost: 5.1, Max budget: 5.0","type":
           "budget_exceeded","param":null,"code":"400"}})",
       "no money or quota is left", true}};
  for (const Refusal& refusal : refusals) {
    ServiceFixture fixture(Speech::chat);
    fixture.settings.attempts_max = 100;
    const auto provider = fixture.provider();
    fixture.service.always(http_error(refusal.status, refusal.body));
    const Reply reply = provider->ask(fixture.prompt, fixture.stop);
    EXPECT_NE(reply.problem.find(refusal.said), std::string::npos) << reply.problem;
    EXPECT_EQ(reply.provider_lost, refusal.lost) << reply.problem;
    EXPECT_EQ(reply.nano_usd, 0) << reply.problem;
  }
}

// Ollama's own API is not what is spoken to it.
TEST(Tempers, ADialectOfItsOwnIsNamed) {
  ServiceFixture fixture(Speech::chat);
  const Reply reply = fixture.ask({document(
      R"({"model":"llama3.2","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant",
          "content":"hi"},"done":true})")});
  EXPECT_TRUE(reply.provider_lost);
  EXPECT_NE(reply.problem.find("not a chat completion"), std::string::npos) << reply.problem;
}

TEST(Tempers, AServicesKeyIsNotForAGateway) {
  ServiceFixture fixture(Speech::chat);
  fixture.settings.environment = [](const std::string& name) {
    return name == "OPENAI_API_KEY" ? std::string(k_test_key) : std::string();
  };
  EXPECT_EQ(fixture.ask({{.text = "ok"}}).text, "ok");
  const auto headers = fixture.service.requests().at(0).headers;
  EXPECT_EQ(headers.count("Authorization"), 0u);
}

}  // namespace
}  // namespace cupel::llm
