// Identity and sensitivity of the timing: what comes out for programs whose ratio is known.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "base/clock.h"
#include "base/files.h"
#include "bench.h"

namespace cupel::bench {
namespace {

// How ratios lie to what they should be.
struct Agreement {
  int contains_truth = 0;
  std::vector<double> deviations;  // |ratio / truth - 1|

  void add(const Ratio& ratio, double truth) {
    contains_truth += ratio.low <= truth && truth <= ratio.high;
    deviations.push_back(std::abs(ratio.ratio / truth - 1));
  }
  double largest() const {
    return deviations.empty() ? NAN : *std::max_element(deviations.begin(), deviations.end());
  }
};

struct Tally {
  int judged = 0;
  std::map<Outcome, int> outcomes;
  Agreement latency;
  Agreement device;  // of the device's own time
  std::vector<double> seconds;

  void add(const Verdict& verdict, double truth, double taken_s) {
    ++judged;
    ++outcomes[verdict.outcome];
    seconds.push_back(taken_s);
    if (!verdict.ratios.empty()) latency.add(verdict.ratios.front(), truth);
    if (const Ratio* const over = verdict.device_ratio()) device.add(*over, truth);
  }
};

double middle(std::vector<double> values) {
  if (values.empty()) return NAN;
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

void print_tally(const Tally& tally) {
  const double share = 100.0 / std::max(tally.judged, 1);
  std::printf(
      "\n%d judgements; 95 %% interval contains the truth in %.1f %%; "
      "median |ratio/truth - 1| %.3f %%, largest %.2f %%; median %.2f s a verdict\n",
      tally.judged, share * tally.latency.contains_truth, 100 * middle(tally.latency.deviations),
      100 * tally.latency.largest(), middle(tally.seconds));
  const Agreement& device = tally.device;
  if (!device.deviations.empty()) {
    std::printf(
        "the device's own time: the interval contains it in %.1f %%; median %.3f %%, "
        "largest %.2f %%\n",
        100.0 * device.contains_truth / static_cast<double>(device.deviations.size()),
        100 * middle(device.deviations), 100 * device.largest());
  }
  for (const auto& [outcome, count] : tally.outcomes) {
    std::printf("  %-12s %4d  %5.1f %%\n", std::string(to_string(outcome)).c_str(), count,
                share * count);
  }
}

void dump_evidence(const Arguments& arguments, const Opened& opened, const Evidence& evidence,
                   int number) {
  if (arguments.dump.empty()) return;
  const std::string name = opened.task.name + "_" + std::to_string(number) + ".json";
  if (auto written =
          write_file_atomic(std::filesystem::path(arguments.dump) / name, encode(evidence));
      !written) {
    std::printf("%s\n", written.error().describe().c_str());
  }
}

// Where the device's own time is known.
std::string device_text(const Verdict& verdict) {
  const Ratio* const device = verdict.device_ratio();
  if (device == nullptr) return "";
  return fmt::format("  device {:.1f} us {:.3f}x [{:.3f}, {:.3f}]", 1e3 * device->over_ms,
                     device->ratio, device->low, device->high);
}

void judge_once(const Arguments& arguments, Opened& opened, const Candidate& candidate,
                double truth, Tally& tally) {
  const SystemClock clock;
  const auto start_ns = clock.now_ns();
  auto judged = opened.evaluator->judge({candidate});
  const double seconds = static_cast<double>(clock.now_ns() - start_ns) / k_ns_per_s;
  if (!judged) {
    std::printf("%-44s error: %s\n", opened.task.name.c_str(), judged.error().describe().c_str());
    return;
  }
  dump_evidence(arguments, opened, judged->evidence, tally.judged);
  const Verdict& verdict = judged->verdicts.at(0);
  tally.add(verdict, truth, seconds);
  const double ms = verdict.ratios.empty() ? 0 : verdict.ratios.front().over_ms;
  const int pairs = verdict.ratios.empty() ? 0 : verdict.ratios.front().pairs;
  std::printf("%-44s %9.3f ms %4d pairs  %-34s %5.2f s%s\n", opened.task.name.c_str(), ms, pairs,
              verdict.headline().c_str(), seconds, device_text(verdict).c_str());
  std::fflush(stdout);
}

Result<Candidate> candidate_of(const Arguments& arguments, const Task& task, double slowdown) {
  if (arguments.candidate.empty() || slowdown != 0) return reference_candidate(task, slowdown);
  CUPEL_TRY(auto source, read_file(arguments.candidate, k_source_bytes_max));
  return make_candidate(std::move(source), arguments.candidate);
}

// Judges the reference, slowed or not, `repeat` times on each task.
Tally judge_references(const Arguments& arguments, double slowdown) {
  Tally tally;
  for (const auto& file : task_files(arguments)) {
    auto opened = open_task(file, arguments);
    if (!opened) {
      std::printf("%-44s skipped: %s\n", file.stem().c_str(), opened.error().what.c_str());
      continue;
    }
    const auto& admission = opened->admitted.admission;
    const double ms = admission.evidence.reference_ms;
    if (ms < arguments.min_ms || ms > arguments.max_ms || !admission.degenerate.empty()) {
      std::printf("%-44s skipped: %s\n", file.stem().c_str(),
                  admission.degenerate.empty() ? "too fast or too slow for this bench"
                                               : admission.degenerate.front().c_str());
      continue;
    }
    const auto candidate = candidate_of(arguments, opened->task, slowdown);
    if (!candidate) {
      std::printf("%s\n", candidate.error().describe().c_str());
      return tally;
    }
    for (int i = 0; i < arguments.repeat; ++i) {
      judge_once(arguments, *opened, *candidate, 1 / (1 + slowdown), tally);
    }
  }
  print_tally(tally);
  return tally;
}

}  // namespace

int identity(const Arguments& arguments) {
  judge_references(arguments, 0);
  return 0;
}

int sensitivity(const Arguments& arguments) {
  std::printf("slowed by %.1f %%\n", 100 * arguments.slowdown);
  judge_references(arguments, arguments.slowdown);
  return 0;
}

}  // namespace cupel::bench
