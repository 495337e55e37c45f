// A page of drawings and tables for a browser, a phone or paper: one file, no script, nothing from
// elsewhere.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/base/report.h"
#include "sim/picture/picture.h"

namespace quintet {

// What is known of a thing: {"step", "8761.1 ms; 90 % ..."}.
struct PageFacts {
  std::string title;
  std::vector<std::pair<std::string, std::string>> rows;
};

struct Page {
  std::string title;               // text
  std::vector<std::string> lines;  // what is said first
  std::vector<PageFacts> facts;
  std::vector<Picture> pictures;  // each with a name of its own
  std::vector<ReportSection> tables;
};

std::string page_html(const Page& page);

}  // namespace quintet
