#include "engine/evaluate/real_evaluator.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "base/clock.h"
#include "base/files.h"
#include "base/stop.h"
#include "engine/evaluate/builds.h"
#include "engine/evaluate/kept_lint.h"
#include "engine/evaluate/memory_checks.h"
#include "engine/evaluate/other_calls.h"
#include "engine/evaluate/session_settings.h"
#include "engine/evaluate/trial.h"
#include "engine/own_programs/provenance.h"
#include "engine/own_programs/rewriting.h"
#include "engine/rounds/beside.h"
#include "judge/audit/audit.h"
#include "judge/audit/memory_check.h"
#include "judge/checks.h"
#include "judge/judge.h"
#include "judge/timing/repeat.h"
#include "judge/timing/settle.h"
#include "measure/session.h"
#include "sandbox/cores.h"
#include "sandbox/jail.h"

namespace cupel::engine {
namespace {

using measure::Program;
using measure::RoundKind;

// A round of several programs takes this part of the device's memory: the referee and compilers
// need some, and so may other runs on it.
constexpr std::int64_t k_round_memory_part = 3;

// Kernels of one candidate that an audit looks at, one after the other.
constexpr std::size_t k_kernel_trials_max = 3;

// From now on only inputs of classes that are relied on. A task whose reference is of no use on any
// keeps all.
Status draw_relied(measure::Session& session, const Admission& admission) {
  std::vector<std::string> relied;
  for (const auto& tolerance : admission.tolerances) relied.push_back(tolerance.value_class);
  return relied.empty() ? Status() : session.draw(relied);
}

// Of a task that is open.
Status readmit_in(measure::Session& session, const Admission& admission) {
  CUPEL_TRY_STATUS(session.readmit(admission.evidence));
  return draw_relied(session, admission);
}

template <class T>
Status keep(Result<T> found, T& kept) {
  CUPEL_TRY(kept, std::move(found));
  return {};
}

class RealEvaluator final : public Evaluator {
 public:
  RealEvaluator(Task task, const RunOptions& options, const judge::RepeatLimits& repeat,
                measure::SessionSettings settings, std::shared_ptr<Builds> builds,
                std::unique_ptr<measure::Session> session)
      : task_(std::move(task)),
        policy_(options.policy),
        device_(options.device),
        repeat_(repeat),
        settings_(std::move(settings)),
        builds_(std::move(builds)),
        session_(std::move(session)) {}

  Result<Admitted> admit() override {
    CUPEL_TRY_STATUS(open_task());
    CUPEL_TRY(admitted_.admission, lint(*session_, settings_, task_, policy_, admitted_.facts));
    CUPEL_TRY_STATUS(draw_relied(*session_, admitted_.admission));
    return admitted_;
  }

  Result<GraphExport> graph() override {
    CUPEL_TRY_STATUS(open_task());
    CUPEL_TRY(auto exported, session_->graph());
    const SeedChoice all{admitted_.facts, policy_, Effort::full, device_};
    own_.add(rewritten(task_, exported, all).seeds);
    knows_rewritings_ = true;
    return exported;
  }

  Status readmit(const Admitted& admitted) override {
    CUPEL_TRY(const auto facts, session_->open());
    if (facts.output_tree != admitted.facts.output_tree) {
      return input_error("the task returns something else than when the run began", task_.path);
    }
    admitted_ = admitted;
    opened();
    return readmit_in(*session_, admitted_.admission);
  }

  bool can_label() const override { return true; }

  Result<std::vector<std::vector<Label>>> labels(const std::vector<Candidate>& programs) override {
    std::vector<std::string> sources;
    for (const Candidate& program : programs) sources.push_back(program.source);
    return session_->labels(sources);
  }

  bool can_profile() const override { return true; }

  Result<Profile> profile(const Candidate* program) override {
    CUPEL_TRY_STATUS(open_task());
    if (!program) return session_->profile({reference_, "Model", Role::baseline, true});
    know_rewritings({*program});
    return session_->profile({*program, "ModelNew", Role::candidate, own_.made(*program)});
  }

