#include "engine/train/end_job.h"

#include <chrono>
#include <thread>

#include "engine/train/rank_words.h"

namespace quintet::engine {

void end_job(const Error& error, Rank self, JobFailures& failures) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds moment{2000}, nap{10};
  const Clock::time_point until = Clock::now() + moment;
  if (blames_another(error, self))
    while (!failures.failure() && Clock::now() < until) std::this_thread::sleep_for(nap);
  if (!failures.failure()) failures.abort(own_words(error, self));
}

}  // namespace quintet::engine
