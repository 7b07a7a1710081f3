// Admission of many tasks: which mutants plain allclose at 1e-2 would accept, and which tasks
// cannot tell right from wrong even under the derived tolerance.
#include <cstdio>
#include <set>

#include "bench.h"

namespace cupel::bench {

int lint(const Arguments& arguments) {
  int sound = 0;
  int weak = 0;
  int degenerate = 0;
  int skipped = 0;
  std::set<std::string> mutants;
  for (const auto& file : task_files(arguments)) {
    auto opened = open_task(file, arguments, true);
    if (!opened) {
      ++skipped;
      std::printf("skip        %-44s %s\n", file.stem().c_str(), opened.error().what.c_str());
      std::fflush(stdout);
      continue;
    }
    const Admission& admission = opened->admitted.admission;
    for (const auto& mutant : admission.evidence.mutants) mutants.insert(mutant.name);
    std::string accepted;
    for (const auto& name : admission.weak_at_1e2)
      accepted += (accepted.empty() ? "" : ", ") + name;
    if (!accepted.empty()) ++weak;
    if (admission.degenerate.empty()) {
      ++sound;
      std::printf("sound       %-44s %s\n", file.stem().c_str(),
                  accepted.empty() ? "" : ("allclose at 1e-2 would take: " + accepted).c_str());
    } else {
      ++degenerate;
      for (const auto& reason : admission.degenerate) {
        std::printf("degenerate  %-44s %s\n", file.stem().c_str(), reason.c_str());
      }
    }
    std::fflush(stdout);
  }
  std::printf(
      "\n%d sound, %d degenerate, %d skipped; on %d, allclose at 1e-2 would take a mutant\n"
      "mutants tried:",
      sound, degenerate, skipped, weak);
  for (const auto& name : mutants) std::printf(" %s", name.c_str());
  std::printf("\n");
  return 0;
}

}  // namespace cupel::bench
