// Records what a fake device does as CUPTI would what a GPU does: a kernel names the host's call
// that asked for it, and where that call launched a graph, the graph's node; purposes are noted
// with calls and with nodes when they are captured. As with CUPTI, a purpose is its thread's: what
// another thread asks for meanwhile is for nobody.
#pragma once

#include <map>
#include <mutex>
#include <thread>

#include "kernels/activity_recorder.h"

namespace quintet::engine {

class FakeRecorder : public kernels::ActivityRecorder {
 public:
  std::string in_words() const override { return "fake recorder"; }
  void begin(std::uint64_t purpose) override;
  void end() override;
  kernels::DeviceRecords collect() override;
  kernels::DeviceRecords stop() override;

  // By the device: the number of a call, or of a node that is captured, and what it did for it
  // (node 0: not in a graph).
  std::uint32_t call();
  std::uint64_t node();
  void did(std::uint32_t call, std::uint64_t node, std::int64_t start, std::int64_t end);

  bool stopped = false;

 private:
  std::uint64_t purpose() const;  // of this thread; 0: none

  mutable std::mutex mutex_;
  kernels::DeviceRecords records_;
  std::map<std::thread::id, std::vector<std::uint64_t>> purposes_;  // innermost last
  std::map<std::uint64_t, std::uint64_t> captured_for_;
  std::uint32_t calls_ = 0;
  std::uint64_t nodes_ = 0;
};

}  // namespace quintet::engine
