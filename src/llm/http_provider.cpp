#include "llm/http_provider.h"

#include <algorithm>

#include "base/result.h"
#include "llm/sse.h"

namespace cupel::llm {
namespace {

// Above it services charge tiers that the price table does not know, and no agent of ours writes
// such prompts.
constexpr std::size_t k_prompt_bytes_max = 250'000;
constexpr int k_too_many_requests = 429;
// Who is told so, and not how long to wait, waits as after so many failures more: all attempts
// together outlast the minute by which services count.
constexpr int k_rate_limit_failures = 3;
constexpr std::size_t k_error_body_bytes_max = 64 << 10;  // of an HTTP error: the start is enough

double seconds_between(std::int64_t start_ns, std::int64_t end_ns) {
  return static_cast<double>(end_ns - start_ns) / k_ns_per_s;
}

// "HTTP 429: Rate limit reached".
std::string describe_status(int status, const std::string& message) {
  return "HTTP " + std::to_string(status) + (message.empty() ? "" : ": " + message);
}

void add_usage(const Usage& one, Usage& all) {
  all.prompt_tokens += one.prompt_tokens;
  all.cached_tokens += one.cached_tokens;
  all.reply_tokens += one.reply_tokens;
  all.thought_tokens += one.thought_tokens;
}

std::string problem_of(const Answer& answer, Reply::End end) {
  switch (end) {
    case Reply::End::truncated:
      return "the token limit cut the reply";
    case Reply::End::refused:
      return answer.refusal.empty() ? "the service's filter declined"
                                    : "declined: " + answer.refusal;
    default:
      return answer.problem;
  }
}

}  // namespace

HttpProvider::HttpProvider(HttpService service, const ProviderSettings& settings,
                           std::unique_ptr<HttpTransport> transport)
    : service_(std::move(service)),
      settings_(settings),
      transport_(std::move(transport)),
      scrubber_(service_.endpoint.key),
      gate_(settings.concurrency_max, settings.requests_per_minute_max, *settings.clock,
            *settings.sleeper),
      backoff_(settings.jitter_seed),
      send_temperature_(service_.endpoint.temperature),
      max_completion_tokens_(service_.endpoint.max_completion_tokens) {}

std::int64_t HttpProvider::nano_usd_max(const Prompt& prompt) const {
  return cost_nano_usd_max(service_.price, prompt) * std::max(1, settings_.billed_attempts_max);
}

Reply HttpProvider::ask(const Prompt& prompt, const StopFlag& stop) {
  const std::int64_t start_ns = settings_.clock->now_ns();
  Bill bill{cost_nano_usd_max(service_.price, prompt), nano_usd_max(prompt), 0};
  Reply reply;
  if (prompt.system.size() + prompt.user.size() > k_prompt_bytes_max) {
    reply.problem = "the prompt is longer than " + std::to_string(k_prompt_bytes_max) + " bytes";
    return reply;
  }
  if (bill_exceeded_) {
    reply.problem = service_.name +
                    " counted more tokens than it was allowed, so its costs cannot be bounded: "
                    "it is not asked again";
    return reply;
  }
  for (bool again = true; again && !stop.raised();) {
    const Attempt last = attempt(prompt, stop);
    add(last, bill, reply);
    const std::optional<double> wait_s = next_wait_s(last, bill, reply);
    again = wait_s && settings_.sleeper->sleep_s(*wait_s, stop);
  }
  if (reply.attempts == 0) reply.problem = "stopped by request";
  reply.problem = scrubber_.scrub(reply.problem);
  reply.text = scrubber_.scrub_whole(reply.text);
  reply.seconds = seconds_between(start_ns, settings_.clock->now_ns());
  return reply;
}

HttpProvider::Attempt HttpProvider::attempt(const Prompt& prompt, const StopFlag& stop) {
  Attempt attempt;
  if (!gate_.enter(stop)) {
    attempt.problem = "stopped by request";
    return attempt;
  }
  attempt = request(prompt, stop);
  gate_.leave();
  judge(attempt, stop);
  charge(attempt, prompt);
  return attempt;
}

HttpProvider::Attempt HttpProvider::request(const Prompt& prompt, const StopFlag& stop) {
  Endpoint endpoint = service_.endpoint;
  endpoint.temperature = send_temperature_;
  endpoint.max_completion_tokens = max_completion_tokens_;
  if (service_.bounds_price) endpoint.price_max = &service_.price;
  Attempt attempt;
  attempt.sent_temperature = endpoint.temperature;
  attempt.sent_max_completion_tokens = endpoint.max_completion_tokens;
  SseParser parser([&](const SseEvent& event) {
    if (!service_.dialect->take(event.data, attempt.answer)) attempt.malformed = true;
  });
  const auto sink = [&](int status, std::string_view bytes) {
    if (status == 200) return parser.feed(bytes);
    const std::size_t room = k_error_body_bytes_max - attempt.error_body.size();
    attempt.error_body += bytes.substr(0, room);
  };
  attempt.http =
      transport_->post(service_.dialect->request(endpoint, prompt), settings_.limits, sink, stop);
  parser.finish();
  return attempt;
}

void HttpProvider::judge(Attempt& attempt, const StopFlag& stop) {
  if (attempt.http.status == 0) {
    attempt.problem = "no answer: " + attempt.http.problem;
    attempt.retryable = true;
  } else if (attempt.http.status == 200) {
    judge_stream(attempt);
  } else {
    judge_status(attempt);
  }
  attempt.retryable = attempt.retryable && !stop.raised();
}

void HttpProvider::judge_status(Attempt& attempt) {
  const ServiceError error = parse_error_body(attempt.error_body);
  attempt.problem = describe_status(attempt.http.status, error.message);
  attempt.at_once = attempt.http.status == 400 && learn(error, attempt);
  attempt.retryable = attempt.at_once || is_retryable(attempt.http.status);
  if (error.code == "insufficient_quota") attempt.retryable = false;  // OpenAI's: no money left
  const auto header_s = parse_retry_after_s(attempt.http.retry_after, settings_.clock->wall_ns());
  attempt.retry_after_s = header_s.value_or(error.retry_after_s);
}

// A setting that this model does not take is left out from now on. True if the attempt had it: of
// several at once each may ask again.
bool HttpProvider::learn(const ServiceError& error, const Attempt& attempt) {
  if (error.message.find("max_completion_tokens") != std::string::npos) {
    max_completion_tokens_ = true;
    return !attempt.sent_max_completion_tokens;
  }
  if (error.message.find("temperature") != std::string::npos) {
    send_temperature_ = false;
    return attempt.sent_temperature;
  }
  return false;
}

void HttpProvider::judge_stream(Attempt& attempt) {
  const Answer& answer = attempt.answer;
  // What the model said it would stop at counts, even if the connection broke after it.
  if (!answer.end || attempt.malformed) {
    attempt.problem = attempt.malformed    ? "the reply is not what its documentation says"
                      : attempt.http.whole ? "the reply ended early"
                                           : "the reply was cut: " + attempt.http.problem;
    attempt.retryable = !attempt.http.too_large;
    return;
  }
  attempt.end = *answer.end;
  if (attempt.end == Reply::End::complete && !answer.refusal.empty()) {
    attempt.end = Reply::End::refused;
  }
  attempt.problem = problem_of(answer, attempt.end);
  if (attempt.end == Reply::End::complete && answer.text.empty()) {
    attempt.end = Reply::End::failed;
    attempt.problem = "the model replied with nothing";
  }
  attempt.retryable = attempt.end == Reply::End::failed && answer.retryable;
}

// What an attempt has cost: by the service's own count, or else the worst case, unless it cannot
// have cost anything.
void HttpProvider::charge(Attempt& attempt, const Prompt& prompt) const {
  const HttpResult& http = attempt.http;
  // A count of no tokens at all is what servers write who do not count.
  attempt.usage_known =
      attempt.answer.usage_known && !attempt.malformed && attempt.answer.usage.prompt_tokens > 0;
  if (attempt.usage_known) {
    attempt.nano_usd = cost_nano_usd(service_.price, attempt.answer.usage);
  } else if (http.status == 0 ? http.sent : may_be_billed(http.status)) {
    attempt.nano_usd = cost_nano_usd_max(service_.price, prompt);
  }
}

void HttpProvider::add(const Attempt& attempt, Bill& bill, Reply& reply) {
  const bool sent = attempt.http.sent || attempt.http.status != 0 || !attempt.http.problem.empty();
  if (sent) ++reply.attempts;
  const bool first_cost = bill.nano_usd == 0;
  bill.nano_usd += attempt.nano_usd;
  if (bill.nano_usd > bill.all_max) {
    bill_exceeded_ = true;
    bill.nano_usd = bill.all_max;
  }
  const bool counts = attempt.usage_known || attempt.nano_usd > 0;
  if (counts) reply.usage_known = attempt.usage_known && (first_cost || reply.usage_known);
  if (attempt.usage_known) add_usage(attempt.answer.usage, reply.usage);
  reply.nano_usd = bill.nano_usd;
  reply.end = attempt.end;
  reply.text = attempt.answer.text;
  reply.model = attempt.answer.model;
  reply.problem = attempt.problem;
}

std::optional<double> HttpProvider::next_wait_s(const Attempt& attempt, const Bill& bill,
                                                Reply& reply) {
  if (!attempt.retryable) return std::nullopt;
  if (reply.attempts >= settings_.attempts_max) {
    reply.problem += " (after " + std::to_string(reply.attempts) + " attempts)";
    return std::nullopt;
  }
  if (bill.all_max - bill.nano_usd < bill.one_max) {
    reply.problem += " (another attempt could cost more than was reserved)";
    return std::nullopt;
  }
  if (attempt.retry_after_s > settings_.retry_after_s_max) {
    reply.problem += " (the service asks to wait " +
                     std::to_string(static_cast<std::int64_t>(attempt.retry_after_s)) + " s)";
    return std::nullopt;
  }
  if (attempt.at_once) return 0;
  const bool limited = attempt.http.status == k_too_many_requests && attempt.retry_after_s <= 0;
  const int failures = reply.attempts + (limited ? k_rate_limit_failures : 0);
  return std::max(attempt.retry_after_s, backoff_.wait_s(failures));
}

}  // namespace cupel::llm
