#include "inputs.h"

#include <algorithm>

#include "base/files.h"
#include "base/source_text.h"
#include "live_status.h"
#include "output.h"
#include "progress_lines.h"
#include "task/load.h"

namespace cupel::cli {
namespace {

constexpr std::size_t k_candidate_bytes_max = 4 << 20;
constexpr std::string_view k_plain_text_hint =
    "save it as UTF-8 without a byte order mark or another coding cookie";

}  // namespace

Result<Task> load_task(const Options& options) {
  // Only a shipped task needs the directory, so its absence is no error yet.
  const auto shipped = task::shipped_directory().value_or(std::filesystem::path("tasks"));
  return task::load(options.task, shipped);
}

Result<Candidate> read_candidate(const std::string& file) {
  CUPEL_TRY(std::string source, read_file(file, k_candidate_bytes_max));
  if (source.find_first_not_of(" \t\r\n") == std::string::npos) {
    return input_error("the candidate's file is empty", file, "it must define ModelNew");
  }
  if (const std::string problem = source_problem(source); !problem.empty()) {
    return input_error("not plain UTF-8 text: " + problem, file, std::string(k_plain_text_hint));
  }
  return make_candidate(std::move(source), file);
}

Result<std::vector<Candidate>> read_candidates(const std::vector<std::string>& files) {
  std::vector<Candidate> candidates;
  for (const std::string& file : files) {
    CUPEL_TRY(Candidate candidate, read_candidate(file));
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

std::vector<std::string> listed(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::unique_ptr<engine::ProgressSink> progress_sink(const Options& options) {
  if (options.progress_lines) return std::make_unique<ProgressLines>(stderr);
  if (options.quiet || options.json) return std::make_unique<engine::SilentSink>();
  return std::make_unique<LiveStatus>(stderr, is_terminal(stderr), style_for(stderr));
}

void show(engine::ProgressSink& sink, engine::Stage stage, const std::string& subject) {
  engine::Progress progress;
  progress.stage = stage;
  progress.subject = subject;
  progress.planned = 1;
  sink.on_progress(progress);
}

}  // namespace cupel::cli
