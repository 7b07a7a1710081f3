#include "judge/timing/throughput.h"

#include <algorithm>
#include <vector>

namespace cupel::judge {
namespace {

using Times = std::vector<stats::PairedTime>;

// What a call adds, from two bursts of one program, a short one and a long one: to the whole, or to
// what its host needs to make the calls, if that is more. Until a device has changed to a host's
// context it can make some calls that nobody sees passing; a loop has to wait for them.
std::optional<double> added_ns(const BatchSample& one, const BatchSample& other) {
  const std::int64_t calls = other.calls - one.calls;
  if (calls == 0 || one.round != other.round || !one.counted || !other.counted) return std::nullopt;
  const auto a_call = [calls](std::int64_t long_ns, std::int64_t short_ns) {
    return static_cast<double>(long_ns - short_ns) / static_cast<double>(calls);
  };
  return std::max(
      {1.0, a_call(other.bracket_ns, one.bracket_ns), a_call(other.claim_ns, one.claim_ns)});
}

// Two after each other are a pair; each pair is a block.
Times burst_times(const TimedProgram& candidate, const TimedProgram& over) {
  const auto counted = [](const ProgramEvidence& program) {
    std::vector<BatchSample> bursts;
    for (const BatchSample& batch : program.batches) {
      if (batch.counted && batch.first_input >= 0) bursts.push_back(batch);
    }
    return bursts;
  };
  const auto own = counted(candidate.program), others = counted(over.program);
  Times times;
  for (std::size_t at = 0; at + 1 < std::min(own.size(), others.size()); at += 2) {
    const auto mine = added_ns(own[at], own[at + 1]), theirs = added_ns(others[at], others[at + 1]);
    if (!mine || !theirs) continue;
    times.push_back({*theirs, *mine, static_cast<std::int64_t>(times.size()), own[at].round});
  }
  return times;
}

}  // namespace

std::optional<Throughput> throughput_of(const TimedProgram& candidate, const TimedProgram& over) {
  const Times times = over.on_gpu ? burst_times(candidate, over) : warm_rows(candidate, over);
  if (times.empty()) return std::nullopt;
  return Throughput{stats::paired_ratio(times), median_of(times, &stats::PairedTime::candidate_ns),
                    median_of(times, &stats::PairedTime::baseline_ns)};
}

}  // namespace cupel::judge
