#include "pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/files.h"
#include "exit_codes.h"
#include "journal/reader.h"
#include "journal/runs.h"
#include "output.h"
#include "report/page/page.h"
#include "suite_files.h"
#include "wiring.h"

namespace cupel::cli {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t k_part_bytes_max = 1 << 20;

// One after the other, by name: what they define is used when all of them are there.
Result<std::string> scripts_in(const fs::path& directory) {
  std::vector<fs::path> files;
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(directory, problem)) {
    if (entry.path().extension() == ".js") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::string text;
  for (const fs::path& file : files) {
    CUPEL_TRY(const std::string script, read_file(file, k_part_bytes_max));
    text += script;
  }
  return text;
}

Result<report::PageParts> page_parts() {
  CUPEL_TRY(const fs::path home, home_directory());
  const fs::path directory = home / "pages";
  report::PageParts parts;
  CUPEL_TRY(parts.html, read_file(directory / "report.html", k_part_bytes_max));
  CUPEL_TRY(parts.style, read_file(directory / "report.css", k_part_bytes_max));
  CUPEL_TRY(parts.script, scripts_in(directory));
  return parts;
}

Result<int> write_page(const std::string& file, const std::string& title, const std::string& json) {
  CUPEL_TRY(const report::PageParts parts, page_parts());
  const std::string page = report::page_html(parts, title, json);
  CUPEL_TRY_STATUS(write_file_atomic(file, page));
  print(fmt::format("{} ({:.1f} MB): open it in a browser\n", file,
                    static_cast<double>(page.size()) / 1e6));
  return k_exit_good;
}

// Of each program the last judgement with times: the final round's or the audit's.
Result<std::vector<report::CallTimes>> times_of(const fs::path& directory) {
  CUPEL_TRY(const auto events, journal::read_events(directory));
  std::map<std::string, report::CallTimes> last;
  for (const journal::Event& event : events) {
    if (event.kind != journal::kind::k_measured) continue;
    CUPEL_TRY(const Evidence evidence, decode_evidence(event.body));
    for (const ProgramEvidence& program : evidence.programs) {
      auto times = report::call_times(program);
      if (times.calls > 0) last[program.candidate_id] = std::move(times);
    }
  }
  std::vector<report::CallTimes> all;
  for (auto& [id, times] : last) all.push_back(std::move(times));
  return all;
}

Result<std::string> data_of_run(const fs::path& directory, std::string* title = nullptr) {
  CUPEL_TRY(const journal::RunState state, journal::read_state(directory));
  CUPEL_TRY(const auto times, times_of(directory));
  if (title != nullptr) *title = state.record.task.name;
  return report::run_page_json(state, times);
}

}  // namespace

Result<std::string> run_page_data(const std::string& run) {
  CUPEL_TRY(const fs::path directory, journal::resolve_run(runs_directory(), run));
  return data_of_run(directory);
}

Result<std::string> suite_page_data(const fs::path& directory, bool with_degenerate) {
  CUPEL_TRY(const auto entries, read_suite(directory));
  const auto suite = report::make_suite(directory.filename(), entries, with_degenerate);
  return report::suite_page_json(suite, entries);
}

Result<int> write_run_page(const std::string& file, const fs::path& directory) {
  std::string title;
  CUPEL_TRY(const std::string json, data_of_run(directory, &title));
  return write_page(file, title, json);
}

Result<int> write_suite_page(const std::string& file, const report::Suite& suite,
                             const std::vector<report::SuiteEntry>& entries) {
  return write_page(file, suite.name, report::suite_page_json(suite, entries));
}

}  // namespace cupel::cli
