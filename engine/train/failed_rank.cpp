#include "engine/train/failed_rank.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

namespace quintet::engine {

namespace {

std::string name_of(Rank rank) {
  return fmt::format("rank {}", rank.value);
}

}  // namespace

bool blames_another(const Error& error, Rank self) {
  return error.where.starts_with("rank ") && error.where != name_of(self) &&
         !error.where.starts_with(name_of(self) + ":");
}

std::string own_words(const Error& error, Rank self) {
  std::string text = error.text();
  const std::string name = name_of(self) + ": ";
  while (text.starts_with(name)) text.erase(0, name.size());
  return text;
}

std::string complaint(const Error& error, Rank self) {
  return (blames_another(error, self) ? "lost " : "") + own_words(error, self);
}

void end_job(const Error& error, Peers& peers) {
  constexpr std::chrono::milliseconds moment{2000}, nap{10};
  const Clock::time_point until = Clock::now() + moment;
  if (blames_another(error, peers.rank()))
    while (!peers.failure() && Clock::now() < until) std::this_thread::sleep_for(nap);
  if (!peers.failure()) peers.abort(own_words(error, peers.rank()));
}

}  // namespace quintet::engine
