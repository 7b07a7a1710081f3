// How fast events are appended, and what a long search keeps in memory.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>

#include "base/clock.h"
#include "base/files.h"
#include "bench.h"
#include "journal/journal.h"
#include "journal/reader.h"

namespace cupel::bench {
namespace {

constexpr int k_candidates = 10'000;
constexpr int k_report_every = 2'000;
// Of a real search, measured: a prompt with a parent in it, a reply with some prose, a program.
constexpr std::size_t k_prompt_bytes = 12'000;
constexpr std::size_t k_reply_bytes = 7'000;
constexpr std::size_t k_source_bytes = 5'000;

double resident_mib() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("VmRSS:")) return std::atof(line.c_str() + 6) / 1024;
  }
  return 0;
}

// Of this process: what a busy machine does not distort.
double cpu_s() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

Verdict verdict_of(const Candidate& candidate) {
  Verdict verdict;
  verdict.candidate_id = candidate.id;
  verdict.label = candidate.label;
  verdict.outcome = Outcome::faster;
  verdict.ratios = {{"eager", "eager", 1.5, 1.4, 1.6, 1, 1.5, 100}};
  return verdict;
}

// The nine events of one candidate, kept as the engine's loop keeps them: what a turn decides in
// one piece, what comes back from a lane by itself.
Status add_candidate(journal::Journal& journal, int number) {
  const std::string id = "p" + std::to_string(number);
  journal.gather();
  CUPEL_TRY_STATUS(journal.decide({"lead", "it leads", id}));
  Proposed proposed{{id, Proposal::Kind::write, "write"}, {}, number};
  CUPEL_TRY_STATUS(journal.propose(proposed));
  Prompt prompt;
  prompt.user = std::string(k_prompt_bytes, 'p');
  CUPEL_TRY_STATUS(journal.ask({id, "scripted", 1000, 1}, prompt));
  CUPEL_TRY_STATUS(journal.keep());
  ProposalReplied replied{id, {}, 1, false};
  replied.reply.end = Reply::End::complete;
  replied.reply.text = std::string(k_reply_bytes, 'r');
  CUPEL_TRY_STATUS(journal.reply(replied));
  const Candidate candidate = make_candidate(id + std::string(k_source_bytes, 's'), "candidate");
  CUPEL_TRY_STATUS(journal.parse({id, candidate, {}}));
  CUPEL_TRY_STATUS(journal.build({id, 1, ""}));
  return journal.judge({id, candidate.id, verdict_of(candidate), 1}, Evidence{});
}
constexpr int k_events_a_candidate = 9;

Status fill(journal::Journal& journal) {
  using SteadyClock = std::chrono::steady_clock;
  std::printf("%10s %10s %12s %16s %12s %14s\n", "candidates", "events", "events/s",
              "per CPU second", "resident MiB", "sources MiB");
  auto since = SteadyClock::now();
  double cpu_since_s = cpu_s();
  for (int number = 1; number <= k_candidates; ++number) {
    CUPEL_TRY_STATUS(add_candidate(journal, number));
    if (number % k_report_every != 0) continue;
    const std::chrono::duration<double> took = SteadyClock::now() - since;
    constexpr double events = k_report_every * k_events_a_candidate;
    std::printf("%10d %10d %12.0f %16.0f %12.1f %14.1f\n", number, number * k_events_a_candidate,
                events / took.count(), events / (cpu_s() - cpu_since_s), resident_mib(),
                static_cast<double>(number) * k_source_bytes / (1 << 20));
    cpu_since_s = cpu_s();
    since = SteadyClock::now();
  }
  return {};
}

Status measure() {
  CUPEL_TRY(const TempDir directory,
            TempDir::create(std::filesystem::current_path(), "bench-journal"));
  const SystemClock clock;
  {
    CUPEL_TRY(auto journal, journal::Journal::open(directory.path(), clock));
    CUPEL_TRY_STATUS(journal.begin_sitting());
    CUPEL_TRY_STATUS(journal.start({}));
    CUPEL_TRY_STATUS(fill(journal));
  }
  const std::int64_t start_ns = clock.now_ns();
  CUPEL_TRY(const journal::RunState state, journal::read_state(directory.path()));
  std::printf("reading it back: %.2f s for %lld events\n",
              static_cast<double>(clock.now_ns() - start_ns) / k_ns_per_s,
              static_cast<long long>(state.events));
  return {};
}

}  // namespace

int journal(const Arguments&) {
  const Status outcome = measure();
  if (!outcome) std::fprintf(stderr, "%s\n", outcome.error().describe().c_str());
  return outcome ? 0 : 1;
}

}  // namespace cupel::bench
