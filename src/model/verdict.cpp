#include "model/verdict.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/codec.h"
#include "model/names.h"

namespace cupel {
namespace {

constexpr NameTable<Outcome, 14> k_outcomes{{{Outcome::faster, "faster"},
                                             {Outcome::same, "same"},
                                             {Outcome::slower, "slower"},
                                             {Outcome::ambiguous, "ambiguous"},
                                             {Outcome::wrong, "wrong"},
                                             {Outcome::suspect, "suspect"},
                                             {Outcome::impossible, "impossible"},
                                             {Outcome::build_error, "build_error"},
                                             {Outcome::runtime_error, "runtime_error"},
                                             {Outcome::timeout, "timeout"},
                                             {Outcome::out_of_memory, "out_of_memory"},
                                             {Outcome::invalid_reply, "invalid_reply"},
                                             {Outcome::degenerate, "degenerate"},
                                             {Outcome::infra_fault, "infra_fault"}}};
constexpr NameTable<Fault, 4> k_faults{{{Fault::nobody, "nobody"},
                                        {Fault::candidate, "candidate"},
                                        {Fault::reference, "reference"},
                                        {Fault::us, "us"}}};

Result<Fault> parse_fault(std::string_view text) {
  return value_of(k_faults, text, "fault");
}

}  // namespace

std::string_view to_string(Outcome outcome) {
  return name_of(k_outcomes, outcome);
}
Result<Outcome> parse_outcome(std::string_view text) {
  return value_of(k_outcomes, text, "outcome");
}
std::string_view to_string(Fault fault) {
  return name_of(k_faults, fault);
}

Metric other(Metric metric) {
  return metric == Metric::latency ? Metric::throughput : Metric::latency;
}

bool is_correct(Outcome outcome) {
  return outcome == Outcome::faster || outcome == Outcome::same || outcome == Outcome::slower ||
         outcome == Outcome::ambiguous;
}

bool Verdict::on_degenerate_task() const {
  return std::ranges::any_of(reasons,
                             [](const Reason& reason) { return reason.code == k_degenerate_task; });
}

std::string Verdict::headline() const {
  const bool unproven = is_correct(outcome) && on_degenerate_task();
  const std::string name =
      fmt::format("{}{}", unproven ? "degenerate task, " : "", to_string(outcome));
  if (is_correct(outcome) && !ratios.empty()) {
    const Ratio& first = ratios.front();
    return fmt::format("{} {:.3f}x [{:.3f}, {:.3f}]", name, first.ratio, first.low, first.high);
  }
  if (reasons.empty() || reasons.front().code == to_string(outcome)) return name;
  return fmt::format("{}({})", name, reasons.front().code);
}

namespace {

const Ratio* over_the_baseline(const std::vector<Ratio>& some, const std::vector<Ratio>& ratios) {
  const auto found = std::ranges::find_if(some, [&ratios](const Ratio& ratio) {
    return !ratios.empty() && ratio.over_id == ratios.front().over_id;
  });
  return found == some.end() ? nullptr : &*found;
}

}  // namespace

const Ratio* Verdict::device_ratio() const {
  return over_the_baseline(device_ratios, ratios);
}

const Ratio* Verdict::other_ratio() const {
  return over_the_baseline(other_ratios, ratios);
}

CUPEL_JSON_ENUM(Outcome, parse_outcome)
CUPEL_JSON_ENUM(Fault, parse_fault)
CUPEL_JSON_STRUCT(Reason, code, text, value, limit)
CUPEL_JSON_STRUCT(Ratio, over, over_id, ratio, low, high, candidate_ms, over_ms, pairs, proven)
CUPEL_JSON_STRUCT(Verdict, candidate_id, label, outcome, fault, reasons, metric, ratios,
                  other_ratios, device_ratios, error_rms, error_max, close_1e2, close_1e4,
                  checked_calls, feedback)

std::string encode(const Verdict& verdict) {
  return encode_value(verdict);
}
Result<Verdict> decode_verdict(std::string_view json) {
  return decode_value<Verdict>(json, "verdict");
}

}  // namespace cupel
