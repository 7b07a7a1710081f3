#include "report/answers/profile_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/words/json.h"
#include "report/words/numbers.h"
#include "report/words/text_table.h"

namespace cupel::report {
namespace {

using nlohmann::json;

constexpr std::size_t k_rows_of_prompts = 6;
constexpr std::size_t k_rows_numbered = 4;  // operators or kernels that an analysis is told of
constexpr std::size_t k_name_width = 44;
constexpr double k_ns_per_ms = 1e6;
constexpr double k_ns_per_us = 1e3;
constexpr double k_giga = 1e9;
constexpr double k_part_told_min = 0.005;  // of the time: less is no row of a prompt's table

// On a GPU the kernels' time is what a call waits for; on a CPU the calling thread's.
double ns_of(const ProfiledOperator& row, const Profile& profile) {
  return profile.device == "cuda" ? row.device_ns : row.ns;
}

double all_ns(const Profile& profile) {
  double sum = 0;
  for (const ProfiledOperator& row : profile.operators) sum += ns_of(row, profile);
  return sum;
}

double kernels_ns(const Profile& profile) {
  double sum = 0;
  for (const ProfiledKernel& row : profile.kernels) sum += row.ns;
  return sum;
}

double part_of(double ns, double all) {
  return all > 0 ? ns / all : 0;
}

// Bytes a nanosecond are GB/s, and operations a nanosecond are GFLOP/s.
double rate(double amount, double ns) {
  return ns > 0 ? amount / ns : 0;
}

std::string rate_text(double per_ns) {
  return per_ns > 0 ? fmt::format("{:.3g}", per_ns) : "";
}

std::string part_text(double part) {
  return fmt::format("{:.0f} %", 100 * part);
}

std::string known(double number) {
  return number < 0 ? "" : fmt::format("{:.0f}", number);
}

// --- tables -------------------------------------------------------------------------------------

std::string operators_table(const Profile& profile, std::size_t rows_max, double part_min,
                            const Style& style) {
  TextTable table({{"operator"},
                   {"calls", Column::Align::right},
                   {"us", Column::Align::right},
                   {"part", Column::Align::right},
                   {"GB/s", Column::Align::right},
                   {"GFLOP/s", Column::Align::right}});
  const double all = all_ns(profile);
  for (const ProfiledOperator& row : profile.operators) {
    const double ns = ns_of(row, profile);
    if (rows_max-- == 0) break;
    if (part_of(ns, all) < part_min) continue;
    table.add_row({cut(row.name, k_name_width), fmt::format("{:.3g}", row.calls),
                   fmt::format("{:.4g}", ns / k_ns_per_us), part_text(part_of(ns, all)),
                   rate_text(rate(row.bytes, ns)), rate_text(rate(row.flops, ns))});
  }
  return table.empty() ? "" : table.str(style, 2);
}

std::string kernels_table(const Profile& profile, std::size_t rows_max, double part_min,
                          const Style& style) {
  TextTable table({{"kernel"},
                   {"launches", Column::Align::right},
                   {"us", Column::Align::right},
                   {"part", Column::Align::right},
                   {"registers", Column::Align::right},
                   {"shared B", Column::Align::right},
                   {"spilled B", Column::Align::right},
                   {"occupancy", Column::Align::right}});
  const double all = kernels_ns(profile);
  for (const ProfiledKernel& row : profile.kernels) {
    if (rows_max-- == 0) break;
    if (part_of(row.ns, all) < part_min) continue;
    table.add_row({cut(row.name, k_name_width), fmt::format("{:.3g}", row.launches),
                   fmt::format("{:.4g}", row.ns / k_ns_per_us), part_text(part_of(row.ns, all)),
                   known(row.registers), known(row.shared_bytes), known(row.spilled_bytes),
                   row.occupancy < 0 ? "" : part_text(row.occupancy)});
  }
  return table.empty() ? "" : table.str(style, 2);
}

std::string summary(const Profile& profile) {
  std::string text =
      fmt::format("{} a call ({} under the profiler), {:.1f} cores busy of {} threads",
                  ms_text(profile.call_ns / k_ns_per_ms), ms_text(all_ns(profile) / k_ns_per_ms),
                  profile.cores, profile.threads);
  if (profile.device == "cuda") {
    text += fmt::format(", kernels {}", ms_text(kernels_ns(profile) / k_ns_per_ms));
  } else {
    text += fmt::format(", vectors of {} bits", profile.vector_bits);
  }
  return text;
}

std::string machine_text(const Profile& machine) {
  if (machine.copied_bytes_per_s <= 0) return "";
  return fmt::format("this machine copies {:.3g} GB/s and multiplies matrices at {:.4g} GFLOP/s",
                     machine.copied_bytes_per_s / k_giga, machine.float32_flops_per_s / k_giga);
}

std::string section(const Profile& profile, const Style& style) {
  std::string text = "\n" + paint(style, Color::bold, profile.label);
  if (profile.claimed) text += paint(style, Color::yellow, "  as its own process claims");
  if (!profile.problem.empty()) return text + "\n  no profile: " + profile.problem + "\n";
  text += "\n  " + summary(profile) + "\n\n";
  text += operators_table(profile, profile.operators.size(), 0, style);
  if (!profile.kernels.empty()) {
    text += "\n" + kernels_table(profile, profile.kernels.size(), 0, style);
  }
  return text;
}

// --- numbers ------------------------------------------------------------------------------------

class Numbers {
 public:
  void add(std::string name, double value) {
    if (numbers_.size() < k_profile_numbers_max) numbers_.emplace_back(std::move(name), value);
  }
  void add_known(std::string name, double value) {
    if (value >= 0) add(std::move(name), value);
  }
  std::vector<NamedNumber> take() && { return std::move(numbers_); }

