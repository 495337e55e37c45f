// How sure a predicted step is: a nominal 90 % interval, made of the residuals of what the step is
// made of (cost_table.h), and what the table was asked beyond what it was fitted to.
//
// The rule. Every part of the step (an operator of a kind and phase, data that moves on an axis)
// takes a time t of it, waiting charged to what was waited for (sim/explain/difference/charges.h),
// and its fit was off by p05 to p95 on measurements that it had not seen. Its own 90 % interval
// goes from (1 + p05) t to (1 + p95) t: half width h = (p95 - p05) / 2 t. Its mean is that of the
// log-normal distribution with these quantiles: exp(m + s^2 / 2) t, with m the middle of ln(1 +
// p05) and ln(1 + p95), s their distance / 3.29. Means add. Of the half widths of parts that one
// fit prices, half the variance is taken as common to them (assumed: a shape's error is the same
// each time it runs, neighbouring shapes' are alike), half as independent: half of (sum of h)^2 +
// half of sum of h^2. Fits are independent of one another: their squares add. Parts without
// residuals add nothing; `known` says how much of the step has some.
//
// Data that moves on an axis: the quantiles of what priced its communications - a curve's, of small
// or of large sizes as the communication's is - each weighed by the time that it takes alone.
// Outside of the sizes that a curve was measured at they reach as far as a curve may bend there
// (residuals_along in sim/cost/collective_curve.h: the further outside, the further down). An
// operator's outside of the sizes that its curve runs through, d doublings in the one that is
// furthest: in logarithms 1 + 1.5 d times as wide, from 2 % on. Of two calibrated tables (tiny GPTs
// on a box of 4 hosts, November 2026), each curve's points cut off beyond every size and predicted
// by the rest, 19,000 in all: 91 to 94 % of those up to three octaves away lie within, 76 to 91 %
// four and five away, 66 to 68 % of those one away within what it was inside. Formulas keep theirs
// (nothing was cut off from them); `outside` tells.
//
// Where whole steps were run beside what the table predicts of them, their quantiles take the place
// of all that: they say how errors of parts really add up, and what no part knows of. They did not
// have what lies outside of the sizes measured: each end moves outwards by as much as it does by
// the rule above.
#pragma once

#include <string>
#include <vector>

#include "sim/cost/cost_table.h"
#include "sim/price/communications.h"
#include "sim/program/program.h"
#include "sim/timeline/repeated_part.h"
#include "sim/timeline/timeline.h"

namespace quintet {

struct PredictedInterval {
  Duration low, high;                // nominal 90 %; equal to the step where nothing is known
  double known = 0;                  // share of the step whose residuals are known
  std::vector<std::string> outside;  // "GEMM bf16: m is 8192, measured from 1 to 4096", each once
  bool operator==(const PredictedInterval&) const = default;
};

// One part of a step.
struct UncertainPart {
  std::string fit;  // parts with the same word share it
  double time = 0;  // seconds of the step
  Residuals residuals;
  Residuals inside{};  // what they would be inside of what was measured
  bool operator==(const UncertainPart&) const = default;
};

// That much further outside of what was measured, by the rule above.
Residuals widened(const Residuals& residuals, double octaves);

struct Spread {
  double low = 0, high = 0;  // seconds
};
// The spread of a step of `step` seconds with these parts, by the rule above.
Spread spread_of(double step, const std::vector<UncertainPart>& parts);

// `measured`: what curves priced the communication, and what they did not cover. `repeated`: of the
// timeline.
PredictedInterval predicted_interval(const Program& program, const Timeline& timeline,
                                     const CostTable& costs, const MeasuredMoves& measured = {},
                                     const RepeatedPart& repeated = {});

}  // namespace quintet
