#include "propose/prompts/told.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "propose/prompts/data.h"
#include "propose/prompts/shown_log.h"
#include "propose/python_text.h"

namespace cupel::propose {
namespace {

constexpr std::size_t k_line_bytes_max = 320;   // of the history
constexpr std::size_t k_name_bytes_max = 80;    // of a number or a table
constexpr std::size_t k_label_bytes_max = 120;  // an idea or a label in a line
constexpr std::size_t k_under_way_max = 24;     // lines of what others write
constexpr std::size_t k_history_overseen = 8;   // in so many lines one sees the fastest oneself
constexpr std::size_t k_reason_bytes_max = 240;
constexpr std::size_t k_reasons_max = 6;
constexpr std::size_t k_profile_numbers_max = 24;
constexpr std::size_t k_rows_bytes_max = 2 << 10;  // of one table of where time goes
constexpr double k_bytes_per_mb = 1e6;

const Ratio* first_ratio(const Judged& judged) {
  return judged.verdict.ratios.empty() ? nullptr : &judged.verdict.ratios.front();
}

bool is_timed(const Judged& judged) {
  return is_correct(judged.verdict.outcome) && first_ratio(judged) != nullptr;
}

double speed(const Judged& judged) {
  return is_timed(judged) ? first_ratio(judged)->ratio : 0;
}

const Judged* fastest(const std::vector<const Judged*>& history) {
  const Judged* best = nullptr;
  for (const Judged* judged : history) {
    if (speed(*judged) > (best == nullptr ? 0 : speed(*best))) best = judged;
  }
  return best;
}

// The proposal that made a candidate: people and models know candidates by it.
std::string proposal_of(const std::string& candidate_id, const Context& context) {
  for (const Judged* judged : context.history) {
    if (judged->candidate.id == candidate_id) return judged->proposal.id;
  }
  for (const Judged* judged : context.parents) {
    if (judged->candidate.id == candidate_id) return judged->proposal.id;
  }
  return "";
}

std::string ancestry(const Judged& judged, const Context& context) {
  std::string text;
  for (const std::string& parent : judged.proposal.parents) {
    const std::string id = proposal_of(parent, context);
    if (!id.empty()) text += (text.empty() ? " of " : ", ") + id;
  }
  return text;
}

// What an agent was told to do, else what it says that it did. Labels number children only.
std::string subject(const Judged& judged) {
  const std::string& idea = judged.proposal.idea;
  std::string words = idea.empty() ? judged.candidate.label : idea;
  if (idea.empty() && asks_agent(judged.proposal.kind)) {
    const std::string docstring = docstring_of(judged.candidate.source);
    if (!trimmed(docstring).empty()) words = trimmed(docstring);
  }
  return quoted(words, k_label_bytes_max);
}

// Measured directly if the verdict has it, else as the quotient of the ratios over eager.
double ratio_over_bar(const Judged& judged, const Judged& bar) {
  for (const Ratio& ratio : judged.verdict.ratios) {
    if (ratio.over_id == bar.candidate.id) return ratio.ratio;
  }
  return is_timed(judged) && speed(bar) > 0 ? speed(judged) / speed(bar) : 0;
}

// What a program that reads and writes everything once would move.
double gb_per_s(const TaskFacts& facts, double ms) {
  const auto moved =
      static_cast<double>(facts.input_bytes + facts.output_bytes + facts.weight_bytes);
  return moved / k_bytes_per_mb / ms;
}

// A small task's call is mostly the host's time, of which a bandwidth would tell nothing.
std::string rate_text(const Judged& judged, const Context& context) {
  const Ratio* const device = judged.verdict.device_ratio();
  const double ms = device ? device->candidate_ms : first_ratio(judged)->candidate_ms;
  const std::string rate =
      fmt::format("{:.3g} GB/s of inputs, outputs and weights\n", gb_per_s(*context.facts, ms));
  if (!device) return "that is " + rate;
  return fmt::format(
      "of it the GPU's own time is {:.4g} ms ({:.4g} ms of {}), the rest is the host's: Python, "
      "launches, the wait for the end; by the GPU's time that is {}",
      device->candidate_ms, device->over_ms, device->over, rate);
}

std::string times_text(const Judged& judged, const Context& context) {
  if (!context.telling.times || !is_timed(judged)) return "";
  const Ratio& ratio = *first_ratio(judged);
  std::string text = fmt::format(
      "{:.4g} ms a call against {:.4g} ms of {}: {:.3f}x, 95 % interval {:.3f} to "
      "{:.3f}\n",
      ratio.candidate_ms, ratio.over_ms, ratio.over, ratio.ratio, ratio.low, ratio.high);
  text += rate_text(judged, context);
  const Judged* const bar = context.best_free;
  const double over_bar = bar == nullptr || bar == &judged ? 0 : ratio_over_bar(judged, *bar);
  if (over_bar > 0) text += fmt::format("about {:.2f}x over the best free variant\n", over_bar);
  return text;
}

std::string reasons_text(const Judged& judged, const Context& context) {
  const Verdict& verdict = judged.verdict;
  if (is_correct(verdict.outcome) && !context.telling.times) return "";
  std::string text;
  for (std::size_t i = 0; i < std::min(verdict.reasons.size(), k_reasons_max); ++i) {
    text += fmt::format("{}: {}\n", verdict.reasons[i].code,
                        quoted(verdict.reasons[i].text, k_reason_bytes_max));
  }
  return text;
}

std::string without_task(std::string source, const Context& context) {
  const std::string& task = context.task->source;
  const std::size_t at = task.empty() ? std::string::npos : source.find(task);
  if (at != std::string::npos) source.replace(at, task.size(), "# (the task's own source)\n");
  return source;
}

// Its least time: a busy machine only adds to it.
std::string told_eager(const Context& context) {
  double ms = std::numeric_limits<double>::infinity();
  for (const Judged* judged : context.history) {
    if (is_timed(*judged)) ms = std::min(ms, first_ratio(*judged)->over_ms);
  }
  const std::string time = context.telling.times && std::isfinite(ms)
                               ? fmt::format(", at {:.3g} ms a call when it was quickest", ms)
                               : "";
  return "No free variant has been judged faster yet: eager PyTorch is the bar" + time +
         ".\nFree variants are judged beside your work (torch.compile in its modes, tracing, "
         "folding, layouts, threads,\ngraphs), so it will rise: plan for more than they do.\n";
}

// Numbers with names; no more than fit.
class Profile {
 public:
  void add(std::string_view name, double value) {
    if (count_++ < k_profile_numbers_max) text_ += fmt::format("{}: {:.4g}\n", name, value);
  }
  std::string text() && { return std::move(text_); }

