#include "judge/timing/repeat.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/result.h"

namespace cupel::judge {
namespace {

template <class T>
void append(std::vector<T>& to, std::vector<T>&& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

// Timed calls are read once more in each round of an audit. One of them goes on after the timing.
void append_endurance(Endurance& endurance, Endurance&& further) {
  const int recalled = endurance.recalled + further.recalled;
  append(endurance.changed, std::move(further.changed));
  if (further.calls > 0) {
    further.changed = std::move(endurance.changed);
    endurance = std::move(further);
  }
  endurance.recalled = recalled;
}

void append_program(ProgramEvidence& program, ProgramEvidence&& further) {
  CUPEL_CHECK(program.candidate_id == further.candidate_id);
  if (program.fault.kind == HostFault::Kind::none) program.fault = std::move(further.fault);
  append(program.calls, std::move(further.calls));
  append(program.untimed, std::move(further.untimed));
  append(program.queued, std::move(further.queued));
  append(program.batches, std::move(further.batches));
  append(program.checks, std::move(further.checks));
  append(program.mismatches, std::move(further.mismatches));
  append(program.mutated_inputs, std::move(further.mutated_inputs));
  append(program.late_writes, std::move(further.late_writes));
  if (further.unaudited.empty()) program.unaudited.clear();
  program.layout_differs |= further.layout_differs;
  append_endurance(program.endurance, std::move(further.endurance));
  program.output_tail = std::move(further.output_tail);
}

void add_cost(RoundCost& cost, const RoundCost& further) {
  for (const auto part :
       {&RoundCost::wait_hosts_ms, &RoundCost::wait_device_ms, &RoundCost::load_ms,
        &RoundCost::warmup_ms, &RoundCost::prepare_ms, &RoundCost::calls_ms, &RoundCost::compare_ms,
        &RoundCost::audit_ms, &RoundCost::endurance_ms, &RoundCost::wall_ms,
        &RoundCost::judge_cpu_ms}) {
    cost.*part += further.*part;
  }
}

void add_clocks(DeviceClocks& clocks, const DeviceClocks& further) {
  if (further.compute_mhz_max == 0) return;
  clocks.compute_mhz_min = std::min(clocks.compute_mhz_min, further.compute_mhz_min);
  clocks.compute_mhz_max = std::max(clocks.compute_mhz_max, further.compute_mhz_max);
  if (!further.throttled.empty()) clocks.throttled = further.throttled;
}

// Half of its interval, of the log ratio: a share.
double half_width(const Ratio& ratio) {
  return std::log(ratio.high / ratio.low) / 2;
}

// Nearer to 1 than is sure.
bool is_close(const Ratio& ratio) {
  const double towards_one = ratio.ratio > 1 ? ratio.low : ratio.high;
  return std::abs(std::log(ratio.ratio)) <
         k_sure_half_widths * std::abs(std::log(ratio.ratio / towards_one));
}

bool is_open_over_baseline(const Verdict& verdict, const RepeatLimits& limits) {
  const Ratio& ratio = verdict.ratios.front();
  if (verdict.outcome == Outcome::same) return false;
  if (verdict.outcome == Outcome::ambiguous) {
    return ratio.high > limits.ratio_wanted;
  }
  return is_close(ratio);
}

// What may still be a gain over another program of the round.
bool is_open_over_rival(const Ratio& ratio, const RepeatLimits& limits) {
  return ratio.proven ? is_close(ratio) : ratio.high > std::max(1.0, limits.ratio_wanted);
}

}  // namespace

bool wants_repeat(const Verdict& verdict, int rounds, const RepeatLimits& limits, Rivals rivals) {
  if (rounds >= limits.rounds_max || !is_correct(verdict.outcome) || verdict.ratios.empty()) {
    return false;
  }
  if (is_open_over_baseline(verdict, limits)) return true;
  if (rivals == Rivals::left_out || verdict.outcome != Outcome::faster) return false;
  return std::any_of(verdict.ratios.begin() + 1, verdict.ratios.end(),
                     [&](const Ratio& ratio) { return is_open_over_rival(ratio, limits); });
}

bool wants_repeat(const Evidence& evidence, const std::vector<Verdict>& verdicts,
                  const RepeatLimits& limits) {
  bool open = false, open_own = false, all_own = true;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const bool own = evidence.programs.at(i + 1).trusted;
    const Rivals rivals = own ? Rivals::left_out : Rivals::heeded;
    (own ? open_own : open) |= wants_repeat(verdicts[i], evidence.rounds, limits, rivals);
    all_own &= own;
  }
  return all_own ? open_own : open;
}

bool rests_on_few(const Evidence& evidence, const std::vector<Verdict>& verdicts, double seconds,
                  const RepeatLimits& limits) {
  const bool few = evidence.rounds < k_rounds_min && limits.told_seconds_max > 0;
  const bool is_quick = seconds < limits.told_seconds_max;
  return evidence.rounds < limits.rounds_max && std::ranges::any_of(verdicts, [&](const auto& it) {
           const bool told = it.outcome == Outcome::faster || it.outcome == Outcome::slower;
           return told && (few || (is_quick && half_width(it.ratios.front()) > limits.told_share));
         });
}

bool wants_audit_round(const Verdict& verdict, int rounds, const RepeatLimits& limits) {
  const bool too_few = is_correct(verdict.outcome) && rounds < k_rounds_min;
  return too_few || wants_repeat(verdict, rounds, limits);
}

void append_round(Evidence& evidence, Evidence round) {
  CUPEL_CHECK(evidence.programs.size() == round.programs.size());
  for (auto& program : round.programs) {
    for (auto& call : program.calls) call.round = evidence.rounds;
    for (auto& call : program.untimed) call.round = evidence.rounds;
    for (auto& call : program.queued) call.round = evidence.rounds;
    for (auto& batch : program.batches) batch.round = evidence.rounds;
  }
  for (std::size_t i = 0; i < round.programs.size(); ++i) {
    append_program(evidence.programs[i], std::move(round.programs[i]));
  }
  if (evidence.infra_fault.empty()) evidence.infra_fault = std::move(round.infra_fault);
  evidence.stop_reason = std::move(round.stop_reason);
  add_cost(evidence.cost, round.cost);
  add_clocks(evidence.clocks, round.clocks);
  append(evidence.exchanges_ns, std::move(round.exchanges_ns));
  append(evidence.still_exchanges_ns, std::move(round.still_exchanges_ns));
  ++evidence.rounds;
}

}  // namespace cupel::judge
