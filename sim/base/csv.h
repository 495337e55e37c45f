// Comma-separated text after RFC 4180: quoted cells may hold commas, doubled quotes and line ends.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/base/result.h"

namespace quintet {

struct CsvRow {
  int line = 0;  // of the file, where the row begins; the first is 1
  std::vector<std::string> cells;
  bool operator==(const CsvRow&) const = default;
};

// Every row, the header too. Empty lines are left out. Errors name file, line and column: a quote
// inside an unquoted cell, text after a closing quote, a quote that never closes.
Result<std::vector<CsvRow>> parse_csv(const std::string& text, const std::string& file);

// A cell as it is written: in quotes where it must be.
std::string csv_cell(const std::string& text);

// A finite number that fills the cell.
std::optional<double> csv_number(const std::string& cell);

}  // namespace quintet
