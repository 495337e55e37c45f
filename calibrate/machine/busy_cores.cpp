#include "calibrate/machine/busy_cores.h"

#include "calibrate/machine/work_piece.h"

namespace quintet::calibrate {

BusyCores::BusyCores(int threads, ComputeClass work) {
  for (int number = 0; number < threads; ++number)
    threads_.emplace_back([this, work] { compute(work); });
}

BusyCores::~BusyCores() {
  over_ = true;
  for (std::thread& thread : threads_) thread.join();
}

void BusyCores::compute(ComputeClass work) {
  WorkPiece piece(work);
  for (; !over_; ++pieces_) piece.run();
}

}  // namespace quintet::calibrate
