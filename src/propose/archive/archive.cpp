#include "propose/archive/archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/files.h"
#include "base/hash.h"
#include "propose/archive/task_words.h"
#include "propose/cut.h"

namespace cupel::propose {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr int k_format = 1;
constexpr std::string_view k_suffix = ".json";
constexpr std::size_t k_notes_max = 16;

// --- files --------------------------------------------------------------------------------------

std::string encode_winner(const Winner& winner) {
  const Json json = {{"format", k_format},
                     {"task_id", winner.task_id},
                     {"task_name", winner.task_name},
                     {"words", winner.words},
                     {"shapes", winner.shapes},
                     {"policy", to_string(winner.policy)},
                     {"device", winner.device},
                     {"verdict", winner.verdict},
                     {"best_free", winner.best_free},
                     {"over_eager", winner.over_eager},
                     {"over_free", winner.over_free},
                     {"candidate_id", winner.candidate_id},
                     {"source", winner.source},
                     {"makings", winner.makings}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Throws nlohmann's exceptions.
Winner winner_of(const Json& json) {
  Winner winner;
  winner.task_id = json.at("task_id").get<std::string>();
  winner.task_name = json.at("task_name").get<std::string>();
  winner.words = json.at("words").get<std::set<std::string>>();
  winner.shapes = json.at("shapes").get<std::vector<std::string>>();
  winner.device = json.at("device").get<std::string>();
  winner.verdict = json.at("verdict").get<std::string>();
  winner.best_free = json.at("best_free").get<std::string>();
  winner.over_eager = json.at("over_eager").get<double>();
  winner.over_free = json.at("over_free").get<double>();
  winner.candidate_id = json.at("candidate_id").get<std::string>();
  winner.source = json.at("source").get<std::string>();
  winner.makings = json.value("makings", "");
  return winner;
}

Result<Winner> decode_winner(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    if (json.at("format").get<int>() > k_format) {
      return input_error("it was written by a newer Cupel");
    }
    Winner winner = winner_of(json);
    CUPEL_TRY(winner.policy, parse_policy(json.at("policy").get<std::string>()));
    return winner;
  } catch (const Json::exception& problem) {
    return input_error(std::string("it is malformed: ") + problem.what());
  }
}

std::vector<fs::path> files_in(const fs::path& directory) {
  std::vector<fs::path> paths;
  std::error_code failure;
  for (fs::directory_iterator at(directory, failure), end; !failure && at != end;
       at.increment(failure)) {
    if (at->path().extension() == k_suffix) paths.push_back(at->path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

Result<Winner> read_winner(const fs::path& path) {
  CUPEL_TRY(const std::string text, read_file(path, k_winner_bytes_max));
  return decode_winner(text);
}

// --- what is learned ----------------------------------------------------------------------------

// What it is made of: "cpp_kernel, lower precision".
std::string makings_of(const std::vector<Label>& labels) {
  std::string makings;
  for (const Label& one : labels) makings += (makings.empty() ? "" : ", ") + one.label;
  return makings;
}

double ratio_over(const Judged& winner, const Judged* best_free) {
  const auto& ratios = winner.verdict.ratios;
  if (best_free == nullptr || ratios.empty()) return 0;
  for (const Ratio& ratio : ratios) {
    if (ratio.over_id == best_free->candidate.id) return ratio.ratio;
  }
  const auto& free_ratios = best_free->verdict.ratios;
  return free_ratios.empty() || free_ratios[0].ratio <= 0 ? 0
                                                          : ratios[0].ratio / free_ratios[0].ratio;
}

std::string lesson_line(const Winner& winner) {
  std::string shapes;
  for (const std::string& shape : winner.shapes) shapes += " " + shape;
  const bool free = winner.over_free > 0;
  const std::string gain = free ? fmt::format("{:.2f}x over {}", winner.over_free, winner.best_free)
                                : fmt::format("{:.2f}x over eager", winner.over_eager);
  const std::string by = winner.makings.empty() ? "" : ", by " + winner.makings;
  return one_line(fmt::format("{}{}, {}: {}{}", winner.task_name, one_line(shapes, 80),
                              to_string(winner.policy), gain, one_line(by, 160)),
                  k_lesson_bytes_max);
}

// --- similarity ---------------------------------------------------------------------------------

using Weights = std::map<std::string, double>;

Weights weights_of(const Archive& archive) {
  Weights counts;
  for (const Winner& winner : archive.winners) {
    for (const std::string& word : winner.words) counts[word] += 1;
  }
  const auto all = static_cast<double>(archive.winners.size());
  for (auto& [word, count] : counts) count = std::log(1 + all / count);
  return counts;
}

double likeness(const std::set<std::string>& one, const std::set<std::string>& other,
                const Weights& weights, double weight_of_new) {
  const auto weight = [&](const std::string& word) {
    const auto found = weights.find(word);
    return found == weights.end() ? weight_of_new : found->second;
  };
  double shared = 0, all = 0;
  for (const std::string& word : one) {
    all += weight(word);
    if (other.contains(word)) shared += weight(word);
  }
  for (const std::string& word : other) {
    if (!one.contains(word)) all += weight(word);
  }
  return all > 0 ? shared / all : 0;
}

bool comes_first(const Similar& a, const Similar& b) {
  if (a.similarity != b.similarity) return a.similarity > b.similarity;
  return a.winner->over_eager > b.winner->over_eager;
}

}  // namespace

Winner make_winner(const Task& task, const TaskFacts& facts, Policy policy,
                   const std::string& device, const Judged& winner, const Judged* best_free,
                   const std::vector<Label>& labels) {
  Winner kept;
  kept.makings = makings_of(labels);
  kept.task_id = task.id;
  kept.task_name = task.name;
  kept.words = words_of_task(task, facts);
  for (const TensorSpec& input : facts.inputs) kept.shapes.push_back(describe(input));
  kept.policy = policy;
  kept.device = device;
  kept.verdict = winner.verdict.headline();
  if (best_free != nullptr) kept.best_free = best_free->candidate.label;
  if (!winner.verdict.ratios.empty()) kept.over_eager = winner.verdict.ratios.front().ratio;
  kept.over_free = ratio_over(winner, best_free);
  kept.candidate_id = winner.candidate.id;
  kept.source = winner.candidate.source;
  return kept;
}

Result<fs::path> store(const fs::path& directory, const Winner& winner) {
  const std::string text = encode_winner(winner);
  if (text.size() > k_winner_bytes_max) {
    return input_error(fmt::format("the winner has {} bytes, at most {} are kept", text.size(),
                                   k_winner_bytes_max),
                       winner.task_name);
  }
  CUPEL_TRY_STATUS(make_directories(directory));
  fs::path path = directory / (sha256_hex(text) + std::string(k_suffix));
  CUPEL_TRY_STATUS(write_file_atomic(path, text));
  return path;
}

Archive load_archive(const fs::path& directory) {
  Archive archive;
  std::size_t bytes = 0;
  for (const fs::path& path : files_in(directory)) {
    if (archive.winners.size() == k_winners_max || bytes > k_archive_bytes_max) {
      archive.notes.push_back("the archive is full: " + path.string() + " and others are left out");
      break;
    }
    auto winner = read_winner(path);
    if (winner) {
      bytes += winner->source.size();
      archive.winners.push_back(std::move(*winner));
    } else if (archive.notes.size() < k_notes_max) {
      archive.notes.push_back("left out " + path.string() + ": " + winner.error().what);
    }
  }
  return archive;
}

std::vector<Similar> most_similar(const Archive& archive, const Task& task, const TaskFacts& facts,
                                  const std::string& device, std::size_t count) {
  const std::set<std::string> words = words_of_task(task, facts);
  const Weights weights = weights_of(archive);
  const double weight_of_new = std::log(1 + static_cast<double>(archive.winners.size()));
  std::vector<Similar> alike;
  for (const Winner& winner : archive.winners) {
    if (winner.device != device) continue;
    const double similarity = likeness(words, winner.words, weights, weight_of_new);
    if (similarity >= k_similarity_min) alike.push_back({&winner, similarity});
  }
  std::stable_sort(alike.begin(), alike.end(), comes_first);
  std::set<std::string> tasks;
  std::erase_if(alike,
                [&](const Similar& one) { return !tasks.insert(one.winner->task_id).second; });
  if (alike.size() > count) alike.resize(count);
  return alike;
}

std::vector<std::string> lessons_for(const Archive& archive, const Task& task,
                                     const TaskFacts& facts, const std::string& device,
                                     std::size_t count) {
  std::vector<std::string> lessons;
  for (const Similar& one : most_similar(archive, task, facts, device, count)) {
    lessons.push_back(lesson_line(*one.winner));
  }
  return lessons;
}

}  // namespace cupel::propose
