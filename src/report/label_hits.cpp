#include "report/label_hits.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "report/text_table.h"

namespace cupel::report {
namespace {

using nlohmann::json;

const Verdict& last_verdict(const RunRecord& run, const Judged& judged) {
  const auto audit = std::find_if(
      run.audits.rbegin(), run.audits.rend(),
      [&](const WinnerAudit& one) { return one.candidate_id == judged.candidate.id; });
  return audit == run.audits.rend() ? judged.verdict : audit->verdict;
}

bool tells_of_program(Outcome outcome) {
  return outcome != Outcome::infra_fault && outcome != Outcome::degenerate;
}

void count(Outcome outcome, LabelHits& hits) {
  ++hits.programs;
  if (is_correct(outcome)) {
    ++hits.right;
    hits.faster += outcome == Outcome::faster;
  } else if (outcome == Outcome::wrong) {
    ++hits.wrong;
  } else if (outcome == Outcome::suspect || outcome == Outcome::impossible) {
    ++hits.suspect;
  } else {
    ++hits.refused;
  }
}

// The rows, the one without a label last; by the number of programs, else as they came.
std::vector<LabelHits> in_order(std::map<std::string, LabelHits> hits) {
  std::vector<LabelHits> rows;
  for (auto& [label, row] : hits) {
    row.label = label;
    rows.push_back(std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const LabelHits& left, const LabelHits& right) {
    if (left.label.empty() != right.label.empty()) return right.label.empty();
    return left.programs > right.programs;
  });
  return rows;
}

bool bears_any(const std::vector<LabelHits>& rows) {
  return !rows.empty() && !rows.front().label.empty();
}

std::string name_of(const LabelHits& row) {
  return row.label.empty() ? "no label" : row.label;
}

std::string right_text(const LabelHits& row) {
  return fmt::format("{} ({:.0f} %)", row.right, 100.0 * row.right / row.programs);
}

std::string table_of(const std::vector<LabelHits>& rows, const Style& style) {
  constexpr auto k_right = Column::Align::right;
  TextTable table({{"label", Column::Align::left, true},
                   {"programs", k_right},
                   {"right", k_right},
                   {"faster", k_right},
                   {"wrong", k_right},
                   {"suspect", k_right},
                   {"refused", k_right}});
  for (const LabelHits& row : rows) {
    table.add_row({name_of(row), std::to_string(row.programs), right_text(row),
                   std::to_string(row.faster), std::to_string(row.wrong),
                   std::to_string(row.suspect), std::to_string(row.refused)});
  }
  return table.str(style);
}

std::string markdown_of(const std::vector<LabelHits>& rows) {
  std::string text =
      "| label | programs | right | faster | wrong | suspect | refused |\n"
      "|---|---:|---:|---:|---:|---:|---:|\n";
  for (const LabelHits& row : rows) {
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", name_of(row), row.programs,
                        right_text(row), row.faster, row.wrong, row.suspect, row.refused);
  }
  return text;
}

json json_of(const std::vector<LabelHits>& rows) {
  json all = json::array();
  for (const LabelHits& row : rows) {
    all.push_back({{"label", row.label},
                   {"programs", row.programs},
                   {"right", row.right},
                   {"faster", row.faster},
                   {"wrong", row.wrong},
                   {"suspect", row.suspect},
                   {"refused", row.refused}});
  }
  return all;
}

}  // namespace

std::vector<LabelHits> label_hits(const RunRecord& run) {
  std::map<std::string, LabelHits> hits;
  for (const Judged& judged : run.judged) {
    const auto labels = run.labels.find(judged.candidate.id);
    const Outcome outcome = last_verdict(run, judged).outcome;
    if (labels == run.labels.end() || !tells_of_program(outcome)) continue;
    for (const Label& one : labels->second) count(outcome, hits[one.label]);
    if (labels->second.empty()) count(outcome, hits[""]);
  }
  return in_order(std::move(hits));
}

std::string label_hits_text(const RunRecord& run, const Style& style) {
  const auto rows = label_hits(run);
  if (!bears_any(rows)) return "";
  return "\n" + paint(style, Color::bold, "Labels, and what the judge found") + "\n" +
         table_of(rows, style);
}

std::string label_hits_markdown(const RunRecord& run) {
  const auto rows = label_hits(run);
  return bears_any(rows) ? "\n## Labels, and what the judge found\n\n" + markdown_of(rows) : "";
}

json label_hits_json(const RunRecord& run) {
  return json_of(label_hits(run));
}

}  // namespace cupel::report
