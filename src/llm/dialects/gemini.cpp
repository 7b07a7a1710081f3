// Google's Gemini, generateContent.
#include <nlohmann/json.hpp>

#include "llm/dialects/dialect.h"
#include "llm/wire/json_fields.h"
#include "llm/wire/retry.h"

namespace cupel::llm {
namespace {

using nlohmann::json;

json content(const std::string& text) {
  return {{"parts", {{{"text", text}}}}};
}

HttpRequest request(const Endpoint& endpoint, const Prompt& prompt) {
  json user = content(prompt.user);
  user["role"] = "user";
  json generation = {{"maxOutputTokens", prompt.reply_tokens_max}};
  if (endpoint.temperature && prompt.temperature >= 0) {
    generation["temperature"] = prompt.temperature;
  }
  json body = {{"contents", json::array({user})}, {"generationConfig", generation}};
  if (!prompt.system.empty()) body["systemInstruction"] = content(prompt.system);
  HttpRequest http{
      endpoint.base_url + "/v1beta/models/" + endpoint.model + ":streamGenerateContent?alt=sse",
      {},
      dump(body)};
  if (!endpoint.key.empty()) http.headers.push_back("x-goog-api-key: " + endpoint.key);
  return http;
}

// The reasons that name a fault of the service's own, not of what was said.
bool is_fault(const std::string& finish_reason) {
  return finish_reason == "OTHER" || finish_reason == "MALFORMED_FUNCTION_CALL" ||
         finish_reason == "UNEXPECTED_TOOL_CALL";
}

void take_end(const std::string& finish_reason, Answer& answer) {
  if (finish_reason == "STOP") {
    answer.end = Reply::End::complete;
  } else if (finish_reason == "MAX_TOKENS") {
    answer.end = Reply::End::truncated;
  } else if (is_fault(finish_reason)) {
    answer.end = Reply::End::failed;
    answer.problem = "the service ended the reply with " + finish_reason;
  } else {
    answer.end = Reply::End::refused;
    answer.refusal = finish_reason;
  }
}

void take_candidate(const json& candidate, Answer& answer) {
  for (const json& part : field(field(candidate, "content"), "parts")) {
    const json& thought = field(part, "thought");
    if (!thought.is_boolean() || !thought.get<bool>()) answer.text += text_field(part, "text");
  }
  const std::string reason = text_field(candidate, "finishReason");
  if (!reason.empty() && reason != "FINISH_REASON_UNSPECIFIED") take_end(reason, answer);
}

// Every piece carries the counts so far. Thoughts stand beside the candidates' tokens.
void take_usage(const json& usage, Answer& answer) {
  if (!usage.is_object()) return;
  answer.usage.prompt_tokens =
      count_field(usage, "promptTokenCount") + count_field(usage, "toolUsePromptTokenCount");
  answer.usage.cached_tokens = count_field(usage, "cachedContentTokenCount");
  answer.usage.thought_tokens = count_field(usage, "thoughtsTokenCount");
  answer.usage.reply_tokens =
      count_field(usage, "candidatesTokenCount") + answer.usage.thought_tokens;
  answer.usage_known = answer.end.has_value();
}

void take_error(const json& error, Answer& answer) {
  answer.end = Reply::End::failed;
  answer.problem = text_field(error, "message");
  const std::int64_t code = count_field(error, "code");
  answer.retryable = code < 400 || is_retryable(code);
}

bool take_piece(const json& piece, Answer& answer) {
  if (!piece.is_object()) return false;
  if (const json& error = field(piece, "error"); error.is_object()) take_error(error, answer);
  if (const std::string model = text_field(piece, "modelVersion"); !model.empty()) {
    answer.model = model;
  }
  const std::string blocked = text_field(field(piece, "promptFeedback"), "blockReason");
  if (!blocked.empty() && blocked != "BLOCK_REASON_UNSPECIFIED") {
    answer.end = Reply::End::refused;
    answer.refusal = blocked;
  }
  const json& candidates = field(piece, "candidates");
  if (candidates.is_array() && !candidates.empty()) take_candidate(candidates.front(), answer);
  take_usage(field(piece, "usageMetadata"), answer);
  return true;
}

bool take(std::string_view data, Answer& answer) {
  return take_piece(parse_or_null(data), answer);
}

// One document, or without alt=sse an array of the stream's pieces.
bool take_whole(const json& document, Answer& answer) {
  const json pieces = document.is_array() ? document : json::array({document});
  for (const json& piece : pieces) take_piece(piece, answer);
  return answer.end.has_value();
}

}  // namespace

const Dialect& gemini_dialect() {
  static constexpr Dialect dialect{"generated content", request, take, take_whole};
  return dialect;
}

}  // namespace cupel::llm
