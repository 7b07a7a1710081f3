#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/words.h"
#include "propose/agent.h"
#include "propose/cut.h"
#include "propose/python_text.h"
#include "propose/replies/edits.h"
#include "propose/replies/ideas.h"
#include "propose/replies/mend.h"
#include "propose/replies/reply_text.h"

namespace cupel::propose {
namespace {

constexpr auto npos = std::string_view::npos;
// Ten times the longest honest candidate; more is a model that repeats itself.
constexpr std::size_t k_source_bytes_max = 256 << 10;
constexpr std::size_t k_reply_bytes_max = 4 << 20;
constexpr std::size_t k_label_bytes_max = 60;
constexpr std::size_t k_json_bytes_max = 1 << 20;
// Blocks and names beyond these are not looked through for what the chosen block leans on.
constexpr std::size_t k_merged_blocks_max = 8;
constexpr std::size_t k_names_max = 64;

// A source found in a reply, or why there is none.
struct Found {
  std::string source;
  std::vector<std::string> mended;
  std::string problem;
};

bool is_python(const CodeBlock& block) {
  for (const std::string_view name : {"python", "py", "python3", "", "text", "plaintext"}) {
    if (block.language == name) return true;
  }
  return false;
}

bool defines_model(std::string_view text) {
  const std::size_t at = find_word(text, "ModelNew");
  return at != npos && (text.find("class ModelNew") != npos || text.find("ModelNew =") != npos);
}

bool defines_module(std::string_view text) {
  return text.find("class ") != npos && text.find("forward") != npos;
}

// Code of names that another block defines: its text goes in front.
bool uses_names_of(const PythonText& user, const std::string& source) {
  std::vector<std::string> names = top_level_names(scan_python(source));
  names.resize(std::min(names.size(), k_names_max));
  for (const std::string& name : names) {
    if (find_word(user.code, name) != npos && !binds(user, name)) return true;
  }
  return false;
}

void prepend_needed_blocks(const std::vector<CodeBlock>& blocks, std::size_t chosen, Found& found) {
  const std::size_t first = chosen - std::min(chosen, k_merged_blocks_max);
  for (std::size_t i = chosen; i-- > first;) {
    const CodeBlock& block = blocks[i];
    if (block.text.size() > k_source_bytes_max || !is_python(block) || defines_model(block.text) ||
        has_edits(block.text))
      continue;
    if (!uses_names_of(scan_python(found.source), block.text)) continue;
    found.source = block.text + "\n" + found.source;
    found.mended = {"merged code blocks"};
  }
}

// The last block that defines ModelNew; else the last one that defines a module at all.
std::size_t choose_block(const std::vector<CodeBlock>& blocks) {
  std::size_t with_module = npos;
  for (std::size_t i = blocks.size(); i-- > 0;) {
    if (has_edits(blocks[i].text)) continue;
    if (defines_model(blocks[i].text) && defines_module(blocks[i].text)) return i;
    if (with_module == npos && defines_module(blocks[i].text)) with_module = i;
  }
  return with_module;
}

Found from_block(const std::vector<CodeBlock>& blocks, std::size_t chosen) {
  const CodeBlock& block = blocks[chosen];
  Found found{block.text, {}, ""};
  if (block.text.size() > k_source_bytes_max) return found;
  prepend_needed_blocks(blocks, chosen, found);
  if (!is_python(block)) found.mended.push_back("language of the code block");
  if (!block.closed) found.mended.push_back("code fence");
  return found;
}

Found from_edits(const std::string& text, const Context& context) {
  const std::vector<Edit> edits = edits_in(text);
  if (edits.empty()) return {"", {}, "its edits are cut off or malformed"};
  if (context.parents.empty()) return {"", {}, "it edits a parent, and there is none"};
  auto edited = apply_edits(context.parents.front()->candidate.source, edits);
  if (!edited) return {"", {}, edited.error().what};
  return {std::move(*edited), {}, ""};
}

// {"code": "import torch ..."}, as some interfaces make models answer.
std::string from_json(std::string_view text) {
  text = trimmed(text);
  if (!text.starts_with('{') || text.size() > k_json_bytes_max) return "";
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return "";
  for (const auto& member : json) {
    if (member.is_string() && defines_module(member.get_ref<const std::string&>())) {
      return member.get<std::string>();
    }
  }
  return "";
}

std::string describe_nothing(const std::vector<CodeBlock>& blocks, std::string_view text) {
  if (trimmed(text).empty()) return "the reply is empty";
  if (blocks.empty()) {
    return fmt::format("no code in {} bytes of prose that begin with '{}'", text.size(),
                       one_line(trimmed(text), k_label_bytes_max));
  }
  return fmt::format(
      "none of its {} code blocks defines a class with a forward; the first is "
      "'{}' and begins with '{}'",
      blocks.size(), blocks.front().language,
      one_line(trimmed(blocks.front().text), k_label_bytes_max));
}

// Whether the token limit cut the reply inside of what is to be used.
bool is_cut_off(const Reply& reply, const std::vector<CodeBlock>& blocks, bool edits) {
  if (reply.end == Reply::End::complete) return false;
  return edits || blocks.empty() || !blocks.back().closed;
}

Found find_source(const std::string& text, const Context& context) {
  const std::vector<CodeBlock> blocks = code_blocks(text);
  const std::size_t chosen = choose_block(blocks);
  if (chosen != npos && defines_model(blocks[chosen].text)) return from_block(blocks, chosen);
  if (has_edits(text)) return from_edits(text, context);
  if (chosen != npos) return from_block(blocks, chosen);
  if (std::string code = from_json(text); !code.empty()) return {std::move(code), {"JSON"}, ""};
  if (std::string code = bare_module(text); defines_module(code)) {
    return {std::move(code), {"no code fence"}, ""};
  }
  return {"", {}, describe_nothing(blocks, text)};
}

std::string with_end(const Reply& reply, std::string problem) {
  if (reply.end == Reply::End::complete) return problem;
  const std::string said = reply.problem.empty() ? "" : " (" + reply.problem + ")";
  return fmt::format("the reply is {}{}: {}", to_string(reply.end), said, problem);
}

std::string label_of(const Proposal& proposal) {
  const std::string& said = proposal.idea.empty() ? proposal.label : proposal.idea;
  std::string label(to_string(proposal.kind));
  if (!said.empty()) label += ": " + said;
  return one_line(label, k_label_bytes_max);
}

std::string why_refused(const std::string& source) {
  if (source.size() > k_source_bytes_max) {
    return fmt::format("the code has {} bytes, at most {} are judged", source.size(),
                       k_source_bytes_max);
  }
  return why_unusable(source);
}

bool repeats_task(const std::string& source, const Context& context) {
  return context.task != nullptr && trimmed(source) == trimmed(context.task->source);
}

Parsed parse_candidate(const Proposal& proposal, const Reply& reply, const Context& context) {
  Parsed parsed;
  const std::string text = regular_text(reply.text);
  Found found = find_source(text, context);
  if (found.problem.empty() && is_cut_off(reply, code_blocks(text), has_edits(text))) {
    found.problem = fmt::format("it ends inside of its code, after {} bytes", text.size());
  }
  if (found.problem.empty() && repeats_task(found.source, context)) {
    found.problem = "it repeats the task's own source";
  }
  if (found.problem.empty() && found.source.size() <= k_source_bytes_max) {
    Mended mended = mend(std::move(found.source), context.device);
    found.source = std::move(mended.source);
    found.mended.insert(found.mended.end(), mended.rules.begin(), mended.rules.end());
  }
  if (found.problem.empty()) found.problem = why_refused(found.source);
  if (!found.problem.empty()) {
    parsed.problem = with_end(reply, found.problem);
    return parsed;
  }
  if (!found.source.ends_with('\n')) found.source += '\n';
  parsed.candidate = make_candidate(std::move(found.source), label_of(proposal));
  parsed.mended = std::move(found.mended);
  return parsed;
}

Parsed parse_texts(const Proposal& proposal, const Reply& reply) {
  Parsed parsed;
  const std::string text = regular_text(reply.text);
  if (proposal.kind == Proposal::Kind::brainstorm) {
    parsed.texts = ideas_in(text);
  } else if (std::string plan = plan_in(text); !plan.empty()) {
    parsed.texts.push_back(std::move(plan));
  }
  if (!parsed.texts.empty()) return parsed;
  const std::string_view wanted = proposal.kind == Proposal::Kind::brainstorm
                                      ? "no numbered, bulleted or JSON ideas"
                                      : "no line that begins with 'PLAN:'";
  parsed.problem = with_end(reply, fmt::format("{} in {} bytes that begin with '{}'", wanted,
                                               text.size(), one_line(trimmed(text), 60)));
  return parsed;
}

}  // namespace

Parsed parse_reply(const Proposal& proposal, const Reply& reply, const Context& context) {
  Parsed parsed;
  if (reply.text.size() > k_reply_bytes_max) {
    parsed.problem = with_end(
        reply, fmt::format("{} bytes, at most {} are read", reply.text.size(), k_reply_bytes_max));
    return parsed;
  }
  return gives_candidate(proposal.kind) ? parse_candidate(proposal, reply, context)
                                        : parse_texts(proposal, reply);
}

}  // namespace cupel::propose
