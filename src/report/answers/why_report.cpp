#include "report/answers/why_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "base/clock.h"
#include "base/hash.h"
#include "base/text.h"
#include "model/event.h"
#include "model/exchange.h"
#include "model/label.h"
#include "model/reading.h"
#include "report/words/json.h"

#include <nlohmann/json.hpp>
#include "report/answers/profile_report.h"
#include "report/words/numbers.h"

namespace cupel::report {
namespace {

namespace kind = journal::kind;

// Sentences about one event; empty for an event that says nothing about a candidate.
using Lines = std::vector<std::string>;

Lines proposed_lines(const Proposed& body) {
  const Proposal& proposal = body.proposal;
  Lines lines{fmt::format("proposed as {} ({} '{}'){}{}", proposal.id, to_string(proposal.kind),
                          proposal.label, body.candidate.label.empty() ? "" : ": ",
                          body.candidate.label)};
  if (!proposal.reason.empty()) lines.push_back("because " + proposal.reason);
  for (const std::string& parent : proposal.parents) lines.push_back("parent " + short_id(parent));
  if (!proposal.idea.empty()) lines.push_back("idea: " + proposal.idea);
  if (proposal.fix_round > 0) lines.push_back(fmt::format("fix round {}", proposal.fix_round));
  return lines;
}

Lines prompted_lines(const Prompt& prompt) {
  const auto bytes = static_cast<double>(prompt.system.size() + prompt.user.size());
  return {fmt::format("{} of prompt for the agent '{}' ({})", bytes_text(bytes), prompt.agent,
                      to_string(prompt.tier))};
}

Lines asked_lines(const ProposalAsked& body) {
  const std::string with = body.with.empty() ? "" : ", one of the answers to " + body.with;
  return {fmt::format("asked {}, at most {} and {}{}", body.provider,
                      money_text(usd_of(body.nano_usd_max)),
                      body.queries > 0 ? "one query" : "no query", with)};
}

Lines replied_lines(const ProposalReplied& body) {
  const Reply& reply = body.reply;
  const auto bytes = static_cast<double>(reply.text.size());
  Lines lines{fmt::format("{}, {} in {}, {}, {}", to_string(reply.end), bytes_text(bytes),
                          seconds_text(reply.seconds), money_text(usd_of(reply.nano_usd)),
                          body.queries > 0 ? "one query" : "no query")};
  if (reply.usage_known) {
    lines.push_back(fmt::format("{} tokens of prompt ({} cached), {} of reply ({} thought), {}",
                                reply.usage.prompt_tokens, reply.usage.cached_tokens,
                                reply.usage.reply_tokens, reply.usage.thought_tokens, reply.model));
  }
  if (!reply.problem.empty()) lines.push_back(reply.problem);
  if (body.lost) lines.push_back("given up, and asked again");
  return lines;
}

Lines mended_lines(std::string what, const std::vector<std::string>& mended) {
  Lines lines{std::move(what)};
  if (!mended.empty()) lines.push_back(fmt::format("mended: {}", fmt::join(mended, ", ")));
  return lines;
}

Lines parsed_lines(const ProposalParsed& body) {
  return mended_lines(fmt::format("wrote {} {}", short_id(body.candidate.id), body.candidate.label),
                      body.mended);
}

Lines answered_lines(const ProposalAnswered& body) {
  Lines lines = mended_lines(body.texts.empty() ? "nothing usable: " + body.problem
                                                : fmt::format("gave {} texts", body.texts.size()),
                             body.mended);
  lines.insert(lines.end(), body.texts.begin(), body.texts.end());
  return lines;
}

Lines built_lines(const ProposalBuilt& body) {
  Lines lines{fmt::format("compiled ahead in {}", seconds_text(body.seconds))};
  if (!body.problem.empty()) lines.push_back(body.problem);
  return lines;
}

Lines profiled_lines(const Profile& body) {
  const std::string whose = body.candidate_id.empty() ? "eager" : body.label;
  if (!body.problem.empty()) return {fmt::format("no profile of {}: {}", whose, body.problem)};
  Lines lines{fmt::format("profiled {} in {}", whose, seconds_text(body.seconds))};
  for (const auto& [name, value] : profile_numbers(body, body)) {
    lines.push_back(fmt::format("{}: {:.4g}", name, value));
  }
  return lines;
}

Lines labelled_lines(const Labelled& body) {
  if (body.labels.empty()) return {};
  return {"read before it was run: " + describe(body.labels)};
}

Lines read_lines(const ProgramRead& body) {
  const Reading& reading = body.reading;
  if (!reading.problem.empty()) return {"the reader gave no answer of use: " + reading.problem};
  if (reading.remarks.empty()) return {"the reader is worried by nothing"};
  Lines lines{fmt::format("the reader is worried, for {}", money_text(usd_of(reading.nano_usd)))};
  for (const Remark& remark : reading.remarks) {
    lines.push_back(remark.label + (remark.why.empty() ? "" : ": " + remark.why));
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

// Memory as the first and the last look had it.
std::string endurance_line(const ProgramEvidence& program) {
  const Endurance& endurance = program.endurance;
  std::string line =
      fmt::format("{}: {} calls more, {} checked, {} outputs read twice", program.label,
                  endurance.calls, endurance.turns.size() + endurance.late.size(),
                  endurance.held.size() + static_cast<std::size_t>(endurance.recalled));
  if (endurance.memory.empty()) return line;
  const auto mib = [](const MemorySample& sample) {
    return bytes_text(static_cast<double>(sample.bytes));
  };
  return line + fmt::format(", memory {} to {}", mib(endurance.memory.front()),
                            mib(endurance.memory.back()));
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
    if (program.endurance.calls > 0) lines.push_back(endurance_line(program));
  }
  for (const KernelTrial& trial : evidence.kernel_trials) {
    lines.push_back(fmt::format("the kernel {} was tried idle and as a trap", trial.kernel));
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

Lines audited_lines(const WinnerAudit& body) {
  Lines lines{
      fmt::format("audited: {} in {}", body.verdict.headline(), seconds_text(body.seconds))};
  for (std::string& line : verdict_lines(body.verdict)) lines.push_back(std::move(line));
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
  if (event.kind == kind::k_prompted) return said(decode_prompt(event.body), prompted_lines);
  if (event.kind == kind::k_asked) return said(decode_proposal_asked(event.body), asked_lines);
  if (event.kind == kind::k_replied) {
    return said(decode_proposal_replied(event.body), replied_lines);
  }
  if (event.kind == kind::k_parsed) return said(decode_proposal_parsed(event.body), parsed_lines);
  if (event.kind == kind::k_answered) {
    return said(decode_proposal_answered(event.body), answered_lines);
  }
  if (event.kind == kind::k_profiled) return said(decode_profile(event.body), profiled_lines);
  if (event.kind == kind::k_labelled) return said(decode_labelled(event.body), labelled_lines);
  if (event.kind == kind::k_read) return said(decode_program_read(event.body), read_lines);
  if (event.kind == kind::k_built) return said(decode_proposal_built(event.body), built_lines);
  if (event.kind == kind::k_measured) return said(decode_evidence(event.body), measured_lines);
  if (event.kind == kind::k_decision) return said(decode_decision(event.body), decision_lines);
  if (event.kind == kind::k_tabled) return said(decode_final_table(event.body), tabled_lines);
  if (event.kind == kind::k_audited) return said(decode_winner_audit(event.body), audited_lines);
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

namespace {

const journal::Event* last_of(const std::vector<journal::Event>& events, std::string_view kind) {
  const journal::Event* found = nullptr;
  for (const journal::Event& event : events) {
    if (event.kind == kind) found = &event;
  }
  return found;
}

}  // namespace

Result<std::string> prompt_text(const std::vector<journal::Event>& events) {
  const journal::Event* const event = last_of(events, kind::k_prompted);
  if (!event) return input_error("no agent was asked for this candidate");
  CUPEL_TRY(const Prompt prompt, decode_prompt(event->body));
  return plain_text(prompt.system + "\n\n" + prompt.user, std::string::npos) + "\n";
}

Result<std::string> reply_text(const std::vector<journal::Event>& events) {
  const journal::Event* const event = last_of(events, kind::k_replied);
  if (!event) return input_error("no agent has answered for this candidate");
  CUPEL_TRY(const ProposalReplied body, decode_proposal_replied(event->body));
  return plain_text(body.reply.text, std::string::npos) + "\n";
}

}  // namespace cupel::report
