// Evidence made from a seed: a sound task, a baseline and one candidate with log-normal noise.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "judge/admission.h"
#include "judge/judge.h"
#include "judge/timing/repeat.h"
#include "stats/synthetic_noise.h"

namespace cupel::judge::synthetic {

inline OutputError error_of(double rms, double max) {
  OutputError error;
  error.rms = rms;
  error.max = max;
  error.spread = 1;
  error.elements = 1000;
  error.close_1e2 = max < 1e-2;
  error.close_1e4 = max < 1e-4;
  return error;
}

inline TaskFacts facts() {
  TaskFacts facts;
  facts.outputs = {{"float32", {1000}, {1}, 4000}};
  facts.weight_bytes = 64;
  return facts;
}

// Reference error 1e-7 rms, 1e-6 max on two classes: tolerances 7e-6 and 4.7e-5.
inline AdmissionEvidence lint() {
  AdmissionEvidence evidence;
  evidence.oracle = "float64";
  for (const char* name : {"nominal", "large"}) {
    evidence.classes.push_back({name, true, "", {error_of(1e-7, 1e-6)}});
    evidence.mutants.push_back({"zeros", name, {error_of(1, 4)}});
  }
  return evidence;
}

inline Admission admission() {
  return admit(lint(), Policy::eager, facts());
}

struct Timing {
  double claim_ns = 1e6;
  double overhead_ns = 100e3;
  double sigma = 0.01;
  double overhead_sigma = 0.02;
};

// `pairs` calls, each checked and right, three in four on a user's inputs; then two checks under
// the second weights.
inline ProgramEvidence program(const std::string& id, const Timing& timing, Rng& rng,
                               int pairs = 60) {
  ProgramEvidence program;
  program.candidate_id = id;
  program.label = id + ".py";
  for (int input = 0; input < pairs; ++input) {
    const std::string name = input % 4 < 3 ? "nominal" : "large";
    const auto claim = testing_noise::lognormal(rng, timing.claim_ns, timing.sigma);
    const auto over = testing_noise::lognormal(rng, timing.overhead_ns, timing.overhead_sigma);
    CallSample call;
    call.input = 10 + input;
    call.value_class = name;
    call.order = 2 * input;
    call.claim_ns = static_cast<std::int64_t>(claim);
    call.bracket_ns = static_cast<std::int64_t>(claim + over);
    program.calls.push_back(call);
    program.checks.push_back({call.input, name, 0, {error_of(2e-7, 3e-6)}});
  }
  for (const std::int64_t input : {1000, 1001}) {
    program.checks.push_back({input, "nominal", 1, {error_of(2e-7, 3e-6)}});
  }
  return program;
}

// On a GPU: baseline of 1 ms a call, and one candidate `speedup` times as fast.
inline Evidence round(double speedup, std::uint64_t seed = 1, int pairs = 60, double sigma = 0.01) {
  Rng rng(seed);
  Evidence evidence;
  evidence.device = "a GPU";
  evidence.programs = {program("eager", {1e6, 100e3, sigma, 0.02}, rng, pairs),
                       program("candidate", {1e6 / speedup, 100e3, sigma, 0.02}, rng, pairs)};
  evidence.programs[0].role = Role::baseline;
  evidence.programs[0].trusted = true;
  return evidence;
}

// As in a session: no input has the number of another round's.
inline void number_inputs(Evidence& round, int number) {
  constexpr std::int64_t k_inputs_of_a_round = 5000;
  for (ProgramEvidence& program : round.programs) {
    for (CallSample& call : program.calls) call.input += number * k_inputs_of_a_round;
    for (OutputCheck& check : program.checks) check.input += number * k_inputs_of_a_round;
  }
}

// Rounds on fresh hosts, as append_round() joins them; `round` is given their number.
inline Evidence over_rounds(int count, const std::function<Evidence(int)>& round) {
  Evidence evidence = round(0);
  for (int number = 1; number < count; ++number) {
    Evidence further = round(number);
    number_inputs(further, number);
    append_round(evidence, std::move(further));
  }
  return evidence;
}

inline Verdict judged(const Evidence& evidence, const TaskSettings& settings = {}) {
  return judge(evidence, 1, facts(), admission(), settings);
}

inline bool has_reason(const Verdict& verdict, const std::string& code) {
  for (const Reason& reason : verdict.reasons) {
    if (reason.code == code) return true;
  }
  return false;
}

}  // namespace cupel::judge::synthetic
