#include "exit_codes.h"

namespace cupel::cli {

ExitCode exit_code(ErrorTag tag) {
  switch (tag) {
    case ErrorTag::input:
      return k_exit_input;
    case ErrorTag::environment:
      return k_exit_environment;
    case ErrorTag::infra:
    case ErrorTag::bug:
      break;
  }
  return k_exit_internal;
}

ExitCode exit_code(const RunRecord& run) {
  if (!run.finished) return k_exit_interrupted;
  return run.admission.degenerate.empty() ? k_exit_good : k_exit_degenerate;
}

ExitCode exit_code(const Verdict& verdict) {
  switch (verdict.outcome) {
    case Outcome::faster:
      return verdict.on_degenerate_task() ? k_exit_degenerate : k_exit_good;
    case Outcome::same:
    case Outcome::slower:
    case Outcome::ambiguous:
      return k_exit_not_faster;
    case Outcome::wrong:
    case Outcome::suspect:
    case Outcome::impossible:
      return k_exit_wrong;
    case Outcome::build_error:
    case Outcome::runtime_error:
    case Outcome::timeout:
    case Outcome::out_of_memory:
    case Outcome::invalid_reply:
      return k_exit_broken;
    case Outcome::degenerate:
      return k_exit_degenerate;
    case Outcome::infra_fault:
      break;
  }
  return k_exit_internal;
}

}  // namespace cupel::cli
