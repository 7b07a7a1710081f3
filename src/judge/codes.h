// Every reason code a verdict can carry, in one table. docs/codes.md repeats it.
#pragma once

#include <array>
#include <string_view>

namespace cupel::judge {

// What a code goes with: an outcome's name, or "info" for codes that never decide.
struct Code {
  std::string_view code;
  std::string_view outcome;
  std::string_view meaning;
};

inline constexpr auto k_codes = std::to_array<Code>({
    {"faster", "faster", "the 99 % interval of the speedup lies above 1"},
    {"same", "same", "the 95 % interval lies within 0.98 to 1.02"},
    {"slower", "slower", "the 99 % interval lies below 1"},
    {"interval_too_wide", "ambiguous", "the interval allows more than one of the above"},
    {"too_few_calls", "ambiguous", "correct, but too few checked pairs of calls to compare times"},
    {"weights_unchecked", "ambiguous", "never run under a second set of weights"},
    {"gain_unshown", "ambiguous", "a win that a channel does not show, or that was not audited"},
    {"deferred_work", "ambiguous", "the median call wins, the sum of all calls does not"},
    {"structure", "wrong", "the result is nested differently, or leaves are missing"},
    {"shape", "wrong", "an output has another shape"},
    {"dtype", "wrong", "an output has another dtype"},
    {"type", "wrong", "an output is not a tensor, or not on the device"},
    {"tied_output", "wrong",
     "an output shares memory, or is bound to gradients or inference mode, as the reference's is "
     "not"},
    {"strides", "wrong", "the task demands the reference's memory format"},
    {"mutated_input", "wrong",
     "an input, or memory beside a slot, was written to, or not as the reference does"},
    {"nan", "wrong", "NaN or Inf where the oracle has none, or the other way round"},
    {"value", "wrong", "values differ by more than the derived tolerance"},
    {"range", "wrong",
     "right on the task's own inputs, wrong on another value class, or raises where an option has "
     "another value"},
    {"weights", "wrong",
     "right under the first set of weights, wrong under the second; in an audit: wrong once others "
     "are loaded"},
    {"nondeterministic", "wrong", "the same input passed once and failed once"},
    {"instance_order", "wrong", "in an audit: wrong where two instances are called in turns"},
    {"changes_later", "wrong", "in an audit: right at first, wrong after many calls"},
    {"aliased_output", "wrong", "in an audit: an output changed when the program was called again"},
    {"held_out_shape", "wrong",
     "in an audit: wrong, or broken, on a shape that the task holds out"},
    {"process_state", "wrong",
     "in an audit: its process is left changed in a way that can make other code wrong"},
    {"surroundings", "wrong", "in an audit: wrong, or broken, where it does not look like a jail"},
    {"layout", "wrong", "in an audit: wrong, or broken, with inputs in another layout"},
    {"option", "wrong", "in an audit: wrong with an argument that the task leaves at its default"},
    {"module_state", "wrong", "in an audit: a call leaves other values in the module's buffers"},
    {"stray_access", "wrong", "in an audit on a GPU: touches memory that is not its own"},
    {"shared_race", "wrong", "in an audit on a GPU: threads race for shared memory"},
    {"shared_uninitialized", "wrong",
     "in an audit on a GPU: reads shared memory that nobody has written"},
    {"late_write", "suspect", "outputs were written after the reply, or were not there yet"},
    {"clock", "suspect", "claims that cannot be true, or leave out time in every round"},
    {"memory_growth", "suspect", "in an audit: its memory grows with every call"},
    {"decoy_kernel", "suspect", "in an audit: a kernel of its own changes nothing when it is idle"},
    {"below_floor", "impossible", "faster than the machine can move the data"},
    {"build_error", "build_error", "a compiler rejected the source"},
    {"runtime_error", "runtime_error", "an exception, or death by a signal"},
    {"timeout", "timeout", "did not answer within the limit"},
    {"out_of_memory", "out_of_memory", "exceeded the memory limit"},
    {"invalid_reply", "invalid_reply", "no usable ModelNew, or a reply that breaks the protocol"},
    {"round_failed", "infra_fault", "the round itself could not be run"},
    {"host_failed", "infra_fault", "our own host failed before the program ran"},
    {"baseline_failed", "infra_fault", "the baseline did not survive the round"},
    {"baseline_wrong", "infra_fault", "the baseline failed its own checks"},
    {"no_evidence", "infra_fault", "no call was checked on a class that can be relied on"},
    {"no_usable_class", "degenerate", "the task tells right from wrong on no value class"},
    {"mean_charged", "info", "the sum of all calls is told: it falls short of the median one"},
    {"floor_unsound", "info", "the baseline is under the floor too, so the floor was ignored"},
    {"disturbs", "info", "in an audit, the reference is slower right after it than after itself"},
    {"unused_kernel", "info", "in an audit: a kernel of its own is built and never called"},
    {"kernel_unchecked", "info", "in an audit: whether a kernel is a decoy could not be told"},
    {"shape_unchecked", "info", "in an audit: the task itself fails on a shape that it holds out"},
    {"leaves_behind", "info", "in an audit: it changes something of its process for other code"},
    {"surroundings_unchecked", "info", "in an audit: no run in surroundings like a user's"},
    {"memory_unchecked", "info", "in an audit on a GPU: it does not run under the memory checker"},
    {"audited", "info", "the ratio is that of an audit; the text has the one before it"},
    {"few_blocks", "info", "too few blocks for a distribution-free interval; Student's t used"},
    {"layout_refused", "info", "in an audit: raises an error on inputs in another layout"},
    {"option_refused", "info",
     "in an audit: does not take an argument that the task does not pass"},
    {"load_refused", "info", "in an audit: raises an error where weights are loaded after a call"},
    {"state_unkept", "info", "in an audit: it does not keep the module's buffers by their names"},
    {"values_unchecked", "info", "its round ended before it met each value class"},
    {"weights_untrained", "info",
     "some weights stayed as constructed, or were varied less than training does"},
    {"weights_seeded", "info", "it takes no state of the task's: judged with fresh weights only"},
    {"degenerate_task", "info", "the task cannot tell right from wrong on all mutants"},
});

// The table's entry, or nullptr.
constexpr const Code* find_code(std::string_view code) {
  for (const Code& entry : k_codes) {
    if (entry.code == code) return &entry;
  }
  return nullptr;
}

}  // namespace cupel::judge
