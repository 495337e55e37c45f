// One stage's rank on its way through the step: what its lanes have done, in seconds since the
// step began. Kernels run in the order in which they are asked for; communication beside them is
// asked for before they are, so that what slows a kernel is known when it begins.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "sim/analytic/data_lanes.h"
#include "sim/analytic/priced_move.h"
#include "sim/analytic/timed_body.h"
#include "sim/cost/cost_table.h"
#include "sim/plan/parallelism.h"

namespace quintet {

// Where a stage's time went.
struct TimeSpent {
  double compute = 0;
  std::array<double, axis_count> exposed{};
  double bubble = 0;
};

// Messages to a neighbour, on one lane, in order.
class MoveLane {
 public:
  struct Interval {
    double begin = 0, end = 0;
    CommunicationBeside beside;
  };

  // Starts when it may and the lane is free.
  Interval take(double ready, double time, const CommunicationBeside& beside) {
    Interval made{std::max(ready, free_), 0, beside};
    made.end = made.begin + time;
    free_ = made.end;
    if (passed_ == intervals_.size()) {
      intervals_.clear();
      passed_ = 0;
    }
    intervals_.push_back(made);
    return made;
  }
  double free() const { return free_; }
  // What moves at `now`, if anything; forgets what is over. `change`: the next time at which this
  // differs, if that is sooner.
  const Interval* at(double now, double& change) {
    while (passed_ < intervals_.size() && intervals_[passed_].end <= now) ++passed_;
    if (passed_ == intervals_.size()) return nullptr;
    const Interval& next = intervals_[passed_];
    change = std::min(change, next.begin > now ? next.begin : next.end);
    return next.begin > now ? nullptr : &next;
  }

 private:
  double free_ = 0;
  std::vector<Interval> intervals_;
  std::size_t passed_ = 0;
};

class StageClock {
 public:
  enum Messages { send_forward, send_backward, directions };

  // References must outlive this.
  StageClock(const LaunchCosts& launch, JointLinks& joint)
      : cpu_(launch.step.value), queue_(launch.queue), data_(launch.step.value, joint) {}

  double now() const { return now_; }  // the end of the last kernel so far
  double end();                        // and of all communication
  MoveLane& lane(Messages which) { return messages_[which]; }
  DataLanes& data() { return data_; }
  TimeSpent& times() { return times_; }
  const TimeSpent& times() const { return times_; }

  // Kernels wait until then; the wait is exposed communication of the axis, a bubble, or neither.
  void wait_for_move(double until, Axis axis);
  void wait_for_data(DataLanes::Lane lane, int number) {
    data_.advance(now_);
    wait_for_move(data_.finish(lane, number), Axis::data);
  }
  void wait_for_all_data() {
    data_.advance(now_);
    if (!data_.idle()) wait_for_move(data_.finish_all(), Axis::data);
  }
  void wait_for_message(double until, double moving);
  void wait_for_stages(double until) {
    times_.bubble += std::max(0.0, until - now_);
    now_ = std::max(now_, until);
  }
  // So many times behind what the lane has to do, launched one by one. Returns its number.
  int take_data(DataLanes::Lane lane, const PricedMove& move, int times, double slower);
  // A message's turn to be launched: no sooner than this.
  double launch_message();
  // The CPU launches nothing before then.
  void hold_launches(double until) { cpu_ = std::max(cpu_, until); }

  // So many times one after the other, which takes `speed` of their speed.
  void run(const TimedBody& body, int times, double speed = 1);

 private:
  // Data that the CPU has launched: of so many launches the first one's number.
  struct Launched {
    double first = 0, count = 0;
    DataLanes::Lane lane{};
    int number = 0;
  };
  const Launched* oldest_data();
  double wait_for_queue(double launches);
  void run_part(const TimedBody& body, double times, double speed);
  void run_beside(const TimedBody& body, double times, double speed);
  void add(const BodyTime& time, double times) {
    times_.compute += time.computes * times;
    times_.exposed[static_cast<std::size_t>(Axis::tensor)] += time.exposed() * times;
  }

  double now_ = 0;
  double cpu_ = 0;
  // The CPU launches nothing before the launch that is `queue_` before it is over: kernels wait for
  // collectives that they do not depend on, where many were launched.
  double queue_ = 0, launches_ = 0;
  std::vector<Launched> data_launches_;  // the last
  std::size_t data_over_ = 0;            // of these
  std::array<MoveLane, directions> messages_;
  DataLanes data_;
  TimeSpent times_;
};

}  // namespace quintet
