// Which piece of the test's own memory an address lies in, so that a test that knows nothing of
// GPUs can have that piece moved there. This program's operator new keeps the list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace quintet::gpu_tests {

struct HostPiece {
  std::uintptr_t first = 0;
  std::size_t bytes = 0;
};

// What one call of operator new gave, or, for an address on the caller's stack, the one number
// there, of 8 bytes at most; nothing for any other number.
std::optional<HostPiece> host_piece_at(std::uintptr_t address);

}  // namespace quintet::gpu_tests
