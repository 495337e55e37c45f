#include "kernels/cuda/scratch.h"

#include <algorithm>

#include "kernels/cuda/launch.h"

namespace quintet::kernels::cuda {

Scratch::~Scratch() {
  for (const auto& [stream, piece] : pieces_) cudaFree(piece.memory);
}

void* Scratch::bytes(std::size_t count, const Stream& stream) {
  Piece& piece = pieces_[stream.handle];
  if (count <= piece.size) return piece.memory;
  constexpr std::size_t smallest = std::size_t{1} << 20;
  const std::size_t size = std::max({count, 2 * piece.size, smallest});
  check(cudaStreamSynchronize(stream_of(stream)), "wait before scratch memory grows");
  check(cudaFree(piece.memory), "scratch memory");
  piece = {};
  check(cudaMalloc(&piece.memory, size), "scratch memory");
  piece.size = size;
  return piece.memory;
}

}  // namespace quintet::kernels::cuda
