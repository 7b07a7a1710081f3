#include "llm/wire/scrub.h"

#include <gtest/gtest.h>

namespace cupel::llm {
namespace {

const std::string k_key = "sk-proj-AbCdEfGh0123456789";

TEST(Scrub, TakesOutTheKeyWhereverItStands) {
  const Scrubber scrubber(k_key);
  EXPECT_EQ(scrubber.scrub(k_key), "[key]");
  EXPECT_EQ(scrubber.scrub("a " + k_key + ", b \"" + k_key + "\""), "a [key], b \"[key]\"");
}

TEST(Scrub, TakesOutWhatAServiceQuotesOfIt) {
  const Scrubber scrubber(k_key);
  EXPECT_EQ(scrubber.scrub("Incorrect API key provided: sk-proj-********6789. Find yours"),
            "Incorrect API key provided: [key] Find yours");
}

TEST(Scrub, InsideAProgramOnlyTheWholeKeyGoes) {
  const Scrubber scrubber(k_key);
  EXPECT_EQ(scrubber.scrub_whole("x = sk-project + \"" + k_key + "\""),
            "x = sk-project + \"[key]\"");
}

TEST(Scrub, WithoutAKeyNothingChanges) {
  EXPECT_EQ(Scrubber("").scrub("anything"), "anything");
}

}  // namespace
}  // namespace cupel::llm
