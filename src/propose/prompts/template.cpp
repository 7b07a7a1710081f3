#include "propose/prompts/template.h"

#include <fmt/format.h>

#include <vector>

#include "base/files.h"
#include "propose/python_text.h"

namespace cupel::propose {
namespace {

constexpr auto npos = std::string_view::npos;
constexpr std::size_t k_template_bytes_max = 64 << 10;
// Files include parts, parts hardly ever others; a file that includes itself ends here.
constexpr int k_depth_max = 4;

// One mark: where it stands, what kind it is.
struct Mark {
  std::size_t begin = 0;
  std::size_t end = 0;
  char kind = ' ';  // ' ': a value, '#', '/', '>'
  std::string name;
};

class Renderer {
 public:
  Renderer(const std::filesystem::path& directory, const Values& values)
      : directory_(directory), values_(values) {}

  Result<std::string> render(const std::string& name, int depth) {
    const std::filesystem::path path = directory_ / name;
    CUPEL_TRY(const std::string text, read_file(path, k_template_bytes_max));
    std::string out;
    std::vector<Mark> sections;
    std::size_t at = 0;
    while (true) {
      const std::size_t begin = text.find("{{", at);
      const bool shown = is_shown(sections);
      if (shown) out.append(text, at, begin == npos ? npos : begin - at);
      if (begin == npos) break;
      const Place place{path, line_number(text, begin)};
      CUPEL_TRY(const Mark mark, read_mark(text, begin, place));
      CUPEL_TRY_STATUS(take(mark, place, shown, depth, sections, out));
      at = mark.end;
    }
    if (sections.empty()) return out;
    return input_error(
        "the section {{#" + sections.back().name + "}} is never closed",
        fmt::format("{}:{}", path.string(), line_number(text, sections.back().begin)));
  }

 private:
  struct Place {
    std::filesystem::path path;
    int line;
    std::string text() const { return fmt::format("{}:{}", path.string(), line); }
  };

  bool is_shown(const std::vector<Mark>& sections) const {
    for (const Mark& section : sections) {
      if (values_.at(section.name).empty()) return false;
    }
    return true;
  }

  static Result<Mark> read_mark(std::string_view text, std::size_t begin, const Place& place) {
    const std::size_t close = text.find("}}", begin);
    if (close == npos || text.substr(begin, close - begin).find('\n') != npos) {
      return input_error("a mark that begins with '{{' is never closed", place.text());
    }
    Mark mark{begin, close + 2, ' ',
              std::string(trimmed(text.substr(begin + 2, close - begin - 2)))};
    if (mark.name.empty()) return input_error("an empty mark {{}}", place.text());
    if (std::string_view("#/>").find(mark.name[0]) == npos) return mark;
    mark.kind = mark.name[0];
    mark.name.erase(0, 1);
    const bool at_margin = begin == 0 || text[begin - 1] == '\n';
    if (at_margin && mark.end < text.size() && text[mark.end] == '\n') ++mark.end;
    return mark;
  }

  Status take(const Mark& mark, const Place& place, bool shown, int depth,
              std::vector<Mark>& sections, std::string& out) {
    switch (mark.kind) {
      case '#':
        return open(mark, place, sections);
      case '/':
        return close(mark, place, sections);
      case '>':
        return shown ? include(mark, place, depth, out) : Status();
      default:
        return shown ? fill(mark, place, out) : known(mark, place);
    }
  }

  Status known(const Mark& mark, const Place& place) const {
    if (values_.contains(mark.name)) return {};
    return input_error("nothing fills the placeholder {{" + mark.name + "}}", place.text(),
                       "docs/agents.md lists the names that are filled");
  }

  Status fill(const Mark& mark, const Place& place, std::string& out) const {
    CUPEL_TRY_STATUS(known(mark, place));
    const std::string& value = values_.at(mark.name);
    if (value.empty()) {
      return input_error("the placeholder {{" + mark.name + "}} has no value in this prompt",
                         place.text(), "put it into a section {{#" + mark.name + "}}");
    }
    out += value;
    return {};
  }

  Status open(const Mark& mark, const Place& place, std::vector<Mark>& sections) const {
    CUPEL_TRY_STATUS(known(mark, place));
    sections.push_back(mark);
    return {};
  }

  static Status close(const Mark& mark, const Place& place, std::vector<Mark>& sections) {
    if (sections.empty() || sections.back().name != mark.name) {
      return input_error("{{/" + mark.name + "}} closes no open section", place.text());
    }
    sections.pop_back();
    return {};
  }

  Status include(const Mark& mark, const Place& place, int depth, std::string& out) {
    if (depth >= k_depth_max)
      return input_error("files include each other too deeply", place.text());
    auto part = render(mark.name, depth + 1);
    if (!part && part.error().where == (directory_ / mark.name).string()) {
      return input_error("cannot include " + mark.name + ": " + part.error().what, place.text());
    }
    if (!part) return fail(part.error());
    out += *part;
    return {};
  }

  const std::filesystem::path& directory_;
  const Values& values_;
};

}  // namespace

Result<std::string> render_template(const std::filesystem::path& directory, const std::string& name,
                                    const Values& values) {
  return Renderer(directory, values).render(name, 0);
}

}  // namespace cupel::propose
