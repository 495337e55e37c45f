// What measured operators tell of those not measured, and where they tell least. Pure.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sim/cost/operator_curves.h"
#include "sim/cost/operator_family.h"

namespace quintet::calibrate {

class OperatorKnowledge {
 public:
  // `measured` comes from one probe. An operator that several probes measured has the median of
  // their times.
  void add(std::span<const MeasuredOperator> measured);

  // Curves through all that was added so far; what follows speaks of them.
  void fit();

  // Standard deviation of the logarithm of its time; 1 where nothing of its family is known.
  double deviation(const PricedOperator& work) const;
  std::optional<Seconds> time(const PricedOperator& work) const;
  // The family's share of what was measured, all families together 1; of one not seen yet, what
  // the middle one has.
  double weight(const PricedOperator& work) const;

  // Median error of operators left out, families by weight; 1 before there are two of each.
  double held_out_error() const;
  // Operators whose times the others of their family contradict, and that were measured less than
  // three times: no curve passes through them.
  std::vector<PricedOperator> contradicted() const;
  std::vector<OperatorCurve> curves() const;

 private:
  struct Times {
    PricedOperator work;
    std::vector<Seconds> times;
    int samples = 0;
  };
  struct Family {
    OperatorFamily what;
    std::vector<Times> operators;
    Seconds total;                        // of all samples
    std::vector<PricedOperator> doubted;  // the others contradict them: not in the curve
    std::optional<OperatorCurve> curve;
  };
  const Family* family(const PricedOperator& work) const;

  std::vector<Family> families_;
};

}  // namespace quintet::calibrate
