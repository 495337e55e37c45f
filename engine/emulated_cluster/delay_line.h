// Frames that enter one end of a wire leave the other so much later, in order; a thread of ours
// does it, since this kernel may lack netem. What it costs beyond the delay it was asked for:
// tests/engine/emulated_cluster/cluster_table.cpp.
#pragma once

#include <array>
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

 private:
  explicit DelayLine(std::vector<DelayedWire> wires);
  void run();

  struct Direction {
    PacketRing* from;
    const PacketRing* to;
    std::int64_t delay;  // nanoseconds
  };
  static std::int64_t move_due(Direction& direction, std::int64_t now);

  std::vector<DelayedWire> wires_;
  std::vector<Direction> directions_;
  Descriptor stop_;
  std::thread thread_;
};

}  // namespace quintet::engine
