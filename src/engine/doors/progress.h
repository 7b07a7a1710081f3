// What a run tells those who watch it. A sink shows; it decides nothing and answers nothing.
#pragma once

#include <cstdint>
#include <string>

#include "model/run.h"

namespace cupel::engine {

enum class Stage { admit, propose, judge, final_table, audit, ship, done };

struct Progress {
  Stage stage = Stage::admit;
  std::string subject;      // label of the program at work, or empty
  int judged = 0;           // programs with a verdict
  int planned = 0;          // those and the ones that wait
  std::string best_label;   // fastest correct program so far; empty: none beat eager yet
  Ratio best;               // its ratio over eager
  double elapsed_s = 0;     // wall time over all sittings
  double eta_s = -1;        // rough time to the end; negative: unknown
  int asking = 0;           // questions under way
  int building = 0;         // compilations under way
  bool has_agents = false;  // the fields below mean something
  double cost_usd = 0;
  double usd_max = 0;  // 0: no limit
  std::int64_t queries = 0;
  std::int64_t queries_max = 0;  // 0: no limit
};

// Called from the thread that runs the engine, between measurements, never during one. Must
// return quickly and must not throw.
class ProgressSink {
 public:
  virtual ~ProgressSink() = default;
  virtual void on_progress(const Progress& progress) = 0;
  virtual void on_judged(const Judged& judged) = 0;
  // A sentence worth a line: a retry, a skipped seed, the spent budget.
  virtual void on_note(const std::string& note) = 0;
};

// For callers that watch nothing.
class SilentSink final : public ProgressSink {
 public:
  void on_progress(const Progress&) override {}
  void on_judged(const Judged&) override {}
  void on_note(const std::string&) override {}
};

}  // namespace cupel::engine
