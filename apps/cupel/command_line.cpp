#include "command_line.h"

#include <CLI/CLI.hpp>

#include "budgets.h"
#include "completion.h"
#include "durations.h"
#include "exit_codes.h"

namespace cupel::cli {
namespace {

constexpr int k_help_column = 30;

// Texts of options that need translation after parsing.
struct Raw {
  std::string policy;
  std::string mode;
  std::string metric;
  std::string effort = "normal";
  std::vector<std::string> budgets;
  std::string time_limit;
};

constexpr const char* k_intro =
    "Cupel tries faster variants of a PyTorch program and proves that they are faster\n"
    "and compute the same.\n";

constexpr const char* k_examples = R"(Examples:
  cupel optimize model.py                     try every free variant, keep the best
  cupel optimize pkg.net:Net --inputs "f32[16,256]"
  cupel optimize softmax_rows --candidate fast.py --budget 5min
  cupel judge model.py fast.py && echo faster
  cupel lint model.py                         can the task tell right from wrong?
  cupel report latest --json

TASK is a task file (Model, get_inputs, get_init_inputs), a class as
package.module:Class with --inputs, or the name of a shipped task (cupel tasks).
RUN is a run's id, the beginning of one, its directory, a tag (cupel runs), or "latest".

)";

std::string footer() {
  return std::string(k_examples) + std::string(k_exit_code_help);
}

void add_output(CLI::App& app, Options& options) {
  app.add_flag("--json", options.json, "print one JSON document (docs/json.md), errors too");
}

void add_task(CLI::App& app, Options& options) {
  app.add_option("task", options.task.name, "task file, package.module:Class, or shipped task")
      ->required()
      ->type_name("TASK");
  app.add_option("--inputs", options.task.inputs,
                 "class: tensors of a call, \"f32[16,256],i64[8]<100\"")
      ->type_name("SPEC");
  app.add_option("--init", options.task.init, "class: constructor arguments, \"[256, 4]\"")
      ->type_name("LIST");
  app.add_option("--import-root", options.task.import_root,
                 "directory to import from (default: the file's, or here)")
      ->type_name("DIR");
  app.add_option("--weights", options.task.weights,
                 "state dict that the model is given: .pt or .safetensors")
      ->type_name("FILE");
}

void add_machine(CLI::App& app, Options& options) {
  app.add_option("--python", options.python,
                 "interpreter with torch (default: $CUPEL_PYTHON, Cupel's own, python3)")
      ->type_name("FILE");
  app.add_flag("-q,--quiet", options.quiet, "no progress");
  app.add_flag("--progress-lines", options.progress_lines,
               "progress as JSON on stderr, one object a line, with --json too");
}

void add_judging(CLI::App& app, Options& options, Raw& raw) {
  app.add_option("--policy", raw.policy, "precision: eager (default), exact, tf32, half")
      ->type_name("NAME");
  app.add_option("--mode", raw.mode, "the model's: as_constructed (a file's default), inference")
      ->type_name("NAME");
  app.add_option("--metric", raw.metric,
                 "time that decides: latency of a call (default), throughput of many")
      ->type_name("NAME");
  app.add_option("--device", options.device, "where programs run: cpu (default), cuda, cuda:1")
      ->type_name("NAME");
  app.add_option("--threads", options.threads, "threads of each program (default: all cores)")
      ->check(CLI::Range(1, 1024).description(""))
      ->type_name("N");
  app.add_option("--sandbox", options.sandbox, "bwrap (default), or none: trusted candidates only")
      ->check(CLI::IsMember({"bwrap", "none"}).description(""))
      ->type_name("KIND");
  app.add_option("--time-limit", raw.time_limit,
                 "of loading and of the first call of one candidate: 30s, 2min")
      ->type_name("TIME");
  add_machine(app, options);
}

void add_run(CLI::App& app, Options& options) {
  app.add_option("run", options.run, "id, beginning of one, directory, tag, or \"latest\"")
      ->required()
      ->type_name("RUN");
}

void add_markdown(CLI::App& app, Options& options) {
  app.add_flag("--markdown", options.markdown, "print the report as Markdown");
}

void add_budget(CLI::App& app, Raw& raw) {
  app.add_option("--budget,--minutes", raw.budgets,
                 "5usd or 300queries, never exceeded; 20min, which ends the search")
      ->expected(1)
      ->take_all()
      ->type_name("LIMIT");
}

void add_withheld(CLI::App& app, Options& options) {
  app.add_option("--no-tell", options.withheld,
                 "keep from agents: times, hardware, history, lessons, profile")
      ->delimiter(',')
      ->expected(1)
      ->take_all()
      ->check(CLI::IsMember({"times", "hardware", "history", "lessons", "profile"}).description(""))
      ->type_name("WHAT");
}

void add_agents(CLI::App& app, Options& options) {
  app.add_option("--llm", options.llm,
                 "model that writes candidates: openai:gpt-5 (docs/providers.md)")
      ->type_name("MODEL");
  app.add_option("--llm-cheap", options.llm_cheap, "model for the cheap tier (default: the same)")
      ->type_name("MODEL");
  app.add_option("--reader", options.reader,
                 "cheap model that reads programs before they are judged (default: none)")
      ->type_name("MODEL");
  app.add_option("--llm-url", options.llm_url,
                 "where the service of --llm is asked: a gateway's base URL")
      ->type_name("URL");
  app.add_option("--price", options.prices,
                 "of a million tokens: gpt-5=1.25,0.125,10 (input, cached, output)")
      ->expected(1)
      ->take_all()
      ->type_name("PRICE");
  app.add_option("--strategy", options.strategy,
                 "portfolio (default), or with --llm: cupel (default), pike-b, ...")
      ->type_name("NAME");
  app.add_option("--stop-value", options.stop_value,
                 "stop when a dollar is expected to gain less: 0.01 is 1 %; 0 never")
      ->check(CLI::NonNegativeNumber.description(""))
      ->type_name("GAIN");
  add_withheld(app, options);
}

void define_optimize(CLI::App& app, Options& options, Raw& raw) {
  CLI::App* const command = app.add_subcommand("optimize", "find the fastest variant of a task");
  add_task(*command, options);
  command
      ->add_option("--candidate", options.candidate_files,
                   "a file of yours to judge too; may be repeated")
      ->expected(1)
      ->take_all()
      ->type_name("FILE");
  command->add_flag("--each-shape", options.each_shape,
                    "a run for each shape that the task's settings hold out, too");
  command->add_option("--effort", raw.effort, "how much to try: quick, normal (default), full")
      ->type_name("NAME");
  add_budget(*command, raw);
  add_agents(*command, options);
  command->add_option("--run-dir", options.run_dir, "where to keep this run (default: runs/ID)")
      ->type_name("DIR");
  add_judging(*command, options, raw);
  add_markdown(*command, options);
  add_output(*command, options);
}

void define_suite(CLI::App& app, Options& options, Raw& raw) {
  CLI::App* const command =
      app.add_subcommand("suite", "many tasks, several strategies, one report");
  command->add_option("tasks", options.suite_tasks, "task files, directories of them, patterns")
      ->required()
      ->type_name("PATH");
  command
      ->add_option("--csv", options.csv,
                   "also write tables there: tasks; FILE-candidates, FILE-curves")
      ->type_name("FILE");
  command->add_flag("--with-degenerate", options.with_degenerate, "degenerate tasks count too");
  command->add_option("--effort", raw.effort, "how much to try: quick, normal (default), full")
      ->type_name("NAME");
  add_budget(*command, raw);
  add_agents(*command, options);
  command->add_option("--run-dir", options.run_dir, "where to keep the suite (default: runs)")
      ->type_name("DIR");
  add_judging(*command, options, raw);
  add_output(*command, options);
  command->footer(
      "--strategy takes several with commas between; --budget is what each may spend on all tasks\n"
      "together. The same command goes on with a suite that was stopped.\n");
}

void define_estimate(CLI::App& app, Options& options, Raw& raw) {
  CLI::App* const command =
      app.add_subcommand("estimate", "what a search with an LLM will cost, asking nobody");
  add_task(*command, options);
  command->add_option("--effort", raw.effort, "as for optimize")->type_name("NAME");
  add_budget(*command, raw);
  add_agents(*command, options);
  add_judging(*command, options, raw);
  add_output(*command, options);
}

void define_judge(CLI::App& app, Options& options, Raw& raw) {
  CLI::App* const command =
      app.add_subcommand("judge", "is a candidate faster, and does it compute the same?");
  add_task(*command, options);
  command->add_option("candidate", options.candidate_files, "Python file that defines ModelNew")
      ->required()
      ->expected(1)
      ->type_name("CANDIDATE");
  command->add_flag("--audit", options.audit,
                    "then the winner's audit: fresh processes, many calls, its kernels idle");
  add_judging(*command, options, raw);
  add_output(*command, options);
  command->footer(std::string(k_exit_code_help));
}

void define_lint(CLI::App& app, Options& options, Raw& raw) {
  CLI::App* const command =
      app.add_subcommand("lint", "can the task tell right programs from wrong ones?");
  add_task(*command, options);
  add_judging(*command, options, raw);
  add_output(*command, options);
}

void define_rewrite(CLI::App& app, Options& options, Raw& raw) {
  CLI::App* const command =
      app.add_subcommand("rewrite", "a cheaper program by algebra alone, and what each step did");
  add_task(*command, options);
  add_judging(*command, options, raw);
  add_output(*command, options);
}

void define_profile(CLI::App& app, Options& options, Raw& raw) {
  CLI::App* const command =
      app.add_subcommand("profile", "where the time goes: of eager, and of candidates beside it");
  add_task(*command, options);
  command->add_option("candidate", options.candidate_files, "Python files that define ModelNew")
      ->type_name("CANDIDATE...");
  add_judging(*command, options, raw);
  add_output(*command, options);
}

void define_prompt(CLI::App& app, Options& options, Raw& raw) {
  CLI::App* const command =
      app.add_subcommand("prompt", "what an agent would be asked about a task, asking nobody");
  add_task(*command, options);
  command->add_option("--agent", options.agent, "write (default), brainstorm, convert")
      ->type_name("NAME");
  command->add_option("--idea", options.idea, "what the agent is told to do")->type_name("TEXT");
  add_withheld(*command, options);
  add_judging(*command, options, raw);
  add_output(*command, options);
}

// All but --python belongs to the Python behind it, its help too.
void define_passing_on(CLI::App& app, Options& options, const char* name, const char* what) {
  CLI::App* const command = app.add_subcommand(name, what);
  command->add_option("--python", options.python, "interpreter that runs the script")
      ->type_name("FILE");
  command->set_help_flag();
  command->prefix_command();
}

void define_capture(CLI::App& app, Options& options) {
  define_passing_on(app, options, "capture",
                    "run a script, write tasks of the modules its time goes into");
  define_passing_on(app, options, "optimize-model",
                    "capture, optimize each hot module, ship, judge the whole model");
}

void define_reports(CLI::App& app, Options& options) {
  CLI::App* const report =
      app.add_subcommand("report", "show a run's table and candidates, or a suite's");
  add_run(*report, options);
  report->add_option("--html", options.html, "write it as one page for a browser")
      ->type_name("FILE");
  report->add_flag("--with-degenerate", options.with_degenerate,
                   "of a suite: degenerate tasks count too");
  add_markdown(*report, options);
  add_output(*report, options);
  CLI::App* const figures =
      app.add_subcommand("figures", "a run's or suite's figures as SVG and PDF, each with its CSV");
  add_run(*figures, options);
  figures->add_option("--out", options.out, "directory, made if need be")
      ->required()
      ->type_name("DIR");
  figures->add_flag("--with-degenerate", options.with_degenerate,
                    "of a suite: degenerate tasks count too");
  add_machine(*figures, options);
}

void define_compare(CLI::App& app, Options& options, Raw& raw) {
  CLI::App* const compare = app.add_subcommand(
      "compare", "what other strategies would have found in recorded runs, and its cost");
  compare
      ->add_option("runs", options.runs, "runs with an LLM; those of one task are taken together")
      ->required()
      ->type_name("RUN");
  compare
      ->add_option("--strategy", options.strategy,
                   "with commas between: cupel,pike-b:cheap-efa (default: all, without variants)")
      ->type_name("NAMES");
  add_budget(*compare, raw);
  add_output(*compare, options);
}

void define_run_commands(CLI::App& app, Options& options) {
  CLI::App* const resume = app.add_subcommand("resume", "go on with an interrupted run");
  add_run(*resume, options);
  add_machine(*resume, options);
  add_markdown(*resume, options);
  add_output(*resume, options);
  CLI::App* const replay =
      app.add_subcommand("replay", "decide a run's search again from its journal, at no cost");
  add_run(*replay, options);
  add_output(*replay, options);
  CLI::App* const runs = app.add_subcommand("runs", "list, compare, tag and delete runs");
  runs->add_option("action", options.action, "list (default; of RUNs only), tag RUN WORD, delete")
      ->check(CLI::IsMember({"list", "tag", "delete"}).description(""))
      ->type_name("WHAT");
  runs->add_option("runs", options.runs, "runs, as for other commands")->type_name("RUN");
  add_output(*runs, options);
  define_reports(app, options);
  CLI::App* const why = app.add_subcommand("why", "what happened to one candidate, and why");
  add_run(*why, options);
  why->add_option("id", options.candidate,
                  "proposal (p0007) or candidate id, its beginning, or \"winner\"")
      ->required()
      ->type_name("ID");
  why->add_flag("--prompt", options.show_prompt, "print what its agent was asked, as it was sent");
  why->add_flag("--reply", options.show_reply, "print what came back, as it came");
  add_output(*why, options);
}

void define_ship(CLI::App& app, Options& options, Raw& raw) {
  CLI::App* const ship =
      app.add_subcommand("ship", "make a package of winners, to be used with one line");
  ship->add_option("runs", options.runs, "runs, as for other commands")
      ->required()
      ->type_name("RUN");
  ship->add_option("--out", options.out, "the folder to make (default: the package's name)")
      ->type_name("DIR");
  ship->add_option("--name", options.package_name, "of the package (default: fast_TASK)")
      ->type_name("NAME");
  ship->add_option("--sandbox", options.sandbox, "where it is proved: bwrap (default), none")
      ->check(CLI::IsMember({"bwrap", "none"}).description(""))
      ->type_name("KIND");
  add_machine(*ship, options);
  add_output(*ship, options);
  CLI::App* const recheck =
      app.add_subcommand("recheck", "judge a shipped package again, on this machine and torch");
  recheck->add_option("package", options.package, "the folder that ship made")
      ->required()
      ->type_name("PACKAGE");
  recheck->add_flag("--trust", options.trust,
                    "what is faster here too may run here: notes it in the package");
  recheck
      ->add_option("--import-root", options.task.import_root,
                   "directory to import the tasks' modules from")
      ->type_name("DIR");
  recheck
      ->add_option("--weights", options.task.weights,
                   "state dict that the original is given (default: the run's, if it is there)")
      ->type_name("FILE");
  add_judging(*recheck, options, raw);
  add_output(*recheck, options);
}

void define_small_commands(CLI::App& app, Options& options) {
  CLI::App* const doctor = app.add_subcommand("doctor", "what this machine can do, what it lacks");
  doctor->add_option("--python", options.python, "interpreter to look at")->type_name("FILE");
  add_output(*doctor, options);
  add_output(*app.add_subcommand("tasks", "list the tasks that come with Cupel"), options);
  add_output(*app.add_subcommand("version", "print the version"), options);
  CLI::App* const completion = app.add_subcommand("completion", "print a completion script");
  completion->add_option("shell", options.shell, "bash")
      ->required()
      ->check(CLI::IsMember({"bash"}).description(""))
      ->type_name("SHELL");
}

void define(CLI::App& app, Options& options, Raw& raw) {
  app.description(k_intro);
  app.require_subcommand(1);
  app.get_formatter()->column_width(k_help_column);
  app.get_formatter()->label("REQUIRED", "");
  app.set_help_flag("-h,--help", "this text");
  app.set_version_flag("--version", "cupel " CUPEL_VERSION, "print the version");
  define_optimize(app, options, raw);
  define_suite(app, options, raw);
  define_estimate(app, options, raw);
  define_judge(app, options, raw);
  define_lint(app, options, raw);
  define_rewrite(app, options, raw);
  define_profile(app, options, raw);
  define_prompt(app, options, raw);
  define_capture(app, options);
  define_run_commands(app, options);
  define_compare(app, options, raw);
  define_ship(app, options, raw);
  define_small_commands(app, options);
  app.footer(footer());  // last, since commands inherit what stands here when they are added
}

Status translate(const Raw& raw, Options& options) {
  if (!raw.policy.empty()) {
    CUPEL_TRY(options.policy, parse_policy(raw.policy));
  }
  if (!raw.mode.empty()) {
    CUPEL_TRY(options.task.mode, parse_mode(raw.mode));
  }
  if (!raw.metric.empty()) {
    CUPEL_TRY(options.metric, parse_metric(raw.metric));
  }
  CUPEL_TRY(options.effort, parse_effort(raw.effort));
  CUPEL_TRY(options.budgets, parse_budgets(raw.budgets));
  if (!raw.time_limit.empty()) {
    CUPEL_TRY(options.time_limit_s, parse_seconds(raw.time_limit, 1, "--time-limit"));
  }
  return {};
}

std::string help_hint(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? "see cupel --help"
                        : "see cupel " + chosen.front()->get_name() + " --help";
}

tl::unexpected<Error> usage_error(const CLI::App& app, const CLI::ParseError& problem,
                                  std::string_view first_word) {
  const bool no_command = app.get_subcommands().empty();
  const bool a_word = !first_word.empty() && first_word.front() != '-';
  const std::string what = no_command && a_word
                               ? "there is no command '" + std::string(first_word) + "'"
                               : std::string(problem.what());
  return input_error(what, "command line", help_hint(app));
}

}  // namespace

Result<Parsed> parse_command_line(int argc, const char* const* argv) {
  CLI::App app;
  Parsed parsed;
  Raw raw;
  define(app, parsed.options, raw);
  app.name("cupel");
  if (argc < 2) return Parsed{{}, app.help()};
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    parsed.text = app.help();
    return parsed;
  } catch (const CLI::CallForVersion& version) {
    parsed.text = std::string(version.what()) + "\n";
    return parsed;
  } catch (const CLI::ParseError& problem) {
    return usage_error(app, problem, argv[1]);
  }
  parsed.options.command = app.get_subcommands().front()->get_name();
  parsed.options.passed_on = app.get_subcommands().front()->remaining();
  CUPEL_TRY_STATUS(translate(raw, parsed.options));
  return parsed;
}

std::string bash_completion() {
  CLI::App app;
  Options options;
  Raw raw;
  define(app, options, raw);
  return completion_script(app);
}

}  // namespace cupel::cli