  Status prebuild(const Candidate& program) override { return builds_->build_ahead(program); }

  int programs_beside() const override {
    const measure::DeviceTraits& device = settings_.device->traits();
    if (!device.compiles_beside) return 1;
    return programs_fitting(admitted_.facts, device.memory_bytes / k_round_memory_part) - 1;
  }

  // What one round leaves open is judged alone.
  Result<std::vector<Judgement>> judge_beside(const std::vector<Candidate>& programs) override {
    know_rewritings(programs);
    const auto again = [this](const Verdict& verdict) {
      return judge::wants_repeat(verdict, 1, repeat_);
    };
    const auto once = [this](const std::vector<Candidate>& some) {
      return judge_over(some, some.size() > 1 ? 1 : repeat_.rounds_max);
    };
    return judge_together(programs, once, again);
  }

  Result<Judgement> judge(const std::vector<Candidate>& programs) override {
    know_rewritings(programs);
    return judge_over(programs, repeat_.rounds_max);
  }

  Result<Judgement> audit(const Candidate& program) override {
    know_rewritings({program});
    CUPEL_TRY(const auto sitting, further_sitting(task_));
    CUPEL_TRY_STATUS(sitting->open());
    CUPEL_TRY_STATUS(readmit_in(*sitting, admitted_.admission));
    Evidence evidence;
    const auto measure_as = [&](RoundKind kind) {
      std::vector<Program> round = programs_of({program});
      round.push_back({reference_, "Model", Role::rival, true});
      return run(*sitting, std::move(round), kind, evidence);
    };
    // Cheap ones first. The first part that finds something ends the audit.
    const std::function<Status()> parts[] = {
        [&] { return measure_as(RoundKind::audit); },
        [&] { return keep(try_others(others(), *sitting, program), evidence.held_out); },
        [&] { return keep(try_as_users(*sitting, program), evidence.surroundings); },
        [&] {
          return keep(check_memory(*sitting, program, evidence.programs[1]), evidence.memory_check);
        },
        [&] { return keep(try_kernels(*sitting, program, evidence), evidence.kernel_trials); },
        [&] { return measure_as(RoundKind::endurance); }};
    Verdict verdict;
    for (const auto& part : parts) {
      CUPEL_TRY_STATUS(part());
      verdict = audited(evidence);
      if (!is_correct(verdict.outcome)) return Judgement{std::move(evidence), {std::move(verdict)}};
    }
    // How fast it is matters of a program that is right alone.
    while (judge::wants_audit_round(verdict, evidence.rounds, repeat_)) {
      CUPEL_TRY_STATUS(measure_as(RoundKind::audit));
      verdict = audited(evidence);
    }
    return Judgement{std::move(evidence), {std::move(verdict)}};
  }

 private:
  // What needs no admission: the task's facts, once.
  Status open_task() {
    if (!admitted_.facts.outputs.empty()) return {};
    CUPEL_TRY(admitted_.facts, session_->open());
    opened();
    return {};
  }

  void opened() { own_ = Provenance(task_, admitted_.facts, policy_, device_); }

  // A run that goes on has rewritten programs that this process has not made yet. Their text says
  // so, and that proves nothing: the rules are asked what they make of the task. Where that fails
  // they are programs like others.
  void know_rewritings(const std::vector<Candidate>& programs) {
    if (knows_rewritings_ || std::ranges::none_of(programs, &looks_rewritten)) return;
    knows_rewritings_ = true;
    static_cast<void>(graph());
  }

  // A judgement goes on over fresh hosts until it is decided: judge/timing/repeat.h.
  Result<Judgement> judge_over(const std::vector<Candidate>& programs, int rounds_max) {
    const SystemClock clock;
    const auto start_ns = clock.now_ns();
    Evidence evidence;
    for (;;) {
      CUPEL_TRY_STATUS(run(*session_, programs_of(programs), RoundKind::judgement, evidence));
      const auto verdicts = verdicts_on(evidence);
      const double seconds = static_cast<double>(clock.now_ns() - start_ns) / k_ns_per_s;
      const bool ends = evidence.rounds >= rounds_max || seconds > repeat_.seconds_max;
      const bool open = judge::wants_repeat(evidence, verdicts, repeat_);
      if (ends || !(open || judge::rests_on_few(evidence, verdicts, seconds, repeat_))) {
        return Judgement{std::move(evidence), verdicts};
      }
    }
  }

