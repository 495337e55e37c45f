// Watches links that the sharing leaves out because they are presumed slack, and says which were
// not.
//
// Why a slack link may be left out. Rates that are max-min fair without link l are so with it, as
// long as they fit through l: every flow keeps what holds it back (its bound, or a full link on
// which nobody is faster), and max-min fair rates are unique. They are equal to the last bit, too,
// not only as numbers. Where two flows or more share l and leave a part of it free that is large
// beside what doubles round, progressive filling (fair_share.h) meets the bound or the other link
// of each of l's flows strictly before it fills l, so l freezes nobody and no round of the other
// links changes. Where one flow has l to itself, l is full at capacity / per_unit: whoever leaves
// l out must make that number a bound of the flow, which the filling meets at the same level. A
// bound that a link would set anyway changes nothing for a flow that does share l: the level at
// which a shared link is full is never higher.
//
// Inside the room only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/network/fabric.h"

namespace quintet {

class SlackWatch {
 public:
  explicit SlackWatch(std::vector<LinkShare> links)
      : links_(std::move(links)), loads_(links_.size()) {}

  void enter(std::span<const SlackUse> uses);
  void change(std::span<const SlackUse> uses, double by);  // of a flow's rate
  void leave(std::span<const SlackUse> uses, double rate);
  void set_capacity(std::int32_t link, double capacity);

  // All rates of this instant are known.
  void judge();

  std::vector<std::int32_t> overfull() const;

 private:
  struct Load {
    double load = 0.0;
    std::int32_t moves = 0;
    bool changed = false;
    bool overfull = false;
  };
  Load& at(std::int32_t link) { return loads_[static_cast<std::size_t>(link)]; }
  void touch(std::int32_t link);

  std::vector<LinkShare> links_;
  std::vector<Load> loads_;  // per link
  std::vector<std::int32_t> changed_;
};

}  // namespace quintet
