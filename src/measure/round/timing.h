// The timed calls of a round.
#pragma once

#include <vector>

#include "measure/call/plan.h"
#include "measure/round/held_calls.h"
#include "measure/round/round_state.h"

namespace cupel::measure {

// Of a program's timed calls, as its host tells it, the median in milliseconds; 0: there is none.
double claim_ms_of(const ProgramEvidence& program);

// What the program that does nothing has shown of exchanges by now. A host of ours that fails is
// the round's failure.
void note_exchange(RoundState& round);

// How many inputs each of the next two chunks takes, one a turn; 0: the budget is spent.
// `timing_ms`: what `timed_inputs` took; `input_ms`: what a further one will take. Pure.
int chunk_inputs(const MeasurePlan& plan, int timed_inputs, double timing_ms, double input_ms);

// Needs a warm-up; alone on the device.
class Timing {
 public:
  explicit Timing(RoundState& round) : round_(round) {}  // outlives it
  // Until the budget is spent, or who judges says to stop.
  Status run(const Referral& referral);

 private:
  int next_chunk_inputs() const;
  Status run_chunk(int count);
  int turn_to_hold(int count);
  // Of rounds whose times nobody reads.
  void call_singly(const std::vector<InputSet>& sets);
  // Rows: rows.cpp.
  Status time_rows(const std::vector<InputSet>& sets, HeldCalls& held);
  Status make_rows(const std::vector<InputSet>& sets, int first, int calls);
  RowPlan next_row();
  int calls_in_row() const;
  int row_calls(int count) const;
  std::vector<int> gaps_of_row(int calls);
  int trailing_calls() const;
  Result<std::vector<InputSet>> prepare_spares(int count);
  int early_call(const std::vector<int>& gaps);
  std::vector<RowCall> row_of(const std::vector<InputSet>& sets, int first,
                              const std::vector<int>& gaps, const std::vector<InputSet>& spares);
  int draw_below(int bound);

  RoundState& round_;
  std::vector<std::size_t> turn_;  // lanes in the order of this chunk
  std::int64_t order_ = 0;
  std::int64_t rows_ = 0;  // of all programs together
  int timed_inputs_ = 0;
  double timing_ms_ = 0;
};

}  // namespace cupel::measure
