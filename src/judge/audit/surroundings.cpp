#include "judge/audit/surroundings.h"

namespace cupel::judge {
namespace {

constexpr std::size_t k_program = 1;

std::optional<Finding> failure_in(const Round& round) {
  const auto& programs = round.evidence.surroundings;
  if (programs.size() <= k_program) return std::nullopt;
  Evidence evidence;
  evidence.task_id = round.evidence.task_id;
  evidence.policy = round.evidence.policy;
  evidence.programs = programs;
  const Round there(evidence, round.facts, round.admission, round.settings);
  const ProgramEvidence& program = evidence.programs[k_program];
  return find_failure(there, program, there.summary_of(program));
}

}  // namespace

std::optional<Finding> find_in_surroundings(const Round& round) {
  auto failure = failure_in(round);
  if (!failure || failure->fault == Fault::reference) return std::nullopt;
  const std::string text =
      "with another directory, user, host name, environment and number of threads than the "
      "judge's jail has: " +
      failure->feedback;
  if (!load_may_cause(failure->outcome)) return wrong("surroundings", text);
  failure->reason.text = failure->feedback = text;
  return failure;
}

std::optional<Reason> surroundings_unchecked(const Round& round) {
  const auto failure = failure_in(round);
  if (!failure || failure->fault != Fault::reference) return std::nullopt;
  return Reason{"surroundings_unchecked",
                "it was not run in surroundings like a user's: " + failure->feedback, 0, 0};
}

}  // namespace cupel::judge
