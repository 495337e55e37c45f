#include "engine/launch/rendezvous/rendezvous_failure.h"

#include <algorithm>

namespace quintet::engine {

void Verdict::failed(const Failure& failure) {
  if (!verdict_) verdict_ = failure;
}

void Verdict::suspected(Rank by, const Failure& failure, Clock::time_point now) {
  if (suspicions_.empty()) since_ = now;
  suspicions_.push_back({by, failure});
}

const std::optional<Failure>& Verdict::at(Clock::time_point now) {
  if (!verdict_ && !suspicions_.empty() && now - since_ >= grace_) verdict_ = most_likely();
  return verdict_;
}

Failure Verdict::most_likely() const {
  const auto suspects_nobody = [&](const Suspicion& suspicion) {
    return std::none_of(suspicions_.begin(), suspicions_.end(),
                        [&](const Suspicion& other) { return other.by == suspicion.failure.rank; });
  };
  const auto found = std::find_if(suspicions_.begin(), suspicions_.end(), suspects_nobody);
  return found == suspicions_.end() ? suspicions_.front().failure : found->failure;
}

}  // namespace quintet::engine