 private:
  std::size_t count_ = 0;
  std::string text_;
};

void add_times(const Judged& judged, const Context& context, Profile& profile) {
  if (!context.telling.times || !is_timed(judged)) return;
  const Ratio& ratio = *first_ratio(judged);
  profile.add("time of a call, ms", ratio.candidate_ms);
  profile.add("eager's time of a call, ms", ratio.over_ms);
  profile.add("speedup over eager", ratio.ratio);
  profile.add("its 95 % interval, low", ratio.low);
  profile.add("its 95 % interval, high", ratio.high);
  if (const Ratio* const other = judged.verdict.other_ratio()) {
    const bool latency = judged.verdict.metric == Metric::latency;
    profile.add(latency ? "speedup over eager of many calls that nobody waits for"
                        : "speedup over eager of a single call",
                other->ratio);
  }
  if (context.best_free != nullptr && is_timed(*context.best_free)) {
    profile.add("best free variant's speedup over eager", speed(*context.best_free));
    profile.add("speedup over the best free variant", ratio_over_bar(judged, *context.best_free));
  }
  const Ratio* const device = judged.verdict.device_ratio();
  if (device) {
    profile.add("the GPU's own time of a call, ms", device->candidate_ms);
    profile.add("eager's own time on the GPU, ms", device->over_ms);
  }
  profile.add("inputs, outputs and weights over time, GB/s",
              gb_per_s(*context.facts, (device ? *device : ratio).candidate_ms));
}

void add_sizes(const TaskFacts& facts, Profile& profile) {
  const auto mb = [](std::int64_t bytes) { return static_cast<double>(bytes) / k_bytes_per_mb; };
  profile.add("inputs, MB", mb(facts.input_bytes));
  profile.add("outputs, MB", mb(facts.output_bytes));
  profile.add("weights, MB", mb(facts.weight_bytes));
  profile.add("parameters", static_cast<double>(facts.parameter_count));
  profile.add("eager's live tensors at their most, MB", mb(facts.peak_bytes));
}

void add_profile(const Context& context, Profile& profile) {
  for (const auto& [name, value] : context.profile) {
    const bool is_claim = context.profile_is_claim;
    profile.add(
        is_claim ? "claimed: " + quoted(name, k_name_bytes_max) : one_line(name, k_name_bytes_max),
        value);
  }
}

}  // namespace

std::string told_outcome(const Judged& judged, const Context& context) {
  const Verdict& verdict = judged.verdict;
  if (!is_correct(verdict.outcome)) return verdict.headline();
  if (!context.telling.times) return "correct";
  if (!is_timed(judged)) return std::string(to_string(verdict.outcome));
  const Ratio& ratio = *first_ratio(judged);
  return fmt::format("{}, {:.2f}x over {} ({:.2f} to {:.2f}), {:.4g} ms a call",
                     to_string(verdict.outcome), ratio.ratio, ratio.over, ratio.low, ratio.high,
                     ratio.candidate_ms);
}

std::string told_line(const Judged& judged, const Context& context) {
  std::string line =
      fmt::format("- {}, {}{}, {}: {}", judged.proposal.id, to_string(judged.proposal.kind),
                  ancestry(judged, context), subject(judged), told_outcome(judged, context));
  if (!is_correct(judged.verdict.outcome) && !judged.verdict.reasons.empty()) {
    const std::size_t room = k_line_bytes_max - std::min(k_line_bytes_max, line.size() + 4);
    line += ": " + quoted(judged.verdict.reasons.front().text, std::min(room, k_reason_bytes_max));
  }
  return line + "\n";
}

std::string told_history(const Context& context, std::size_t bytes_max) {
  if (!context.telling.history || context.history.empty()) return "";
  const bool is_long = context.history.size() > k_history_overseen;
  const Judged* const best = is_long && context.telling.times ? fastest(context.history) : nullptr;
  const std::string head = best == nullptr ? ""
                                           : "The fastest so far:\n" + told_line(*best, context) +
                                                 "All, oldest first:\n";
  const std::size_t room = bytes_max - std::min(bytes_max, head.size() + k_line_bytes_max);
  std::vector<std::string> lines;
  std::size_t used = 0, left_out = context.history.size();
  for (auto judged = context.history.rbegin(); judged != context.history.rend(); ++judged) {
    std::string line = told_line(**judged, context);
    if (used + line.size() > room) break;
    used += line.size();
    lines.push_back(std::move(line));
    --left_out;
  }
  std::string text = head;
  if (left_out > 0) text += fmt::format("- ({} older ones left out)\n", left_out);
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) text += *line;
  return text;
}

