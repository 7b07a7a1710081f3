#include "judge/feedback.h"

#include <fmt/format.h>

#include <cmath>

namespace cupel::judge {
namespace {

using Kind = LeafFailure::Kind;

constexpr std::string_view k_not_finite = "nonfinite";  // the class of inputs that hold NaN
constexpr std::size_t k_feedback_tail_bytes = 2048;     // of a traceback or a compiler's log

std::string number_text(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number < 0 ? "-Inf" : "Inf";
  return fmt::format("{:.9g}", number);
}

std::string amount(const LeafFailure& failure, const OutputError& error) {
  switch (failure.kind) {
    case Kind::nonfinite:
      return fmt::format(
          "{:.0f} elements are NaN or Inf where they must not be, or the other way round",
          failure.value);
    case Kind::mismatched:
      return fmt::format("{:.0f} elements differ, allowed {:.0f}", failure.value, failure.limit);
    case Kind::error_rms:
      return fmt::format("rms error {:.3g} spreads, allowed {:.3g}", failure.value, failure.limit);
    case Kind::group:
      return fmt::format(
          "{} are off by {:.3g} times what the reference is among them, allowed {:.3g}",
          error.group_name.empty() ? "parts of one size" : error.group_name, failure.value,
          failure.limit);
    default:
      return fmt::format("error {:.3g} spreads, allowed {:.3g}", failure.value, failure.limit);
  }
}

bool leaves_out_nan(const FailedCheck& shown) {
  if (shown.failure.kind != Kind::nonfinite || shown.check->value_class != k_not_finite) {
    return false;
  }
  const OutputError& error = shown.check->outputs[shown.failure.leaf];
  return std::isnan(error.worst_want) && std::isfinite(error.worst_got);
}

std::string meaning(const std::string& code, const FailedCheck& shown) {
  if (code == "range" && shown.failure.kind == LeafFailure::Kind::group) {
    return "; right on nominal inputs: the rounding error of large elements of '" +
           shown.check->value_class + "' inputs reaches small ones, or small ones are left out";
  }
  if (code == "range" && shown.check->value_class == "other_values") {
    return "; right with the arguments of the task's own calls: one that is no tensor has another "
           "value here. Read every argument";
  }
  if (code == "range" && leaves_out_nan(shown)) {
    return "; right on finite inputs: a NaN must show in what is computed from it. fmaxf, fminf, "
           "tl.maximum and tl.minimum leave it out; x < 0 ? 0 : x does not";
  }
  if (code == "range" && shown.check->value_class == k_not_finite) {
    return "; right on finite inputs: a NaN or an infinity must reach what is computed from it, "
           "and no other samples";
  }
  if (code == "range") {
    return "; right on nominal inputs: the code seems to rely on the range of the inputs. It must "
           "compute the same function for '" +
           shown.check->value_class + "' inputs too";
  }
  if (code == "weights") {
    return "; right under the first weights: the code seems to keep values of other weights, or to "
           "rely on how weights are constructed. The state is loaded after __init__, and looks as "
           "training leaves it: read the parameters at each call, or fold in prepare()";
  }
  if (code == "nondeterministic") {
    return "; the same input passed in another call: look for a race, uninitialized memory or "
           "state kept between calls";
  }
  return "";
}

}  // namespace

std::string describe_failure(const FailedCheck& failed) {
  const OutputCheck& check = *failed.check;
  const LeafFailure& failure = failed.failure;
  if (failure.kind == Kind::missing || failure.leaf >= check.outputs.size()) {
    return fmt::format("the outputs for input {} could not be compared", check.input);
  }
  const OutputError& error = check.outputs[failure.leaf];
  std::string element;  // of those that a group is made of, none is known
  if (failure.kind != Kind::group) {
    element = fmt::format("element {} is {}, must be {}; ", error.worst_index,
                          number_text(error.worst_got), number_text(error.worst_want));
  }
  return fmt::format("output {} differs from what it must be on value class '{}': {}{}",
                     failure.leaf, check.value_class, element, amount(failure, error));
}

std::string wrong_feedback(const WrongCheck& wrong, const CheckSummary& summary) {
  return fmt::format("{}{}. {} of {} checked calls failed.", describe_failure(wrong.shown),
                     meaning(wrong.code, wrong.shown), summary.failed.size(),
                     summary.checked_calls);
}

std::string tail_of(const std::string& text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  const std::string tail = text.substr(text.size() - bytes_max);
  const std::size_t line = tail.find('\n');
  return "..." + (line < bytes_max / 4 ? tail.substr(line) : tail);
}

std::string fault_feedback(const ProgramEvidence& program) {
  const HostFault& fault = program.fault;
  const std::string& log = fault.detail.empty() ? program.output_tail : fault.detail;
  std::string text = fmt::format("{} in phase '{}'", to_string(fault.kind), fault.phase);
  if (!fault.value_class.empty()) text += fmt::format(", on '{}' inputs", fault.value_class);
  text += ": " + fault.what;
  if (!log.empty()) text += "\n" + tail_of(log, k_feedback_tail_bytes);
  return text;
}

std::string state_feedback() {
  return " It takes no state of the task's: keep the names and shapes of the reference's "
         "parameters and buffers, and derive other forms of them in prepare(), so that a user's "
         "trained weights load into it.";
}

std::string timing_feedback(Outcome outcome, const Ratio& ratio, bool checked_all) {
  return fmt::format(
      "right{}, and {}: {:.3f}x over {} [{:.3f}, {:.3f}], {:.4g} ms against {:.4g} ms "
      "a call ({} pairs)",
      checked_all ? "" : " as far as it was checked", to_string(outcome), ratio.ratio, ratio.over,
      ratio.low, ratio.high, ratio.candidate_ms, ratio.over_ms, ratio.pairs);
}

}  // namespace cupel::judge
