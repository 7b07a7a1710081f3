#include "journal/runs.h"

#include <gtest/gtest.h>

#include <fstream>

#include "journal/reader.h"
#include "journal/samples.h"

namespace cupel::journal {
namespace {

class Runs : public testing::Test {
 protected:
  Runs() : runs_(scratch()) {
    add("3fa-softmax", 300);
    add("3fb-gelu", 100);
    add("77c-mlp", 200);
  }
  void add(const std::string& run_id, std::int64_t started_s) {
    FakeClock clock;
    clock.advance_ns(started_s * 1'000'000'000);
    Journal journal = open_or_die(runs_.path() / run_id, clock);
    ASSERT_TRUE(journal.start(sample_start(run_id)));
  }
  std::string resolved(std::string_view argument) const {
    const auto path = resolve_run(runs_.path(), argument);
    return path ? path->filename().string() : path.error().describe();
  }
  TempDir runs_;
};

TEST_F(Runs, AreListedOldestFirst) {
  const auto runs = list_runs(runs_.path());
  ASSERT_TRUE(runs);
  ASSERT_EQ(runs->size(), 3u);
  EXPECT_EQ((*runs)[0].run_id, "3fb-gelu");
  EXPECT_EQ((*runs)[2].run_id, "3fa-softmax");
  EXPECT_EQ((*runs)[2].task_name, "softmax");
  EXPECT_FALSE((*runs)[2].finished);
}

TEST_F(Runs, ADamagedOneIsListedWithItsProblem) {
  std::filesystem::create_directories(runs_.path() / "broken");
  std::ofstream(journal_file(runs_.path() / "broken")) << "this is not SQLite, whatever it says";
  std::filesystem::create_directories(runs_.path() / "no-journal");
  const auto runs = list_runs(runs_.path());
  ASSERT_EQ(runs->size(), 4u);
  EXPECT_EQ(runs->front().run_id, "broken");
  EXPECT_FALSE(runs->front().problem.empty());
  EXPECT_EQ(resolved("latest"), "3fa-softmax");
}

TEST_F(Runs, AreFoundByPathPrefixAndLatest) {
  EXPECT_EQ(resolved((runs_.path() / "77c-mlp").string()), "77c-mlp");
  EXPECT_EQ(resolved("77"), "77c-mlp");
  EXPECT_EQ(resolved("3fa-softmax"), "3fa-softmax");
  EXPECT_EQ(resolved("latest"), "3fa-softmax");
}

TEST_F(Runs, AnAmbiguousPrefixListsItsMatches) {
  const std::string problem = resolved("3f");
  EXPECT_NE(problem.find("3fa-softmax"), std::string::npos);
  EXPECT_NE(problem.find("3fb-gelu"), std::string::npos);
}

TEST_F(Runs, AreFoundByTheirTags) {
  ASSERT_TRUE(toggle_tag(runs_.path() / "77c-mlp", "baseline"));
  EXPECT_EQ(resolved("baseline"), "77c-mlp");
  EXPECT_EQ(tags_of(runs_.path() / "77c-mlp"), std::vector<std::string>{"baseline"});
  ASSERT_TRUE(toggle_tag(runs_.path() / "3fb-gelu", "baseline"));
  EXPECT_NE(resolved("baseline").find("fits several runs"), std::string::npos);
  ASSERT_TRUE(toggle_tag(runs_.path() / "77c-mlp", "baseline"));
  EXPECT_EQ(resolved("baseline"), "3fb-gelu");
  for (const char* wrong : {"", "two words", "latest", "../x"}) {
    EXPECT_FALSE(toggle_tag(runs_.path() / "77c-mlp", wrong)) << wrong;
  }
}

TEST_F(Runs, OneThatIsDiscardedLeavesOnlyWhatIsNotItsOwn) {
  const auto discarded = [&](const char* run_id) {
    const FakeClock clock;
    discard_run(open_or_die(runs_.path() / run_id, clock));
    return !std::filesystem::exists(runs_.path() / run_id);
  };
  EXPECT_TRUE(discarded("77c-mlp"));
  std::ofstream(runs_.path() / "3fb-gelu" / "notes.txt") << "the user's";
  EXPECT_FALSE(discarded("3fb-gelu"));
  EXPECT_TRUE(std::filesystem::exists(runs_.path() / "3fb-gelu" / "notes.txt"));
  EXPECT_EQ(list_runs(runs_.path())->size(), 1u);
}

TEST_F(Runs, AnUnknownOneIsAnInputError) {
  EXPECT_NE(resolved("9").find("there is no run '9'"), std::string::npos);
  EXPECT_NE(resolved("").find("there is no run"), std::string::npos);
}

TEST(RunsOfNobody, AreNone) {
  const TempDir directory = scratch();
  EXPECT_TRUE(list_runs(directory.path() / "missing")->empty());
  EXPECT_FALSE(resolve_run(directory.path(), "latest"));
}

TEST(RunsOfNobody, ANameThatNoFileCanHaveIsNotFound) {
  const TempDir directory = scratch();
  const std::string name(300, 'a');
  EXPECT_FALSE(resolve_run(directory.path(), name));
  EXPECT_FALSE(list_runs(directory.path() / name));
  EXPECT_FALSE(read_run(directory.path() / name));
}

TEST(RunId, IsADirectoryNameThatBeginsWithDigits) {
  const std::string id = make_run_id("my/odd name\n", 5, 7);
  EXPECT_EQ(id.substr(6), "-my-odd-name-");
  EXPECT_EQ(id.substr(0, 6).find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(id, make_run_id("my/odd name\n", 5, 8));
  EXPECT_EQ(id, make_run_id("my/odd name\n", 5, 7));
}

}  // namespace
}  // namespace cupel::journal
