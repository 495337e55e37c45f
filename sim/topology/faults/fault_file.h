// What goes wrong with a machine while a job runs on it, from one file for both executors: the
// simulator (`quintet simulate --faults`) and the shaped links (`quintet run --shape --faults`).
// Fields and what they mean: `quintet plan fields faults`, docs/formats/faults.md.
//
//   {"name": "a slow cable", "source": "...", "events": [
//     {"what": "slow",  "part": "leaf0-spine1", "share": 0.25, "step": 5, "until_step": 9},
//     {"what": "delay", "part": "host3/nic5", "by": "20 ms", "time": "1.5 s"},
//     {"what": "back",  "part": "host3/nic5", "step": 12},
//     {"what": "slow",  "rank": 2, "share": 0.5, "step": 5, "time": "30 ms"}]}
//
// Steps count from 1. A time alone is since the first step began; beside a step it is since that
// step began.
#pragma once

#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/result.h"
#include "sim/base/units.h"
#include "sim/json/field_description.h"

namespace quintet {

enum class FaultKind {
  slow,   // a share of its rate is left; of a rank: of its speed
  delay,  // so much more latency
  fail,   // carries nothing
  back,   // ends all of the above that began before
};
std::string_view name_of(FaultKind kind);

// As the file has it.
struct FaultEvent {
  FaultKind what = FaultKind::slow;
  std::string part;         // of the machine, as --slow, --fail and --delay name it
  std::optional<int> rank;  // in the place of a part: what it computes
  std::optional<double> share;
  std::optional<Seconds> by;
  std::optional<int> step, until_step;
  std::optional<Seconds> time, until_time;
  bool operator==(const FaultEvent&) const = default;
};

struct FaultFile {
  std::string name, source;
  std::vector<FaultEvent> events;
  bool operator==(const FaultFile&) const = default;
};

// A point of a run: so long after the step begins; without a step after the first one has begun.
struct RunMoment {
  std::optional<int> step;
  Seconds time;
  bool operator==(const RunMoment&) const = default;
};

// One thing that is wrong from one moment to another; what comes back has an end.
struct Fault {
  FaultKind kind = FaultKind::slow;  // never `back`
  std::string part;                  // empty: of a rank
  int rank = -1;
  double share = 1;
  Seconds by;
  RunMoment begin;
  std::optional<RunMoment> end;  // none: to the end of the run
  bool operator==(const Fault&) const = default;
};

// "host3/nic5 at 25 % of its rate", "leaf0-spine1 later by 20 ms", "rank 2 at 50 % of its speed".
std::string text(const Fault& fault);

struct FaultPlan {
  std::string name, source, file;
  std::vector<Fault> faults;         // in the order of the file
  std::vector<std::size_t> numbers;  // of each its event in the file, from 0
  bool operator==(const FaultPlan&) const = default;
};

// The error names file, place, value and what is accepted: times below zero, an end before its
// begin, two events that say different things of one part at one time, a part that comes back and
// never was gone, events of one part of which some go by steps and some by time.
Result<FaultPlan> read_faults(const std::filesystem::path& file);
Result<FaultPlan> parse_faults(const std::string& text, const std::string& where);

FieldDescription fault_fields();

}  // namespace quintet
