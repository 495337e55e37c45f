// Where a measured step differs from the predicted one: what `quintet compare` does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "quintet/export.h"
#include "quintet/predict.h"
#include "quintet/timeline.h"

namespace quintet::api {

struct ComparedPart {
  std::string name;
  std::int64_t predicted_ps = 0, measured_ps = 0;
  bool operator==(const ComparedPart&) const = default;
};

// The parts of each list sum to the step exactly, on both sides.
struct Comparison {
  ComparedPart step;
  std::vector<ComparedPart> causes;  // the largest difference first, each a sentence
  std::vector<ComparedPart> stack;   // by layer of the stack
  std::vector<ComparedPart> layers;  // by layer of the model
  std::vector<ComparedPart> axes;    // by work and axis
  std::string json, text, html;      // as `quintet compare` prints and writes them
};

// Throws Failure where the two are not of one program.
QUINTET_API Comparison compare(const Prediction& predicted, const Trace& measured);
QUINTET_API Comparison compare(const Trace& predicted, const Trace& measured);

}  // namespace quintet::api
