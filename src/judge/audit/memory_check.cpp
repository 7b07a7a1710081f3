#include "judge/audit/memory_check.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace cupel::judge {
namespace {

constexpr std::size_t k_program = 1;
constexpr std::size_t k_line_bytes_max = 300;
// As compute-sanitizer's memcheck begins its lines, and its reports.
constexpr std::string_view k_prefix = "========= ";
constexpr auto k_reports = std::to_array<std::string_view>({"Invalid __", "Misaligned "});

std::string_view line_at(std::string_view text, std::size_t at) {
  const std::size_t end = text.find('\n', at);
  return text.substr(at, end == std::string_view::npos ? end : end - at);
}

// The place, on the line that follows a report's first one.
std::string place_after(std::string_view output, std::size_t at) {
  const std::size_t next = output.find('\n', at);
  if (next == std::string_view::npos) return "";
  std::string_view line = line_at(output, next + 1);
  if (!line.starts_with(k_prefix)) return "";
  line.remove_prefix(std::min(line.find_first_not_of(' ', k_prefix.size()), line.size()));
  return line.starts_with("at ") ? " " + std::string(line) : "";
}

Finding stray(const std::string& what) {
  const std::string text =
      "under the GPU's memory checker it touches memory that is not its own: " + what;
  return wrong("stray_access", text);
}

bool is_judged(const std::vector<ProgramEvidence>& checked) {
  return checked.size() > k_program && checked.front().fault.kind == HostFault::Kind::none;
}

}  // namespace

std::string stray_access(std::string_view output) {
  for (std::size_t at = 0; at < output.size();) {
    const std::string_view line = line_at(output, at);
    for (const std::string_view report : k_reports) {
      if (!line.starts_with(k_prefix) || !line.substr(k_prefix.size()).starts_with(report))
        continue;
      return plain_text(std::string(line.substr(k_prefix.size())) + place_after(output, at),
                        k_line_bytes_max);
    }
    at += line.size() + 1;
  }
  return "";
}

std::optional<Finding> find_stray_access(const std::vector<ProgramEvidence>& checked) {
  if (!is_judged(checked)) return std::nullopt;
  const ProgramEvidence& program = checked[k_program];
  const std::string seen = stray_access(program.output_tail);
  return seen.empty() ? std::nullopt : std::optional(stray(seen));
}

std::optional<Reason> memory_unchecked(const std::vector<ProgramEvidence>& checked) {
  if (checked.size() <= k_program || find_stray_access(checked)) return std::nullopt;
  const ProgramEvidence& program = checked[k_program];
  if (is_judged(checked) && !program.calls.empty()) return std::nullopt;
  const std::string& why = is_judged(checked) ? program.fault.what : checked.front().fault.what;
  return Reason{
      "memory_unchecked",
      "it does not run under the GPU's memory checker: " + plain_text(why, k_line_bytes_max), 0, 0};
}

}  // namespace cupel::judge
