#include "engine/peers/thread_peers.h"

#include <algorithm>

namespace quintet::engine {

namespace {

std::string name_of(Rank rank) {
  return "rank " + std::to_string(rank.value);
}

}  // namespace

class ThreadPeers::Mail final : public RankMail {
 public:
  Mail(ThreadPeers& peers, Rank rank, int world) : peers_(peers), rank_(rank), world_(world) {}

  Rank rank() const override { return rank_; }
  int world() const override { return world_; }

  std::optional<Error> give(Rank to, std::uint64_t label,
                            std::span<const std::byte> bytes) override {
    const std::scoped_lock lock(peers_.mutex_);
    if (peers_.failure_) return peers_.failure_;
    peers_.letters_[{rank_.value, to.value, label}].emplace_back(bytes.begin(), bytes.end());
    peers_.arrived_.notify_all();
    return std::nullopt;
  }

  std::optional<Error> take(Rank from, std::uint64_t label, std::span<std::byte> bytes) override {
    std::unique_lock lock(peers_.mutex_);
    auto& box = peers_.letters_[{from.value, rank_.value, label}];
    peers_.arrived_.wait(lock, [&] { return !box.empty() || peers_.failure_; });
    if (peers_.failure_) return peers_.failure_;
    if (box.front().size() != bytes.size())
      return Error{name_of(from), "gave " + std::to_string(box.front().size()) + " bytes to " +
                                      name_of(rank_) + ", which expected " +
                                      std::to_string(bytes.size())};
    std::copy(box.front().begin(), box.front().end(), bytes.begin());
    box.pop_front();
    return std::nullopt;
  }

  std::optional<Error> ask(Rank peer, const Question& question) override {
    if (auto failed = give(peer, question.label, {})) return failed;
    return take(peer, question.reply_label, question.reply);
  }

 private:
  ThreadPeers& peers_;
  Rank rank_;
  int world_;
};

class ThreadPeers::Failures final : public JobFailures {
 public:
  Failures(ThreadPeers& peers, Rank rank) : peers_(peers), rank_(rank) {}
  std::optional<Error> failure() const override { return peers_.failure(); }
  void abort(const std::string& cause) override { peers_.fail({name_of(rank_), cause}); }

 private:
  ThreadPeers& peers_;
  Rank rank_;
};

ThreadPeers::ThreadPeers(int world) : messages_(world) {
  for (int rank = 0; rank < world; ++rank) {
    mails_.push_back(std::make_unique<Mail>(*this, Rank{rank}, world));
    failures_.push_back(std::make_unique<Failures>(*this, Rank{rank}));
  }
}

ThreadPeers::~ThreadPeers() = default;

RankMail& ThreadPeers::mail(Rank rank) {
  return *mails_[rank.index()];
}

JobFailures& ThreadPeers::failures(Rank rank) {
  return *failures_[rank.index()];
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
  messages_.fail(cause);
  if (end_others_) end_others_(cause);
}

}  // namespace quintet::engine
