#include "engine/turn/profiling.h"

#include <algorithm>
#include <limits>

#include "engine/plan/durations.h"
#include "engine/plan/proposing.h"
#include "engine/plan/schedule.h"
#include "engine/plan/under_way.h"
#include "engine/turn/asking.h"
#include "engine/turn/show.h"
#include "report/answers/profile_report.h"
#include "search/winning/choice.h"

namespace cupel::engine {
namespace {

using journal::OpenProposal;
using journal::RunState;

const std::string k_eager;  // whose profile has no candidate's id

bool is_told(const Sitting& sitting) {
  return sitting.agents.any() && sitting.evaluator.can_profile() &&
         telling_of(sitting.state().record.options).profile;
}

// Not profiled yet, and there is room for it.
bool is_wanted(const RunState& state, const std::string& candidate_id) {
  return !state.profiles.contains(candidate_id) && state.profiles.size() < k_profiles_max;
}

// Those whose question is still to be asked.
bool awaits_question(const OpenProposal& open) {
  return asks_writer(open.proposal.kind) && is_unasked(open);
}

// The parent whose numbers an analysis is about, unless it has them.
const Candidate* parent_to_profile(const RunState& state, const Proposal& proposal) {
  if (proposal.kind != Proposal::Kind::analyse || proposal.parents.empty()) return nullptr;
  const auto found = state.judged_at.find(proposal.parents.front());
  if (found == state.judged_at.end() || !is_wanted(state, found->first)) return nullptr;
  return &state.record.judged[found->second].candidate;
}

// What a question waits for: nothing, eager (a null candidate), or a parent.
std::optional<const Candidate*> wanted_of(const RunState& state) {
  if (std::none_of(state.open.begin(), state.open.end(), &awaits_question)) return std::nullopt;
  if (is_wanted(state, k_eager)) return nullptr;
  for (const OpenProposal& open : state.open) {
    const Candidate* const parent =
        awaits_question(open) ? parent_to_profile(state, open.proposal) : nullptr;
    if (parent) return parent;
  }
  return std::nullopt;
}

// The best free variant, if there will be prompts that can tell of it.
const Judged* free_to_profile(const RunState& state) {
  const bool asks = std::any_of(state.open.begin(), state.open.end(), [](const OpenProposal& open) {
    return asks_writer(open.proposal.kind);
  });
  if (!asks || is_wanted(state, k_eager)) return nullptr;
  const Judged* const best = search::choose(state.record.judged, {}).best_free;
  return best && is_wanted(state, best->candidate.id) ? best : nullptr;
}

std::string start(Sitting& sitting, const Candidate* program) {
  const std::string subject = "profile of " + (program ? program->label : "eager");
  show(sitting, Stage::judge, subject);
  sitting.lanes.profile(subject, program ? std::optional(*program) : std::nullopt);
  return subject;
}

const Profile* profile_of(const RunState& state, const std::string& candidate_id) {
  const auto found = state.profiles.find(candidate_id);
  return found == state.profiles.end() ? nullptr : &found->second;
}

void add_rows(const Profile* profile, const Profile& machine, std::string name,
              propose::Context& context) {
  if (!profile) return;
  std::string rows = report::profile_rows(*profile, machine);
  if (profile->claimed) name += ", as its own process claims";
  if (!rows.empty()) context.where_time_goes.emplace_back(std::move(name), std::move(rows));
}

}  // namespace

bool awaits_profile(const Sitting& sitting, const Proposal& proposal) {
  if (!is_told(sitting)) return false;
  return is_wanted(sitting.state(), k_eager) || parent_to_profile(sitting.state(), proposal);
}

std::optional<std::string> start_wanted_profile(Sitting& sitting) {
  if (!is_told(sitting) || !sitting.lanes.can_measure()) return std::nullopt;
  const auto wanted = wanted_of(sitting.state());
  return wanted ? std::optional(start(sitting, *wanted)) : std::nullopt;
}

std::optional<std::string> start_free_profile(Sitting& sitting) {
  if (!is_told(sitting) || !sitting.lanes.can_measure()) return std::nullopt;
  const RunState& state = sitting.state();
  const Judged* const best = free_to_profile(state);
  if (!best) return std::nullopt;
  // It compiles once more.
  const bool fits =
      seed_s(state, best->proposal) <= bought_due_s(state, sitting.journal.elapsed_s());
  return fits ? std::optional(start(sitting, &best->candidate)) : std::nullopt;
}

Status take_profile(Sitting& sitting, Profiled profiled) {
  Profile kept;
  kept.candidate_id = profiled.candidate_id;
  if (profiled.profile) {
    kept = std::move(*profiled.profile);
  } else {
    kept.problem = profiled.profile.error().describe();
  }
  if (!kept.problem.empty()) {
    sitting.progress.on_note("no profile of " + (kept.label.empty() ? "a program" : kept.label) +
                             ": " + kept.problem);
  }
  return sitting.journal.profile(kept);
}

Status profile_eager(Sitting& sitting) {
  if (sitting.stopped() || !sitting.evaluator.can_profile()) return {};
  if (!is_wanted(sitting.state(), k_eager)) return {};
  start(sitting, nullptr);
  while (auto completion = sitting.lanes.next(std::numeric_limits<double>::infinity())) {
    auto* const profiled = std::get_if<Profiled>(&completion->outcome);
    if (profiled) return take_profile(sitting, std::move(*profiled));
  }
  return {};
}

void add_profiles(const RunState& state, propose::Context& context) {
  const Profile* const eager = profile_of(state, k_eager);
  if (!eager) return;
  add_rows(eager, *eager, "Eager", context);
  if (context.best_free) {
    const std::string& id = context.best_free->candidate.id;
    add_rows(profile_of(state, id), *eager, "The best free variant", context);
  }
  if (context.parents.empty()) return;
  const Profile* const parent = profile_of(state, context.parents.front()->candidate.id);
  if (!parent) return;
  context.profile = report::profile_numbers(*parent, *eager);
  context.profile_is_claim = parent->claimed;
}

}  // namespace cupel::engine
