// Times work on a GPU by events: warmed up, the L2 cache overwritten before every run, each run on
// its own. What is reported is the median.
#pragma once

#include <functional>
#include <vector>

#include "kernels/device.h"

namespace quintet::gpu_tests {

struct Timing {
  std::vector<double> seconds;  // ascending, one per run

  double median() const;
};

class Timer {
 public:
  explicit Timer(kernels::Device& device);
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer();

  kernels::Stream& stream() { return stream_; }
  Timing time(const std::function<void(kernels::Stream&)>& work);

 private:
  kernels::Device& device_;
  kernels::Stream stream_;
  void* cache_filler_;
};

inline constexpr int timed_runs = 30, warm_up_runs = 5;
// More than twice the L2 of any GPU so far (B200: 126 MB).
inline constexpr std::size_t cache_filler_bytes = std::size_t{256} << 20;

}  // namespace quintet::gpu_tests
