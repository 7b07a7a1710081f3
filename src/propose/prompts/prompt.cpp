#include <fmt/format.h>

#include <algorithm>

#include "llm/money/prompt_limit.h"
#include "propose/agent.h"
#include "propose/cut.h"
#include "propose/prompts/data.h"
#include "propose/prompts/template.h"
#include "propose/prompts/told.h"

namespace cupel::propose {
namespace {

using Kind = Proposal::Kind;

// Limits of a prompt's parts in bytes (four to a token, roughly): a part that is longer is cut and
// says so. Together they stay below llm::k_prompt_bytes_max.
constexpr std::size_t k_task_bytes_max = 48 << 10;  // the modules that it imports among them
constexpr std::size_t k_weights_bytes_max = 4 << 10;
constexpr std::size_t k_init_bytes_max = 1 << 10;
constexpr std::size_t k_least_bytes = 2 << 10;         // of the task's own text beside them
constexpr std::size_t k_parents_bytes_max = 64 << 10;  // sources of all parents
constexpr std::size_t k_parents_max = 6;
constexpr std::size_t k_bar_bytes_max = 16 << 10;
constexpr std::size_t k_rewritten_bytes_max = 8 << 10;  // a longer one is a loop written out
constexpr std::size_t k_history_bytes_max = 12 << 10;
constexpr std::size_t k_failure_bytes_max = 8 << 10;  // the tail of a compiler's log and the like
constexpr std::size_t k_idea_bytes_max = 4 << 10;
constexpr std::size_t k_hardware_bytes_max = 4 << 10;
constexpr std::size_t k_lessons_max = 8;
constexpr std::size_t k_lesson_bytes_max = 512;
constexpr std::size_t k_templates_bytes_max = 40 << 10;  // the files' own text
constexpr std::size_t k_tables_bytes_max = 5 << 10;      // of where time goes, told.cpp's two
constexpr std::size_t k_verdict_bytes_max = 6 << 10;     // of one parent, feedback included
static_assert(k_task_bytes_max + k_least_bytes + k_weights_bytes_max + k_init_bytes_max +
                  k_parents_bytes_max + k_bar_bytes_max + k_rewritten_bytes_max +
                  k_history_bytes_max + k_failure_bytes_max + k_idea_bytes_max +
                  k_hardware_bytes_max + k_lessons_max * k_lesson_bytes_max +
                  k_templates_bytes_max + k_tables_bytes_max +
                  k_parents_max * k_verdict_bytes_max <=
              llm::k_prompt_bytes_max);

// An agent: the file prompts/NAME.txt, how long its reply may be (thinking included), how many
// parents it needs at least, and what it is told beforehand.
struct Agent {
  Kind kind;
  std::int64_t reply_tokens_max;
  std::size_t parents_min;
  const char* system = "system.txt";
  double temperature = k_temperature;
};
constexpr std::int64_t k_reply_tokens_reading = 4096;
constexpr std::int64_t k_reply_tokens_ideas = 8192;
constexpr std::int64_t k_reply_tokens_plan = 6144;
constexpr std::int64_t k_reply_tokens_module = 24576;
constexpr Agent k_agents[] = {
    {Kind::brainstorm, k_reply_tokens_ideas, 0},
    {Kind::write, k_reply_tokens_module, 0},
    {Kind::improve, k_reply_tokens_module, 1},
    {Kind::cross, k_reply_tokens_module, 2},
    {Kind::fix, k_reply_tokens_module, 1},
    {Kind::analyse, k_reply_tokens_plan, 1},
    {Kind::convert, k_reply_tokens_module, 0},
    {Kind::translate, k_reply_tokens_module, 1},
    {Kind::read, k_reply_tokens_reading, 0, "reader.txt", 0},
};

Result<Agent> agent_for(const Proposal& proposal, const Context& context) {
  for (const Agent& agent : k_agents) {
    if (agent.kind != proposal.kind) continue;
    if (context.parents.size() >= agent.parents_min) return agent;
    return input_error(fmt::format("{} needs {} parents and was given {}", to_string(agent.kind),
                                   agent.parents_min, context.parents.size()),
                       proposal.id);
  }
  return input_error(
      fmt::format("no agent answers a proposal of kind {}", to_string(proposal.kind)), proposal.id);
}

// --- the values ---------------------------------------------------------------------------------

std::string flag(bool set) {
  return set ? "yes" : "";
}

std::string shapes_text(const std::vector<TensorSpec>& leaves) {
  std::string text;
  for (const TensorSpec& leaf : leaves) text += (text.empty() ? "" : ", ") + describe(leaf);
  return text;
}

std::string sizes_text(const TaskFacts& facts) {
  const auto mb = [](std::int64_t bytes) { return static_cast<double>(bytes) / 1e6; };
  return fmt::format("{:.3g} MB of inputs, {:.3g} MB of outputs, {:.3g} MB of weights",
                     mb(facts.input_bytes), mb(facts.output_bytes), mb(facts.weight_bytes));
}

// Facts about GPUs say nothing to a program for the CPU.
std::string hardware_text(const Context& context) {
  if (!context.telling.hardware) return "";
  std::string text;
  for (const auto& [name, fact] : context.machine) {
    const bool foreign = context.device == "cpu" && name.starts_with("gpu");
    if (name != "cupel" && !foreign && !fact.empty()) text += fmt::format("- {}: {}\n", name, fact);
  }
  return cut_end(text, k_hardware_bytes_max);
}

std::string lessons_text(const Context& context) {
  if (!context.telling.lessons) return "";
  std::string text;
  for (std::size_t i = 0; i < std::min(context.lessons.size(), k_lessons_max); ++i) {
    text += "- " + one_line(context.lessons[i], k_lesson_bytes_max - 3) + "\n";
  }
  return text;
}

std::string parents_text(const Context& context) {
  const std::size_t count = std::min(context.parents.size(), k_parents_max);
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += told_parent(*context.parents[i], context, k_parents_bytes_max / count) + "\n";
  }
  return text;
}

std::string failure_text(const Context& context) {
  if (context.parents.empty()) return "";
  return told_verdict(*context.parents.front(), context, k_failure_bytes_max);
}

std::string classes_text(const Task& task) {
  std::string wanted, left_out;
  for (const std::string& name : task.settings.value_classes) {
    std::string& text = name.starts_with('-') ? left_out : wanted;
    text += (text.empty() ? "" : ", ") + name.substr(name.starts_with('-') ? 1 : 0);
  }
  if (!wanted.empty()) wanted = "only " + wanted;
  if (!left_out.empty()) left_out = (wanted.empty() ? "all but " : ", not ") + left_out;
  return wanted + left_out;
}

std::string modules_text(const ProgramFacts& program) {
  std::string text;
  for (const ProgramFacts::Source& source : program.sources) {
    text +=
        fmt::format("`{}`:\n{}\n", source.module, fenced("python", source.text, k_task_bytes_max));
  }
  return cut_middle(text, k_task_bytes_max);
}

std::string listed(const std::vector<std::string>& lines, std::size_t bytes_max) {
  std::string text;
  for (const std::string& line : lines) text += "  - " + one_line(line, 200) + "\n";
  return cut_end(text, bytes_max);
}

// What a task's own text only imports, and what its constructor makes.
void add_program(const ProgramFacts& program, Values& values) {
  values["modules"] = modules_text(program);
  values["left_out"] = listed(program.left_out, k_init_bytes_max);
  values["weights"] = listed(program.weights, k_weights_bytes_max);
  const bool has_init = !program.init.empty() && program.init != "[]";
  values["init"] = has_init ? one_line(program.init, k_init_bytes_max) : "";
}

void add_policy(const Context& context, Values& values) {
  values["policy"] = to_string(context.policy);
  for (const Policy policy : {Policy::eager, Policy::exact, Policy::tf32, Policy::half}) {
    values["policy_" + std::string(to_string(policy))] = flag(policy == context.policy);
  }
}

void add_task(const Context& context, Values& values) {
  const Task& task = *context.task;
  const TaskFacts& facts = *context.facts;
  values["task_name"] = task.name;
  add_program(facts.program, values);
  const std::size_t room = k_task_bytes_max - std::min(k_task_bytes_max, values["modules"].size());
  values["task_source"] = fenced("python", task.source, std::max(room, k_least_bytes));
  values["inputs"] = shapes_text(facts.inputs);
  values["outputs"] = shapes_text(facts.outputs);
  values["sizes"] = sizes_text(facts);
  values["value_classes"] = classes_text(task);
  values["inference"] = flag(task.settings.mode == Mode::inference);
  values["as_constructed"] = flag(task.settings.mode == Mode::as_constructed);
  values["strict_strides"] = flag(task.settings.strict_strides);
  values["allow_mutated_inputs"] = flag(task.settings.allow_mutated_inputs);
}

void add_parents(const Context& context, Values& values) {
  const Judged* const first = context.parents.empty() ? nullptr : context.parents.front();
  values["parents"] = parents_text(context);
  values["parent_source"] =
      first == nullptr ? "" : fenced("python", first->candidate.source, k_parents_bytes_max);
  values["failure"] = failure_text(context);
  const Outcome outcome = first == nullptr ? Outcome::same : first->verdict.outcome;
  values["parent_failed"] = flag(!is_correct(outcome));
  values["parent_suspect"] = flag(outcome == Outcome::suspect || outcome == Outcome::impossible);
}

Values values_for(const Proposal& proposal, const Context& context) {
  Values values;
  add_policy(context, values);
  add_task(context, values);
  add_parents(context, values);
  values["device"] = context.device;
  values["cpu"] = flag(context.device == "cpu");
  values["cuda"] = flag(context.device == "cuda");
  values["hardware"] = hardware_text(context);
  values["bar"] = told_bar(context, k_bar_bytes_max);
  values["rewritten"] = told_rewritten(context, k_rewritten_bytes_max);
  if (context.program) {
    values["program"] = fenced("python", context.program->source, k_parents_bytes_max);
  }
  values["idea"] = visible_text(proposal.idea, k_idea_bytes_max);
  values["history"] = told_history(context, k_history_bytes_max);
  values["under_way"] = told_under_way(context, proposal);
  values["twin"] = told_twin(context, proposal);
  values["drawn"] = context.answers > 1 ? std::to_string(context.answers) : "";
  values["lessons"] = lessons_text(context);
  values["profile"] = told_profile(context);
  values["where_time_goes"] = told_where_time_goes(context);
  return values;
}

}  // namespace

Result<Prompt> make_prompt(const Proposal& proposal, const Context& context,
                           const std::filesystem::path& prompts_dir) {
  CUPEL_CHECK(context.task != nullptr && context.facts != nullptr);
  CUPEL_TRY(const Agent agent, agent_for(proposal, context));
  const Values values = values_for(proposal, context);
  Prompt prompt;
  prompt.proposal_id = proposal.id;
  prompt.agent = to_string(proposal.kind);
  prompt.tier = proposal.tier;
  prompt.temperature = agent.temperature;
  prompt.reply_tokens_max = agent.reply_tokens_max;
  CUPEL_TRY(prompt.system, render_template(prompts_dir, agent.system, values));
  CUPEL_TRY(prompt.user, render_template(prompts_dir, prompt.agent + ".txt", values));
  const std::size_t bytes = prompt.system.size() + prompt.user.size();
  if (bytes <= llm::k_prompt_bytes_max) return prompt;
  return input_error(
      fmt::format("the prompt has {} bytes, at most {} are sent", bytes, llm::k_prompt_bytes_max),
      (prompts_dir / (prompt.agent + ".txt")).string());
}

}  // namespace cupel::propose
