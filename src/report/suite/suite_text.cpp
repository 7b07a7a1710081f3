#include <fmt/format.h>

#include <algorithm>

#include "report/suite/suite_report.h"
#include "report/words/numbers.h"
#include "report/words/text_table.h"

namespace cupel::report {
namespace {

constexpr int k_shown_points = 6;  // of a curve, in a line

std::string estimate_text(const Estimate& estimate) {
  if (estimate.tasks == 0) return "-";
  return fmt::format("{:.2f}x {:.2f}-{:.2f}", estimate.value, estimate.interval.low,
                     estimate.interval.high);
}

std::string share_text(const Estimate& estimate) {
  return estimate.tasks == 0 ? "-" : fmt::format("{:.0f} %", 100 * estimate.value);
}

std::string ratio_or_dash(const std::optional<Ratio>& ratio) {
  return ratio ? ratio_text(*ratio) : "-";
}

std::string scores_table(const Suite& suite, const Style& style) {
  TextTable table({{"strategy", Column::Align::left, true},
                   {"tasks", Column::Align::right, false},
                   {"over eager", Column::Align::left, false},
                   {"over compile", Column::Align::left, false},
                   {"over best free", Column::Align::left, false},
                   {"cost", Column::Align::right, false},
                   {"queries", Column::Align::right, false},
                   {"time", Column::Align::right, false}});
  for (const SuiteScore& score : suite.scores) {
    table.add_row({score.strategy, std::to_string(score.tasks), estimate_text(score.over_eager),
                   estimate_text(score.over_compile), estimate_text(score.over_free),
                   money_text(score.cost_usd), std::to_string(score.queries),
                   seconds_text(score.wall_s)});
  }
  return table.str(style);
}

std::string shares_table(const Suite& suite, const Style& style) {
  std::vector<Column> columns{{"", Column::Align::left, true}};
  for (const double p : k_fast_p) {
    columns.push_back({fmt::format("fast_{:g}", p), Column::Align::right, false});
  }
  columns.push_back({"over eager, no floor", Column::Align::left, false});
  TextTable table(std::move(columns));
  const auto add = [&](const std::string& name, const std::vector<Estimate>& shares,
                       const std::string& raw) {
    std::vector<std::string> cells{name};
    for (const Estimate& estimate : shares) cells.push_back(share_text(estimate));
    cells.push_back(raw);
    table.add_row(std::move(cells));
  };
  for (const SuiteScore& score : suite.scores) {
    add(score.strategy, score.fast_p, "");
    add("  bought", score.fast_p_bought, "");
    add("  as published", score.fast_p_point, estimate_text(score.over_eager_raw));
  }
  return table.str(style) +
         "fast_p counts winners whose whole interval lies above p; as published: the fastest "
         "correct\ncandidate's estimate, whatever its interval and whoever wrote it.\n";
}

std::string levels_text(const SuiteScore& score) {
  std::string text;
  for (const LevelScore& level : score.levels) {
    text += fmt::format("{}, {}: {} tasks, {} over eager, fast_1 {}\n", score.strategy, level.level,
                        level.tasks, estimate_text(level.over_eager), share_text(level.fast_1));
  }
  return text;
}

std::string outcomes_text(const SuiteScore& score) {
  std::string list;
  for (const auto& [outcome, count] : score.outcomes) {
    list += fmt::format("{}{} {}", list.empty() ? "" : ", ", count, outcome);
  }
  return list.empty() ? "" : fmt::format("{}: of what was bought {}\n", score.strategy, list);
}

std::string left_out(const SuiteScore& score) {
  std::string text;
  const auto add = [&](int count, const char* what) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
  };
  add(score.unfinished, "unfinished");
  add(score.degenerate, "degenerate");
  add(score.failed, "failed");
  return text.empty() ? "" : fmt::format("{}: left out {}\n", score.strategy, text);
}

template <class Spent>
std::string curve_line(const std::string& name, const std::vector<CurvePoint>& curve, Spent spent) {
  if (curve.size() < 2) return "";
  std::string text = name + ":";
  for (int i = 0; i < k_shown_points; ++i) {
    const CurvePoint& point = curve[(curve.size() - 1) * static_cast<std::size_t>(i) /
                                    static_cast<std::size_t>(k_shown_points - 1)];
    text += fmt::format("  {} {:.2f}x", spent(point.spent), point.geomean);
  }
  return text + "\n";
}

std::string curves(const Suite& suite) {
  std::string text;
  for (const SuiteScore& score : suite.scores) {
    text += curve_line(score.strategy + ", a task", score.over_cost, money_text);
    text += curve_line(score.strategy + ", queries a task", score.over_queries,
                       [](double queries) { return fmt::format("{:.0f}", queries); });
  }
  return text.empty() ? "" : "\n" + text;
}

Color color_of(const SuiteRow& row) {
  if (row.state == "failed") return Color::red;
  if (row.state != "finished") return Color::yellow;
  return row.over_free && row.over_free->low > 1 ? Color::green : Color::plain;
}

std::string tasks_table(const Suite& suite, const Style& style) {
  TextTable table({{"task", Column::Align::left, true},
                   {"strategy", Column::Align::left, false},
                   {"over eager", Column::Align::left, false},
                   {"over compile", Column::Align::left, false},
                   {"over best free", Column::Align::left, false},
                   {"cost", Column::Align::right, false},
                   {"winner", Column::Align::left, true}});
  for (const SuiteRow& row : suite.rows) {
    const bool finished = row.state == "finished";
    table.add_row(
        {row.task, row.strategy, ratio_or_dash(row.over_eager), ratio_or_dash(row.over_compile),
         ratio_or_dash(row.over_free), money_text(row.cost_usd),
         finished ? (row.winner.empty() ? "the original" : row.winner + " (" + row.origin + ")")
                  : row.state},
        color_of(row));
  }
  return table.str(style);
}

std::string problems(const Suite& suite, const Style& style) {
  std::string text;
  for (const SuiteRow& row : suite.rows) {
    if (row.problem.empty()) continue;
    text += paint(style, Color::red,
                  wrap(row.task + " (" + row.strategy + "): " + row.problem, style.width, 0));
  }
  return text.empty() ? "" : "\n" + text;
}

}  // namespace

std::string suite_text(const Suite& suite, const Style& style) {
  std::string text = paint(style, Color::bold, suite.name) + "\n\n";
  text += scores_table(suite, style) + "\n" + shares_table(suite, style);
  for (const SuiteScore& score : suite.scores) {
    text += levels_text(score) + outcomes_text(score) + left_out(score);
  }
  return text + curves(suite) + "\n" + tasks_table(suite, style) + problems(suite, style);
}

}  // namespace cupel::report
