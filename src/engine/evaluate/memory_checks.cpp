#include "engine/evaluate/memory_checks.h"

#include <algorithm>
#include <array>

#include "base/words.h"
#include "sandbox/process.h"

namespace cupel::engine {
namespace {

constexpr auto npos = std::string_view::npos;
constexpr std::string_view k_kernel_mark = "__global__";
constexpr std::size_t k_kernels_max = 8;  // of one candidate; an honest one has a few
constexpr double k_help_seconds_max = 10;
constexpr std::size_t k_help_bytes_max = 256 << 10;
// What may stand between the mark and the kernel's name, with words in brackets.
constexpr auto k_attributes = std::to_array<std::string_view>(
    {"__launch_bounds__", "__cluster_dims__", "__maxnreg__", "__block_size__"});

using Command = std::vector<std::string>;

std::size_t end_of_word(std::string_view text, std::size_t at) {
  while (at < text.size() && is_word_char(text[at])) ++at;
  return at;
}

// The word before the first bracket that is no attribute's; "" if there is none.
std::string_view name_after(std::string_view text, std::size_t at) {
  std::string_view last;
  for (; at < text.size() && text[at] != ';' && text[at] != '{'; ++at) {
    if (is_word_char(text[at])) {
      const std::size_t end = end_of_word(text, at);
      last = text.substr(at, end - at);
      at = end - 1;
    } else if (text[at] == '(') {
      if (std::ranges::find(k_attributes, last) == k_attributes.end()) return last;
      at = std::min(text.find(')', at), text.size() - 1);
    }
  }
  return {};
}

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

}  // namespace

std::vector<std::string> shared_memory_kernels(std::string_view source) {
  std::vector<std::string> kernels;
  if (find_word(source, "__shared__") == npos) return kernels;
  for (std::size_t at = find_word(source, k_kernel_mark); at != npos;
       at = find_word(source, k_kernel_mark, at + k_kernel_mark.size())) {
    const std::string name(name_after(source, at + k_kernel_mark.size()));
    const bool known = std::ranges::find(kernels, name) != kernels.end();
    if (!name.empty() && !known && kernels.size() < k_kernels_max) kernels.push_back(name);
  }
  return kernels;
}

std::vector<Command> memory_checks(const std::vector<std::string>& checker, std::string_view help,
                                   std::string_view source) {
  if (checker.empty()) return {};
  std::vector<Command> commands{with(checker, {"--tool", "memcheck", "--report-api-errors", "no"})};
  const std::vector<std::string> kernels = shared_memory_kernels(source);
  if (kernels.empty()) return commands;
  commands.push_back(
      with(checker, {"--tool", "racecheck", "--racecheck-report", "analysis"}, kernels));
  // Else initcheck knows global memory alone, where the judge writes inputs that it takes for
  // uninitialized.
  constexpr const char* k_space = "--initcheck-address-space";
  if (help.find(k_space) == npos) return commands;
  commands.push_back(with(checker, {"--tool", "initcheck", k_space, "shared"}, kernels));
  return commands;
}

std::string help_of(const std::string& tool) {
  sandbox::SpawnRequest request;
  request.argv = {tool, "--help"};
  const auto run = sandbox::run_tool(request, "", k_help_seconds_max, k_help_bytes_max);
  return run ? run->output : "";
}

}  // namespace cupel::engine
