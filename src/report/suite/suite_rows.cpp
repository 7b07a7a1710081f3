#include "report/suite/suite_rows.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string_view>

#include "report/run/table_rows.h"

namespace cupel::report {
namespace {

constexpr std::string_view k_eager = "eager";
constexpr int k_curve_steps = 50;
constexpr double k_nano = 1e9;

const FinalTable::Row* row_of(const FinalTable& table, std::string_view role) {
  for (const FinalTable::Row& row : table.rows) {
    if (row.role == role) return &row;
  }
  return nullptr;
}

Ratio one() {
  Ratio ratio;
  ratio.ratio = ratio.low = ratio.high = 1;
  return ratio;
}

// Of the other program over this one.
Ratio inverse(const Ratio& ratio) {
  Ratio turned;
  turned.ratio = 1 / ratio.ratio;
  turned.low = 1 / ratio.high;
  turned.high = 1 / ratio.low;
  turned.pairs = ratio.pairs;
  return turned;
}

bool is_timed(const Verdict& verdict) {
  return is_correct(verdict.outcome) && !verdict.ratios.empty();
}

std::optional<Ratio> over_eager(const FinalTable& table) {
  if (!row_of(table, "eager")) return std::nullopt;
  const auto* winner = row_of(table, "winner");
  return winner && is_timed(winner->verdict) ? winner->verdict.ratios.front() : one();
}

// time(other) / time(shipped), where the other has a time in the table. Without a winner the
// original is shipped.
std::optional<Ratio> over_role(const FinalTable& table, std::string_view role) {
  const auto* other = row_of(table, role);
  if (!other || !is_timed(other->verdict)) return std::nullopt;
  const auto* winner = row_of(table, "winner");
  if (!winner) return inverse(other->verdict.ratios.front());
  if (winner->candidate_id == other->candidate_id) return one();
  const Ratio* ratio = ratio_over(winner->verdict, other->candidate_id);
  return ratio ? std::optional(*ratio) : std::nullopt;
}

std::string state_of(const SuiteEntry& entry) {
  if (!entry.problem.empty()) return "failed";
  if (entry.runs.empty() || !entry.runs.back().finished) return "unfinished";
  return entry.runs.back().admission.degenerate.empty() ? "finished" : "degenerate";
}

double ratio_of(const Judged& judged) {
  return is_timed(judged.verdict) ? judged.verdict.ratios.front().ratio : 0;
}

bool is_original(const Judged& judged) {
  return judged.proposal.kind == Proposal::Kind::seed && judged.proposal.label == k_eager;
}

std::string_view origin_in(const RunRecord& run, const std::string& candidate_id) {
  for (const Judged& judged : run.judged) {
    if (judged.candidate.id == candidate_id) return origin_of(judged.proposal);
  }
  return "";
}

std::string level_of(const Task& task) {
  return std::filesystem::path(task.path).parent_path().filename().string();
}

// What is not proved to be faster has gained nothing.
double gain_of(const Judged& judged) {
  return judged.verdict.outcome == Outcome::faster ? ratio_of(judged) : 0;
}

void add_costs(const RunRecord& run, SuiteRow& row) {
  row.cost_usd += run.cost_usd;
  row.wall_s += run.wall_s;
  row.queries += run.queries;
  row.candidates += static_cast<int>(run.judged.size());
  for (const Judged& judged : run.judged) {
    row.correct = row.correct || (is_correct(judged.verdict.outcome) && !is_original(judged));
    row.best_correct = std::max(row.best_correct, ratio_of(judged));
  }
}

void add_table(const RunRecord& run, SuiteRow& row) {
  const FinalTable& table = run.table;
  row.over_eager = over_eager(table);
  row.over_compile = over_role(table, "torch.compile");
  row.over_free = over_role(table, "best free variant");
  if (row.over_eager && !row_of(table, "best free variant")) row.over_free = row.over_eager;
  if (const auto* winner = row_of(table, "winner")) {
    row.winner = winner->label;
    row.origin = origin_in(run, winner->candidate_id);
    // The final round is the better measurement of the same program.
    row.best_correct = row.over_eager->ratio;
  }
}

double judged_usd(const RunRecord& run) {
  double sum = 0;
  for (const Judged& judged : run.judged) sum += static_cast<double>(judged.nano_usd) / k_nano;
  return sum;
}

template <class Value>
double geomean_at(std::span<const Progression> all, double spent, Value value) {
  double sum = 0;
  for (const Progression& progression : all) {
    double best = progression.free;
    for (const auto& step : progression.steps) {
      if (value(step) <= spent) best = step.best;
    }
    sum += std::log(best);
  }
  return std::exp(sum / static_cast<double>(all.size()));
}

template <class Value>
std::vector<CurvePoint> curve(std::span<const Progression> all, double most, Value value) {
  std::vector<CurvePoint> points;
  if (all.empty()) return points;
  const int steps = most > 0 ? k_curve_steps : 0;
  for (int i = 0; i <= steps; ++i) {
    const double spent = steps > 0 ? most * i / steps : 0;
    points.push_back({spent, geomean_at(all, spent, value)});
  }
  return points;
}

}  // namespace

SuiteRow suite_row(const SuiteEntry& entry) {
  SuiteRow row;
  row.strategy = entry.strategy;
  row.task = entry.task;
  row.problem = entry.problem;
  row.state = state_of(entry);
  for (const RunRecord& run : entry.runs) add_costs(run, row);
  if (entry.runs.empty()) return row;
  row.run_id = entry.runs.back().run_id;
  row.level = level_of(entry.runs.back().task);
  row.mode = to_string(entry.runs.back().task.settings.mode);
  add_table(entry.runs.back(), row);
  return row;
}

std::string_view origin_of(const Proposal& proposal) {
  if (proposal.kind == Proposal::Kind::seed) return "free";
  return proposal.kind == Proposal::Kind::file ? "yours" : "bought";
}

Progression progression_of(const SuiteEntry& entry) {
  Progression progression;
  for (const RunRecord& run : entry.runs) {
    for (const Judged& judged : run.judged) {
      if (origin_of(judged.proposal) != "bought") {
        progression.free = std::max(progression.free, gain_of(judged));
      }
    }
  }
  double best = progression.free;
  for (const RunRecord& run : entry.runs) {
    progression.usd += std::max(0.0, run.cost_usd - judged_usd(run));
    for (const Judged& judged : run.judged) {
      progression.usd += static_cast<double>(judged.nano_usd) / k_nano;
      progression.queries += judged.proposal.charged ? 1 : 0;
      if (gain_of(judged) <= best) continue;
      best = gain_of(judged);
      progression.steps.push_back({progression.usd, progression.queries, best});
    }
  }
  return progression;
}

std::vector<CurvePoint> curve_over_cost(std::span<const Progression> all) {
  double most = 0;
  for (const Progression& progression : all) most = std::max(most, progression.usd);
  return curve(all, most, [](const Progression::Step& step) { return step.usd; });
}

std::vector<CurvePoint> curve_over_queries(std::span<const Progression> all) {
  std::int64_t most = 0;
  for (const Progression& progression : all) most = std::max(most, progression.queries);
  return curve(all, static_cast<double>(most),
               [](const Progression::Step& step) { return static_cast<double>(step.queries); });
}

}  // namespace cupel::report
