// Pages for a browser that need nothing but themselves: no script, no file from elsewhere.
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

}  // namespace quintet
