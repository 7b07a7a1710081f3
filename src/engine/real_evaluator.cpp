#include "engine/real_evaluator.h"

#include <algorithm>

#include "base/clock.h"
#include "base/files.h"
#include "base/stop.h"
#include "build/cpp_builder.h"
#include "build/extension_builder.h"
#include "judge/admission.h"
#include "judge/audit.h"
#include "judge/judge.h"
#include "judge/repeat.h"
#include "judge/settle.h"
#include "measure/session.h"
#include "sandbox/jail.h"

namespace cupel::engine {
namespace {

using measure::Program;

// A gain must show in fresh processes more than once.
constexpr int k_audit_rounds = 2;

// With a time limit of the user's, a later call gets no more than the first.
measure::MeasurePlan plan_for(double time_limit_s) {
  measure::MeasurePlan plan;
  if (time_limit_s > 0) {
    plan.load_seconds_max = time_limit_s;
    plan.first_call_seconds_max = time_limit_s;
    plan.call_seconds_min = std::min(plan.call_seconds_min, time_limit_s);
  }
  return plan;
}

// What hosts may ask for, by kind; see docs/protocol.md.
struct Builders {
  build::CppBuilder cpp;
  build::ExtensionBuilder extension;
};

measure::BuildAnswer compile(Builders& builders, const measure::BuildAsk& ask) {
  auto artifact = ask.kind == "extension" ? builders.extension.build(ask.source)
                                          : builders.cpp.build({ask.name, ask.source, ask.flags});
  if (!artifact) return {false, "", artifact.error().describe()};
  return {artifact->built, artifact->path.string(), artifact->log};
}

std::function<measure::BuildAnswer(const measure::BuildAsk&)> build_door(
    const measure::SessionSettings& session) {
  const measure::PythonEnvironment& python = session.python;
  build::ExtensionTools tools{python.executable, python.version + ", torch " + python.torch_version,
                              python.prefixes, session.home};
  auto builders = std::make_shared<Builders>(
      Builders{{session.build_cache, session.unjailed},
               {session.build_cache, std::move(tools), session.unjailed}});
  return [builders](const measure::BuildAsk& ask) { return compile(*builders, ask); };
}

std::vector<std::string> kept_classes(const Admission& admission) {
  std::vector<std::string> kept;
  for (const auto& report : admission.evidence.classes) {
    if (report.kept) kept.push_back(report.name);
  }
  return kept;
}

class RealEvaluator final : public Evaluator {
 public:
  RealEvaluator(Task task, Policy policy, const judge::RepeatLimits& repeat,
                measure::SessionSettings settings, std::unique_ptr<measure::Session> session)
      : task_(std::move(task)),
        policy_(policy),
        repeat_(repeat),
        settings_(std::move(settings)),
        session_(std::move(session)) {}

  Result<Admitted> admit() override {
    CUPEL_TRY(admitted_.facts, session_->open());
    CUPEL_TRY(auto evidence, session_->admit());
    admitted_.admission = judge::admit(std::move(evidence), policy_, admitted_.facts);
    return admitted_;
  }

  Status readmit(const Admitted& admitted) override {
    CUPEL_TRY(const auto facts, session_->open(kept_classes(admitted.admission)));
    if (facts.output_tree != admitted.facts.output_tree) {
      return input_error("the task returns something else than when the run began", task_.path);
    }
    admitted_ = admitted;
    session_->readmit(admitted_.admission.evidence);
    return {};
  }

  // A judgement of one candidate goes on over fresh hosts until it is decided: judge/repeat.h.
  Result<Judgement> judge(const std::vector<Candidate>& programs) override {
    const SystemClock clock;
    const auto start_ns = clock.now_ns();
    Evidence evidence;
    for (int rounds = 1;; ++rounds) {
      CUPEL_TRY_STATUS(run(*session_, programs_of(programs), rounds, evidence));
      const auto verdicts = verdicts_on(evidence);
      const double seconds = static_cast<double>(clock.now_ns() - start_ns) / k_ns_per_s;
      if (programs.size() > 1 || seconds > repeat_.seconds_max ||
          !judge::wants_repeat(verdicts.front(), rounds, repeat_)) {
        return Judgement{std::move(evidence), verdicts};
      }
    }
  }

