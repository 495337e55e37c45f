// What a message that communication kernels send keeps from going on (HeadOfLine,
// sim/plan/host_net.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <utility>

#include "sim/plan/host_net.h"
#include "sim/program/program.h"

namespace quintet {

// Whether the CPU launches nothing more before the message moves: then NCCL's queue takes the next.
bool holds_launches(const HostNet& host_net, const Send& send);

// Whether the two neighbours' messages take turns.
bool takes_turns(const HostNet& host_net, const Send& send);

// The queues of pairs of neighbours: whoever asks first goes first, one at a time, either way.
class Turns {
 public:
  // Begins at once where nobody of the pair is on the way.
  void take(std::int32_t one, std::int32_t other, std::function<void()> begin);
  // The one that was on the way is over; the next begins.
  void over(std::int32_t one, std::int32_t other);

 private:
  using Pair = std::pair<std::int32_t, std::int32_t>;
  static Pair pair_of(std::int32_t one, std::int32_t other) {
    return {std::min(one, other), std::max(one, other)};
  }
  struct Queue {
    bool taken = false;
    std::deque<std::function<void()>> waiting;
  };
  std::map<Pair, Queue> queues_;
};

}  // namespace quintet
