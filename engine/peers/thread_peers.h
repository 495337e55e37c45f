// Ranks that are threads of one process: what they tell each other, and how they fail together.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/peers/peers.h"

namespace quintet::engine {

class ThreadPeers {
 public:
  explicit ThreadPeers(int world);
  ~ThreadPeers();
  ThreadPeers(const ThreadPeers&) = delete;
  ThreadPeers& operator=(const ThreadPeers&) = delete;

  Peers& rank(Rank rank);

  // Called once, with the first failure, by the thread that fails: to end what else ranks wait for.
  // Set before a rank starts.
  void on_failure(std::function<void(const Error&)> end) { end_others_ = std::move(end); }
  // The first is everybody's: of those that wait, and of those that come later, but for texts that
  // are there already.
  void fail(const Error& cause);
  std::optional<Error> failure() const;

 private:
  class OfRank;
  using FromToLabel = std::tuple<std::int32_t, std::int32_t, std::uint64_t>;
  using FromTo = std::pair<std::int32_t, std::int32_t>;

  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<FromToLabel, std::deque<std::vector<std::byte>>> bytes_;
  std::map<FromTo, std::deque<std::string>> texts_;
  std::optional<Error> failure_;
  std::function<void(const Error&)> end_others_;
  std::vector<std::unique_ptr<OfRank>> ranks_;
};

}  // namespace quintet::engine
