#include "sim/analytic/stage_clock.h"

#include <algorithm>
#include <limits>

namespace quintet {

namespace {

constexpr double launches_in_a_turn = 8;

}  // namespace

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

int StageClock::take_data(DataLanes::Lane lane, const PricedMove& move, int times, double slower) {
  const int number = data_.take(lane, move, times, slower, now_);
  if (data_over_ == data_launches_.size()) {
    data_launches_.clear();
    data_over_ = 0;
  }
  data_launches_.push_back({launches_, static_cast<double>(times), lane, number});
  launches_ += times;
  return number;
}

const StageClock::Launched* StageClock::oldest_data() {
  while (data_over_ < data_launches_.size() &&
         data_.over(data_launches_[data_over_].lane, data_launches_[data_over_].number))
    ++data_over_;
  return data_over_ < data_launches_.size() ? &data_launches_[data_over_] : nullptr;
}

// How many of so many launches may follow at once, after what they wait for.
double StageClock::wait_for_queue(double launches) {
  while (true) {
    const Launched* const oldest = oldest_data();
    if (oldest == nullptr) return launches;
    const double behind = launches_ - queue_ - oldest->first;  // that must be over
    if (behind <= -1) return std::min(launches, -behind);
    data_.advance(now_);
    if (oldest_data() != oldest) continue;
    // A few launches at a time are as good as each alone.
    const double few = std::min(launches, launches_in_a_turn);
    const double over = behind + few;
    if (over < oldest->count) {
      wait_for_move(data_.finish(oldest->lane, oldest->number, over / oldest->count), Axis::data);
      return few;
    }
    wait_for_data(oldest->lane, oldest->number);
  }
}

double StageClock::launch_message() {
  const double before = now_;
  if (launches_ >= queue_) wait_for_queue(1);
  ++launches_;
  return now_ > before ? now_ : 0;
}

void StageClock::run(const TimedBody& body, int times, double speed) {
  if (times == 0 || body.empty()) return;
  now_ = std::max(now_, cpu_ + body.first_issue());
  cpu_ += body.issue() * times;
  const auto each = static_cast<double>(body.instructions().size());
  if (launches_ + each * times > queue_ && oldest_data() != nullptr) {
    for (double left = each * times; left > 1e-9;) {
      const double part = wait_for_queue(left);
      run_part(body, part / each, speed);
      launches_ += part;
      left -= part;
    }
  } else {
    run_part(body, times, speed);
    launches_ += each * times;
  }
  // Kernels that are launched later than the one before them ends.
  now_ = std::max(now_, cpu_ + body.last() / speed);
}

void StageClock::run_part(const TimedBody& body, double times, double speed) {
  data_.advance(now_);
  bool alone = data_.idle();
  for (const MoveLane& lane : messages_) alone = alone && lane.free() <= now_;
  if (alone) {
    now_ += body.alone().time * times / speed;
    add(body.alone(), times / speed);
  } else {
    run_beside(body, times, speed);
  }
}

void StageClock::run_beside(const TimedBody& body, double times, double speed) {
  double left = times;
  while (left > 0) {
    double change = std::numeric_limits<double>::infinity();
    CommunicationBeside beside;
    double slower = 1;
    if (!data_.idle()) {
      data_.advance(now_);
      beside = data_.company();
      if (body.move() != nullptr) slower = data_.meet(*body.move());
    }
    for (MoveLane& lane : messages_)
      if (const MoveLane::Interval* const move = lane.at(now_, change)) {
        beside.busy_sms += move->beside.busy_sms;
        beside.memory_share += move->beside.memory_share;
        beside.reducing += move->beside.reducing;
        beside.copying += move->beside.copying;
      }
    const BodyTime time = body.beside(beside, slower);
    data_.yield(std::min(1.0, slower * body.moving() / time.time));
    if (!data_.idle()) change = std::min(change, data_.next_change());
    const double each = time.time / speed;
    const double done = std::clamp((change - now_) / each, 0.0, left);
    add(time, done / speed);
    now_ = done == left ? now_ + left * each : change;
    left -= done;
    if (left < 1e-12) break;
  }
  data_.advance(now_);
  data_.yield_nothing();
}

}  // namespace quintet
