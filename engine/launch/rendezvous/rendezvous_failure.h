// Why a job ended: which rank failed and how. Every rank of a job is told the same.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/launch/rendezvous/rendezvous_socket.h"
#include "sim/base/ids.h"
#include "sim/base/result.h"

namespace quintet::engine {

struct Failure {
  Rank rank;          // invalid: nobody in particular
  std::string cause;  // "its connection closed", "was silent for 5.0 s"

  bool operator==(const Failure&) const = default;
  Error error() const {
    return {rank.valid() ? "rank " + std::to_string(rank.value) : "the job", cause};
  }
  std::string text() const { return error().text(); }
};

// Which rank a job failed by, out of what many ranks see at once. A dying rank breaks connections,
// and whoever gives up because of it breaks more; so a broken connection is only a suspicion, which
// waits a moment for the certain sign: the end of the dead rank's own control connection.
class Verdict {
 public:
  explicit Verdict(Milliseconds grace) : grace_(grace) {}

  // Certain: the first of these ends the job.
  void failed(const Failure& failure);

  // `by` lost its connection to `failure.rank`, or waited for it longer than an operation may.
  void suspected(Rank by, const Failure& failure, Clock::time_point now);

  // Nothing while the job goes on. Once the grace has passed: the first suspect who suspects nobody
  // itself, for one who waits in vain is a victim of the one it waits for.
  const std::optional<Failure>& at(Clock::time_point now);

 private:
  struct Suspicion {
    Rank by;
    Failure failure;
  };
  Failure most_likely() const;

  Milliseconds grace_;
  std::vector<Suspicion> suspicions_;
  Clock::time_point since_;
  std::optional<Failure> verdict_;
};

}  // namespace quintet::engine
