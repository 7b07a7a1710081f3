#include "simulate/author.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>

#include "base/result.h"
#include "search/drafting/tuning.h"
#include "simulate/draws.h"

namespace cupel::simulate {
namespace {

constexpr std::size_t k_choices = 4;

// The same odds, `added` to their logarithm.
double shifted(double probability, double added) {
  return logistic(std::log(probability / (1 - probability)) + added);
}

std::vector<std::size_t> carried_out(const Program& program) {
  std::vector<std::size_t> ideas;
  for (std::size_t i = 0; i < program.quality.size(); ++i) {
    if (program.quality[i] > 0) ideas.push_back(i);
  }
  return ideas;
}

// Indices in the order in which weighted draws without replacement find them.
std::vector<std::size_t> shuffled_by_weight(std::vector<double> weights, Rng& rng) {
  std::vector<std::size_t> order;
  while (order.size() < weights.size()) {
    order.push_back(weighted(rng, weights));
    weights[order.back()] = 0;
  }
  return order;
}

template <class Items>
std::vector<double> saliences(const Items& items) {
  std::vector<double> weights;
  for (const auto& item : items) weights.push_back(item.salience);
  return weights;
}

}  // namespace

std::string text_of(const IdeaName& name) {
  return fmt::format("approach {}, optimization {}", name.approach, name.idea);
}

std::optional<IdeaName> idea_of(std::string_view text, const Landscape& landscape) {
  IdeaName name;
  const std::string copy(text);
  if (std::sscanf(copy.c_str(), "approach %zu, optimization %zu", &name.approach, &name.idea) != 2)
    return std::nullopt;
  const auto& approaches = landscape.approaches();
  if (name.approach >= approaches.size()) return std::nullopt;
  if (name.idea >= approaches[name.approach].ideas.size()) return std::nullopt;
  return name;
}

std::size_t Author::recall_approach(Rng& rng) const {
  return weighted(rng, saliences(landscape_.approaches()));
}

std::size_t Author::recall_idea(std::size_t approach, Rng& rng) const {
  return weighted(rng, saliences(landscape_.approaches()[approach].ideas));
}

const Idea& Author::idea(const IdeaName& name) const {
  return landscape_.approaches()[name.approach].ideas[name.idea];
}

double Author::failure(const IdeaName& name, Tier tier) const {
  const double strong = idea(name).failure;
  return tier == Tier::strong ? strong : shifted(strong, parameters_.cheap_penalty);
}

// What an idea reaches with each choice of its number, the author's own first; empty where it comes
// with none. Half of the others are worse. Drawn from the quality itself, so that strategies that
// tune nothing see the same course of events.
std::vector<double> Author::choices(double drawn) const {
  Rng rng(std::bit_cast<std::uint64_t>(drawn));
  std::vector<double> qualities;
  if (!chance(rng, parameters_.marked)) return qualities;
  qualities.push_back(drawn);
  while (qualities.size() < k_choices) {
    const bool better = chance(rng, 0.5);
    const double part = parameters_.tuned * rng.uniform();
    qualities.push_back(better ? drawn + (1 - drawn) * part : drawn * (1 - part));
  }
  return qualities;
}

Attempt Author::carry_out(const Program& base, const IdeaName& name, Tier tier, Rng& rng) const {
  Attempt attempt{base, failure(name, tier)};
  if (base.approach < 0) {
    attempt.program = landscape_.blank(name.approach);
    attempt.program.on_seed = base.on_seed;
  }
  const double drawn = 1 - rng.uniform();  // never 0, which means left out
  const double reached = tier == Tier::strong ? drawn : drawn * parameters_.cheap_quality;
  attempt.program.quality[name.idea] = reached;
  attempt.program.numbers[name.idea] = {reached, static_cast<int>(choices(reached).size()), 0};
  return attempt;
}

Attempt Author::write(std::string_view told, Tier tier, Rng& rng) const {
  const Program original;
  const Program* const parents[] = {&original};
  return improve(parents, told, tier, rng);
}

IdeaName Author::choose(const Program& base, std::string_view told, Rng& rng) const {
  const auto named = idea_of(told, landscape_);
  if (named && (base.approach < 0 || base.approach == static_cast<int>(named->approach))) {
    return *named;
  }
  const std::size_t approach =
      base.approach < 0 ? recall_approach(rng) : static_cast<std::size_t>(base.approach);
  return {approach, recall_idea(approach, rng)};
}

// What the others carry out better, each idea taken over with a certain probability. It fails as
// often as the hardest of them did.
Attempt Author::borrow(std::span<const Program* const> parents, Tier tier, Rng& rng) const {
  Attempt attempt{*parents.front(), 0};
  for (const Program* other : parents.subspan(1)) {
    if (other->approach != attempt.program.approach) continue;
    for (const std::size_t i : carried_out(*other)) {
      double& quality = attempt.program.quality[i];
      if (other->quality[i] <= quality || !chance(rng, parameters_.borrow)) continue;
      quality = other->quality[i];
      attempt.program.numbers[i] = other->numbers[i];
      const IdeaName taken{static_cast<std::size_t>(other->approach), i};
      attempt.failure = std::max(attempt.failure, failure(taken, tier));
    }
  }
  return attempt;
}

Attempt Author::improve(std::span<const Program* const> parents, std::string_view told, Tier tier,
                        Rng& rng) const {
  CUPEL_CHECK(!parents.empty());
  if (parents.size() > 1 && told.empty()) {
    const Attempt attempt = borrow(parents, tier, rng);
    if (attempt.failure > 0) return attempt;
  }
  const Program& base = *parents.front();
  return carry_out(base, choose(base, told, rng), tier, rng);
}

bool Author::mends(Tier tier, Rng& rng) const {
  return chance(rng, tier == Tier::strong ? parameters_.fix_strong : parameters_.fix_cheap);
}

// source_of() marks the numbers in the order of the ideas, its choices are 1, 2, 3, ...
Program Author::tune(const Program& parent, std::string_view source) const {
  Program tuned = parent;
  const auto knobs = search::knobs_of(source);
  std::size_t next = 0;
  for (std::size_t i = 0; i < tuned.numbers.size(); ++i) {
    Number& number = tuned.numbers[i];
    if (number.choices == 0 || tuned.quality[i] <= 0) continue;
    CUPEL_CHECK(next < knobs.size());
    number.chosen = std::stoi(knobs[next++].value) - 1;
    tuned.quality[i] = choices(number.drawn)[static_cast<std::size_t>(number.chosen)];
  }
  return tuned;
}

std::vector<std::string> Author::brainstorm(int count, Rng& rng) const {
  const auto order = shuffled_by_weight(saliences(landscape_.approaches()), rng);
  std::vector<std::vector<std::size_t>> ideas;
  for (const std::size_t approach : order) {
    ideas.push_back(shuffled_by_weight(saliences(landscape_.approaches()[approach].ideas), rng));
  }
  std::vector<std::string> texts;
  for (int i = 0; i < count; ++i) {
    const auto turn = static_cast<std::size_t>(i);
    const std::size_t place = turn % order.size();
    const std::size_t round = turn / order.size();
    if (round >= ideas[place].size()) break;
    texts.push_back(text_of({order[place], ideas[place][round]}));
  }
  return texts;
}

std::string Author::analyse(const Program& parent, Rng& rng) const {
  const IdeaName one = choose(parent, "", rng);
  const IdeaName other = choose(parent, "", rng);
  const bool same_program = one.approach == other.approach;
  return text_of(same_program && idea(other).gain > idea(one).gain ? other : one);
}

}  // namespace cupel::simulate
