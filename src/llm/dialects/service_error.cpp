// What stands in the body of an HTTP error: {"error": {"message", "code" or "type", ...}}; Gemini
// may wrap it in an array, and simple servers write {"error": "..."}.
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "llm/dialects/dialect.h"
#include "llm/wire/json_fields.h"

namespace cupel::llm {
namespace {

using nlohmann::json;

constexpr std::size_t k_message_bytes_max = 300;  // one line of a report

// google.rpc.RetryInfo among the details: {"@type": "...RetryInfo", "retryDelay": "34s"}.
double retry_delay_s(const json& error) {
  for (const json& detail : field(error, "details")) {
    const std::string delay = text_field(detail, "retryDelay");
    if (!delay.empty()) return std::strtod(delay.c_str(), nullptr);
  }
  return 0;
}

// Google's limits by the day stand beside those by the minute: "...PerDayPerProjectPerModel".
bool names_a_day(const json& error) {
  for (const json& detail : field(error, "details")) {
    for (const json& violation : field(detail, "violations")) {
      if (text_field(violation, "quotaId").find("PerDay") != std::string::npos) return true;
    }
  }
  return false;
}

// OpenAI's codes, LiteLLM's, Anthropic's type and its sentence.
bool is_out_of_quota(const json& error, const ServiceError& said) {
  return said.code == "insufficient_quota" || said.code == "billing_hard_limit_reached" ||
         said.code == "billing_error" || text_field(error, "type") == "budget_exceeded" ||
         said.message.find("credit balance is too low") != std::string::npos || names_a_day(error);
}

}  // namespace

ServiceError parse_error_body(std::string_view body) {
  json document = parse_or_null(body);
  if (document.is_array() && !document.empty()) document = json(document.front());
  const json& error = field(document, "error");
  ServiceError result;
  result.message = error.is_string() ? error.get<std::string>() : text_field(error, "message");
  if (result.message.empty()) result.message = text_field(document, "message");
  result.code = text_field(error, "code");
  if (result.code.empty()) result.code = text_field(error, "type");
  result.setting = text_field(error, "param");
  result.retry_after_s = retry_delay_s(error);
  if (result.message.empty()) result.message = std::string(body.substr(0, k_message_bytes_max));
  result.message = one_line(result.message, k_message_bytes_max);
  result.status = static_cast<int>(count_field(error, "code"));
  result.out_of_quota = is_out_of_quota(error, result);
  return result;
}

void break_off(const nlohmann::json& error, Answer& answer) {
  answer.end = Reply::End::failed;
  answer.problem = text_field(error, "message");
  if (answer.problem.empty()) answer.problem = "the service broke off with an error";
}

}  // namespace cupel::llm
