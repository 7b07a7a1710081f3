#include "report/answers/lint_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "base/hash.h"
#include "report/words/json.h"

#include <nlohmann/json.hpp>
#include "report/words/numbers.h"
#include "report/words/text_table.h"

namespace cupel::report {
namespace {

const Tolerance* tolerance_of(const Admission& admission, const std::string& value_class) {
  for (const Tolerance& tolerance : admission.tolerances) {
    if (tolerance.value_class == value_class) return &tolerance;
  }
  return nullptr;
}

bool exceeds(const OutputError& error, const Tolerance& tolerance, std::size_t leaf) {
  const auto over = [leaf](double value, const auto& limits) {
    return leaf < limits.size() && !(value <= static_cast<double>(limits[leaf]));
  };
  return error.nonfinite > 0 || over(error.rms, tolerance.rms_max) ||
         over(error.max, tolerance.error_max) || over(error.group, tolerance.group_max) ||
         over(static_cast<double>(error.mismatched), tolerance.mismatched_max);
}

// The largest of `values`, as an error; "" when there is none.
template <class Values, class Of>
std::string worst(const Values& values, Of of) {
  double largest = 0;
  for (const auto& value : values) largest = std::max(largest, static_cast<double>(of(value)));
  return values.empty() ? "" : error_text(largest);
}

std::string heading(const LintFindings& findings, const Style& style) {
  const TaskFacts& facts = findings.facts;
  std::string text = paint(style, Color::bold, findings.task.name);
  text += fmt::format("  {} -> {}\n", specs_text(facts.inputs), specs_text(facts.outputs));
  text +=
      paint(style, Color::dim,
            fmt::format("policy {}, {}, {} parameters, weights {}, inputs {}, outputs {}",
                        to_string(findings.policy), describe(findings.task.settings.mode),
                        facts.parameter_count, bytes_text(static_cast<double>(facts.weight_bytes)),
                        bytes_text(static_cast<double>(facts.input_bytes)),
                        bytes_text(static_cast<double>(facts.output_bytes))));
  return text + "\n";
}

std::string reference_line(const LintFindings& findings) {
  const AdmissionEvidence& evidence = findings.admission.evidence;
  return fmt::format(
      "reference {} a call, {}{}, oracle {}, allowed {:g} times the reference's own error\n",
      ms_text(evidence.reference_ms),
      evidence.deterministic ? "deterministic" : "NOT deterministic",
      evidence.mutates_inputs ? ", writes into its inputs" : "", evidence.oracle,
      findings.admission.k);
}

std::string verdict_lines(const LintFindings& findings, const Style& style) {
  const auto& reasons = findings.admission.degenerate;
  const auto width = static_cast<std::size_t>(style.width);
  if (reasons.empty()) {
    return paint(style, Color::green, "sound: right and wrong programs can be told apart") + "\n";
  }
  std::string text = paint(style, Color::red, "degenerate:") + "\n";
  for (const std::string& reason : reasons) text += wrap(reason, width, 2);
  return text;
}

std::string classes_table(const LintFindings& findings, const Style& style) {
  TextTable table({{"value class", Column::Align::left, false},
                   {"", Column::Align::left, false},
                   {"own error", Column::Align::left, false},
                   {"allowed rms", Column::Align::left, false},
                   {"allowed max", Column::Align::left, false},
                   {"why", Column::Align::left, true}});
  for (const ClassReport& report : findings.admission.evidence.classes) {
    const Tolerance* const tolerance = tolerance_of(findings.admission, report.name);
    const auto same = [](double value) { return value; };
    table.add_row({report.name, report.kept ? "kept" : "dropped",
                   worst(report.outputs, [](const OutputError& error) { return error.rms; }),
                   tolerance ? worst(tolerance->rms_max, same) : "",
                   tolerance ? worst(tolerance->error_max, same) : "", report.reason},
                  report.kept ? Color::plain : Color::dim);
  }
  return table.empty() ? "" : "\n" + table.str(style);
}

// One mutant over all value classes.
struct MutantSummary {
  std::string name;
  int classes = 0;
  int rejected = 0;
  int close = 0;                                             // plain allclose at 1e-2 accepts it
  double rms_min = std::numeric_limits<double>::infinity();  // where it is hardest to tell
  std::string hardest;
};

bool all_close_at_1e2(const MutantReport& mutant) {
  return std::all_of(mutant.outputs.begin(), mutant.outputs.end(),
                     [](const OutputError& error) { return error.close_1e2; });
}

double largest_rms(const MutantReport& mutant) {
  double largest = 0;
  for (const OutputError& error : mutant.outputs) largest = std::max(largest, error.rms);
  return largest;
}

std::vector<MutantSummary> summarize(const Admission& admission) {
  std::vector<MutantSummary> all;
  for (const MutantReport& mutant : admission.evidence.mutants) {
    auto at = std::find_if(all.begin(), all.end(),
                           [&](const MutantSummary& known) { return known.name == mutant.name; });
    if (at == all.end())
      at = all.insert(all.end(), MutantSummary{.name = mutant.name, .hardest = ""});
    ++at->classes;
    at->rejected += is_rejected(mutant, admission);
    at->close += all_close_at_1e2(mutant);
    if (largest_rms(mutant) >= at->rms_min) continue;
    at->rms_min = largest_rms(mutant);
    at->hardest = mutant.value_class;
  }
  return all;
}

std::string mutants_table(const LintFindings& findings, const Style& style) {
  TextTable table({{"wrong program", Column::Align::left, false},
                   {"rejected on", Column::Align::left, false},
                   {"smallest rms error", Column::Align::left, false},
                   {"accepted by allclose at 1e-2", Column::Align::left, false}});
  for (const MutantSummary& mutant : summarize(findings.admission)) {
    const bool always = mutant.rejected == mutant.classes;
    table.add_row(
        {mutant.name, fmt::format("{} of {} classes", mutant.rejected, mutant.classes),
         fmt::format("{} ({})", error_text(mutant.rms_min), mutant.hardest),
         mutant.close == 0 ? "" : fmt::format("on {} of {}", mutant.close, mutant.classes)},
        mutant.rejected == 0 ? Color::red
        : always             ? Color::plain
                             : Color::yellow);
  }
  return table.empty() ? "" : "\n" + table.str(style);
}

std::string notes(const LintFindings& findings, const Style& style) {
  std::string text;
  const auto width = static_cast<std::size_t>(style.width);
  for (const std::string& note : findings.admission.evidence.notes) {
    text += wrap("note: " + note, width, 0);
  }
  const auto& weak = findings.admission.weak_at_1e2;
  if (!weak.empty()) {
    text += wrap(fmt::format("plain allclose at 1e-2 would accept: {}", fmt::join(weak, ", ")),
                 width, 0);
  }
  return text.empty() ? "" : "\n" + text;
}

}  // namespace

bool is_rejected(const MutantReport& mutant, const Admission& admission) {
  const Tolerance* const tolerance = tolerance_of(admission, mutant.value_class);
  if (tolerance == nullptr) return false;
  for (std::size_t leaf = 0; leaf < mutant.outputs.size(); ++leaf) {
    if (exceeds(mutant.outputs[leaf], *tolerance, leaf)) return true;
  }
  return false;
}

std::string lint_text(const LintFindings& findings, const Style& style) {
  return heading(findings, style) + verdict_lines(findings, style) +
         wrap(reference_line(findings), static_cast<std::size_t>(style.width), 0) +
         classes_table(findings, style) + mutants_table(findings, style) + notes(findings, style);
}

std::string lint_json(const LintFindings& findings) {
  auto out = document("lint");
  const Task& task = findings.task;
  out["task"] = {
      {"id", task.id}, {"name", task.name}, {"path", task.path}, {"module", task.module}};
  out["policy"] = to_string(findings.policy);
  out["mode"] = to_string(findings.task.settings.mode);
  out["facts"] = value_of_encoded(encode(findings.facts));
  out["admission"] = value_of_encoded(encode(findings.admission));
  out["degenerate"] = !findings.admission.degenerate.empty();
  out["mutants"] = nlohmann::json::array();
  for (const MutantReport& mutant : findings.admission.evidence.mutants) {
    out["mutants"].push_back({{"name", mutant.name},
                              {"value_class", mutant.value_class},
                              {"rejected", is_rejected(mutant, findings.admission)}});
  }
  return dump(out);
}

}  // namespace cupel::report
