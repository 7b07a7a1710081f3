#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/suite/suite_report.h"
#include "report/words/json.h"

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

json fast_json(const std::vector<Estimate>& estimates) {
  json shares = json::object();
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    shares[fmt::format("{:g}", k_fast_p[i])] = estimate_json(estimates[i]);
  }
  return shares;
}

json levels_json(const std::vector<LevelScore>& levels) {
  json list = json::array();
  for (const LevelScore& level : levels) {
    list.push_back({{"level", level.level},
                    {"tasks", level.tasks},
                    {"over_eager", estimate_json(level.over_eager)},
                    {"fast_1", estimate_json(level.fast_1)}});
  }
  return list;
}

json score_json(const SuiteScore& score) {
  return {{"strategy", score.strategy},
          {"tasks", score.tasks},
          {"unfinished", score.unfinished},
          {"degenerate", score.degenerate},
          {"failed", score.failed},
          {"fast_p", fast_json(score.fast_p)},
          {"fast_p_bought", fast_json(score.fast_p_bought)},
          {"fast_p_point", fast_json(score.fast_p_point)},
          {"levels", levels_json(score.levels)},
          {"outcomes", score.outcomes},
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
          {"level", row.level},
          {"mode", row.mode},
          {"winner", row.winner},
          {"origin", row.origin},
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

}  // namespace cupel::report
