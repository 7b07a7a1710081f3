// What a round has the referee compare.
#include <utility>

#include "measure/round.h"
#include "measure/stopwatch.h"

namespace cupel::measure {
namespace {

constexpr int k_trained_instance = 2;  // docs/protocol.md, "Referee"

}  // namespace

// The second instance's state, as hosts are given it, is not quite what its seed makes.
int Round::compared_instance(std::size_t lane, const CallPlace& where) const {
  const bool loaded = lanes_[lane]->evidence().weights == "loaded";
  return where.instance > 0 && loaded ? k_trained_instance : where.instance;
}

Status Round::compare_wanted(std::int64_t first, int count) {
  CUPEL_TRY_STATUS(check_wanted(
      [](ProgramEvidence& program) -> std::vector<OutputCheck>& { return program.checks; }));
  return context_.referee.release(first, count);
}

// Sends the outputs of all calls since the last comparison to the referee.
Status Round::check_wanted(const CheckList& list) {
  const Stopwatch comparing(clock_, evidence_.cost.compare_ms);
  const SlotLayout leaves = slot_layout(context_.lane.facts.outputs);
  std::vector<CompareItem> items;
  for (const auto& [lane, where] : wanted_) {
    CompareItem item{
        where.input, compared_instance(lane, where), {}, lanes_[lane]->values_of(where)};
    const std::int64_t slot = context_.lane.layout.output_at(where.set, where.program);
    for (const auto offset : leaves.offsets) item.offsets.push_back(slot + offset);
    items.push_back(std::move(item));
  }
  if (!items.empty()) {
    CUPEL_TRY(auto found, context_.referee.compare(items));
    for (std::size_t i = 0; i < items.size(); ++i) {
      const auto& [lane, where] = wanted_[i];
      ProgramEvidence& evidence = lanes_[lane]->evidence();
      Compared& one = found[i];
      if (one.wrong.size() == 2) {
        evidence.mismatches.push_back({"value", one.wrong[0], one.wrong[1], where.input});
      }
      list(evidence).push_back({where.input, where.value_class, where.instance,
                                std::move(one.outputs), std::move(one.own)});
    }
  }
  wanted_.clear();
  return {};
}

}  // namespace cupel::measure
