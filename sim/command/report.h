// What `quintet simulate` prints: text for people, JSON for programs.
#pragma once

#include <string>
#include <vector>

#include "sim/command/busiest_links.h"
#include "sim/simulate/predict.h"

namespace quintet {

struct NamedPrediction {
  std::string name;
  Prediction prediction;
  std::vector<BusyLinks> busiest;
};

struct ReportInput {
  std::string model;  // "llama-3-70b, 70.55 billion parameters"
  std::string topology;
  std::string costs;
  std::vector<NamedPrediction> plans;
};

enum class MemoryShown { most_telling, all };

// The memory table has the fullest, the first and the last stage, unless all are asked for or few.
// Where all plans' names begin alike, columns carry only the ends in which they differ.
std::string report_text(const ReportInput& input, MemoryShown memory);

// {"schema_version": 1, "model", "topology", "costs", "summary": [...], "breakdown": [...] in
//  picoseconds, "intervals": [{"nominal", "low_s", "high_s", "known_share", "outside"}],
//  "memory": [...] in bytes, "busiest_links": [...]}; an entry per plan in each.
std::string report_json(const ReportInput& input);

// The names without the words that all of them begin with; unchanged where one would be left empty.
std::vector<std::string> distinct_ends(const std::vector<std::string>& names);

}  // namespace quintet
