// Winners across runs: what beat every free variant, on which task, and what was learned. One JSON
// file each in a directory of the caller's, named by its content.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/label.h"
#include "model/run.h"

namespace cupel::propose {

// More than these are not read; a note says so. Typical winners have some 10 KB.
inline constexpr std::size_t k_winners_max = 2048;
inline constexpr std::size_t k_winner_bytes_max = 512 << 10;  // of one file
inline constexpr std::size_t k_archive_bytes_max = 64 << 20;  // of all sources
inline constexpr std::size_t k_lesson_bytes_max = 320;

struct Winner {
  std::string task_id;
  std::string task_name;
  std::set<std::string> words;      // what the task is about (task_words.h)
  std::vector<std::string> shapes;  // "f32[512,1024]": of the inputs, for people
  Policy policy = Policy::eager;
  std::string device;     // "cpu" or "cuda"
  std::string verdict;    // "faster 7.08x [6.38, 8.06]"
  std::string best_free;  // its label; empty: none was judged
  double over_eager = 0;  // ratios; 0: unknown
  double over_free = 0;
  std::string candidate_id;
  std::string source;
  std::string makings;  // "cpp_kernel, lower precision": its labels; empty: not known
};

// What is kept of a run's winner. `best_free` may be null; `labels`: the winner's.
Winner make_winner(const Task& task, const TaskFacts& facts, Policy policy,
                   const std::string& device, const Judged& winner, const Judged* best_free,
                   const std::vector<Label>& labels);

// Writes one file, which appears whole or not at all; the same winner twice is one file. Safe
// beside other writers and readers. Makes the directory. Returns the file's path.
Result<std::filesystem::path> store(const std::filesystem::path& directory, const Winner& winner);

struct Archive {
  std::vector<Winner> winners;     // in the order of their files' names
  std::vector<std::string> notes;  // a sentence for each file that could not be read
};
// A directory that is not there is an empty archive.
Archive load_archive(const std::filesystem::path& directory);

// How alike two tasks are: the weight of the words that both have over the weight of those that
// either has, a word's weight being log(1 + N / how many winners' tasks have it). 0 to 1.
struct Similar {
  const Winner* winner;  // of the archive
  double similarity = 0;
};
// The `count` most alike of the same device, most alike first; among equals the faster. At most one
// a task, the fastest; the task itself counts. Below k_similarity_min nothing is alike.
inline constexpr double k_similarity_min = 0.15;
std::vector<Similar> most_similar(const Archive& archive, const Task& task, const TaskFacts& facts,
                                  const std::string& device, std::size_t count);

// What they teach, for a prompt: "mish_gate f32[512,1024], eager: 6.30x over torch.compile, by
// cpp_kernel, lower precision". Measured, or found by our own scan (model/label.h): a winner's
// words, which may be anybody's, do not reach the prompts of other tasks.
std::vector<std::string> lessons_for(const Archive& archive, const Task& task,
                                     const TaskFacts& facts, const std::string& device,
                                     std::size_t count);

}  // namespace cupel::propose
