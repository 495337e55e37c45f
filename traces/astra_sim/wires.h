// The network of a replay by ASTRA-sim's rules: messages go in, and come out when they have come.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "sim/base/event_queue.h"
#include "traces/astra_sim/astra_network.h"

namespace quintet {

struct AstraMessage {
  std::int64_t tag = 0;
  std::int64_t size = 0;
  std::int32_t from = 0, to = 0;  // ranks; not the same
  std::int32_t sender = -1;       // task of rank `from` that ends when it has come; -1: none
};

class Wires {
 public:
  // All outlive this. Aware of congestion: of one dimension.
  Wires(EventQueue& events, const AstraNetwork& network, AstraBackend backend,
        std::function<void(const AstraMessage&)> come);

  void send(const AstraMessage& message);
  std::int64_t sent() const { return sent_; }

 private:
  struct OnWay {
    AstraMessage message;
    std::int32_t at = 0;     // aware: where it is
    std::int32_t next = -1;  // in its wire's line, or among free places
  };
  struct Wire {
    bool busy = false;
    std::int32_t first = -1, last = -1;  // of those that wait
  };
  std::int32_t place_for(const AstraMessage& message);
  void leave(std::int32_t place);
  void arrive(std::int32_t place);
  std::int32_t wire_between(int from, int to);
  void enter(std::int32_t wire, std::int32_t place);
  void set_out(std::int32_t wire, std::int32_t place);
  void reach(std::int32_t place);
  void fall_free(std::int32_t wire);

  EventQueue& events_;
  const AstraNetwork& network_;
  AstraBackend backend_;
  std::function<void(const AstraMessage&)> come_;
  std::vector<OnWay> on_way_;
  std::int32_t free_place_ = -1;
  std::vector<Wire> wires_;
  std::unordered_map<std::int64_t, std::int32_t> wire_numbers_;  // of those that were used
  std::int64_t sent_ = 0;
};

}  // namespace quintet
