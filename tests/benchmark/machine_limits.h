// The least time that this core could take for an operator: a product at the best rate that any of
// our implementations reaches at its shape when it runs alone, anything else at the speed of a copy
// of as many bytes, in the cache where they fit.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/device/buffer.h"
#include "kernels/kernels.h"
#include "sim/model/operator.h"

namespace quintet::engine {

class MachineLimits {
 public:
  explicit MachineLimits(std::vector<kernels::Kernels*> implementations)
      : implementations_(std::move(implementations)) {}

  // In seconds; 0 where the operator has no shape. What was measured for equal work is kept.
  double least_time(const Operator& work);

 private:
  double measured(const Operator& work);
  double product(const GemmShape& shape, const Operator& work);
  double copy(std::int64_t bytes);
  Buffer matrix(std::int64_t rows, std::int64_t columns);

  HostMemory memory_;  // as the engine's: on huge pages where there are some
  std::vector<kernels::Kernels*> implementations_;
  std::map<std::string, double> kept_;
};

}  // namespace quintet::engine
