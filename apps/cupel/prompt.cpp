#include "base/files.h"
#include "commands.h"
#include "engine/asking.h"
#include "exit_codes.h"
#include "inputs.h"
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

propose::Context context_for(const Task& task, const RunOptions& run, const TaskFacts& facts) {
  propose::Context context;
  context.task = &task;
  context.facts = &facts;
  context.policy = run.policy;
  context.device = device_kind(run);
  context.machine = describe_machine(context.device);
  context.telling = engine::telling_of(run);
  return context;
}

}  // namespace

Result<int> run_prompt(const Options& options) {
  CUPEL_TRY(const Proposal proposal, proposal_for(options));
  CUPEL_TRY(const Task task, load_task(options));
  CUPEL_TRY(const auto home, home_directory());
  const RunOptions run = run_options(options, task);
  CUPEL_TRY(const auto admitted, admit_alone(task, run, options));
  CUPEL_TRY(
      const Prompt prompt,
      propose::make_prompt(proposal, context_for(task, run, admitted.facts), home / "prompts"));
  print(options.json ? encode(prompt) + "\n" : prompt.system + "\n\n" + prompt.user + "\n");
  return k_exit_good;
}

}  // namespace cupel::cli
