// A processor with memory and queues of its own: an NVIDIA GPU, or the stand-in that tests use
// (tests/engine/device). Work on one stream runs in order; streams run beside each other but for
// what events order. Nothing here waits for the device unless it says so. Failures throw
// std::runtime_error with the device's own words, but for what gives back (free, free_pinned,
// destroy), which does not fail: of a device that is lost everything is lost.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "kernels/kernels.h"

namespace quintet::kernels {

struct DeviceProperties {
  std::string name;
  int compute_capability = 0;  // 90: sm_90
  int multiprocessors = 0;
  std::size_t memory_bytes = 0;
  std::string driver;   // version
  std::string runtime;  // version
  // Whose matrix products run, in words: "cuBLASLt 13.0.2 (...)", or our own and why.
  std::string matrix_product{};
  // Whose attention runs, in words: our own, or cuDNN's and where it lies.
  std::string attention{};
  // No other device has it.
  std::string identity{};
};

// A place in a stream.
struct StreamEvent {
  void* handle = nullptr;
};

// A captured step.
struct Graph {
  void* handle = nullptr;
};

// Rows of `bytes` each that begin `stride` bytes after each other.
struct RowsCopy {
  void* to = nullptr;
  std::size_t to_stride = 0;
  const void* from = nullptr;
  std::size_t from_stride = 0;
  std::size_t bytes = 0, rows = 0;
};

// Work of an urgent stream starts first among all that may start: what others wait for, and what
// needs little of the device.
enum class Urgency { usual, urgent };

// Whether times between records of an event may be asked for: keeping them costs the device time.
enum class EventTimes { none, kept };

class Device {
 public:
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  virtual ~Device() = default;

  // Before a thread other than the one that opened the device uses it.
  virtual void enter_thread() {}

  virtual DeviceProperties properties() const = 0;
  virtual std::size_t free_memory() const = 0;
  // One object per stream that computes.
  virtual std::unique_ptr<Kernels> make_kernels() = 0;

  // nullptr where there is not that much left.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void free(void* memory) = 0;
  // Host memory that the device's copy engines read and write while the host goes on.
  virtual void* allocate_pinned(std::size_t bytes) = 0;
  virtual void free_pinned(void* memory) = 0;

  virtual Stream make_stream(Urgency urgency) = 0;
  Stream make_stream() { return make_stream(Urgency::usual); }
  virtual void destroy(Stream stream) = 0;
  virtual StreamEvent make_event(EventTimes times) = 0;
  StreamEvent make_event() { return make_event(EventTimes::none); }
  virtual void destroy(StreamEvent event) = 0;

  // Between any two memories; from or to memory of the host that is not pinned, the host waits.
  virtual void copy(void* to, const void* from, std::size_t bytes, const Stream& stream) = 0;
  virtual void copy_rows(const RowsCopy& rows, const Stream& stream) = 0;
  virtual void zero(void* memory, std::size_t bytes, const Stream& stream) = 0;

  virtual void record(StreamEvent event, const Stream& stream) = 0;
  // What comes after on the stream waits for the event's last record.
  virtual void wait(const Stream& stream, StreamEvent event) = 0;
  virtual bool has_happened(StreamEvent event) = 0;
  // Between two records that have happened, of events that keep times; recorded outside of a graph.
  virtual double seconds_between(StreamEvent first, StreamEvent second) = 0;
  virtual void synchronise(const Stream& stream) = 0;  // the host waits

  // From here on, work on the stream and on those that come to wait for it is not run but kept;
  // all of them must have come back to the stream at the end.
  virtual void begin_capture(const Stream& stream) = 0;
  virtual Graph end_capture(const Stream& stream) = 0;
  virtual void launch(Graph graph, const Stream& stream) = 0;
  virtual void destroy(Graph graph) = 0;
};

}  // namespace quintet::kernels
