// Memory for what one operator writes and reads again at once, one piece per stream: the next
// operator on that stream may have it. Grows, and then waits for the stream, so a step that is to
// be captured as a graph must have run once before.
#pragma once

#include <cuda_runtime.h>

#include <map>

#include "kernels/types.h"

namespace quintet::kernels::cuda {

class Scratch {
 public:
  Scratch() = default;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch();

  void* bytes(std::size_t count, const Stream& stream);
  float* floats(Index count, const Stream& stream) {
    return static_cast<float*>(bytes(static_cast<std::size_t>(count) * sizeof(float), stream));
  }
  double* doubles(Index count, const Stream& stream) {
    return static_cast<double*>(bytes(static_cast<std::size_t>(count) * sizeof(double), stream));
  }

 private:
  struct Piece {
    void* memory = nullptr;
    std::size_t size = 0;
  };
  std::map<void*, Piece> pieces_;  // by stream
};

}  // namespace quintet::kernels::cuda
