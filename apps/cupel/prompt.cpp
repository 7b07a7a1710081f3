#include "base/files.h"
#include "base/stop.h"
#include "commands.h"
#include "engine/own_programs/rewriting.h"
#include "engine/turn/asking.h"
#include "engine/turn/profiling.h"
#include "exit_codes.h"
#include "inputs.h"
#include "journal/state.h"
#include "output.h"
#include "propose/agent.h"
#include "wiring.h"

namespace cupel::cli {
namespace {

// Agents that begin a search: the others are asked about programs that a run has judged.
Result<Proposal> proposal_for(const Options& options) {
  Proposal proposal;
  proposal.idea = options.idea;
  for (const auto kind :
       {Proposal::Kind::write, Proposal::Kind::brainstorm, Proposal::Kind::convert}) {
    if (to_string(kind) != options.agent) continue;
    proposal.kind = kind;
    return proposal;
  }
  return input_error("no agent '" + options.agent + "' begins a search", "--agent",
                     "one of: write, brainstorm, convert; of a run: cupel why RUN ID --prompt");
}

// The task as a run would know it when it asks for the first time.
struct Known {
  engine::Admitted admitted;
  journal::RunState state;  // rewritten programs, and eager's profile if agents are told of it
};

Result<Known> look_at(const Task& task, const RunOptions& run, const Options& options) {
  auto sink = progress_sink(options);  // its end clears the status line
  show(*sink, engine::Stage::admit, task.name);
  stop_on_signals();
  CUPEL_TRY(const auto evaluator, make_search_evaluator(task, run, options));
  Known known;
  CUPEL_TRY(known.admitted, evaluator->admit());
  if (const auto exported = evaluator->graph()) {
    const engine::SeedChoice choice{known.admitted.facts, run.policy, run.effort, run.device};
    known.state.seeds = engine::rewritten(task, *exported, choice).seeds;
  }
  const propose::Telling telling = engine::telling_of(run);
  if (!telling.profile || !telling.times) return known;
  show(*sink, engine::Stage::judge, "profile of eager");
  auto profile = evaluator->profile(nullptr);
  const std::string problem = profile ? profile->problem : profile.error().describe();
  if (!problem.empty()) {
    sink->on_note("the prompt has no table of where the time goes: " + problem +
                  "; `cupel profile` makes one, and a run shows it where it can be had");
  } else {
    known.state.profiles.emplace("", std::move(*profile));
  }
  return known;
}

propose::Context context_for(const Task& task, const RunOptions& run, const Known& known) {
  propose::Context context;
  context.task = &task;
  context.facts = &known.admitted.facts;
  context.policy = run.policy;
  context.device = device_kind(run);
  context.machine = describe_machine(context.device);
  context.telling = engine::telling_of(run);
  context.rewritten = engine::plainest_rewritten(known.state.seeds);
  engine::add_profiles(known.state, context);
  return context;
}

}  // namespace

Result<int> run_prompt(const Options& options) {
  CUPEL_TRY(const Proposal proposal, proposal_for(options));
  CUPEL_TRY(const Task task, load_task(options));
  CUPEL_TRY(const auto home, home_directory());
  const RunOptions run = run_options(options, task);
  CUPEL_TRY(const Known known, look_at(task, run, options));
  CUPEL_TRY(const Prompt prompt,
            propose::make_prompt(proposal, context_for(task, run, known), home / "prompts"));
  print(options.json ? encode(prompt) + "\n" : prompt.system + "\n\n" + prompt.user + "\n");
  return k_exit_good;
}

}  // namespace cupel::cli
