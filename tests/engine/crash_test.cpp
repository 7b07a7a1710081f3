// kill -9 of a run's whole process tree at random points, on a real SQLite file.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <set>

#include "base/rng.h"
#include "engine/finish/winner_file.h"
#include "engine/scripted_run.h"
#include "engine/scripted_search.h"
#include "journal/reader.h"

extern char** environ;

namespace cupel::engine {
namespace {

constexpr int k_programs = 33;
constexpr int k_kills_min = 50;
constexpr int k_queries = 25;
constexpr int k_kills_of_agents_min = 100;
constexpr int k_kills_of_paid_min = 30;
// A sitting is killed after at most so many appends; a whole run makes about 60, one with agents
// about 200.
constexpr std::uint64_t k_appends_before_kill_max = 24;
// Loop turns between the last append heard of and the kill: up to a few append's time, so that
// kills fall before, in and after a transaction.
constexpr std::uint64_t k_turns_before_kill_max = 400'000;

struct Driver {
  pid_t pid = 0;
  UniqueFd appends;  // one byte an append; ends when the whole process group is dead
};

// What the driver is told to do.
struct Work {
  std::string kind;  // "seeds", "agents", "paid" or "read"
  int programs = 0;
  std::uint64_t seed = 0;
};

bool is_paid(const Work& work) {
  return work.kind == "paid" || work.kind == "read";
}

Driver spawn_driver(const std::filesystem::path& directory, const Work& work) {
  int ends[2];
  CUPEL_CHECK(::pipe2(ends, O_CLOEXEC) == 0);
  std::string arguments[] = {
      CUPEL_ENGINE_CRASH_DRIVER,     work.kind, directory.string(), std::to_string(work.seed),
      std::to_string(work.programs), "9"};
  char* argv[7] = {};
  for (int i = 0; i < 6; ++i) argv[i] = arguments[i].data();
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 9);
  Driver driver;
  driver.appends.reset(ends[0]);
  CUPEL_CHECK(::posix_spawn(&driver.pid, argv[0], &actions, &attributes, argv, environ) == 0);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  ::close(ends[1]);
  return driver;
}

// What the driver told: appends that began, and those that are surely done.
struct Heard {
  std::uint64_t begun = 0;
  std::uint64_t kept = 0;
};

// Waits until `count` appends began; false when the driver's group ended before.
bool hear_appends(const Driver& driver, std::uint64_t count, Heard& heard) {
  char byte;
  while (heard.begun < count) {
    if (::read(driver.appends.get(), &byte, 1) != 1) return false;
    ++(byte == k_kept ? heard.kept : heard.begun);
  }
  return true;
}

void spend_turns(std::uint64_t turns) {
  for (std::uint64_t i = 0; i < turns; ++i) {
    asm volatile("");
  }
}

struct SittingEnd {
  bool killed = false;
  int status = 0;  // waitpid's
  Heard appends;
};

SittingEnd sit_until_killed(const std::filesystem::path& directory, const Work& work, Rng& rng) {
  SittingEnd end;
  const Driver driver = spawn_driver(directory, work);
  if (hear_appends(driver, 1 + rng.below(k_appends_before_kill_max), end.appends)) {
    spend_turns(rng.below(k_turns_before_kill_max));
    ::kill(-driver.pid, SIGKILL);
  }
  hear_appends(driver, UINT64_MAX, end.appends);
  ::waitpid(driver.pid, &end.status, 0);
  end.killed = WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGKILL;
  return end;
}

std::vector<std::string> lines_of(const std::filesystem::path& file) {
  std::vector<std::string> lines;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// What the journal held before a sitting, to compare with what it holds after.
struct Memory {
  std::vector<std::string> events;
  std::set<std::string> judged;   // candidate ids
  std::set<std::string> replied;  // proposals whose answer is in the journal
  std::size_t calls = 0;
  std::size_t asked = 0;
};

std::vector<std::string> events_in(const std::filesystem::path& directory) {
  const auto events = journal::read_events(directory);
  std::vector<std::string> texts;
  if (!events) return texts;
  for (const journal::Event& event : *events) {
    texts.push_back(std::to_string(event.seq) + event.kind + event.subject + event.body);
  }
  return texts;
}

void check_nothing_lost(const std::vector<std::string>& now, const Memory& before,
                        const Heard& appends) {
  const std::size_t sure = before.events.size() + appends.kept;
  ASSERT_GE(now.size(), sure);
  for (std::size_t i = 0; i < before.events.size(); ++i) ASSERT_EQ(now[i], before.events[i]);
}

void check_no_second(const std::vector<std::string>& log, std::size_t from,
                     const std::set<std::string>& done) {
  for (std::size_t i = from; i < log.size(); ++i) {
    EXPECT_FALSE(done.contains(log[i])) << "judged or paid again: " << log[i];
  }
}

std::set<std::string> replied_in(const std::filesystem::path& directory) {
  std::set<std::string> replied;
  const auto events = journal::read_events(directory, false);
  for (const journal::Event& event : *events) {
    if (event.kind != journal::kind::k_replied) continue;
    const auto body = decode_proposal_replied(event.body);
    if (body && !body->lost) replied.insert(event.subject);
  }
  return replied;
}

void check_after(const std::filesystem::path& directory, const SittingEnd& end, Memory& memory) {
  const std::vector<std::string> events = events_in(directory);
  check_nothing_lost(events, memory, end.appends);
  const std::vector<std::string> calls = lines_of(directory / "calls");
  check_no_second(calls, memory.calls, memory.judged);
  const std::vector<std::string> asked = lines_of(directory / "asked");
  check_no_second(asked, memory.asked, memory.replied);
  memory.events = events;
  memory.calls = calls.size();
  memory.asked = asked.size();
  if (events.empty()) return;  // killed before the schema stood
  memory.replied = replied_in(directory);
  const auto integrity = journal::check_integrity(directory);
  EXPECT_TRUE(integrity) << integrity.error().describe();
  const auto state = journal::read_state(directory);
  ASSERT_TRUE(state) << state.error().describe();
  for (const Judged& judged : state->record.judged) memory.judged.insert(judged.candidate.id);
}

// Every dollar that the service has billed so far is in the journal: paid, or kept back for a
// question whose end nobody saw. What it keeps is never more than the budget.
void check_dollars(const std::filesystem::path& directory) {
  std::int64_t billed = 0;
  for (const std::string& line : lines_of(directory / "billed")) billed += std::stoll(line);
  const auto state = journal::read_state(directory);
  if (!state) return;  // killed before the schema stood
  std::int64_t kept = state->nano_usd_spent;
  for (const auto& open : state->open) kept += open.asked ? open.asked->nano_usd_max : 0;
  EXPECT_LE(billed, kept);
  EXPECT_LE(kept, k_paid_budget_nano_usd);
  std::int64_t of_proposals = 0;
  for (const auto& open : state->open) of_proposals += open.nano_usd;
  for (const Judged& judged : state->record.judged) of_proposals += judged.nano_usd;
  for (const Answered& answered : state->answered) of_proposals += answered.nano_usd;
  for (const auto& [id, reading] : state->record.readings) of_proposals += reading.nano_usd;
  for (const auto& closed : state->rejected) of_proposals += closed.nano_usd;
  EXPECT_EQ(of_proposals, state->nano_usd_spent);
}

// Returns the number of kills that the run took to finish.
int run_under_fire(const std::filesystem::path& directory, const Work& work, Rng& rng) {
  Memory memory;
  for (int kills = 0;; ++kills) {
    const SittingEnd end = sit_until_killed(directory, work, rng);
    check_after(directory, end, memory);
    if (is_paid(work)) check_dollars(directory);
    if (testing::Test::HasFatalFailure()) return kills;
    if (end.killed) continue;
    EXPECT_TRUE(WIFEXITED(end.status) && WEXITSTATUS(end.status) == 0) << end.status;
    return kills;
  }
}

RunRecord undisturbed_search(const Work& work) {
  const TempDir directory = scratch();
  FakeClock clock;
  journal::Journal journal = open_or_die(directory.path(), clock);
  const auto record =
      sit_in(orderly_world(work.seed), search_request(work.programs), journal, clock);
  if (!record) throw std::runtime_error(record.error().describe());
  return *record;
}

RunRecord expected_of(const Work& work) {
  if (work.kind == "agents") return undisturbed_search(work);
  const RunRequest request = scripted_request(work.programs);
  return undisturbed(request, make_script(work.seed, candidates_of(request)));
}

void check_outcome(const std::filesystem::path& directory, const Work& work) {
  const RunRecord expected = expected_of(work);
  const auto record = journal::read_run(directory);
  ASSERT_TRUE(record) << record.error().describe();
  EXPECT_EQ(essence(*record), essence(expected));
  EXPECT_EQ(std::filesystem::exists(directory / k_winner_file), !expected.winner_id.empty());
}

void kill_runs(Work work, int kills_min) {
  Rng rng(20'240'611);
  int kills = 0;
  while (kills < kills_min && !testing::Test::HasFailure()) {
    ++work.seed;
    const TempDir directory = scratch(std::filesystem::temp_directory_path());
    kills += run_under_fire(directory.path(), work, rng);
    const bool repeats = !is_paid(work);  // threads come in another order each time
    if (repeats && !testing::Test::HasFatalFailure()) check_outcome(directory.path(), work);
    ASSERT_LT(work.seed, 200u) << "the driver is hardly ever killed";
  }
  std::printf("%d kills over %d runs\n", kills, static_cast<int>(work.seed));
}

TEST(Crash, KillsLoseNothingButWhatWasInFlight) {
  kill_runs({"seeds", k_programs}, k_kills_min);
}

TEST(Crash, KillsOfASearchPayNothingTwice) {
  kill_runs({"agents", k_queries}, k_kills_of_agents_min);
}

TEST(Crash, KillsOfASearchWithAReaderAccountForEveryDollarToo) {
  kill_runs({"read", k_queries}, k_kills_of_paid_min);
}

TEST(Crash, KillsOfAPaidSearchWithSlowAnswersAccountForEveryDollar) {
  kill_runs({"paid", k_queries}, k_kills_of_paid_min);
}

}  // namespace
}  // namespace cupel::engine
