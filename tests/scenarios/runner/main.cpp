// Judges every scenario of the folders (or files) named on the command line through the same door
// as the command line does, and compares verdicts with expectations; lints those of `bad_tasks`.
// One line a scenario.
//
//   cupel_scenarios [--slow] [--audited] [--sample] [--only=timed|untimed|audited] [--sandbox=none]
//                   [--inputs=N] [--rounds=N] [--tasks=FOLDER] FOLDER_OR_FILE...
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "bad_task.h"
#include "base/clock.h"
#include "base/files.h"
#include "engine/evaluate/real_evaluator.h"
#include "judge/timing/repeat.h"
#include "machine.h"
#include "measure/device/device.h"
#include "scenario.h"
#include "task/load.h"

namespace cupel::scenarios {
namespace {

namespace fs = std::filesystem;
using engine::Evaluator;

constexpr int k_tries_max = 2;       // a fault of ours, or a moment's noise
constexpr int k_tries_busy_max = 3;  // each after some waiting for a quiet moment
constexpr int k_tries_refused = 5;   // of somebody honest: one refusal of so many is chance

constexpr std::string_view k_only_option = "--only=";
constexpr std::string_view k_inputs_option = "--inputs=";
constexpr std::string_view k_rounds_option = "--rounds=";
constexpr std::string_view k_tasks_option = "--tasks=";

struct Arguments {
  bool slow = false;
  std::string only;      // of one kind_of(); empty: all
  bool audited = false;  // each right one goes through the winner's audit, whatever it asks for
  bool sample = false;   // of each folder the first file a verdict and reason code
  int inputs = 0;        // that each is called on while it is timed, at least; 0: as usual
  int rounds = engine::k_repeat_in_search.rounds_max;  // at most
  std::string sandbox = "bwrap";
  fs::path tasks;  // where scenarios' tasks lie; empty: those of the tests, or shipped ones
  std::vector<fs::path> paths;
};

Arguments parse_arguments(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string text = argv[i];
    if (text == "--slow")
      arguments.slow = true;
    else if (text == "--audited")
      arguments.audited = true;
    else if (text == "--sample")
      arguments.sample = true;
    else if (text.starts_with(k_only_option))
      arguments.only = text.substr(k_only_option.size());
    else if (text == "--sandbox=none")
      arguments.sandbox = "none";
    else if (text.starts_with(k_inputs_option))
      arguments.inputs = std::atoi(text.c_str() + k_inputs_option.size());
    else if (text.starts_with(k_rounds_option))
      arguments.rounds = std::atoi(text.c_str() + k_rounds_option.size());
    else if (text.starts_with(k_tasks_option))
      arguments.tasks = text.substr(k_tasks_option.size());
    else
      arguments.paths.emplace_back(text);
  }
  return arguments;
}

// One evaluator a (task, policy, time limit), kept while scenarios of that kind follow each other.
class Evaluators {
 public:
  explicit Evaluators(const Arguments& arguments) : asked_(arguments) {}

  Result<Evaluator*> get(const Scenario& scenario) {
    const Key key{scenario.device, scenario.task, scenario.policy, scenario.time_limit_s};
    if (current_ && key == key_) return current_.get();
    current_.reset();
    CUPEL_TRY(Task task, load(scenario));
    RunOptions options;
    options.policy = task.settings.policy;
    if (!scenario.policy.empty()) {
      CUPEL_TRY(options.policy, parse_policy(scenario.policy));
    }
    options.sandbox = asked_.sandbox;
    options.device = scenario.device;
    engine::EvaluatorSettings settings{scenario.time_limit_s, "", engine::k_repeat_in_search};
    settings.inputs_min = asked_.inputs;
    settings.repeat.rounds_max = asked_.rounds;
    CUPEL_TRY(current_, engine::make_real_evaluator(task, options, settings));
    CUPEL_TRY(const auto admitted, current_->admit());
    key_ = key;
    return current_.get();
  }

  // The next judgement has a session of its own, with another lint.
  void start_anew() { current_.reset(); }

 private:
  using Key = std::tuple<std::string, std::string, std::string, double>;

