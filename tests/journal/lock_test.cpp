#include "journal/lock.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "journal/samples.h"

extern char** environ;

namespace cupel::journal {
namespace {

// Forks a process that takes the lock and lives until it is killed.
pid_t spawn_owner(const std::filesystem::path& directory) {
  int ready[2];
  CUPEL_CHECK(::pipe(ready) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lock = RunLock::take(directory);
    const char answer = lock ? 'y' : 'n';
    if (::write(ready[1], &answer, 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char answer = '?';
  CUPEL_CHECK(::read(ready[0], &answer, 1) == 1 && answer == 'y');
  ::close(ready[0]);
  ::close(ready[1]);
  return child;
}

void kill_and_reap(pid_t child) {
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST(RunLock, NamesItsOwner) {
  const TempDir directory = scratch();
  const pid_t owner = spawn_owner(directory.path());
  const auto lock = RunLock::take(directory.path());
  kill_and_reap(owner);
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().tag, ErrorTag::input);
  EXPECT_NE(lock.error().what.find("process " + std::to_string(owner)), std::string::npos);
}

TEST(RunLock, EndsWithItsOwner) {
  const TempDir directory = scratch();
  kill_and_reap(spawn_owner(directory.path()));
  EXPECT_TRUE(RunLock::take(directory.path()));
}

TEST(RunLock, IsNotKeptByAChildOfItsOwner) {
  const TempDir directory = scratch();
  int feed[2];
  ASSERT_EQ(::pipe(feed), 0);
  pid_t child = 0;
  {
    const auto lock = RunLock::take(directory.path());
    ASSERT_TRUE(lock);
    char name[] = "cat";
    char dash[] = "-";
    char* arguments[] = {name, dash, nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, feed[0], 0);
    ASSERT_EQ(::posix_spawnp(&child, "cat", &actions, nullptr, arguments, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
  }
  EXPECT_TRUE(RunLock::take(directory.path()));
  EXPECT_EQ(::kill(child, 0), 0) << "the child should still live";
  kill_and_reap(child);
  ::close(feed[0]);
  ::close(feed[1]);
}

TEST(RunLock, NeedsADirectory) {
  const TempDir directory = scratch();
  EXPECT_FALSE(RunLock::take(directory.path() / "missing"));
}

}  // namespace
}  // namespace cupel::journal
