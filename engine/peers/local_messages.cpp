#include "engine/peers/local_messages.h"

namespace quintet::engine {

class LocalMessages::LocalRank final : public StateMessages {
 public:
  LocalRank(Shared& shared, Rank rank, int world) : shared_(shared), rank_(rank), world_(world) {}

  Rank rank() const override { return rank_; }
  int world() const override { return world_; }

  void send(Rank to, const std::string& text) override {
    const std::scoped_lock lock(shared_.mutex);
    shared_.texts[{rank_.value, to.value}].push_back(text.substr(0, longest));
    shared_.arrived.notify_all();
  }

  Result<std::optional<std::string>> receive(Rank from, Patience patience) override {
    std::unique_lock lock(shared_.mutex);
    std::deque<std::string>& texts = shared_.texts[{from.value, rank_.value}];
    if (patience == Patience::until_one_is_over)
      shared_.arrived.wait(lock, [&] { return !texts.empty() || shared_.failure; });
    if (texts.empty() && shared_.failure) return *shared_.failure;
    if (texts.empty()) return std::optional<std::string>();
    std::optional<std::string> text(std::move(texts.front()));
    texts.pop_front();
    return text;
  }

 private:
  Shared& shared_;
  Rank rank_;
  int world_;
};

LocalMessages::LocalMessages(int world) {
  for (int rank = 0; rank < world; ++rank)
    ranks_.push_back(std::make_unique<LocalRank>(shared_, Rank{rank}, world));
}

void LocalMessages::fail(const Error& cause) {
  const std::scoped_lock lock(shared_.mutex);
  if (!shared_.failure) shared_.failure = cause;
  shared_.arrived.notify_all();
}

}  // namespace quintet::engine
