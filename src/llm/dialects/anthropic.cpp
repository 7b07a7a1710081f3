// Anthropic's Messages.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "llm/dialects/dialect.h"
#include "llm/wire/json_fields.h"

namespace cupel::llm {
namespace {

using nlohmann::json;

constexpr const char* k_version = "2023-06-01";  // of the API; required in every request
constexpr double k_temperature_max = 1;

// What all questions of a run begin with is kept for the next ones, five minutes from its last use.
json kept(const std::string& system) {
  return json::array(
      {{{"type", "text"}, {"text", system}, {"cache_control", {{"type", "ephemeral"}}}}});
}

HttpRequest request(const Endpoint& endpoint, const Prompt& prompt) {
  json body = {{"model", endpoint.model},
               {"max_tokens", prompt.reply_tokens_max},
               {"messages", {{{"role", "user"}, {"content", prompt.user}}}},
               {"stream", true}};
  if (!prompt.system.empty()) body["system"] = kept(prompt.system);
  if (endpoint.temperature && prompt.temperature >= 0) {
    body["temperature"] = std::min(prompt.temperature, k_temperature_max);
  }
  HttpRequest http{endpoint.base_url + "/v1/messages",
                   {std::string("anthropic-version: ") + k_version},
                   dump(body)};
  if (!endpoint.key.empty()) http.headers.push_back("x-api-key: " + endpoint.key);
  return http;
}

Reply::End end_of(const std::string& stop_reason) {
  if (stop_reason == "max_tokens") return Reply::End::truncated;
  if (stop_reason == "model_context_window_exceeded") return Reply::End::truncated;
  if (stop_reason == "refusal") return Reply::End::refused;
  return Reply::End::complete;
}

// Counts are cumulative, and an event names only those that it knows.
void take_usage(const json& usage, Answer& answer) {
  Usage& total = answer.usage;
  if (field(usage, "input_tokens").is_number()) {
    // What was read from a cache or written to one stands apart from the rest of the prompt.
    total.cached_tokens = count_field(usage, "cache_read_input_tokens");
    total.written_tokens = count_field(usage, "cache_creation_input_tokens");
    total.prompt_tokens =
        count_field(usage, "input_tokens") + total.cached_tokens + total.written_tokens;
  }
  if (field(usage, "output_tokens").is_number())
    total.reply_tokens = count_field(usage, "output_tokens");
  const json& details = field(usage, "output_tokens_details");
  if (details.is_object()) total.thought_tokens = count_field(details, "thinking_tokens");
}

void take_end(const json& event, Answer& answer) {
  const std::string reason = text_field(field(event, "delta"), "stop_reason");
  if (!reason.empty()) answer.end = end_of(reason);
  if (!field(event, "usage").is_object()) return;
  take_usage(field(event, "usage"), answer);
  answer.usage_known = answer.end.has_value();
}

void take_failure(const json& error, Answer& answer) {
  break_off(error, answer);
  const std::string type = text_field(error, "type");
  answer.retryable = type == "overloaded_error" || type == "api_error" ||
                     type == "rate_limit_error" || type == "timeout_error";
}

bool take(std::string_view data, Answer& answer) {
  const json event = parse_or_null(data);
  if (!event.is_object()) return false;
  const std::string type = text_field(event, "type");
  const json& delta = field(event, "delta");
  if (type == "message_start") {
    answer.model = text_field(field(event, "message"), "model");
    take_usage(field(field(event, "message"), "usage"), answer);
  } else if (type == "content_block_delta" && text_field(delta, "type") == "text_delta") {
    answer.text += text_field(delta, "text");
  } else if (type == "message_delta") {
    take_end(event, answer);
  } else if (type == "error") {
    take_failure(field(event, "error"), answer);
  }
  return true;
}

bool take_whole(const json& document, Answer& answer) {
  if (text_field(document, "type") != "message") return false;
  answer.model = text_field(document, "model");
  for (const json& block : field(document, "content")) {
    if (text_field(block, "type") == "text") answer.text += text_field(block, "text");
  }
  answer.end = end_of(text_field(document, "stop_reason"));
  take_usage(field(document, "usage"), answer);
  answer.usage_known = field(document, "usage").is_object();
  return true;
}

}  // namespace

const Dialect& anthropic_dialect() {
  static constexpr Dialect dialect{"a message", request, take, take_whole};
  return dialect;
}

}  // namespace cupel::llm
