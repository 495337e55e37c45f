// The memory that CUPTI writes its records to: so much and no more, so that a long step loses
// records, which CUPTI counts, and not the machine its memory. CUPTI asks in the threads that call
// CUDA and brings back in its own, so neither does more here than take a lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace quintet::kernels::cuda {

struct BufferCount {
  // 64 MiB: some 200 000 kernels with the calls that launch them.
  std::size_t buffers = 64, bytes = std::size_t{1} << 20;
};

struct FullBuffer {
  std::uint8_t* memory = nullptr;
  std::size_t valid = 0;  // bytes
};

class RecordBuffers {
 public:
  explicit RecordBuffers(const BufferCount& count);

  std::size_t bytes() const { return count_.bytes; }
  // A buffer has 8-byte alignment and is all zero; nullptr: none is left.
  std::uint8_t* take();
  void bring_back(const FullBuffer& buffer);

  // Those brought back, in that order; reuse() each when it was read.
  std::vector<FullBuffer> full();
  void reuse(const FullBuffer& buffer);
  // How many CUPTI has now.
  std::size_t outside() const;

 private:
  const BufferCount count_;
  std::unique_ptr<std::uint64_t[]> memory_;
  mutable std::mutex mutex_;
  std::vector<std::uint8_t*> free_;
  std::vector<FullBuffer> full_;
  std::size_t outside_ = 0;
};

}  // namespace quintet::kernels::cuda
