#include "engine/train/end_job.h"

#include <chrono>
#include <thread>

#include "engine/train/rank_words.h"

namespace quintet::engine {

void end_job(const Error& error, Peers& peers) {
  constexpr std::chrono::milliseconds moment{2000}, nap{10};
  const Clock::time_point until = Clock::now() + moment;
  if (blames_another(error, peers.rank()))
    while (!peers.failure() && Clock::now() < until) std::this_thread::sleep_for(nap);
  if (!peers.failure()) peers.abort(own_words(error, peers.rank()));
}

}  // namespace quintet::engine
