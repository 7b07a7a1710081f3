#include "model/event.h"

#include "model/codec.h"

namespace cupel {
namespace {

using nlohmann::json;

// Values that have a codec of their own keep its version and its definition of their fields.
template <class T>
json embed(const T& value) {
  return json::parse(encode(value));
}

// The same without the way over text, for values that are long and many.
template <class T>
json embed_long(const T& value) {
  json object = value;
  object["version"] = k_codec_version;
  return object;
}

template <class T>
void extract(const json& object, const char* field, Result<T> (*decode)(std::string_view),
             T& value) {
  auto decoded = decode(object.at(field).dump());
  if (!decoded) throw json::other_error::create(501, decoded.error().what, &object);
  value = std::move(*decoded);
}

template <class T>
void extract_long(const json& object, const char* field, T& value) {
  const json& part = object.at(field);
  if (part.value("version", k_codec_version) > k_codec_version) {
    throw json::other_error::create(501, std::string(field) + " was written by a newer Cupel",
                                    &object);
  }
  part.get_to(value);
}

template <class T>
json embed_all(const std::vector<T>& values) {
  json list = json::array();
  for (const T& value : values) list.push_back(embed(value));
  return list;
}

template <class T>
void extract_all(const json& object, const char* field, Result<T> (*decode)(std::string_view),
                 std::vector<T>& values) {
  for (const json& entry : object.at(field)) {
    auto decoded = decode(entry.dump());
    if (!decoded) throw json::other_error::create(501, decoded.error().what, &object);
    values.push_back(std::move(*decoded));
  }
}

}  // namespace

CUPEL_JSON_STRUCT(Seed, name, label, source, expected_compile_s)
CUPEL_JSON_STRUCT(ProposalRejected, proposal_id, candidate_id, why)
CUPEL_JSON_STRUCT(Decision, what, why, about)
CUPEL_JSON_STRUCT(LessonsRecalled, lessons)
CUPEL_JSON_STRUCT(ProposalAsked, proposal_id, provider, nano_usd_max, queries, with)
CUPEL_JSON_STRUCT(ProposalAnswered, proposal_id, texts, mended, problem)
CUPEL_JSON_STRUCT(ProposalBuilt, proposal_id, seconds, problem)
CUPEL_JSON_STRUCT(RunFinished, winner_id, winner_file)

void to_json(json& object, const RunStarted& body) {
  object = {{"run_id", body.run_id},
            {"task", embed(body.task)},
            {"options", embed(body.options)},
            {"machine", body.machine},
            {"files", embed_all(body.files)}};
}

void from_json(const json& object, RunStarted& body) {
  object.at("run_id").get_to(body.run_id);
  extract(object, "task", &decode_task, body.task);
  extract(object, "options", &decode_run_options, body.options);
  object.at("machine").get_to(body.machine);
  extract_all(object, "files", &decode_candidate, body.files);
}

void to_json(json& object, const TaskAdmitted& body) {
  object = {{"facts", embed(body.facts)},
            {"admission", embed(body.admission)},
            {"seeds", embed_all(body.seeds)}};
}

void from_json(const json& object, TaskAdmitted& body) {
  extract(object, "facts", &decode_task_facts, body.facts);
  extract(object, "admission", &decode_admission, body.admission);
  extract_all(object, "seeds", &decode_seed, body.seeds);
}

void to_json(json& object, const Proposed& body) {
  object = {{"proposal", embed_long(body.proposal)},
            {"candidate", embed_long(body.candidate)},
            {"step", body.step}};
}

void from_json(const json& object, Proposed& body) {
  extract_long(object, "proposal", body.proposal);
  extract_long(object, "candidate", body.candidate);
  read_field(object, "step", body.step);
}

void to_json(json& object, const ProposalReplied& body) {
  object = {{"proposal_id", body.proposal_id},
            {"reply", embed_long(body.reply)},
            {"queries", body.queries},
            {"lost", body.lost}};
}

void from_json(const json& object, ProposalReplied& body) {
  object.at("proposal_id").get_to(body.proposal_id);
  extract_long(object, "reply", body.reply);
  object.at("queries").get_to(body.queries);
  object.at("lost").get_to(body.lost);
}

void to_json(json& object, const ProposalParsed& body) {
  object = {{"proposal_id", body.proposal_id},
            {"candidate", embed_long(body.candidate)},
            {"mended", body.mended}};
}

void from_json(const json& object, ProposalParsed& body) {
  object.at("proposal_id").get_to(body.proposal_id);
  extract_long(object, "candidate", body.candidate);
  object.at("mended").get_to(body.mended);
}

void to_json(json& object, const ProposalJudged& body) {
  object = {{"proposal_id", body.proposal_id},
            {"candidate_id", body.candidate_id},
            {"verdict", embed_long(body.verdict)},
            {"seconds", body.seconds}};
}

void from_json(const json& object, ProposalJudged& body) {
  object.at("proposal_id").get_to(body.proposal_id);
  object.at("candidate_id").get_to(body.candidate_id);
  extract_long(object, "verdict", body.verdict);
  body.seconds = object.value("seconds", 0.0);
}

std::string encode(const Seed& seed) {
  return encode_value(seed);
}
std::string encode(const RunStarted& body) {
  return encode_value(body);
}
std::string encode(const TaskAdmitted& body) {
  return encode_value(body);
}
std::string encode(const Proposed& body) {
  return encode_value(body);
}
std::string encode(const LessonsRecalled& body) {
  return encode_value(body);
}
std::string encode(const ProposalAsked& body) {
  return encode_value(body);
}
std::string encode(const ProposalReplied& body) {
  return encode_value(body);
}
std::string encode(const ProposalParsed& body) {
  return encode_value(body);
}
std::string encode(const ProposalAnswered& body) {
  return encode_value(body);
}
std::string encode(const ProposalBuilt& body) {
  return encode_value(body);
}
std::string encode(const ProposalJudged& body) {
  return encode_value(body);
}
std::string encode(const ProposalRejected& body) {
  return encode_value(body);
}
std::string encode(const Decision& body) {
  return encode_value(body);
}
std::string encode(const RunFinished& body) {
  return encode_value(body);
}

Result<Seed> decode_seed(std::string_view json) {
  return decode_value<Seed>(json, "seed");
}
Result<RunStarted> decode_run_started(std::string_view json) {
  return decode_value<RunStarted>(json, "start of a run");
}
Result<TaskAdmitted> decode_task_admitted(std::string_view json) {
  return decode_value<TaskAdmitted>(json, "admission of a task");
}
Result<Proposed> decode_proposed(std::string_view json) {
  return decode_value<Proposed>(json, "proposal with its candidate");
}
Result<LessonsRecalled> decode_lessons_recalled(std::string_view json) {
  return decode_value<LessonsRecalled>(json, "recalled lessons");
}
Result<ProposalAsked> decode_proposal_asked(std::string_view json) {
  return decode_value<ProposalAsked>(json, "asked proposal");
}
Result<ProposalReplied> decode_proposal_replied(std::string_view json) {
  return decode_value<ProposalReplied>(json, "reply to a proposal");
}
Result<ProposalParsed> decode_proposal_parsed(std::string_view json) {
  return decode_value<ProposalParsed>(json, "parsed reply");
}
Result<ProposalAnswered> decode_proposal_answered(std::string_view json) {
  return decode_value<ProposalAnswered>(json, "answered proposal");
}
Result<ProposalBuilt> decode_proposal_built(std::string_view json) {
  return decode_value<ProposalBuilt>(json, "built proposal");
}
Result<ProposalJudged> decode_proposal_judged(std::string_view json) {
  return decode_value<ProposalJudged>(json, "judged proposal");
}
Result<ProposalRejected> decode_proposal_rejected(std::string_view json) {
  return decode_value<ProposalRejected>(json, "rejected proposal");
}
Result<Decision> decode_decision(std::string_view json) {
  return decode_value<Decision>(json, "decision");
}
Result<RunFinished> decode_run_finished(std::string_view json) {
  return decode_value<RunFinished>(json, "end of a run");
}

}  // namespace cupel
