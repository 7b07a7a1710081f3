// Crashes simulated inside the process: the append number k + 1 fails, for random k.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/rng.h"
#include "engine/scripted_run.h"
#include "journal/reader.h"

namespace cupel::engine {
namespace {

// One sitting that may make so many appends. True when the run is finished.
bool sit(const std::filesystem::path& directory, const RunRequest& request, const Script& script,
         int appends_max) {
  const SystemClock clock;
  journal::Journal journal = open_or_die(directory, clock);
  int appends = 0;
  journal.on_append([&](std::string_view) -> Status {
    if (++appends > appends_max) return infra_error("the simulated crash");
    return {};
  });
  ScriptedEvaluator evaluator = evaluator_at(journal, script);
  SilentSink sink;
  const auto record = run(request, evaluator, journal, sink);
  return record && record->finished;
}

void resume_until_done(const std::filesystem::path& directory, const RunRequest& request,
                       const Script& script, Rng& rng) {
  for (int sittings = 0; sittings < 500; ++sittings) {
    if (sit(directory, request, script, 2 + static_cast<int>(rng.below(15)))) return;
  }
  throw std::runtime_error("the run does not come to its end");
}

TEST(Resume, EndsWithTheSameTableWhereverARunBreaks) {
  EXPECT_TRUE(rc::check("crashes change nothing", [] {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const RunRequest request = scripted_request(*rc::gen::inRange(0, 14));
    const Script script = make_script(seed, candidates_of(request));
    const TempDir directory = scratch();
    Rng rng(seed);
    resume_until_done(directory.path(), request, script, rng);
    const auto record = journal::read_run(directory.path());
    RC_ASSERT(record.has_value());
    RC_ASSERT(essence(*record) == essence(undisturbed(request, script)));
  }));
}

// Every single append of one run is the point of a crash once.
TEST(Resume, EveryAppendMayBeTheLast) {
  const RunRequest request = scripted_request(9);
  const Script script = make_script(5, candidates_of(request));
  const std::string expected = essence(undisturbed(request, script));
  for (int crash_at = 1;; ++crash_at) {
    const TempDir directory = scratch();
    const bool finished = sit(directory.path(), request, script, crash_at);
    ASSERT_TRUE(finished || sit(directory.path(), request, script, 1000)) << crash_at;
    ASSERT_EQ(essence(*journal::read_run(directory.path())), expected) << crash_at;
    if (finished) break;
  }
}

}  // namespace
}  // namespace cupel::engine