  Result<Task> load(const Scenario& scenario) const {
    task::TaskArgument argument;
    argument.name = scenario.task;
    const fs::path above = fs::absolute(scenario.path).parent_path().parent_path();
    for (const fs::path& tasks :
         {above / "gpu" / "tasks", above / "scenarios" / "tasks", above / "tasks", asked_.tasks}) {
      const fs::path own = tasks / (scenario.task + ".py");
      if (fs::exists(own)) argument.name = own.string();
    }
    CUPEL_TRY(const auto shipped, task::shipped_directory());
    return task::load(argument, shipped);
  }

  Arguments asked_;
  Key key_;
  std::unique_ptr<Evaluator> current_;
};

struct Attempt {
  bool met = false;
  std::string got;  // outcome(code) and ratio, or the error
  Verdict verdict;
};

std::string short_verdict(const Verdict& verdict) {
  const std::string outcome(to_string(verdict.outcome));
  const std::string code = verdict.reasons.empty() ? "" : verdict.reasons.front().code;
  std::string text = code.empty() || code == outcome ? outcome : outcome + "(" + code + ")";
  if (verdict.ratios.empty()) return text;
  char ratio[32];
  std::snprintf(ratio, sizeof ratio, " %.2fx", verdict.ratios.front().ratio);
  return text + ratio;
}

Attempt judge_once(const Scenario& scenario, Evaluators& evaluators) {
  auto evaluator = evaluators.get(scenario);
  if (!evaluator) return {false, "error: " + evaluator.error().describe(), {}};
  const std::string label = scenario.path.filename().string();
  auto judged = (*evaluator)->judge({make_candidate(scenario.source, label)});
  if (!judged) return {false, "error: " + judged.error().describe(), {}};
  const bool goes_on = scenario.audited && is_correct(judged->verdicts.at(0).outcome);
  if (goes_on) judged = (*evaluator)->audit({make_candidate(scenario.source, label)});
  if (!judged) return {false, "error: " + judged.error().describe(), {}};
  const Verdict& verdict = judged->verdicts.at(0);
  return {meets(scenario, verdict), short_verdict(verdict), verdict};
}

void explain(const Scenario& scenario, const Verdict& verdict) {
  std::string wanted;
  for (const auto& one : scenario.expected) wanted += (wanted.empty() ? "" : " | ") + one;
  std::printf("     expected %s\n     %s\n", wanted.c_str(), verdict.feedback.c_str());
  for (const auto& reason : verdict.reasons) {
    std::printf("     %s: %s (%g, limit %g)\n", reason.code.c_str(), reason.text.c_str(),
                reason.value, reason.limit);
  }
}

bool lies_in(const fs::path& file, const char* folder) {
  return fs::absolute(file).parent_path().filename() == folder;
}

enum class Shown { met, missed, too_busy };

// What came of all of them.
struct Totals {
  int passed = 0;
  int failed = 0;
  int too_busy = 0;
  int skipped = 0;
  // Of somebody honest, each try a judgement.
  int honest_judgements = 0;
  std::int64_t honest_calls = 0;  // that were compared
  int refusals = 0;
  void count(Shown shown) {
    ++(shown == Shown::met ? passed : shown == Shown::missed ? failed : too_busy);
  }
};

void print_line(Shown shown, const fs::path& path, const std::string& got, const std::string& check,
                std::int64_t start_ns) {
  static const std::map<Shown, const char*> words{
      {Shown::met, "ok"}, {Shown::missed, "FAIL"}, {Shown::too_busy, "BUSY"}};
  const double seconds = static_cast<double>(SystemClock().now_ns() - start_ns) / k_ns_per_s;
  std::printf("%-4s %-34s %-28s %-22s %6.2f s\n", words.at(shown), path.stem().c_str(), got.c_str(),
              check.c_str(), seconds);
}

// Nobody is harmed by it: no attack is paid, nobody honest is turned away.
bool is_harmless(const Scenario& scenario, Outcome outcome) {
  if (!lies_in(scenario.path, "cheats")) return is_correct(outcome);
  return outcome != Outcome::faster && outcome != Outcome::same;
}

bool is_paid(const Scenario& scenario, Outcome outcome) {
  return lies_in(scenario.path, "cheats") && !is_harmless(scenario, outcome);
}

// A fault of ours says nothing of somebody honest.
bool is_turned_away(const Scenario& scenario, Outcome outcome) {
  return lies_in(scenario.path, "honest") && !is_harmless(scenario, outcome) &&
         outcome != Outcome::infra_fault;
}

Attempt attempt(const Scenario& scenario, Evaluators& evaluators, Totals& totals) {
  Attempt made = judge_once(scenario, evaluators);
  if (lies_in(scenario.path, "honest") && made.verdict.outcome != Outcome::infra_fault) {
    ++totals.honest_judgements;
    totals.honest_calls += made.verdict.checked_calls;
    totals.refusals += is_turned_away(scenario, made.verdict.outcome);
  }
  return made;
}

void print_try(int tries, const Scenario& scenario, const Attempt& attempt, const char* remark) {
  std::printf("     try %d of %s: %s%s\n", tries, scenario.path.stem().c_str(), attempt.got.c_str(),
              remark);
}

// Whether a refusal was chance: inputs are drawn, and docs/residual_risks.md says on which of them
// a right program may be refused. It is judged again, each time in a session of its own. None of
// these judgements may refuse it, and one must be what is expected.
Shown show_again(const Scenario& scenario, Evaluators& evaluators, Totals& totals, Attempt& last) {
  print_try(1, scenario, last, " (refused)");
  explain(scenario, last.verdict);
  bool met = false;
  for (int tries = 2; tries <= k_tries_refused; ++tries) {
    std::fflush(stdout);
    evaluators.start_anew();
    last = attempt(scenario, evaluators, totals);
    if (is_turned_away(scenario, last.verdict.outcome)) return Shown::missed;
    print_try(tries, scenario, last, "");
    met |= last.met;
  }
  return met ? Shown::met : Shown::missed;
}

// Tries until the expectation is met. What hangs on times and is not met beside somebody else's
// work is neither shown nor refuted, unless it does harm, which it must not on any machine.
Shown show(const Scenario& scenario, Evaluators& evaluators, Totals& totals, Attempt& last) {
  bool was_quiet = false;
  for (int tries = 1;; ++tries) {
    last = attempt(scenario, evaluators, totals);
    const Outcome outcome = last.verdict.outcome;
    if (last.met) return Shown::met;
    const bool quiet = share_of_a_core() >= k_quiet_share;
    was_quiet |= quiet;
    const int tries_max = scenario.timed() && !was_quiet ? k_tries_busy_max : k_tries_max;
    if (is_paid(scenario, outcome)) return Shown::missed;
    if (is_turned_away(scenario, outcome)) return show_again(scenario, evaluators, totals, last);
    if (tries >= tries_max) break;
    print_try(tries, scenario, last, quiet ? "" : " (the machine is busy)");
    const bool ours = outcome == Outcome::infra_fault;
    if (ours || !is_harmless(scenario, outcome)) explain(scenario, last.verdict);
    std::fflush(stdout);
    if (!quiet && scenario.timed()) wait_for_quiet();
  }
  const bool unshown =
      scenario.timed() && !was_quiet && is_harmless(scenario, last.verdict.outcome);
  return unshown ? Shown::too_busy : Shown::missed;
}

Shown run_scenario(const Scenario& scenario, Evaluators& evaluators, Totals& totals) {
  const auto start_ns = SystemClock().now_ns();
  Attempt last;
  const Shown shown = show(scenario, evaluators, totals, last);
  const auto& reasons = last.verdict.reasons;
  print_line(shown, scenario.path, last.got,
             reasons.empty() ? "" : check_behind(reasons.front().code), start_ns);
  if (shown != Shown::met) explain(scenario, last.verdict);
  std::fflush(stdout);
  return shown;
}

Shown run_bad_task(const BadTask& bad, const std::string& sandbox) {
  const auto start_ns = SystemClock().now_ns();
  const LintAnswer answer = lint(bad, sandbox);
  const std::string amiss = complaint(bad, answer);
  const Shown shown = amiss.empty() ? Shown::met : Shown::missed;
  print_line(shown, bad.path, amiss.empty() ? bad.expected : amiss, "lint", start_ns);
  if (!amiss.empty()) {
    std::printf("     expected %s\n     %s\n", bad.expected.c_str(), answer.text.c_str());
  }
  std::fflush(stdout);
  return shown;
}

// "timed": needs a quiet machine. Of the others: "audited", which takes long, or "untimed".
std::string_view kind_of(const Scenario& scenario) {
  if (scenario.timed()) return "timed";
  return scenario.audited ? "audited" : "untimed";
}

struct Collection {
  std::vector<Scenario> scenarios;
  std::vector<BadTask> bad_tasks;
};

// Of each folder and verdict one that is not slow: the first, of those that take the least.
std::vector<Scenario> sample_of(std::vector<Scenario> scenarios) {
  constexpr std::array<std::string_view, 3> k_kinds{"untimed", "audited", "timed"};
  std::ranges::stable_sort(scenarios, {}, [&](const Scenario& one) {
    return std::pair(std::ranges::find(k_kinds, kind_of(one)) - k_kinds.begin(), one.audited);
  });
  std::set<std::tuple<std::string, std::string, std::string>> seen;
  std::erase_if(scenarios, [&](const Scenario& one) {
    const std::string folder = fs::absolute(one.path).parent_path().string();
    return one.slow || !seen.emplace(folder, one.device, one.expected.front()).second;
  });
  return scenarios;
}

Result<Collection> collect(const Arguments& arguments) {
  Collection all;
  for (const auto& path : arguments.paths) {
    for (const auto& file : scenario_files(path)) {
      if (lies_in(file, "bad_tasks")) {
        CUPEL_TRY(auto bad, read_bad_task(file));
        all.bad_tasks.push_back(std::move(bad));
      } else {
        CUPEL_TRY(auto one, read_scenario(file));
        all.scenarios.push_back(std::move(one));
      }
    }
  }
  if (arguments.sample) all.scenarios = sample_of(std::move(all.scenarios));
  std::erase_if(all.scenarios, [&](const Scenario& one) {
    return !arguments.only.empty() && kind_of(one) != arguments.only;
  });
  // Scenarios of one task follow each other, so that its referee serves them all.
  const auto group = [](const Scenario& s) {
    return std::tie(s.device, s.task, s.policy, s.time_limit_s);
  };
  std::stable_sort(all.scenarios.begin(), all.scenarios.end(),
                   [&](const Scenario& a, const Scenario& b) { return group(a) < group(b); });
  return all;
}

bool has_device(const std::string& device) {
  static std::map<std::string, bool> known;
  const auto [found, is_new] = known.try_emplace(device, false);
  if (is_new) found->second = measure::open_device(device).has_value();
  return found->second;
}

int run(const Arguments& arguments) {
  const auto start_ns = SystemClock().now_ns();
  const auto collected = collect(arguments);
  if (!collected) {
    std::fprintf(stderr, "cupel_scenarios: %s\n", collected.error().describe().c_str());
    return 2;
  }
  Totals totals;
  Evaluators evaluators(arguments);
  for (Scenario scenario : collected->scenarios) {
    scenario.audited |= arguments.audited || (scenario.audited_if_slow && arguments.slow);
    if ((scenario.slow && !arguments.slow) || !has_device(scenario.device)) {
      ++totals.skipped;
    } else {
      totals.count(run_scenario(scenario, evaluators, totals));
    }
  }
  for (const auto& bad : collected->bad_tasks) totals.count(run_bad_task(bad, arguments.sandbox));
  const double seconds = static_cast<double>(SystemClock().now_ns() - start_ns) / k_ns_per_s;
  if (totals.too_busy > 0) {
    std::printf(
        "BUSY: the machine had other work at every try, so that times show nothing; "
        "harmless, and to be shown on a quiet one\n");
  }
  if (totals.honest_judgements > 0) {
    std::printf("Of honest ones: %d judgements of %lld calls, %d refused\n",
                totals.honest_judgements, static_cast<long long>(totals.honest_calls),
                totals.refusals);
  }
  std::printf("%d passed, %d failed, %d not shown, %d skipped, %.0f s\n", totals.passed,
              totals.failed, totals.too_busy, totals.skipped, seconds);
  return totals.failed == 0 && totals.passed > 0 ? 0 : 1;
}

}  // namespace
}  // namespace cupel::scenarios

int main(int argc, char** argv) {
  return cupel::scenarios::run(cupel::scenarios::parse_arguments(argc, argv));
}
