#include "measure/call/result_tree.h"

#include <optional>

namespace cupel::measure {
namespace {

// How the parts of a container are read: by places, by keys, by names that are attributes.
struct Container {
  char closes = '\0';  // none: no container begins here
  bool places = false;
  bool keys = false;
  bool attributes = false;

  bool has_names() const { return keys || attributes; }
  bool serves_as(const Container& other) const {
    return places >= other.places && keys >= other.keys && attributes >= other.attributes;
  }
};

// A place in the text of a tree.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool ended() const { return rest_.empty(); }
  char next() const { return rest_.empty() ? '\0' : rest_.front(); }
  bool take(char expected) {
    const bool there = !rest_.empty() && rest_.front() == expected;
    if (there) rest_.remove_prefix(1);
    return there;
  }
  Container take_opening() {
    if (take('[')) return {']', true, false, false};
    if (take('(')) return {')', true, false, true};
    if (take('<')) return {'>', false, false, true};
    if (take('{')) return {'}', false, true, take('@')};
    return {};
  }
  // Of an entry, up to its colon; nothing where none is there.
  std::optional<std::string_view> take_name() {
    const std::size_t colon = rest_.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const std::string_view name = rest_.substr(0, colon);
    rest_.remove_prefix(colon + 1);
    return name;
  }

 private:
  std::string_view rest_;
};

// As deep as `want`, which is the referee's.
bool value_serves(Reader& got, Reader& want);

bool entry_serves(Reader& got, const Container& of_got, Reader& want, const Container& of_want) {
  const auto name = of_got.has_names() ? got.take_name() : std::string_view();
  if (!name || (of_want.has_names() && want.take_name() != name)) return false;
  return value_serves(got, want);
}

bool value_serves(Reader& got, Reader& want) {
  const Container of_want = want.take_opening();
  if (of_want.closes == '\0') {
    const char leaf = want.next();
    return want.take(leaf) && got.take(leaf);
  }
  const Container of_got = got.take_opening();
  if (of_got.closes == '\0' || !of_got.serves_as(of_want)) return false;
  while (!want.take(of_want.closes)) {
    if (!entry_serves(got, of_got, want, of_want)) return false;
    if (want.take(',') != got.take(',')) return false;
  }
  return got.take(of_got.closes);
}

}  // namespace

bool serves_as(std::string_view got, std::string_view want) {
  Reader given(got);
  Reader wanted(want);
  return value_serves(given, wanted) && given.ended() && wanted.ended();
}

}  // namespace cupel::measure
