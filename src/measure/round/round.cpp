#include "measure/round/round.h"

#include <sys/resource.h>

#include <thread>

#include "measure/call/call_slots.h"
#include "measure/device/stopwatch.h"
#include "measure/round/audit.h"
#include "measure/round/endurance.h"
#include "measure/round/queued_calls.h"
#include "measure/round/timing.h"
#include "measure/round/warm_up.h"
#include "sandbox/cores.h"

namespace cupel::measure {
namespace {

double process_cpu_ms() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto ms = [](const timeval& t) {
    return 1e3 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_usec);
  };
  return ms(usage.ru_utime) + ms(usage.ru_stime);
}

// One more lane does nothing, where the judge can read what hosts return.
Status take_lanes(RoundState& round, const std::vector<Program>& programs) {
  const Stopwatch waiting(round.clock, round.evidence.cost.wait_hosts_ms);
  const std::uint64_t surroundings_seed = round.rng.next();
  const auto take = [&](const Program& program) {
    return round.context.source.take(round.context.lane, program,
                                     round.rng.fork(round.lanes.size()), surroundings_seed);
  };
  for (const Program& program : programs) {
    CUPEL_TRY(auto lane, take(program));
    round.lanes.push_back(std::move(lane));
  }
  if (round.plan.rows && round.device.traits().outputs_in_host && round.lanes.front()->readable()) {
    Program nothing;
    nothing.does_nothing = true;
    CUPEL_TRY(round.nothing, take(nothing));
  }
  round.context.source.freeze();
  return {};
}

// Of a device that somebody else uses, a program would be said to go on after its reply.
Status expect_quiet(RoundState& round) {
  const Slice scratch = round.context.lane.vault.at(0, k_alignment_bytes);
  CUPEL_TRY(const bool quiet, round.device.becomes_quiet(scratch, round.plan.call_seconds_min));
  if (!quiet) round.evidence.infra_fault = "another process keeps the GPU busy";
  return {};
}

// All that is timed, alone on the device.
Status measure(RoundState& round, const Referral& referral) {
  if (!round.can_go_on()) return {};
  CUPEL_TRY(const auto alone, round.alone());
  const sandbox::StayOnFirstCore placement;
  CUPEL_TRY_STATUS(expect_quiet(round));
  if (round.can_go_on()) CUPEL_TRY_STATUS(warm_up(round));
  if (round.can_go_on()) CUPEL_TRY_STATUS(Timing(round).run(referral));
  if (round.can_go_on()) make_queued_calls(round);
  round.evidence.staged_calls_max = row_slots_of(round.context.lane);
  return {};
}

// Side by side: the end of a process that used a GPU takes its time.
void close_lanes(RoundState& round) {
  std::vector<std::jthread> threads;
  for (auto& lane : round.lanes) threads.emplace_back([&lane] { lane->close(); });
  if (round.nothing) round.nothing->close();
}

Status run_stages(RoundState& round, const std::vector<Program>& programs,
                  const Referral& referral) {
  const Stopwatch wall(round.clock, round.evidence.cost.wall_ms);
  CUPEL_TRY_STATUS(take_lanes(round, programs));
  expect_audits(round);
  CUPEL_TRY_STATUS(round.share_device());
  load_programs(round);
  if (round.can_go_on()) CUPEL_TRY_STATUS(make_first_calls(round));
  CUPEL_TRY_STATUS(measure(round, referral));
  if (round.can_go_on()) {
    CUPEL_TRY_STATUS(audit(round, referral.claimants(round.current_evidence())));
  }
  if (round.can_go_on() && round.plan.endurance_calls > 0) CUPEL_TRY_STATUS(endure(round));
  round.stop_sharing();
  close_lanes(round);
  return {};
}

}  // namespace

Result<Evidence> run_round(const RoundContext& context, const std::vector<Program>& programs,
                           Rng rng, const Referral& referral) {
  const double cpu_before_ms = process_cpu_ms();
  RoundState round(context, rng);
  const Status ran = run_stages(round, programs, referral);
  context.source.thaw();
  if (!ran) return fail(ran.error());
  if (round.evidence.stop_reason.empty()) round.evidence.stop_reason = "fault";
  round.evidence.cost.judge_cpu_ms = process_cpu_ms() - cpu_before_ms;
  return round.current_evidence();
}

}  // namespace cupel::measure