  OtherCalls others() const {
    return {task_,     policy_,    settings_,
            admitted_, reference_, [this](const Task& task) { return further_sitting(task); }};
  }

  std::vector<Program> programs_of(const std::vector<Candidate>& candidates) const {
    std::vector<Program> round{{reference_, "Model", Role::baseline, true}};
    for (const auto& candidate : candidates) {
      round.push_back({candidate, "ModelNew", Role::candidate, own_.made(candidate)});
    }
    return round;
  }

  Status run(measure::Session& session, std::vector<Program> round, RoundKind kind,
             Evidence& evidence) const {
    CUPEL_TRY(Evidence measured, session.run_round(std::move(round), referral(), kind));
    // The round was cut short, and what was cut off would look like a fault of somebody's.
    if (process_stop_flag().raised()) return infra_error("stopped on request");
    if (evidence.programs.empty()) {
      evidence = std::move(measured);
    } else {
      judge::append_round(evidence, std::move(measured));
    }
    return {};
  }

  std::vector<Verdict> verdicts_on(const Evidence& evidence) const {
    return judge::judge_all(evidence, admitted_.facts, admitted_.admission, task_.settings);
  }

  // Beside the one that there is, which gives way to it as to another process's.
  Result<std::unique_ptr<measure::Session>> further_sitting(const Task& task) const {
    measure::SessionSettings settings = settings_;
    settings.for_prompts = false;
    CUPEL_TRY(settings.device, measure::open_device(device_));
    return measure::Session::start(task, policy_, std::move(settings));
  }

  Verdict audited(const Evidence& evidence) const {
    return judge::audit(evidence, admitted_.facts, admitted_.admission, task_.settings);
  }

  // The candidate beside itself with one kernel idle, and with that kernel a trap.
  Result<std::vector<KernelTrial>> try_kernels(measure::Session& sitting, const Candidate& program,
                                               const Evidence& evidence) const {
    std::vector<KernelTrial> trials;
    for (const std::string& kernel : evidence.programs[1].kernels) {
      if (trials.size() == k_kernel_trials_max) break;
      std::vector<Program> round = programs_of({program});
      for (const KernelBody body : {KernelBody::returns, KernelBody::traps}) {
        round.push_back({program, "ModelNew", Role::candidate, own_.made(program), {kernel, body}});
      }
      CUPEL_TRY(Evidence trial, sitting.run_round(std::move(round), unhurried(), RoundKind::trial));
      if (process_stop_flag().raised()) return infra_error("stopped on request");
      trials.push_back({kernel, programs_of_trial(std::move(trial))});
    }
    return trials;
  }

  // The reference, and the candidate under each of the device's memory checkers, where there are
  // any.
  Result<std::vector<ProgramEvidence>> check_memory(measure::Session& sitting,
                                                    const Candidate& program,
                                                    const ProgramEvidence& told) const {
    const auto& checker = settings_.device->traits().memory_checker;
    std::vector<ProgramEvidence> found;
    if (checker.empty()) return found;
    for (const auto& command : memory_checks(checker, help_of(checker.front()), told)) {
      CUPEL_TRY(auto checked, checked_by(sitting, program, told, command));
      if (found.empty()) found.push_back(std::move(checked[0]));
      found.push_back(std::move(checked[1]));
    }
    return found;
  }

  // What a checker says of the reference, too, is torch's or its own.
  Result<std::vector<ProgramEvidence>> checked_by(measure::Session& sitting,
                                                  const Candidate& program,
                                                  const ProgramEvidence& told,
                                                  const std::vector<std::string>& checker) const {
    CUPEL_TRY(auto checked,
              checked_round(sitting, {program, "ModelNew", Role::candidate}, checker));
    const auto found = judge::find_bad_memory(checked);
    if (!found) return checked;
    const bool of_shared = found->reason.code.starts_with("shared_");
    if (of_shared && !is_own_kernel(found->reason.text, told, program.source)) {
      return unchecked("it reports a kernel that is not known to be the program's own: " +
                       found->reason.text);
    }
    CUPEL_TRY(const auto twin,
              checked_round(sitting, {reference_, "Model", Role::candidate}, checker));
    if (!judge::find_bad_memory(twin)) return checked;
    return unchecked("the reference is reported by it, too");
  }

