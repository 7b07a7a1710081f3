#include "engine/suite.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "journal/reader.h"
#include "report/suite/suite_rows.h"

namespace cupel::engine {
namespace {

constexpr double k_nano = 1e9;
constexpr double k_seconds_per_minute = 60;

// A name as a directory's.
std::string slug(std::string name) {
  for (char& letter : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(letter)) || letter == '_';
    if (!plain) letter = '-';
  }
  return name;
}

Allotment share_of(const Allotment& budget, std::size_t tasks) {
  const auto count = static_cast<std::int64_t>(tasks);
  // A share of nothing would read as no limit.
  const auto part = [count](std::int64_t whole) {
    return whole > 0 ? std::max<std::int64_t>(1, whole / count) : 0;
  };
  return {part(budget.nano_usd), part(budget.queries), budget.minutes / static_cast<double>(count)};
}

Allotment spent_by(std::span<const report::SuiteEntry> entries, const std::string& strategy) {
  Allotment spent;
  for (const report::SuiteEntry& entry : entries) {
    if (entry.strategy != strategy) continue;
    const report::SuiteRow row = report::suite_row(entry);
    spent.nano_usd += std::llround(row.cost_usd * k_nano);
    spent.queries += row.queries;
    spent.minutes += row.wall_s / k_seconds_per_minute;
  }
  return spent;
}

// Part of one kind of budget for a further run: what is left, at most `share`. Nothing where that
// is too little to be worth a run. No limit stays none.
template <class Number>
std::optional<Number> further(Number budget, Number spent, Number share) {
  if (budget <= 0) return Number{0};
  const Number part = std::min<Number>(budget - spent, share);
  const double least = static_cast<double>(share) * k_worthwhile_share;
  if (part <= 0 || static_cast<double>(part) < least) return std::nullopt;
  return part;
}

std::optional<Allotment> leftover(const Allotment& budget, const Allotment& spent,
                                  const Allotment& share) {
  const auto nano_usd = further(budget.nano_usd, spent.nano_usd, share.nano_usd);
  const auto queries = further(budget.queries, spent.queries, share.queries);
  const auto minutes = further(budget.minutes, spent.minutes, share.minutes);
  const bool limited = budget.nano_usd > 0 || budget.queries > 0 || budget.minutes > 0;
  if (!limited || !nano_usd || !queries || !minutes) return std::nullopt;
  return Allotment{*nano_usd, *queries, *minutes};
}

class SuiteRun {
 public:
  SuiteRun(const SuitePlan& plan, const RunJob& run_job, const StopFlag& stop)
      : plan_(plan), run_job_(run_job), stop_(stop) {
    for (const std::string& task : plan.tasks) {
      for (const std::string& strategy : plan.strategies) {
        entries_.push_back({strategy, task, {}, ""});
      }
    }
  }

  Result<std::vector<report::SuiteEntry>> run() {
    CUPEL_TRY_STATUS(first_parts());
    for (const std::string& strategy : plan_.strategies) {
      CUPEL_TRY_STATUS(further_parts(strategy));
    }
    return std::move(entries_);
  }

 private:
  Status first_parts() {
    const Allotment share = share_of(plan_.budget, plan_.tasks.size());
    for (std::size_t index = 0; index < entries_.size() && !stop_.raised(); ++index) {
      CUPEL_TRY_STATUS(run_part(index, share));
    }
    return {};
  }

  Status further_parts(const std::string& strategy) {
    const Allotment share = share_of(plan_.budget, plan_.tasks.size());
    while (!stop_.raised()) {
      const auto part = leftover(plan_.budget, spent_by(entries_, strategy), share);
      const std::optional<std::size_t> index = steepest(strategy);
      if (!part || !index) break;
      CUPEL_TRY_STATUS(run_part(*index, *part));
    }
    return {};
  }

  // The entry whose curve rises most; nothing if none that may go on rises.
  std::optional<std::size_t> steepest(const std::string& strategy) const {
    std::optional<std::size_t> best;
    double most = 0;
    for (std::size_t index = 0; index < entries_.size(); ++index) {
      const report::SuiteEntry& entry = entries_[index];
      if (entry.strategy != strategy || !may_go_on(entry)) continue;
      const double rise = rise_of(entry);
      if (rise <= most) continue;
      most = rise;
      best = index;
    }
    return best;
  }

  static bool may_go_on(const report::SuiteEntry& entry) {
    return entry.problem.empty() && !entry.runs.empty() && entry.runs.back().finished &&
           static_cast<int>(entry.runs.size()) < k_parts_max;
  }

  Status run_part(std::size_t index, const Allotment& allotment) {
    report::SuiteEntry& entry = entries_[index];
    const int part = static_cast<int>(entry.runs.size()) + 1;
    SuiteJob job{index / plan_.strategies.size(), entry.strategy, part, {}, allotment, ""};
    job.directory =
        plan_.directory / slug(entry.strategy) / slug(entry.task) / std::to_string(part);
    if (part > 1) job.start_file = entry.runs.back().winner_path;
    auto record = run_job_(job);
    if (!record) {
      if (record.error().tag == ErrorTag::environment) return fail(std::move(record).error());
      entry.problem = record.error().describe();
      keep_what_it_spent(job, entry);
    } else {
      entry.runs.push_back(std::move(*record));
    }
    return {};
  }

  // A run that failed has spent what its journal says.
  static void keep_what_it_spent(const SuiteJob& job, report::SuiteEntry& entry) {
    auto record = journal::read_run(job.directory);
    if (record && !record->run_id.empty()) entry.runs.push_back(std::move(*record));
  }

  const SuitePlan& plan_;
  const RunJob& run_job_;
  const StopFlag& stop_;
  std::vector<report::SuiteEntry> entries_;  // tasks in order, strategies of a task in order
};

bool distinct(const std::vector<std::string>& names) {
  std::set<std::string> slugs;
  for (const std::string& name : names) slugs.insert(slug(name));
  return slugs.size() == names.size();
}

}  // namespace

double rise_of(const report::SuiteEntry& entry) {
  const report::Progression progression = report::progression_of(entry);
  const bool costs = progression.usd > 0;
  const double spent = costs ? progression.usd : static_cast<double>(progression.queries);
  if (spent <= 0) return 0;
  double at_half = progression.free;
  double at_end = progression.free;
  for (const auto& step : progression.steps) {
    const double place = costs ? step.usd : static_cast<double>(step.queries);
    if (place <= spent / 2) at_half = step.best;
    at_end = step.best;
  }
  return std::log(at_end / at_half) / (spent / 2);
}

Result<std::vector<report::SuiteEntry>> run_suite(const SuitePlan& plan, const RunJob& run_job,
                                                  const StopFlag& stop) {
  if (plan.tasks.empty()) return input_error("no tasks", "suite");
  if (!distinct(plan.tasks)) return input_error("two tasks have one name", "suite");
  if (!distinct(plan.strategies)) return input_error("a strategy is named twice", "suite");
  return SuiteRun(plan, run_job, stop).run();
}

}  // namespace cupel::engine
