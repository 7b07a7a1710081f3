#include "engine/evaluate/other_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "base/stop.h"
#include "engine/evaluate/as_users_call.h"
#include "engine/evaluate/kept_lint.h"
#include "engine/evaluate/trial.h"
#include "judge/judge.h"
#include "model/samples.h"
#include "task/held_out.h"

namespace cupel::engine {
namespace {

using measure::Program;
using measure::RoundKind;
using Kind = HeldOutRound::Kind;

// Shapes of one task that an audit looks at; each takes seconds, of linting mostly.
constexpr std::size_t k_held_out_max = 4;
// As many programs as the audit's own rounds have room for, beside the reference.
constexpr std::size_t k_layouts_at_once = 2;

// Nobody's fault, unless the programs of the round say so.
bool tells_nothing(const Error& error) {
  return error.tag == ErrorTag::input;
}

// The programs of a round that goes to its end, judged by nobody yet.
Result<std::vector<ProgramEvidence>> trial_of(measure::Session& sitting,
                                              std::vector<Program> round) {
  CUPEL_TRY(Evidence tried, sitting.run_round(std::move(round), unhurried(), RoundKind::trial));
  if (process_stop_flag().raised()) return infra_error("stopped on request");
  return programs_of_trial(std::move(tried));
}

// The reference and another program, on the task's own inputs and weights.
HeldOutRound in_this_world(const OtherCalls& calls, std::vector<ProgramEvidence> programs,
                           const InputLayout& layout) {
  HeldOutRound one;
  one.kind = layout.of_weights ? Kind::load : Kind::layout;
  one.shape = layout.what;
  one.facts = calls.admitted.facts;
  one.admission = calls.admitted.admission;
  one.programs = std::move(programs);
  return one;
}

bool is_right(const OtherCalls& calls, const HeldOutRound& one) {
  Evidence evidence;
  evidence.programs = one.programs;
  return is_correct(
      judge::judge(evidence, 1, one.facts, one.admission, calls.task.settings).outcome);
}

// The program in this layout, on inputs that the reference was given in it, too: some arithmetic
// rounds otherwise there. Nothing where the reference does not take them, or not rightly.
Result<std::optional<HeldOutRound>> beside_reference(const OtherCalls& calls,
                                                     measure::Session& sitting,
                                                     const Candidate& program,
                                                     const InputLayout& layout) {
  std::vector<Program> round{
      {calls.reference, "Model", Role::baseline, true},
      {in_layout(calls.reference, "Model", layout), "Model", Role::candidate},
      {in_layout(program, "ModelNew", layout), "ModelNew", Role::candidate}};
  CUPEL_TRY(const auto tried, trial_of(sitting, std::move(round)));
  std::optional<HeldOutRound> one;
  if (is_right(calls, in_this_world(calls, {tried[0], tried[1]}, layout))) {
    one = in_this_world(calls, {tried[0], tried[2]}, layout);
  }
  return one;
}

// Beside the reference as ever, two layouts a round. What fails is tried again beside the reference
// in that layout: one that the reference does not take, or not rightly, tells nothing.
Status try_layouts(const OtherCalls& calls, measure::Session& sitting, const Candidate& program,
                   std::vector<HeldOutRound>& rounds) {
  const auto all = input_layouts(calls.admitted.facts, calls.settings.device->traits().queues_work);
  std::span<const InputLayout> left(all);
  while (!left.empty()) {
    const auto layouts = left.first(std::min(left.size(), k_layouts_at_once));
    left = left.subspan(layouts.size());
    std::vector<Program> round{{calls.reference, "Model", Role::baseline, true}};
    for (const InputLayout& layout : layouts) {
      round.push_back({in_layout(program, "ModelNew", layout), "ModelNew", Role::candidate});
    }
    CUPEL_TRY(const auto tried, trial_of(sitting, std::move(round)));
    for (std::size_t i = 0; i < layouts.size(); ++i) {
      std::optional<HeldOutRound> one = in_this_world(calls, {tried[0], tried[i + 1]}, layouts[i]);
      if (!is_right(calls, *one)) {
        CUPEL_TRY(one, beside_reference(calls, sitting, program, layouts[i]));
      }
      if (one) rounds.push_back(std::move(*one));
    }
  }
  return {};
}

using ProgramFor = std::function<Candidate(const TaskFacts&)>;

Result<HeldOutRound> try_sound_task(const OtherCalls& calls, const Task& other,
                                    const ProgramFor& program) {
  CUPEL_TRY(const auto sitting, calls.further_sitting(other));
  HeldOutRound round;
  CUPEL_TRY(round.facts, sitting->open());
  CUPEL_TRY(round.admission, lint(*sitting, calls.settings, other, calls.policy, round.facts));
  const Candidate reference = make_candidate(other.source, "eager");
  CUPEL_TRY(round.programs,
            trial_of(*sitting, {{reference, "Model", Role::baseline},
                                {program(round.facts), "ModelNew", Role::candidate}}));
  return round;
}

Result<HeldOutRound> try_task(const OtherCalls& calls, const Task& other,
                              const ProgramFor& program) {
  auto tried = try_sound_task(calls, other, program);
  if (process_stop_flag().raised()) return infra_error("stopped on request");
  if (tried || !tells_nothing(tried.error())) return tried;
  HeldOutRound failed;
  failed.problem = tried.error().describe();
  return failed;
}

// The program tells all that the reference tells. What it has but a part of, it is asked for that
// part.
Status try_telling(const OtherCalls& calls, const Candidate& program, const FurtherOutputs& outputs,
                   const Task& task, Kind kind, std::vector<HeldOutRound>& rounds) {
  const auto add = [&](HeldOutRound& round, const std::vector<std::string>& told) {
    round.kind = kind;
    round.shape = described(outputs, told);
    rounds.push_back(std::move(round));
  };
  std::vector<std::string> wanted;
  CUPEL_TRY(auto whole, try_task(calls, telling(task, outputs, calls.admitted.facts),
                                 [&](const TaskFacts& facts) {
                                   wanted = told_by(outputs, facts);
                                   return telling(program, outputs, wanted);
                                 }));
  const bool has_any = kind == Kind::state || !wanted.empty();
  if (!has_any) return {};
  const auto part =
      whole.programs.size() < 2 ? std::vector<std::string>() : part_of(wanted, whole.programs[1]);
  add(whole, wanted);
  if (part.empty()) return {};
  CUPEL_TRY(auto rest, try_task(calls, telling(task, outputs, part),
                                [&](const TaskFacts&) { return telling(program, outputs, part); }));
  add(rest, part);
  return {};
}

}  // namespace

Result<std::vector<HeldOutRound>> try_others(const OtherCalls& calls, measure::Session& sitting,
                                             const Candidate& program) {
  std::vector<HeldOutRound> rounds;
  const auto as_it_is = [&program](const TaskFacts&) { return program; };
  for (const std::string& shape : calls.task.settings.held_out) {
    if (rounds.size() == k_held_out_max) break;
    CUPEL_TRY(auto tried, try_task(calls, task::on_shape(calls.task, shape), as_it_is));
    tried.shape = shape;
    rounds.push_back(std::move(tried));
  }
  CUPEL_TRY_STATUS(try_layouts(calls, sitting, program, rounds));
  Task own_inputs = calls.task;
  // Broadcasts and options: what is looked for hangs on places and branches, not on numbers.
  own_inputs.settings.value_classes = {std::string(k_nominal_class)};
  if (calls.admitted.facts.inputs.size() > 1) {
    CUPEL_TRY_STATUS(try_telling(calls, program, k_broadcasts, own_inputs, Kind::layout, rounds));
  }
  if (!calls.admitted.facts.options.empty()) {
    CUPEL_TRY_STATUS(try_telling(calls, program, k_options, own_inputs, Kind::option, rounds));
  }
  if (calls.admitted.admission.evidence.changes_state) {
    CUPEL_TRY_STATUS(try_telling(calls, program, k_state, calls.task, Kind::state, rounds));
  }
  if (calls.admitted.admission.evidence.mutates_inputs) {
    CUPEL_TRY_STATUS(try_telling(calls, program, k_inputs, calls.task, Kind::inputs, rounds));
  }
  return rounds;
}

}  // namespace cupel::engine
