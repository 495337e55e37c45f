// Threads that multiply matrices as long as they live, as the ranks of a training job do: what else
// wants their cores meanwhile is told by what they lose.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace quintet::calibrate {

class BusyCores {
 public:
  explicit BusyCores(int threads);
  ~BusyCores();

  std::int64_t products() const { return products_; }  // so far, of all threads

 private:
  void multiply();

  std::atomic<bool> over_ = false;
  std::atomic<std::int64_t> products_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace quintet::calibrate
