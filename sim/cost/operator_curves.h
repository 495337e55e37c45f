// Times of operators whose exact shape was not measured, from curves through those of their family
// that were. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/cost/cost_table.h"
#include "sim/cost/sampled_curve.h"

namespace quintet {

// The samples of a curve: sizes, and time per natural work.
std::vector<CurveSample> curve_samples(std::span<const MeasuredOperator> points);

// One or more points, each with work and time.
OperatorCurve curve_through(std::vector<MeasuredOperator> points, Smoothness smoothness,
                            Residuals residuals = {});

// Points without work or time say nothing and are left out; empty: no curve. All of one family.
std::optional<OperatorCurve> fitted_curve(std::vector<MeasuredOperator> points);

// The curve of the operator's family, that of forward for a forward repeated, that of the
// embedding for a presort, which copies rows by their number too; or nothing.
const OperatorCurve* curve_for(const PricedOperator& work, const CostTable& table);

// By the curve; an operator without work takes no time.
Seconds sampled_time(const PricedOperator& work, const OperatorCurve& curve);

// The sizes that lie outside those that were measured, in words ("mlp_up forward in fp32: k is
// 4096, measured from 64 to 1024"); empty: none does, or no curve prices it.
std::vector<std::string> outside_measured(const PricedOperator& work, const CostTable& table);
// How far the one that is furthest outside is, in doublings; 0: none is.
double octaves_beyond_measured(const PricedOperator& work, const CostTable& table);

}  // namespace quintet
