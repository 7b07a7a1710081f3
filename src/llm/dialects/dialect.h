// The four ways in which services are asked and answer. A dialect is three pure functions: a prompt
// to an HTTP request, and into an Answer one event of the streamed reply, or a reply in one piece.
#pragma once

#include <algorithm>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "llm/money/prices.h"
#include "llm/wire/http.h"
#include "model/exchange.h"

namespace cupel::llm {

// Whom to ask.
struct Endpoint {
  std::string base_url;  // without a slash at its end: "https://api.openai.com/v1"
  std::string model;
  std::string key;                     // "": none is sent
  const Price* price_max = nullptr;    // a router of services is told to take none that is dearer
  bool max_completion_tokens = false;  // OpenAI's newer name of max_tokens
  bool temperature = true;             // some models take none
  int answers = 1;                     // to one prompt; more only where the service sells them
};

// One answer, as far as it has come.
struct Choice {
  std::string text;
  std::string refusal;            // the model's own words where they come apart from the text
  std::optional<Reply::End> end;  // set by the reason that the service gives for stopping
};

// What a streamed reply has said so far: the first answer, and further ones to the same prompt.
struct Answer : Choice {
  std::vector<Choice> others;
  std::string model;
  std::string problem;    // of an error that the service reports inside the stream
  bool retryable = true;  // whether asking again may mend `problem`
  Usage usage;
  bool usage_known = false;  // `usage` is of the whole reply, not of a part

  // All answers that began have come to their end.
  bool is_whole() const {
    return end && std::all_of(others.begin(), others.end(),
                              [](const Choice& one) { return one.end.has_value(); });
  }
  // Nothing of what came was understood.
  bool is_empty() const {
    return text.empty() && refusal.empty() && model.empty() && problem.empty() && !end;
  }
};

struct Dialect {
  std::string_view answer_name;  // for people: "a chat completion"
  HttpRequest (*request)(const Endpoint& endpoint, const Prompt& prompt);
  // One event's data. False if it is not what the service's documentation says.
  bool (*take)(std::string_view data, Answer& answer);
  // The JSON of a reply that was not streamed, though that was asked for. False if it is none.
  bool (*take_whole)(const nlohmann::json& document, Answer& answer);
};

const Dialect& openai_chat_dialect();       // POST BASE/chat/completions; also local servers
const Dialect& openai_responses_dialect();  // POST BASE/responses
const Dialect& anthropic_dialect();         // POST BASE/v1/messages
const Dialect& gemini_dialect();            // POST BASE/v1beta/models/MODEL:streamGenerateContent

// What a service says in the body of an HTTP error, which all four shape alike.
struct ServiceError {
  std::string message;        // cut to a sentence's length
  std::string code;           // "insufficient_quota", "overloaded_error"; may be empty
  std::string setting;        // the member of the request that it is about; may be empty
  int status = 0;             // that of HTTP, where the body names it too
  double retry_after_s = 0;   // Gemini writes it here instead of in a header
  bool out_of_quota = false;  // no money, or nothing of a day's allowance, is left
};
ServiceError parse_error_body(std::string_view body);

// An error with a "message", reported inside the stream, ends the answer.
void break_off(const nlohmann::json& error, Answer& answer);

}  // namespace cupel::llm
