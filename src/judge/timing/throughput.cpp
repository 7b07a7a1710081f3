#include "judge/timing/throughput.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "stats/quantile.h"

namespace cupel::judge {
namespace {

using Times = std::vector<stats::PairedTime>;

// A call's part of a burst's whole time.
struct Whole {
  double open_ns = 0;    // the opening of inputs
  double others_ns = 0;  // all else
};

// What a call takes, from two bursts of one program, a short one and a long one.
struct Added {
  double calls_ns = 0;  // that it adds to the calls alone
  Whole added;          // that it adds to the whole
  Whole longest;        // its part of the long burst, which no delay of the short one makes less
};

Whole whole_of(std::int64_t open_ns, std::int64_t total_ns, std::int64_t calls) {
  const auto count = static_cast<double>(calls);
  return {static_cast<double>(open_ns) / count, static_cast<double>(total_ns - open_ns) / count};
}

std::optional<Added> added_ns(const BatchSample& one, const BatchSample& other) {
  const std::int64_t calls = other.calls - one.calls;
  if (calls == 0 || one.round != other.round || !one.counted || !other.counted) return std::nullopt;
  const BatchSample& longer = calls > 0 ? other : one;
  return Added{static_cast<double>(other.bracket_ns - one.bracket_ns) / static_cast<double>(calls),
               whole_of(other.open_ns - one.open_ns, other.total_ns - one.total_ns, calls),
               whole_of(longer.open_ns, longer.total_ns, longer.calls)};
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

// How much longer the candidate takes for the opening. That is Cupel's own work: to need less for
// it than the other saves nothing, and more is the program's own.
double opened_ns(const std::vector<AddedPair>& pairs, Whole Added::*whole) {
  std::vector<double> more_ns;
  for (const AddedPair& pair : pairs) {
    more_ns.push_back((pair.candidate.*whole).open_ns - (pair.over.*whole).open_ns);
  }
  return std::max(0.0, stats::median(more_ns));
}

Throughput throughput_by(const Times& times) {
  return {stats::paired_ratio(times), median_of(times, &stats::PairedTime::candidate_ns),
          median_of(times, &stats::PairedTime::baseline_ns)};
}

// The candidate's call by all of a burst's time is the other's less what is saved in all: of what
// calls add, and of the longest bursts.
std::optional<Throughput> in_bursts(const TimedProgram& candidate, const TimedProgram& over) {
  const auto pairs = added_by(candidate, over);
  if (pairs.empty()) return std::nullopt;
  Throughput told =
      throughput_by(times_by(pairs, [](const AddedPair& pair) { return pair.candidate.calls_ns; }));
  if (candidate.program.trusted) return told;
  for (const auto whole : {&Added::added, &Added::longest}) {
    const double more_ns = opened_ns(pairs, whole);
    const Throughput by_whole = throughput_by(times_by(pairs, [&](const AddedPair& pair) {
      const double saved_ns = (pair.over.*whole).others_ns - (pair.candidate.*whole).others_ns;
      return pair.over.calls_ns - saved_ns + more_ns;
    }));
    if (by_whole.ratio.total_95.high < told.ratio.ratio) told = by_whole;
  }
  return told;
}

}  // namespace

std::optional<Throughput> throughput_of(const TimedProgram& candidate, const TimedProgram& over) {
  if (over.on_gpu) return in_bursts(candidate, over);
  const Times times = warm_rows(candidate, over);
  return times.empty() ? std::nullopt : std::optional(throughput_by(times));
}

}  // namespace cupel::judge
