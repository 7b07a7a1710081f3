#include "judge/timing/accusations.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/clock.h"
#include "judge/timing/limits.h"
#include "stats/quantile.h"

namespace cupel::judge {
namespace {

// Of the calls of one round; where some hosts ran while their input was revealed, of these.
struct Exchanges {
  std::vector<double> overheads_ns;  // bracket less claim
  std::vector<double> claims_ns;
};

std::map<int, Exchanges> by_round(const ProgramEvidence& program) {
  const auto ran = [](const CallSample& call) { return call.seen_ns > 0; };
  const bool some_ran = std::ranges::any_of(program.calls, ran);
  std::map<int, Exchanges> rounds;
  for (const CallSample& call : program.calls) {
    if (some_ran && !ran(call)) continue;
    Exchanges& exchanges = rounds[call.round];
    exchanges.overheads_ns.push_back(static_cast<double>(call.bracket_ns - call.claim_ns));
    exchanges.claims_ns.push_back(static_cast<double>(call.claim_ns));
  }
  return rounds;
}

struct LeftOut {
  int rounds = 0;       // that tell
  double least_ns = 0;  // in the round in which it is least
  double claim_ns = 0;  // the median claim of that round
};

LeftOut time_left_out(const ProgramEvidence& program, const ProgramEvidence& baseline) {
  const auto twins = by_round(baseline);
  LeftOut left;
  for (const auto& [round, own] : by_round(program)) {
    const auto twin = twins.find(round);
    if (twin == twins.end() || own.claims_ns.size() < k_accusing_calls_min) continue;
    const double ns = stats::quantile(own.overheads_ns, k_undisturbed_share) -
                      stats::median(twin->second.overheads_ns);
    if (left.rounds++ > 0 && ns >= left.least_ns) continue;
    left.least_ns = ns;
    left.claim_ns = std::max(1.0, stats::median(own.claims_ns));
  }
  return left;
}

double claim_ms(const ProgramEvidence& program) {
  return median_claim_ns(program) / k_ns_per_ms;
}

}  // namespace

std::optional<Finding> find_false_claim(const ProgramEvidence& program) {
  for (const CallSample& call : program.calls) {
    const double bracket = static_cast<double>(call.bracket_ns);
    const double most = bracket * (1 + k_clock_grain_share) + k_clock_grain_ns;
    if (call.claim_ns > 0 && static_cast<double>(call.claim_ns) <= most) continue;
    return suspect(
        "clock",
        fmt::format("on input {} it claims {:.4g} us of a call that took {:.4g} us on our "
                    "clock",
                    call.input, static_cast<double>(call.claim_ns) / 1e3, bracket / 1e3),
        0, 0);
  }
  return std::nullopt;
}

std::optional<Finding> find_time_left_out(const TimedProgram& candidate, const TimedProgram& over,
                                          const Weighing& weighing) {
  // What copies outputs that have gaps takes longer for that, and so does, in an audit, a host that
  // keeps outputs which lie in inputs.
  const ProgramEvidence& program = candidate.program;
  if (program.layout_differs || program.endurance.recalled > 0) return std::nullopt;
  if (decide(claimed_ratio(candidate, over)) != Outcome::faster) return std::nullopt;
  const LeftOut left = time_left_out(program, over.program);
  const double share = left.least_ns / left.claim_ns;
  // A gain that some other channel does not show is no lie of the claims.
  const bool taken_back = decide(weighing.told) != Outcome::faster;
  const double share_allowed = taken_back ? k_left_out_share : k_left_out_share_blatant;
  if (left.rounds < k_accusing_rounds || left.least_ns <= k_left_out_ns || share <= share_allowed) {
    return std::nullopt;
  }
  return suspect(
      "clock",
      fmt::format("it claims {:.4g} us a call, but in nine of ten calls {:.0f} % more pass "
                  "outside the claimed window, in each of {} rounds",
                  left.claim_ns / 1e3, share * 100, left.rounds),
      share, share_allowed);
}

bool floor_sound(const Evidence& evidence) {
  return claim_ms(evidence.programs.front()) >= evidence.floor_ms;
}

std::optional<Finding> find_impossible(const Evidence& evidence, const ProgramEvidence& program) {
  const double claimed_ms = claim_ms(program);
  if (claimed_ms >= evidence.floor_ms || !floor_sound(evidence)) return std::nullopt;
  const std::string text = fmt::format(
      "it claims {:.4g} ms a call; moving the data alone takes {:.4g} ms on this machine",
      claimed_ms, evidence.floor_ms);
  return Finding{Outcome::impossible,
                 Fault::candidate,
                 {"below_floor", text, claimed_ms, evidence.floor_ms},
                 text};
}

std::optional<Finding> find_accusation(const Evidence& evidence, const TimedProgram& candidate,
                                       const TimedProgram& over, const Weighing& weighing) {
  const ProgramEvidence& program = candidate.program;
  if (program.trusted) return std::nullopt;
  if (auto finding = find_false_claim(program)) return finding;
  if (auto finding = find_time_left_out(candidate, over, weighing)) return finding;
  return find_impossible(evidence, program);
}

}  // namespace cupel::judge
