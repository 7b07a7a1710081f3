// Hosts forked into a jail, with the real server, torch and bubblewrap. What a host sees comes back
// as the text of the exception that its program raises.
#include "measure/host/fork_server.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "base/clock.h"
#include "base/files.h"
#include "host_settings_here.h"
#include "live_processes.h"
#include "measure/device/device.h"
#include "measure/host/host.h"
#include "measure/jail/host_jail.h"

namespace cupel::measure {
namespace {

constexpr double k_seconds_max = 60;
constexpr int k_looks_max = 1000;  // at /proc, each of milliseconds
constexpr std::int64_t k_arena_bytes = 4096;

class ForkedHost : public testing::Test {
 protected:
  void SetUp() override {
    if (!sandbox::probe_grade(false)) GTEST_SKIP() << "no sandbox on this machine";
    auto settings = host_settings_here(*device_);
    ASSERT_TRUE(settings.has_value()) << settings.error().describe();
    settings_ = *settings;
    auto server = ForkServer::start(
        {"host", settings_.python.executable, fork_server_environment(settings_)});
    ASSERT_TRUE(server.has_value());
    server_.emplace(std::move(*server));
    ASSERT_TRUE(server_->wait_ready(k_seconds_max));
    for (int i = 0; i < 3; ++i) arenas_.push_back(*device_->create_arena("test", k_arena_bytes));
  }

  std::unique_ptr<Host> fork() {
    auto host = Host::fork(settings_, *server_);
    EXPECT_TRUE(host.has_value()) << host.error().describe();
    const auto ready = (*host)->wait_ready(k_seconds_max);
    EXPECT_TRUE(ready.has_value()) << ready.error().describe();
    return std::move(*host);
  }

  HostReply load(Host& host, const std::string& source, double seconds_max = k_seconds_max) {
    LoadRequest request;
    request.source = source;
    request.class_name = "ModelNew";
    request.input_tree = "[]";
    for (const Arena& arena : arenas_) {
      request.arena_fds.push_back(arena.fd());
      request.arena_bytes.push_back(arena.bytes());
    }
    return host.load(request, seconds_max);
  }

