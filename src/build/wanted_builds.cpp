#include "build/wanted_builds.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/files.h"

namespace cupel::build {
namespace {

using nlohmann::json;

constexpr auto k_doors = std::to_array<std::string_view>({"cpp_kernel", "load_inline"});
constexpr double k_seconds_max = 60;  // torch's import on a busy machine takes ten
constexpr std::uint64_t k_memory_bytes_max = 4ULL << 30;
constexpr std::uint64_t k_scratch_bytes_max = 64ULL << 20;
constexpr int k_processes_max = 64;
constexpr std::size_t k_answer_bytes_max = 8u << 20;
constexpr std::size_t k_builds_max = 16;  // of one candidate

// Whatever is not as it must be is left out: the judge will build it when it is asked.
std::vector<WantedBuild> read_answer(const std::string& text) {
  std::vector<WantedBuild> wanted;
  const json answer = json::parse(text, nullptr, false);
  if (!answer.is_array()) return wanted;
  for (std::size_t i = 0; i < std::min(answer.size(), k_builds_max); ++i) {
    try {
      const json& entry = answer[i];
      wanted.push_back({entry.at("kind"), entry.at("name"), entry.at("source"),
                        entry.at("flags").get<std::vector<std::string>>()});
    } catch (const json::exception&) {
      break;
    }
  }
  return wanted;
}

}  // namespace

bool may_want_builds(std::string_view candidate_source) {
  return std::ranges::any_of(k_doors, [&](std::string_view door) {
    return candidate_source.find(door) != std::string_view::npos;
  });
}

Result<std::vector<WantedBuild>> wanted_builds(const PythonTools& tools,
                                               const std::string& architectures,
                                               const std::string& candidate_source,
                                               const std::filesystem::path& work, bool unjailed,
                                               double seconds_max) {
  CUPEL_TRY(const TempDir out, TempDir::create(work, "wanted"));
  PythonJail jail = python_jail(tools, out.path(), unjailed);
  jail.request.argv = {tools.python, "-m", "cupel.wanted_builds"};
  jail.request.memory_bytes_max = k_memory_bytes_max;
  jail.request.scratch_bytes_max = k_scratch_bytes_max;
  jail.request.processes_max = k_processes_max;
  const json question{{"source", candidate_source}, {"architectures", architectures}};
  CUPEL_TRY(const auto run,
            sandbox::run_in_jail(jail.request,
                                 question.dump(-1, ' ', false, json::error_handler_t::replace),
                                 std::min(k_seconds_max, seconds_max), k_answer_bytes_max));
  return read_answer(run.output);
}

}  // namespace cupel::build
