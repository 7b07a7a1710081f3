#include "engine/own_programs/provenance.h"

#include <gtest/gtest.h>

#include "engine/own_programs/rewriting.h"
#include "propose/seeds/portfolio.h"

namespace cupel::engine {
namespace {

Task softmax() {
  Task task;
  task.source =
      "import torch\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n"
      "        return torch.softmax(x, dim=-1)\n\ndef get_inputs():\n    return [torch.rand(8, "
      "8)]\n\n"
      "def get_init_inputs():\n    return []\n";
  return task;
}

TaskFacts facts() {
  TaskFacts facts;
  facts.inputs = facts.outputs = {{"float32", {8, 8}, {8, 1}, 256}};
  return facts;
}

std::vector<Candidate> seeds_of(Policy policy, Effort effort, const char* device) {
  std::vector<Candidate> seeds;
  for (const Seed& seed : propose::portfolio(softmax(), facts(), policy, effort, device)) {
    seeds.push_back(make_candidate(seed.source, seed.label));
  }
  return seeds;
}

TEST(Provenance, EverySeedOfEveryEffortIsCupelsOwn) {
  for (const char* device : {"cpu", "cuda"}) {
    const Provenance own(softmax(), facts(), Policy::eager, device);
    for (const Effort effort : {Effort::quick, Effort::normal, Effort::full}) {
      const auto seeds = seeds_of(Policy::eager, effort, device);
      EXPECT_GE(seeds.size(), 2u);
      for (const Candidate& seed : seeds) EXPECT_TRUE(own.made(seed)) << device << seed.label;
    }
  }
}

TEST(Provenance, NoLabelAndNoIdMakesAStrangersProgramCupelsOwn) {
  const Provenance own(softmax(), facts(), Policy::eager, "cpu");
  const Candidate seed = seeds_of(Policy::eager, Effort::quick, "cpu").front();
  Candidate forged = make_candidate("class ModelNew: pass\n", seed.label);
  EXPECT_FALSE(own.made(forged));
  forged.id = seed.id;
  EXPECT_FALSE(own.made(forged));
  EXPECT_FALSE(own.made(make_candidate(seed.source + "\n", seed.label)));
  EXPECT_TRUE(own.made(make_candidate(seed.source, "a user's file")));
}

// As it is audited.
TEST(Provenance, AWinnersFileIsTheProgramThatItWas) {
  const Provenance own(softmax(), facts(), Policy::eager, "cpu");
  const Candidate seed = seeds_of(Policy::eager, Effort::quick, "cpu").front();
  const std::string header = "# -*- coding: utf-8 -*-\n# faster, found by Cupel.\n";
  EXPECT_TRUE(own.made(make_candidate(header + seed.source, seed.label)));
  EXPECT_FALSE(own.made(make_candidate(header + "import os\n" + seed.source, seed.label)));
  EXPECT_FALSE(own.made(make_candidate("\n" + header + seed.source, seed.label)));
  EXPECT_FALSE(own.made(make_candidate("# faster", seed.label)));
}

TEST(Provenance, WhatItMakesOfAnotherTaskIsNotItsOwnHere) {
  Task other = softmax();
  other.source += "# another\n";
  const Provenance own(other, facts(), Policy::eager, "cpu");
  for (const Candidate& seed : seeds_of(Policy::eager, Effort::full, "cpu")) {
    EXPECT_FALSE(own.made(seed)) << seed.label;
  }
  EXPECT_FALSE(Provenance().made(seeds_of(Policy::eager, Effort::quick, "cpu").front()));
}

TEST(Provenance, WhatTheRulesMadeHereIsCupelsOwnAndNothingThatSaysSo) {
  Provenance own(softmax(), facts(), Policy::eager, "cpu");
  const Seed rewritten{"rewrite", "rewritten: like terms", "class ModelNew: pass  # rewritten\n",
                       0};
  const Candidate candidate = make_candidate(rewritten.source, "anything");
  EXPECT_FALSE(own.made(candidate));
  own.add({rewritten});
  EXPECT_TRUE(own.made(candidate));
  EXPECT_FALSE(own.made(make_candidate(rewritten.source + "\n", rewritten.label)));
}

TEST(Provenance, AProgramThatCallsItselfRewrittenIsAskedAboutAndNoMore) {
  Candidate forged = make_candidate(
      "class ModelNew:\n    \"\"\"The reference's own algebra, done with less work:\"\"\"\n", "x");
  EXPECT_TRUE(looks_rewritten(forged));
  EXPECT_FALSE(Provenance(softmax(), facts(), Policy::eager, "cpu").made(forged));
  EXPECT_FALSE(looks_rewritten(make_candidate("class ModelNew: pass\n", "rewritten: like terms")));
}

}  // namespace
}  // namespace cupel::engine
