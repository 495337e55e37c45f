// A report before it is text, a page or Markdown. Pages are for a browser and need nothing but
// themselves: no script, no file from elsewhere.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/text_table.h"

namespace quintet {

// With <, >, & and " as HTML writes them.
std::string html_escaped(const std::string& text);

// A table of text; the first row names the columns. `cells` are HTML, <td> and all, in place of
// those at a row and a column. Nothing without rows.
std::string html_table(
    const std::vector<TextRow>& rows,
    const std::map<std::pair<std::size_t, std::size_t>, std::string>& cells = {});

// `title` is text, and the first heading too; `style` is CSS that the page has beyond what all
// have; `body` is HTML.
std::string html_page(const std::string& title, const std::string& style, const std::string& body);

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

// The body of a page (html_page()).
std::string report_html(const std::vector<ReportSection>& sections);

// Tables with their first column to the left; a | in a cell becomes /, for it would end the cell.
std::string report_markdown(const std::vector<ReportSection>& sections);

}  // namespace quintet
