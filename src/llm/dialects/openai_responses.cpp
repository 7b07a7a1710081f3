// OpenAI's Responses. Its events carry their type in "type"; the last one carries the response.
#include <nlohmann/json.hpp>

#include "llm/dialects/dialect.h"
#include "llm/wire/json_fields.h"

namespace cupel::llm {
namespace {

using nlohmann::json;

HttpRequest request(const Endpoint& endpoint, const Prompt& prompt) {
  json body = {{"model", endpoint.model},
               {"input", prompt.user},
               {"max_output_tokens", prompt.reply_tokens_max},
               {"stream", true},
               {"store", false}};
  if (!prompt.system.empty()) body["instructions"] = prompt.system;
  if (endpoint.temperature && prompt.temperature >= 0) body["temperature"] = prompt.temperature;
  HttpRequest http{endpoint.base_url + "/responses", {}, dump(body)};
  if (!endpoint.key.empty()) http.headers.push_back("Authorization: Bearer " + endpoint.key);
  return http;
}

void take_usage(const json& usage, Answer& answer) {
  if (!usage.is_object()) return;
  answer.usage.prompt_tokens = count_field(usage, "input_tokens");
  answer.usage.cached_tokens = count_field(field(usage, "input_tokens_details"), "cached_tokens");
  answer.usage.reply_tokens = count_field(usage, "output_tokens");
  answer.usage.thought_tokens =
      count_field(field(usage, "output_tokens_details"), "reasoning_tokens");
  answer.usage_known = true;
}

void take_failure(const json& error, Answer& answer) {
  break_off(error, answer);
  const std::string code = text_field(error, "code");
  answer.retryable = code.empty() || code == "server_error" || code == "rate_limit_exceeded";
}

Reply::End end_of_incomplete(const json& response) {
  const std::string reason = text_field(field(response, "incomplete_details"), "reason");
  return reason == "content_filter" ? Reply::End::refused : Reply::End::truncated;
}

void take_last(const std::string& type, const json& response, Answer& answer) {
  take_usage(field(response, "usage"), answer);
  if (type == "response.failed") return take_failure(field(response, "error"), answer);
  answer.end = type == "response.incomplete" ? end_of_incomplete(response) : Reply::End::complete;
}

bool take(std::string_view data, Answer& answer) {
  if (data == "[DONE]") return true;
  const json event = parse_or_null(data);
  if (!event.is_object()) return false;
  const std::string type = text_field(event, "type");
  const json& response = field(event, "response");
  if (const std::string model = text_field(response, "model"); !model.empty()) answer.model = model;
  if (type == "response.output_text.delta") answer.text += text_field(event, "delta");
  if (type == "response.refusal.delta") answer.refusal += text_field(event, "delta");
  if (type == "error") take_failure(event, answer);
  if (type == "response.completed" || type == "response.incomplete" || type == "response.failed") {
    take_last(type, response, answer);
  }
  return true;
}

void take_content(const json& piece, Answer& answer) {
  const std::string type = text_field(piece, "type");
  if (type == "output_text") answer.text += text_field(piece, "text");
  if (type == "refusal") answer.refusal += text_field(piece, "refusal");
}

bool take_whole(const json& document, Answer& answer) {
  if (text_field(document, "object") != "response") return false;
  answer.model = text_field(document, "model");
  for (const json& item : field(document, "output")) {
    for (const json& piece : field(item, "content")) take_content(piece, answer);
  }
  take_last("response." + text_field(document, "status"), document, answer);
  return true;
}

}  // namespace

const Dialect& openai_responses_dialect() {
  static constexpr Dialect dialect{"a response", request, take, take_whole};
  return dialect;
}

}  // namespace cupel::llm
