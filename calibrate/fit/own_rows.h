// Which measurements are of a table's card.
#pragma once

#include <string>
#include <vector>

#include "calibrate/fit/measurements.h"

namespace quintet::calibrate {

// Whether a row of that GPU is about the table's: words in any order ("A100-80GB-SXM" is
// A100-SXM-80GB); a name may leave words out.
bool is_same_gpu(const std::string& row, const std::string& table);

struct OwnRows {
  Measurements own;
  int others = 0;                       // rows that are not
  std::vector<std::string> other_gpus;  // theirs, each once
};
OwnRows own_rows(Measurements measurements, const std::string& gpu);

// "H100-SXM; A100-SXM-80GB; ...": of many the first.
std::string list_of(const std::vector<std::string>& names);

}  // namespace quintet::calibrate
