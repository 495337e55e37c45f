// Compares the tuner with printed tables, to the digits printed.
#pragma once

#include <string>
#include <vector>

#include "sim/ccl/choice/tuner.h"

namespace quintet {

// What the tables are of.
inline constexpr TunerVersion v28 = TunerVersion::nccl_2_28;
inline constexpr TunerVersion v30 = TunerVersion::nccl_2_30;
inline constexpr CollectiveKind all_reduce = CollectiveKind::all_reduce;
inline constexpr CollectiveKind all_gather = CollectiveKind::all_gather;

// Within half of the last digit printed.
void expect_printed(double value, double printed, double slack, const std::string& what);

struct PrintedEntry {
  Algorithm algorithm;
  Protocol protocol;
  double latency;    // us
  double bandwidth;  // GB/s
};

// One decimal unless said otherwise, as NCCL 2.28.9's own tables.
void expect_entries(TunerVersion version, CollectiveKind kind, const CommunicatorShape& shape,
                    const std::vector<PrintedEntry>& printed, double slack = 0.05);

struct PrintedChoice {
  Bytes size;
  Algorithm algorithm;
  Protocol protocol;
  double time;  // us
};

void expect_choices(TunerVersion version, CollectiveKind kind, const CommunicatorShape& shape,
                    const std::vector<PrintedChoice>& printed, double slack = 0.05);

}  // namespace quintet
