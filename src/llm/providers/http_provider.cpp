#include "llm/providers/http_provider.h"

#include <fmt/format.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "llm/dialects/foreign.h"
#include "llm/money/prompt_limit.h"
#include "llm/wire/json_fields.h"
#include "llm/wire/sse.h"

namespace cupel::llm {
namespace {

constexpr int k_too_many_requests = 429;
// Who is told so, and not how long to wait, waits as after so many failures more: all attempts
// together outlast the minute by which services count.
constexpr int k_rate_limit_failures = 3;
constexpr int k_no_money = 402;
// Questions in a row that were paid for and gave no answer. A connection breaks once or twice; a
// service whose every stream breaks would take the whole budget.
constexpr int k_paid_in_vain_max = 3;
constexpr int k_some_error = 500;  // of an error without a status of its own

double seconds_between(std::int64_t start_ns, std::int64_t end_ns) {
  return static_cast<double>(end_ns - start_ns) / k_ns_per_s;
}

// "HTTP 429: Rate limit reached".
std::string describe_status(int status, const std::string& message) {
  return "HTTP " + std::to_string(status) + (message.empty() ? "" : ": " + message);
}

// What a status says about every question to this service, whatever it asks; "" if nothing.
std::string lost_by_status(int status) {
  if (status >= 300 && status < 400) return "the address leads elsewhere";
  if (status == 401 || status == 403) return "the service does not accept the key";
  if (status == 404 || status == 405) return "there is no such model or address";
  return "";
}

// Those that are answers.
std::vector<std::string> texts_of(const std::vector<Choice>& choices) {
  std::vector<std::string> texts;
  for (const Choice& one : choices) {
    const bool usable = one.end == Reply::End::complete || one.end == Reply::End::truncated;
    if (usable && !one.text.empty()) texts.push_back(one.text);
  }
  return texts;
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
      max_completion_tokens_(service_.endpoint.max_completion_tokens),
      answers_max_(service_.answers_max) {
  gate_.narrow(0);  // the first answer shows that there are any
}

std::int64_t HttpProvider::nano_usd_max(const Prompt& prompt) const {
  return cost_nano_usd_max(service_.price, prompt) * std::max(1, prompt.billed_attempts_max);
}

Reply HttpProvider::ask(const Prompt& prompt, const StopFlag& stop) {
  const std::int64_t start_ns = settings_.clock->now_ns();
  Bill bill{cost_nano_usd_max(service_.price, prompt), nano_usd_max(prompt), 0};
  Reply reply;
  if (prompt.system.size() + prompt.user.size() > k_prompt_bytes_max) {
    reply.problem = "the prompt is longer than " + std::to_string(k_prompt_bytes_max) + " bytes";
    return reply;
  }
  for (bool again = true; again && !stop.raised();) {
    const Attempt last = attempt(prompt, stop);
    add(last, bill, reply);
    const std::optional<double> wait_s = next_wait_s(last, bill, reply);
    if (last.is_inside) gate_.leave();  // whoever comes in next knows what this one found
    again = wait_s && settings_.sleeper->sleep_s(*wait_s, stop);
  }
  if (reply.attempts == 0 && reply.problem.empty()) reply.problem = "stopped by request";
  if (!stop.raised()) note_end(bill, reply);
  reply.problem = scrubber_.scrub(reply.problem);
  reply.text = scrubber_.scrub_whole(reply.text);
  for (std::string& other : reply.others) other = scrubber_.scrub_whole(other);
  reply.seconds = seconds_between(start_ns, settings_.clock->now_ns());
  return reply;
}

HttpProvider::Attempt HttpProvider::attempt(const Prompt& prompt, const StopFlag& stop) {
  Attempt attempt;
  if (!gate_.enter(stop)) {
    attempt.problem = "stopped by request";
    return attempt;
  }
  attempt.problem = lost_because();
  attempt.lost = !attempt.problem.empty();
  if (!attempt.lost) attempt = request(prompt, stop);
  attempt.is_inside = true;
  if (attempt.lost) return attempt;
  judge(attempt, stop);
  charge(attempt, prompt);
  return attempt;
}

HttpProvider::Attempt HttpProvider::request(const Prompt& prompt, const StopFlag& stop) {
  Endpoint endpoint = service_.endpoint;
  endpoint.temperature = send_temperature_;
  endpoint.max_completion_tokens = max_completion_tokens_;
  endpoint.answers = std::min<int>(prompt.answers, answers_max_);
  if (service_.bounds_price) endpoint.price_max = &service_.price;
  Attempt attempt;
  attempt.sent_temperature = endpoint.temperature;
  attempt.sent_max_completion_tokens = endpoint.max_completion_tokens;
  attempt.sent_answers = endpoint.answers;
  SseParser parser([&](const SseEvent& event) {
    if (!service_.dialect->take(event.data, attempt.answer)) attempt.malformed = true;
    attempt.has_events = true;
    if (!attempt.answer.is_empty()) note_answer();
  });
  const auto sink = [&](int status, std::string_view bytes) {
    if (status == 200) parser.feed(bytes);
    if (!attempt.has_events) attempt.body += bytes;
  };
  attempt.http =
      transport_->post(service_.dialect->request(endpoint, prompt), settings_.limits, sink, stop);
  parser.finish();
  return attempt;
}

void HttpProvider::judge(Attempt& attempt, const StopFlag& stop) {
  attempt.status = attempt.http.status;
  if (attempt.status == 0) {
    attempt.problem = "no answer: " + attempt.http.problem;
    attempt.retryable = true;
  } else if (attempt.status != 200) {
    judge_error(attempt, attempt.status);
  } else if (attempt.has_events) {
    judge_answer(attempt);
  } else {
    judge_body(attempt);
  }
  attempt.retryable = attempt.retryable && !stop.raised();
  attempt.lost = attempt.lost && !stop.raised();
}

// Status 200 without a stream: the answer in one piece, an error, or nothing that is either.
void HttpProvider::judge_body(Attempt& attempt) {
  const nlohmann::json document = parse_or_null(attempt.body);
  const bool in_array = document.is_array() && !document.empty();
  const nlohmann::json& error = field(in_array ? document.front() : document, "error");
  if (!error.is_null()) {
    const int status = parse_error_body(attempt.body).status;
    return judge_error(attempt, status >= 300 && status < 600 ? status : k_some_error);
  }
  if (service_.dialect->take_whole(document, attempt.answer)) note_answer();
  judge_answer(attempt);
}

void HttpProvider::judge_error(Attempt& attempt, int status) {
  attempt.status = status;
  const ServiceError error = parse_error_body(attempt.body);
  attempt.problem = describe_status(status, error.message);
  attempt.at_once = status == 400 && learn(error, attempt);
  const bool no_money = status == k_no_money || error.out_of_quota;
  const std::string why = no_money ? "no money or quota is left there" : lost_by_status(status);
  attempt.lost = !why.empty();
  if (attempt.lost) attempt.problem += " (" + why + ")";
  attempt.retryable = !attempt.lost && (attempt.at_once || is_retryable(status));
  const auto header_s = parse_retry_after_s(attempt.http.retry_after, settings_.clock->wall_ns());
  attempt.retry_after_s = header_s.value_or(error.retry_after_s);
}

void HttpProvider::judge_foreign(Attempt& attempt) {
  const Foreign foreign = describe_foreign(attempt.body, attempt.has_events);
  if (foreign.what.empty()) return;
  attempt.problem = service_.endpoint.base_url + " sent " + foreign.what + ", which is not " +
                    std::string(service_.dialect->answer_name) + ": is the address right?";
  attempt.lost = true;
  attempt.retryable = false;
  attempt.is_free = foreign.is_free;
}

// A setting that this model does not take is left out from now on. True if the attempt had it: of
// several at once each may ask again.
bool HttpProvider::learn(const ServiceError& error, const Attempt& attempt) {
  if (error.setting == "n") {
    answers_max_ = 1;
    return attempt.sent_answers > 1;
  }
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

void HttpProvider::judge_answer(Attempt& attempt) {
  const Answer& answer = attempt.answer;
  // What the model said it would stop at counts, even if the connection broke after it.
  if (!answer.is_whole() || attempt.malformed) {
    attempt.problem = attempt.malformed    ? "the reply is not what its documentation says"
                      : attempt.http.whole ? "the reply ended early"
                                           : "the reply was cut: " + attempt.http.problem;
    attempt.retryable = !attempt.http.too_large;
    if (attempt.http.whole && answer.is_empty()) judge_foreign(attempt);
    return;
  }
  if (answer.others.size() + 1 < static_cast<std::size_t>(attempt.sent_answers)) answers_max_ = 1;
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
  } else if (!attempt.is_free && (http.status == 0 ? http.sent : may_be_billed(attempt.status))) {
    attempt.nano_usd = cost_nano_usd_max(service_.price, prompt);
  }
}

void HttpProvider::add(const Attempt& attempt, Bill& bill, Reply& reply) {
  const bool sent = attempt.http.sent || attempt.http.status != 0 || !attempt.http.problem.empty();
  if (sent) ++reply.attempts;
  const bool first_cost = bill.nano_usd == 0;
  bill.nano_usd += attempt.nano_usd;
  if (bill.nano_usd > bill.all_max) {
    lose(service_.name +
         " counted more tokens than it was allowed, so its costs cannot be bounded: it is not "
         "asked again");
    bill.nano_usd = bill.all_max;
  }
  const bool counts = attempt.usage_known || attempt.nano_usd > 0;
  if (counts) reply.usage_known = attempt.usage_known && (first_cost || reply.usage_known);
  if (attempt.usage_known) reply.usage.add(attempt.answer.usage);
  reply.nano_usd = bill.nano_usd;
  reply.end = attempt.end;
  reply.text = attempt.answer.text;
  reply.others = texts_of(attempt.answer.others);
  reply.model = attempt.answer.model;
  reply.problem = attempt.problem;
  reply.provider_lost = attempt.lost;
}

std::optional<double> HttpProvider::next_wait_s(const Attempt& attempt, const Bill& bill,
                                                Reply& reply) {
  if (attempt.lost) lose(attempt.problem);
  if (!attempt.retryable) return std::nullopt;
  const double wait_s = pause_s(attempt, reply.attempts);
  const bool turned_away = attempt.status != 200 && !attempt.at_once;
  if (turned_away && is_patience_over(wait_s)) {
    reply.problem += attempt.retry_after_s > settings_.patience_s
                         ? fmt::format(" (the service asks to wait {:.0f} s)", wait_s)
                         : fmt::format(" (nothing else for {:.0f} s)", settings_.patience_s);
    reply.provider_lost = true;
    lose(reply.problem);
    return std::nullopt;
  }
  if (turned_away) gate_.narrow(wait_s);
  if (reply.attempts >= settings_.attempts_max) {
    reply.problem += " (after " + std::to_string(reply.attempts) + " attempts)";
    return std::nullopt;
  }
  if (bill.all_max - bill.nano_usd < bill.one_max) {
    reply.problem += " (another attempt could cost more than was reserved)";
    return std::nullopt;
  }
  return wait_s;
}

double HttpProvider::pause_s(const Attempt& attempt, int attempts) {
  if (attempt.at_once) return 0;
  const bool limited = attempt.status == k_too_many_requests && attempt.retry_after_s <= 0;
  const int failures = attempts + (limited ? k_rate_limit_failures : 0);
  return std::max(attempt.retry_after_s, backoff_.wait_s(failures));
}

void HttpProvider::note_answer() {
  const std::lock_guard lock(mutex_);
  turned_away_since_ns_.reset();
  gate_.widen();
}

void HttpProvider::note_end(const Bill& bill, Reply& reply) {
  const bool in_vain = reply.end == Reply::End::failed && bill.nano_usd > 0;
  {
    const std::lock_guard lock(mutex_);
    if (reply.end != Reply::End::failed) paid_in_vain_ = 0;
    if (!in_vain || ++paid_in_vain_ < k_paid_in_vain_max) return;
  }
  reply.problem +=
      fmt::format(" ({} questions in a row were paid for and gave no answer)", k_paid_in_vain_max);
  reply.provider_lost = true;
  lose(reply.problem);
}

bool HttpProvider::is_patience_over(double pause_s) {
  const std::lock_guard lock(mutex_);
  const std::int64_t now_ns = settings_.clock->now_ns();
  if (!turned_away_since_ns_) turned_away_since_ns_ = now_ns;
  return seconds_between(*turned_away_since_ns_, now_ns) + pause_s > settings_.patience_s;
}

// Those that wait at the gate come through and are told.
void HttpProvider::lose(const std::string& problem) {
  const std::lock_guard lock(mutex_);
  if (lost_because_.empty()) lost_because_ = problem;
  gate_.widen();
}

std::string HttpProvider::lost_because() const {
  const std::lock_guard lock(mutex_);
  return lost_because_;
}

}  // namespace cupel::llm
