#include "judge/audit/memory_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace cupel::judge {
namespace {

constexpr std::size_t k_program = 1;
constexpr std::size_t k_line_bytes_max = 300;
// As compute-sanitizer begins its lines.
constexpr std::string_view k_prefix = "========= ";

// A report of one of its tools by its first words, and what it means. Warnings of racecheck, about
// threads of one warp, are none.
struct Kind {
  std::string_view words;
  std::string_view code;
  std::string_view meaning;
};
constexpr auto k_kinds = std::to_array<Kind>({
    {"Invalid __", "stray_access", "it touches memory that is not its own"},
    {"Misaligned ", "stray_access", "it touches memory that is not its own"},
    {"Error: Race reported", "shared_race",
     "threads of a block use a place of shared memory without waiting for each other"},
    {"Uninitialized __shared__", "shared_uninitialized",
     "it reads shared memory that nobody has written"},
});

struct Report {
  const Kind* kind = nullptr;
  std::string text;
};

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

bool is_judged(const std::vector<ProgramEvidence>& checked) {
  return checked.size() > k_program && checked.front().fault.kind == HostFault::Kind::none;
}

const Kind* kind_of(std::string_view line) {
  if (!line.starts_with(k_prefix)) return nullptr;
  line.remove_prefix(k_prefix.size());
  const auto* kind = std::ranges::find_if(
      k_kinds, [line](const Kind& known) { return line.starts_with(known.words); });
  return kind == k_kinds.end() ? nullptr : kind;
}

// The first one. `output`: what the program and the checker printed, untrusted: a program can
// accuse itself, and no more.
Report report_in(std::string_view output) {
  for (std::size_t at = 0; at < output.size();) {
    const std::string_view line = line_at(output, at);
    if (const Kind* kind = kind_of(line)) {
      return {kind, plain_text(std::string(line.substr(k_prefix.size())) + place_after(output, at),
                               k_line_bytes_max)};
    }
    at += line.size() + 1;
  }
  return {};
}

}  // namespace

std::optional<Finding> find_bad_memory(const std::vector<ProgramEvidence>& checked) {
  if (!is_judged(checked)) return std::nullopt;
  for (std::size_t i = k_program; i < checked.size(); ++i) {
    const auto [kind, text] = report_in(checked[i].output_tail);
    if (!kind) continue;
    return wrong(std::string(kind->code),
                 fmt::format("under the GPU's memory checker {}: {}", kind->meaning, text));
  }
  return std::nullopt;
}

std::optional<Reason> memory_unchecked(const std::vector<ProgramEvidence>& checked) {
  if (checked.size() <= k_program || find_bad_memory(checked)) return std::nullopt;
  for (std::size_t i = k_program; i < checked.size(); ++i) {
    const bool judged = is_judged(checked);
    if (judged && !checked[i].calls.empty()) continue;
    const std::string& why = judged ? checked[i].fault.what : checked.front().fault.what;
    return Reason{
        "memory_unchecked",
        "it does not run under the GPU's memory checker: " + plain_text(why, k_line_bytes_max), 0,
        0};
  }
  return std::nullopt;
}

}  // namespace cupel::judge
