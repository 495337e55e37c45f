#include "calibrate/machine/work_piece.h"

#include <chrono>

#include "engine/device/buffer.h"
#include "kernels/kernels.h"

namespace quintet::calibrate {
namespace {

using engine::Buffer;
using kernels::Index;

// Weights of 1 MB as in a small layer: caches that others use are missed.
constexpr Index rows = 128, columns = 512, depth = 512;
// Work that memory bounds goes over these elements, more than caches hold, a part at a time.
constexpr std::size_t elements = 8 << 20, part = 1 << 19;

}  // namespace

struct WorkPiece::Buffers {
  std::unique_ptr<kernels::Kernels> kernels = kernels::fast_kernels();
  kernels::Stream stream;
  Buffer left{rows * depth, DataType::fp32}, right{columns * depth, DataType::fp32};
  Buffer product{rows * columns, DataType::fp32};
  std::vector<float> read, written;
  std::size_t place = 0;
};

WorkPiece::WorkPiece(ComputeClass work) : class_(work), buffers_(std::make_unique<Buffers>()) {
  if (work == ComputeClass::product) return;
  buffers_->read.assign(elements, 1.0F);
  buffers_->written.assign(elements, 0.0F);
}
WorkPiece::~WorkPiece() = default;
WorkPiece::WorkPiece(WorkPiece&&) noexcept = default;

void WorkPiece::run() {
  Buffers& all = *buffers_;
  switch (class_) {
    case ComputeClass::product: {
      kernels::Gemm gemm;
      gemm.rows = rows;
      gemm.columns = columns;
      gemm.depth = depth;
      gemm.a = all.left.at();
      gemm.b = all.right.at();
      gemm.c = all.product.at();
      all.kernels->gemm(gemm, all.stream);
      return;
    }
    case ComputeClass::memory:
      for (std::size_t index = all.place; index < all.place + part; ++index)
        all.written[index] += all.read[index];
      all.place = (all.place + part) % elements;
      return;
  }
}

std::vector<double> timed_pieces(ComputeClass work, int count) {
  using Clock = std::chrono::steady_clock;
  WorkPiece piece(work);
  piece.run();
  std::vector<double> seconds;
  for (int number = 0; number < count; ++number) {
    const Clock::time_point from = Clock::now();
    piece.run();
    seconds.push_back(std::chrono::duration<double>(Clock::now() - from).count());
  }
  return seconds;
}

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
