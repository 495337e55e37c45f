// A report before it is text, a page or Markdown.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/text_table.h"

namespace quintet {

// Any part may be empty.
struct ReportSection {
  std::string title;
  std::vector<std::string> sentences{};  // one a line
  std::vector<TextRow> table{};          // the first row names the columns
  // What only a page shows, in HTML: a drawing before the table, and whole cells in place of those
  // at a row and a column.
  std::string drawing{};
  std::map<std::pair<std::size_t, std::size_t>, std::string> cells{};
};

// For a terminal: an empty line between sections, columns aligned.
std::string report_text(const std::vector<ReportSection>& sections);

// The body of a page (html_page.h).
std::string report_html(const std::vector<ReportSection>& sections);

// Tables with their first column to the left; a | in a cell becomes /, for it would end the cell.
std::string report_markdown(const std::vector<ReportSection>& sections);

}  // namespace quintet
