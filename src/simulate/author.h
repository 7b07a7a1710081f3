// What an LLM writes, and what a tuner finds, on a landscape. It sees what an agent would see:
// the parents and the idea it is told, never the gains.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/rng.h"
#include "model/exchange.h"
#include "simulate/landscape.h"

namespace cupel::simulate {

// Probabilities are per reply. docs/simulator.md says where each number comes from.
struct AuthorParameters {
  // A failing candidate is mended within five rounds with a probability of 0.79 by the strong and
  // 0.71 by the cheap model (published): 1 - (1 - p)^5.
  double fix_strong = 0.2681;
  double fix_cheap = 0.2193;
  double borrow = 0.5;         // assumed: what a further parent does better is taken over
  double cheap_penalty = 0.5;  // assumed: added log odds that what a cheap model writes fails
  double cheap_quality = 0.7;  // assumed: what it carries out, as a part of what a strong one does
  double marked = 0.5;         // assumed: ideas that come with a number free to choose
  double tuned = 0.5;          // assumed: of what is missing, as much as that number may add
};

// An idea as agents name it in text.
struct IdeaName {
  std::size_t approach = 0;
  std::size_t idea = 0;
};
std::string text_of(const IdeaName& name);
// Nothing for other text, or where the landscape has no such idea.
std::optional<IdeaName> idea_of(std::string_view text, const Landscape& landscape);

// What was meant, and whether it works at once.
struct Attempt {
  Program program;
  double failure = 0;  // probability that it does not work as written
};

// All functions draw from `rng` and change nothing else.
class Author {
 public:
  Author(const Landscape& landscape, const AuthorParameters& parameters)
      : landscape_(landscape), parameters_(parameters) {}

  // From the original: the idea told, or the first that comes to mind.
  Attempt write(std::string_view told, Tier tier, Rng& rng) const;
  // From parents[0]: what further parents of its approach do better, or the idea told, or the
  // first that comes to mind. One that is carried out already is reworked: its quality is drawn
  // again.
  Attempt improve(std::span<const Program* const> parents, std::string_view told, Tier tier,
                  Rng& rng) const;
  // Whether one round of fixing mends a failing candidate.
  bool mends(Tier tier, Rng& rng) const;
  // The parent with its numbers as `source` has them, a source_of() it that was changed.
  Program tune(const Program& parent, std::string_view source) const;

  // Distinct ideas, of as many approaches as there are.
  std::vector<std::string> brainstorm(int count, Rng& rng) const;
  // The plan of an analysis: of two ideas that come to mind, the one that gains more.
  std::string analyse(const Program& parent, Rng& rng) const;

 private:
  std::size_t recall_approach(Rng& rng) const;
  std::size_t recall_idea(std::size_t approach, Rng& rng) const;
  const Idea& idea(const IdeaName& name) const;
  double failure(const IdeaName& name, Tier tier) const;
  IdeaName choose(const Program& base, std::string_view told, Rng& rng) const;
  Attempt borrow(std::span<const Program* const> parents, Tier tier, Rng& rng) const;
  std::vector<double> choices(double drawn) const;
  Attempt carry_out(const Program& base, const IdeaName& name, Tier tier, Rng& rng) const;

  const Landscape& landscape_;
  AuthorParameters parameters_;
};

}  // namespace cupel::simulate
