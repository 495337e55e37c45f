// What can be timed among the ranks of a job, whatever moves their bytes: the engine's transport
// between ranks on processors, NCCL between GPUs (engine_ranks.h), a made-up world in tests.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/base/units.h"
#include "sim/cost/communication_costs.h"
#include "sim/plan/ccl.h"

namespace quintet::calibrate {

// These are ranks of a job: `count` of them from `first` on, `stride` apart.
struct Members {
  int first = 0, stride = 1, count = 2;
  auto operator<=>(const Members&) const = default;
};

struct Method {
  CollectiveKind kind = CollectiveKind::all_reduce;
  std::optional<Algorithm> algorithm = Algorithm::ring;  // none: the library chooses
  std::optional<Protocol> protocol{};                    // where there are several
  auto operator<=>(const Method&) const = default;
};

struct CollectiveProbe {
  Method method;
  Members members;
  Bytes size;
  bool operator==(const CollectiveProbe&) const = default;
};

struct PairProbe {
  int from = 0, to = 1;
  Bytes size;
  bool operator==(const PairProbe&) const = default;
};

// `host`: as the topology tells them apart; `machine`: those that share cores.
struct RankSeat {
  int host = 0, machine = 0;
  bool operator==(const RankSeat&) const = default;
};

struct OverlapProbe {
  ComputeClass compute = ComputeClass::product;
  CommunicationClass communication = CommunicationClass::reducing;
  Bytes size;
  int calls = 1;  // of the collective, one after another
};
// All ranks take part. Work: pieces per second, all ranks together; time: of the calls, the slowest
// rank's.
struct OverlapSample {
  double work_alone = 0, work_beside = 0;
  Seconds time_alone, time_beside;
};

struct ClockReadings {
  std::vector<Seconds> offsets;  // of each rank's steady clock to rank 0's
  Seconds bound;                 // times of two ranks are no further off than this
};

// What is worth timing: GPUs move more, and are far from their rate where processors have reached
// theirs.
struct MessageSizes {
  Bytes largest{64 << 20};       // of curves
  Bytes large_message{1 << 20};  // that tells a pair's rate
  Bytes overlap{4 << 20};        // of collectives beside computing
  Seconds overlap_time{0.5};     // of all of them
  bool operator==(const MessageSizes&) const = default;
};

// All algorithms, ring before the others: what plans get unless they ask for something else.
inline std::vector<Algorithm> usual_first() {
  std::vector<Algorithm> algorithms{Algorithm::ring};
  for (const Algorithm algorithm : all_algorithms)
    if (algorithm != Algorithm::ring) algorithms.push_back(algorithm);
  return algorithms;
}

class TimedRanks {
 public:
  virtual ~TimedRanks() = default;

  virtual const std::vector<RankSeat>& seats() const = 0;
  // What these ranks can do, what plans get unless they ask for something else first.
  virtual std::vector<Method> methods() const = 0;
  virtual MessageSizes sizes() const { return {}; }

  // One of `calls` that follow each other, the slowest member's time. Members start together.
  // Nothing: these members do not do it by that algorithm and protocol, whoever asks.
  virtual Result<std::optional<Seconds>> time(const CollectiveProbe& probe, int calls) = 0;
  // Half of there and back.
  virtual Result<Seconds> time(const PairProbe& probe, int calls) = 0;
  // Seconds of `count` equal pieces of work on each rank, while no other rank of its machine works.
  virtual Result<std::vector<std::vector<double>>> quanta(int count) = 0;
  virtual Result<OverlapSample> overlap(const OverlapProbe& probe) = 0;
  virtual Result<ClockReadings> clocks() = 0;
};

}  // namespace quintet::calibrate
