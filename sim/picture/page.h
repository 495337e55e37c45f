// A page of drawings and tables for a browser, a phone or paper: one file, no script, nothing from
// elsewhere.
#pragma once

#include <string>
#include <vector>

#include "sim/base/report.h"
#include "sim/picture/picture.h"

namespace quintet {

struct Page {
  std::string title;               // text
  std::vector<std::string> lines;  // what is said first
  std::string head;                // as on a terminal, its columns kept; may be empty
  std::vector<Picture> pictures;   // each with a name of its own
  std::vector<ReportSection> tables;
};

std::string page_html(const Page& page);

}  // namespace quintet
