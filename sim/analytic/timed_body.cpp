#include "sim/analytic/timed_body.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

namespace quintet {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

bool alike(const CommunicationBeside& one, const CommunicationBeside& other) {
  return one.busy_sms == other.busy_sms && one.memory_share == other.memory_share &&
         one.reducing == other.reducing && one.copying == other.copying;
}

bool quiet(const CommunicationBeside& company) {
  return alike(company, CommunicationBeside{});
}

// Two lanes, each in its order; what is beside a kernel changes only when the other lane's
// communication begins or ends.
class Lanes {
 public:
  Lanes(const std::vector<TimedInstruction>& instructions, const CostTable& costs,
        const CommunicationBeside& company, double slower)
      : instructions_(instructions),
        costs_(costs),
        company_(company),
        slower_(slower),
        ends_(instructions.size(), never) {
    kernel_ = next(true, 0);
    move_ = next(false, 0);
  }

  BodyTime run() {
    BodyTime time;
    while (kernel_ < size() || move_ < size()) {
      start();
      const double until = std::min(kernel_end(), move_end_);
      if (running_) time.computes += until - now_;
      pass(until);
    }
    time.time = now_;
    return time;
  }

 private:
  std::size_t size() const { return instructions_.size(); }

  std::size_t next(bool computes, std::size_t from) const {
    while (from < size() && instructions_[from].computes != computes) ++from;
    return from;
  }

  bool ready(std::size_t number) const {
    return number < size() && std::all_of(instructions_[number].after.begin(),
                                          instructions_[number].after.end(), [&](int earlier) {
                                            return ends_[static_cast<std::size_t>(earlier)] <= now_;
                                          });
  }

  // The walk begins with the lane that comes first, which is the kernels'.
  void start() {
    if (!running_ && ready(kernel_)) {
      running_ = true;
      left_ = instructions_[kernel_].use.time.value;
    }
    if (move_end_ == never && ready(move_)) {
      const PricedMove& move = instructions_[move_].move;
      double slower = 1;
      if (running_) {
        const auto moves = move.busy_sms > 0 ? std::optional(move.moves) : std::nullopt;
        slower = communication_slowdown(moves, instructions_[kernel_].work, costs_);
      }
      move_end_ = now_ + move.time(slower);
      if (slower_ > 1 && move.links != nullptr)
        move_end_ += std::max(0.0, slower_ * move.moving() - move.moving(slower));
    }
    CommunicationBeside beside = company_;
    if (move_end_ != never) add(beside, instructions_[move_].move);
    factor_ = 1;
    if (running_ && !quiet(beside))
      factor_ =
          kernel_slowdown(instructions_[kernel_].use, instructions_[kernel_].work, beside, costs_);
  }

  double kernel_end() const { return running_ ? now_ + left_ * factor_ : never; }

  void pass(double until) {
    const bool kernel_ends = running_ && kernel_end() <= until;
    if (running_) left_ -= (until - now_) / factor_;
    const bool move_ends = move_end_ <= until;
    now_ = until;
    if (kernel_ends) {
      ends_[kernel_] = now_;
      running_ = false;
      kernel_ = next(true, kernel_ + 1);
    }
    if (move_ends) {
      ends_[move_] = now_;
      move_end_ = never;
      move_ = next(false, move_ + 1);
    }
  }

  const std::vector<TimedInstruction>& instructions_;
  const CostTable& costs_;
  const CommunicationBeside company_;
  const double slower_;
  std::vector<double> ends_;
  std::size_t kernel_ = 0, move_ = 0;  // the next of each lane, or the one that goes on
  bool running_ = false;
  double left_ = 0, factor_ = 1;  // of the kernel that runs
  double move_end_ = never;
  double now_ = 0;
};

// Lanes in order and `after`, at times that nothing shortens: monotone in each of them.
double least_time(const std::vector<TimedInstruction>& instructions) {
  std::vector<double> ends;
  double lanes[2] = {0, 0};
  for (const TimedInstruction& each : instructions) {
    double& lane = lanes[each.computes ? 0 : 1];
    for (const int earlier : each.after)
      lane = std::max(lane, ends[static_cast<std::size_t>(earlier)]);
    lane += each.computes ? each.use.time.value : each.move.least();
    ends.push_back(lane);
  }
  return std::max(lanes[0], lanes[1]);
}

}  // namespace

TimedBody::TimedBody(std::vector<TimedInstruction> instructions, const CostTable& costs)
    : instructions_(std::move(instructions)), costs_(&costs) {
  if (instructions_.empty()) return;
  alone_ = timed({}, 1);
  for (const TimedInstruction& each : instructions_) {
    if (!each.computes && each.move.links != nullptr) {
      moving_ += each.move.moving();
      if (move() == nullptr || each.move.bytes > move()->bytes)
        move_ = static_cast<int>(&each - instructions_.data());
    }
    issue_ += each.issue;
    if (each.computes) alone_.computes_alone += each.use.time.value;
  }
  least_ = least_time(instructions_);
  first_issue_ = instructions_.front().issue;
  const TimedInstruction& last = instructions_.back();
  last_ = last.computes ? last.use.time.value : last.move.time();
}

BodyTime TimedBody::beside(const CommunicationBeside& company) const {
  return beside(company, 1);
}

BodyTime TimedBody::beside(const CommunicationBeside& company, double slower) const {
  if (quiet(company) && slower == 1) return alone_;
  for (const Known& known : known_)
    if (known.slower == slower && alike(known.company, company)) return known.time;
  known_.push_back({company, slower, timed(company, slower)});
  return known_.back().time;
}

double TimedBody::slows(const PricedMove& move) const {
  if (instructions_.empty()) return 1;
  const auto moves = move.busy_sms > 0 ? std::optional(move.moves) : std::nullopt;
  return communication_slowdown(moves, instructions_.front().work, *costs_);
}

BodyTime TimedBody::timed(const CommunicationBeside& company, double slower) const {
  return Lanes(instructions_, *costs_, company, slower).run();
}

}  // namespace quintet
