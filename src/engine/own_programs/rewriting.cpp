#include "engine/own_programs/rewriting.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "propose/seeds/portfolio.h"
#include "rewrite/emit.h"
#include "rewrite/rewrite.h"

namespace cupel::engine {
namespace {

constexpr std::string_view k_base_class = "Rewritten";  // of what is compiled on top

// "rewritten: reduction through linear, scale into weights".
std::string label_of(const rewrite::Rewriting& program) {
  std::vector<std::string> rules;
  std::string label = program.parts.empty() ? "rewritten:" : "rewritten in parts:";
  for (const rewrite::Step& step : program.steps) {
    if (std::ranges::find(rules, step.rule) != rules.end()) continue;
    label += (rules.empty() ? " " : ", ") + step.rule;
    rules.push_back(step.rule);
  }
  return label;
}

bool says_rewritten(std::string_view source) {
  return source.find(rewrite::k_docstring) != std::string_view::npos;
}

void add_program(const rewrite::Rewriting& program, const Task& task, const SeedChoice& choice,
                 std::vector<Seed>& seeds) {
  const propose::Derived derived{program.name, label_of(program),
                                 rewrite::program_text(program, task.source, k_base_class),
                                 std::string(k_base_class)};
  seeds.push_back({program.name, derived.label, rewrite::program_text(program, task.source), 0});
  for (Seed& more : propose::portfolio_on(derived, task, choice.facts, choice.policy, choice.effort,
                                          choice.device)) {
    seeds.push_back(std::move(more));
  }
}

}  // namespace

Rewritten rewritten(const Task& task, const GraphExport& exported, const SeedChoice& choice) {
  const rewrite::Rewritings found = rewrite::rewrite(exported, {choice.policy, choice.device});
  Rewritten told;
  for (const rewrite::Finding& finding : found.findings) {
    if (!finding.degenerate) continue;
    told.degenerate.push_back(
        fmt::format("its graph proves that {} {}", finding.node, finding.what));
  }
  for (const rewrite::Rewriting& program : found.programs) {
    add_program(program, task, choice, told.seeds);
  }
  return told;
}

bool looks_rewritten(const Candidate& program) {
  return says_rewritten(program.source);
}

const Seed* plainest_rewritten(const std::vector<Seed>& seeds) {
  const Seed* plainest = nullptr;
  for (const Seed& seed : seeds) {
    if (seed.expected_compile_s > 0 || !says_rewritten(seed.source)) continue;
    if (!plainest || seed.source.size() < plainest->source.size()) plainest = &seed;
  }
  return plainest;
}

void add_rewrites(Sitting& sitting, Admitted& admitted, std::vector<Seed>& seeds) {
  const auto exported = sitting.evaluator.graph();
  if (!exported) return;  // served by the other seeds
  const RunRecord& record = sitting.state().record;
  const RunOptions& options = record.options;
  Rewritten told = rewritten(record.task, *exported,
                             {admitted.facts, options.policy, options.effort, options.device});
  auto& degenerate = admitted.admission.degenerate;
  std::ranges::move(told.degenerate, std::back_inserter(degenerate));
  std::ranges::move(told.seeds, std::back_inserter(seeds));
  std::ranges::stable_sort(seeds, {}, &Seed::expected_compile_s);
}

}  // namespace cupel::engine
