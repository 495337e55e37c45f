// Computing while something else is measured beside it: a fixed piece of work, and threads that do
// nothing else.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "sim/cost/communication_costs.h"

namespace quintet::calibrate {

// About half a millisecond on one core.
class WorkPiece {
 public:
  explicit WorkPiece(ComputeClass work);
  ~WorkPiece();
  WorkPiece(WorkPiece&&) noexcept;

  void run();

 private:
  struct Buffers;
  ComputeClass class_;
  std::unique_ptr<Buffers> buffers_;
};

// Seconds of each of `count` that follow each other, one before them left out.
std::vector<double> timed_pieces(ComputeClass work, int count);

// Threads that compute as long as they live, as the ranks of a training job do: what else wants
// their cores meanwhile is told by what they lose.
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
