#include <gtest/gtest.h>

#include "propose/agent.h"
#include "propose/sample_context.h"
#include "propose/told.h"

namespace cupel::propose {
namespace {

using Kind = Proposal::Kind;
constexpr Kind k_kinds[] = {Kind::brainstorm, Kind::write,   Kind::improve, Kind::cross,
                            Kind::fix,        Kind::analyse, Kind::convert, Kind::translate};

class PromptTest : public ::testing::Test {
 protected:
  PromptTest() {
    sample_.add("p0001", Outcome::faster, 2, "SOURCE_ONE\n");
    sample_.add("p0002", Outcome::faster, 1.25, std::string(k_sample_source) + "SEED_TEXT\n");
    sample_.add("p0003", Outcome::wrong, 0, "SOURCE_THREE\n");
    sample_.context.best_free = &sample_.judged[1];
    sample_.context.lessons = {"LESSON_WORDS"};
    parents({0, 2});
  }
  void parents(const std::vector<std::size_t>& which) {
    sample_.context.parents.clear();
    for (const std::size_t i : which) sample_.context.parents.push_back(&sample_.judged[i]);
  }
  Prompt make(Kind kind, const std::string& idea = "") {
    Proposal proposal = sample_proposal(kind);
    proposal.idea = idea;
    const auto prompt = make_prompt(proposal, sample_.context, shipped_prompts());
    EXPECT_TRUE(prompt) << to_string(kind) << ": " << (prompt ? "" : prompt.error().describe());
    return prompt ? *prompt : Prompt{};
  }
  static bool says(const Prompt& prompt, const std::string& words) {
    return (prompt.system + prompt.user).find(words) != std::string::npos;
  }

