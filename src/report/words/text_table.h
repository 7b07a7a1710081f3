// Aligned columns for a terminal.
#pragma once

#include <string>
#include <vector>

#include "report/words/style.h"

namespace cupel::report {

struct Column {
  enum class Align { left, right };
  std::string title;
  Align align = Align::left;
  bool flexible = false;  // cut first when the table is too wide
};

// Rows of cells; a row may be shorter than the header. A cell may be coloured after it is laid
// out, so colours never disturb the alignment.
class TextTable {
 public:
  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add_row(std::vector<std::string> cells, Color color = Color::plain);
  bool empty() const { return rows_.empty(); }
  // Two spaces between columns, `indent` before the first; a header unless all titles are empty.
  std::string str(const Style& style, std::size_t indent = 0) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    Color color;
  };
  std::vector<std::size_t> widths(std::size_t room) const;
  std::string line(const std::vector<std::string>& cells,
                   const std::vector<std::size_t>& widths) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace cupel::report
