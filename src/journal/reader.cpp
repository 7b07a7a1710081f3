#include "journal/reader.h"

#include <algorithm>
#include <set>

#include "base/hash.h"
#include "journal/database.h"

namespace cupel::journal {
namespace {

// Matches that an error lists at most; more would not fit a screen.
constexpr std::size_t k_matches_shown_max = 8;

Result<Database> open_run(const std::filesystem::path& run_dir) {
  return Database::open_for_reading(journal_file(run_dir));
}

// Candidates that agents wrote are in events of their own.
Status add_parsed(const Database& database, std::vector<Proposed>& all) {
  CUPEL_TRY(const std::vector<Event> events, database.events_of_kind(kind::k_parsed));
  for (const Event& event : events) {
    CUPEL_TRY(ProposalParsed body, decode_proposal_parsed(event.body));
    const auto found = std::find_if(all.begin(), all.end(), [&](const Proposed& entry) {
      return entry.proposal.id == event.subject;
    });
    if (found != all.end()) found->candidate = std::move(body.candidate);
  }
  return {};
}

Result<std::vector<Proposed>> read_proposed(const Database& database) {
  CUPEL_TRY(const std::vector<Event> events, database.events_of_kind(kind::k_proposed));
  std::vector<Proposed> all;
  for (const Event& event : events) {
    CUPEL_TRY(Proposed body, decode_proposed(event.body));
    all.push_back(std::move(body));
  }
  CUPEL_TRY_STATUS(add_parsed(database, all));
  return all;
}

std::string line_of(const Proposed& entry) {
  const Candidate& candidate = entry.candidate;
  const std::string label = candidate.label.empty() ? entry.proposal.label : candidate.label;
  return entry.proposal.id + " " + short_id(candidate.id) + " " + label;
}

tl::unexpected<Error> unclear(std::string_view id, const std::vector<Proposed>& matches) {
  std::string list;
  for (std::size_t i = 0; i < std::min(matches.size(), k_matches_shown_max); ++i) {
    list += (i ? "; " : "") + line_of(matches[i]);
  }
  if (matches.size() > k_matches_shown_max) {
    list += "; and " + std::to_string(matches.size() - k_matches_shown_max) + " more";
  }
  return input_error("'" + std::string(id) + "' fits several candidates: " + list, "",
                     "type more digits");
}

// An id in full beats a prefix: "p0001" is not "p00010".
std::vector<Proposed> matches_of(std::string_view id, const std::vector<Proposed>& all) {
  std::vector<Proposed> exact;
  std::vector<Proposed> prefixed;
  for (const Proposed& entry : all) {
    if (entry.proposal.id == id || entry.candidate.id == id) exact.push_back(entry);
    if (entry.proposal.id.starts_with(id) || entry.candidate.id.starts_with(id)) {
      prefixed.push_back(entry);
    }
  }
  return exact.empty() ? prefixed : exact;
}

// What a match stands for: a program, or a proposal that has none.
std::string meaning_of(const Proposed& entry) {
  return entry.candidate.id.empty() ? entry.proposal.id : entry.candidate.id;
}

// Several proposals of one and the same program are one match.
Result<std::vector<Proposed>> find_one(std::string_view id, const std::vector<Proposed>& all) {
  std::vector<Proposed> matches = matches_of(id, all);
  if (matches.empty() || id.empty()) {
    return input_error("no proposal or candidate of this run begins with '" + std::string(id) + "'",
                       "", "`cupel report` lists them");
  }
  std::set<std::string> meanings;
  for (const Proposed& entry : matches) meanings.insert(meaning_of(entry));
  if (meanings.size() > 1) return unclear(id, matches);
  return matches;
}

}  // namespace

std::filesystem::path journal_file(const std::filesystem::path& run_dir) {
  return run_dir / k_journal_file;
}

bool holds_run(const std::filesystem::path& run_dir) {
  std::error_code unknown;
  return std::filesystem::exists(journal_file(run_dir), unknown);
}

Result<RunState> fold(const std::filesystem::path& run_dir, const Database& database) {
  RunState state;
  state.record.directory = run_dir.string();
  CUPEL_TRY_STATUS(
      database.for_each(false, [&](const Event& event) { return apply(state, event); }));
  return state;
}

Result<RunState> read_state(const std::filesystem::path& run_dir) {
  CUPEL_TRY(const Database database, open_run(run_dir));
  return fold(run_dir, database);
}

Result<RunRecord> read_run(const std::filesystem::path& run_dir) {
  CUPEL_TRY(RunState state, read_state(run_dir));
  return std::move(state.record);
}

Status for_each_event(const std::filesystem::path& run_dir,
                      const std::function<Status(const Event&)>& take) {
  CUPEL_TRY(const Database database, open_run(run_dir));
  return database.for_each(false, take);
}

Result<std::vector<Event>> read_events(const std::filesystem::path& run_dir, bool with_evidence) {
  CUPEL_TRY(const Database database, open_run(run_dir));
  return database.events(with_evidence);
}

Result<std::vector<Event>> events_about(const std::filesystem::path& run_dir, std::string_view id) {
  CUPEL_TRY(const Database database, open_run(run_dir));
  CUPEL_TRY(const std::vector<Proposed> all, read_proposed(database));
  CUPEL_TRY(const std::vector<Proposed> matches, find_one(id, all));
  const std::string& candidate_id = matches.front().candidate.id;
  std::vector<std::string> subjects;
  std::vector<std::string> ids;
  if (!candidate_id.empty()) {
    subjects.push_back(candidate_id);
    ids.push_back(candidate_id);
  }
  for (const Proposed& entry : matches) subjects.push_back(entry.proposal.id);
  return database.events_about(subjects, ids);
}

Status check_integrity(const std::filesystem::path& run_dir) {
  CUPEL_TRY(const Database database, open_run(run_dir));
  return database.check_integrity();
}

}  // namespace cupel::journal
