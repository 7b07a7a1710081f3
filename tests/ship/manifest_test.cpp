#include "ship/manifest.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace cupel::ship {
namespace {

using nlohmann::json;

json shipped() {
  return json::parse(R"({
    "format": 1, "name": "fast_net",
    "originals": {"net_1": {"file": "originals/net_1.py", "import_root": "/src",
                            "weights": [["bias"], ["slope"]]}},
    "winners": {"net_2": {"file": "winners/net_2.py", "candidate_id": "abc"}},
    "entries": [{"id": "entry0", "task": "net", "original": "net_1", "winner": "net_2",
                 "label": "a kernel", "shown": "f32[2,3]", "policy": "eager", "device": "cpu",
                 "metric": "throughput",
                 "threads": 2, "weights_file": "/w.safetensors",
                 "machines": [{"device": "EPYC", "torch": "2.13"}]}]})");
}

TEST(DecodeManifest, AnEntryWithItsOriginalAndItsWinner) {
  const auto entries = decode_manifest(shipped().dump());
  ASSERT_TRUE(entries) << entries.error().describe();
  ASSERT_EQ(entries->size(), 1U);
  const ShippedEntry& entry = entries->front();
  EXPECT_EQ(entry.id, "entry0");
  EXPECT_EQ(entry.original_file, "originals/net_1.py");
  EXPECT_EQ(entry.winner_file, "winners/net_2.py");
  EXPECT_EQ(entry.candidate_id, "abc");
  EXPECT_EQ(entry.metric, "throughput");
  EXPECT_EQ(entry.threads, 2);
  EXPECT_EQ(entry.import_root, "/src");
  EXPECT_EQ(entry.weights_file, "/w.safetensors");
}

TEST(DecodeManifest, OfAPackageThatKnewNoWeightsFile) {
  json manifest = shipped();
  manifest["entries"][0].erase("weights_file");
  const auto entries = decode_manifest(manifest.dump());
  ASSERT_TRUE(entries);
  EXPECT_EQ(entries->front().weights_file, "");
}

// Each field taken away, or of another type, in turn: an error that names what is wrong.
TEST(DecodeManifest, WhatIsNoManifestIsAnInputError) {
  std::vector<std::string> broken = {"", "[]", "{", R"({"entries": {"a": 1}})",
                                     R"({"entries": 7})"};
  const json flat = shipped().flatten();
  for (const auto& [path, value] : flat.items()) {
    json manifest = shipped();
    manifest[json::json_pointer(path)] = json::array();
    if (path.find("/format") == 0 || path.find("/name") == 0 ||
        path.find("/weights/") != path.npos || path.find("/machines") != path.npos) {
      continue;  // not read
    }
    broken.push_back(manifest.dump());
  }
  ASSERT_GT(broken.size(), 14U);
  for (const std::string& text : broken) {
    const auto entries = decode_manifest(text);
    ASSERT_FALSE(entries) << text;
    EXPECT_EQ(entries.error().tag, ErrorTag::input);
    EXPECT_NE(entries.error().what.find("malformed manifest"), std::string::npos);
  }
}

TEST(Trusting, AddsAMachineOnceAndKeepsTheRest) {
  const std::string once = trusting(shipped().dump(), 0, {"H200", "2.11"});
  EXPECT_EQ(once, trusting(once, 0, {"H200", "2.11"}));
  json manifest = json::parse(once);
  json& machines = manifest["entries"][0]["machines"];
  ASSERT_EQ(machines.size(), 2U);
  EXPECT_EQ(machines[1]["device"], "H200");
  machines.erase(1);
  EXPECT_EQ(manifest, shipped());
}

}  // namespace
}  // namespace cupel::ship
