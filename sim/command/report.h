// What `quintet simulate` prints: text for people, JSON and CSV for programs.
#pragma once

#include <string>
#include <vector>

#include "sim/answer/answer.h"
#include "sim/base/result.h"
#include "sim/answer/busiest_links.h"
#include "sim/simulate/predict.h"

namespace quintet {

struct NamedPrediction {
  std::string name;
  Prediction prediction;
  std::vector<BusyLinks> busiest;
  Answer answer;
};

// A plan that could not be answered.
struct BadPlan {
  std::string file;
  Error error;
};

struct ReportInput {
  std::string model;  // "llama-3-70b, 70.55 billion parameters"
  std::string topology;
  std::string costs;
  std::string stack;      // empty: none was named
  std::string residuals;  // where those of published steps are from; empty: there are none
  std::vector<NamedPrediction> plans;
  std::vector<BadPlan> bad;
  std::vector<std::string> faults = {};  // of the machine (Topology::faults)
  bool money = false;                    // its tables are wanted
};

enum class MemoryShown { most_telling, all };

// A head per plan, those that do not fit last and marked; of several plans a table that compares
// them; then where the time goes, what fills the memory, which links are busy. Six plans and more:
// a row each. The memory table has the fullest, the first and the last stage, unless all are asked
// for or few. Where all plans' names begin alike, columns carry only the ends in which they differ.
std::string report_text(const ReportInput& input, MemoryShown memory);

// docs/schema/simulate.json: {"schema_version": 2, "model", "topology", "costs", "stack",
//  "summary": [...], "breakdown": [...] in picoseconds, "intervals": [{"nominal", "low_s",
//  "high_s", "known_share", "outside"}] by the cost table's own errors alone, "memory": [...] in
//  bytes, "busiest_links": [...], "errors": [...]}; an entry per plan in each, in the order given.
std::string report_json(const ReportInput& input);

// A line per plan (plan_rows_csv).
std::string report_csv(const ReportInput& input);

// The names without the words that all of them begin with; unchanged where one would be left empty.
std::vector<std::string> distinct_ends(const std::vector<std::string>& names);

}  // namespace quintet
