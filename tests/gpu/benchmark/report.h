// What a benchmark found, as one line of JSON per figure on standard output: tests/gpu/run reads
// them.
#pragma once

#include <string>

#include "tests/gpu/benchmark/timing.h"

namespace quintet::gpu_tests {

struct Figure {
  std::string group;    // "bandwidth", "gemm", "attention"
  std::string name;     // operator and shape
  std::string by;       // whose kernel
  double work = 0.0;    // bytes or operations of one run
  std::string unit;     // of work per second, in 1e12: "TB/s", "TFLOP/s"
  std::string counted;  // how the work was counted
};

void report(const Figure& figure, const Timing& timing);
void report_left_out(const Figure& figure, const std::string& why);

}  // namespace quintet::gpu_tests
