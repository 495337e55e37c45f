// Which links between stages are slow, step after step: a change-point on how long their messages
// are under way, with hysteresis, so that a link is neither called slow for one late message nor
// well for one early one. Pure.
//
//   usual 1 ms; at_least 5 ms, steps 2
//   seen   1  1  40  1  40  40  41  80  80  1  1
//   slow   .  .  .   .  .   39  39  39  79  79  .     (ms later than usual)
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "sim/base/units.h"

namespace quintet {

struct WatchRules {
  // Slow is what comes so many times later than usual, and at least so much later. Well again is
  // what comes half as late; in between all stays as it was.
  double rises = 1.5;
  Seconds at_least{2e-3};
  // A delay that is known is another when it differs by more than this share of itself.
  double differs = 0.25;
  int steps = 2;  // in a row that say the same before it is believed
  bool operator==(const WatchRules&) const = default;
};

// Who sends: a message takes another time by delegates than by the GPU's own kernels.
enum class SentBy { kernels, delegates };
constexpr std::size_t ways_to_send = 2;

struct WatchedLink {
  // What a message takes when the link is well, by who sends: the least that was seen, less the
  // delay that was believed in; none: none was seen.
  std::array<std::optional<Seconds>, ways_to_send> usual{};
  Seconds delay;            // beyond it, as believed; 0: the link is well
  int contrary = 0;         // steps in a row that said otherwise
  Seconds last_contrary{};  // the delay that the last of them showed
  bool operator==(const WatchedLink&) const = default;
};

struct LinkWatch {
  std::vector<WatchedLink> links;  // between stage i and the next
  bool operator==(const LinkWatch&) const = default;
};

// What messages take when all is well, from a prediction or a step that nothing disturbed.
LinkWatch watch_of(const std::vector<std::optional<Seconds>>& usual, SentBy by);
// Nothing is known yet of so many links.
LinkWatch watch_of(int links);

// After one more step. A link that showed no message stays as it was.
LinkWatch observed(LinkWatch watch, const std::vector<std::optional<Seconds>>& messages, SentBy by,
                   const WatchRules& rules);

// Whether a delay is so far from one that is believed in that it is another.
bool is_another_delay(Seconds believed, Seconds shown, const WatchRules& rules);

// Per link; 0 where it is well.
std::vector<Seconds> delays(const LinkWatch& watch);

}  // namespace quintet
