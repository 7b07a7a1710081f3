#include "report/run/label_hits.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "report/words/numbers.h"
#include "report/words/text_table.h"

namespace cupel::report {
namespace {

using nlohmann::json;

constexpr const char* k_labels_title = "Labels, and what the judge found";
constexpr const char* k_remarks_title = "The reader's remarks, and what the judge found";

const Verdict& last_verdict(const RunRecord& run, const Judged& judged) {
  const auto audit =
      std::find_if(run.audits.rbegin(), run.audits.rend(),
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

// What a program is marked with; nothing where nobody looked.
using Marks = std::optional<std::vector<std::string>>;

std::vector<LabelHits> hits_of(const RunRecord& run,
                               const std::function<Marks(const std::string& id)>& marks_of) {
  std::map<std::string, LabelHits> hits;
  for (const Judged& judged : run.judged) {
    const Marks marks = marks_of(judged.candidate.id);
    const Outcome outcome = last_verdict(run, judged).outcome;
    if (!marks || !tells_of_program(outcome)) continue;
    for (const std::string& mark : *marks) count(outcome, hits[mark]);
    if (marks->empty()) count(outcome, hits[""]);
  }
  return in_order(std::move(hits));
}

template <class Mark>
std::vector<std::string> names_of(const std::vector<Mark>& marks) {
  std::vector<std::string> names;
  for (const Mark& mark : marks) names.push_back(mark.label);
  return names;
}

// Of all readings.
struct Bill {
  int useless = 0;
  std::int64_t nano_usd = 0;
};

Bill bill_of(const RunRecord& run) {
  Bill bill;
  for (const auto& [id, reading] : run.readings) {
    bill.useless += !reading.problem.empty();
    bill.nano_usd += reading.nano_usd;
  }
  return bill;
}

std::string readings_text(const RunRecord& run) {
  const Bill bill = bill_of(run);
  return fmt::format("{} asked about {} {} for {}, {} {} of no use", run.options.reader,
                     run.readings.size(), run.readings.size() == 1 ? "program" : "programs",
                     money_text(usd_of(bill.nano_usd)), bill.useless,
                     bill.useless == 1 ? "answer" : "answers");
}

bool bears_any(const std::vector<LabelHits>& rows) {
  return !rows.empty() && !rows.front().label.empty();
}

// The words of one kind of marks: the referee's labels, the reader's remarks.
struct Words {
  const char* one;
  const char* none;
};
constexpr Words k_labels{"label", "no label"};
constexpr Words k_remarks{"remark", "no remark"};

std::string name_of(const LabelHits& row, const Words& words) {
  return row.label.empty() ? words.none : row.label;
}

std::string right_text(const LabelHits& row) {
  return fmt::format("{} ({:.0f} %)", row.right, 100.0 * row.right / row.programs);
}

std::string table_of(const std::vector<LabelHits>& rows, const Words& words, const Style& style) {
  constexpr auto k_right = Column::Align::right;
  TextTable table({{words.one, Column::Align::left, true},
                   {"programs", k_right},
                   {"right", k_right},
                   {"faster", k_right},
                   {"wrong", k_right},
                   {"suspect", k_right},
                   {"refused", k_right}});
  for (const LabelHits& row : rows) {
    table.add_row({name_of(row, words), std::to_string(row.programs), right_text(row),
                   std::to_string(row.faster), std::to_string(row.wrong),
                   std::to_string(row.suspect), std::to_string(row.refused)});
  }
  return table.str(style);
}

std::string markdown_of(const std::vector<LabelHits>& rows, const Words& words) {
  std::string text = fmt::format(
      "| {} | programs | right | faster | wrong | suspect | refused |\n"
      "|---|---:|---:|---:|---:|---:|---:|\n",
      words.one);
  for (const LabelHits& row : rows) {
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", name_of(row, words), row.programs,
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
  return hits_of(run, [&](const std::string& id) -> Marks {
    const auto found = run.labels.find(id);
    if (found == run.labels.end()) return std::nullopt;
    return names_of(found->second);
  });
}

std::vector<LabelHits> reader_hits(const RunRecord& run) {
  return hits_of(run, [&](const std::string& id) -> Marks {
    const auto found = run.readings.find(id);
    if (found == run.readings.end() || !found->second.problem.empty()) return std::nullopt;
    return names_of(found->second.remarks);
  });
}

std::string label_hits_text(const RunRecord& run, const Style& style) {
  std::string text;
  if (const auto rows = label_hits(run); bears_any(rows)) {
    text += "\n" + paint(style, Color::bold, k_labels_title) + "\n";
    text += table_of(rows, k_labels, style);
  }
  if (run.readings.empty()) return text;
  text += "\n" + paint(style, Color::bold, k_remarks_title) + "\n";
  text +=
      paint(style, Color::dim, wrap(readings_text(run), static_cast<std::size_t>(style.width), 0));
  const auto rows = reader_hits(run);
  return rows.empty() ? text : text + table_of(rows, k_remarks, style);
}

std::string label_hits_markdown(const RunRecord& run) {
  std::string text;
  if (const auto rows = label_hits(run); bears_any(rows)) {
    text += fmt::format("\n## {}\n\n{}", k_labels_title, markdown_of(rows, k_labels));
  }
  if (run.readings.empty()) return text;
  return text + fmt::format("\n## {}\n\n{}.\n\n{}", k_remarks_title, readings_text(run),
                            markdown_of(reader_hits(run), k_remarks));
}

json label_hits_json(const RunRecord& run) {
  return json_of(label_hits(run));
}

json readings_json(const RunRecord& run) {
  const Bill bill = bill_of(run);
  return {{"model", run.options.reader},
          {"programs", run.readings.size()},
          {"useless", bill.useless},
          {"nano_usd", bill.nano_usd},
          {"remarks", json_of(reader_hits(run))}};
}

}  // namespace cupel::report
