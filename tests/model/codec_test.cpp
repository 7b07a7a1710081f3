#include "model/codec.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <type_traits>

#include "arbitrary.h"
#include "model/label.h"
#include "model/profile.h"

namespace cupel {
namespace {

// Encoding what was decoded gives the same text: no field is lost or changed on the way.
template <class T, class Decode>
void expect_round_trip(const T& value, Decode decode) {
  const std::string text = encode(value);
  const auto decoded = decode(text);
  RC_ASSERT(decoded.has_value());
  RC_ASSERT(encode(*decoded) == text);
}

RC_GTEST_PROP(Codec, TaskRoundTrips, ()) {
  expect_round_trip(any_task(), decode_task);
}
RC_GTEST_PROP(Codec, TaskFactsRoundTrip, ()) {
  expect_round_trip(any_facts(), decode_task_facts);
}
RC_GTEST_PROP(Codec, AdmissionRoundTrips, ()) {
  expect_round_trip(any_admission(), decode_admission);
}
RC_GTEST_PROP(Codec, EvidenceRoundTrips, ()) {
  expect_round_trip(any_evidence(), decode_evidence);
}
RC_GTEST_PROP(Codec, VerdictRoundTrips, ()) {
  expect_round_trip(any_verdict(), decode_verdict);
}
RC_GTEST_PROP(Codec, CandidateRoundTrips, ()) {
  expect_round_trip(any_candidate(), decode_candidate);
}
RC_GTEST_PROP(Codec, ProposalRoundTrips, ()) {
  expect_round_trip(any_proposal(), decode_proposal);
}
RC_GTEST_PROP(Codec, PromptRoundTrips, ()) {
  expect_round_trip(any_prompt(), decode_prompt);
}
RC_GTEST_PROP(Codec, ReplyRoundTrips, ()) {
  expect_round_trip(any_reply(), decode_reply);
}
RC_GTEST_PROP(Codec, RunOptionsRoundTrip, ()) {
  expect_round_trip(any_run_options(), decode_run_options);
}
RC_GTEST_PROP(Codec, FinalTableRoundTrips, ()) {
  expect_round_trip(any_final_table(), decode_final_table);
}
RC_GTEST_PROP(Codec, GraphRoundTrips, ()) {
  expect_round_trip(any_graph(), decode_graph);
}
RC_GTEST_PROP(Codec, WinnerAuditRoundTrips, ()) {
  expect_round_trip(any_winner_audit(), decode_winner_audit);
}

RC_GTEST_PROP(Codec, AdmissionEvidenceRoundTripsInsideAnAdmission, ()) {
  const auto admission = any_admission();
  const auto inner = nlohmann::json::parse(encode(admission)).at("evidence").dump();
  const auto decoded = decode_admission_evidence(inner);
  RC_ASSERT(decoded.has_value());
  Admission with_decoded, with_original;
  with_decoded.evidence = *decoded;
  with_original.evidence = admission.evidence;
  RC_ASSERT(encode(with_decoded) == encode(with_original));
}

// Converts to any field; counting how many of them an aggregate takes gives its field count.
struct AnyField {
  template <class T>
  operator T() const;  // NOLINT: implicit on purpose; never called
};

template <class T, class... Fields>
constexpr std::size_t field_count() {
  if constexpr (requires { T{Fields{}..., AnyField{}}; }) {
    return field_count<T, Fields..., AnyField>();
  } else {
    return sizeof...(Fields);
  }
}

std::size_t members(const std::string& text, const char* path = "") {
  const auto json = nlohmann::json::parse(text);
  const auto& value = json.at(nlohmann::json::json_pointer(path));
  return value.size() - value.count("version");
}

// A field added to a struct and forgotten in its codec would vanish in silence.
TEST(Codec, EveryFieldTravels) {
  EXPECT_EQ(members(encode(Task{})), field_count<Task>());
  EXPECT_EQ(members(encode(Task{}), "/settings"), field_count<TaskSettings>());
  EXPECT_EQ(members(encode(TaskFacts{})), field_count<TaskFacts>());
  EXPECT_EQ(members(encode(Admission{})), field_count<Admission>());
  EXPECT_EQ(members(encode(Admission{}), "/evidence"), field_count<AdmissionEvidence>());
  EXPECT_EQ(members(encode(Evidence{})), field_count<Evidence>());
  EXPECT_EQ(members(encode(Evidence{}), "/cost"), field_count<RoundCost>());
  EXPECT_EQ(members(encode(Verdict{})), field_count<Verdict>());
  EXPECT_EQ(members(encode(Candidate{})), field_count<Candidate>());
  EXPECT_EQ(members(encode(Proposal{})), field_count<Proposal>());
  EXPECT_EQ(members(encode(Prompt{})), field_count<Prompt>());
  EXPECT_EQ(members(encode(Reply{})), field_count<Reply>());
  EXPECT_EQ(members(encode(Reply{}), "/usage"), field_count<Usage>());
  EXPECT_EQ(members(encode(RunOptions{})), field_count<RunOptions>());
  EXPECT_EQ(members(encode(FinalTable{})), field_count<FinalTable>());
  EXPECT_EQ(members(encode(WinnerAudit{})), field_count<WinnerAudit>());
  EXPECT_EQ(members(encode(Graph{})), field_count<Graph>());
  EXPECT_EQ(members(encode(Graph{}), "/result"), field_count<GraphResult>());
}

TEST(Codec, EveryFieldOfALabelTravels) {
  const std::string text = encode(Labelled{"id", {{"triton", 3}}});
  EXPECT_EQ(members(text), field_count<Labelled>());
  EXPECT_EQ(members(text, "/labels/0"), field_count<Label>());
  const auto labels =
      decode_labels(R"({"re": "labels", "labels": [{"label": "triton", "line": 3}]})");
  ASSERT_TRUE(labels.has_value());
  EXPECT_EQ(labels->at(0).line, 3);
}

TEST(Codec, EveryFieldOfAProfileTravels) {
  Profile profile;
  profile.operators.resize(1);
  profile.kernels.resize(1);
  const std::string text = encode(profile);
  EXPECT_EQ(members(text), field_count<Profile>());
  EXPECT_EQ(members(text, "/operators/0"), field_count<ProfiledOperator>());
  EXPECT_EQ(members(text, "/kernels/0"), field_count<ProfiledKernel>());
}

TEST(Codec, EveryFieldOfAGraphsNodeTravels) {
  Graph graph;
  graph.nodes.resize(1);
  graph.nodes[0].arguments.resize(1);
  const std::string text = encode(graph);
  EXPECT_EQ(members(text, "/nodes/0"), field_count<GraphNode>());
  EXPECT_EQ(members(text, "/nodes/0/arguments/0"), field_count<GraphArgument>());
}

TEST(Codec, ConstantsOfAGraphKeepTheirKind) {
  Graph graph;
  graph.nodes.resize(1);
  const double infinity = std::numeric_limits<double>::infinity();
  for (const GraphValue& value :
       {GraphValue{}, GraphValue::of(true), GraphValue::of(std::int64_t{1}), GraphValue::of(1.0),
        GraphValue::of(-infinity), GraphValue::of_node("x"), GraphValue::of({2, 3}),
        GraphValue::of(std::vector<std::int64_t>{})}) {
    graph.nodes[0].arguments = {{"value", value}};
    const auto decoded = decode_graph(encode(graph));
    ASSERT_TRUE(decoded.has_value());
    EXPECT_EQ(decoded->nodes[0].arguments[0].value, value);
  }
}

TEST(Codec, FieldsOfOlderJournalsAreReadByTheirFormerNames) {
  const auto decoded = decode_admission(
      R"({"evidence": {"classes": [{"name": "nominal", "outputs": [{"slice": 3.5}]}]},
          "tolerances": [{"slice_max": [32.0]}]})");
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->evidence.classes[0].outputs[0].group, 3.5);
  EXPECT_EQ(decoded->tolerances[0].group_max, std::vector<double>{32.0});
}

