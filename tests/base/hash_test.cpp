#include "base/hash.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/files.h"

namespace cupel {
namespace {

TEST(Sha256, MatchesThePublishedVectors) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(ShortId, IsThePrefixThatPeopleType) {
  EXPECT_EQ(short_id(sha256_hex("abc")), "ba7816bf8f01");
  EXPECT_EQ(short_id("abc"), "abc");
}

TEST(Hasher, DelimitsNamesAndValues) {
  const auto first = Hasher("d").add("ab", "c").finish();
  const auto second = Hasher("d").add("a", "bc").finish();
  EXPECT_NE(first, second);
}

TEST(Hasher, DelimitsFields) {
  const auto two = Hasher("d").add("a", "1").add("b", "2").finish();
  const auto one = Hasher("d").add("a", "1s1:b1:2").finish();
  EXPECT_NE(two, one);
}

TEST(Hasher, SeparatesDomains) {
  EXPECT_NE(Hasher("task").add("source", "x").finish(),
            Hasher("candidate").add("source", "x").finish());
}

TEST(Hasher, TellsNumbersFromTheirDigits) {
  EXPECT_NE(Hasher("d").add("n", std::int64_t{7}).finish(), Hasher("d").add("n", "7").finish());
}

TEST(Hasher, DependsOnTheOrderOfFields) {
  EXPECT_NE(Hasher("d").add("a", "1").add("b", "2").finish(),
            Hasher("d").add("b", "2").add("a", "1").finish());
}

using Fields = std::vector<std::pair<std::string, std::string>>;

std::string hash_of(const Fields& fields) {
  Hasher hasher("property");
  for (const auto& [name, value] : fields) hasher.add(name, value);
  return hasher.finish();
}

RC_GTEST_PROP(Hasher, DiffersExactlyWhenTheFieldsDiffer, (Fields a, Fields b)) {
  RC_ASSERT((a == b) == (hash_of(a) == hash_of(b)));
  RC_ASSERT(hash_of(a) == hash_of(a));
  RC_ASSERT(hash_of(a).size() == 64U);
}

// Moves a character across the boundary of name and value: the classic collision.
RC_GTEST_PROP(Hasher, MovingABoundaryChangesTheHash, (std::string text)) {
  for (std::size_t cut = 1; cut < text.size(); ++cut) {
    const Fields left{{text.substr(0, cut - 1), text.substr(cut - 1)}};
    const Fields right{{text.substr(0, cut), text.substr(cut)}};
    RC_ASSERT(hash_of(left) != hash_of(right));
  }
}

TEST(Hash, AFileHasTheDigestOfItsBytes) {
  const auto directory = TempDir::create("/tmp", "cupel-hash");
  const std::string bytes(3 << 20, 'x');  // more than one chunk
  const auto path = directory->path() / "file";
  ASSERT_TRUE(write_file_atomic(path, bytes));
  EXPECT_EQ(sha256_of_file(path).value(), sha256_hex(bytes));
  ASSERT_TRUE(write_file_atomic(path, ""));
  EXPECT_EQ(sha256_of_file(path).value(), sha256_hex(""));
  EXPECT_FALSE(sha256_of_file(directory->path() / "none"));
}

}  // namespace
}  // namespace cupel
