// A batch in which every tenth candidate crashes, hangs, floods or takes all it can get, beside the
// same batch without them: does a healthy verdict change, is anything left behind?
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>

#include "base/clock.h"
#include "base/files.h"
#include "bench.h"
#include "sandbox/cgroup.h"
#include "sandbox/process.h"

namespace cupel::bench {
namespace fs = std::filesystem;
namespace {

constexpr int k_candidates = 1000;
constexpr int k_fault_every = 10;
// Of a loading and of a first call: hanging candidates take as long.
constexpr double k_limit_s = 8;
constexpr int k_told_every = 50;
// Libraries that are loaded with the first judgements count as memory, but not as a leak.
constexpr int k_settling_judgements = 20;

struct Program {
  const char* name;
  const char* source;  // below the reference's own text
};

// Two of them have one outcome each; equal programs come out as any that is correct.
constexpr Program k_healthy[] = {
    {"equal", "ModelNew = Model\n"},
    {"twice",
     "class ModelNew(Model):\n    def forward(self, *inputs):\n"
     "        super().forward(*inputs)\n        super().forward(*inputs)\n"
     "        return super().forward(*inputs)\n"},
    {"wrong",
     "class ModelNew(Model):\n    def forward(self, *inputs):\n"
     "        return super().forward(*inputs) * 1.5\n"}};

constexpr Program k_faulty[] = {
    {"segfault in a call",
     "import ctypes\nclass ModelNew(Model):\n    def forward(self, *inputs):\n"
     "        ctypes.string_at(0)\n"},
    {"abort in construction",
     "import os\nclass ModelNew(Model):\n    def __init__(self, *arguments):\n        "
     "os.abort()\n"},
    {"hang in construction",
     "class ModelNew(Model):\n    def __init__(self, *arguments):\n        while True: pass\n"},
    {"takes all memory", "kept = []\nwhile True:\n    kept.append(torch.ones(32 << 20))\n"},
    {"fork bomb", "import os\nwhile True:\n    os.fork()\n"},
    {"thread bomb",
     "import threading\nwhile True:\n"
     "    threading.Thread(target=threading.Event().wait, daemon=True).start()\n"},
    {"fills its disk",
     "with open('/tmp/filler', 'wb') as file:\n    while True:\n        file.write(bytes(1 << "
     "24))\n"},
    {"prints 100 MB",
     "class ModelNew(Model):\n    def __init__(self, *arguments):\n"
     "        super().__init__(*arguments)\n        for _ in range(100): print('x' * (1 << 20))\n"},
    {"killed in a later call",
     "import os, signal\nclass ModelNew(Model):\n    calls = 0\n"
     "    def forward(self, *inputs):\n        self.calls += 1\n"
     "        if self.calls > 9: os.kill(os.getpid(), signal.SIGKILL)\n"
     "        return super().forward(*inputs)\n"},
    {"leaves daemons",
     "import os\nclass ModelNew(Model):\n    def __init__(self, *arguments):\n"
     "        super().__init__(*arguments)\n        for _ in range(8):\n"
     "            if os.fork() == 0:\n                os.setsid()\n"
     "                while True: pass\n"}};

// What a judge may leave behind.
struct Leftovers {
  long processes = 0;
  long descriptors = 0;
  long groups = 0;
  long files = 0;
  long resident_mib = 0;
};

long entries_in(const fs::path& directory, const std::string& prefix = "") {
  std::error_code missing;
  long count = 0;
  for (const auto& entry : fs::directory_iterator(directory, missing)) {
    count += entry.path().filename().string().starts_with(prefix) ? 1 : 0;
  }
  return count;
}

Leftovers leftovers() {
  Leftovers now;
  now.processes = static_cast<long>(sandbox::process_tree(::getpid()).size()) - 1;
  now.descriptors = entries_in("/proc/self/fd");
  const auto& groups = sandbox::cgroup_support();
  const std::string own = "cupel-" + std::to_string(::getpid()) + "-";
  for (const auto* at : {&groups.freezer, &groups.memory, &groups.pids}) {
    if (!at->empty()) now.groups += entries_in(*at, own);
  }
  now.files =
      entries_in(cache_directory() / "work") + entries_in(fs::temp_directory_path(), "cupel");
  long pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> pages;
  now.resident_mib = pages * ::sysconf(_SC_PAGESIZE) >> 20;
  return now;
}

void print_leftovers(const char* when, const Leftovers& left) {
  std::printf("%-22s %9ld %11ld %6ld %5ld %12ld\n", when, left.processes, left.descriptors,
              left.groups, left.files, left.resident_mib);
}

struct Batch {
  std::vector<Verdict> healthy;  // in order
  int faulty = 0;
  int faulty_accepted = 0;
  int not_judged = 0;
  double seconds = 0;
  Leftovers settled;  // once the evaluator runs
};

Candidate candidate_of(const Task& task, const Program& program, int number) {
  const std::string own = "\n# " + std::to_string(number) + "\n";
  return make_candidate(task.source + own + program.source, program.name);
}

void add_faulty(Batch& batch, const Candidate& candidate, const Result<engine::Judgement>& judged) {
  ++batch.faulty;
  if (!judged) {
    ++batch.not_judged;
    std::printf("  %s: %s\n", candidate.label.c_str(), judged.error().describe().c_str());
    return;
  }
  const Verdict& verdict = judged->verdicts.front();
  // What only prints or leaves daemons may be right.
  const bool gain = verdict.outcome == Outcome::faster;
  batch.faulty_accepted += gain ? 1 : 0;
  if (gain || verdict.outcome == Outcome::infra_fault) {
    std::printf("  %s: %s\n", candidate.label.c_str(), verdict.headline().c_str());
  }
}

void show_progress(int done, int count, bool faults, std::int64_t start_ns) {
  if (done % k_told_every != 0) return;
  const double seconds = static_cast<double>(SystemClock().now_ns() - start_ns) / k_ns_per_s;
  std::fprintf(stderr, "%s: %d of %d, %.0f s\n", faults ? "with faults" : "without", done, count,
               seconds);
}

Result<Batch> run_batch(const fs::path& file, const Arguments& arguments, int count, bool faults) {
  CUPEL_TRY(Opened opened, open_task(file, arguments));
  Batch batch;
  const SystemClock clock;
  const auto start_ns = clock.now_ns();
  int faulty = 0;
  for (int i = 0; i < count; ++i) {
    show_progress(i, count, faults, start_ns);
    const bool fault = i % k_fault_every == k_fault_every - 1;
    if (fault && !faults) continue;
    const Program& program = fault ? k_faulty[faulty++ % std::size(k_faulty)]
                                   : k_healthy[static_cast<std::size_t>(i) % std::size(k_healthy)];
    const Candidate candidate = candidate_of(opened.task, program, i);
    auto judged = opened.evaluator->judge({candidate});
    if (fault) {
      add_faulty(batch, candidate, judged);
    } else {
      CUPEL_TRY(auto sound, std::move(judged));
      batch.healthy.push_back(sound.verdicts.front());
    }
    if (i == std::min(k_settling_judgements, count / 2)) batch.settled = leftovers();
  }
  batch.seconds = static_cast<double>(clock.now_ns() - start_ns) / k_ns_per_s;
  print_leftovers(faults ? "with faults, running" : "without, running", leftovers());
  return batch;
}

// Noise may move an equal program between the correct outcomes; the others have one.
bool agree(const Verdict& one, const Verdict& other) {
  if (one.label == k_healthy[0].name) return is_correct(one.outcome) && is_correct(other.outcome);
  return one.outcome == other.outcome;
}

int report(const Batch& with, const Batch& without) {
  int differ = 0;
  for (std::size_t i = 0; i < with.healthy.size(); ++i) {
    if (agree(with.healthy[i], without.healthy[i])) continue;
    ++differ;
    std::printf("  %s: %s with faults, %s without\n", with.healthy[i].label.c_str(),
                with.healthy[i].headline().c_str(), without.healthy[i].headline().c_str());
  }
  std::printf(
      "\n%zu healthy candidates, %d faulty ones, of which %d were called faster and %d not judged\n"
      "%d healthy verdicts differ; %.0f s with the faults, %.0f s without\n",
      with.healthy.size(), with.faulty, with.faulty_accepted, with.not_judged, differ, with.seconds,
      without.seconds);
  return differ + with.faulty_accepted + with.not_judged;
}

}  // namespace

int faults(const Arguments& arguments) {
  const int count = arguments.repeat > 1 ? arguments.repeat : k_candidates;
  Arguments limited = arguments;
  if (limited.limit_s == 0) limited.limit_s = k_limit_s;
  std::printf("%-22s %9s %11s %6s %5s %12s\n", "", "processes", "descriptors", "groups", "files",
              "resident MiB");
  sandbox::cgroup_support();
  static_cast<void>(make_directories(cache_directory() / "work"));  // is no leftover
  const Leftovers before = leftovers();
  print_leftovers("before", before);
  const auto with = run_batch(arguments.tasks.front(), limited, count, true);
  const auto without = run_batch(arguments.tasks.front(), limited, count, false);
  const Leftovers after = leftovers();
  print_leftovers("after", after);
  for (const auto* batch : {&with, &without}) {
    if (*batch) continue;
    std::printf("the batch stopped: %s\n", batch->error().describe().c_str());
    return 1;
  }
  print_leftovers("early, with faults", with->settled);
  const bool leaks = after.processes > before.processes || after.groups > before.groups ||
                     after.files > before.files;
  return report(*with, *without) > 0 || leaks ? 1 : 0;
}

}  // namespace cupel::bench
