#include "judge/timing/device_time.h"

#include <algorithm>
#include <map>
#include <utility>

#include "judge/timing/readings.h"
#include "stats/paired.h"

namespace cupel::judge {
namespace {

using Turn = std::pair<int, int>;  // round, turn

std::map<Turn, double> times_of(const ProgramEvidence& program) {
  std::map<Turn, double> times;
  for (const QueuedSample& call : program.queued) {
    if (call.device_ns > 0) {
      times.emplace(Turn(call.round, call.turn), static_cast<double>(call.device_ns));
    }
  }
  return times;
}

// Two turns are a block: who goes first changes from one to the next.
std::vector<stats::PairedTime> pairs_of(const ProgramEvidence& candidate,
                                        const ProgramEvidence& over) {
  const auto others = times_of(over);
  std::map<Turn, std::int64_t> blocks;
  std::vector<stats::PairedTime> pairs;
  for (const auto& [turn, ns] : times_of(candidate)) {
    const auto other = others.find(turn);
    if (other == others.end()) continue;
    const Turn first(turn.first, turn.second / 2);
    const auto block = blocks.emplace(first, static_cast<std::int64_t>(blocks.size())).first;
    pairs.push_back({other->second, ns, block->second, turn.first});
  }
  return pairs;
}

}  // namespace

std::vector<Ratio> device_ratios(const Evidence& evidence, std::size_t program,
                                 const std::vector<Ratio>& ratios) {
  const ProgramEvidence& candidate = evidence.programs.at(program);
  std::vector<Ratio> found;
  for (const Ratio& over : ratios) {
    const auto other = std::find_if(
        evidence.programs.begin(), evidence.programs.end(), [&](const ProgramEvidence& each) {
          return &each != &candidate && each.candidate_id == over.over_id;
        });
    if (other == evidence.programs.end()) continue;
    const auto pairs = pairs_of(candidate, *other);
    const stats::PairedRatio paired = stats::paired_ratio(pairs);
    if (paired.blocks == 0) continue;
    found.push_back(make_ratio(over.over, over.over_id, paired,
                               median_of(pairs, &stats::PairedTime::candidate_ns),
                               median_of(pairs, &stats::PairedTime::baseline_ns)));
    found.back().proven = false;
  }
  return found;
}

}  // namespace cupel::judge
