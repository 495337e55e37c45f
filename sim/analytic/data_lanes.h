// The two lanes of a rank's data axis, sums of gradients and gathers of weights, each in its order.
// What goes on in both at the same time shares the links that both load, as flows of the walk's
// fabric do: at equal rates until one of them is limited by something else (max-min fairness).
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <unordered_map>
#include <vector>

#include "sim/analytic/piece_key.h"
#include "sim/analytic/priced_move.h"
#include "sim/analytic/sibling_groups.h"

namespace quintet {

// The link that leaves two communications that go on at the same time least of all.
struct JointLink {
  double capacity = 0;           // B/s; 0: they load no link both
  double first = 0, second = 0;  // bytes per byte of each
};

class JointLinks {
 public:
  const JointLink& of(const SharedLinks* first, const SharedLinks* second);

 private:
  Pieces<JointLink> known_;
};

class DataLanes {
 public:
  enum Lane { gradients, parameters, lanes };

  // Nothing moves before `begin`. References must outlive this.
  DataLanes(double begin, JointLinks& joint) : now_(begin), joint_(&joint) {}

  // So many times, behind what the lane has to do; at `now`, which never goes back. Returns its
  // number on the lane. `slower`: what kernels beside it do to its bound.
  int take(Lane lane, const PricedMove& move, int times, double slower, double now);
  // Until then, as far as lanes have not come already.
  void advance(double until);
  // Goes on until it is over; returns when that is.
  double finish(Lane lane, int number);
  // Until so much of it is over, as of one that is many moves one after the other.
  double finish(Lane lane, int number, double share);
  double finish_all();

  // A communication outside of these lanes that loads links of the one that moves: returns what
  // that does to the time of its bytes, a factor >= 1. The lane has less while it moves, which it
  // does for `duty` of the time, as far as that is told.
  double meet(const PricedMove& move);
  void yield(double duty);
  void yield_nothing();

  bool idle() const { return under_way_ == 0; }
  bool over(Lane lane, int number) const {
    const Queue& queue = lanes_[lane];
    return static_cast<std::size_t>(number) < queue.before + queue.done;
  }
  CommunicationBeside company() const;
  // When that may change next.
  double next_change() const;

 private:
  struct Flow {
    double latency = 0, bytes = 0;  // s and B that are left
    double rate = 0;                // B/s that it reaches alone
    double all_latency = 0, all_bytes = 0;
    const SharedLinks* links = nullptr;
    CommunicationBeside beside;
  };
  struct Queue {
    std::vector<Flow> flows;  // the last
    std::size_t done = 0;     // of these
    std::size_t before = 0;   // done before these
  };
  static bool moves(const Queue& queue) { return queue.done < queue.flows.size(); }
  double left_until(Lane lane, int number, double share) const;
  void set_rates();
  void set_rates_alone();
  void pass(double until);

  double now_ = 0;
  int under_way_ = 0;  // flows that are not over
  std::array<Queue, lanes> lanes_;
  std::array<double, lanes> rates_{};  // of the flows that move now
  // Of the lane that has met another's communication: what it has of its rate while that moves, and
  // now on average.
  std::size_t met_ = lanes;
  double met_share_ = 1, kept_ = 1;
  JointLinks* joint_;
};

}  // namespace quintet
