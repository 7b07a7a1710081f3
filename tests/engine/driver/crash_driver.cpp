// One sitting of a scripted run, made to be killed: crash_driver KIND RUN_DIR SEED PROGRAMS FD.
// KIND is "seeds", a run of given programs, "agents", a search that asks for them on virtual time,
// "paid", one on threads that wait for slow answers, or "read", the same with a reader beside it;
// what answers cost a service is in RUN_DIR/billed. Writes one byte to FD before each append, the
// ids of the programs it judges to RUN_DIR/calls, and those of the proposals it asks for to
// RUN_DIR/asked. A child process lives beside it, as a host would.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "engine/scripted_run.h"
#include "engine/scripted_search.h"
#include "llm/wire/sleeper.h"
#include "propose/replies/reading.h"

extern char** environ;

namespace cupel::engine {
namespace {

// `cat` on a pipe that nobody writes to: it ends with this process's end of the pipe, or by a
// kill of the group.
struct Child {
  pid_t pid = 0;
  int feed[2] = {-1, -1};

  Child() {
    CUPEL_CHECK(::pipe2(feed, O_CLOEXEC) == 0);
    char name[] = "cat";
    char* arguments[] = {name, nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, feed[0], 0);
    CUPEL_CHECK(::posix_spawnp(&pid, "cat", &actions, nullptr, arguments, environ) == 0);
    posix_spawn_file_actions_destroy(&actions);
  }
  ~Child() {
    ::close(feed[1]);
    ::waitpid(pid, nullptr, 0);
    ::close(feed[0]);
  }
};

void append_line(int fd, const std::string& line) {
  const std::string text = line + "\n";
  CUPEL_CHECK(::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
}

UniqueFd open_log(const std::string& file) {
  return UniqueFd(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
}

struct Arguments {
  std::string directory;
  std::uint64_t seed = 0;
  int programs = 0;
  int signal_fd = -1;
};

// The journal and the logs of one sitting.
struct Setting {
  explicit Setting(const Arguments& arguments, const Clock& clock)
      : journal(open_or_die(arguments.directory, clock)),
        calls(open_log(arguments.directory + "/calls")),
        asked(open_log(arguments.directory + "/asked")) {
    journal.on_append([fd = arguments.signal_fd](std::string_view) -> Status {
      CUPEL_CHECK(::write(fd, "+", 1) == 1);
      return {};
    });
    journal.on_kept([fd = arguments.signal_fd](int appends) {
      const std::string bytes(static_cast<std::size_t>(appends), k_kept);
      CUPEL_CHECK(::write(fd, bytes.data(), bytes.size()) == appends);
    });
  }

  void log_judgements(ScriptedEvaluator& evaluator) {
    evaluator.on_judge = [this](const std::vector<Candidate>& round) {
      const bool is_final_round = journal.state().open.empty();
      if (!is_final_round) append_line(calls.get(), round.front().id);
    };
  }

  journal::Journal journal;
  UniqueFd calls;
  UniqueFd asked;
};

// A service that bills a question when it comes and answers it later, whether or not anybody is
// still there to hear.
class SlowService final : public llm::Provider {
 public:
  SlowService(const ScriptedAgentsSettings& settings, const std::string& bills, bool reads = false)
      : script_(settings), bills_(open_log(bills)), reads_(reads) {}
  std::string name() const override { return "slow"; }
  int concurrency_max() const override { return script_.concurrency_max(); }
  std::int64_t nano_usd_max(const Prompt& prompt) const override {
    return script_.nano_usd_max(prompt);
  }
  Reply ask(const Prompt& prompt, const StopFlag& stop) override {
    Reply reply = script_.ask(prompt, stop);
    if (reads_) reply.text = propose::k_no_worries;
    append_line(bills_.get(), std::to_string(reply.nano_usd));
    llm::SystemSleeper().sleep_s(reply.seconds, stop);
    return reply;
  }

 private:
  ScriptedProvider script_;
  UniqueFd bills_;
  bool reads_;
};

int exit_code(const Result<RunRecord>& record) {
  if (!record) std::fprintf(stderr, "%s\n", record.error().describe().c_str());
  return record && record->finished ? 0 : 1;
}

int sit_with_seeds(const Arguments& arguments) {
  const SystemClock clock;
  const RunRequest request = scripted_request(arguments.programs);
  Setting setting(arguments, clock);
  ScriptedEvaluator evaluator =
      evaluator_at(setting.journal, make_script(arguments.seed, candidates_of(request)));
  setting.log_judgements(evaluator);
  SilentSink sink;
  return exit_code(run(request, evaluator, setting.journal, sink));
}

int sit_with_agents(const Arguments& arguments) {
  FakeClock clock;
  const RandomWorld world = orderly_world(arguments.seed);
  Setting setting(arguments, clock);
  ScriptedProvider provider(world.agents);
  provider.on_ask = [&](const Prompt& prompt) {
    append_line(setting.asked.get(), prompt.proposal_id);
  };
  const Agents agents = scripted_agents(provider);
  Script script;
  script.others_seed = world.evaluator_seed;
  ScriptedEvaluator evaluator = evaluator_at(setting.journal, script);
  setting.log_judgements(evaluator);
  SimulatedLanes lanes(world.lanes, evaluator, agents, clock);
  SilentSink sink;
  return exit_code(run(search_request(arguments.programs), Means(evaluator, agents, &lanes),
                       setting.journal, sink));
}

int sit_with_slow_answers(const Arguments& arguments, bool is_read) {
  const SystemClock clock;
  Setting setting(arguments, clock);
  ScriptedAgentsSettings settings;
  settings.seed = arguments.seed;
  settings.concurrency_max = 4;
  settings.seconds_min = 0.005;
  settings.seconds_max = 0.05;
  settings.nano_usd_max = k_paid_question_nano_usd_max;
  SlowService service(settings, arguments.directory + "/billed");
  SlowService reader(settings, arguments.directory + "/billed", true);
  Agents agents = scripted_agents(service);
  if (is_read) agents.reader = &reader;
  Script script;
  script.others_seed = arguments.seed;
  script.profiles = true;
  ScriptedEvaluator evaluator = evaluator_at(setting.journal, script);
  setting.log_judgements(evaluator);
  SilentSink sink;
  return exit_code(
      run(paid_request(arguments.programs), Means(evaluator, agents), setting.journal, sink));
}

}  // namespace
}  // namespace cupel::engine

int main(int count, char** texts) {
  using namespace cupel::engine;
  if (count != 6) return 2;
  const cupel::engine::Child child;
  const Arguments arguments{texts[2], std::strtoull(texts[3], nullptr, 10), std::atoi(texts[4]),
                            std::atoi(texts[5])};
  const std::string kind = texts[1];
  if (kind == "paid" || kind == "read") return sit_with_slow_answers(arguments, kind == "read");
  return kind == "agents" ? sit_with_agents(arguments) : sit_with_seeds(arguments);
}