std::string told_under_way(const Context& context, const Proposal& proposal) {
  if (!context.telling.history) return "";
  std::string text;
  std::size_t lines = 0;
  for (const Proposal* other : context.under_way) {
    if (other->idea.empty() || asks_alike(*other, proposal)) continue;
    if (lines++ == k_under_way_max) break;
    text += fmt::format("- {}, {}: {}\n", other->id, to_string(other->kind),
                        quoted(other->idea, k_label_bytes_max));
  }
  return text;
}

std::string told_twin(const Context& context, const Proposal& proposal) {
  if (!context.telling.history || context.answers > 1) return "";
  std::size_t answered = 0, under_way = 0, own = 0;
  for (const Judged* judged : context.history) answered += asks_alike(judged->proposal, proposal);
  for (const Proposal* other : context.under_way) {
    if (!asks_alike(*other, proposal)) continue;
    ++under_way;
    if (other->id == proposal.id) own = answered + under_way;
  }
  return own == 0 || under_way == 1 ? "" : fmt::format("{} of {}", own, answered + under_way);
}

std::string told_verdict(const Judged& judged, const Context& context, std::size_t feedback_bytes) {
  const Verdict& verdict = judged.verdict;
  std::string text = "Verdict: " + told_outcome(judged, context) + "\n";
  text += times_text(judged, context) + reasons_text(judged, context);
  const bool tells_times = is_correct(verdict.outcome);
  if (verdict.feedback.empty() || tells_times) return text;
  return text + "What the judge saw:\n" +
         fenced("", shown_log(verdict.feedback, judged.candidate.source), feedback_bytes);
}

std::string told_parent(const Judged& judged, const Context& context, std::size_t source_bytes) {
  constexpr std::size_t k_feedback_bytes = 2048;
  return fmt::format("### {}{}: {}\n{}{}", judged.proposal.id, ancestry(judged, context),
                     subject(judged), told_verdict(judged, context, k_feedback_bytes),
                     fenced("python", judged.candidate.source, source_bytes));
}

std::string told_bar(const Context& context, std::size_t source_bytes) {
  const Judged* const bar = context.best_free;
  if (bar == nullptr) return told_eager(context);
  const std::string source = without_task(bar->candidate.source, context);
  return fmt::format("The best free variant is '{}'.\n{}{}", one_line(bar->candidate.label, 120),
                     times_text(*bar, context), fenced("python", source, source_bytes));
}

std::string told_rewritten(const Context& context, std::size_t source_bytes) {
  if (context.rewritten == nullptr) return "";
  const std::string source = without_task(context.rewritten->source, context);
  const std::string rules = one_line(context.rewritten->label, k_reason_bytes_max) + "\n";
  if (source.size() > source_bytes) {
    return rules + fmt::format("(its program has {} lines and is not shown)\n",
                               std::count(source.begin(), source.end(), '\n'));
  }
  return rules + fenced("python", source, source_bytes);
}

std::string told_where_time_goes(const Context& context) {
  if (!context.telling.profile || !context.telling.times) return "";
  std::string text;
  for (const auto& [name, rows] : context.where_time_goes) {
    text += one_line(name, k_name_bytes_max) + ":\n" + fenced("", rows, k_rows_bytes_max);
  }
  return text;
}

std::string told_profile(const Context& context) {
  Profile profile;
  if (!context.parents.empty()) add_times(*context.parents.front(), context, profile);
  if (context.telling.profile) add_profile(context, profile);
  add_sizes(*context.facts, profile);
  return std::move(profile).text();
}

}  // namespace cupel::propose
