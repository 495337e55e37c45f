// Pages for a browser that need nothing but themselves: no script, no file from elsewhere.
#pragma once

#include <string>
#include <vector>

#include "sim/base/text_table.h"

namespace quintet {

// With <, >, & and " as HTML writes them.
std::string html_escaped(const std::string& text);

std::string html_cell(const std::string& text);
// What its rows follow, and what follows them.
std::string html_table_begin(const TextRow& columns);
std::string html_table_end();
// Of text alone; the first row names the columns.
std::string html_table(const std::vector<TextRow>& rows);

// `title` is text, and the first heading too; `style` is CSS that the page has beyond what all
// have; `body` is HTML.
std::string html_page(const std::string& title, const std::string& style, const std::string& body);

}  // namespace quintet
