#include "ship/manifest.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/codec.h"

namespace cupel::ship {
namespace {

using nlohmann::json;

// Throws nlohmann's exceptions.
ShippedEntry entry_of(const json& manifest, const json& row) {
  const json& original = manifest.at("originals").at(row.at("original").get<std::string>());
  const json& winner = manifest.at("winners").at(row.at("winner").get<std::string>());
  ShippedEntry entry;
  for (const auto& [name, field] : {std::pair{"id", &entry.id},
                                    {"task", &entry.task},
                                    {"label", &entry.label},
                                    {"shown", &entry.shown},
                                    {"policy", &entry.policy},
                                    {"device", &entry.device}}) {
    row.at(name).get_to(*field);
  }
  original.at("file").get_to(entry.original_file);
  winner.at("file").get_to(entry.winner_file);
  winner.at("candidate_id").get_to(entry.candidate_id);
  read_field(row, "metric", entry.metric);
  read_field(row, "threads", entry.threads);
  read_field(row, "weights_file", entry.weights_file);
  read_field(original, "import_root", entry.import_root);
  // Where these will be looked for and written to.
  static_cast<void>(row.at("machines").get_ref<const json::array_t&>());
  return entry;
}

}  // namespace

Result<std::vector<ShippedEntry>> decode_manifest(std::string_view text) {
  try {
    const json manifest = json::parse(text);
    std::vector<ShippedEntry> entries;
    for (const json& row : manifest.at("entries")) entries.push_back(entry_of(manifest, row));
    return entries;
  } catch (const json::exception& problem) {
    return fail(malformed("manifest of a shipped package", problem));
  }
}

std::string trusting(std::string_view text, std::size_t entry, const Machine& machine) {
  json manifest = json::parse(text);
  json& machines = manifest["entries"][entry]["machines"];
  const json added = {{"device", machine.device}, {"torch", machine.torch}};
  if (std::ranges::find(machines, added) == machines.end()) machines.push_back(added);
  return manifest.dump(1) + "\n";
}

}  // namespace cupel::ship
