#include "search/published/sakana.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "search/drafting/drafts.h"
#include "search/published/phases.h"
#include "search/step/allowance.h"
#include "search/winning/standing.h"

namespace cupel::search {
namespace {

constexpr int k_convert_phase = 0;
constexpr int k_translate_phase = 1;
constexpr int k_evolve_phase = 2;

// The elites of a crossing, from one on, round the ring.
std::vector<const Judged*> circle(const std::vector<const Judged*>& elites, std::size_t first,
                                  int count_max) {
  const std::size_t count = std::min(elites.size(), static_cast<std::size_t>(count_max));
  std::vector<const Judged*> chosen;
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(elites[(first + i) % elites.size()]);
  return chosen;
}

std::vector<std::string> ids_of(const std::vector<const Judged*>& programs) {
  std::vector<std::string> ids;
  for (const Judged* program : programs) ids.push_back(program->candidate.id);
  return ids;
}

std::string names_of(const std::vector<const Judged*>& programs) {
  std::string names;
  for (const Judged* program : programs) {
    names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", program->proposal.id,
                         shown_speed(speed_of(*program)));
  }
  return names;
}

// Elites as they stood when the phase began: what it was planned from does not change under it.
std::vector<const Judged*> elites_before(const Branches& branches, int phase, int count_max) {
  const auto since = branches.since_phase(k_translate_phase);
  const auto inside = branches.since_phase(phase);
  return best_of(since.first(since.size() - inside.size()), count_max);
}

constexpr const char* k_compose_idea =
    "Compose: carry over what made the winners of earlier, similar tasks fast.";

}  // namespace

Sakana::Sakana(SakanaOptions options) : options_(std::move(options)) {}

std::vector<Draft> Sakana::translations(const Branches& branches, int phase) const {
  const auto converted = best_of(branches.of_phase(k_convert_phase), 1);
  const std::string from = converted.empty()
                               ? "the original program, since no functional form is correct"
                               : "the functional form " + converted.front()->proposal.id;
  std::vector<Draft> drafts;
  // A translator reads a functional form; without one there is only the task to write from.
  const auto kind = converted.empty() ? Proposal::Kind::write : Proposal::Kind::translate;
  for (int i = 0; i < options_.translations; ++i) {
    drafts.push_back(
        ask(kind, {phase, i}, ids_of(converted),
            fmt::format("translation {} of {} of {}", i + 1, options_.translations, from)));
  }
  return drafts;
}

std::vector<Draft> Sakana::generation(const Branches& branches, int phase) const {
  const auto elites = elites_before(branches, phase, options_.elites);
  if (elites.empty()) return translations(branches, phase);
  const int number = phase - k_evolve_phase + 1;
  std::vector<Draft> drafts;
  for (int i = 0; i < options_.children; ++i) {
    const int parents_max = i % 2 == 0 ? 1 : options_.crossed;
    const auto parents = circle(elites, static_cast<std::size_t>(i / 2), parents_max);
    const bool crosses = parents.size() > 1;
    drafts.push_back(ask(crosses ? Proposal::Kind::cross : Proposal::Kind::improve, {phase, i},
                         ids_of(parents),
                         fmt::format("generation {} {} {}", number,
                                     crosses ? "crosses" : "improves", names_of(parents))));
    if (number > options_.generations) drafts.back().proposal.idea = k_compose_idea;
  }
  return drafts;
}

std::vector<Draft> Sakana::plan(const Branches& branches, int phase) const {
  if (phase == k_translate_phase) return translations(branches, phase);
  if (phase >= k_evolve_phase) return generation(branches, phase);
  std::vector<Draft> drafts;
  drafts.push_back(ask(Proposal::Kind::convert, {k_convert_phase, 0}, {},
                       "the task in functional form, to translate from"));
  return drafts;
}

Step Sakana::next(const History& history, const Budget& budget, Rng&) const {
  const Branches branches(history);
  Allowance allowance(history, budget, options_.queries_max);
  const auto planned = [&](int phase) { return plan(branches, phase); };
  Step step;
  step.drafts = next_of_phases(branches, planned, {options_.fixes_max, Tier::strong}, allowance);
  return step;
}

}  // namespace cupel::search
