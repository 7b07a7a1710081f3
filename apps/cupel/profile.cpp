#include "base/stop.h"
#include "commands.h"
#include "exit_codes.h"
#include "inputs.h"
#include "output.h"
#include "report/answers/profile_report.h"
#include "wiring.h"

namespace cupel::cli {
namespace {

// Eager first, which measures the machine, too.
Result<std::vector<Profile>> profiles_of(engine::Evaluator& evaluator,
                                         const std::vector<Candidate>& candidates,
                                         engine::ProgressSink& sink) {
  show(sink, engine::Stage::judge, "eager");
  CUPEL_TRY(Profile eager, evaluator.profile(nullptr));
  std::vector<Profile> profiles{std::move(eager)};
  for (const Candidate& candidate : candidates) {
    show(sink, engine::Stage::judge, candidate.label);
    CUPEL_TRY(Profile one, evaluator.profile(&candidate));
    profiles.push_back(std::move(one));
  }
  return profiles;
}

}  // namespace

Result<int> run_profile(const Options& options) {
  CUPEL_TRY(const Task task, load_task(options));
  std::vector<Candidate> candidates;
  for (const std::string& file : options.candidate_files) {
    CUPEL_TRY(Candidate candidate, read_candidate(file));
    candidates.push_back(std::move(candidate));
  }
  auto sink = progress_sink(options);
  show(*sink, engine::Stage::admit, task.name);
  stop_on_signals();
  CUPEL_TRY(const auto evaluator, make_evaluator(task, run_options(options, task), options));
  CUPEL_TRY(const auto profiles, profiles_of(*evaluator, candidates, *sink));
  sink.reset();  // clears the status line
  print(options.json ? report::profile_json(task.name, profiles)
                     : report::profile_text(task.name, profiles, style_for(stdout)));
  return profiles.back().problem.empty() ? k_exit_good : k_exit_broken;
}

}  // namespace cupel::cli
