// How often a right program is turned away: the reference itself, again and again, under every
// policy that applies, and under `half` what that policy allows of it.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "bench.h"

namespace cupel::bench {
namespace {

// Right and wrong need few calls; times do not matter here.
constexpr double k_timing_seconds = 0.05;

constexpr std::string_view k_autocast = R"(

import torch as _torch
from torch.utils import _pytree


class ModelNew(Model):
    def forward(self, *inputs):
        with _torch.autocast("{0}", dtype=_torch.{1}):
            result = super().forward(*inputs)
        return _pytree.tree_map(_as_before, result)


def _as_before(leaf):
    narrow = isinstance(leaf, _torch.Tensor) and leaf.dtype == _torch.{1}
    return leaf.float() if narrow else leaf
)";

struct Tally {
  int judged = 0;
  int passed = 0;
  int failed = 0;  // not judged at all
  int rounds = 0;
  int checked = 0;
  std::string words;

  int turned_away() const { return judged - passed; }
};

std::vector<std::string> policies_of(const Arguments& arguments) {
  if (!arguments.policy.empty()) return {arguments.policy};
  if (arguments.device == "cpu") return {"eager", "exact", "half"};
  return {"eager", "exact", "tf32", "half"};
}

// To the format that sets the tolerances: one less precise is wrong where that matters.
Candidate autocast_candidate(const Opened& opened, const std::string& device) {
  const std::string type = device.substr(0, device.find(':'));
  const std::string_view way = opened.admitted.admission.evidence.half_way;
  const std::string_view dtype =
      way == "float16" || way.ends_with(" float16") ? "float16" : "bfloat16";
  return make_candidate(opened.task.source + fmt::format(k_autocast, type, dtype),
                        fmt::format("reference, {} autocast", dtype));
}

// The same program under other names: so many judgements in one round, on the same fresh inputs,
// each in a process of its own.
std::vector<Candidate> copies_of(const Candidate& candidate, int count) {
  std::vector<Candidate> copies;
  for (int i = 0; i < count; ++i) {
    copies.push_back(
        make_candidate(candidate.source + fmt::format("\n# copy {}\n", i), candidate.label));
  }
  return copies;
}

void add_verdict(const Verdict& verdict, Tally& tally) {
  ++(verdict.outcome == Outcome::infra_fault ? tally.failed : tally.judged);
  tally.checked += verdict.checked_calls;
  if (is_correct(verdict.outcome)) {
    ++tally.passed;
  } else {
    tally.words += "\n    " + verdict.headline() + ": " + verdict.feedback;
  }
}

Tally judge_often(engine::Evaluator& evaluator, const Candidate& candidate, int repeat,
                  int beside) {
  Tally tally;
  for (int left = repeat; left > 0; left -= beside) {
    const int count = std::min(left, beside);
    auto judged = evaluator.judge(copies_of(candidate, count));
    ++tally.rounds;
    if (!judged) {
      tally.failed += count;
      tally.words += "\n    " + judged.error().describe();
      continue;
    }
    for (const Verdict& verdict : judged->verdicts) add_verdict(verdict, tally);
  }
  return tally;
}

void try_often(const Arguments& arguments, Opened& opened, const std::string& policy,
               const Candidate& candidate, Tally& totals) {
  const SystemClock clock;
  const std::int64_t from_ns = clock.now_ns();
  const int fitting = std::max(1, opened.evaluator->programs_beside());
  const Tally tally = judge_often(*opened.evaluator, candidate, arguments.repeat,
                                  std::min(arguments.beside, fitting));
  totals.judged += tally.judged;
  totals.passed += tally.passed;
  totals.failed += tally.failed;
  std::printf("%-36s %-6s %-26s %3d of %3d passed in %2d rounds, %6d calls checked, %4.0f s%s\n",
              opened.task.name.c_str(), policy.c_str(), candidate.label.c_str(), tally.passed,
              arguments.repeat, tally.rounds, tally.checked,
              static_cast<double>(clock.now_ns() - from_ns) / k_ns_per_s, tally.words.c_str());
  std::fflush(stdout);
}

void try_policy(const Arguments& arguments, const std::filesystem::path& file,
                const std::string& policy, Tally& totals) {
  Arguments with_policy = arguments;
  with_policy.policy = policy;
  with_policy.rounds_max = 1;
  if (arguments.timing_s == 0) with_policy.timing_s = k_timing_seconds;
  auto opened = open_task(file, with_policy, 1 + arguments.beside);
  if (!opened || !opened->admitted.admission.degenerate.empty()) {
    std::printf("%-36s %-6s skipped: %s\n", file.stem().c_str(), policy.c_str(),
                opened ? opened->admitted.admission.degenerate.front().c_str()
                       : opened.error().what.c_str());
    return;
  }
  try_often(with_policy, *opened, policy, reference_candidate(opened->task, 0), totals);
  if (policy == "half" && arguments.autocast) {
    try_often(with_policy, *opened, policy, autocast_candidate(*opened, arguments.device), totals);
  }
}

}  // namespace

int soundness(const Arguments& arguments) {
  Tally totals;
  for (const auto& file : task_files(arguments)) {
    for (const std::string& policy : policies_of(arguments)) {
      try_policy(arguments, file, policy, totals);
    }
  }
  std::printf("\n%d judgements of right programs, %d turned away (%.2f %%), %d not judged\n",
              totals.judged, totals.turned_away(),
              100.0 * totals.turned_away() / std::max(totals.judged, 1), totals.failed);
  return totals.turned_away() > 0 ? 1 : 0;
}

}  // namespace cupel::bench
