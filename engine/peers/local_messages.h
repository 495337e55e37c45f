// Texts between ranks that are threads of one process, or one rank alone.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "engine/peers/state_messages.h"

namespace quintet::engine {

class LocalMessages {
 public:
  explicit LocalMessages(int world);

  StateMessages& rank(Rank rank) { return *ranks_[rank.index()]; }
  // All that wait get it, and all that come later.
  void fail(const Error& cause);

 private:
  class LocalRank;
  struct Shared {
    std::mutex mutex;
    std::condition_variable arrived;
    std::map<std::pair<int, int>, std::deque<std::string>> texts;  // by sender and receiver
    std::optional<Error> failure;
  };

  Shared shared_;
  std::vector<std::unique_ptr<StateMessages>> ranks_;
};

}  // namespace quintet::engine
