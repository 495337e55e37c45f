// A part of a cost table as a picture wants it: measured points, the curve through those that
// count, and how far each lies from a curve that has not seen it. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/cost/refit/cost_part.h"

namespace quintet {

// What times go by: operations of GEMMs and attention, bytes of all else.
enum class AmountUnit { flops, bytes };

struct FitPoint {
  PointPlace place;
  std::string shape;  // "256x1024x256", "64 KiB"
  double amount = 0;  // operations or bytes
  Seconds measured;
  // By the curve through the points that count, at this point; none: there is no curve.
  std::optional<Seconds> fitted;
  // Real / fit - 1, of a curve that has not seen the point: through the others, or, of a point that
  // is excluded or measured exactly, through those that count. None: the others say nothing there.
  std::optional<double> held_out;
  int samples = 0;  // of which the time is the median; 0: not known
  bool excluded = false;
  bool contradicted = false;  // by the others: |z| > 4 (exceptional_samples)
  bool operator==(const FitPoint&) const = default;
};

// The curve at one amount; nine of ten measurements are to lie from `low` to `high`.
struct CurvePlace {
  double amount = 0;
  Seconds low, fitted, high;
  bool operator==(const CurvePlace&) const = default;
};

struct PartFit {
  CostPart part;
  AmountUnit unit = AmountUnit::bytes;
  std::string of;  // what the amounts are of: "products m = n = k"; empty: of the points
  std::vector<FitPoint> points;  // those of the curve by amount, then those measured exactly
  // From the least to the largest amount; of points that differ in several sizes on the straight
  // way (in logarithms) from each to the next. Empty: there is no curve.
  std::vector<CurvePlace> curve;
  Residuals held_out;          // of the points that count; samples 0: none is held out
  double held_out_median = 0;  // of absolute errors
  bool operator==(const PartFit&) const = default;
};

// `part` is one of cost_parts(table). Where points of it are excluded its curve is fitted anew as
// refitted() does, which takes up to a second at hundreds of points.
PartFit fit_of(const CostTable& table, const CostPart& part, const ExcludedPoints& excluded);

}  // namespace quintet
