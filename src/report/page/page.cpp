#include "report/page/page.h"

#include <algorithm>
#include <utility>

namespace cupel::report {
namespace {

constexpr double k_ns_per_us = 1e3;
constexpr int k_quantile_steps = 20;

// Within a script element no text is markup but what begins with '<' or ends a line in old
// JavaScript; as escapes of JSON they mean the same.
std::string in_script(std::string_view json) {
  std::string out;
  out.reserve(json.size() + json.size() / 16);
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else if (c == '>') {
      out += "\\u003e";
    } else if (c == '&') {
      out += "\\u0026";
    } else {
      out += c;
    }
  }
  return out;
}

std::string in_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      out += c;
    }
  }
  return out;
}

// One pass: what is filled in may hold such marks itself.
std::string filled(std::string_view text,
                   std::span<const std::pair<std::string_view, std::string>> values) {
  std::string out;
  while (!text.empty()) {
    const std::size_t open = text.find("{{");
    out += text.substr(0, open);
    if (open == text.npos) break;
    const std::size_t close = text.find("}}", open);
    const std::string_view name = text.substr(open + 2, close - open - 2);
    for (const auto& [known, value] : values) {
      if (known == name) out += value;
    }
    text.remove_prefix(std::min(close, text.size() - 2) + 2);
  }
  return out;
}

}  // namespace

CallTimes call_times(const ProgramEvidence& program) {
  std::vector<double> us;
  for (const CallSample& call : program.calls) {
    us.push_back(static_cast<double>(call.bracket_ns) / k_ns_per_us);
  }
  CallTimes times{program.candidate_id, static_cast<int>(us.size()), {}};
  std::sort(us.begin(), us.end());
  for (int i = 0; i <= k_quantile_steps && !us.empty(); ++i) {
    times.quantiles_us.push_back(
        us[(us.size() - 1) * static_cast<std::size_t>(i) / k_quantile_steps]);
  }
  return times;
}

std::string page_html(const PageParts& parts, std::string_view title, std::string_view json) {
  const std::pair<std::string_view, std::string> values[] = {{"title", in_html(title)},
                                                             {"style", parts.style},
                                                             {"script", parts.script},
                                                             {"data", in_script(json)}};
  return filled(parts.html, values);
}

}  // namespace cupel::report
