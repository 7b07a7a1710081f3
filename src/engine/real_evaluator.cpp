#include "engine/real_evaluator.h"

#include "base/files.h"
#include "build/cpp_builder.h"
#include "build/extension_builder.h"
#include "judge/admission.h"
#include "judge/judge.h"
#include "judge/repeat.h"
#include "judge/settle.h"
#include "measure/session.h"
#include "sandbox/jail.h"

namespace cupel::engine {
namespace {

using measure::Program;

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
  RealEvaluator(Task task, Policy policy, std::unique_ptr<measure::Session> session)
      : task_(std::move(task)), policy_(policy), session_(std::move(session)) {}

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

  Result<Judgement> judge(const std::vector<Candidate>& programs) override {
    CUPEL_TRY(Judgement judgement, judge_once(programs));
    if (programs.size() == 1) {
      CUPEL_TRY_STATUS(repeat_if_close(programs, judgement));
    }
    return judgement;
  }

 private:
  Result<Judgement> judge_once(const std::vector<Candidate>& programs) {
    std::vector<Program> round{{make_candidate(task_.source, "eager"), "Model", Role::baseline}};
    for (const auto& candidate : programs) {
      round.push_back({candidate, "ModelNew", Role::candidate});
    }
    Judgement judgement;
    CUPEL_TRY(judgement.evidence, session_->run_round(std::move(round), referral()));
    for (std::size_t i = 1; i <= programs.size(); ++i) {
      judgement.verdicts.push_back(verdict_on(judgement.evidence, i));
    }
    return judgement;
  }

  // See judge/repeat.h. The further rounds' evidence travels with the first's.
  Status repeat_if_close(const std::vector<Candidate>& programs, Judgement& judgement) {
    std::vector<Verdict> rounds = judgement.verdicts;
    while (judge::needs_repeat(rounds.back()) &&
           static_cast<int>(rounds.size()) < judge::k_rounds_of_close_result) {
      CUPEL_TRY(Judgement again, judge_once(programs));
      rounds.push_back(again.verdicts.front());
      judgement.evidence.repeats.push_back(encode(again.evidence));
    }
    judgement.verdicts.front() = judge::combine(rounds);
    return {};
  }

  Verdict verdict_on(const Evidence& evidence, std::size_t program) const {
    return judge::judge(evidence, program, admitted_.facts, admitted_.admission, task_.settings);
  }

  measure::Referral referral() const {
    return {[this](const Evidence& evidence) {
              const auto settlement =
                  judge::settled(evidence, admitted_.facts, admitted_.admission, task_.settings);
              return std::string(settlement.stop ? settlement.reason : "");
            },
            [this](const Evidence& evidence) { return any_claim(evidence); }};
  }

  // Nobody gains by cheating his way to a verdict of "slower".
  bool any_claim(const Evidence& evidence) const {
    for (std::size_t i = 1; i < evidence.programs.size(); ++i) {
      const Outcome outcome = verdict_on(evidence, i).outcome;
      if (is_correct(outcome) && outcome != Outcome::slower) return true;
    }
    return false;
  }

  Task task_;
  Policy policy_;
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
  session.plan = plan_for(settings.time_limit_s);
  if (settings.time_limit_s > 0) session.referee_seconds_max = 60 + 10 * settings.time_limit_s;
  session.build = build_door(session);
  CUPEL_TRY(auto started, measure::Session::start(task, options.policy, std::move(session)));
  return std::unique_ptr<Evaluator>(new RealEvaluator(task, options.policy, std::move(started)));
}

}  // namespace cupel::engine
