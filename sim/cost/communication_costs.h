// What communication was measured to do, by itself and beside kernels: part of cost_table.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/base/units.h"
#include "sim/cost/evidence.h"
#include "sim/cost/fit_validity.h"
#include "sim/plan/ccl.h"

namespace quintet {

// What computes and what communicates side by side, by what it wears out: arithmetic or memory;
// sums on arrival or bytes that only pass.
enum class ComputeClass { product, memory };
enum class CommunicationClass { reducing, copying };

// Both as factors on the time alone. Of ranks on processors, whose cores ProcessorCosts shares out,
// these rows only say what that has to explain. On GPUs (a table without processors) a row takes
// the place of what else OverlapCosts and SMs say, for kernels of its class and communication of
// its class that runs on SMs: while there is such communication a kernel takes compute_slowdown
// times as long, of several the largest; communication that begins beside such a kernel on any of
// its GPUs has 1 / communication_slowdown of its rate, of several the largest. Factors below 1
// count as 1.
struct OverlapRow {
  ComputeClass compute = ComputeClass::product;
  CommunicationClass communication = CommunicationClass::reducing;
  double compute_slowdown = 1, communication_slowdown = 1;
  bool operator==(const OverlapRow&) const = default;
};

// How communication beside a kernel slows it, and back (measured: arXiv 2507.03114).
struct OverlapCosts {
  int sms_per_channel = 1;             // an NCCL channel is one thread block on one SM
  double memory_traffic_reduce = 3.0;  // HBM bytes per byte reduced: two reads, one write
  double memory_traffic_copy = 2.0;    // per byte forwarded
  double compute_slowdown =
      1.0;  // further factor on kernels while communication runs (power, caches)
  double communication_slowdown = 1.0;  // and the other way round
  std::string source;
  std::vector<OverlapRow> rows{};
  bool operator==(const OverlapCosts&) const = default;
};

struct CurvePoint {
  Bytes size;
  Seconds time;
  bool operator==(const CurvePoint&) const = default;
};

// The network under a measurement between hosts. A prediction for another one is no measurement's
// business: the model of transfers makes it.
struct CurveNetwork {
  Bandwidth rate;   // of the slowest link on the ways between neighbours, as its vendor gives it
  Seconds latency;  // of the longest of these ways
  bool operator==(const CurveNetwork&) const = default;
};

// The residuals of sizes up to the split and above it: small messages wait for threads and queues,
// which takes now this long and now that; large ones for their bytes. Samples 0: too few to tell
// them apart.
struct ResidualsBySize {
  Residuals small, large;
  bool operator==(const ResidualsBySize&) const = default;
};
inline constexpr Bytes residual_split{64 << 10};

// Measured times of one collective among this many ranks, without other traffic.
struct CollectiveCurve {
  CollectiveKind kind = CollectiveKind::all_reduce;
  int ranks = 2;
  std::vector<CurvePoint> points;  // two or more, sizes and times rising
  std::string source;
  Residuals residuals{};                 // of sizes held out
  int hosts = 1;                         // that the ranks are spread over evenly
  std::optional<Algorithm> algorithm{};  // none: what the library chose
  std::optional<Protocol> protocol{};
  std::optional<CurveNetwork> network{};  // where there are several hosts
  ResidualsBySize by_size{};
  Evidence evidence = Evidence::guessed;
  bool operator==(const CollectiveCurve&) const = default;
};

// Measured times of a message from one rank to another, in a host or between two.
struct MessageCurve {
  std::vector<CurvePoint> points;  // as above
  std::string source;
  Residuals residuals{};                  // of sizes held out, and of the other pairs
  std::optional<CurveNetwork> network{};  // none: inside a host
  ResidualsBySize by_size{};              // likewise
  Evidence evidence = Evidence::guessed;
  bool operator==(const MessageCurve&) const = default;
};

// One direction of one pair of the ranks that were measured.
struct PairCosts {
  int from = 0, to = 1;
  Seconds latency;  // of a message of a few bytes
  Bandwidth rate;   // of a large one
  bool operator==(const PairCosts&) const = default;
};

// The ranks that measured: how far their clocks and their speeds lie apart.
struct MeasuredRanks {
  int ranks = 1, hosts = 1;
  Seconds clock_offset;  // the largest, of their steady clocks to rank 0's
  Seconds clock_bound;   // no two ranks' times are further off when put on one clock
  Seconds quantum;       // median time of a fixed piece of work
  Residuals jitter;      // of its times on one rank, around that rank's median
  double slowest = 1;    // the slowest rank's median over the median of all
  int slowest_rank = 0;
  std::string source;
  bool operator==(const MeasuredRanks&) const = default;
};

// NCCL's formula decides the choice; what it reaches is measured: factors on its bandwidth and
// latency, and the curves where they cover the size.
struct CommunicationCosts {
  double bandwidth_factor = 1.0;
  double latency_factor = 1.0;
  std::string source;
  std::vector<CollectiveCurve> curves{};
  Residuals residuals{};  // of what no curve covers
  std::vector<MessageCurve> messages{};
  std::vector<PairCosts> pairs{};  // of large jobs a sample
  std::optional<MeasuredRanks> among{};
  // What the factors rest on where no curve covers: inside a host, and between hosts.
  Evidence evidence = Evidence::guessed, between_hosts = Evidence::guessed;
  bool operator==(const CommunicationCosts&) const = default;
};

}  // namespace quintet
