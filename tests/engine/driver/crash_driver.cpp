// One sitting of a scripted run, made to be killed: crash_driver RUN_DIR SEED PROGRAMS FD.
// Writes one byte to FD before each append, and the ids of the programs it judges to
// RUN_DIR/calls. A child process lives beside it, as a host would.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "engine/scripted_run.h"

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

int sit(const std::string& directory, std::uint64_t seed, int programs, int signal_fd) {
  const Child child;
  const SystemClock clock;
  const RunRequest request = scripted_request(programs);
  journal::Journal journal = open_or_die(directory, clock);
  journal.on_append([signal_fd](std::string_view) -> Status {
    CUPEL_CHECK(::write(signal_fd, "+", 1) == 1);
    return {};
  });
  ScriptedEvaluator evaluator = evaluator_at(journal, make_script(seed, candidates_of(request)));
  const UniqueFd calls(
      ::open((directory + "/calls").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  evaluator.on_judge = [&](const std::vector<Candidate>& round) {
    const bool is_final_round = journal.state().open.empty();
    if (!is_final_round) append_line(calls.get(), round.front().id);
  };
  SilentSink sink;
  const auto record = run(request, evaluator, journal, sink);
  if (!record) std::fprintf(stderr, "%s\n", record.error().describe().c_str());
  return record && record->finished ? 0 : 1;
}

}  // namespace
}  // namespace cupel::engine

int main(int count, char** arguments) {
  if (count != 5) return 2;
  return cupel::engine::sit(arguments[1], std::strtoull(arguments[2], nullptr, 10),
                            std::atoi(arguments[3]), std::atoi(arguments[4]));
}
