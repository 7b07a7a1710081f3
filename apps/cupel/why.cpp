#include "commands.h"
#include "exit_codes.h"
#include "journal/reader.h"
#include "journal/runs.h"
#include "output.h"
#include "report/answers/why_report.h"
#include "wiring.h"

namespace cupel::cli {
namespace {

Result<std::string> text_for(const std::vector<journal::Event>& events, const Options& options) {
  if (options.show_prompt) return report::prompt_text(events);
  if (options.show_reply) return report::reply_text(events);
  if (options.json) return report::why_json(events);
  return report::why_text(events, style_for(stdout));
}

// "winner" names the run's; anything else is an id.
Result<std::string> id_of(const std::filesystem::path& directory, const std::string& named) {
  if (named != k_winner_role) return named;
  CUPEL_TRY(const RunRecord record, journal::read_run(directory));
  if (!record.winner_id.empty()) return record.winner_id;
  return input_error("this run has no winner", directory.string(),
                     "`cupel report` lists what was judged");
}

}  // namespace

Result<int> run_why(const Options& options) {
  CUPEL_TRY(const auto directory, journal::resolve_run(runs_directory(), options.run));
  CUPEL_TRY(const std::string id, id_of(directory, options.candidate));
  CUPEL_TRY(const auto events, journal::events_about(directory, id));
  CUPEL_TRY(const std::string text, text_for(events, options));
  print(text);
  return k_exit_good;
}

}  // namespace cupel::cli