  // Both programs where nothing that need not be there looks like a jail of the judge's. Without a
  // jail there are no such surroundings.
  Result<std::vector<ProgramEvidence>> try_as_users(measure::Session& sitting,
                                                    const Candidate& program) const {
    if (settings_.unjailed) return std::vector<ProgramEvidence>();
    std::vector<Program> round{{reference_, "Model", Role::baseline},
                               {program, "ModelNew", Role::candidate}};
    for (Program& one : round) one.as_users = true;
    auto tried = sitting.run_round(std::move(round), unhurried(), RoundKind::trial);
    if (process_stop_flag().raised()) return infra_error("stopped on request");
    if (!tried) return unchecked(tried.error().what);
    return programs_of_trial(std::move(*tried));
  }

  // That the checker does not run here is no fault of anybody's: it is noted.
  Result<std::vector<ProgramEvidence>> checked_round(
      measure::Session& sitting, Program program, const std::vector<std::string>& checker) const {
    program.checker = checker;
    std::vector<Program> round{{reference_, "Model", Role::baseline}, std::move(program)};
    auto checked = sitting.run_round(std::move(round), unhurried(), RoundKind::trial);
    if (process_stop_flag().raised()) return infra_error("stopped on request");
    if (!checked) return unchecked(checked.error().what);
    if (!checked->infra_fault.empty()) return unchecked(checked->infra_fault);
    return std::move(checked->programs);
  }

  measure::Referral referral() const {
    return {[this](const Evidence& evidence) {
              if (process_stop_flag().raised()) return std::string("stopped on request");
              const auto settlement =
                  judge::settled(evidence, admitted_.facts, admitted_.admission, task_.settings);
              return std::string(settlement.stop ? settlement.reason : "");
            },
            [this](const Evidence& evidence) { return claimants(evidence); }};
  }

  // Nobody gains by cheating its way to a verdict of "slower". Where throughput decides, calls that
  // show it are yet to come.
  std::vector<std::size_t> claimants(const Evidence& evidence) const {
    if (process_stop_flag().raised()) return {};
    const auto verdicts = verdicts_on(evidence);
    std::vector<std::size_t> claiming;
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      const Outcome outcome = verdicts[i].outcome;
      const bool loses = outcome == Outcome::slower && settings_.metric == Metric::latency;
      if (is_correct(outcome) && !loses) claiming.push_back(i + 1);
    }
    return claiming;
  }

  Task task_;
  Policy policy_;
  std::string device_;  // as the user named it
  judge::RepeatLimits repeat_;
  measure::SessionSettings settings_;  // of further sittings on this task
  std::shared_ptr<Builds> builds_;     // hosts ask it, too
  Candidate reference_ = make_candidate(task_.source, "eager");
  std::unique_ptr<measure::Session> session_;
  Admitted admitted_;
  Provenance own_;  // from opened() on
  bool knows_rewritings_ = false;
};

}  // namespace

Result<std::unique_ptr<Evaluator>> make_real_evaluator(const Task& task, const RunOptions& options,
                                                       const EvaluatorSettings& settings) {
  CUPEL_TRY(measure::SessionSettings session, session_settings(options, settings));
  const auto builds = std::make_shared<Builds>(session);
  session.build = [builds](const measure::BuildAsk& ask) { return builds->answer(ask); };
  session.compiler_start = [builds] { return builds->compiler_start(); };
  CUPEL_TRY(auto started, measure::Session::start(task, options.policy, session));
  return std::unique_ptr<Evaluator>(new RealEvaluator(
      task, options, settings.repeat, std::move(session), builds, std::move(started)));
}

}  // namespace cupel::engine
