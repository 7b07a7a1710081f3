// Replies in one piece, as servers send that do not stream, or were not asked to: written from
// their documentation and not from our parsers.
#include <nlohmann/json.hpp>

#include "fake_service.h"

namespace cupel::llm {
namespace {

using nlohmann::json;

json chat_whole(const Turn& turn) {
  const char* const reason = turn.end == Reply::End::truncated ? "length" : "stop";
  json document = {{"id", "chatcmpl-1"},
                   {"object", "chat.completion"},
                   {"created", 1},
                   {"model", "fake-model-1"},
                   {"choices",
                    {{{"index", 0},
                      {"message", {{"role", "assistant"}, {"content", turn.text}}},
                      {"logprobs", nullptr},
                      {"finish_reason", reason}}}}};
  for (std::size_t i = 0; i < turn.others.size(); ++i) {
    const json message = {{"role", "assistant"}, {"content", turn.others[i]}};
    document["choices"].push_back(
        {{"index", i + 1}, {"message", message}, {"finish_reason", "stop"}});
  }
  if (!turn.says_usage) return document;
  document["usage"] = {{"prompt_tokens", turn.usage.prompt_tokens},
                       {"completion_tokens", turn.usage.reply_tokens},
                       {"total_tokens", turn.usage.prompt_tokens + turn.usage.reply_tokens}};
  return document;
}

json responses_whole(const Turn& turn) {
  const bool cut = turn.end == Reply::End::truncated;
  json document = {
      {"id", "resp_1"},
      {"object", "response"},
      {"status", cut ? "incomplete" : "completed"},
      {"error", nullptr},
      {"model", "fake-model-1"},
      {"output",
       {{{"type", "reasoning"}, {"id", "rs_1"}, {"summary", json::array()}},
        {{"type", "message"},
         {"role", "assistant"},
         {"content",
          {{{"type", "output_text"}, {"text", turn.text}, {"annotations", json::array()}}}}}}}};
  if (cut) document["incomplete_details"] = {{"reason", "max_output_tokens"}};
  if (!turn.says_usage) return document;
  document["usage"] = {{"input_tokens", turn.usage.prompt_tokens},
                       {"output_tokens", turn.usage.reply_tokens}};
  return document;
}

json messages_whole(const Turn& turn) {
  json document = {
      {"id", "msg_1"},
      {"type", "message"},
      {"role", "assistant"},
      {"model", "fake-model-1"},
      {"content",
       {{{"type", "thinking"}, {"thinking", "hm"}}, {{"type", "text"}, {"text", turn.text}}}},
      {"stop_reason", turn.end == Reply::End::truncated ? "max_tokens" : "end_turn"},
      {"stop_sequence", nullptr}};
  if (!turn.says_usage) return document;
  document["usage"] = {{"input_tokens", turn.usage.prompt_tokens},
                       {"output_tokens", turn.usage.reply_tokens}};
  return document;
}

// Without alt=sse Gemini sends its pieces as one array.
json gemini_whole(const Turn& turn) {
  const json first = {
      {"candidates",
       {{{"content", {{"role", "model"}, {"parts", {{{"text", turn.text}}}}}}, {"index", 0}}}},
      {"modelVersion", "fake-model-1"}};
  const char* const reason = turn.end == Reply::End::truncated ? "MAX_TOKENS" : "STOP";
  json last = {{"candidates", {{{"finishReason", reason}, {"index", 0}}}}};
  if (turn.says_usage) {
    last["usageMetadata"] = {{"promptTokenCount", turn.usage.prompt_tokens},
                             {"candidatesTokenCount", turn.usage.reply_tokens}};
  }
  return json::array({first, last});
}

}  // namespace

std::string whole_of(Speech speech, const Turn& turn) {
  switch (speech) {
    case Speech::chat:
      return chat_whole(turn).dump();
    case Speech::responses:
      return responses_whole(turn).dump(2);
    case Speech::messages:
      return messages_whole(turn).dump();
    default:
      return gemini_whole(turn).dump(2);
  }
}

}  // namespace cupel::llm
