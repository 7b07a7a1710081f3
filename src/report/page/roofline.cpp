#include "report/page/roofline.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace cupel::report {
namespace {

using nlohmann::json;

constexpr double k_ns_per_s = 1e9;
constexpr double k_ms_per_s = 1e3;

// What the machine needs at least for so much.
double floor_s(const Profile& machine, double bytes, double flops) {
  return std::max(bytes / machine.copied_bytes_per_s, flops / machine.float32_flops_per_s);
}

double part_of_roof(const Profile& machine, double bytes, double flops, double seconds) {
  return seconds > 0 ? floor_s(machine, bytes, flops) / seconds : 0;
}

double ns_of(const ProfiledOperator& row, const Profile& profile) {
  return profile.device == "cuda" ? row.device_ns : row.ns;
}

json operators_json(const Profile& eager) {
  json rows = json::array();
  for (const ProfiledOperator& row : eager.operators) {
    const double ns = ns_of(row, eager);
    if (ns <= 0 || (row.bytes <= 0 && row.flops <= 0)) continue;
    rows.push_back({{"name", row.name},
                    {"us", ns / 1e3},
                    {"bytes", row.bytes},
                    {"flops", row.flops},
                    {"of_roof", part_of_roof(eager, row.bytes, row.flops, ns / k_ns_per_s)}});
  }
  return rows;
}

// Eager's time stands in its own row, in another's, or where it is alone in its profile.
double milliseconds_of(const FinalTable& table, const FinalTable::Row& row, const Profile& eager) {
  const auto& own = row.verdict.ratios;
  if (!own.empty() && own.front().candidate_ms > 0) return own.front().candidate_ms;
  for (const FinalTable::Row& other : table.rows) {
    const auto& ratios = other.verdict.ratios;
    if (!ratios.empty() && ratios.front().over_ms > 0) return ratios.front().over_ms;
  }
  return eager.call_ns / k_ns_per_s * k_ms_per_s;
}

json programs_json(const FinalTable& table, const Profile& eager, double bytes, double flops) {
  json rows = json::array();
  for (const FinalTable::Row& row : table.rows) {
    const double ms = milliseconds_of(table, row, eager);
    if (ms <= 0) continue;
    rows.push_back({{"role", row.role},
                    {"label", row.label},
                    {"candidate_id", row.candidate_id},
                    {"ms", ms},
                    {"of_roof", part_of_roof(eager, bytes, flops, ms / k_ms_per_s)}});
  }
  return rows;
}

}  // namespace

json roofline_json(const journal::RunState& state) {
  const auto found = state.profiles.find("");
  if (found == state.profiles.end() || !found->second.problem.empty()) return nullptr;
  const Profile& eager = found->second;
  if (eager.copied_bytes_per_s <= 0 || eager.float32_flops_per_s <= 0) return nullptr;
  const TaskFacts& facts = state.record.facts;
  const auto bytes =
      static_cast<double>(facts.input_bytes + facts.output_bytes + facts.weight_bytes);
  double flops = 0;
  for (const ProfiledOperator& row : eager.operators) flops += row.flops;
  return {{"copied_bytes_per_s", eager.copied_bytes_per_s},
          {"float32_flops_per_s", eager.float32_flops_per_s},
          {"bytes", bytes},
          {"flops", flops},
          {"floor_ms", floor_s(eager, bytes, flops) * k_ms_per_s},
          {"programs", programs_json(state.record.table, eager, bytes, flops)},
          {"operators", operators_json(eager)}};
}

}  // namespace cupel::report