  std::shared_ptr<Device> device_ = open_cpu();
  HostSettings settings_;
  std::optional<ForkServer> server_;
  std::vector<Arena> arenas_;
};

std::string raising(const std::string& expression) {
  return "import os\nraise RuntimeError(repr((" + expression + ")))\n";
}

TEST_F(ForkedHost, HasNoRightsAndSeesNobody) {
  auto host = fork();
  const auto reply = load(
      *host, raising("[line.split()[1] for line in open('/proc/self/status') if line.startswith("
                     "('CapEff', 'CapPrm', 'CapBnd', 'NoNewPrivs'))], os.getppid(), "
                     "[d for d in os.listdir('/proc') if d.isdigit() and 'python' in "
                     "open(f'/proc/{d}/comm').read()] == [str(os.getpid())], "
                     "os.path.exists('/etc/shadow'), [line.split(':')[0].strip() for line in "
                     "open('/proc/net/dev').readlines()[2:]]"));
  const std::string zeros = "'0000000000000000'";
  EXPECT_NE(reply.fault.what.find("([" + zeros + ", " + zeros + ", " + zeros +
                                  ", '1'], 0, True, False, ['lo'])"),
            std::string::npos)
      << reply.fault.what;
}

TEST_F(ForkedHost, HoldsNoDescriptorButItsOwn) {
  auto host = fork();
  const auto reply = load(*host, raising("sorted(os.readlink(f'/proc/self/fd/{d.name}') for d in "
                                         "os.scandir('/proc/self/fd') if os.path.islink(d.path))"));
  // Its streams, the judge's socket, arenas; no namespace, no control group, no other's socket.
  const std::string& what = reply.fault.what;
  EXPECT_EQ(what.find("user:"), std::string::npos) << what;
  EXPECT_EQ(what.find("cgroup"), std::string::npos) << what;
  const auto socket = what.find("socket:");
  ASSERT_NE(socket, std::string::npos) << what;
  EXPECT_EQ(what.find("socket:", socket + 1), std::string::npos) << what;
}

// The pause still lasts when the limit is reached.
TEST_F(ForkedHost, IsNotLateForAPause) {
  constexpr double k_limit_s = 4;
  auto host = fork();
  std::jthread pausing([&host] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    host->pause();
    std::this_thread::sleep_for(std::chrono::duration<double>(k_limit_s + 1));
    host->resume();
  });
  const auto reply =
      load(*host, "import time\ntime.sleep(1)\nraise RuntimeError('came')\n", k_limit_s);
  EXPECT_NE(reply.fault.what.find("came"), std::string::npos) << reply.fault.what;
}

// Whoever asks has the host run, but for a pause.
TEST_F(ForkedHost, DoesNotRunInAPauseWhenItIsAsked) {
  auto host = fork();
  host->pause();
  std::int64_t resumed_ns = 0;
  std::jthread pausing([&host, &resumed_ns] {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    resumed_ns = SystemClock().now_ns();
    host->resume();
  });
  const auto reply =
      load(*host, "import time\nraise RuntimeError(time.clock_gettime_ns(time.CLOCK_MONOTONIC))\n");
  pausing.join();
  const auto digits = reply.fault.what.find_first_of("0123456789");
  ASSERT_NE(digits, std::string::npos) << reply.fault.what;
  EXPECT_GT(std::stoll(reply.fault.what.substr(digits)), resumed_ns) << reply.fault.what;
}

TEST_F(ForkedHost, TellsHowItEnded) {
  auto left = fork();
  EXPECT_EQ(load(*left, "import os; os._exit(7)").fault.what,
            "the process ended: exited with code 7");
  auto killed = fork();
  EXPECT_EQ(load(*killed, "import os; os.kill(os.getpid(), 11)").fault.what,
            "the process ended: killed by SIGSEGV");
}

TEST_F(ForkedHost, EndsWithAllThatItStarted) {
  const std::string marker = "7" + std::to_string(::getpid()) + "31";
  auto host = fork();
  const auto reply = load(*host,
                          "import os, subprocess\n"
                          "subprocess.Popen(['sleep', '" +
                              marker +
                              "'], start_new_session=True)\n"
                              "raise RuntimeError('started')\n");
  EXPECT_NE(reply.fault.what.find("started"), std::string::npos) << reply.fault.what;
  // The kernel lets the parent go on a moment before the child shows its new command line.
  int looks = 0;
  while (processes_with({marker}) == 0 && ++looks < k_looks_max) {
  }
  EXPECT_EQ(processes_with({marker}), 1);
  host.reset();
  EXPECT_EQ(processes_with({marker}), 0);
}

TEST_F(ForkedHost, IsFrozenWhole) {
  auto host = fork();
  host->freeze();
  host->thaw();
  EXPECT_NE(load(*host, raising("'alive'")).fault.what.find("alive"), std::string::npos);
}

TEST_F(ForkedHost, ComesFromAServerThatAnEarlierOwnerLeft) {
  const ForkServerSettings settings = server_->settings();
  auto first = lend_fork_server(settings);
  ASSERT_TRUE(first.has_value());
  EXPECT_FALSE((*first)->is_as_new());
  ASSERT_TRUE((*first)->wait_ready(k_seconds_max));
  auto meanwhile = lend_fork_server(settings);
  ASSERT_TRUE(meanwhile.has_value());
  EXPECT_NE(first->get(), meanwhile->get());
  first->reset();
  ForkServerSettings others = settings;
  others.environment.push_back("OTHER=1");
  auto other = lend_fork_server(others);
  ASSERT_TRUE(other.has_value());
  EXPECT_FALSE((*other)->is_as_new());
  auto again = lend_fork_server(settings);
  ASSERT_TRUE(again.has_value());
  EXPECT_TRUE((*again)->is_as_new());  // nobody had to wait
  auto host = Host::fork(settings_, **again);
  ASSERT_TRUE(host.has_value()) << host.error().describe();
  EXPECT_TRUE((*host)->wait_ready(k_seconds_max).has_value());
}

// The thread of a session's lane ends with its run.
TEST_F(ForkedHost, ComesFromAServerOfAThreadThatEnded) {
  const ForkServerSettings settings = server_->settings();
  std::jthread([&] {
    auto server = lend_fork_server(settings);
    ASSERT_TRUE(server.has_value());
    ASSERT_TRUE((*server)->wait_ready(k_seconds_max));
  }).join();
  auto again = lend_fork_server(settings);
  ASSERT_TRUE(again.has_value());
  ASSERT_TRUE((*again)->is_as_new());
  auto host = Host::fork(settings_, **again);
  ASSERT_TRUE(host.has_value()) << host.error().describe();
  EXPECT_TRUE((*host)->wait_ready(k_seconds_max).has_value());
}

TEST_F(ForkedHost, ComesFromNoServerThatIsNotAsNew) {
  const ForkServerSettings settings = server_->settings();
  const auto leave = [&](const auto& change) {
    auto server = lend_fork_server(settings);
    ASSERT_TRUE(server.has_value());
    ASSERT_TRUE((*server)->wait_ready(k_seconds_max));
    change(**server);
  };
  const auto none_is_left = [&] { return !(*lend_fork_server(settings))->is_as_new(); };
  leave([](ForkServer& server) { server.give_up(); });
  EXPECT_TRUE(none_is_left());
  leave([](ForkServer& server) { server.import_compilers(k_seconds_max); });
  EXPECT_TRUE(none_is_left());
  leave([](ForkServer&) {});
  EXPECT_FALSE(none_is_left());
}

}  // namespace
}  // namespace cupel::measure
