// What `quintet simulate` prints: text for people, JSON for programs.
#pragma once

#include <string>
#include <vector>

#include "sim/simulate/predict.h"

namespace quintet {

struct NamedPrediction {
  std::string name;
  Prediction prediction;
};

struct ReportInput {
  std::string model;  // "llama-3-70b, 70.55 billion parameters"
  std::string topology;
  std::string costs;
  std::vector<NamedPrediction> plans;
};

std::string report_text(const ReportInput& input);
std::string report_json(const ReportInput& input);

}  // namespace quintet