TEST(Codec, EveryFieldOfAListsItemTravels) {
  TaskFacts facts;
  facts.inputs.resize(1);
  facts.program.sources.resize(1);
  EXPECT_EQ(members(encode(facts), "/inputs/0"), field_count<TensorSpec>());
  EXPECT_EQ(members(encode(facts), "/program"), field_count<ProgramFacts>());
  EXPECT_EQ(members(encode(facts), "/program/sources/0"), field_count<ProgramFacts::Source>());
  RunOptions options;
  options.prices.resize(1);
  EXPECT_EQ(members(encode(options), "/prices/0"), field_count<Price>());
  EXPECT_EQ(members(encode(options), "/prices/0/rates"), field_count<Rates>());
  Admission admission;
  admission.tolerances.resize(1);
  admission.evidence.classes.resize(1);
  admission.evidence.mutants.resize(1);
  admission.evidence.mutants[0].outputs.resize(1);
  const std::string text = encode(admission);
  EXPECT_EQ(members(text, "/tolerances/0"), field_count<Tolerance>());
  EXPECT_EQ(members(text, "/evidence/classes/0"), field_count<ClassReport>());
  EXPECT_EQ(members(text, "/evidence/mutants/0"), field_count<MutantReport>());
  EXPECT_EQ(members(text, "/evidence/mutants/0/outputs/0"), field_count<OutputError>());
}

