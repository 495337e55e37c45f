// Frames that enter one end of a wire leave the other so much later, in order; a thread of ours
// does it, since this kernel may lack netem. What it costs beyond the delay it was asked for:
// tests/engine/emulated_cluster/cluster_table.cpp.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "engine/emulated_cluster/packet_ring.h"
#include "sim/base/units.h"

namespace quintet::engine {

struct DelayedWire {
  std::array<PacketRing, 2> ends;
  std::array<Seconds, 2> delays;  // of what enters there
};

class DelayLine {
 public:
  static Result<std::unique_ptr<DelayLine>> start(std::vector<DelayedWire> wires);
  ~DelayLine();

  // Holds for what enters that end from now on, and for what is on its way; any thread.
  void set_delay(std::size_t wire, std::size_t end, Seconds delay);

 private:
  explicit DelayLine(std::vector<DelayedWire> wires);
  void run();

  struct Direction {
    PacketRing* from;
    const PacketRing* to;
    std::int64_t delay;  // nanoseconds; atomic
  };
  static std::int64_t move_due(Direction& direction, std::int64_t now);
  void wake() const;

  std::vector<DelayedWire> wires_;
  std::vector<Direction> directions_;
  Descriptor news_;  // readable: another delay, or the end
  std::atomic<bool> ending_ = false;
  std::thread thread_;
};

}  // namespace quintet::engine
