// A text that the first who has one sets, and that any thread reads.
#pragma once

#include <mutex>
#include <string>

namespace cupel {

class FirstText {
 public:
  void set(const std::string& text) {
    const std::lock_guard guard(mutex_);
    if (text_.empty()) text_ = text;
  }
  // "" before.
  std::string get() const {
    const std::lock_guard guard(mutex_);
    return text_;
  }

 private:
  mutable std::mutex mutex_;
  std::string text_;
};

}  // namespace cupel
