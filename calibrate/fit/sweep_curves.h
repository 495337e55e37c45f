// Sweeps of collectives as curves of a cost table, and what becomes of each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibrate/fit/sweep_fit.h"
#include "sim/cost/cost_table.h"

namespace quintet::calibrate {

struct FittedCurve {
  CollectiveCurve curve;  // without source
  FitQuality quality;
  CollectiveSample which;
};

struct SweepLine {
  std::string title;  // "all_reduce, 8 ranks, 1 host: latency 12.3 us, 181 GB/s"
  FitQuality quality;
};

struct SweepCurves {
  std::vector<SweepLine> lines;           // of every sweep that was fitted
  std::vector<FittedCurve> curves;        // of those inside a host, from 8 KiB on, each kind once
  std::vector<std::string> short_sweeps;  // too few sizes: "all_reduce, 8 ranks, 1 host (3 sizes)"
};

// Sweeps that name their algorithm and protocol make curves of just those; where they name what
// Quintet does not know (or leave the protocol out), the line is all there is. Sends and receives
// are no curves: links have them.
SweepCurves sweep_curves(const std::vector<CollectiveSample>& samples);

}  // namespace quintet::calibrate
