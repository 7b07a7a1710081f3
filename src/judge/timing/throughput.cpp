#include "judge/timing/throughput.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "stats/quantile.h"

namespace cupel::judge {
namespace {

using Times = std::vector<stats::PairedTime>;

// What a call adds, from two bursts of one program, a short one and a long one.
struct Added {
  double calls_ns = 0;   // to the calls alone
  double open_ns = 0;    // to the opening of inputs
  double others_ns = 0;  // to all but the opening
};

std::optional<Added> added_ns(const BatchSample& one, const BatchSample& other) {
  const std::int64_t calls = other.calls - one.calls;
  if (calls == 0 || one.round != other.round || !one.counted || !other.counted) return std::nullopt;
  const auto a_call = [calls](std::int64_t long_ns, std::int64_t short_ns) {
    return static_cast<double>(long_ns - short_ns) / static_cast<double>(calls);
  };
  return Added{a_call(other.bracket_ns, one.bracket_ns), a_call(other.open_ns, one.open_ns),
               a_call(other.total_ns - other.open_ns, one.total_ns - one.open_ns)};
}

struct AddedPair {
  Added candidate, over;
  int round = 0;
};

// Two bursts after each other are a pair.
std::vector<AddedPair> added_by(const TimedProgram& candidate, const TimedProgram& over) {
  const auto counted = [](const ProgramEvidence& program) {
    std::vector<BatchSample> bursts;
    for (const BatchSample& batch : program.batches) {
      if (batch.counted && batch.first_input >= 0) bursts.push_back(batch);
    }
    return bursts;
  };
  const auto own = counted(candidate.program), others = counted(over.program);
  std::vector<AddedPair> pairs;
  for (std::size_t at = 0; at + 1 < std::min(own.size(), others.size()); at += 2) {
    const auto mine = added_ns(own[at], own[at + 1]), theirs = added_ns(others[at], others[at + 1]);
    if (mine && theirs) pairs.push_back({*mine, *theirs, own[at].round});
  }
  return pairs;
}

// Each pair is a block.
Times times_by(const std::vector<AddedPair>& pairs,
               const std::function<double(const AddedPair&)>& candidate_ns) {
  Times times;
  for (const AddedPair& pair : pairs) {
    times.push_back({std::max(1.0, pair.over.calls_ns), std::max(1.0, candidate_ns(pair)),
                     static_cast<std::int64_t>(times.size()), pair.round});
  }
  return times;
}

// The candidate's call by the whole time of bursts: the other's less what is saved in all. Opening
// is Cupel's own work: to need less for it saves nothing, and more is the program's own.
double call_by_whole_ns(const AddedPair& pair) {
  const double opened_ns = std::max(0.0, pair.candidate.open_ns - pair.over.open_ns);
  return pair.over.calls_ns - pair.over.others_ns + pair.candidate.others_ns + opened_ns;
}

Throughput throughput_by(const Times& times) {
  return {stats::paired_ratio(times), median_of(times, &stats::PairedTime::candidate_ns),
          median_of(times, &stats::PairedTime::baseline_ns)};
}

std::optional<Throughput> in_bursts(const TimedProgram& candidate, const TimedProgram& over) {
  const auto pairs = added_by(candidate, over);
  if (pairs.empty()) return std::nullopt;
  const Throughput told =
      throughput_by(times_by(pairs, [](const AddedPair& pair) { return pair.candidate.calls_ns; }));
  if (candidate.program.trusted) return told;
  const Throughput whole = throughput_by(times_by(pairs, call_by_whole_ns));
  return whole.ratio.total_95.high < told.ratio.ratio ? whole : told;
}

}  // namespace

std::optional<Throughput> throughput_of(const TimedProgram& candidate, const TimedProgram& over) {
  if (over.on_gpu) return in_bursts(candidate, over);
  const Times times = warm_rows(candidate, over);
  return times.empty() ? std::nullopt : std::optional(throughput_by(times));
}

}  // namespace cupel::judge
