#include "report/words/text_table.h"

#include <algorithm>
#include <numeric>

#include "base/result.h"

namespace cupel::report {
namespace {

constexpr std::size_t k_gap = 2;
constexpr std::size_t k_flexible_min = 12;  // a flexible column is never narrower

std::string padded(const std::string& text, std::size_t width, Column::Align align) {
  const std::string kept = cut(text, width);
  const std::string space(width - display_width(kept), ' ');
  return align == Column::Align::right ? space + kept : kept + space;
}

}  // namespace

void TextTable::add_row(std::vector<std::string> cells, Color color) {
  CUPEL_CHECK(cells.size() <= columns_.size());
  rows_.push_back({std::move(cells), color});
}

std::vector<std::size_t> TextTable::widths(std::size_t room) const {
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) widths.push_back(display_width(column.title));
  for (const Row& row : rows_) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row.cells[i]));
    }
  }
  const std::size_t total =
      std::accumulate(widths.begin(), widths.end(), std::size_t{0}) + k_gap * (columns_.size() - 1);
  std::size_t excess = total > room ? total - room : 0;
  for (std::size_t i = 0; i < columns_.size() && excess > 0; ++i) {
    if (!columns_[i].flexible || widths[i] <= k_flexible_min) continue;
    const std::size_t taken = std::min(excess, widths[i] - k_flexible_min);
    widths[i] -= taken;
    excess -= taken;
  }
  return widths;
}

std::string TextTable::line(const std::vector<std::string>& cells,
                            const std::vector<std::size_t>& widths) const {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) text.append(k_gap, ' ');
    text += padded(cells[i], widths[i], columns_[i].align);
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::string TextTable::str(const Style& style, std::size_t indent) const {
  const std::string margin(indent, ' ');
  const std::size_t width = static_cast<std::size_t>(std::max(style.width, 40));
  const auto widths = this->widths(width - indent);
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  const std::string header = line(titles, widths);
  std::string text;
  if (!header.empty()) text = margin + paint(style, Color::dim, header) + "\n";
  for (const Row& row : rows_)
    text += margin + paint(style, row.color, line(row.cells, widths)) + "\n";
  return text;
}

}  // namespace cupel::report
