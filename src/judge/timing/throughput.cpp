#include "judge/timing/throughput.h"

#include <algorithm>
#include <vector>

#include "stats/quantile.h"

namespace cupel::judge {
namespace {

using Times = std::vector<stats::PairedTime>;

// What a call adds, from two bursts of one program, a short one and a long one.
std::optional<double> added_ns(const BatchSample& one, const BatchSample& other) {
  const std::int64_t calls = other.calls - one.calls;
  if (calls == 0 || one.round != other.round || !one.counted || !other.counted) return std::nullopt;
  return std::max(
      1.0, static_cast<double>(other.bracket_ns - one.bracket_ns) / static_cast<double>(calls));
}

// Two bursts after each other are a pair, and each pair is a block.
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
