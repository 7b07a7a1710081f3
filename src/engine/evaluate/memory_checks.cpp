#include "engine/evaluate/memory_checks.h"

#include <algorithm>

#include "base/words.h"
#include "sandbox/process.h"

namespace cupel::engine {
namespace {

constexpr auto npos = std::string_view::npos;
constexpr double k_help_seconds_max = 10;
constexpr std::size_t k_help_bytes_max = 256 << 10;
constexpr std::string_view k_unnamed_namespace = "(anonymous namespace)::";

using Command = std::vector<std::string>;

Command with(const std::vector<std::string>& checker, std::initializer_list<const char*> options,
             const std::vector<std::string>& kernels = {}) {
  Command command = checker;
  command.insert(command.end(), options.begin(), options.end());
  for (const std::string& kernel : kernels) {
    command.emplace_back("--kernel-name");
    command.push_back("kns=" + kernel);
  }
  return command;
}

// The name in "... at void space::name<(int)4>(float *)+0x10"; "" if there is none.
std::string_view kernel_in(std::string_view report) {
  const std::size_t at = report.rfind(" at ");
  if (at == npos) return {};
  report.remove_prefix(at + 4);
  if (const std::size_t inner = report.find(k_unnamed_namespace); inner != npos) {
    report.remove_prefix(inner + k_unnamed_namespace.size());
  }
  report = report.substr(0, report.find_first_of("<(+"));
  std::size_t begin = report.size();
  while (begin > 0 && is_word_char(report[begin - 1])) --begin;
  return report.substr(begin);
}

}  // namespace

std::vector<Command> memory_checks(const std::vector<std::string>& checker, std::string_view help,
                                   const ProgramEvidence& program) {
  if (checker.empty()) return {};
  std::vector<Command> commands{with(checker, {"--tool", "memcheck", "--report-api-errors", "no"})};
  const auto& [names, unnamed] = program.sharing;
  if (names.empty() && !unnamed) return commands;
  const auto kernels = unnamed ? std::vector<std::string>() : names;
  commands.push_back(
      with(checker, {"--tool", "racecheck", "--racecheck-report", "analysis"}, kernels));
  // Else initcheck knows global memory alone, where the judge writes inputs that it takes for
  // uninitialized.
  constexpr const char* k_space = "--initcheck-address-space";
  if (help.find(k_space) == npos) return commands;
  commands.push_back(with(checker, {"--tool", "initcheck", k_space, "shared"}, kernels));
  return commands;
}

bool is_own_kernel(std::string_view report, const ProgramEvidence& program,
                   std::string_view source) {
  const auto& [names, unnamed] = program.sharing;
  if (!unnamed) return true;
  const std::string_view kernel = kernel_in(report);
  return std::ranges::find(names, kernel) != names.end() ||
         (!kernel.empty() && find_word(source, kernel) != npos);
}

std::string help_of(const std::string& tool) {
  sandbox::SpawnRequest request;
  request.argv = {tool, "--help"};
  const auto run = sandbox::run_tool(request, "", k_help_seconds_max, k_help_bytes_max);
  return run ? run->output : "";
}

}  // namespace cupel::engine
