// A curve through the times of one collective over sizes.
//
// Knots a factor of two or four apart in size, between which log time is linear in log size, as
// CollectiveCurve has it. The knots are least absolute deviations of log time (a time ten times too
// long pulls no more than one that is 10 % off), with a penalty on bends; spacing and penalty are
// those that predict every fourth of the given sizes best from the others. Times then are made to
// rise: neighbours that fall are pooled.
// Sweeps of one algorithm and protocol, where the file names them, stay apart: each has its own
// curve. Which of them NCCL would choose is for sim/ccl's tuner.
#pragma once

#include <string>
#include <vector>

#include "calibrate/fit/fit_quality.h"
#include "calibrate/fit/measurements.h"
#include "sim/cost/cost_table.h"

namespace quintet::calibrate {

// The sizes of one collective on one system with one algorithm, rising; the median of equal sizes.
struct Sweep {
  CollectiveSample which;  // but size and time
  std::vector<CurvePoint> points;
};

// In the order of their first samples; those of `least` sizes or more.
std::vector<Sweep> sweeps(const std::vector<CollectiveSample>& samples, std::size_t least = 8);

struct SweepFit {
  std::vector<CurvePoint> points;  // knots: two or more, rising
  FitQuality quality;
  std::vector<double> held_out_errors;  // |fit / measured - 1| of each size
  Bytes from, to;                       // the sizes it holds for
};
SweepFit fit_sweep(const std::vector<CurvePoint>& points);

// "latency 12.3 us, 181 GB/s": time at the smallest size, size over time at the largest.
std::string ends_text(const SweepFit& fit);

}  // namespace quintet::calibrate
