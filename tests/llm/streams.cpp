// The four dialects' streams, written from the services' documentation and not from our parsers.
#include <nlohmann/json.hpp>

#include "fake_service.h"

namespace cupel::llm {
namespace {

using nlohmann::json;

constexpr std::size_t k_delta_bytes = 7;  // a reply comes in pieces of about a token

std::vector<std::string> deltas(const std::string& text) {
  std::vector<std::string> pieces;
  const std::size_t step = std::max(k_delta_bytes, text.size() / 64);
  for (std::size_t at = 0; at < text.size(); at += step) pieces.push_back(text.substr(at, step));
  return pieces;
}

class Writer {
 public:
  explicit Writer(std::string line_end) : line_end_(std::move(line_end)) {}
  void comment(const std::string& text) { out_ += ": " + text + line_end_ + line_end_; }
  void event(const std::string& name, const std::string& data) {
    if (!name.empty()) out_ += "event: " + name + line_end_;
    out_ += "data: " + data + line_end_ + line_end_;
  }
  std::string take() { return std::move(out_); }

 private:
  std::string line_end_;
  std::string out_;
};

std::string chat_finish(Reply::End end) {
  switch (end) {
    case Reply::End::truncated:
      return "length";
    case Reply::End::refused:
      return "content_filter";
    case Reply::End::failed:
      return "error";
    default:
      return "stop";
  }
}

json chat_chunk(json choices) {
  return {{"id", "chatcmpl-1"},      {"object", "chat.completion.chunk"}, {"created", 1},
          {"model", "fake-model-1"}, {"choices", std::move(choices)},     {"usage", nullptr}};
}

json chat_choice(json delta, json finish_reason, std::size_t index = 0) {
  return json::array({{{"index", index},
                       {"delta", std::move(delta)},
                       {"finish_reason", std::move(finish_reason)}}});
}

// Further answers come between the pieces of the first one.
void add_others(const Turn& turn, Writer& out) {
  for (std::size_t i = 0; i < turn.others.size(); ++i) {
    for (const std::string& piece : deltas(turn.others[i])) {
      out.event("", chat_chunk(chat_choice({{"content", piece}}, nullptr, i + 1)).dump());
    }
    out.event("", chat_chunk(chat_choice(json::object(), "stop", i + 1)).dump());
  }
}

std::string chat_stream(const Turn& turn) {
  Writer out(turn.line_end);
  out.comment("PROCESSING");
  out.event("", chat_chunk(chat_choice({{"role", "assistant"}, {"content", ""}}, nullptr)).dump());
  add_others(turn, out);
  for (const std::string& piece : deltas(turn.text)) {
    out.event("", chat_chunk(chat_choice({{"content", piece}}, nullptr)).dump());
  }
  out.event("", chat_chunk(chat_choice(json::object(), chat_finish(turn.end))).dump());
  if (turn.says_usage) {
    json last = chat_chunk(json::array());
    last["usage"] = {
        {"prompt_tokens", turn.usage.prompt_tokens},
        {"completion_tokens", turn.usage.reply_tokens},
        {"total_tokens", turn.usage.prompt_tokens + turn.usage.reply_tokens},
        {"prompt_tokens_details", {{"cached_tokens", turn.usage.cached_tokens}}},
        {"completion_tokens_details", {{"reasoning_tokens", turn.usage.thought_tokens}}}};
    out.event("", last.dump());
  }
  out.event("", "[DONE]");
  return out.take();
}

json response_object(const Turn& turn) {
  json response = {{"id", "resp_1"}, {"object", "response"}, {"model", "fake-model-1"}};
  if (turn.says_usage) {
    response["usage"] = {
        {"input_tokens", turn.usage.prompt_tokens},
        {"input_tokens_details", {{"cached_tokens", turn.usage.cached_tokens}}},
        {"output_tokens", turn.usage.reply_tokens},
        {"output_tokens_details", {{"reasoning_tokens", turn.usage.thought_tokens}}}};
  }
  return response;
}

std::pair<std::string, json> response_end(const Turn& turn) {
  json response = response_object(turn);
  switch (turn.end) {
    case Reply::End::truncated:
      response["incomplete_details"] = {{"reason", "max_output_tokens"}};
      return {"response.incomplete", response};
    case Reply::End::failed:
      response["error"] = {{"code", "server_error"}, {"message", "the model failed"}};
      return {"response.failed", response};
    default:
      return {"response.completed", response};
  }
}

std::string responses_stream(const Turn& turn) {
  Writer out(turn.line_end);
  int number = 0;
  const auto send = [&](const std::string& type, json event) {
    event["type"] = type;
    event["sequence_number"] = number++;
    out.event(type, event.dump());
  };
  send("response.created", {{"response", {{"model", "fake-model-1"}, {"usage", nullptr}}}});
  const bool refused = turn.end == Reply::End::refused;
  const std::string kind = refused ? "response.refusal.delta" : "response.output_text.delta";
  for (const std::string& piece : deltas(turn.text)) {
    send(kind, {{"item_id", "msg_1"}, {"output_index", 0}, {"content_index", 0}, {"delta", piece}});
  }
  auto [type, response] = response_end(turn);
  send(type, {{"response", response}});
  return out.take();
}

std::string stop_reason(Reply::End end) {
  switch (end) {
    case Reply::End::truncated:
      return "max_tokens";
    case Reply::End::refused:
      return "refusal";
    default:
      return "end_turn";
  }
}

json messages_usage(const Turn& turn) {
  return {{"input_tokens",
           turn.usage.prompt_tokens - turn.usage.cached_tokens - turn.usage.written_tokens},
          {"cache_read_input_tokens", turn.usage.cached_tokens},
          {"cache_creation_input_tokens", turn.usage.written_tokens},
          {"output_tokens", 1}};
}

std::string messages_stream(const Turn& turn) {
  Writer out(turn.line_end);
  const auto send = [&](const std::string& type, json event) {
    event["type"] = type;
    out.event(type, event.dump());
  };
  send("message_start", {{"message",
                          {{"id", "msg_1"},
                           {"role", "assistant"},
                           {"model", "fake-model-1"},
                           {"usage", messages_usage(turn)}}}});
  send("content_block_start", {{"index", 0}, {"content_block", {{"type", "text"}, {"text", ""}}}});
  send("ping", json::object());
  for (const std::string& piece : deltas(turn.text)) {
    send("content_block_delta",
         {{"index", 0}, {"delta", {{"type", "text_delta"}, {"text", piece}}}});
  }
  send("content_block_stop", {{"index", 0}});
  if (turn.end == Reply::End::failed) {
    send("error", {{"error", {{"type", "overloaded_error"}, {"message", "Overloaded"}}}});
    return out.take();
  }
  json last = {{"delta", {{"stop_reason", stop_reason(turn.end)}, {"stop_sequence", nullptr}}}};
  if (turn.says_usage) {
    last["usage"] = {{"input_tokens", nullptr},
                     {"output_tokens", turn.usage.reply_tokens},
                     {"output_tokens_details", {{"thinking_tokens", turn.usage.thought_tokens}}}};
  }
  send("message_delta", last);
  send("message_stop", json::object());
  return out.take();
}

std::string finish_reason(Reply::End end) {
  switch (end) {
    case Reply::End::truncated:
      return "MAX_TOKENS";
    case Reply::End::refused:
      return "SAFETY";
    case Reply::End::failed:
      return "OTHER";
    default:
      return "STOP";
  }
}

json gemini_usage(const Turn& turn, std::int64_t replied) {
  return {{"promptTokenCount", turn.usage.prompt_tokens},
          {"cachedContentTokenCount", turn.usage.cached_tokens},
          {"candidatesTokenCount", replied},
          {"thoughtsTokenCount", turn.usage.thought_tokens},
          {"totalTokenCount", turn.usage.prompt_tokens + replied + turn.usage.thought_tokens}};
}

json gemini_piece(const std::string& text) {
  const json content = {{"role", "model"}, {"parts", {{{"text", text}}}}};
  return {{"candidates", json::array({{{"content", content}, {"index", 0}}})},
          {"modelVersion", "fake-model-1"}};
}

std::string gemini_stream(const Turn& turn) {
  Writer out(turn.line_end);
  json thought = gemini_piece("let me think");
  thought["candidates"][0]["content"]["parts"][0]["thought"] = true;
  if (turn.says_usage) thought["usageMetadata"] = gemini_usage(turn, 0);
  out.event("", thought.dump());
  for (const std::string& piece : deltas(turn.text)) out.event("", gemini_piece(piece).dump());
  json last = gemini_piece("");
  last["candidates"][0]["finishReason"] = finish_reason(turn.end);
  if (turn.says_usage) {
    last["usageMetadata"] = gemini_usage(turn, turn.usage.reply_tokens - turn.usage.thought_tokens);
  }
  out.event("", last.dump());
  return out.take();
}

}  // namespace

std::string stream_of(Speech speech, const Turn& turn) {
  switch (speech) {
    case Speech::chat:
      return chat_stream(turn);
    case Speech::responses:
      return responses_stream(turn);
    case Speech::messages:
      return messages_stream(turn);
    default:
      return gemini_stream(turn);
  }
}

}  // namespace cupel::llm
