#include "calibrate/messages/message_summary.h"

#include <gtest/gtest.h>

namespace quintet::calibrate {
namespace {

using namespace literals;

TEST(MessageSummary, SaysWhatWasFound) {
  CostTable table;
  EXPECT_EQ(message_summary(table), "");
  CommunicationCosts& costs = table.communication;
  CollectiveCurve ring{
      CollectiveKind::all_reduce, 4, {{256_B, 410_us}, {16_MB, 200_ms}}, "s", {-0.031, 0.04, 9}};
  ring.hosts = 4;
  ring.algorithm = Algorithm::ring;
  costs.curves = {ring};
  costs.messages = {{{{256_B, 61_us}, {1_MB, Seconds{500e-6}}}, "s", {}, {}}};
  costs.pairs = {{0, 1, 61_us, 1900_MBps}, {0, 2, 75_us, 1500_MBps}, {1, 2, 60_us, 900_MBps}};
  costs.among = MeasuredRanks{3, 1, 2_us, 5_us, 1_ms, {-0.01, 0.02, 600}, 1.25, 2, "s"};
  table.overlap.rows = {{ComputeClass::memory, CommunicationClass::reducing, 1.5, 2}};
  EXPECT_EQ(
      message_summary(table),
      "                    ranks on hosts   latency  size / time  sizes left out\n"
      "message                     2 on 1   61.0 us    2.00 GB/s\n"
      "all-reduce by ring          4 on 4  410.0 us      80 MB/s  -3.1 to +4.0 %\n"
      "3 pairs: 60.0 us to 75.0 us (ranks 0 and 2), 900 MB/s (ranks 1 and 2) to 1.90 GB/s.\n"
      "Clocks: 2.0 us apart at most, known to 5.0 us. A piece of work of 1.00 ms takes -1.0 to "
      "+2.0 % more or less from one time to the next, and 25.0 % longer on the slowest rank, 2.\n"
      "Memory-bound work beside reducing collectives takes 1.50 times as long, they 2.00 times.\n");
}

}  // namespace
}  // namespace quintet::calibrate
