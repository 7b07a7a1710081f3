#include "fake_round.h"

#include <algorithm>

namespace cupel::measure {
namespace {

constexpr int k_sets = 16;
constexpr int k_spares = 40;
constexpr std::int64_t k_leaf_bytes = 64;

}  // namespace

bool FakeLane::note(const char* kind, const CallPlace& place) {
  log_.push_back({kind, index_, place});
  return true;
}

bool FakeLane::goes_on(const CallPlace& place) {
  if (calls_++ != program_.fails_at_call) return true;
  evidence_.fault = {HostFault::Kind::runtime_error, "call", "it failed", "", place.input};
  return false;
}

bool FakeLane::call(const CallPlace& place, double, CallSample* sample) {
  note("call", place);
  if (sample) sample->bracket_ns = sample->claim_ns = call_ns();
  return goes_on(place);
}

bool FakeLane::row(const std::vector<RowCall>& calls, const RowPlan& plan) {
  for (const auto& [place, counts, taken] : calls) {
    note(nothing_ ? "nothing" : counts ? "row" : taken ? "early" : "uncounted", place);
    if (!goes_on(place)) return false;
    CallSample sample;
    sample.input = place.input;
    sample.bracket_ns = sample.claim_ns = call_ns() * (plan.still ? 2 : 1);
    sample.seen_ns = plan.still ? 0 : 1;
    (counts ? evidence_.calls : evidence_.untimed).push_back(sample);
  }
  return true;
}

bool FakeLane::call_beside(const CallPlace& place, double, std::mutex&) {
  return note("beside", place) && goes_on(place);
}

bool FakeLane::several(const std::vector<CallPlace>& places, double) {
  for (const CallPlace& place : places) note("several", place);
  evidence_.batches.push_back({static_cast<std::int64_t>(places.size()), call_ns()});
  return true;
}

int FakeLane::hold(const CallPlace& place, double, std::mutex*) {
  note("hold", place);
  return 0;
}

bool FakeLane::recall(const CallPlace& place, int, double, std::mutex&) {
  return note("recall", place);
}

bool FakeLane::recall_timed(const CallPlace& place, int, double) {
  return note("recall_timed", place);
}

Result<std::vector<InputSet>> FakeReferee::prepare(std::int64_t first, int count,
                                                   std::int64_t offset, std::int64_t stride, int,
                                                   const InputDraw& draw) {
  draws.push_back({draw, count, first, offset, offset + count * stride});
  std::vector<InputSet> sets;
  for (int i = 0; i < count; ++i) {
    sets.push_back({first + i, "nominal", ""});
    alive.push_back(first + i);
  }
  return sets;
}

Result<std::vector<Compared>> FakeReferee::compare(const std::vector<CompareItem>& items) {
  for (const CompareItem& item : items) {
    if (std::ranges::find(alive, item.input) == alive.end()) {
      return infra_error("an input is compared that was released");
    }
    compared.push_back(item);
  }
  return std::vector<Compared>(items.size(), Compared{{OutputError{}}, {OutputError{}}, {}});
}

Status FakeReferee::release(std::int64_t first, int count) {
  std::erase_if(alive, [&](std::int64_t input) { return input >= first && input < first + count; });
  return {};
}

Result<std::unique_ptr<Lane>> FakeLanes::take(const CallContext&, const Program& program, Rng,
                                              std::uint64_t) {
  const std::size_t index = taken_++;
  const FakeProgram fake = program.does_nothing ? FakeProgram{0.01, -1, true} : programs_.at(index);
  auto lane = std::make_unique<FakeLane>(index, fake, program.does_nothing, log_);
  lane->evidence().role = program.role;
  return lane;
}

MeasurePlan FakeRound::short_plan() {
  MeasurePlan plan;
  plan.inputs_max = 24;
  plan.first_chunk_inputs = 4;
  return plan;
}

Result<Evidence> FakeRound::run() {
  const auto device = open_cpu();
  TaskFacts facts;
  facts.inputs = facts.outputs = {{"float32", {16}, {1}, k_leaf_bytes}};
  facts.input_bytes = facts.output_bytes = k_leaf_bytes;
  const VaultLayout layout = vault_layout(facts, static_cast<int>(programs.size()),
                                          {k_sets, k_spares, 1 << 20, vault_bytes_max});
  CUPEL_TRY(const Arena vault, device->create_arena("vault", layout.bytes));
  const std::vector<InstanceState> weights(2);
  FakeLanes lanes(programs, log);
  std::int64_t next_input = 0;
  const CallContext lane{
      *device, facts, vault, layout, weights, plan, false, false, plan.audit_calls_many, 1};
  std::vector<Program> round(programs.size());
  for (std::size_t i = 1; i < round.size(); ++i) round[i].role = Role::candidate;
  round[0].role = Role::baseline;
  return run_round({lane, referee, lanes, next_input}, round, Rng(1),
                   {stop, [this](const Evidence&) { return claimants; }});
}

std::vector<LoggedCall> FakeRound::logged(const std::string& kind) const {
  std::vector<LoggedCall> found;
  for (const LoggedCall& call : log) {
    if (call.kind == kind) found.push_back(call);
  }
  return found;
}

}  // namespace cupel::measure
