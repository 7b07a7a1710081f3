#include "model/names.h"

#include <gtest/gtest.h>

#include "model/evidence.h"
#include "model/run.h"
#include "model/task.h"
#include "model/verdict.h"

namespace cupel {
namespace {

template <class Enum, class Parse>
void expect_names_round_trip(Enum last, Parse parse) {
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    const auto value = static_cast<Enum>(i);
    const auto name = to_string(value);
    ASSERT_NE(name, "?") << "enumerator " << i << " has no name";
    EXPECT_EQ(parse(name).value(), value);
  }
}

TEST(Names, RoundTrip) {
  expect_names_round_trip(Policy::half, parse_policy);
  expect_names_round_trip(Effort::full, parse_effort);
  expect_names_round_trip(Outcome::infra_fault, parse_outcome);
}

TEST(Names, EveryEnumeratorWithoutAParserHasOne) {
  for (int i = 0; i <= static_cast<int>(Fault::us); ++i) {
    EXPECT_NE(to_string(static_cast<Fault>(i)), "?");
  }
  for (int i = 0; i <= static_cast<int>(HostFault::Kind::infra); ++i) {
    EXPECT_NE(to_string(static_cast<HostFault::Kind>(i)), "?");
  }
  for (int i = 0; i <= static_cast<int>(Role::candidate); ++i) {
    EXPECT_NE(to_string(static_cast<Role>(i)), "?");
  }
}

TEST(Names, UnknownNameIsAnInputErrorThatListsTheKnownOnes) {
  const auto parsed = parse_policy("fp8");
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().tag, ErrorTag::input);
  EXPECT_EQ(parsed.error().describe(), "unknown policy 'fp8' (one of: eager, exact, tf32, half)");
}

TEST(Names, ValueOutsideTheTableIsAQuestionMark) {
  EXPECT_EQ(to_string(static_cast<Policy>(99)), "?");
}

}  // namespace
}  // namespace cupel
