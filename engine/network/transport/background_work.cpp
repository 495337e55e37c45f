#include "engine/network/transport/background_work.h"

#include <algorithm>

namespace quintet::engine {

Operation::Operation(std::unique_ptr<BackgroundWork> work, WaitingRoom& room)
    : work_(std::move(work)), room_(&room) {}

Operation& Operation::operator=(Operation&& other) noexcept {
  if (work_) wait();
  work_ = std::move(other.work_);
  room_ = other.room_;
  return *this;
}

Operation::~Operation() {
  if (work_) wait();
}

bool Operation::ended() const {
  return work_->ended_.load(std::memory_order_acquire);
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
  return work_->failure_;
}

}  // namespace quintet::engine
