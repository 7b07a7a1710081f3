// How much to measure, and how long to wait: limits with unit and reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/evidence.h"

namespace cupel::measure {

struct MeasurePlan {
  // Import, construction and prepare(): load_inline compiles here for half a minute.
  double load_seconds_max = 180;
  // A first call compiles; max-autotune of a large model takes minutes.
  double first_call_seconds_max = 300;
  // A later call may take this many times the baseline's, and never less than the floor: a
  // recompilation or a slow page-in is not a hang.
  double call_slowdown_max = 30;
  double call_seconds_min = 10;
  // Calls before timing, on this many inputs in turn: the first compiles, the next ones fill caches
  // and pools, and glibc's heap stops growing after up to 15 (seen: 8 MB temporaries).
  int warmup_inputs = 3;
  int warmup_calls_max = 24;
  // Further warm-up calls stop after this long, once every input was used.
  double warmup_ms_max = 250;
  // Timing stops after this much wall time of preparing, calling and comparing...
  double timing_seconds_max = 1.0;
  // ...but not before this many inputs, so that slow tasks still get an interval (8 blocks are the
  // fewest that give a distribution-free 99 % interval of a median), and one more for each value
  // class that is no user's, so that all are met...
  int inputs_min = 16;
  int other_classes = 0;
  // ...unless that would take longer than this; then at least k_inputs_floor.
  double timing_seconds_hard_max = 120;
  int inputs_max = 400;
  int first_chunk_inputs = 16;
  // Audit of the host's clock: pairs of batches of these many calls give a slope per call that
  // holds no fixed cost, for calls shorter than the limit.
  int audit_calls_few = 2;
  int audit_calls_many = 8;
  int audit_pairs = 3;
  // Of calls shorter than this batches scatter by more than a call takes, and cost little.
  int audit_pairs_short = 10;
  double audit_short_call_ms = 0.5;
  double audit_call_ms_max = 5;
  // Queued calls of each program after the timing, fewer where they take longer than this; each
  // waits at most so many times its usual time, within limits, for its launches to be queued.
  int queued_calls = 24;
  int queued_calls_min = 8;
  double queued_ms = 250;
  double queued_call_ms_max = 100;  // of all programs together; longer calls are not made again
  double gate_factor = 4;
  double gate_ms_min = 3;
  double gate_ms_max = 100;
  // In all rounds of the winner's audit hosts keep what was returned last, as a user would.
  bool holds_outputs = false;
  // The winner's audit goes on with so many untimed calls, so that what a program does only after
  // many of them shows: more than any judgement makes (0: none). How many is decided beforehand, by
  // the baseline's time, so that a busy machine sees as much...
  int endurance_calls = 0;
  // ...as both programs make in this time...
  double endurance_seconds_max = 10;
  // ...but so many, in which a leak shows, unless they took longer than this.
  int endurance_calls_min = 100;
  double endurance_seconds_hard_max = 30;
  // Timed calls are made in rows: of so many that count as fit the time. Before each come some that
  // do not, up to so many, since it finds what the judge's own copies have left in caches; how many
  // is drawn. A row begins with more of them, since its first calls find what another program has
  // left: as many as may count, and row_cold_calls at least, where what the referee and the judge
  // work on passes through the same caches (seen, of 8 MiB in and out: 1389, 1011, 754, 706, 622,
  // 603, 621, 572, 565, 587, 539 us); else row_cold_calls (seen: 646, 332, 238, 226, 230 us). Calls
  // of the settled length do not feel that. Rounds whose times nobody reads make single calls
  // instead.
  bool rows = true;
  int row_calls_max = 12;
  double row_ms = 20;
  int row_gap_max = 2;
  int row_cold_calls = 2;
  // Of a row on a GPU, at most: those that do not count before the first that does, and the one
  // behind the last, where outputs are held.
  int row_calls_around() const { return row_gap_max + row_cold_calls + 1; }
  // Of calls that do not count some are compared, in place of one that would: in one of so many
  // rows, and of so many calls at most where rows are short.
  int row_early_rows = 2;
  int row_early_calls = 8;
  double row_settled_call_ms = 20;
  // Of larger inputs, which a running host could see while they are copied, every second row is
  // revealed to hosts that stand still. So much takes some 10 us to copy; of longer calls so much
  // takes 2 % of the baseline's time.
  double row_running_bytes_min = 128 << 10;
  double row_running_bytes_per_ms = 200e3;
};

inline constexpr int k_inputs_floor = 4;

// What measuring asks of whoever judges; measure itself cannot decide.
struct Referral {
  // After every chunk: "" goes on, anything else stops and becomes Evidence::stop_reason.
  std::function<std::string(const Evidence&)> stop;
  // After the timing: which programs claim what deserves the audit of the clock and the second
  // set of weights? Indices into the evidence's programs.
  std::function<std::vector<std::size_t>(const Evidence&)> claimants;
};

}  // namespace cupel::measure