  Result<Judgement> audit(const Candidate& program) override {
    CUPEL_TRY(const auto sitting, measure::Session::start(task_, policy_, settings_));
    CUPEL_TRY_STATUS(sitting->open(kept_classes(admitted_.admission)));
    sitting->readmit(admitted_.admission.evidence);
    Evidence evidence;
    for (int rounds = 1; rounds <= k_audit_rounds; ++rounds) {
      std::vector<Program> round = programs_of({program});
      round.push_back({reference_, "Model", Role::rival});
      CUPEL_TRY_STATUS(run(*sitting, std::move(round), rounds, evidence));
    }
    Verdict verdict = judge::audit(evidence, admitted_.facts, admitted_.admission, task_.settings);
    return Judgement{std::move(evidence), {std::move(verdict)}};
  }

 private:
  std::vector<Program> programs_of(const std::vector<Candidate>& candidates) const {
    std::vector<Program> round{{reference_, "Model", Role::baseline}};
    for (const auto& candidate : candidates) {
      round.push_back({candidate, "ModelNew", Role::candidate});
    }
    return round;
  }

  Status run(measure::Session& session, std::vector<Program> round, int rounds,
             Evidence& evidence) const {
    CUPEL_TRY(Evidence further, session.run_round(std::move(round), referral(), rounds > 1));
    // The round was cut short, and what was cut off would look like a fault of somebody's.
    if (process_stop_flag().raised()) return infra_error("stopped on request");
    if (rounds == 1) {
      evidence = std::move(further);
    } else {
      judge::append_round(evidence, std::move(further));
    }
    return {};
  }

  std::vector<Verdict> verdicts_on(const Evidence& evidence) const {
    return judge::judge_all(evidence, admitted_.facts, admitted_.admission, task_.settings);
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

  // Nobody gains by cheating his way to a verdict of "slower".
  std::vector<std::size_t> claimants(const Evidence& evidence) const {
    if (process_stop_flag().raised()) return {};
    const auto verdicts = verdicts_on(evidence);
    std::vector<std::size_t> claiming;
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      const Outcome outcome = verdicts[i].outcome;
      if (is_correct(outcome) && outcome != Outcome::slower) claiming.push_back(i + 1);
    }
    return claiming;
  }

  Task task_;
  Policy policy_;
  judge::RepeatLimits repeat_;
  measure::SessionSettings settings_;  // of further sittings on this task
  Candidate reference_ = make_candidate(task_.source, "eager");
  std::unique_ptr<measure::Session> session_;
  Admitted admitted_;
};

}  // namespace

std::filesystem::path probe_library() {
  std::error_code failure;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", failure);
  for (const auto& directory : {self.parent_path(), self.parent_path() / "../lib/cupel"}) {
    const auto library = directory / "libcupel_probe.so";
    if (std::filesystem::exists(library, failure)) return library;
  }
  return {};
}

Result<std::unique_ptr<Evaluator>> make_real_evaluator(const Task& task, const RunOptions& options,
                                                       const EvaluatorSettings& settings) {
  measure::SessionSettings session;
  CUPEL_TRY(session.home, home_directory());
  CUPEL_TRY(session.python,
            measure::inspect_python(measure::choose_python(settings.python, session.home)));
  CUPEL_TRY(session.device, measure::open_device(options.device));
  session.unjailed = options.sandbox == "none";
  CUPEL_TRY(const auto grade, sandbox::probe_grade(session.unjailed));
  session.sandbox_grade = to_string(grade);
  session.build_cache = cache_directory() / "build";
  session.work_parent = cache_directory() / "work";
  CUPEL_TRY_STATUS(make_directories(session.build_cache));
  session.probe = probe_library();
  session.threads = options.threads;
  session.warm_hosts = settings.lint_only ? 0 : settings.programs;
  session.compiles = settings.compiles;
  if (settings.timing_s > 0) session.plan.timing_seconds_max = settings.timing_s;
  session.plan = plan_for(settings.time_limit_s);
  if (settings.time_limit_s > 0) session.referee_seconds_max = 60 + 10 * settings.time_limit_s;
  session.build = build_door(session);
  CUPEL_TRY(auto started, measure::Session::start(task, options.policy, session));
  return std::unique_ptr<Evaluator>(new RealEvaluator(task, options.policy, settings.repeat,
                                                      std::move(session), std::move(started)));
}

}  // namespace cupel::engine
