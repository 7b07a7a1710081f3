#include "engine/finish/winner_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/hash.h"
#include "base/result.h"
#include "base/text.h"
#include "search/winning/choice.h"

namespace cupel::engine {
namespace {

// Python looks for a coding cookie in the first two lines and heeds the first one, so that no word
// of a label's below can be taken for one.
constexpr std::string_view k_first_line = "# -*- coding: utf-8 -*-\n";
constexpr std::size_t k_words_bytes_max = 200;  // of a label, which may be an agent's whole idea

// Labels and paths come from outside; none may end the comment that it stands in.
std::string words_of(std::string_view text) {
  return one_line(text, k_words_bytes_max);
}

std::string line_of(const Ratio& ratio, const std::string& over) {
  return fmt::format(
      "# In the final round {:.3f}x over {} (95 % interval {:.3f} to {:.3f}; {:.4g} ms against "
      "{:.4g} ms).\n",
      ratio.ratio, words_of(over), ratio.low, ratio.high, ratio.candidate_ms, ratio.over_ms);
}

const FinalTable::Row& row_with(const FinalTable& table, std::string_view role,
                                const FinalTable::Row& otherwise) {
  for (const FinalTable::Row& row : table.rows) {
    if (row.role == role) return row;
  }
  return otherwise;
}

std::string ratio_lines(const FinalTable& table, const FinalTable::Row& winner) {
  std::string lines;
  if (!winner.verdict.ratios.empty()) lines += line_of(winner.verdict.ratios.front(), "eager");
  const FinalTable::Row& best_free = row_with(table, search::role::k_best_free, winner);
  if (best_free.candidate_id == winner.candidate_id) return lines;
  const auto gain = search::ratio_over(winner.verdict, best_free.candidate_id);
  if (gain) lines += line_of(*gain, "the best free variant, " + best_free.label);
  return lines;
}

std::string header(const RunRecord& record, const Candidate& candidate, const FinalTable& table,
                   const FinalTable::Row& winner) {
  return fmt::format(
      "{}# {}: a faster program for the task {}, found by Cupel.\n{}"
      "# Policy: {}. Model {}. Device: {}. Run: {}. Candidate: {}.\n",
      k_first_line, words_of(candidate.label), words_of(record.task.name),
      ratio_lines(table, winner), to_string(record.options.policy),
      describe(record.task.settings.mode), words_of(record.options.device), words_of(record.run_id),
      short_id(candidate.id));
}

}  // namespace

std::string winner_text(const RunRecord& record, const FinalTable& table,
                        const std::string& winner_id) {
  const auto judged =
      std::find_if(record.judged.begin(), record.judged.end(),
                   [&](const Judged& entry) { return entry.candidate.id == winner_id; });
  const auto row =
      std::find_if(table.rows.begin(), table.rows.end(),
                   [&](const FinalTable::Row& entry) { return entry.candidate_id == winner_id; });
  CUPEL_CHECK(judged != record.judged.end() && row != table.rows.end());
  return header(record, judged->candidate, table, *row) + judged->candidate.source;
}

}  // namespace cupel::engine
