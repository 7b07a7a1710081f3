// OpenAI's chat completions, and the many servers that speak them too: OpenRouter, vLLM,
// llama.cpp's server, Ollama.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "llm/dialects/dialect.h"
#include "llm/wire/json_fields.h"
#include "llm/wire/retry.h"

namespace cupel::llm {
namespace {

using nlohmann::json;

json messages(const Prompt& prompt) {
  json list = json::array();
  if (!prompt.system.empty()) list.push_back({{"role", "system"}, {"content", prompt.system}});
  list.push_back({{"role", "user"}, {"content", prompt.user}});
  return list;
}

HttpRequest request(const Endpoint& endpoint, const Prompt& prompt) {
  json body = {{"model", endpoint.model},
               {"messages", messages(prompt)},
               {"stream", true},
               {"stream_options", {{"include_usage", true}}}};
  const bool new_name = endpoint.max_completion_tokens;
  body[new_name ? "max_completion_tokens" : "max_tokens"] = prompt.reply_tokens_max;
  if (endpoint.temperature && prompt.temperature >= 0) body["temperature"] = prompt.temperature;
  if (endpoint.answers > 1) body["n"] = endpoint.answers;
  if (endpoint.price_max) {  // OpenRouter's, in dollars per million tokens
    const Rates& rates = endpoint.price_max->rates;
    body["provider"] = {{"max_price", {{"prompt", rates.input}, {"completion", rates.output}}}};
  }
  HttpRequest http{endpoint.base_url + "/chat/completions", {}, dump(body)};
  if (!endpoint.key.empty()) http.headers.push_back("Authorization: Bearer " + endpoint.key);
  return http;
}

Reply::End end_of(const std::string& finish_reason) {
  if (finish_reason == "length") return Reply::End::truncated;
  if (finish_reason == "content_filter") return Reply::End::refused;
  if (finish_reason == "error") return Reply::End::failed;
  return Reply::End::complete;
}

// Of a service that numbers answers as no request of ours asks for, all are the first.
constexpr std::int64_t k_index_max = 64;

Choice& choice_at(std::int64_t index, Answer& answer) {
  if (index <= 0 || index > k_index_max) return answer;
  const auto place = static_cast<std::size_t>(index);
  if (answer.others.size() < place) answer.others.resize(place);
  return answer.others[place - 1];
}

// `part`: "delta" of a stream, "message" of a reply in one piece.
void take_choice(const json& choice, const char* part, Answer& answer) {
  const json& said = field(choice, part);
  Choice& taken = choice_at(count_field(choice, "index"), answer);
  taken.text += text_field(said, "content");
  taken.refusal += text_field(said, "refusal");
  if (const std::string reason = text_field(choice, "finish_reason"); !reason.empty()) {
    taken.end = end_of(reason);
  }
}

void take_usage(const json& usage, Answer& answer) {
  if (!usage.is_object()) return;
  answer.usage.prompt_tokens = count_field(usage, "prompt_tokens");
  answer.usage.cached_tokens = count_field(field(usage, "prompt_tokens_details"), "cached_tokens");
  // Some services count the model's thoughts in the total alone; they bill them all the same.
  answer.usage.reply_tokens =
      std::max(count_field(usage, "completion_tokens"),
               count_field(usage, "total_tokens") - answer.usage.prompt_tokens);
  answer.usage.thought_tokens =
      count_field(field(usage, "completion_tokens_details"), "reasoning_tokens");
  // Some servers count along with every piece: only a count that comes with or after the end is of
  // the whole reply.
  answer.usage_known = answer.is_whole();
}

// OpenRouter and vLLM report an error that comes after the first token as an event.
void take_error(const json& error, Answer& answer) {
  break_off(error, answer);
  const std::int64_t code = count_field(error, "code");
  answer.retryable = code < 400 || is_retryable(code);
}

bool take(std::string_view data, Answer& answer) {
  if (data == "[DONE]") return true;
  const json chunk = parse_or_null(data);
  if (!chunk.is_object()) return false;
  if (const json& error = field(chunk, "error"); error.is_object()) {
    take_error(error, answer);
    return true;
  }
  if (const std::string model = text_field(chunk, "model"); !model.empty()) answer.model = model;
  for (const json& choice : field(chunk, "choices")) take_choice(choice, "delta", answer);
  take_usage(field(chunk, "usage"), answer);
  return true;
}

bool take_whole(const json& document, Answer& answer) {
  const json& choices = field(document, "choices");
  if (!choices.is_array() || choices.empty()) return false;
  if (!field(choices.front(), "message").is_object()) return false;
  answer.model = text_field(document, "model");
  for (const json& choice : choices) take_choice(choice, "message", answer);
  // Some servers give no reason.
  if (!answer.end) answer.end = Reply::End::complete;
  for (Choice& other : answer.others) other.end = other.end.value_or(Reply::End::complete);
  take_usage(field(document, "usage"), answer);
  return true;
}

}  // namespace

const Dialect& openai_chat_dialect() {
  static constexpr Dialect dialect{"a chat completion", request, take, take_whole};
  return dialect;
}

}  // namespace cupel::llm
