#include "engine/network/transport/activity.h"

#include <algorithm>

namespace quintet::engine {

Operation::Operation(std::unique_ptr<Activity> activity, WaitingRoom& room)
    : activity_(std::move(activity)), room_(&room) {}

Operation& Operation::operator=(Operation&& other) noexcept {
  if (activity_) wait();
  activity_ = std::move(other.activity_);
  room_ = other.room_;
  return *this;
}

Operation::~Operation() {
  if (activity_) wait();
}

bool Operation::ended() const {
  return activity_->ended_.load(std::memory_order_acquire);
}

void Operation::wait_for_one(std::span<const Operation* const> operations) {
  WaitingRoom& room = *operations.front()->room_;
  std::unique_lock lock(room.mutex);
  room.something_ended.wait(lock, [&] {
    return std::any_of(operations.begin(), operations.end(),
                       [](const Operation* each) { return each->ended(); });
  });
}

std::optional<Failure> Operation::wait() {
  std::unique_lock lock(room_->mutex);
  room_->something_ended.wait(lock, [&] { return ended(); });
  return activity_->failure_;
}

}  // namespace quintet::engine