 private:
  std::vector<NamedNumber> numbers_;
};

// Of the two rates the one that is nearer to what the machine does.
void add_rate(const ProfiledOperator& row, double ns, const Profile& machine, Numbers& numbers) {
  const double moved = rate(row.bytes, ns);
  const double computed = rate(row.flops, ns);
  const double of_copy = part_of(moved * k_giga, machine.copied_bytes_per_s);
  const double of_product = part_of(computed * k_giga, machine.float32_flops_per_s);
  if (computed > 0 && of_product >= of_copy) {
    numbers.add(row.name + ", GFLOP/s", computed);
  } else if (moved > 0) {
    numbers.add(row.name + ", GB/s", moved);
  }
}

void add_operators(const Profile& profile, const Profile& machine, Numbers& numbers) {
  const double all = all_ns(profile);
  std::size_t left = k_rows_numbered;
  for (const ProfiledOperator& row : profile.operators) {
    if (left-- == 0) break;
    const double ns = ns_of(row, profile);
    if (part_of(ns, all) < k_part_told_min) continue;
    numbers.add(row.name + ", % of the time", 100 * part_of(ns, all));
    add_rate(row, ns, machine, numbers);
  }
}

void add_kernels(const Profile& profile, Numbers& numbers) {
  double launches = 0;
  for (const ProfiledKernel& row : profile.kernels) launches += row.launches;
  numbers.add("kernels' time of a call, ms", kernels_ns(profile) / k_ns_per_ms);
  numbers.add("launches of a call", launches);
  if (profile.kernels.empty()) return;
  const ProfiledKernel& longest = profile.kernels.front();
  numbers.add_known("longest kernel's registers of a thread", longest.registers);
  numbers.add_known("longest kernel's shared bytes of a block", longest.shared_bytes);
  numbers.add_known("longest kernel's spilled bytes of a thread", longest.spilled_bytes);
  numbers.add_known("longest kernel's occupancy, 0 to 1", longest.occupancy);
  numbers.add_known("longest kernel's blocks", longest.blocks);
}

json json_of(const Profile& profile, const Profile& machine) {
  json entry = value_of_encoded(encode(profile));
  json numbers = json::array();
  for (const auto& [name, value] : profile_numbers(profile, machine)) {
    numbers.push_back({{"name", name}, {"value", value}});
  }
  entry["numbers"] = std::move(numbers);
  return entry;
}

}  // namespace

std::vector<NamedNumber> profile_numbers(const Profile& profile, const Profile& machine) {
  Numbers numbers;
  if (!profile.problem.empty() || profile.call_ns <= 0) return {};
  numbers.add("call without a profiler, ms", profile.call_ns / k_ns_per_ms);
  numbers.add("cores busy", profile.cores);
  if (profile.device == "cuda") add_kernels(profile, numbers);
  add_operators(profile, machine, numbers);
  if (machine.copied_bytes_per_s > 0) {
    numbers.add("this machine's copy, GB/s", machine.copied_bytes_per_s / k_giga);
    numbers.add("this machine's matrix product, GFLOP/s", machine.float32_flops_per_s / k_giga);
  }
  if (profile.device == "cpu") numbers.add("vector width, bits", profile.vector_bits);
  return std::move(numbers).take();
}

std::string profile_rows(const Profile& profile, const Profile& machine) {
  if (!profile.problem.empty() || profile.call_ns <= 0) return "";
  const Style plain;
  std::string text = summary(profile) + "\n";
  text += operators_table(profile, k_rows_of_prompts, k_part_told_min, plain);
  text += kernels_table(profile, k_rows_of_prompts, k_part_told_min, plain);
  const std::string rates = machine_text(machine);
  return rates.empty() ? text : text + rates + "\n";
}

std::string profile_text(const std::string& task, const std::vector<Profile>& profiles,
                         const Style& style) {
  std::string text = paint(style, Color::bold, task) + "\n";
  const std::string rates = machine_text(profiles.front());
  if (!rates.empty()) text += paint(style, Color::dim, rates) + "\n";
  for (const Profile& profile : profiles) text += section(profile, style);
  return text;
}

std::string profile_json(const std::string& task, const std::vector<Profile>& profiles) {
  json told = document("profile");
  told["task"] = task;
  told["profiles"] = json::array();
  for (const Profile& profile : profiles) {
    told["profiles"].push_back(json_of(profile, profiles.front()));
  }
  return dump(told);
}

}  // namespace cupel::report
