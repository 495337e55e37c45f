// A fixed piece of work on one core, about half a millisecond: what computing is while something
// else is measured beside it.
#pragma once

#include <memory>
#include <vector>

#include "sim/cost/communication_costs.h"

namespace quintet::calibrate {

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

}  // namespace quintet::calibrate
