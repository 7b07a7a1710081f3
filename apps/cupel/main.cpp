// cupel: parse, run one command, report its error.
#include <array>
#include <string_view>
#include <utility>

#include "base/stop.h"
#include "command_line.h"
#include "commands.h"
#include "exit_codes.h"
#include "output.h"

namespace cupel::cli {
namespace {

Result<int> run_completion(const Options&) {
  print(bash_completion());
  return k_exit_good;
}

using Command = Result<int> (*)(const Options&);
constexpr auto k_commands = std::to_array<std::pair<std::string_view, Command>>({
    {"optimize", run_optimize},
    {"estimate", run_estimate},
    {"suite", run_suite},
    {"judge", run_judge},
    {"lint", run_lint},
    {"profile", run_profile},
    {"rewrite", run_rewrite},
    {"capture", run_capture},
    {"optimize-model", run_optimize_model},
    {"resume", run_resume},
    {"replay", run_replay},
    {"compare", run_compare},
    {"report", run_report},
    {"figures", run_figures},
    {"runs", run_runs},
    {"why", run_why},
    {"prompt", run_prompt},
    {"ship", run_ship},
    {"recheck", run_recheck},
    {"doctor", run_doctor},
    {"tasks", run_tasks},
    {"version", run_version},
    {"completion", run_completion},
});

Result<int> run(const Parsed& parsed) {
  if (!parsed.text.empty()) {
    print(parsed.text);
    return k_exit_good;
  }
  for (const auto& [name, command] : k_commands) {
    if (name == parsed.options.command) return command(parsed.options);
  }
  return bug_error("no such command: " + parsed.options.command);
}

// Asked before parsing too, so that a wrong command line answers in the same form.
bool wants_json(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--json") return true;
  }
  return false;
}

int main(int argc, const char* const* argv) {
  const auto parsed = parse_command_line(argc, argv);
  const Result<int> code = parsed ? run(*parsed) : fail(parsed.error());
  if (code) return *code;
  print_error(code.error(), wants_json(argc, argv));
  return process_stop_flag().raised() ? k_exit_interrupted : exit_code(code.error().tag);
}

}  // namespace
}  // namespace cupel::cli

int main(int argc, char** argv) {
  return cupel::cli::main(argc, argv);
}
