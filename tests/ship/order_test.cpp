#include "ship/order.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace cupel::ship {
namespace {

// A finished run with a winner.
RunRecord won() {
  RunRecord record;
  record.run_id = "3fa41c-net";
  record.directory = "runs/3fa41c-net";
  record.finished = true;
  record.task.name = "net";
  record.task.source = "class Model: ...\n";
  record.facts.inputs = {{"float32", {2, 3}, {3, 1}, 24}};
  Judged judged;
  judged.candidate = make_candidate("class ModelNew: ...\n", "a kernel");
  record.winner_id = judged.candidate.id;
  FinalTable::Row row;
  row.role = "winner";
  row.candidate_id = record.winner_id;
  row.label = "a kernel";
  row.verdict.outcome = Outcome::faster;
  row.verdict.ratios = {{"eager", "", 2, 1.9, 2.1, 1, 2, 10, true}};
  record.table.rows = {row};
  record.judged = {judged};
  Tolerance tolerance;
  tolerance.value_class = "nominal";
  tolerance.error_max = {1e-5};
  tolerance.mismatched_max = {0};
  record.admission.tolerances = {tolerance};
  return record;
}

TEST(CheckShippable, AFinishedRunWithAWinner) {
  EXPECT_TRUE(check_shippable(won()));
}

TEST(CheckShippable, SaysWhatIsMissing) {
  RunRecord open = won();
  open.finished = false;
  EXPECT_NE(check_shippable(open).error().hint.find("cupel resume"), std::string::npos);
  RunRecord lost = won();
  lost.winner_id.clear();
  EXPECT_NE(check_shippable(lost).error().what.find("nothing to ship"), std::string::npos);
  RunRecord degenerate = won();
  degenerate.admission.degenerate = {"its outputs are all zero"};
  EXPECT_NE(check_shippable(degenerate).error().what.find("all zero"), std::string::npos);
}

TEST(OrderJson, TellsOfTheWinnerAndWhereItIsFrom) {
  Order order;
  order.name = "fast_net";
  order.out = "/tmp/fast_net";
  order.runs = {{won(), {{"cpu", "a processor"}, {"torch", "2.13.0+cpu"}}, {}}};
  const auto json = nlohmann::json::parse(order_json(order));
  EXPECT_EQ(json["name"], "fast_net");
  const auto& run = json["runs"][0];
  EXPECT_EQ(run["winner"]["source"], "class ModelNew: ...\n");
  EXPECT_EQ(run["task"]["source"], "class Model: ...\n");
  EXPECT_EQ(run["shown_inputs"], "f32[2,3]");
  EXPECT_EQ(run["machine"]["device"], "a processor");
  EXPECT_EQ(run["machine"]["torch"], "2.13");
  EXPECT_EQ(run["tolerance"]["error_max"][0], 1e-5);
  EXPECT_EQ(run["verdict"]["ratios"][0]["low"], 1.9);
}

TEST(PackageName, CanBeImported) {
  EXPECT_EQ(package_name("Mish-gate 2"), "fast_mish_gate_2");
  EXPECT_TRUE(is_package_name(package_name("\xC3\xA9t\xC3\xA9")));
  EXPECT_TRUE(is_package_name("fast_net"));
  for (const char* wrong : {"", "2fast", "Fast", "fast-net", "lambda", "torch", "fast net"}) {
    EXPECT_FALSE(is_package_name(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace cupel::ship
