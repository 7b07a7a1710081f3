// An evaluator that measures nothing: it answers from a table that is made from a seed. With it
// whole runs, their failures and their crashes are simulated in milliseconds.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/doors/evaluator.h"

namespace cupel::engine {

// What shall come out for one program.
struct ScriptedProgram {
  Outcome outcome = Outcome::same;
  double ratio = 1;             // time of eager over its time; for correct outcomes
  int infra_faults = 0;         // judgements that fail by our fault before it is judged
  bool fails_in_table = false;  // comes out wrong(value) beside other programs
  bool fails_in_audit = false;  // comes out suspect(memory_growth) when it is audited
  double audited_share = 1;     // of the ratio, that an audit finds
};

struct Script {
  std::map<std::string, ScriptedProgram> programs;  // by candidate id
  bool labels = false;         // programs are labelled: those that say "Model(" call the reference
  bool profiles = false;       // programs can be profiled
  int table_infra_faults = 0;  // rounds of several programs that fail by our fault at first
  int audit_infra_faults = 0;  // and audits
  // Draws what comes out for a program that is not in `programs`; empty: `same`, ratio 1.
  std::optional<std::uint64_t> others_seed;
};

// Random outcomes and ratios, all kinds of failure among them. The same arguments give the same
// script.
Script make_script(std::uint64_t seed, const std::vector<Candidate>& candidates);

// Not thread-safe.
class ScriptedEvaluator final : public Evaluator {
 public:
  explicit ScriptedEvaluator(Script script) : script_(std::move(script)) {}

  Result<Admitted> admit() override;
  Status readmit(const Admitted& admitted) override;
  Result<Judgement> judge(const std::vector<Candidate>& programs) override;
  bool can_label() const override { return script_.labels; }
  Result<std::vector<std::vector<Label>>> labels(const std::vector<Candidate>& programs) override;
  bool can_profile() const override { return script_.profiles; }
  Result<Profile> profile(const Candidate* program) override;
  Result<Judgement> audit(const Candidate& program) override;

  // Infra faults that happened before this process: a resumed run's script goes on there.
  void recall_faults(const std::string& candidate_id, int faults);
  void recall_table_faults(int faults);
  void recall_audit_faults(int faults) { audit_faults_ = faults; }

  // Called at the start of each judge().
  std::function<void(const std::vector<Candidate>&)> on_judge;
  std::function<void(const Candidate&)> on_audit;
  int admissions() const { return admissions_; }
  int readmissions() const { return readmissions_; }

 private:
  ScriptedProgram program_of(const std::string& candidate_id) const;
  bool faults_now(const std::vector<Candidate>& programs);
  Verdict verdict_of(const Candidate& candidate, const std::vector<Candidate>& round,
                     bool faulted) const;

  Script script_;
  std::map<std::string, int> faults_;
  int table_faults_ = 0;
  int audit_faults_ = 0;
  int admissions_ = 0;
  int readmissions_ = 0;
};

}  // namespace cupel::engine
