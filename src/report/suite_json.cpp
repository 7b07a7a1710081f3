#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/json.h"
#include "report/suite_report.h"

namespace cupel::report {
namespace {

using nlohmann::json;

json estimate_json(const Estimate& estimate) {
  if (estimate.tasks == 0) return nullptr;
  return {{"value", estimate.value},
          {"low", estimate.interval.low},
          {"high", estimate.interval.high},
          {"tasks", estimate.tasks}};
}

json ratio_json(const std::optional<Ratio>& ratio) {
  if (!ratio) return nullptr;
  return {{"ratio", ratio->ratio}, {"low", ratio->low}, {"high", ratio->high}};
}

json curve_json(const std::vector<CurvePoint>& curve) {
  json points = json::array();
  for (const CurvePoint& point : curve) points.push_back({point.spent, point.geomean});
  return points;
}

json fast_json(const SuiteScore& score) {
  json shares = json::object();
  for (std::size_t i = 0; i < score.fast_p.size(); ++i) {
    shares[fmt::format("{:g}", k_fast_p[i])] = estimate_json(score.fast_p[i]);
  }
  return shares;
}

json score_json(const SuiteScore& score) {
  return {{"strategy", score.strategy},
          {"tasks", score.tasks},
          {"unfinished", score.unfinished},
          {"degenerate", score.degenerate},
          {"failed", score.failed},
          {"fast_p", fast_json(score)},
          {"over_eager", estimate_json(score.over_eager)},
          {"over_compile", estimate_json(score.over_compile)},
          {"over_best_free", estimate_json(score.over_free)},
          {"over_eager_raw", estimate_json(score.over_eager_raw)},
          {"cost_usd", score.cost_usd},
          {"queries", score.queries},
          {"wall_s", score.wall_s},
          {"curve_over_usd", curve_json(score.over_cost)},
          {"curve_over_queries", curve_json(score.over_queries)}};
}

json row_json(const SuiteRow& row) {
  return {{"strategy", row.strategy},
          {"task", row.task},
          {"run_id", row.run_id},
          {"state", row.state},
          {"problem", row.problem},
          {"winner", row.winner},
          {"correct", row.correct},
          {"best_correct", row.best_correct},
          {"over_eager", ratio_json(row.over_eager)},
          {"over_compile", ratio_json(row.over_compile)},
          {"over_best_free", ratio_json(row.over_free)},
          {"cost_usd", row.cost_usd},
          {"queries", row.queries},
          {"wall_s", row.wall_s},
          {"candidates", row.candidates}};
}

// A cell that a reader of RFC 4180 gives back as it is.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string cell = "\"";
  for (const char letter : text)
    cell += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return cell + "\"";
}

std::string cells(const std::optional<Ratio>& ratio) {
  return ratio ? fmt::format("{:.6g},{:.6g},{:.6g}", ratio->ratio, ratio->low, ratio->high) : ",,";
}

}  // namespace

std::string suite_json(const Suite& suite) {
  json out = document("suite");
  out["name"] = suite.name;
  out["strategies"] = json::array();
  for (const SuiteScore& score : suite.scores) out["strategies"].push_back(score_json(score));
  out["tasks"] = json::array();
  for (const SuiteRow& row : suite.rows) out["tasks"].push_back(row_json(row));
  return dump(out);
}

std::string suite_csv(const Suite& suite) {
  std::string text =
      "task,strategy,state,correct,best_correct,"
      "over_eager,over_eager_low,over_eager_high,"
      "over_compile,over_compile_low,over_compile_high,"
      "over_best_free,over_best_free_low,over_best_free_high,"
      "cost_usd,queries,wall_s,candidates,run_id,winner,problem\r\n";
  for (const SuiteRow& row : suite.rows) {
    text += fmt::format("{},{},{},{},{:.6g},{},{},{},{:.9g},{},{:.6g},{},{},{},{}\r\n",
                        quoted(row.task), quoted(row.strategy), row.state, row.correct ? 1 : 0,
                        row.best_correct, cells(row.over_eager), cells(row.over_compile),
                        cells(row.over_free), row.cost_usd, row.queries, row.wall_s, row.candidates,
                        quoted(row.run_id), quoted(row.winner), quoted(row.problem));
  }
  return text;
}

}  // namespace cupel::report
