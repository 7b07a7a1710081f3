// An evaluator whose programs are all equal to each other, and whose clocks are as noisy as a
// machine's: what a search makes of noise. The rounds are synthetic; that there are further ones,
// and what follows from them, is decided as for real ones.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/doors/evaluator.h"
#include "judge/audit/audit.h"
#include "judge/judge.h"
#include "judge/synthetic_loop.h"
#include "judge/timing/repeat.h"

namespace cupel::engine {

class NoisyEvaluator final : public Evaluator {
 public:
  // `speedup`: what each of them gains over the reference.
  NoisyEvaluator(double speedup, double process_sigma, std::uint64_t seed,
                 const judge::RepeatLimits& limits)
      : speedup_(speedup), process_sigma_(process_sigma), rng_(seed), limits_(limits) {}

  Result<Admitted> admit() override {
    return Admitted{judge::synthetic::facts(), judge::synthetic::admission()};
  }
  Status readmit(const Admitted&) override { return {}; }

  Result<Judgement> judge(const std::vector<Candidate>& programs) override {
    for (Evidence evidence = round_of(programs);; append(evidence, round_of(programs))) {
      auto verdicts =
          judge::judge_all(evidence, judge::synthetic::facts(), judge::synthetic::admission());
      if (!judge::wants_repeat(evidence, verdicts, limits_)) {
        return Judgement{without_calls(std::move(evidence)), std::move(verdicts)};
      }
    }
  }

  // Beside one reference: that a second one tells who disturbs is another matter.
  Result<Judgement> audit(const Candidate& program) override {
    ++audits;
    for (Evidence evidence = round_of({program});; append(evidence, round_of({program}))) {
      Verdict verdict =
          judge::judge(evidence, 1, judge::synthetic::facts(), judge::synthetic::admission());
      if (!judge::wants_audit_round(verdict, evidence.rounds, limits_)) {
        return Judgement{without_calls(std::move(evidence)), {std::move(verdict)}};
      }
    }
  }

  int audits = 0;

 private:
  Evidence round_of(const std::vector<Candidate>& programs) {
    Evidence round;
    for (const Candidate& program : programs) {
      Evidence pair = judge::synthetic::noisy_round(speedup_, process_sigma_, rng_.next());
      if (round.programs.empty()) round.programs.push_back(std::move(pair.programs[0]));
      pair.programs[1].candidate_id = program.id;
      pair.programs[1].label = program.label;
      round.programs.push_back(std::move(pair.programs[1]));
    }
    return round;
  }

  static void append(Evidence& evidence, Evidence round) {
    judge::synthetic::number_inputs(round, evidence.rounds);
    judge::append_round(evidence, std::move(round));
  }

  // A search reads the verdict. What it rests on would be written down some thousand times.
  static Evidence without_calls(Evidence evidence) {
    for (ProgramEvidence& program : evidence.programs) {
      ProgramEvidence bare;
      bare.candidate_id = program.candidate_id;
      bare.label = program.label;
      bare.role = program.role;
      program = std::move(bare);
    }
    return evidence;
  }

  double speedup_;
  double process_sigma_;
  Rng rng_;
  judge::RepeatLimits limits_;
};

}  // namespace cupel::engine
