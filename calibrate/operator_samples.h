// Times of operators, gathered from steps that really ran.
#pragma once

#include <span>
#include <vector>

#include "sim/cost/cost_table.h"
#include "sim/program/program.h"
#include "sim/timeline/timeline.h"

namespace quintet::calibrate {

class OperatorSamples {
 public:
  // A rank's step: for each span (`info` counts the instructions of the program's bodies) what its
  // thread computed. Only compute instructions count.
  void add(const Program& program, std::span<const Span> spans, std::span<const Duration> cpu);

  // Of each operator that was seen, in the order in which they were first.
  std::vector<MeasuredOperator> medians() const;
  // How far samples scatter: the 90th percentile over the median, of all operators together,
  // weighted by their time.
  double scatter() const;

 private:
  struct Samples {
    Operator work;
    std::vector<Duration> times;
  };
  Samples& samples_of(const Operator& work);

  std::vector<Samples> all_;
};

}  // namespace quintet::calibrate
