#include "search/history/value.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "simulated_search.h"

namespace cupel::search {
namespace {

// A curve on which the log of the best ratio is amount * (cost / end)^exponent. Steps are even in
// the logarithm of the cost, since most of a flat curve's gain comes at its very beginning.
std::vector<CurvePoint> power_curve(double amount, double exponent, double end) {
  constexpr int k_steps = 20000;
  constexpr double k_decades = 15;
  std::vector<CurvePoint> curve{{0, 1}};
  for (int i = 0; i <= k_steps; ++i) {
    const double share = std::pow(10, k_decades * (static_cast<double>(i) / k_steps - 1));
    curve.push_back({end * share, std::exp(amount * std::pow(share, exponent))});
  }
  return curve;
}

TEST(ExpectedLogGain, FindsTheSlopeOfAPowerCurve) {
  for (const double exponent : {0.2, 0.5, 0.9}) {
    const auto curve = power_curve(1.2, exponent, 10);
    const double truth = 1.2 * (std::pow(1.1, exponent) - 1);
    EXPECT_NEAR(expected_log_gain(curve, 1), truth, 0.02 * truth) << exponent;
  }
}

TEST(ExpectedLogGain, IsInfiniteBeforeAnythingIsSpent) {
  EXPECT_TRUE(std::isinf(expected_log_gain({}, 1)));
  const std::vector<CurvePoint> free{{0, 1}, {0, 2}};
  EXPECT_TRUE(std::isinf(expected_log_gain(free, 1)));
}

TEST(ExpectedLogGain, FallsWhileNothingIsGained) {
  double before = INFINITY;
  std::vector<CurvePoint> curve{{0, 1}, {1, 1.5}, {2, 1.8}};
  for (double spent = 3; spent < 40; ++spent) {
    curve.push_back({spent, 1.8});
    const double gain = expected_log_gain(curve, 1);
    EXPECT_LT(gain, before);
    EXPECT_GT(gain, 0);
    before = gain;
  }
}

TEST(ExpectedLogGain, WithoutAnyGainOneOfThePriorIsSupposed) {
  const std::vector<CurvePoint> flat{{0, 1}, {5, 1}};
  EXPECT_NEAR(expected_log_gain(flat, 1), k_prior_log_gain / 5, 1e-9);
}

TEST(ExpectedLogGain, DoesNotDependOnTheUnitOfMoney) {
  EXPECT_TRUE(rc::check("cents or dollars", [] {
    std::vector<CurvePoint> dollars{{0, 1}};
    for (int i = 0; i < 20; ++i) {
      CurvePoint next = dollars.back();
      next.spent += *rc::gen::inRange(1, 100) / 100.0;
      next.best *= 1 + std::max(0, *rc::gen::inRange(-50, 20)) / 100.0;
      dollars.push_back(next);
    }
    auto cents = dollars;
    for (CurvePoint& point : cents) point.spent *= 100;
    RC_ASSERT(std::abs(expected_log_gain(dollars, 1) - expected_log_gain(cents, 100)) < 1e-9);
  }));
}

Judged judged_as(const char* id, Proposal::Kind kind, double speed, double usd) {
  Judged judged;
  judged.proposal.id = id;
  judged.proposal.kind = kind;
  judged.proposal.charged = asks_agent(kind);
  judged.verdict.outcome = Outcome::faster;
  judged.verdict.ratios = {{"eager", "eager", speed, speed, speed, 1 / speed, 1, 100}};
  judged.nano_usd = std::llround(usd * 1e9);
  return judged;
}

TEST(CurveOf, AFreeProgramIsWhereItBegins) {
  const std::vector<Judged> judged{judged_as("p0002", Proposal::Kind::write, 1.2, 0.5),
                                   judged_as("p0001", Proposal::Kind::seed, 1.5, 0),
                                   judged_as("p0003", Proposal::Kind::write, 1.8, 0.25)};
  const auto curve = curve_of({judged, {}, {}, {}}, Currency::usd);
  ASSERT_EQ(curve.size(), 3u);
  EXPECT_DOUBLE_EQ(curve[0].best, 1.5);
  EXPECT_DOUBLE_EQ(curve[1].best, 1.5);
  EXPECT_DOUBLE_EQ(curve[2].best, 1.8);
  EXPECT_DOUBLE_EQ(curve[2].spent, 0.75);
}

TEST(CurveOf, IdeasArePaidBeforeWhatComesOfThem) {
  const std::vector<Judged> judged{judged_as("p0002", Proposal::Kind::write, 1.2, 0.5)};
  Answered ideas;
  ideas.proposal.id = "p0001";
  ideas.proposal.kind = Proposal::Kind::brainstorm;
  ideas.nano_usd = 250'000'000;
  const History history{judged, {}, {}, {&ideas, 1}};
  EXPECT_DOUBLE_EQ(curve_of(history, Currency::usd).back().spent, 0.75);
  EXPECT_DOUBLE_EQ(curve_of(history, Currency::queries).back().spent, 1);
}

TEST(CurveOf, AWrongProgramIsPaidAndGainsNothing) {
  std::vector<Judged> judged{judged_as("p0001", Proposal::Kind::write, 9, 0.5)};
  judged[0].verdict.outcome = Outcome::suspect;
  const auto curve = curve_of({judged, {}, {}, {}}, Currency::usd);
  EXPECT_DOUBLE_EQ(curve.back().best, 1);
  EXPECT_DOUBLE_EQ(curve.back().spent, 0.5);
}

TEST(ClimbOf, IsThatOfProgramsWrittenFromTheTask) {
  std::vector<Judged> judged{judged_as("p0001", Proposal::Kind::seed, 1.5, 0),
                             judged_as("p0002", Proposal::Kind::write, 1.2, 0.5),
                             judged_as("p0003", Proposal::Kind::improve, 1.9, 0.5)};
  for (Judged& entry : judged) entry.candidate.id = entry.proposal.id;
  judged[2].proposal.parents = {"p0001"};
  judged[2].proposal.branch = 1;
  const auto climb = climb_of({judged, {}, {}, {}}, Currency::usd);
  ASSERT_EQ(climb.size(), 3u);
  EXPECT_DOUBLE_EQ(climb[0].best, 1);
  EXPECT_DOUBLE_EQ(climb[1].best, 1.2);
  EXPECT_DOUBLE_EQ(climb[2].best, 1.2) << "what a compiler gave is no climb";
  EXPECT_DOUBLE_EQ(climb[2].spent, 1);
}

TEST(GainOfADollar, ABarThatIsFarTakesMoreDollars) {
  const auto curve = power_curve(1.2, 0.9, 10);
  const double best = curve.back().best;
  EXPECT_NEAR(gain_of_a_dollar(curve, best), expected_log_gain(curve, 1), 1e-9);
  EXPECT_LT(gain_of_a_dollar(curve, 1.5 * best), gain_of_a_dollar(curve, 1.2 * best));
  EXPECT_GT(gain_of_a_dollar(curve, 1.5 * best), 0.01) << "a steep climb passes it";
  const auto flat = power_curve(0.1, 0.2, 10);
  EXPECT_LT(gain_of_a_dollar(flat, 3 * flat.back().best), 1e-6);
}

// Agents' programs climb steadily and are still behind the compiler's.
TEST(StopByValue, ProgramsThatTrailWhatIsFreeMayPassIt) {
  std::vector<Judged> judged{judged_as("p0000", Proposal::Kind::seed, 2, 0)};
  for (int i = 1; i <= 80; ++i) {
    judged.push_back(judged_as("p0001", Proposal::Kind::write, 1 + 0.01 * i, 0.1));
    judged.back().candidate.id = "c" + std::to_string(i);
    judged.back().proposal.branch = i;
  }
  EXPECT_TRUE(stop_by_value({judged, {}, {}, {}}, {0.02, 50}).empty());
  for (std::size_t i = 1; i < judged.size(); ++i) judged[i].verdict.ratios.front().ratio = 1.1;
  EXPECT_FALSE(stop_by_value({judged, {}, {}, {}}, {0.02, 50}).empty());
}

TEST(CurveOf, ATuningThatGainsNothingIsNoNews) {
  std::vector<Judged> judged{judged_as("p0001", Proposal::Kind::write, 1.5, 0.5),
                             judged_as("p0002", Proposal::Kind::tune, 1.4, 0),
                             judged_as("p0003", Proposal::Kind::tune, 1.6, 0)};
  const auto curve = curve_of({judged, {}, {}, {}}, Currency::usd);
  ASSERT_EQ(curve.size(), 3u);
  EXPECT_DOUBLE_EQ(curve.back().best, 1.6);
  EXPECT_DOUBLE_EQ(curve.back().spent, 0.5);
}

std::vector<Judged> fruitless(int count, double usd_each) {
  std::vector<Judged> judged;
  for (int i = 0; i < count; ++i) {
    judged.push_back(judged_as("p0001", Proposal::Kind::write, 1, usd_each));
  }
  return judged;
}

TEST(StopByValue, NeedsQueriesMoneyAndARule) {
  const StopRule rule{0.01, 50};
  EXPECT_TRUE(stop_by_value({fruitless(49, 1), {}, {}, {}}, rule).empty()) << "too few queries";
  EXPECT_TRUE(stop_by_value({fruitless(500, 0), {}, {}, {}}, rule).empty()) << "they cost nothing";
  EXPECT_TRUE(stop_by_value({fruitless(500, 1), {}, {}, {}}, {0, 50}).empty()) << "no rule";
  const std::string why = stop_by_value({fruitless(50, 1), {}, {}, {}}, rule);
  EXPECT_NE(why.find("50.00 usd"), std::string::npos) << why;
}

TEST(StopByValue, CheapQueriesAreWorthMore) {
  // 50 fruitless queries at 10 cents: the prior's gain over 5 dollars is two per cent a dollar.
  EXPECT_TRUE(stop_by_value({fruitless(50, 0.1), {}, {}, {}}, {0.015, 50}).empty());
  EXPECT_FALSE(stop_by_value({fruitless(50, 0.1), {}, {}, {}}, {0.025, 50}).empty());
}

}  // namespace
}  // namespace cupel::search
