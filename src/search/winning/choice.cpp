#include "search/winning/choice.h"

#include <fmt/format.h>

#include "search/winning/standing.h"

namespace cupel::search {
namespace {

bool is_faster(const Verdict& verdict) {
  return verdict.outcome == Outcome::faster && !verdict.ratios.empty();
}

bool beats(const Judged& challenger, const Judged* holder) {
  return !holder || ranks_before(challenger, *holder);
}

const FinalTable::Row* row_of(const FinalTable& table, std::string_view candidate_id) {
  for (const FinalTable::Row& row : table.rows) {
    if (!candidate_id.empty() && row.candidate_id == candidate_id) return &row;
  }
  return nullptr;
}

const FinalTable::Row* faster_row(const FinalTable& table, std::string_view candidate_id) {
  const FinalTable::Row* row = row_of(table, candidate_id);
  return row && is_faster(row->verdict) ? row : nullptr;
}

std::string interval(const Ratio& ratio) {
  return fmt::format("{:.3f}x [{:.3f}, {:.3f}]", ratio.ratio, ratio.low, ratio.high);
}

std::string over_eager(const FinalTable::Row& row) {
  return fmt::format("{}: {} over eager", row.label, interval(row.verdict.ratios.front()));
}

Settlement settle_without(const FinalTable::Row* free_row, const std::string& reason) {
  if (!free_row) return {"", reason.empty() ? "nothing is faster than eager" : reason};
  const std::string lead = reason.empty() ? "" : reason + "; ";
  return {free_row->candidate_id, lead + "the best free variant wins, " + over_eager(*free_row)};
}

}  // namespace

Choice choose(std::span<const Judged> judged, const std::set<std::string>& struck) {
  Choice choice;
  for (const Judged& entry : judged) {
    if (!is_faster(entry.verdict) || struck.contains(entry.candidate.id)) continue;
    if (beats(entry, choice.fastest)) choice.fastest = &entry;
    if (entry.proposal.kind != Proposal::Kind::seed) continue;
    if (beats(entry, choice.best_free)) choice.best_free = &entry;
  }
  return choice;
}

std::set<std::string> failed_in(const FinalTable& table) {
  std::set<std::string> failed;
  for (const FinalTable::Row& row : table.rows) {
    if (row.role != role::k_eager && !is_correct(row.verdict.outcome)) {
      failed.insert(row.candidate_id);
    }
  }
  return failed;
}

std::string best_free_in(const FinalTable& table, std::span<const std::string> free_ids) {
  const FinalTable::Row* best = nullptr;
  for (const std::string& id : free_ids) {
    const FinalTable::Row* row = faster_row(table, id);
    if (!row) continue;
    if (!best || row->verdict.ratios.front().ratio > best->verdict.ratios.front().ratio) best = row;
  }
  return best ? best->candidate_id : "";
}

std::optional<Ratio> ratio_over(const Verdict& verdict, std::string_view other_id) {
  for (const Ratio& ratio : verdict.ratios) {
    if (ratio.over_id == other_id) return ratio;
  }
  return std::nullopt;
}

Settlement settle(const FinalTable& table, std::string_view fastest_id,
                  std::string_view best_free_id) {
  const FinalTable::Row* fastest = faster_row(table, fastest_id);
  const FinalTable::Row* free_row = faster_row(table, best_free_id);
  if (!fastest) {
    const bool lost = row_of(table, fastest_id) != nullptr && fastest_id != best_free_id;
    return settle_without(free_row, lost ? "the fastest candidate's gain over eager did not last "
                                           "in the final round"
                                         : "");
  }
  if (!row_of(table, best_free_id) || fastest_id == best_free_id) {
    return {fastest->candidate_id, over_eager(*fastest)};
  }
  const auto gain = ratio_over(fastest->verdict, best_free_id);
  if (gain && gain->proven && gain->low > 1) {
    return {fastest->candidate_id,
            over_eager(*fastest) + ", " + interval(*gain) + " over the best free variant"};
  }
  const std::string shown = gain ? " (" + interval(*gain) + ")" : "";
  return settle_without(free_row,
                        "the fastest candidate gains nothing that is sure over the best "
                        "free variant" +
                            shown);
}

}  // namespace cupel::search