TEST(Codec, EveryFieldOfAProgramTravels) {
  Evidence evidence;
  auto& program = evidence.programs.emplace_back();
  program.calls.resize(1);
  program.untimed.resize(1);
  program.queued.resize(1);
  program.batches.resize(1);
  program.checks.resize(1);
  program.mismatches.resize(1);
  program.endurance.memory.resize(1);
  evidence.kernel_trials.resize(1);
  evidence.held_out.resize(1);
  const std::string text = encode(evidence);
  EXPECT_EQ(members(text, "/programs/0"), field_count<ProgramEvidence>());
  EXPECT_EQ(members(text, "/programs/0/fault"), field_count<HostFault>());
  EXPECT_EQ(members(text, "/programs/0/calls/0"), field_count<CallSample>());
  EXPECT_EQ(members(text, "/programs/0/untimed/0"), field_count<CallSample>());
  EXPECT_EQ(members(text, "/programs/0/queued/0"), field_count<QueuedSample>());
  EXPECT_EQ(members(text, "/programs/0/batches/0"), field_count<BatchSample>());
  EXPECT_EQ(members(text, "/programs/0/checks/0"), field_count<OutputCheck>());
  EXPECT_EQ(members(text, "/programs/0/mismatches/0"), field_count<FormMismatch>());
  EXPECT_EQ(members(text, "/programs/0/endurance"), field_count<Endurance>());
  EXPECT_EQ(members(text, "/programs/0/endurance/memory/0"), field_count<MemorySample>());
  EXPECT_EQ(members(text, "/kernel_trials/0"), field_count<KernelTrial>());
  EXPECT_EQ(members(text, "/held_out/0"), field_count<HeldOutRound>());
}

TEST(Codec, EveryFieldOfAVerdictsPartsTravels) {
  Verdict verdict;
  verdict.reasons.resize(1);
  verdict.ratios.resize(1);
  verdict.device_ratios.resize(1);
  EXPECT_EQ(members(encode(verdict), "/reasons/0"), field_count<Reason>());
  EXPECT_EQ(members(encode(verdict), "/ratios/0"), field_count<Ratio>());
  EXPECT_EQ(members(encode(verdict), "/device_ratios/0"), field_count<Ratio>());
  FinalTable table;
  table.rows.resize(1);
  EXPECT_EQ(members(encode(table), "/rows/0"), field_count<FinalTable::Row>());
}

