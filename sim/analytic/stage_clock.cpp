#include "sim/analytic/stage_clock.h"

#include <algorithm>
#include <limits>

namespace quintet {

double StageClock::end() {
  double end = data_.idle() ? now_ : std::max(now_, data_.finish_all());
  for (const MoveLane& lane : messages_) end = std::max(end, lane.free());
  return end;
}

void StageClock::wait_for_move(double until, Axis axis) {
  if (until <= now_) return;
  times_.exposed[static_cast<std::size_t>(axis)] += until - now_;
  now_ = until;
}

void StageClock::wait_for_message(double until, double moving) {
  if (until <= now_) return;
  const double moves = until - std::clamp(moving, now_, until);
  times_.exposed[static_cast<std::size_t>(Axis::pipeline)] += moves;
  times_.bubble += until - now_ - moves;
  now_ = until;
}

void StageClock::run(const TimedBody& body, int times, double speed) {
  if (times == 0 || body.empty()) return;
  now_ = std::max(now_, cpu_ + body.first_issue());
  cpu_ += body.issue() * times;
  data_.advance(now_);
  bool alone = data_.idle();
  for (const MoveLane& lane : messages_) alone = alone && lane.free() <= now_;
  if (alone) {
    now_ += body.alone().time * times / speed;
    add(body.alone(), times / speed);
  } else {
    run_beside(body, times, speed);
  }
  // Kernels that are launched later than the one before them ends.
  now_ = std::max(now_, cpu_ + body.last() / speed);
}

void StageClock::run_beside(const TimedBody& body, int times, double speed) {
  double left = times;
  while (left > 0) {
    double change = std::numeric_limits<double>::infinity();
    CommunicationBeside beside;
    if (!data_.idle()) {
      data_.advance(now_);
      change = data_.next_change();
      beside = data_.company();
    }
    for (MoveLane& lane : messages_)
      if (const MoveLane::Interval* const move = lane.at(now_, change)) {
        beside.busy_sms += move->beside.busy_sms;
        beside.memory_share += move->beside.memory_share;
        beside.reducing += move->beside.reducing;
        beside.copying += move->beside.copying;
      }
    const BodyTime time = body.beside(beside);
    const double each = time.time / speed;
    const double done = std::clamp((change - now_) / each, 0.0, left);
    add(time, done / speed);
    now_ = done == left ? now_ + left * each : change;
    left -= done;
    if (left < 1e-12) break;
  }
}

}  // namespace quintet
