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
#include <vector>

#include "engine/peers/job_failures.h"
#include "engine/peers/local_messages.h"
#include "engine/peers/rank_mail.h"

namespace quintet::engine {

class ThreadPeers {
 public:
  explicit ThreadPeers(int world);
  ~ThreadPeers();
  ThreadPeers(const ThreadPeers&) = delete;
  ThreadPeers& operator=(const ThreadPeers&) = delete;

  StateMessages& messages(Rank rank) { return messages_.rank(rank); }
  RankMail& mail(Rank rank);
  JobFailures& failures(Rank rank);

  // Called once, with the first failure, by the thread that fails: to end what else ranks wait for.
  // Set before a rank starts.
  void on_failure(std::function<void(const Error&)> end) { end_others_ = std::move(end); }
  std::optional<Error> failure() const;

 private:
  class Mail;
  class Failures;
  // From, to, label.
  using Box = std::tuple<std::int32_t, std::int32_t, std::uint64_t>;

  void fail(const Error& cause);

  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<Box, std::deque<std::vector<std::byte>>> letters_;
  std::optional<Error> failure_;
  std::function<void(const Error&)> end_others_;
  LocalMessages messages_;
  std::vector<std::unique_ptr<Mail>> mails_;
  std::vector<std::unique_ptr<Failures>> failures_;
};

}  // namespace quintet::engine
