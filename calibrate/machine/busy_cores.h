// Threads that compute as long as they live, as the ranks of a training job do: what else wants
// their cores meanwhile is told by what they lose.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "sim/cost/communication_costs.h"

namespace quintet::calibrate {

class BusyCores {
 public:
  explicit BusyCores(int threads, ComputeClass work = ComputeClass::product);
  ~BusyCores();

  std::int64_t pieces() const { return pieces_; }  // so far, of all threads

 private:
  void compute(ComputeClass work);

  std::atomic<bool> over_ = false;
  std::atomic<std::int64_t> pieces_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace quintet::calibrate
