#include "judge/timing/throughput.h"

#include <algorithm>
#include <vector>

#include "stats/quantile.h"

namespace cupel::judge {
namespace {

using Times = std::vector<stats::PairedTime>;

// What a call adds, from two bursts of one program, a short one and a long one: to the whole, and
// to what its host claims to need for making the calls.
struct Added {
  double bracket_ns = 0;
  double claim_ns = 0;
};

std::optional<Added> added_ns(const BatchSample& one, const BatchSample& other) {
  const std::int64_t calls = other.calls - one.calls;
  if (calls == 0 || one.round != other.round || !one.counted || !other.counted) return std::nullopt;
  const auto a_call = [calls](std::int64_t long_ns, std::int64_t short_ns) {
    return std::max(1.0, static_cast<double>(long_ns - short_ns) / static_cast<double>(calls));
  };
  const auto claimed = [](const BatchSample& burst) {
    return std::min(burst.claim_ns, burst.bracket_ns);
  };
  return Added{a_call(other.bracket_ns, one.bracket_ns), a_call(claimed(other), claimed(one))};
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

// Until a device has changed to a host's context, the host can make some calls that nobody sees
// passing, and a loop has to wait for them. So a call takes no less than making it does. Claims are
// believed where they are to the candidate's cost, and only then are the other's: a candidate that
// claims less than it needs gains nothing by it. Each pair is a block.
Times burst_times(const TimedProgram& candidate, const TimedProgram& over) {
  const std::vector<AddedPair> pairs = added_by(candidate, over);
  std::vector<double> hidden_ns;
  for (const AddedPair& pair : pairs) {
    hidden_ns.push_back(pair.candidate.claim_ns - pair.candidate.bracket_ns);
  }
  const bool hides = !pairs.empty() && stats::median(hidden_ns) > 0;
  const auto time_of = [hides](const Added& added) {
    return hides ? std::max(added.bracket_ns, added.claim_ns) : added.bracket_ns;
  };
  Times times;
  for (const AddedPair& pair : pairs) {
    times.push_back({time_of(pair.over), time_of(pair.candidate),
                     static_cast<std::int64_t>(times.size()), pair.round});
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
