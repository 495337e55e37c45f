// Which collective of which group, or message of which pair, a recorded call is: the same on all
// ranks that take part.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>

#include "traces/trace/rank_trace.h"
#include "traces/workload/job_groups.h"

namespace quintet {

struct CallKey {
  bool message = false;
  // Of a collective its group and 0; of a message the traces of who sends and who receives.
  std::int32_t first = -1, second = 0;
  std::int64_t number = 0;  // in order of the rank's calls of that group or pair
  auto operator<=>(const CallKey&) const = default;
};

// Counts one rank's calls: they are asked for in their order. References must outlive it.
class CallKeys {
 public:
  // `ranks`: of each trace.
  CallKeys(const JobGroups& groups, std::span<const int> ranks, std::size_t trace)
      : groups_(groups), ranks_(ranks), trace_(trace) {}

  // None: with nobody that is known.
  std::optional<CallKey> next(const RecordedCommunication& of);

 private:
  std::int32_t trace_of(int rank) const;
  CallKey counted(bool message, std::int32_t first, std::int32_t second);

  const JobGroups& groups_;
  std::span<const int> ranks_;
  std::size_t trace_;
  std::map<std::tuple<bool, std::int32_t, std::int32_t>, std::int64_t> counts_;
};

}  // namespace quintet
