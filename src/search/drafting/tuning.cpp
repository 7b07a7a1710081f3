#include "search/drafting/tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <iterator>
#include <set>
#include <utility>

#include "search/drafting/drafts.h"
#include "search/winning/standing.h"

namespace cupel::search {
namespace {

constexpr auto k_marks = std::to_array<std::string_view>({"# tune:", "// tune:"});
constexpr std::size_t k_knobs_max = 16;    // of one program
constexpr std::size_t k_choices_max = 16;  // of one knob
constexpr std::size_t k_line_bytes_max = 80;

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

bool is_number(std::string_view word) {
  return !word.empty() && std::isdigit(static_cast<unsigned char>(word.front())) != 0;
}

// Words of letters, digits, dots and underscores, with where they begin.
std::vector<std::pair<std::size_t, std::string_view>> words_of(std::string_view text) {
  std::vector<std::pair<std::size_t, std::string_view>> words;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_word(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    words.emplace_back(at, text.substr(at, end - at));
    at = end;
  }
  return words;
}

std::string trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return "";
  const auto end = std::min(text.find_last_not_of(" \t") + 1, begin + k_line_bytes_max);
  return std::string(text.substr(begin, end - begin));
}

std::vector<std::string> choices_of(std::string_view text) {
  std::vector<std::string> choices;
  for (const auto& [at, word] : words_of(text)) {
    if (!is_number(word) || choices.size() == k_choices_max) break;
    choices.emplace_back(word);
  }
  return choices;
}

// Nothing where no number before the mark is among the choices.
void add_knob(std::string_view line, std::size_t line_at, std::vector<Knob>& knobs) {
  for (const std::string_view mark : k_marks) {
    const std::size_t at = line.find(mark);
    if (at == std::string_view::npos) continue;
    Knob knob;
    knob.choices = choices_of(line.substr(at + mark.size()));
    knob.line = trimmed(line.substr(0, at));
    for (const auto& [place, word] : words_of(line.substr(0, at))) {
      if (std::ranges::find(knob.choices, word) == knob.choices.end()) continue;
      knob.at = line_at + place;
      knob.value = word;
    }
    if (!knob.value.empty() && knob.choices.size() > 1) knobs.push_back(std::move(knob));
    return;
  }
}

// Neighbours first: what a number gains is smooth more often than not.
std::vector<std::string> others_nearest_first(const Knob& knob) {
  const auto own = std::ranges::find(knob.choices, knob.value) - knob.choices.begin();
  std::vector<std::pair<std::ptrdiff_t, std::string>> others;
  for (std::ptrdiff_t i = 0; i < std::ssize(knob.choices); ++i) {
    if (i != own) others.emplace_back(std::abs(i - own), knob.choices[static_cast<std::size_t>(i)]);
  }
  std::ranges::stable_sort(others, {}, &std::pair<std::ptrdiff_t, std::string>::first);
  std::vector<std::string> values;
  for (auto& [distance, value] : others) values.push_back(std::move(value));
  return values;
}

bool is_tuning(const Proposal& proposal) {
  return proposal.kind == Proposal::Kind::tune;
}

// What was proposed before, whatever became of it.
struct Past {
  std::set<std::pair<std::string_view, std::string_view>> changes;  // parent, what was changed
  int made = 0;
  int pending = 0;

  void add(const Proposal& proposal) {
    if (!is_tuning(proposal)) return;
    changes.emplace(proposal.parents.front(), proposal.idea);
    ++made;
  }
};

Past past_of(const History& history) {
  Past past;
  for (const Judged& entry : history.judged) past.add(entry.proposal);
  for (const Proposal& entry : history.rejected) past.add(entry);
  for (const Proposal& entry : history.pending) {
    past.add(entry);
    past.pending += is_tuning(entry) ? 1 : 0;
  }
  return past;
}

const Kin* fastest_written(const Lineage& lineage) {
  const Kin* fastest = nullptr;
  for (const Kin& kin : lineage.all()) {
    if (is_free(kin.judged->proposal)) continue;
    if (!fastest || ranks_before(*kin.judged, *fastest->judged)) fastest = &kin;
  }
  return fastest;
}

}  // namespace

std::vector<Knob> knobs_of(std::string_view source) {
  std::vector<Knob> knobs;
  for (std::size_t at = 0; at < source.size() && knobs.size() < k_knobs_max;) {
    const std::size_t end = std::min(source.find('\n', at), source.size());
    add_knob(source.substr(at, end - at), at, knobs);
    at = end + 1;
  }
  return knobs;
}

std::string with_value(std::string_view source, const Knob& knob, std::string_view value) {
  std::string changed(source);
  return changed.replace(knob.at, knob.value.size(), value);
}

std::vector<Draft> tunings(const History& history, const Lineage& lineage,
                           const TuningLimits& limits) {
  std::vector<Draft> drafts;
  const Kin* const fastest = fastest_written(lineage);
  if (!fastest) return drafts;
  const Past past = past_of(history);
  const int room = std::min(limits.in_flight_max - past.pending, limits.run_max - past.made);
  const Judged& parent = *fastest->judged;
  for (const Knob& knob : knobs_of(parent.candidate.source)) {
    for (const std::string& value : others_nearest_first(knob)) {
      if (static_cast<int>(drafts.size()) >= room) return drafts;
      std::string change = fmt::format("{}  [{} -> {}]", knob.line, knob.value, value);
      if (past.changes.contains({parent.candidate.id, change})) continue;
      drafts.push_back(
          tuned(parent, with_value(parent.candidate.source, knob, value), std::move(change)));
    }
  }
  return drafts;
}

}  // namespace cupel::search
