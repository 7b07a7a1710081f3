#include "report/why_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "base/clock.h"
#include "base/hash.h"
#include "model/event.h"
#include "report/json.h"

#include <nlohmann/json.hpp>
#include "report/numbers.h"

namespace cupel::report {
namespace {

namespace kind = journal::kind;

// Sentences about one event; empty for an event that says nothing about a candidate.
using Lines = std::vector<std::string>;

Lines proposed_lines(const Proposed& body) {
  Lines lines{fmt::format("proposed as {} ({} '{}'): {}", body.proposal.id,
                          to_string(body.proposal.kind), body.proposal.label,
                          body.candidate.label)};
  if (!body.proposal.reason.empty()) lines.push_back("because " + body.proposal.reason);
  for (const std::string& parent : body.proposal.parents) {
    lines.push_back("parent " + short_id(parent));
  }
  return lines;
}

Lines verdict_lines(const Verdict& verdict) {
  Lines lines;
  for (const Reason& reason : verdict.reasons) {
    lines.push_back(fmt::format("{}: {}", reason.code, reason.text));
  }
  for (const Ratio& ratio : verdict.ratios) {
    lines.push_back(fmt::format("over {}: {}, {} against {}, {} pairs", ratio.over,
                                ratio_text(ratio), ms_text(ratio.candidate_ms),
                                ms_text(ratio.over_ms), ratio.pairs));
  }
  if (verdict.checked_calls > 0) {
    lines.push_back(fmt::format("error rms {}, max {} over {} checked calls",
                                error_text(verdict.error_rms), error_text(verdict.error_max),
                                verdict.checked_calls));
  }
  return lines;
}

Lines judged_lines(std::string_view what, const ProposalJudged& body) {
  Lines lines{
      fmt::format("{} {} in {}", what, body.verdict.headline(), seconds_text(body.seconds))};
  for (std::string& line : verdict_lines(body.verdict)) lines.push_back(std::move(line));
  return lines;
}

Lines measured_lines(const Evidence& evidence) {
  Lines lines{fmt::format("measured in {}, stopped: {}", ms_text(evidence.cost.wall_ms),
                          evidence.stop_reason)};
  for (const ProgramEvidence& program : evidence.programs) {
    std::string line = fmt::format("{}: {} calls, {} checked", program.label, program.calls.size(),
                                   program.checks.size());
    if (program.fault.kind != HostFault::Kind::none) {
      line += fmt::format(", {} in {}: {}", to_string(program.fault.kind), program.fault.phase,
                          program.fault.what);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

Lines tabled_lines(const FinalTable& table) {
  Lines lines{"final round"};
  for (const auto& row : table.rows) {
    lines.push_back(fmt::format("{}: {}, {}", row.role, row.label, row.verdict.headline()));
  }
  return lines;
}

template <class T, class Say>
Lines said(const Result<T>& body, Say say) {
  return body ? say(*body) : Lines{"unreadable event: " + body.error().describe()};
}

Lines decision_lines(const Decision& body) {
  return {fmt::format("decided: {}, because {}", body.what, body.why)};
}

Lines lines_of(const journal::Event& event) {
  if (event.kind == kind::k_proposed) return said(decode_proposed(event.body), proposed_lines);
  if (event.kind == kind::k_measured) return said(decode_evidence(event.body), measured_lines);
  if (event.kind == kind::k_decision) return said(decode_decision(event.body), decision_lines);
  if (event.kind == kind::k_tabled) return said(decode_final_table(event.body), tabled_lines);
  if (event.kind == kind::k_judged || event.kind == kind::k_faulted) {
    const auto what = event.kind == kind::k_judged ? "judged" : "to be retried:";
    return said(decode_proposal_judged(event.body),
                [what](const ProposalJudged& body) { return judged_lines(what, body); });
  }
  if (event.kind == kind::k_rejected) {
    return said(decode_proposal_rejected(event.body),
                [](const ProposalRejected& body) { return Lines{"not judged: " + body.why}; });
  }
  if (event.kind == kind::k_finished) {
    return said(decode_run_finished(event.body), [](const RunFinished& body) {
      return Lines{body.winner_id.empty() ? "the run ended without a winner"
                                          : "the run ended, winner " + short_id(body.winner_id)};
    });
  }
  return {};
}

}  // namespace

std::string why_text(const std::vector<journal::Event>& events, const Style& style) {
  std::string text;
  const std::int64_t start_ns = events.empty() ? 0 : events.front().wall_ns;
  for (const journal::Event& event : events) {
    const Lines lines = lines_of(event);
    if (lines.empty()) continue;
    const double seconds = static_cast<double>(event.wall_ns - start_ns) / k_ns_per_s;
    text += paint(style, Color::dim, fmt::format("#{:<5}{:>9.1f} s  ", event.seq, seconds));
    text += paint(style, Color::bold, lines.front()) + "\n";
    for (std::size_t i = 1; i < lines.size(); ++i) {
      text += wrap(lines[i], static_cast<std::size_t>(style.width), 21);
    }
  }
  return text;
}

std::string why_json(const std::vector<journal::Event>& events) {
  auto out = document("why");
  out["events"] = nlohmann::json::array();
  for (const journal::Event& event : events) {
    auto body = nlohmann::json::parse(event.body, nullptr, false);
    if (event.kind == kind::k_measured && body.is_object()) body.erase("programs");
    out["events"].push_back({{"seq", event.seq},
                             {"wall_ns", event.wall_ns},
                             {"kind", event.kind},
                             {"subject", event.subject},
                             {"body", std::move(body)}});
  }
  return dump(out);
}

}  // namespace cupel::report
