#include "completion.h"

#include <CLI/CLI.hpp>
#include <string_view>
#include <utility>

namespace cupel::cli {
namespace {

// What the Python behind a command reads itself.
constexpr std::pair<std::string_view, std::string_view> k_read_elsewhere[] = {
    {"capture", "--out --module --grain --share-min --tasks-max --whole --json --help"},
    {"optimize-model", "--out --minutes --effort --policy --device --threads --grain --help"}};

std::string option_words(const CLI::App& command) {
  std::string words;
  for (const auto& [name, known] : k_read_elsewhere) {
    if (name == command.get_name()) words = known;
  }
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      words += (words.empty() ? "--" : " --") + name;
    }
  }
  return words;
}

constexpr const char* k_head =
    R"(# bash completion for cupel; load with: source <(cupel completion bash)
_cupel() {
  local word="${COMP_WORDS[COMP_CWORD]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
)";

constexpr const char* k_tail = R"(  esac
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}
complete -o filenames -F _cupel cupel
)";

}  // namespace

std::string completion_script(CLI::App& app) {
  std::string names;
  std::string cases;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names += (names.empty() ? "" : " ") + command->get_name();
    cases += "    " + command->get_name() + ") words=\"" + option_words(*command) + "\" ;;\n";
  }
  return k_head + ("    COMPREPLY=($(compgen -W \"" + names + " --help\" -- \"$word\"))\n") +
         "    return\n  fi\n  case \"${COMP_WORDS[1]}\" in\n" + cases + k_tail;
}

}  // namespace cupel::cli