TEST(Codec, NumbersOutsideJsonSurvive) {
  OutputError error;
  error.worst_got = std::nan("");
  error.max = INFINITY;
  error.worst_want = -INFINITY;
  Evidence evidence;
  evidence.programs.emplace_back().checks.push_back({0, "nominal", 0, {error}});
  const auto back = decode_evidence(encode(evidence)).value();
  const OutputError& decoded = back.programs[0].checks[0].outputs[0];
  EXPECT_TRUE(std::isnan(decoded.worst_got));
  EXPECT_EQ(decoded.max, INFINITY);
  EXPECT_EQ(decoded.worst_want, -INFINITY);
}

TEST(Codec, SeedsKeepAll64Bits) {
  RunOptions options;
  options.seed = UINT64_MAX;
  EXPECT_EQ(decode_run_options(encode(options)).value().seed, UINT64_MAX);
}

TEST(Codec, BytesThatAreNotUtf8AreReplacedNotFatal) {
  Verdict verdict;
  verdict.feedback = "bad \xff byte";
  EXPECT_EQ(decode_verdict(encode(verdict)).value().feedback, "bad \xef\xbf\xbd byte");
}

TEST(Codec, MissingFieldsKeepTheirDefaults) {
  const auto options = decode_run_options(R"({"threads":3,"version":1})").value();
  EXPECT_EQ(options.threads, 3);
  EXPECT_EQ(options.sandbox, RunOptions{}.sandbox);
  EXPECT_EQ(options.effort, Effort::normal);
}

TEST(Codec, UnknownFieldsAreIgnored) {
  EXPECT_TRUE(decode_candidate(R"({"id":"x","new_field":[1,2],"version":1})"));
}

std::string problem_of(const Result<Verdict>& result) {
  EXPECT_FALSE(result.has_value());
  EXPECT_EQ(result.error().tag, ErrorTag::input);
  return result.error().describe();
}

TEST(Codec, MistypedFieldIsNamedByItsPath) {
  const auto what = problem_of(decode_verdict(R"({"ratios":[{"pairs":"many"}]})"));
  EXPECT_EQ(what, "malformed verdict: (/ratios/0/pairs) type must be number, but is string");
  EXPECT_NE(problem_of(decode_verdict(R"({"error_rms":"big"})")).find("/error_rms"),
            std::string::npos);
  EXPECT_NE(problem_of(decode_verdict(R"({"close_1e2":1})")).find("/close_1e2"), std::string::npos);
}

TEST(Codec, UnknownEnumeratorIsNamedWithItsPath) {
  const auto what = problem_of(decode_verdict(R"({"outcome":"great"})"));
  EXPECT_NE(what.find("/outcome"), std::string::npos) << what;
  EXPECT_NE(what.find("unknown outcome 'great'"), std::string::npos) << what;
}

TEST(Codec, ScalarWhereAnObjectBelongsIsRefused) {
  const auto what = problem_of(decode_verdict(R"({"ratios":[7]})"));
  EXPECT_EQ(what, "malformed verdict: (/ratios/0) type must be object, but is number");
}

TEST(Codec, TextThatIsNotJsonIsRefused) {
  for (const char* text : {"", "{", "nonsense", "[]", "3", "null", "{\"outcome\":}"}) {
    const auto what = problem_of(decode_verdict(text));
    EXPECT_EQ(what.rfind("malformed verdict: ", 0), 0U) << what;
  }
}

TEST(Codec, NewerVersionIsRefused) {
  const auto what = problem_of(decode_verdict(R"({"version":2})"));
  EXPECT_EQ(what, "verdict was written by a newer Cupel (update Cupel)");
}

RC_GTEST_PROP(Codec, AnyBytesGiveAValueOrAnInputError, (std::string bytes)) {
  const auto result = decode_evidence(bytes);
  RC_ASSERT(result.has_value() || result.error().tag == ErrorTag::input);
}

// Cutting an encoding short anywhere is noticed.
RC_GTEST_PROP(Codec, TruncationIsAnInputError, ()) {
  const std::string text = encode(any_verdict());
  const auto length = *rc::gen::inRange<std::size_t>(0, text.size());
  RC_ASSERT(!decode_verdict(text.substr(0, length)).has_value());
}

}  // namespace
}  // namespace cupel
