#include "model/candidate.h"

#include "base/hash.h"
#include "model/codec.h"
#include "model/names.h"

namespace cupel {
namespace {

constexpr NameTable<Proposal::Kind, 12> k_proposal_kinds{
    {{Proposal::Kind::seed, "seed"},
     {Proposal::Kind::file, "file"},
     {Proposal::Kind::brainstorm, "brainstorm"},
     {Proposal::Kind::write, "write"},
     {Proposal::Kind::improve, "improve"},
     {Proposal::Kind::cross, "cross"},
     {Proposal::Kind::fix, "fix"},
     {Proposal::Kind::analyse, "analyse"},
     {Proposal::Kind::convert, "convert"},
     {Proposal::Kind::translate, "translate"},
     {Proposal::Kind::tune, "tune"},
     {Proposal::Kind::read, "read"}}};

Result<Proposal::Kind> parse_proposal_kind(std::string_view text) {
  return value_of(k_proposal_kinds, text, "kind of proposal");
}

}  // namespace

std::string_view to_string(Proposal::Kind kind) {
  return name_of(k_proposal_kinds, kind);
}

bool asks_agent(Proposal::Kind kind) {
  return kind != Proposal::Kind::seed && kind != Proposal::Kind::file &&
         kind != Proposal::Kind::tune;
}

bool asks_alike(const Proposal& left, const Proposal& right) {
  return left.kind == right.kind && left.parents == right.parents && left.idea == right.idea;
}

bool gives_candidate(Proposal::Kind kind) {
  return kind != Proposal::Kind::brainstorm && kind != Proposal::Kind::analyse &&
         kind != Proposal::Kind::read;
}

Candidate make_candidate(std::string source, std::string label) {
  std::string id = Hasher("candidate").add("source", source).finish();
  return {std::move(id), std::move(label), std::move(source)};
}

CUPEL_JSON_ENUM(Proposal::Kind, parse_proposal_kind)
CUPEL_JSON_STRUCT(Candidate, id, label, source)
CUPEL_JSON_STRUCT(Proposal, id, kind, label, parents, reason, idea, tier, charged, phase, branch,
                  fix_round)

std::string encode(const Candidate& candidate) {
  return encode_value(candidate);
}
std::string encode(const Proposal& proposal) {
  return encode_value(proposal);
}
Result<Candidate> decode_candidate(std::string_view json) {
  return decode_value<Candidate>(json, "candidate");
}
Result<Proposal> decode_proposal(std::string_view json) {
  return decode_value<Proposal>(json, "proposal");
}

}  // namespace cupel
