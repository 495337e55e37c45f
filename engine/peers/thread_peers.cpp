#include "engine/peers/thread_peers.h"

#include <fmt/format.h>

#include <algorithm>

namespace quintet::engine {

namespace {

std::string name_of(Rank rank) {
  return fmt::format("rank {}", rank.value);
}

}  // namespace

class ThreadPeers::OfRank final : public Peers {
 public:
  OfRank(ThreadPeers& job, Rank rank, int world) : job_(job), rank_(rank), world_(world) {}

  Rank rank() const override { return rank_; }
  int world() const override { return world_; }

  std::optional<Error> give(Rank to, std::uint64_t label,
                            std::span<const std::byte> bytes) override {
    const std::scoped_lock lock(job_.mutex_);
    if (job_.failure_) return job_.failure_;
    job_.bytes_[{rank_.value, to.value, label}].emplace_back(bytes.begin(), bytes.end());
    job_.arrived_.notify_all();
    return std::nullopt;
  }

  std::optional<Error> take(Rank from, std::uint64_t label, std::span<std::byte> bytes) override {
    std::unique_lock lock(job_.mutex_);
    auto& given = job_.bytes_[{from.value, rank_.value, label}];
    job_.arrived_.wait(lock, [&] { return !given.empty() || job_.failure_; });
    if (job_.failure_) return job_.failure_;
    if (given.front().size() != bytes.size())
      return Error{name_of(from), fmt::format("gave {} bytes to {}, which expected {}",
                                              given.front().size(), name_of(rank_), bytes.size())};
    std::copy(given.front().begin(), given.front().end(), bytes.begin());
    given.pop_front();
    return std::nullopt;
  }

  std::optional<Error> ask(Rank peer, const Question& question) override {
    if (auto failed = give(peer, question.label, {})) return failed;
    return take(peer, question.reply_label, question.reply);
  }

  void send_text(Rank to, const std::string& text) override {
    const std::scoped_lock lock(job_.mutex_);
    job_.texts_[{rank_.value, to.value}].push_back(text.substr(0, longest_text));
    job_.arrived_.notify_all();
  }

  Result<std::optional<std::string>> receive_text(Rank from, Patience patience) override {
    std::unique_lock lock(job_.mutex_);
    std::deque<std::string>& texts = job_.texts_[{from.value, rank_.value}];
    if (patience == Patience::until_one_is_over)
      job_.arrived_.wait(lock, [&] { return !texts.empty() || job_.failure_; });
    if (texts.empty() && job_.failure_) return *job_.failure_;
    if (texts.empty()) return std::optional<std::string>();
    std::optional<std::string> text(std::move(texts.front()));
    texts.pop_front();
    return text;
  }

  std::optional<Error> failure() const override { return job_.failure(); }
  void abort(const std::string& cause) override { job_.fail({name_of(rank_), cause}); }

 private:
  ThreadPeers& job_;
  Rank rank_;
  int world_;
};

ThreadPeers::ThreadPeers(int world) {
  for (int rank = 0; rank < world; ++rank)
    ranks_.push_back(std::make_unique<OfRank>(*this, Rank{rank}, world));
}

ThreadPeers::~ThreadPeers() = default;

Peers& ThreadPeers::rank(Rank rank) {
  return *ranks_[rank.index()];
}

std::optional<Error> ThreadPeers::failure() const {
  const std::scoped_lock lock(mutex_);
  return failure_;
}

// Others are ended outside of the lock: they may ask for the failure.
void ThreadPeers::fail(const Error& cause) {
  {
    const std::scoped_lock lock(mutex_);
    if (failure_) return;
    failure_ = cause;
    arrived_.notify_all();
  }
  if (end_others_) end_others_(cause);
}

}  // namespace quintet::engine
