#include "judge/audit/process_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace cupel::judge {
namespace {

// Of what python/cupel/process_state.py looks at, by how the names begin.
constexpr auto k_noted = std::to_array<std::string_view>({
    "environment variable ",  // of compilers and libraries, which read them when they start
    "random numbers drawn",   // dropout of its own, say
    "torch.get_num_",         // threads: as many as it finds best; other code takes longer
    "torch.backends.cudnn.benchmark",  // which algorithm, not which arithmetic
    "torch._dynamo.config.",           // how torch.compile goes about it
    "torch._inductor.config.", "warnings.filters", "sys.path", "sys.getrecursionlimit", "gc.",
    "handler of SIGUSR",  // to tell where it is, say; nobody else is sent these
});
// How precise products of float32 may be, in all of the process.
constexpr auto k_precision = std::to_array<std::string_view>({
    "torch.get_float32_matmul_precision",
    "torch.backends.cuda.matmul.allow_tf32",
    "torch.backends.cudnn.allow_tf32",
});
// The same of each backend and kind of product, by how the names end.
constexpr std::string_view k_precision_of_one = ".fp32_precision";
constexpr auto k_highest =
    std::to_array<std::string_view>({"False", "'highest'", "'ieee'", "'none'"});
constexpr std::string_view k_random = "random numbers drawn";
// Variables that change what arithmetic does.
constexpr auto k_arithmetic = std::to_array<std::string_view>({
    "environment variable NVIDIA_TF32_OVERRIDE",
    "environment variable TORCH_ALLOW_TF32_CUBLAS_OVERRIDE",
});
constexpr std::size_t k_named_max = 8;  // in one reason

bool starts_with_any(std::string_view what, const auto& beginnings) {
  return std::ranges::any_of(
      beginnings, [&](std::string_view beginning) { return what.starts_with(beginning); });
}

// Of the program's own making.
std::vector<StateChange> changes_of(const Round& round, const ProgramEvidence& program,
                                    bool breaking) {
  const auto& twins = round.baseline().endurance.left_behind;
  std::vector<StateChange> changes;
  for (const StateChange& change : program.endurance.left_behind) {
    const bool is_twins = std::ranges::any_of(twins, [&](const StateChange& twin) {
      return twin.what == change.what && twin.after == change.after;
    });
    if (!is_twins && breaks_other_code(change, round.evidence.policy) == breaking) {
      changes.push_back(change);
    }
  }
  return changes;
}

bool is_of_precision(std::string_view what) {
  return starts_with_any(what, k_precision) || what.ends_with(k_precision_of_one);
}

bool draws_random_numbers(const ProgramEvidence& program) {
  return std::ranges::any_of(program.endurance.left_behind, [](const StateChange& change) {
    return change.what.starts_with(k_random);
  });
}

std::string text_of(const std::vector<StateChange>& changes) {
  std::string text;
  for (std::size_t i = 0; i < std::min(changes.size(), k_named_max); ++i) {
    const StateChange& change = changes[i];
    text +=
        fmt::format("{}{} is {}, was {}", i ? "; " : "", change.what, change.after, change.before);
  }
  if (changes.size() > k_named_max) {
    text += fmt::format("; and {} more", changes.size() - k_named_max);
  }
  return text;
}

}  // namespace

bool breaks_other_code(const StateChange& change, Policy policy) {
  if (is_of_precision(change.what)) {
    const bool highest = std::ranges::find(k_highest, change.after) != k_highest.end();
    return !highest && policy != Policy::tf32 && policy != Policy::half;
  }
  return !starts_with_any(change.what, k_noted) || starts_with_any(change.what, k_arithmetic);
}

std::optional<Finding> find_left_behind(const Round& round, const ProgramEvidence& program) {
  const auto changes = changes_of(round, program, true);
  if (changes.empty()) return std::nullopt;
  return wrong("process_state",
               "it leaves its process changed for all other code there; put back what it sets: " +
                   text_of(changes),
               static_cast<double>(changes.size()), 0);
}

std::optional<Reason> left_behind_note(const Round& round, const ProgramEvidence& program) {
  auto changes = changes_of(round, program, false);
  if (draws_random_numbers(round.baseline()) && !draws_random_numbers(program)) {
    changes.push_back({std::string(k_random) + " in calls", "drawn by the reference's", "none"});
  }
  if (changes.empty()) return std::nullopt;
  return Reason{"leaves_behind", "it leaves behind in its process: " + text_of(changes),
                static_cast<double>(changes.size()), 0};
}

}  // namespace cupel::judge
