#include "tests/sim/ccl/printed.h"

#include <gtest/gtest.h>

namespace quintet {

void expect_printed(double value, double printed, double slack, const std::string& what) {
  EXPECT_NEAR(value, printed, slack + 1e-9) << what;
}

void expect_entries(TunerVersion version, CollectiveKind kind, const CommunicatorShape& shape,
                    const std::vector<PrintedEntry>& printed, double slack) {
  for (const PrintedEntry& row : printed) {
    const auto entry = tuner_entry(version, kind, row.algorithm, row.protocol, shape);
    const std::string what = std::to_string(shape.nodes) + " nodes, algorithm " +
                             std::to_string(static_cast<int>(row.algorithm)) + " protocol " +
                             std::to_string(static_cast<int>(row.protocol));
    ASSERT_TRUE(entry) << what;
    expect_printed(entry->latency.value * 1e6, row.latency, slack, what + " latency");
    expect_printed(entry->bandwidth.value * 1e-9, row.bandwidth, slack, what + " bandwidth");
  }
}

void expect_choices(TunerVersion version, CollectiveKind kind, const CommunicatorShape& shape,
                    const std::vector<PrintedChoice>& printed, double slack) {
  for (const PrintedChoice& row : printed) {
    const auto choice = choose(version, kind, row.size, shape);
    const std::string what =
        std::to_string(shape.nodes) + " nodes, " + std::to_string(row.size.value) + " B";
    ASSERT_TRUE(choice) << what;
    EXPECT_EQ(choice->algorithm, row.algorithm) << what;
    EXPECT_EQ(choice->protocol, row.protocol) << what;
    expect_printed(choice->time.value * 1e6, row.time, slack, what);
  }
}

}  // namespace quintet
