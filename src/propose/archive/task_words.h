// What a task is about, as words that tasks can be compared by.
#pragma once

#include <set>
#include <string>

#include "model/task.h"

namespace cupel::propose {

// Operations ("softmax", "linear", "matmul"), ranks and sizes in powers of four ("last:4^5"), and
// dtypes. Read off the source's text; the same words for nn.Softmax, F.softmax and x.softmax.
std::set<std::string> words_of_task(const Task& task, const TaskFacts& facts);

}  // namespace cupel::propose
