#include "engine/rehearse/scripted_evaluator.h"

#include <array>

#include "base/hash.h"
#include "base/rng.h"

namespace cupel::engine {
namespace {

// A synthetic eager takes this long, and every interval is this wide on either side.
constexpr double k_eager_ms = 1;
constexpr double k_half_width = 0.01;
constexpr const char* k_eager_id = "eager";

constexpr std::array<Outcome, 8> k_failures{
    Outcome::wrong,         Outcome::suspect, Outcome::impossible,    Outcome::build_error,
    Outcome::runtime_error, Outcome::timeout, Outcome::out_of_memory, Outcome::invalid_reply};

Outcome outcome_of(double ratio) {
  if (ratio > 1 + k_half_width) return Outcome::faster;
  return ratio < 1 - k_half_width ? Outcome::slower : Outcome::same;
}

// Of ten programs about six are correct, three fail, and one meets faults of ours.
ScriptedProgram draw_program(Rng& rng) {
  ScriptedProgram program;
  const std::uint64_t lot = rng.below(10);
  if (lot < 3) {
    program.outcome = k_failures[rng.below(k_failures.size())];
    return program;
  }
  program.ratio = 0.5 + 2.5 * rng.uniform();
  program.outcome = outcome_of(program.ratio);
  if (lot == 3) program.infra_faults = 1 + static_cast<int>(rng.below(2));
  program.fails_in_table = rng.below(8) == 0;
  program.fails_in_audit = rng.below(8) == 0;
  program.audited_share = 0.97 + 0.03 * rng.uniform();
  return program;
}

Ratio ratio_between(const std::string& over, const std::string& over_id, double over_ms,
                    double candidate_ms) {
  const double ratio = over_ms / candidate_ms;
  return {over,         over_id, ratio, ratio * (1 - k_half_width), ratio * (1 + k_half_width),
          candidate_ms, over_ms, 100};
}

ProgramEvidence synthetic_evidence(const std::string& id, const std::string& label, Role role) {
  ProgramEvidence evidence;
  evidence.candidate_id = id;
  evidence.label = label;
  evidence.role = role;
  return evidence;
}

}  // namespace

Script make_script(std::uint64_t seed, const std::vector<Candidate>& candidates) {
  Rng rng(seed);
  Script script;
  for (const Candidate& candidate : candidates) {
    script.programs[candidate.id] = draw_program(rng);
  }
  script.table_infra_faults = rng.below(4) == 0 ? 1 : 0;
  script.audit_infra_faults = rng.below(4) == 0 ? 1 : 0;
  return script;
}

Result<Admitted> ScriptedEvaluator::admit() {
  ++admissions_;
  Admitted admitted;
  admitted.facts.parameter_count = 42;
  admitted.facts.input_bytes = admitted.facts.output_bytes = 1 << 19;
  admitted.admission.k = 8;
  admitted.admission.evidence.oracle = "float64";
  return admitted;
}

Status ScriptedEvaluator::readmit(const Admitted&) {
  ++readmissions_;
  return {};
}

void ScriptedEvaluator::recall_faults(const std::string& candidate_id, int faults) {
  faults_[candidate_id] = faults;
}

void ScriptedEvaluator::recall_table_faults(int faults) {
  table_faults_ = faults;
}

ScriptedProgram ScriptedEvaluator::program_of(const std::string& candidate_id) const {
  const auto found = script_.programs.find(candidate_id);
  if (found != script_.programs.end()) return found->second;
  if (!script_.others_seed) return {};
  Rng rng(*script_.others_seed ^
          std::stoull(candidate_id.substr(0, k_short_id_chars), nullptr, 16));
  return draw_program(rng);
}

bool ScriptedEvaluator::faults_now(const std::vector<Candidate>& programs) {
  if (programs.size() > 1) return table_faults_++ < script_.table_infra_faults;
  const std::string& id = programs.front().id;
  return faults_[id]++ < program_of(id).infra_faults;
}

Verdict ScriptedEvaluator::verdict_of(const Candidate& candidate,
                                      const std::vector<Candidate>& round, bool faulted) const {
  const ScriptedProgram program = program_of(candidate.id);
  Verdict verdict;
  verdict.candidate_id = candidate.id;
  verdict.label = candidate.label;
  verdict.outcome = faulted ? Outcome::infra_fault : program.outcome;
  if (round.size() > 1 && program.fails_in_table && !faulted) verdict.outcome = Outcome::wrong;
  if (!is_correct(verdict.outcome)) {
    verdict.fault = faulted ? Fault::us : Fault::candidate;
    verdict.reasons = {{std::string(to_string(verdict.outcome)), "as the script says", 0, 0}};
    return verdict;
  }
  const double candidate_ms = k_eager_ms / program.ratio;
  verdict.ratios.push_back(ratio_between("eager", k_eager_id, k_eager_ms, candidate_ms));
  for (const Candidate& other : round) {
    if (other.id == candidate.id) continue;
    const double other_ms = k_eager_ms / program_of(other.id).ratio;
    verdict.ratios.push_back(ratio_between(other.label, other.id, other_ms, candidate_ms));
  }
  return verdict;
}

Result<std::vector<std::vector<Label>>> ScriptedEvaluator::labels(
    const std::vector<Candidate>& programs) {
  std::vector<std::vector<Label>> found;
  for (const Candidate& program : programs) {
    const bool calls = program.source.find("Model(") != std::string::npos;
    found.push_back(calls ? std::vector<Label>{{"calls the reference", 1}} : std::vector<Label>());
  }
  return found;
}

// Half of the time in one operator, half outside of all.
Result<Profile> ScriptedEvaluator::profile(const Candidate* program) {
  Profile profile;
  profile.candidate_id = program ? program->id : "";
  profile.label = program ? program->label : "eager";
  profile.claimed = program != nullptr;
  profile.device = "cpu";
  profile.call_ns = 1e6;
  profile.operators = {{"aten::addmm", 1, 5e5, 0, 1e6, 1e6}, {"outside of operators", 1, 5e5}};
  if (!program) profile.copied_bytes_per_s = profile.float32_flops_per_s = 1e10;
  return profile;
}

// Beside two references, in whose ratio the other programs of the table have no part.
Result<Judgement> ScriptedEvaluator::audit(const Candidate& program) {
  if (on_audit) on_audit(program);
  const ScriptedProgram& script = program_of(program.id);
  const bool faulted = audit_faults_++ < script_.audit_infra_faults;
  Verdict verdict = verdict_of(program, {program}, faulted);
  if (!faulted && script.fails_in_audit) {
    verdict.outcome = Outcome::suspect;
    verdict.fault = Fault::candidate;
    verdict.reasons = {{"memory_growth", "as the script says", 0, 0}};
  } else if (is_correct(verdict.outcome)) {
    const double ratio = script.ratio * script.audited_share;
    verdict.outcome = outcome_of(ratio);
    verdict.ratios = {ratio_between("eager", k_eager_id, k_eager_ms, k_eager_ms / ratio)};
  }
  Judgement judgement;
  judgement.evidence.stop_reason = "settled";
  for (const Role role : {Role::baseline, Role::candidate, Role::rival}) {
    const bool is_candidate = role == Role::candidate;
    judgement.evidence.programs.push_back(synthetic_evidence(
        is_candidate ? program.id : k_eager_id, is_candidate ? program.label : "eager", role));
  }
  judgement.verdicts.push_back(std::move(verdict));
  return judgement;
}

Result<Judgement> ScriptedEvaluator::judge(const std::vector<Candidate>& programs) {
  CUPEL_CHECK(!programs.empty());
  if (on_judge) on_judge(programs);
  const bool faulted = faults_now(programs);
  Judgement judgement;
  judgement.evidence.stop_reason = "settled";
  judgement.evidence.programs.push_back(synthetic_evidence(k_eager_id, "eager", Role::baseline));
  for (const Candidate& program : programs) {
    judgement.evidence.programs.push_back(
        synthetic_evidence(program.id, program.label, Role::candidate));
    judgement.verdicts.push_back(verdict_of(program, programs, faulted));
  }
  return judgement;
}

}  // namespace cupel::engine
