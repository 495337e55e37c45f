#include "engine/transport/activity.h"

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

std::optional<Failure> Operation::wait() {
  std::unique_lock lock(room_->mutex);
  room_->something_ended.wait(lock, [&] { return ended(); });
  return activity_->failure_;
}

}  // namespace quintet::engine
