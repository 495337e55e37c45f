#include "sim/base/parallel.h"

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace quintet {

void for_each_index(std::size_t count, int threads, const std::function<void(std::size_t)>& work,
                    const std::function<void(double share)>& progress) {
  std::atomic<std::size_t> next{0};
  std::mutex reporting;
  std::size_t done = 0;
  std::exception_ptr failure;
  const auto take = [&] {
    for (std::size_t index = next++; index < count; index = next++) {
      try {
        work(index);
      } catch (...) {
        const std::lock_guard lock(reporting);
        failure = std::current_exception();
        next = count;
        return;
      }
      const std::lock_guard lock(reporting);
      if (progress) progress(static_cast<double>(++done) / static_cast<double>(count));
    }
  };
  std::vector<std::thread> workers;
  for (int i = 1; i < threads; ++i) workers.emplace_back(take);
  take();
  for (std::thread& worker : workers) worker.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace quintet
