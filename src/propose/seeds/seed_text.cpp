#include "propose/seeds/seed_text.h"

#include <fmt/format.h>

namespace cupel::propose {
namespace {

std::string joined(const std::vector<Words>& words, std::string_view Words::*part,
                   std::string_view separator) {
  std::string text;
  for (const Words& word : words) {
    if (!text.empty()) text += separator;
    text += word.*part;
  }
  return text;
}

}  // namespace

Words words_of(Layout layout) {
  switch (layout) {
    case Layout::channels_last:
      return {"channels_last", "channels_last"};
    case Layout::channels_last_3d:
      return {"channels_last_3d", "channels_last_3d"};
    case Layout::as_is:
      break;
  }
  return {};
}

std::string name_from(const std::vector<Words>& words) {
  return joined(words, &Words::name, "+");
}

std::string label_from(const std::vector<Words>& words) {
  return joined(words, &Words::label, ", ");
}

// Module.to(memory_format=...) raises where a parameter has another count of dimensions.
std::string layout_line(Layout layout) {
  if (layout == Layout::as_is) return "";
  return fmt::format(
      "        for tensor in [*self.parameters(), *self.buffers()]:\n"
      "            if tensor.dim() == {}:\n"
      "                tensor.data = tensor.data.contiguous(memory_format=torch.{})\n",
      layout == Layout::channels_last_3d ? 5 : 4, words_of(layout).name);
}

std::string prepare_method(const std::string& lines, std::string_view base) {
  if (lines.empty()) return "";
  return std::string(
             "    def prepare(self):\n"
             "        \"\"\"Call once, after the weights are loaded.\"\"\"\n") +
         (base == "Model" ? "" : "        super().prepare()\n") + lines + "\n";
}

std::string switches_class(const std::vector<Switch>& switches) {
  if (switches.empty()) return "";
  std::string reads, sets, puts_back;
  for (std::size_t i = 0; i < switches.size(); ++i) {
    const Switch& one = switches[i];
    reads += fmt::format("{}{}", i ? ", " : "", one.read);
    const auto set_to = [&one](const std::string& value) {
      return "        " + fmt::format(fmt::runtime(one.set), value) + "\n";
    };
    sets += set_to(std::string(one.value));
    puts_back += set_to(fmt::format("self.before[{}]", i));
  }
  return fmt::format(
      "\nclass SeedSwitches:\n"
      "    \"\"\"These hold for the whole process, so for the time of a call alone.\"\"\"\n\n"
      "    def __enter__(self):\n"
      "        self.before = [{}]\n{}\n"
      "    def __exit__(self, *problem):\n{}\n",
      reads, sets, puts_back);
}

std::string file_text(const SeedFile& file) {
  return fmt::format(
      "# Free variant \"{name}\": {label}.\n"
      "# First the task's own source as it is, then ModelNew.\n"
      "{task}\n\n"
      "# --- {name} ---\n\n"
      "{imports}\n{functions}\n"
      "class ModelNew({base}):\n"
      "    \"\"\"{label}.\"\"\"\n{members}",
      fmt::arg("name", file.name), fmt::arg("label", file.label), fmt::arg("base", file.base),
      fmt::arg("task", file.task_source), fmt::arg("imports", file.imports),
      fmt::arg("functions", file.functions),
      fmt::arg("members", file.members.empty() ? "" : "\n" + file.members));
}

}  // namespace cupel::propose
