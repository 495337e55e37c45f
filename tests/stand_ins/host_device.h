// A device whose memory is the host's and that does everything at once, with kernels of any kind.
#pragma once

#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>

#include "kernels/device.h"

namespace quintet::kernels {

class HostDevice : public Device {
 public:
  using MakeKernels = std::function<std::unique_ptr<Kernels>()>;
  explicit HostDevice(MakeKernels make) : make_(std::move(make)) {}

  DeviceProperties properties() const override {
    return {"host device", 0, 1, memory_bytes, "none", "none"};
  }
  std::size_t free_memory() const override { return memory_bytes; }
  std::unique_ptr<Kernels> make_kernels() override { return make_(); }

  void* allocate(std::size_t bytes) override {
    return std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  }
  void free(void* memory) override { std::free(memory); }
  void* allocate_pinned(std::size_t bytes) override { return allocate(bytes); }
  void free_pinned(void* memory) override { std::free(memory); }

  Stream make_stream(Urgency) override { return {}; }
  void destroy(Stream) override {}
  StreamEvent make_event(EventTimes) override { return {}; }
  void destroy(StreamEvent) override {}

  void copy(void* to, const void* from, std::size_t bytes, const Stream&) override {
    std::memcpy(to, from, bytes);
  }
  void copy_rows(const RowsCopy& rows, const Stream&) override {
    for (std::size_t row = 0; row < rows.rows; ++row)
      std::memcpy(static_cast<std::byte*>(rows.to) + row * rows.to_stride,
                  static_cast<const std::byte*>(rows.from) + row * rows.from_stride, rows.bytes);
  }
  void zero(void* memory, std::size_t bytes, const Stream&) override {
    std::memset(memory, 0, bytes);
  }

  void record(StreamEvent, const Stream&) override {}
  void wait(const Stream&, StreamEvent) override {}
  bool has_happened(StreamEvent) override { return true; }
  double seconds_between(StreamEvent, StreamEvent) override { return 0; }
  void synchronise(const Stream&) override {}

  void begin_capture(const Stream&) override {}
  Graph end_capture(const Stream&) override { return {}; }
  void launch(Graph, const Stream&) override {}
  void destroy(Graph) override {}

 private:
  static constexpr std::size_t memory_bytes = std::size_t{8} << 30;
  MakeKernels make_;
};

}  // namespace quintet::kernels