  SampleContext sample_;
};

TEST_F(PromptTest, EveryAgentHasATemplateForEveryPolicyDeviceAndSwitch) {
  for (const Kind kind : k_kinds) {
    for (const Policy policy : {Policy::eager, Policy::exact, Policy::tf32, Policy::half}) {
      for (const char* device : {"cpu", "cuda"}) {
        for (const bool told : {true, false}) {
          sample_.context.policy = policy;
          sample_.context.device = device;
          sample_.context.telling = {told, told, told, told};
          const Prompt prompt = make(kind);
          EXPECT_EQ(prompt.agent, to_string(kind));
          EXPECT_FALSE(says(prompt, "{{")) << to_string(kind);
          EXPECT_TRUE(
              says(prompt, std::string("the policy is `") + std::string(to_string(policy)) + "`"));
          EXPECT_EQ(says(prompt, "cpp_kernel("), device == std::string("cpu"));
          EXPECT_EQ(says(prompt, "cuda_kernel("), device == std::string("cuda"));
        }
      }
    }
  }
}

TEST_F(PromptTest, TheSystemPartIsTheSameForEveryAgent) {
  for (const Kind kind : k_kinds) EXPECT_EQ(make(kind).system, make(Kind::write).system);
}

TEST_F(PromptTest, AnInstructionIsPartOfEveryPrompt) {
  for (const Kind kind : k_kinds) {
    if (kind != Kind::analyse)
      EXPECT_TRUE(says(make(kind, "IDEA_WORDS"), "IDEA_WORDS")) << to_string(kind);
  }
}

TEST_F(PromptTest, TellsTheTaskTheBarTheParentsAndTheHistory) {
  const Prompt prompt = make(Kind::improve);
  for (const std::string words :
       {"class Model(nn.Module)", "f32[2,3,8,8]", "Sample Processor", "label of p0002",
        "4 ms a call against 8 ms of eager: 2.000x", "about 1.60x over the best free variant",
        "(the task's own source)\nSEED_TEXT", "SOURCE_ONE", "LESSON_WORDS",
        "- p0003, write, 'idea of p0003': wrong(value): reason of p0003"}) {
    EXPECT_TRUE(says(prompt, words)) << words << "\n" << prompt.user;
  }
  EXPECT_FALSE(says(prompt, "Sample GPU"));
  EXPECT_EQ(prompt.temperature, 0.8);
}

TEST_F(PromptTest, FixTellsTheFailure) {
  parents({2});
  const Prompt prompt = make(Kind::fix);
  EXPECT_TRUE(says(prompt, "SOURCE_THREE") && says(prompt, "value: reason of p0003") &&
              says(prompt, "feedback for p0003"));
  EXPECT_FALSE(says(prompt, "does not believe its time"));
  sample_.judged[2].verdict.outcome = Outcome::suspect;
  EXPECT_TRUE(says(make(Kind::fix), "does not believe its time"));
}

TEST_F(PromptTest, SwitchesTakeAway) {
  sample_.context.telling.times = false;
  Prompt prompt = make(Kind::improve);
  EXPECT_FALSE(says(prompt, "2.000x") || says(prompt, "ms a call") ||
               says(prompt, "The fastest so far"));
  EXPECT_TRUE(says(prompt, "Verdict: correct"));
  sample_.context.telling = {true, false, true, true};
  EXPECT_FALSE(says(make(Kind::improve), "Sample Processor"));
  sample_.context.telling = {true, true, false, true};
  EXPECT_FALSE(says(make(Kind::improve), "What was tried"));
  sample_.context.telling = {true, true, true, false};
  EXPECT_FALSE(says(make(Kind::improve), "LESSON_WORDS"));
}

TEST_F(PromptTest, WithoutAFreeVariantEagerIsTheBar) {
  sample_.context.best_free = nullptr;
  EXPECT_TRUE(says(make(Kind::write), "eager PyTorch is the bar"));
}

TEST_F(PromptTest, TheProfileHasAtMost24Numbers) {
  for (int i = 0; i < 40; ++i) sample_.context.profile.emplace_back("COUNTER", i);
  const std::string profile = told_profile(sample_.context);
  EXPECT_EQ(std::count(profile.begin(), profile.end(), '\n'), 24);
  EXPECT_NE(profile.find("time of a call, ms: 4\n"), std::string::npos) << profile;
}

TEST_F(PromptTest, LongPartsAreCutAndSayso) {
  std::string source = "HEAD_OF_PARENT\n";
  for (int i = 0; i < 20000; ++i) source += "line " + std::to_string(i) + "\n";
  sample_.judged[0].candidate.source = source + "TAIL_OF_PARENT\n";
  sample_.task.source = source;
  sample_.judged[1].candidate.source = source + "x";
  for (int i = 0; i < 500; ++i) {
    sample_.add("p1" + std::to_string(i), Outcome::build_error, 0, "s").verdict.feedback = source;
  }
  sample_.context.parents.assign(10, &sample_.judged[0]);
  sample_.context.parents.push_back(&sample_.judged.back());
  sample_.context.lessons.assign(100, source);
  sample_.context.machine["notes"] = source;
  for (const Kind kind : k_kinds) {
    const Prompt prompt = make(kind, source);
    EXPECT_LE(prompt.system.size() + prompt.user.size(), k_prompt_bytes_max);
    EXPECT_TRUE(says(prompt, "older ones left out)"));
    EXPECT_TRUE(says(prompt, "The fastest so far:\n- p0001"));
  }
  const Prompt prompt = make(Kind::improve);
  EXPECT_TRUE(says(prompt, "HEAD_OF_PARENT") && says(prompt, "TAIL_OF_PARENT") &&
              says(prompt, "bytes left out ...]"));
}

TEST_F(PromptTest, ASourceWithFencesCannotCloseItsOwn) {
  EXPECT_EQ(fenced("python", "a\n````\n"), "`````python\na\n````\n`````\n");
}

TEST_F(PromptTest, WhatIsMissingIsAnError) {
  sample_.context.parents.clear();
  const auto fix = make_prompt(sample_proposal(Kind::fix), sample_.context, shipped_prompts());
  ASSERT_FALSE(fix);
  EXPECT_EQ(fix.error().what, "fix needs 1 parents and was given 0");
  EXPECT_FALSE(make_prompt(sample_proposal(Kind::seed), sample_.context, shipped_prompts()));
  const auto missing = make_prompt(sample_proposal(Kind::write), sample_.context, "/nonexistent");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().where, "/nonexistent/system.txt");
}

}  // namespace
}  // namespace cupel::propose
