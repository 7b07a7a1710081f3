#include "report/run/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/hash.h"
#include "report/run/label_hits.h"
#include "report/run/table_rows.h"
#include "report/words/numbers.h"
#include "report/words/text_table.h"

namespace cupel::report {
namespace {

constexpr std::size_t k_outcome_width = 13;  // the longest: out_of_memory, invalid_reply
constexpr std::size_t k_ratio_width = 18;

std::string heading(const RunRecord& run, const Style& style) {
  std::string text = paint(style, Color::bold, run.task.name);
  if (!run.admission.degenerate.empty()) text += paint(style, Color::yellow, "  degenerate task");
  if (!run.facts.inputs.empty()) {
    text += fmt::format("  {} -> {}", specs_text(run.facts.inputs), specs_text(run.facts.outputs));
  }
  return text + "\n" + paint(style, Color::dim, settings_line(run)) + "\n";
}

std::string warnings(const RunRecord& run, const Style& style) {
  std::string text;
  for (const std::string& reason : run.admission.degenerate) {
    text += paint(style, Color::yellow, wrap("degenerate task: " + reason, style.width, 0));
  }
  return text.empty() ? "" : "\n" + text;
}

Color role_color(const std::string& role) {
  if (role == k_winner_role) return Color::green;
  return role == k_failed_audit_role ? Color::yellow : Color::plain;
}

std::string audits(const RunRecord& run, const Style& style) {
  std::string text;
  for (const std::string& line : audit_lines(run)) {
    text += paint(style, Color::dim, wrap(line, static_cast<std::size_t>(style.width), 0));
  }
  return text.empty() ? "" : "\n" + text;
}

std::string summary(const RunRecord& run, const Style& style) {
  if (run.table.rows.empty()) return "\nNo table yet: the run has not come to its final round.\n";
  TextTable table({{"", Column::Align::left, false},
                   {"program", Column::Align::left, true},
                   {"latency", Column::Align::right, false},
                   {"over eager", Column::Align::left, false},
                   {"over best free", Column::Align::left, false},
                   {"error", Column::Align::left, false},
                   {"allclose", Column::Align::left, false}});
  for (const TableRow& row : table_rows(run)) {
    table.add_row({row.role, row.label, ms_text(row.latency_ms), row.over_eager, row.over_best_free,
                   row.error, row.allclose},
                  role_color(row.role));
  }
  return "\n" + table.str(style) + audits(run, style);
}

// What a command that takes a RUN finds it by: the id of a run whose directory bears it, else the
// directory, which the user chose.
std::string run_argument(const RunRecord& run) {
  const std::filesystem::path directory(run.directory);
  const bool by_id = directory.empty() || directory.filename() == run.run_id;
  return by_id ? run.run_id : run.directory;
}

// Of what may be faster than eager but was not shown to be, the row with most to hope for.
const FinalTable::Row* most_hopeful(const RunRecord& run) {
  const FinalTable::Row* best = nullptr;
  for (const FinalTable::Row& row : run.table.rows) {
    const Verdict& verdict = row.verdict;
    if (verdict.outcome != Outcome::ambiguous || verdict.ratios.empty()) continue;
    const Ratio& ratio = verdict.ratios.front();
    const bool hopeful = ratio.high > 1;
    if (hopeful && (!best || ratio.ratio > best->verdict.ratios.front().ratio)) best = &row;
  }
  return best;
}

// That a gain was not shown does not say that there is none.
std::string nothing_won(const RunRecord& run) {
  const FinalTable::Row* hopeful = most_hopeful(run);
  if (!hopeful) return "Nothing beat eager: keep the program as it is.\n";
  return fmt::format(
      "Nothing is sure to beat eager. '{}' may ({}): the machine is too busy, or the gain too\n"
      "small, to tell.\n",
      hopeful->label, ratio_text(hopeful->verdict.ratios.front()));
}

std::string conclusion(const RunRecord& run, const Style& style) {
  std::string text = "\n";
  if (!run.winner_path.empty() && !run.admission.degenerate.empty()) {
    text += fmt::format(
        "The task is degenerate: that a program is right on it shows little. Fastest is {}\n",
        run.winner_path);
  } else if (!run.winner_path.empty()) {
    text += fmt::format("Use {}\n", paint(style, Color::bold, run.winner_path));
  } else if (run.finished) {
    text += nothing_won(run);
  } else {
    text += fmt::format("Not finished: cupel resume {}\n", run_argument(run));
  }
  text += paint(style, Color::dim, cost_line(run)) + "\n";
  for (const std::string& line : ending_lines(run, run_argument(run))) {
    text += wrap(line, static_cast<std::size_t>(style.width), 0);
  }
  return text;
}

// Of what is right on a task where that shows little, no better word is said.
std::string outcome_text(const Verdict& verdict) {
  const bool unproven = is_correct(verdict.outcome) && verdict.on_degenerate_task();
  return unproven ? "degenerate" : std::string(to_string(verdict.outcome));
}

std::string judged_list(const RunRecord& run, const Style& style) {
  if (run.judged.empty()) return "";
  std::string text =
      "\n" + paint(style, Color::bold, "All candidates") +
      paint(style, Color::dim, fmt::format("  (cupel why {} ID)", run_argument(run))) + "\n";
  TextTable table({{"id", Column::Align::left, false},
                   {"outcome", Column::Align::left, false},
                   {"over eager", Column::Align::left, false},
                   {"latency", Column::Align::right, false},
                   {"took", Column::Align::right, false},
                   {"program", Column::Align::left, true}});
  for (const Judged* judged : ranked(run)) {
    const Verdict& verdict = judged->verdict;
    const bool timed = is_correct(verdict.outcome) && !verdict.ratios.empty();
    table.add_row({judged->proposal.id, outcome_text(verdict),
                   timed ? ratio_text(verdict.ratios.front()) : "",
                   timed ? ms_text(verdict.ratios.front().candidate_ms) : "",
                   seconds_text(judged->seconds), program_text(*judged)},
                  outcome_color(verdict.outcome));
  }
  return text + table.str(style);
}

int rank(Outcome outcome) {
  return is_correct(outcome) ? 0 : 1 + static_cast<int>(outcome);
}

double ratio_of(const Judged& judged) {
  return judged.verdict.ratios.empty() ? 0 : judged.verdict.ratios.front().ratio;
}

}  // namespace

Color outcome_color(Outcome outcome) {
  if (outcome == Outcome::faster) return Color::green;
  if (outcome == Outcome::suspect || outcome == Outcome::impossible) return Color::yellow;
  return is_correct(outcome) ? Color::plain : Color::red;
}

std::vector<const Judged*> ranked(const RunRecord& run) {
  std::vector<const Judged*> order;
  for (const Judged& judged : run.judged) order.push_back(&judged);
  std::stable_sort(order.begin(), order.end(), [](const Judged* a, const Judged* b) {
    const int rank_a = rank(a->verdict.outcome);
    const int rank_b = rank(b->verdict.outcome);
    return rank_a != rank_b ? rank_a < rank_b : ratio_of(*a) > ratio_of(*b);
  });
  return order;
}

std::string judged_line(const Judged& judged, const Style& style) {
  const Verdict& verdict = judged.verdict;
  const bool timed = is_correct(verdict.outcome) && !verdict.ratios.empty();
  const std::string ratio = timed ? ratio_text(verdict.ratios.front()) : "";
  const std::string line = fmt::format("{:<{}}  {:<{}}  {}", outcome_text(verdict), k_outcome_width,
                                       ratio, k_ratio_width, program_text(judged));
  return paint(style, outcome_color(verdict.outcome),
               cut(line, static_cast<std::size_t>(style.width)));
}

std::string run_text(const RunRecord& run, const Style& style) {
  return heading(run, style) + warnings(run, style) + summary(run, style) + conclusion(run, style) +
         judged_list(run, style) + label_hits_text(run, style);
}

}  // namespace cupel::report
