#include "report/answers/rewrite_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/words/json.h"
#include "report/words/numbers.h"
#include "rewrite/emit.h"

namespace cupel::report {
namespace {

using nlohmann::json;
using rewrite::Cost;
using rewrite::Rewriting;
using rewrite::Step;

std::string operations_text(double count) {
  if (count < 1e3) return fmt::format("{:.0f} operations", count);
  if (count < 1e6) return fmt::format("{:.1f} thousand operations", count / 1e3);
  if (count < 1e9) return fmt::format("{:.1f} million operations", count / 1e6);
  return fmt::format("{:.1f} billion operations", count / 1e9);
}

std::string cost_text(const Cost& cost) {
  return fmt::format("{}, {} moved, {} operators", operations_text(cost.operations),
                     bytes_text(cost.bytes), cost.launches);
}

std::string heading(const RewriteFindings& findings, const Style& style) {
  std::string text = paint(style, Color::bold, findings.task.name);
  if (!findings.refused.empty()) {
    return text + "\n" +
           wrap("its program cannot be told as a graph: " + findings.refused,
                static_cast<std::size_t>(style.width), 0);
  }
  const Cost cost = rewrite::cost_as_written(rewrite::GraphIndex(findings.graph));
  text += fmt::format("  {}{}\n", describe(findings.task.settings.mode),
                      findings.graph.is_training ? ", which is training mode" : "");
  return text + paint(style, Color::dim, "one call: " + cost_text(cost)) + "\n";
}

std::string step_text(const Step& step, const Style& style) {
  const auto width = static_cast<std::size_t>(style.width);
  std::string text = "\n" + paint(style, Color::bold, step.rule);
  text += step.exact ? "  (the same bits)\n" : "  (rounded in another order)\n";
  text += wrap(step.reason, width, 2);
  text += wrap("before: " + step.before, width, 2);
  return text + wrap("after:  " + step.after, width, 2);
}

// "\nrewritten in parts: Block (self.layers[0], self.layers[1])".
std::string parts_text(const Rewriting& program) {
  std::string text;
  for (const Rewriting& part : program.parts) {
    text += fmt::format("{}{} ({})", text.empty() ? "\nrewritten in parts: " : ", ", part.kind,
                        fmt::join(part.paths, ", "));
  }
  return text.empty() ? text : text + "\n";
}

std::string findings_text(const RewriteFindings& findings, const Style& style) {
  std::string text;
  const auto width = static_cast<std::size_t>(style.width);
  for (const auto& finding : findings.rewritings.findings) {
    const std::string line = fmt::format("{}: {}", finding.node, finding.what);
    text += finding.degenerate ? paint(style, Color::red, wrap("degenerate: " + line, width, 0))
                               : wrap("note: " + line, width, 0);
  }
  const auto& unknown = findings.rewritings.left_alone;
  if (!unknown.empty()) {
    text +=
        wrap(fmt::format("left alone, no rule knows them: {}", fmt::join(unknown, ", ")), width, 0);
  }
  return text.empty() ? "" : "\n" + text;
}

std::string program_section(const Rewriting& program, const Task& task, const Style& style) {
  std::string text =
      "\n" + paint(style, Color::bold, program.name) + "  " + cost_text(program.after) + "\n\n";
  const std::string whole = rewrite::program_text(program, task.source);
  return text + whole.substr(std::min(whole.rfind("\nimport torch\n") + 1, whole.size()));
}

json cost_json(const Cost& cost) {
  return {{"operations", cost.operations}, {"bytes", cost.bytes}, {"launches", cost.launches}};
}

json program_json(const Rewriting& program, const Task& task) {
  json steps = json::array();
  for (const Step& step : program.steps) {
    steps.push_back({{"rule", step.rule},
                     {"reason", step.reason},
                     {"exact", step.exact},
                     {"before", step.before},
                     {"after", step.after}});
  }
  return {{"name", program.name},
          {"before", cost_json(program.before)},
          {"after", cost_json(program.after)},
          {"steps", steps},
          {"source", rewrite::program_text(program, task.source)}};
}

}  // namespace

std::string rewrite_text(const RewriteFindings& findings, const Style& style) {
  std::string text = heading(findings, style) + findings_text(findings, style);
  const auto& programs = findings.rewritings.programs;
  if (!programs.empty()) text += parts_text(programs.front());
  if (programs.empty()) {
    return findings.refused.empty() ? text + "no rule lowers its cost\n" : text;
  }
  for (const Step& step : programs.front().steps) text += step_text(step, style);
  for (const Rewriting& program : programs) text += program_section(program, findings.task, style);
  return text;
}

std::string rewrite_json(const RewriteFindings& findings) {
  json out = document("rewrite");
  out["task"] = {{"id", findings.task.id}, {"name", findings.task.name}};
  out["refused"] = findings.refused;
  out["mode"] = to_string(findings.task.settings.mode);
  out["is_training"] = findings.graph.is_training;
  if (findings.refused.empty()) {
    out["cost"] = cost_json(rewrite::cost_as_written(rewrite::GraphIndex(findings.graph)));
  }
  out["programs"] = json::array();
  for (const Rewriting& program : findings.rewritings.programs) {
    out["programs"].push_back(program_json(program, findings.task));
  }
  out["findings"] = json::array();
  for (const auto& finding : findings.rewritings.findings) {
    out["findings"].push_back(
        {{"node", finding.node}, {"what", finding.what}, {"degenerate", finding.degenerate}});
  }
  out["left_alone"] = findings.rewritings.left_alone;
  return dump(out);
}

}  // namespace cupel::report
