// Many programs of one task side by side in one round, as one JSON line: what bench/portfolio.py
// and bench/throughput.py are made of.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/clock.h"
#include "base/files.h"
#include "bench.h"
#include "engine/own_programs/rewriting.h"
#include "engine/rounds/beside.h"
#include "propose/seeds/portfolio.h"

namespace cupel::bench {
namespace {

using nlohmann::json;

class Seconds {
 public:
  double lap() {
    const auto now_ns = clock_.now_ns();
    const double passed = static_cast<double>(now_ns - last_ns_) / k_ns_per_s;
    last_ns_ = now_ns;
    return passed;
  }

 private:
  SystemClock clock_;
  std::int64_t last_ns_ = clock_.now_ns();
};

json cost_json(const RoundCost& cost) {
  return {{"wait_hosts_ms", cost.wait_hosts_ms},
          {"wait_device_ms", cost.wait_device_ms},
          {"load_ms", cost.load_ms},
          {"warmup_ms", cost.warmup_ms},
          {"prepare_ms", cost.prepare_ms},
          {"calls_ms", cost.calls_ms},
          {"compare_ms", cost.compare_ms},
          {"audit_ms", cost.audit_ms},
          {"wall_ms", cost.wall_ms},
          {"judge_cpu_ms", cost.judge_cpu_ms}};
}

json program_json(const Verdict& verdict, const ProgramEvidence& evidence) {
  json program{{"label", verdict.label},
               {"outcome", to_string(verdict.outcome)},
               {"headline", verdict.headline()},
               {"error_rms", verdict.error_rms},
               {"close_1e2", verdict.close_1e2},
               {"close_1e4", verdict.close_1e4},
               {"checked_calls", verdict.checked_calls},
               {"import_ms", evidence.import_ms},
               {"construct_ms", evidence.construct_ms},
               {"first_call_ms", evidence.first_call_ms}};
  if (!verdict.reasons.empty()) program["reason"] = verdict.reasons.front().text;
  if (verdict.ratios.empty()) return program;
  const Ratio& ratio = verdict.ratios.front();
  program.update({{"ratio", ratio.ratio},
                  {"low", ratio.low},
                  {"high", ratio.high},
                  {"ms", ratio.candidate_ms},
                  {"over_ms", ratio.over_ms},
                  {"pairs", ratio.pairs}});
  if (const Ratio* const device = verdict.device_ratio()) {
    program.update({{"device_ratio", device->ratio},
                    {"device_low", device->low},
                    {"device_high", device->high},
                    {"device_ms", device->candidate_ms}});
  }
  return program;
}

using Candidates = std::vector<Candidate>;

// One round of some candidates. Where that fails, as for want of memory, two rounds of half of
// them.
void judge_part(Opened& opened, const Candidates& part, json& line) {
  const auto judgement = opened.evaluator->judge(part);
  const bool failed = !judgement || judgement->verdicts.front().outcome == Outcome::infra_fault;
  if (failed && part.size() > 1) {
    line["problems"].push_back(judgement ? judgement->verdicts.front().headline()
                                         : judgement.error().describe());
    const auto middle = part.begin() + static_cast<std::ptrdiff_t>(part.size() / 2);
    judge_part(opened, Candidates(part.begin(), middle), line);
    judge_part(opened, Candidates(middle, part.end()), line);
    return;
  }
  if (!judgement || !judgement->evidence.infra_fault.empty()) {
    line["problem"] = judgement ? judgement->evidence.infra_fault : judgement.error().describe();
    return;
  }
  line["costs"].push_back(cost_json(judgement->evidence.cost));
  for (std::size_t i = 0; i < judgement->verdicts.size(); ++i) {
    line["programs"].push_back(
        program_json(judgement->verdicts[i], judgement->evidence.programs[i + 1]));
  }
}

json judge_jointly(Opened& opened, const Candidates& candidates, const Arguments& arguments,
                   double opened_s) {
  Seconds watch;
  json line{{"task", opened.task.name},
            {"mode", to_string(opened.task.settings.mode)},
            {"open_seconds", opened_s},
            {"degenerate", opened.admitted.admission.degenerate},
            {"problem", ""},
            {"problems", json::array()},
            {"costs", json::array()},
            {"programs", json::array()}};
  // No verdict comes of a task that cannot tell programs apart.
  if (!opened.admitted.admission.degenerate.empty()) {
    line["problem"] = opened.admitted.admission.degenerate.front();
    return line;
  }
  const auto step = static_cast<std::size_t>(
      engine::programs_fitting(opened.admitted.facts, arguments.round_bytes_max) - 1);
  for (std::size_t at = 0; at < candidates.size(); at += step) {
    const auto end = std::min(at + step, candidates.size());
    judge_part(opened,
               Candidates(candidates.begin() + static_cast<std::ptrdiff_t>(at),
                          candidates.begin() + static_cast<std::ptrdiff_t>(end)),
               line);
  }
  line["judge_seconds"] = watch.lap();
  return line;
}

void print_line(const json& line) {
  std::printf("%s\n", line.dump(-1, ' ', false, json::error_handler_t::replace).c_str());
  std::fflush(stdout);
}

// An entry of the list is a name; one * in it stands for any text.
bool is_listed(const std::string& name, const std::string& wanted) {
  std::istringstream list(wanted);
  for (std::string entry; std::getline(list, entry, ',');) {
    const std::size_t star = entry.find('*');
    if (star == std::string::npos
            ? name == entry
            : name.size() + 1 >= entry.size() && name.starts_with(entry.substr(0, star)) &&
                  name.ends_with(entry.substr(star + 1))) {
      return true;
    }
  }
  return false;
}

Result<Policy> policy_of(const Opened& opened, const Arguments& arguments) {
  if (arguments.policy.empty()) return opened.task.settings.policy;
  return parse_policy(arguments.policy);
}

// The variants of the wanted effort, and those of more effort that were asked for by name.
Result<std::vector<Seed>> portfolio_for(const Opened& opened, const Arguments& arguments) {
  CUPEL_TRY(const Effort effort, parse_effort(arguments.effort));
  CUPEL_TRY(const Policy policy, policy_of(opened, arguments));
  const TaskFacts& facts = opened.admitted.facts;
  auto seeds = propose::portfolio(opened.task, facts, policy, effort, arguments.device);
  for (auto& more :
       propose::portfolio(opened.task, facts, policy, Effort::full, arguments.device)) {
    const bool known = std::any_of(seeds.begin(), seeds.end(),
                                   [&](const Seed& seed) { return seed.name == more.name; });
    if (!known && is_listed(more.name, arguments.also)) seeds.push_back(std::move(more));
  }
  if (!arguments.only.empty()) {
    std::erase_if(seeds, [&](const Seed& seed) { return !is_listed(seed.name, arguments.only); });
  }
  return seeds;
}

// With the programs that the rules of algebra make, where they are asked for. A task whose graph
// proves that its inputs do not matter is told to be degenerate.
Result<std::vector<Seed>> seeds_for(Opened& opened, const Arguments& arguments) {
  CUPEL_TRY(auto seeds, portfolio_for(opened, arguments));
  if (!arguments.rewrites) return seeds;
  CUPEL_TRY(const GraphExport exported, opened.evaluator->graph());
  CUPEL_TRY(const Effort effort, parse_effort(arguments.effort));
  CUPEL_TRY(const Policy policy, policy_of(opened, arguments));
  auto found = engine::rewritten(opened.task, exported,
                                 {opened.admitted.facts, policy, effort, arguments.device});
  for (auto& reason : found.degenerate) {
    opened.admitted.admission.degenerate.push_back(std::move(reason));
  }
  for (Seed& seed : found.seeds) {
    if (!is_listed(seed.name, arguments.without)) seeds.push_back(std::move(seed));
  }
  return seeds;
}

// The name of a seed is what tables have.
std::vector<Candidate> candidates_of(const std::vector<Seed>& seeds) {
  std::vector<Candidate> candidates;
  for (const Seed& seed : seeds) candidates.push_back(make_candidate(seed.source, seed.name));
  return candidates;
}

// What people are told of each: of a rewritten program, the rules.
json labels_of(const std::vector<Seed>& seeds) {
  json labels = json::object();
  for (const Seed& seed : seeds) labels[seed.name] = seed.label;
  return labels;
}

Result<std::vector<Candidate>> read_candidates(const Arguments& arguments) {
  std::vector<Candidate> candidates;
  for (std::size_t i = 1; i < arguments.tasks.size(); ++i) {
    CUPEL_TRY(auto source, read_file(arguments.tasks[i], k_source_bytes_max));
    candidates.push_back(make_candidate(source, arguments.tasks[i].stem().string()));
  }
  return candidates;
}

Result<json> portfolio_line(const std::filesystem::path& file, const Arguments& arguments) {
  Seconds watch;
  CUPEL_TRY(Opened opened, open_task(file, arguments, arguments.beside + 1));
  CUPEL_TRY(const auto seeds, seeds_for(opened, arguments));
  json line = judge_jointly(opened, candidates_of(seeds), arguments, watch.lap());
  line["seeds"] = labels_of(seeds);
  return line;
}

Result<json> verdicts_line(const Arguments& arguments) {
  Seconds watch;
  CUPEL_TRY(const auto candidates, read_candidates(arguments));
  if (candidates.empty()) return input_error("no candidates", "verdicts TASK.py CANDIDATE.py...");
  CUPEL_TRY(Opened opened,
            open_task(arguments.tasks.front(), arguments, static_cast<int>(candidates.size()) + 1));
  return judge_jointly(opened, candidates, arguments, watch.lap());
}

void print_result(const Result<json>& line, const std::filesystem::path& file) {
  print_line(line ? *line
                  : json{{"task", file.stem().string()}, {"problem", line.error().describe()}});
}

}  // namespace

int portfolio(const Arguments& arguments) {
  for (const auto& file : task_files(arguments)) {
    print_result(portfolio_line(file, arguments), file);
  }
  return 0;
}

int verdicts(const Arguments& arguments) {
  print_result(verdicts_line(arguments), arguments.tasks.front());
  return 0;
}

}  // namespace cupel::bench
