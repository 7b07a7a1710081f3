#include "report/answers/verdict_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "report/words/json.h"

#include <nlohmann/json.hpp>
#include "report/run/run_report.h"
#include "report/words/numbers.h"
#include "report/words/text_table.h"

namespace cupel::report {
namespace {

const ProgramEvidence* program_of(const Verdict& verdict, const Evidence& evidence) {
  for (const ProgramEvidence& program : evidence.programs) {
    if (program.role == Role::candidate && program.candidate_id == verdict.candidate_id) {
      return &program;
    }
  }
  return nullptr;
}

std::string reasons_text(const Verdict& verdict, const Style& style) {
  std::string text;
  const auto width = static_cast<std::size_t>(style.width);
  for (const Reason& reason : verdict.reasons) {
    text += wrap(fmt::format("{}: {}", reason.code, reason.text), width, 2);
  }
  if (verdict.fault != Fault::nobody && !is_correct(verdict.outcome)) {
    text += fmt::format("  at fault: {}\n", to_string(verdict.fault));
  }
  return text;
}

// A judgement alone finds nothing of what shows later, or in another's process.
std::string audit_hint(const Verdict& verdict, const Style& style) {
  const auto is_audit = [](const Reason& reason) { return reason.code == "audited"; };
  const bool needs_none = verdict.outcome != Outcome::faster;
  if (needs_none || std::ranges::any_of(verdict.reasons, is_audit)) return "";
  const auto width = static_cast<std::size_t>(style.width);
  return wrap(
      "not audited: --audit also tries what shows later: outputs that do not last, buffers "
      "that are not updated, other layouts, what is left behind in the process",
      width, 2);
}

std::string metric_title(Metric metric) {
  return fmt::format("{}, 95 % interval", to_string(metric));
}

std::string proof_text(const Ratio& ratio) {
  return ratio.low > 1 && !ratio.proven ? ", unproven" : "";
}

// `claims`: of nothing in them is there a proof.
std::string ratios_text(const std::vector<Ratio>& ratios, std::string what, const Style& style,
                        bool claims = false) {
  if (ratios.empty()) return "";
  TextTable table({{"over", Column::Align::left, true},
                   {std::move(what), Column::Align::left, false},
                   {"candidate", Column::Align::right, false},
                   {"other", Column::Align::right, false},
                   {"pairs", Column::Align::right, false}});
  for (const Ratio& ratio : ratios) {
    table.add_row({ratio.over, ratio_text(ratio) + (claims ? "" : proof_text(ratio)),
                   ms_text(ratio.candidate_ms), ms_text(ratio.over_ms),
                   std::to_string(ratio.pairs)});
  }
  return "\n" + table.str(style, 2);
}

std::string error_lines(const Verdict& verdict) {
  if (verdict.checked_calls == 0) return "";
  return fmt::format(
      "\n  error against the oracle: rms {}, max {} (in spreads of the output), "
      "{} calls checked\n  plain allclose: {}\n",
      error_text(verdict.error_rms), error_text(verdict.error_max), verdict.checked_calls,
      allclose_text(verdict));
}

// The feedback keeps its own lines: it may quote code and logs.
std::string feedback_text(const Verdict& verdict) {
  if (is_correct(verdict.outcome) || verdict.feedback.empty()) return "";
  std::string text = "\n";
  std::istringstream lines(verdict.feedback);
  for (std::string line; std::getline(lines, line);) text += "  " + line + "\n";
  return text;
}

std::string cost_text(const Evidence& evidence, const ProgramEvidence* program) {
  const RoundCost& cost = evidence.cost;
  const std::pair<const char*, double> stages[] = {{"waiting for hosts", cost.wait_hosts_ms},
                                                   {"for the device", cost.wait_device_ms},
                                                   {"loading", cost.load_ms},
                                                   {"warm-up", cost.warmup_ms},
                                                   {"inputs", cost.prepare_ms},
                                                   {"timed calls", cost.calls_ms},
                                                   {"comparing", cost.compare_ms},
                                                   {"audit", cost.audit_ms},
                                                   {"endurance", cost.endurance_ms}};
  std::string text;
  for (const auto& [name, ms] : stages) {
    if (ms > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, ms_text(ms));
  }
  if (text.empty()) return "";
  text = fmt::format("took {}: {}; the judge itself {} of CPU time", ms_text(cost.wall_ms), text,
                     ms_text(cost.judge_cpu_ms));
  if (program != nullptr && program->first_call_ms > 0) {
    text += fmt::format("; first call {}", ms_text(program->first_call_ms));
  }
  return text;
}

std::string clocks_text(const DeviceClocks& clocks) {
  if (clocks.compute_mhz_max == 0) return "";
  std::string text = fmt::format(" at {} MHz", clocks.compute_mhz_max);
  if (clocks.compute_mhz_min < clocks.compute_mhz_max) {
    text = fmt::format(" at {} to {} MHz", clocks.compute_mhz_min, clocks.compute_mhz_max);
  }
  return clocks.throttled.empty() ? text : text + ", held down by: " + clocks.throttled;
}

std::string setting_text(const Evidence& evidence) {
  const std::string device =
      evidence.device.empty() ? "" : ", on " + evidence.device + clocks_text(evidence.clocks);
  return fmt::format("policy {}, {}{}, {} threads, sandbox {}, stopped: {}",
                     to_string(evidence.policy), describe(evidence.mode), device, evidence.threads,
                     evidence.sandbox_grade, evidence.stop_reason);
}

}  // namespace

std::string verdict_text(const Verdict& verdict, const Evidence& evidence, const Style& style) {
  const auto width = static_cast<std::size_t>(style.width);
  std::string text = paint(style, Color::bold, verdict.headline());
  if (style.color) text = paint(style, outcome_color(verdict.outcome), verdict.headline());
  text += "  " + verdict.label + "\n";
  text += reasons_text(verdict, style) + audit_hint(verdict, style) +
          ratios_text(verdict.ratios, metric_title(verdict.metric), style) +
          ratios_text(verdict.other_ratios, metric_title(other(verdict.metric)), style) +
          ratios_text(verdict.device_ratios, "the device's own time, as claimed", style, true) +
          error_lines(verdict) + feedback_text(verdict);
  const std::string cost = cost_text(evidence, program_of(verdict, evidence));
  text += "\n" + paint(style, Color::dim, wrap(setting_text(evidence), width, 2));
  return text + paint(style, Color::dim, wrap(cost, width, 2));
}

std::string verdict_json(const Verdict& verdict, const Evidence& evidence) {
  auto out = document("verdict");
  out["verdict"] = value_of_encoded(encode(verdict));
  out["headline"] = verdict.headline();
  out["degenerate"] = verdict.outcome == Outcome::degenerate || verdict.on_degenerate_task();
  out["policy"] = to_string(evidence.policy);
  out["mode"] = to_string(evidence.mode);
  out["metric"] = to_string(evidence.metric);
  out["threads"] = evidence.threads;
  out["sandbox"] = evidence.sandbox_grade;
  out["device"] = evidence.device;
  out["stop_reason"] = evidence.stop_reason;
  out["floor_ms"] = evidence.floor_ms;
  out["staged_calls_max"] = evidence.staged_calls_max;
  out["infra_fault"] = evidence.infra_fault;
  const auto whole = nlohmann::json::parse(encode(evidence));
  out["cost"] = whole.value("cost", nlohmann::json::object());
  if (const ProgramEvidence* const program = program_of(verdict, evidence)) {
    out["program"] = {
        {"import_ms", program->import_ms},           {"construct_ms", program->construct_ms},
        {"first_call_ms", program->first_call_ms},   {"weights", program->weights},
        {"layout_differs", program->layout_differs}, {"calls", program->calls.size()},
        {"batches", program->batches.size()},        {"untimed", program->untimed.size()},
        {"output_tail", program->output_tail}};
  }
  return dump(out);
}

}  // namespace cupel::report
