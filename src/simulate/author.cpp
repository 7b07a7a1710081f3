#include "simulate/author.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/result.h"
#include "simulate/draws.h"

namespace cupel::simulate {
namespace {

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

Attempt Author::carry_out(const Program& base, const IdeaName& name, Tier tier, Rng& rng) const {
  Attempt attempt{base, failure(name, tier)};
  if (base.approach < 0) {
    attempt.program = landscape_.blank(name.approach);
    attempt.program.on_seed = base.on_seed;
  }
  attempt.program.quality[name.idea] = 1 - rng.uniform();  // never 0, which means left out
  return attempt;
}

Attempt Author::write(std::string_view told, Tier tier, Rng& rng) const {
  const Program original;
  const Program* const parents[] = {&original};
  return improve(parents, told, tier, rng);
}

IdeaName Author::choose(std::span<const Program* const> parents, std::string_view told,
                        Rng& rng) const {
  const Program& base = *parents.front();
  const auto named = idea_of(told, landscape_);
  if (named && (base.approach < 0 || base.approach == static_cast<int>(named->approach))) {
    return *named;
  }
  if (base.approach < 0) {
    const std::size_t approach = recall_approach(rng);
    return {approach, recall_idea(approach, rng)};
  }
  const auto approach = static_cast<std::size_t>(base.approach);
  if (parents.size() > 1 && chance(rng, parameters_.borrow)) {
    const Program& other = *parents[1 + rng.below(parents.size() - 1)];
    const auto known = carried_out(other);
    if (other.approach == base.approach && !known.empty()) {
      return {approach, known[rng.below(known.size())]};
    }
  }
  return {approach, recall_idea(approach, rng)};
}

Attempt Author::improve(std::span<const Program* const> parents, std::string_view told, Tier tier,
                        Rng& rng) const {
  CUPEL_CHECK(!parents.empty());
  return carry_out(*parents.front(), choose(parents, told, rng), tier, rng);
}

Attempt Author::cross(std::span<const Program* const> parents, Tier tier, Rng& rng) const {
  CUPEL_CHECK(!parents.empty());
  Attempt attempt{*parents.front(), 0};
  for (const Program* parent : parents.subspan(1)) {
    if (parent->approach != attempt.program.approach) continue;
    for (const std::size_t i : carried_out(*parent)) {
      double& quality = attempt.program.quality[i];
      if (parent->quality[i] <= quality) continue;
      quality = parent->quality[i];
      const IdeaName taken{static_cast<std::size_t>(parent->approach), i};
      attempt.failure = std::max(attempt.failure, failure(taken, tier));
    }
  }
  return attempt.failure > 0 ? attempt : improve(parents, "", tier, rng);
}

bool Author::mends(Tier tier, Rng& rng) const {
  return chance(rng, tier == Tier::strong ? parameters_.fix_strong : parameters_.fix_cheap);
}

Program Author::tune(const Program& parent, Rng& rng) const {
  Program tuned = parent;
  const auto ideas = carried_out(parent);
  if (ideas.empty()) return tuned;
  double& quality = tuned.quality[ideas[rng.below(ideas.size())]];
  quality += (1 - quality) * rng.uniform() / 2;
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
  const Program* const parents[] = {&parent};
  const IdeaName one = choose(parents, "", rng);
  const IdeaName other = choose(parents, "", rng);
  const bool same_program = one.approach == other.approach;
  return text_of(same_program && idea(other).gain > idea(one).gain ? other : one);
}

}  // namespace cupel::simulate
