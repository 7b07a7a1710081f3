// A service on the network: attempts, retries, and a bill that stays below what was announced.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "llm/dialects/dialect.h"
#include "llm/money/prices.h"
#include "llm/providers/provider.h"
#include "llm/providers/provider_settings.h"
#include "llm/wire/gate.h"
#include "llm/wire/retry.h"
#include "llm/wire/scrub.h"

namespace cupel::llm {

struct HttpService {
  std::string name;  // "openai:gpt-5"
  const Dialect* dialect = nullptr;
  Endpoint endpoint;  // its price_max is not used: see `bounds_price`
  Price price;
  int answers_max = 1;        // to one prompt
  bool bounds_price = false;  // the service takes an upper bound of its price with each request
};

class HttpProvider final : public Provider {
 public:
  // Clock and sleeper of `settings` must be set, and outlive the provider.
  HttpProvider(HttpService service, const ProviderSettings& settings,
               std::unique_ptr<HttpTransport> transport);

  std::string name() const override { return service_.name; }
  int concurrency_max() const override { return settings_.concurrency_max; }
  int answers_max() const override { return answers_max_; }
  std::optional<Price> price() const override { return service_.price; }
  std::int64_t nano_usd_max(const Prompt& prompt) const override;
  Reply ask(const Prompt& prompt, const StopFlag& stop) override;

 private:
  // One request, and what it means.
  struct Attempt {
    HttpResult http;
    Answer answer;
    std::string body;  // of what is no stream of events
    bool has_events = false;
    bool malformed = false;
    int status = 0;          // HTTP's, or that of an error which came with status 200
    bool is_free = false;    // what came shows that no model was asked
    bool lost = false;       // no question can be answered
    bool is_inside = false;  // the gate
    Reply::End end = Reply::End::failed;
    std::string problem;
    bool retryable = false;
    bool usage_known = false;
    std::int64_t nano_usd = 0;
    double retry_after_s = 0;
    bool sent_temperature = false;
    bool sent_max_completion_tokens = false;
    int sent_answers = 1;
    bool at_once = false;  // it sent a setting that the service refused and gets no more
  };
  // What a question has cost so far, and how much more it may.
  struct Bill {
    std::int64_t one_max = 0;  // worst case of one attempt
    std::int64_t all_max = 0;  // announced
    std::int64_t nano_usd = 0;
  };

  Attempt attempt(const Prompt& prompt, const StopFlag& stop);
  Attempt request(const Prompt& prompt, const StopFlag& stop);
  void judge(Attempt& attempt, const StopFlag& stop);
  void judge_body(Attempt& attempt);
  void judge_error(Attempt& attempt, int status);
  void judge_answer(Attempt& attempt);
  void judge_foreign(Attempt& attempt);
  bool learn(const ServiceError& error, const Attempt& attempt);
  void charge(Attempt& attempt, const Prompt& prompt) const;
  void add(const Attempt& attempt, Bill& bill, Reply& reply);
  // Seconds to wait before the next attempt; nothing: this was the last, and `reply.problem` says
  // why.
  std::optional<double> next_wait_s(const Attempt& attempt, const Bill& bill, Reply& reply);
  double pause_s(const Attempt& attempt, int attempts);
  // Whether the service, which turns questions away, has had all the patience there is for it by
  // the time that a pause is over.
  bool is_patience_over(double pause_s);
  void lose(const std::string& problem);
  void note_answer();
  // Notes how a question ended: of those that were paid for and gave no answer few are enough.
  void note_end(const Bill& bill, Reply& reply);
  std::string lost_because() const;

  const HttpService service_;
  const ProviderSettings settings_;
  const std::unique_ptr<HttpTransport> transport_;
  const Scrubber scrubber_;
  Gate gate_;
  Backoff backoff_;
  std::atomic<bool> send_temperature_;
  std::atomic<bool> max_completion_tokens_;
  std::atomic<int> answers_max_;
  mutable std::mutex mutex_;
  std::string lost_because_;                          // empty: it is asked
  std::optional<std::int64_t> turned_away_since_ns_;  // no answer since then
  int paid_in_vain_ = 0;                              // questions, since the last answer
};

}  // namespace cupel::llm
