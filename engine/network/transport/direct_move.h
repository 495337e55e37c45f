// One message to a rank, or from one.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "engine/network/transport/background_work.h"

namespace quintet::engine {

class DirectMove final : public BackgroundWork {
 public:
  enum class Direction { out, in };
  DirectMove(Rank peer, Tag tag, std::span<const std::byte> source)
      : peer_(peer), tag_(tag), source_(source), direction_(Direction::out) {}
  DirectMove(Rank peer, Tag tag, std::span<std::byte> target)
      : peer_(peer), tag_(tag), target_(target), direction_(Direction::in) {}

  void advance(Wire& wire) override {
    if (state_ != State::asked) return;
    state_ = State::posted;
    if (direction_ == Direction::out) {
      note_moving();
      wire.send(peer_, tag_, source_, *this, 0);
    } else {
      wire.receive(peer_, tag_, target_, *this, 0);
    }
  }
  void moved(std::uint32_t) override {
    note_moving();
    state_ = State::over;
  }
  bool finished() const override { return state_ == State::over; }
  Failure overdue() const override {
    const std::string what =
        direction_ == Direction::out ? "did not take a message of " : "did not send a message of ";
    const std::size_t size = source_.size() + target_.size();
    return {peer_, "it " + what + std::to_string(size) + " bytes before the deadline"};
  }

 private:
  Rank peer_;
  Tag tag_;
  std::span<const std::byte> source_;
  std::span<std::byte> target_;
  Direction direction_;
  enum class State { asked, posted, over } state_ = State::asked;
};

}  // namespace quintet::engine
