// The background work that one thread drives. All of it is that thread's own, but for the news of
// an end, which wakes whoever waits.
#pragma once

#include <optional>
#include <vector>

#include "engine/network/transport/background_work.h"

namespace quintet::engine {

class WorkUnderWay {
 public:
  explicit WorkUnderWay(WaitingRoom& room) : room_(room) {}

  bool empty() const { return active_.empty(); }
  void begin(BackgroundWork& work);
  void touch(BackgroundWork& work);  // it has something to do
  // Does it for all that were touched; what is finished ends. False: none was.
  bool advance(Wire& wire);
  // Whom each waits for whose deadline has passed since it was asked last.
  std::vector<Failure> overdue(Clock::time_point now);
  // Only of what no carrier holds buffers of any more.
  void end(BackgroundWork& work, const std::optional<Failure>& failure);
  void end_all(const Failure& failure);

 private:
  WaitingRoom& room_;
  std::vector<BackgroundWork*> active_, touched_;
};

}  // namespace quintet::engine
