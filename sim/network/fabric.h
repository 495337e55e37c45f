// What carries a program's communication, seen by whoever walks it: told what begins to move, it
// calls back when all of it has arrived. How phases share links meanwhile is each fidelity's own
// business, and nobody else's. Links are known by number only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sim/base/units.h"
#include "sim/network/link_load.h"

namespace quintet {

class EventQueue;

// What a move puts on a link that is presumed slack. Of a folded class: what the moves that it
// stands for do together, and how many of them cross the link.
struct SlackUse {
  std::int32_t link = 0;
  double per_unit = 1.0;
  std::int32_t moves = 1;
  bool operator==(const SlackUse&) const = default;
};

// How a move stands against others on a link that is full: a higher priority takes what it can
// before a lower one gets any (strict priority queues of switches), equal ones share by weight
// (weighted fair queues).
struct TrafficClass {
  int priority = 0;
  double weight = 1.0;  // > 0
  bool operator==(const TrafficClass&) const = default;
};

struct MoveRequest {
  std::span<const PhaseLoad> phases;  // must outlive the move
  std::span<const Usage> whole{};     // whole_load(phases); likewise
  // What it puts on links that are presumed slack (Fabric::overfull); must outlive the move.
  std::span<const SlackUse> presumed_slack{};
  Bytes size;
  Bandwidth bound;             // of size / time, whatever the links would let through
  Seconds latency;             // before data moves
  bool undisturbed = false;    // no other move ever loads its links while it is under way
  std::function<void()> done;  // may start further moves
  TrafficClass traffic{};
};

class Fabric {
 public:
  virtual ~Fabric() = default;

  virtual void start(MoveRequest request) = 0;
  // Takes effect now, for moves in flight too.
  virtual void set_capacity(std::int32_t link, double capacity) = 0;

  // Links that were presumed slack and were not: at some instant two moves or more that share one
  // wanted nearly all of it. Empty: every rate was what it would have been with these links among
  // the phases. Of a fabric whose row says that it watches.
  virtual std::vector<std::int32_t> overfull() const { return {}; }

  // A number for what is in flight, times counted from now: equal ones go on alike. None: the
  // fabric cannot tell.
  virtual std::optional<std::uint64_t> state() const { return std::nullopt; }

  // Bytes that have crossed each link so far, those of `presumed_slack` left out.
  virtual std::vector<double> carried() const = 0;
  virtual std::size_t in_flight() const = 0;
};

// A way to simulate a network: its row stands beside its fabric.
struct FabricRow {
  std::string_view name;
  // The fabric must outlive the events that it leaves in the queue.
  std::unique_ptr<Fabric> (*make)(EventQueue& events, std::vector<LinkShare> links) = nullptr;
  bool watches = false;  // links that are presumed slack
};

}  // namespace quintet
